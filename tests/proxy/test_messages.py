"""Anthropic's API with its official client against the real server: evidence, and every other byte as it was."""

import json

import httpx
import pytest

from helix_ls.proxy.bodies import PlacedBlock, parse_body
from helix_ls.proxy.dialects import MESSAGES
from helix_ls.proxy.evidence import KNOWN_EMPTY
from tests.proxy.anthropic_api import BROKEN, STREAMS, TEXT, TOOL, fault
from tests.proxy.conftest import UPSTREAM_KEY

QUESTION = "where are session cookies signed?"
TOOLS = [{"name": "Read", "description": "Read a file", "input_schema": {"type": "object"}}]
MARK = {"type": "ephemeral"}
PNG = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}


@pytest.fixture
def client(server, anthropic):
    """The official client, that sends its key as x-api-key."""
    with anthropic.Anthropic(base_url=server.url, api_key=server.key, max_retries=0, timeout=60) as made:
        yield made


def ask(client, messages, model="claude", **more):
    return client.messages.create(model=model, max_tokens=100, messages=messages, **more)


def block_of(message):
    """The evidence in a message that was sent."""
    [found] = [part for part in message["content"] if "=== helix" in part.get("text", "")]
    return found


def test_evidence_comes_before_a_question_and_the_rest_is_as_sent(client, upstream):
    answer = client.messages.with_raw_response.create(
        model="claude",
        max_tokens=100,
        system=[{"type": "text", "text": "Be short.", "cache_control": MARK}],
        messages=[{"role": "user", "content": QUESTION}],
    )
    assert answer.headers["x-helix-context"] == "added"
    assert answer.parse().content[0].text == "".join(TEXT)
    [(path, headers, body)] = upstream.asked
    sent = json.loads(body)
    assert path == "/v1/messages"
    assert headers["anthropic-version"] == client.default_headers["anthropic-version"]
    assert headers["Authorization"] == f"Bearer {UPSTREAM_KEY}"
    evidence, asked = sent["messages"][0]["content"]
    assert "def sign_cookie" in evidence["text"]
    assert asked == {"type": "text", "text": QUESTION}
    assert sent["system"] == [{"type": "text", "text": "Be short.", "cache_control": MARK}]


def test_good_streams_arrive_byte_for_byte(server, upstream, client):
    for model, parts in STREAMS.items():
        body = {"model": model, "max_tokens": 9, "stream": True, "messages": [{"role": "user", "content": QUESTION}]}
        with server.http() as http:
            answer = http.post("/v1/messages", json=body, headers={"anthropic-version": "2023-06-01"})
        assert answer.content == b"".join(parts), model
        with client.messages.stream(
            model=model, max_tokens=9, messages=[{"role": "user", "content": QUESTION}]
        ) as stream:
            assert stream.get_final_message().stop_reason == ("tool_use" if model == "claude-tool" else "end_turn")


@pytest.mark.parametrize("model", BROKEN)
def test_a_stream_that_breaks_off_is_an_error_and_never_an_end(client, server, model, anthropic):
    with (
        pytest.raises(anthropic.APIStatusError) as caught,
        client.messages.stream(model=model, max_tokens=9, messages=[{"role": "user", "content": QUESTION}]) as stream,
    ):
        stream.get_final_message()
    assert ("Overloaded" if model == "claude-failing" else "ask again") in str(caught.value)
    body = {"model": model, "max_tokens": 9, "stream": True, "messages": [{"role": "user", "content": QUESTION}]}
    with server.http() as http:
        said = http.post("/v1/messages", json=body, headers={"anthropic-version": "2023-06-01"}).text
    assert said.count("event: error\n") == 1
    assert "message_stop" not in said and "[DONE]" not in said


def test_a_tool_loop_keeps_its_evidence_and_results_come_first(client, upstream):
    turns = [{"role": "user", "content": [{"type": "text", "text": QUESTION, "cache_control": MARK}]}]
    ask(client, turns, "claude-tool", tools=TOOLS)
    call = {"role": "assistant", "content": [{"type": "thinking", "thinking": "a", "signature": "b"}, TOOL]}
    result = {"type": "tool_result", "tool_use_id": TOOL["id"], "content": [{"type": "text", "text": "def a(): ..."}]}
    turns += [call, {"role": "user", "content": [result]}]
    ask(client, turns, tools=TOOLS)
    first, second = (json.loads(body)["messages"] for _, _, body in upstream.asked)
    assert second[0] == first[0]
    assert first[0]["content"][-1] == {"type": "text", "text": QUESTION, "cache_control": MARK}
    assert second[1:] == turns[1:]
    later = {"type": "text", "text": "and where is sign_cookie tested?"}
    ask(client, [*turns[:2], {"role": "user", "content": [result, later]}], tools=TOOLS)
    third = json.loads(upstream.asked[-1][2])["messages"]
    assert third[0] == first[0]
    assert third[2]["content"][0] == result
    assert third[2]["content"][-1] == later


def test_an_image_a_document_and_unknown_blocks_stay_as_they_are(client, upstream):
    blocks = [
        {"type": "image", "source": PNG},
        {"type": "text", "text": "<system-reminder>be kind</system-reminder>", "cache_control": MARK},
        {"type": "text", "text": QUESTION},
        {"type": "hologram", "depth": 1.5},
    ]
    ask(client, [{"role": "user", "content": blocks}])
    sent = json.loads(upstream.asked[-1][2])["messages"][0]["content"]
    assert [one for one in sent if "=== helix" not in one.get("text", "")] == blocks
    assert "=== helix" in sent[2]["text"]


def test_a_system_turn_in_the_middle_stays_where_it_is(client, upstream):
    turns = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hi"},
        {"role": "system", "content": "Plan mode is on."},
        {"role": "user", "content": QUESTION},
    ]
    ask(client, turns)
    sent = json.loads(upstream.asked[-1][2])["messages"]
    assert sent[:3] == turns[:3]
    assert "def sign_cookie" in block_of(sent[3])["text"]


def test_counting_tokens_passes_unchanged(client, upstream):
    assert client.messages.count_tokens(model="claude", messages=[{"role": "user", "content": QUESTION}]).input_tokens
    path, _, body = upstream.asked[-1]
    assert path == "/v1/messages/count_tokens"
    assert json.loads(body)["messages"] == [{"role": "user", "content": QUESTION}]


def test_headers_and_query_of_betas_are_passed_on(client, upstream):
    client.beta.messages.create(
        model="claude",
        max_tokens=9,
        messages=[{"role": "user", "content": "thanks!"}],
        betas=["files-api-2025-04-14"],
        extra_query={"beta": "true", "key": "secret-word"},
    )
    path, headers, body = upstream.asked[-1]
    assert path == "/v1/messages?beta=true"
    assert headers["anthropic-beta"] == "files-api-2025-04-14"
    assert json.loads(body)["messages"] == [{"role": "user", "content": "thanks!"}]


def test_errors_are_in_the_shape_that_the_client_reads(client, server, anthropic):
    with pytest.raises(anthropic.APIStatusError) as caught:
        ask(client, [{"role": "user", "content": QUESTION}], "claude-overloaded")
    assert (caught.value.status_code, caught.value.response.headers["retry-after"]) == (529, "7")
    assert caught.value.response.json()["request_id"] == "req_1"
    with pytest.raises(anthropic.APIStatusError) as caught:
        ask(client, [{"role": "user", "content": QUESTION}], "claude-gateway")
    assert caught.value.status_code == 502
    assert caught.value.response.json()["error"]["type"] == "api_error"
    with pytest.raises(anthropic.BadRequestError) as caught:
        ask(client, [])
    assert "at least one message" in str(caught.value)
    with (
        pytest.raises(anthropic.AuthenticationError) as caught,
        anthropic.Anthropic(base_url=server.url, api_key="wrong", max_retries=0) as other,
    ):
        ask(other, [{"role": "user", "content": QUESTION}])
    assert caught.value.response.json()["error"]["type"] == "authentication_error"
    with server.http() as http:
        sent = b'{"messages":[],"messages":[]}'
        answer = http.post("/v1/messages", content=sent, headers={"Content-Type": "application/json"})
        assert (answer.status_code, answer.json()["type"]) == (400, "error")
        assert "twice" in answer.json()["error"]["message"]


def test_no_key_reaches_the_other_side(client, upstream, server, anthropic):
    with pytest.raises(anthropic.AuthenticationError) as caught:
        ask(client, [{"role": "user", "content": QUESTION}], "claude-key")
    assert "invalid Bearer [key] None" in caught.value.response.json()["error"]["message"]
    assert server.key not in json.dumps([headers for _, headers, _ in upstream.asked])


def test_a_key_as_bearer_is_taken_too_and_the_admin_routes_take_no_x_api_key(server, upstream, anthropic):
    with anthropic.Anthropic(base_url=server.url, auth_token=server.key, api_key=None, max_retries=0) as client:
        assert ask(client, [{"role": "user", "content": "thanks!"}]).content
    assert httpx.get(f"{server.url}/stats", headers={"x-api-key": server.key}).status_code == 401
    assert httpx.post(f"{server.url}/ingest", json={}, headers={"x-api-key": server.admin_key}).status_code == 401


def test_langchain_gets_evidence_and_its_stream(server, upstream):
    langchain = pytest.importorskip("langchain_anthropic")
    model = langchain.ChatAnthropic(model="claude", base_url=server.url, api_key=server.key, max_retries=0)
    assert "".join(str(part.text) for part in model.stream(QUESTION)) == "".join(TEXT)
    assert "def sign_cookie" in block_of(json.loads(upstream.asked[-1][2])["messages"][0])["text"]


def test_a_question_that_is_not_answered_here_gets_one_line(client, upstream):
    asked = "where do we configure the kubernetes ingress controller?"
    ask(client, [{"role": "user", "content": asked}])
    assert json.loads(upstream.asked[-1][2])["messages"][0]["content"] == [
        {"type": "text", "text": KNOWN_EMPTY},
        {"type": "text", "text": asked},
    ]


RESULT = '{"type":"tool_result","tool_use_id":"t1","content":"x"}'


@pytest.mark.parametrize(
    ("content", "becomes"),
    [
        ('"\\u00e9 why?"', '[{"type": "text", "text": "b"},{"type":"text","text":"\\u00e9 why?"}]'),
        ('[{"type":"text","text":"why?"}]', '[{"type": "text", "text": "b"},{"type":"text","text":"why?"}]'),
        (f"[ {RESULT} ]", f'[ {RESULT},{{"type": "text", "text": "b"}} ]'),
        (
            f'[{RESULT}, {{"text":"why?","type":"text"}} ]',
            f'[{RESULT}, {{"type": "text", "text": "b"}},{{"text":"why?","type":"text"}} ]',
        ),
        (
            f'[{{"type":"text","text":"why?"}},{RESULT},{RESULT}]',
            f'[{{"type":"text","text":"why?"}},{RESULT},{RESULT},{{"type": "text", "text": "b"}}]',
        ),
        ("[]", '[{"type": "text", "text": "b"}]'),
    ],
)
def test_a_block_goes_behind_every_result_and_before_the_text_that_asks(content, becomes):
    sent = f'{{"messages" : [ {{"x":1.50e3,"role":"user", "content" : {content} }} ],"system":"s"}}'
    body = parse_body(sent.encode(), MESSAGES)
    got = body.with_blocks([PlacedBlock(0, 0, "b")])
    assert got.decode() == sent.replace(content, becomes, 1)
    json.loads(got)


def test_the_scripted_upstream_refuses_what_the_api_refuses():
    version = {"anthropic-version": "2023-06-01"}
    use, text = {"type": "tool_use", "id": "t1"}, {"type": "text", "text": "a"}
    result = {"type": "tool_result", "tool_use_id": "t1"}
    turns = [{"role": "user", "content": "a"}, {"role": "assistant", "content": [use]}]
    assert not fault(version, {"messages": [*turns, {"role": "user", "content": [result, text]}]})
    assert "immediately after" in fault(version, {"messages": [*turns, {"role": "user", "content": [text, result]}]})
    marked = {"type": "text", "text": "a", "cache_control": MARK}
    assert "maximum of 4" in fault(version, {"messages": [{"role": "user", "content": [marked] * 5}]})
