"""What Helix itself writes is no part of a workspace, even where it lies inside one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from helix_core.config import Config, load_config
from helix_core.engine import Helix
from tests.engine.repository import FILES

FOLDERS = ("cache", "data", "state", "runtime")
BEGIN = """
import apsw, sys
try:
    apsw.Connection(sys.argv[1]).execute("PRAGMA journal_mode=DELETE")
except apsw.BusyError:
    print("locked")
"""


def inside(repository: Path, **named: str) -> Config:
    """Settings by which all that Helix writes lies in folders of the repository."""
    places = {name: f".own/{name}" for name in FOLDERS} | named
    environ = {f"HELIX_{name.upper()}_DIR": str(repository / place) for name, place in places.items()}
    return load_config(repository, environ=environ, user=repository / ".own" / "none.toml")


@pytest.mark.parametrize("cache", [".own/cache", "."])
def test_its_folders_in_the_workspace_are_neither_listed_nor_indexed(repository: Path, cache: str) -> None:
    for name in FOLDERS[1:]:
        (repository / ".own" / name).mkdir(parents=True)
        (repository / ".own" / name / "note.md").write_text("# Prices\n\nNot of this project.\n")
    with Helix.open(repository, config=inside(repository, cache=cache)) as helix:
        helix.refresh()
        report = helix.refresh()
        status = helix.status(skipped=True)
    assert report.added == report.changed == 0 and status["index"]["files"] == len(FILES)
    assert {one["reason"] for one in status["skipped_files"]} <= {"helixignore"}


@pytest.mark.process
def test_a_refresh_keeps_the_locks_on_an_index_inside_the_workspace(repository: Path) -> None:
    """To read a database beside SQLite ends every lock of the process on it (fcntl(2)): another one may then take the
    journal, or cut the shared memory that is mapped here, which ends this process by SIGBUS.
    """
    with Helix.open(repository, config=inside(repository)) as helix:
        for _ in range(2):
            helix.refresh()
        (index,) = repository.glob(".own/cache/workspaces/*/index.db")
        other = subprocess.run([sys.executable, "-c", BEGIN, index], capture_output=True, text=True, check=True)
        assert other.stdout == "locked\n"
