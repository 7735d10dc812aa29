"""Each branch by platform stands on the page of platforms, and what can be told the platform is run both ways."""

from __future__ import annotations

import os
import re
import stat
import sys
from pathlib import Path

import pytest

from helix_core.ingest.pool import cpu_seconds
from helix_core.store.lifecycle import create_new
from helix_core.workspace import disk
from helix_ls.host.browser import has_screen

ROOT = Path(__file__).parents[1]
ASKS = re.compile(r"\bsys\.platform\b|\bos\.name\b|\bplatform\.system\(")


def test_the_page_names_every_module_that_asks_for_the_platform_and_no_other() -> None:
    rooms = [ROOT / "helix_core", ROOT / "helix_ls"]
    asking = {
        file.relative_to(ROOT).as_posix()
        for room in rooms
        for file in room.rglob("*.py")
        if ASKS.search(file.read_text(encoding="utf-8"))
    }
    page = (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8").split("## Every platform branch")[1]
    named = re.findall(r"^\| `([\w/]+\.py)` \|", page.split("\n## ")[0], re.MULTILINE)
    assert sorted(asking) == named


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_new_file_is_the_owners_alone_and_one_that_is_there_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    file = tmp_path / "new"
    assert create_new(file)
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    file.write_text("kept")
    assert not create_new(file)
    assert file.read_text() == "kept"


@pytest.mark.parametrize("has_leases", [True, False])
def test_a_file_is_read_with_leases_and_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_leases: bool
) -> None:
    monkeypatch.setattr(disk, "_LEASES", has_leases)
    (tmp_path / "a.py").write_text("a = 1\n")
    with disk.Root.open(tmp_path) as root:
        assert root.read(b"a.py", 100).data == b"a = 1\n"


@pytest.mark.parametrize(("platform", "is_known"), [("linux", True), ("darwin", False)])
def test_the_cpu_time_of_a_process_is_known_on_linux_alone(
    monkeypatch: pytest.MonkeyPatch, platform: str, *, is_known: bool
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert (cpu_seconds(os.getpid()) is not None) is is_known


@pytest.mark.parametrize(
    ("platform", "environ", "has"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("darwin", {}, True),
    ],
)
def test_a_window_can_be_shown_where_there_is_a_screen(
    monkeypatch: pytest.MonkeyPatch, platform: str, environ: dict[str, str], *, has: bool
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert has_screen(environ) is has
