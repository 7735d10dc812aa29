"""Choose the folders to watch: those in which a file could count, and git's own state folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from helix_core.errors import GitError, WorkspaceError
from helix_core.workspace import (
    DEFAULT_SKIPS,
    HELIXIGNORE,
    MAX_DEPTH,
    MAX_RULES_BYTES,
    DiskError,
    FileOptions,
    Git,
    IgnoreRules,
    Root,
    RuleTree,
    Scan,
    ignored_files,
    is_private,
    parse_rules,
    rules_of,
)

_HELIXIGNORE = os.fsdecode(HELIXIGNORE)
RULE_FILES = frozenset({b".gitignore", HELIXIGNORE, b".gitmodules"})


Enter = Callable[[bytes, int | None], None]


@dataclass(frozen=True, slots=True)
class WatchedFolders:
    """Paths relative to the root (``b""``). ``folders`` come parents first; ``quiet`` are single files that are
    ignored.
    """

    folders: tuple[bytes, ...]
    ignored: frozenset[bytes]
    quiet: frozenset[bytes]


def choose(
    path: Path,
    git: Git | None,
    options: FileOptions,
    starts: Sequence[bytes] = (b"",),
    enter: Enter | None = None,
) -> WatchedFolders:
    """Return the folders to watch at and below each of ``starts``; raises WorkspaceError when the root cannot be
    opened.

    ``enter`` is called with a folder and its descriptor before the folder is listed, and with None instead when its
    entries show that it does not count after all. No symlink is on the path at that time; later another folder may have
    it.
    """
    with Root.open(path) as root, root.scan() as scan:
        walk = _FolderWalk(root, scan, git, options, enter)
        for start in sorted(starts):
            walk.go(start)
        quiet = frozenset(one for one in walk.quiet if one.rpartition(b"/")[2] not in RULE_FILES)
        return WatchedFolders(tuple(walk.folders), frozenset(walk.ignored), quiet)


@dataclass(slots=True)
class _Entries:
    folders: list[bytes] = field(default_factory=list)
    has_git: bool = False
    has_rules: bool = False


class _FolderWalk:
    """One top-down pass: an ignored folder is not entered."""

    def __init__(self, root: Root, scan: Scan, git: Git | None, options: FileOptions, enter: Enter | None) -> None:
        self._scan, self._git, self._enter = scan, git, enter
        self._top = os.fsencode(root.path)
        lines = [os.fsencode(line).decode("latin-1") for line in options.helixignore]
        self._rules = RuleTree(rules_of(lines) if lines else IgnoreRules((), None), {})
        self._never = options.never
        self._seen: set[bytes] = set()
        self.folders: list[bytes] = []
        self.ignored: set[bytes] = set()
        self.quiet: set[bytes] = set()
        self._ignore(b"", _ignored(root, git))

    def go(self, start: bytes) -> None:
        """Walk everything at and below ``start``, unless it or a folder above it is excluded."""
        parts = start.split(b"/") if start else []
        above = [b"/".join(parts[:depth]) for depth in range(len(parts))]
        for folder in above:
            if not self._counts(folder):
                return
            self._add_rules(folder)
        if not self._counts(start):
            return
        pending = [start]
        while pending:
            folder = pending.pop()
            if folder in self._seen:
                continue
            self._seen.add(folder)
            entries = self._entered(folder)
            if entries is None:
                continue
            if entries.has_git and folder and self._is_twin(folder):
                if self._enter is not None:
                    self._enter(folder, None)
                continue
            if entries.has_rules:
                self._add_rules(folder)
            self.folders.append(folder)
            pending.extend(child for child in entries.folders if self._counts(child))

    def _counts(self, folder: bytes) -> bool:
        if not folder:
            return True
        return not (
            folder in self.ignored
            or folder in self._never
            or is_private(folder.rpartition(b"/")[2] + b"/-")
            or folder.count(b"/") >= MAX_DEPTH
            or self._rules.ignores(folder, is_folder=True)
        )

    def _add_rules(self, folder: bytes) -> None:
        path = folder + b"/" + HELIXIGNORE if folder else HELIXIGNORE
        try:
            self._rules.add(folder, parse_rules(self._scan.read(path, MAX_RULES_BYTES).data))
        except DiskError:
            return

    def _is_twin(self, folder: bytes) -> bool:
        """Return whether the folder is another work tree of the same repository, which is excluded; other
        repositories have their own ignore rules.
        """
        if self._git is None or self._git.problem:
            return False
        path = Path(os.fsdecode(os.path.join(self._top, folder)))
        inner = Git.open(path)
        if inner is not None and not inner.problem and inner.common_dir == self._git.common_dir:
            return True
        try:
            with Root.open(path) as root:
                self._ignore(folder + b"/", _ignored(root, inner))
        except WorkspaceError:
            return True
        return False

    def _ignore(self, below: bytes, paths: Iterable[bytes]) -> None:
        for path in paths:
            if path.endswith(b"/"):
                self.ignored.add(below + path[:-1])
            else:
                self.quiet.add(below + path)

    def _entered(self, folder: bytes) -> _Entries | None:
        """Read the relevant entries of a folder, symlinks not followed; None for no folder, empty if unreadable."""
        found = _Entries()
        prefix = folder + b"/" if folder else b""
        try:
            descriptor = self._scan.folder(folder)
            if self._enter is not None:
                self._enter(folder, descriptor)
            reading = os.open(b".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=descriptor)
        except DiskError:
            return None
        except OSError:
            return found
        try:
            with os.scandir(reading) as listing:
                for entry in listing:
                    if entry.is_dir(follow_symlinks=False):
                        found.folders.append(prefix + os.fsencode(entry.name))
                    if entry.name == ".git":
                        found.has_git = True
                    elif entry.name == _HELIXIGNORE:
                        found.has_rules = True
        except OSError:
            return found
        finally:
            os.close(reading)
        return found


def _ignored(root: Root, git: Git | None) -> list[bytes]:
    """Return what git (or a walk) ignores; whole folders, also empty ones, end in ``/``."""
    if git is not None and not git.problem:
        try:
            listing = git.run(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"])
            paths = [path for path in listing.split(b"\0") if path]
            if b"./" not in paths:
                return [*_ignored_by_name(git, paths), *(path for path in paths if not path.endswith(b"/"))]
        except GitError:
            pass
    return [one.path for one in ignored_files(root, None)]


def _ignored_by_name(git: Git, paths: list[bytes]) -> list[bytes]:
    """Return the folders that a rule names; git also lists folders in which no file counts yet."""
    folders = [path for path in paths if path.endswith(b"/")]
    if not folders:
        return []
    # Not literal: check-ignore refuses that; with ``./`` no name is taken for pathspec magic.
    command = ["--no-literal-pathspecs", "check-ignore", "-z", "--stdin"]
    asked = b"".join(b"./" + path[:-1] + b"\0" for path in folders)
    named = set(git.run(command, stdin=asked, accepted=frozenset({0, 1})).split(b"\0"))
    return [path for path in folders if b"./" + path[:-1] in named or path[:-1].rpartition(b"/")[2] in DEFAULT_SKIPS]


INDEX_LOCK = b"index.lock"
_OWN = frozenset(b"HEAD index MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD BISECT_LOG rebase-merge rebase-apply".split())
_SHARED = frozenset({b"packed-refs"})
_REFTABLE = frozenset({b"tables.list"})
_RULES = frozenset({b"exclude", b"sparse-checkout"})
_CONFIGURATION = frozenset({b"config", b"config.worktree"})


@dataclass(frozen=True, slots=True)
class GitPlace:
    """A state folder of git. ``moves``: names whose events mean that git's state moved, None for all but locks;
    ``rules``: names of ignore rules; ``is_own``: it contains the index's lock.
    """

    path: bytes
    moves: frozenset[bytes] | None = frozenset()
    rules: frozenset[bytes] = frozenset()
    is_own: bool = False

    def is_move(self, name: bytes) -> bool:
        """Return whether an event of that name means that git's state moved."""
        return not name.endswith(b".lock") if self.moves is None else name in self.moves


def git_places(git: Git | None) -> tuple[GitPlace, ...]:
    """Return the existing state folders of this work tree and of the repository (gitrepository-layout(5))."""
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
    """Return ``folder`` and its subfolders: a branch's name may contain slashes."""
    found = [folder]
    for above in found:
        try:
            with os.scandir(above) as entries:
                found += [above + b"/" + entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:
            continue
    return found
