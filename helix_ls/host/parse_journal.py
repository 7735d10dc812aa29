"""The journal of running parses: a memory-mapped file that survives a crash of the parser and names its cause."""

from __future__ import annotations

import mmap
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from helix_core.ingest import ParseGuard, no_parse_guard

DEATHS = 2
"""A child or a command may be killed while it parses a harmless file; one death proves nothing of the file."""
SLOTS = 64
QUARANTINED = 1024
_WIDTH = 32
_NOTHING = bytes(_WIDTH)


class ParseJournal:
    """Slots of 32 bytes: one per thread for the file being parsed, then a history of crashes, newest first.

    Only one process may use the file at a time: slots of another would be taken for leftovers of a crash.
    """

    def __init__(self, path: Path, *, deaths: int = 1) -> None:
        """Open or create the file (mode 0600); quarantine the hashes left over by at least ``deaths`` crashes."""
        size = (SLOTS + QUARANTINED) * _WIDTH
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            os.ftruncate(descriptor, size)
            self._map = mmap.mmap(descriptor, size)
        finally:
            os.close(descriptor)
        self._lock = threading.Lock()
        self._free = list(range(SLOTS))
        self.died_of = self._left_over()
        counted = Counter(self._at(slot) for slot in range(SLOTS, SLOTS + QUARANTINED))
        self._quarantined = frozenset(marker for marker, count in counted.items() if marker and count >= deaths)

    @property
    def quarantined(self) -> frozenset[str]:
        """The SHA-256 hashes (hex) of the contents that are never parsed in this process."""
        return frozenset(each.hex() for each in self._quarantined)

    @contextmanager
    def hold(self, content_hash: str) -> Iterator[bool]:
        """Note a content as being parsed for the time of the context; yield False if it is quarantined."""
        marker = bytes.fromhex(content_hash)
        if marker in self._quarantined:
            yield False
            return
        with self._lock:
            slot = self._free.pop() if self._free else None
        if slot is None:
            yield True
            return
        self._put(slot, marker)
        try:
            yield True
        finally:
            self._put(slot, _NOTHING)
            with self._lock:
                self._free.append(slot)

    def clear_crashes(self) -> None:
        """Remove the crashes found at the start, because the last process was stopped on purpose."""
        size = len(self.died_of) * _WIDTH
        start, end = SLOTS * _WIDTH, (SLOTS + QUARANTINED) * _WIDTH
        self._map[start:end] = self._map[start + size : end] + bytes(size)

    def close(self) -> None:
        """Unmap the file; its slots stay on the disk."""
        self._map.close()

    def _left_over(self) -> tuple[str, ...]:
        """Move the leftover slots to the history, one crash each, and return them; the oldest of 1,024 are dropped."""
        left = [marker for slot in range(SLOTS) if (marker := self._at(slot))]
        start, end = SLOTS * _WIDTH, (SLOTS + QUARANTINED) * _WIDTH
        self._map[start:end] = (b"".join(left) + self._map[start:end])[: end - start]
        self._map[:start] = bytes(start)
        return tuple(marker.hex() for marker in left)

    def _at(self, slot: int) -> bytes:
        """Return the hash in a slot, or no bytes if the slot is empty."""
        marker = self._map[slot * _WIDTH : (slot + 1) * _WIDTH]
        return b"" if marker == _NOTHING else marker

    def _put(self, slot: int, marker: bytes) -> None:
        self._map[slot * _WIDTH : (slot + 1) * _WIDTH] = marker


@contextmanager
def parse_journal_of(folder: Path, name: str = "indexer") -> Iterator[ParseGuard | None]:
    """Lock the folder for one process of that ``name`` and yield its parse journal as a guard.

    A file that killed the process ``DEATHS`` times is quarantined. Yields None while another process holds the lock.
    """
    from filelock import FileLock, Timeout

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(folder / f"{name}.lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield None
        return
    with lock:
        yield ParseJournal(folder / f"{name}.in-hand", deaths=DEATHS).hold


def clear_crashes(folder: Path, name: str = "indexer") -> None:
    """Remove the deaths noted in the parse journal after the process of that ``name`` was stopped on purpose.

    Does nothing while another process holds the folder's lock.
    """
    from filelock import FileLock, Timeout

    file = folder / f"{name}.in-hand"
    if not file.exists():
        return
    try:
        with FileLock(folder / f"{name}.lock", timeout=0, mode=0o600):
            parse_guard = ParseJournal(file, deaths=DEATHS)
            parse_guard.clear_crashes()
            parse_guard.close()
    except Timeout:
        return


class CommandJournal:
    """The parse guard of a command that runs once: the journal of ``folder``, opened at the first parse.

    While another command has the journal, or where it cannot be written, every parse is allowed and none is noted.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held = ExitStack()
        self._guard: ParseGuard | None = None

    def __call__(self, content_hash: str) -> AbstractContextManager[bool]:
        """Return the context to parse the content with this SHA-256 (hex) in; it is False if that is quarantined."""
        if self._guard is None:
            try:
                self._guard = self._held.enter_context(parse_journal_of(self._folder, "command")) or no_parse_guard
            except OSError:
                # An index on a disk that cannot be written is still searched.
                self._guard = no_parse_guard
        return self._guard(content_hash)
