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
    """Times of the queue's first and last event, in monotonic seconds.

    ``git_at`` is when HEAD, the index or a ref last moved, ``locked_at`` since when git holds the index's lock.
    """

    first_at: float
    last_at: float
    git_at: float | None = None
    locked_at: float | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """``is_due``: take the batch now; otherwise check again at ``at``, and not before."""

    is_due: bool
    at: float


def settle(now: float, waiting: PendingChanges) -> Settled:
    """Debounce: due after 30 ms of quiet, at most 200 ms after the first event; while git works after 300 ms and 5
    s.
    """
    if is_locked(now, waiting):
        # The release of the lock may cause no event, so check it again soon.
        at = min(waiting.first_at + GIT_MOST_S, now + LOCK_LOOK_S)
    elif waiting.git_at is not None and waiting.git_at >= waiting.first_at - GIT_QUIET_S:
        at = min(waiting.first_at + GIT_MOST_S, max(waiting.last_at, waiting.git_at) + GIT_QUIET_S)
    else:
        at = min(waiting.first_at + MOST_S, waiting.last_at + QUIET_S)
    return Settled(at <= now, at)


def is_locked(now: float, waiting: PendingChanges) -> bool:
    """Return whether git holds the lock of its index, and has not died with it."""
    return waiting.locked_at is not None and now - waiting.locked_at < GIT_MOST_S


Mode = Literal["events", "polling", "off"]
MOST_PATHS = 100_000
MOST_WRITTEN = 1_000


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """``paths`` (files or folders, relative to the root) may have been changed, created or deleted.

    ``whole``: check everything, events may have been missed; ``git``: HEAD, the index or a ref moved; ``missing``: the
    root is not in its place, which is no reason to drop its files. ``hinted`` are those of ``paths`` that an editor
    saved.
    """

    paths: frozenset[bytes] = frozenset()
    whole: bool = False
    git: bool = False
    missing: bool = False
    hinted: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True)
class WatchState:
    """How a root is watched; ``notes`` describe degradations and how to fix them."""

    mode: Mode
    folders: int = 0
    missing: bool = False
    overflows: int = 0
    notes: tuple[str, ...] = ()


class ChangeQueue:
    """A thread-safe queue. ``on_change`` is called, outside the lock, for the first change after a ``take``, and
    ``on_written`` for the first file that a process finished writing after a ``take_written``."""

    def __init__(
        self, on_change: Callable[[], None], clock: Callable[[], float], on_written: Callable[[], None] = lambda: None
    ) -> None:
        self._on_change, self._clock, self._on_written = on_change, clock, on_written
        self._finished: set[bytes] = set()
        self._lock = threading.Lock()
        self._paths: set[bytes] = set()
        self._hinted: set[bytes] = set()
        self._whole = self._git = self._missing = self._is_signaled = False
        self._first_at = self._last_at = 0.0
        self._git_at: float | None = None
        self._locked_at: float | None = None

    @property
    def is_missing(self) -> bool:
        """Return whether the root is missing."""
        return self._missing

    def path(self, path: bytes) -> None:
        """Add a changed path; while the root is missing, drop it: a watch of a moved root reports another place's
        files until it is stopped, and everything is checked when the root is back."""
        with self._lock:
            if self._missing:
                return
            self._paths.add(path)
            if len(self._paths) > MOST_PATHS:
                self._paths.clear()
                self._whole = True
            call = self._touched()
        if call:
            self._on_change()

    def paths(self, paths: Iterable[bytes]) -> None:
        """Add each changed path, as ``path`` does."""
        for path in paths:
            self.path(path)

    def hint(self, paths: Iterable[bytes]) -> None:
        """Add paths that an editor saved."""
        saved = tuple(paths)
        with self._lock:
            self._hinted.update(saved)
            if len(self._hinted) > MOST_PATHS:
                self._hinted.clear()
        self.paths(saved)
        self._finish(saved)

    def file_written(self, path: bytes) -> None:
        """Add a path whose file was closed after writing, or moved there."""
        self.path(path)
        self._finish((path,))

    def take_written(self) -> frozenset[bytes]:
        """Return and clear the finished files without waiting for the debounce; beyond ``MOST_WRITTEN`` they are left
        to the batch."""
        with self._lock:
            taken = frozenset(self._finished)
            self._finished.clear()
        return taken

    def _finish(self, paths: Sequence[bytes]) -> None:
        with self._lock:
            if self._missing:
                return
            is_first = not self._finished and bool(paths)
            self._finished.update(paths[: MOST_WRITTEN - len(self._finished)])
        if is_first:
            self._on_written()

    def whole(self) -> None:
        """Mark everything as possibly changed."""
        with self._lock:
            self._whole = True
            call = self._touched()
        if call:
            self._on_change()

    def git(self) -> None:
        """Record that HEAD, the index or a ref moved."""
        with self._lock:
            self._git = True
            call = self._touched()
            self._git_at = self._last_at
        if call:
            self._on_change()

    def lock(self, is_held: bool) -> None:
        """Record that git took or released the index's lock."""
        with self._lock:
            self._locked_at = self._clock() if is_held else None

    def missing(self, is_missing: bool) -> None:
        """Record that the root disappeared, or came back and must be checked as a whole."""
        with self._lock:
            if is_missing == self._missing:
                return
            self._missing = is_missing
            self._whole = self._whole or not is_missing
            call = self._touched()
        if call:
            self._on_change()

    def take(self) -> ChangeBatch:
        """Return and clear everything queued."""
        with self._lock:
            hinted = frozenset(self._hinted & self._paths)
            taken = ChangeBatch(frozenset(self._paths), self._whole, self._git, self._missing, hinted)
            self._paths.clear()
            self._hinted.clear()
            self._whole = self._git = self._is_signaled = False
        return taken

    def queued(self) -> ChangeBatch:
        """Return what ``take`` would, and leave it queued."""
        with self._lock:
            hinted = frozenset(self._hinted & self._paths)
            return ChangeBatch(frozenset(self._paths), self._whole, self._git, self._missing, hinted)

    def take_only(self, paths: Iterable[bytes]) -> None:
        """Clear these paths, which are handled by themselves; what else is queued stays."""
        with self._lock:
            self._paths.difference_update(paths)
            self._hinted &= self._paths
            if not self._paths and not self._whole and not self._git:
                self._is_signaled = False

    def waiting(self) -> PendingChanges | None:
        """Return the times of the queued changes, None for an empty queue."""
        with self._lock:
            if not self._is_signaled:
                return None
            return PendingChanges(self._first_at, self._last_at, self._git_at, self._locked_at)

    def _touched(self) -> bool:
        self._last_at = self._clock()
        if self._is_signaled:
            return False
        self._is_signaled = True
        self._first_at = self._last_at
        return True


# A force-added file counts although it is ignored; a commit causes a dozen events and is not urgent.
GIT_LOOK_S = 1.0


class WatchCallbacks(Protocol):
    """Callbacks from an event reader's thread to the watch supervisor; they return at once."""

    def look_into(self, folder: bytes) -> None:
        """A folder was created, or changed its permissions: watch it if it counts."""

    def look_again(self, in_s: float = 0.0) -> None:
        """The set of watched folders may have changed, or events were lost: rebuild it in ``in_s`` seconds."""

    def overflowed(self) -> None:
        """The kernel's queue overflowed and events were lost."""

    def root_lost(self) -> None:
        """The root was moved, removed or unmounted."""


class Events(Protocol):
    """A source of events below a root. ``quiet``: single files whose events are dropped; ``is_drained``: every event
    so far is known to be handled.
    """

    quiet: frozenset[bytes]

    @property
    def is_alive(self) -> bool: ...
    @property
    def folders(self) -> int: ...
    def watched(self) -> frozenset[bytes]: ...
    def watch(self, path: bytes, descriptor: int) -> bool: ...
    def forget(self, path: bytes) -> None: ...
    def watch_git(self, places: tuple[GitPlace, ...]) -> None: ...
    @property
    def is_drained(self) -> bool: ...
    def wait(self, folder: bytes, timeout_s: float) -> bool: ...
    def stop(self) -> None: ...


class LimitReached(Exception):  # noqa: N818 - reported as a note, never as an error
    """The kernel's limit of watches is reached."""
