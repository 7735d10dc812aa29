"""Anthropic's messages as documented: what a request must be, the events of a stream, and the errors.

https://docs.anthropic.com/en/api/messages, …/streaming, …/errors; …/agents-and-tools/tool-use for the order of results.
"""

from __future__ import annotations

import json

USAGE = {"input_tokens": 25, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 0, "output_tokens": 1}
TEXT = ("Cookies are signed in ", "`sign_cookie`.")
TOOL = {"type": "tool_use", "id": "toolu_01", "name": "Read", "input": {"path": "src/cookie.py"}}


def event(kind, **said):
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **said})}\n\n".encode()


def begin(model="claude"):
    message = {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": USAGE,
    }
    return event("message_start", message=message)


def block(index, start, *deltas):
    return [
        event("content_block_start", index=index, content_block=start),
        *(event("content_block_delta", index=index, delta=delta) for delta in deltas),
        event("content_block_stop", index=index),
    ]


PING = b'event: ping\ndata: {"type": "ping"}\n\n'
SAYING = block(0, {"type": "text", "text": ""}, *({"type": "text_delta", "text": each} for each in TEXT))
THINKING = block(
    0,
    {"type": "thinking", "thinking": "", "signature": ""},
    {"type": "thinking_delta", "thinking": "Look."},
    {"type": "signature_delta", "signature": "c2ln"},
)
CALLING = block(
    1,
    {**TOOL, "input": {}},
    {"type": "input_json_delta", "partial_json": '{"path": '},
    {"type": "input_json_delta", "partial_json": '"src/cookie.py"}'},
)


def end(reason="end_turn"):
    stop = {"stop_reason": reason, "stop_sequence": None}
    return [event("message_delta", delta=stop, usage={"output_tokens": 15}), event("message_stop")]


GOOD = [begin(), PING, *SAYING, *end()]
ERROR = event("error", error={"type": "overloaded_error", "message": "Overloaded"})
STREAMS = {
    "claude": GOOD,
    "claude-thinking": [begin(), *THINKING, *[each.replace(b'"index": 0', b'"index": 1') for each in SAYING], *end()],
    "claude-tool": [begin(), *THINKING, *CALLING, *end("tool_use")],
    "claude-unknown": [begin(), event("weather", rain=1.50), *SAYING, *end()],
    "claude-bytes": [bytes([byte]) for byte in b"".join(GOOD)],
}
BROKEN = {
    "claude-cut": ([begin(), *SAYING[:2]], "reset"),
    "claude-short": ([begin(), *SAYING[:2]], "clean"),
    "claude-failing": ([begin(), *SAYING[:2], ERROR], "clean"),
    "claude-stall": ([begin(), *SAYING[:2]], "stall"),
    "claude-junk": ([begin(), b"event: message_delta\ndata: {\n\n"], "clean"),
}


def whole(model):
    content = [{"type": "text", "text": "".join(TEXT)}]
    if model == "claude-tool":
        content = [*content, TOOL]
    return {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if model == "claude-tool" else "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
    }


def fault(headers, asked):
    """What the API refuses in a request, "" for nothing."""
    if "anthropic-version" not in headers:
        return "anthropic-version: header is required"
    messages = asked.get("messages")
    if not isinstance(messages, list) or not messages:
        return "messages: at least one message is required"
    if _marks(asked) > 4:
        return f"A maximum of 4 blocks with cache_control may be provided. Found {_marks(asked)}."
    turns = []
    for message in messages:
        if message.get("role") not in ("user", "assistant", "system"):
            return "messages: that is not a role"
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if turns and turns[-1][0] == message["role"]:
            turns[-1][1].extend(blocks)
        else:
            turns.append((message["role"], list(blocks)))
    waiting = []
    for at, (_, blocks) in enumerate(turns):
        results = [one.get("type") == "tool_result" for one in blocks]
        if waiting != [one["tool_use_id"] for one in blocks[: results.count(True)] if "tool_use_id" in one]:
            return f"messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: {waiting}"
        if any(one.get("type") == "text" and not one["text"].strip() for one in blocks):
            return f"messages.{at}: text content blocks must be non-empty"
        waiting = [one["id"] for one in blocks if one.get("type") == "tool_use"]
    return ""


def _marks(value):
    if isinstance(value, list):
        return sum(map(_marks, value))
    if not isinstance(value, dict):
        return 0
    return ("cache_control" in value) + sum(map(_marks, value.values()))


def _error(kind, message):
    return json.dumps({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}).encode()


def answers(handler, body):
    """Answer a route of this API; False for another."""
    path = handler.path.partition("?")[0].removeprefix("/v1")
    if path not in ("/messages", "/messages/count_tokens"):
        return False
    asked = json.loads(body)
    model = asked.get("model", "claude")
    headers = {name.lower(): value for name, value in handler.headers.items()}
    if path == "/messages/count_tokens":
        handler._whole(200, b'{"input_tokens": 2095}')
    elif model == "claude-overloaded":
        handler._whole(529, _error("overloaded_error", "Overloaded"), headers={"retry-after": "7"})
    elif model == "claude-key":
        said = f"invalid {headers.get('authorization')} {headers.get('x-api-key')}"
        handler._whole(401, _error("authentication_error", said))
    elif model == "claude-gateway":
        handler._whole(502, b"<html>bad gateway</html>", "text/html")
    elif said := fault(headers, asked):
        handler._whole(400, _error("invalid_request_error", said))
    elif model == "facts":
        (tool,) = asked["tools"]
        assert asked["tool_choice"] == {"type": "tool", "name": tool["name"]}
        called = {"type": "tool_use", "id": "toolu_02", "name": tool["name"], "input": {"facts": handler.server.facts}}
        said = whole(model) | {"content": [called], "stop_reason": "tool_use"}
        handler._whole(200, json.dumps(said).encode())
    elif not asked.get("stream"):
        handler._whole(200, json.dumps(whole(model)).encode())
    elif model in BROKEN:
        parts, ending = BROKEN[model]
        handler._stream(parts, end=ending)
    else:
        handler._stream(STREAMS.get(model, GOOD))
    return True
