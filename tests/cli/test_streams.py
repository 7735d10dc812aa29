"""A closed standard stream and a folder no shell has expanded are no reason to fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process


def run(redirections: str, arguments: str, folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Through a real shell, which can close a stream before the process begins."""
    environment = {**os.environ, "HELIX_CACHE_DIR": str(home / "cache"), "HOME": str(home)}
    command = f"exec {sys.executable} -m helix_ls.cli {arguments} {redirections}"
    return subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("verb", ["packet price --json", "search price", "index --json"])
def test_an_answer_nobody_can_hear_is_no_defect(shop: Path, tmp_path: Path, closed: str, verb: str) -> None:
    ran = run(closed, verb, shop, tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_closed_standard_error_does_not_cost_the_answer(shop: Path, tmp_path: Path) -> None:
    assert json.loads(run("2>&-", "search price --json", shop, tmp_path).stdout)["items"]


def test_a_question_from_closed_standard_input_is_empty(shop: Path, tmp_path: Path) -> None:
    ran = run("<&-", "search -", shop, tmp_path)
    assert ran.returncode == 2
    assert "the question is empty" in ran.stderr


def test_a_tilde_no_shell_has_expanded_is_the_home_folder(shop: Path, tmp_path: Path) -> None:
    ran = run("", f"search price --json --path='~/{shop.name}'", tmp_path, shop.parent)
    assert json.loads(ran.stdout)["items"]


@pytest.mark.parametrize("arguments", ["search price --path ''", "index ''", "status ''"])
def test_an_empty_path_is_misuse_and_not_this_folder(shop: Path, tmp_path: Path, arguments: str) -> None:
    ran = run("", arguments, shop, tmp_path)
    assert ran.returncode == 2
    assert "the path is empty" in ran.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is Linux's")
@pytest.mark.parametrize("verb", ["search price", "search price --json"])
def test_an_output_without_room_is_named_with_the_next_action(shop: Path, tmp_path: Path, verb: str) -> None:
    ran = run("> /dev/full", verb, shop, tmp_path)
    assert (ran.returncode, ran.stderr) == (
        1,
        "helix: the standard output cannot be written (No space left on device); "
        "free space there, or send it elsewhere\n",
    )
