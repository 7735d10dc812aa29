"""What ``pip install .`` puts in place is all that the command needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
@pytest.mark.process
def test_an_installed_helix_answers_from_a_folder_of_its_own(tmp_path: Path) -> None:
    site, folder = tmp_path / "site", tmp_path / "project"
    offline = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([sys.executable, "-m", "pip", "install", *offline, "--target", site, ROOT], check=True)
    folder.mkdir()
    (folder / "gears.py").write_text("def turn_gears(speed):\n    return speed\n")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("HELIX_")},
        "PYTHONPATH": str(site),
        "HELIX_CACHE_DIR": str(tmp_path / "cache"),
        "HELIX_CONFIG": str(tmp_path / "none.toml"),
    }
    done = subprocess.run(
        [site / "bin" / "helix", "packet", "turn_gears", "--json"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verified"][0]["source_id"] == "gears.py"
    where = "import helix_core, helix_ls; print(helix_core.__file__, helix_ls.__file__)"
    told = subprocess.check_output([sys.executable, "-c", where], cwd=folder, env=environment, text=True)
    assert told.count(str(site)) == 2
