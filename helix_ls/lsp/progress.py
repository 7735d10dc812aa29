"""Work-done progress for whole refreshes that take longer than ``SILENT_S`` seconds.

In: a folder's status. Out: workDoneProgress with one begin, reports that never decrease, and exactly one end. Only for
clients that support it, or that sent a token of their own.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable

from lsprotocol import types

from helix_core.printable import count
from helix_ls.host.status import WorkspaceStatus
from helix_ls.lsp.folders import Folder
from helix_ls.lsp.protocol import HelixProtocol
from helix_ls.lsp.replies import RequestError

SILENT_S = 1.0
INTERVAL_S = 0.2
Token = int | str


class WorkDoneBar:
    """One progress token: begin, throttled reports and end, in this order."""

    def __init__(self, protocol: HelixProtocol, token: Token, title: str, *, cancellable: bool) -> None:
        self._progress, self.token = protocol.progress, token
        self._percentage = 0
        self._reported_at = 0.0
        self._ended = False
        begin = types.WorkDoneProgressBegin(title=title, cancellable=cancellable, percentage=0)
        self._progress.begin(token, begin)

    def report(self, status: WorkspaceStatus) -> None:
        """Report the progress, throttled; a percentage that falls, as when more files turn up, stays as it was."""
        now = asyncio.get_running_loop().time()
        if self._ended or now - self._reported_at < INTERVAL_S:
            return
        self._reported_at = now
        if status.total:
            self._percentage = max(self._percentage, min(100 * status.done // status.total, 100))
        report = types.WorkDoneProgressReport(message=message_of(status), percentage=self._percentage)
        self._progress.report(self.token, report)

    def end(self, message: str) -> None:
        """Send the end of the progress; later calls do nothing."""
        if not self._ended:
            self._ended = True
            self._progress.end(self.token, types.WorkDoneProgressEnd(message=message))
            # pygls keeps the tokens of ended progress.
            self._progress.tokens.pop(self.token, None)


def message_of(status: WorkspaceStatus) -> str:
    """Return the message next to the progress bar."""
    counted = f"{status.done:,} of {count(status.total, 'file')}" if status.total else ""
    # The title already contains the phase "indexing".
    phase = "" if status.phase == "indexing" else status.phase
    return ", ".join(part for part in (phase, counted) if part)


class IndexProgress:
    """The progress bars of one session: at most one per folder."""

    def __init__(self, protocol: HelixProtocol, *, shows: Callable[[], bool]) -> None:
        self._protocol, self._shows = protocol, shows
        self._due: dict[str, asyncio.TimerHandle] = {}
        self._bars: dict[str, WorkDoneBar] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}

    def changed(self, folder: Folder) -> None:
        """Create, report or end the progress of a folder after a change of its status."""
        status = folder.status()
        if status.state != "indexing":
            self.end(folder, _end_message(status))
        elif folder.uri in self._bars:
            self._bars[folder.uri].report(status)
        elif self._shows() and folder.uri not in self._due and folder.uri not in self._asking:
            self._due[folder.uri] = asyncio.get_running_loop().call_later(SILENT_S, self._create, folder)

    def end(self, folder: Folder, message: str = "") -> None:
        """End the progress of a folder, whether it is shown or still pending."""
        due = self._due.pop(folder.uri, None)
        if due is not None:
            due.cancel()
        bar = self._bars.pop(folder.uri, None)
        if bar is not None:
            bar.end(message)

    def close(self) -> None:
        """End all progress at the end of the session."""
        for due in self._due.values():
            due.cancel()
        for asking in self._asking.values():
            asking.cancel()
        for bar in self._bars.values():
            bar.end("")
        self._bars.clear()

    def _create(self, folder: Folder) -> None:
        self._due.pop(folder.uri, None)
        self._asking[folder.uri] = asyncio.create_task(self._ask_and_begin(folder), name="asking for a progress bar")

    async def _ask_and_begin(self, folder: Folder) -> None:
        token = uuid.uuid4().hex
        try:
            await self._protocol.progress.create_async(token)
        except (RequestError, asyncio.CancelledError):
            return
        finally:
            self._asking.pop(folder.uri, None)
        status = folder.status()
        if status.state == "indexing":
            self._protocol.progress.tokens[token].add_done_callback(lambda _: folder.cancel_indexing())
            bar = self._bars[folder.uri] = WorkDoneBar(self._protocol, token, "Helix: indexing", cancellable=True)
            bar.report(status)


def _end_message(status: WorkspaceStatus) -> str:
    return status.message or f"{count(status.files, 'file')} indexed"
