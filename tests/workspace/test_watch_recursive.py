"""The watcher of systems without inotify, on whatever this system's observer is."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable

import pytest

from helix_core.workspace.disk import Root
from helix_core.workspace.files import FileOptions
from helix_core.workspace.git import Git
from helix_core.workspace.watch.change_queue import ChangeBatch, ChangeQueue
from helix_core.workspace.watch.folders import choose, git_places
from helix_core.workspace.watch.portable import Recursive


class Asked:
    """A keeper that only notes what it was asked."""

    def __init__(self) -> None:
        self.folders: set[bytes] = set()
        self.looks = self.losses = 0

    def look_into(self, folder: bytes) -> None:
        self.folders.add(folder)

    def look_again(self, in_s: float = 0.0) -> None:
        self.looks += 1

    def overflowed(self) -> None:
        self.looks += 1

    def root_lost(self) -> None:
        self.losses += 1


@pytest.fixture
def watched(repository):
    repository.write(".gitignore", "build/\n")
    repository.write("src/a.py")
    repository.write("build/b.py")
    repository.commit()
    hearing, keeper = ChangeQueue(lambda: None, time.monotonic), Asked()
    events = Recursive(os.fsencode(repository.path), hearing, keeper)
    git = Git.open(repository.path)
    with Root.open(repository.path) as root:
        for folder in choose(root.path, git, FileOptions()).folders:
            events.watch(folder, -1)
    events.watch_git(git_places(git))
    yield hearing, keeper
    events.stop()


def test_saves_that_count_are_heard_and_those_in_ignored_folders_are_not(repository, watched):
    hearing, _ = watched
    repository.write("build/b.py", "2")
    repository.write("src/a.py", "2")
    assert until(hearing, lambda heard: b"src/a.py" in heard.paths).paths == {b"src/a.py"}


def test_new_folders_ignore_files_and_git_are_handed_on(repository, watched):
    hearing, keeper = watched
    repository.write("new/c.py")
    until(hearing, lambda _: b"new" in keeper.folders)
    repository.write(".gitignore", "out/\n")
    until(hearing, lambda heard: heard.whole and bool(keeper.looks))
    repository.commit()
    assert until(hearing, lambda heard: heard.git).git


def test_files_and_folders_that_go_are_heard(repository, watched):
    hearing, _ = watched
    shutil.rmtree(repository.path / "src")
    assert until(hearing, lambda heard: {b"src", b"src/a.py"} <= heard.paths)


def until(hearing: ChangeQueue, holds: Callable[[ChangeBatch], bool]) -> ChangeBatch:
    deadline = time.monotonic() + 60
    paths: frozenset[bytes] = frozenset()
    whole = git = False
    while True:
        heard = hearing.take()
        paths, whole, git = paths | heard.paths, whole or heard.whole, git or heard.git
        if holds(ChangeBatch(paths, whole, git)):
            return ChangeBatch(paths, whole, git)
        assert time.monotonic() < deadline, paths
        time.sleep(0.01)
