"""Bring an index up to date with the disk: stat everything, read what changed, parse only bytes never seen before.

Every file is stored whole or not at all, so an interrupt loses at most the open batch. Includes vacuuming.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helix_core.engine.indexing.plan import WorkPlan, due_again, is_any_suspect, is_settled, perhaps_renamed, work_plan
from helix_core.engine.indexing.report import Progress, RefreshReport
from helix_core.errors import GitError, LargeChangeError
from helix_core.ingest import ParseGuard, parser_generation
from helix_core.model import FileEntry, Listing, SourceState, is_cut_off
from helix_core.store import NOT_INCLUDED_FILES, OVER_LIMIT_FILES, RULES, Reader, Writer
from helix_core.tuples import NamedTuple
from helix_core.workspace import (
    NOT_INCLUDED,
    OVER_LIMIT,
    CoChange,
    Counting,
    FileOptions,
    Git,
    LastCommits,
    LastListing,
    Record,
    Root,
    closest_co_changes,
    co_changes,
    last_commits,
    list_files,
    name_reason,
    rule_files,
    source_id_of,
)

CO_CHANGES_S = 5.0


class HistoryThread:
    """Read ``git log`` in a thread while files are parsed."""

    def __init__(self, git: Git) -> None:
        self.error = ""
        self.kin_error = ""
        self._commits = LastCommits()
        self._co_changes: list[CoChange] = []

        def read() -> None:
            try:
                self._commits = last_commits(git)
            except GitError as error:
                self.error = str(error)
                return
            try:
                self._co_changes = closest_co_changes(co_changes(git, timeout_seconds=CO_CHANGES_S))
            except GitError as error:
                self.kin_error = str(error)

        self._thread = threading.Thread(target=read, name="helix-history", daemon=True)
        self._thread.start()

    def result(self) -> LastCommits:
        self._thread.join()
        return self._commits

    def co_changed(self) -> list[CoChange]:
        self._thread.join()
        return self._co_changes


class _RefreshSnapshot(NamedTuple):
    """The disk and the index as they were seen together; ``version`` is the index's.

    ``again`` are files set aside that are tried again; ``rules`` is the record of what decided which files count.
    """

    version: int
    listing: Listing
    known: dict[bytes, SourceState]
    plan: WorkPlan
    is_work: bool
    again: frozenset[bytes]
    rules: str


@dataclass(slots=True)
class LastLook:
    """What a look saw, for the next one of the same session: what is the same again is not worked out again.

    ``known`` is the state of the index in ``reader`` at ``version``, ``plan`` the plan for ``planned``.
    """

    listing: LastListing = field(default_factory=LastListing)
    reader: Reader | None = None
    version: int = -1
    known: dict[bytes, SourceState] = field(default_factory=dict)
    planned: tuple[Listing, bool] | None = None
    plan: WorkPlan | None = None

    def is_of(self, reader: Reader) -> bool:
        """Return whether ``known`` is what the index in ``reader`` holds now."""
        return self.reader is reader and self.version == reader.version()

    def read(self, reader: Reader) -> None:
        """Read what the index holds now; what was planned for another state of it is dropped."""
        self.reader, self.version, self.planned = reader, reader.version(), None
        self.known = reader.files.states()


class Refresh:
    """One pass over a workspace. Belongs to one thread; ``run`` once.

    ``history`` names the commits that can be seen now. With ``retries`` a whole pass tries again what was set aside and
    is due. That can cost seconds of CPU time a file, so a pass that a question waits for has none. With ``only_small``
    a pass that needs worker processes is refused (LargeChangeError). A pass with more to read than a moment takes reads
    the files of ``read_first`` first. ``last`` is what the pass before it saw.
    """

    def __init__(
        self,
        root: Root,
        git: Git | None,
        reader: Reader,
        writer: Writer,
        *,
        counting: Counting,
        history: str,
        options: FileOptions,
        parse_guard: ParseGuard,
        workers: int = 2,
        progress: Callable[[Progress], None] | None = None,
        retries: bool = True,
        only_small: bool = False,
        read_first: Callable[[], Sequence[bytes]] = tuple,
        last: LastLook | None = None,
    ) -> None:
        self._retries, self._only_small, self._read_first = retries, only_small, read_first
        self._last = last or LastLook()
        self._parse_guard = parse_guard
        self._counting = counting
        self._root, self._git, self._history, self._options = root, git, history, options
        self._reader, self._writer = reader, writer
        self._workers = workers
        self._report_progress = progress or (lambda _: None)
        self._check: Callable[[], None] = lambda: None
        self._report = RefreshReport()
        self._notes: list[str] = []
        self._snapshot: _RefreshSnapshot | None = None

    def look(self) -> RefreshReport | None:
        """Return the report when nothing is to be done, having written nothing; None when ``run`` has work."""
        started = time.monotonic()
        looked = self._snapshot = self._look()
        if looked.is_work or self._wants_history(self._reader):
            return None
        self._count(looked.plan, looked.listing, looked.known)
        return self._finished_whole(looked, started)

    def run(self, check: Callable[[], None] | None = None) -> RefreshReport:
        """Bring the index up to date; ``check`` is called between files, and may end it by raising HandedOverError.

        Every finished file is kept then, and when a KeyboardInterrupt ends it.

        Raises:
            LargeChangeError: The pass needs worker processes, and only a small one was wanted.
        """
        self._check = check or self._check
        started = time.monotonic()
        reader, writer = self._reader, self._writer
        looked = self._snapshot
        if looked is None or looked.version != reader.version():
            looked = self._look()
        if self._only_small and not self._is_small(looked):
            raise LargeChangeError("much of this folder is to be indexed; run: helix index")
        history = HistoryThread(self._git) if self._git is not None and self._wants_history(reader) else None
        was_made_before = bool(looked.known) and reader.meta("parsers") != parser_generation()
        self._expect(looked)
        plan = looked.plan if looked.plan.is_small else looked.plan.sooner(self._read_first(), looked.again)
        self._apply(plan, looked.listing, looked.known, looked.again)
        if history is not None:
            self._remember_history(history, writer)
        with writer.batch():
            # Files that kept changing cause further events; nothing else is pending.
            writer.set_pending(())
            writer.set_meta("parsers", parser_generation())
            writer.set_meta("complete", "1")
            writer.set_meta(RULES, looked.rules)
            for key, number in _left_out(looked.listing).items():
                writer.set_meta(key, number)
        is_mostly_new = self._report.parsed > 2_000 or self._report.parsed > 0.5 * self._report.files
        if is_mostly_new or was_made_before:
            # Merging removes names and postings of deleted text, including secrets that older rules missed.
            writer.optimize()
        writer.prune()
        return self._finished_whole(looked, started)

    def _is_small(self, looked: _RefreshSnapshot) -> bool:
        """Return whether the pass is done in a moment and starts no process but git's shortest.

        A file that crashed a worker is parsed in another one only; the history of a repository takes seconds to read.
        """
        plan, is_complete = looked.plan, self._reader.meta("complete") == "1"
        if self._wants_history(self._reader):
            return False
        return is_complete and plan.is_small and not is_any_suspect(plan.read, looked.known)

    def _expect(self, looked: _RefreshSnapshot) -> None:
        """Store the list of pending files, so that answers report it."""
        known = looked.known
        new = [entry.path for entry in looked.plan.read if entry.path not in known]
        changed = [
            entry.path
            for entry in looked.plan.read
            if entry.path in known and known[entry.path].signature != entry.signature
        ]
        if new or changed or self._reader.meta("complete") != "1":
            self._writer.set_pending(new, changed)

    def _look(self) -> _RefreshSnapshot:
        self._report_progress(Progress("looking", 0, 0))
        last = self._last
        # Read the index first, so that files another process adds meanwhile are not taken for deleted ones.
        if not last.is_of(self._reader):
            last.read(self._reader)
        known, version = last.known, last.version
        outside = self._counting.begin(self._options)
        listing = list_files(self._root, self._git, self._options, expected=known, last=last.listing)
        rule_entries, now_ns = rule_files(listing.files), time.time_ns()
        racy = {entry.path for entry in rule_entries if not is_settled(entry.signature, now_ns)}
        rules = str(Record.made(outside, rule_entries, racy))
        is_same = self._reader.meta("parsers") == parser_generation()
        again = self._due_again() if self._retries else frozenset()
        is_planned = not again and last.planned == (listing, is_same)
        plan = last.plan if is_planned and last.plan is not None else work_plan(listing, known, is_same, again)
        last.plan, last.planned = plan, None if again else (listing, is_same)
        is_work = bool(plan.read or plan.gone) or not is_same or self._reader.meta("complete") != "1"
        is_work = is_work or rules != self._reader.meta(RULES)
        left_out = _left_out(listing)
        is_work = is_work or any(number != self._reader.meta(key) for key, number in left_out.items())
        return _RefreshSnapshot(version, listing, known, plan, is_work, again, rules)

    def _due_again(self) -> frozenset[bytes]:
        set_aside = self._reader.files.set_aside()
        if not set_aside:
            return frozenset()
        from helix_core.ingest import Limits

        return due_again(set_aside, Limits().version, time.time())

    def run_only(self, paths: Sequence[bytes]) -> RefreshReport:
        """Refresh some files or folders, existing or deleted; a change of the ignore rules needs ``run``.

        A new file that is more than the settings allow waits for ``run`` too, which knows which files come first.
        """
        started = time.monotonic()
        known = self._reader.files.states_at(paths)
        listing = list_files(self._root, self._git, self._options, only=paths)
        if self._options.max_files:
            listing = listing._replace(files=self._within_limit(listing.files, known))
        plan = work_plan(listing, known, self._reader.meta("parsers") == parser_generation())
        self._apply(plan, listing, known)
        return self._finished(plan, listing, started)

    def _within_limit(self, files: Sequence[FileEntry], known: Mapping[bytes, SourceState]) -> tuple[FileEntry, ...]:
        new = [entry.path for entry in files if entry.path not in known]
        room = self._options.max_files - len(self._reader.files.states()) if new else 0
        left_out = frozenset(new[max(room, 0) :])
        return tuple(entry for entry in files if entry.path not in left_out)

    def _apply(
        self,
        plan: WorkPlan,
        listing: Listing,
        known: dict[bytes, SourceState],
        again: frozenset[bytes] = frozenset(),
    ) -> None:
        self._count(plan, listing, known)
        leaving = perhaps_renamed(plan, known)
        self._remove([path for path in plan.gone if path not in leaving], known)
        if plan.read:
            # The parsers cost more to import than a refresh that finds nothing to read takes.
            from helix_core.engine.indexing.intake import Intake

            most = self._options.max_bytes
            intake = Intake(
                self._root,
                self._writer,
                known,
                self._report,
                tell=self._report_progress,
                check=self._check,
                max_bytes=most,
                parse_guard=self._parse_guard,
                set_aside={one.path: one for one in self._reader.files.set_aside()},
                again=again,
                leaving=leaving,
                leave=lambda paths: self._remove(paths, known),
            )
            intake.take(plan.read, self._workers)

    def _remove(self, paths: Sequence[bytes], known: Mapping[bytes, SourceState]) -> None:
        """Remove files that are gone, but for those that another process has taken in since the plan was made."""
        if not paths:
            return
        with self._writer.batch():
            now = self._reader.files.states_at(paths)
            gone = [path for path in paths if now.get(path) == known[path]]
            for path in gone:
                self._writer.remove(path)
        self._report.removed += len(gone)

    def _finished_whole(self, looked: _RefreshSnapshot, started: float) -> RefreshReport:
        report = self._finished(looked.plan, looked.listing, started)
        # As in the status: the files that are searched, not all that were listed.
        report.files = self._reader.files.counts().live.sources
        return report

    def _finished(self, plan: WorkPlan, listing: Listing, started: float) -> RefreshReport:
        self._report.unchanged = plan.unchanged
        self._report.set_aside = tuple((source_id_of(one.path), one.reason) for one in self._reader.files.set_aside())
        self._report.notes = (*listing.notes, *self._notes)
        self._report.elapsed_ms = (time.monotonic() - started) * 1e3
        return self._report

    def _count(self, plan: WorkPlan, listing: Listing, known: Mapping[bytes, SourceState]) -> None:
        self._report.files = len(listing.files)
        for skipped in listing.skipped:
            self._report.skip(skipped.reason)
        read = {entry.path for entry in plan.read}
        for entry in listing.files:
            state = known.get(entry.path)
            if state is not None and state.skipped and entry.path not in read:
                self._report.skip(state.skipped)

    def _wants_history(self, reader: Reader) -> bool:
        """Return whether to read git's history; only a repository has a HEAD."""
        return bool(self._history) and reader.meta("commits_head") != self._history

    def _remember_history(self, history: HistoryThread, writer: Writer) -> None:
        self._report_progress(Progress("reading history", 0, 0))
        commits = history.result()
        if history.error:
            self._notes.append(f"git gave no history: {history.error}")
            return
        if not commits.complete:
            self._notes.append("the history is long: some files have no last commit yet")
        co_changed = history.co_changed()
        if history.kin_error:
            self._notes.append(f"git did not say which files change together: {history.kin_error}")
        with writer.batch():
            writer.set_commits(commits, whole=commits.complete)
            writer.set_co_changes((one.path, one.other, one.together, one.lift) for one in co_changed)
            # A boundary met in a whole clone came after HEAD was read: the files below it have no commit yet, and the
            # next pass reads again.
            if not commits.boundaries or is_cut_off(self._history):
                writer.set_meta("commits_head", self._history)


def _left_out(listing: Listing) -> dict[str, str]:
    """Return how many files that Helix reads the settings leave out, "" for none, by the key that keeps it."""
    over = sum(one.reason == OVER_LIMIT for one in listing.skipped)
    outside = sum(one.reason == NOT_INCLUDED and not name_reason(one.path) for one in listing.skipped)
    return {OVER_LIMIT_FILES: str(over or ""), NOT_INCLUDED_FILES: str(outside or "")}


SCHEMA = "helix.vacuum/1"
WRITE_WAIT_MS = 5_000


def vacuum(writer: Writer, index_path: Path, check: Callable[[], None]) -> dict[str, Any]:
    """Prune parked versions, merge postings and return free pages to the disk; return the ``helix.vacuum/1`` object.

    Works in small transactions and calls ``check`` between them. Raises StoreError.
    """
    started, before = time.monotonic(), _bytes_of(index_path)
    writer.wait_at_most(WRITE_WAIT_MS)
    pruned = writer.prune()
    steps = writer.merge(check)
    writer.vacuum()
    after = _bytes_of(index_path)
    return {
        "schema": SCHEMA,
        "pruned": pruned,
        "merge_steps": steps,
        "before_bytes": before,
        "after_bytes": after,
        "freed_bytes": before - after,
        "elapsed_ms": round((time.monotonic() - started) * 1e3, 3),
    }


def _bytes_of(index_path: Path) -> int:
    """Return the size of the file and its WAL, in bytes."""
    files = (index_path, index_path.with_name(f"{index_path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())
