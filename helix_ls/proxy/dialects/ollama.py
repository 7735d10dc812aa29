"""Ollama's own API, ``/api/chat`` and ``/api/generate``: a stream is lines of JSON, and is the default."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from helix_ls.proxy.dialects.dialect import LINES, Delta, Dialect, Insertion, Span, written
from helix_ls.proxy.dialects.openai_chat import at_beginning, messages_of, user_message


def error_object(_status: int, message: str, _code: str | None) -> dict[str, Any]:
    """Return an error as Ollama writes it: ``{"error": message}``."""
    return {"error": message}


def _is_error(data: Any) -> bool:
    return isinstance(data, dict) and isinstance(data.get("error"), str)


def _streams(fields: Mapping[str, Any]) -> bool:
    return fields.get("stream") is not False


def _prompt(value: Any) -> list[Any]:
    return [{"role": "user", "content": value}] if isinstance(value, str) else []


def _before_prompt(_text: str, span: Span, block: str) -> list[Insertion]:
    return [Insertion(span[0] + 1, written(f"{block}\n\n")[1:-1])]


def _is_prompt(fields: Mapping[str, Any]) -> bool:
    """Return whether the prompt is a question: a raw one has its template, one with a suffix is code to complete."""
    return not fields.get("raw") and not fields.get("suffix")


class LineReader:
    """Complete with a line that says ``done``."""

    ending = b""

    def __init__(self) -> None:
        self.has_failed = False
        self.is_finished = False

    @property
    def may_end(self) -> bool:
        """Return whether the last line came."""
        return self.is_finished

    def read(self, _event: str, data: Mapping[str, Any]) -> None:
        """Take one line of the stream."""
        if data.get("error"):
            self.has_failed = True
        self.is_finished = self.is_finished or data.get("done") is True

    def broken(self, message: str) -> bytes:
        """Return a line with an error."""
        return json.dumps({"error": message}).encode() + b"\n"


def _delta_of(data: Any) -> Delta:
    if not isinstance(data, dict):
        return Delta()
    message = data.get("message")
    text = message.get("content") if isinstance(message, dict) else data.get("response")
    reason = data.get("done_reason") if data.get("done") is True else ""
    return Delta(text if isinstance(text, str) else "", reason if isinstance(reason, str) else "stop")


OLLAMA_CHAT = Dialect(
    name="ollama",
    route="/api/chat",
    path="/api/chat",
    items="messages",
    media=LINES,
    turns=messages_of,
    is_separate=True,
    separate=user_message,
    joined=at_beginning,
    error=error_object,
    is_error=_is_error,
    reader=LineReader,
    delta=_delta_of,
    whole=_delta_of,
    wants_stream=_streams,
)
OLLAMA_GENERATE = replace(
    OLLAMA_CHAT,
    route="/api/generate",
    path="/api/generate",
    items="prompt",
    turns=_prompt,
    is_separate=False,
    separate=_before_prompt,
    joined=_before_prompt,
    takes=_is_prompt,
)
