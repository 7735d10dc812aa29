"""The full profile answers under every name there is; tools that write are there only for whom the user allowed it."""

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helix_core.engine.memory.remembering import KEPT_AS_PROPOSAL
from helix_ls.mcp.tools import FULL_TOOLS, WRITE_TOOLS
from helix_ls.proxy.running import RestartSignal, Signals
from tests.mcp.agent import Agent
from tests.mcp.conftest import apart, repository
from tests.mcp.test_http import ACCEPT, modern, official
from tests.proxy.conftest import Server

ALLOWED = {"HELIX_MCP_WRITE_TOOLS": "true"}
NAMES = {
    "helix_context",
    "helix_context_packet",
    "helix_refresh_targets",
    "helix_stats",
    "helix_resonance",
    "helix_sessions_list",
    "helix_session_recent",
    "helix_health",
    "helix_metrics_tokens",
    "helix_bridge_status",
    "helix_gene_get",
    "helix_neighbors",
    "helix_splice_preview",
    "helix_fingerprint",
    "helix_document_query",
    "helix_document_get",
    "helix_document_fingerprint",
    "helix_document_preview",
    "helix_hitl_recent",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory, starts_processes):
    """Processes of this module, with a memory of their own."""
    folder = tmp_path_factory.mktemp("full")
    with apart(folder) as environ:
        yield folder, environ | {"HELIX_STATE_DIR": str(folder / "state"), "HELIX_DATA_DIR": str(folder / "data")}


@pytest.fixture(scope="module")
def full(home):
    """An agent with every tool, those that write too."""
    folder, environ = home
    agent = Agent(environ | ALLOWED | {"HELIX_AGENT": "tester"}, repository(folder / "project"), "--profile", "full")
    agent.initialize()
    yield agent
    agent.close()
    assert agent.strays == []


def test_every_older_name_is_there():
    assert {words.name for words in FULL_TOOLS} >= NAMES
    assert len({words.name for words in FULL_TOOLS + WRITE_TOOLS}) == len(FULL_TOOLS + WRITE_TOOLS)


def test_a_text_is_checked_against_the_disk(full):
    here = full.answer("helix_search", question="verify_cookie", max_results=1)["items"][0]["source_id"]
    said = full.answer("helix_check", text=f"It is in `{here}:1`, or in `{here}:9999`.")
    assert (said["schema"], said["checked"]) == ("helix.check/1", 2)
    assert [one["reference"] for one in said["findings"]] == [f"{here}:9999"]


def test_a_preview_is_the_window_without_its_text(full):
    window = full.answer("helix_context", question="how is a cookie signed", budget=500)
    for name in ("helix_splice_preview", "helix_document_preview"):
        said = full.answer(name, question="how is a cookie signed", budget=500)
        assert said["schema"] == "helix.preview/1"
        assert "text" not in said
        assert [block["source_id"] for block in said["blocks"]] == [block["source_id"] for block in window["blocks"]]
        assert sum(block["tokens"] for block in said["blocks"]) <= said["tokens"] <= 500


def test_resonance_adds_up_to_what_the_search_says(full):
    found = full.answer("helix_search", question="verify_cookie", max_results=20)
    said = full.answer("helix_resonance", question="verify_cookie")
    every = sum(signal["share"] for item in found["items"] for signal in item["signals"])
    shares = [one["share"] for one in said["rankers"]]
    assert sum(shares) * len(found["items"]) == pytest.approx(every, rel=1e-2)
    assert shares == sorted(shares, reverse=True) and shares
    assert all(one["best_rank"] >= 1 and one["places"] <= len(found["items"]) for one in said["rankers"])
    assert said["rankers"][0]["strongest"]["source_id"] == "app/sessions.py"


def test_a_session_knows_what_it_gave(full):
    before = full.answer("helix_metrics_tokens")
    packet = full.answer("helix_context_packet", question="match_route")
    after = full.answer("helix_metrics_tokens")
    assert after["is_estimate"] is True
    assert after["answers"] == before["answers"] + 2
    by_tool = {one["tool"]: one["tokens"] for one in after["by_tool"]}
    assert 20 <= by_tool["helix_context_packet"] <= len(json.dumps(packet)) / 4
    assert full.answer("helix_session_recent")["packets"][0]["packet_id"] == packet["packet_id"]
    [own] = full.answer("helix_sessions_list")["sessions"]
    assert (own["client"], own["is_this"]) == ("agent", True)
    assert own["packets"] >= 1


def test_an_agent_learns_where_the_user_was_and_nothing_unless_it_is_recorded(full, tmp_path):
    full.answer("helix_open", source_id="app/sessions.py", start_line=1)
    answer = full.answer("helix_where")
    assert (answer["recording"], answer["last"]) == (False, [])
    with apart(tmp_path) as environ:
        agent = Agent(environ | {"HELIX_TRAIL_RECORD": "true"}, repository(tmp_path / "project"), "--profile", "full")
        agent.initialize()
        agent.answer("helix_open", source_id="app/sessions.py", start_line=1, end_line=2)
        answer = agent.answer("helix_where", k=3)
        agent.close()
    assert (answer["schema"], answer["recording"]) == ("helix.trail/1", True)
    [place] = answer["last"]
    assert (place["source_id"], place["status"]) == ("app/sessions.py", "verified")


def test_an_announced_restart_is_told(full, home):
    _, environ = home
    Signals.of(environ).write(RestartSignal("restarting", 4711, 1, time.time(), "new version", "me", 60))
    [server] = [one for one in full.answer("helix_bridge_status")["servers"] if one["port"] == 4711]
    assert (server["state"], server["is_stale"]) == ("restarting", False)
    assert "new version" in server["said"]


def test_a_note_is_kept_approved_found_and_deleted(full, home):
    text = "We release the okapi service on the second Tuesday of a month."
    kept = full.answer("helix_ingest", content=text, title="okapi releases")
    assert kept["schema"] == "helix.ingested/1"
    assert full.answer("helix_ingest", content=text, title="okapi releases")["gene_ids"] == kept["gene_ids"]
    assert (kept["status"], kept["notes"]) == ("quarantined", [KEPT_AS_PROPOSAL])
    packet = full.answer("helix_context_packet", question="okapi service release second Tuesday")
    assert packet["known_empty"], "an agent's note answers nothing before a person approves it"
    assert kept["gene_ids"][0] in [one["id"] for one in full.answer("memory.review")["items"]]
    approve = [sys.executable, "-m", "helix_ls.cli", "review", "--approve", kept["gene_ids"][0]]
    folder, environ = home
    subprocess.run(approve, env=environ, cwd=folder / "project", capture_output=True, check=True)
    packet = full.answer("helix_context_packet", question="okapi service release second Tuesday")
    items = [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]
    assert "okapi" in json.dumps(items)
    assert "okapi" not in json.dumps(packet["verified"]), "what nobody can compare is not verified"
    assert full.answer("helix_consolidate")["schema"] == "helix.consolidated/1"
    assert "only a person" in full.call("helix_forget", gene_id=kept["gene_ids"][0])["content"][0]["text"]
    forget = [sys.executable, "-m", "helix_ls.cli", "forget", kept["gene_ids"][0]]
    subprocess.run(forget, env=environ, cwd=folder / "project", capture_output=True, check=True)
    assert "okapi" not in json.dumps(
        full.answer("helix_context_packet", question="okapi service release")["stale_risk"]
    )


def test_a_note_as_large_as_notes_may_be_reaches_the_daemon(full):
    # In few words: each costs a look for what a person may have typed as a secret.
    kept = full.answer("helix_ingest", content="The quokka.\n" + ("\u20ac" * 99 + "\n") * 3_200, title="quokkas")
    assert kept["gene_ids"]
    assert full.answer("helix_forget", gene_id=kept["gene_ids"][0])["count"] >= 1


def test_what_cannot_be_kept_is_refused_in_one_sentence(full):
    assert "empty" in full.refusal("helix_ingest", content="  ")
    assert "content_type must be one of" in full.refusal("helix_ingest", content="a", content_type="poem")
    assert full.refusal("helix_forget", gene_id="no such gene")


def test_tools_that_write_say_so(full):
    tools = {tool["name"]: tool["annotations"] for tool in full.request("tools/list")["result"]["tools"]}
    for words in WRITE_TOOLS:
        assert tools[words.name]["readOnlyHint"] is False
        assert tools[words.name]["idempotentHint"] is True
        assert tools[words.name]["destructiveHint"] is (words.name in ("helix_forget", "memory.forget"))


@pytest.mark.process
def test_a_workspace_does_not_allow_what_writes(home, tmp_path):
    _, environ = home
    hostile = repository(tmp_path / "hostile", {"helix.toml": "[mcp]\nwrite_tools = true\n", "a.py": "def a(): ...\n"})
    agent = Agent(environ, hostile, "--profile", "full")
    agent.initialize()
    names = {tool["name"] for tool in agent.request("tools/list")["result"]["tools"]}
    assert not names & {words.name for words in WRITE_TOOLS}
    refused = agent.request("tools/call", {"name": "helix_ingest", "arguments": {"content": "x"}})
    assert refused["error"]["code"] == -32602
    assert "write_tools = true" in refused["error"]["message"]
    agent.close()


@pytest.mark.slow
@pytest.mark.process
def test_over_http_only_the_admin_key_may_write_and_only_where_the_user_allowed_it(home):
    folder, environ = home
    server = Server(environ | ALLOWED, repository(folder / "served"))
    message, headers = modern("tools/list")
    try:

        def names(client):
            sent = {"Accept": ACCEPT, "Content-Type": "application/json", **headers}
            answer = client.post("/mcp", content=json.dumps(message), headers=sent)
            return {tool["name"] for tool in answer.json()["result"]["tools"]}

        writers = {words.name for words in WRITE_TOOLS}
        with server.http() as ask, server.admin() as admin:
            assert not names(ask) & writers
            assert names(admin) >= writers

        async def talk():
            async with official(server, key=server.admin_key) as client:
                kept = await client.call_tool("helix_ingest", {"content": "The tapir likes tea."})
                assert kept.structured_content["count"] == 1
            async with official(server) as client:
                refused = client.call_tool("helix_ingest", {"content": "The tapir likes coffee."})
                with pytest.raises(Exception, match=r"helix_ingest writes.*write_tools = true.*administrator's key"):
                    await refused

        asyncio.run(talk())
    finally:
        server.close()


def test_of_a_defect_no_words_are_told(monkeypatch, caplog):
    async def ask(*_, **__):
        raise ValueError("sesame")

    from mcp import Client

    from helix_ls.mcp.roots import GivenFolders
    from helix_ls.mcp.server import Handlers, Seat
    from helix_ls.mcp.session import AgentSession

    monkeypatch.setattr("helix_ls.mcp.session.Scope.ask", ask)
    seat = Seat(AgentSession(None, GivenFolders(Path("/nowhere/project"), is_named=True)), FULL_TOOLS)

    async def talk():
        async with Client(Handlers(lambda _: seat).server(), mode="legacy") as client:
            with pytest.raises(Exception, match="An internal error") as caught:
                await client.call_tool("helix_search", {"question": "a"})
            assert "sesame" not in str(caught.value)

    asyncio.run(talk())


def test_an_agent_raises_a_pause_lists_it_and_ends_it(full):
    here = full.answer("helix_search", question="verify_cookie", max_results=1)["items"][0]["source_id"]
    asked = {"pause_type": "uncertainty_check", "task_context": "is the cookie signed?", "files": [f"{here}:1-3"]}
    raised = full.answer("helix_hitl_emit", **asked, chat_signals={"tone_uncertainty": 0.5})
    assert (raised["schema"], raised["ok"], raised["files"][0]["source_id"]) == ("helix.hitl/1", True, here)
    (listed,) = full.answer("helix_hitl_recent", is_open=True)["events"]
    assert (listed["event_id"], listed["task_context"]) == (raised["event_id"], "is the cookie signed?")
    assert (listed["chat_signals"]["tone_uncertainty"], listed["changed_total"]) == (0.5, 0)
    (open_now,) = full.answer("helix_context_packet", question="how is a cookie signed")["pauses"]
    assert open_now["event_id"] == raised["event_id"]
    over = {"pause_type": "other", "resolves": raised["event_id"], "resolved_without_operator": True}
    full.answer("helix_hitl_emit", **over)
    assert full.answer("helix_hitl_recent", is_open=True)["events"] == []
    assert "is not an open pause" in full.refusal("helix_hitl_emit", **over)
    choices = "one of permission_request, uncertainty_check, rollback_confirm, other"
    for tool in ("helix_hitl_emit", "helix_hitl_recent"):
        assert full.refusal(tool, pause_type="coffee").endswith(f"pause_type must be {choices}")
