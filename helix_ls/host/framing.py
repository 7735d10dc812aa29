"""Frame messages by LSP's base protocol (``Content-Length`` headers), on stdio and on the daemon's socket alike.

``FrameBuffer`` parses without I/O. ``FrameReader`` reads from a blocking source, ``Frames`` from an asynchronous one.
Imports little, because a command that asks the daemon loads it.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class ByteSource(Protocol):
        """A source of bytes for frames, such as ``asyncio.StreamReader``."""

        async def read(self, n: int = -1) -> bytes:
            """Return at most ``n`` bytes; empty at EOF."""
            ...


MAX_BODY_BYTES = 256 * 1024 * 1024
MAX_LINE_BYTES = 64 * 1024
# A larger Content-Length is taken for an error: the stream is searched for the next header instead of skipping.
MOST_SKIPPED_BYTES = 4 * MAX_BODY_BYTES
# Anchored at the line's end only: the rest of a frame with too small a length precedes the next header on its line.
_READ_BYTES = 1 << 18
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*$", re.IGNORECASE)


class TooLarge(int):
    """The size in bytes of a body above the limit, which is skipped, unless the length is too large to be true."""


class FrameBuffer:
    """Parse a byte stream incrementally into message bodies, in order."""

    def __init__(self, *, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._max_body_bytes = max_body_bytes
        self._buffer = bytearray()
        self._searched = 0
        self._announced = 0
        self._length = 0
        self._skipped: TooLarge | None = None
        self._left = 0

    def feed(self, data: bytes) -> None:
        """Append bytes that were read from the stream."""
        self._buffer += data

    def limit(self, max_body_bytes: int) -> None:
        """Set the limit of the bodies that follow."""
        self._max_body_bytes = max_body_bytes

    def put_back(self, rest: bytes) -> None:
        """Push bytes back to the front, to resynchronize after a frame whose length was too large."""
        self._buffer[:0] = rest
        self._searched = 0

    def next(self) -> bytes | TooLarge | None:
        """Return the next body, or None if more bytes are needed; TooLarge once a body above the limit is skipped."""
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
        """Parse header lines up to a Content-Length and the blank line; skip header blocks without a length."""
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
                # No header line is this long; keep its tail, as a header may begin there.
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
    """Return a body with its ``Content-Length`` header."""
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


class FrameReader:
    """Read frames from a blocking source: ``read(n)`` returns at most ``n`` bytes, none at EOF."""

    def __init__(self, read: Callable[[int], bytes], *, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._read = read
        self._buffer = FrameBuffer(max_body_bytes=max_body_bytes)

    def next(self) -> bytes | None:
        """Return the next body, an empty one for a body above the limit that was skipped, or None at EOF."""
        while (body := self._buffer.next()) is None:
            data = self._read(_READ_BYTES)
            if not data:
                return None
            self._buffer.feed(data)
        return b"" if isinstance(body, TooLarge) else body


class Frames:
    """Read frames from an asynchronous source in order, for a single reader."""

    def __init__(self, source: ByteSource, *, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._source = source
        self._buffer = FrameBuffer(max_body_bytes=max_body_bytes)
        self.put_back = self._buffer.put_back
        self.limit = self._buffer.limit
        self._ended = False

    async def next(self) -> bytes | TooLarge | None:
        """Return the next body, or None at EOF; an incomplete frame at EOF is dropped."""
        while (body := self._buffer.next()) is None:
            data = b"" if self._ended else await self._source.read(_READ_BYTES)
            self._ended = not data
            if self._ended:
                return None
            self._buffer.feed(data)
        return body
