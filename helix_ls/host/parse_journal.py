"""The journal of running parses: a memory-mapped file that survives a crash of the parser and names its cause."""

from __future__ import annotations

import mmap
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
