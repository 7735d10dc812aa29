"""What git does is heard as git's doing, wherever it keeps its state."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from helix_core.workspace.watch import settle
from tests.workspace.listening import Listener

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify")


def test_commits_branches_merges_and_stashes_are_heard_as_git(repository):
    repository.write("a.py", "1")
    repository.commit()
    acts = (
        ("commit", "--quiet", "--allow-empty", "-m", "empty"),
        ("switch", "--quiet", "-c", "feature/one"),
        ("commit", "--quiet", "--allow-empty", "-m", "on a branch with a slash"),
        ("switch", "--quiet", "main"),
        ("merge", "--quiet", "--no-ff", "--no-edit", "feature/one"),
        ("reset", "--quiet", "--soft", "HEAD~1"),
        ("pack-refs", "--all"),
        ("checkout", "--quiet", "--detach"),
    )
    with Listener(repository.path) as listener:
        for act in acts:
            repository.git(*act)
            assert listener.hear().git, act


def test_a_ref_moved_without_a_work_tree_is_heard(repository):
    first = repository.commit()
    repository.commit()
    with Listener(repository.path) as listener:
        repository.git("update-ref", "refs/heads/main", first)
        assert listener.hear().git


def test_a_second_work_tree_hears_its_own_head_and_the_shared_refs(repository, tmp_path):
    repository.write("a.py")
    repository.commit()
    repository.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    with Listener(tmp_path / "side") as listener:
        (tmp_path / "side/a.py").write_text("2")
        assert listener.hear().paths == {b"a.py"}
        subprocess.run(["git", "commit", "--quiet", "-am", "side"], cwd=tmp_path / "side", check=True)
        assert listener.hear().git
        repository.write("b.py")
        repository.git("add", "b.py")
        heard = listener.hear()
        assert not heard.git, "the other work tree's index"
        assert not heard.paths
        repository.git("pack-refs", "--all")
        assert listener.hear().git


@pytest.mark.slow
def test_a_rebase_of_many_commits_is_heard_as_git_and_settles_once_it_is_over(repository):
    repository.write("base.py", "0")
    repository.commit()
    repository.git("switch", "--quiet", "-c", "topic")
    for number in range(30):
        repository.write(f"t{number}.py", f"{number}")
        repository.commit(f"topic {number}")
    repository.git("switch", "--quiet", "main")
    repository.write("base.py", "1")
    repository.commit()
    repository.git("switch", "--quiet", "topic")
    with Listener(repository.path) as listener:
        rebase = subprocess.Popen(["git", "rebase", "--quiet", "main"], cwd=repository.path)
        batches = 0
        while rebase.poll() is None or listener.watch.waiting is not None:
            waiting = listener.watch.waiting
            if waiting is not None and settle(time.monotonic(), waiting).is_due:
                listener.follow()
                batches += 1
            time.sleep(0.005)
        assert rebase.returncode == 0
        assert batches < 30
        assert listener.watch.sync(30)
        assert listener.follows_the_disk()


def test_a_repository_made_in_a_watched_folder_is_taken_up(tmp_path):
    (tmp_path / "a.py").write_text("1")
    with Listener(tmp_path) as listener:
        subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
        listener.until(lambda heard: heard.whole and heard.git)
        deadline = time.monotonic() + 60
        while True:
            subprocess.run(["git", "add", "--all"], cwd=tmp_path, check=True)
            subprocess.run(["git", "rm", "--quiet", "--cached", "a.py"], cwd=tmp_path, check=True)
            if listener.hear().git:
                break
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_commit_wakes_its_listener_once_and_objects_wake_nobody(repository):
    repository.write("a.py")
    repository.commit()
    with Listener(repository.path) as listener:
        for number in range(50):
            repository.git("hash-object", "-w", "--stdin", input=b"%d" % number)
        heard = listener.hear()
        assert (heard.git, heard.paths, listener.calls) == (False, frozenset(), 0)


def test_reftables_are_heard_where_git_has_them(tmp_path):
    made = subprocess.run(
        ["git", "init", "--quiet", "--ref-format=reftable", str(tmp_path)], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("this git has no reftables")
    with Listener(tmp_path) as listener:
        subprocess.run(["git", "commit", "--quiet", "--allow-empty", "-m", "x"], cwd=tmp_path, check=True)
        assert listener.hear().git


def test_a_lock_is_known_while_it_is_held(repository):
    repository.write("a.py")
    repository.commit()
    lock = repository.path / ".git/index.lock"
    with Listener(repository.path) as listener:
        repository.write("a.py", "2")
        lock.write_text("")
        assert listener.watch.sync(30)
        waiting = listener.watch.waiting
        assert waiting is not None and waiting.locked_at is not None
        os.unlink(lock)
        assert listener.watch.sync(30)
        waiting = listener.watch.waiting
        assert waiting is not None and waiting.locked_at is None
