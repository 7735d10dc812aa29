"""Watching where there is no inotify: watchdog's observer over the whole root (FSEvents, ReadDirectoryChangesW).

Those watch trees at no cost per folder, so the folders that count are only a filter here. The same questions as
``Inotify`` answers; there is no overflow to be seen, and no barrier.
"""

from __future__ import annotations

import os

from watchdog.events import (
    EVENT_TYPE_CLOSED_NO_WRITE,
    EVENT_TYPE_DELETED,
    EVENT_TYPE_MODIFIED,
    EVENT_TYPE_OPENED,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from helix_core.workspace.watch.folders import RULE_FILES
from helix_core.workspace.watch.git_places import INDEX_LOCK, GitPlace
from helix_core.workspace.watch.heard import Hearing
from helix_core.workspace.watch.keeper import GIT_LOOK_S, Keeper

_READING = frozenset({EVENT_TYPE_OPENED, EVENT_TYPE_CLOSED_NO_WRITE})


class Recursive(FileSystemEventHandler):
    """One observer on a root; raises OSError when it cannot be watched."""

    def __init__(self, root: bytes, hearing: Hearing, keeper: Keeper) -> None:
        self._root, self._hearing, self._keeper = root, hearing, keeper
        self.quiet: frozenset[bytes] = frozenset()
        self._folders: set[bytes] = set()
        self._git: dict[bytes, GitPlace] = {}
        self._outside: set[bytes] = set()
        self._observer = Observer()
        self._observer.schedule(self, os.fsdecode(root), recursive=True)
        self._observer.start()

    @property
    def is_alive(self) -> bool:
        """Do the observer and what feeds it run?"""
        return self._observer.is_alive() and all(emitter.is_alive() for emitter in self._observer.emitters)

    @property
    def folders(self) -> int:
        """How many folders of the workspace count."""
        return len(self._folders)

    def watched(self) -> frozenset[bytes]:
        """The folders of the workspace whose events are let through."""
        return frozenset(self._folders)

    def watch(self, path: bytes, descriptor: int) -> bool:  # noqa: ARG002
        """Let the events of folder ``path`` through."""
        self._folders.add(path)
        return True

    def forget(self, path: bytes) -> None:
        """Let no event at or below ``path`` through."""
        below = path + b"/"
        self._folders -= {folder for folder in [*self._folders] if folder == path or folder.startswith(below)}

    def watch_git(self, places: tuple[GitPlace, ...]) -> None:
        """Let these of git's folders through, also those that lie outside the root."""
        for place in places:
            if place.path not in self._outside and not place.path.startswith(self._root + b"/"):
                self._observer.schedule(self, os.fsdecode(place.path), recursive=False)
                self._outside.add(place.path)
        self._git = {os.path.normpath(place.path): place for place in places}

    def wait(self, folder: bytes, timeout_s: float) -> bool:  # noqa: ARG002
        """There is no order between what is watched here."""
        return False

    def stop(self) -> None:
        """Watch nothing any more; returns when the threads have ended."""
        self._observer.stop()
        self._observer.join()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Put what happened where it belongs; the observer's thread calls this."""
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
                self._keeper.root_lost()
        elif path.startswith(self._root + os.fsencode(os.sep)):
            inside = path[len(self._root) + 1 :].replace(os.fsencode(os.sep), b"/")
            if inside.rpartition(b"/")[0] in self._folders:
                self._happened_inside(inside, name, is_folder, gone)

    def _happened_inside(self, path: bytes, name: bytes, is_folder: bool, gone: bool) -> None:
        if is_folder and not gone:
            self._keeper.look_into(path)
            return
        if gone:
            self.forget(path)
        if path in self.quiet:
            return
        self._hearing.path(path)
        if name in RULE_FILES or name == b".git":
            self._hearing.whole()
            self._keeper.look_again()

    def _happened_in_git(self, place: GitPlace, name: bytes, gone: bool) -> None:
        if place.is_own and name == INDEX_LOCK:
            self._hearing.lock(not gone)
        elif name in place.rules:
            self._hearing.whole()
            self._keeper.look_again()
        elif place.is_move(name):
            self._hearing.git()
            self._keeper.look_again(GIT_LOOK_S)
