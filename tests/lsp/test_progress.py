"""A bar for work that lasts: begun once, never going back, ended exactly once; silence for the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.conftest import StartWire, serving, visiting
from tests.lsp.wire import NO_ANSWER, Wire

SHOWS = {"window": {"workDoneProgress": True}}
STEPPING = """
import asyncio, json
from helix_ls.host import open_workspace, status
whole = open_workspace.OpenWorkspace._take
def take(self, facts, paths, everything):
    # What the index thread says comes to nobody here: the test's own steps stand for it.
    if not hasattr(self, "_walk"):
        self._walk = asyncio.ensure_future(walk(self))
async def walk(self):
    for wait, done, total in json.loads((self.folder / "steps.json").read_text()):
        facts = status.IndexFacts(opened=True, whole=True, phase="reading", done=done, total=total)
        whole(self, facts, frozenset(), False)
        await asyncio.sleep(wait)
        if getattr(self, "_stopped", False):
            break
    stopped = getattr(self, "_stopped", False)
    done = status.IndexFacts(opened=True, whole=False, cancelled=stopped, paused=stopped, complete=True)
    whole(self, done, frozenset(), True)
open_workspace.OpenWorkspace._take = take
open_workspace.OpenWorkspace.cancel = lambda self: setattr(self, "_stopped", True)
from helix_ls.lsp.session import run
raise SystemExit(run())
"""


def bars(wire: Wire) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for told in wire.told("$/progress"):
        found.setdefault(told["token"], []).append(told["value"])
    return found


Step = tuple[float, int, int]
"""Seconds until the next, and how many files of how many are in."""


@pytest.fixture(scope="module")
def stepping(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> Iterator[Wire]:
    """The module's server that indexes a folder by its steps, for a client that shows bars."""
    with serving(tmp_path_factory.mktemp("stepping"), "-c", STEPPING, capabilities=SHOWS) as wire:
        yield wire


@contextmanager
def by_steps(wire: Wire, *folders: Path, steps: Sequence[Step], waits: bool = True) -> Iterator[None]:
    """The folders are open and indexed by these steps."""
    for folder in folders:
        (folder / "steps.json").write_text(json.dumps(steps))
    with visiting(wire, *folders, waits=waits):
        yield


def test_a_bar_begins_rises_and_ends_once(stepping: Wire, project: Path) -> None:
    steps = (1.3, 1, 100), (0.3, 20, 100), (0.3, 50, 100), (0.3, 40, 100), (0.3, 60, 200), (0.3, 190, 200)
    with by_steps(stepping, project, steps=steps):
        stepping.until_told("$/progress", lambda told: told["value"]["kind"] == "end")
        (values,) = bars(stepping).values()
    kinds = [value["kind"] for value in values]
    assert kinds[0] == "begin"
    assert kinds[-1] == "end"
    assert set(kinds[1:-1]) == {"report"}
    shares = [value["percentage"] for value in values[:-1]]
    assert shares == sorted(shares)
    assert shares[-1] == 95
    assert values[0]["cancellable"] is True
    assert "of 200 files" in values[-2]["message"]


def test_short_work_is_silent(stepping: Wire, project: Path) -> None:
    with by_steps(stepping, project, steps=((0.3, 1, 100), (0.3, 90, 100))):
        assert bars(stepping) == {}
        assert not [one for one in stepping.heard if one.get("method") == "window/workDoneProgress/create"]


def test_a_client_that_shows_none_gets_none(start: StartWire, project: Path) -> None:
    wire = start("-c", STEPPING)
    wire.initialize()
    with by_steps(wire, project, steps=((1.5, 1, 100), (0.3, 90, 100))):
        assert bars(wire) == {}
        assert not [one for one in wire.heard if one.get("method") == "window/workDoneProgress/create"]


LONG = ((1.3, 1, 100), *((0.2, number, 100) for number in range(2, 100)))


def test_a_cancelled_bar_stops_the_work_and_ends_once(stepping: Wire, project: Path) -> None:
    wire = stepping
    with by_steps(wire, project, steps=LONG, waits=False):
        begun = wire.until_told("$/progress", lambda told: told["value"]["kind"] == "begin")
        wire.notify("window/workDoneProgress/cancel", {"token": begun["token"]})
        wire.until_told("$/progress", lambda told: told["value"]["kind"] == "end")
        wire.until_told("helix/status", lambda told: told["state"] == "paused")
        (values,) = bars(wire).values()
        assert [value["kind"] for value in values].count("end") == 1
        wire.notify("window/workDoneProgress/cancel", {"token": begun["token"]})
        wire.notify("window/workDoneProgress/cancel", {"token": "never"})
        assert wire.is_alive()


@pytest.mark.slow
def test_a_client_that_never_makes_the_bar_gets_none(start: StartWire, project: Path) -> None:
    wire = start("-c", STEPPING)
    wire.answers["window/workDoneProgress/create"] = NO_ANSWER
    wire.initialize(capabilities=SHOWS)
    with by_steps(wire, project, steps=((1.3, 1, 100), (0.5, 90, 100))):
        assert bars(wire) == {}


@pytest.mark.slow
@pytest.mark.parametrize("command", ["helix.index.refresh", "helix.index.rebuild"])
def test_a_token_of_the_clients_own_is_honoured(visited: Wire, command: str) -> None:
    visited.result("workspace/executeCommand", {"command": command, "workDoneToken": "mine"})
    kinds = [value["kind"] for value in bars(visited)["mine"]]
    assert kinds[:2] == ["begin", "report"]
    assert kinds[-1] == "end"
    assert kinds.count("begin") == kinds.count("end") == 1


@pytest.mark.slow
def test_a_status_is_told_no_more_than_five_times_a_second_while_indexing(stepping: Wire, project: Path) -> None:
    with by_steps(stepping, project, steps=[(0.01, number, 200) for number in range(200)]):
        told = [each for each in stepping.told("helix/status") if each["state"] == "indexing"]
    assert 2 <= len(told) <= 60
    assert told[-1]["done"] > told[0]["done"]


@pytest.mark.slow
def test_an_answer_to_a_cancelled_refresh_is_a_cancellation(visited: Wire, project: Path) -> None:
    number = visited.ask("workspace/executeCommand", {"command": "helix.index.rebuild"})
    visited.notify("$/cancelRequest", {"id": number})
    assert visited.answer(number).get("error", {"code": -32800})["code"] == -32800
    assert visited.command("helix.index.resume") is None
    visited.until_fresh(project)
