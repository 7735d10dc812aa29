"""A process that is killed while the memory changes leaves a whole store, and the next run finishes its work."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "strand_kills.py"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="it forks and sends SIGKILL")
def test_no_kill_leaves_a_store_between_two_states(tmp_path: Path, starts_processes: None) -> None:
    command = [sys.executable, str(BENCHMARK), "--points", "36", "--json", str(tmp_path / "found.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    found = json.loads((tmp_path / "found.json").read_text())
    assert (done.returncode, found["wrong"]) == (0, []), done.stdout + done.stderr
    # Half of the points are before a counted step, which always comes; every action is among them.
    assert sum(found["killed"].values()) >= 18
    actions = {"import", "sync", "merge", "write", "rollback", "purge"}
    assert found["killed"].keys() == found["steps"].keys() == actions
    assert min(steps for action, steps in found["steps"].items() if action != "merge") > 10
