"""Request bodies: read with a size limit, parsed as one JSON object, and never reserialized.

Texts are inserted into the original bytes, so numbers, unknown fields and their order reach the upstream as sent.
"""

from __future__ import annotations

import asyncio
import json
from codecs import BOM_UTF8
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ParamSpec, TypeVar

from helix_ls.proxy.caching import MARK
from helix_ls.proxy.dialects import CHAT, Dialect, Insertion
from helix_ls.proxy.dialects.spans import DECODER, after, elements, member, skip_blank
from helix_ls.proxy.guard import BODY, MAX_BODY_BYTES
from helix_ls.proxy.refused import HttpError

MAX_DEPTH = 64
SMALL_BYTES = 128 * 1024
BODY_S = 60.0
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
        """Return whether the text may also be at the beginning of the question's own message."""
        return self.place == self.question


@dataclass(frozen=True, slots=True)
class Body:
    """``fields`` is the parsed object; ``starts`` and ``ends`` are the offsets of its turns in the text.

    ``model`` is the span of the model's name. ``messages`` are the turns as OpenAI's chat API has them, one for each.
    """

    text: str
    fields: dict[str, Any]
    starts: tuple[int, ...]
    ends: tuple[int, ...] = ()
    model: tuple[int, int] = (0, 0)
    dialect: Dialect = CHAT
    messages: list[Any] = field(default_factory=list)

    @property
    def turns(self) -> list[Any]:
        """Return the turns as they were sent; empty without a list of them."""
        found = self.fields.get(self.dialect.items)
        return found if isinstance(found, list) else []

    def with_blocks(self, blocks: Sequence[PlacedBlock], *, joined: bool = False, marked: int | None = None) -> bytes:
        """Return the body with every block inserted; every other byte is unchanged.

        A block is a turn of its own where the dialect has such. With ``joined``, one directly before its question
        begins the question's turn instead. Blocks for one place keep their order. The turn ``marked`` ends with a mark
        for the provider's cache, unless a block is put into it.
        """
        parts: list[str] = []
        done = 0
        added = [insertion for each in blocks for insertion in self._inserted(each, joined)]
        if marked is not None and all(marked != each.question for each in blocks):
            added += _mark(self.text, self.starts[marked])
        for insertion in sorted(added, key=lambda one: one.at):
            parts += (self.text[done : insertion.at], insertion.text)
            done = insertion.at
        return "".join((*parts, self.text[done:])).encode()

    def _inserted(self, block: PlacedBlock, joined: bool) -> Sequence[Insertion]:
        if not self.dialect.is_separate or (joined and block.can_join):
            at = block.question
            return self.dialect.joined(self.text, (self.starts[at], self.ends[at]), block.text)
        return self.dialect.separate(self.text, (self.starts[block.place], self.ends[block.place]), block.text)

    def with_model(self, name: str) -> Body:
        """Return the body with another model name; every other byte is unchanged."""
        (start, end), written = self.model, json.dumps(name)
        more = len(written) - (end - start)
        return replace(
            self,
            text=f"{self.text[:start]}{written}{self.text[end:]}",
            fields={**self.fields, "model": name},
            starts=tuple(at + more if at >= end else at for at in self.starts),
            ends=tuple(at + more if at >= end else at for at in self.ends),
            model=(start, end + more),
        )


async def read_body(receive: Receive, limit_s: float = BODY_S) -> bytes:
    """Return the whole body, within ``limit_s`` seconds.

    Raises RefusedError when it is too large or too slow, ClientLeftError when the client disconnects.
    """
    try:
        async with asyncio.timeout(limit_s):
            return await _all_parts(receive)
    except TimeoutError:
        message = f"the body did not come to its end within {limit_s:g} seconds; send it faster, or less of it"
        raise HttpError(408, "body_too_slow", message, {"connection": "close"}) from None


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


def parse_body(data: bytes, dialect: Dialect = CHAT) -> Body:
    """Parse the body. Raises RefusedError for what is not an object, is nested too deeply or has too many turns."""
    if data.startswith(BOM_UTF8):
        message = "the body begins with a byte order mark, which JSON does not allow; send it without"
        raise HttpError(400, "invalid_json", message)
    try:
        text = data.decode("utf-8")
        body = _scanned(text, dialect)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise HttpError(400, "invalid_json", f"the body is not a JSON object ({_short(error)}); correct it") from None
    if _is_deeper(body.fields, MAX_DEPTH):
        raise _too_deep()
    if len(body.starts) > dialect.most_turns:
        raise HttpError(400, "too_many_messages", f"more than {dialect.most_turns:,} messages; send fewer")
    return replace(body, messages=dialect.turns(body.fields.get(dialect.items)))


def _scanned(text: str, dialect: Dialect) -> Body:
    """Parse the object and locate its turns and its model. Raises ValueError."""
    fields: dict[str, Any] = {}
    starts: list[int] = []
    ends: list[int] = []
    model = (0, 0)
    at = after(text, 0, "{")
    if text[at : at + 1] == "}":
        _end(text, at + 1)
        return Body(text, fields, (), dialect=dialect)
    while True:
        name, at = DECODER.raw_decode(text, at)
        if not isinstance(name, str):
            raise ValueError("a name is not text")
        if name in fields:
            raise ValueError("a name is given twice")
        start = after(text, at, ":")
        if name == dialect.items and text[start : start + 1] == "[":
            fields[name], at = _elements(text, start, starts, ends)
        else:
            fields[name], at = DECODER.raw_decode(text, start)
            model = (start, at) if name == "model" else model
            if name == dialect.items and isinstance(fields[name], str):
                starts, ends = [start], [at]
        at = skip_blank(text, at)
        if text[at : at + 1] == "}":
            _end(text, at + 1)
            return Body(text, fields, tuple(starts), tuple(ends), model, dialect)
        at = after(text, at, ",")


def _elements(text: str, at: int, starts: list[int], ends: list[int]) -> tuple[list[Any], int]:
    values: list[Any] = []
    for value, start, end in elements(text, at):
        values.append(value)
        starts.append(start)
        ends.append(end)
    return values, skip_blank(text, ends[-1] if ends else skip_blank(text, at + 1)) + 1


def _mark(text: str, start: int) -> list[Insertion]:
    """Return the insertions by which the content of the turn at ``start`` ends with a mark.

    Raises ValueError for a turn without content in text or in parts.
    """
    found, written = member(text, start, "content"), json.dumps(MARK)[1:-1]
    if found is None:
        raise ValueError("the turn has no content")
    value, at, end = found
    if isinstance(value, str):
        return [Insertion(at, '[{"type":"text","text":'), Insertion(end, f",{written}}}]")]
    if not isinstance(value, list) or not value or not isinstance(value[-1], dict):
        raise ValueError("the turn has no content that can be marked")
    # The last part's own brace is the last one before the list's end.
    return [Insertion(text.rindex("}", at, end), f",{written}" if value[-1] else written)]


def _end(text: str, at: int) -> None:
    if skip_blank(text, at) != len(text):
        raise ValueError("more follows it")


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
