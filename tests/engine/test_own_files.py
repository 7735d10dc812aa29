"""What Helix itself writes is not part of a workspace, even where it lies inside one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helix_core.config import OWN_NAMES, Config, load_config
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


RUNTIME = ("helix-serve-41.json", "helix-2-0.1.0.log", "helix-2-0.1.0.token")


@pytest.mark.parametrize("folder", [".own", "."])
def test_what_it_writes_in_the_workspace_counts_nowhere_and_what_lies_beside_it_does(
    repository: Path, folder: str
) -> None:
    """The keys among it would be quoted in answers, and sent to a model."""
    places = dict.fromkeys(FOLDERS, folder)
    (repository / folder).mkdir(exist_ok=True)
    for name in (*OWN_NAMES["data"], *OWN_NAMES["state"], *RUNTIME, "memory.db.format-3", "memory.db-wal"):
        (repository / folder / name).write_text("the key of this machine")
    (repository / folder / "note.md").write_text("# Prices\n\nThe key of a price is its name.\n")
    with Helix.open(repository, config=inside(repository, **places)) as helix:
        helix.refresh()
        report = helix.refresh()
        status = helix.status(skipped=True)
        found = helix.search("the key of this machine")
    assert report.added == report.changed == 0 and status["index"]["files"] == len(FILES) + 1
    assert {one["reason"] for one in status["skipped_files"]} <= {"helixignore", "binary"}
    note = os.path.normpath(os.path.join(folder, "note.md"))
    assert {one["source_id"] for one in found["items"]} <= {*FILES, note}


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
