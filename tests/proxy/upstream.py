"""A real HTTP server that answers chats as a model's name tells it to: every way upstreams are known to answer."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise

from tests.proxy import anthropic_api, ollama, ollama_api, passed, responses_api

SCRIPTED = (passed, anthropic_api, responses_api, ollama_api)
WORDS = ("The ", "key ", "signs ", "it ", "all.")


def chunk(delta, finish=None, **more):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    whole = {"id": "chatcmpl-7", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps({**whole, **more}).encode() + b"\n\n"


def words(count=5):
    first = chunk({"role": "assistant", "content": WORDS[0]})
    return [first, *(chunk({"content": word}) for word in WORDS[1:])][:count]


STOP = chunk({}, "stop")
USAGE = (
    b'data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1,"model":"m","choices":[],'
    b'"usage":{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8}}\n\n'
)
CACHED = USAGE.replace(b'"prompt_tokens":3', b'"prompt_tokens":3000,"prompt_tokens_details":{"cached_tokens":2048}')
DONE = b"data: [DONE]\n\n"
TOOL = chunk(
    {
        "role": "assistant",
        "tool_calls": [
            {"index": 0, "id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"a":1}'}}
        ],
    }
)
GOOD = [*words(), STOP, DONE]

# Bytes as they are sent, one send each; every one is a good stream to a client.
BENIGN = {
    "plain": GOOD,
    "comments": [b": hello\n\n", *words(), b": still there\n\n", STOP, DONE],
    "crlf": [part.replace(b"\n", b"\r\n") for part in GOOD],
    "no-space": [part.replace(b"data: ", b"data:") for part in GOOD],
    "many-lines": [*words(), b'data: {"id":"x","object":"chat.completion.chunk",\ndata: "choices":[]}\n\n', STOP, DONE],
    "unknown": [chunk({"content": "a", "mood": "blue"}, finish="pondering", weather={"rain": 1.0}), DONE],
    "one-send": [b"".join(GOOD)],
    "byte-by-byte": [bytes([byte]) for byte in b"".join([chunk({"content": "žluť 🐎"}), STOP, DONE])],
    "unicode": [
        b'data: {"id":"x","choices":[{"index":0,"delta":{"content":"' + "ž🐎\u2028".encode() + b'"}}]}\n\n',
        STOP,
        DONE,
    ],
    "tool": [TOOL, chunk({}, "tool_calls"), DONE],
    "usage": [*words(), STOP, USAGE, DONE],
    "cached": [*words(), STOP, CACHED, DONE],
}
WHOLE = {
    "id": "chatcmpl-7",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "odd": 1.50,
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "all"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8},
}


class Upstream(ThreadingHTTPServer):
    """``asked`` holds what was received: path, headers and body as they came."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, *models):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.models = models or ("m",)
        self.facts = []
        self.asked = []
        self.open = 0
        self.left = []
        self.go_on = threading.Event()
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def forget(self):
        """As if nothing had been asked."""
        self.asked.clear()
        self.facts = []
        self.left.clear()
        self.go_on.clear()

    def close(self):
        """Answer nobody any more."""
        self.shutdown()
        self.server_close()

    def bodies(self):
        return [json.loads(body) for _, _, body in self.asked if body.startswith(b"{")]

    def handle_error(self, request, client_address):
        """A client that has gone is part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Quiet."""

    def handle(self):
        with self.server.lock:
            self.server.open += 1
        try:
            super().handle()
        finally:
            with self.server.lock:
                self.server.open -= 1

    def do_GET(self):
        if self.path == "/heard":
            heard = {"bodies": self.server.bodies(), "open": self.server.open - 1, "left": len(self.server.left)}
            self._whole(200, json.dumps(heard).encode())
            return
        self.server.asked.append((self.path, dict(self.headers), b"{}"))
        if any(api.answers(self, b"{}") for api in (responses_api, ollama_api)):
            return
        data = [{"id": model, "object": "model"} for model in self.server.models]
        if name := self.path.partition("/models/")[2]:
            found = next((each for each in data if each["id"] == name), None)
            missing = {"error": {"message": f"no model {name}", "type": "t", "param": None, "code": "c"}}
            self._whole(200 if found else 404, json.dumps(found or missing).encode())
            return
        self._whole(200, json.dumps({"object": "list", "data": data}).encode())

    def do_DELETE(self):
        self.do_GET()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append((self.path, dict(self.headers), body))
        if any(api.answers(self, body) for api in SCRIPTED):
            return
        model = json.loads(body).get("model", "plain")
        name, _, rest = model.partition(":")
        if model in BENIGN and json.loads(body).get("stream"):
            self._stream(BENIGN[model])
        elif hasattr(self, f"play_{name}"):
            getattr(self, f"play_{name}")(rest)
        else:
            self._whole(200, json.dumps(WHOLE).encode())

    def play_says(self, text):
        """An answer of the model's own, as a stream or whole as it was asked for."""
        if json.loads(self.server.asked[-1][2]).get("stream"):
            self._stream([chunk({"role": "assistant", "content": text}), STOP, DONE])
        else:
            message = {"role": "assistant", "content": text}
            self._whole(200, json.dumps({**WHOLE, "choices": [{**WHOLE["choices"][0], "message": message}]}).encode())

    def play_judge(self, verdict):
        """The same verdict on every pair."""
        asked = json.loads(self.server.asked[-1][2])
        pairs = json.loads(asked["messages"][-1]["content"])["pairs"]
        said = json.dumps({"verdicts": [{"pair": one["pair"], "verdict": verdict} for one in pairs]})
        choice = {**WHOLE["choices"][0], "message": {"role": "assistant", "content": said}}
        self._whole(
            200, json.dumps({"choices": [choice], "usage": {"prompt_tokens": 90, "completion_tokens": 9}}).encode()
        )

    def play_facts(self, kind):
        """The facts that a test wants, in the form that was asked for."""
        assert json.loads(self.server.asked[-1][2])["response_format"]["json_schema"]["strict"] is True
        said = json.dumps({"facts": self.server.facts}) if kind != "prose" else "Here are the facts: none."
        usage = {} if kind == "uncounted" else {"usage": {"prompt_tokens": 400, "completion_tokens": 60}}
        choice = {**WHOLE["choices"][0], "message": {"role": "assistant", "content": said}}
        self._whole(200, json.dumps({"id": "chatcmpl-8", "choices": [choice], **usage}).encode())

    def play_cut(self, count):
        self._stream(words(int(count)), end="reset")

    def play_unfinished(self, count):
        self._stream(words(int(count)))

    def play_unterminated(self, count):
        self._stream(words(int(count)), end="close")

    def play_error(self, _):
        error = b'data: {"error":{"message":"the model ran away","type":"api_error","param":null,"code":null}}\n\n'
        self._stream([*words(2), error, DONE])

    def play_event_error(self, _):
        error = b'event: error\ndata: {"message":"the model ran away","error":{"message":"the model ran away"}}\n\n'
        self._stream([*words(2), error, DONE])

    def play_busy(self, times):
        """Refused so often, then answered."""
        asked = sum(f'"busy:{times}"'.encode() in body for _, _, body in self.server.asked)
        if asked > int(times):
            self._stream(GOOD)
        else:
            self.play_status("503-json")

    def play_bare(self, _):
        self._stream([*words(2), b'{"error":"the model ran away"}\n'])

    def play_junk(self, _):
        self._stream([*words(2), b'data: {"choices": [\n\n', *GOOD])

    def play_giant(self, _):
        self._stream([*words(2), b"data: " + b"x" * 9_000_000 + b"\n\n", *GOOD])

    def play_latin(self, _):
        self._stream([*words(2), b'data: {"choices":[{"delta":{"content":"\xff\xfe"}}]}\n\n', *GOOD])

    def play_nodone(self, _):
        self._stream([*words(), STOP])

    def play_stall(self, _):
        self._stream([*words(2)], end="stall")

    def play_turns(self, _):
        """A template like Gemma's: two messages of the user's in a row are refused."""
        asked = json.loads(self.server.asked[-1][2])
        roles = [message["role"] for message in asked["messages"]]
        if any(one == other for one, other in pairwise(roles)):
            said = "Conversation roles must alternate user/assistant/user/assistant/..."
            self._whole(400, json.dumps({"error": {"message": said, "type": "t"}}).encode())
        elif asked.get("stream"):
            self._stream(GOOD)
        else:
            self._whole(200, json.dumps(WHOLE).encode())

    def play_ollama(self, _):
        """As documented, with the errors it gives before the first byte."""
        asked = json.loads(self.server.asked[-1][2])
        if not asked["messages"]:
            said = {"message": "[] is too short - 'messages'", "type": "invalid_request_error", "param": None}
            self._whole(400, json.dumps({"error": {**said, "code": None}}).encode())
        elif asked.get("stream"):
            self._stream(ollama.stream(asked))
        else:
            self._whole(200, json.dumps(ollama.whole()).encode())

    def play_loading(self, _):
        """A model that is being loaded: nothing is said until it is there."""
        self.server.go_on.wait(60)
        self._stream(GOOD)

    def play_flood(self, _):
        self.server.go_on.set()
        with contextlib.suppress(OSError):
            self._stream([chunk({"content": "x" * 60_000})] * 5_000)

    def play_silent(self, _):
        self._await_leaving()

    def play_json(self, _):
        self._whole(200, json.dumps(WHOLE).encode())

    def play_status(self, rest):
        status, _, kind = rest.partition("-")
        if kind == "html":
            self._whole(int(status), b"<html><title>no</title></html>", "text/html", {"Retry-After": "7"})
            return
        error = {"error": {"message": f"no {status}", "type": "t", "param": None, "code": "c"}}
        self._whole(int(status), json.dumps(error).encode(), headers={"Retry-After": "7", "Set-Cookie": "a=b"})

    def play_redirect(self, _):
        self._whole(307, b"", headers={"Location": f"{self.server.base}/elsewhere"})

    def play_echo_key(self, _):
        error = {"error": {"message": f"wrong {self.headers['Authorization']}", "type": "t"}}
        self._whole(401, json.dumps(error).encode())

    def _whole(self, status, body, kind="application/json", headers=()):
        self.send_response(status)
        for name, value in {**dict(headers), "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, parts, end="clean", kind="text/event-stream"):
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("x-request-id", "r1")
        self.end_headers()
        for part in parts:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
            self.wfile.flush()
        self.close_connection = True
        if end == "clean":
            self.wfile.write(b"0\r\n\r\n")
        elif end == "reset":
            # What was sent must have been read: a reset throws away what still lies in buffers.
            time.sleep(0.1)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        elif end == "stall":
            self._await_leaving()

    def _await_leaving(self):
        """Send nothing; note when the other end has gone."""
        self.close_connection = True
        self.server.go_on.set()
        with contextlib.suppress(OSError):
            self.connection.recv(1)
        self.server.left.append(time.monotonic())


if __name__ == "__main__":
    # For tests in other languages: its address on a line, and it goes when nobody is there any more.
    played = Upstream()
    print(json.dumps({"base": played.base}), flush=True)  # noqa: T201
    sys.stdin.read()
    played.close()
