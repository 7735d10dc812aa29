"""OpenAI's responses as documented: the events of a stream, and what a request must be.

https://platform.openai.com/docs/api-reference/responses, …/responses-streaming
"""

from __future__ import annotations

import json

TEXT = ("Cookies are signed in ", "`sign_cookie`.")
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "read",
    "arguments": '{"path":"src/cookie.py"}',
    "status": "completed",
}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "b64"}
USAGE = {
    "input_tokens": 36,
    "input_tokens_details": {"cached_tokens": 30},
    "output_tokens": 8,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 44,
}


def message(text, status="completed"):
    content = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": status, "content": content}


def whole(model, status="completed", output=None, **more):
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_790_000_000,
        "model": model,
        "status": status,
        "output": [message("".join(TEXT))] if output is None else output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "temperature": 1.0,
        "top_p": 1.0,
        "usage": USAGE,
        **more,
    }


def numbered(*events):
    """The frames of these events, each with its place in the stream."""
    frames = []
    for number, (kind, said) in enumerate(events):
        data = {"type": kind, "sequence_number": number, **said}
        frames.append(f"event: {kind}\ndata: {json.dumps(data)}\n\n".encode())
    return frames


AT = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
BEGIN = (
    ("response.created", {"response": whole("m", "in_progress", [])}),
    ("response.in_progress", {"response": whole("m", "in_progress", [])}),
    (
        "response.output_item.added",
        {"output_index": 0, "item": {**message(""), "status": "in_progress", "content": []}},
    ),
    ("response.content_part.added", {**AT, "part": {"type": "output_text", "text": "", "annotations": []}}),
)
SAYING = tuple(("response.output_text.delta", {**AT, "delta": each, "logprobs": []}) for each in TEXT)
SAID = (
    ("response.output_text.done", {**AT, "text": "".join(TEXT), "logprobs": []}),
    ("response.content_part.done", {**AT, "part": message("".join(TEXT))["content"][0]}),
    ("response.output_item.done", {"output_index": 0, "item": message("".join(TEXT))}),
)
CALLING = (
    ("response.created", {"response": whole("m", "in_progress", [])}),
    ("response.output_item.added", {"output_index": 0, "item": {**CALL, "arguments": ""}}),
    ("response.function_call_arguments.delta", {"item_id": "fc_1", "output_index": 0, "delta": CALL["arguments"]}),
    ("response.output_item.done", {"output_index": 0, "item": CALL}),
    ("response.completed", {"response": whole("m", output=[CALL])}),
)
CUT_OFF = whole("m", "incomplete", incomplete_details={"reason": "max_output_tokens"})
FAILED = whole("m", "failed", [], error={"code": "server_error", "message": "the model ran away"})
GOOD = numbered(*BEGIN, *SAYING, *SAID, ("response.completed", {"response": whole("m")}))
STREAMS = {
    "gpt": GOOD,
    "gpt-tool": numbered(*CALLING),
    "gpt-limit": numbered(*BEGIN, *SAYING, ("response.incomplete", {"response": CUT_OFF})),
    "gpt-unknown": numbered(
        *BEGIN, ("response.weather", {"rain": 1.5}), ("response.completed", {"response": whole("m")})
    ),
    "gpt-bytes": [bytes([byte]) for byte in b"".join(GOOD)],
    "gpt-done": [*GOOD, b"data: [DONE]\n\n"],
    "gpt-failing": numbered(*BEGIN, *SAYING[:1], ("response.failed", {"response": FAILED})),
}
ERROR = ("error", {"code": "server_error", "message": "the model ran away", "param": None})
BROKEN = {
    "gpt-cut": (numbered(*BEGIN, *SAYING[:1]), "reset"),
    "gpt-short": (numbered(*BEGIN, *SAYING[:1]), "clean"),
    "gpt-stall": (numbered(*BEGIN, *SAYING[:1]), "stall"),
    "gpt-junk": ([*numbered(*BEGIN), b"event: response.completed\ndata: {\n\n"], "clean"),
}


def fault(asked):
    """What the API refuses in a request, "" for nothing."""
    items = asked.get("input")
    if items is None:
        return "Missing required parameter: 'input'."
    if isinstance(items, str):
        return ""
    called = [one["call_id"] for one in items if one.get("type") == "function_call"]
    given = [one["call_id"] for one in items if one.get("type") == "function_call_output"]
    if missing := set(called) - set(given):
        return f"No tool output found for function call {missing.pop()}."
    for at, one in enumerate(items):
        following = items[at + 1] if at + 1 < len(items) else {}
        if one.get("type") == "reasoning" and following.get("type") not in ("reasoning", "function_call", "message"):
            return f"Item '{one['id']}' of type 'reasoning' was provided without its required following item."
        if one.get("type") == "reasoning" and following.get("role") == "user":
            return f"Item '{one['id']}' of type 'reasoning' was provided without its required following item."
    return ""


def answers(handler, body):
    """Answer a route of this API; False for another."""
    path = handler.path.partition("?")[0].removeprefix("/v1")
    if not path.startswith("/responses"):
        return False
    if path != "/responses":
        handler._whole(200, json.dumps(whole("m") | {"path": handler.path}).encode())
        return True
    asked = json.loads(body)
    model = asked.get("model", "gpt")
    if model == "gpt-busy":
        error = {"message": "busy", "type": "server_error", "param": None, "code": "overloaded"}
        handler._whole(503, json.dumps({"error": error}).encode(), headers={"retry-after": "7"})
    elif said := fault(asked):
        error = {"message": said, "type": "invalid_request_error", "param": "input", "code": None}
        handler._whole(400, json.dumps({"error": error}).encode())
    elif model == "facts":
        assert asked["text"]["format"]["type"] == "json_schema"
        said = message(json.dumps({"facts": handler.server.facts}))
        handler._whole(200, json.dumps(whole(model, output=[said])).encode())
    elif not asked.get("stream"):
        handler._whole(200, json.dumps(whole(model, output=[CALL] if model == "gpt-tool" else None)).encode())
    elif model in BROKEN:
        parts, ending = BROKEN[model]
        handler._stream(parts, end=ending)
    else:
        handler._stream(STREAMS.get(model, GOOD))
    return True
