"""What a window is told when a folder, an index or another window goes away under it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.conftest import StartWire
from tests.lsp.wire import Wire

pytestmark = pytest.mark.slow

StartWindow = Any


@pytest.fixture
def window(start: StartWire, tmp_path: Path) -> StartWindow:
    """``window()`` is one more window of the one daemon of the test, which leaves soon after the last of them."""
    shared = {"HELIX_CACHE_DIR": str(tmp_path / "cache"), "HELIX_RUNTIME_DIR": str(tmp_path / "run")}

    def begin() -> Wire:
        return start("-m", "helix_ls.cli", "lsp", HELIX_IDLE_S="0.2", **shared)

    return begin


@pytest.fixture
def large(project: Path) -> Iterator[Path]:
    """The repository with enough in it to be indexing for a while."""
    for number in range(150):
        (project / f"many{number}.py").write_text(f"def many_{number}():\n    return {number}\n\n\n" * 20)
    yield project


def states(told: dict[str, Any]) -> list[tuple[str, str]]:
    return [(item["status"], item["reason"]) for item in told["items"]]


def test_a_refresh_that_is_taken_back_does_not_end_all_indexing(visited: Wire, project: Path) -> None:
    number = visited.ask("workspace/executeCommand", {"command": "helix.index.refresh"})
    visited.notify("$/cancelRequest", {"id": number})
    visited.answer(number)
    visited.command("helix.index.resume")
    assert visited.command("helix.index.refresh")["schema"] == "helix.index/1"
    (project / "app/late.py").write_text("def only_later():\n    return 1\n")
    visited.command("helix.index.refresh")
    assert visited.command("helix.symbol", {"name": "only_later"}) is not None


def test_an_open_packet_hears_that_its_folder_went_and_came_back(visited: Wire, project: Path) -> None:
    found = visited.command("helix.packet", {"question": "sign_cookie", "task": "edit", "open": True})
    assert found["verified"]
    away = project.with_name("away")
    os.rename(project, away)

    def is_all(told: Any, status: str) -> bool:
        return told["packet_id"] == found["packet_id"] and {each for each, _ in states(told)} == {status}

    gone = visited.until_told("helix/verdicts", lambda told: is_all(told, "needs_refresh"))
    assert {reason for _, reason in states(gone)} == {"gone"}
    assert all(item["now"] is None for item in gone["items"])
    assert len(gone["refresh_targets"]) == len(gone["items"])
    since = len(visited.heard)
    os.rename(away, project)
    visited.until_told("helix/verdicts", lambda told: is_all(told, "verified"), since=since)


def edit(project: Path) -> None:
    file = project / "app/sessions.py"
    file.write_text(file.read_text().replace("payload +", "'x' + payload +"))


def shown(wire: Wire) -> dict[str, Any]:
    """An open packet, judged once more after it was shown: from then on it hears only of what happens."""
    found: dict[str, Any] = wire.command("helix.packet", {"question": "sign_cookie", "task": "edit", "open": True})
    time.sleep(0.4)
    return found


def until_told(wire: Wire, packet: dict[str, Any], status: str, reason: str) -> None:
    """Wait for the mark of the packet's first item."""
    first = packet["verified"][0]

    def is_told(told: Any) -> bool:
        mine = [item for item in told["items"] if item["gene_id"] == first["gene_id"]]
        return told["packet_id"] == packet["packet_id"] and states({"items": mine}) == [(status, reason)]

    wire.until_told("helix/verdicts", is_told)


def test_while_indexing_is_paused_an_open_packet_still_hears_of_the_disk(visited: Wire, project: Path) -> None:
    found = shown(visited)
    visited.command("helix.index.pause")
    visited.until_told("helix/status", lambda told: told["state"] == "paused")
    edit(project)
    until_told(visited, found, "needs_refresh", "changed")


def test_without_a_watcher_an_open_packet_still_hears_of_the_disk(wire: Wire, project: Path) -> None:
    wire.initialize(project, watch="off")
    wire.until_fresh(project)
    found = shown(wire)
    edit(project)
    until_told(wire, found, "needs_refresh", "changed")


def test_an_index_that_cannot_be_read_leaves_no_mark_that_says_verified(opened: Wire, project: Path) -> None:
    found = shown(opened)
    cache = opened.errors.parent / "cache"
    shutil.rmtree(cache)
    cache.write_text("no folder any more\n")
    edit(project)
    until_told(opened, found, "needs_refresh", "unreadable")
    cache.unlink()
    until_told(opened, found, "needs_refresh", "changed")


def test_an_index_that_was_taken_away_is_built_again_though_no_file_changes(opened: Wire) -> None:
    cache = opened.errors.parent / "cache"
    shutil.rmtree(cache / "workspaces")
    deadline = time.monotonic() + 60
    while not opened.command("helix.packet", {"question": "sign_cookie"})["verified"]:
        assert time.monotonic() < deadline, opened.command("helix.status")
        time.sleep(0.1)


def test_a_window_that_leaves_during_its_refresh_does_not_pause_the_others(window: StartWindow, large: Path) -> None:
    leaves, stays = window(), window()
    leaves.initialize(large)
    stays.initialize(large)
    leaves.until_fresh(large)
    stays.until_fresh(large)
    since = len(stays.heard)
    leaves.ask("workspace/executeCommand", {"command": "helix.index.rebuild"})
    stays.until_told("helix/status", lambda told: told["state"] == "indexing" and told["done"] > 0, since=since)
    leaves.stop()
    (large / "app/late.py").write_text("def only_later():\n    return 1\n")
    stays.until_told("helix/status", lambda told: told["state"] == "fresh", since=since)
    assert stays.command("helix.index.refresh")["schema"] == "helix.index/1"
    assert stays.command("helix.symbol", {"name": "only_later"}) is not None
    assert not [told for told in stays.told("helix/status") if told["state"] in ("paused", "error")]
