"""Messages out of a byte stream: LSP's base protocol, read leniently and found again after a wrong length.

In: an asyncio stream. Out: message bodies, as bytes. A header counts whatever its case, blanks and line ends; what is
neither header nor body is passed over. Never parses a body, never waits for more than a frame says it has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

MAX_BODY_BYTES = 256 * 1024 * 1024
MAX_LINE_BYTES = 64 * 1024
# No client announces as much and sends it: what follows is looked through for the next header instead.
MOST_SKIPPED_BYTES = 4 * MAX_BODY_BYTES
_READ_BYTES = 256 * 1024
# At a line's end, wherever the line begins: a frame that said too little leaves its rest before the next header.
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*$", re.IGNORECASE)


class Source(Protocol):
    """What frames are read from: ``asyncio.StreamReader`` is one."""

    async def read(self, n: int = -1) -> bytes:
        """At most ``n`` bytes; empty at the end of the stream."""
        ...


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A body over the limit. Its bytes are passed over, unless they are too many to be meant."""

    size_bytes: int


class Frames:
    """The frames of one stream, in order. For one reader."""

    def __init__(self, source: Source, *, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._source = source
        self._max_body_bytes = max_body_bytes
        self._buffer = bytearray()
        self._ended = False

    async def next(self) -> bytes | TooLarge | None:
        """The next body, or None when the stream has ended; half a frame at the end is no frame."""
        length = await self._header()
        if length is None:
            return None
        if length > MOST_SKIPPED_BYTES:
            return TooLarge(length)
        if length > self._max_body_bytes:
            return TooLarge(length) if await self._skip(length) else None
        while len(self._buffer) < length:
            if not await self._more():
                return None
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        return body

    def put_back(self, rest: bytes) -> None:
        """Read these bytes again: a frame that said too much has swallowed what came after it."""
        self._buffer[:0] = rest

    async def _header(self) -> int | None:
        """The length a header block announces; blocks that announce none are passed over."""
        length = 0
        while True:
            line = await self._line()
            if line is None:
                return None
            if line.strip():
                match = _LENGTH.search(line)
                length = int(match[1]) if match else length
            elif length:
                return length

    async def _line(self) -> bytes | None:
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            if len(self._buffer) > MAX_LINE_BYTES:
                # No header is as long; its end may be the beginning of one.
                del self._buffer[: -MAX_LINE_BYTES // 2]
            searched = len(self._buffer)
            if not await self._more():
                return None
        line = bytes(self._buffer[:end]).rstrip(b"\r")
        del self._buffer[: end + 1]
        return line[-MAX_LINE_BYTES:]

    async def _skip(self, length: int) -> bool:
        left = length
        while left > len(self._buffer):
            left -= len(self._buffer)
            self._buffer.clear()
            if not await self._more():
                return False
        del self._buffer[:left]
        return True

    async def _more(self) -> bool:
        if not self._ended:
            data = await self._source.read(_READ_BYTES)
            self._buffer += data
            self._ended = not data
        return not self._ended


def framed(body: bytes) -> bytes:
    """A body with its header."""
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
