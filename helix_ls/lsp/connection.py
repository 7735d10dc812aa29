"""The state of one client connection: capabilities, folders, buffers and settings, and queries to the engine."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.capabilities import get_capability

from helix_core.engine import Helix
from helix_core.errors import Cancelled
from helix_core.model import Overlays
from helix_ls.host.host import Host
from helix_ls.host.log import LOG
from helix_ls.lsp.documents import Documents, OpenBuffer, reads_as_file
from helix_ls.lsp.folders import ClientFolders, FileInFolder, Folder
from helix_ls.lsp.protocol import HelixProtocol, running_request
from helix_ls.lsp.settings import Options


@dataclass(frozen=True, slots=True)
class Client:
    """The client's capabilities.

    ``watches`` and ``registers_configuration`` say whether it supports dynamic registration of these notifications.
    """

    watches: bool = False
    pulls_configuration: bool = False
    registers_configuration: bool = False
    shows_progress: bool = False
    shows_documents: bool = False
    pulls_diagnostics: bool = False
    refreshes_diagnostics: bool = False
    refreshes_lenses: bool = False
    reads_markdown: bool = False
    takes_actions: bool = False
    relates_diagnostics: bool = False

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities) -> Client:
        """Read the ``capabilities`` of an initialize request."""

        def has(name: str) -> bool:
            return bool(get_capability(capabilities, name, False))

        formats = get_capability(capabilities, "text_document.hover.content_format", None) or ()
        return cls(
            watches=has("workspace.did_change_watched_files.dynamic_registration"),
            pulls_configuration=has("workspace.configuration"),
            registers_configuration=has("workspace.did_change_configuration.dynamic_registration"),
            shows_progress=has("window.work_done_progress"),
            shows_documents=has("window.show_document.support"),
            pulls_diagnostics=capabilities.text_document is not None
            and capabilities.text_document.diagnostic is not None,
            refreshes_diagnostics=has("workspace.diagnostics.refresh_support"),
            refreshes_lenses=has("workspace.code_lens.refresh_support"),
            reads_markdown=types.MarkupKind.Markdown in formats,
            takes_actions=has("text_document.code_action.code_action_literal_support"),
            relates_diagnostics=has("text_document.publish_diagnostics.related_information"),
        )


log = LOG.getChild("session")
T = TypeVar("T")
Act = Callable[[Helix, Overlays, Callable[[], bool]], T]


class ClientConnection:
    """The state of one session, with the id ``session``.

    ``resumed``: the client was connected to an earlier daemon, so no capability is registered a second time.
    """

    def __init__(self, host: Host, protocol: HelixProtocol, *, resumed: bool) -> None:
        self.host = host
        self.protocol = protocol
        self.resumed = resumed
        self.session = os.urandom(8).hex()
        self.client = Client()
        self.options = Options()
        self.folders = ClientFolders()
        self.documents = Documents()
        # Whether this client has given settings of the proxy: only then does giving none take them back.
        self.has_proxy_settings = False
        self._places: dict[str, Sequence[FileInFolder]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def place(self, uri: str) -> FileInFolder | None:
        """Return the file of a URI in the nearest folder, or None outside every folder."""
        return next(iter(self.places(uri)), None)

    def places(self, uri: str) -> Sequence[FileInFolder]:
        """Return the file of a URI in every folder that contains it, the nearest first. Cached."""
        if uri not in self._places:
            if len(self._places) > 1000:
                self._places.clear()
            self._places[uri] = self.folders.places(uri)
        return self._places[uri]

    def worked_in(self, uri: str) -> None:
        """Focus the document's folder: requests from outside of a window, such as chats, are about it."""
        place = self.place(uri)
        if place is not None:
            self.host.focused = Path(os.fsdecode(place.folder.real_path))

    def forget_places(self) -> None:
        """Clear the cache of ``places``, because folders were added, removed or resolved to another path."""
        self._places.clear()

    def overlays(self, folder: Folder) -> dict[bytes, bytes]:
        """Return the open buffers of a folder that may differ from their files, by path."""
        found = {}
        for document in self.documents:
            # A large buffer is empty here, as its text is not kept: no line of its file counts as unchanged.
            if document.is_dirty:
                for place in self.places(document.uri):
                    if place.folder is folder:
                        found[place.path] = document.content()
        return found

    def document_at(self, folder: Folder, path: bytes) -> OpenBuffer | None:
        """Return the open buffer of a file, or None."""
        for document in self.documents:
            if any(place.folder is folder and place.path == path for place in self.places(document.uri)):
                return document
        return None

    async def ask(self, folder: Folder, act: Act[T], *, catches_up: bool = True) -> T:
        """Run ``act(helix, overlays, cancelled)`` in a query thread and return its result. With ``catches_up`` what
        changed just before is indexed first.

        ``cancelled`` returns True after the client sent ``$/cancelRequest`` for the running request.
        """
        workspace = await folder.workspace()
        running = running_request.get()
        cancelled = running.cancelled.is_set if running is not None else _never
        overlays = self.overlays(folder)

        def run(helix: Helix) -> T:
            if cancelled():
                raise Cancelled("the request was canceled")
            return act(helix, overlays, cancelled)

        return await workspace.ask(run, records_trail=folder.records_trail, catches_up=catches_up)

    async def compare_with_disk(self, document: OpenBuffer, text: str) -> None:
        """Mark a buffer opened with ``text`` as clean if it equals its file; until then it counts as dirty."""
        place, edition = self.place(document.uri), document.edition
        if place is None:
            return

        def act(helix: Helix, *_: Any) -> bool:
            return reads_as_file(helix.workspace, place.path, text.encode("utf-8", "replace"))

        if await self.ask(place.folder, act):
            document.mark_clean(edition)

    def spawn(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        """Start a background task; its exception is logged, and it is cancelled at the end of the session."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.error("%s failed", task.get_name(), exc_info=error)

    async def close(self) -> None:
        """Cancel the background tasks and detach from all folders; other clients keep theirs open."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for folder in self.folders:
            self.folders.remove(folder.uri)
            await folder.detach()


def _never() -> bool:
    return False
