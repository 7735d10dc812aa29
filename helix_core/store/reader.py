"""The read side: one object, its questions grouped by what they are about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

import apsw

from helix_core.store.lexical import EvidenceQueries
from helix_core.store.names import NameQueries, UseQueries
from helix_core.store.sources import ClaimQueries, KinQueries, SourceQueries, digest_of
from helix_core.store.sqlite_file import translated
from helix_core.store.vectors import MissingVectors


class Reader(SourceQueries, EvidenceQueries, NameQueries, ClaimQueries, UseQueries, KinQueries, MissingVectors):
    """Answers about live versions only, for one thread. Close it when the thread is done.

    Each question sees the last committed state; inside ``snapshot()`` all of them see the same one.
    Questions raise QueryBudgetError, CorruptStoreError (rebuild the index) or StoreError.
    """

    def __init__(
        self, path: str, connection: apsw.Connection, budget_ms: float, source_id_of: Callable[[bytes], str]
    ) -> None:
        super().__init__(path, connection, budget_ms)
        self._source_id_of = source_id_of

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Hold one state for several questions. Keep it short: the log cannot shrink past an open snapshot."""
        if self._connection.in_transaction:
            yield
            return
        self._rows("BEGIN")
        try:
            yield
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def version(self) -> int:
        """Differs from what it was before whenever another connection has written since, the writer's included."""
        return int(self._rows("PRAGMA data_version")[0][0])

    def meta(self, key: str) -> str:
        """A fact stored with ``Writer.set_meta``; empty when there is none."""
        rows = self._rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else ""

    def digest(self) -> str:
        """SHA-256 (hex) over all live content in path order: equal for equal files, whatever their history."""
        with self.snapshot(), translated(self._path):
            return digest_of(self._connection)

    def close(self) -> None:
        """Close the connection. It never checkpoints."""
        with translated(self._path):
            self._connection.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
