"""Check whether a file still counts when an answer is made: cheap while no ignore rule changed, else the matcher runs.

Which files count is decided by files: git's configuration and ignore files outside the tree, ``.gitignore`` and
``.helixignore`` files in it. A listing records their stat signatures in a ``Record``; while the signatures above a path
are unchanged, its listing is valid.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Container, Iterable, Mapping, Sequence

from helix_core.errors import GitError
from helix_core.model import FileEntry, StatSignature
from helix_core.tuples import NamedTuple
from helix_core.workspace.disk import Root, signature_of
from helix_core.workspace.files import HELIXIGNORE, NOT_INCLUDED, FileOptions, list_files
from helix_core.workspace.git import Git

RULE_NAMES = (b".gitignore", HELIXIGNORE)
# Reading a path reports errors of the disk by itself.
_LEFT_OUT = frozenset({"", "ignored", "helixignore", "private", "work_tree", NOT_INCLUDED})
_MOST_KNOWN = 20_000
# Equal to no signature, nor to that of a file which is not there.
_RACY = "racy"
_INCLUDES = (b"include.path", b"includeif.")


class Record(NamedTuple):
    """The ignore rules of a listing: a digest of those ``outside`` the tree and of the options, and each rule file
    ``inside`` with its signature, or ``_RACY`` for one that equal signatures say nothing of. Serialized as text for the
    index.
    """

    outside: str = ""
    inside: Mapping[str, str] = {}

    def __str__(self) -> str:
        """Return the text that ``of`` parses."""
        return json.dumps([self.outside, self.inside], separators=(",", ":"), sort_keys=True)

    @classmethod
    def made(cls, outside: str, rules: Iterable[FileEntry], racy: Container[bytes] = ()) -> Record:
        """Return the record of a listing that began when ``outside`` was current. The ``racy`` files were there, too,
        but so new that a later write may leave their signatures as they are.
        """
        return cls(outside, {_key(file.path): _RACY if file.path in racy else _shown(file.signature) for file in rules})

    @classmethod
    def of(cls, text: str) -> Record:
        """Parse the text; return an empty record, which matches no rules, for invalid text."""
        try:
            outside, inside = json.loads(text)
        except ValueError:
            return cls()
        return cls(outside, inside)


class OutsideRules:
    """The files outside the tree that decide what counts in it: git's configuration and ignore files, includes
    resolved.
    """

    def __init__(self, git: Git | None) -> None:
        self._git = None if git is None or git.problem else git
        self._files: tuple[bytes, ...] = ()
        self._seen: tuple[object, ...] | None = None

    def signature(self) -> tuple[object, ...]:
        """Return a value that changes whenever one of the files changes, or the set of files does."""
        if self._git is None:
            return ()
        now = _signatures(self._files)
        if self._seen is None or now != self._seen:
            self._files = _files_of(self._git)
            now = self._seen = _signatures(self._files)
        return now


class Counting:
    """The check for one open root and its git. Use it from one thread."""

    def __init__(self, root: Root, git: Git | None) -> None:
        self._root, self._git = root, git
        self._outside = OutsideRules(git)
        self._known: dict[bytes, tuple[object, bool]] = {}
        self._text, self._record = "", Record()

    def begin(self, options: FileOptions) -> str:
        """Return the digest of the outside rules; call it before a listing, for the listing's record."""
        message = (
            self._outside.signature(),
            options.max_bytes,
            options.helixignore,
            sorted(options.never),
            options.include,
            options.max_files,
            self._git is not None,
        )
        return hashlib.sha256(repr(message).encode("utf-8", "surrogateescape")).hexdigest()

    def uncounted(self, paths: Iterable[bytes], options: FileOptions, recorded: str) -> frozenset[bytes]:
        """Return those of ``paths`` that exist but do not count. ``recorded`` is the record of the last listing,
        which included all of ``paths``, or empty.
        """
        outside = self.begin(options)
        record = self._record_of(recorded)
        folders: dict[bytes, tuple[tuple[str, str], ...]] = {}
        doubtful: dict[bytes, object] = {}
        gone: set[bytes] = set()
        for path in paths:
            rules = self._rules_above(path, folders)
            if outside == record.outside and all(record.inside.get(name, "") == sig for name, sig in rules):
                continue
            known = self._known.get(path)
            if known is None or known[0] != (outside, rules):
                doubtful[path] = (outside, rules)
            elif not known[1]:
                gone.add(path)
        return frozenset(gone | self._match_again(doubtful, options))

    def _record_of(self, text: str) -> Record:
        if not text:
            return Record()
        if text != self._text:
            self._text, self._record = text, Record.of(text)
        return self._record

    def _match_again(self, doubtful: Mapping[bytes, object], options: FileOptions) -> set[bytes]:
        if not doubtful:
            return set()
        listing = list_files(self._root, self._git, options, only=sorted(doubtful))
        counted = {file.path for file in listing.files}
        reasons = {one.path: one.reason for one in listing.skipped}
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        uncounted: set[bytes] = set()
        for path, key in doubtful.items():
            counts = path in counted or reasons.get(path, "") not in _LEFT_OUT
            # A deleted file is in no listing; do not cache that, because the file may come back.
            if counts or os.path.lexists(os.fsencode(self._root.path) + b"/" + path):
                self._known[path] = (key, counts)
            if not counts:
                uncounted.add(path)
        return uncounted

    def _rules_above(
        self, path: bytes, folders: dict[bytes, tuple[tuple[str, str], ...]]
    ) -> tuple[tuple[str, str], ...]:
        """Return every possible rule file above ``path`` with its signature, empty where there is none."""
        folder = path.rpartition(b"/")[0]
        known = folders.get(folder)
        if known is None:
            above = self._rules_above(folder, folders) if folder else ()
            top = os.fsencode(self._root.path) + b"/"
            own = []
            for rules in RULE_NAMES:
                name = folder + b"/" + rules if folder else rules
                try:
                    own.append((_key(name), _shown(signature_of(os.lstat(top + name)))))
                except OSError:
                    own.append((_key(name), ""))
            known = folders[folder] = (*above, *own)
        return known


def rule_files(files: Iterable[FileEntry]) -> list[FileEntry]:
    """Return the rule files among listed files."""
    return [file for file in files if file.path.rpartition(b"/")[2] in RULE_NAMES]


def _key(path: bytes) -> str:
    return path.decode("latin-1")


def _shown(signature: StatSignature) -> str:
    return f"{signature.size_bytes}:{signature.mtime_ns}:{signature.ctime_ns}:{signature.inode}"


def _signatures(files: Sequence[bytes]) -> tuple[object, ...]:
    return tuple((file, _signature(file)) for file in files)


def _signature(file: bytes) -> tuple[int, int, int, int] | None:
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _files_of(git: Git) -> tuple[bytes, ...]:
    """Return the configuration and ignore files that git reads for this work tree, existing or not (git-config(1),
    FILES).
    """
    home = os.path.expanduser(b"~")
    settings = (os.fsencode(os.environ.get("XDG_CONFIG_HOME", "")) or home + b"/.config") + b"/git"
    found = [
        b"/etc/gitconfig",
        home + b"/.gitconfig",
        settings + b"/config",
        settings + b"/ignore",
        git.common_dir + b"/config",
        git.git_dir + b"/config.worktree",
        git.common_dir + b"/info/exclude",
    ]
    try:
        entries = git.configuration()
    except GitError:
        return tuple(dict.fromkeys(found))
    for origin, entry in entries:
        file = origin.removeprefix(b"file:") if origin.startswith(b"file:") else b""
        if file:
            found.append(os.path.join(os.fsencode(git.root), file))
        key, _, value = entry.partition(b"\n")
        if key.lower() == b"core.excludesfile":
            found.append(os.path.join(git.top, os.path.expanduser(value)))
        elif key.lower().startswith(_INCLUDES) and key.lower().endswith(b".path"):
            found.append(os.path.join(os.path.dirname(found[-1]) if file else git.top, os.path.expanduser(value)))
    return tuple(dict.fromkeys(found))
