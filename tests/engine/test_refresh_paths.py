"""Refreshing what a watcher named ends where a refresh of everything would."""

import os
import shutil
import time
from contextlib import contextmanager

import pytest
from filelock import FileLock

from helix_core.engine import Helix
from helix_core.engine.indexing import refresh
from helix_core.store import Writer
from tests.engine.conftest import config_in
from tests.engine.repository import git, write


def digest_of_all(open_helix, folder):
    whole = open_helix(folder)
    whole.rebuild()
    return whole.digest()


def test_a_saved_file_is_searchable_and_nothing_else_was_looked_at(helix, repository):
    write(repository, {"app/routing.py": "def quokka_route():\n    return 1\n", "README.md": "changed unseen\n"})
    report = helix.refresh_paths([b"app/routing.py"])
    assert (report.files, report.parsed, report.changed) == (1, 1, 1)
    assert helix.search("quokka_route")["items"][0]["source_id"] == "app/routing.py"
    assert helix.refresh().parsed == 1


def test_deleted_files_and_folders_leave_the_index(helix, repository, open_helix):
    shutil.rmtree(repository / "app")
    (repository / "README.md").unlink()
    assert helix.refresh_paths([b"app", b"README.md"]).removed == 3
    assert helix.digest() == digest_of_all(open_helix, repository)


def test_a_new_folder_is_taken_in_whole(helix, repository, open_helix):
    write(repository, {"app/more/one.py": "one = 1\n", "app/more/deep/two.py": "two = 2\n", "app/morel.py": "x = 1\n"})
    assert helix.refresh_paths([b"app/more"]).added == 2
    assert helix.refresh_paths([b"app/morel.py"]).added == 1
    assert helix.digest() == digest_of_all(open_helix, repository)


def test_an_ignored_file_stays_out(helix, repository):
    write(repository, {".gitignore": "*.log\n"})
    helix.refresh()
    write(repository, {"noise.log": "quokka\n"})
    report = helix.refresh_paths([b"noise.log"])
    assert (report.files, report.parsed) == (0, 0)


def test_a_changed_ignore_file_is_answered_by_looking_at_everything(helix, repository, open_helix):
    write(repository, {".gitignore": "docs/\n"})
    git(repository, "rm", "-rq", "--cached", "docs")
    assert helix.refresh_paths([b".gitignore"]).removed == 1
    assert helix.digest() == digest_of_all(open_helix, repository)


def test_a_file_of_an_inner_repository_is_not_lost(helix, repository):
    inner = repository / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    write(inner, {"wombat.py": "def wombat(): pass\n"})
    helix.refresh()
    write(inner, {"wombat.py": "def wombat_two(): pass\n"})
    helix.refresh_paths([b"inner/wombat.py"])
    assert helix.search("wombat_two")["items"][0]["source_id"] == "inner/wombat.py"


def test_outside_git_a_saved_file_is_found_too(tmp_path, open_helix):
    write(tmp_path / "plain", {"a.py": "alpha = 1\n", "b.py": "beta = 2\n"})
    helix = open_helix(tmp_path / "plain")
    helix.refresh()
    write(tmp_path / "plain", {"a.py": "quokka = 1\n"})
    assert helix.refresh_paths([b"a.py"]).parsed == 1
    assert helix.refresh_paths([]).files == 0


@pytest.mark.process
def test_outside_git_a_save_looks_at_no_more_files_in_a_larger_tree(tmp_path, open_helix, monkeypatch):
    calls = []
    for name in ("stat", "open", "scandir"):
        plain = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda *given, plain=plain, **named: calls.append(given) or plain(*given, **named)
        )
    looked = {}
    for count in (40, 400):
        folder = tmp_path / str(count)
        write(folder, {f"f{number // 2}/{number}.py": f"alpha_{number} = 1\n" for number in range(count)})
        helix = open_helix(folder)
        helix.refresh()
        write(folder, {"f1/3.py": "quokka = 1\n"})
        calls.clear()
        assert helix.refresh_paths([b"f1/3.py"]).parsed == 1
        looked[count] = len(calls)
    assert 0 < looked[400] <= looked[40] + 10, looked


def test_what_was_read_as_it_was_written_is_settled_by_one_more_look(helix, repository):
    time.sleep(helix.unsettled()[1])
    helix.refresh()
    # A busy machine may read the file later than in the moment it is written.
    for number in range(500):
        write(repository, {"app/routing.py": f"def quokka_route():\n    return {number}\n"})
        helix.refresh_paths([b"app/routing.py"])
        again, wait_s = helix.unsettled([b"app/routing.py", b"README.md"])
        if again:
            break
    assert again == (b"app/routing.py",)
    assert not helix.status()["fresh"]
    time.sleep(wait_s)
    assert helix.refresh_paths(again).parsed == 0
    assert helix.unsettled() == ((), 0.0)
    assert helix.status()["fresh"]


def test_a_file_stamped_in_the_future_is_not_pending_until_then(helix, repository):
    file = repository / "app/routing.py"
    os.utime(file, (4_000_000_000, 4_000_000_000))
    helix.refresh()
    time.sleep(helix.unsettled()[1])
    helix.refresh()
    assert helix.status()["fresh"]
    file.write_text("def quokka_route():\n    return 1\n")
    os.utime(file, (4_000_000_000, 4_000_000_000))
    assert not helix.status()["fresh"]
    assert helix.refresh().parsed == 1
    assert helix.search("quokka_route")["items"][0]["source_id"] == "app/routing.py"


def test_what_another_process_stored_meanwhile_is_not_overwritten_by_an_older_reading(repository, tmp_path):
    """The file is saved, and taken in by another, between the moment it is read and the moment it is stored."""
    saved = []

    @contextmanager
    def save_meanwhile(_content):
        if not saved:
            saved.append(True)
            write(repository, {"app/routing.py": "def second_version():\n    return 2\n"})
            with Helix.open(repository, config=config_in(tmp_path, repository)) as other:
                assert other.take_saved([b"app/routing.py"]).parsed == 1
        yield True

    with Helix.open(repository, config=config_in(tmp_path, repository), parse_guard=save_meanwhile) as helix:
        with Helix.open(repository, config=config_in(tmp_path, repository)) as other:
            other.refresh()
        write(repository, {"app/routing.py": "def first_version():\n    return 1\n"})
        helix.refresh_paths([b"app/routing.py"])
        assert saved
        assert helix.search("second_version")["items"][0]["source_id"] == "app/routing.py"
        item = helix.search("first_version")["items"]
        assert all(each["symbol"] != "first_version" for each in item)
        assert helix.refresh().changed == 0


@pytest.mark.process
@pytest.mark.parametrize("count", [1, 40], ids=["one file", "more than are parsed in this process"])
@pytest.mark.parametrize("whole", [False, True], ids=["as watched", "by a whole refresh"])
def test_a_renamed_file_is_at_no_moment_in_neither_place(repository, open_helix, whole, count, monkeypatch):
    """Between any two transactions another reader finds each definition, under the old path or the new one."""
    names = [f"quokka_{number}" for number in range(count)]
    write(repository, {f"old/{name}.py": f"def {name}():\n    return 1\n" for name in names})
    helix = open_helix(repository)
    helix.refresh()
    reader = helix.session.index.reader
    lost = []
    batch = Writer.batch

    @contextmanager
    def looked_after(writer):
        with batch(writer):
            yield
        if not writer._depth:
            lost.extend(name for name in names if not reader.names.definitions([name]))

    monkeypatch.setattr(Writer, "batch", looked_after)
    (repository / "old").rename(repository / "new")
    report = helix.refresh() if whole else helix.refresh_paths([b"old", b"new"])
    assert (report.removed, report.added, lost) == (count, count, [])
    monkeypatch.undo()
    assert helix.search(names[0])["items"][0]["source_id"] == f"new/{names[0]}.py"
    assert helix.digest() == digest_of_all(open_helix, repository)


def test_a_file_that_is_renamed_and_edited_at_once_is_at_no_moment_in_neither_place(repository, tmp_path):
    def defined():
        with Helix.open(repository, config=config_in(tmp_path, repository)) as other:
            return [item["source_id"] for item in other.search("match_route")["items"] if item["symbol"]]

    seen = []

    @contextmanager
    def look(_content):
        seen.append(defined())
        yield True

    with Helix.open(repository, config=config_in(tmp_path, repository), parse_guard=look) as helix:
        with Helix.open(repository, config=config_in(tmp_path, repository)) as other:
            other.refresh()
        text = (repository / "app/routing.py").read_text()
        (repository / "app/routing.py").unlink()
        write(repository, {"app/routes.py": f"# Renamed.\n{text}"})
        assert helix.refresh_paths([b"app/routing.py", b"app/routes.py"]).removed == 1
    assert seen and "app/routing.py" in seen[0]
    assert "app/routes.py" in defined() and "app/routing.py" not in defined()


def test_a_file_that_another_process_took_in_during_the_listing_does_not_pass_for_gone(
    helix, repository, open_helix, monkeypatch
):
    listing = refresh.list_files

    def list_and_then_save(*given, **named):
        monkeypatch.setattr(refresh, "list_files", listing)
        listed = listing(*given, **named)
        write(repository, {"app/late.py": "def late_arrival():\n    return 1\n"})
        open_helix(repository).take_saved([b"app/late.py"])
        return listed

    write(repository, {"app/other.py": "def other_work():\n    return 1\n"})
    monkeypatch.setattr(refresh, "list_files", list_and_then_save)
    helix.refresh()
    assert helix.search("late_arrival")["items"][0]["source_id"] == "app/late.py"


def test_saved_paths_are_taken_in_while_another_process_holds_the_index(helix, repository):
    write(repository, {"app/routing.py": "def quokka_route():\n    return 1\n"})
    with FileLock(helix.index_path.with_suffix(".lock")):
        assert helix.refresh_paths([b"app/routing.py"]).parsed == 1
    assert helix.search("quokka_route")["items"][0]["source_id"] == "app/routing.py"
