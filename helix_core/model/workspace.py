"""What is on disk and in git: listings, commits, states."""

from __future__ import annotations

from dataclasses import dataclass

from helix_core.model.content import StatSignature


@dataclass(frozen=True, slots=True)
class LastCommit:
    """The last commit that touched a path."""

    commit: str
    author: str
    committed_at: int


@dataclass(frozen=True, slots=True)
class GitState:
    """Where a repository stands. ``operation`` is empty or one of merge, rebase, cherry-pick, revert, bisect, am."""

    head: str = ""
    branch: str = ""
    operation: str = ""
    conflicted: frozenset[bytes] = frozenset()
    touched: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that does not count, and why."""

    path: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file that counts by its name and stat."""

    path: bytes
    signature: StatSignature


@dataclass(frozen=True, slots=True)
class Listing:
    """What is on disk now: the files that count, in byte order of path, and those that do not."""

    files: tuple[FileEntry, ...]
    skipped: tuple[Skipped, ...]
    source: str = "git"
    notes: tuple[str, ...] = ()
