"""What one client has open here: its capabilities, folders, buffers and settings, and its way to ask the engine."""

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
    """``watches`` and ``registers_configuration``: may we register for it while running?"""

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
        """From the ``capabilities`` of initialize."""

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
    """The state of one session, which ``session`` names. ``resumed``: the client knows us already, so nothing is
    registered a second time."""

    def __init__(self, host: Host, protocol: HelixProtocol, *, resumed: bool) -> None:
        self.host = host
        self.protocol = protocol
        self.resumed = resumed
        self.session = os.urandom(8).hex()
        self.client = Client()
        self.options = Options()
        self.folders = ClientFolders()
        self.documents = Documents()
        self._places: dict[str, Sequence[FileInFolder]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def place(self, uri: str) -> FileInFolder | None:
        """Where a document lies: in the nearest folder; None outside every one."""
        return next(iter(self.places(uri)), None)

    def places(self, uri: str) -> Sequence[FileInFolder]:
        """Where a document lies, in every folder that holds it, the nearest first."""
        if uri not in self._places:
            if len(self._places) > 1000:
                self._places.clear()
            self._places[uri] = self.folders.places(uri)
        return self._places[uri]

    def worked_in(self, uri: str) -> None:
        """The user is at work in this document: what is asked from outside of a window is about its folder."""
        place = self.place(uri)
        if place is not None:
            self.host.focused = Path(os.fsdecode(place.folder.real_path))

    def forget_places(self) -> None:
        """Folders have come, gone, or been found to be elsewhere."""
        self._places.clear()

    def overlays(self, folder: Folder) -> dict[bytes, bytes]:
        """The open buffers in a folder that may differ from their files."""
        found = {}
        for document in self.documents:
            # Of a large one no text is kept: nothing of its file is known to stand in it.
            if document.is_dirty:
                for place in self.places(document.uri):
                    if place.folder is folder:
                        found[place.path] = document.content()
        return found

    def document_at(self, folder: Folder, path: bytes) -> OpenBuffer | None:
        """The open buffer of a file."""
        for document in self.documents:
            if any(place.folder is folder and place.path == path for place in self.places(document.uri)):
                return document
        return None

    async def ask(self, folder: Folder, act: Act[T]) -> T:
        """What ``act(helix, overlays, cancelled)`` gives, in a thread; the client's cancelling reaches into it."""
        workspace = await folder.workspace()
        running = running_request.get()
        cancelled = running.cancelled.is_set if running is not None else _never
        overlays = self.overlays(folder)

        def run(helix: Helix) -> T:
            if cancelled():
                raise Cancelled("the question was taken back")
            return act(helix, overlays, cancelled)

        return await workspace.ask(run)

    async def compare_with_disk(self, document: OpenBuffer, text: str) -> None:
        """Find out whether a buffer just opened with ``text`` reads as its file; until then it counts as different."""
        place, edition = self.place(document.uri), document.edition
        if place is None:
            return

        def act(helix: Helix, *_: Any) -> bool:
            return reads_as_file(helix.workspace, place.path, text.encode("utf-8", "replace"))

        if await self.ask(place.folder, act):
            document.mark_clean(edition)

    def spawn(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        """Work nobody waits for; its failure is logged, and it ends with the session."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.error("%s failed", task.get_name(), exc_info=error)

    async def close(self) -> None:
        """End all of it; the folders stay with those who share them."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for folder in self.folders:
            self.folders.remove(folder.uri)
            await folder.detach()


def _never() -> bool:
    return False
