"""What counts as the question, where its evidence goes, and that nothing else of the body changes."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.conversation.messages import MAX_QUESTION, own_words, shortened
from helix_ls.proxy.bodies import PlacedBlock, parse_body, read_body
from helix_ls.proxy.question import last_question, place_for
from helix_ls.proxy.refused import HttpError

BLOCK = {"role": "user", "content": "evidence ž \u2028 \ud800"}


def user(content):
    return {"role": "user", "content": content}


def call(*ids):
    return {"role": "assistant", "content": None, "tool_calls": [{"id": each, "type": "function"} for each in ids]}


def result(id):
    return {"role": "tool", "tool_call_id": id, "content": "done"}


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("why?", "why?"),
        ("<environment_info>\nLinux\n</environment_info>\n<workspace_info>a/</workspace_info>", ""),
        ("<context>\nopen: a.py\n</context>\n<userRequest>\nwhy is b?\n</userRequest>", "why is b?"),
        ("<context>open: a.py</context>\nwhy is b?", "why is b?"),
        ("<task>\nfix the cookie\n</task>\n<environment_details>now</environment_details>", "fix the cookie"),
        ("<system-reminder>be brief</system-reminder>\nwhy?", "why?"),
        ("[read_file for 'a.py'] Result:\nx = 1", ""),
        ("why is <div>a</div> not centred?", "why is <div>a</div> not centred?"),
        ("<div>a</div>", "<div>a</div>"),
        ("if a <b and c> d", "if a <b and c> d"),
        ("<context>never closed", "<context>never closed"),
    ],
)
def test_the_users_own_words_are_found_among_what_editors_tell(text, question):
    assert own_words(text) == question


def test_the_last_real_question_is_taken_not_the_workspace_information_after_it():
    messages = [
        {"role": "system", "content": "s"},
        user("first question"),
        {"role": "assistant", "content": "a"},
        user("where are cookies signed?"),
        user("<environment_details>\nopen: a.py\n</environment_details>"),
    ]
    assert (last_question(messages).text, last_question(messages).index) == ("where are cookies signed?", 3)
    parts = [{"type": "image_url", "image_url": {"url": "data:"}}, {"type": "text", "text": "what is this?"}]
    assert last_question([user(parts)]).text == "what is this?"
    for nothing in ([], [user("")], [{"role": "assistant", "content": "a"}], [1, None, "x"], [user(3)], [user([4])]):
        assert last_question(nothing) is None


def test_a_long_paste_keeps_both_ends():
    text = "why?" + "x" * 100_000 + "please"
    assert len(shortened(text)) <= MAX_QUESTION + 1
    assert shortened(text).startswith("why?") and shortened(text).endswith("please")


def test_hostile_texts_take_no_time():
    for text in ("<" * 3_000_000, "<a_b>" * 600_000, " \n<" * 1_000_000, "<task>" * 500_000):
        assert len(own_words(text)) <= len(text)


def test_the_block_goes_before_the_question_and_stays_there_through_the_rounds_of_a_tool_loop():
    begin = [{"role": "system", "content": "s"}, user("old"), {"role": "assistant", "content": "a"}, user("why?")]
    rounds = [call("1", "2"), result("1"), result("2"), call("3"), result("3")]
    for count in range(len(rounds) + 1):
        messages = begin + rounds[:count]
        assert place_for(messages, last_question(messages).index) == 3


TURNS = st.lists(
    st.one_of(
        st.builds(lambda: [user("q")]),
        st.builds(lambda: [{"role": "assistant", "content": "a"}]),
        st.builds(lambda: [{"role": "system", "content": "s"}]),
        st.permutations(["1", "2", "3"]).flatmap(
            lambda ids: st.booleans().map(
                lambda odd: [call(*ids), result(ids[0]), *([user("odd")] if odd else []), *map(result, ids[1:])]
            )
        ),
    ),
    min_size=1,
    max_size=12,
).map(lambda turns: [message for turn in turns for message in turn])


@given(TURNS)
def test_the_block_never_stands_between_a_call_and_its_result(messages):
    question = last_question(messages)
    if question is None:
        return
    place = place_for(messages, question.index)
    assert place <= question.index
    waiting = set()
    for message in messages[:place]:
        waiting |= {each["id"] for each in message.get("tool_calls", [])}
        waiting.discard(message.get("tool_call_id"))
    assert not waiting


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@given(
    st.dictionaries(st.text(), JSON, max_size=4),
    st.lists(JSON, min_size=1, max_size=5),
    st.data(),
    st.sampled_from([None, 2]),
    st.booleans(),
)
def test_a_body_with_a_block_is_the_body_as_it_was_and_the_block(fields, messages, data, indent, plain):
    whole = {**fields, "messages": messages}
    text = json.dumps(whole, indent=indent, ensure_ascii=plain, separators=(" , ", " : ") if plain else None)
    try:
        sent = text.encode()
    except UnicodeEncodeError:
        return
    body = parse_body(sent)
    places = sorted(data.draw(st.lists(st.integers(0, len(messages) - 1), max_size=4)))
    got = body.with_blocks([PlacedBlock(at, at, BLOCK["content"]) for at in places])
    now = json.loads(got)["messages"]
    assert [now[at + earlier] for earlier, at in enumerate(places)] == [BLOCK] * len(places)
    assert got.replace(json.dumps(BLOCK).encode() + b",", b"") == sent
    assert [json.loads(body.text[a:b]) for a, b in zip(body.starts, body.ends, strict=True)] == messages


def test_numbers_and_unknown_fields_reach_the_other_side_to_the_byte():
    sent = (
        '{ "x":1.50e+10,\n "big":123456789012345678901234567890, "messages" : [ {"role":"user","content":"\\u00e9"} ] }'
    )
    got = parse_body(sent.encode()).with_blocks([PlacedBlock(0, 0, "b")])
    assert got.decode() == sent.replace('[ {"role"', '[ {"role": "user", "content": "b"},{"role"')


@pytest.mark.parametrize(
    ("content", "becomes"),
    [
        ('"\\u00e9 1"', '"b\\n\\n\\u00e9 1"'),
        ('[ {"type":"text", "text":"q"}]', '[ {"type": "text", "text": "b"},{"type":"text", "text":"q"}]'),
        ("[ ]", '[ {"type": "text", "text": "b"}]'),
    ],
)
def test_a_joined_block_begins_the_content_and_leaves_every_other_byte(content, becomes):
    sent = (
        f'{{"messages":[ {{"x":[1.50,{{"content":0}}] ,"content" : {content}, "n":1e2}}, {{"content":"two"}} ],"z":0}}'
    )
    body = parse_body(sent.encode())
    assert body.with_blocks([PlacedBlock(0, 0, "b")], joined=True).decode() == sent.replace(content, becomes, 1)
    both = body.with_blocks([PlacedBlock(1, 1, "c"), PlacedBlock(0, 0, "b"), PlacedBlock(0, 1, "a")], joined=True)
    apart = '{"role": "user", "content": "a"},{"x"'
    assert both.decode() == sent.replace(content, becomes, 1).replace('{"x"', apart, 1).replace('"two"', '"c\\n\\ntwo"')


def test_a_body_that_does_not_come_to_its_end_is_given_up():
    async def drip():
        await asyncio.sleep(0.001)
        return {"type": "http.request", "body": b" ", "more_body": True}

    with pytest.raises(HttpError) as refused:
        asyncio.run(read_body(drip, limit_s=0.05))
    assert (refused.value.status, refused.value.code) == (408, "body_too_slow")
