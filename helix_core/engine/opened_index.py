"""The index of an open workspace: one file, one reader, one writer; another file when this one proves damaged.

Knows when the file at its path is no longer the one that was opened. Holds no content of its own and never decides
what is indexed: after ``start_over`` the index is empty, and whoever asked for it refreshes.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from helix_core.errors import CorruptStoreError, StoreError
from helix_core.store.index import Identity, open_or_rebuild, rebuild
from helix_core.store.reader import Reader
from helix_core.store.sqlite_file import BUSY_TIMEOUT_MS
from helix_core.store.writer import Writer
from helix_core.workspace.paths import source_id_of


class OpenedIndex:
    """Belongs to one thread. ``notices`` tells, in the order of happening, what was moved aside and why."""

    def __init__(self, path: Path, write_wait_ms: int = BUSY_TIMEOUT_MS) -> None:
        """Open the index at ``path``, or make one; raises StoreError when neither can be done.

        A write waits at most ``write_wait_ms`` for another connection's, then raises BusyStoreError.
        """
        self.path = path
        self._write_wait_ms = write_wait_ms
        self._index, notice = open_or_rebuild(path, time.time(), source_id_of=source_id_of)
        self.notices: tuple[str, ...] = (notice,) if notice else ()
        try:
            self._reader = self._index.reader()
        except CorruptStoreError as error:
            self._replace(str(error))
        except BaseException:
            self._index.close()
            raise

    @property
    def reader(self) -> Reader:
        """The one reader, of the file that is open now: do not keep it across calls."""
        return self._reader

    @property
    def writer(self) -> Writer:
        """The one writer, of the file that is open now."""
        writer = self._index.writer()
        writer.wait_at_most(self._write_wait_ms)
        return writer

    def wait_at_most(self, write_wait_ms: int) -> None:
        """From now on a write waits no longer than this for another connection's."""
        self._write_wait_ms = min(self._write_wait_ms, write_wait_ms)

    def check_present(self) -> None:
        """Raises CorruptStoreError when the file was taken away, emptied or replaced since it was opened."""
        if not self._index.is_present():
            raise CorruptStoreError(f"The index {self.path} was removed or replaced while open; it was built again.")

    def start_over(self, cause: str) -> None:
        """Move the damaged file aside and open an empty one, or the one another process has already put there."""
        # What is left of a damaged file may refuse to be closed in order; its descriptors go all the same.
        with suppress(StoreError):
            self._reader.close()
        self._replace(cause)

    def _replace(self, cause: str) -> None:
        damaged: Identity | None = self._index.identity
        with suppress(StoreError):
            self._index.close()
        try:
            self._index, notice = rebuild(self.path, time.time(), cause, damaged=damaged, source_id_of=source_id_of)
        except CorruptStoreError:
            # Somebody put another file in the place of ours, and that one is damaged too.
            self._index, notice = open_or_rebuild(self.path, time.time(), source_id_of=source_id_of)
        self.notices = (*self.notices, notice)
        self._reader = self._index.reader()

    def close(self) -> None:
        """Close reader and index."""
        self._reader.close()
        self._index.close()
