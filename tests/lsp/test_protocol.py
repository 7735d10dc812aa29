"""Where pygls leaves the protocol: one test for each row of what our subclass corrects, spoken in raw bytes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp.conftest import StartWire, serving, visiting
from tests.lsp.wire import Message, Wire, framed

HOVER = {"textDocument": {"uri": "file:///nowhere.py"}, "position": {"line": 0, "character": 0}}


@pytest.fixture(scope="module")
def greeted(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> Iterator[Wire]:
    """One initialized server for all that leaves it as it was."""
    with serving(tmp_path_factory.mktemp("greeted")) as wire:
        yield wire


def test_before_initialize_requests_are_refused_and_notifications_passed_over(wire: Wire, project: Path) -> None:
    assert wire.error("textDocument/hover", HOVER)["code"] == -32002
    assert wire.error("shutdown")["code"] == -32002
    wire.open(project / "README.md")
    assert wire.error("initialize", {"capabilities": 5})["code"] == -32602
    assert wire.error("textDocument/hover", HOVER)["code"] == -32002, "an initialize that failed may be sent again"
    assert wire.initialize(project)["serverInfo"]["name"] == "helix"
    assert wire.is_alive()


def test_a_second_initialize_is_refused(greeted: Wire) -> None:
    assert greeted.error("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["code"] == -32600


def test_after_shutdown_requests_are_refused_and_exit_is_a_success(wire: Wire) -> None:
    wire.initialize()
    wire.result("shutdown")
    assert wire.error("textDocument/hover", HOVER)["code"] == -32600
    assert wire.error("shutdown")["code"] == -32600
    wire.notify("exit")
    assert wire.wait() == 0


def test_exit_without_shutdown_is_a_failure(wire: Wire) -> None:
    wire.initialize()
    wire.notify("exit")
    assert wire.wait() == 1


def test_exit_before_initialize_is_a_failure(wire: Wire) -> None:
    wire.notify("exit")
    assert wire.wait() == 1


def test_the_end_of_input_is_the_end_of_the_process(opened: Wire) -> None:
    assert opened.process.stdin is not None
    opened.process.stdin.close()
    assert opened.wait() == 1


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["shutdown", "exit", "eof"])
def test_it_leaves_at_once_while_the_first_index_is_made(start: StartWire, tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(600):
        (folder / f"m{number}.py").write_text(
            "\n".join(f"def f{number}_{n}(a):\n    return a + {n}\n" for n in range(40))
        )
    wire = start()
    wire.initialize(folder)
    wire.until_told("helix/status", lambda told: told["state"] == "indexing")
    if ending == "shutdown":
        assert wire.stop() == 0
    elif ending == "exit":
        wire.notify("exit")
        assert wire.wait() == 1
    else:
        assert wire.process.stdin is not None
        wire.process.stdin.close()
        assert wire.wait() == 1
    assert "fresh" not in {told["state"] for told in wire.told("helix/status")}


def test_shutdown_answers_every_request_that_still_runs(start: StartWire, project: Path) -> None:
    wire = start("-c", SLOW)
    wire.initialize(project)
    asked = [wire.ask("workspace/executeCommand", {"command": "helix.slow"}) for _ in range(5)]
    assert wire.stop() == 0
    assert [wire.answers_to(number)[0]["error"]["code"] for number in asked] == [-32800] * 5


@pytest.fixture(scope="module")
def dawdling(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> Iterator[Wire]:
    """The module's server with the command ``helix.slow``."""
    with serving(tmp_path_factory.mktemp("slow"), "-c", SLOW) as wire:
        yield wire


@pytest.fixture
def slow(dawdling: Wire, project: Path) -> Iterator[Wire]:
    """The same with the repository as its only folder."""
    with visiting(dawdling, project) as wire:
        yield wire


def test_cancelling_answers_and_stops_the_work(slow: Wire) -> None:
    wire = slow
    number = wire.ask("workspace/executeCommand", {"command": "helix.slow"})
    wire.until_told("test/count", lambda count: count >= 3)
    wire.notify("$/cancelRequest", {"id": number})
    assert wire.answer(number)["error"]["code"] == -32800
    wire.until_told("test/stopped", lambda _: True)
    counted = len(wire.told("test/count"))
    time.sleep(0.3)
    assert len(wire.told("test/count")) == counted
    assert len(wire.answers_to(number)) == 1


@pytest.mark.slow
def test_cancelling_a_packet_ends_it_with_one_answer(visited: Wire) -> None:
    asked = []
    for _ in range(30):
        number = visited.ask(
            "workspace/executeCommand", {"command": "helix.packet", "arguments": [{"question": "cookie"}]}
        )
        visited.notify("$/cancelRequest", {"id": number})
        asked.append(number)
    codes = [visited.answer(number).get("error", {"code": 0})["code"] for number in asked]
    assert set(codes) <= {0, -32800}
    assert -32800 in codes
    assert visited.is_alive()
    assert all(len(visited.answers_to(number)) == 1 for number in asked)


@pytest.mark.parametrize("params", [{"id": "never"}, {"id": None}, {"id": {"a": 1}}, {}, [], None, 7])
def test_cancelling_what_is_not_there_is_passed_over(greeted: Wire, params: object) -> None:
    greeted.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": params})
    assert greeted.is_alive()


@pytest.mark.parametrize(
    "params",
    [
        {"textDocument": 5},
        {"textDocument": {"uri": "file:///a.py"}, "position": {"line": "x", "character": 0}},
        {"textDocument": {"uri": "file:///a.py"}, "position": {"line": -1, "character": 0}},
        [],
        None,
        17,
        "text",
    ],
)
def test_wrong_parameters_are_told_with_the_requests_own_id(greeted: Wire, params: object) -> None:
    error = greeted.error("textDocument/hover", params)
    assert error["code"] == -32602
    assert "textDocument/hover" in error["message"]
    assert "\n" not in error["message"]


def test_a_notification_with_wrong_parameters_is_passed_over_without_a_pop_up(greeted: Wire) -> None:
    greeted.notify("textDocument/didOpen", {"textDocument": 3})
    assert greeted.is_alive()
    assert greeted.told("window/showMessage") == []


@pytest.mark.parametrize("method", ["textDocument/nothing", "$/nothing", "", "textDocument/didOpenn"])
def test_an_unknown_method_is_told(greeted: Wire, method: str) -> None:
    assert greeted.error(method, {})["code"] == -32601


def test_an_unknown_notification_is_passed_over(greeted: Wire) -> None:
    greeted.notify("$/nothing")
    greeted.notify("workspace/nothing", {"a": 1})
    assert greeted.is_alive()


FAULTY = """
from helix_ls.lsp import server
async def hover(connection, params):
    raise RuntimeError("secret of " + __file__ if "__file__" in globals() else "secret")
server.hover = hover
from helix_ls.lsp.session import run
raise SystemExit(run())
"""


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> Iterator[Wire]:
    """The module's server whose every hover fails."""
    with serving(tmp_path_factory.mktemp("faulty"), "-c", FAULTY) as wire:
        yield wire


def test_a_failure_inside_shows_nothing_of_our_insides(faulty: Wire) -> None:
    error = faulty.error("textDocument/hover", HOVER)
    assert error["code"] == -32603
    assert set(error) == {"code", "message"}
    assert "helix_ls" not in error["message"]
    assert "secret" not in error["message"]
    assert "Traceback" not in json.dumps(error)


def test_a_client_that_traces_verbosely_gets_the_traceback(faulty: Wire) -> None:
    faulty.notify("$/setTrace", {"value": "verbose"})
    assert "Traceback" in json.dumps(faulty.error("textDocument/hover", HOVER)["data"])
    faulty.notify("$/setTrace", {"value": "off"})
    assert "data" not in faulty.error("textDocument/hover", HOVER)


def test_the_trace_follows_setTrace_at_once(visited: Wire) -> None:
    wire = visited
    wire.result("textDocument/hover", HOVER)
    assert wire.told("$/logTrace") == []
    wire.notify("$/setTrace", {"value": "messages"})
    wire.result("textDocument/hover", HOVER)
    heard = wire.told("$/logTrace")
    assert len(heard) == 1
    assert "textDocument/hover" in heard[0]["message"]
    wire.command("helix.search", {"question": "a very private question"})
    wire.notify("$/setTrace", {"value": "off"})
    wire.result("textDocument/hover", HOVER)
    assert "private" not in json.dumps(wire.told("$/logTrace"))
    assert len(wire.told("$/logTrace")) == 2
    assert "private" not in wire.errors.read_text()


def test_a_duplicate_id_is_refused_and_the_first_still_answered(slow: Wire) -> None:
    wire, params = slow, {"command": "helix.slow"}
    for _ in range(2):
        wire.send({"jsonrpc": "2.0", "id": "twice", "method": "workspace/executeCommand", "params": params})
    assert wire.answer("twice")["error"]["code"] == -32600
    wire.notify("$/cancelRequest", {"id": "twice"})
    wire.until(lambda one: one.get("id") == "twice" and one.get("error", {}).get("code") == -32800)
    assert len(wire.answers_to("twice")) == 2


def test_an_id_may_be_used_again_once_it_is_answered(greeted: Wire) -> None:
    for _ in range(2):
        greeted.send({"jsonrpc": "2.0", "id": "again", "method": "textDocument/hover", "params": HOVER})
    greeted.until(lambda _: len([one for one in greeted.heard if one.get("id") == "again"]) == 2)


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> Iterator[Wire]:
    """The module's server that asks its client for settings."""
    with serving(tmp_path_factory.mktemp("asking"), capabilities={"workspace": {"configuration": True}}) as wire:
        wire.answers["workspace/configuration"] = lambda params: [None for _ in params["items"]]
        yield wire


@pytest.fixture
def asked(asking: Wire, project: Path) -> Iterator[Message]:
    """The server's request that a new folder brings, while the folder is open."""
    with visiting(asking, project) as wire:
        yield wire.until(lambda one: one.get("method") == "workspace/configuration")


def test_an_id_of_ours_may_be_one_of_theirs(asking: Wire, asked: Message) -> None:
    asking.send({"jsonrpc": "2.0", "id": asked["id"], "method": "textDocument/hover", "params": HOVER})
    assert asking.answer(asked["id"])["result"] is None


def test_a_late_or_unasked_reply_does_no_harm(asking: Wire, asked: Message) -> None:
    wire = asking
    for _ in range(3):
        wire.send({"jsonrpc": "2.0", "id": asked["id"], "result": [None]})
    wire.send({"jsonrpc": "2.0", "id": "never-asked", "result": 1})
    wire.send({"jsonrpc": "2.0", "id": 12345, "error": {"code": 1, "message": "no"}})
    wire.send({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "you sent nonsense"}})
    assert wire.is_alive()
    assert "Traceback" not in wire.errors.read_text()


PRINTING = """
import ctypes, os, sys
from helix_ls.lsp import server
whole = server.hover
async def hover(connection, params):
    print("printed", flush=True)
    sys.__stdout__.write("written")
    sys.__stdout__.flush()
    os.write(1, b"raw")
    libc = ctypes.CDLL(None)
    libc.puts(b"from C")
    libc.fflush(None)
    os.system("echo from a child")
    return await whole(connection, params)
server.hover = hover
from helix_ls.lsp.session import run
raise SystemExit(run())
"""


def test_nothing_that_prints_reaches_the_client(start: StartWire) -> None:
    wire = start("-c", PRINTING)
    wire.initialize()
    for _ in range(3):
        assert wire.result("textDocument/hover", HOVER) is None
    assert wire.stop() == 0
    said = wire.errors.read_text()
    for words in ("printed", "written", "raw", "from C", "from a child"):
        assert words in said


def test_a_thousand_requests_taken_back_get_a_thousand_answers(visited: Wire, project: Path) -> None:
    uri = visited.open(project / "app/sessions.py")
    params = {"textDocument": {"uri": uri}, "position": {"line": 5, "character": 6}}
    numbers, data = range(10_000, 11_000), b""
    for number in numbers:
        data += framed({"jsonrpc": "2.0", "id": number, "method": "textDocument/hover", "params": params})
        data += framed({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}})
    visited.raw(data)
    visited.answer(10_999)
    assert visited.is_alive()
    assert all(len(visited.answers_to(number)) == 1 for number in numbers)


@pytest.mark.slow
def test_a_message_with_half_a_character_is_answered_with_whole_ones(visited: Wire) -> None:
    params = b'{"command":"helix.search","arguments":[{"question":"cookie \\ud83d"}]}'
    body = b'{"jsonrpc":"2.0","id":9,"method":"workspace/executeCommand","params":%s}' % params
    visited.raw(framed(body))
    assert visited.answer(9)["result"]["query"] == "cookie \N{REPLACEMENT CHARACTER}"


SLOW = """
import threading, time
from helix_ls.lsp import commands
from helix_ls.operations.arguments import Operation
from helix_ls.operations.hosting import NoArguments
whole = commands.Commands.__init__
def begin(self, questions, acts, memory, carrying):
    whole(self, questions, acts, memory, carrying)
    connection = acts._connection
    loop = []
    def tell(method, params):
        loop[0].call_soon_threadsafe(connection.protocol.notify, method, params)
    def act(helix, overlays, cancelled):
        count = 0
        while not cancelled() and count < 6000:
            count += 1
            tell("test/count", count)
            time.sleep(0.01)
        tell("test/stopped", count)
    async def slow(given):
        import asyncio
        loop.append(asyncio.get_running_loop())
        for folder in connection.folders:
            await connection.ask(folder, act)
    self.table["helix.slow"] = commands.Command(Operation("slow", "Slow", "Slow.", NoArguments), slow)
commands.Commands.__init__ = begin
from helix_ls.lsp.session import run
raise SystemExit(run())
"""
