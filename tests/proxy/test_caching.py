"""Prompt caches of upstreams: what answers say of them is counted, and a mark ends a prefix where one is needed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_ls.proxy.bodies import PlacedBlock, parse_body
from helix_ls.proxy.caching import MARK, PromptUsage, UsageReader, marks_of, message_to_mark, needs_marks, usage_of
from helix_ls.proxy.chat import _Sent
from helix_ls.proxy.evidence import Context
from helix_ls.proxy.upstream import Address, Upstream
from tests.proxy.test_context import ASK, chat

OPENAI = {"prompt_tokens": 2006, "prompt_tokens_details": {"cached_tokens": 1920}, "completion_tokens": 3}


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        (OPENAI, (2006, 1920)),
        ({"prompt_tokens": 12, "completion_tokens": 3}, (12, 0)),
        ({"prompt_tokens": 10, "prompt_tokens_details": None}, (10, 0)),
        ({"input_tokens": 80, "input_tokens_details": {"cached_tokens": 64}, "output_tokens": 1}, (80, 64)),
        ({"prompt_tokens": 90, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 26}, (90, 64)),
        ({"prompt_tokens": 90, "cached_tokens": 30}, (90, 30)),
        ({"input_tokens": 5, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 95}, (1000, 900)),
        ({"input_tokens": 5, "cache_read_input_tokens": None}, (5, 0)),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 900}}, (5, 5)),
    ],
)
def test_every_dialect_s_usage_is_read(usage, read):
    assert usage_of(json.dumps({"usage": usage}).encode()) == PromptUsage(*read)


@pytest.mark.parametrize("said", [{}, [], {"usage": None}, {"usage": {"prompt_tokens": "3"}}, {"usage": {"x": True}}])
def test_an_answer_that_says_nothing_of_it_counts_nothing(said):
    assert usage_of(json.dumps(said).encode()) is None


def test_the_events_of_a_stream_are_read_to_the_last():
    reader = UsageReader()
    begun = {"input_tokens": 7, "cache_read_input_tokens": 93}
    reader.read({"type": "message_start", "message": {"usage": begun}})
    reader.read({"type": "message_delta", "usage": {"output_tokens": 5}})
    assert reader.usage == PromptUsage(100, 93)
    reader.read({"type": "message_delta", "usage": {"input_tokens": 0, "output_tokens": 5}})
    assert reader.usage == PromptUsage(100, 93)
    reader.read({"type": "response.completed", "response": {"usage": {**OPENAI}}})
    assert reader.usage == PromptUsage(2006, 1920)


def test_cached_tokens_are_told_with_and_without_evidence(server):
    def counted():
        with server.http() as client:
            stats, metrics = client.get("/stats").json()["proxy"], client.get("/metrics").text
        return stats, metrics

    before = counted()[0]["prompt_cache"]
    messages = [{"role": "user", "content": ASK}]
    chat(server, messages, model="cached", stream=True)
    chat(server, messages, {"x-helix-context": "off"}, model="cached", stream=True)
    chat(server, messages, {"x-helix-context": "off"}, model="plain")
    stats, metrics = counted()
    after = stats["prompt_cache"]
    more = {
        which: {name: count - before[which][name] for name, count in after[which].items()}
        for which in ("with_evidence", "without_evidence")
    }
    assert more["with_evidence"] == {"answers": 1, "prompt_tokens": 3000, "cached_tokens": 2048}
    assert more["without_evidence"] == {"answers": 2, "prompt_tokens": 3003, "cached_tokens": 2048}
    assert f'helix_cached_tokens_total{{evidence="with"}} {float(after["with_evidence"]["cached_tokens"])}' in metrics
    assert (stats["last_request"]["prompt_tokens"], stats["last_request"]["cached_tokens"]) == (3, 0)


@pytest.mark.parametrize(
    ("base", "model", "needed"),
    [
        ("https://api.anthropic.com/v1", "claude-opus-4-5", True),
        ("https://openrouter.ai/api/v1", "anthropic/claude-opus-4.5", True),
        ("https://openrouter.ai/api/v1", "openai/gpt-5.6", False),
        ("https://api.openai.com/v1", "gpt-5.6", False),
        ("http://127.0.0.1:11434/v1", "anthropic/claude", False),
        ("https://notopenrouter.ai/v1", "anthropic/claude", False),
    ],
)
def test_marks_are_for_providers_that_match_only_there(base, model, needed):
    assert needs_marks(base, model) is needed


SYSTEM = {"role": "system", "content": "be brief"}
QUESTION = {"role": "user", "content": "why?"}
CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}


@pytest.mark.parametrize(
    ("messages", "place", "marked"),
    [
        ([SYSTEM, QUESTION], 1, 0),
        ([QUESTION], 0, None),
        ([SYSTEM, QUESTION, CALL, QUESTION], 3, 1),
        ([SYSTEM, {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]}, QUESTION], 2, 0),
        ([SYSTEM, {"role": "user", "content": [{"type": "text", "text": " "}]}, QUESTION], 2, 0),
        ([SYSTEM, {"role": "user", "content": [{"type": "image_url"}]}, QUESTION], 2, 1),
        ([7, QUESTION], 1, None),
    ],
)
def test_the_mark_goes_to_what_stands_before_the_evidence(messages, place, marked):
    assert message_to_mark({"messages": messages}, messages, place) == marked


@pytest.mark.parametrize(
    "own",
    [
        {"cache_control": {"type": "ephemeral"}},
        {"prompt_cache_options": {"mode": "explicit"}},
        {"tools": [{"name": "a", **MARK}]},
        {"system": [{"type": "text", "text": "a", **MARK}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "a", **MARK}]}]},
        {"messages": [{"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", **MARK}]}]}]},
    ],
)
def test_a_client_that_marks_its_prompt_gets_no_mark_more(own):
    assert marks_of(own) == 1
    assert message_to_mark({"messages": [SYSTEM, QUESTION], **own}, [SYSTEM, QUESTION], 1) is None


TEXT = st.text(st.characters(exclude_categories=("Cs",)))
PART = st.builds(lambda kind, text: {"type": kind, "text": text}, st.sampled_from(("text", "x}")), TEXT)


@given(st.one_of(TEXT, st.lists(st.one_of(PART, st.just({})), min_size=1)), st.sampled_from((None, 1)))
def test_a_marked_body_is_the_body_with_a_mark_and_the_block(content, indent):
    first = {"role": "system", "content": content}
    sent = json.dumps({"messages": [first, QUESTION]}, indent=indent, ensure_ascii=False).encode()
    got = json.loads(parse_body(sent).with_blocks([PlacedBlock(1, 1, "b")], marked=0))["messages"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    assert got == [
        {**first, "content": [*parts[:-1], {**parts[-1], **MARK}]},
        {"role": "user", "content": "b"},
        QUESTION,
    ]


@pytest.mark.parametrize(
    ("base", "model", "is_marked"),
    [
        ("https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4", True),
        ("https://api.anthropic.com/v1", "claude-sonnet-4", True),
        ("https://openrouter.ai/api/v1", "openai/gpt-5", False),
        ("https://api.openai.com/v1", "gpt-5", False),
    ],
)
def test_a_chat_to_a_provider_that_matches_at_marks_is_sent_with_one_before_its_evidence(base, model, is_marked):
    before = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    body = parse_body(json.dumps({"model": model, "messages": [*before, QUESTION]}).encode())
    block = PlacedBlock(2, 2, "evidence")
    asked = _Sent({}, body.text.encode(), body, Context("added", (block,), 2), Upstream(Address(base)))
    sent = json.loads(asked.filled(joined=False))
    assert [one["content"] for one in sent["messages"]].count("evidence") == 1
    assert marks_of(sent) == is_marked
    if is_marked:
        assert sent["messages"][1]["content"][-1] == {"type": "text", "text": "hi", **MARK}
    own = {**before[0], "content": [{"type": "text", "text": "hello", **MARK}]}
    body = parse_body(json.dumps({"model": model, "messages": [own, before[1], QUESTION]}).encode())
    asked = _Sent({}, body.text.encode(), body, Context("added", (block,), 2), Upstream(Address(base)))
    assert marks_of(json.loads(asked.filled(joined=False))) == 1, "only the client's own"
