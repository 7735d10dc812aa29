"""Which folders are watched, and that none of those that come and go is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from helix_core.workspace.files import FileOptions
from helix_core.workspace.git import Git
from helix_core.workspace.watch.folders import choose
from tests.workspace.listening import DEFAULTS, Listener, inodes_watched, watches

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify")


def chosen(folder: Path, options: FileOptions = DEFAULTS) -> set[bytes]:
    return set(choose(folder, Git.open(folder), options).folders)


def test_ignored_folders_and_gits_objects_get_no_watch(repository):
    repository.write(".gitignore", "node_modules/\nbuild/\n__pycache__/\n")
    for path in ("src/a.py", "node_modules/x/y/z.js", "src/build/o/x.c", "src/__pycache__/a.pyc"):
        repository.write(path)
    repository.commit()
    with Listener(repository.path) as listener:
        inodes = inodes_watched()
        for folder in ("node_modules", "node_modules/x", "src/build", "src/__pycache__", ".git/objects", ".git/logs"):
            assert os.stat(repository.path / folder).st_ino not in inodes, folder
        for folder in (".", "src", ".git", ".git/refs/heads"):
            assert os.stat(repository.path / folder).st_ino in inodes, folder
        assert len(watches()) == listener.watch.state.folders + 3  # .git, .git/info, .git/refs/heads
        assert listener.watch.state.folders == 2


def test_a_folder_counts_though_nothing_in_it_does_so_far(repository):
    repository.write(".gitignore", "*.pyc\nbuild\n")
    for path in ("a/b/c.pyc", "p/build/x", "cache/__pycache__/x.pyc"):
        repository.write(path)
    (repository.path / "empty/in").mkdir(parents=True)
    assert chosen(repository.path) == {b"", b"a", b"a/b", b"p", b"cache", b"empty", b"empty/in"}


def test_tracked_folders_count_although_a_rule_names_them(repository):
    repository.write("build/kept/a.py")
    repository.commit()
    repository.write(".gitignore", "build/\n")
    assert {b"build", b"build/kept"} <= chosen(repository.path)


def test_a_folder_that_never_counts_is_not_watched_whatever_a_rule_says(repository):
    for path in ("src/a.py", "own/workspaces/a/index.db", "src/own/b.py"):
        repository.write(path)
    repository.write(".helixignore", "!own/\n")
    assert chosen(repository.path, FileOptions(never=frozenset({b"own"}))) == {b"", b"src", b"src/own"}


def test_helixignore_and_settings_prune_and_private_folders_are_never_watched(repository):
    for path in ("data/x/a.csv", "src/gen/a.py", "src/b.py", ".ssh/config", "odd*name/a.py"):
        repository.write(path)
    repository.write(".helixignore", "data/\n")
    repository.write("src/.helixignore", "/gen\n")
    assert chosen(repository.path, FileOptions(helixignore=("odd[*]name",))) == {b"", b"src"}


def test_folders_without_a_repository_follow_gitignore_and_the_usual_caches(tmp_path):
    for folder in ("src/a", "node_modules/x", "out/b", ".venv/lib"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "f.py").write_text("1")
    (tmp_path / ".gitignore").write_text("out\n")
    assert chosen(tmp_path) == {b"", b"src", b"src/a"}


def test_a_submodule_brings_its_own_rules_and_a_second_work_tree_is_left_out(repository, make_repository, tmp_path):
    inner = make_repository(tmp_path / "inner")
    inner.write(".gitignore", "out/\n")
    inner.write("lib/a.py")
    inner.commit()
    repository.commit()
    repository.git("submodule", "--quiet", "add", str(inner.path), "sub")
    repository.commit()
    (repository.path / "sub/out/deep").mkdir(parents=True)
    repository.git("worktree", "add", "--quiet", "twin")
    with Listener(repository.path) as listener:
        assert chosen(repository.path) == {b"", b"sub", b"sub/lib"}
        repository.write("sub/lib/a.py", "new")
        assert listener.hear().paths == {b"sub/lib/a.py"}


def test_links_are_never_followed_and_a_fifo_is_never_opened(repository, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    repository.write("src/a.py")
    os.symlink("..", repository.path / "src/up")
    os.symlink("/", repository.path / "root")
    os.symlink(outside, repository.path / "out")
    os.mkfifo(repository.path / "pipe")
    os.symlink("pipe", repository.path / "to_pipe")
    with Listener(repository.path) as listener:
        assert chosen(repository.path) == {b"", b"src"}
        (outside / "x.py").write_text("1")
        assert not listener.hear().paths
        os.symlink(outside, repository.path / "later")
        os.mkfifo(repository.path / "src/pipe")
        assert listener.hear().paths == {b"later", b"src/pipe"}
        (outside / "y.py").write_text("1")
        assert not listener.hear().paths
        assert listener.watch.state.folders == 2


def test_a_folder_filled_the_moment_it_is_made_loses_nothing(repository):
    with Listener(repository.path) as listener:
        for number in range(50):
            repository.write(f"new{number}/a/b/c/d.py", f"{number}")
        assert listener.follows_the_disk()
        assert listener.watch.state.folders == 1 + 50 * 4
        for number in range(50):
            repository.write(f"new{number}/a/b/c/d.py", "again")
        written = {b"new%d/a/b/c/d.py" % number for number in range(50)}
        heard = listener.hear().paths
        # A folder's own last event may come behind those of its file, as may that of a folder above it.
        assert written <= heard
        assert all(any(path.startswith(one + b"/") for path in written) for one in heard - written)


def test_an_ignored_folder_that_comes_later_gets_no_watch(repository):
    repository.write(".gitignore", "node_modules/\n")
    with Listener(repository.path) as listener:
        for number in range(50):
            repository.write(f"node_modules/p{number}/i.js")
        listener.hear()
        assert listener.watch.state.folders == 1
        repository.write("node_modules/p1/i.js", "again")
        assert not listener.hear().paths


def test_an_ignore_file_that_changes_is_a_reason_to_look_at_everything(repository):
    repository.write("out/a.py")
    repository.write("src/a.py")
    with Listener(repository.path) as listener:
        repository.write(".gitignore", "out/\n")
        assert listener.until(lambda heard: heard.whole).whole
        assert listener.watch.sync(30)
        listener.until(lambda _: listener.watch.state.folders == 2)
        repository.write(".gitignore", "")
        assert b"out" in listener.until(lambda heard: b"out" in heard.paths).paths
        repository.write("out/a.py", "again")
        assert listener.hear().paths == {b"out/a.py"}
        (repository.path / ".git/info/exclude").write_text("src/\n")
        assert listener.until(lambda heard: heard.whole and listener.watch.state.folders == 2)


def test_folders_moved_in_out_and_within_keep_nothing_of_their_old_names(repository, tmp_path):
    repository.write("a/b/c.py", "1")
    away = tmp_path / "away"
    with Listener(repository.path) as listener:
        os.rename(repository.path / "a", away)
        assert listener.hear().paths == {b"a"}
        assert listener.watch.state.folders == 1
        (away / "b/c.py").write_text("elsewhere")
        assert not listener.hear().paths
        os.rename(away, repository.path / "z")
        assert listener.hear().paths == {b"z"}
        os.rename(repository.path / "z", repository.path / "y")
        assert listener.hear().paths == {b"z", b"y"}
        repository.write("y/b/c.py", "2")
        assert listener.hear().paths == {b"y/b/c.py"}
        (repository.path / "x").mkdir()
        os.rename(repository.path / "y", repository.path / "x")
        assert listener.hear().paths == {b"x", b"y"}
        repository.write("x/b/c.py", "3")
        assert listener.hear().paths == {b"x/b/c.py"}
        shutil.rmtree(repository.path / "x")
        assert {b"x", b"x/b/c.py"} <= listener.hear().paths
        assert listener.watch.state.folders == 1


@pytest.mark.slow
def test_a_name_that_is_a_file_a_folder_a_link_and_a_pipe_in_turn_ends_as_it_is(repository):
    place = repository.path / "flip"
    with Listener(repository.path) as listener:
        until = time.monotonic() + 3
        follower = threading.Thread(target=lambda: _follow_until(listener, until))
        follower.start()
        while time.monotonic() < until:
            place.write_text("file")
            place.unlink()
            repository.write("flip/in/a.py")
            shutil.rmtree(place)
            os.symlink("/", place)
            place.unlink()
            os.mkfifo(place)
            place.unlink()
        repository.write("flip/last.py", "1")
        follower.join()
        assert listener.follows_the_disk()
        listener.hear()
        repository.write("flip/last.py", "2")
        assert listener.hear().paths == {b"flip/last.py"}
        assert listener.watch.state.folders == 2


def _follow_until(listener: Listener, until: float) -> None:
    while time.monotonic() < until:
        listener.follow()
        time.sleep(0.05)


@pytest.mark.slow
def test_a_checkout_of_a_thousand_files_there_and_back_loses_nothing(repository):
    repository.write("keep.py")
    repository.commit()
    repository.git("checkout", "--quiet", "-b", "other")
    for number in range(1000):
        repository.write(f"d{number % 100}/e/f{number}.py", f"{number}")
    repository.commit()
    with Listener(repository.path) as listener:
        for branch in ("main", "other", "main", "other"):
            repository.git("checkout", "--quiet", branch)
        assert listener.follows_the_disk()
        assert len(listener.known) == 1001
        listener.until(lambda _: listener.watch.state.folders == 201)
        repository.write("d7/e/f7.py", "last")
        assert listener.follows_the_disk()


def test_folders_that_may_not_be_read_are_tried_again_when_they_may(tmp_path, unprivileged, open_folder):
    def run() -> tuple[bool, bool]:
        closed = open_folder / "root/closed"
        closed.mkdir(parents=True)
        (closed / "a.py").write_text("1")
        closed.chmod(0)
        with Listener(open_folder / "root") as listener:
            closed.chmod(0o755)
            was_told = b"closed" in listener.hear().paths
            (closed / "a.py").write_text("2")
            return was_told, listener.hear().paths == {b"closed/a.py"}

    os.chmod(open_folder, 0o777)
    assert unprivileged(run) == (True, True)


@pytest.mark.process
def test_an_archive_unpacked_by_another_process_is_known_in_full(repository, tmp_path):
    for number in range(300):
        repository.write(f"p{number % 30}/q/f{number}.py", f"{number}")
    subprocess.run(["tar", "cf", tmp_path / "a.tar", "-C", repository.path, "."], check=True)
    target = tmp_path / "target"
    target.mkdir()
    with Listener(target) as listener:
        subprocess.run(["tar", "xf", tmp_path / "a.tar", "-C", target], check=True)
        assert listener.follows_the_disk()
        assert len(listener.known) == 300


MIXED = """
import os, random, shutil, sys
root, away = sys.argv[1:]
chance = random.Random(7)
for number in range(2000):
    folder = os.path.join(root, *(f"d{chance.randrange(4)}" for _ in range(chance.randrange(4))))
    other = os.path.join(root, *(f"d{chance.randrange(4)}" for _ in range(chance.randrange(1, 4))))
    act = chance.randrange(10) if folder != root else 0
    try:
        if act < 4:
            os.makedirs(folder, exist_ok=True)
            open(os.path.join(folder, f"f{number % 5}.py"), "w").write(str(number))
        elif act < 6:
            os.rename(folder, other)
        elif act == 6:
            os.rename(folder, os.path.join(away, "held"))
            os.rename(os.path.join(away, "held"), other)
        elif act == 7:
            shutil.rmtree(folder)
        elif act == 8:
            os.symlink(root, other)
        elif os.path.islink(other):
            os.unlink(other)
    except OSError:
        pass
    if os.path.lexists(os.path.join(away, "held")):
        os.rename(os.path.join(away, "held"), os.path.join(away, f"gone{number}"))
"""


@pytest.mark.process
def test_two_thousand_mixed_operations_end_in_the_disk_and_in_the_folders_there_are(repository, tmp_path):
    (tmp_path / "away").mkdir()
    with Listener(repository.path) as listener:
        child = subprocess.Popen([sys.executable, "-c", MIXED, str(repository.path), str(tmp_path / "away")])
        while child.poll() is None:
            listener.follow()
            time.sleep(0.02)
        assert child.returncode == 0
        assert listener.watch.sync(30)
        assert listener.follows_the_disk()
        events = listener.watch._coverage.events
        assert events is not None
        assert events.watched() == chosen(repository.path)
        here = {os.stat(repository.path / os.fsdecode(folder)).st_ino for folder in events.watched()}
        git = {os.stat(repository.path / ".git" / name).st_ino for name in (".", "info", "refs/heads")}
        assert inodes_watched() == here | git
        for folder in sorted(events.watched()):
            repository.write(os.path.join(folder, b"last.py"))
        assert listener.hear().paths == {os.path.join(folder, b"last.py") for folder in events.watched()}
