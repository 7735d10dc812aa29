"""Several folders of one window indexed at once: each bar is its own, and stopping one stops that one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.lsp.conftest import StartWire, make_project
from tests.lsp.test_progress import LONG, SHOWS, STEPPING, bars, by_steps
from tests.lsp.wire import Wire


@pytest.mark.slow
def test_each_of_two_bars_stops_its_own_folder(start: StartWire, tmp_path: Path) -> None:
    folders = [make_project(tmp_path / name) for name in ("one", "two")]
    wire = start("-c", STEPPING)
    wire.initialize(capabilities=SHOWS)
    with by_steps(wire, *folders, steps=LONG, waits=False):
        check_bars(wire)


def check_bars(wire: Wire) -> None:
    begun: list[Any] = []

    def both(told: Any) -> bool:
        if told["value"]["kind"] == "begin" and told["token"] not in begun:
            begun.append(told["token"])
        return len(begun) == 2

    wire.until_told("$/progress", both)
    for stopped, token in enumerate(begun, start=1):
        wire.notify("window/workDoneProgress/cancel", {"token": token})
        wire.until_told(
            "$/progress", lambda told, token=token: told["token"] == token and told["value"]["kind"] == "end"
        )
        paused = {told["uri"] for told in wire.told("helix/status") if told["state"] == "paused"}
        assert len(paused) == stopped
    for values in bars(wire).values():
        assert [value["kind"] for value in values].count("end") == 1
