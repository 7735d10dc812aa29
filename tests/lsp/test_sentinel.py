"""Everything the language server does, in a repository that sets every trap git has: nothing it names is run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.conftest import StartWire
from tests.workspace import conftest, test_sentinel

pytestmark = pytest.mark.slow

own_home, traps, sentinel = conftest.own_home, test_sentinel.traps, test_sentinel.sentinel


@pytest.fixture
def make_repository() -> type[conftest.Repository]:
    return conftest.Repository


@pytest.mark.parametrize("trusted", [True, False])
def test_no_feature_runs_what_a_repository_names(
    start: StartWire, sentinel: Any, traps: test_sentinel.Traps, trusted: bool
) -> None:
    names = [name for name in os.environ if name.startswith("GIT_")]
    wire = start(**{name: os.environ[name] for name in names})
    folder: Path = sentinel.path
    (folder / "code.py").write_text("def trapped():\n    return 1\n")
    (folder / "about.md").write_text("# About\n\n`trapped` is in code.py, see a.txt.\n")
    wire.initialize(folder, trusted=trusted, codeLens=True)
    wire.until_fresh(folder)
    uri = wire.open(folder / "code.py")
    where = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 6}}
    assert wire.result("textDocument/hover", where)
    wire.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
    for question in ("trapped", "one two", "data", "ours theirs"):
        packet = wire.command("helix.packet", {"question": question, "task": "edit", "open": True})
        for item in (*packet["verified"], *packet["stale_risk"], *packet["needs_refresh"]):
            names_it = {name: item[name] for name in ("source_id", "start_line", "end_line")}
            wire.command("helix.explain", names_it)
        wire.command("helix.refreshPlan", {"packet_id": packet["packet_id"]})
    wire.change(uri, "def trapped():\n    return 2\n")
    wire.result("textDocument/hover", where)
    (folder / "a.txt").write_text("trident\n")
    wire.command("helix.index.refresh")
    wire.command("helix.index.rebuild")
    wire.command("helix.status")
    wire.command("helix.doctor")
    assert wire.command("helix.search", {"question": "trident"})["items"]
    assert wire.stop() == 0
    assert traps.sprung() == set()
