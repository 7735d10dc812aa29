"""The packaged extension in a real VS Code; SCENARIOS in the environment chooses some of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.editor
def test_every_scenario_holds_in_a_real_editor() -> None:
    assert subprocess.run(["make", "--no-print-directory", "test-editor"], cwd=ROOT, check=False).returncode == 0
