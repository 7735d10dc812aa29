"""The inter-process write lock of an index (filelock): one process at a time changes it.

A process that was ordered to index holds a second lock while it waits, so that a question which happens to build the
index can detect it and hand over.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from helix_core.errors import BusyStoreError, HandedOverError, StoreError
from helix_core.printable import count

LOCK_WAIT_S = 600.0
"""Timeout of an order to index, in seconds; a shorter one belongs to a question."""
ORDER_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class LockHolder:
    """The process that changes an index: its name and id, 0 where it did not say, and since when in Unix seconds."""

    name: str = ""
    pid: int = 0
    since: float = 0.0


@contextmanager
def turn(
    index_path: Path, waiting: Callable[[], None], wait_s: float = LOCK_WAIT_S, *, name: str = ""
) -> Iterator[None]:
    """Hold the write lock of an index.

    Args:
        index_path: The index; the lock is a file next to it.
        waiting: Called once when another process holds the lock.
        wait_s: How many seconds to wait for it.
        name: What a status calls this process.

    Raises:
        BusyStoreError: The lock is not released within ``wait_s``.
        StoreError: The lock file cannot be created.
    """
    lock = FileLock(str(index_path.with_suffix(".lock")))
    try:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            waiting()
            with _ordering(index_path) if wait_s >= LOCK_WAIT_S else nullcontext():
                lock.acquire(timeout=wait_s)
    except Timeout as error:
        raise BusyStoreError(
            f"Another Helix has held the index {index_path} for {_duration(wait_s)}; end it or try again."
        ) from error
    except OSError as error:
        raise StoreError(
            f"The index {index_path} cannot be locked ({error.strerror}); make {index_path.parent} writable, "
            "free space on its disk, or choose another cache folder."
        ) from error
    holder = index_path.with_suffix(".holder")
    try:
        # Who holds the lock is told to a status alone.
        with suppress(OSError):
            holder.write_text(json.dumps(asdict(LockHolder(name, os.getpid(), round(time.time(), 1)))), "utf-8")
        yield
    finally:
        with suppress(OSError):
            holder.unlink(missing_ok=True)
        lock.release()


def lock_holder(index_path: Path) -> LockHolder | None:
    """Return the process that holds the write lock, None for none."""
    lock = FileLock(str(index_path.with_suffix(".lock")))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        pass
    except OSError:
        return None
    else:
        lock.release()
        return None
    try:
        holder = json.loads(index_path.with_suffix(".holder").read_bytes())
        return LockHolder(str(holder["name"]), int(holder["pid"]), float(holder["since"]))
    except (OSError, ValueError, TypeError, KeyError):
        # It is just beginning or ending, or of a version that does not tell.
        return LockHolder()


def handing_over(index_path: Path, at: float, clock: Callable[[], float] = time.monotonic) -> Callable[[], None]:
    """Return a check to call between files, for a refresh that a question waits for.

    It raises HandedOverError once an order to index waits for this process at time ``at`` or later.
    """
    look_at = at

    def check() -> None:
        nonlocal look_at
        now = clock()
        if now < look_at:
            return
        look_at = now + ORDER_LOOK_S
        if is_ordered(index_path):
            raise HandedOverError(f"Another Helix goes on building the index {index_path}; try again.")

    return check


def is_ordered(index_path: Path) -> bool:
    """Return whether a process that was ordered to index waits for the lock."""
    lock = _order_lock(index_path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    except OSError:
        return False
    lock.release()
    return False


@contextmanager
def _ordering(index_path: Path) -> Iterator[None]:
    """Hold the lock that shows that an order waits; of several waiting processes, one holds it."""
    lock = _order_lock(index_path)
    # Without this lock the other process's question takes longer, and this order loses nothing.
    with suppress(Timeout, OSError):
        lock.acquire(timeout=0)
    try:
        yield
    finally:
        lock.release()


def _order_lock(index_path: Path) -> FileLock:
    return FileLock(str(index_path.with_suffix(".order")), mode=0o600)


def _duration(seconds: float) -> str:
    return count(round(seconds / 60), "minute") if seconds >= 60 else f"{seconds:g} s"
