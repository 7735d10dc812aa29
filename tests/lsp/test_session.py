"""A session's edges: streams that stop, clients that die or do not read, a server that takes over, huge documents."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from helix_ls.host.framing import Frames
from helix_ls.host.host import Host
from helix_ls.lsp import session
from helix_ls.lsp.session import serve
from tests.lsp.conftest import StartWire
from tests.lsp.wire import Wire, environment, framed

DYNAMIC = {
    "workspace": {
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "didChangeConfiguration": {"dynamicRegistration": True},
    }
}


class Memory:
    """A sink that keeps what it is given; ``unsent`` is what it pretends the client has not read."""

    def __init__(self, unsent: int = 0) -> None:
        self.data = b""
        self.unsent = unsent

    @property
    def transport(self) -> Memory:
        return self

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def write(self, data: bytes) -> None:
        self.data += data

    def close(self) -> None:
        return

    def messages(self) -> list[Any]:
        return [json.loads(part.split(b"\r\n\r\n")[1]) for part in self.data.split(b"Content-Length: ")[1:]]


def run_session(*messages: Any, resumed: bool = False, unsent: int = 0) -> tuple[int, list[Any]]:
    """The exit code and all that was said to a client that says this and leaves."""

    async def run() -> tuple[int, list[Any]]:
        host = Host(mode="solo", linger_s=0)
        reader, sink = asyncio.StreamReader(), Memory(unsent)
        for message in messages:
            reader.feed_data(framed({"jsonrpc": "2.0", **message}))
        serving = asyncio.create_task(serve(host, Frames(reader), sink, resumed=resumed))
        await asyncio.sleep(0.2)
        reader.feed_eof()
        code = await serving
        await host.close()
        return code, sink.messages()

    return asyncio.run(run())


def initialize(capabilities: Any) -> list[Any]:
    params = {"processId": None, "rootUri": None, "capabilities": capabilities}
    return [{"id": 1, "method": "initialize", "params": params}, {"method": "initialized", "params": {}}]


def registrations(said: list[Any]) -> list[str]:
    asked = [one["params"]["registrations"] for one in said if one.get("method") == "client/registerCapability"]
    return [each["method"] for some in asked for each in some]


def test_a_server_that_takes_over_registers_nothing_twice() -> None:
    _, said = run_session(*initialize(DYNAMIC))
    assert registrations(said) == ["workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration"]
    _, said = run_session(*initialize(DYNAMIC), resumed=True)
    assert registrations(said) == []


def test_the_exit_code_is_the_protocols() -> None:
    assert run_session(*initialize({}))[0] == 1
    assert run_session(*initialize({}), {"method": "exit"})[0] == 1
    assert run_session(*initialize({}), {"id": 2, "method": "shutdown"}, {"method": "exit"})[0] == 0


def test_a_client_that_does_not_read_is_let_go() -> None:
    code, said = run_session(*initialize({}), unsent=session.MOST_UNSENT_BYTES + 1)
    assert (code, said) == (1, [])


def test_a_session_leaves_no_task_behind() -> None:
    async def run() -> set[Any]:
        host = Host(mode="solo", linger_s=0)
        for _ in range(3):
            reader, sink = asyncio.StreamReader(), Memory()
            for message in initialize(DYNAMIC):
                reader.feed_data(framed({"jsonrpc": "2.0", **message}))
            reader.feed_eof()
            await serve(host, Frames(reader), sink)
        await host.close()
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(run()) == set()


@pytest.mark.process
def test_it_leaves_when_the_editor_was_killed_though_somebody_holds_its_input(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    editor = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    wire = Wire(home)
    try:
        params = {"processId": editor.pid, "rootUri": None, "capabilities": {}}
        wire.result("initialize", params)
        assert wire.is_alive()
        editor.send_signal(signal.SIGKILL)
        editor.wait()
        assert wire.wait() == 1
    finally:
        editor.kill()
        editor.wait()
        wire.close()


def test_no_child_is_left_when_it_is_killed(start: StartWire, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(400):
        (folder / f"m{number}.py").write_text("\n".join(f"def f{n}(a):\n    return a\n" for n in range(60)))
    wire = start()
    wire.initialize(folder)
    wire.until_told("helix/status", lambda told: told["state"] == "indexing" and told["total"])
    children = psutil.Process(wire.process.pid).children(recursive=True)
    wire.process.kill()
    wire.process.wait()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []


@pytest.mark.process
@pytest.mark.parametrize("source", ["file", "nothing"])
def test_input_may_be_a_file_or_nothing(tmp_path: Path, source: str) -> None:
    script = tmp_path / "said.txt"
    messages = [*initialize({}), {"id": 2, "method": "shutdown"}, {"method": "exit"}]
    script.write_bytes(b"".join(framed({"jsonrpc": "2.0", **each}) for each in messages))
    with open(script if source == "file" else os.devnull, "rb") as stdin:
        done = subprocess.run(
            [sys.executable, "-m", "helix_ls.lsp"],
            stdin=stdin,
            capture_output=True,
            timeout=120,
            env=environment(tmp_path),
            check=False,
        )
    assert done.returncode == (0 if source == "file" else 1)
    assert (b"serverInfo" in done.stdout) == (source == "file")


@pytest.mark.process
def test_it_leaves_when_nobody_reads_its_output(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "helix_ls.lsp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(tmp_path),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    process.stdin.write(framed({"jsonrpc": "2.0", **initialize({})[0]}))
    process.stdin.flush()
    assert process.wait(60) == 1
    process.stdin.close()


def cpu_of_an_answer(wire: Wire) -> float:
    """CPU seconds of the server for each of some answers, whatever else the machine does."""
    process = psutil.Process(wire.process.pid)
    before = sum(process.cpu_times()[:2])
    for _ in range(20):
        assert wire.is_alive()
    return (sum(process.cpu_times()[:2]) - before) / 20


@pytest.mark.slow
def test_a_document_of_a_million_lines_keeps_nobody_waiting(visited: Wire, project: Path) -> None:
    text = "x = 'some forty characters of a line ....'\n" * 1_000_000
    (project / "huge.py").write_text("x = 1\n")
    uri = visited.open(project / "huge.py", text)
    assert visited.is_alive()
    for version in range(2, 60):
        span = {"start": {"line": version * 1000, "character": 2}, "end": {"line": version * 1000, "character": 3}}
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"range": span, "text": "y"}]}
        visited.notify("textDocument/didChange", params)
    assert cpu_of_an_answer(visited) < 0.3
    where = {"textDocument": {"uri": uri}, "position": {"line": 5, "character": 0}}
    assert visited.result("textDocument/hover", where) is None


@pytest.mark.slow
def test_one_line_of_many_megabytes_keeps_nobody_waiting(visited: Wire, project: Path) -> None:
    for size in (3_900_000, 30_000_000):
        uri = visited.open(project / f"line{size}.py", "y" * size)
        assert visited.is_alive()
        for version in range(2, 30):
            span = {"start": {"line": 0, "character": size // 2}, "end": {"line": 0, "character": size // 2}}
            params = {
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"range": span, "text": "é"}],
            }
            visited.notify("textDocument/didChange", params)
        assert cpu_of_an_answer(visited) < 0.3


def test_a_notice_is_logged_at_the_client_behind_its_first_answer(start: StartWire) -> None:
    wire = start("-c", "from helix_ls.lsp.session import run; raise SystemExit(run(notice='no daemon could start'))")
    wire.initialize()
    told = wire.until_told("window/logMessage", lambda _: True)
    assert told == {"type": 2, "message": "no daemon could start"}
    assert "result" in wire.heard[0]
    assert wire.is_alive()
    assert len(wire.told("window/logMessage")) == 1
