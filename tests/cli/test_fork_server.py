"""A command in a fork is to its caller what it is in a new interpreter."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import environment
from tests.fork_server import run_helix

pytestmark = pytest.mark.process
NEW_INTERPRETER = {"PYTHONNODEBUGRANGES": "1"}


@pytest.mark.parametrize("arguments", [["check", "-"], ["search", "caf\xe9"], ["serch"]])
def test_it_ends_and_says_the_same(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "home").mkdir()
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "coffee.py").write_text("def caf\xe9():\n    return 1\n", encoding="utf-8")
    environ, text = environment(tmp_path / "home"), "See `coffee.py:900`, \u00e9.\n".encode()
    forked, fresh = (run_helix(arguments, stdin=text, env=environ | more, cwd=folder) for more in ({}, NEW_INTERPRETER))
    ends = [(one.returncode, re.sub(rb"\d+ ms", b"", one.stdout), one.stderr) for one in (forked, fresh)]
    assert ends[0] == ends[1]
    assert b"coffee.py" in forked.stdout or b"serch" in forked.stderr


def test_what_does_not_end_in_time_is_killed(tmp_path: Path) -> None:
    (folder := tmp_path / "project").mkdir()
    with pytest.raises(subprocess.TimeoutExpired):
        run_helix(["serve", str(folder), "--port", "0"], env=environment(tmp_path), cwd=folder, timeout_s=0.5)
