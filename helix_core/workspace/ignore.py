"""Ignore files in gitignore syntax, and the walk of a folder that git does not list.

Patterns match as in git's wildmatch: top down, the last matching line decides.
"""

from __future__ import annotations

import errno
import os
import re
import stat as modes
import sys
import time
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from helix_core.errors import UsageError
from helix_core.model import FileEntry, Reason, Skipped
from helix_core.tuples import NamedTuple
from helix_core.workspace.disk import DiskError, Scan, signature_of

# Not from the module ``string``, which compiles the patterns of its templates when it is imported.
_LOWER, _DIGITS = "abcdefghijklmnopqrstuvwxyz", "0123456789"
_LETTERS = _LOWER + _LOWER.upper()
_GRAPHIC = "".join(map(chr, range(33, 127)))
_CLASSES = {
    "alnum": _LETTERS + _DIGITS,
    "alpha": _LETTERS,
    "blank": " \t",
    "cntrl": "".join(map(chr, range(32))) + "\x7f",
    "digit": _DIGITS,
    "graph": _GRAPHIC,
    "lower": _LOWER,
    "print": " " + _GRAPHIC,
    "punct": "".join(char for char in _GRAPHIC if not char.isalnum()),
    "space": " \t\n\r\x0b\x0c",
    "upper": _LOWER.upper(),
    "xdigit": _DIGITS + "abcdefABCDEF",
}


def bracket(pattern: str, start: int) -> tuple[str, int] | None:
    """Translate the bracket expression at ``start`` (Latin-1 text) to an RE2 class; return it and the index after it.

    None when git would never match the pattern: no closing bracket, or an unknown class name.
    """
    at = start + 1
    negated = pattern[at : at + 1] in ("!", "^") and at < len(pattern)
    at += negated
    members: set[str] = set()
    previous = ""
    first = True
    while first or pattern[at : at + 1] != "]":
        first = False
        step = _member(pattern, at, previous)
        if step is None:
            return None
        matched, previous, at = step
        members |= matched
    return _written(members, negated), at + 1


def _member(pattern: str, at: int, previous: str) -> tuple[set[str], str, int] | None:
    """Parse one member: the characters it adds, the first character of a following range, the next index."""
    char = pattern[at : at + 1]
    following = pattern[at + 1 : at + 2]
    if not char or (char == "\\" and not following):
        return None
    if char == "\\":
        return {following}, following, at + 2
    if char == "-" and previous and following and following != "]":
        end = at + 1 + (following == "\\")
        if end >= len(pattern):
            return None
        return set(map(chr, range(ord(previous), ord(pattern[end]) + 1))), "", end + 1
    if char == "[" and following == ":":
        return _named(pattern, at)
    return {char}, char, at + 1


def _named(pattern: str, at: int) -> tuple[set[str], str, int] | None:
    close = pattern.find("]", at + 2)
    if close < 0:
        return None
    name = pattern[at + 2 : close]
    if not name.endswith(":"):
        return {"["}, "[", at + 1
    characters = _CLASSES.get(name[:-1])
    return None if characters is None else (set(characters), "", close + 1)


def _written(members: set[str], negated: bool) -> str:
    codes = "".join(f"\\x{{{ord(char):x}}}" for char in sorted(members - {"/"}))
    if negated:
        return f"[^/{codes}]"
    return f"[{codes}]" if codes else r"[^\x{0}-\x{10FFFF}]"


MAX_RULES_BYTES = 256 * 1024
MAX_GLOB_BYTES = 1_000
_PRIVATE = 0xE000
_EVERYTHING = "."
_EVERYTHING_INSIDE = "/"


class IgnoreRule(NamedTuple):
    """One line: its full-match pattern (for paths relative to its file), whether it matches only folders, and its
    decision.
    """

    pattern: Any
    folders_only: bool
    ignores: bool


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The lines of one ignore file, last first; ``gate`` matches whatever any of them may match.

    It is None where the lines are too many for one pattern.
    """

    rules: tuple[IgnoreRule, ...]
    gate: Any

    def decision(self, path: str, is_folder: bool) -> bool | None:
        """Return True to ignore, False to keep, None when no line matches. ``path`` is relative to the file, Latin-1
        decoded.
        """
        if not self.rules or (self.gate is not None and not self.gate.fullmatch(path)):
            return None
        for rule in self.rules:
            if (is_folder or not rule.folders_only) and rule.pattern.fullmatch(path):
                return rule.ignores
        return None


def parse_rules(data: bytes) -> IgnoreRules:
    """Parse an ignore file; lines that git ignores as invalid are dropped."""
    return rules_of(data.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n"))


def rules_of(lines: Iterable[str]) -> IgnoreRules:
    """Parse lines already decoded as Latin-1."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    translated = [found for found in map(_translate, lines) if found is not None]
    rules: list[IgnoreRule] = []
    sources: list[str] = []
    for source, folders_only, ignores in reversed(translated):
        try:
            rules.append(IgnoreRule(re2.compile(source, options=options), folders_only, ignores))
        except re2.error:
            continue
        sources.append(f"(?:{source})")
    if not rules:
        return IgnoreRules((), None)
    try:
        gate = re2.compile("|".join(sources), options=options)
    except re2.error:
        gate = None
    return IgnoreRules(tuple(rules), gate)


class PathGlobs:
    """Which paths a list of globs in gitignore syntax means: those of a plain one, but those of one that begins with
    ``!``; all others where every glob begins so. Order does not matter.
    """

    def __init__(self, globs: Iterable[str]) -> None:
        """Raises UsageError that names the first invalid glob."""
        given = [_glob(one) for one in globs]
        self._all = all(one.startswith("!") for one in given)
        self._meant = RuleTree(rules_of(one for one in given if not one.startswith("!")), {})
        self._left_out = RuleTree(rules_of(one[1:] for one in given if one.startswith("!")), {})

    def mean(self, path: bytes) -> bool:
        """Return whether the path of a file is one of those meant."""
        return (self._all or self._meant.ignores(path)) and not self._left_out.ignores(path)


def _glob(glob: str) -> str:
    """Return the glob as a line of an ignore file, in Latin-1. Raises UsageError."""
    mark = "!" if glob.startswith("!") else ""
    text = glob.removeprefix("!").removeprefix("./")
    line = text.encode("utf-8", "surrogatepass").decode("latin-1")
    if line.startswith(("#", "!")):
        line = f"\\{line}"
    is_sound = len(line) <= MAX_GLOB_BYTES and not {"\n", "\r", "\0"} & set(line)
    if not is_sound or ".." in text.split("/") or not rules_of([line]).rules:
        raise UsageError(
            f"{glob[:80]!a} is not a path glob; write one as in .gitignore, from the workspace folder: src/, *.py, "
            "docs/**/*.md, or !tests/ to leave files out"
        )
    return mark + line


class RuleTree:
    """The ignore files of a tree by their folder, plus global rules."""

    def __init__(self, everywhere: IgnoreRules, files: Mapping[bytes, IgnoreRules]) -> None:
        self._files: dict[bytes, list[IgnoreRules]] = {b"": [everywhere]} if everywhere.rules else {}
        for folder, rules in files.items():
            self.add(folder, rules)
        self._folders: dict[bytes, bool] = {b"": False}

    def add(self, folder: bytes, rules: IgnoreRules) -> None:
        """Apply ``rules`` below ``folder`` (``b""`` is the root); call it before checking paths below."""
        if rules.rules:
            self._files.setdefault(folder, []).append(rules)

    def ignores(self, path: bytes, is_folder: bool = False) -> bool:
        """Return whether ``path``, or a folder above it, is ignored."""
        if not self._files:
            return False
        folder = path.rpartition(b"/")[0]
        above = self._folders.get(folder)
        if above is None:
            above = self._folders[folder] = self.ignores(folder, is_folder=True)
        return above or self._decide(path, folder, is_folder)

    def _decide(self, path: bytes, folder: bytes, is_folder: bool) -> bool:
        while True:
            for rules in reversed(self._files.get(folder, ())):
                relative = path[len(folder) + 1 :] if folder else path
                decision = rules.decision(relative.decode("latin-1"), is_folder)
                if decision is not None:
                    return decision
            if not folder:
                return False
            folder = folder.rpartition(b"/")[0]


def _translate(line: str) -> tuple[str, bool, bool] | None:
    """Translate a line to (RE2 source for a full match, folders only, ignores), or None for comments and what cannot
    match.
    """
    from pathspec.patterns.gitignore import GitIgnorePatternError
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    text = _without_trailing_spaces(line.removesuffix("\r"))
    if not text or text.startswith("#"):
        return None
    ignores = not text.startswith("!")
    text = text.removeprefix("!")
    folders_only = text.endswith("/")
    text = text.removesuffix("/") if folders_only else text
    if not text:
        return None
    # A leading slash changes nothing where another slash already anchors, and keeps ``#`` and ``!`` literal.
    if "/" in text and not text.startswith(("/", "**/")):
        text = "/" + text
    elif text.startswith(("#", "!")):
        text = "\\" + text
    protected = _protect(text)
    if protected is None:
        return None
    try:
        source, _ = GitIgnoreSpecPattern.pattern_to_regex(protected[0])
    except GitIgnorePatternError:
        return None
    if source is None:
        return None
    source = source.translate(protected[1])
    if source == _EVERYTHING:
        source = ".+"
    elif source == _EVERYTHING_INSIDE:
        source = ".+/.+"
    elif source.endswith("/"):
        source += ".+"
    return source, folders_only, ignores


def _protect(text: str) -> tuple[str, dict[int, str]] | None:
    """Replace every bracket expression and white space by one private-use character; return the mapping back.

    Pathspec does not translate brackets and strips white space that git keeps. None for an invalid bracket.
    """
    kept: list[str] = []
    meanings: dict[int, str] = {}
    text, at = _open_stars(text, meanings), 0
    while at < len(text):
        char, after = text[at], at + 1
        if char == "\\":
            char, after = text[at + 1 : at + 2], at + 2
            kept.append("" if char == "/" else "\\")
        elif char == "[":
            expression = bracket(text, at)
            if expression is None:
                return None
            meanings[_PRIVATE + len(meanings)], after = expression
            char = chr(_PRIVATE + len(meanings) - 1)
        if char.isspace():
            meanings[_PRIVATE + len(meanings)] = f"\\x{{{ord(char):x}}}"
            char = chr(_PRIVATE + len(meanings) - 1)
        kept.append(char)
        at = after
    return "".join(kept), meanings


def _open_stars(text: str, meanings: dict[int, str]) -> str:
    """Rewrite ``/a**/b``: git compares its literal prefix separately, so its stars cross folders as ``**/`` would."""
    stars = len(re.split(r"[*?\[\\]", text, maxsplit=1)[0])
    after = len(text) - len(text[stars:].lstrip("*"))
    if (
        after - stars < 2
        or text[after : after + 1] not in ("", "/")
        or text[stars - 1] == "/"
        or not text.startswith("/")
    ):
        return text
    meanings[_PRIVATE] = "(?:.*/)?" if after < len(text) else ".*"
    rest = text[after + 1 :]
    while rest.startswith("**/"):
        rest = rest[3:]
    return text[:stars] + chr(_PRIVATE) + rest


def _without_trailing_spaces(line: str) -> str:
    """Drop trailing spaces as git does, unless a backslash escapes the last one."""
    stripped = line.rstrip(" ")
    if stripped == line or (len(stripped) - len(stripped.rstrip("\\"))) % 2 == 0:
        return stripped
    return stripped + " "


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
_ENCODING, _ERRORS = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()


@dataclass(slots=True)
class Walked:
    """The result of a walk; paths relative to the scan's root."""

    files: list[FileEntry] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


_LONGEST_KEPT = 3_800
"""Length limit of a folder's path, in bytes, for its names to be kept: they are looked at by whole paths (PATH_MAX)."""
_MOST_KEPT = 200_000
_QUIET_NS = 2_000_000_000
"""The coarsest clock of a file system: two changes of a folder within it may leave the same times."""


class _KeptFolder(NamedTuple):
    """The names in a folder, in the order of its listing, and the stat that it had before it was listed."""

    mark: tuple[int, int, int, int]
    names: tuple[bytes, ...]


class KeptFolders:
    """What a walk found in each folder, for the next walk of the same root, which lists only the folders whose time,
    inode or device changed, and looks at the known names of all others.

    Creating, renaming and deleting a name changes the times of its folder (POSIX, open and rename), and nobody can set
    the time of the last change of its inode back. A folder that changed within ``_QUIET_NS`` before it was listed is
    not kept, and more than ``_MOST_KEPT`` names are not.
    """

    def __init__(self) -> None:
        self._before: dict[bytes, _KeptFolder] = {}
        self._now: dict[bytes, _KeptFolder] = {}
        self._count = 0

    def begin(self) -> None:
        """Start a walk: what the one before it kept is compared with."""
        self._before, self._now, self._count = self._now, {}, 0

    def names(self, folder: bytes, status: os.stat_result) -> tuple[bytes, ...] | None:
        """Return the names in a folder whose ``status`` is that of the walk before; None where it must be listed."""
        kept = self._before.get(folder)
        if kept is None or kept.mark != _mark(status):
            return None
        self._keep(folder, kept)
        return kept.names

    def add(self, folder: bytes, status: os.stat_result, names: Sequence[bytes], began_ns: int) -> None:
        """Keep the names of a folder that was listed after ``began_ns`` (Unix nanoseconds); ``status`` is older."""
        changed_ns = max(status.st_mtime_ns, status.st_ctime_ns)
        if changed_ns + _QUIET_NS <= began_ns and len(folder) <= _LONGEST_KEPT:
            self._keep(folder, _KeptFolder(_mark(status), tuple(names)))

    def _keep(self, folder: bytes, kept: _KeptFolder) -> None:
        self._count += len(kept.names) + 1
        if self._count <= _MOST_KEPT:
            self._now[folder] = kept


def _mark(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev


def walk(scan: Scan, start: bytes = b"", kept: KeptFolders | None = None) -> Walked:
    """Return every regular file below folder ``start`` that no rule ignores; ignored folders are listed, not
    entered. ``kept`` is what the walk before it found.
    """
    found = Walked()
    if kept is not None:
        kept.begin()
    _walk([(start, None)], scan, RuleTree(IgnoreRules((), None), {}), found, kept)
    return found


def walk_only(scan: Scan, only: Iterable[bytes]) -> Walked:
    """Return what ``walk`` finds at or below the paths ``only``, at the cost of their depth and of their contents.

    Of the folders above them only the ignore file and the markers of caches and repositories are read, never their
    entries. The limit of a walk counts names below these paths only.
    """
    above = _Above(scan)
    for path in outermost(only):
        above.look_at(path)
    return above.found


def outermost(paths: Iterable[bytes]) -> list[bytes]:
    """Return the paths that are not below another one, in byte order of their components."""
    kept: list[bytes] = []
    for path in sorted(set(paths), key=lambda path: path.split(b"/")):
        if not kept or not path.startswith(kept[-1] + b"/"):
            kept.append(path)
    return kept


class _Above:
    """The folders above single paths, each checked once; results are added to ``found``."""

    def __init__(self, scan: Scan) -> None:
        self.found = Walked()
        self._scan = scan
        self._rules = RuleTree(IgnoreRules((), None), {})
        self._entered: dict[bytes, bool] = {}

    def look_at(self, path: bytes) -> None:
        """Add the file, or what counts below the folder, at ``path``."""
        parts = path.split(b"/")
        if b"\0" in path or not _UNSAFE_NAMES.isdisjoint(parts):
            return
        parent = b"/".join(parts[:-1])
        entry = self._entry(parent, parts[-1], self.found) if self._enters(parent) else None
        if entry is not None:
            folders = _sort_out([(parts[-1], path, entry)], self._rules, self.found)
            _walk(folders, self._scan, self._rules, self.found)

    def _enters(self, folder: bytes) -> bool:
        """Return whether a walk enters ``folder``, and apply its rules."""
        known = self._entered.get(folder)
        if known is None:
            known = self._entered[folder] = self._is_entered(folder)
        return known

    def _is_entered(self, folder: bytes) -> bool:
        aside = Walked()
        if folder:
            parent, _, name = folder.rpartition(b"/")
            entry = self._entry(parent, name, aside) if self._enters(parent) else None
            if entry is None or not _sort_out([(name, folder, entry)], self._rules, aside):
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


_Entry = tuple[bytes, bytes, os.stat_result]
"""A name, its path, and its stat, symlinks not followed."""
_Folder = tuple[bytes, os.stat_result | None]


def _walk(
    pending: Sequence[_Folder], scan: Scan, rules: RuleTree, found: Walked, kept: KeptFolders | None = None
) -> None:
    """Walk the folders ``pending`` and everything entered below them."""
    seen, pending = 0, [*pending]
    while pending:
        folder, status = pending.pop()
        known = kept.names(folder, status) if kept is not None and status is not None else None
        if known is not None:
            entries = _known_entries(scan, folder, known, found)
        else:
            began_ns, problems = time.time_ns(), len(found.skipped)
            entries = _entries(scan, folder, found)
            if kept is not None and status is not None and len(found.skipped) == problems:
                kept.add(folder, status, [name for name, _, _ in entries], began_ns)
        names = {name for name, _, _ in entries}
        if _is_closed(names):
            found.skipped.append(Skipped(folder + b"/", "private" if names >= _BARE_REPOSITORY else "ignored"))
            continue
        if b".gitignore" in names:
            rules.add(folder, _rules(scan, _join(folder, b".gitignore")))
        seen += len(entries)
        if seen > MAX_ENTRIES:
            found.notes.append(f"only the first {MAX_ENTRIES} names were looked at; open a smaller folder")
            break
        pending.extend(_sort_out(entries, rules, found))


def _is_closed(names: Set[bytes]) -> bool:
    """Return whether a folder with these names is a cache (CACHEDIR.TAG) or a bare repository."""
    return _CACHE_TAG in names or names >= _BARE_REPOSITORY


def _is_there(name: bytes, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _sort_out(entries: Iterable[_Entry], rules: RuleTree, found: Walked) -> list[_Folder]:
    """Classify the entries of a folder; return the folders to enter."""
    enter: list[_Folder] = []
    for name, path, status in entries:
        mode = status.st_mode
        is_folder = modes.S_ISDIR(mode)
        if name in DEFAULT_SKIPS or rules.ignores(path, is_folder):
            found.skipped.append(Skipped(path + b"/" if is_folder else path, "ignored"))
        elif is_folder:
            if path.count(b"/") >= MAX_DEPTH:
                found.skipped.append(Skipped(path + b"/", "too_deep"))
            else:
                enter.append((path, status))
        elif modes.S_ISREG(mode):
            found.files.append(FileEntry(path, signature_of(status)))
        else:
            found.skipped.append(Skipped(path, "symlink" if modes.S_ISLNK(mode) else "not_a_file"))
    return enter


def _known_entries(scan: Scan, folder: bytes, names: Iterable[bytes], found: Walked) -> list[_Entry]:
    """Return what is at the ``names`` of a folder that need not be listed. It was no symlink a moment ago, so that its
    path leads into the root.
    """
    entries: list[_Entry] = []
    inside, root, stat = folder + b"/" if folder else b"", scan.folder(b""), os.stat
    for name in names:
        path = inside + name
        try:
            entries.append((name, path, stat(path, dir_fd=root, follow_symlinks=False)))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            found.skipped.append(Skipped(path, "unreadable"))
    return entries


def _entries(scan: Scan, folder: bytes, found: Walked) -> list[_Entry]:
    """Return what is in a folder; an unreadable folder is recorded and empty."""
    descriptor = _opened(scan, folder, found)
    if descriptor is None:
        return []
    entries: list[_Entry] = []
    inside = folder + b"/" if folder else b""
    try:
        with os.scandir(descriptor) as listing:
            for entry in listing:
                # What os.fsencode does, which takes a tenth of the walk.
                name = entry.name.encode(_ENCODING, _ERRORS)
                path = inside + name
                try:
                    entries.append((name, path, entry.stat(follow_symlinks=False)))
                except FileNotFoundError:
                    continue
                except OSError:
                    found.skipped.append(Skipped(path, "unreadable"))
    except OSError:
        # Some folders of /proc open, and refuse to be listed.
        found.skipped.append(Skipped(folder + b"/", "unreadable"))
        return []
    finally:
        os.close(descriptor)
    return entries


def _opened(scan: Scan, folder: bytes, found: Walked) -> int | None:
    """Return a descriptor to list ``folder``, which the caller closes; on failure None, with the reason in
    ``found``.
    """
    try:
        return os.open(b".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=scan.folder(folder))
    except DiskError as error:
        found.skipped.append(Skipped(folder + b"/", _folder_word(error)))
    except OSError:
        found.skipped.append(Skipped(folder + b"/", "unreadable"))
    return None


def _folder_word(error: DiskError) -> str:
    return "symlink" if error.reason is Reason.OUTSIDE_ROOT else error.reason.value


def _rules(scan: Scan, path: bytes) -> IgnoreRules:
    try:
        return parse_rules(scan.read(path, MAX_RULES_BYTES).data)
    except DiskError:
        return IgnoreRules((), None)


def _join(folder: bytes, name: bytes) -> bytes:
    return folder + b"/" + name if folder else name
