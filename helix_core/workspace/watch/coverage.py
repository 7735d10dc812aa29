"""What of a root is watched, and how: by events where the system gives them, by comparing where it does not.

Belongs to the keeper's thread. A folder is watched before its entries are listed, so that a folder made meanwhile is
either seen or heard of; and it is told of after that, so that whatever was put into it before is looked at.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from helix_core.workspace.counting import OutsideRules
from helix_core.workspace.files import FileOptions
from helix_core.workspace.git import Git
from helix_core.workspace.watch.folders import choose
from helix_core.workspace.watch.git_places import git_places
from helix_core.workspace.watch.heard import Hearing, Mode
from helix_core.workspace.watch.keeper import Events, Keeper, LimitReached
from helix_core.workspace.watch.polling import Poller

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
    """``poll_at`` is when the next comparison is due, monotonic seconds; None while there is none to make."""

    def __init__(
        self,
        path: Path,
        git: Git | None,
        options: FileOptions,
        *,
        mode: Literal["auto", "polling"],
        hearing: Hearing,
        keeper: Keeper,
        queue: Callable[[], InotifyFD] | None,
    ) -> None:
        self._path, self._git, self._options, self._mode = path, git, options, mode
        self._hearing, self._keeper, self._queue = hearing, keeper, queue
        self._git_tries = 0
        self._poller: Poller | None = None
        self._poll_at = self._retry_at = 0.0
        self.events: Events | None = None
        self.note = ""
        self._outside = OutsideRules(git)
        self._outside_seen = self._outside.signature()

    @property
    def mode(self) -> Mode:
        """How the root is watched now."""
        return "polling" if self._poller is not None else "off" if self.events is None else "events"

    @property
    def folders(self) -> int:
        """How many folders are watched."""
        events = self.events
        return 0 if events is None else events.folders

    @property
    def is_deaf(self) -> bool:
        """Did the thread that hears end by itself?"""
        return self.events is not None and not self.events.is_alive

    @property
    def poll_at(self) -> float | None:
        return None if self._poller is None else self._poll_at

    def begin(self) -> None:
        """A new queue with every folder in it, or polling. Raises WorkspaceError when the root cannot be opened."""
        self.end()
        self.note = ""
        self._poller = Poller(self._path, self._options) if self._mode == "polling" else None
        if self._mode == "auto":
            self._listen()
        if self._poller is not None:
            self._poller.look(self._git)
            self._poll_at = time.monotonic() + self._poller.interval_s

    def begin_elsewhere(self) -> None:
        """The same for a folder that took the root's place."""
        self._git = Git.open(self._path)
        self.begin()

    def end(self) -> None:
        """Watch nothing."""
        events, self.events = self.events, None
        if events is not None:
            events.stop()
        self._poller = None

    def look(self) -> None:
        """Choose all folders anew, and tell of those that are news."""
        if self._git is None or self._git.problem or not os.path.isdir(self._git.git_dir):
            self._take_up_git()
        self._hearing.paths(self._watch_all() - {b""})

    def compare_rules(self) -> None:
        """Look whether what decides from outside the tree which files count is as it was: no event tells of that."""
        now = self._outside.signature()
        if now != self._outside_seen:
            self._outside_seen = now
            self._keeper.look_again()
            self._hearing.whole()

    def enter(self, new: Iterable[bytes]) -> None:
        """Watch folders that came, or are gone again, and tell of them."""
        events = self.events
        if events is None:
            return
        top = os.fsencode(self._path) + b"/"
        starts = [path for path in sorted(new) if os.path.lexists(top + path)]
        if starts:
            choice = choose(self._path, self._git, self._options, starts, enter=self._watch_one)
            for path in events.watched() & choice.ignored:
                events.forget(path)
        self._hearing.paths(new)

    def poll(self, now: float) -> None:
        """Compare, if it is time; and see whether that can end."""
        if self._poller is None or now < self._poll_at:
            return
        moved = self._poller.look(self._git)
        self._poll_at = time.monotonic() + self._poller.interval_s
        if moved.whole:
            self._hearing.whole()
        if moved.git:
            self._hearing.git()
        self._hearing.paths(moved.paths)
        if self.note and now >= self._retry_at:
            self._try_again()

    def _try_again(self) -> None:
        """The limit may have been raised."""
        self.note = ""
        if self.events is None:
            self._listen()
        else:
            self._watch_all()
        if not self.note:
            # One last time, for what happened before the watches were set.
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
            from helix_core.workspace.watch.recursive import Recursive

            return Recursive(path, self._hearing, self._keeper)
        from helix_core.workspace.watch.inotify import Inotify

        return Inotify(self._hearing, self._keeper, *((self._queue,) if self._queue is not None else ()))

    def _watch_all(self) -> frozenset[bytes]:
        """Watch what counts now and nothing else; the folders and single files that are newly heard of."""
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

    def _take_up_git(self) -> None:
        """A repository that has just appeared is not complete yet: it is tried a few times."""
        had_git, self._git = self._git is not None, Git.open(self._path)
        self._outside = OutsideRules(self._git)
        self._outside_seen = self._outside.signature()
        if self._git is not None and not self._git.problem:
            self._git_tries = 0
        elif self._git_tries < MOST_GIT_TRIES and os.path.lexists(self._path / ".git"):
            self._git_tries += 1
            self._keeper.look_again(float(self._git_tries))
        if had_git != (self._git is not None):
            self._hearing.whole()
            self._hearing.git()

    def _poll_instead(self, note: str) -> None:
        self.note = note
        self._retry_at = time.monotonic() + RETRY_S
        if self._poller is None:
            self._poller = Poller(self._path, self._options)
            self._poll_at = 0.0
