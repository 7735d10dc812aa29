"""Watch without inotify: watchdog's recursive observer (FSEvents, ReadDirectoryChangesW), else polling."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from watchdog.events import (
    EVENT_TYPE_CLOSED_NO_WRITE,
    EVENT_TYPE_DELETED,
    EVENT_TYPE_MODIFIED,
    EVENT_TYPE_OPENED,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from helix_core.errors import GitError
from helix_core.model import GitState, StatSignature
from helix_core.workspace import FileOptions, Git, GitStateReader, Root, list_files
from helix_core.workspace.watch.change_queue import GIT_LOOK_S, ChangeQueue, WatchCallbacks
from helix_core.workspace.watch.folders import INDEX_LOCK, RULE_FILES, GitPlace

_READING = frozenset({EVENT_TYPE_OPENED, EVENT_TYPE_CLOSED_NO_WRITE})


class Recursive(FileSystemEventHandler):
    """One recursive observer on a root; raises OSError when it cannot be watched."""

    def __init__(self, root: bytes, changes: ChangeQueue, callbacks: WatchCallbacks) -> None:
        self._root, self._changes, self._callbacks = root, changes, callbacks
        self.quiet: frozenset[bytes] = frozenset()
        self._folders: set[bytes] = set()
        self._git: dict[bytes, GitPlace] = {}
        self._outside: set[bytes] = set()
        self._observer = Observer()
        self._observer.schedule(self, os.fsdecode(root), recursive=True)
        self._observer.start()

    @property
    def is_alive(self) -> bool:
        """Return whether the observer and its emitters run."""
        return self._observer.is_alive() and all(emitter.is_alive() for emitter in self._observer.emitters)

    @property
    def folders(self) -> int:
        """Return the number of folders of the workspace that count."""
        return len(self._folders)

    def watched(self) -> frozenset[bytes]:
        """Return the folders of the workspace whose events pass the filter."""
        return frozenset(self._folders)

    def watch(self, path: bytes, descriptor: int) -> bool:  # noqa: ARG002
        """Let the events of folder ``path`` pass."""
        self._folders.add(path)
        return True

    def forget(self, path: bytes) -> None:
        """Filter out events at and below ``path``."""
        below = path + b"/"
        self._folders -= {folder for folder in [*self._folders] if folder == path or folder.startswith(below)}

    def watch_git(self, places: tuple[GitPlace, ...]) -> None:
        """Let events of these state folders of git pass, also of those outside the root."""
        for place in places:
            if place.path not in self._outside and not place.path.startswith(self._root + b"/"):
                self._observer.schedule(self, os.fsdecode(place.path), recursive=False)
                self._outside.add(place.path)
        self._git = {os.path.normpath(place.path): place for place in places}

    @property
    def is_drained(self) -> bool:
        """Always False: events of different sources have no order."""
        return False

    def wait(self, folder: bytes, timeout_s: float) -> bool:  # noqa: ARG002
        """Always return False: events of different sources have no order."""
        return False

    def stop(self) -> None:
        """Stop the observer; returns when its threads have ended."""
        self._observer.stop()
        self._observer.join()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Dispatch an event, in the observer's thread."""
        if event.event_type in _READING or (event.is_directory and event.event_type == EVENT_TYPE_MODIFIED):
            return
        for path in (event.src_path, event.dest_path):
            if path:
                gone = event.event_type == EVENT_TYPE_DELETED or path is not (event.dest_path or event.src_path)
                self._happened(os.path.normpath(os.fsencode(path)), event.is_directory, gone)

    def _happened(self, path: bytes, is_folder: bool, gone: bool) -> None:
        place = self._git.get(os.path.dirname(path))
        name = os.path.basename(path)
        if place is not None:
            self._happened_in_git(place, name, gone)
        elif path == self._root:
            if gone:
                self._callbacks.root_lost()
        elif path.startswith(self._root + os.fsencode(os.sep)):
            inside = path[len(self._root) + 1 :].replace(os.fsencode(os.sep), b"/")
            if inside.rpartition(b"/")[0] in self._folders:
                self._happened_inside(inside, name, is_folder, gone)

    def _happened_inside(self, path: bytes, name: bytes, is_folder: bool, gone: bool) -> None:
        if is_folder and not gone:
            self._callbacks.look_into(path)
            return
        if gone:
            self.forget(path)
        if path in self.quiet:
            return
        self._changes.path(path)
        if name in RULE_FILES or name == b".git":
            self._changes.whole()
            self._callbacks.look_again()

    def _happened_in_git(self, place: GitPlace, name: bytes, gone: bool) -> None:
        if place.is_own and name == INDEX_LOCK:
            self._changes.lock(not gone)
        elif name in place.rules:
            self._changes.whole()
            self._callbacks.look_again()
        elif place.is_move(name):
            self._changes.git()
            self._callbacks.look_again(GIT_LOOK_S)


LEAST_S = 2.0
_SHARE = 50


@dataclass(frozen=True, slots=True)
class Moved:
    """Differences since the last poll; ``whole`` for the first one."""

    paths: tuple[bytes, ...] = ()
    git: bool = False
    whole: bool = False


class Poller:
    """Compares snapshots; use it from one thread. ``interval_s`` is the delay until the next poll."""

    def __init__(self, path: Path, options: FileOptions) -> None:
        self._path, self._options = path, options
        self._signatures: dict[bytes, StatSignature] | None = None
        self._git: Git | None = None
        self._reader = GitStateReader(None)
        self._state = GitState()
        self.interval_s = LEAST_S

    def look(self, git: Git | None) -> Moved:
        """Compare with the last snapshot; raises WorkspaceError when the root cannot be opened."""
        started = time.monotonic()
        with Root.open(self._path) as root:
            now = {entry.path: entry.signature for entry in list_files(root, git, self._options).files}
        before, self._signatures = self._signatures, now
        has_moved = self._git_moved(git)
        self.interval_s = max(LEAST_S, (time.monotonic() - started) * _SHARE)
        if before is None:
            return Moved(git=has_moved, whole=True)
        changed = [path for path, signature in now.items() if before.get(path) != signature]
        return Moved((*changed, *(path for path in before if path not in now)), has_moved)

    def _git_moved(self, git: Git | None) -> bool:
        if git is not self._git:
            self._git, self._reader = git, GitStateReader(None if git is None or git.problem else git)
        try:
            state = self._reader.state()
        except GitError:
            return False
        before, self._state = self._state, state
        return state != before
