"""Tell a client how indexing goes: ``helix/status`` notifications, and a progress bar for what takes long.

In: a folder's status. Out: ``helix/status`` with the ``helix.live/1`` object, and workDoneProgress with one begin,
reports that never decrease, and exactly one end. While a folder is indexed, one throttle serves both.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lsprotocol import types

from helix_core.printable import count
from helix_ls.host.status import WorkspaceStatus
from helix_ls.lsp.debounce import Debouncer
from helix_ls.lsp.folders import Folder
from helix_ls.lsp.protocol import HelixProtocol
from helix_ls.lsp.replies import RequestError

METHOD = "helix/status"
INTERVAL_S = 0.2
SILENT_S = 1.0
Token = int | str


class StatusNotices:
    """The status notifications of one session: a change is sent at once, while indexing at most one in ``INTERVAL_S``
    seconds.

    ``send`` sends the ``helix.live/1`` object, ``sent`` is called after each.
    """

    def __init__(self, send: Callable[[str, dict[str, Any]], None], sent: Callable[[Folder], None]) -> None:
        self._send, self._on_sent = send, sent
        self._last: dict[str, dict[str, Any]] = {}
        self._sent_at: dict[str, float] = {}
        self._due = Debouncer(INTERVAL_S)

    def changed(self, folder: Folder) -> None:
        """Send a changed status at once, or throttled while indexing."""
        status = folder.wire_status()
        before = self._last.get(folder.uri)
        if status == before:
            return
        wait_s = self._sent_at.get(folder.uri, 0.0) + INTERVAL_S - asyncio.get_running_loop().time()
        if before is not None and status["state"] == before["state"] == "indexing" and wait_s > 0:
            self._due.soon(folder.uri, wait_s, lambda: self._send_now(folder))
        else:
            self._send_now(folder)

    def _send_now(self, folder: Folder) -> None:
        self._due.cancel(folder.uri)
        status = folder.wire_status()
        self._last[folder.uri], self._sent_at[folder.uri] = status, asyncio.get_running_loop().time()
        self._send(METHOD, status)
        self._on_sent(folder)

    def forget(self, uri: str) -> None:
        """Cancel pending notifications of a removed folder."""
        self._due.cancel(uri)
        self._last.pop(uri, None)
        self._sent_at.pop(uri, None)

    def close(self) -> None:
        """Cancel all pending notifications."""
        self._due.close()


class WorkDoneBar:
    """One progress token: begin, reports and end, in this order."""

    def __init__(self, protocol: HelixProtocol, token: Token, title: str, *, cancellable: bool) -> None:
        self._progress, self.token = protocol.progress, token
        self._percentage = 0
        self._ended = False
        begin = types.WorkDoneProgressBegin(title=title, cancellable=cancellable, percentage=0)
        self._progress.begin(token, begin)

    def report(self, status: WorkspaceStatus) -> None:
        """Report the progress; a percentage that falls, as when more files turn up, stays as it was."""
        if self._ended:
            return
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
    """What one session is told of indexing: statuses, at most one bar a folder for a whole refresh that takes longer
    than ``SILENT_S`` seconds, where the client ``shows`` it, and a bar for each token that the client sent.
    """

    def __init__(self, protocol: HelixProtocol, *, shows: Callable[[], bool]) -> None:
        self._protocol, self._shows = protocol, shows
        self._statuses = StatusNotices(protocol.notify, self._show)
        self._due: dict[str, asyncio.TimerHandle] = {}
        self._bars: dict[str, WorkDoneBar] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._requested: dict[str, list[WorkDoneBar]] = {}

    def changed(self, folder: Folder) -> None:
        """Tell the client of a folder's status if it changed."""
        self._statuses.changed(folder)

    def _show(self, folder: Folder) -> None:
        """Create, report or end the bars of a folder, after its status was sent."""
        status = folder.status()
        for bar in self._requested.get(folder.uri, ()):
            bar.report(status)
        if status.state != "indexing":
            self._end(folder.uri, _end_message(status))
        elif folder.uri in self._bars:
            self._bars[folder.uri].report(status)
        elif self._shows() and folder.uri not in self._due and folder.uri not in self._asking:
            self._due[folder.uri] = asyncio.get_running_loop().call_later(SILENT_S, self._create, folder)

    @contextmanager
    def requested(self, folder: Folder, token: Token | None, title: str) -> Iterator[None]:
        """Show a bar under the client's own token while the block runs; none without a token."""
        if token is None:
            yield
            return
        bar = WorkDoneBar(self._protocol, token, title, cancellable=False)
        bars = self._requested.setdefault(folder.uri, [])
        bars.append(bar)
        bar.report(folder.status())
        try:
            yield
        finally:
            bars.remove(bar)
            bar.end(folder.status().message)

    def forget(self, folder: Folder) -> None:
        """End the progress of a removed folder, whether it is shown or still pending."""
        self._end(folder.uri, "")
        self._statuses.forget(folder.uri)

    def _end(self, uri: str, message: str) -> None:
        due = self._due.pop(uri, None)
        if due is not None:
            due.cancel()
        bar = self._bars.pop(uri, None)
        if bar is not None:
            bar.end(message)

    def close(self) -> None:
        """End all progress at the end of the session."""
        self._statuses.close()
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
