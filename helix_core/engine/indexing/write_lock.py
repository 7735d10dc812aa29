"""The inter-process write lock of an index (filelock): one process at a time changes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from helix_core.errors import BusyStoreError, StoreError

LOCK_WAIT_S = 600.0


@contextmanager
def turn(index_path: Path, waiting: Callable[[], None], wait_s: float = LOCK_WAIT_S) -> Iterator[None]:
    """Hold the index for writing much; ``waiting`` is called once when another process does.

    Raises BusyStoreError when the other takes longer than ``wait_s``, and StoreError when the lock cannot be made
    beside the index.
    """
    lock = FileLock(str(index_path.with_suffix(".lock")))
    try:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            waiting()
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
    try:
        yield
    finally:
        lock.release()


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 60 else f"{seconds:g} s"
