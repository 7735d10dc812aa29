"""Every dialect by the same rules: bytes stay as sent, and an answer that breaks off is never called complete. Pure."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.conversation import read_conversation
from helix_ls.proxy.bodies import PlacedBlock, parse_body
from helix_ls.proxy.dialects import CHAT, DIALECTS, MESSAGES, OLLAMA_CHAT, OLLAMA_GENERATE, RESPONSES
from helix_ls.proxy.question import place_for
from helix_ls.proxy.stream import CompletionRecorder, Stream
from tests.proxy import anthropic_api, ollama_api, responses_api, upstream

GOOD = {
    "chat": (CHAT, upstream.GOOD),
    "messages": (MESSAGES, anthropic_api.GOOD),
    "messages-tool": (MESSAGES, anthropic_api.STREAMS["claude-tool"]),
    "responses": (RESPONSES, responses_api.GOOD),
    "responses-tool": (RESPONSES, responses_api.STREAMS["gpt-tool"]),
    "ollama": (OLLAMA_CHAT, ollama_api.chat_lines()),
    "ollama-generate": (OLLAMA_GENERATE, ollama_api.generate_lines()),
}
TEXTS = st.text(max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
PARTS = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "input_text", "image", "tool_result", "odd"]), "text": TEXTS}
    )
    | st.dictionaries(TEXTS, VALUES, max_size=3),
    max_size=4,
)
TURNS = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": TEXTS | PARTS}),
    min_size=1,
    max_size=5,
)


def body_of(dialect, turns, more):
    """A body of this dialect, and how many turns it has."""
    if dialect.items == "prompt":
        return {**more, "prompt": str(turns[0]["content"])}, 1
    return {**more, dialect.items: turns}, len(turns)


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda one: one.route)
@given(turns=TURNS, more=st.dictionaries(st.sampled_from(["a", "é", "tools", "system"]), VALUES), data=st.data())
def test_a_body_with_blocks_is_the_body_as_it_was_and_the_blocks(dialect, turns, more, data):
    asked, count = body_of(dialect, turns, more)
    sent = json.dumps(asked, ensure_ascii=data.draw(st.booleans()), indent=data.draw(st.sampled_from([None, 1])))
    body = parse_body(sent.encode(), dialect)
    assert len(body.messages) == len(body.starts) == count
    places = sorted(data.draw(st.sets(st.integers(0, count - 1), max_size=3)))
    blocks = [PlacedBlock(at, at, f"<block {at}>\n") for at in places]
    for joined in (False, True):
        got = body.with_blocks(blocks, joined=joined).decode()
        read = json.loads(got)
        assert {name: read[name] for name in more} == more
        assert all(got.count(f"<block {at}>") == 1 for at in places)
        # What is left when the insertions are taken out again is what was sent, in its order.
        assert is_subsequence(sent, got)


def is_subsequence(inner, outer):
    """Whether the first text is the second one with something left out."""
    rest = iter(outer)
    return all(char in rest for char in inner)


ENDS = {"chat": b"[DONE]", "messages": b"message_stop", "responses": b"response.completed", "ollama": b'"done":true'}


@pytest.mark.parametrize("name", GOOD)
def test_an_answer_is_complete_from_its_last_event_on_and_nowhere_before(name):
    dialect, parts = GOOD[name]
    data = b"".join(parts)
    end = data.index(b"\n", data.rindex(ENDS[dialect.name])) + (1 if dialect.name == "ollama" else 2)
    for cut in {*range(0, len(data), 1 + len(data) // 500), *range(end - 3, len(data) + 1)}:
        stream = Stream(dialect=dialect)
        said = stream.feed(data[:cut])
        rest = stream.end("the upstream broke the connection")
        assert (stream.outcome == "complete") == (cut >= end), cut
        assert data.startswith(said) and (b"ask again" in rest) == (cut < end), cut


@pytest.mark.parametrize("name", GOOD)
def test_a_stream_in_any_pieces_is_the_same_stream_and_says_the_same(name):
    dialect, parts = GOOD[name]
    data, said = b"".join(parts), set()
    for size in (1, 7, len(data)):
        recorder = CompletionRecorder(dialect)
        stream = Stream(on_event=recorder.chunk, dialect=dialect)
        out = b"".join(stream.feed(data[at : at + size]) for at in range(0, len(data), size)) + stream.end()
        assert (out, stream.outcome) == (data, "complete")
        said.add((recorder.text, recorder.finish))
    [(text, finish)] = said
    is_call = name.endswith("tool")
    assert (bool(text), finish) == ((False, "tool_calls") if is_call else (True, "stop"))


@pytest.mark.parametrize(
    "whole", [anthropic_api.whole("claude"), responses_api.whole("gpt")], ids=["messages", "responses"]
)
def test_an_answer_in_one_piece_says_what_its_stream_says(whole):
    dialect = MESSAGES if "stop_reason" in whole else RESPONSES
    recorder = CompletionRecorder(dialect)
    recorder.whole(whole)
    assert (recorder.text, recorder.finish) == ("Cookies are signed in `sign_cookie`.", "stop")


def test_a_key_in_an_error_event_is_hidden_in_every_dialect():
    errors = {
        CHAT: b'data: {"error":{"message":"bad sk-4711"}}\n\n',
        MESSAGES: b'event: error\ndata: {"type":"error","error":{"message":"bad sk-4711"}}\n\n',
        RESPONSES: b'event: error\ndata: {"type":"error","message":"bad sk-4711"}\n\n',
        OLLAMA_CHAT: b'{"error":"bad sk-4711"}\n',
    }
    for dialect, event in errors.items():
        stream = Stream("sk-4711", dialect=dialect)
        out = stream.feed(event) + stream.end()
        assert stream.outcome == "failed" and b"bad [key]" in out and b"4711" not in out


CALL = {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"path": "src/cookie.py", "old": "x" * 50}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "def sign(): ..."}]}
ASKED = "and where is it tested?"


@pytest.mark.parametrize(
    ("dialect", "turns"),
    [
        (
            MESSAGES,
            [
                {"role": "user", "content": "where is `sign_cookie` defined?"},
                {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, CALL]},
                {"role": "user", "content": [RESULT]},
                {"role": "assistant", "content": [{"type": "text", "text": "In src/cookie.py."}]},
                {"role": "user", "content": [{"type": "text", "text": ASKED}]},
            ],
        ),
        (
            RESPONSES,
            [
                {"role": "user", "content": [{"type": "input_text", "text": "where is `sign_cookie` defined?"}]},
                {"type": "function_call", "call_id": "t1", "name": "edit", "arguments": '{"path":"src/cookie.py"}'},
                {"type": "function_call_output", "call_id": "t1", "output": "def sign(): ..."},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Here."}]},
                {"role": "user", "content": ASKED},
            ],
        ),
    ],
    ids=["messages", "responses"],
)
def test_a_follow_up_is_read_with_the_files_and_names_of_the_turns_before_it(dialect, turns):
    body = parse_body(json.dumps({dialect.items: turns}).encode(), dialect)
    asked = read_conversation(body.messages)
    assert asked.index == 4
    assert "src/cookie.py" in asked.files
    assert "sign_cookie" in " ".join(asked.carried)
    assert not dialect.is_separate or place_for(body.messages, asked.index) == 4


def test_of_a_member_given_twice_the_one_that_is_read_gets_the_block():
    sent = '{"messages":[{"role":"user","content":"old","content":"why?"}]}'
    read = json.loads(parse_body(sent.encode(), MESSAGES).with_blocks([PlacedBlock(0, 0, "b")]))
    assert [one["text"] for one in read["messages"][0]["content"]] == ["b", "why?"]
