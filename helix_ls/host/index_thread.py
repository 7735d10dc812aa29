"""The thread that keeps one workspace's index up to date: small batches itself, whole refreshes in a child process.

What to do next is a pure function of the clock and of everything known.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from helix_core.config import WORKSPACE_FILE
from helix_core.engine import Helix, WorkspaceSummary
from helix_core.errors import Cancelled, HelixError, StoreError, WorkspaceError
from helix_core.ingest import ParseGuard
from helix_core.workspace.watch import ChangeBatch
from helix_ls.host.child_processes import Indexing, Order, Outcome, Run, Setbacks, newest_that_fit, paths_fit_here
from helix_ls.host.settings import Settings
from helix_ls.host.status import IndexFacts
from helix_ls.host.watcher import WatchMode, WorkspaceWatcher

MISSING_LOOK_S = 1.0
EMPTY_GRACE_S = 60.0


@dataclass(frozen=True, slots=True)
class Wants:
    """What waits to be done; times are monotonic seconds, None where there is nothing to wait for.

    ``ordered`` is a refresh somebody asked for; ``whole_at`` when a whole refresh may begin; ``batch_at`` when what a
    watcher heard is complete enough to be taken; ``look_at`` when a folder that is missing is looked for again.
    """

    closing: bool = False
    look_at: float | None = None
    paused: bool = False
    ordered: bool = False
    whole_at: float | None = None
    batch_at: float | None = None


@dataclass(frozen=True, slots=True)
class NextStep:
    """``wait_s`` None: until somebody wakes the thread."""

    act: Literal["close", "look", "whole", "batch", "wait"]
    wait_s: float | None = None


def next_step(now: float, wants: Wants) -> NextStep:
    """What to do now. A whole refresh that is due covers every path heard of, so it goes before a batch of them."""
    if wants.closing:
        return NextStep("close")
    if wants.look_at is not None:
        is_due = wants.ordered or wants.look_at <= now
        return NextStep("look") if is_due else NextStep("wait", wants.look_at - now)
    if wants.ordered:
        return NextStep("whole")
    if wants.paused:
        return NextStep("wait")
    if wants.whole_at is not None and wants.whole_at <= now:
        return NextStep("whole")
    if wants.batch_at is not None and wants.batch_at <= now:
        return NextStep("batch")
    due = earliest(wants.whole_at, wants.batch_at)
    return NextStep("wait", due - now if due is not None else None)


def earliest(*moments: float | None) -> float | None:
    """The first of some moments, None where there is none."""
    return min((moment for moment in moments if moment is not None), default=None)


def is_present(now: float, *, is_folder: bool, is_same: bool, is_empty: bool, missing_since: float | None) -> bool:
    """Is the workspace there, or is what stands at its path only the sign that it was taken away?

    An empty folder where a full one was is a mount point without its disk, or a clone that has just begun: for a
    minute that is no reason to forget everything.
    """
    if not is_folder:
        return False
    was_away = missing_since is not None or not is_same
    return not (was_away and is_empty and now - (missing_since if missing_since is not None else now) < EMPTY_GRACE_S)


def stat_folder(folder: Path) -> tuple[tuple[int, int] | None, bool]:
    """Device and inode of the folder at that path, None when there is none; and whether it is empty."""
    try:
        status = os.stat(folder)
        with os.scandir(folder) as entries:
            is_empty = next(entries, None) is None
    except OSError:
        return None, True
    return (status.st_dev, status.st_ino), is_empty


PROGRESS_S = 0.2
RUN_LOOK_S = 1.0
# A save waits for less; what waits longer may not be called fresh.
BEHIND_S = 0.5
# Of files set aside that are due; a refresh may leave some of many for the next one.
LEAST_RETRY_S = 30.0
_SETTINGS = WORKSPACE_FILE.encode()
_WAITING = {"phase": "waiting for git", "done": 0, "total": 0}
HERE_FILES = 24
HERE_BYTES = 256 * 1024
# So many at a time beside a whole refresh, before what was saved meanwhile is asked for.
BESIDE_FILES = 4
Tell = Callable[[IndexFacts, frozenset[bytes], bool], None]


class IndexThread:
    """Of one workspace. Everything public may be called from any thread and returns at once, but for ``close``."""

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        *,
        watch: WatchMode,
        in_hand: ParseGuard,
        tell: Tell,
        written: Callable[[], None] = lambda: None,
        paused: bool = False,
    ) -> None:
        """``written`` is called from any thread when there is something for ``take_written``."""
        self._folder, self._settings, self._in_hand, self._tell = folder, settings, in_hand, tell
        self._wake = threading.Condition()
        self._orders: deque[tuple[bool, Future[dict[str, Any]]]] = deque()
        self._closing = False
        self._paused, self._cancelled = paused, False
        self._renewed = False
        self._facts = IndexFacts(paused=paused)
        self._helix: Helix | None = None
        self._identity: tuple[int, int] | None = None
        self._missing_since: float | None = None
        self._look_at: float | None = None
        self._whole_at: float | None = time.monotonic()
        self._retry_at: float | None = None
        self._again: tuple[bytes, ...] = ()
        self._again_at: float | None = None
        self._setbacks = Setbacks()
        self._notices: tuple[str, ...] = ()
        self._indexing = Indexing(folder)
        self._ears = WorkspaceWatcher(folder, watch, self._woken, written)
        self._thread = threading.Thread(target=self._live, name="helix-index", daemon=True)

    def start(self) -> None:
        """Open the folder and bring its index up to date."""
        self._thread.start()

    @property
    def indexer_pid(self) -> int:
        """The child process of a whole refresh that runs now, or 0."""
        return self._indexing.pid

    @property
    def has_changes(self) -> bool:
        """Was something heard that is not taken in yet?"""
        return self._ears.waits_since() is not None

    def take_written(self) -> frozenset[bytes]:
        """The files that somebody finished writing since the last time, which are not indexed yet."""
        return self._ears.take_written()

    def hint(self, paths: Iterable[bytes]) -> None:
        """These may have changed."""
        self._ears.hint(paths)

    def look_at_everything(self) -> None:
        """The index is not what it was: compare it with the disk."""
        with self._wake:
            self._whole_at = time.monotonic()
            self._wake.notify_all()

    def order(self, *, rebuild: bool = False) -> Future[dict[str, Any]]:
        """Refresh, or rebuild, the whole index now, also while paused; ``helix.index/1`` when it is done."""
        future: Future[dict[str, Any]] = Future()
        with self._wake:
            if self._closing:
                future.set_exception(Cancelled("The folder is being closed; open it again."))
            else:
                self._orders.append((rebuild, future))
                self._setbacks = Setbacks()
            self._wake.notify_all()
        return future

    def pause(self, *, cancelled: bool = False) -> None:
        """Stop a whole refresh that runs, keeping what it has finished, and begin nothing until ``resume``."""
        with self._wake:
            self._paused, self._cancelled = True, cancelled
            self._wake.notify_all()
        self._indexing.stop()

    def resume(self) -> None:
        """Go on after ``pause``."""
        with self._wake:
            self._paused = self._cancelled = False
            self._wake.notify_all()

    def configure(self, settings: Settings, watch: WatchMode) -> None:
        """Work with other settings from now on; the whole index is compared with the disk under them."""
        with self._wake:
            self._settings, self._renewed = settings, True
            self._wake.notify_all()
        self._ears.change_mode(watch)
        self._indexing.stop()

    def close(self) -> None:
        """Stop at once, keeping what is finished, and wait for the thread's end. Blocks: not for the loop."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        self._indexing.stop()
        self._thread.join()

    def _woken(self) -> None:
        with self._wake:
            self._wake.notify_all()

    def _live(self) -> None:
        ended = False
        try:
            while self._tried(self._await_step()):
                pass
            ended = True
        finally:
            self._ears.stop()
            self._close_helix()
            with self._wake:
                self._closing = True
            self._fail_orders(Cancelled("The folder was closed before it was indexed; open it again."))
            if not ended:
                self._say(failure="Indexing stopped by a defect of Helix; restart Helix and see its logs.")

    def _await_step(self) -> NextStep:
        with self._wake:
            while True:
                step = next_step(time.monotonic(), self._wants())
                if step.act != "wait" or self._is_news():
                    return step
                self._wake.wait(step.wait_s)

    def _is_news(self) -> bool:
        """Is there something to do besides the index: new settings, something to be told?"""
        facts = self._facts
        told = (facts.paused, facts.cancelled, facts.behind)
        return self._renewed or (self._paused, self._cancelled, self._is_behind()) != told

    def _is_behind(self) -> bool:
        since = self._ears.waits_since()
        return since is not None and time.monotonic() - since >= BEHIND_S

    def _wants(self) -> Wants:
        return Wants(
            closing=self._closing,
            look_at=self._look_at,
            paused=self._paused,
            ordered=bool(self._orders),
            whole_at=earliest(self._whole_at, self._retry_at),
            batch_at=earliest(self._ears.batch_at(time.monotonic()), self._again_at),
        )

    def _tried(self, step: NextStep) -> bool:
        """One step; False after the last. What the disk or the index refuses now is tried again later."""
        try:
            return self._do(step)
        except (HelixError, OSError) as error:
            self._retry_later(_sentence(error))
            return True

    def _do(self, step: NextStep) -> bool:
        """One step; False after the last."""
        if step.act == "close":
            return False
        self._take_settings()
        self._say_news()
        if self._is_there():
            if step.act == "whole":
                self._refresh_whole()
            elif step.act == "batch":
                self._refresh_batch()
        return True

    def _take_settings(self) -> None:
        with self._wake:
            renewed, self._renewed = self._renewed, False
        if renewed:
            self._close_helix()
            self._ears.stop()
            self._whole_at = time.monotonic()

    def _say_news(self) -> None:
        facts, behind = self._facts, self._is_behind()
        with self._wake:
            paused, cancelled = self._paused, self._cancelled
        if (paused, cancelled, behind) != (facts.paused, facts.cancelled, facts.behind):
            steps: dict[str, Any] = {} if facts.whole or not behind else _WAITING
            self._say(paused=paused, cancelled=cancelled, behind=behind, **steps)

    def _is_there(self) -> bool:
        """Is the folder in its place? Says so when that has changed, and compares everything when it has come back."""
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
            self._look_at = now + MISSING_LOOK_S
            self._fail_orders(WorkspaceError(f"The folder {self._folder} is not there any more; put it back."))
            if self._missing_since is None:
                self._missing_since = now
                self._say(missing=True, everything=True)
            return False
        self._identity = identity
        if self._missing_since is not None or not is_same:
            self._missing_since = self._look_at = None
            self._whole_at = now
            self._say(missing=False, whole=True)
        return True

    def _fail_orders(self, error: HelixError) -> None:
        for _, future in self._taken_orders():
            future.set_exception(error)

    def _taken_orders(self) -> list[tuple[bool, Future[dict[str, Any]]]]:
        """Those nobody has taken back; from here on they can not be, so that each can be answered."""
        with self._wake:
            taken, self._orders = list(self._orders), deque()
        return [(rebuild, future) for rebuild, future in taken if future.set_running_or_notify_cancel()]

    def _opened_helix(self) -> Helix:
        if self._helix is None:
            config = self._settings.config(self._folder)
            self._ears.stop()
            self._ears.start(config)
            self._helix = Helix.open(self._folder, config=config, in_hand=self._in_hand)
        return self._helix

    def _close_helix(self) -> None:
        if self._helix is not None:
            with suppress(StoreError):
                self._helix.close()
            self._helix = None

    def _refresh_whole(self) -> None:
        orders = self._taken_orders()
        self._whole_at = self._retry_at = None
        try:
            self._opened_helix()
        except (HelixError, OSError) as error:
            self._after(Outcome("failed", message=_sentence(error)), orders)
            return
        self._ears.take()
        self._say_standing(opened=True, whole=True, phase="looking", done=0, total=0)
        rebuild = any(wanted for wanted, _ in orders)
        self._after(self._run(Order(rebuild=rebuild)), orders)

    def _run(self, order: Order) -> Outcome:
        """Run the indexer to its end, and take in meanwhile what is saved."""
        if self._closing or self._renewed:
            return Outcome("cancelled")
        run = Run(self._indexing, order, self._settings, self._woken)
        next_said, phase = 0.0, ""
        while True:
            with self._wake:
                wait_s = self._wait_beside_s()
                if not run.has_news and wait_s > 0:
                    self._wake.wait(wait_s)
            outcome, heard = run.outcome(), run.take_progress()
            if outcome is not None:
                return outcome
            if heard is not None and (time.monotonic() >= next_said or heard[0] != phase):
                next_said, phase = time.monotonic() + PROGRESS_S, heard[0]
                self._say(phase=phase, done=heard[1], total=heard[2], behind=True)
            if self._wait_beside_s() <= 0:
                self._take_saved()

    def _wait_beside_s(self) -> float:
        """Seconds until what was heard may be taken in beside a run; nothing is while the thread is paused."""
        now = time.monotonic()
        due = None if self._paused or self._closing or self._renewed else self._ears.batch_at(now)
        return RUN_LOOK_S if due is None else min(due - now, RUN_LOOK_S)

    def _take_saved(self) -> None:
        """Take in what was saved while a whole refresh runs; what needs more than that has another one follow."""
        heard = self._taken()
        try:
            helix = self._opened_helix()
            saved = tuple(sorted(path for path in heard.paths if not helix.decides_for_others(path)))
            if not paths_fit_here(self._folder, saved, most=HERE_FILES, most_bytes=HERE_BYTES):
                saved = newest_that_fit(self._folder, saved, heard.hinted, most=HERE_FILES, most_bytes=HERE_BYTES)
            is_left = heard.whole or heard.git or heard.missing or len(saved) < len(heard.paths)
            for start in range(0, len(saved), BESIDE_FILES):
                if start and self._wait_beside_s() <= 0:
                    # What was saved meanwhile goes first: these are files of the bulk rather than somebody's save.
                    is_left = True
                    break
                some = saved[start : start + BESIDE_FILES]
                is_left = bool(helix.take_saved(some).quarantined) or is_left
                self._look_again_at(helix, some)
                self._say(paths=frozenset(some))
        except (HelixError, OSError):
            # The refresh that follows this one takes them, or says what is wrong.
            is_left = True
        if is_left:
            self._whole_at = time.monotonic()

    def _taken(self) -> ChangeBatch:
        """What was heard; settings that changed are followed from the next step on."""
        heard = self._ears.take()
        if _SETTINGS in heard.paths:
            with self._wake:
                self._renewed = True
        return heard

    def _after(self, outcome: Outcome, orders: list[tuple[bool, Future[dict[str, Any]]]]) -> None:
        """Note how a whole refresh ended, tell those who ordered it, and decide when to try again."""
        self._setbacks = self._setbacks.after(outcome)
        now = time.monotonic()
        if outcome.end == "done" and outcome.report is not None:
            self._notices = outcome.notices
            try:
                self._look_again_at(self._opened_helix())
                self._say_standing(everything=True, whole=self._whole_at is not None, failure="")
            finally:
                for _, future in orders:
                    future.set_result(outcome.report)
            return
        if outcome.end == "cancelled":
            self._whole_at = now
            self._say_standing(everything=True)
        elif self._setbacks.is_hopeless:
            self._whole_at = None
            self._say(failure=f"{outcome.message} It died {self._setbacks.deaths} times and is left alone now.")
        else:
            self._whole_at = now + self._setbacks.retry_s()
            self._say(failure=outcome.message if outcome.end == "failed" else "")
        error = Cancelled("Indexing was cancelled; what was done is kept.")
        for _, future in orders:
            future.set_exception(error if outcome.end == "cancelled" else StoreError(outcome.message))

    def _refresh_batch(self) -> None:
        heard = self._taken()
        paths = heard.paths | self._due_again()
        if heard.missing and not self._is_there():
            return
        try:
            helix = self._opened_helix()
            is_moved = heard.git and self._ears.has_git_moved()
            if heard.whole or is_moved or helix.needs_whole_refresh(sorted(heard.paths)):
                self._whole_at = time.monotonic()
            elif paths:
                self._refresh_paths(helix, paths, told=heard.paths)
            else:
                self._say(**self._watching())
        except WorkspaceError:
            if self._is_there():
                # What was heard has been taken: only looking at everything makes up for it.
                self._whole_at = time.monotonic()

    def _refresh_paths(self, helix: Helix, paths: frozenset[bytes], *, told: frozenset[bytes]) -> None:
        """``told`` are those of ``paths`` that may be news: the others are only looked at again."""
        ordered = tuple(sorted(paths))
        here = paths_fit_here(self._folder, ordered, most=HERE_FILES, most_bytes=HERE_BYTES)
        if not here:
            self._say(phase="indexing", done=0, total=0, behind=True)
        # What this process may not parse is left to one that may die of it.
        if not here or helix.refresh_paths(ordered).quarantined:
            outcome = self._run(Order(paths=ordered))
            if outcome.end != "done":
                self._after(outcome, [])
                return
        self._look_again_at(helix, ordered)
        self._say_standing(paths=told, failure="" if self._whole_at is None else self._facts.failure)

    def _look_again_at(self, helix: Helix, paths: Sequence[bytes] | None = None) -> None:
        """What was read in the moment it was written is read once more when the file system's clock has ticked."""
        again, wait_s = helix.unsettled(paths)
        if again:
            self._again = tuple({*self._again, *again})
            self._again_at = time.monotonic() + wait_s

    def _due_again(self) -> frozenset[bytes]:
        if self._again_at is None or self._again_at > time.monotonic():
            return frozenset()
        due, self._again, self._again_at = frozenset(self._again), (), None
        return due

    def _retry_later(self, message: str) -> None:
        self._setbacks = self._setbacks.after(Outcome("failed", message=message))
        self._whole_at = time.monotonic() + self._setbacks.retry_s()
        self._say(failure=message, everything=True)

    def _say_standing(self, *, paths: frozenset[bytes] = frozenset(), everything: bool = False, **changes: Any) -> None:
        """Tell the facts with the index's totals and git's state as they are now.

        Where git is elsewhere than when everything was last compared, everything is compared once more.
        """
        try:
            standing = self._opened_helix().standing()
        except (HelixError, OSError) as error:
            self._retry_later(_sentence(error))
            return
        is_elsewhere = (standing.branch, standing.head) != (self._facts.branch, self._facts.head)
        if is_elsewhere and "opened" not in changes:
            self._whole_at = earliest(self._whole_at, time.monotonic())
            changes["whole"] = True
        self._retry_at = self._next_retry(standing)
        changes |= {"set_aside": standing.set_aside}
        changes |= {"complete": standing.complete, "files": standing.files, "items": standing.items}
        changes |= {"branch": standing.branch, "head": standing.head, **self._watching()}
        self._say(paths=paths, everything=everything, **changes)

    def _next_retry(self, standing: WorkspaceSummary) -> float | None:
        """When a whole refresh is due for the files that were set aside, monotonic seconds."""
        if not standing.set_aside or self._setbacks.is_hopeless:
            return None
        return time.monotonic() + max(standing.retry_at - time.time(), LEAST_RETRY_S)

    def _watching(self) -> dict[str, Any]:
        state = self._ears.state
        return {"watching": state.mode, "notes": (*self._notices, *state.notes)}

    def _say(self, *, paths: frozenset[bytes] = frozenset(), everything: bool = False, **changes: Any) -> None:
        self._facts = replace(self._facts, **{"behind": self._is_behind(), **changes})
        self._tell(self._facts, paths, everything)


def _sentence(error: HelixError | OSError) -> str:
    """What went wrong, for the status."""
    if isinstance(error, HelixError):
        return str(error)
    return f"{error.strerror or type(error).__name__}; see that the index's disk has space and can be written."
