"""The names git counts in a work tree: tracked, or untracked and not ignored; submodules and inner repositories too.

Each repository answers for itself through its own hardened ``Git``, because filters and ignore rules are its own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from helix_core.errors import GitError
from helix_core.workspace.git import Git
from helix_core.workspace.walk import outermost

_SUBMODULE = b"160000"
_MAX_DEPTH = 8


@dataclass(slots=True)
class Named:
    """Paths relative to the workspace root; ``sparse`` are those git leaves out of the work tree on purpose,
    ``opaque`` folders that hold a repository git could not list, ``twins`` folders that are other work trees of it."""

    paths: set[bytes] = field(default_factory=set)
    sparse: set[bytes] = field(default_factory=set)
    opaque: list[bytes] = field(default_factory=list)
    twins: list[bytes] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def names_in(git: Git, only: Sequence[bytes] = ()) -> Named:
    """Every name that counts for git below its folder, or below ``only``; raises ``GitError``."""
    named = Named()
    _collect(_Nested(git), only, named)
    return named


@dataclass(frozen=True, slots=True)
class _Nested:
    """A repository: ``below`` is its folder from the workspace root with a trailing ``/``, ``depth`` how many of the
    workspace's repositories it lies in."""

    git: Git
    below: bytes = b""
    depth: int = 0


def _collect(repository: _Nested, only: Sequence[bytes], named: Named) -> None:
    git, below = repository.git, repository.below
    command: list[str | bytes] = ["ls-files", "-z", "-t", "-s", "--cached", "--others", "--exclude-standard"]
    asked = _by_repository(git, only)
    listing = git.run([*command, "--", *asked] if only else command)
    inner: list[bytes] = []
    add = named.paths.add
    for line in listing.split(b"\0"):
        tag = line[:1]
        if tag == b"?":
            path = line[2:]
            if path.endswith(b"/"):
                inner.append(path[:-1])
            else:
                add(below + path)
        elif line:
            path = line[line.index(b"\t") + 1 :]
            if line[2:8] == _SUBMODULE:
                inner.append(path)
                continue
            add(below + path)
            if tag == b"S":
                named.sparse.add(below + path)
    for path in inner:
        _enter(repository, path, asked.get(path, ()), named)


def _by_repository(git: Git, only: Sequence[bytes]) -> dict[bytes, list[bytes]]:
    """What to ask git about, for ``only``: the paths themselves; of one in an inner repository its folder, with the
    paths to ask that repository about."""
    asked: dict[bytes, list[bytes]] = {}
    top = os.fsencode(git.root) + b"/"
    for path in outermost(only):
        parts = path.split(b"/")
        folders = (b"/".join(parts[:depth]) for depth in range(1, len(parts)))
        border = next((folder for folder in folders if os.path.lexists(top + folder + b"/.git")), None)
        if border is None:
            asked[path] = []
        else:
            asked.setdefault(border, []).append(path[len(border) + 1 :])
    return asked


def _enter(around: _Nested, path: bytes, only: Sequence[bytes], named: Named) -> None:
    """List the repository at ``path``: a submodule, or one that merely lies here. A second work tree of the same
    repository is left out: everything in it would be there twice."""
    git, below = around.git, around.below
    folder = os.fsencode(git.root) + b"/" + path
    if os.path.islink(folder) or not os.path.lexists(folder + b"/.git"):
        return
    repository = Git.open(Path(os.fsdecode(folder)))
    if repository is None or repository.problem or around.depth >= _MAX_DEPTH:
        named.opaque.append(below + path)
    elif repository.common_dir == git.common_dir:
        named.twins.append(below + path)
        name = (below + path).decode("utf-8", "backslashreplace")
        named.notes.append(f"{name} is another work tree of this repository; its files were left out")
    else:
        try:
            _collect(_Nested(repository, below + path + b"/", around.depth + 1), only, named)
        except GitError as error:
            name = (below + path).decode("utf-8", "backslashreplace")
            named.notes.append(f"{error} (in {name}, whose files were found without git)")
            named.opaque.append(below + path)
