"""Watch one root: a reader thread collects events, a supervisor thread keeps the coverage complete.

Coverage is which folders are watched and how: by native events where the system has them, by polling elsewhere.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from helix_core.errors import WorkspaceError
from helix_core.workspace import FileOptions, Git, OutsideRules, Root
from helix_core.workspace.watch.change_queue import (
    ChangeBatch,
    ChangeQueue,
    Events,
    LimitReached,
    Mode,
    PendingChanges,
    WatchCallbacks,
    WatchState,
)
from helix_core.workspace.watch.folders import choose, git_places
from helix_core.workspace.watch.portable import Poller

if TYPE_CHECKING:
    from watchdog.observers.inotify_c import InotifyFD

RETRY_S = 60.0
MOST_GIT_TRIES = 5
_FEW_WATCHES = (
    "The kernel lets this user watch no more folders; files are compared every few seconds instead. "
    "Raise fs.inotify.max_user_watches."
)
_FEW_QUEUES = (
    "The kernel gives this user no further watcher; files are compared every few seconds instead. "
    "Raise fs.inotify.max_user_instances."
)


class Coverage:
    """The watched folders. ``poll_at`` is when the next poll is due, in monotonic seconds; None without polling."""

    def __init__(
        self,
        path: Path,
        git: Git | None,
        options: FileOptions,
        *,
        mode: Literal["auto", "polling"],
        changes: ChangeQueue,
        callbacks: WatchCallbacks,
        queue: Callable[[], InotifyFD] | None,
    ) -> None:
        self._path, self._git, self._options, self._mode = path, git, options, mode
        self._changes, self._callbacks, self._queue = changes, callbacks, queue
        self._git_tries = 0
        self._poller: Poller | None = None
        self._poll_at = self._retry_at = 0.0
        self.events: Events | None = None
        self.note = ""
        self._outside = OutsideRules(git)
        self._outside_seen = self._outside.signature()

    @property
    def mode(self) -> Mode:
        """Return how the root is watched now."""
        return "polling" if self._poller is not None else "off" if self.events is None else "events"

    @property
    def folders(self) -> int:
        """Return the number of watched folders."""
        events = self.events
        return 0 if events is None else events.folders

    @property
    def is_dead(self) -> bool:
        """Return whether the event thread died."""
        return self.events is not None and not self.events.is_alive

    @property
    def poll_at(self) -> float | None:
        return None if self._poller is None else self._poll_at

    def begin(self) -> None:
        """Start events for every folder, or polling. Raises WorkspaceError when the root cannot be opened."""
        self.end()
        self.note = ""
        self._poller = Poller(self._path, self._options) if self._mode == "polling" else None
        if self._mode == "auto":
            self._listen()
        if self._poller is not None:
            self._poller.look(self._git)
            self._poll_at = time.monotonic() + self._poller.interval_s

    def begin_elsewhere(self) -> None:
        """Start over for a folder that replaced the root."""
        self._git = Git.open(self._path)
        self.begin()

    def end(self) -> None:
        """Stop all watches and polling."""
        events, self.events = self.events, None
        if events is not None:
            events.stop()
        self._poller = None

    def look(self) -> None:
        """Choose all folders again, and report the new ones as changed."""
        if self._git is None or self._git.problem or not os.path.isdir(self._git.git_dir):
            self._watch_new_git()
        self._changes.paths(self._watch_all() - {b""})

    def compare_rules(self) -> None:
        """Check the ignore rules outside the tree, whose changes cause no event."""
        now = self._outside.signature()
        if now != self._outside_seen:
            self._outside_seen = now
            self._callbacks.look_again()
            self._changes.whole()

    def enter(self, new: Iterable[bytes]) -> None:
        """Watch folders that were created, or deleted again, and report them as changed."""
        events = self.events
        if events is None:
            return
        top = os.fsencode(self._path) + b"/"
        starts = [path for path in sorted(new) if os.path.lexists(top + path)]
        if starts:
            choice = choose(self._path, self._git, self._options, starts, enter=self._watch_one)
            for path in events.watched() & choice.ignored:
                events.forget(path)
        self._changes.paths(new)

    def poll(self, now: float) -> None:
        """Poll if due; try to return to native events."""
        if self._poller is None or now < self._poll_at:
            return
        moved = self._poller.look(self._git)
        self._poll_at = time.monotonic() + self._poller.interval_s
        if moved.whole:
            self._changes.whole()
        if moved.git:
            self._changes.git()
        self._changes.paths(moved.paths)
        if self.note and now >= self._retry_at:
            self._try_again()

    def _try_again(self) -> None:
        """Retry native events: the limit may have been raised."""
        self.note = ""
        if self.events is None:
            self._listen()
        else:
            self._watch_all()
        if not self.note:
            # Poll once more, for changes before the watches were added.
            self._poll_at = 0.0
            self.poll(time.monotonic())
            self._poller = None

    def _listen(self) -> None:
        try:
            self.events = self._opened_events(os.fsencode(self._path))
        except OSError:
            self._poll_instead(_FEW_QUEUES)
            return
        self._watch_all()

    def _opened_events(self, path: bytes) -> Events:
        if not sys.platform.startswith("linux"):
            from helix_core.workspace.watch.portable import Recursive

            return Recursive(path, self._changes, self._callbacks)
        from helix_core.workspace.watch.inotify import Inotify

        return Inotify(self._changes, self._callbacks, *((self._queue,) if self._queue is not None else ()))

    def _watch_all(self) -> frozenset[bytes]:
        """Watch exactly what counts now; return the folders and single files that are new."""
        events = self.events
        if events is None:
            return frozenset()
        before = events.watched()
        try:
            events.watch_git(git_places(self._git))
        except LimitReached:
            self._poll_instead(_FEW_WATCHES)
        choice = choose(self._path, self._git, self._options, enter=self._watch_one)
        news = (events.quiet - choice.quiet) | {path for path in choice.folders if path not in before}
        events.quiet = choice.quiet
        for path in before.difference(choice.folders):
            events.forget(path)
        return frozenset(news)

    def _watch_one(self, path: bytes, descriptor: int | None) -> None:
        events = self.events
        if events is None:
            return
        if descriptor is None:
            events.forget(path)
        elif not self.note:
            try:
                events.watch(path, descriptor)
            except LimitReached:
                self._poll_instead(_FEW_WATCHES)

    def _watch_new_git(self) -> None:
        """Watch a repository that appeared; it is not complete yet, so retry a few times."""
        had_git, self._git = self._git is not None, Git.open(self._path)
        self._outside = OutsideRules(self._git)
        self._outside_seen = self._outside.signature()
        if self._git is not None and not self._git.problem:
            self._git_tries = 0
        elif self._git_tries < MOST_GIT_TRIES and os.path.lexists(self._path / ".git"):
            self._git_tries += 1
            self._callbacks.look_again(float(self._git_tries))
        if had_git != (self._git is not None):
            self._changes.whole()
            self._changes.git()

    def _poll_instead(self, note: str) -> None:
        self.note = note
        self._retry_at = time.monotonic() + RETRY_S
        if self._poller is None:
            self._poller = Poller(self._path, self._options)
            self._poll_at = 0.0


BEAT_S = 2.0
MISSING_LOOK_S = 1.0
GAP_S = 5.0


def pulse() -> float:
    """Return a clock, in seconds, that advances while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Watch:
    """A watched root. All methods except ``start`` and ``stop`` are thread-safe."""

    def __init__(
        self,
        root: Root,
        git: Git | None,
        options: FileOptions,
        *,
        on_change: Callable[[], None],
        on_written: Callable[[], None] = lambda: None,
        mode: Literal["auto", "polling", "off"] = "auto",
        clock: Callable[[], float] = time.monotonic,
        pulse: Callable[[], float] = pulse,
        queue: Callable[[], InotifyFD] | None = None,
    ) -> None:
        """Create a watch; ``start`` starts it. Of ``root`` only the path is used.

        ``on_change`` is called from any thread, once until ``take``, and ``on_written`` once until ``take_written``.
        ``clock`` and ``pulse`` return seconds: monotonic time for the queue, and a clock that advances during sleep.
        """
        self._path, self._mode = root.path, mode
        self._changes, self._pulse = ChangeQueue(on_change, clock, on_written), pulse
        self._coverage = Coverage(
            root.path,
            git,
            options,
            mode="polling" if mode == "polling" else "auto",
            changes=self._changes,
            callbacks=self,
            queue=queue,
        )
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._new: set[bytes] = set()
        self._look_at: float | None = None
        self._is_root_lost = self._has_overflowed = False
        self._is_busy = self._is_stopping = False
        self._overflows = 0
        self._identity: tuple[int, int] | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start watching; changes after the return are reported. Raises WorkspaceError without a root."""
        if self._mode == "off" or self._thread is not None:
            return
        self._identity = _identity(self._path)
        self._coverage.begin()
        self._run()

    def stop(self) -> None:
        """Stop watching; all threads have ended, and ``on_change`` is not called again."""
        self._is_stopping = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._coverage.end()

    def take(self) -> ChangeBatch:
        """Return and clear the queued changes."""
        self._supervise_again()
        return self._changes.take()

    def queued(self) -> ChangeBatch:
        """Return what ``take`` would, and leave it queued."""
        return self._changes.queued()

    def take_only(self, paths: Iterable[bytes]) -> None:
        """Clear these paths from the queue; what else is queued stays."""
        self._changes.take_only(paths)

    def take_written(self) -> frozenset[bytes]:
        """Return and clear the files whose writing finished, without debounce; ``take`` returns them too."""
        return self._changes.take_written()

    def hint(self, paths: Iterable[bytes]) -> None:
        """Add paths that an editor saved, created or deleted."""
        self._changes.hint(paths)

    @property
    def waiting(self) -> PendingChanges | None:
        """Return the input of ``settle``; None for an empty queue."""
        return self._changes.waiting()

    @property
    def state(self) -> WatchState:
        """Return how the root is watched now."""
        self._supervise_again()
        coverage = self._coverage
        return WatchState(
            mode="off" if self._thread is None else coverage.mode,
            folders=coverage.folders,
            missing=self._changes.is_missing,
            overflows=self._overflows,
            notes=(coverage.note,) if coverage.note else (),
        )

    def sync(self, timeout_s: float) -> bool:
        """Wait until earlier changes are in the queue; False on timeout or when nothing listens.

        The marker file is in a private temporary folder, never in the workspace.
        """
        deadline = time.monotonic() + timeout_s
        events = self._coverage.events
        if events is None:
            return False
        if not events.is_drained:
            with tempfile.TemporaryDirectory(prefix="helix-watch-") as folder:
                if not events.wait(os.fsencode(folder), timeout_s):
                    return False
        while self._is_busy or self._new:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.002)
        return True

    # Callbacks of the reader thread

    def look_into(self, folder: bytes) -> None:
        """Watch a created folder if it counts, then report it as changed."""
        with self._lock:
            self._new.add(folder)
        self._wake.set()

    def look_again(self, in_s: float = 0.0) -> None:
        """Choose the folders again, in ``in_s`` seconds."""
        at = time.monotonic() + in_s
        with self._lock:
            if self._look_at is not None and self._look_at <= at:
                return
            self._look_at = at
        self._wake.set()

    def overflowed(self) -> None:
        """Recover from lost events: choose the folders again and report everything as changed."""
        with self._lock:
            is_news, self._has_overflowed = not self._has_overflowed, True
        if is_news:
            self._overflows += 1
            self._wake.set()

    def root_lost(self) -> None:
        """Check the root, which disappeared or was replaced."""
        self._is_root_lost = True
        self._changes.missing(True)
        self._wake.set()

    # The supervisor thread

    def _run(self) -> None:
        self._thread = threading.Thread(target=self._supervise, name="helix-watch", daemon=True)
        self._thread.start()

    def _supervise_again(self) -> None:
        with self._lock:
            thread = self._thread
            if thread is None or thread.is_alive() or self._is_stopping:
                return
            self._run()
        self._changes.whole()
        self.look_again()

    def _supervise(self) -> None:
        while not self._is_stopping:
            started = self._pulse()
            self._wake.wait(self._wait_s())
            self._is_busy = True
            self._wake.clear()
            if self._is_stopping:
                return
            if self._pulse() - started > GAP_S:
                self._changes.whole()
                self.look_again()
            started = self._pulse()
            self._turn()
            if self._pulse() - started > GAP_S:
                # The machine slept meanwhile, or the pass was slow: another pass would be slow again.
                self._changes.whole()
            self._is_busy = False

    def _wait_s(self) -> float:
        now = time.monotonic()
        due = [now + (MISSING_LOOK_S if self._changes.is_missing else BEAT_S)]
        due += [at for at in (self._look_at, self._coverage.poll_at) if at is not None]
        return max(0.0, min(due) - now)

    def _turn(self) -> None:
        try:
            if not self._is_in_place():
                return
            now = time.monotonic()
            with self._lock:
                has_overflowed, self._has_overflowed = self._has_overflowed, False
                is_due = self._look_at is not None and self._look_at <= now
                self._look_at = None if is_due else self._look_at
                new, self._new = self._new, set()
            if has_overflowed or self._coverage.is_dead:
                # Lost events may have moved folders: their watches would report old names.
                self._coverage.begin()
                self._changes.whole()
            elif is_due:
                self._coverage.look()
            if new:
                self._coverage.enter(new)
            self._coverage.compare_rules()
            self._coverage.poll(now)
        except WorkspaceError:
            self.root_lost()

    def _is_in_place(self) -> bool:
        """Return whether the root exists; stop the watches when it left, and start over when it came back."""
        identity = _identity(self._path)
        is_lost, self._is_root_lost = self._is_root_lost, False
        if self._changes.is_missing and not is_lost:
            if identity is None:
                return False
            self._identity = identity
            self._coverage.begin_elsewhere()
            self._changes.missing(False)
            return True
        if is_lost or identity is None or identity != self._identity:
            self._changes.missing(True)
            self._coverage.end()
            return False
        return True


def _identity(path: os.PathLike[str]) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
