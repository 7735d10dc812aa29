"""The process: it starts, is found, lets nobody hang, and goes without a trace."""

import asyncio
import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time

import httpx
import psutil
import pytest

from helix_ls.proxy.keys import users_key
from helix_ls.proxy.running import NotRunningError, found
from helix_ls.proxy.server import UvicornServer, bound, settings
from tests.host.clients import until
from tests.mcp.conftest import repository

ASK = [{"role": "user", "content": "where are session cookies signed?"}]


KIND = {"Content-Type": "application/json"}


def body(model, **more):
    return json.dumps({"model": model, "messages": ASK, "stream": True, **more}).encode()


def leave_after(server, model, first_bytes):
    """Ask, wait for so many bytes of the answer (none: until the upstream has been asked), and go."""
    data = body(model)
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{server.ready['port']}\r\n"
        f"Authorization: Bearer {server.key}\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    client = socket.create_connection(("127.0.0.1", server.ready["port"]), timeout=60)
    client.sendall(head.encode() + data)
    if first_bytes:
        assert client.recv(first_bytes)
    return client


@pytest.mark.slow
@pytest.mark.parametrize(("model", "first_bytes"), [("silent", 0), ("stall", 1)])
def test_the_upstream_is_left_as_soon_as_the_client_has_gone(start, project, environ, upstream, model, first_bytes):
    server = start(project, HELIX_PROXY_IDLE_S="600")
    took = []
    for _ in range(50):
        upstream.forget()
        client = leave_after(server, model, first_bytes)
        assert upstream.go_on.wait(60)
        left = time.monotonic()
        client.close()
        until(lambda: upstream.left, "the upstream sees it go")
        took.append(upstream.left[0] - left)
    # Without noticing, it would be left after its 600 s of silence.
    assert max(took) < 300, took
    until(lambda: upstream.open == 0, "no connection is left open")
    with server.http() as http_client:
        until(lambda: "helix_chats_open 0" in http_client.get("/metrics").text, "no chat is under way")
        assert 'helix_answers_total{ended="client_left"} 50' in http_client.get("/metrics").text


def test_an_absolute_target_goes_nowhere_else(server, upstream):
    connection = http.client.HTTPConnection("127.0.0.1", server.ready["port"], timeout=60)
    headers = {
        "Host": f"127.0.0.1:{server.ready['port']}",
        "Authorization": f"Bearer {server.key}",
        "Content-Type": "application/json",
    }
    connection.request("POST", "http://192.0.2.1:9/v1/chat/completions", body("plain"), headers)
    answer = connection.getresponse()
    assert (answer.status, answer.read()[-14:]) == (200, b"data: [DONE]\n\n")
    connection.close()
    assert [path for path, _, _ in upstream.asked] == ["/v1/chat/completions"]
    assert upstream.asked[0][1]["Host"] == upstream.base.removeprefix("http://").removesuffix("/v1")


def test_64_streams_at_once_all_come_to_their_end(server):
    process = psutil.Process(server.ready["pid"])

    async def one(client):
        answer = await client.post("/v1/chat/completions", content=body("plain"))
        return answer.text.endswith("data: [DONE]\n\n") and answer.text.count("data:") == 7

    async def every():
        headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
        limits = httpx.Limits(max_connections=64)
        async with httpx.AsyncClient(base_url=server.url, headers=headers, timeout=60, limits=limits) as client:
            return await asyncio.gather(*(one(client) for _ in range(64)))

    assert all(asyncio.run(every()))
    before = process.memory_info().rss
    assert all(asyncio.run(every()))
    assert process.memory_info().rss - before < 64 << 20


def test_a_client_that_does_not_read_holds_no_more_than_its_buffers(server, upstream):
    """The upstream has 300 MB to say; what nobody reads stays on its side."""
    process = psutil.Process(server.ready["pid"])
    leave_after(server, "plain", 1).close()
    before = process.memory_info().rss
    slow = leave_after(server, "flood", 1)
    until(lambda: upstream.go_on.wait(0.2), "the flood has begun")
    with server.http() as client:
        for _ in range(5):
            assert client.post("/v1/chat/completions", content=body("plain"), headers=JSON).status_code == 200
    assert process.memory_info().rss - before < 32 << 20
    slow.close()
    until(lambda: upstream.open == 0, "the upstream is left")


def test_a_flood_that_is_left_in_the_middle_keeps_the_loop_busy_for_less_than_50_ms(server, upstream):
    """Work, not waiting: what every thread did from the client's leaving on, so the loop did no more in one go."""
    process = psutil.Process(server.ready["pid"])
    took = []
    for _ in range(5):
        upstream.forget()
        client = leave_after(server, "flood", 1)
        heard = 0
        while heard < 5 << 20:
            heard += len(client.recv(1 << 20))
        before = sum(process.cpu_times()[:2])
        client.close()
        until(lambda: upstream.open == 0, "the upstream is left")
        took.append(sum(process.cpu_times()[:2]) - before)
    assert sorted(took)[2] < 0.05, took


JSON = {"Content-Type": "application/json"}


def test_a_port_that_a_stranger_has_is_passed_over_and_the_stranger_is_told_no_key(start, project, environ):
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        port = stranger.getsockname()[1]
        server = start(project, "--port", str(port))
        assert server.ready["port"] > port
        assert server.ready["url"] == f"http://127.0.0.1:{server.ready['port']}"
        assert server.connected == {
            "base_url": f"{server.url}/v1",
            "api_key": server.key,
            "workspace": str(project),
        }
        assert server.ready["workspace"] == str(project)
        assert server.ready["pid"] == server.process.pid


def test_a_squatter_on_the_port_of_a_server_that_has_died_is_not_believed(start, environ, tmp_path):
    own = environ | {"HELIX_RUNTIME_DIR": str(tmp_path / "run")}
    server = start(repository(tmp_path / "project"), HELIX_RUNTIME_DIR=str(tmp_path / "run"))
    assert found(own, users_key(own)).port == server.ready["port"]
    server.process.kill()
    server.process.wait(60)
    with socket.create_server(("127.0.0.1", server.ready["port"]), reuse_port=False) as squatter:
        asked = subprocess.Popen(
            [sys.executable, "-m", "helix_ls.cli", "connect", "openai", "--json"],
            env=own,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        connection, _ = squatter.accept()
        heard = connection.recv(65536)
        connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{"status":"ok"}')
        said, complaint = asked.communicate(timeout=60)
        connection.close()
    assert heard.startswith(b"GET /health?nonce=")
    assert server.key.encode() not in heard
    assert (asked.returncode, said) == (1, b"")
    assert b"no server is running" in complaint


@pytest.mark.slow
def test_a_second_folder_is_asked_by_name_by_header_or_by_path_and_no_other_is_opened(start, project, tmp_path):
    other = repository(tmp_path / "other place", {"zebra.py": "def stripes():\n    return 2\n"})
    server = start(project, "--also", str(other))
    ask = {"query": "stripes"}
    with server.http() as client:
        assert client.post("/context/packet", json=ask).json()["workspace"] == str(project)
        named = "/w/other%20place"
        until(lambda: client.post(f"{named}/context/packet", json=ask).json()["verified"], "it is indexed")
        for path, headers in (
            (named, {}),
            ("", {"X-Helix-Workspace": "other place"}),
            (f"/w/{str(other).replace('/', '%2F').replace(' ', '%20')}", {}),
        ):
            answer = client.post(f"{path}/context/packet", json=ask, headers=headers).json()
            assert answer["workspace"] == str(other)
        for name in ("nowhere", "%2Fetc", "%2e%2e", ""):
            assert client.post(f"/w/{name}/context/packet", json=ask).status_code == 404, name
        assert client.post(f"{named}/v1/chat/completions", json={"model": "plain", "messages": ASK}).status_code == 200


def test_it_leaves_at_once_when_told_and_leaves_nothing(start, environ, tmp_path):
    own = {"HELIX_RUNTIME_DIR": str(tmp_path / "run")}
    server = start(repository(tmp_path / "project"), **own)
    for process in psutil.Process(server.process.pid).children(recursive=True):
        assert "HELIX_UPSTREAM_KEY" not in process.environ()
    waiting = leave_after(server, "stall", 1)
    assert server.close() == 0
    waiting.close()
    with pytest.raises(NotRunningError):
        found(environ | own, server.key)
    assert not list((tmp_path / "run").glob("helix-serve-*"))
    # On a busy machine the server answers before its index is whole, and says so.
    assert [line for line in server.log.splitlines() if b"answers already" not in line] == []


@pytest.mark.slow
def test_a_chat_goes_on_when_its_folder_has_gone(start, tmp_path, upstream):
    folder = repository(tmp_path / "project")
    server = start(folder)
    folder.rename(tmp_path / "elsewhere")
    with server.http() as client:
        answer = client.post("/v1/chat/completions", json={"model": "plain", "messages": ASK})
        assert answer.status_code == 200
        assert answer.headers["x-helix-context"] in ("none", "failed", "added")
        asked = client.post("/context/packet", json={"query": "sign_cookie"})
    assert asked.status_code in (200, 400, 500) and b"Traceback" not in asked.content
    answered = [message["content"] for body in upstream.bodies() for message in body["messages"]]
    assert not any("def sign_cookie" in text for text in answered)


def test_a_client_that_leaves_while_it_still_sends_is_nobodys_trouble(server, upstream):
    with socket.create_connection(("127.0.0.1", server.ready["port"]), timeout=60) as client:
        client.sendall(
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{server.ready['port']}\r\nAuthorization: Bearer "
            f"{server.key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{".encode()
        )
    with server.http() as client:
        until(lambda: "helix_chats_open 0" in client.get("/metrics").text, "no chat is under way")
    assert upstream.asked == []
    assert b"ERROR" not in server.log


CLIENTS = ("continue", "cursor", "cline", "zed", "claude", "codex", "vscode", "claude-code", "codex-chats")


def connect(server, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "helix_ls.cli", "connect", *arguments],
        env=server.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.slow
def test_every_client_gets_its_configuration_with_the_place_it_belongs_to(server):
    for client in CLIENTS:
        done = connect(server, client, "--json", "--model", "qwen")
        said = json.loads(done.stdout)
        assert said["where"], client
        assert (server.url in said["configuration"]) != ('"mcp"' in said["configuration"]), client
    assert server.key not in connect(server, "zed").stderr
    assert f"OPENAI_API_KEY={server.key}" in connect(server, "openai").stdout
    anthropic = f"ANTHROPIC_BASE_URL={server.url}\nANTHROPIC_API_KEY={server.key}\n"
    assert connect(server, "anthropic").stdout == anthropic
    assert connect(server, "ollama").stdout == f"OLLAMA_HOST={server.url}\nOLLAMA_API_KEY={server.key}\n"
    refused = connect(server, "emacs")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "continue" in refused.stderr


def test_a_server_that_stops_ends_streams_with_an_error_and_refuses_what_waits(start, project, upstream):
    server = start(project, HELIX_PROXY_IDLE_S="600")
    said, waiting = [], []

    def wait():
        with server.http() as client:
            waiting.append(client.post("/v1/chat/completions", content=body("silent"), headers=KIND))

    with server.http() as client:
        with client.stream("POST", "/v1/chat/completions", content=body("stall"), headers=KIND) as answer:
            parts = answer.iter_text()
            said.append(next(parts))
            thread = threading.Thread(target=wait)
            thread.start()
            until(lambda: len(upstream.bodies()) == 2, "the second chat has reached the upstream")
            server.process.terminate()
            said += parts
        thread.join(60)
    *_, error, done = "".join(said).strip().split("\n\n")
    assert json.loads(error.removeprefix("data: "))["error"]["message"].startswith("the Helix server is stopping")
    assert done == "data: [DONE]"
    assert (waiting[0].status_code, waiting[0].json()["error"]["code"]) == (503, "stopping")
    assert waiting[0].headers["retry-after"]
    assert server.process.wait(60) == 0


def test_a_body_that_drips_ends_its_connection_on_every_route(monkeypatch):
    monkeypatch.setattr("helix_ls.proxy.server.MOST_BODY_S", 0.3)

    async def silent(scope, receive, send):
        """A route that has no limit of its own."""
        while (await receive())["type"] != "http.disconnect":
            pass

    async def play():
        leaving, listener = asyncio.Event(), bound(0)
        server = UvicornServer(settings(silent, lifespan="off"), leaving)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(b"GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")

        async def drip():
            with contextlib.suppress(ConnectionError):
                while True:
                    writer.write(b" ")
                    await writer.drain()
                    await asyncio.sleep(0.05)

        dripping = asyncio.create_task(drip())
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(reader.read(), 60) == b""
        dripping.cancel()
        writer.close()
        server.leave()
        await serving

    asyncio.run(play())


def test_without_an_upstream_it_says_so_once_and_the_rest_works(start, project):
    server = start(project, HELIX_UPSTREAM="")
    with server.http() as client:
        answer = client.post("/v1/chat/completions", json={"model": "m", "messages": ASK})
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "no_upstream")
        assert client.get("/v1/models").json() == {"object": "list", "data": []}
        assert client.post("/context/packet", json={"query": "sign_cookie"}).json()["verified"]
    server.close()
    said = [line for line in server.log.splitlines() if b"is still being brought up to date" not in line]
    assert len(said) == 1 and b"HELIX_UPSTREAM" in said[0]


def test_a_folder_that_is_not_there_is_one_line_and_a_misuse(environ, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "helix_ls.cli", "serve", str(tmp_path / "no"), "--port", "0"],
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=os.getcwd(),
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and "does not exist" in done.stderr
