"""The tree of a folder that git does not answer for: ``.gitignore`` files by pathspec, and the usual caches left out.

Names and stats only; no file but an ignore file is opened, no symlink followed.
"""

from __future__ import annotations

import errno
import os
import stat as modes
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

from helix_core.model import FileEntry, Reason, Skipped
from helix_core.workspace.disk import DiskError, Scan, signature_of
from helix_core.workspace.ignore import MAX_RULES_BYTES, Rules, RuleTree, parse_rules

MAX_DEPTH = 200
MAX_ENTRIES = 500_000
DEFAULT_SKIPS = frozenset(
    b"node_modules bower_components .venv venv __pycache__ .mypy_cache .pytest_cache .ruff_cache .tox .nox .hypothesis "
    b".eggs .cache .gradle .idea .vs .next .nuxt .svelte-kit .parcel-cache .turbo .terraform .ipynb_checkpoints "
    b".dart_tool .stack-work .bundle DerivedData .DS_Store .Trash .Spotlight-V100 lost+found "
    b".git .hg .svn .jj .bzr CVS _darcs .fslckout .helix".split()
)
_BARE_REPOSITORY = frozenset({b"HEAD", b"objects", b"refs"})
_CACHE_TAG = b"CACHEDIR.TAG"
_UNSAFE_NAMES = frozenset({b"", b".", b".."})


@dataclass(slots=True)
class Walked:
    """What a walk came by; paths relative to the scan's root."""

    files: list[FileEntry] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def walk(scan: Scan, start: bytes = b"") -> Walked:
    """Every regular file below folder ``start`` that no rule ignores; ignored folders are named once, not entered."""
    found = Walked()
    _walk([start], scan, RuleTree(Rules((), None), {}), found)
    return found


def walk_only(scan: Scan, only: Iterable[bytes]) -> Walked:
    """What ``walk`` finds at or below the paths ``only``, at the cost of their depth and of what lies below them.

    Of the folders above them the ignore file and the marks of caches and repositories are read, never their entries.
    The bound on a walk's names counts below these paths alone.
    """
    above = _Above(scan)
    for path in outermost(only):
        above.look_at(path)
    return above.found


def outermost(paths: Iterable[bytes]) -> list[bytes]:
    """The paths that lie below no other of them, in byte order of their components."""
    kept: list[bytes] = []
    for path in sorted(set(paths), key=lambda path: path.split(b"/")):
        if not kept or not path.startswith(kept[-1] + b"/"):
            kept.append(path)
    return kept


class _Above:
    """The folders on the way to single paths, each looked at once; what counts at their end is put into ``found``."""

    def __init__(self, scan: Scan) -> None:
        self.found = Walked()
        self._scan = scan
        self._rules = RuleTree(Rules((), None), {})
        self._entered: dict[bytes, bool] = {}

    def look_at(self, path: bytes) -> None:
        """Find the file, or what counts below the folder, at ``path``."""
        parts = path.split(b"/")
        if b"\0" in path or not _UNSAFE_NAMES.isdisjoint(parts):
            return
        parent = b"/".join(parts[:-1])
        entry = self._entry(parent, parts[-1], self.found) if self._enters(parent) else None
        if entry is not None:
            folders = _sort_out(parent, [(parts[-1], entry)], self._rules, self.found)
            _walk(folders, self._scan, self._rules, self.found)

    def _enters(self, folder: bytes) -> bool:
        """Does a walk enter ``folder``? Its rules hold from then on."""
        known = self._entered.get(folder)
        if known is None:
            known = self._entered[folder] = self._is_entered(folder)
        return known

    def _is_entered(self, folder: bytes) -> bool:
        aside = Walked()
        if folder:
            parent, _, name = folder.rpartition(b"/")
            entry = self._entry(parent, name, aside) if self._enters(parent) else None
            if entry is None or not _sort_out(parent, [(name, entry)], self._rules, aside):
                return False
        descriptor = _opened(self._scan, folder, aside)
        if descriptor is None:
            return False
        try:
            names = {name for name in (_CACHE_TAG, *_BARE_REPOSITORY) if _is_there(name, descriptor)}
        finally:
            os.close(descriptor)
        if _is_closed(names):
            return False
        self._rules.add(folder, _rules(self._scan, _join(folder, b".gitignore")))
        return True

    def _entry(self, parent: bytes, name: bytes, found: Walked) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=self._scan.folder(parent), follow_symlinks=False)
        except (DiskError, FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                found.skipped.append(Skipped(_join(parent, name), "unreadable"))
            return None


def _walk(pending: list[bytes], scan: Scan, rules: RuleTree, found: Walked) -> None:
    """Look through the folders ``pending`` and all that is entered below them."""
    seen = 0
    while pending:
        folder = pending.pop()
        entries = _entries(scan, folder, found)
        names = {name for name, _ in entries}
        if _is_closed(names):
            found.skipped.append(Skipped(folder + b"/", "private" if names >= _BARE_REPOSITORY else "ignored"))
            continue
        if b".gitignore" in names:
            rules.add(folder, _rules(scan, _join(folder, b".gitignore")))
        seen += len(entries)
        if seen > MAX_ENTRIES:
            found.notes.append(f"only the first {MAX_ENTRIES} names were looked at; open a smaller folder")
            break
        pending.extend(_sort_out(folder, entries, rules, found))


def _is_closed(names: Set[bytes]) -> bool:
    """Is a folder with these names in it a cache, or a bare repository?"""
    return _CACHE_TAG in names or names >= _BARE_REPOSITORY


def _is_there(name: bytes, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _sort_out(
    folder: bytes, entries: list[tuple[bytes, os.stat_result]], rules: RuleTree, found: Walked
) -> list[bytes]:
    """Put the folder's entries where they belong; returns the folders to enter."""
    enter: list[bytes] = []
    for name, status in entries:
        path = _join(folder, name)
        mode = status.st_mode
        is_folder = modes.S_ISDIR(mode)
        if name in DEFAULT_SKIPS or rules.ignores(path, is_folder):
            found.skipped.append(Skipped(path + b"/" if is_folder else path, "ignored"))
        elif is_folder:
            if path.count(b"/") >= MAX_DEPTH:
                found.skipped.append(Skipped(path + b"/", "too_deep"))
            else:
                enter.append(path)
        elif modes.S_ISREG(mode):
            found.files.append(FileEntry(path, signature_of(status)))
        else:
            found.skipped.append(Skipped(path, "symlink" if modes.S_ISLNK(mode) else "not_a_file"))
    return enter


def _entries(scan: Scan, folder: bytes, found: Walked) -> list[tuple[bytes, os.stat_result]]:
    """Names and stats of a folder, symlinks not followed; an unreadable folder is recorded and empty."""
    descriptor = _opened(scan, folder, found)
    if descriptor is None:
        return []
    entries: list[tuple[bytes, os.stat_result]] = []
    try:
        with os.scandir(descriptor) as listing:
            for entry in listing:
                name = os.fsencode(entry.name)
                try:
                    entries.append((name, entry.stat(follow_symlinks=False)))
                except FileNotFoundError:
                    continue
                except OSError:
                    found.skipped.append(Skipped(_join(folder, name), "unreadable"))
    finally:
        os.close(descriptor)
    return entries


def _opened(scan: Scan, folder: bytes, found: Walked) -> int | None:
    """A descriptor to list ``folder`` with, which the caller closes; without one None, and the reason in ``found``."""
    try:
        return os.open(b".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=scan.folder(folder))
    except DiskError as error:
        found.skipped.append(Skipped(folder + b"/", _folder_word(error)))
    except OSError:
        found.skipped.append(Skipped(folder + b"/", "unreadable"))
    return None


def _folder_word(error: DiskError) -> str:
    return "symlink" if error.reason is Reason.OUTSIDE_ROOT else error.reason.value


def _rules(scan: Scan, path: bytes) -> Rules:
    try:
        return parse_rules(scan.read(path, MAX_RULES_BYTES).data)
    except DiskError:
        return Rules((), None)


def _join(folder: bytes, name: bytes) -> bytes:
    return folder + b"/" + name if folder else name
