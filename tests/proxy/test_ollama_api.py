"""Ollama's own API with its official client against the real server process."""

import json

import httpx
import pytest

from helix_ls.proxy.bodies import PlacedBlock, parse_body
from helix_ls.proxy.dialects import OLLAMA_CHAT, OLLAMA_GENERATE
from tests.proxy.ollama_api import CALL, WORDS, chat_lines, generate_lines

QUESTION = "where are session cookies signed?"
ASK = [{"role": "user", "content": QUESTION}]


@pytest.fixture
def client(server, ollama):
    """The official client; it sends its key as Bearer, from OLLAMA_API_KEY or as here."""
    with ollama.Client(host=server.url, headers={"Authorization": f"Bearer {server.key}"}, trust_env=False) as made:
        yield made


def sent(upstream):
    return json.loads(upstream.asked[-1][2])


def test_a_chat_gets_evidence_and_streams_by_default(server, client, upstream):
    said = "".join(part.message.content for part in client.chat("qwen3:4b", ASK, stream=True))
    assert said == "".join(WORDS)
    path, _, _ = upstream.asked[-1]
    assert path == "/api/chat"
    evidence, asked = sent(upstream)["messages"]
    assert "def sign_cookie" in evidence["content"]
    assert asked == ASK[0]
    for model in ("qwen3:4b", "bytes"):
        with server.http() as http:
            answer = http.post("/api/chat", json={"model": model, "messages": ASK})
        assert answer.content == b"".join(chat_lines())
        assert answer.headers["content-type"] == "application/x-ndjson"
    assert client.chat("qwen3:4b", ASK).message.content == "".join(WORDS)


def test_a_prompt_gets_evidence_and_code_to_complete_gets_none(client, upstream):
    assert client.generate("qwen3:4b", QUESTION).response == "".join(WORDS)
    prompt = sent(upstream)["prompt"]
    assert prompt.startswith("=== helix") or "=== helix" in prompt
    assert prompt.endswith(f"\n\n{QUESTION}") and "def sign_cookie" in prompt
    assert "".join(part.response for part in client.generate("bytes", QUESTION, stream=True)) == "".join(WORDS)
    for more in ({"suffix": "return value"}, {"raw": True}):
        client.generate("qwen3:4b", QUESTION, **more)
        assert sent(upstream)["prompt"] == QUESTION


def test_a_tool_loop_keeps_its_evidence(client, upstream):
    turns = list(ASK)
    answer = client.chat("tool", turns, tools=[])
    turns += [{"role": "assistant", "content": "", "tool_calls": [CALL]}]
    turns += [{"role": "tool", "tool_name": "read", "content": "def sign_cookie(): ..."}]
    first = sent(upstream)["messages"]
    client.chat("qwen3:4b", turns)
    second = sent(upstream)["messages"]
    assert second[: len(first)] == first
    assert [one["role"] for one in second] == ["user", "user", "assistant", "tool"]
    assert answer.done


def test_lists_and_vectors_pass_through(client, upstream):
    assert client.list().models[0].model == "qwen3:4b"
    assert client.show("qwen3:4b").capabilities == ["completion", "tools"]
    assert client.embed("qwen3:4b", "a").embeddings[0][0] == 0.25
    assert client.ps().models == []
    assert [path for path, _, _ in upstream.asked] == ["/api/tags", "/api/show", "/api/embed", "/api/ps"]


@pytest.mark.parametrize(
    ("model", "said"), [("cut", "ask again"), ("short", "ask again"), ("junk", "ask again"), ("failing", "ran away")]
)
def test_a_stream_that_breaks_off_is_an_error_and_never_done(server, client, model, said, ollama):
    with pytest.raises(ollama.ResponseError, match=said):
        list(client.chat(model, ASK, stream=True))
    with server.http() as http:
        lines = http.post("/api/chat", json={"model": model, "messages": ASK}).text.splitlines()
    assert [json.loads(line).get("done", "error") for line in lines] == [False, "error"]


def test_errors_are_in_the_shape_that_the_client_reads(server, client, ollama):
    with pytest.raises(ollama.ResponseError, match="'missing' not found") as caught:
        client.chat("missing", ASK)
    assert caught.value.status_code == 404
    with (
        ollama.Client(host=server.url, trust_env=False) as keyless,
        pytest.raises(ollama.ResponseError, match="the key is missing or wrong"),
    ):
        keyless.chat("qwen3:4b", ASK)
    assert httpx.get(f"{server.url}/api/tags", headers={"x-api-key": server.key}).status_code == 401
    with server.http() as http:
        said = http.post("/api/chat", content=b"[]", headers={"Content-Type": "application/json"})
        assert (said.status_code, list(said.json())) == (400, ["error"])


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_last_line_without_its_end_is_read_too(end):
    from helix_ls.proxy.stream import Stream

    data = b"".join(generate_lines()).rstrip(b"\n") + end
    stream = Stream(dialect=OLLAMA_GENERATE)
    assert (stream.feed(data) + stream.end()).rstrip(b"\n") == data.rstrip(b"\n")
    assert stream.outcome == "complete"


def test_every_byte_but_the_block_is_as_sent():
    given = '{"options":{"x":1.50e3}, "messages" : [ {"content":"\\u00e9?","images":["aGk="],"role":"user"} ]}'
    body = parse_body(given.encode(), OLLAMA_CHAT)
    block = '{"role": "user", "content": "b"},'
    assert body.with_blocks([PlacedBlock(0, 0, "b")]).decode() == given.replace("[ {", f"[ {block}{{", 1)
    given = '{"prompt" : "\\u00e9?", "x":1.50}'
    body = parse_body(given.encode(), OLLAMA_GENERATE)
    assert body.with_blocks([PlacedBlock(0, 0, 'b"')]).decode() == given.replace('"\\u', '"b\\"\\n\\n\\u', 1)
