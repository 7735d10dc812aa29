"""What ``pip install .`` puts in place is all that the command needs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[1]


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_a_package_index_is_told_where_the_project_is_and_what_it_runs_on() -> None:
    urls, classifiers = PROJECT["urls"], PROJECT["classifiers"]
    assert urls.keys() == {"Documentation", "Source", "Issues", "Changelog"}
    (host,) = {urlsplit(url).hostname for url in urls.values()}
    security = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert re.findall(r"\*\*([\w.+-]+@[\w.-]+)\*\*", security) == [f"security@{host}"]
    minors = sorted(int(each.rpartition(".")[2]) for each in classifiers if re.search(r":: 3\.\d+$", each))
    assert PROJECT["requires-python"] == f">=3.{minors[0]}"
    assert minors == [*range(minors[0], minors[-1] + 1)]
    assert "Operating System :: POSIX :: Linux" in classifiers


def test_every_grammar_is_a_declared_dependency_and_each_of_those_a_grammar() -> None:
    declared = {each for line in PROJECT["dependencies"] for each in re.findall(r"^tree-sitter-[\w-]+", line)}
    sources = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "helix_core" / "ingest").rglob("*.py"))
    loaded = set(re.findall(r"\btree_sitter_\w+", sources)) - {"tree_sitter_"}
    assert {each.replace("_", "-") for each in loaded} == declared


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
