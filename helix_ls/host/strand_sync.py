"""Sync memories through a folder that several machines share: each version of a store is a strand of its own.

A sync takes in every strand of the folder that is whole, opens and is signed by a trusted signer, and then
writes one of what is here unless one of the user's own holds just that. Files are never written again, so whatever
copies the folder around can be late, do half of it, or do it twice. Because taking in is a union, the order does not
matter. What cannot be taken in is named and left alone; a file of another signer is never changed or removed.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Any, Protocol

from helix_core.errors import AlteredRecordError, StrandError, UsageError
from helix_core.printable import count
from helix_core.strand import (
    NEWEST_SCHEMA,
    ClashPolicy,
    Lock,
    Manifest,
    OpenedStrand,
    RandomBytes,
    StrandKeys,
    StrandRecord,
    content_root,
    inspect,
    purged_ids,
    seal,
    signer_text,
    union,
)
from helix_ls.host.private_files import write_whole
from helix_ls.host.strand_files import OWN, StrandAccess, read_strand

if TYPE_CHECKING:
    from helix_core.engine.memory import ImportRequest

SUFFIX = ".dna"
STALE_S = 3_600.0
"""Age from which an unfinished file is not one that another process writes now."""


class MemoryExchange(Protocol):
    """A memory whose records can leave and come in; ``helix.memory`` is one."""

    def exported(self) -> tuple[StrandRecord, ...]:
        """Return all records of the memory."""
        ...

    def imported(self, wanted: ImportRequest) -> dict[str, Any]:
        """Take in a strand's records in one transaction, or say what would come in."""
        ...


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """What to sync with, and how.

    ``keys`` sign what is written, and always open it; ``locks`` open it for others. ``prunes`` removes files of the
    user's own that hold nothing that their newest one lacks. ``is_forced`` writes a file even where one holds the same.
    """

    folder: Path
    access: StrandAccess
    keys: StrandKeys
    locks: Sequence[Lock]
    dry_run: bool = False
    prunes: bool = False
    is_forced: bool = False


def synced(memory: MemoryExchange, wanted: SyncRequest, random: RandomBytes) -> dict[str, Any]:
    """Take in what the folder has, and write what it lacks.

    Raises:
        UsageError: The folder cannot be read.
        StrandLimitError: The memory is more than a strand holds.
        MemoryStoreError, OSError: The memory or the folder cannot be written. What was taken in before stays, and
            the next sync goes on.
    """
    sync = _FolderSync(memory, wanted)
    for name in sync.strand_names():
        sync.take(name)
    return sync.finish(random)


@dataclass(frozen=True, slots=True)
class _UserStrand:
    """A file of the user's own: its content root, and the records that did not stay in the memory when it was read."""

    root: bytes
    left_out: tuple[StrandRecord, ...]


class _FolderSync:
    """One run over one folder. Of each file only what the end of the run needs is kept: there may be many."""

    def __init__(self, memory: MemoryExchange, wanted: SyncRequest) -> None:
        self._memory, self._wanted = memory, wanted
        self._records = memory.exported()
        self._taken: list[dict[str, Any]] = []
        self._skipped: list[dict[str, str]] = []
        self._known = 0
        self._items: dict[str, frozenset[str]] = {}
        """Ids of the memories in each readable file."""
        self._own: dict[str, _UserStrand] = {}

    def strand_names(self) -> list[str]:
        """Return the names of the strand files, sorted; name those that are not strands. Hidden files are skipped.

        Raises:
            UsageError: The folder cannot be read.
        """
        names = []
        for entry in _entries(self._wanted.folder):
            if entry.name.startswith("."):
                continue
            why = _why_no_strand(entry)
            if why:
                self._skip(entry.name, why)
            else:
                names.append(entry.name)
        return names

    def take(self, name: str) -> None:
        """Take in one file, or name it with the reason why not."""
        wanted = self._wanted
        try:
            sealed = inspect(read_strand(wanted.folder / name, name))
            strand = wanted.access.believed(sealed)
        except (StrandError, UsageError) as error:
            self._skip(name, str(error))
            return
        self._items[name] = frozenset(intern(record.id) for record in strand.records if record.type == "memory")
        self._take(name, strand)
        if wanted.access.trust(strand.signer) == OWN:
            self._own[name] = _UserStrand(strand.root, tuple(set(strand.records) - set(self._records)))

    def _take(self, name: str, strand: OpenedStrand) -> None:
        from helix_core.engine.memory import ImportRequest

        wanted = self._wanted
        if set(strand.records) <= set(self._records):
            self._known += 1
            return
        assumed = self._records if wanted.dry_run else ()
        try:
            pin, is_own = wanted.access.pins.get(strand.signer), wanted.access.trust(strand.signer) == OWN
            label = pin.label if pin else ""
            request = ImportRequest(strand, True, ClashPolicy.NEWEST, wanted.dry_run, assumed, label, is_own)
            told = self._memory.imported(request)
        except StrandError as error:
            self._skip(name, str(error))
            return
        self._records = union(self._records, strand.records) if wanted.dry_run else self._memory.exported()
        if not any(told["added"].values()) and not told["removed"]:
            self._known += 1
            return
        answer = {key: told[key] for key in ("added", "removed", "decided", "notes")}
        trust = wanted.access.trust(strand.signer)
        self._taken.append({"file": name, "signer": signer_text(strand.signer), "trust": trust, **answer})

    def finish(self, random: RandomBytes) -> dict[str, Any]:
        """Write a file of what is here now, remove what it makes needless, and return the answer."""
        wanted, root = self._wanted, content_root(self._records)
        is_there = any(own.root == root for own in self._own.values())
        writes = bool(self._records) and (wanted.is_forced or not is_there)
        name = ""
        if writes and not wanted.dry_run:
            name = self._write(random)
        old = self._needless(root) if writes or is_there else []
        if wanted.prunes and not wanted.dry_run:
            for each in old:
                (wanted.folder / each).unlink(missing_ok=True)
            _remove_unfinished(wanted.folder, wanted.keys, time.time())
        return {
            "synced": not wanted.dry_run,
            "dry_run": wanted.dry_run,
            "folder": os.fspath(wanted.folder),
            "taken": self._taken,
            "known": self._known,
            "skipped": self._skipped,
            "writes": writes,
            "written": name,
            "pruned": old if wanted.prunes else [],
            "records": dict(sorted(Counter(record.type for record in self._records).items())),
            "root": root.hex(),
            "notes": list(self._notes(old)),
        }

    def _skip(self, name: str, why: str) -> None:
        self._skipped.append({"file": name, "reason": why})

    def _write(self, random: RandomBytes) -> str:
        wanted = self._wanted
        manifest = Manifest(NEWEST_SCHEMA, int(time.time()), parents=self._parents())
        locks = [*wanted.locks, wanted.keys.recipient]
        made = seal(manifest, self._records, keys=wanted.keys, locks=locks, random=random)
        # The id is random, so that no two files have one name, whichever machine and moment they are of.
        name = f"{_own_prefix(wanted.keys)}{inspect(made).id.hex()}{SUFFIX}"
        # The content is encrypted: anyone who may read the folder may copy the file.
        mode = 0o600 | stat.S_IMODE(wanted.folder.stat().st_mode) & 0o044
        write_whole(wanted.folder / name, made, mode=mode, is_durable=True)
        return name

    def _parents(self) -> tuple[str, ...]:
        return tuple(sorted({own.root.hex() for own in self._own.values()}))

    def _needless(self, root: bytes) -> list[str]:
        """Return files of the user's own whose every record the newest one has, or has purged."""
        newest = max((name for name, own in self._own.items() if own.root == root), default="")
        found = []
        for name, own in self._own.items():
            try:
                adds_nothing = union(self._records, own.left_out) == self._records
            except AlteredRecordError:
                adds_nothing = False
            if adds_nothing and (name != newest or self._wanted.is_forced):
                found.append(name)
        return found

    def _notes(self, old: Collection[str]) -> Iterator[str]:
        wanted = self._wanted
        gone = purged_ids(self._records)
        left = set(old) if wanted.prunes else set()
        holding = [name for name, items in self._items.items() if items & gone and name not in left]
        if holding:
            yield (
                f"what was purged is still in {count(len(holding), 'file')}: {', '.join(sorted(holding)[:3])}; "
                "a sync with --prune removes your own, and those of others at theirs"
            )
        elif len(old) > 1 and not wanted.prunes:
            yield f"{len(old)} older files of yours hold nothing that your newest lacks; --prune removes them"


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be read ({error.strerror}); name a folder that your machines share"
        ) from None


def _why_no_strand(entry: os.DirEntry[str]) -> str:
    """Return why an entry of the folder is not read, empty where it is."""
    if entry.is_symlink():
        return "it is a link; put the file itself there"
    if not entry.is_file(follow_symlinks=False):
        return "it is not a file"
    return "" if entry.name.lower().endswith(SUFFIX) else f"its name does not end with {SUFFIX}"


def _own_prefix(keys: StrandKeys) -> str:
    return f"{keys.signer[:8].hex()}-"


def _remove_unfinished(folder: Path, keys: StrandKeys, now: float) -> None:
    """Remove what a sync of the user's own that was killed left unfinished."""
    own = re.compile(rf"\.{_own_prefix(keys)}[0-9a-f]{{32}}{re.escape(SUFFIX)}\.[0-9a-f]{{8}}")
    for entry in _entries(folder):
        if own.fullmatch(entry.name) and now - entry.stat(follow_symlinks=False).st_mtime > STALE_S:
            os.unlink(entry.path)
