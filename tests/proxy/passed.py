"""What an upstream answers on routes without evidence: OpenAI's embeddings, completions, audio and images."""

from __future__ import annotations

import json

SPOKEN = bytes(range(256)) * 400
TRANSCRIPT = {"text": "sign the cookie"}
EMBEDDINGS = {
    "object": "list",
    "model": "e",
    "data": [{"object": "embedding", "index": 0, "embedding": [0.25, -1.5e-3]}],
    "usage": {"prompt_tokens": 2, "total_tokens": 2},
}
COMPLETION = {
    "id": "cmpl-1",
    "object": "text_completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "text": "return", "logprobs": None, "finish_reason": "stop"}],
}
MODERATION = {"id": "modr-1", "model": "m", "results": []}
IMAGE = {"created": 1, "data": [{"b64_json": "aGVsaXg="}]}
WHOLE = {
    "/embeddings": EMBEDDINGS,
    "/moderations": MODERATION,
    "/images/generations": IMAGE,
    "/images/edits": IMAGE,
    "/images/variations": IMAGE,
    "/audio/transcriptions": TRANSCRIPT,
    "/audio/translations": TRANSCRIPT,
}


def answers(handler, body):
    """Answer one of these routes; False for another."""
    path = handler.path.partition("?")[0].removeprefix("/v1")
    if b"a page" in body:
        handler._whole(200, b"<html><title>Log in</title></html>", "text/html; charset=utf-8")
    elif path in WHOLE and b"fail" not in body:
        handler._whole(200, json.dumps(WHOLE[path]).encode())
    elif path == "/completions" and json.loads(body).get("stream"):
        frame = b"data: " + json.dumps(COMPLETION).encode() + b"\n\n"
        handler._stream([frame, b"data: [DONE]\n\n"])
    elif path == "/completions":
        handler._whole(200, json.dumps(COMPLETION).encode())
    elif path == "/audio/speech":
        end = "reset" if b"cut" in body else "clean"
        handler._stream([SPOKEN[:70_000], SPOKEN[70_000:]], end=end, kind="audio/mpeg")
    elif path in WHOLE:
        error = {"error": {"message": f"wrong {handler.headers['Authorization']}", "type": "t"}}
        handler._whole(401, json.dumps(error).encode())
    else:
        return False
    return True
