"""One memory, asked through every surface: the same memories, in the same order, with the same verdicts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helix_ls.host.connection import encoded
from helix_ls.host.election import reach
from tests.lsp.wire import Wire
from tests.mcp.agent import Agent
from tests.mcp.conftest import apart, repository
from tests.proxy.conftest import Server

pytestmark = pytest.mark.slow

FACTS = (
    ("Sessions are signed with the secret key", "app/sessions.py:1-3"),
    ("We decided to sign cookies with Ed25519", ""),
    ("The signing key rotates every 30 days", ""),
)
ASKED = "how are sessions signed and which key signs cookies?"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("memory")


@pytest.fixture(scope="module")
def environ(home: Path, starts_processes: None) -> Iterator[dict[str, str]]:
    with apart(home) as environ:
        yield environ | {"HELIX_STATE_DIR": str(home / "state"), "HELIX_MCP_WRITE_TOOLS": "true"}


@pytest.fixture(scope="module")
def project(home: Path) -> Path:
    return repository(home / "project")


def cli(environ: dict[str, str], project: Path, *arguments: str) -> tuple[int, Any, str]:
    command = [sys.executable, "-m", "helix_ls.cli", *arguments]
    done = subprocess.run(command, capture_output=True, env=environ, cwd=project, timeout=120, check=False, text=True)
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout, done.stderr


@pytest.mark.process
def test_every_surface_recalls_the_same_memories_with_the_same_verdicts(
    environ: dict[str, str], project: Path, home: Path
) -> None:
    for text, place in FACTS:
        cites = ["--cite", place] if place else []
        status, _, complaint = cli(environ, project, "remember", text, *cites, "--json")
        assert (status, complaint) == (0, "")
    given = {"question": ASKED, "task_type": "edit"}
    _, typed, _ = cli(environ, project, "recall", ASKED, "--task", "edit", "--json")
    server = Server(environ, project)
    wire = Wire(home / "editor", "-m", "helix_ls.lsp", HELIX_DATA_DIR=environ["HELIX_DATA_DIR"])
    agent = Agent(environ, str(project), "--profile", "full")
    agent.initialize()
    wire.initialize(project)
    client, connection = server.http(), reach(environ, {"kind": "call"})
    request = {"method": "helix.recall", "params": given | {"path": str(project)}}
    answers = {
        "http": client.post("/memory/recall", json=given).json(),
        "lsp": wire.command("helix.memory.recall", given),
        "mcp": agent.answer("memory.search", **given),
        "daemon": connection.exchange(encoded(request), 120)["result"],
    }
    topic, typed_topic = {**given, "max_tokens": 3_000}, ("--task", "edit", "--max-tokens", "3000")
    gathered = {
        "cli": cli(environ, project, "recall", ASKED, "--context", *typed_topic, "--json")[1],
        "http": client.post("/memory/context", json=topic).json(),
        "lsp": wire.command("helix.memory.context", topic),
        "mcp": agent.answer("memory_context", **topic),
        "daemon": connection.exchange(
            encoded({"method": "helix.memory_context", "params": topic | {"path": str(project)}}), 120
        )["result"],
    }
    text = "The signing algorithm has a name of its own"
    written = agent.answer("memory.write", text=text)["items"][0]
    with server.admin() as admin:
        posted = admin.post("/memory/remember", json={"text": f"{text} again"}).json()["items"][0]
    editor = wire.command("helix.memory.remember", {"text": f"{text} here", "origin": None})["items"][0]
    for end in (connection.socket, client, agent, wire, server):
        end.close()

    def told(answer: dict[str, Any]) -> list[tuple[str, str, str]]:
        return [(one["id"], one["status"], one["reason"]) for one in answer["items"]]

    assert [one["text"] for one in typed["items"]] == [FACTS[0][0], FACTS[1][0]], "when the key rotates answers neither"
    assert {"verified", "stale_risk"} == {status for _, status, _ in told(typed)}
    assert {name: told(answer) for name, answer in answers.items()} == dict.fromkeys(answers, told(typed))
    assert {name: told(answer) for name, answer in gathered.items()} == dict.fromkeys(gathered, told(typed))
    lines = {name: answer["items"][0]["evidence"][0].get("text") for name, answer in gathered.items()}
    assert len(set(lines.values())) == 1 and "Signed cookies" in lines["cli"]
    for by_program in (written, posted):
        assert (by_program["origin"], by_program["status"]) == ("agent", "quarantined")
    assert (editor["origin"], editor["status"]) == ("user", "active"), "what is given in an editor is a person's"


@pytest.mark.process
def test_the_command_line_says_what_is_wrong_in_one_line_with_the_next_step(
    environ: dict[str, str], project: Path
) -> None:
    for arguments, status, said in (
        (("remember", "ok thanks"), 2, "state the fact, or keep it as it is with --force (in a call force: true)"),
        (("remember", "The port is 8080", "--cite", "nowhere.py:1-2"), 2, "cite"),
        (("forget", "m_nothere0"), 2, "there is no memory"),
        (("purge", "m_nothere0", "--confirm"), 2, "there is no memory"),
        (("review", "--approve", "m_a", "--reject", "m_b"), 2, "one of"),
        (("recall", ""), 2, "empty"),
    ):
        code, _, complaint = cli(environ, project, *arguments)
        assert (code, complaint.count("\n"), said in complaint) == (status, 1, True), complaint


@pytest.mark.process
def test_a_purge_asks_first_and_then_removes(environ: dict[str, str], project: Path, home: Path) -> None:
    _, told, _ = cli(environ, project, "remember", "The wombatarium opens at nine", "--json")
    id_ = told["items"][0]["id"]
    status, _, complaint = cli(environ, project, "purge", id_)
    assert (status, f"helix purge {id_} --confirm" in complaint) == (2, True)
    assert cli(environ, project, "purge", id_, "--dry-run", "--json")[1]["dry_run"]
    assert cli(environ, project, "recall", "wombatarium", "--json")[1]["items"]
    assert cli(environ, project, "purge", id_, "--confirm", "--json")[0] == 0
    assert cli(environ, project, "recall", "wombatarium", "--json")[1]["known_empty"]
    assert b"wombatarium" not in b"".join(path.read_bytes() for path in (home / "data").iterdir())


@pytest.mark.process
def test_at_the_terminal_an_agent_decides_nothing_and_cannot_put_its_words_in_force(
    environ: dict[str, str], project: Path
) -> None:
    agent = environ | {"HELIX_AGENT": "bot"}
    users = cli(environ, project, "remember", "Deploys need two approvals", "--json")[1]["items"][0]["id"]
    own = cli(agent, project, "remember", "Zebrafish pipelines use Quokka brokers", "--json")[1]["items"][0]
    assert own["status"] == "quarantined"
    for arguments in (
        ("review", "--approve", own["id"]),
        ("review", "--archive", users),
        ("rollback", "0"),
        ("purge", users, "--confirm"),
        ("forget", users),
    ):
        code, _, complaint = cli(agent, project, *arguments)
        assert (code, complaint.count("\n"), "without HELIX_AGENT" in complaint) == (2, 1, True), complaint
    code, _, complaint = cli(
        agent | {"HELIX_MEMORY_REVIEW_AGENTS": "off"}, project, "remember", "Elephants use memory chips"
    )
    assert (code, "memory.review_agents" in complaint) == (2, True), complaint
    assert cli(environ, project, "review", "--approve", own["id"])[0] == 0
    for one in (users, own["id"]):
        cli(environ, project, "forget", one)
