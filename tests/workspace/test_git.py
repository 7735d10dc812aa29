import os
import shutil
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from helix_core.errors import GitError
from helix_core.workspace.disk import Root
from helix_core.workspace.files import list_files
from helix_core.workspace.git import Git


def children() -> set[int]:
    found = set()
    for task in os.listdir("/proc/self/task"):
        # A thread may end while its entry is read.
        with suppress(FileNotFoundError):
            found |= set(map(int, Path(f"/proc/self/task/{task}/children").read_text().split()))
    return found


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def slow(repository) -> list[str]:
    """A command that waits for ever: git reading a pipe that nobody writes."""
    os.mkfifo(repository.path / "fifo")
    return ["hash-object", "--no-filters", "fifo"]


def test_outside_any_repository_there_is_no_git(tmp_path):
    assert Git.open(tmp_path) is None


def test_a_project_has_one_name_in_every_whole_clone(repository, tmp_path):
    unborn = Git.open(repository.path)
    assert unborn is not None and unborn.project() == b""
    repository.write("deep/a.py")
    repository.commit("first")
    repository.write("deep/b.py")
    repository.commit("second")
    for name, more in (("clone", ()), ("shallow", ("--depth", "1"))):
        source = f"file://{repository.path}"
        subprocess.run(["git", "clone", "-q", *more, source, tmp_path / name], check=True, capture_output=True)
    here, there, shallow = map(Git.open, (repository.path, tmp_path / "clone", tmp_path / "shallow"))
    below = Git.open(tmp_path / "clone" / "deep")
    assert here is not None and there is not None and shallow is not None and below is not None
    assert here.project() == there.project() != b""
    assert below.project() == here.project() + b"deep/"
    assert shallow.project() == b""


def test_a_work_tree_knows_its_places(repository):
    repository.write("deep/er/a.py")
    git = Git.open(repository.path / "deep" / "er")
    assert git is not None and git.problem == ""
    assert git.top == os.fsencode(repository.path)
    assert git.prefix == b"deep/er/"
    assert git.git_dir == git.common_dir == os.fsencode(repository.path / ".git")


def test_a_path_with_a_newline_is_a_place_too(tmp_path, make_repository):
    repository = make_repository(tmp_path / "new\nline")
    repository.write("a\nb/c.py")
    git = Git.open(repository.path / "a\nb")
    assert git is not None
    assert (git.top, git.prefix) == (os.fsencode(repository.path), b"a\nb/")


def test_a_linked_work_tree_has_its_own_state_and_a_common_store(repository, tmp_path):
    repository.write("a.py")
    repository.commit()
    repository.git("worktree", "add", "--quiet", str(tmp_path / "second"))
    git = Git.open(tmp_path / "second")
    assert git is not None
    assert git.common_dir == os.fsencode(repository.path / ".git")
    assert git.git_dir == os.fsencode(repository.path / ".git" / "worktrees" / "second")


def test_inside_the_git_folder_and_in_a_bare_repository_there_is_no_work_tree(repository, tmp_path):
    assert Git.open(repository.path / ".git") is None
    subprocess.run(["git", "init", "--quiet", "--bare", str(tmp_path / "bare.git")], check=True)
    assert Git.open(tmp_path / "bare.git") is None


def test_the_parents_git_variables_do_not_reach_git(repository, tmp_path, make_repository, monkeypatch):
    other = make_repository(tmp_path / "other")
    other.write("other.py")
    repository.write("mine.py")
    for name, value in {
        "GIT_DIR": str(other.path / ".git"),
        "GIT_WORK_TREE": str(other.path),
        "GIT_INDEX_FILE": "/nonexistent",
        "GIT_OBJECT_DIRECTORY": "/nonexistent",
        "GIT_CEILING_DIRECTORIES": str(tmp_path),
        "GIT_LITERAL_PATHSPECS": "0",
        "GIT_TRACE": str(tmp_path / "trace"),
    }.items():
        monkeypatch.setenv(name, value)
    git = Git.open(repository.path)
    assert git is not None and git.top == os.fsencode(repository.path)
    assert git.run(["ls-files", "-z", "--others"]) == b"mine.py\0"
    with git.stream(["ls-files", "-z", "--others"], timeout_seconds=10) as pieces:
        assert b"".join(pieces) == b"mine.py\0"


def test_a_program_named_git_in_the_folder_is_not_run_even_with_a_dot_in_the_path(repository, monkeypatch):
    repository.write("git", f"#!/bin/sh\ntouch {repository.path}/ran\n")
    os.chmod(repository.path / "git", 0o755)
    monkeypatch.chdir(repository.path)
    Git.open(repository.path)
    monkeypatch.setenv("PATH", ".:" + os.environ["PATH"])
    git = Git.open(repository.path)
    assert git is not None and git.run(["ls-files", "-z", "--others"]) == b"git\0"
    assert not (repository.path / "ran").exists()


def test_without_git_installed_the_problem_is_told_and_files_are_still_found(repository, monkeypatch, tmp_path):
    repository.write("a.py")
    monkeypatch.setenv("PATH", str(tmp_path))
    git = Git.open(repository.path)
    assert git is not None and "not installed" in git.problem
    with pytest.raises(GitError, match="not installed"):
        git.run(["version"])
    with Root.open(repository.path) as root:
        listing = list_files(root, git)
    assert [file.path for file in listing.files] == [b"a.py"]
    assert listing.source == "walk" and "not installed" in listing.notes[0]


def test_a_git_that_cannot_be_started_is_a_problem(repository, monkeypatch, tmp_path):
    (tmp_path / "git").write_bytes(b"no program")
    os.chmod(tmp_path / "git", 0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    git = Git.open(repository.path)
    assert git is not None and "cannot be started" in git.problem


@pytest.mark.parametrize("contents", ["gitdir: /nonexistent\n", "nonsense\n"])
def test_a_broken_link_to_a_repository_is_a_problem(tmp_path, contents):
    (tmp_path / ".git").write_text(contents)
    git = Git.open(tmp_path)
    assert git is not None and git.problem


def test_a_failure_is_one_line_with_gits_reason(repository):
    git = Git.open(repository.path)
    assert git is not None
    with pytest.raises(GitError, match="git rev-parse failed: ") as caught:
        git.run(["rev-parse", "--verify", "nothing"])
    assert "\n" not in str(caught.value)
    assert git.run(["rev-parse", "--verify", "--quiet", "nothing"], accepted=frozenset({1})) == b""


def test_a_call_that_hangs_is_ended_and_nothing_is_left(repository):
    git = Git.open(repository.path)
    assert git is not None
    command = slow(repository)
    before = children(), descriptors(), threading.active_count()
    with pytest.raises(GitError, match=r"took over 0.2 s"):
        git.run(command, timeout_seconds=0.2)
    assert (children(), descriptors(), threading.active_count()) == before


@pytest.mark.parametrize("stopped", [None, threading.Event()])
def test_a_call_that_hangs_before_it_has_read_its_input_leaves_nothing(repository, stopped):
    git = Git.open(repository.path)
    assert git is not None
    command = slow(repository)
    before = children(), descriptors(), threading.active_count()
    with pytest.raises(GitError, match=r"took over 0.2 s"):
        git.run(command, stdin=b"x" * (1 << 20), timeout_seconds=0.2, stopped=stopped)
    assert (children(), descriptors(), threading.active_count()) == before


def test_a_call_that_can_be_stopped_gives_a_slow_git_its_whole_input(repository, monkeypatch, tmp_path):
    (tmp_path / "slow").mkdir()
    slow_git = tmp_path / "slow" / "git"
    slow_git.write_text(f'#!/bin/sh\nsleep 0.2\nexec {shutil.which("git")} "$@"\n')
    slow_git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow_git.parent}:{os.environ['PATH']}")
    git = Git.open(repository.path)
    assert git is not None
    data = b"x" * (1 << 20)
    name = git.run(["hash-object", "--stdin"], stdin=data, timeout_seconds=60, stopped=threading.Event())
    assert name == repository.git("hash-object", "--stdin", input=data)


def test_a_stream_that_hangs_just_ends(repository):
    git = Git.open(repository.path)
    assert git is not None
    command = slow(repository)
    before = children(), descriptors(), threading.active_count()
    with git.stream(command, timeout_seconds=0.2) as pieces:
        assert list(pieces) == []
    assert (children(), descriptors(), threading.active_count()) == before


def test_a_stream_left_early_ends_its_process(repository):
    for number in range(200):
        repository.write(f"{number:0200}", "x")
    git = Git.open(repository.path)
    assert git is not None
    before = children(), descriptors(), threading.active_count()
    with git.stream(["ls-files", "-z", "--others"], timeout_seconds=10) as pieces:
        next(pieces)
    assert (children(), descriptors(), threading.active_count()) == before


def test_a_stream_that_fails_says_so(repository):
    git = Git.open(repository.path)
    assert git is not None
    with pytest.raises(GitError, match="git log failed"), git.stream(["log", "nothing"], timeout_seconds=10) as pieces:
        list(pieces)


def test_many_calls_leave_no_process_descriptor_or_thread(repository):
    repository.write("a.py")
    repository.commit()
    git = Git.open(repository.path)
    assert git is not None
    git.run(["rev-parse", "HEAD"])
    before = children(), descriptors(), threading.active_count()
    for _ in range(60):
        git.run(["cat-file", "--batch", "-z"], stdin=b"HEAD:a.py\0")
        with pytest.raises(GitError):
            git.run(["rev-parse", "--verify", "nothing"])
        with git.stream(["log"], timeout_seconds=10) as pieces:
            next(pieces)
    assert (children(), descriptors(), threading.active_count()) == before


def test_large_input_and_output_pass_at_the_same_time(repository):
    repository.write("a.py", "x" * 100_000)
    repository.commit()
    git = Git.open(repository.path)
    assert git is not None
    output = git.run(["cat-file", "--batch", "-z"], stdin=b"HEAD:a.py\0" * 200)
    assert len(output) > 200 * 100_000


def test_git_writes_nothing_into_the_repository_for_us(repository):
    repository.write("a.py")
    repository.commit()
    time.sleep(0.01)
    os.utime(repository.path / "a.py")

    def stamps() -> dict[str, int]:
        return {str(file): file.stat().st_mtime_ns for file in (repository.path / ".git").rglob("*")}

    before = stamps()
    with Root.open(repository.path) as root:
        git = Git.open(repository.path)
        list_files(root, git)
    assert stamps() == before


def test_a_repository_of_another_user_is_walked_with_a_note(open_folder, make_repository, unprivileged):
    if os.geteuid() != 0:
        pytest.skip("only root can give a repository to another user")
    repository = make_repository(open_folder / "theirs")
    repository.write(".gitignore", "*.log\n")
    repository.write("a.py")
    repository.write("b.log")

    def look() -> tuple[str, list[bytes], tuple[str, ...], str]:
        os.environ["HOME"] = "/nonexistent"
        git = Git.open(repository.path)
        assert git is not None
        with Root.open(repository.path) as root:
            listing = list_files(root, git)
        return git.problem, [file.path for file in listing.files], listing.notes, listing.source

    problem, files, notes, source = unprivileged(look)
    assert "another user" in problem
    assert files == [b".gitignore", b"a.py"]
    assert "another user" in notes[0] and source == "walk"
