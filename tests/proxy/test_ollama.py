"""What Ollama is documented to send comes through to the byte, and the official client reads it as from itself."""

import json

import pytest

from tests.proxy import ollama

ASK = [{"role": "user", "content": "where are session cookies signed?"}]
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}]


def frames(**asked):
    return [json.loads(frame[6:]) for frame in ollama.stream(asked)[:-1]]


def test_the_script_is_the_documented_stream():
    plain, tool, usage = frames(), frames(tools=TOOLS), frames(stream_options={"include_usage": True})
    for stream in (plain, tool, usage):
        assert {frame["created"] for frame in stream} == {ollama.CREATED}
        assert {frame["system_fingerprint"] for frame in stream} == {"fp_ollama"}
        deltas = [choice["delta"] for frame in stream for choice in frame["choices"]]
        assert [("role" in delta) for delta in deltas] == [True] + [False] * (len(deltas) - 1)
        assert not any(delta.get("reasoning") and delta.get("content") for delta in deltas)
        assert deltas[-1] == {}
    assert all("usage" not in frame for frame in plain + tool + usage[:-1])
    assert (usage[-1]["choices"], usage[-1]["usage"]) == ([], ollama.USAGE)
    [call] = [each for frame in tool for each in (frame["choices"][0]["delta"].get("tool_calls") or ())]
    assert json.loads(call["function"]["arguments"]) == {"city": "Brno"}
    assert tool[-1]["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize(
    "more", [{}, {"tools": TOOLS}, {"stream_options": {"include_usage": True}}], ids=["plain", "tools", "usage"]
)
def test_its_stream_comes_through_to_the_byte_and_reads_as_from_itself(server, upstream, more, openai):
    asked = {"model": "ollama:qwen3", "messages": ASK, "stream": True, **more}
    with server.http() as client:
        answer = client.post("/v1/chat/completions", json=asked)
    assert answer.content == b"".join(ollama.stream(asked))
    assert answer.headers["x-helix-context"] == "added"
    with openai.OpenAI(base_url=upstream.base, api_key="k", max_retries=0) as direct:
        said = [
            [chunk.model_dump() for chunk in client.chat.completions.create(**asked)]
            for client in (direct, server.client())
        ]
    assert said[0] == said[1]


def test_one_piece_and_its_refusals_come_through_too(server, openai):
    answer = server.client().chat.completions.create(model="ollama:qwen3", messages=ASK)
    assert answer.choices[0].message.reasoning == "The user asks."
    assert answer.usage.total_tokens == 34
    with pytest.raises(openai.BadRequestError) as caught:
        server.client().chat.completions.create(model="ollama:qwen3", messages=[])
    assert caught.value.response.json()["error"]["type"] == "invalid_request_error"
