"""What was remembered reaches a chat inside the evidence of its question, and what was sent never changes."""

from __future__ import annotations

import pytest

from helix_ls.proxy.evidence import KNOWN_EMPTY
from tests.mcp.conftest import repository
from tests.proxy.test_context import ASK, chat

DECIDED = "Session cookies are signed with Ed25519, because RSA was too slow"
ELSEWHERE = "which kubernetes ingress controller retries in this repository?"


@pytest.fixture
def remembering(start, upstream, tmp_path):
    """A server with a memory of its own."""
    return start(repository(tmp_path / "project"), HELIX_DATA_DIR=str(tmp_path / "data"))


def remember(server, text, **more):
    """Remember what a program says, approve it, and return its handle."""
    with server.admin() as admin:
        said = admin.post("/memory/remember", json={"text": text, **more})
        assert said.status_code == 200, said.text
        (one,) = said.json()["items"]
        assert one["status"] == "quarantined" and "helix review" in said.json()["notes"][0]
        admin.post("/memory/decide", json={"id": one["id"], "decision": "approve", "origin": "user"})
        return one["id"]


@pytest.mark.slow
def test_a_chat_gets_its_memories_inside_the_envelope(remembering, upstream):
    handle = remember(remembering, DECIDED, cites=["app/sessions.py:6-8"])
    _, answer = chat(remembering, [{"role": "user", "content": ASK}])
    block = upstream.bodies()[0]["messages"][0]["content"]
    begin, end = (block.index(f" {word}") for word in ("begin\n", "end"))
    assert begin < block.index(f"memory {handle} [verified] decision, by agent, cites app/sessions.py:6-8: ") < end
    assert answer.headers["x-helix-context"] == "added"
    assert answer.headers["x-helix-memories"] == "1"


@pytest.mark.slow
def test_what_the_files_do_not_answer_says_so_beside_its_memories(remembering, upstream):
    chat(remembering, [{"role": "user", "content": ELSEWHERE}])
    assert upstream.bodies()[0]["messages"][0]["content"] == KNOWN_EMPTY
    remember(remembering, "The kubernetes ingress controller retries three times")
    _, answer = chat(remembering, [{"role": "user", "content": f"Please tell: {ELSEWHERE}"}])
    block = upstream.bodies()[1]["messages"][0]["content"]
    assert block.startswith(KNOWN_EMPTY) and "retries three times" in block
    assert (answer.headers["x-helix-context"], answer.headers["x-helix-memories"]) == ("added", "1")


def test_evidence_that_was_sent_stays_whatever_becomes_of_its_memories(remembering, upstream):
    handle = remember(remembering, DECIDED)
    first = [{"role": "user", "content": ASK}]
    chat(remembering, first)
    sent = upstream.bodies()[0]["messages"]
    with remembering.admin() as admin:
        assert admin.post("/forget", json={"gene_id": handle, "origin": "user"}).status_code == 200
    remember(remembering, "Session cookies are signed again by every worker")
    longer = [*first, {"role": "assistant", "content": "plain"}, {"role": "user", "content": "how are they verified?"}]
    chat(remembering, longer)
    then = upstream.bodies()[1]["messages"]
    assert then[: len(sent)] == sent, "the same bytes again"
    assert DECIDED in then[0]["content"] and DECIDED not in then[-2]["content"]
    assert "by every worker" in then[-2]["content"]


def test_the_key_of_the_administrator_alone_makes_nobody_a_person(remembering):
    handle = remember(remembering, DECIDED)
    with remembering.admin() as admin:
        (waits,) = admin.post("/memory/remember", json={"text": "The till is blue"}).json()["items"]
        refused = {
            "/forget": {"gene_id": handle},
            "/memory/decide": {"id": waits["id"], "decision": "approve"},
            "/memory/purge": {"id": handle, "confirm": f"purge {handle}"},
            "/memory/rollback": {"to": 0},
            "/memory/relate": {"id": waits["id"], "relation": "supersedes", "other": handle},
        }
        for route, given in refused.items():
            answer = admin.post(route, json=given)
            assert answer.status_code == 400, route
            assert "only a person decides that" in answer.json()["error"]["message"]
            assert admin.post(route, json={**given, "origin": "user", "dry_run": True}).status_code == 200, route
        assert [op["actor"] for op in admin.post("/memory/log", json={}).json()["ops"] if op["kind"] == "forget"] == []
        (gone,) = admin.post("/forget", json={"gene_id": waits["id"]}).json()["items"]
        assert gone["status"] == "forgotten", "a program takes back its own proposal"
