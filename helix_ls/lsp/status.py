"""Send helix/status notifications with the ``helix.live/1`` object of each folder, throttled while indexing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from helix_ls.lsp.debounce import Debouncer
from helix_ls.lsp.folders import Folder

METHOD = "helix/status"
INDEXING_INTERVAL_S = 0.2


class StatusNotices:
    """The status notifications of one session; ``tell`` sends one."""

    def __init__(self, tell: Callable[[str, dict[str, Any]], None]) -> None:
        self._send = tell
        self._sent: dict[str, dict[str, Any]] = {}
        self._sent_at: dict[str, float] = {}
        self._due = Debouncer(INDEXING_INTERVAL_S)

    def changed(self, folder: Folder) -> None:
        """Send a changed status at once, or throttled to ``INDEXING_INTERVAL_S`` seconds while indexing."""
        status = folder.wire_status()
        before = self._sent.get(folder.uri)
        if status == before:
            return
        wait_s = self._sent_at.get(folder.uri, 0.0) + INDEXING_INTERVAL_S - asyncio.get_running_loop().time()
        if before is not None and status["state"] == before["state"] == "indexing" and wait_s > 0:
            self._due.soon(folder.uri, wait_s, lambda: self._send_now(folder))
        else:
            self._send_now(folder)

    def _send_now(self, folder: Folder) -> None:
        self._due.cancel(folder.uri)
        status = folder.wire_status()
        self._sent[folder.uri], self._sent_at[folder.uri] = status, asyncio.get_running_loop().time()
        self._send(METHOD, status)

    def forget(self, uri: str) -> None:
        """Cancel pending notifications of a removed folder."""
        self._due.cancel(uri)
        self._sent.pop(uri, None)
        self._sent_at.pop(uri, None)

    def close(self) -> None:
        """Cancel all pending notifications."""
        self._due.close()
