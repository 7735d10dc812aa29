"""The tree of a folder that git does not answer for: ``.gitignore`` files by pathspec, and the usual caches left out.

Names and stats only; no file but an ignore file is opened, no symlink followed.
"""

from __future__ import annotations

import os
import stat as modes
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


@dataclass(slots=True)
class Walked:
    """What a walk came by; paths relative to the scan's root."""

    files: list[FileEntry] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def walk(scan: Scan, start: bytes = b"") -> Walked:
    """Every regular file below folder ``start`` that no rule ignores; ignored folders are named once, not entered."""
    found = Walked()
    rules = RuleTree(Rules((), None), {})
    pending = [start]
    seen = 0
    while pending:
        folder = pending.pop()
        entries = _entries(scan, folder, found)
        names = {name for name, _ in entries}
        if _CACHE_TAG in names or names >= _BARE_REPOSITORY:
            found.skipped.append(Skipped(folder + b"/", "private" if names >= _BARE_REPOSITORY else "ignored"))
            continue
        if b".gitignore" in names:
            rules.add(folder, _rules(scan, _join(folder, b".gitignore")))
        seen += len(entries)
        if seen > MAX_ENTRIES:
            found.notes.append(f"only the first {MAX_ENTRIES} names were looked at; open a smaller folder")
            break
        pending.extend(_sort_out(folder, entries, rules, found))
    return found


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
    try:
        descriptor = os.open(b".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=scan.folder(folder))
    except DiskError as error:
        found.skipped.append(Skipped(folder + b"/", _folder_word(error)))
        return []
    except OSError:
        found.skipped.append(Skipped(folder + b"/", "unreadable"))
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


def _folder_word(error: DiskError) -> str:
    return "symlink" if error.reason is Reason.OUTSIDE_ROOT else error.reason.value


def _rules(scan: Scan, path: bytes) -> Rules:
    try:
        return parse_rules(scan.read(path, MAX_RULES_BYTES).data)
    except DiskError:
        return Rules((), None)


def _join(folder: bytes, name: bytes) -> bytes:
    return folder + b"/" + name if folder else name
