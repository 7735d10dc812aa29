"""Request bodies: read with a size limit, parsed as one JSON object, and never reserialized.

Texts are inserted into the original bytes, so numbers, unknown fields and their order reach the upstream as sent.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass
from json.decoder import JSONDecoder
from typing import Any, ParamSpec, TypeVar

from helix_ls.proxy.caching import MARK
from helix_ls.proxy.guard import BODY, MAX_BODY_BYTES
from helix_ls.proxy.refused import HttpError

MAX_DEPTH = 64
MAX_MESSAGES = 4_096
SMALL_BYTES = 128 * 1024
BODY_S = 60.0
_BLANK = re.compile(r"[ \t\r\n]*")
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]


class ClientLeftError(Exception):
    """The client disconnected before its body was complete."""


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A text to add to a chat: as a message before message ``place``, for the question in message ``question``."""

    place: int
    question: int
    text: str

    @property
    def can_join(self) -> bool:
        """Return whether the text may also stand at the beginning of the question's own message."""
        return self.place == self.question


@dataclass(frozen=True, slots=True)
class Body:
    """``fields`` is the parsed object; ``starts`` and ``ends`` are the offsets of its messages in the text.

    ``model`` is the span of the model's name.
    """

    text: str
    fields: dict[str, Any]
    starts: tuple[int, ...]
    ends: tuple[int, ...] = ()
    model: tuple[int, int] = (0, 0)

    @property
    def messages(self) -> list[Any]:
        """Return the messages; empty without a list of them."""
        found = self.fields.get("messages")
        return found if isinstance(found, list) else []

    def with_blocks(self, blocks: Sequence[PlacedBlock], *, joined: bool = False, marked: int | None = None) -> bytes:
        """Return the body with every block inserted; every other byte is unchanged.

        A block is a user message of its own. With ``joined``, one directly before its question begins the question's
        message instead. Blocks for one place keep their order. The message ``marked`` ends with a mark for the
        provider's cache.
        """
        parts: list[str] = []
        done = 0
        added = [self._inserted(each, joined) for each in blocks]
        if marked is not None:
            added += _mark(self.text, self.starts[marked])
        for at, written in sorted(added, key=lambda one: one[0]):
            parts += (self.text[done:at], written)
            done = at
        return "".join((*parts, self.text[done:])).encode()

    def _inserted(self, block: PlacedBlock, joined: bool) -> tuple[int, str]:
        start = self.starts[block.place]
        if joined and block.can_join:
            return _beginning(self.text, start, block.text)
        return start, f"{json.dumps({'role': 'user', 'content': block.text})},"

    def with_model(self, name: str) -> Body:
        """Return the body with another model name; every other byte is unchanged."""
        (start, end), written = self.model, json.dumps(name)
        more = len(written) - (end - start)
        return Body(
            f"{self.text[:start]}{written}{self.text[end:]}",
            {**self.fields, "model": name},
            tuple(at + more if at >= end else at for at in self.starts),
            tuple(at + more if at >= end else at for at in self.ends),
            (start, end + more),
        )


async def read_body(receive: Receive, limit_s: float = BODY_S) -> bytes:
    """Return the whole body, within ``limit_s`` seconds.

    Raises RefusedError when it is too large or too slow, ClientLeftError when the client disconnects.
    """
    try:
        async with asyncio.timeout(limit_s):
            return await _all_parts(receive)
    except TimeoutError:
        said = f"the body did not come to its end within {limit_s:g} seconds; send it faster, or less of it"
        raise HttpError(408, "body_too_slow", said, {"connection": "close"}) from None


async def _all_parts(receive: Receive) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientLeftError
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > MAX_BODY_BYTES:
            raise HttpError(BODY.status, BODY.code, BODY.message, {"connection": "close"})
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


async def run_in_thread_if_large(
    size: int, act: Callable[_Given, _Made], *given: _Given.args, **named: _Given.kwargs
) -> _Made:
    """Call ``act`` in a thread when it processes many bytes, else directly, which is faster."""
    return act(*given, **named) if size <= SMALL_BYTES else await asyncio.to_thread(act, *given, **named)


def parse_body(data: bytes) -> Body:
    """Parse the body. Raises RefusedError for what is no object, is nested too deeply or has too many messages."""
    try:
        text = data.decode("utf-8")
        body = _scanned(text)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise HttpError(400, "invalid_json", f"the body is no JSON object ({_short(error)}); correct it") from None
    if _is_deeper(body.fields, MAX_DEPTH):
        raise _too_deep()
    if len(body.starts) > MAX_MESSAGES:
        raise HttpError(400, "too_many_messages", f"more than {MAX_MESSAGES:,} messages; send fewer")
    return body


def _scanned(text: str) -> Body:
    """Parse the object and locate its messages and its model. Raises ValueError."""
    decoder = JSONDecoder(parse_constant=_no_constant)
    fields: dict[str, Any] = {}
    starts: list[int] = []
    ends: list[int] = []
    model = (0, 0)
    at = _after(text, 0, "{")
    if text[at : at + 1] == "}":
        _end(text, at + 1)
        return Body(text, fields, ())
    while True:
        name, at = decoder.raw_decode(text, at)
        if not isinstance(name, str):
            raise ValueError("a name is no text")
        if name in fields:
            raise ValueError("a name is given twice")
        at = _after(text, at, ":")
        if name == "messages" and text[at : at + 1] == "[":
            fields[name], at = _elements(decoder, text, at, starts, ends)
        else:
            start = at
            fields[name], at = decoder.raw_decode(text, at)
            model = (start, at) if name == "model" else model
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            _end(text, at + 1)
            return Body(text, fields, tuple(starts), tuple(ends), model)
        at = _after(text, at, ",")


def _elements(decoder: JSONDecoder, text: str, at: int, starts: list[int], ends: list[int]) -> tuple[list[Any], int]:
    values: list[Any] = []
    at = _after(text, at, "[")
    if text[at : at + 1] == "]":
        return values, at + 1
    while True:
        starts.append(at)
        value, at = decoder.raw_decode(text, at)
        ends.append(at)
        values.append(value)
        at = _skip(text, at)
        if text[at : at + 1] == "]":
            return values, at + 1
        at = _after(text, at, ",")


def _beginning(text: str, start: int, added: str) -> tuple[int, str]:
    """Return where and what to insert so that the content of the message at ``start`` begins with ``added``.

    Raises ValueError for a message without content in text or in parts.
    """
    at = _member(text, start, "content")
    if text[at] == '"':
        return at + 1, json.dumps(f"{added}\n\n")[1:-1]
    if text[at] != "[":
        raise ValueError("the message has no content that can begin with a text")
    first = _skip(text, at + 1)
    return first, json.dumps({"type": "text", "text": added}) + ("" if text[first] == "]" else ",")


def _mark(text: str, start: int) -> list[tuple[int, str]]:
    """Return where and what to insert so that the content of the message at ``start`` ends with a mark.

    Raises ValueError for a message without content in text or in parts.
    """
    at, written = _member(text, start, "content"), json.dumps(MARK)[1:-1]
    value, end = JSONDecoder().raw_decode(text, at)
    if isinstance(value, str):
        return [(at, '[{"type":"text","text":'), (end, f",{written}}}]")]
    if not isinstance(value, list) or not value or not isinstance(value[-1], dict):
        raise ValueError("the message has no content that can be marked")
    # The last part's own brace is the last one before the list's end.
    return [(text.rindex("}", at, end), f",{written}" if value[-1] else written)]


def _member(text: str, start: int, wanted: str) -> int:
    """Return the offset of the value of the last member named ``wanted`` of the object at ``start``, as json reads it.

    Raises ValueError without one.
    """
    decoder, found = JSONDecoder(), -1
    at = _after(text, start, "{")
    while text[at] != "}":
        name, at = decoder.raw_decode(text, at)
        at = _after(text, at, ":")
        found = at if name == wanted else found
        at = _skip(text, decoder.raw_decode(text, at)[1])
        at = _skip(text, at + 1) if text[at] == "," else at
    if found < 0:
        raise ValueError(f"the object has no {wanted}")
    return found


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank is not None else at


def _after(text: str, at: int, expected: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] != expected:
        raise ValueError(f"{expected} is missing")
    return _skip(text, at + 1)


def _end(text: str, at: int) -> None:
    if _skip(text, at) != len(text):
        raise ValueError("more follows it")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _is_deeper(value: Any, most: int) -> bool:
    level = [value]
    for _ in range(most):
        level = [
            child
            for one in level
            for child in (one.values() if isinstance(one, dict) else one)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def _too_deep() -> HttpError:
    return HttpError(400, "too_deep", f"the body is nested deeper than {MAX_DEPTH}; flatten it")


def _short(error: ValueError) -> str:
    return error.msg.lower() if isinstance(error, json.JSONDecodeError) else str(error)[:60]
