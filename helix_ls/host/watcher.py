"""Watch one workspace: file events and editors' hints, debounced into batches for the index thread."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

from helix_core.config import Config
from helix_core.errors import GitError
from helix_core.workspace import FileOptions, Git, GitStateReader, Root
from helix_core.workspace.watch import ChangeBatch, Watch, WatchState, settle

WatchMode = Literal["auto", "polling", "off"]
_WATCH_OFF = WatchState("off")


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

    def waits_since(self) -> float | None:
        """Return when the first pending event arrived, in monotonic seconds; None if nothing is pending."""
        watch = self._watch
        waiting = watch.waiting if watch is not None else None
        return waiting.first_at if waiting is not None else None

    def take(self) -> ChangeBatch:
        """Drain and return the pending batch."""
        watch = self._watch
        return watch.take() if watch is not None else ChangeBatch()

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
