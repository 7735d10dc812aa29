"""Anthropic's messages, ``/v1/messages``.

Two turns of the user's in a row are one to this API, and results must come first in the turn after a tool use. So a
block goes into the question's own turn: after the results, right before the text that asks. What a client marked for
the cache before it stays the same, and its mark on the question comes after the evidence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from helix_core.conversation import own_words
from helix_ls.proxy.dialects.dialect import (
    EVENTS,
    Delta,
    Dialect,
    Insertion,
    Span,
    event_frame,
    streams_if_asked,
    texts_of,
    written,
)
from helix_ls.proxy.dialects.spans import elements, member

_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
# From Anthropic's reasons to stop to OpenAI's.
_FINISHES = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls"}
_ARGUMENT_CHARS = 2_000
_RESULT_CHARS = 20_000


def error_object(status: int, message: str, code: str | None) -> dict[str, Any]:
    """Return ``{"type": "error", "error": {type, message, code}}``."""
    kind = _TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")
    return {"type": "error", "error": {"type": kind, "message": message, "code": code}}


def _is_error(data: Any) -> bool:
    if not isinstance(data, dict) or data.get("type") != "error":
        return False
    error = data.get("error")
    return isinstance(error, dict) and "message" in error and "type" in error


def _turns(value: Any) -> list[Any]:
    return [_message(turn) if isinstance(turn, dict) else turn for turn in value] if isinstance(value, list) else []


def _message(one: dict[str, Any]) -> dict[str, Any]:
    """Return a turn as a chat message: one of results alone has the role ``tool``."""
    content = one.get("content")
    if not isinstance(content, list):
        return one
    blocks = [block for block in content if isinstance(block, dict)]
    if one.get("role") == "assistant":
        calls = [_call(block) for block in blocks if block.get("type") == "tool_use"]
        message = {"role": "assistant", "content": texts_of(content, "text")}
        return message | ({"tool_calls": calls} if calls else {})
    results = [block for block in blocks if block.get("type") == "tool_result"]
    if results and not any(block.get("type") == "text" for block in blocks):
        shown = "\n".join(texts_of(block.get("content"), "text") for block in results)
        return {"role": "tool", "content": shown[:_RESULT_CHARS]}
    return one


def _call(block: dict[str, Any]) -> dict[str, Any]:
    given = json.dumps(block.get("input"))[:_ARGUMENT_CHARS]
    return {"id": block.get("id"), "function": {"name": block.get("name"), "arguments": given}}


def _joined(text: str, span: Span, block: str) -> list[Insertion]:
    found = member(text, span[0], "content")
    if found is None:
        return []
    value, start, end = found
    part = written({"type": "text", "text": block})
    if isinstance(value, str):
        return [Insertion(start, f'[{part},{{"type":"text","text":'), Insertion(end, "}]")]
    if not isinstance(value, list):
        return []
    parts = list(elements(text, start))
    if not parts:
        return [Insertion(start + 1, part)]
    at = _place([one for one, _, _ in parts])
    return [Insertion(parts[at][1], f"{part},") if at < len(parts) else Insertion(parts[-1][2], f",{part}")]


def _place(blocks: list[Any]) -> int:
    """Return the index to put a block before: the last text that asks, and after every result."""
    results = [at for at, one in enumerate(blocks) if isinstance(one, dict) and one.get("type") == "tool_result"]
    first = results[-1] + 1 if results else 0
    asking = [at for at in range(first, len(blocks)) if own_words(texts_of([blocks[at]], "text"))]
    return asking[-1] if asking else first


def _separate(_text: str, _span: Span, _block: str) -> list[Insertion]:
    raise AssertionError("a block is part of the question's turn")


class MessagesReader:
    """Complete with ``message_stop``. An ``error`` event is the upstream's own end."""

    ending = b""

    def __init__(self) -> None:
        self.has_failed = False
        self.is_finished = False

    @property
    def may_end(self) -> bool:
        """Return whether the last event came."""
        return self.is_finished

    def read(self, event: str, data: Mapping[str, Any]) -> None:
        """Take one event; unknown ones may come at any time (API reference, "Streaming messages")."""
        kind = data.get("type")
        if event == "error" or kind == "error":
            self.has_failed = True
        self.is_finished = self.is_finished or kind == "message_stop"

    def broken(self, message: str) -> bytes:
        """Return an ``error`` event."""
        return event_frame("error", error_object(502, message, "upstream_incomplete"))


def _delta(data: Mapping[str, Any]) -> Delta:
    delta = data.get("delta")
    if not isinstance(delta, dict):
        return Delta()
    if data.get("type") == "content_block_delta" and delta.get("type") == "text_delta":
        return Delta(delta["text"] if isinstance(delta.get("text"), str) else "")
    return Delta("", _finish(delta.get("stop_reason"))) if data.get("type") == "message_delta" else Delta()


def _whole(answer: Any) -> Delta:
    if not isinstance(answer, dict):
        return Delta()
    return Delta(texts_of(answer.get("content"), "text"), _finish(answer.get("stop_reason")))


def _finish(reason: Any) -> str:
    return _FINISHES.get(reason, reason) if isinstance(reason, str) else ""


MESSAGES = Dialect(
    name="messages",
    route="/v1/messages",
    path="/messages",
    items="messages",
    media=EVENTS,
    turns=_turns,
    is_separate=False,
    separate=_separate,
    joined=_joined,
    error=error_object,
    is_error=_is_error,
    reader=MessagesReader,
    delta=_delta,
    whole=_whole,
    wants_stream=streams_if_asked,
)
