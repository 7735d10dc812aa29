"""OpenAI's chat completions, ``/v1/chat/completions``: the dialect every other one is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helix_ls.proxy.dialects.dialect import (
    EVENTS,
    Delta,
    Dialect,
    Insertion,
    Span,
    event_frame,
    streams_if_asked,
    written,
)
from helix_ls.proxy.dialects.spans import elements, member, skip_blank

DONE = b"data: [DONE]\n\n"
_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


def type_of(status: int) -> str:
    """Return the error type that clients map to an exception."""
    return _TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")


def error_object(status: int, message: str, code: str | None) -> dict[str, Any]:
    """Return ``{"error": {message, type, param, code}}``."""
    return {"error": {"message": message, "type": type_of(status), "param": None, "code": code}}


def is_error_object(data: Any) -> bool:
    """Return whether the object has an error with a message."""
    return isinstance(data, dict) and isinstance(data.get("error"), dict) and "message" in data["error"]


def messages_of(value: Any) -> list[Any]:
    """Return the messages; empty without a list of them."""
    return value if isinstance(value, list) else []


def user_message(_text: str, span: Span, block: str) -> list[Insertion]:
    """Put a message of the user's before the one that begins at the span."""
    return [Insertion(span[0], f"{written({'role': 'user', 'content': block})},")]


def at_beginning(text: str, span: Span, block: str, kind: str = "text") -> list[Insertion]:
    """Put a block at the beginning of a message's content: a part of its own, or before the text."""
    found = member(text, span[0], "content")
    if found is None:
        return []
    value, start, _ = found
    if isinstance(value, str):
        return [Insertion(start + 1, written(f"{block}\n\n")[1:-1])]
    if not isinstance(value, list):
        return []
    first = next(elements(text, start), None)
    part = written({"type": kind, "text": block})
    return [Insertion(first[1], f"{part},") if first is not None else Insertion(skip_blank(text, start + 1), part)]


class ChatReader:
    """Complete with a reason to finish for each choice that began."""

    is_finished = False
    ending = DONE

    def __init__(self) -> None:
        self.has_failed = False
        self._begun: set[Any] = set()
        self._finished: set[Any] = set()

    @property
    def may_end(self) -> bool:
        """Return whether every choice that began has finished."""
        return bool(self._finished) and self._begun <= self._finished

    def read(self, event: str, data: Mapping[str, Any]) -> None:
        """Take one chunk of the stream."""
        if event == "error" or data.get("error"):
            self.has_failed = True
            return
        choices = data.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict):
                index = choice.get("index") if isinstance(choice.get("index"), int) else 0
                self._begun.add(index)
                if choice.get("finish_reason") is not None:
                    self._finished.add(index)

    def broken(self, message: str) -> bytes:
        """Return an error frame and the end marker."""
        return event_frame("", error_object(502, message, "upstream_incomplete")) + DONE


def _delta(data: Mapping[str, Any]) -> Delta:
    return _first_choice(data, "delta")


def _whole(answer: Any) -> Delta:
    return _first_choice(answer, "message") if isinstance(answer, dict) else Delta()


def _first_choice(data: Mapping[str, Any], name: str) -> Delta:
    text, finish = "", ""
    choices = data.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if not isinstance(choice, dict) or choice.get("index", 0) != 0:
            continue
        message, reason = choice.get(name), choice.get("finish_reason")
        if isinstance(message, dict) and isinstance(message.get("content"), str):
            text += message["content"]
        finish = reason if isinstance(reason, str) else finish
    return Delta(text, finish)


CHAT = Dialect(
    name="chat",
    route="/v1/chat/completions",
    path="/chat/completions",
    items="messages",
    media=EVENTS,
    turns=messages_of,
    is_separate=True,
    separate=user_message,
    joined=at_beginning,
    error=error_object,
    is_error=is_error_object,
    reader=ChatReader,
    delta=_delta,
    whole=_whole,
    wants_stream=streams_if_asked,
)
