"""The thread that keeps a workspace's index up to date: small batches in-process, whole refreshes in a child process.

A scheduler decides the next step as a pure function of the clock and the pending work.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from helix_core.config import WORKSPACE_FILE
from helix_core.engine import Helix, WorkspaceSummary
from helix_core.errors import BusyStoreError, Cancelled, HelixError, StoreError, WorkspaceError
from helix_core.ingest import ParseGuard
from helix_core.model import NO_CHANGES, UnindexedChanges
from helix_core.telemetry import Spans, no_span
from helix_core.workspace.watch import ChangeBatch
from helix_ls.host.child_processes import (
    FailureCount,
    Indexing,
    Outcome,
    RefreshRequest,
    Run,
    fit_in_process,
    newest_in_process,
)
from helix_ls.host.settings import Settings
from helix_ls.host.status import IndexFacts
from helix_ls.host.watcher import WatchMode, WorkspaceWatcher

MISSING_LOOK_S = 1.0
EMPTY_GRACE_S = 60.0


@dataclass(frozen=True, slots=True)
class PendingWork:
    """The pending work of the index thread; times are monotonic seconds, None if nothing is scheduled.

    ``hurried``: a question waits for the queued changes; ``requested`` is an explicitly requested refresh;
    ``whole_at`` is when a whole refresh may begin; ``batch_at`` is when the debounce of watcher events ends;
    ``poll_at`` is when a missing folder is polled again.
    """

    closing: bool = False
    poll_at: float | None = None
    paused: bool = False
    hurried: bool = False
    requested: bool = False
    whole_at: float | None = None
    batch_at: float | None = None


@dataclass(frozen=True, slots=True)
class NextStep:
    """The scheduler's decision; ``wait_s`` None waits on the condition without a timeout."""

    act: Literal["close", "poll", "whole", "batch", "hurry", "wait"]
    wait_s: float | None = None


def next_step(now: float, pending: PendingWork) -> NextStep:
    """Return what to do now; a whole refresh that is due covers every pending path, so it precedes a batch."""
    if pending.closing:
        return NextStep("close")
    if pending.poll_at is not None:
        is_due = pending.requested or pending.poll_at <= now
        return NextStep("poll") if is_due else NextStep("wait", pending.poll_at - now)
    if pending.hurried and not pending.paused:
        return NextStep("hurry")
    if pending.requested:
        return NextStep("whole")
    if pending.paused:
        return NextStep("wait")
    if pending.whole_at is not None and pending.whole_at <= now:
        return NextStep("whole")
    if pending.batch_at is not None and pending.batch_at <= now:
        return NextStep("batch")
    due = earliest(pending.whole_at, pending.batch_at)
    return NextStep("wait", due - now if due is not None else None)


def earliest(*moments: float | None) -> float | None:
    """Return the earliest of some moments, or None if there is none."""
    return min((moment for moment in moments if moment is not None), default=None)


def is_present(now: float, *, is_folder: bool, is_same: bool, is_empty: bool, missing_since: float | None) -> bool:
    """Return whether the workspace folder is present, rather than unmounted or replaced by an empty folder.

    An empty folder where a full one was may be a mount point without its disk or a clone that has just begun: for
    ``EMPTY_GRACE_S`` seconds the index is kept.
    """
    if not is_folder:
        return False
    was_away = missing_since is not None or not is_same
    return not (was_away and is_empty and now - (missing_since if missing_since is not None else now) < EMPTY_GRACE_S)


def stat_folder(folder: Path) -> tuple[tuple[int, int] | None, bool]:
    """Return device and inode of the folder at that path, or None if there is none, and whether it is empty."""
    try:
        status = os.stat(folder)
        with os.scandir(folder) as entries:
            is_empty = next(entries, None) is None
    except OSError:
        return None, True
    return (status.st_dev, status.st_ino), is_empty


PROGRESS_S = 0.2
RUN_LOOK_S = 1.0
# Changes that are pending for longer than a save takes make the index stale: its state is not `fresh`.
BEHIND_S = 0.5
# The shortest interval between retries of files that were set aside; a refresh may leave some for the next.
LEAST_RETRY_S = 30.0
_SETTINGS = WORKSPACE_FILE.encode()
_WAITING = {"phase": "waiting for git", "done": 0, "total": 0}
IN_PROCESS_FILES = 24
IN_PROCESS_BYTES = 256 * 1024
# The batch size during a whole refresh; newly saved files are taken between two batches.
SAVED_BATCH_FILES = 4
Publish = Callable[[IndexFacts, frozenset[bytes], bool], None]


class IndexThread:
    """Keep the index of one workspace up to date.

    Public methods are thread-safe and return at once, except for ``close``.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        *,
        watch: WatchMode,
        parse_guard: ParseGuard,
        tell: Publish,
        written: Callable[[], None] = lambda: None,
        paused: bool = False,
        span: Spans = no_span,
    ) -> None:
        """``written`` is called from any thread when ``take_written`` has something to return.

        ``tell`` is called from the index thread with the facts, the changed paths, and whether any path may have
        changed.
        """
        self._folder, self._settings, self._parse_guard, self._publish = folder, settings, parse_guard, tell
        self._span = span
        self._wake = threading.Condition()
        self._requests: deque[tuple[bool, Future[dict[str, Any]]]] = deque()
        self._closing = False
        self._paused, self._cancelled = paused, False
        self._settings_changed = self._is_hurried = False
        self._facts = IndexFacts(paused=paused)
        self._helix: Helix | None = None
        self._identity: tuple[int, int] | None = None
        self._missing_since: float | None = None
        self._poll_at: float | None = None
        self._whole_at: float | None = time.monotonic()
        self._retry_at: float | None = None
        self._recheck: tuple[bytes, ...] = ()
        self._recheck_at: float | None = None
        self._failures = FailureCount()
        self._notices: tuple[str, ...] = ()
        self._indexing = Indexing(folder)
        self._watcher = WorkspaceWatcher(folder, watch, self._notify, written)
        self._thread = threading.Thread(target=self._main, name="helix-index", daemon=True)

    def start(self) -> None:
        """Start the thread: it opens the folder, starts the watcher and refreshes the index."""
        self._thread.start()

    @property
    def indexer_pid(self) -> int:
        """The process id of the indexer that runs a whole refresh now, or 0."""
        return self._indexing.pid

    @property
    def has_changes(self) -> bool:
        """Whether the watcher has pending changes that are not indexed yet."""
        return self._watcher.waits_since() is not None

    def take_written(self) -> frozenset[bytes]:
        """Return the files written since the last call, which are not indexed yet."""
        return self._watcher.take_written()

    def catch_up(self, wait_s: float) -> UnindexedChanges:
        """Return the changes on the disk that are not indexed, after the few queued ones had ``wait_s`` to be indexed.

        They do not wait for their debounce then. What the indexer is at work on is not waited for, and nothing is
        while indexing is paused, while more changed than a few files, or before the first index is complete. Blocks:
        not for the event loop.
        """
        deadline = time.monotonic() + wait_s
        if self._closing or not self._facts.complete:
            return NO_CHANGES
        if not wait_s:
            return self._watcher.unindexed()
        is_known = self._watcher.sync(wait_s)
        waited = self._watcher.soon_indexed()
        if waited:
            with self._wake:
                self._is_hurried = True
                self._wake.notify_all()
                self._wake.wait_for(
                    lambda: self._paused or self._closing or waited.isdisjoint(self._watcher.soon_indexed()),
                    max(deadline - time.monotonic(), 0),
                )
        behind = self._watcher.unindexed()
        return behind if is_known else behind._replace(is_listed=False)

    def hint(self, paths: Iterable[bytes]) -> None:
        """Queue paths that may have changed, as an editor reports them."""
        self._watcher.hint(paths)

    def schedule_whole_refresh(self) -> None:
        """Schedule a whole refresh now, because the index is missing, damaged or out of date."""
        with self._wake:
            self._whole_at = time.monotonic()
            self._wake.notify_all()

    def request_refresh(self, *, rebuild: bool = False) -> Future[dict[str, Any]]:
        """Request a whole refresh or rebuild now, even while paused; the future holds the ``helix.index/1`` object.

        The future raises Cancelled, StoreError or WorkspaceError if it does not finish.
        """
        future: Future[dict[str, Any]] = Future()
        with self._wake:
            if self._closing:
                future.set_exception(Cancelled("The folder is being closed; open it again."))
            else:
                self._requests.append((rebuild, future))
                self._failures = FailureCount()
            self._wake.notify_all()
        return future

    def pause(self, *, cancelled: bool = False) -> None:
        """Stop a running whole refresh, keeping what is committed, and start nothing until ``resume``."""
        with self._wake:
            self._paused, self._cancelled = True, cancelled
            self._wake.notify_all()
        self._indexing.stop()

    def resume(self) -> None:
        """Resume indexing after ``pause``."""
        with self._wake:
            self._paused = self._cancelled = False
            self._wake.notify_all()

    def configure(self, settings: Settings, watch: WatchMode) -> None:
        """Apply other settings: stop a running refresh, and refresh the whole index under the new ones."""
        with self._wake:
            self._settings, self._settings_changed = settings, True
            self._wake.notify_all()
        self._watcher.change_mode(watch)
        self._indexing.stop()

    def close(self) -> None:
        """Stop indexing, keeping what is committed, and join the thread. Blocks: not for the event loop."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        self._indexing.stop()
        self._thread.join()

    def _notify(self) -> None:
        with self._wake:
            self._wake.notify_all()

    def _main(self) -> None:
        ended = False
        try:
            while self._try_step(self._await_step()):
                pass
            ended = True
        finally:
            self._watcher.stop()
            self._close_helix()
            with self._wake:
                self._closing = True
            self._fail_requests(Cancelled("The folder was closed before it was indexed; open it again."))
            if not ended:
                self._report(failure="Indexing stopped because of an internal error; restart Helix and see its logs.")

    def _await_step(self) -> NextStep:
        with self._wake:
            while True:
                step = next_step(time.monotonic(), self._pending_work())
                if step.act != "wait" or self._has_unreported():
                    return step
                self._wake.wait(step.wait_s)

    def _has_unreported(self) -> bool:
        """Return whether there is something to do besides indexing: new settings, or a state not reported yet."""
        facts = self._facts
        reported = (facts.paused, facts.cancelled, facts.behind)
        return self._settings_changed or (self._paused, self._cancelled, self._is_behind()) != reported

    def _is_behind(self) -> bool:
        since = self._watcher.waits_since()
        return since is not None and time.monotonic() - since >= BEHIND_S

    def _pending_work(self) -> PendingWork:
        return PendingWork(
            closing=self._closing,
            poll_at=self._poll_at,
            paused=self._paused,
            hurried=self._is_hurry_due(),
            requested=bool(self._requests),
            whole_at=earliest(self._whole_at, self._retry_at),
            batch_at=earliest(self._watcher.batch_at(time.monotonic()), self._recheck_at),
        )

    def _try_step(self, step: NextStep) -> bool:
        """Do one step and return False after the last; an error of disk or index schedules a retry with backoff."""
        try:
            return self._do_step(step)
        except (HelixError, OSError) as error:
            self._retry_later(_message_of(error))
            return True

    def _do_step(self, step: NextStep) -> bool:
        """Do one step and return False after the last."""
        if step.act == "close":
            return False
        self._take_settings()
        self._report_state()
        if self._is_present_now():
            if step.act == "whole":
                self._refresh_whole()
            elif step.act == "batch":
                self._refresh_batch()
            elif step.act == "hurry":
                self._take_hurried()
        return True

    def _take_settings(self) -> None:
        with self._wake:
            changed, self._settings_changed = self._settings_changed, False
        if changed:
            self._close_helix()
            self._watcher.stop()
            self._whole_at = time.monotonic()

    def _report_state(self) -> None:
        facts, behind = self._facts, self._is_behind()
        with self._wake:
            paused, cancelled = self._paused, self._cancelled
        if (paused, cancelled, behind) != (facts.paused, facts.cancelled, facts.behind):
            steps: dict[str, Any] = {} if facts.whole or not behind else _WAITING
            self._report(paused=paused, cancelled=cancelled, behind=behind, **steps)

    def _is_present_now(self) -> bool:
        """Return whether the folder is present; report a change of it, and schedule a whole refresh when it is back."""
        now = time.monotonic()
        identity, is_empty = stat_folder(self._folder)
        is_same = self._identity is None or identity == self._identity
        there = is_present(
            now,
            is_folder=identity is not None,
            is_same=is_same,
            is_empty=is_empty and bool(self._facts.files),
            missing_since=self._missing_since,
        )
        if not there:
            self._poll_at = now + MISSING_LOOK_S
            self._fail_requests(WorkspaceError(f"The folder {self._folder} no longer exists; restore it."))
            if self._missing_since is None:
                self._missing_since = now
                self._report(missing=True, everything=True)
            return False
        self._identity = identity
        if self._missing_since is not None or not is_same:
            self._missing_since = self._poll_at = None
            self._whole_at = now
            self._report(missing=False, whole=True)
        return True

    def _fail_requests(self, error: HelixError) -> None:
        for _, future in self._take_requests():
            future.set_exception(error)

    def _take_requests(self) -> list[tuple[bool, Future[dict[str, Any]]]]:
        """Take the queued requests that are not cancelled; from here on their futures can no longer be cancelled."""
        with self._wake:
            taken, self._requests = list(self._requests), deque()
        return [(rebuild, future) for rebuild, future in taken if future.set_running_or_notify_cancel()]

    def _opened_helix(self) -> Helix:
        if self._helix is None:
            config = self._settings.config(self._folder)
            self._watcher.stop()
            self._watcher.start(config)
            self._helix = Helix.open(self._folder, config=config, parse_guard=self._parse_guard)
            self._helix.session.span = self._span
        return self._helix

    def _close_helix(self) -> None:
        if self._helix is not None:
            with suppress(StoreError):
                self._helix.close()
            self._helix = None

    def _refresh_whole(self) -> None:
        requests = self._take_requests()
        self._whole_at = self._retry_at = None
        try:
            self._opened_helix()
        except (HelixError, OSError) as error:
            self._after(Outcome("failed", message=_message_of(error)), requests)
            return
        batch = self._watcher.take()
        turn = self._watcher.turn
        self._report_totals(opened=True, whole=True, phase="looking", done=0, total=0)
        rebuild = any(wanted for wanted, _ in requests)
        # The refresh indexes these paths, or reports the error.
        with suppress(HelixError, OSError):
            self._take_newest(self._opened_helix(), batch)
        outcome = self._run(RefreshRequest(rebuild=rebuild))
        if outcome.end == "done":
            self._note_indexed(turn=turn)
        self._after(outcome, requests)

    def _run(self, request: RefreshRequest) -> Outcome:
        """Run the indexer to its end, and index saved files in-process meanwhile."""
        with self._span("helix.index") as span:
            outcome = self._run_to_end(request)
            span.set(ended=outcome.end, **outcome.counts())
        return outcome

    def _run_to_end(self, request: RefreshRequest) -> Outcome:
        if self._closing or self._settings_changed:
            return Outcome("cancelled")
        self._watcher.leave_taken()
        run = Run(self._indexing, request, self._settings, self._notify)
        next_report, phase = 0.0, ""
        while True:
            with self._wake:
                wait_s = self._next_batch_wait_s()
                if not run.has_news and wait_s > 0 and not self._is_hurry_due():
                    self._wake.wait(wait_s)
            outcome, progress = run.outcome(), run.take_progress()
            if outcome is not None:
                return outcome
            if progress is not None and (time.monotonic() >= next_report or progress[0] != phase):
                next_report, phase = time.monotonic() + PROGRESS_S, progress[0]
                self._report(phase=phase, done=progress[1], total=progress[2], behind=True)
            if self._is_hurry_due():
                self._take_hurried()
            if self._next_batch_wait_s() <= 0:
                self._take_saved()

    def _next_batch_wait_s(self) -> float:
        """Return the seconds until the next batch may be indexed during a running refresh; none is while paused."""
        now = time.monotonic()
        due = None if self._paused or self._closing or self._settings_changed else self._watcher.batch_at(now)
        return RUN_LOOK_S if due is None else min(due - now, RUN_LOOK_S)

    def _take_saved(self) -> None:
        """Index files saved during a whole refresh; schedule another whole refresh for what does not fit in.

        Files that another process's transaction kept waiting for longer than the busy timeout are tried again at once:
        an indexer that gets little CPU time can hold one for long, and its refresh can take minutes more.
        """
        batch = self._take_batch()
        untaken: tuple[bytes, ...] = ()
        is_left = True
        try:
            helix = self._opened_helix()
            ours = {path for path in batch.paths if not helix.decides_for_others(path)}
            is_left = batch.whole or batch.git or batch.missing or len(ours) < len(batch.paths)
            saved = self._newest(helix, batch, IN_PROCESS_FILES)
            if self._fits_in_process(ours):
                saved += tuple(sorted(ours.difference(saved)))
            else:
                is_left = True
            for start in range(0, len(saved), SAVED_BATCH_FILES):
                if start and (self._next_batch_wait_s() <= 0 or self._is_hurry_due()):
                    # Newly saved files go first; the rest of this bulk change is left to the next whole refresh.
                    is_left = True
                    break
                untaken, some = saved[start:], saved[start : start + SAVED_BATCH_FILES]
                quarantined = helix.take_saved(some).quarantined
                is_left = bool(quarantined) or is_left
                if not quarantined:
                    self._note_indexed(some)
                self._schedule_recheck(helix, some)
                self._report(paths=frozenset(some))
        except BusyStoreError:
            self._watcher.hint(untaken)
        except (HelixError, OSError):
            # The next whole refresh indexes these paths, or reports the error.
            is_left = True
        if is_left:
            self._watcher.leave_taken()
            self._whole_at = time.monotonic()

    def _is_hurry_due(self) -> bool:
        """Return whether to index what a question waits for now; while git rewrites files, those wait for it."""
        return self._is_hurried and not self._paused and not self._watcher.is_git_at_work()

    def _take_hurried(self) -> None:
        """Index the few queued files that a question waits for, without their debounce; leave what else is queued.

        What may decide about other files, or is too much for this process, stays queued too, and beside a whole refresh
        all but the newest files.
        """
        self._is_hurried = False
        paths: tuple[bytes, ...] = ()
        try:
            helix = self._opened_helix()
            batch = self._watcher.queued()
            if self._indexing.pid:
                paths = self._newest(helix, batch, SAVED_BATCH_FILES)
            else:
                paths = tuple(sorted(path for path in batch.paths if not helix.decides_for_others(path)))
            if not paths or not self._fits_in_process(paths) or helix.needs_whole_refresh(paths):
                return
            self._watcher.take_only(paths)
            if helix.take_saved(paths).quarantined:
                # A file that breaks the parser is parsed in the child process, by the batch.
                self._watcher.hint(paths)
                return
            self._note_indexed(paths)
            self._schedule_recheck(helix, paths)
            self._report(paths=frozenset(paths))
        except BusyStoreError:
            self._watcher.hint(paths)
        except (HelixError, OSError):
            # The next whole refresh indexes these paths, or reports the error.
            self._whole_at = time.monotonic()

    def _note_indexed(self, paths: Iterable[bytes] = (), *, turn: int = 0) -> None:
        """Note that these paths, or everything taken up to ``turn``, are indexed, for the questions that wait."""
        self._watcher.done(paths)
        if turn:
            self._watcher.done_before(turn)
        self._notify()

    def _take_batch(self) -> ChangeBatch:
        """Drain the watcher's batch; a changed settings file in it renews the settings before the next step."""
        batch = self._watcher.take()
        if _SETTINGS in batch.paths:
            with self._wake:
                self._settings_changed = True
        return batch

    def _after(self, outcome: Outcome, requests: list[tuple[bool, Future[dict[str, Any]]]]) -> None:
        """Record the outcome of a whole refresh, resolve the futures of its requests, and schedule a retry."""
        self._failures = self._failures.after(outcome)
        now = time.monotonic()
        if outcome.end == "done" and outcome.report is not None:
            self._notices = outcome.notices
            try:
                self._schedule_recheck(self._opened_helix())
                self._report_totals(everything=True, whole=self._whole_at is not None, failure="")
            finally:
                for _, future in requests:
                    future.set_result(outcome.report)
            return
        if outcome.end == "cancelled":
            self._whole_at = now
            self._report_totals(everything=True)
        elif self._failures.gives_up:
            self._whole_at = None
            self._report(failure=f"{outcome.message} It died {self._failures.deaths} times and is not restarted again.")
        else:
            self._whole_at = now + self._failures.retry_s()
            self._report(failure=outcome.message if outcome.end == "failed" else "")
        error = Cancelled("Indexing was canceled; completed work is kept.")
        for _, future in requests:
            future.set_exception(error if outcome.end == "cancelled" else StoreError(outcome.message))

    def _refresh_batch(self) -> None:
        batch = self._take_batch()
        paths = batch.paths | self._due_rechecks()
        if batch.missing and not self._is_present_now():
            return
        try:
            helix = self._opened_helix()
            is_moved = batch.git and self._watcher.has_git_moved()
            is_whole = batch.whole or is_moved or helix.needs_whole_refresh(sorted(batch.paths))
            here = not is_whole and self._fits_in_process(paths)
            if not here:
                self._take_newest(helix, batch)
            if is_whole:
                self._watcher.leave_taken()
                self._whole_at = time.monotonic()
            elif paths:
                self._refresh_paths(helix, paths, here=here, reported=batch.paths)
            else:
                self._report(**self._watching())
        except WorkspaceError:
            if self._is_present_now():
                # The batch is already drained, so only a whole refresh can find its changes again.
                self._whole_at = time.monotonic()

    def _fits_in_process(self, paths: Collection[bytes]) -> bool:
        return fit_in_process(self._folder, tuple(paths), most=IN_PROCESS_FILES, most_bytes=IN_PROCESS_BYTES)

    def _take_newest(self, helix: Helix, batch: ChangeBatch) -> None:
        """Index the newest files of a bulk change at once: a saved file does not wait for the others."""
        newest = self._newest(helix, batch, SAVED_BATCH_FILES)
        if not newest or not helix.is_indexed():
            return
        try:
            helix.take_saved(newest)
        except BusyStoreError:
            self._watcher.hint(newest)
            return
        self._note_indexed(newest)
        self._report(paths=frozenset(newest))

    def _newest(self, helix: Helix, batch: ChangeBatch, most: int) -> tuple[bytes, ...]:
        return newest_in_process(
            self._folder,
            batch.paths,
            batch.hinted,
            most=most,
            most_bytes=IN_PROCESS_BYTES,
            keep=lambda path: not helix.decides_for_others(path),
        )

    def _refresh_paths(self, helix: Helix, paths: frozenset[bytes], *, here: bool, reported: frozenset[bytes]) -> None:
        """Index a batch, ``here`` or in the child process.

        ``reported`` are the paths to report as changed, the others are only checked again.
        """
        ordered = tuple(sorted(paths))
        if not here:
            self._report(phase="indexing", done=0, total=0, behind=True)
        # Files quarantined in this process are parsed in the child process, which may crash.
        if not here or helix.refresh_paths(ordered).quarantined:
            outcome = self._run(RefreshRequest(paths=ordered))
            if outcome.end != "done":
                self._after(outcome, [])
                return
        self._note_indexed(ordered)
        self._schedule_recheck(helix, ordered)
        self._report_totals(paths=reported, failure="" if self._whole_at is None else self._facts.failure)

    def _schedule_recheck(self, helix: Helix, paths: Sequence[bytes] | None = None) -> None:
        """Schedule a second check of racy files: modified within the timestamp granularity of the file system."""
        again, wait_s = helix.unsettled(paths)
        if again:
            self._recheck = tuple({*self._recheck, *again})
            self._recheck_at = time.monotonic() + wait_s

    def _due_rechecks(self) -> frozenset[bytes]:
        if self._recheck_at is None or self._recheck_at > time.monotonic():
            return frozenset()
        due, self._recheck, self._recheck_at = frozenset(self._recheck), (), None
        return due

    def _retry_later(self, message: str) -> None:
        self._failures = self._failures.after(Outcome("failed", message=message))
        self._whole_at = time.monotonic() + self._failures.retry_s()
        self._report(failure=message, everything=True)

    def _report_totals(
        self, *, paths: frozenset[bytes] = frozenset(), everything: bool = False, **changes: Any
    ) -> None:
        """Report the facts with the index's totals and git's state as they are now.

        If HEAD or the branch changed since the last whole refresh, or the index was removed, another one is scheduled.
        """
        try:
            standing = self._opened_helix().summary()
        except (HelixError, OSError) as error:
            self._retry_later(_message_of(error))
            return
        is_elsewhere = (standing.branch, standing.head) != (self._facts.branch, self._facts.head)
        if is_elsewhere and "opened" not in changes:
            self._whole_at = earliest(self._whole_at, time.monotonic())
            changes["whole"] = True
        if not standing.complete and not changes.get("whole", self._facts.whole):
            # The index is another one than the refresh completed. After a moment, should that be removed again.
            self._whole_at = earliest(self._whole_at, time.monotonic() + MISSING_LOOK_S)
            changes["whole"] = True
        self._retry_at = self._next_retry(standing)
        changes |= {"set_aside": standing.set_aside}
        changes |= {"complete": standing.complete, "files": standing.files, "items": standing.items}
        changes |= {"branch": standing.branch, "head": standing.head, **self._watching()}
        self._report(paths=paths, everything=everything, **changes)

    def _next_retry(self, standing: WorkspaceSummary) -> float | None:
        """Return when a whole refresh is due for files that were set aside, in monotonic seconds, or None."""
        if not standing.set_aside or self._failures.gives_up:
            return None
        return time.monotonic() + max(standing.retry_at - time.time(), LEAST_RETRY_S)

    def _watching(self) -> dict[str, Any]:
        state = self._watcher.state
        return {"watching": state.mode, "notes": (*self._notices, *state.notes)}

    def _report(self, *, paths: frozenset[bytes] = frozenset(), everything: bool = False, **changes: Any) -> None:
        self._facts = replace(self._facts, **{"behind": self._is_behind(), **changes})
        self._publish(self._facts, paths, everything)


def _message_of(error: HelixError | OSError) -> str:
    """Return the error as a sentence for the status."""
    if isinstance(error, HelixError):
        return str(error)
    return f"{error.strerror or type(error).__name__}; see that the index's disk has space and can be written."
