"""What the memory finds of made dialogues; bounds just below what the benchmark prints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "memory.py"


@pytest.mark.slow
def test_the_turn_that_answers_is_found_and_what_nobody_said_is_told(tmp_path: Path, starts_processes: None) -> None:
    command = [sys.executable, str(BENCHMARK), "--dialogues", "--json", str(tmp_path / "found.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = {one["name"].partition(" (")[0]: one for one in json.loads((tmp_path / "found.json").read_text())}
    ten, five = found["dialogues: answer among 10"], found["dialogues: answer among 5"]
    assert ten["ours"] >= max(0.85, ten["yardstick"] + 0.2)
    assert five["ours"] >= max(0.85, five["yardstick"] + 0.2)
    assert found["held-out dialogues: answer among 5"]["ours"] >= 0.85
    assert found["held-out dialogues: absent told"]["ours"] >= 0.9
    assert found["dialogues: absent told"]["ours"] >= 0.9
    assert found["dialogues: the largest answer"]["ours"] <= 7_000
    assert found["dialogues: answers not below pasting the dialogue"]["ours"] == 0
    assert found["held-out dialogues: answers not below pasting the dialogue"]["ours"] == 0
