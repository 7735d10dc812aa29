"""What a chat was sent can be read again, and judged as it is now."""

from __future__ import annotations

from helix_ls.proxy.turns import MOST_SENT, SentContexts
from tests.proxy.test_context import ASK, chat


def test_the_evidence_of_a_chat_is_read_by_the_id_of_its_answer(server, upstream):
    _, answer = chat(server, [{"role": "user", "content": ASK}])
    packet_id = answer.headers["x-helix-packet-id"]
    with server.http() as client:
        sent = client.get(f"/context/sent/{packet_id}")
        assert sent.status_code == 200
        body = sent.json()
        assert body["schema"] == "helix.context/1"
        assert "app/sessions.py" in {block["source_id"] for block in body["blocks"]}
        block = upstream.bodies()[0]["messages"][0]["content"]
        assert all(one["source_id"] in block for one in body["blocks"])
        assert client.get("/context/sent/0123456789abcdef").status_code == 404
        assert client.get(f"/context/sent/{packet_id}", headers={"Authorization": ""}).status_code == 401


def test_a_tool_loop_and_the_same_question_again_name_the_same_evidence(server):
    messages = [{"role": "user", "content": ASK}]
    first = chat(server, messages)[1].headers["x-helix-packet-id"]
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    loop = [
        *messages,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "seen"},
    ]
    assert chat(server, loop)[1].headers["x-helix-packet-id"] == first
    assert chat(server, messages)[1].headers["x-helix-packet-id"] == first


def test_only_the_latest_are_kept_and_only_for_their_workspace():
    sent = SentContexts()
    for number in range(MOST_SENT + 1):
        sent.keep(f"{number:016x}", "/here", {"number": number})
    assert sent.get(f"{0:016x}", "/here") is None
    assert sent.get(f"{1:016x}", "/here") == {"number": 1}
    assert sent.get(f"{1:016x}", "/there") is None
