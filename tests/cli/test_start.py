"""What one answer costs a process of its own, counted in work and never in seconds: a busy machine counts the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from .conftest import FILES, RunHelix, environment, make_repository, runner

pytestmark = pytest.mark.process


TOKEN = "ghp_" + "x4Kp9LmQ2vRt7WnZ" * 2 + "b8Yd"
GATEWAY = f'''"""The payment gateway."""


def payment_gateway(price):
    token = "{TOKEN}"
    return token, price
'''


@pytest.fixture(scope="module")
def open_shop(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> tuple[RunHelix, Path]:
    """A repository that was indexed once; the tests here change nothing."""
    folder = tmp_path_factory.mktemp("start")
    helix = runner(folder)
    shop = make_repository(folder / "shop", FILES | {"shop/gateway.py": GATEWAY})
    assert helix("index", shop).status == 0
    return helix, shop


OPEN = ["rev-parse", "config"]
STATE = ["rev-parse", "ls-files"]
LEVEL_WITH_THE_DISK = ["ls-files"]
AGE_OF_A_DOCUMENT = ["cat-file"]
# Asked in a thread that the answer does not wait for: on a busy machine it may not have begun.
LINES_OF_A_DOCUMENT = ["config", "blame"]


@pytest.mark.parametrize(
    ("verb", "more", "perhaps"), [("search", [], []), ("packet", AGE_OF_A_DOCUMENT, LINES_OF_A_DOCUMENT)]
)
def test_git_is_started_for_what_must_be_true_now_and_for_nothing_else(
    open_shop: tuple[RunHelix, Path], tmp_path: Path, verb: str, more: list[str], perhaps: list[str]
) -> None:
    helix, shop = open_shop
    real, started = shutil.which("git"), tmp_path / "started"
    assert real is not None
    (tmp_path / "git").write_text(f'#!/bin/sh\necho "$@" >> {started}\nexec {real} "$@"\n')
    (tmp_path / "git").chmod(0o755)
    # A document is among the answers: a packet looks at its age.
    ran = helix(verb, "how are parcels sent?", "--path", shop, "--json", PATH=f"{tmp_path}:/usr/bin:/bin")
    assert ran.status == 0 and "docs/guide.md" in ran.out
    asked = Counter(line.partition(f" -C {shop} ")[2].split()[0] for line in started.read_text().splitlines())
    needed = Counter([*OPEN, *STATE, *LEVEL_WITH_THE_DISK, *more])
    assert needed <= asked <= needed + Counter(perhaps)


THREADS = """
import os
from helix_ls.host.parent import set_up_process
set_up_process()
import numpy
print(len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted in /proc")
@pytest.mark.parametrize(("said", "threads"), [({}, 1), ({"OPENBLAS_NUM_THREADS": "2"}, 2)])
def test_a_process_multiplies_in_one_thread_unless_the_user_says_otherwise(
    tmp_path: Path, said: dict[str, str], threads: int
) -> None:
    """OpenBLAS's threads spin while they wait, which costs most where the machine is busy."""
    if threads > (os.cpu_count() or 1):
        pytest.skip("it starts no more threads than there are cores")
    environ = {name: value for name, value in environment(tmp_path).items() if name != "OPENBLAS_NUM_THREADS"} | said
    ran = subprocess.run([sys.executable, "-c", THREADS], env=environ, capture_output=True, text=True, check=True)
    assert int(ran.stdout) == threads


COLLECTED = """
import gc
from helix_ls.host.parent import set_up_process
set_up_process()
print(gc.get_threshold()[0])
"""


def test_a_process_looks_for_cycles_less_often_than_the_default(tmp_path: Path) -> None:
    """It took a tenth of each question's CPU time: answers are made of thousands of tuples."""
    command = [sys.executable, "-c", COLLECTED]
    ran = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, check=True)
    assert int(ran.stdout) >= 10_000


COUNTED = """
import dataclasses, json, re._compiler, sys
work = {"patterns": 0, "dataclasses": 0}
def counted(name, make):
    def made(*arguments, **more):
        work[name] += 1
        return make(*arguments, **more)
    return made
re._compiler.compile = counted("patterns", re._compiler.compile)
dataclasses._process_class = counted("dataclasses", dataclasses._process_class)
from helix_ls.cli.main import run
try: run()
finally: print(json.dumps({**work, "modules": sorted(sys.modules)}), file=sys.stderr)
"""


def work_of(open_shop: tuple[RunHelix, Path], *arguments: str, shows: str = "shop/basket.py") -> dict[str, Any]:
    """The modules that a command loaded, and how many patterns it compiled and dataclasses it made."""
    _, shop = open_shop
    command = [sys.executable, "-c", COUNTED, *arguments, "--path", str(shop)]
    done = subprocess.run(command, env=environment(shop.parent), capture_output=True, text=True, check=True)
    assert shows in done.stdout and TOKEN not in done.stdout
    return json.loads(done.stderr)  # type: ignore[no-any-return]


def test_a_search_in_json_loads_no_verdict_and_no_parser(open_shop: tuple[RunHelix, Path]) -> None:
    work = work_of(open_shop, "search", "where is the price limit?", "--json")
    rooms = {name.removeprefix("helix_core.") for name in work["modules"] if name.startswith("helix_core.")}
    assert "search.search" in rooms
    verdicts = {"engine.verdict.weigher", "engine.verdict.judge", "engine.verdict.observe", "engine.verdict.outdated"}
    parsers = {"ingest.claims", "secrets.masking", "ingest.signatures", "ingest.languages", "ingest.document"}
    memory = {"model.memory", "model.pauses", "store.memory"}
    assert not rooms & {*verdicts, *parsers, *memory, "engine.answer.reranking", "engine.answer.filters"}
    assert not rooms & {"check", "window"}
    assert "git" not in work["modules"], "GitPython reads histories, and a search reads none"
    assert not {"click", "typer"} & {*work["modules"]}, (
        "plain arguments are read without the parser: helix_ls.cli.direct"
    )
    assert work["patterns"] <= 108, "compile a pattern at its first use: helix_core.words.lazy_pattern"
    assert work["dataclasses"] <= 17, "import what makes them where it is used"


@pytest.mark.parametrize(
    ("verb", "shows"), [("search", "def payment_gateway(price):"), ("packet", 'token = "[masked:github-token')]
)
def test_unchanged_files_are_masked_without_the_rules_for_secrets(
    open_shop: tuple[RunHelix, Path], verb: str, shows: str
) -> None:
    work = work_of(open_shop, verb, "payment gateway token", shows=shows)
    rules = {one for one in work["modules"] if one.startswith(("helix_core.secrets.", "detect_secrets"))}
    assert rules == {"helix_core.secrets.masked"}


def test_a_search_as_text_reads_files_with_no_rule_for_secrets_or_documents(open_shop: tuple[RunHelix, Path]) -> None:
    work = work_of(open_shop, "search", "payment gateway token", shows="def payment_gateway(price):")
    rooms = {name.removeprefix("helix_core.") for name in work["modules"] if name.startswith("helix_core.")}
    assert {one for one in rooms if one.startswith("ingest.")} == {*("ingest.generation", "ingest.parse_guard")}
    assert "engine.verdict.weigher" in rooms
    assert not rooms & {"engine.verdict.outdated", "model.memory", "model.pauses"}
    assert not {"tree_sitter", "git", "rich", "string"}.intersection(work["modules"])
    assert work["patterns"] <= 129
    assert work["dataclasses"] <= 19
