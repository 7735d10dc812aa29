"""Watch one workspace: file events and editors' hints, batched by debounce for the index thread."""

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
    """Of one workspace. ``woken`` is called, from any thread, when there is something to take, and ``written`` when
    somebody finished writing a file.

    ``start``, ``stop`` and ``has_git_moved`` belong to the index thread; hints are kept while nothing listens.
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
        """How the disk is watched now."""
        watch = self._watch
        return watch.state if watch is not None else _WATCH_OFF

    def start(self, config: Config) -> None:
        """Listen: what happens after this is heard. Raises WorkspaceError when there is no folder."""
        options = FileOptions(max_bytes=config.max_file_bytes, helixignore=config.exclude)
        root = Root.open(self._folder)
        try:
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
        """Listen no more; what was heard and not taken is lost."""
        with self._lock:
            watch, self._watch = self._watch, None
        if watch is not None:
            watch.stop()

    def change_mode(self, mode: WatchMode) -> None:
        """Listen in another way from the next ``start`` on."""
        self._mode = mode

    def hint(self, paths: Iterable[bytes]) -> None:
        """An editor's event."""
        with self._lock:
            watch = self._watch
            if watch is None:
                self._early.update(paths)
                return
        watch.hint(paths)

    def batch_at(self, now: float) -> float | None:
        """When what was heard may be taken, monotonic seconds; None when nothing was."""
        watch = self._watch
        waiting = watch.waiting if watch is not None else None
        return settle(now, waiting).at if waiting is not None else None

    def waits_since(self) -> float | None:
        """When the first of what waits to be taken was heard, monotonic seconds; None when nothing waits."""
        watch = self._watch
        waiting = watch.waiting if watch is not None else None
        return waiting.first_at if waiting is not None else None

    def take(self) -> ChangeBatch:
        """What was heard, and forget it."""
        watch = self._watch
        return watch.take() if watch is not None else ChangeBatch()

    def take_written(self) -> frozenset[bytes]:
        """The files that somebody finished writing since the last time; a batch has them too."""
        watch = self._watch
        return watch.take_written() if watch is not None else frozenset()

    def has_git_moved(self) -> bool:
        """Is git elsewhere than when this was last asked, in a way that can change what counts or who wrote it?

        Every ``git status`` may write the index again, and an editor asks for one at every save.
        """
        before, self._mark = self._mark, _mark_of(self._git)
        return self._mark != before or not self._mark


def watch_mode(wanted: str) -> WatchMode:
    """The mode of that name; ``auto`` for a name there is not, as an editor's settings may hold."""
    return "polling" if wanted == "polling" else "off" if wanted == "off" else "auto"


def _git_of(folder: Path) -> Git | None:
    try:
        return Git.open(folder)
    except GitError:
        return None


def _mark_of(git: Git | None) -> bytes:
    """A digest of HEAD, branch, operation, conflicts and the names git tracks; empty where git cannot say."""
    if git is None or git.problem:
        return b""
    try:
        state = GitStateReader(git).state()
        tracked = git.run(["ls-files", "-z", "-t", "--cached"])
    except GitError:
        return b""
    marks = (state.head, state.branch, state.operation, *sorted(map(repr, state.conflicted)))
    return hashlib.sha256("\0".join(marks).encode("utf-8", "surrogateescape") + b"\0" + tracked).digest()
