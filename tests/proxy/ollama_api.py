"""Ollama's own API as documented: https://docs.ollama.com/api. A stream is lines of JSON."""

from __future__ import annotations

import json

WORDS = ("It is ", "in `sign_cookie` 🍪.")
AT = {"model": "qwen3:4b", "created_at": "2026-03-01T12:00:00.123456Z"}
COUNTS = {
    "total_duration": 4_883_583_458,
    "load_duration": 1_334_875,
    "prompt_eval_count": 26,
    "prompt_eval_duration": 342_546_000,
    "eval_count": 2,
    "eval_duration": 4_535_599_000,
}
CALL = {"function": {"name": "read", "arguments": {"path": "src/cookie.py"}}}
TAGS = {
    "models": [
        {
            "name": "qwen3:4b",
            "model": "qwen3:4b",
            "modified_at": "2026-03-01T12:00:00.123456789Z",
            "size": 2_620_788_019,
            "digest": "2bfd38a7daaf4b1037efe517ccb73d1a3bbd4822cf89f1a82be1569050a114e0",
            "details": {"format": "gguf", "family": "qwen3", "parameter_size": "4.0B", "quantization_level": "Q4_K_M"},
        }
    ]
}
SHOWN = {
    "template": "{{ .Prompt }}",
    "capabilities": ["completion", "tools"],
    "model_info": {},
    "details": TAGS["models"][0]["details"],
}


def _line(said):
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def chat_lines(call=False):
    if call:
        said = [{"role": "assistant", "content": "", "tool_calls": [CALL]}]
    else:
        said = [{"role": "assistant", "content": word} for word in WORDS]
    lines = [_line({**AT, "message": one, "done": False}) for one in said]
    end = {"role": "assistant", "content": ""}
    return [*lines, _line({**AT, "message": end, "done": True, "done_reason": "stop", **COUNTS})]


def generate_lines():
    lines = [_line({**AT, "response": word, "done": False}) for word in WORDS]
    return [*lines, _line({**AT, "response": "", "done": True, "done_reason": "stop", "context": [1, 2], **COUNTS})]


def answers(handler, body):
    """Answer a route of this API; False for another."""
    path = handler.path.partition("?")[0]
    if not path.startswith("/api/"):
        return False
    asked = json.loads(body) if body else {}
    model = asked.get("model", "")
    fixed = {"/api/tags": TAGS, "/api/ps": {"models": []}, "/api/version": {"version": "0.14.2"}, "/api/show": SHOWN}
    if path in fixed:
        handler._whole(200, json.dumps(fixed[path]).encode())
    elif path == "/api/embed":
        handler._whole(200, json.dumps({**AT, "embeddings": [[0.25, -1.5e-3]]}).encode())
    elif model == "facts":
        assert asked["format"]["required"] == ["facts"]
        said = {"role": "assistant", "content": json.dumps({"facts": handler.server.facts})}
        counts = {"prompt_eval_count": 300, "eval_count": 50}
        handler._whole(200, json.dumps({**AT, "message": said, "done": True, "done_reason": "stop", **counts}).encode())
    elif model == "missing":
        handler._whole(404, b'{"error":"model \'missing\' not found"}')
    else:
        lines = chat_lines("tool" in model) if path == "/api/chat" else generate_lines()
        if model == "bytes":
            lines = [bytes([byte]) for byte in b"".join(lines)]
        if asked.get("stream") is False:
            last, words = json.loads(lines[-1]), "".join(WORDS)
            said = {"message": {"role": "assistant", "content": words}} if path == "/api/chat" else {"response": words}
            handler._whole(200, json.dumps({**last, **said}).encode())
        elif model == "cut":
            handler._stream(lines[:1], end="reset", kind="application/x-ndjson")
        elif model == "short":
            handler._stream(lines[:1], kind="application/x-ndjson")
        elif model == "failing":
            handler._stream([lines[0], b'{"error":"the model ran away"}\n'], kind="application/x-ndjson")
        elif model == "junk":
            handler._stream([lines[0], b'{"message":\n'], kind="application/x-ndjson")
        else:
            handler._stream(lines, kind="application/x-ndjson")
    return True
