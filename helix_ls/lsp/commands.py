"""workspace/executeCommand: the command table, and the handlers that act on the index, a finding or the window."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types

from helix_core.engine import Helix
from helix_core.errors import UsageError
from helix_core.model import DocumentChange, Overlays, Reason
from helix_core.workspace import path_of, source_id_of
from helix_ls.host.open_workspace import OpenWorkspace
from helix_ls.lsp.connection import ClientConnection
from helix_ls.lsp.diagnostics import Diagnostics, PutAway, dismiss, place_id, put_away
from helix_ls.lsp.folders import Folder, uri_of_file
from helix_ls.lsp.memory_notices import MemoryNotices
from helix_ls.lsp.progress import IndexProgress, Token
from helix_ls.lsp.questions import QueryHandlers, document_place
from helix_ls.lsp.replies import INVALID_PARAMS, RequestError
from helix_ls.lsp.strands import StrandHandlers
from helix_ls.operations import hosting, memory, places, questions, strands
from helix_ls.operations.arguments import AskContext, Operation
from helix_ls.operations.validation import validated

_GONE = frozenset({DocumentChange.NAME.value, DocumentChange.FILE.value})


class ActionHandlers:
    """Handlers of the ``helix.*`` commands that act, for one LSP session. ``attach`` retries to open a folder."""

    def __init__(
        self,
        connection: ClientConnection,
        diagnostics: Diagnostics,
        progress: IndexProgress,
        attach: Callable[[Folder], Awaitable[None]],
    ) -> None:
        self._connection, self._diagnostics, self._progress, self._attach = connection, diagnostics, progress, attach

    async def refresh(self, given: questions.WorkspaceArguments, token: Token | None = None) -> dict[str, Any]:
        """Handle ``helix.index.refresh``: bring the index up to date."""
        return await self._index(given, token, "Helix: refreshing the index", OpenWorkspace.refresh)

    async def rebuild(self, given: questions.WorkspaceArguments, token: Token | None = None) -> dict[str, Any]:
        """Handle ``helix.index.rebuild``: build the index from scratch."""
        return await self._index(given, token, "Helix: rebuilding the index", OpenWorkspace.rebuild)

    async def _index(
        self,
        given: questions.WorkspaceArguments,
        token: Token | None,
        title: str,
        act: Callable[[OpenWorkspace], Awaitable[dict[str, Any]]],
    ) -> dict[str, Any]:
        folder = self._connection.folders.named(given.workspace)
        await self._attach(folder)
        workspace = await folder.workspace()
        with self._progress.requested(folder, token, title):
            try:
                return await act(workspace)
            except asyncio.CancelledError:
                # A window that closes does not cancel indexing: other clients may share the folder.
                if not self._connection.protocol.is_leaving():
                    workspace.cancel()
                raise

    async def pause(self, given: questions.WorkspaceArguments) -> None:
        """Handle ``helix.index.pause``: pause background indexing."""
        for folder in self._folders_of(given):
            (await folder.workspace()).pause()

    async def resume(self, given: questions.WorkspaceArguments) -> None:
        """Handle ``helix.index.resume``: resume background indexing."""
        for folder in self._folders_of(given):
            (await folder.workspace()).resume()

    def _folders_of(self, given: questions.WorkspaceArguments) -> list[Folder]:
        """Return the named folder, or all folders if none is named."""
        folders = self._connection.folders
        return [folders.named(given.workspace)] if given.workspace is not None else list(folders)

    async def refresh_file(self, given: hosting.DocumentArguments) -> None:
        """Handle ``helix.refreshFile``: index one file now."""
        place = document_place(self._connection, given.uri)
        (await place.folder.workspace()).hint([place.path])

    async def status(self, given: places.StatusArguments) -> dict[str, Any]:
        """Handle ``helix.status``: return the index status."""
        folder = self._connection.folders.named(given.workspace)

        def act(helix: Helix, *_: Any) -> dict[str, Any]:
            return places.status(helix, given, AskContext(live=folder.wire_status()))

        return await self._connection.ask(folder, act)

    async def proxy(self, given: hosting.ProxyArguments) -> dict[str, Any]:
        """Handle ``helix.proxy``: start the chat proxy if needed, and return its base URL and key.

        Raises UsageError for an untrusted folder, or if this process has no proxy.
        """
        connection, about = self._connection, None
        if given.workspace is not None or list(connection.folders):
            folder = connection.folders.named(given.workspace)
            if not folder.trusted:
                raise UsageError("this folder is not trusted, so chats are off; trust it to use them")
            about = (await folder.workspace()).folder
            if given.focused:
                connection.host.focused = about
        if connection.host.chats is None:
            raise UsageError("there is no chat proxy in this process; start one with: helix serve")
        settings = given.settings()
        is_told = bool(settings) or connection.has_proxy_settings
        connection.has_proxy_settings = bool(settings)
        return await connection.host.chats.facts(
            folder=about, start=given.start, settings=settings if is_told else None
        )

    async def doctor(self, given: questions.WorkspaceArguments) -> dict[str, Any]:
        """Handle ``helix.doctor``: run the checks of this machine."""
        from helix_core.doctor import doctor_answer, examine

        folders = list(self._connection.folders)
        folder = self._connection.folders.named(given.workspace) if given.workspace or folders else None
        path = Path.home() if folder is None else Path(folder.status().workspace)
        return doctor_answer(await asyncio.to_thread(examine, path))

    async def dismiss(self, given: hosting.DismissArguments) -> None:
        """Handle ``helix.dismiss``: hide a finding."""
        place = document_place(self._connection, given.uri)
        one = (place_id(place), given.code, given.text_hash)

        def act(helix: Helix, *_: Any) -> None:
            if given.restore and put_away(helix).is_flagged(one):
                raise UsageError(
                    "a flag of the trail hides this finding; it is shown again when the trail is forgotten"
                )
            dismiss(helix.index_path.parent, one, restore=given.restore)

        await self._connection.ask(place.folder, act)
        self._diagnostics.changed()

    async def hints(self, given: hosting.HintsArguments) -> dict[str, Any]:
        """Handle ``helix.hints``: return the findings of the next files in path order, dismissed ones marked as such.

        The list is empty where the folder's diagnostics are turned off.
        """
        folder = self._connection.folders.named(given.workspace)
        if not folder.settings.diagnostics:
            return _hints_answer([], 0, 0, None)

        def act(helix: Helix, overlays: Overlays, cancelled: Callable[[], bool]) -> dict[str, Any]:
            after = path_of(given.after)
            page = helix.symbols.hints(after, files=given.files, overlays=overlays, cancelled=cancelled)
            hidden = put_away(helix)
            found = [_hint(folder, path, each, hidden) for path, findings in page.found.items() for each in findings]
            partial = [source_id_of(path) for path, findings in page.found.items() if findings.partial]
            return _hints_answer(found, page.done, page.total, page.last, partial=partial, notes=page.notes)

        return await self._connection.ask(folder, act)

    async def open_sides(self, given: hosting.SidesArguments) -> list[dict[str, Any]]:
        """Handle ``helix.openSides``: show both documents if the client supports it, and return their positions."""
        sides = [(given.uri, given.start_line), (given.other_uri, given.other_start_line)]
        for uri, line in sides:
            start = types.Position(max(line - 1, 0), 0)
            params = types.ShowDocumentParams(uri=uri, take_focus=False, selection=types.Range(start, start))
            if self._connection.client.shows_documents:
                self._connection.protocol.send_request(types.WINDOW_SHOW_DOCUMENT, params)
        return [{"uri": uri, "start_line": line} for uri, line in sides]


def _kind_of(finding: dict[str, Any]) -> str:
    """Return ``contradicted``, ``dead`` for a reference to what is gone, or ``outdated``."""
    if finding["code"] == Reason.CONTRADICTED.value:
        return "contradicted"
    return "dead" if finding.get("flag", {}).get("change") in _GONE else "outdated"


def _hint(folder: Folder, path: bytes, finding: dict[str, Any], hidden: PutAway) -> dict[str, Any]:
    source_id = source_id_of(path)
    return {
        "kind": _kind_of(finding),
        "source_id": source_id,
        "uri": uri_of_file(folder.uri, path),
        **{
            name: finding[name]
            for name in ("code", "message", "start_line", "end_line", "text_hash", "mention", "other")
        },
        "flag": finding.get("flag"),
        "ignored": (source_id, finding["code"], finding["text_hash"]) in hidden,
    }


def _hints_answer(
    found: list[dict[str, Any]],
    done: int,
    total: int,
    last: bytes | None,
    *,
    partial: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    return {
        "schema": hosting.HINTS.answer,
        "hints": found,
        "done": done,
        "total": total,
        "next": source_id_of(last) if last is not None else None,
        "partial": list(partial),
        "notes": list(notes),
    }


@dataclass(frozen=True, slots=True)
class Command:
    """An operation as a command; ``lasts``: its handler also takes the client's progress token."""

    operation: Operation[Any]
    act: Callable[..., Awaitable[Any]]
    lasts: bool = False


class Commands:
    """The command table of one session: the view of the table of operations for editors."""

    def __init__(
        self, asking: QueryHandlers, acts: ActionHandlers, notices: MemoryNotices, carrying: StrandHandlers
    ) -> None:
        self.table: dict[str, Command] = {
            "helix.packet": Command(questions.PACKET, asking.packet),
            "helix.packet.close": Command(hosting.CLOSE_PACKET, asking.close_packet),
            "helix.search": Command(questions.SEARCH, asking.search),
            "helix.refreshPlan": Command(questions.PLAN, asking.plan),
            "helix.explain": Command(places.EXPLAIN, asking.explain),
            "helix.open": Command(places.OPEN, asking.plainly(places.OPEN)),
            "helix.check": Command(places.CHECK, asking.plainly(places.CHECK)),
            "helix.changes": Command(places.CHANGES, asking.plainly(places.CHANGES)),
            "helix.symbol": Command(places.SYMBOL, asking.symbol),
            "helix.names": Command(places.NAMES, asking.plainly(places.NAMES)),
            "helix.index.refresh": Command(hosting.REFRESH_INDEX, acts.refresh, lasts=True),
            "helix.index.rebuild": Command(hosting.REBUILD_INDEX, acts.rebuild, lasts=True),
            "helix.index.pause": Command(hosting.PAUSE_INDEX, acts.pause),
            "helix.index.resume": Command(hosting.RESUME_INDEX, acts.resume),
            "helix.status": Command(places.STATUS, acts.status),
            "helix.proxy": Command(hosting.PROXY, acts.proxy),
            "helix.doctor": Command(hosting.DOCTOR, acts.doctor),
            "helix.dismiss": Command(hosting.DISMISS, acts.dismiss),
            "helix.hints": Command(hosting.HINTS, acts.hints),
            "helix.refreshFile": Command(hosting.REFRESH_FILE, acts.refresh_file),
            "helix.openSides": Command(hosting.OPEN_SIDES, acts.open_sides),
            "helix.trail.resume": Command(memory.WHERE, asking.plainly(memory.WHERE)),
            "helix.trail.forget": Command(memory.FORGET_TRAIL, asking.plainly(memory.FORGET_TRAIL)),
            "helix.strand.export": Command(strands.EXPORT_MEMORIES, carrying.export),
            "helix.strand.import": Command(
                strands.IMPORT_MEMORIES, notices.around(strands.IMPORT_MEMORIES, carrying.take)
            ),
            "helix.strand.verify": Command(strands.VERIFY_STRAND, carrying.verify),
            "helix.strand.trust": Command(strands.TRUST_SIGNER, carrying.trust),
        }
        of_memory: dict[str, Operation[Any]] = {
            "remember": memory.REMEMBER,
            "recall": memory.RECALL,
            "get": memory.MEMORY_GET,
            "context": memory.MEMORY_CONTEXT,
            "edit": memory.EDIT,
            "relate": memory.RELATE,
            "diff": memory.MEMORY_DIFF,
            "list": memory.MEMORIES,
            "review": memory.REVIEW,
            "decide": memory.DECIDE,
            "forget": memory.FORGET,
            "restore": memory.RESTORE,
            "purge": memory.PURGE,
            "rollback": memory.ROLLBACK,
            "maintain": memory.MAINTAIN,
            "log": memory.MEMORY_LOG,
        }
        for name, operation in of_memory.items():
            self.table[f"helix.memory.{name}"] = Command(
                operation, notices.around(operation, asking.plainly(operation))
            )

    async def execute(self, params: types.ExecuteCommandParams) -> Any:
        """Run a command. Raises RequestError (-32602) for an unknown one, and UsageError for wrong arguments."""
        command = self.table.get(params.command)
        if command is None:
            raise RequestError(INVALID_PARAMS, f"there is no command {params.command[:200]}")
        sent = list(params.arguments or [])
        if len(sent) > 1 or (sent and not isinstance(sent[0], dict | None)):
            raise RequestError(INVALID_PARAMS, f"{params.command} takes one object, or nothing")
        values = dict(sent[0] or {}) if sent else {}
        typed = memory.TYPED_BY_A_PERSON.get(command.operation.name, {})
        unsaid = {name: value for name, value in typed.items() if values.get(name) is None}
        given = validated(command.operation, values | unsaid, "lsp")
        command.operation.require_asker(given)
        return await (command.act(given, params.work_done_token) if command.lasts else command.act(given))
