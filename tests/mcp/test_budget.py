"""An agent that says what it will pay gets the best places for it, and a later call still knows them."""

import json
import re
import subprocess
import sys

import pytest

from helix_core.packet import estimated_tokens
from helix_core.tokens import estimate
from tests.fork_server import run_helix_as_text
from tests.mcp.agent import text_of
from tests.mcp.conftest import repository

PLACE = re.compile(r"^(\S+):(\d+)-\d+ ", re.M)


@pytest.fixture
def environ(fresh_environ):
    """A memory, settings and a daemon of each test's own."""
    return fresh_environ


def test_a_budget_is_held_and_its_items_can_be_judged_and_read_again(start, tmp_path):
    body = "".join(f"    total += teapot.part_{number}.weight\n" for number in range(40))
    files = {f"src/pot_{number}.py": f"def weigh_teapot_{number}(teapot):\n{body}" for number in range(15)}
    agent = start(repository(tmp_path / "project", files), "--profile", "full")
    agent.initialize()
    said = agent.call("helix_context_packet", question="how is a teapot weighed?", max_tokens=800)
    packet = said["structuredContent"]
    assert estimate(text_of(said)) <= 800
    assert estimated_tokens(packet) <= 800
    items = packet["verified"]
    assert 3 <= len(items) == packet["accounting"]["returned"] <= 12
    assert packet["accounting"]["left_out"] == 12 - len(items)
    assert all("uri" not in item and item["content_hash"] for item in items)
    judged = agent.answer("helix_refresh_targets", packet_id=packet["packet_id"])
    named = PLACE.findall(text_of(said))
    assert len(named) > len(items), "text has room for more places than JSON has"
    assert {(one["source_id"], one["start_line"]) for one in judged["items"]} >= {(path, int(n)) for path, n in named}
    assert {one["status"] for one in judged["items"]} == {"verified"}
    again = agent.answer("helix_gene_get", id=items[0]["gene_id"])
    assert again["text"].startswith(items[0]["quote"])
    assert "max_tokens must be" in agent.refusal("helix_context_packet", question="x", max_tokens=5)


def test_items_are_judged_in_the_order_of_their_packet(start, tmp_path):
    merged = "def weigh_teapot(teapot):\n<<<<<<< ours\n    return 1\n=======\n    return 2\n>>>>>>> theirs\n"
    files = {
        f"src/pot_{number}.py": f"def weigh_pot_{number}(teapot):\n    return teapot.weight\n" for number in range(4)
    }
    agent = start(repository(tmp_path / "project", files | {"src/weigh.py": merged}))
    agent.initialize()
    packet = agent.answer("helix_context_packet", question="how is a teapot weighed?")
    items = [one for status in ("verified", "stale_risk", "needs_refresh") for one in packet[status]]
    assert packet["verified"] and packet["stale_risk"][0]["source_id"] == "src/weigh.py"
    judged = agent.answer("helix_refresh_targets", packet_id=packet["packet_id"])["items"]
    assert [one["source_id"] for one in judged[: len(items)]] == [one["source_id"] for one in items]
    assert judged[: len(items)][-1]["status"] == "stale_risk"


def test_memories_are_in_the_text_and_the_object_of_a_packet_within_its_budget(start, environ, tmp_path):
    project = repository(tmp_path / "project")
    (tmp_path / "helix.toml").write_text("[mcp]\nwrite_tools = true\n[memory]\nreview_agents = false\n")
    environ["HELIX_CONFIG"] = str(tmp_path / "helix.toml")
    agent = start(project, "--profile", "full")
    agent.initialize()
    text = f"The session cookie is signed with Ed25519; the key is under {project}/keys"
    kept = agent.answer("memory.write", text=text, cites=["app/sessions.py:6-8"])["items"][0]["id"]
    said = agent.call("helix_context_packet", question="how is the session cookie signed?", max_tokens=1500)
    (memory,) = said["structuredContent"]["memories"]
    assert (memory["id"], memory["origin"], memory["status"]) == (kept, "agent", "verified")
    begins = f"memory {kept} [verified] fact, by agent"
    (line,) = [line for line in text_of(said).split("\n") if line.startswith(begins)]
    assert "cites app/sessions.py:6-8" in line and "project/keys" in line
    assert str(tmp_path) not in text_of(said)
    assert str(tmp_path) not in json.dumps(said["structuredContent"]) and "project/keys" in memory["text"]
    for asked in ({"name": "memory.search", "question": "session cookie"}, {"name": "memory.get", "id": kept}):
        (found,) = agent.answer(asked.pop("name"), **asked)["items"]
        assert str(tmp_path) not in json.dumps(found) and "project/keys" in found["text"]
    assert estimate(text_of(said)) <= 1500
    assert estimated_tokens(said["structuredContent"]) <= 1500
    empty = agent.call("helix_context", question="Ed25519 keys on the moon")
    window = text_of(empty)
    assert empty["structuredContent"]["known_empty"] is ("known_empty" in window)
    assert f"memory {kept}" in window


def remembered_by_the_user(environ, project):
    """What a person says at the terminal; its id."""
    said = ["remember", "The session cookie is signed with Ed25519", "--json"]
    ran = run_helix_as_text(said, env=environ, cwd=project)
    return json.loads(ran.stdout)["items"][0]["id"]


def test_an_agent_may_propose_an_edit_of_a_users_memory_and_relate_only_its_own(start, environ, tmp_path):
    project = repository(tmp_path / "project")
    users = remembered_by_the_user(environ, project)
    environ["HELIX_MCP_WRITE_TOOLS"] = "true"
    agent = start(project, "--profile", "full")
    agent.initialize()
    edited = agent.answer("memory.edit", id=users, text="The session cookie is signed with HMAC")["items"][0]
    assert (edited["origin"], edited["status"]) == ("agent", "quarantined")
    own = agent.answer("memory.write", text="Routes are matched by pattern")["items"][0]["id"]
    refused = agent.refusal("memory.relate", id=own, relation="supersedes", other=users)
    assert "of the user" in refused
    assert agent.answer("memory.relate", id=own, relation="depends_on", other=users)["link"]["is_new"]
    found = agent.answer("memory.search", question="how is the session cookie signed?")["items"]
    assert [one["id"] for one in found] == [users]


def test_a_client_named_by_nothing_that_can_be_shown_is_an_agent_and_not_the_user(start, environ, tmp_path):
    project = repository(tmp_path / "project")
    users = remembered_by_the_user(environ, project)
    environ["HELIX_MCP_WRITE_TOOLS"] = "true"
    agent = start(project, "--profile", "full")
    about = {"name": " \u200b", "version": "1"}
    agent.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about})
    agent.send({"method": "notifications/initialized"})
    own = agent.answer("memory.write", text="Routes are matched by pattern")["items"][0]
    assert own["status"] == "quarantined"
    assert "of the user" in agent.refusal("memory.relate", id=own["id"], relation="refines", other=users)
    assert "only a person decides" in agent.refusal("helix_forget", gene_id=users)
    cited = agent.answer(
        "memory.write", text="The session cookie is signed with Ed25519", cites=["app/sessions.py:1-3"]
    )
    assert any("citations" in note for note in cited["notes"])


def test_what_an_agent_does_to_a_memory_is_logged_as_the_agents_act(start, environ, tmp_path):
    environ |= {"HELIX_MCP_WRITE_TOOLS": "true", "HELIX_MEMORY_REVIEW_AGENTS": "false"}
    agent = start(repository(tmp_path / "project"), "--profile", "full")
    agent.initialize()
    kept = agent.answer("memory.write", text="Routes are matched by pattern")["items"][0]["id"]
    agent.answer("helix_forget", gene_id=kept)
    agent.answer("memory.restore", id=kept)
    (one,) = agent.answer("memory.get", id=kept)["items"]
    assert (one["status"], one["uses"]) == ("active", [])
    assert [use["kind"] for use in agent.answer("memory.get", id=kept)["items"][0]["uses"]] == ["opened"]
    ran = subprocess.run(
        [sys.executable, "-m", "helix_ls.cli", "log", "--json"],
        env=environ,
        cwd=tmp_path / "project",
        capture_output=True,
        check=True,
    )
    acts = {op["kind"]: op["actor"] for op in json.loads(ran.stdout)["ops"]}
    assert acts.keys() == {"remember", "forget", "restore"}
    assert len(set(acts.values())) == 1 and acts["restore"].startswith("agent:")
