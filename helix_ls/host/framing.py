"""Frames of LSP's base protocol in a byte stream, for the language server and for the shim before it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_BODY_BYTES = 256 * 1024 * 1024
MAX_LINE_BYTES = 64 * 1024
# No client announces as much and sends it: what follows is looked through for the next header instead.
MOST_SKIPPED_BYTES = 4 * MAX_BODY_BYTES
# At a line's end, wherever the line begins: a frame that said too little leaves its rest before the next header.
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A body over the limit. Its bytes are passed over, unless they are too many to be meant."""

    size_bytes: int


class FrameBuffer:
    """Bytes as they were read → bodies, in order. ``early`` are bytes that have been read already."""

    def __init__(self, early: bytes = b"", *, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._max_body_bytes = max_body_bytes
        self._buffer = bytearray(early)
        self._searched = 0
        self._announced = 0
        self._length = 0
        self._skipped: TooLarge | None = None
        self._left = 0

    def feed(self, data: bytes) -> None:
        """Take bytes that were read."""
        self._buffer += data

    def put_back(self, rest: bytes) -> None:
        """Read these bytes again: a frame that said too much has swallowed what came after it."""
        self._buffer[:0] = rest
        self._searched = 0

    def rest(self) -> bytes:
        """What was read and not yet given."""
        return bytes(self._buffer)

    def next(self) -> bytes | TooLarge | None:
        """The next body; None where more bytes are needed. A body over the limit is told once it is passed over."""
        if self._skipped is None and not self._length and not self._header():
            return None
        if self._skipped is not None:
            return self._skip(self._skipped)
        length = self._length
        if length > MOST_SKIPPED_BYTES:
            self._length = 0
            return TooLarge(length)
        if length > self._max_body_bytes:
            self._length, self._left, self._skipped = 0, length, TooLarge(length)
            return self._skip(self._skipped)
        if len(self._buffer) < length:
            return None
        body = bytes(memoryview(self._buffer)[:length])
        del self._buffer[:length]
        self._length = 0
        return body

    def _header(self) -> bool:
        """Read the length a header block announces; blocks that announce none are passed over."""
        while (line := self._line()) is not None:
            if line.strip():
                match = _LENGTH.search(line)
                self._announced = int(match[1]) if match else self._announced
            elif self._announced:
                self._length, self._announced = self._announced, 0
                return True
        return False

    def _line(self) -> bytes | None:
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            if len(self._buffer) > MAX_LINE_BYTES:
                # No header is as long; its end may be the beginning of one.
                del self._buffer[: -MAX_LINE_BYTES // 2]
            self._searched = len(self._buffer)
            return None
        line = bytes(self._buffer[:end]).rstrip(b"\r")
        del self._buffer[: end + 1]
        self._searched = 0
        return line[-MAX_LINE_BYTES:]

    def _skip(self, too_large: TooLarge) -> TooLarge | None:
        passed = min(self._left, len(self._buffer))
        del self._buffer[:passed]
        self._left -= passed
        if self._left:
            return None
        self._skipped = None
        return too_large


def framed(body: bytes) -> bytes:
    """A body with its header."""
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
