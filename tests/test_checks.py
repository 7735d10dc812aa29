"""What ``make test`` and ``make matrix`` print last, by their scripts with parts that end as they are told."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.process

PYTEST_FAILED = """\
..F.
E   AssertionError: one
=========================== short test summary info ============================
FAILED tests/store/test_fts.py::test_a_posting_is_found - AssertionError: one
2 more lines of the error
1 failed, 2300 passed in 600.00s
"""
EDITOR_FAILED = """\
    the hints
ok    the tree counts (1.0 s)
FAIL  the next hint is shown (12.0 s)
      Error: not within 20000 ms: the cursor is in refunds.md
          at until (until.ts:40:13)
          at next (hints.ts:12:3)
          at play (acts.ts:70:5)
ok    nothing is left running (0.0 s)
      activate(), median of 5: 80 ms
93 passed, 1 failed
"""
DOCS_FAILED = """\
INFO    -  Building documentation to directory: build/docs
WARNING -  Doc file 'concepts.md' contains a link 'gone.md', but the target is not found among documentation files.

Aborted with 1 warnings in strict mode!
make: *** [Makefile:119: docs] Error 1
"""


def run(folder: Path, **endings: tuple[int, str]) -> tuple[int, list[str]]:
    """Run ``.ci/test`` in ``folder`` with a ``make`` that prints and exits as ``endings`` says for each part.

    It notes the scenarios of the editor that it was told, in the file ``told``, the parts that go on after an interrupt
    in ``uninterrupted``, and those that have ended in ``ended``. Of the two parts in the variable ``WAITS``, the first
    ends after the second, or after a minute.
    """
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "test", folder / ".ci")
    for part, (status, text) in endings.items():
        (folder / part).write_text(text)
        (folder / f"{part}.exit").write_text(str(status))
    make = folder / "make"
    make.write_text(f"""#!/bin/sh
echo "$2 $SCENARIOS" >>"{folder}/told"
sh -c 'kill -s INT $$; echo "$0" >>"$1"' "$2" "{folder}/uninterrupted"
cat "{folder}/$2" 2>/dev/null
for _ in $(seq 1200); do
    [ "$2" = "${{WAITS% *}}" ] && ! grep -qsx "${{WAITS#* }}" "{folder}/ended" || break
    sleep 0.05
done
echo "$2" >>"{folder}/ended"
exit "$(cat "{folder}/$2.exit" 2>/dev/null || echo 0)"
""")
    make.chmod(0o755)
    environment = {**os.environ, "MAKE": str(make)}
    done = subprocess.run(
        ["bash", folder / ".ci" / "test"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        # These tests run where interrupts are ignored, too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_the_end_counts_what_passed(tmp_path: Path) -> None:
    status, lines = run(
        tmp_path, **{"pytest": (0, "2301 passed in 9.00s\n"), "test-editor": (0, "94 passed, 0 failed\n")}
    )
    assert status == 0
    assert [line.split(" (")[0] for line in lines[-7:]] == [
        "== summary",
        "ok      static",
        "ok      pytest: 2301 passed in 9.00s",
        "ok      check-extension",
        "ok      check-javascript",
        "ok      docs",
        "ok      test-editor: 94 passed, 0 failed",
    ]


def test_the_end_names_what_failed_in_both_halves_with_its_error(tmp_path: Path) -> None:
    status, lines = run(tmp_path, **{"pytest": (2, PYTEST_FAILED), "test-editor": (2, EDITOR_FAILED)})
    assert status == 1
    end = lines[lines.index("== summary") :]
    assert "    FAILED tests/store/test_fts.py::test_a_posting_is_found - AssertionError: one" in end
    assert "    FAIL  the next hint is shown (12.0 s)" in end
    assert "          Error: not within 20000 ms: the cursor is in refunds.md" in end
    assert not any("ok    " in line for line in end if line.startswith("    "))
    assert any(line.startswith("FAILED  pytest: 1 failed, 2300 passed") for line in end)
    assert any(line.startswith("FAILED  test-editor: 93 passed, 1 failed") for line in end)


def test_a_part_that_fails_stops_no_other(tmp_path: Path) -> None:
    status, lines = run(tmp_path, static=(2, "store/fts.py:3: error: no\n"), pytest=(0, "7 passed\n"))
    assert status == 1
    end = lines[lines.index("== summary") :]
    assert "    store/fts.py:3: error: no" in end
    assert any(line.startswith("ok      pytest: 7 passed") for line in end)


def test_all_that_is_not_python_runs_beside_the_tests_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAITS", "pytest docs")
    status, _ = run(tmp_path)
    assert status == 0
    ended = (tmp_path / "ended").read_text().split()
    assert (len(ended), ended[-1]) == (6, "pytest")


def test_a_page_with_a_broken_link_is_named(tmp_path: Path) -> None:
    status, lines = run(tmp_path, docs=(2, DOCS_FAILED))
    assert status == 1
    end = lines[lines.index("== summary") :]
    found = end.index(next(line for line in end if line.startswith("FAILED  docs (")))
    assert end[found + 1].startswith("    WARNING -  Doc file 'concepts.md' contains a link 'gone.md'")
    assert end[found + 2].startswith("ok      test-editor")


def test_many_failures_fit_on_forty_lines(tmp_path: Path) -> None:
    tests = "".join(f"FAILED tests/test_{number}.py::test_it - Error\n" for number in range(200))
    acts = "".join(f"FAIL  act {number} (0.0 s)\n      Error: none\n" for number in range(94))
    other = "a line\n" * 100
    endings = dict.fromkeys(("static", "check-extension", "check-javascript", "docs"), (1, other))
    _, lines = run(tmp_path, **endings, **{"pytest": (1, tests), "test-editor": (1, acts)})
    end = lines[lines.index("== summary") :]
    assert len(end) <= 40
    assert "    FAIL  act 0 (0.0 s)" in end
    assert "    and 84 more in build/test/test-editor.log" in end
    assert sum(line.startswith("FAILED  ") for line in end) == 6


@pytest.mark.parametrize(("slow", "chosen"), [("", True), ("1", False)])
def test_the_editor_plays_some_scenarios_or_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slow: str, *, chosen: bool
) -> None:
    monkeypatch.setenv("SLOW", slow)
    monkeypatch.delenv("SCENARIOS", raising=False)
    run(tmp_path, **{"test-editor": (0, "1 passed, 0 failed\n")})
    lines = dict(line.split(" ", 1) for line in (tmp_path / "told").read_text().splitlines())
    assert bool(lines["test-editor"]) == chosen


def test_the_tests_of_python_run_where_interrupts_are_ignored_and_nothing_else_does(tmp_path: Path) -> None:
    status, _ = run(tmp_path, pytest=(0, "7 passed\n"))
    assert status == 0
    assert (tmp_path / "uninterrupted").read_text().split() == ["pytest"]


PYTHON = """#!/bin/sh
case "$*" in
"-c "*) [ "$3" = {version} ] && echo "$0" ;;
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
"-m pip "*) [ -z "$BROKEN_PIP" ] || {{ echo "no such wheel"; exit 1; }} ;;
"-m pytest "*) echo "$*" >>"$TOLD"; echo "{ending}"; exit {status} ;;
esac
"""


def run_matrix(folder: Path, pythons: dict[str, tuple[int, str]], **more: str) -> tuple[int, list[str]]:
    """Run ``.ci/matrix`` where each version of ``pythons`` is on the PATH, and its pytest ends as told there."""
    if not (folder / ".ci").is_dir():
        (folder / ".ci").mkdir()
        shutil.copy(ROOT / ".ci" / "matrix", folder / ".ci")
    for lock in ("requirements-dev.lock", "pyproject.toml"):
        (folder / lock).write_text("")
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    for version, (status, ending) in pythons.items():
        python = programs / f"python{version}"
        python.write_text(PYTHON.format(version=version, status=status, ending=ending))
        python.chmod(0o755)
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(folder), "TOLD": str(folder / "told"), **more}
    # The real ones of this machine, if /usr/bin has any, are not asked for.
    command = ["bash", folder / ".ci" / "matrix", *(pythons or ["3.98"]), "3.99"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).splitlines()


def test_the_matrix_runs_each_python_and_says_which_is_not_here(tmp_path: Path) -> None:
    status, lines = run_matrix(tmp_path, {"3.11": (0, "9 passed in 1.00s"), "3.12": (0, "8 passed in 1.00s")})
    end = sorted(line.split(" (")[0] for line in lines[lines.index("== summary") + 1 :])
    assert (status, end) == (
        0,
        [
            "ok      python3.11: 9 passed in 1.00s",
            "ok      python3.12: 8 passed in 1.00s",
            "skipped: python3.99 is not here",
        ],
    )
    assert (tmp_path / "told").read_text().count("-m unit and not slow") == 2


def test_the_matrix_fails_with_one_of_its_pythons(tmp_path: Path) -> None:
    status, lines = run_matrix(tmp_path, {"3.11": (0, "9 passed in 1.00s"), "3.12": (1, "1 failed, 7 passed in 1.00s")})
    assert status == 1
    assert any(line.startswith("FAILED  python3.12: 1 failed, 7 passed") for line in lines)
    assert any(line.startswith("ok      python3.11: 9 passed") for line in lines)


def test_a_python_whose_packages_do_not_install_fails_and_runs_no_test(tmp_path: Path) -> None:
    status, lines = run_matrix(tmp_path, {"3.11": (0, "9 passed in 1.00s")}, BROKEN_PIP="1")
    assert status == 1
    assert any(line.startswith("FAILED  python3.11: its packages were not installed") for line in lines)
    assert not (tmp_path / "told").exists()


def test_a_matrix_without_any_python_fails(tmp_path: Path) -> None:
    status, lines = run_matrix(tmp_path, {})
    assert status == 1
    assert "skipped: python3.98 is not here" in lines
    assert lines[-1] == "no Python of 3.98 3.99 is here"
