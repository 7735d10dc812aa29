"""A test that is marked ``unit`` starts no process but git, whichever way it tries."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.conftest import MARKS, TEMPORARY, remove_left_folders

ROOT = Path(__file__).parents[1]
DEPENDS_ON_SECONDS = re.compile(
    r"^ *assert .*\b(?:monotonic|perf_counter|time)\(\) - \w+ <.*|^.*\.(?:wait|join)\((?:[1-9]|[1-5]\d)(?:\.\d+)?\).*"
    r"|^.*\bwithin_s=(?:[1-9]|[1-5]\d)\b.*",
    re.M,
)
WAYS = {
    "subprocess": "import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''])",
    "swallowed": "import os\ntry:\n    os.system('true')\nexcept BaseException:\n    pass",
    "shell": "import subprocess\nsubprocess.run('true', shell=True)",
    "multiprocessing": "import multiprocessing\nmultiprocessing.get_context('spawn').Process(target=print).start()",
    "fork": "import os\nos.fork() or os._exit(0)",
    "thread": "import subprocess, sys, threading\n"
    "one = threading.Thread(target=lambda: subprocess.run([sys.executable, '-c', '']))\none.start()\none.join()",
}


def test_each_test_has_exactly_one_of_the_marks(request: pytest.FixtureRequest) -> None:
    marked = {item.nodeid: {mark.name for mark in item.iter_markers()} & set(MARKS) for item in request.session.items}
    assert {test: marks for test, marks in marked.items() if len(marks) != 1} == {}


def test_no_test_fails_on_a_busy_machine_for_want_of_seconds() -> None:
    """What took some time is not compared with a limit, and a wait for a condition has a backstop of a minute."""
    wrong = []
    for file in sorted({*(ROOT / "tests").rglob("*.py")} - {Path(__file__)}):
        for found in DEPENDS_ON_SECONDS.finditer(file.read_text(encoding="utf-8")):
            wrong.append(f"{file.relative_to(ROOT)}: {found.group()}")
    assert wrong == []


@pytest.mark.parametrize(
    "line",
    [
        "    assert time.monotonic() - began < 1.9",
        "    assert time.perf_counter() - began <= 10, 'slow'",
        "    assert process.wait(5) == 0",
        "    thread.join(20)",
        "    until(is_gone, 'it is gone', within_s=15)",
    ],
)
def test_the_search_for_such_tests_would_find_some(line: str) -> None:
    assert DEPENDS_ON_SECONDS.search(line)


def test_what_a_run_leaves_is_removed_by_itself_or_by_a_later_one(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert Path(folder).parent.name.startswith(f"{TEMPORARY}{os.getpid()}-")
    ended = subprocess.Popen(["git", "--version"], stdout=subprocess.DEVNULL)
    ended.wait()
    for pid in (ended.pid, os.getpid()):
        (tmp_path / f"{TEMPORARY}{pid}-x").mkdir()
    remove_left_folders(tmp_path)
    assert os.listdir(tmp_path) == [f"{TEMPORARY}{os.getpid()}-x"]


def test_a_unit_test_may_start_git() -> None:
    assert subprocess.run(["git", "--version"], capture_output=True, check=True).stdout.startswith(b"git version")


@pytest.mark.process
@pytest.mark.parametrize(
    "mark", ["pytest.mark.process", "[pytest.mark.asyncio, pytest.mark.slow]", "pytest.mark.editor"]
)
def test_a_run_of_unit_tests_imports_no_file_that_has_none(tmp_path: Path, mark: str) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tests / "test_one.py").write_text("def test_one():\n    pass\n")
    (tests / "test_other.py").write_text(
        f"import pytest\n\npytestmark = {mark}\nassert 'imported' == ''\n\n\ndef test_other():\n    pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), "-q", str(tests)]
    unit = subprocess.run([*command, "-m", "unit and not slow"], capture_output=True, text=True, check=False)
    assert (unit.returncode, "1 passed" in unit.stdout) == (0, True), unit.stdout
    whole = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "assert 'imported' == ''" in whole.stdout


@pytest.mark.process
def test_a_unit_test_that_starts_another_process_fails_and_is_told_the_mark(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    body = "import pytest\n"
    for way, code in WAYS.items():
        lines = "".join(f"    {line}\n" for line in code.splitlines())
        body += f"\ndef test_{way}():\n{lines}\n@pytest.mark.process\ndef test_marked_{way}():\n{lines}"
    (tests / "test_ways.py").write_text(body)
    options = ["-p", "no:cacheprovider", "--rootdir", str(tmp_path), "-rf", "-q", str(tests)]
    done = subprocess.run([sys.executable, "-m", "pytest", *options], capture_output=True, text=True, check=False)
    failed = {line.split("::")[1].split()[0] for line in done.stdout.splitlines() if line.startswith("FAILED")}
    assert failed == {f"test_{way}" for way in WAYS}, done.stdout
    assert done.stdout.count("mark it with @pytest.mark.process") >= len(WAYS)
