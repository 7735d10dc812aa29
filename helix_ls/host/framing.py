"""Frames of LSP's base protocol (specification, "Base Protocol"): read as leniently as they come, written strictly.

Header names in any case, with or without the blank, lines ended by LF alone, unknown headers: all read. What has no
usable length is skipped up to the next header that has one.
"""

from __future__ import annotations

from collections.abc import Callable

MAX_BODY = 256 << 20
MAX_HEADER = 64 << 10
_READ = 1 << 16


class FrameReader:
    """``read(n)`` gives at most ``n`` bytes, none at the end. ``early`` are bytes that have been read already."""

    def __init__(self, read: Callable[[int], bytes], early: bytes = b"") -> None:
        self._read = read
        self._buffer = bytearray(early)

    def next(self) -> bytes | None:
        """The next body; empty when it was too large and was skipped; None at the end."""
        while True:
            length = self._length()
            if length is None:
                return None
            if length > MAX_BODY:
                return b"" if self._skip(length) else None
            if length:
                return self._take(length)

    def rest(self) -> bytes:
        """What was read and not yet given."""
        return bytes(self._buffer)

    def _length(self) -> int | None:
        """The length announced by the next header block; None at the end of the stream."""
        length = 0
        while True:
            line = self._line()
            if line is None:
                return None
            if not line.strip():
                if length:
                    return length
                continue
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                length = _number(value)

    def _line(self) -> bytes | None:
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > MAX_HEADER:
                self._buffer.clear()
                searched = 0
            if not self._fill():
                return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _take(self, length: int) -> bytes | None:
        while len(self._buffer) < length:
            if not self._fill():
                return None
        body = bytes(memoryview(self._buffer)[:length])
        del self._buffer[:length]
        return body

    def _skip(self, length: int) -> bool:
        while length > len(self._buffer):
            length -= len(self._buffer)
            self._buffer.clear()
            if not self._fill():
                return False
        del self._buffer[:length]
        return True

    def _fill(self) -> bool:
        more = self._read(_READ)
        self._buffer += more
        return bool(more)


def frame(body: bytes) -> bytes:
    """A body with its header."""
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def _number(value: bytes) -> int:
    digits = value.strip()
    return int(digits) if digits.isdigit() and len(digits) <= 12 else 0
