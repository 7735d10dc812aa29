"""Who writes the index next: several processes write it in turn, and none waits for more than one transaction.

SQLite's own lock is not fair: a process that commits and begins again at once keeps it from all who poll for it. A
lock file beside the index is held while somebody waits for SQLite's lock. Whoever has just written passes it before
it begins again, and a long transaction can see that it is time to end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from helix_core.store.sqlite_file import BUSY_TIMEOUT_MS

if TYPE_CHECKING:
    from filelock import FileLock

_POLL_S = 0.003


class WriteQueue:
    """Of one index file and one connection that writes it."""

    def __init__(self, path: str) -> None:
        self._file = f"{os.path.splitext(path)[0]}.queue"
        self._lock: FileLock | None = None

    @contextmanager
    def place(self, wait_ms: int) -> Iterator[None]:
        """Hold the place of the next writer inside, for as long as it takes to begin a transaction.

        A writer that waits for less than others do tries its luck without a place, and so does one for which the lock
        cannot be had in time, or at all: what is wrong with the folder comes out of the write itself.
        """
        lock = self._acquired(wait_ms / 1e3) if wait_ms >= BUSY_TIMEOUT_MS else None
        try:
            yield
        finally:
            if lock is not None:
                lock.release()

    def is_somebody_waiting(self) -> bool:
        """Does another connection hold the place now?"""
        lock = self._acquired(0)
        if lock is None:
            return True
        lock.release()
        return False

    def _acquired(self, wait_s: float) -> FileLock | None:
        from filelock import FileLock, Timeout

        if self._lock is None:
            self._lock = FileLock(self._file, mode=0o600, thread_local=False)
        try:
            self._lock.acquire(timeout=wait_s, poll_interval=_POLL_S)
        except (Timeout, OSError):
            return None
        return self._lock
