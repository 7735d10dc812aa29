"""Which of git's own folders are watched, and which names in them say that HEAD, the index or a ref moved.

Never ``objects`` or ``logs``: a commit writes dozens of names there, and none of them tells more than these few do.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from helix_core.workspace.git import Git

INDEX_LOCK = b"index.lock"
_OWN = frozenset(b"HEAD index MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD BISECT_LOG rebase-merge rebase-apply".split())
_SHARED = frozenset({b"packed-refs"})
_REFTABLE = frozenset({b"tables.list"})
_RULES = frozenset({b"exclude", b"sparse-checkout"})
_CONFIGURATION = frozenset({b"config", b"config.worktree"})


@dataclass(frozen=True, slots=True)
class GitPlace:
    """A folder of git's. ``moves``: names that say that git's state moved, None for all but locks; ``rules``: names
    that decide what counts; ``is_own``: the index's lock appears here."""

    path: bytes
    moves: frozenset[bytes] | None = frozenset()
    rules: frozenset[bytes] = frozenset()
    is_own: bool = False

    def is_move(self, name: bytes) -> bool:
        """Does an event of that name mean that git's state moved?"""
        return not name.endswith(b".lock") if self.moves is None else name in self.moves


def git_places(git: Git | None) -> tuple[GitPlace, ...]:
    """The folders of this work tree's and of the repository's state (gitrepository-layout(5)) that exist now."""
    if git is None or git.problem:
        return ()
    own, shared = git.git_dir, git.common_dir
    is_one = own == shared
    places = [
        GitPlace(own, _OWN | _SHARED if is_one else _OWN, _CONFIGURATION, is_own=True),
        *([] if is_one else [GitPlace(shared, _SHARED, _CONFIGURATION)]),
        GitPlace(shared + b"/info", rules=_RULES),
        *([] if is_one else [GitPlace(own + b"/info", rules=_RULES)]),
        *(GitPlace(folder + b"/reftable", _REFTABLE) for folder in {own, shared}),
        *(GitPlace(folder, None) for folder in _below(shared + b"/refs/heads")),
    ]
    return tuple(place for place in places if os.path.isdir(place.path))


def _below(folder: bytes) -> list[bytes]:
    """``folder`` and the folders in it: a branch's name may hold slashes."""
    found = [folder]
    for above in found:
        try:
            with os.scandir(above) as entries:
                found += [above + b"/" + entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:
            continue
    return found
