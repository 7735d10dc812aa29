"""Real servers of every surface refuse what the table refuses, in the same one sentence."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from helix_ls.host.calls import QUESTIONS
from helix_ls.host.connection import encoded
from helix_ls.host.election import reach
from helix_ls.lsp.commands import ActionHandlers, Commands
from helix_ls.lsp.memory_notices import MemoryNotices
from helix_ls.lsp.questions import QueryHandlers
from helix_ls.lsp.strands import StrandHandlers
from helix_ls.mcp.tools import FULL_TOOLS, WRITE_TOOLS
from helix_ls.operations.arguments import DeclaredArgument, Operation, Surface
from helix_ls.operations.table import OPERATIONS
from helix_ls.proxy.route_table import HTTP_ROUTES
from tests.lsp.wire import Wire
from tests.mcp.agent import Agent
from tests.mcp.conftest import apart, repository
from tests.operations.test_table import filled, outside
from tests.proxy.conftest import Server

pytestmark = pytest.mark.slow

Refused = Callable[[Operation[Any], dict[str, Any]], str]
TOOLS = {tool.operation.name: tool.name for tool in reversed(FULL_TOOLS + WRITE_TOOLS)}
ROUTES = {one.operation.name: one.path for one in HTTP_ROUTES if one.operation is not None and one.method == "POST"}
NOBODY: Any = None
COMMANDS = {
    command.operation.name: name
    for name, command in Commands(
        QueryHandlers(NOBODY, NOBODY),
        ActionHandlers(NOBODY, NOBODY, NOBODY, NOBODY),
        MemoryNotices(NOBODY),
        StrandHandlers(NOBODY),
    ).table.items()
}
CALLS = {operation.name: name for name, operation in QUESTIONS.items()}
SHOWN: dict[Surface, dict[str, str]] = {"mcp": TOOLS, "http": ROUTES, "lsp": COMMANDS, "daemon": CALLS}


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> Iterator[dict[Surface, Refused]]:
    """What each surface's server says when it refuses a call."""
    home = tmp_path_factory.mktemp("surfaces")
    project = repository(home / "project")
    with apart(home) as environ:
        environ |= {"HELIX_STATE_DIR": str(home / "state"), "HELIX_MCP_WRITE_TOOLS": "true"}
        server, wire = Server(environ, project), Wire(home / "editor", "-m", "helix_ls.lsp")
        agent = Agent(environ, str(project), "--profile", "full")
        agent.initialize()
        wire.initialize(project)
        client, connection = server.admin(), reach(environ, {"kind": "call"})

        def http(operation: Operation[Any], given: dict[str, Any]) -> str:
            return str(client.post(ROUTES[operation.name], json=given).json()["error"]["message"])

        def lsp(operation: Operation[Any], given: dict[str, Any]) -> str:
            params = {"command": COMMANDS[operation.name], "arguments": [given]}
            error = wire.error("workspace/executeCommand", params)
            assert error["code"] == -32602
            return str(error["message"])

        def daemon(operation: Operation[Any], given: dict[str, Any]) -> str:
            request = {"method": CALLS[operation.name], "params": given | {"path": os.fspath(project)}}
            return str(connection.exchange(encoded(request), 120)["error"]["message"])

        def mcp(operation: Operation[Any], given: dict[str, Any]) -> str:
            return str(agent.refusal(TOOLS[operation.name], **given))

        yield {"mcp": mcp, "http": http, "lsp": lsp, "daemon": daemon}
        for end in (connection.socket, client, agent, wire, server):
            end.close()


def sendable(parameter: DeclaredArgument) -> list[Any]:
    """What JSON can carry of the values next to what a parameter takes."""
    return [value for value in outside(parameter)[1:] if value == value and value != 10**400]


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_every_server_refuses_an_argument_out_of_its_bounds_in_the_same_sentence(
    servers: dict[Surface, Refused], name: str
) -> None:
    operation, said = OPERATIONS[name], {}
    for surface, shown in SHOWN.items():
        if name not in shown:
            continue
        for parameter in operation.parameters(surface):
            for number, value in enumerate(sendable(parameter)):
                given = filled(operation, surface) | {parameter.name: value}
                said.setdefault((parameter.name, number), {})[surface] = servers[surface](operation, given)
    assert all(len(set(sentences.values())) == 1 for sentences in said.values()), said


def test_every_operation_is_shown_somewhere() -> None:
    unseen = set(OPERATIONS) - {name for shown in SHOWN.values() for name in shown}
    assert unseen == {"call", "cancel", "daemon_status", "daemon_stop"}, "the daemon's own calls, that ask no workspace"


def test_what_writes_is_offered_to_no_agent_and_no_ask_key_by_default() -> None:
    writes = {name for name, operation in OPERATIONS.items() if operation.changes == "memory"}
    assert writes & set(TOOLS) == {tool.operation.name for tool in WRITE_TOOLS}
    assert all(OPERATIONS[name].access == "admin" for name in writes)
    assert {one.path for one in HTTP_ROUTES if one.needs == "admin"} == {
        path for name, path in ROUTES.items() if OPERATIONS[name].changes != "nothing"
    }
