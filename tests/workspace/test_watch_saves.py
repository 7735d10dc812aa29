"""Saves of every kind are heard, all of them, and nothing but them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import unicodedata
from pathlib import Path

import pytest

from helix_core.workspace.disk import Root
from helix_core.workspace.files import FileOptions, list_files
from helix_core.workspace.git import Git
from helix_core.workspace.state import GitStateReader
from tests.workspace.listening import Listener, saved_by_rename, saved_in_place, saved_with_backup

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="inotify"), pytest.mark.slow]


@pytest.mark.parametrize("save", [saved_in_place, saved_by_rename, saved_with_backup])
def test_every_way_of_saving_is_heard_two_hundred_times(repository, save):
    repository.write("src/a.py", "0")
    file = repository.path / "src/a.py"
    with Listener(repository.path) as listener:
        for number in range(200):
            save(file, f"{number}")
            assert b"src/a.py" in listener.hear().paths
        assert not listener.hear().paths


@pytest.mark.parametrize("save", [saved_in_place, saved_by_rename, saved_with_backup])
def test_a_file_is_known_as_written_once_all_of_it_is_there_and_a_batch_has_it_too(repository, save):
    repository.write("src/a.py", "0")
    file = repository.path / "src/a.py"
    with Listener(repository.path) as listener:
        with file.open("w") as unfinished:
            unfinished.write("half")
            unfinished.flush()
            assert listener.watch.sync(30)
            assert b"src/a.py" not in listener.watch.take_written()
        save(file, "1")
        assert listener.watch.sync(30)
        assert b"src/a.py" in listener.watch.take_written()
        assert not listener.watch.take_written()
        assert b"src/a.py" in listener.hear().paths
        file.unlink()
        assert listener.watch.sync(30)
        assert b"src/a.py" not in listener.watch.take_written()


def test_a_queue_that_is_drained_has_handled_every_event_up_to_now(repository):
    with Listener(repository.path) as listener:
        for number in range(500):
            repository.write(f"f{number}.py", "0")
            assert f"f{number}.py".encode() in listener.hear().paths


def test_none_of_five_thousand_rewrites_is_lost(repository):
    for number in range(5000):
        repository.write(f"d{number % 50}/f{number}.py", "0")
    with Listener(repository.path) as listener:
        for number in range(5000):
            (repository.path / f"d{number % 50}/f{number}.py").write_text("1")
        heard = listener.hear()
        assert heard.whole or len(heard.paths) == 5000
        assert listener.watch.state.overflows == 0 or heard.whole


def test_forty_thousand_events_end_in_what_the_disk_holds(repository):
    for number in range(100):
        repository.write(f"f{number}.py", "0")
    with Listener(repository.path) as listener:
        for number in range(10_000):
            saved_by_rename(repository.path / f"f{number % 100}.py", f"{number}")
        assert listener.watch.sync(30)
        listener.follow()
        assert listener.known == listener.disk()


def test_who_is_called_once_is_not_called_again_before_taking(repository):
    with Listener(repository.path) as listener:
        for number in range(100):
            repository.write(f"f{number}.py")
        assert listener.watch.sync(30)
        assert listener.calls == 1
        assert len(listener.watch.take().paths) == 100
        repository.write("more.py")
        assert listener.watch.sync(30)
        assert listener.calls == 2


def test_a_hint_is_heard_with_and_without_a_watcher(repository):
    for mode in ("auto", "off"):
        with Listener(repository.path, mode) as listener:
            listener.watch.hint([b"a.py", b"b.py"])
            assert listener.calls == 1
            assert listener.watch.take().paths == {b"a.py", b"b.py"}


def test_names_of_any_bytes_are_heard_as_they_are(repository):
    names = [b"caf\xe9.py", b"two\nlines.py", b"-dash.py", b":(glob)x.py", b" .py"]
    names += [unicodedata.normalize(form, "é.py").encode() for form in ("NFC", "NFD")]
    with Listener(repository.path) as listener:
        for name in names:
            repository.write(name)
        assert listener.hear().paths == set(names)
        repository.write(b"d\xff\n/in.py")
        assert b"d\xff\n" in listener.hear().paths
        repository.write(b"d\xff\n/in.py", "again")
        assert listener.hear().paths == {b"d\xff\n/in.py"}


def test_a_change_of_permissions_a_link_and_a_deletion_are_heard(repository):
    repository.write("a.py")
    with Listener(repository.path) as listener:
        (repository.path / "a.py").chmod(0o755)
        assert listener.hear().paths == {b"a.py"}
        os.link(repository.path / "a.py", repository.path / "b.py")
        assert b"b.py" in listener.hear().paths
        (repository.path / "b.py").unlink()
        assert b"b.py" in listener.hear().paths


def test_what_we_do_ourselves_is_not_heard(repository):
    repository.write("src/a.py")
    repository.commit()
    repository.write("src/a.py", "dirty")
    with Listener(repository.path) as listener:
        git = Git.open(repository.path)
        for _ in range(5):
            with Root.open(repository.path) as root:
                for entry in list_files(root, git, FileOptions()).files:
                    root.read(entry.path)
            GitStateReader(git).state()
            git.run(["status", "--porcelain"])
        heard = listener.hear()
        assert not (heard.paths or heard.git or heard.whole)
        assert listener.calls == 0


def test_a_single_ignored_file_that_is_written_all_the_time_wakes_nobody(repository):
    repository.write(".gitignore", "*.log\n")
    repository.write("noise.log")
    with Listener(repository.path) as listener:
        for number in range(100):
            repository.write("noise.log", f"{number}")
        assert not listener.hear().paths
        assert listener.calls == 0
        repository.git("add", "--force", "noise.log")
        assert b"noise.log" in listener.until(lambda heard: b"noise.log" in heard.paths).paths


@pytest.mark.process
def test_saves_from_several_processes_are_heard(repository):
    for number in range(4):
        repository.write(f"p{number}/f.py", "0")
    code = "import sys\nfor n in range(300): open(sys.argv[1], 'w').write(str(n))"
    with Listener(repository.path) as listener:
        writers = [
            subprocess.Popen([sys.executable, "-c", code, str(repository.path / f"p{number}/f.py")])
            for number in range(4)
        ]
        assert [writer.wait(60) for writer in writers] == [0] * 4
        assert listener.follows_the_disk()


def test_nothing_is_left_when_it_stops(repository: object, tmp_path: Path):
    (tmp_path / "plain").mkdir()
    threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for _ in range(10):
        with Listener(tmp_path / "plain") as listener:
            assert listener.watch.state.mode == "events"
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) == descriptors
