"""The memory: exchanges, notes, and what sessions were given, in one precious SQLite file a user.

In: values whose text is ``Clean``. Out: the same, found again. The oldest exchanges are pruned, and the oldest of what
sessions were given and used; a note stays until it is forgotten, and is then gone from the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from helix_core.errors import MemoryStoreError
from helix_core.model import Attribution, Chunk, Exchange, Note
from helix_core.store.memory_file import NAME, open_file, remembered
from helix_core.store.memory_uses import MOST_USES, MemoryUses
from helix_core.store.session import BUSY_TIMEOUT_MS

QUERY_BUDGET_MS = 50.0
DELIVER_WAIT_MS = 400
MOST_EXCHANGES = 10_000
MOST_EXCHANGE_BYTES = 64 * 1024 * 1024
MOST_NOTE_BYTES = 256 * 1024 * 1024
MOST_DELIVERED = 20_000
_EXCHANGE = "INSERT INTO exchange VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PRUNE = """
    DELETE FROM exchange WHERE id <= (
        SELECT coalesce(max(id), 0) FROM (
            SELECT id, row_number() OVER newest AS place, sum(size_bytes) OVER newest AS held
            FROM exchange WINDOW newest AS (ORDER BY id DESC)
        ) WHERE place > ?1 OR held > ?2
    )
"""


class Memory(MemoryUses):
    """An open memory; one connection, for the thread that opened it. Close it when the thread is done."""

    def __init__(
        self,
        folder: Path,
        now: float,
        *,
        suspect: bool = False,
        most_exchanges: int = MOST_EXCHANGES,
        most_exchange_bytes: int = MOST_EXCHANGE_BYTES,
        most_note_bytes: int = MOST_NOTE_BYTES,
        most_uses: int = MOST_USES,
    ) -> None:
        """Open the memory in ``folder``, or make one; ``notice`` says what was set aside. As ``open_file``."""
        connection, self.notice = open_file(folder, now, suspect=suspect)
        super().__init__(os.fspath(folder / NAME), connection, QUERY_BUDGET_MS)
        self._identity = _identity(self._path)
        self._most_exchanges, self._most_exchange_bytes = most_exchanges, most_exchange_bytes
        self._most_note_bytes, self._most_uses = most_note_bytes, most_uses

    def is_present(self) -> bool:
        """Is the file at the path still the one that was opened? One stat."""
        return _identity(self._path) == self._identity

    def add_exchange(self, exchange: Exchange) -> int:
        """Keep an exchange, and no more of the oldest than there is room for; its id."""
        texts = (exchange.question, exchange.answer, exchange.model, exchange.session)
        size = sum(len(text.encode("utf-8", "replace")) for text in texts)
        with self._transaction():
            row = (
                self._workspace(exchange.workspace),
                *(exchange.session, exchange.question, exchange.answer, exchange.model, exchange.packet_id),
                *(exchange.at, exchange.finish, int(exchange.truncated), self._attribution(exchange.by), size),
            )
            self._rows(_EXCHANGE, row)
            made = self._connection.last_insert_rowid()
            self._rows(_PRUNE, (self._most_exchanges, self._most_exchange_bytes))
        return made

    def put_note(self, note: Note) -> int:
        """Keep a note; the same text given again is the same note, and counts as said anew. Its id.

        Raises MemoryStoreError when the notes have grown beyond their room: none is dropped for another.
        """
        with self._transaction():
            workspace, by = self._workspace(note.workspace), self._attribution(note.by)
            content_hash = bytes.fromhex(note.content_hash)
            known = self._rows(
                "SELECT id FROM note WHERE workspace_id = ? AND content_hash = ?", (workspace, content_hash)
            )
            if known:
                note_id: int = known[0][0]
                self._rows("UPDATE note SET at = max(at, ?) WHERE id = ?", (note.at, note_id))
            else:
                self._check_room(len(note.text))
                self._rows(
                    "INSERT INTO note VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        *(workspace, content_hash, note.text, note.content_type, note.title, note.metadata),
                        *(note.language, note.source_kind.value, note.volatility.value, note.at, by, note.parser),
                    ),
                )
                note_id = self._connection.last_insert_rowid()
                self._put_items(note_id, note.title, note.chunks)
            for exchange in note.evidence:
                self._rows("INSERT OR IGNORE INTO evidence VALUES (?, ?)", (note_id, exchange))
        return note_id

    def replace_items(self, note_id: int, chunks: Iterable[Chunk], parser: str) -> None:
        """The items and claims of a note made anew, of the same text."""
        with self._transaction():
            (title,) = self._rows("SELECT title FROM note WHERE id = ?", (note_id,))[0]
            self._drop_items(note_id)
            self._put_items(note_id, title, chunks)
            self._rows("UPDATE note SET parser = ? WHERE id = ?", (parser, note_id))

    def forget(self, workspace: bytes, gene_id: bytes) -> tuple[str, ...]:
        """Delete every note of the workspace that holds this chunk, whole; the gene_ids that are gone.

        What was deleted is overwritten in the file, and the log that may still hold it is emptied.
        """
        gone: dict[str, None] = {}
        with self._transaction():
            for note_id in {item.note_id for item in self.items_with(workspace, gene_id)}:
                gone.update((item.gene_id, None) for item in self.items_of(note_id))
                self._drop_items(note_id)
                self._rows("DELETE FROM note WHERE id = ?", (note_id,))
            for gene in gone:
                self._rows("DELETE FROM delivered WHERE gene_id = ?", (bytes.fromhex(gene),))
        if gone:
            self._rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return tuple(gone)

    def forget_session(self, workspace: bytes, session: str) -> int:
        """Delete the exchanges of a session, what it was given and what it used; how many exchanges went."""
        with self._transaction():
            place = self._workspace(workspace)
            self._rows("DELETE FROM used WHERE workspace_id = ? AND session = ?", (place, session))
            self._rows("DELETE FROM delivered WHERE workspace_id = ? AND session = ?", (place, session))
            self._rows("DELETE FROM exchange WHERE workspace_id = ? AND session = ?", (place, session))
            count = self._connection.changes()
        self._rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return count

    def deliver(self, workspace: bytes, session: str, given: Iterable[tuple[str, str]], at: float) -> None:
        """Remember what a session was given whole: ``(gene_id, content_hash)`` each; the oldest are dropped.

        A question stands behind it, so it waits for other writers as long as one may: BusyStoreError soon.
        """
        with self._waiting_at_most(DELIVER_WAIT_MS), self._transaction():
            place = self._workspace(workspace)
            for gene_id, content_hash in given:
                row = (place, session, bytes.fromhex(gene_id), bytes.fromhex(content_hash), at)
                self._rows("INSERT OR REPLACE INTO delivered VALUES (?, ?, ?, ?, ?)", row)
            sql = "DELETE FROM delivered WHERE at < (SELECT at FROM delivered ORDER BY at DESC LIMIT 1 OFFSET ?)"
            self._rows(sql, (MOST_DELIVERED,))

    def use(self, workspace: bytes, session: str, paths: Iterable[bytes], at: float, sitting_s: float) -> None:
        """Remember that a session opened or cited files; one used again within ``sitting_s`` is one use.

        Waits for other writers as ``deliver`` does.
        """
        with self._waiting_at_most(DELIVER_WAIT_MS), self._transaction():
            place = (self._workspace(workspace), session)
            for path in paths:
                self._put_use(place, path, at, sitting_s)
            self._drop_oldest_uses(self._most_uses)

    def close(self) -> None:
        """Close the connection."""
        with remembered(self._path):
            self._connection.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _put_items(self, note_id: int, title: str, chunks: Iterable[Chunk]) -> None:
        for number, chunk in enumerate(chunks):
            self._rows(
                "INSERT INTO note_item VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(note_id, number, bytes.fromhex(chunk.text_hash), chunk.kind, chunk.name, chunk.breadcrumb),
                    *(chunk.start_byte, chunk.end_byte, chunk.start_line, chunk.end_line),
                ),
            )
            item, text = self._connection.last_insert_rowid(), chunk.text
            self._rows(
                "INSERT INTO note_fts (rowid, body, doc, names, extra, title) VALUES (?, ?, ?, ?, ?, ?)",
                (item, text.body, text.doc, text.names, text.extra, title),
            )
            for ordinal, claim in enumerate(chunk.claims):
                row = (item, ordinal, claim.key, claim.value, claim.value_type, claim.line)
                self._rows("INSERT INTO note_claim VALUES (?, ?, ?, ?, ?, ?)", row)

    def _drop_items(self, note_id: int) -> None:
        """Before their notes: what the postings know of them goes by row."""
        for (item,) in self._rows("SELECT id FROM note_item WHERE note_id = ?", (note_id,)):
            self._rows("DELETE FROM note_fts WHERE rowid = ?", (item,))
        self._rows("DELETE FROM note_item WHERE note_id = ?", (note_id,))
        # A deletion is a mark in the postings until they are merged.
        self._rows("INSERT INTO note_fts (note_fts) VALUES ('optimize')")

    def _check_room(self, more: int) -> None:
        held = int(self._rows("SELECT coalesce(sum(length(text)), 0) FROM note")[0][0])
        if held + more > self._most_note_bytes:
            raise MemoryStoreError(
                f"The memory {self._path} holds {held // 2**20} MiB of notes and takes no more; forget some first."
            )

    def _workspace(self, path: bytes) -> int:
        self._rows("INSERT OR IGNORE INTO workspace (path) VALUES (?)", (path,))
        return int(self._rows("SELECT id FROM workspace WHERE path = ?", (path,))[0][0])

    def _attribution(self, by: Attribution) -> int:
        layers = (by.org, by.device, by.user, by.agent, by.timezone)
        self._rows(
            "INSERT OR IGNORE INTO attribution (org, device, user, agent, timezone) VALUES (?, ?, ?, ?, ?)", layers
        )
        sql = "SELECT id FROM attribution WHERE org = ? AND device = ? AND user = ? AND agent = ? AND timezone = ?"
        return int(self._rows(sql, layers)[0][0])

    @contextmanager
    def _waiting_at_most(self, wait_ms: int) -> Iterator[None]:
        self._connection.set_busy_timeout(wait_ms)
        try:
            yield
        finally:
            self._connection.set_busy_timeout(BUSY_TIMEOUT_MS)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it or nothing."""
        self._rows("BEGIN IMMEDIATE")
        try:
            yield
            self._rows("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._rows("ROLLBACK")
            raise


def _identity(file: str) -> tuple[int, int] | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_dev, status.st_ino
