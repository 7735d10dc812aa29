"""Read messages from a byte stream by LSP's base protocol, and classify them by JSON-RPC kind."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

MAX_BODY_BYTES = 256 * 1024 * 1024
MAX_LINE_BYTES = 64 * 1024
# No client announces as much and sends it: what follows is looked through for the next header instead.
MOST_SKIPPED_BYTES = 4 * MAX_BODY_BYTES
_READ_BYTES = 256 * 1024
# At a line's end, wherever the line begins: a frame that said too little leaves its rest before the next header.
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*$", re.IGNORECASE)


class ByteSource(Protocol):
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

    def __init__(self, source: ByteSource, *, max_body_bytes: int = MAX_BODY_BYTES) -> None:
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


PARSE_ERROR = -32700
INVALID_REQUEST = -32600
_LONGEST_NUMBER = 400
_WHITE = " \t\r\n"

MessageId = int | str


@dataclass(frozen=True, slots=True)
class Request:
    """Something the client waits for."""

    id: MessageId
    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class Notification:
    """Something the client tells."""

    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class Response:
    """The client's answer to a request of ours; ``error`` is None where there is a result."""

    id: MessageId
    result: Any
    error: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Refused:
    """No message; answered with ``code`` and the id where one can be told, unless it was meant as an answer itself."""

    code: int
    message: str
    id: MessageId | None = None
    to_answer: bool = True


Incoming = Request | Notification | Response | Refused


def parse(body: bytes) -> tuple[Incoming, bytes]:
    """The message, and what stands behind it in the body: a frame with a wrong length has swallowed other frames."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return Refused(PARSE_ERROR, "the message is not UTF-8"), b""
    start = len(text) - len(text.lstrip(_WHITE))
    try:
        value, end = _DECODER.raw_decode(text, start)
    except RecursionError:
        return Refused(PARSE_ERROR, "the message is nested too deeply"), b""
    except ValueError:
        return Refused(PARSE_ERROR, "the message is not JSON"), b""
    return _sorted_out(_whole(value) if "\\u" in text else value), text[end:].strip(_WHITE).encode()


def _sorted_out(value: Any) -> Incoming:
    if not isinstance(value, dict):
        what = "a batch" if isinstance(value, list) else "no object"
        return Refused(INVALID_REQUEST, f"the message is {what}; send one object a message")
    number, method = value.get("id"), value.get("method")
    known = number if isinstance(number, int | str) and not isinstance(number, bool) else None
    if "method" not in value:
        return _response(value, known)
    if value.get("jsonrpc") != "2.0":
        return Refused(INVALID_REQUEST, 'jsonrpc must be "2.0"', known, to_answer="id" in value)
    if not isinstance(method, str):
        return Refused(INVALID_REQUEST, "method must be a text", known, to_answer="id" in value)
    if "id" not in value:
        return Notification(method, value.get("params"))
    if known is None:
        return Refused(INVALID_REQUEST, "id must be a whole number or a text")
    return Request(known, method, value.get("params"))


def _whole(value: Any) -> Any:
    """The value with half characters replaced: JSON can write them, UTF-8 cannot."""
    if isinstance(value, str):
        return (
            value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if _HALF.search(value) else value
        )
    if isinstance(value, dict):
        return {_whole(key): _whole(each) for key, each in value.items()}
    return [_whole(each) for each in value] if isinstance(value, list) else value


def _response(value: dict[str, Any], known: MessageId | None) -> Incoming:
    error = value.get("error")
    if known is not None and ("result" in value or isinstance(error, dict)):
        return Response(known, value.get("result"), error if isinstance(error, dict) else None)
    is_answer = "result" in value or "error" in value
    return Refused(INVALID_REQUEST, "the message has no method", known, to_answer=not is_answer)


def _whole_number(digits: str) -> int | float:
    # A number nobody can mean fits no field, but the message around it can still be answered.
    return int(digits) if len(digits) <= _LONGEST_NUMBER else math.inf


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_HALF = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder(parse_int=_whole_number, parse_constant=_no_number)
