"""The memory as an open workspace has it: opened when there is one, made when something is given, never in the way.

Without a file it costs one stat a question. What is wrong with it is said, and answers go on without.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from helix_core.errors import CorruptMemoryError, MemoryStoreError

if TYPE_CHECKING:
    from helix_core.store.memory import Memory

FILE = "memory.db"
T = TypeVar("T")


class Remembered:
    """Belongs to one thread. ``notices`` tells what was set aside."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._file = os.fspath(folder / FILE) if folder is not None else ""
        self._memory: Memory | None = None
        self._is_suspect = False
        self.notices: tuple[str, ...] = ()

    def read(self, act: Callable[[Memory], T]) -> T | None:
        """What ``act`` gives, or None where there is no memory. Raises StoreError."""
        if not self._file or not os.path.lexists(self._file):
            if self._memory is not None:
                self.close()
            return None
        return self._with(act)

    def write(self, act: Callable[[Memory], T]) -> T:
        """The same, the memory made where there is none. Raises StoreError, and what ``act`` raises."""
        return self._with(act)

    def close(self) -> None:
        """Close it; it is opened again when it is asked for."""
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()

    def _with(self, act: Callable[[Memory], T]) -> T:
        try:
            return act(self._opened())
        except CorruptMemoryError:
            # Looked at page by page when it is opened the next time, and set aside whole if it is damaged.
            self._is_suspect = True
            self.close()
            raise

    def _opened(self) -> Memory:
        from helix_core.store.memory import Memory

        if self._folder is None:
            raise MemoryStoreError("No folder is set for the memory; set HELIX_DATA_DIR to one.")
        if self._memory is not None and not self._memory.is_present():
            self.close()
        if self._memory is None:
            self._memory = Memory(self._folder, time.time(), suspect=self._is_suspect)
            self._is_suspect = False
            if self._memory.notice:
                self.notices = (*self.notices, self._memory.notice)
        return self._memory
