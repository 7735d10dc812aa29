"""Bring an index up to date with the disk: stat everything, read what moved, parse only bytes never seen before.

In: an open root, its git (or None), an index and the matcher's options. Out: a report. The decision what to read is a
pure function of a listing and of what the index knows. Every file is stored whole or not at all, so that an interrupt
at any moment loses at most the files of the open batch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from helix_core.engine.history_thread import HistoryThread
from helix_core.engine.plan import WorkPlan, work_plan
from helix_core.ingest.document import ingest, parser_version
from helix_core.ingest.generation import parser_generation
from helix_core.ingest.pool import IngestPool, Quarantined
from helix_core.model import Document, FileEntry, Listing, Reason, SourceState, StatSignature
from helix_core.store.reader import Reader
from helix_core.store.writer import Writer
from helix_core.workspace.disk import DiskError, Root
from helix_core.workspace.files import FileOptions, content_reason, list_files
from helix_core.workspace.git import Git

BATCH_FILES = 64
BATCH_S = 0.25
IN_PROCESS_FILES = 24
IN_PROCESS_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a refresh stands: ``done`` of ``total`` files; ``path`` is the file just finished, printable."""

    phase: str
    done: int
    total: int
    path: str = ""


@dataclass(slots=True)
class RefreshReport:
    """What a refresh did. ``reactivated`` files came back to bytes seen before, so nothing was parsed for them."""

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
    elapsed_ms: float = 0.0
    notes: tuple[str, ...] = ()


class Refresh:
    """One pass over a workspace. Belongs to one thread; ``run`` once."""

    def __init__(
        self,
        root: Root,
        git: Git | None,
        reader: Reader,
        writer: Writer,
        *,
        head: str,
        options: FileOptions,
        workers: int = 2,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._root, self._git, self._head, self._options = root, git, head, options
        self._reader, self._writer = reader, writer
        self._workers = workers
        self._tell = progress or (lambda _: None)
        self._report = RefreshReport()
        self._quarantined: list[tuple[str, str]] = []
        self._notes: list[str] = []
        self._reads: dict[bytes, tuple[StatSignature, int, str]] = {}
        self._total = 0
        self._done = 0

    def run(self) -> RefreshReport:
        """Bring the index up to date; raises KeyboardInterrupt after keeping every finished file."""
        started = time.monotonic()
        self._tell(Progress("looking", 0, 0))
        listing = list_files(self._root, self._git, self._options)
        reader, writer = self._reader, self._writer
        generation = parser_generation()
        known = reader.sources()
        plan = work_plan(listing, known, reader.meta("parsers") == generation)
        history = HistoryThread(self._git) if self._wants_history(reader) else None
        self._apply(plan, listing, known)
        if history is not None:
            self._remember_history(history, writer)
        with writer.batch():
            writer.set_meta("parsers", generation)
            writer.set_meta("complete", "1")
        if self._report.parsed > 2_000 or self._report.parsed > 0.5 * self._report.files:
            writer.optimize()
        writer.prune()
        return self._finished(plan, listing, started)

    def run_only(self, paths: Sequence[bytes]) -> RefreshReport:
        """The same for some files or folders, present or gone; a change of what counts needs ``run``."""
        started = time.monotonic()
        listing = list_files(self._root, self._git, self._options, only=paths)
        known = self._reader.states_at(paths)
        plan = work_plan(listing, known, self._reader.meta("parsers") == parser_generation())
        self._apply(plan, listing, known)
        return self._finished(plan, listing, started)

    def _apply(self, plan: WorkPlan, listing: Listing, known: dict[bytes, SourceState]) -> None:
        self._count(listing)
        self._forget(plan.gone, self._writer)
        if plan.read:
            self._take_in(plan, known, self._writer)

    def _finished(self, plan: WorkPlan, listing: Listing, started: float) -> RefreshReport:
        self._report.unchanged = plan.unchanged
        self._report.quarantined = tuple(self._quarantined)
        self._report.notes = (*listing.notes, *self._notes)
        self._report.elapsed_ms = (time.monotonic() - started) * 1e3
        return self._report

    def _count(self, listing: Listing) -> None:
        self._report.files = len(listing.files)
        for skipped in listing.skipped:
            self._skip(skipped.reason)

    def _skip(self, reason: str) -> None:
        self._report.skipped[reason] = self._report.skipped.get(reason, 0) + 1

    def _forget(self, gone: tuple[bytes, ...], writer: Writer) -> None:
        if gone:
            with writer.batch():
                for path in gone:
                    writer.remove(path)
            self._report.removed = len(gone)

    def _take_in(self, plan: WorkPlan, known: dict[bytes, SourceState], writer: Writer) -> None:
        self._total = len(plan.read)
        fresh = self._fresh_files(plan.read, known, writer)
        size = sum(entry.signature.size_bytes for entry in plan.read)
        if len(plan.read) <= IN_PROCESS_FILES and size <= IN_PROCESS_BYTES:
            self._store((ingest(path, data, skipped=skipped) for path, data, skipped in fresh), known, writer)
            return
        with IngestPool(workers=self._workers) as pool:
            self._store(pool.run(fresh), known, writer)

    def _store(
        self, documents: Iterator[Document | Quarantined], known: dict[bytes, SourceState], writer: Writer
    ) -> None:
        finished = False
        while not finished:
            deadline = time.monotonic() + BATCH_S
            with writer.batch():
                for _ in range(BATCH_FILES):
                    document = next(documents, None)
                    if document is None:
                        finished = True
                        break
                    self._keep(document, known, writer)
                    if time.monotonic() > deadline:
                        break

    def _keep(self, document: Document | Quarantined, known: dict[bytes, SourceState], writer: Writer) -> None:
        signature, observed_ns, parser = self._reads.pop(document.path)
        if isinstance(document, Quarantined):
            self._quarantined.append((document.path.decode(errors="backslashreplace"), document.reason))
            self._skip("quarantined")
            writer.skip(
                document.path,
                "quarantined",
                signature,
                observed_ns,
                content_hash=document.content_hash,
                parser=parser,
            )
        else:
            if document.skipped:
                self._skip(document.skipped)
            else:
                self._report.parsed += 1
                self._report.masked += document.masked_count
            writer.replace(document, signature, observed_ns)
        self._tick(document.path, known)

    def _tick(self, path: bytes, known: dict[bytes, SourceState]) -> None:
        if path in known:
            self._report.changed += 1
        else:
            self._report.added += 1
        self._step(path)

    def _step(self, path: bytes) -> None:
        self._done += 1
        self._tell(Progress("indexing", self._done, self._total, path.decode(errors="backslashreplace")))

    def _fresh_files(
        self, entries: tuple[FileEntry, ...], known: dict[bytes, SourceState], writer: Writer
    ) -> Iterator[tuple[bytes, bytes, str]]:
        """Read each file; settle at once what needs no parser, and yield the rest."""
        for entry in entries:
            observed_ns = time.time_ns()
            try:
                file = self._root.read(entry.path, self._options.max_bytes)
            except DiskError as error:
                self._unreadable(entry.path, error, known, writer)
                continue
            parser = parser_version(entry.path, file.data[:256])
            state = known.get(entry.path)
            if state is not None and state.content_hash == file.content_hash and state.parser == parser:
                writer.touch(entry.path, file.signature, observed_ns)
                self._report.touched += 1
                self._step(entry.path)
            elif writer.activate(entry.path, file.content_hash, parser, file.signature, observed_ns):
                self._report.reactivated += 1
                self._tick(entry.path, known)
            else:
                self._reads[entry.path] = (file.signature, observed_ns, parser)
                yield entry.path, file.data, content_reason(entry.path, file.data)

    def _unreadable(self, path: bytes, error: DiskError, known: dict[bytes, SourceState], writer: Writer) -> None:
        self._skip(error.reason.value)
        if path in known and error.reason is not Reason.CHANGED:
            writer.remove(path)
            self._report.removed += 1
        self._step(path)

    def _wants_history(self, reader: Reader) -> bool:
        return self._git is not None and bool(self._head) and reader.meta("commits_head") != self._head

    def _remember_history(self, history: HistoryThread, writer: Writer) -> None:
        self._tell(Progress("reading history", self._done, self._total))
        commits = history.result()
        if history.error:
            self._notes.append(f"git gave no history: {history.error}")
            return
        if not commits.complete:
            self._notes.append("the history is long: some files have no last commit yet")
        with writer.batch():
            writer.set_commits(commits, whole=commits.complete)
            writer.set_meta("commits_head", self._head)
