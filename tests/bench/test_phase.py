"""The benchmark of phases and the trail: each row has a baseline and meets its target; a missed one is an exit of 1."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.repository import git

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "phase.py"
# What is timed has targets that a busy machine misses.
UNTIMED = ("majority", "brackets", "sums", "packing", "sine", "revisit", "item_query", "seal")


def phase(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARK), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def rows_of(said: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in said.splitlines()[2:]]


@pytest.mark.slow
@pytest.mark.process
def test_every_row_has_a_baseline_and_meets_its_target() -> None:
    done = phase("--only", *UNTIMED)
    rows = rows_of(done.stdout)
    assert (done.returncode, len(rows)) == (0, len(UNTIMED)), done.stdout + done.stderr
    for name, ours, original, baseline, target in rows:
        assert ours and original and any(figure.isdigit() or figure == "%" for figure in baseline), name
        assert target == "met", name


@pytest.mark.process
def test_a_missed_target_is_an_exit_of_one(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    # One file and nothing to predict: the prior is no better than how often it was looked at.
    for number in range(60):
        (tmp_path / "one.py").write_text(f"{number}\n")
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", "y")
    done = phase("--only", "sums", "--history", str(tmp_path))
    rows = rows_of(done.stdout)
    assert ([row[-1] for row in rows], done.returncode) == (["met", "MISSED"], 1), done.stdout + done.stderr
