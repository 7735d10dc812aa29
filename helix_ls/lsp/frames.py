"""Parse message bodies, and classify them by JSON-RPC kind."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
_LONGEST_NUMBER = 400
_WHITE = " \t\r\n"

MessageId = int | str


@dataclass(frozen=True, slots=True)
class Request:
    """A JSON-RPC request of the client."""

    id: MessageId
    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class Notification:
    """A JSON-RPC notification of the client."""

    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class Response:
    """The client's response to a request of the server; ``error`` is None if there is a result."""

    id: MessageId
    result: Any
    error: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Refused:
    """An invalid message: answered with ``code`` and its id if known, unless it looks like a response."""

    code: int
    message: str
    id: MessageId | None = None
    to_answer: bool = True


Incoming = Request | Notification | Response | Refused


def parse(body: bytes) -> tuple[Incoming, bytes]:
    """Parse a body into a message; return it and the rest behind it, as too large a length swallows other frames."""
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
        return Refused(INVALID_REQUEST, "method must be a string", known, to_answer="id" in value)
    if "id" not in value:
        return Notification(method, value.get("params"))
    if known is None:
        return Refused(INVALID_REQUEST, "id must be an integer or a string")
    return Request(known, method, value.get("params"))


def _whole(value: Any) -> Any:
    """Replace lone surrogates in strings: JSON can escape them, UTF-8 cannot encode them."""
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
    # An absurdly long number fits no field, but the message that contains it can still be answered.
    return int(digits) if len(digits) <= _LONGEST_NUMBER else math.inf


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_HALF = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder(parse_int=_whole_number, parse_constant=_no_number)
