"""Refreshing reads what moved, parses what is new, and ends where a cold build would."""

import os
import shutil
import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helix_core.engine import Helix
from helix_core.engine.indexing.plan import COARSE_CLOCK_NS, FINE_CLOCK_NS, is_settled
from helix_core.model import StatSignature
from tests.engine.repository import FILES, git, write


def age(folder):
    """Make every file old enough for its stat to be trusted."""
    past = time.time_ns() - 10_000_000_000
    for parent, _, names in os.walk(folder):
        if ".git" not in parent:
            for name in names:
                os.utime(os.path.join(parent, name), ns=(past, past))
    time.sleep(FINE_CLOCK_NS / 1e9 * 1.5)


def test_a_restart_with_nothing_changed_reads_and_parses_nothing(repository, open_helix):
    age(repository)
    first = open_helix(repository)
    assert first.refresh().parsed == len(FILES)
    first_digest = first.digest()
    again = open_helix(repository)
    report = again.refresh()
    assert (report.parsed, report.touched, report.unchanged) == (0, 0, len(FILES))
    assert again.digest() == first_digest


def test_a_file_that_does_not_count_is_skipped_and_not_unchanged(repository, open_helix):
    (repository / "app.min.js").write_text("var a=1;" * 4_000 + "\n")
    age(repository)
    open_helix(repository).refresh()
    report = open_helix(repository).refresh()
    assert (report.files, report.unchanged, sum(report.skipped.values())) == (len(FILES), len(FILES), 1)


def test_a_session_that_looks_again_reads_no_row_of_a_file_until_something_changes(helix, repository):
    age(repository)
    helix.refresh()
    helix.catch_up(only_small=True)
    asked = []

    def note(_, sql, __):
        asked.append(sql)
        return True

    def rows_of_files():
        asked.clear()
        connection = helix.session.index.reader._session.connection
        connection.exec_trace = note
        helix.catch_up(only_small=True)
        connection.exec_trace = None
        return sum("mtime_ns" in sql for sql in asked)

    assert rows_of_files() == 0
    assert asked
    write(repository, {"app/new.py": "def brand_new():\n    return 1\n"})
    rows_of_files()
    assert helix.search("brand_new")["items"][0]["source_id"] == "app/new.py"
    assert rows_of_files() > 0, "the index was written"
    (repository / "app/new.py").unlink()
    rows_of_files()
    assert not [one for one in helix.search("brand_new")["items"] if one["source_id"] == "app/new.py"]


def test_what_another_process_indexed_is_no_change_of_the_last_look(helix, open_helix, repository):
    age(repository)
    helix.refresh()
    helix.catch_up(only_small=True)
    write(repository, {"app/new.py": "def brand_new():\n    return 1\n"})
    open_helix(repository).refresh()
    helix.catch_up(only_small=True)
    assert helix.search("brand_new")["items"][0]["source_id"] == "app/new.py"
    (repository / "app/new.py").unlink()
    open_helix(repository).refresh()
    helix.catch_up(only_small=True)
    assert not [one for one in helix.search("brand_new")["items"] if one["source_id"] == "app/new.py"]


def test_a_branch_switch_and_back_parses_only_what_was_never_seen(helix, repository):
    digest = helix.digest()
    git(repository, "checkout", "-q", "-b", "other")
    write(repository, {"app/sessions.py": "def sign_cookie():\n    return 1\n", "app/new.py": "x = 1\n"})
    (repository / "app/routing.py").unlink()
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "Other")
    assert helix.refresh().parsed == 2
    other = helix.digest()
    git(repository, "checkout", "-q", "main")
    back = helix.refresh()
    assert (back.parsed, back.reactivated, back.removed) == (0, 2, 1)
    assert helix.digest() == digest
    git(repository, "checkout", "-q", "other")
    assert helix.refresh().parsed == 0
    assert helix.digest() == other


def test_deleting_moving_and_editing_are_counted(helix, repository):
    (repository / "README.md").unlink()
    (repository / "app/routing.py").rename(repository / "app/paths.py")
    write(repository, {"app/sessions.py": "def other(): pass\n"})
    report = helix.refresh()
    assert (report.added, report.changed, report.removed) == (1, 1, 2)


def test_a_signature_is_only_trusted_when_the_file_had_come_to_rest():
    fine = StatSignature(1, 5_000_000_123, 5_000_000_123, 1)
    assert not is_settled(fine, 5_000_000_123 + FINE_CLOCK_NS - 1)
    assert is_settled(fine, 5_000_000_123 + FINE_CLOCK_NS)
    whole_seconds = StatSignature(1, 5_000_000_000, 5_000_000_000, 1)
    assert not is_settled(whole_seconds, 5_000_000_000 + COARSE_CLOCK_NS - 1)


@pytest.mark.slow
@pytest.mark.process
def test_two_processes_on_one_folder_take_turns_and_agree(repository, tmp_path, open_helix):
    write(repository, {f"many/module_{i}.py": f"def function_{i}():\n    return {i}\n" for i in range(60)})
    environment = {**os.environ, "HELIX_CACHE_DIR": str(tmp_path / "cache")}
    program = (
        "import sys; from pathlib import Path; from helix_core.engine import Helix\n"
        "with Helix.open(Path(sys.argv[1])) as helix: helix.refresh(); print(helix.digest())"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(repository)], env=environment, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    digests = {process.communicate(timeout=120)[0] for process in running}
    assert all(process.returncode == 0 for process in running)
    assert len(digests) == 1
    helix = open_helix(repository)
    assert helix.refresh().parsed == 0


TEXTS = st.sampled_from(
    [
        "def alpha():\n    return 1\n",
        "class Beta:\n    def gamma(self):\n        return 2\n",
        "# A heading\n\nSome prose about alpha.\n",
        "port = 8080\n",
        "",
        "\x00binary",
    ]
)
NAMES = st.sampled_from(["a.py", "b.py", "docs/c.md", "conf/d.toml", "e.txt", "pkg/f.py"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), NAMES, TEXTS),
        st.tuples(st.just("delete"), NAMES, st.none()),
        st.tuples(st.just("move"), NAMES, NAMES),
        st.tuples(st.just("commit"), NAMES, st.none()),
        st.tuples(st.just("switch"), st.sampled_from(["main", "side"]), st.none()),
        st.tuples(st.just("refresh"), NAMES, st.none()),
    ),
    min_size=25,
    max_size=40,
)


def apply(folder, step):
    kind, name, value = step
    path = folder / name
    if kind == "write":
        write(folder, {name: value})
    elif kind == "delete":
        path.unlink(missing_ok=True)
    elif kind == "move" and path.exists() and name != value:
        (folder / value).parent.mkdir(parents=True, exist_ok=True)
        path.replace(folder / value)
    elif kind == "commit":
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "step", "--allow-empty")
    elif kind == "switch":
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "step", "--allow-empty")
        git(folder, "checkout", "-q", name, check=False)


@pytest.mark.slow
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_any_history_of_edits_moves_and_switches_ends_as_a_cold_build(tmp_path_factory, steps):
    from helix_core.config import load_config

    base = tmp_path_factory.mktemp("history")
    folder = base / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    write(folder, {"a.py": "def start():\n    pass\n"})
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    git(folder, "branch", "side")

    def opened(name):
        config = load_config(folder, environ={"HELIX_CACHE_DIR": str(base / name)}, user=base / "none.toml")
        return Helix.open(folder, config=config)

    with opened("warm") as warm:
        warm.refresh()
        for step in steps:
            apply(folder, step)
            if step[0] == "refresh":
                warm.refresh()
        warm.refresh()
        with opened("cold") as cold:
            cold.refresh()
            assert warm.digest() == cold.digest()
    shutil.rmtree(base)


def test_the_index_holds_no_copy_of_the_source(helix, repository):
    stored = b"".join(file.read_bytes() for file in helix.index_path.parent.iterdir() if file.is_file())
    assert b"sign_cookie" in stored
    lines = {line.strip() for name in FILES for line in (repository / name).read_bytes().splitlines()}
    long = {line for line in lines if len(line) > 24}
    assert len(long) > 10
    assert [line for line in long if line in stored] == []


@pytest.mark.process
def test_a_script_without_a_main_guard_can_use_the_engine(repository, tmp_path):
    write(repository, {f"many/module_{i}.py": f"def function_{i}():\n    return {i}\n" for i in range(60)})
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom pathlib import Path\nfrom helix_core.engine import Helix\n"
        "with Helix.open(Path(sys.argv[1])) as helix:\n    print(helix.refresh().parsed)\n"
    )
    done = subprocess.run(
        [sys.executable, str(script), str(repository)],
        env={**os.environ, "HELIX_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.getcwd()},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("65\n", "")
