"""One root watched: a reader thread that hears, and a keeper thread that sees to it that nothing is lost unsaid."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal

from helix_core.errors import WorkspaceError
from helix_core.workspace.disk import Root
from helix_core.workspace.files import FileOptions
from helix_core.workspace.git import Git
from helix_core.workspace.watch.coverage import Coverage
from helix_core.workspace.watch.heard import Heard, Hearing, WatchState
from helix_core.workspace.watch.settle import Waiting

if TYPE_CHECKING:
    from watchdog.observers.inotify_c import InotifyFD

BEAT_S = 2.0
MISSING_LOOK_S = 1.0
GAP_S = 5.0


def pulse() -> float:
    """Seconds that pass while the machine sleeps, too."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Watch:
    """Everything but ``start`` and ``stop`` may be called from any thread."""

    def __init__(
        self,
        root: Root,
        git: Git | None,
        options: FileOptions,
        *,
        heard: Callable[[], None],
        mode: Literal["auto", "polling", "off"] = "auto",
        clock: Callable[[], float] = time.monotonic,
        pulse: Callable[[], float] = pulse,
        queue: Callable[[], InotifyFD] | None = None,
    ) -> None:
        """``heard`` is called from any thread, once until ``take``. Of ``root`` only the path is used.

        ``clock`` and ``pulse`` give seconds: the time of what waits, and one that goes on while the machine sleeps.
        """
        self._path, self._mode = root.path, mode
        self._hearing, self._pulse = Hearing(heard, clock), pulse
        self._coverage = Coverage(
            root.path,
            git,
            options,
            mode="polling" if mode == "polling" else "auto",
            hearing=self._hearing,
            keeper=self,
            queue=queue,
        )
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._new: set[bytes] = set()
        self._look_at: float | None = None
        self._is_root_lost = self._has_overflowed = False
        self._is_busy = self._is_stopping = False
        self._overflows = 0
        self._identity: tuple[int, int] | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Watch; when this returns, whatever happens from now on is heard. Raises WorkspaceError without a root."""
        if self._mode == "off" or self._thread is not None:
            return
        self._identity = _identity(self._path)
        self._coverage.begin()
        self._run()

    def stop(self) -> None:
        """Watch no more; no thread is left, and ``heard`` is not called again."""
        self._is_stopping = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._coverage.end()

    def take(self) -> Heard:
        """What was heard since the last time, and forget it."""
        self._see_to_keeper()
        return self._hearing.take()

    def hint(self, paths: Iterable[bytes]) -> None:
        """An editor says that these were saved, came or went."""
        self._hearing.hint(paths)

    @property
    def waiting(self) -> Waiting | None:
        """What ``settle`` decides on; None when there is nothing to take."""
        return self._hearing.waiting()

    @property
    def state(self) -> WatchState:
        """How the root is watched now."""
        self._see_to_keeper()
        coverage = self._coverage
        return WatchState(
            mode="off" if self._thread is None else coverage.mode,
            folders=coverage.folders,
            missing=self._hearing.is_missing,
            overflows=self._overflows,
            notes=(coverage.note,) if coverage.note else (),
        )

    def sync(self, timeout_s: float) -> bool:
        """Wait until what happened before this call has been heard; False when that took too long or nothing listens.

        The mark is put into a private folder of the system's, never into the workspace.
        """
        deadline = time.monotonic() + timeout_s
        events = self._coverage.events
        if events is None:
            return False
        with tempfile.TemporaryDirectory(prefix="helix-watch-") as folder:
            if not events.wait(os.fsencode(folder), timeout_s):
                return False
        while self._is_busy or self._new:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.002)
        return True

    # What the reader hands on

    def look_into(self, folder: bytes) -> None:
        """A folder came: watch it if it counts, and then say so."""
        with self._lock:
            self._new.add(folder)
        self._wake.set()

    def look_again(self, in_s: float = 0.0) -> None:
        """Choose the folders anew, in a while."""
        at = time.monotonic() + in_s
        with self._lock:
            if self._look_at is not None and self._look_at <= at:
                return
            self._look_at = at
        self._wake.set()

    def overflowed(self) -> None:
        """Events were lost."""
        with self._lock:
            is_news, self._has_overflowed = not self._has_overflowed, True
        if is_news:
            self._overflows += 1
            self._wake.set()

    def root_lost(self) -> None:
        """The root went away, or another stands in its place."""
        self._is_root_lost = True
        self._hearing.missing(True)
        self._wake.set()

    # The keeper

    def _run(self) -> None:
        self._thread = threading.Thread(target=self._keep, name="helix-watch", daemon=True)
        self._thread.start()

    def _see_to_keeper(self) -> None:
        with self._lock:
            thread = self._thread
            if thread is None or thread.is_alive() or self._is_stopping:
                return
            self._run()
        self._hearing.whole()
        self.look_again()

    def _keep(self) -> None:
        while not self._is_stopping:
            started = self._pulse()
            self._wake.wait(self._wait_s())
            self._is_busy = True
            self._wake.clear()
            if self._is_stopping:
                return
            if self._pulse() - started > GAP_S:
                self._hearing.whole()
                self.look_again()
            started = self._pulse()
            self._turn()
            if self._pulse() - started > GAP_S:
                # Stopped in the middle of it, or only slow: looking again would be slow again.
                self._hearing.whole()
            self._is_busy = False

    def _wait_s(self) -> float:
        now = time.monotonic()
        due = [now + (MISSING_LOOK_S if self._hearing.is_missing else BEAT_S)]
        due += [at for at in (self._look_at, self._coverage.poll_at) if at is not None]
        return max(0.0, min(due) - now)

    def _turn(self) -> None:
        try:
            if not self._is_in_place():
                return
            now = time.monotonic()
            with self._lock:
                has_overflowed, self._has_overflowed = self._has_overflowed, False
                is_due = self._look_at is not None and self._look_at <= now
                self._look_at = None if is_due else self._look_at
                new, self._new = self._new, set()
            if has_overflowed or self._coverage.is_deaf:
                # What was lost may have moved folders: their watches would tell of names that are not theirs.
                self._coverage.begin()
                self._hearing.whole()
            elif is_due:
                self._coverage.look()
            if new:
                self._coverage.enter(new)
            self._coverage.compare_rules()
            self._coverage.poll(now)
        except WorkspaceError:
            self.root_lost()

    def _is_in_place(self) -> bool:
        """Is the root there? When it left, let go of it; when one came back, begin again."""
        identity = _identity(self._path)
        is_lost, self._is_root_lost = self._is_root_lost, False
        if self._hearing.is_missing and not is_lost:
            if identity is None:
                return False
            self._identity = identity
            self._coverage.begin_elsewhere()
            self._hearing.missing(False)
            return True
        if is_lost or identity is None or identity != self._identity:
            self._hearing.missing(True)
            self._coverage.end()
            return False
        return True


def _identity(path: os.PathLike[str]) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
