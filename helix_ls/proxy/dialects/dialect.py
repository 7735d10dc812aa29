"""What a dialect is: one value of pure functions, so that the chat route, the evidence and the memory know none."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

EVENTS, LINES = "text/event-stream", "application/x-ndjson"
Span = tuple[int, int]


class UnreadableError(ValueError):
    """An event that no client could read; ``str()`` is the cause."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """``text`` is put before the character ``at`` of a body."""

    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Delta:
    """What an event or an answer adds: its text, and why it ended in OpenAI's words (``stop``, ``length``, …)."""

    text: str = ""
    finish: str = ""


class EventReader(Protocol):
    """The state of one streamed answer; ``read`` is called with the object of each event."""

    @property
    def has_failed(self) -> bool:
        """Return whether the upstream reported an error."""

    @property
    def is_finished(self) -> bool:
        """Return whether the event came that ends every answer; what follows it is passed on, and not waited for."""

    @property
    def may_end(self) -> bool:
        """Return whether an answer that ends here is complete although its last marker is missing."""

    @property
    def ending(self) -> bytes:
        """Return the marker that is missing then."""

    def read(self, event: str, data: Mapping[str, Any]) -> None:
        """Take one event, with its name where the stream has names."""

    def broken(self, message: str) -> bytes:
        """Return the last bytes of an answer that is not complete."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One chat API.

    Attributes:
        name: As the settings of an upstream call it.
        route: The path here.
        path: The path at the upstream, after its base; one of Ollama's own begins with ``/api/``.
        items: The member that holds the turns: a list, or one text, which is then the only turn.
        media: The type of a streamed answer.
        turns: From the value of ``items`` to messages as OpenAI's chat API has them, one for each turn, in order.
        is_separate: Whether a block may be a turn of its own; else it goes into the question's.
        separate: The insertions that make a block a turn before one that begins at an offset.
        joined: The insertions that put a block at the beginning of a question, given the whole body and its span.
        wants_stream: Whether the body asks for a stream.
        takes: Whether the body is a chat, to which evidence may be added.
        error: The object of an error of our own: status, message and code.
        is_error: Whether an object is an error as its clients read it.
        reader: A new reader of a stream.
        delta: What an event of a stream says.
        whole: What an answer in one piece says.
        most_turns: More are refused.
    """

    name: str
    route: str
    path: str
    items: str
    media: str
    turns: Callable[[Any], list[Any]]
    is_separate: bool
    separate: Callable[[str, Span, str], Sequence[Insertion]]
    joined: Callable[[str, Span, str], Sequence[Insertion]]
    error: Callable[[int, str, str | None], dict[str, Any]]
    is_error: Callable[[Any], bool]
    reader: Callable[[], EventReader]
    delta: Callable[[Mapping[str, Any]], Delta]
    whole: Callable[[Any], Delta]
    wants_stream: Callable[[Mapping[str, Any]], bool]
    takes: Callable[[Mapping[str, Any]], bool] = lambda _fields: True
    most_turns: int = 4_096


def streams_if_asked(fields: Mapping[str, Any]) -> bool:
    """Return whether ``stream`` is true: the default of OpenAI's and Anthropic's APIs is one piece."""
    return fields.get("stream") is True


def texts_of(content: Any, *kinds: str) -> str:
    """Return the text of a content, whether one string or parts of these types."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    found = (part["text"] for part in parts if _is_text(part, kinds))
    return "\n".join(found)


def _is_text(part: Any, kinds: Sequence[str]) -> bool:
    return isinstance(part, dict) and part.get("type") in kinds and isinstance(part.get("text"), str)


def written(value: Any) -> str:
    """Return the JSON of a value that is put into a body."""
    return json.dumps(value)


def event_frame(event: str, data: Mapping[str, Any]) -> bytes:
    """Return a server-sent event; one without a name for an empty ``event``."""
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(data, separators=(',', ':'))}\n\n".encode()
