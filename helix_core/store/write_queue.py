"""A fair queue for the write lock: several processes write the index in turn, each waits for at most one transaction.

SQLite's own lock is not fair: a process that commits and begins again at once starves all that poll for it. So a waiter
holds a lock file next to the index until it gets SQLite's lock. A writer that begins again takes the lock file first,
and a long transaction can check for a waiter and commit early.
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
    """The queue of one index file, as seen by one writing connection."""

    def __init__(self, path: str) -> None:
        self._file = f"{os.path.splitext(path)[0]}.queue"
        self._lock: FileLock | None = None

    @contextmanager
    def ticket(self, wait_ms: int) -> Iterator[None]:
        """Hold the lock file during the block, which begins the transaction.

        A writer with a short busy timeout does not queue. The same holds when the lock file cannot be locked in time or
        at all: the write itself reports what is wrong with the folder.
        """
        lock = self._acquired(wait_ms / 1e3) if wait_ms >= BUSY_TIMEOUT_MS else None
        try:
            yield
        finally:
            if lock is not None:
                lock.release()

    def has_waiter(self) -> bool:
        """Return whether another connection holds the lock file."""
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
