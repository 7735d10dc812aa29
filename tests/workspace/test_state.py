import os
import subprocess

import pytest

from helix_core.errors import GitError
from helix_core.model import GitState
from helix_core.workspace.git import Git
from helix_core.workspace.state import GitStateReader


def read(repository, folder: str = ".") -> GitState:
    return GitStateReader(Git.open(repository.path / folder)).state()


@pytest.fixture
def diverged(repository):
    """Two branches that both changed ``both``; ``main`` is checked out."""
    for path in ("both", "sub/ours", "theirs", "still"):
        repository.write(path, "base\n")
    repository.commit("base")
    repository.git("branch", "side")
    repository.write("both", "ours\n")
    repository.write("sub/ours", "ours\n")
    repository.commit("ours")
    repository.git("switch", "--quiet", "side")
    repository.write("both", "theirs\n")
    repository.write("theirs", "theirs\n")
    repository.commit("theirs")
    repository.git("switch", "--quiet", "main")
    return repository


def test_no_repository_is_the_empty_state():
    assert GitStateReader(None).state() == GitState()


def test_a_repository_git_cannot_serve_is_an_error_and_not_a_quiet_state(tmp_path):
    (tmp_path / ".git").write_text("gitdir: /nonexistent")
    with pytest.raises(GitError, match="not a git repository"):
        GitStateReader(Git.open(tmp_path)).state()


def test_unborn_clean_and_detached(repository):
    assert read(repository) == GitState(branch="main")
    repository.write("a.py")
    head = repository.commit()
    assert read(repository) == GitState(head=head, branch="main")
    repository.git("checkout", "--quiet", "--detach")
    assert read(repository) == GitState(head=head)


def test_a_branch_name_may_have_slashes_and_any_script(repository):
    repository.git("switch", "--quiet", "--orphan", "feature/\u00fc/\u65e5")
    repository.commit()
    assert read(repository).branch == "feature/\u00fc/\u65e5"


def test_a_branch_that_has_the_name_of_a_tag_is_named_as_it_is(repository):
    repository.commit()
    repository.git("tag", "main")
    assert read(repository).branch == "main"


def test_git_is_asked_for_the_branch_where_the_file_does_not_say_it(repository):
    head = repository.path / ".git" / "HEAD"
    repository.commit()
    head.write_text("ref:  refs/heads/main")
    assert read(repository).branch == "main"
    repository.git("branch", "other")
    head.unlink()
    head.symlink_to("refs/heads/other")
    assert read(repository).branch == "other"


def test_a_merge_that_stopped(diverged):
    diverged.git("merge", "--quiet", "side", check=False)
    state = read(diverged)
    assert state.operation == "merge"
    assert state.conflicted == {b"both"}
    assert state.touched == {b"both", b"theirs"}
    assert read(diverged, "sub") == GitState(state.head, "main", "merge")


def test_a_rebase_that_stopped(diverged):
    diverged.git("rebase", "--quiet", "side", check=False)
    state = read(diverged)
    assert state.operation == "rebase"
    assert state.conflicted == {b"both"}
    assert b"sub/ours" in state.touched
    assert read(diverged, "sub").touched == {b"ours"}


@pytest.mark.parametrize(
    ("command", "operation"),
    [
        (["cherry-pick", "side"], "cherry-pick"),
        (["revert", "--no-edit", "HEAD"], ""),
        (["rebase", "--apply", "side"], "rebase"),
    ],
)
def test_other_operations_under_way(diverged, command, operation):
    diverged.git(*command, check=False)
    assert read(diverged).operation == operation


def test_a_revert_and_a_bisect_under_way(diverged):
    diverged.write("both", "later\n")
    diverged.commit("later")
    diverged.git("revert", "--no-edit", "HEAD~1", check=False)
    state = read(diverged)
    assert (state.operation, state.conflicted) == ("revert", {b"both"})
    diverged.git("revert", "--abort")
    diverged.git("bisect", "start")
    assert read(diverged).operation == "bisect"


def test_a_mail_being_applied(diverged):
    patch = diverged.git("format-patch", "--stdout", "main..side")
    diverged.git("am", input=patch, check=False)
    assert read(diverged).operation == "am"


def test_odd_names_in_conflict(repository):
    names = [b"\xff", b"a\nb", b":(glob)x", b"-x", "caf\u00e9".encode()]
    for name in names:
        repository.write(name, "base\n")
    repository.commit("base")
    repository.git("branch", "side")
    for name in names:
        repository.write(name, "ours\n")
    repository.commit("ours")
    repository.git("switch", "--quiet", "side")
    for name in names:
        repository.write(name, "theirs\n")
    repository.commit("theirs")
    repository.git("merge", "--quiet", "main", check=False)
    assert read(repository).conflicted == set(names)


def test_a_linked_work_tree_has_its_own_operation(diverged, tmp_path):
    diverged.git("worktree", "add", "--quiet", str(tmp_path / "second"), "side")
    subprocess.run(["git", "merge", "--quiet", "main"], cwd=tmp_path / "second", capture_output=True, check=False)
    second = GitStateReader(Git.open(tmp_path / "second")).state()
    assert (second.branch, second.operation, second.conflicted) == ("side", "merge", {b"both"})
    assert read(diverged).operation == ""


class Counted(Git):
    """Counts how often git is really run."""

    calls = 0

    def run(self, *arguments, **options):
        self.calls += 1
        return super().run(*arguments, **options)


def test_git_runs_only_when_something_moved(diverged):
    git = Counted.open(diverged.path)
    reader = GitStateReader(git)
    first = reader.state()
    calls = git.calls
    assert [reader.state() for _ in range(5)] == [first] * 5
    assert git.calls == calls
    diverged.write("still", "edited, which moves nothing of git's\n")
    reader.state()
    assert git.calls == calls


@pytest.mark.slow
def test_every_move_is_seen_by_the_next_call(diverged):
    """Against a fresh reader, after each of many ordinary commands, packed refs included."""
    git = Git.open(diverged.path)
    reader = GitStateReader(git)
    reader.state()
    commands = [
        ["merge", "side"],
        ["checkout", "--theirs", "both"],
        ["add", "both"],
        ["merge", "--abort"],
        ["pack-refs", "--all"],
        ["commit", "--allow-empty", "-m", "x"],
        ["switch", "side"],
        ["commit", "--allow-empty", "-m", "y"],
        ["update-ref", "refs/heads/side", "main"],
        ["reset", "--hard"],
        ["checkout", "--detach"],
        ["commit", "--allow-empty", "-m", "z"],
        ["switch", "main"],
        ["rebase", "side"],
        ["cherry-pick", "side@{1}"],
        ["cherry-pick", "--abort"],
        ["branch", "-m", "renamed"],
        ["gc", "--quiet"],
        ["stash"],
        ["rm", "--quiet", "still"],
    ]
    for command in commands:
        diverged.git(*command, check=False, env={**os.environ, "GIT_EDITOR": "true"})
        assert reader.state() == GitStateReader(git).state(), command
        assert reader.state() == GitStateReader(git).state(), command
