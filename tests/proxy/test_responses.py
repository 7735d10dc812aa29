"""OpenAI's responses with the official client against the real server process."""

import json

import pytest

from helix_ls.proxy.bodies import PlacedBlock, parse_body
from helix_ls.proxy.dialects import RESPONSES
from helix_ls.proxy.question import place_for
from tests.proxy.responses_api import BROKEN, CALL, STREAMS, TEXT, THOUGHT, fault

QUESTION = "where are session cookies signed?"
TOOLS = [{"type": "function", "name": "read", "parameters": {"type": "object"}, "strict": False}]


def sent_items(upstream, at=-1):
    return json.loads(upstream.asked[at][2])["input"]


def is_evidence(item):
    content = item.get("content")
    return isinstance(content, list) and "=== helix" in str(content[0].get("text"))


def test_evidence_comes_before_a_question_that_is_one_text(server, upstream):
    answer = server.client().responses.with_raw_response.create(
        model="gpt", input=QUESTION, instructions="Be short.", previous_response_id="resp_0", store=False
    )
    assert answer.headers["x-helix-context"] == "added"
    assert answer.parse().output_text == "".join(TEXT)
    [(path, _, body)] = upstream.asked
    sent = json.loads(body)
    assert path == "/v1/responses"
    evidence, asked = sent["input"]
    assert is_evidence(evidence) and "def sign_cookie" in evidence["content"][0]["text"]
    assert asked == {"type": "message", "role": "user", "content": QUESTION}
    assert (sent["instructions"], sent["previous_response_id"], sent["store"]) == ("Be short.", "resp_0", False)


def test_good_streams_arrive_byte_for_byte(server):
    for model, parts in STREAMS.items():
        with server.http() as http:
            answer = http.post("/v1/responses", json={"model": model, "input": QUESTION, "stream": True})
        assert answer.content == b"".join(parts), model
    with server.client().responses.stream(model="gpt", input=QUESTION) as stream:
        for _ in stream:
            pass
        assert stream.get_final_response().output_text == "".join(TEXT)
    with server.client().responses.create(model="gpt-limit", input=QUESTION, stream=True) as events:
        assert [one.type for one in events][-1] == "response.incomplete"
    with server.client().responses.create(model="gpt-failing", input=QUESTION, stream=True) as events:
        assert [one.type for one in events][-1] == "response.failed"


@pytest.mark.parametrize("model", BROKEN)
def test_a_stream_that_breaks_off_is_an_error_and_never_completed(server, model, openai):
    with (
        pytest.raises(openai.APIError, match="ask again"),
        server.client().responses.create(model=model, input=QUESTION, stream=True) as events,
    ):
        for one in events:
            assert one.type != "response.completed"
    with server.http() as http:
        said = http.post("/v1/responses", json={"model": model, "input": QUESTION, "stream": True}).text
    assert said.count("event: error\n") == 1 and "[DONE]" not in said
    last = json.loads(said.rpartition("data: ")[2])
    numbers = [json.loads(line[6:])["sequence_number"] for line in said.splitlines() if line.startswith('data: {"')]
    assert (last["code"], numbers) == ("upstream_incomplete", list(range(len(numbers))))


def test_a_tool_loop_with_reasoning_keeps_its_evidence_and_its_order(server, upstream):
    client = server.client()
    turns = [{"role": "user", "content": [{"type": "input_text", "text": QUESTION}]}]
    client.responses.create(model="gpt-tool", input=turns, tools=TOOLS)
    output = {"type": "function_call_output", "call_id": CALL["call_id"], "output": "def sign_cookie(): ..."}
    turns += [THOUGHT, CALL, output]
    client.responses.create(model="gpt", input=turns, tools=TOOLS)
    first, second = sent_items(upstream, 0), sent_items(upstream)
    assert second[: len(first)] == first
    assert [one for one in second if not is_evidence(one)] == turns
    turns += [
        {"role": "assistant", "content": "".join(TEXT)},
        {"role": "user", "content": "where is sign_cookie tested?"},
    ]
    client.responses.create(model="gpt", input=turns, tools=TOOLS)
    third = sent_items(upstream)
    assert third[: len(second)] == second
    assert [one for one in third if not is_evidence(one)] == turns


def test_a_question_in_the_middle_of_tool_calls_never_parts_a_thought_from_its_call(server, upstream):
    output = {"type": "function_call_output", "call_id": CALL["call_id"], "output": "x"}
    turns = [{"role": "user", "content": "hello"}, THOUGHT, CALL, {"role": "user", "content": QUESTION}, output]
    server.client().responses.create(model="gpt", input=turns)
    sent = sent_items(upstream)
    assert [is_evidence(one) for one in sent].index(True) == 1
    assert [one for one in sent if not is_evidence(one)] == turns
    messages = parse_body(json.dumps({"input": turns}).encode(), RESPONSES).messages
    assert place_for(messages, 3) == 1


def test_unknown_items_and_images_stay_as_they_are(server, upstream):
    turns = [
        {"type": "item_reference", "id": "msg_0"},
        {"type": "hologram", "depth": 1.5},
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="},
                {"type": "input_text", "text": QUESTION},
            ],
        },
    ]
    server.client().responses.create(model="gpt", input=turns)
    sent = sent_items(upstream)
    assert [one for one in sent if not is_evidence(one)] == turns
    assert is_evidence(sent[2])


def test_errors_keep_status_shape_and_time_to_retry(server, openai):
    with pytest.raises(openai.InternalServerError) as caught:
        server.client().responses.create(model="gpt-busy", input=QUESTION)
    assert (caught.value.status_code, caught.value.response.headers["retry-after"]) == (503, "7")
    with pytest.raises(openai.BadRequestError, match="No tool output"):
        server.client().responses.create(model="gpt", input=[CALL])


def test_a_kept_response_is_fetched_ended_and_forgotten(server, upstream):
    client = server.client()
    assert client.responses.retrieve("resp_1", include=["reasoning.encrypted_content"]).output_text == "".join(TEXT)
    assert client.responses.cancel("resp_1").id == "resp_1"
    client.responses.delete("resp_1")
    paths = [path for path, _, _ in upstream.asked]
    assert paths[0].startswith("/v1/responses/resp_1?include")
    assert paths[1:] == ["/v1/responses/resp_1/cancel", "/v1/responses/resp_1"]
    with server.http() as http:
        assert http.get("/v1/responses/..").status_code == 404
        assert http.get("/v1/responses/%2e%2e%2fmodels").status_code == 404


def test_langchain_asks_by_responses_too(server, upstream):
    langchain = pytest.importorskip("langchain_openai")
    model = langchain.ChatOpenAI(
        model="gpt", base_url=server.connected["base_url"], api_key=server.key, use_responses_api=True, max_retries=0
    )
    assert model.invoke(QUESTION).text == "".join(TEXT)
    assert upstream.asked[-1][0] == "/v1/responses"
    assert any(map(is_evidence, sent_items(upstream)))


EVIDENCE = '{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "b"}]}'
ASKS = '{"type":"message","role":"user","content":'


@pytest.mark.parametrize(
    ("given", "separate", "joined"),
    [
        ('"\\u00e9?"', f'[{EVIDENCE},{ASKS}"\\u00e9?"}}]', '"b\\n\\n\\u00e9?"'),
        (
            '[ {"role":"user","content":"\\u00e9?"}]',
            f'[ {EVIDENCE},{{"role":"user","content":"\\u00e9?"}}]',
            '[ {"role":"user","content":"b\\n\\n\\u00e9?"}]',
        ),
        (
            '[{"content":[{"type":"input_text","text":"q"}],"role":"user"}]',
            f'[{EVIDENCE},{{"content":[{{"type":"input_text","text":"q"}}],"role":"user"}}]',
            '[{"content":[{"type": "input_text", "text": "b"},{"type":"input_text","text":"q"}],"role":"user"}]',
        ),
    ],
)
def test_every_byte_but_the_block_is_as_sent(given, separate, joined):
    sent = f'{{"x":1.50e3, "input" : {given} ,"stream":false}}'
    body = parse_body(sent.encode(), RESPONSES)
    assert body.with_blocks([PlacedBlock(0, 0, "b")]).decode() == sent.replace(given, separate, 1)
    assert body.with_blocks([PlacedBlock(0, 0, "b")], joined=True).decode() == sent.replace(given, joined, 1)


def test_the_scripted_upstream_refuses_what_the_api_refuses():
    output = {"type": "function_call_output", "call_id": CALL["call_id"], "output": "x"}
    assert not fault({"input": [THOUGHT, CALL, output]})
    assert "reasoning" in fault({"input": [THOUGHT, {"role": "user", "type": "message", "content": "a"}, CALL, output]})
