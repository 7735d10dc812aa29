"""The connection of the memory file: queries with the memory's errors, transactions, shared rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from helix_core.model import Attribution
from helix_core.store.memory_file import MEMORY
from helix_core.store.sqlite_file import BUSY_TIMEOUT_MS, QuerySession

QUERY_BUDGET_MS = 50.0
_WORKSPACE = """
    INSERT INTO workspace (path, key) VALUES (?, 'w_' || lower(hex(randomblob(8)))) ON CONFLICT (path) DO NOTHING
"""


class MemoryConnection:
    """The memory file's connection: queries that raise the memory's errors, and transactions."""

    def __init__(self, path: str, connection: apsw.Connection) -> None:
        self._session = QuerySession(path, connection, QUERY_BUDGET_MS, MEMORY.errors)
        self.path = path
        self.rows = self._session.rows
        self.bounded_rows = self._session.bounded_rows
        self.close = self._session.close
        self.transaction = self._session.transaction

    def last_row(self) -> int:
        """Return the row id of the last insert."""
        return self._session.connection.last_insert_rowid()

    def changes(self) -> int:
        """Return the number of rows that the last statement changed."""
        return self._session.connection.changes()

    def workspace_id(self, path: bytes) -> int:
        """Return the row id of a workspace, inserted when missing. Call it inside a transaction."""
        self.rows(_WORKSPACE, (path,))
        return int(self.rows("SELECT id FROM workspace WHERE path = ?", (path,))[0][0])

    def attribution_id(self, by: Attribution) -> int:
        """Return the row id of an attribution, inserted when missing. Call it inside a transaction."""
        layers = (by.org, by.device, by.user, by.agent, by.timezone)
        self.rows(
            "INSERT OR IGNORE INTO attribution (org, device, user, agent, timezone) VALUES (?, ?, ?, ?, ?)", layers
        )
        sql = "SELECT id FROM attribution WHERE org = ? AND device = ? AND user = ? AND agent = ? AND timezone = ?"
        return int(self.rows(sql, layers)[0][0])

    def tokenizer(self, name: str, *arguments: str) -> apsw.FTS5Tokenizer:
        """Return a tokenizer of FTS5 by its name."""
        return self._session.connection.fts5_tokenizer(name, [*arguments])

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Run the queries of the block on one state of the file, also while another process writes."""
        self.rows("SAVEPOINT snapshot")
        try:
            yield
        finally:
            self.rows("RELEASE snapshot")

    @contextmanager
    def busy_timeout(self, wait_ms: int) -> Iterator[None]:
        """Set the busy timeout, in milliseconds, for the block (BusyStoreError)."""
        self._session.connection.set_busy_timeout(wait_ms)
        try:
            yield
        finally:
            self._session.connection.set_busy_timeout(BUSY_TIMEOUT_MS)
