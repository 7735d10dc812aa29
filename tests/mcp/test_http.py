"""The tools over HTTP: the official client in both eras, the guard before it, and bounds on what it may hold open."""

import asyncio
import json
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx
import httpx2
import pytest

from helix_ls.proxy.agents import MAX_BODY_BYTES, MOST_SESSIONS, Agents
from helix_ls.proxy.bodies import read_body
from helix_ls.proxy.extractor import ModelExtractor
from helix_ls.proxy.refused import HttpError
from helix_ls.proxy.running import Signals
from helix_ls.proxy.upstream import Upstreams
from helix_ls.proxy.workspaces import Workspaces
from tests.mcp.agent import ENVELOPE, MODERN
from tests.mcp.conftest import apart, repository
from tests.mcp.test_protocol import LISTED, READ_ONLY, WRITERS
from tests.proxy.conftest import Server

DEADLINE_S = 90.0
ACCEPT = "application/json, text/event-stream"
HANDSHAKE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "agent", "version": "1"},
}


@pytest.fixture(scope="module")
def served(tmp_path_factory, starts_processes):
    """One server with two folders."""
    home = tmp_path_factory.mktemp("agents")
    with apart(home) as environ:
        other = repository(home / "other place", {"tea.py": "def brew_tea():\n    pass\n"})
        variables = environ | {"HELIX_STATE_DIR": str(home / "state")}
        server = Server(variables, repository(home / "project"), "--also", str(other))
        yield server
        server.close()


@asynccontextmanager
async def official(server, path="/mcp", key=None, **more):
    """The official client, with its own HTTP client."""
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {key or server.key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=DEADLINE_S) as http,
        Client(streamable_http_client(f"{server.url}{path}", http_client=http), **more) as client,
    ):
        yield client


def said_by(result):
    [text] = result.content
    return text.text


def post(server, message, headers=None, path="/mcp"):
    with server.http() as client:
        sent = {"Accept": ACCEPT, "Content-Type": "application/json", **(headers or {})}
        return client.post(path, content=json.dumps(message), headers=sent)


def modern(method, params=None, **more):
    named = (params or {}).get("name")
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method, **({"Mcp-Name": named} if named else {})}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**(params or {}), "_meta": ENVELOPE}}
    return message, {**headers, **more}


@pytest.mark.parametrize(("mode", "version"), [("auto", MODERN), ("legacy", "2025-11-25")])
def test_a_conversation(served, mode, version):
    async def talk():
        async with official(served, mode=mode) as client:
            assert client.protocol_version == version
            assert client.server_info.name == "helix"
            assert [tool.name for tool in (await client.list_tools()).tools] == LISTED
            packet = await client.call_tool("helix_context_packet", {"question": "sign_cookie", "max_items": 2})
            assert said_by(packet).startswith("confidence ")
            assert packet.structured_content["verified"][0]["source_id"] == "app/sessions.py"
            window = await client.call_tool("helix_context", {"question": "sign_cookie"})
            assert window.structured_content["text"] == said_by(window)
            wrong = await client.call_tool("helix_search", {"question": ""})
            assert wrong.is_error is True
            found = await client.call_tool("helix_open", {"source_id": "app/sessions.py", "start_line": 1})
            assert "sign_cookie" in found.structured_content["text"]
            await asyncio.gather(*(client.call_tool("helix_search", {"question": f"cookie {n}"}) for n in range(20)))
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.call_tool("helix_context_packet", {"question": "routes"}), 0.0001)
            status = await client.call_tool("helix_status")
            assert status.structured_content["mode"] == "server"

    asyncio.run(talk())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_status_and_packets_are_resources(served, mode):
    async def talk():
        async with official(served, mode=mode, client_info=None) as client:
            packet = (await client.call_tool("helix_context_packet", {"question": "match_route"})).structured_content
            uri = f"helix://packets/{packet['packet_id']}"
            listed = {str(one.uri) for one in (await client.list_resources()).resources}
            assert {"helix://status", "helix://packets", uri} <= listed
            [read] = (await client.read_resource(uri)).contents
            assert json.loads(read.text) == packet
            [status] = (await client.read_resource("helix://status")).contents
            assert json.loads(status.text)["workspace"] == "project"
            plan = await client.call_tool("helix_refresh_targets", {"packet_id": packet["packet_id"]})
            assert plan.structured_content["items"][0]["status"] == "verified"

    asyncio.run(talk())


def test_sessions_of_the_handshake_know_nothing_of_each_other(served):
    async def talk():
        async with official(served, mode="legacy") as one, official(served, mode="legacy") as other:
            given = (await one.call_tool("helix_context_packet", {"question": "sign_cookie"})).structured_content
            refused = await other.call_tool("helix_refresh_targets", {"packet_id": given["packet_id"]})
            assert refused.is_error is True
            assert "none yet" in said_by(refused)

    asyncio.run(talk())


def test_the_folder_is_chosen_by_the_address_or_by_name_and_none_is_opened(served):
    async def talk():
        async with official(served, "/w/other%20place/mcp") as client:
            answer = (await client.call_tool("helix_search", {"question": "brew_tea"})).structured_content
            assert answer["items"][0]["source_id"] == "tea.py"
        async with official(served) as client:
            there = {"question": "brew_tea", "workspace": "other place"}
            found = (await client.call_tool("helix_context_packet", there)).structured_content
            assert found["workspace"] == "other place"
            here = (await client.call_tool("helix_context_packet", {"question": "brew_tea"})).structured_content
            assert here["workspace"] == "project"
            assert any("workspace chooses another: other place" in note for note in here["notes"])
            refused = await client.call_tool("helix_search", {"question": "x", "workspace": "/etc"})
            assert "no open folder is named" in said_by(refused)

    asyncio.run(talk())
    message, headers = modern("tools/call", {"name": "helix_status", "arguments": {}})
    refused = post(served, message, headers, "/w/nowhere/mcp")
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "unknown_workspace")


def test_no_answer_names_a_folder_of_the_machine(served):
    async def talk():
        async with official(served, "/mcp?profile=full") as client:
            said = []
            for tool, arguments in {
                "helix_context_packet": {"question": "session cookie"},
                "helix_context": {"question": "session cookie"},
                "helix_status": {},
                "helix_neighbors": {"symbol": "sign_cookie"},
            }.items():
                said.append(said_by(await client.call_tool(tool, arguments)))
            assert served.ready["workspace"] not in "".join(said)

    asyncio.run(talk())


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_older_version_is_agreed_on(served, version):
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {**HANDSHAKE, "protocolVersion": version}}
    answer = post(served, asked)
    assert answer.status_code == 200
    assert answer.headers["mcp-session-id"]
    [line] = [each for each in answer.text.splitlines() if each.startswith("data: {")]
    assert json.loads(line.removeprefix("data: "))["result"]["protocolVersion"] == version
    end = {"mcp-session-id": answer.headers["mcp-session-id"], "MCP-Protocol-Version": version}
    with served.http() as client:
        assert client.delete("/mcp", headers=end).status_code == 200
    again = post(served, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, end)
    assert again.status_code == 404


def test_the_newer_protocol_over_http_behaves_as_specified(served):
    found = post(served, *modern("server/discover"))
    assert (found.status_code, found.json()["result"]["supportedVersions"]) == (200, [MODERN])
    assert "mcp-session-id" not in found.headers
    message, headers = modern("tools/list")
    mismatch = post(served, message, headers | {"Mcp-Method": "tools/call"})
    assert (mismatch.status_code, mismatch.json()["error"]["code"]) == (400, -32020)
    unknown = post(served, *modern("helix/nothing"))
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, -32601)
    notified = post(served, {"jsonrpc": "2.0", "method": "notifications/cancelled"}, headers)
    assert (notified.status_code, notified.content) == (202, b"")
    with served.http() as client:
        for more in ({}, {"MCP-Protocol-Version": MODERN}, {"mcp-session-id": "nobody"}):
            assert 400 <= client.get("/mcp", headers={"Accept": ACCEPT, **more}).status_code < 500
    version = post(served, message, headers | {"MCP-Protocol-Version": "2031-01-01"})
    assert version.status_code == 400


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer helix-wrong"}, 401),
        ({"Host": "evil.example:11437"}, 421),
        ({"Origin": "http://localhost:3000"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Accept": "text/html"}, 406),
    ],
)
def test_the_guard_stands_before_it(served, headers, status):
    message, right = modern("tools/list")
    for path in ("/mcp", "/w/project/mcp"):
        assert post(served, message, right | headers, path).status_code == status


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[" * 200_000, b"\xff", b"[]", b"3", b'{"jsonrpc":"2.0"}', b"[{}]", b'{"id":' + b"9" * 9_999 + b"}"],
)
@pytest.mark.parametrize("era", [{}, {"MCP-Protocol-Version": MODERN}])
def test_what_is_no_message_is_refused_and_the_next_is_answered(served, body, era):
    headers = {"Accept": ACCEPT, "Content-Type": "application/json", **era}
    with served.http() as client:
        answer = client.post("/mcp", content=body, headers=headers)
        assert 400 <= answer.status_code < 500
        assert b"Traceback" not in answer.content and b"site-packages" not in answer.content
        assert client.post("/mcp", content=b" " * (MAX_BODY_BYTES + 1), headers=headers).status_code == 413
    assert post(served, *modern("tools/list")).status_code == 200


def test_the_session_that_was_idle_longest_gives_way_to_a_new_one(served):
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    headers = {"Accept": ACCEPT, "Content-Type": "application/json"}

    def opened(client):
        answer = client.post("/mcp", content=json.dumps(asked), headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.headers["mcp-session-id"]

    def status(client, session):
        return client.post("/mcp", content=json.dumps(ping), headers={**headers, "mcp-session-id": session}).status_code

    with served.http() as client:
        sessions = [opened(client) for _ in range(MOST_SESSIONS)]
        assert status(client, sessions[0]) < 300
        sessions.append(opened(client))
        assert status(client, sessions[1]) == 404, "it was idle longest"
        assert status(client, sessions[0]) < 300
        assert status(client, sessions[-1]) < 300
        client.delete("/mcp", headers={"mcp-session-id": sessions[2]})
        sessions.append(opened(client))
        assert status(client, sessions[3]) < 300, "room was there"
        for each in (sessions[0], *sessions[3:]):
            assert client.delete("/mcp", headers={"mcp-session-id": each}).status_code == 200


def test_a_message_that_drips_is_given_up(monkeypatch):
    monkeypatch.setattr("helix_ls.proxy.agents.read_body", partial(read_body, limit_s=0.05))

    async def drip():
        await asyncio.sleep(0.001)
        return {"type": "http.request", "body": b" ", "more_body": True}

    async def play():
        scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": [(b"content-type", b"application/json")]}
        agents = Agents(Workspaces(list), Signals(Path("/nowhere")), ModelExtractor(Upstreams([])), writes=False)
        try:
            await agents(scope, drip, None)
        finally:
            await agents.end()

    with pytest.raises(HttpError) as refused:
        asyncio.run(play())
    assert refused.value.status == 408


def test_only_what_reads_is_offered_and_the_list_is_the_same_everywhere(served):
    lists = []
    for path in ("/mcp", "/w/other%20place/mcp"):
        lists.append(post(served, *modern("tools/list"), path).content)
    assert lists[0] == lists[1]
    with served.admin() as admin:
        message, headers = modern("tools/list")
        sent = {"Accept": ACCEPT, "Content-Type": "application/json", **headers}
        full = admin.post("/mcp?profile=full", content=json.dumps(message), headers=sent).json()["result"]["tools"]
    assert len(full) > len(LISTED)
    for tool in full:
        assert tool["annotations"] == READ_ONLY
        assert not any(word in tool["name"] for word in WRITERS)


@pytest.mark.slow
def test_a_question_is_taken_back_when_its_client_leaves(served):
    message, headers = modern("tools/call", {"name": "helix_context_packet", "arguments": {"question": "sign_cookie"}})
    sent = {"Accept": ACCEPT, "Authorization": f"Bearer {served.key}", **headers}

    async def leave():
        async with httpx.AsyncClient(base_url=served.url, headers=sent) as client:
            asked = [asyncio.create_task(client.post("/mcp", json=message)) for _ in range(40)]
            await asyncio.sleep(0.01)
            for each in asked:
                each.cancel()
            await asyncio.gather(*asked, return_exceptions=True)

    asyncio.run(leave())
    assert post(served, message, headers).json()["result"]["structuredContent"]["verified"]
    assert b"ERROR" not in served.log and b"Traceback" not in served.log
