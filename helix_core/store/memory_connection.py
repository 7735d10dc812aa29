"""The connection of the memory file: queries with the memory's errors, transactions, shared rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import apsw

from helix_core.model import Attribution
from helix_core.store.memory_file import MEMORY
from helix_core.store.memory_marks import (
    MODULUS,
    SUMMED,
    WORKSPACES,
    marks_of,
    row_mark,
    unlike_their_sum,
    words_mark,
)
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
        self._tokenizer: apsw.FTS5Tokenizer | None = None

    def last_row(self) -> int:
        """Return the row id of the last insert."""
        return self._session.connection.last_insert_rowid()

    def changes(self) -> int:
        """Return the number of rows that the last statement changed."""
        return self._session.connection.changes()

    def workspace_id(self, path: bytes) -> int:
        """Return the row id of a workspace, inserted when missing. Call it inside a transaction."""
        self.rows(_WORKSPACE, (path,))
        is_new = self.changes() > 0
        row = int(self.rows("SELECT id FROM workspace WHERE path = ?", (path,))[0][0])
        if is_new:
            self.mark(WORKSPACES, row)
        return row

    def attribution_id(self, by: Attribution) -> int:
        """Return the row id of an attribution, inserted when missing. Call it inside a transaction."""
        layers = (by.org, by.device, by.user, by.agent, by.timezone)
        self.rows(
            "INSERT OR IGNORE INTO attribution (org, device, user, agent, timezone) VALUES (?, ?, ?, ?, ?)", layers
        )
        sql = "SELECT id FROM attribution WHERE org = ? AND device = ? AND user = ? AND agent = ? AND timezone = ?"
        return int(self.rows(sql, layers)[0][0])

    def tokens(self, text: str) -> list[str]:
        """Tokenize the text as the postings are: folded, split, stemmed."""
        if self._tokenizer is None:
            self._tokenizer = self._session.connection.fts5_tokenizer("porter", ["unicode61"])
        return cast(
            "list[str]",
            self._tokenizer(
                text.encode("utf-8", "replace"),
                apsw.FTS5_TOKENIZE_DOCUMENT,
                None,
                include_offsets=False,
                include_colocated=False,
            ),
        )

    def posted(self, **columns: str) -> int:
        """Return the mark of the postings that a row with these texts gets."""
        return words_mark({name: self.tokens(text) for name, text in columns.items() if text})

    def add_mark(self, subject: str, mark: int) -> None:
        """Add a number, which may be below 0, to the sum of a subject. Call it inside a transaction."""
        self.rows("UPDATE mark SET sum = (sum + ?) & 0x3fffffffffffffff WHERE subject = ?", (mark % MODULUS, subject))

    def mark_row(self, subject: str, table: str, row: Sequence[Any]) -> None:
        """Add a row that was written, as ``SUMMED`` reads it, to the sum of a subject."""
        self.add_mark(subject, row_mark(table, row))

    def mark(self, subject: str, key: int | str) -> None:
        """Add the rows of a key, which were written, to the sum of a subject."""
        self.add_mark(subject, self._marks(subject, key))

    def unmark(self, subject: str, key: int | str) -> None:
        """Take the rows of a key, which are about to be removed, out of the sum of a subject."""
        self.add_mark(subject, -self._marks(subject, key))

    @contextmanager
    def remarked(self, subject: str, key: int | str) -> Iterator[None]:
        """Keep the sum of a subject while the block changes the rows of a key."""
        self.unmark(subject, key)
        yield
        self.mark(subject, key)

    def unlike_their_sum(self) -> tuple[str, ...]:
        """Return the subjects whose rows or postings are not as they were written."""
        with self._session.errors():
            return unlike_their_sum(self._session.connection, self.rows)

    def _marks(self, subject: str, key: int | str) -> int:
        selects = {each.table: f"{each.select} WHERE {each.of}" for each in SUMMED[subject]}
        return marks_of(lambda sql: self.rows(sql, (key,)), selects)

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
