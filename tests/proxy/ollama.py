"""A stream as Ollama's OpenAI-compatible server is documented to send it: https://docs.ollama.com/openai

The first chunk carries the role; content has none; thinking and content are chunks of their own; a tool call is whole
in one chunk; then the finish with an empty delta; then, only where it was asked for, the usage without choices.
"""

from __future__ import annotations

import json

CREATED = 1_790_000_000
USAGE = {"prompt_tokens": 26, "completion_tokens": 8, "total_tokens": 34}


def _frame(choices, **more):
    whole = {
        "id": "chatcmpl-417",
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": "qwen3:4b",
        "system_fingerprint": "fp_ollama",
        "choices": choices,
        **more,
    }
    return b"data: " + json.dumps(whole, separators=(",", ":")).encode() + b"\n\n"


def _chunk(delta, finish=None):
    return _frame([{"index": 0, "delta": delta, "finish_reason": finish}])


def stream(asked):
    """The frames for a request's body."""
    frames = [
        _chunk({"role": "assistant", "content": "", "reasoning": "The user asks "}),
        _chunk({"content": "", "reasoning": "for the time."}),
    ]
    if asked.get("tools"):
        call = {
            "id": "call_8a1bq0zj",
            "index": 0,
            "type": "function",
            "function": {"name": "look", "arguments": '{"city":"Brno"}'},
        }
        frames += [_chunk({"content": "", "tool_calls": [call]}), _chunk({}, "tool_calls")]
    else:
        frames += [_chunk({"content": "It is "}), _chunk({"content": "noon 🕛."}), _chunk({}, "stop")]
    if (asked.get("stream_options") or {}).get("include_usage"):
        frames.append(_frame([], usage=USAGE))
    return [*frames, b"data: [DONE]\n\n"]


def whole():
    """The answer in one piece: usage always stands in it."""
    message = {"role": "assistant", "content": "It is noon.", "reasoning": "The user asks."}
    return {
        "id": "chatcmpl-88",
        "object": "chat.completion",
        "created": CREATED,
        "model": "qwen3:4b",
        "system_fingerprint": "fp_ollama",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": USAGE,
    }
