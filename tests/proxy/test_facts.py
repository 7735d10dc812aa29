"""What editors' agents send, what clients do when refused, and that what the headers say is what the body holds."""

import json
import re

import openai
import pytest

from helix_core.tokens import estimate
from tests.engine.repository import write
from tests.host.clients import until
from tests.proxy import upstream as scripted
from tests.proxy.test_context import chat
from tests.proxy.test_learn import after, exchanges, learning, memory, place  # noqa: F401
from tests.proxy.test_learn import chat as learnt_chat

pytestmark = pytest.mark.process

ASK = "where are session cookies signed?"
TRIED = {}


def flaky(handler, name):
    """Refuses twice, then answers."""
    TRIED[name] = TRIED.get(name, 0) + 1
    if TRIED[name] < 3:
        handler.play_status("503-json")
    else:
        handler._stream(scripted.GOOD)


def agent_mode():
    """As an editor's agent asks: 41 tools, 72 KB and more, and rounds of tools before and after the question."""
    parameters = {
        "type": "object",
        "properties": {f"p{n}": {"type": "string", "description": "what it is for " * 6} for n in range(14)},
    }
    tools = [
        {"type": "function", "function": {"name": f"tool_{n}", "description": "does it", "parameters": parameters}}
        for n in range(41)
    ]
    messages = [{"role": "system", "content": "You are an agent. " * 200}]
    for number in range(6):
        calls = [
            {"id": f"{number}-{n}", "type": "function", "function": {"name": f"tool_{n}", "arguments": "{}"}}
            for n in range(2)
        ]
        messages += [
            {"role": "user", "content": ASK if number == 4 else f"step {number}"},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *({"role": "tool", "tool_call_id": f"{number}-{n}", "content": "done"} for n in range(2)),
        ][1 if number == 5 else 0 :]
    return messages, tools


def test_a_body_of_agent_mode_passes_and_calls_stay_beside_their_results(server, upstream):
    messages, tools = agent_mode()
    sent, answer = chat(server, messages, tools=tools, tool_choice="auto", parallel_tool_calls=True)
    assert len(sent) > 72_000 and len(tools) == 41
    assert (answer.status_code, answer.headers["x-helix-context"]) == (200, "added")
    body = upstream.bodies()[0]
    [at] = [n for n, message in enumerate(body["messages"]) if message not in messages]
    block = body["messages"].pop(at)
    assert body == json.loads(sent)
    assert body["messages"][at]["content"] == ASK
    assert estimate(block["content"]) <= 3_000
    assert int(answer.headers["x-helix-tokens"]) <= 3_000


def test_what_the_headers_count_is_what_the_body_holds(server, upstream, project):
    text = (project / "app/sessions.py").read_text()
    write(project, {"app/sessions.py": text.replace("Return the payload with", "Give the payload and")})
    try:
        # A busy machine may leave the changed place out of the first answer, but never says what is no longer so.
        answers = []

        def is_new():
            upstream.forget()
            answers.append(chat(server, [{"role": "user", "content": ASK}])[1])
            [body] = upstream.bodies()
            assert "Return the payload with" not in json.dumps(body), "what is no longer on disk is not sent"
            return "Give the payload and" in body["messages"][0]["content"]

        until(is_new, "the new text is sent")
        answer, block = answers[-1], upstream.bodies()[0]["messages"][0]["content"]
    finally:
        write(project, {"app/sessions.py": text})
    counts = {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", answer.headers["x-helix-verdicts"])}
    legends = [line for line in block.splitlines() if re.match(r"\[\d+\] \S+:\d+-\d+", line)]
    assert sum(counts.values()) == len(legends) > 0
    assert counts["needs_refresh"] == 0
    marks = [re.search(r" - (verified|stale risk|needs refresh) \(", line)[1].replace(" ", "_") for line in legends]
    assert counts == {name: marks.count(name) for name in counts}


def test_a_failure_of_the_upstream_is_the_same_failure_for_the_client(server):
    with pytest.raises(openai.InternalServerError) as caught:
        server.client().chat.completions.create(model="status:500-json", messages=[{"role": "user", "content": "a"}])
    assert caught.value.status_code == 500
    assert set(caught.value.response.json()["error"]) == {"message", "type", "param", "code"}


def test_three_tries_of_one_chat_are_kept_once(learning, upstream, memory, monkeypatch):  # noqa: F811
    monkeypatch.setattr(scripted._Handler, "play_flaky", flaky, raising=False)
    count = exchanges(memory)
    with openai.OpenAI(
        base_url=learning.connected["base_url"], api_key=learning.key, max_retries=2, timeout=60
    ) as client:

        def ask():
            with client.chat.completions.create(
                model="flaky:once", messages=[{"role": "user", "content": ASK}], stream=True
            ) as stream:
                return "".join(chunk.choices[0].delta.content or "" for chunk in stream)

        assert after(learning, ask, kept=1) == "".join(scripted.WORDS)
    assert len(upstream.asked) == 3
    assert exchanges(memory) == count + 1


def test_two_answers_with_the_same_id_are_two_exchanges(learning, upstream, memory):  # noqa: F811
    count = exchanges(memory)
    for question in ("how is it signed?", "who signs it?"):
        after(learning, lambda question=question: learnt_chat(learning, question), kept=1)
    assert exchanges(memory) == count + 2
