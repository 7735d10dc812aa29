"""Which names git counts in a work tree: tracked and untracked files, those of inner repositories included.

Starts git, and reads no file. Which of the names are files that Helix reads is decided by ``files``.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from helix_core.errors import GitError
from helix_core.tuples import NamedTuple
from helix_core.workspace.git import Git
from helix_core.workspace.ignore import outermost

_SUBMODULE = b"160000"
_MAX_DEPTH = 8


@dataclass(slots=True)
class TrackedNames:
    """Paths relative to the workspace root; ``sparse`` are excluded by a sparse checkout, ``opaque`` folders contain
    a repository git could not list, ``twins`` folders are other work trees of it.
    """

    paths: set[bytes] = field(default_factory=set)
    sparse: set[bytes] = field(default_factory=set)
    opaque: list[bytes] = field(default_factory=list)
    twins: list[bytes] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def names_in(git: Git, only: Sequence[bytes] = ()) -> TrackedNames:
    """Return every name that counts for git below its folder, or below ``only``; raises ``GitError``."""
    named = TrackedNames()
    _collect(_Nested(git), only, named)
    return named


class _Nested(NamedTuple):
    """A repository: ``below`` is its folder relative to the workspace root with a trailing ``/``, ``depth`` the
    number of enclosing repositories in the workspace.
    """

    git: Git
    below: bytes = b""
    depth: int = 0


def _collect(repository: _Nested, only: Sequence[bytes], named: TrackedNames) -> None:
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
    """Group ``only`` by repository: the paths themselves, and for an inner repository its folder with the paths in
    it.
    """
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


def _enter(around: _Nested, path: bytes, only: Sequence[bytes], named: TrackedNames) -> None:
    """List the repository at ``path``: a submodule or a nested clone. A second work tree of the same repository is
    excluded, because it would duplicate every file.
    """
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


class NamesThread:
    """Run ``names_in`` for a whole work tree in a thread: it waits for git, which reads every folder."""

    def __init__(self, git: Git) -> None:
        self._outcome: TrackedNames | Exception = TrackedNames()

        def read() -> None:
            try:
                self._outcome = names_in(git)
            except Exception as error:  # noqa: BLE001 - raised again by ``result``
                self._outcome = error

        self._thread = threading.Thread(target=read, name="helix-names", daemon=True)
        self._thread.start()

    def result(self) -> TrackedNames:
        """Return what git named; raises what ``names_in`` does."""
        self._thread.join()
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome
