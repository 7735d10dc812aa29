"""The queue of changed paths, and when a batch of them is complete (debounce).

Event readers put paths in; the index thread takes batches out. ``settle`` is pure: the clock is an argument.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from helix_core.workspace.watch.folders import GitPlace

QUIET_S = 0.03
MOST_S = 0.2
GIT_QUIET_S = 0.3
GIT_MOST_S = 5.0
LOCK_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class PendingChanges:
    """What waits to be taken; times are monotonic seconds, of its first and last event.

    ``git_at`` is when HEAD, the index or a ref last moved, ``locked_at`` since when git holds the index's lock.
    """

    first_at: float
    last_at: float
    git_at: float | None = None
    locked_at: float | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """``is_due``: take it now; otherwise ask again at ``at``, and not before."""

    is_due: bool
    at: float


def settle(now: float, waiting: PendingChanges) -> Settled:
    """Due after 30 ms of quiet and at most 200 ms after the first event; while git works after 300 ms and 5 s."""
    if waiting.locked_at is not None and now - waiting.locked_at < GIT_MOST_S:
        # Nobody is told a second time when the lock goes, so it is looked at again soon.
        at = min(waiting.first_at + GIT_MOST_S, now + LOCK_LOOK_S)
    elif waiting.git_at is not None and waiting.git_at >= waiting.first_at - GIT_QUIET_S:
        at = min(waiting.first_at + GIT_MOST_S, max(waiting.last_at, waiting.git_at) + GIT_QUIET_S)
    else:
        at = min(waiting.first_at + MOST_S, waiting.last_at + QUIET_S)
    return Settled(at <= now, at)


Mode = Literal["events", "polling", "off"]
MOST_PATHS = 100_000
MOST_WRITTEN = 1_000


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """``paths`` (files or folders, from the root) may have changed, come or gone.

    ``whole``: look at everything, something may have been missed; ``git``: HEAD, the index or a ref moved;
    ``missing``: the root is not in its place, which is no reason to forget what was in it. ``hinted`` are those of
    ``paths`` that an editor saved.
    """

    paths: frozenset[bytes] = frozenset()
    whole: bool = False
    git: bool = False
    missing: bool = False
    hinted: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True)
class WatchState:
    """How a root is watched; ``notes`` say what is weaker than it could be, and how to mend it."""

    mode: Mode
    folders: int = 0
    missing: bool = False
    overflows: int = 0
    notes: tuple[str, ...] = ()


class ChangeQueue:
    """For any thread. ``heard`` is called, outside the lock, for the first thing put in after a ``take``, and
    ``written`` for the first file that somebody finished writing after a ``take_written``."""

    def __init__(
        self, heard: Callable[[], None], clock: Callable[[], float], written: Callable[[], None] = lambda: None
    ) -> None:
        self._heard, self._clock, self._written = heard, clock, written
        self._finished: set[bytes] = set()
        self._lock = threading.Lock()
        self._paths: set[bytes] = set()
        self._hinted: set[bytes] = set()
        self._whole = self._git = self._missing = self._is_told = False
        self._first_at = self._last_at = 0.0
        self._git_at: float | None = None
        self._locked_at: float | None = None

    @property
    def is_missing(self) -> bool:
        """Is the root away?"""
        return self._missing

    def path(self, path: bytes) -> None:
        """Something happened at ``path``."""
        with self._lock:
            self._paths.add(path)
            if len(self._paths) > MOST_PATHS:
                self._paths.clear()
                self._whole = True
            call = self._touched()
        if call:
            self._heard()

    def paths(self, paths: Iterable[bytes]) -> None:
        """Something happened at each of ``paths``."""
        for path in paths:
            self.path(path)

    def hint(self, paths: Iterable[bytes]) -> None:
        """An editor saved each of ``paths``."""
        saved = tuple(paths)
        with self._lock:
            self._hinted.update(saved)
            if len(self._hinted) > MOST_PATHS:
                self._hinted.clear()
        self.paths(saved)
        self._finish(saved)

    def file_written(self, path: bytes) -> None:
        """Somebody finished writing the file at ``path``, or moved a finished one there."""
        self.path(path)
        self._finish((path,))

    def take_written(self) -> frozenset[bytes]:
        """The files that were finished since the last time, without waiting for a batch to be complete; those of a
        flood are left to the batch."""
        with self._lock:
            taken = frozenset(self._finished)
            self._finished.clear()
        return taken

    def _finish(self, paths: Sequence[bytes]) -> None:
        with self._lock:
            is_first = not self._finished and bool(paths)
            self._finished.update(paths[: MOST_WRITTEN - len(self._finished)])
        if is_first:
            self._written()

    def whole(self) -> None:
        """Anything may have happened anywhere."""
        with self._lock:
            self._whole = True
            call = self._touched()
        if call:
            self._heard()

    def git(self) -> None:
        """HEAD, the index or a ref moved."""
        with self._lock:
            self._git = True
            call = self._touched()
            self._git_at = self._last_at
        if call:
            self._heard()

    def lock(self, is_held: bool) -> None:
        """git took the index's lock, or let it go."""
        with self._lock:
            self._locked_at = self._clock() if is_held else None

    def missing(self, is_missing: bool) -> None:
        """The root went away, or came back and must be looked at as a whole."""
        with self._lock:
            if is_missing == self._missing:
                return
            self._missing = is_missing
            self._whole = self._whole or not is_missing
            call = self._touched()
        if call:
            self._heard()

    def take(self) -> ChangeBatch:
        """Everything since the last time, and forget it."""
        with self._lock:
            hinted = frozenset(self._hinted & self._paths)
            taken = ChangeBatch(frozenset(self._paths), self._whole, self._git, self._missing, hinted)
            self._paths.clear()
            self._hinted.clear()
            self._whole = self._git = self._is_told = False
        return taken

    def waiting(self) -> PendingChanges | None:
        """The times of what waits, None when nothing does."""
        with self._lock:
            if not self._is_told:
                return None
            return PendingChanges(self._first_at, self._last_at, self._git_at, self._locked_at)

    def _touched(self) -> bool:
        self._last_at = self._clock()
        if self._is_told:
            return False
        self._is_told = True
        self._first_at = self._last_at
        return True


# A force-added file counts although it is ignored; a commit is a dozen moves, and no hurry.
GIT_LOOK_S = 1.0


class Keeper(Protocol):
    """What the reader hands on: it may be called from its thread and returns at once."""

    def look_into(self, folder: bytes) -> None:
        """A folder came, or changed its permissions: watch it if it counts."""

    def look_again(self, in_s: float = 0.0) -> None:
        """What counts may have changed, or events were lost."""

    def overflowed(self) -> None:
        """The queue was full and events were lost."""

    def root_lost(self) -> None:
        """The root was moved, removed or unmounted."""


class Events(Protocol):
    """One way to hear what happens below a root. ``quiet``: single files whose events are dropped."""

    quiet: frozenset[bytes]

    @property
    def is_alive(self) -> bool: ...
    @property
    def folders(self) -> int: ...
    def watched(self) -> frozenset[bytes]: ...
    def watch(self, path: bytes, descriptor: int) -> bool: ...
    def forget(self, path: bytes) -> None: ...
    def watch_git(self, places: tuple[GitPlace, ...]) -> None: ...
    def wait(self, folder: bytes, timeout_s: float) -> bool: ...
    def stop(self) -> None: ...


class LimitReached(Exception):  # noqa: N818 - told as a note, never to a user as an error
    """The kernel gives no further watch."""
