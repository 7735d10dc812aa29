"""Models told not to think: only those the user named, in the way that was named, and never against the client."""

import json

import pytest

from helix_core.errors import ConfigError
from helix_ls.proxy.bodies import parse_body
from helix_ls.proxy.question import rules_of, without_thinking

QUESTION = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "where are cookies signed?"}]
RULES = rules_of(
    ["qwen3*=chat_template_kwargs", "gpt-oss*=reasoning_effort=low", "deepseek*=reasoning_effort", "old-*=/no_think"]
)


def changed(model, **more):
    data = json.dumps({"model": model, "messages": QUESTION, **more}, indent=1).encode()
    body = without_thinking(parse_body(data), RULES)
    again = parse_body(body.text.encode())
    assert (again.starts, again.ends, again.fields) == (body.starts, body.ends, body.fields), "places are still true"
    assert again.model == body.model
    return json.loads(data), json.loads(body.text)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("Qwen3:8b", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("openai/gpt-oss:20b", {"reasoning_effort": "low"}),
        ("deepseek-r1", {"reasoning_effort": "none"}),
    ],
)
def test_a_model_is_told_by_the_field_its_server_reads(model, said):
    before, after = changed(model, temperature=0.30)
    assert after == before | said


def test_the_word_ends_the_question_and_nothing_else_changes():
    before, after = changed("old-qwen")
    assert after["messages"][1].pop("content") == "where are cookies signed? /no_think"
    before["messages"][1].pop("content")
    assert after == before


def test_a_question_in_parts_gets_one_part_more():
    parts = [{"type": "text", "text": "where?"}]
    data = json.dumps({"model": "old-1", "messages": [{"role": "user", "content": parts}]}).encode()
    sent = json.loads(without_thinking(parse_body(data), RULES).text)
    assert sent["messages"][0]["content"] == [*parts, {"type": "text", "text": "/no_think"}]


def test_the_word_stays_at_earlier_questions_so_the_prefix_stays_too():
    first = {"role": "user", "content": "where?"}
    talk = [first, {"role": "assistant", "content": "here"}, {"role": "tool", "content": "x"}, first]

    def sent(messages):
        data = json.dumps({"messages": messages, "model": "old-1"}).encode()
        body = without_thinking(parse_body(data), RULES)
        again = parse_body(body.text.encode())
        assert (again.starts, again.ends, again.fields, again.model) == (
            body.starts,
            body.ends,
            body.fields,
            body.model,
        )
        return body.text

    before, _, _ = sent(talk[:1]).partition("]")
    assert sent(talk).startswith(before)
    assert sent(talk).count("/no_think") == 2


@pytest.mark.parametrize("own", ["reasoning_effort", "chat_template_kwargs", "think"])
def test_what_the_client_says_of_thinking_stays(own):
    before, after = changed("qwen3:8b", **{own: "high"})
    assert after == before


def test_other_models_and_no_rules_leave_every_byte():
    data = b'{ "model":"gpt-5",  "messages" : [{"role":"user","content":"hi"}] }'
    assert without_thinking(parse_body(data), RULES).text.encode() == data
    named = data.replace(b"gpt-5", b"qwen3")
    assert without_thinking(parse_body(named), ()).text.encode() == named


@pytest.mark.parametrize("entry", ["qwen3", "qwen3=quietly", "=reasoning_effort", "a=reasoning_effort=loud"])
def test_a_rule_that_says_not_how_is_refused_with_what_would_be_right(entry):
    with pytest.raises(ConfigError, match="MODEL=chat_template_kwargs"):
        rules_of([entry])


def test_the_upstream_hears_it_for_the_models_the_user_named_and_for_no_other(project, start, upstream):
    server = start(project, HELIX_PROXY_NO_THINKING="plain=reasoning_effort")
    with server.http() as http:
        for model in ("plain", "usage"):
            asked = {"model": model, "messages": QUESTION, "stream": True}
            http.post("/v1/chat/completions", json=asked, headers={"x-helix-context": "off"})
    told = {body["model"]: body.get("reasoning_effort") for body in upstream.bodies() if "messages" in body}
    assert told == {"plain": "none", "usage": None}
