"""Progress and reports of a refresh, and the index status: ``helix.status/1``."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helix_core.engine.indexing.plan import is_pending, retry_at, work_plan
from helix_core.ingest import parser_generation
from helix_core.model import GitState, Listing, SetAside, SourceState
from helix_core.store import Identity, Reader
from helix_core.tuples import NamedTuple
from helix_core.workspace import FileOptions, Git, Root, ignored_files, list_files, source_id_of


class Progress(NamedTuple):
    """Progress of a refresh: ``done`` of ``total`` files; ``path`` is the file just finished, printable."""

    phase: str
    done: int
    total: int
    path: str = ""


@dataclass(slots=True)
class RefreshReport:
    """The result of a refresh. ``reactivated`` files returned to bytes seen before, so they were not parsed.

    ``quarantined`` are files that crashed their parser in this refresh, and ``set_aside`` all that are quarantined, as
    pairs of source_id and reason.
    """

    files: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    reactivated: int = 0
    touched: int = 0
    unchanged: int = 0
    parsed: int = 0
    masked: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    quarantined: tuple[tuple[str, str], ...] = ()
    set_aside: tuple[tuple[str, str], ...] = ()
    elapsed_ms: float = 0.0
    notes: tuple[str, ...] = ()

    def skip(self, reason: str) -> None:
        """Count a file that does not count."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1

    def counts(self) -> dict[str, int]:
        """Return the counts of a span of telemetry."""
        return {
            "files": self.files,
            "added": self.added,
            "changed": self.changed,
            "removed": self.removed,
            "parsed": self.parsed,
            "skipped": sum(self.skipped.values()) + len(self.set_aside),
        }


EMPTY_FOLDER = "the folder has no files that Helix reads"
STATUS_SCHEMA = "helix.status/1"


def status(
    root: Root,
    git: Git | None,
    reader: Reader,
    index_path: Path,
    *,
    options: FileOptions,
    state: GitState,
    list_skipped: bool,
) -> dict[str, Any]:
    """Return the status object except for the note on quarantined files; reads names and stats only, and changes
    nothing.

    Args:
        root: The workspace.
        git: Its repository; None without one.
        reader: A snapshot of the index.
        index_path: The index file, whose size and path the object gives.
        options: Which files count.
        state: HEAD, branch and operation of the repository.
        list_skipped: Name the files that do not count, not only their number.
    """
    counts = reader.files.counts()
    known = reader.files.states()
    listing = list_files(root, git, options)
    same, now_ns = reader.meta("parsers") == parser_generation(), time.time_ns()
    plan = work_plan(listing, known, same)
    pending = sum(is_pending(entry, known, same_generation=same, now_ns=now_ns) for entry in plan.read)
    skipped = _skipped(root, git, listing, known)
    set_aside = reader.files.set_aside()
    answer: dict[str, Any] = {
        "schema": STATUS_SCHEMA,
        "workspace": str(root.path),
        "indexed": reader.meta("complete") == "1",
        "fresh": not pending and not plan.gone and not set_aside,
        "pending": {"changed_or_new": pending, "gone": len(plan.gone)},
        "index": {
            "path": str(index_path),
            "size_bytes": _size_on_disk(index_path),
            "files": counts.live.sources,
            "items": counts.live.items,
            "parked_files": counts.parked.sources,
            "parked_items": counts.parked.items,
        },
        "languages": reader.files.languages(),
        "vectors": {name: round(share, 4) for name, share in reader.vectors.spaces().items()},
        "git": _repository(git, state),
        "skipped": dict(Counter(skipped.values())),
        "set_aside": _set_aside(set_aside),
        "notes": [*listing.notes],
    }
    if list_skipped:
        answer["skipped_files"] = [
            {"source_id": source_id_of(path), "reason": reason} for path, reason in sorted(skipped.items())
        ]
    return answer


FRESHNESS_SCHEMA = "helix.freshness/1"
FOLDER_DEPTH = 2
MOST_FILES_NAMED = 200
_STATES = ("fresh", "changed", "new", "gone", "set_aside")


def freshness(root: Root, git: Git | None, reader: Reader, *, options: FileOptions, limit: int) -> dict[str, Any]:
    """Return the ``helix.freshness/1`` object: of every folder, two levels deep, how many files the index has as they
    are on disk, and how many changed, are new, are gone or were set aside; the least fresh folders first.

    Files that the index leaves out, such as binary ones, do not count. At most ``limit`` folders and 200 of the files
    that are not fresh are named; the totals count all of them. Reads
    names and stats only, and changes nothing.

    Args:
        root: The workspace.
        git: Its repository; None without one.
        reader: A snapshot of the index.
        options: Which files count.
        limit: How many folders at most.
    """
    known = reader.files.states()
    listing = list_files(root, git, options)
    same, now_ns = reader.meta("parsers") == parser_generation(), time.time_ns()
    plan = work_plan(listing, known, same)
    set_aside = {one.path for one in reader.files.set_aside()}
    # A file that the index left out (binary, a private key) is neither fresh nor not.
    left_out = {path for path, state in known.items() if state.skipped}
    states = {entry.path: "fresh" for entry in listing.files if entry.path not in left_out or entry.path in set_aside}
    for entry in plan.read:
        if entry.path in left_out:
            continue
        if is_pending(entry, known, same_generation=same, now_ns=now_ns):
            states[entry.path] = "changed" if entry.path in known else "new"
    states |= dict.fromkeys(set(plan.gone) - left_out, "gone") | dict.fromkeys(set_aside & states.keys(), "set_aside")
    folders: dict[bytes, Counter[str]] = {}
    for path, state in states.items():
        folders.setdefault(b"/".join(path.split(b"/")[:-1][:FOLDER_DEPTH]), Counter())[state] += 1
    order = sorted(folders.items(), key=lambda one: (one[1]["fresh"] - one[1].total(), -one[1].total(), one[0]))
    totals = Counter(states.values())
    stale = sorted(path for path, state in states.items() if state != "fresh")
    return {
        "schema": FRESHNESS_SCHEMA,
        "indexed": reader.meta("complete") == "1",
        "files": {"total": len(states)} | {state: totals[state] for state in _STATES},
        "folders": [
            {"folder": source_id_of(folder) if folder else ".", "total": counts.total()}
            | {state: counts[state] for state in _STATES}
            for folder, counts in order[:limit]
        ],
        "folders_total": len(folders),
        "not_fresh": [{"source_id": source_id_of(path), "state": states[path]} for path in stale[:MOST_FILES_NAMED]],
        "notes": [*listing.notes],
    }


def _set_aside(files: Sequence[SetAside]) -> list[dict[str, Any]]:
    """Serialize the quarantined files; ``retry_at`` is when a whole refresh retries each, in Unix seconds."""
    if not files:
        return []
    from helix_core.ingest import Limits

    limits = Limits().version
    return [
        {
            "source_id": source_id_of(file.path),
            "reason": file.reason,
            "attempts": file.attempts,
            "tried_at": round(file.tried_at, 3),
            "retry_at": round(retry_at(file, limits), 3),
        }
        for file in files
    ]


def _repository(git: Git | None, state: GitState) -> dict[str, str] | None:
    """Return the repository's state; None without one, and when git fails: then a note has the reason."""
    if git is None or git.problem:
        return None
    return {"head": state.head, "branch": state.branch, "operation": state.operation}


def _skipped(root: Root, git: Git | None, listing: Listing, known: Mapping[bytes, SourceState]) -> dict[bytes, str]:
    """Return why each path does not count: its name, its content, or a git ignore rule (whole folders once)."""
    skipped = {one.path: one.reason for one in listing.skipped}
    skipped.update({path: source.skipped for path, source in known.items() if source.skipped})
    for one in ignored_files(root, git) if listing.source == "git" else ():
        skipped.setdefault(one.path, one.reason)
    return skipped


def _size_on_disk(index_path: Path) -> int:
    """Return the size of the index and its WAL, in bytes."""
    files = (index_path, index_path.with_name(index_path.name + "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


class PendingNotices:
    """Notices on rebuilt indexes that no answer has carried yet. Thread-safe.

    The threads that answer for one workspace share one: each of them finds that the file it had open is gone, and the
    user is told once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: list[str] = []
        self._lost: set[Identity] = set()

    def add(self, text: str, lost: Identity | None) -> None:
        """Keep a notice on the loss of an index file, unless there was one on that file."""
        with self._lock:
            if lost is None or lost not in self._lost:
                self._texts.append(text)
            if lost is not None:
                self._lost.add(lost)

    def opened(self, identity: Identity | None) -> None:
        """Note which file is open now: it may have got the inode of a lost one."""
        with self._lock:
            self._lost.discard(identity)

    def take(self) -> tuple[str, ...]:
        """Return the notices for the next answer, and forget them."""
        with self._lock:
            texts, self._texts = tuple(self._texts), []
        return texts
