"""Watch chosen folders through one inotify queue: watchdog's reader, without recursion and without move pairing.

Watchdog's observer would watch every folder below a root and delay each event by half a second after a file left the
tree. Its ``InotifyFD`` does neither: here each folder has a callback that knows its path. The callbacks run in the
reader's thread, in queue order; they put paths into a queue and never access the disk.
"""

from __future__ import annotations

import array
import errno
import fcntl
import itertools
import os
import termios
import threading
from collections.abc import Callable
from typing import Protocol

from watchdog.observers.inotify_c import (
    CallbackId,
    InotifyConstants,
    InotifyEvent,
    InotifyFD,
    Mask,
    WatchCallback,
    WatchDescriptor,
)

from helix_core.workspace.watch.change_queue import GIT_LOOK_S, ChangeQueue, LimitReached, WatchCallbacks
from helix_core.workspace.watch.folders import INDEX_LOCK, RULE_FILES, GitPlace

_C = InotifyConstants
_EVENTS = _C.IN_CLOSE_WRITE | _C.IN_MOVED_FROM | _C.IN_MOVED_TO | _C.IN_CREATE | _C.IN_DELETE
_FLAGS = _C.IN_ONLYDIR | _C.IN_DONT_FOLLOW | _C.IN_EXCL_UNLINK
_FOLDER = Mask(_EVENTS | _C.IN_ATTRIB | _FLAGS)
_ROOT = Mask(_FOLDER | _C.IN_DELETE_SELF | _C.IN_MOVE_SELF)
_GIT = Mask(_EVENTS | _FLAGS)
_ROOT_LOST = _C.IN_DELETE_SELF | _C.IN_MOVE_SELF | _C.IN_UNMOUNT
_WRITTEN = _C.IN_CLOSE_WRITE | _C.IN_MOVED_TO
_CAME = _C.IN_CREATE | _C.IN_MOVED_TO | _C.IN_ATTRIB
_HELD = b"/proc/self/fd/%d/."
_LIMITS = frozenset({errno.ENOSPC, errno.ENOMEM})


class _Callback(WatchCallback, Protocol):
    id: CallbackId


class _InotifyFolder:
    """A watched folder of the workspace. Its paths are those at the time the watch was added."""

    __slots__ = ("below", "id", "owner", "path", "prefix", "wd")

    def __init__(self, owner: Inotify, path: bytes, id_: CallbackId) -> None:
        self.owner, self.path, self.id = owner, path, id_
        self.prefix = path + b"/" if path else b""
        self.wd = -1
        self.below: dict[bytes, _InotifyFolder] = {}

    def on_event(self, event: InotifyEvent) -> None:
        mask = event.mask
        if event.name and not mask & _C.IN_ISDIR:
            self.owner.file_event(self.prefix + event.name, event.name, is_written=bool(mask & _WRITTEN))
        else:
            self.owner.folder_event(self, mask, event.name)

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:  # noqa: ARG002
        self.owner.watch_ended(self)

    def on_queue_overflow(self) -> None:
        self.owner.callbacks.overflowed()


class _GitFolder:
    """A watched state folder of git."""

    __slots__ = ("id", "owner", "place", "wd")

    def __init__(self, owner: Inotify, place: GitPlace, id_: CallbackId) -> None:
        self.owner, self.place, self.id = owner, place, id_
        self.wd = -1

    def on_event(self, event: InotifyEvent) -> None:
        name, changes = event.name, self.owner.changes
        if self.place.is_own and name == INDEX_LOCK:
            if not event.mask & _C.IN_CLOSE_WRITE:
                changes.lock(bool(event.mask & _C.IN_CREATE))
        elif name in self.place.rules:
            changes.whole()
            self.owner.callbacks.look_again()
        elif name and self.place.is_move(name):
            changes.git()
            self.owner.callbacks.look_again(GIT_LOOK_S)
        if event.mask & _C.IN_ISDIR and event.mask & _CAME:
            self.owner.callbacks.look_again()

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:  # noqa: ARG002
        self.owner.git_watch_ended(self)

    def on_queue_overflow(self) -> None:
        self.owner.callbacks.overflowed()


class _Cookie:
    """A marker event that shows that the queue was read up to it."""

    __slots__ = ("id", "seen")

    def __init__(self, id_: CallbackId) -> None:
        self.id, self.seen = id_, threading.Event()

    def on_event(self, event: InotifyEvent) -> None:  # noqa: ARG002
        self.seen.set()

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:  # noqa: ARG002
        self.seen.set()

    def on_queue_overflow(self) -> None:
        self.seen.set()


class ObservedQueue(InotifyFD):
    """The kernel's queue, which can tell that its reader has nothing left to handle."""

    def __init__(self) -> None:
        super().__init__()
        self._is_idle = False

    @property
    def is_drained(self) -> bool:
        """Return whether all events up to now were handled; False also where that cannot be told."""
        unread = array.array("i", [0])
        try:
            fcntl.ioctl(self._inotify_fd, termios.FIONREAD, unread)
        except OSError:
            return False
        # In this order: a reader that waits after the queue was empty has handled what it took from there.
        return unread[0] == 0 and self._is_idle

    def _check_inotify_fd(self) -> bool:
        self._is_idle = True
        try:
            return super()._check_inotify_fd()
        finally:
            self._is_idle = False


class Inotify:
    """One inotify queue and its reader thread. The supervisor and the reader add and remove watches."""

    def __init__(
        self, changes: ChangeQueue, callbacks: WatchCallbacks, queue: Callable[[], InotifyFD] = ObservedQueue
    ) -> None:
        """Raises OSError (EMFILE) at the kernel's limit of queues a user, or without a /proc."""
        os.stat("/proc/self/fd")
        self.changes, self.callbacks = changes, callbacks
        self.quiet: frozenset[bytes] = frozenset()
        self._ids = map(CallbackId, itertools.count())
        self._lock = threading.Lock()
        self._folders: dict[bytes, _InotifyFolder] = {}
        self._git: dict[bytes, _GitFolder] = {}
        self._is_stopping = False
        self._queue = queue()
        self._queue.name = "helix-inotify"
        self._queue.start()

    @property
    def is_alive(self) -> bool:
        """Return whether the reader thread runs."""
        return self._queue.is_alive()

    @property
    def folders(self) -> int:
        """Return the number of watched folders of the workspace."""
        return len(self._folders)

    def watched(self) -> frozenset[bytes]:
        """Return the watched folders of the workspace."""
        with self._lock:
            return frozenset(self._folders)

    def watch(self, path: bytes, descriptor: int) -> bool:
        """Watch the folder of ``descriptor``, ``path`` relative to the root; False when it is gone or unreadable.

        Watches the descriptor, because a folder on the path may be a symlink by now. Raises LimitReached.
        """
        folder = _InotifyFolder(self, path, next(self._ids))
        # Register it before its first event, so that its removal finds it.
        with self._lock:
            if path in self._folders:
                return True
            if path:
                above = self._folders.get(path.rpartition(b"/")[0])
                if above is None:
                    # The parent was moved meanwhile, and this folder with it.
                    return False
                above.below[path] = folder
            self._folders[path] = folder
        wd = -1
        try:
            wd = self._add(_HELD % descriptor, _FOLDER if path else _ROOT, folder)
        finally:
            with self._lock:
                is_kept = wd >= 0 and self._folders.get(path) is folder
                folder.wd = wd if is_kept else -1
                if not is_kept:
                    self._pop(folder)
        if wd >= 0 and not is_kept:
            self._remove([(wd, folder.id)])
        return is_kept

    def watch_git(self, places: tuple[GitPlace, ...]) -> None:
        """Watch exactly these state folders of git. Raises LimitReached."""
        wanted = {place.path: place for place in places}
        with self._lock:
            gone = [self._git.pop(path) for path in [*self._git] if path not in wanted]
            new = [place for path, place in wanted.items() if path not in self._git]
        self._remove([(folder.wd, folder.id) for folder in gone])
        for place in new:
            folder = _GitFolder(self, place, next(self._ids))
            folder.wd = self._add(place.path, _GIT, folder)
            if folder.wd >= 0:
                with self._lock:
                    self._git[place.path] = folder

    def forget(self, path: bytes) -> None:
        """Stop watching ``path`` and everything below it: it is gone, moved, or does not count."""
        with self._lock:
            top = self._folders.get(path)
            if top is None:
                return
            gone = [top]
            for folder in gone:
                gone += folder.below.values()
            for folder in reversed(gone):
                self._pop(folder)
            # The thread that is adding a watch drops it itself.
            ended = [(folder.wd, folder.id) for folder in gone if folder.wd >= 0]
        self._remove(ended)

    def file_event(self, path: bytes, name: bytes, *, is_written: bool) -> None:
        """Handle an event of a file, in the reader thread; ``is_written`` after its writer closed or moved it."""
        if name == b".git":
            self._repository_came_or_went()
        elif path not in self.quiet:
            if is_written:
                self.changes.file_written(path)
            else:
                self.changes.path(path)
            if name in RULE_FILES:
                self.changes.whole()
                self.callbacks.look_again()

    def folder_event(self, folder: _InotifyFolder, mask: int, name: bytes) -> None:
        """Handle an event of a folder, the watched one (no ``name``) or one in it, in the reader's thread."""
        if not name:
            if not folder.path and mask & _ROOT_LOST:
                self.callbacks.root_lost()
            elif mask & _C.IN_UNMOUNT:
                self.callbacks.look_again()
            return
        path = folder.prefix + name
        if name == b".git":
            self._repository_came_or_went()
            return
        if not mask & _C.IN_ATTRIB:
            self.forget(path)
        if mask & _CAME:
            self.callbacks.look_into(path)
        else:
            self.changes.path(path)

    def _repository_came_or_went(self) -> None:
        self.changes.git()
        self.changes.whole()
        self.callbacks.look_again()

    def watch_ended(self, folder: _InotifyFolder) -> None:
        """Handle the removal of a watch by the kernel: its folder is gone or unmounted. In the reader's thread."""
        if self._is_stopping or self._folders.get(folder.path) is not folder:
            return
        self.forget(folder.path)
        if folder.path:
            self.callbacks.look_into(folder.path)
        else:
            self.callbacks.root_lost()

    def git_watch_ended(self, folder: _GitFolder) -> None:
        """Do the same for a state folder of git."""
        with self._lock:
            if self._is_stopping or self._git.get(folder.place.path) is not folder:
                return
            del self._git[folder.place.path]
        self.callbacks.look_again()

    @property
    def is_drained(self) -> bool:
        """Return whether the reader has handled every event up to now; False also where that cannot be told."""
        return isinstance(self._queue, ObservedQueue) and self._queue.is_drained and self.is_alive

    def wait(self, folder: bytes, timeout_s: float) -> bool:
        """Wait until the events queued now were read; False on timeout. ``folder`` is a private one, for the marker."""
        cookie = _Cookie(next(self._ids))
        try:
            wd = self._add(folder, _GIT, cookie)
        except LimitReached:
            return False
        if wd < 0:
            return False
        os.close(os.open(folder + b"/%d" % cookie.id, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        seen = cookie.seen.wait(timeout_s)
        self._remove([(wd, cookie.id)])
        return seen and self.is_alive

    def stop(self) -> None:
        """Remove all watches; returns when the reader thread has ended."""
        self._is_stopping = True
        self._queue.stop()
        self._queue.join()

    def _add(self, path: bytes, mask: Mask, callback: _Callback) -> int:
        """Add a watch and return its descriptor, -1 when the folder is gone or unreadable. Raises LimitReached."""
        try:
            wd = self._queue.add_callback(path, mask, callback, callback.id)
        except OSError as error:
            if error.errno in _LIMITS:
                raise LimitReached from error
            return -1
        if wd < 0:
            # Watchdog takes "permission denied" for a watch.
            self._remove([(wd, callback.id)])
        return wd

    def _pop(self, folder: _InotifyFolder) -> None:
        """Drop a folder by its path; the caller holds the lock."""
        if self._folders.get(folder.path) is folder:
            del self._folders[folder.path]
        above = self._folders.get(folder.path.rpartition(b"/")[0])
        if above is not None and above.below.get(folder.path) is folder:
            del above.below[folder.path]

    def _remove(self, watches: list[tuple[int, CallbackId]]) -> None:
        self._queue.remove_callbacks([(WatchDescriptor(wd), id_) for wd, id_ in watches])
