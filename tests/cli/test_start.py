"""What one answer costs a process of its own, counted in work and never in seconds: a busy machine counts the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .conftest import FILES, RunHelix, make_repository, runner

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def open_shop(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> tuple[RunHelix, Path]:
    """A repository that was indexed once; the tests here change nothing."""
    folder = tmp_path_factory.mktemp("start")
    helix = runner(folder)
    shop = make_repository(folder / "shop", FILES)
    assert helix("index", shop).status == 0
    return helix, shop


OPEN = ["rev-parse", "config"]
STATE = ["rev-parse", "symbolic-ref", "ls-files"]
LEVEL_WITH_THE_DISK = ["config", "ls-files"]
AGE_OF_A_DOCUMENT = ["cat-file", "config", "blame"]


@pytest.mark.parametrize(("verb", "more"), [("search", []), ("packet", AGE_OF_A_DOCUMENT)])
def test_git_is_started_for_what_must_be_true_now_and_for_nothing_else(
    open_shop: tuple[RunHelix, Path], tmp_path: Path, verb: str, more: list[str]
) -> None:
    helix, shop = open_shop
    real, started = shutil.which("git"), tmp_path / "started"
    assert real is not None
    (tmp_path / "git").write_text(f'#!/bin/sh\necho "$@" >> {started}\nexec {real} "$@"\n')
    (tmp_path / "git").chmod(0o755)
    ran = helix(verb, "price", "--path", shop, "--json", PATH=f"{tmp_path}:/usr/bin:/bin")
    assert ran.status == 0 and "shop/basket.py" in ran.out
    asked = [line.partition(f" -C {shop} ")[2].split()[0] for line in started.read_text().splitlines()]
    # A packet asks for the age of its documents in threads.
    assert sorted(asked) == sorted([*OPEN, *STATE, *LEVEL_WITH_THE_DISK, *more])
