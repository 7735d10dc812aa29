"""The set that every thread of a watcher puts paths into, and what is taken out of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from helix_core.workspace.watch.settle import Waiting

Mode = Literal["events", "polling", "off"]
MOST_PATHS = 100_000


@dataclass(frozen=True, slots=True)
class Heard:
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


class Hearing:
    """For any thread. ``heard`` is called, outside the lock, for the first thing put in after a ``take``."""

    def __init__(self, heard: Callable[[], None], clock: Callable[[], float]) -> None:
        self._heard, self._clock = heard, clock
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

    def take(self) -> Heard:
        """Everything since the last time, and forget it."""
        with self._lock:
            hinted = frozenset(self._hinted & self._paths)
            taken = Heard(frozenset(self._paths), self._whole, self._git, self._missing, hinted)
            self._paths.clear()
            self._hinted.clear()
            self._whole = self._git = self._is_told = False
        return taken

    def waiting(self) -> Waiting | None:
        """The times of what waits, None when nothing does."""
        with self._lock:
            if not self._is_told:
                return None
            return Waiting(self._first_at, self._last_at, self._git_at, self._locked_at)

    def _touched(self) -> bool:
        self._last_at = self._clock()
        if self._is_told:
            return False
        self._is_told = True
        self._first_at = self._last_at
        return True
