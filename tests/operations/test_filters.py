"""The filters of the table on real servers: every surface searches the same files and refuses in the same sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from helix_ls.host.connection import encoded
from helix_ls.host.election import reach
from tests.lsp.wire import Wire
from tests.mcp.agent import Agent
from tests.mcp.conftest import apart, repository
from tests.proxy.conftest import Server

pytestmark = pytest.mark.slow

Ask = Callable[[dict[str, Any]], set[str] | str]
QUESTION = "session cookie signed sign_cookie"
OPTIONS = {
    "paths": "--glob",
    "language": "--language",
    "tests": "--tests",
    "docs": "--docs",
    "since": "--since",
    "author": "--author",
}


def places(answer: dict[str, Any]) -> set[str]:
    """The files that an answer of any kind points at."""
    lists = ("items", "verified", "stale_risk", "needs_refresh", "blocks", "fingerprints")
    return {one["source_id"] for name in lists for one in answer.get(name, ())}


@pytest.fixture(scope="module")
def surfaces(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> Iterator[dict[str, Ask]]:
    """What each surface finds with some filters, or the sentence in which it refuses them."""
    home = tmp_path_factory.mktemp("filters")
    project = repository(home / "project")
    with apart(home) as environ:
        environ |= {"HELIX_STATE_DIR": str(home / "state")}
        server, wire = Server(environ, project), Wire(home / "editor", "-m", "helix_ls.lsp")
        agent = Agent(environ, str(project))
        agent.initialize()
        wire.initialize(project)
        wire.until_fresh(project)
        client, connection = server.admin(), reach(environ, {"kind": "call"})

        def http(path: str, filters: dict[str, Any]) -> set[str] | str:
            body = {"question": QUESTION, "filters": filters, "format": "helix"}
            answer = client.post(path, json=body).json()
            return str(answer["error"]["message"]) if "error" in answer else places(answer)

        def lsp(command: str, filters: dict[str, Any]) -> set[str] | str:
            params = {"command": command, "arguments": [{"question": QUESTION, "filters": filters}]}
            reply = wire.answer(wire.ask("workspace/executeCommand", params))
            return str(reply["error"]["message"]) if "error" in reply else places(reply["result"])

        def daemon(call: str, filters: dict[str, Any]) -> set[str] | str:
            request = {"method": call, "params": {"question": QUESTION, "filters": filters, "path": os.fspath(project)}}
            reply = connection.exchange(encoded(request), 120)
            return str(reply["error"]["message"]) if "error" in reply else places(reply["result"])

        def mcp(tool: str, filters: dict[str, Any]) -> set[str] | str:
            said = agent.call(tool, question=QUESTION, filters=filters)
            return str(said["content"][0]["text"]) if said.get("isError") else places(said["structuredContent"])

        def command(verb: str, filters: dict[str, Any]) -> set[str] | str:
            options = [
                f"{OPTIONS[name]}={one}"
                for name, value in filters.items()
                for one in (value if isinstance(value, list) else [value])
            ]
            line = [sys.executable, "-m", "helix_ls.cli", verb, QUESTION, "--path", str(project), "--json", *options]
            done = subprocess.run(line, env=environ, capture_output=True, text=True, check=False)
            return (
                places(json.loads(done.stdout)) if done.returncode == 0 else done.stderr.strip().removeprefix("helix: ")
            )

        asked = {
            "http": (http, ("/context/packet", "/context", "/fingerprint")),
            "lsp": (lsp, ("helix.packet", "helix.search")),
            "daemon": (daemon, ("helix.packet", "helix.search", "helix.context")),
            "mcp": (mcp, ("helix_context_packet", "helix_search", "helix_context")),
            "command": (command, ("packet", "search", "context")),
        }
        yield {
            f"{name} {verb}": lambda f, a=ask, v=verb: a(v, f) for name, (ask, verbs) in asked.items() for verb in verbs
        }
        for end in (connection.socket, client, agent, wire, server):
            end.close()


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        ({"paths": ["docs/"]}, {"docs/sessions.md"}),
        ({"paths": ["*.py", "!tests/"]}, {"app/sessions.py", "app/routing.py"}),
        ({"tests": "only"}, {"tests/test_sessions.py"}),
        ({"docs": "without", "tests": "without"}, {"app/sessions.py", "app/routing.py"}),
        ({"paths": ["nowhere/"]}, set()),
    ],
    ids=lambda value: " ".join(sorted(value)) if isinstance(value, set) else str(value),
)
def test_every_surface_searches_the_same_files(
    surfaces: dict[str, Ask], filters: dict[str, Any], kept: set[str]
) -> None:
    found = {surface: ask(filters) for surface, ask in surfaces.items()}
    assert {surface for surface, files in found.items() if not kept >= set(files)} == set(), found
    assert {surface for surface, files in found.items() if not (set(files) & kept or not kept)} == set(), found


@pytest.mark.parametrize(
    ("filters", "sentence"),
    [
        ({"paths": ["src/["]}, "'src/[' is not a path glob"),
        ({"language": "pyton"}, "there is no language 'pyton'; did you mean python?"),
        ({"since": "--upload-pack=x"}, "there is no commit '--upload-pack=x' in this repository"),
        ({"since": ""}, "since is empty; give it a value, or leave it out to filter nothing"),
        ({"author": " "}, "author is empty; give it a value"),
        ({"language": ""}, "language is empty; give it a value"),
    ],
    ids=str,
)
def test_every_surface_refuses_what_is_no_filter(
    surfaces: dict[str, Ask], filters: dict[str, Any], sentence: str
) -> None:
    said = {surface: ask(filters) for surface, ask in surfaces.items()}
    assert {surface for surface, text in said.items() if sentence not in text} == set(), said


@pytest.mark.parametrize(
    ("filters", "sentence"),
    [
        ({"path": ["src/"]}, "filters has no member 'path'; did you mean paths?"),
        ({"paths": "src/"}, "filters.paths must be a list of strings"),
        ({"paths": [7]}, "filters.paths[0] must be a string"),
        ({"tests": "never"}, "filters.tests must be one of with, without, only"),
    ],
    ids=str,
)
def test_a_filter_of_another_form_is_refused_and_never_passed_over(
    surfaces: dict[str, Ask], filters: dict[str, Any], sentence: str
) -> None:
    said = {surface: ask(filters) for surface, ask in surfaces.items() if not surface.startswith("command")}
    assert {surface for surface, text in said.items() if sentence not in text} == set(), said
