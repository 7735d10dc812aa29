"""OpenAI's responses, ``/v1/responses``: the input is one text, or items of messages, calls, results and reasoning."""

from __future__ import annotations

import json
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
    texts_of,
    written,
)
from helix_ls.proxy.dialects.openai_chat import at_beginning, error_object, is_error_object

# The value of these members of a call is what a tool was given.
_GIVEN = ("arguments", "input", "action")
_ARGUMENT_CHARS = 2_000
_RESULT_CHARS = 20_000
_ENDS = ("response.completed", "response.incomplete", "response.failed")
REASONING = "reasoning"
"""The role of a turn that must be followed directly by the one it led to."""


def _turns(value: Any) -> list[Any]:
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    return [_message(item) if isinstance(item, dict) else item for item in value] if isinstance(value, list) else []


def _message(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item as a chat message; one that says nothing has a role of its own."""
    kind = item.get("type", "message")
    if kind == "message":
        content = item.get("content")
        return {"role": item.get("role"), "content": texts_of(content, "input_text", "output_text", "text")}
    if isinstance(kind, str) and kind.endswith("_output") and "call_id" in item:
        output = item.get("output")
        texts = texts_of(output, "input_text", "output_text", "text")
        return {"role": "tool", "tool_call_id": item.get("call_id"), "content": texts[:_RESULT_CHARS]}
    if isinstance(kind, str) and kind.endswith("_call") and "call_id" in item:
        given = next((item[name] for name in _GIVEN if name in item), "")
        arguments = given if isinstance(given, str) else json.dumps(given)
        function = {"name": item.get("name"), "arguments": arguments[:_ARGUMENT_CHARS]}
        return {"role": "assistant", "tool_calls": [{"id": item.get("call_id"), "function": function}]}
    return {"role": REASONING if kind == "reasoning" else "other"}


def _item(block: str) -> str:
    content = [{"type": "input_text", "text": block}]
    return written({"type": "message", "role": "user", "content": content})


def _separate(text: str, span: Span, block: str) -> list[Insertion]:
    if text[span[0]] != '"':
        return [Insertion(span[0], f"{_item(block)},")]
    # The input is one text: it becomes a list of two items, the second with the text as it was written.
    return [
        Insertion(span[0], f'[{_item(block)},{{"type":"message","role":"user","content":'),
        Insertion(span[1], "}]"),
    ]


def _joined(text: str, span: Span, block: str) -> list[Insertion]:
    if text[span[0]] == '"':
        return [Insertion(span[0] + 1, written(f"{block}\n\n")[1:-1])]
    return at_beginning(text, span, block, "input_text")


class ResponsesReader:
    """Ended by ``response.completed``, ``response.incomplete`` or ``response.failed``; or by an ``error``."""

    ending = b""

    def __init__(self) -> None:
        self.has_failed = False
        self.is_finished = False
        self._number = -1

    @property
    def may_end(self) -> bool:
        """Return whether the last event came."""
        return self.is_finished

    def read(self, event: str, data: Mapping[str, Any]) -> None:
        """Take one event of the stream."""
        kind, number = data.get("type"), data.get("sequence_number")
        self._number = number if isinstance(number, int) else self._number
        if event == "error" or kind in ("error", "response.failed") or (kind is None and data.get("error")):
            self.has_failed = True
        self.is_finished = self.is_finished or kind in _ENDS

    def broken(self, message: str) -> bytes:
        """Return an ``error`` event, with the member ``error`` for which the official clients raise."""
        code = "upstream_incomplete"
        data = {"type": "error", "code": code, "message": message, "param": None, "sequence_number": self._number + 1}
        return event_frame("error", data | error_object(502, message, code))


def _delta(data: Mapping[str, Any]) -> Delta:
    kind = data.get("type")
    if kind == "response.output_text.delta":
        return Delta(data["delta"] if isinstance(data.get("delta"), str) else "")
    return Delta("", _finish(data.get("response"))) if kind in _ENDS else Delta()


def _whole(answer: Any) -> Delta:
    if not isinstance(answer, dict):
        return Delta()
    output = answer.get("output")
    messages = [item for item in output if isinstance(item, dict)] if isinstance(output, list) else []
    texts = (
        texts_of(message.get("content"), "output_text") for message in messages if message.get("type") == "message"
    )
    return Delta("\n".join(text for text in texts if text), _finish(answer))


def _finish(response: Any) -> str:
    """Return the reason to finish; a response that ends in calls of tools is not an answer yet."""
    if not isinstance(response, dict):
        return ""
    status, output = response.get("status"), response.get("output")
    items = output if isinstance(output, list) else []
    if any(isinstance(item, dict) and str(item.get("type")).endswith("_call") and "call_id" in item for item in items):
        return "tool_calls"
    return {"completed": "stop", "incomplete": "length"}.get(str(status), str(status))


RESPONSES = Dialect(
    name="responses",
    route="/v1/responses",
    path="/responses",
    items="input",
    media=EVENTS,
    turns=_turns,
    is_separate=True,
    separate=_separate,
    joined=_joined,
    error=error_object,
    is_error=is_error_object,
    reader=ResponsesReader,
    delta=_delta,
    whole=_whole,
    wants_stream=streams_if_asked,
    # A call, its result and the reasoning before it are items of their own.
    most_turns=16_384,
)
