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
    _collect(git, b"", only, named, 0)
    return named


def _collect(git: Git, below: bytes, only: Sequence[bytes], named: Named, depth: int) -> None:
    command: list[str | bytes] = ["ls-files", "-z", "-t", "-s", "--cached", "--others", "--exclude-standard"]
    listing = git.run([*command, "--", *only] if only else command)
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
        _enter(git, below, path, named, depth)


def _enter(git: Git, below: bytes, path: bytes, named: Named, depth: int) -> None:
    """List the repository at ``path``: a submodule, or one that merely lies here. A second work tree of the same
    repository is left out: everything in it would be there twice."""
    folder = os.fsencode(git.root) + b"/" + path
    if os.path.islink(folder) or not os.path.lexists(folder + b"/.git"):
        return
    repository = Git.open(Path(os.fsdecode(folder)))
    if repository is None or repository.problem or depth >= _MAX_DEPTH:
        named.opaque.append(below + path)
    elif repository.common_dir == git.common_dir:
        named.twins.append(below + path)
        name = (below + path).decode("utf-8", "backslashreplace")
        named.notes.append(f"{name} is another work tree of this repository; its files were left out")
    else:
        try:
            _collect(repository, below + path + b"/", (), named, depth + 1)
        except GitError as error:
            name = (below + path).decode("utf-8", "backslashreplace")
            named.notes.append(f"{error} (in {name}, whose files were found without git)")
            named.opaque.append(below + path)
