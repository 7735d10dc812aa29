"""An editor's trail: files that are opened are recorded where the user's settings say so, and can be forgotten."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from helix_ls.lsp.connection import ClientConnection
from helix_ls.lsp.folders import FileInFolder
from helix_ls.lsp.packets import OpenPackets
from tests.engine.repository import FILES, put_index
from tests.host.opened import opened as open_workspace
from tests.lsp.conftest import StartWire, serving, visiting
from tests.lsp.wire import Wire

NAMES = [name for name in FILES if name.endswith(".py")][:2]


def trail_once(wire: Wire, is_so: Callable[[Any], bool]) -> Any:
    """The trail once it is as wanted, or as it is after ten seconds."""
    for _ in range(200):
        answer = wire.command("helix.trail.resume", {"k": 5})
        if is_so(answer):
            break
        time.sleep(0.05)
    return answer


def places_once(wire: Wire, number: int) -> list[dict[str, Any]]:
    """The last places, once there are that many; opening is a notification, so nothing tells when it is recorded."""
    last: list[dict[str, Any]] = trail_once(wire, lambda answer: len(answer["last"]) >= number)["last"]
    return last


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> Iterator[Wire]:
    """The module's server of a user who has the trail recorded."""
    with serving(tmp_path_factory.mktemp("recording"), HELIX_TRAIL_RECORD="true") as wire:
        yield wire


@pytest.fixture
def recorded(recording: Wire, project: Path) -> Iterator[Wire]:
    """The same with the repository as its only folder."""
    put_index(project, recording.home / "cache")
    with visiting(recording, project) as wire:
        yield wire


def test_what_the_editor_opens_is_recorded_shown_and_forgotten(recorded: Wire, project: Path) -> None:
    wire = recorded
    for number, name in enumerate(NAMES):
        # Files opened at the same moment are recorded in any order.
        wire.open(project / name)
        last = places_once(wire, number + 1)
    assert [place["source_id"] for place in last] == NAMES[::-1]
    assert {place["status"] for place in last} == {"verified"}
    assert wire.command("helix.trail.forget")["forgotten"] is True
    assert wire.command("helix.trail.resume")["last"] == []


def test_a_file_that_is_shown_again_without_being_opened_is_recorded_once(recorded: Wire, project: Path) -> None:
    wire = recorded
    first = wire.open(project / NAMES[0])
    wire.notify("helix/didShow", {"uri": first})
    places_once(wire, 1)
    wire.open(project / NAMES[1])
    places_once(wire, 2)
    # An editor keeps a document open that no tab shows. Nothing else comes of what is wrong or elsewhere.
    for params in ({"uri": first}, {"uri": [5]}, {"uri": "file:///elsewhere.py"}, {}, {"uri": "no URI"}):
        wire.notify("helix/didShow", params)
    answer = trail_once(wire, lambda answer: answer["last"][0]["source_id"] == NAMES[0])
    assert [place["source_id"] for place in answer["last"]] == NAMES
    assert answer["steps"] == 3, "the notification after didOpen recorded nothing more"


def test_a_flood_of_shown_files_leaves_a_bounded_trail_and_the_next_answer_does_not_wait_for_it(
    recorded: Wire, project: Path
) -> None:
    wire = recorded
    uris = [wire.open(project / name) for name in NAMES[:2]]
    places_once(wire, 2)
    for _ in range(1_000):
        for uri in uris:
            wire.notify("helix/didShow", {"uri": uri})
    # Asked behind all of them: each would have taken a turn of its own in the threads that answer.
    steps = wire.command("helix.trail.resume")["steps"]
    assert steps < 1_000
    assert trail_once(wire, lambda answer: answer["last"][0]["source_id"] == NAMES[1])["steps"] < 1_500


def test_an_editor_records_nothing_without_the_setting(visited: Wire, project: Path) -> None:
    uri = visited.open(project / NAMES[0])
    # A question about the file runs after what its opening asked for.
    visited.command("helix.explain", {"uri": uri, "position": {"line": 0, "character": 0}})
    answer = visited.command("helix.trail.resume")
    assert (answer["recording"], answer["last"], answer["steps"]) == (False, [], 0)


@pytest.mark.process
def test_a_setting_of_the_editor_starts_and_stops_the_recording(start: StartWire, project: Path) -> None:
    wire, record = start(), {"record": False}
    wire.answers["workspace/configuration"] = lambda params: [{"trail": dict(record)} for _ in params["items"]]
    wire.initialize(project, capabilities={"workspace": {"configuration": True}})
    wire.until_fresh(project)
    for name, is_on, places in ((NAMES[0], True, 1), (NAMES[1], False, 1)):
        record["record"] = is_on
        wire.notify("workspace/didChangeConfiguration", {"settings": None})
        trail_once(wire, lambda answer, is_on=is_on: answer["recording"] is is_on)
        wire.open(project / name)
        assert [place["source_id"] for place in places_once(wire, places)] == NAMES[:1]
    answer = wire.command("helix.trail.resume")
    assert (answer["recording"], answer["steps"]) == (False, 1)


@pytest.mark.process
def test_of_two_windows_of_a_daemon_only_the_one_that_wants_it_is_recorded(
    start: StartWire, project: Path, tmp_path: Path
) -> None:
    shared = {"HELIX_CACHE_DIR": str(tmp_path / "cache"), "HELIX_RUNTIME_DIR": str(tmp_path / "run")}

    def window(record: bool) -> Wire:
        wire = start("-m", "helix_ls.cli", "lsp", HELIX_IDLE_S="0.2", **shared)
        wire.answers["workspace/configuration"] = lambda params: [
            {"trail": {"record": record}} for _ in params["items"]
        ]
        wire.initialize(project, capabilities={"workspace": {"configuration": True}})
        wire.until_fresh(project)
        return wire

    quiet, recorded = window(False), window(True)
    lines = {"source_id": NAMES[1], "start_line": 1, "end_line": 2}
    quiet.open(project / NAMES[1])
    quiet.command("helix.open", lines)
    answer = quiet.command("helix.trail.resume")
    assert (answer["recording"], answer["steps"]) == (False, 0)
    quiet.notify("workspace/didChangeConfiguration", {"settings": None})
    assert quiet.command("helix.trail.resume")["recording"] is False
    recorded.open(project / NAMES[0])
    assert [place["source_id"] for place in places_once(recorded, 1)] == NAMES[:1]
    assert recorded.command("helix.trail.resume")["recording"] is True


@pytest.mark.slow
def test_lines_with_unsaved_edits_are_said_to_be_unsaved_where_they_are(recorded: Wire, project: Path) -> None:
    wire = recorded
    text = (project / NAMES[0]).read_text()
    line = next(number for number, each in enumerate(text.splitlines(), 1) if each.startswith(("def ", "class ")))
    wire.command("helix.open", {"source_id": NAMES[0], "start_line": line, "end_line": line + 1})
    uri = wire.open(project / NAMES[0])

    def place() -> Any:
        last = wire.command("helix.trail.resume")["last"]
        return next(one for one in last if one["was"] == {"start_line": line, "end_line": line + 1})

    wire.change(uri, text + "# unsaved\n")
    assert (place()["status"], place()["start_line"]) == ("verified", line)
    wire.change(uri, "# above\n" + text, 3)
    assert (place()["status"], place()["start_line"]) == ("verified", line + 1)
    wire.change(uri, text.replace(text.splitlines()[line], "    edited = 1"), 4)
    assert place()["reason"] == "unsaved"


class Asked:
    """A connection that counts what it is asked."""

    session = "s"

    def __init__(self) -> None:
        self.acts: list[object] = []

    async def ask(self, _folder: object, act: object) -> None:
        self.acts.append(act)


@pytest.mark.process
def test_opening_a_file_asks_nothing_while_nothing_is_recorded(
    project: Path, tmp_path: Path, starts_processes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "user.toml"
    for name, path in {"CACHE_DIR": tmp_path / "cache", "RUNTIME_DIR": tmp_path / "run", "CONFIG": settings}.items():
        monkeypatch.setenv(f"HELIX_{name}", str(path))

    async def main() -> None:
        async with open_workspace(project) as heard:
            workspace = heard.workspace
            await workspace.ask(lambda helix: helix.is_indexed())
            counted = Asked()

            async def attached() -> Any:
                return workspace

            folder = SimpleNamespace(workspace=attached, records_trail=False)
            packets = OpenPackets(cast(ClientConnection, counted), lambda _: None)
            place = FileInFolder(cast(Any, folder), NAMES[0].encode())
            await packets.was_opened(place, 1.0)
            assert counted.acts == []
            folder.records_trail = True
            await packets.was_opened(place, 1.0)
            await workspace.ask(lambda helix: helix.is_indexed())
            await packets.was_opened(place, 1.0)
            assert len(counted.acts) == 2
            folder.records_trail = False
            await workspace.ask(lambda helix: helix.is_indexed())
            settings.write_text("[trail]\nrecord = true\n")
            await packets.was_opened(place, 1.0)
            assert len(counted.acts) == 3, "the user's own file is followed"

    asyncio.run(main())
