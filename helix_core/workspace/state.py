"""The state of a repository: HEAD, branch, an operation in progress, conflicted and changed files.

Cached: git runs only after the stat signature of one of its state files changed.
"""

from __future__ import annotations

import os

from helix_core.model import GitState
from helix_core.workspace.git import Git
from helix_core.workspace.history import shallow_boundaries

# The order matters: a rebase that stopped at a conflict also leaves a CHERRY_PICK_HEAD behind.
_OPERATIONS = (
    (b"rebase-merge", "rebase"),
    (b"rebase-apply/applying", "am"),
    (b"rebase-apply", "rebase"),
    (b"MERGE_HEAD", "merge"),
    (b"CHERRY_PICK_HEAD", "cherry-pick"),
    (b"REVERT_HEAD", "revert"),
    (b"BISECT_LOG", "bisect"),
)
_TOUCHING = frozenset({"merge", "rebase", "cherry-pick", "revert", "am"})
_LONGEST_HEAD = 4096
_BRANCHES = b"refs/heads/"
# What the file HEAD names where references are kept in tables (gitrepository-layout(5), HEAD).
_NOT_IN_A_FILE = b".invalid"
_Signature = tuple[tuple[int, int, int, int] | None, ...]


class GitStateReader:
    """Reads the state of one work tree repeatedly; without a repository (``git`` None) it returns the empty state."""

    def __init__(self, git: Git | None) -> None:
        self._git = git
        self._state = GitState()
        self._signature: _Signature | None = None

    def state(self) -> GitState:
        """Return the current state; raises ``GitError`` when git must run and fails, or cannot be used in the
        folder.
        """
        if self._git is None:
            return self._state
        # Taken before git runs, so that a concurrent change differs next time.
        signature = _signature_now(self._git)
        if signature != self._signature:
            self._state = _read(self._git)
            self._signature = signature
        return self._state


def _signature_now(git: Git) -> _Signature:
    own = [b"HEAD", b"index", b"rebase-merge/git-rebase-todo", *(name for name, _ in _OPERATIONS)]
    shared = [b"packed-refs", b"reftable/tables.list", b"shallow", *_checked_out(git.git_dir + b"/HEAD")]
    files = [git.git_dir + b"/" + name for name in own] + [git.common_dir + b"/" + name for name in shared]
    return tuple(map(_signature, files))


def _checked_out(head: bytes) -> list[bytes]:
    """Return the reference that HEAD names, relative to the repository; nothing when HEAD is a commit or unreadable."""
    name = _text_of(head).removeprefix(b"ref:").strip()
    return [name] if name.startswith(_BRANCHES) and b"\0" not in name else []


def _text_of(head: bytes) -> bytes:
    try:
        # Not blocking: it may be a pipe.
        descriptor = os.open(head, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return os.read(descriptor, _LONGEST_HEAD)
        finally:
            os.close(descriptor)
    except OSError:
        return b""


def _branch(git: Git) -> bytes:
    """Return the name of the branch that HEAD names, by its file where that says it; else git is asked, which knows
    other formats of references, too.
    """
    text, opening = _text_of(git.git_dir + b"/HEAD"), b"ref: " + _BRANCHES
    if text.startswith(opening) and text.endswith(b"\n"):
        name = text[len(opening) : -1]
        if name != _NOT_IN_A_FILE:
            return name
    command = ["symbolic-ref", "--quiet", "--short", "HEAD"]
    return git.run(command, accepted=frozenset({0, 1}), needs_filters=False).removesuffix(b"\n")


def _signature(path: bytes) -> tuple[int, int, int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _read(git: Git) -> GitState:
    command = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]
    head = git.run(command, accepted=frozenset({0, 1}), needs_filters=False).strip()
    branch = _branch(git)
    operation = next((word for name, word in _OPERATIONS if os.path.lexists(git.git_dir + b"/" + name)), "")
    conflicted = _unmerged(git)
    touched = conflicted
    if operation in _TOUCHING and head:
        touched = conflicted | _staged(git)
    boundaries = shallow_boundaries(git) if head else frozenset[str]()
    return GitState(head.decode("ascii"), os.fsdecode(branch), operation, conflicted, touched, boundaries)


def _unmerged(git: Git) -> frozenset[bytes]:
    entries = git.run(["ls-files", "-z", "--unmerged"], needs_filters=False).split(b"\0")
    return frozenset(entry.partition(b"\t")[2] for entry in entries if entry)


def _staged(git: Git) -> frozenset[bytes]:
    # Not --relative: git 2.39 crashes on it in a subfolder when paths are unmerged.
    command = ["diff-index", "-z", "--cached", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "HEAD"]
    paths = git.run(command).split(b"\0")
    return frozenset(path.removeprefix(git.prefix) for path in paths if path and path.startswith(git.prefix))
