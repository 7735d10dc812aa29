"""A repository that sets every trap git has: nothing of ours springs one, and plain git springs them all."""

import os
import pty
import shutil
import subprocess
from pathlib import Path

import pytest

from helix_core.errors import GitError
from helix_core.workspace.disk import Root
from helix_core.workspace.files import ignored_files, list_files
from helix_core.workspace.git import Git
from helix_core.workspace.history import blame, co_changes, last_commits
from helix_core.workspace.state import GitStateReader
from tests.workspace.committed import blobs

SIGNED = """\
tree {tree}
parent {parent}
author Ada <ada@example.org> 1700000100 +0000
committer Ada <ada@example.org> 1700000100 +0000
gpgsig -----BEGIN PGP SIGNATURE-----
{blank}
 iQ==
 -----END PGP SIGNATURE-----

signed
"""


class Traps:
    """Programs that leave a marker when they run."""

    def __init__(self, folder: Path) -> None:
        self.programs = folder / "programs"
        self.markers = folder / "markers"
        self.programs.mkdir()
        self.markers.mkdir()

    def program(self, name: str, then: str = "cat") -> str:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\ntouch '{self.markers}/{name}'\n{then}\n")
        path.chmod(0o755)
        return str(path)

    def sprung(self) -> set[str]:
        return set(os.listdir(self.markers))

    def reset(self) -> None:
        for name in self.sprung():
            (self.markers / name).unlink()


@pytest.fixture
def traps(tmp_path):
    return Traps(tmp_path)


@pytest.fixture
def sentinel(tmp_path, make_repository, traps, monkeypatch):
    inner = make_repository(tmp_path / "inner-origin")
    inner.write("inside.txt")
    inner.commit()
    repository = make_repository(tmp_path / "sentinel")
    repository.write("a.txt", "one\ntwo\n")
    repository.write("b.dat", "data\n")
    repository.write("c.odd", "odd\n")
    repository.write("d.plain", "plain\n")
    repository.write(".gitignore", "ignored/\n")
    repository.git("submodule", "--quiet", "add", str(inner.path), "sub")
    repository.commit("first")
    repository.git("branch", "side")
    repository.write("d.plain", "ours\n")
    repository.commit("ours")
    _sign(repository)
    repository.git("switch", "--quiet", "side")
    repository.write("d.plain", "theirs\n")
    repository.commit("theirs")
    repository.git("switch", "--quiet", "main")
    repository.git("merge", "--quiet", "side", check=False)
    _hide_a_bare_repository(repository, inner, traps)
    _arm(repository, traps)
    repository.write("ignored/x.txt")
    repository.write("a.txt", "one\nchanged\n")
    for path in ("b.dat", "c.odd"):
        repository.write(path, "changed\n")
    for variable in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_EDITOR", "GIT_SSH_COMMAND"):
        monkeypatch.setenv(variable, traps.program("environment"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", traps.program("environment"))
    traps.reset()
    return repository


def _sign(repository) -> None:
    tree = repository.git("rev-parse", "HEAD^{tree}").decode().strip()
    parent = repository.git("rev-parse", "HEAD").decode().strip()
    text = SIGNED.format(tree=tree, parent=parent, blank=" ").encode()
    signed = repository.git("hash-object", "-t", "commit", "-w", "--stdin", input=text).decode().strip()
    repository.git("reset", "--quiet", "--hard", signed)


def _hide_a_bare_repository(repository, inner, traps) -> None:
    hidden = repository.path / "docs" / "hidden"
    repository.git("clone", "--quiet", "--bare", str(inner.path), str(hidden))
    settings = {"core.bare": "false", "core.worktree": "..", "core.fsmonitor": traps.program("bare-fsmonitor")}
    for key, value in settings.items():
        repository.git("config", "--file", str(hidden / "config"), key, value)


def _arm(repository, traps) -> None:
    for hook in ("post-index-change", "post-checkout", "pre-commit", "reference-transaction", "fsmonitor-watchman"):
        shutil.copy(traps.program("hook"), repository.path / ".git" / "hooks" / hook)
    (repository.path / ".git" / "info" / "attributes").write_text(
        "*.txt filter=evil diff=evil\n*.dat filter=long\n*.odd filter=a=b\n"
    )
    settings = {
        "core.fsmonitor": traps.program("fsmonitor"),
        "core.pager": traps.program("pager"),
        "core.alternateRefsCommand": traps.program("alternate"),
        "core.sshCommand": traps.program("ssh"),
        "filter.evil.clean": traps.program("clean"),
        "filter.evil.smudge": traps.program("smudge"),
        "filter.evil.required": "true",
        "filter.long.process": traps.program("process", "exit 1"),
        "filter.a=b.clean": traps.program("odd-clean"),
        "diff.evil.textconv": traps.program("textconv", 'cat "$1"'),
        "diff.evil.cachetextconv": "false",
        "diff.external": traps.program("external-diff", "true"),
        "gpg.program": traps.program("signature", "exit 1"),
        "log.showSignature": "true",
        "alias.st": "!" + traps.program("alias"),
        "alias.ls-files": "!" + traps.program("alias"),
        "blame.ignoreRevsFile": "/nonexistent",
        "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
        "remote.origin.url": str(repository.path.parent / "inner-origin"),
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": traps.program("lazy-fetch", "exit 1"),
    }
    for key, value in settings.items():
        repository.git("config", "--file", ".git/config", key, value)
    inside = repository.path / ".git" / "modules" / "sub"
    (inside / "info" / "attributes").write_text("*.txt filter=inner\n")
    for key, value in {
        "core.fsmonitor": traps.program("sub-fsmonitor"),
        "filter.inner.clean": traps.program("sub-clean"),
    }.items():
        repository.git("config", "--file", str(inside / "config"), key, value)
    (repository.path / "sub" / "inside.txt").write_text("changed\n")


def _lose_a_blob(repository) -> None:
    blob = repository.git("rev-parse", "HEAD:b.dat").decode().strip()
    (repository.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()


def use_everything(path: Path) -> None:
    """Every feature of the room that touches git, on one folder."""
    with Root.open(path) as root:
        git = Git.open(path)
        list_files(root, git)
        ignored_files(root, git)
        GitStateReader(git).state()
        if git is None or git.problem:
            return
        last_commits(git)
        co_changes(git)
        for file in list_files(root, git).files:
            try:
                blame(git, file.path, 1, 1)
                blame(git, file.path, 1, 1, contents=root.read(file.path).data)
            except GitError:
                continue
        blobs(git, [("HEAD", b"a.txt"), ("HEAD", b"b.dat"), ("HEAD", b"nothing")])


@pytest.mark.slow
def test_nothing_a_repository_names_is_ever_run(sentinel, traps):
    use_everything(sentinel.path)
    use_everything(sentinel.path / "sub")
    use_everything(sentinel.path / "docs")
    use_everything(sentinel.path / "docs" / "hidden")
    use_everything(sentinel.path / ".git")
    _lose_a_blob(sentinel)
    use_everything(sentinel.path)
    assert traps.sprung() == set()


def test_the_facts_are_right_all_the_same(sentinel, traps):
    with Root.open(sentinel.path) as root:
        git = Git.open(sentinel.path)
        assert git is not None and git.problem == ""
        listing = list_files(root, git)
        assert {b"a.txt", b"b.dat", b"c.odd", b"d.plain", b"sub/inside.txt"} <= {file.path for file in listing.files}
        assert listing.source == "git"
        state = GitStateReader(git).state()
        assert (state.operation, state.conflicted) == ("merge", {b"d.plain"})
        assert (
            last_commits(git)[b"a.txt"].commit == sentinel.git("rev-list", "--max-parents=0", "HEAD").decode().strip()
        )
        assert set(blame(git, b"a.txt", 2, 2)[0].commit) == {"0"}
        assert blobs(git, [("HEAD", b"a.txt")]) == [b"one\ntwo\n"]
    assert traps.sprung() == set()


def test_the_traps_are_live_when_plain_git_is_run(sentinel, traps, monkeypatch):
    path = sentinel.path
    sentinel.git("diff", check=False)
    sentinel.git("status", check=False)
    for variable in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(variable)
    for command in (
        ["status"],
        ["config", "--unset", "filter.long.process"],
        ["diff", "a.txt"],
        ["diff", "--no-ext-diff", "a.txt"],
        ["log", "-p", "main", "side"],
        ["blame", "a.txt"],
        ["st"],
        ["add", "--all"],
        ["checkout", "--force", "HEAD~1", "--", "a.txt"],
    ):
        sentinel.git(*command, check=False)
    for folder in ("docs/hidden", "sub"):
        subprocess.run(["git", "add", "--all"], cwd=path / folder, capture_output=True, check=False, timeout=60)
    _on_a_terminal(["git", "log"], path)
    _lose_a_blob(sentinel)
    sentinel.git("cat-file", "-p", "HEAD:b.dat", check=False)
    expected = {"environment", "fsmonitor", "hook", "clean", "smudge", "process", "odd-clean", "textconv", "pager"}
    expected |= {"external-diff", "signature", "alias", "bare-fsmonitor", "sub-fsmonitor", "sub-clean", "lazy-fetch"}
    assert expected - traps.sprung() == set()


def _on_a_terminal(command: list[str], folder: Path) -> None:
    reading, writing = pty.openpty()
    try:
        subprocess.run(command, cwd=folder, stdout=writing, stderr=subprocess.DEVNULL, check=False, timeout=60)
    finally:
        os.close(writing)
        os.close(reading)
