"""An editor's trail: files that are opened are recorded where the user's settings say so, and can be forgotten."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.engine.repository import FILES
from tests.lsp.conftest import StartWire
from tests.lsp.wire import Wire

NAMES = [name for name in FILES if name.endswith(".py")][:2]


def places_once(wire: Wire, number: int) -> list[dict[str, Any]]:
    """The last places, once there are that many; opening is a notification, so nothing tells when it is recorded."""
    for _ in range(200):
        answer = wire.command("helix.trail.resume", {"k": 5})
        if len(answer["last"]) >= number:
            break
        time.sleep(0.05)
    last: list[dict[str, Any]] = answer["last"]
    return last


@pytest.mark.process
def test_what_the_editor_opens_is_recorded_shown_and_forgotten(start: StartWire, project: Path) -> None:
    wire = start(HELIX_TRAIL_RECORD="true")
    wire.initialize(project)
    wire.until_fresh(project)
    for number, name in enumerate(NAMES):
        # Files opened at the same moment are recorded in any order.
        wire.open(project / name)
        last = places_once(wire, number + 1)
    assert [place["source_id"] for place in last] == NAMES[::-1]
    assert {place["status"] for place in last} == {"verified"}
    assert wire.command("helix.trail.forget")["forgotten"] is True
    assert wire.command("helix.trail.resume")["last"] == []


@pytest.mark.process
def test_an_editor_records_nothing_without_the_setting(opened: Wire, project: Path) -> None:
    uri = opened.open(project / NAMES[0])
    # A question about the file runs after what its opening asked for.
    opened.command("helix.explain", {"uri": uri, "position": {"line": 0, "character": 0}})
    answer = opened.command("helix.trail.resume")
    assert (answer["recording"], answer["last"], answer["steps"]) == (False, [], 0)
