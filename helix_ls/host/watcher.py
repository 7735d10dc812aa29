"""Watch one workspace: file events and editors' hints, debounced into batches for the index thread."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

from helix_core.config import Config
from helix_core.errors import GitError
from helix_core.model import MOST_UNINDEXED, NO_CHANGES, UnindexedChanges
from helix_core.workspace import FileOptions, Git, GitStateReader, Root
from helix_core.workspace.watch import ChangeBatch, Watch, WatchState, is_locked, settle

WatchMode = Literal["auto", "polling", "off"]
_WATCH_OFF = WatchState("off")
# Above it the changed paths are not remembered one by one.
MOST_TAKEN = 100_000


class WorkspaceWatcher:
    """The file watcher of one workspace.

    ``woken`` is called from any thread when a batch is pending, and ``written`` when a file was closed after writing.
    ``start``, ``stop`` and ``has_git_moved`` belong to the index thread; hints are queued while the watcher is stopped.
    """

    def __init__(self, folder: Path, mode: WatchMode, woken: Callable[[], None], written: Callable[[], None]) -> None:
        self._folder, self._mode, self._woken, self._written = folder, mode, woken, written
        self._lock = threading.Lock()
        self._early: set[bytes] = set()
        self._watch: Watch | None = None
        self._git: Git | None = None
        self._mark = b""
        self._turn = 0
        self._taken: dict[bytes, int] = {}
        self._whole_turn = 0
        self._left: dict[bytes, int] = {}

    @property
    def state(self) -> WatchState:
        """How the disk is watched now: by events, by polling or not at all."""
        watch = self._watch
        return watch.state if watch is not None else _WATCH_OFF

    def start(self, config: Config) -> None:
        """Start the watch; later changes are reported. Raises WorkspaceError if there is no folder."""
        root = Root.open(self._folder)
        try:
            options = FileOptions.of(config, root.path)
            self._git = _git_of(root.path)
            watch = Watch(root, self._git, options, on_change=self._woken, on_written=self._written, mode=self._mode)
        finally:
            root.close()
        watch.start()
        with self._lock:
            early, self._early = self._early, set()
            self._watch = watch
        watch.hint(early)
        self._mark = _mark_of(self._git)

    def stop(self) -> None:
        """Stop the watch; pending events are lost."""
        with self._lock:
            watch, self._watch = self._watch, None
        if watch is not None:
            watch.stop()

    def change_mode(self, mode: WatchMode) -> None:
        """Set the mode that the next ``start`` uses."""
        self._mode = mode

    def hint(self, paths: Iterable[bytes]) -> None:
        """Add paths that an editor reports as changed to the pending batch."""
        with self._lock:
            watch = self._watch
            if watch is None:
                self._early.update(paths)
                return
        watch.hint(paths)

    def batch_at(self, now: float) -> float | None:
        """Return when the debounce of the pending batch ends, in monotonic seconds; None if nothing is pending."""
        watch = self._watch
        waiting = watch.waiting if watch is not None else None
        return settle(now, waiting).at if waiting is not None else None

    def is_git_at_work(self) -> bool:
        """Return whether the pending batch waits for git, which holds the lock of its index."""
        watch = self._watch
        waiting = watch.waiting if watch is not None else None
        return waiting is not None and is_locked(time.monotonic(), waiting)

    def waits_since(self) -> float | None:
        """Return when the first pending event arrived, in monotonic seconds; None if nothing is pending."""
        watch = self._watch
        waiting = watch.waiting if watch is not None else None
        return waiting.first_at if waiting is not None else None

    def take(self) -> ChangeBatch:
        """Drain and return the pending batch; its paths are unindexed until ``done`` or ``done_before``."""
        with self._lock:
            watch = self._watch
            batch = watch.take() if watch is not None else ChangeBatch()
            self._turn += 1
            self._taken.update(dict.fromkeys(batch.paths, self._turn))
            if len(self._taken) > MOST_TAKEN:
                self._taken.clear()
                self._whole_turn = self._turn
            if batch.whole:
                self._whole_turn = self._turn
        return batch

    def take_only(self, paths: Iterable[bytes]) -> None:
        """Drain these paths of the pending batch only, and leave the rest of it queued."""
        chosen = tuple(paths)
        with self._lock:
            if self._watch is None:
                return
            self._watch.take_only(chosen)
            self._turn += 1
            self._taken.update(dict.fromkeys(chosen, self._turn))

    def queued(self) -> ChangeBatch:
        """Return the pending batch, which stays queued."""
        watch = self._watch
        return watch.queued() if watch is not None else ChangeBatch()

    @property
    def turn(self) -> int:
        """The number of the last batch taken, for ``done_before``."""
        return self._turn

    def leave_taken(self) -> None:
        """Note that what was taken so far is left to the indexer, a process: nothing of it is indexed in a moment."""
        with self._lock:
            self._left |= self._taken
            self._taken.clear()
            if len(self._left) > MOST_TAKEN:
                self._left.clear()
                self._whole_turn = self._turn

    def done(self, paths: Iterable[bytes]) -> None:
        """Note that these paths are indexed as they were when they were taken."""
        with self._lock:
            for path in paths:
                self._taken.pop(path, None)
                self._left.pop(path, None)

    def done_before(self, turn: int) -> None:
        """Note that everything taken up to that ``turn`` is indexed: a whole refresh that began then has ended."""
        with self._lock:
            self._taken = {path: taken for path, taken in self._taken.items() if taken > turn}
            self._left = {path: taken for path, taken in self._left.items() if taken > turn}
            self._whole_turn = self._whole_turn if self._whole_turn > turn else 0

    def sync(self, timeout_s: float) -> bool:
        """Wait until every change of this moment is queued; False when the time ran out first.

        Where events have no order there is nothing to wait for: True at once.
        """
        watch = self._watch
        deadline = time.monotonic() + timeout_s
        return watch is None or watch.sync(timeout_s) or time.monotonic() < deadline

    def unindexed(self) -> UnindexedChanges:
        """Return the changes that are not indexed yet, queued or taken. Paths with nothing at them are left out."""
        with self._lock:
            watch = self._watch
            batch = watch.queued() if watch is not None and watch.waiting is not None else None
            is_many = max(len(self._taken), len(self._left)) > MOST_UNINDEXED
            paths = set() if is_many else {*self._taken, *self._left}
            is_whole = self._whole_turn > 0
        if batch is not None:
            paths |= batch.paths
            is_whole = is_whole or batch.whole
        if not paths and not is_whole and not is_many:
            return NO_CHANGES
        if is_many or len(paths) > MOST_UNINDEXED:
            return UnindexedChanges(is_listed=False)
        top = os.fsencode(self._folder) + b"/"
        return UnindexedChanges(tuple(sorted(path for path in paths if os.path.lexists(top + path))), not is_whole)

    def soon_indexed(self) -> frozenset[bytes]:
        """Return the changed paths that are not left to the indexer, if they are few: a save, also amid a bulk change.

        Where many were taken, these are the queued ones alone, and none where more than ``MOST_UNINDEXED`` are queued.
        Paths with nothing at them are left out.
        """
        with self._lock:
            watch = self._watch
            batch = watch.queued() if watch is not None and watch.waiting is not None else ChangeBatch()
            is_few = len(self._taken) + len(batch.paths) <= MOST_UNINDEXED
            paths = batch.paths.union(self._taken) if is_few else batch.paths
        if len(paths) > MOST_UNINDEXED:
            return frozenset()
        top = os.fsencode(self._folder) + b"/"
        return frozenset(one for one in paths if os.path.lexists(top + one))

    def take_written(self) -> frozenset[bytes]:
        """Drain and return the files written since the last call; a batch contains them too."""
        watch = self._watch
        return watch.take_written() if watch is not None else frozenset()

    def has_git_moved(self) -> bool:
        """Return whether HEAD, branch, conflicts or tracked files changed since the last call, or git cannot tell.

        A changed index file alone does not count, as every ``git status`` may rewrite it and editors run one at every
        save.
        """
        before, self._mark = self._mark, _mark_of(self._git)
        return self._mark != before or not self._mark


def watch_mode(wanted: str) -> WatchMode:
    """Return the watch mode of that name; ``auto`` for an unknown name, as an editor's settings may hold one."""
    return "polling" if wanted == "polling" else "off" if wanted == "off" else "auto"


def _git_of(folder: Path) -> Git | None:
    try:
        return Git.open(folder)
    except GitError:
        return None


def _mark_of(git: Git | None) -> bytes:
    """Return a digest of HEAD, branch, operation, conflicts and tracked files; empty if git fails."""
    if git is None or git.problem:
        return b""
    try:
        state = GitStateReader(git).state()
        tracked = git.run(["ls-files", "-z", "-t", "--cached"])
    except GitError:
        return b""
    marks = (state.head, state.branch, state.operation, *sorted(map(repr, state.conflicted)))
    return hashlib.sha256("\0".join(marks).encode("utf-8", "surrogateescape") + b"\0" + tracked).digest()
