"""What is on disk and in git: listings, commits, states."""

from __future__ import annotations

import hashlib
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
    """Where a repository stands. ``operation`` is empty or one of merge, rebase, cherry-pick, revert, bisect, am.

    ``boundaries`` are the commits at which a shallow clone is cut off: git shows every file of them as added there, so
    that they are nobody's last change.
    """

    head: str = ""
    branch: str = ""
    operation: str = ""
    conflicted: frozenset[bytes] = frozenset()
    touched: frozenset[bytes] = frozenset()
    boundaries: frozenset[str] = frozenset()

    @property
    def history(self) -> str:
        """Names the commits that can be seen from here; empty where there is none."""
        if not self.head or not self.boundaries:
            return self.head
        return f"{self.head} {hashlib.sha256(' '.join(sorted(self.boundaries)).encode()).hexdigest()[:16]}"


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
