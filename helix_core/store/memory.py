"""The memory store: exchanges, notes, deliveries, uses and pauses, in one SQLite file a user. It must not be lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from helix_core.errors import BusyStoreError, MemoryStoreError
from helix_core.model import (
    Attribution,
    Chunk,
    Exchange,
    KeptExchange,
    KeptPause,
    Note,
    NoteItem,
    Pause,
    PauseFilter,
    PauseType,
    Pointer,
    SourceKind,
    Volatility,
)
from helix_core.store.hits import ClaimHit, Weights
from helix_core.store.lexical import phrase
from helix_core.store.memory_connection import MemoryConnection
from helix_core.store.memory_file import NAME, open_file
from helix_core.store.memory_items import MemoryItems
from helix_core.store.memory_marks import NOTES
from helix_core.store.memory_transfer import MemoryTransfer
from helix_core.store.sqlite_file import Row, id_list

_ITEM = """
    i.id, i.note_id, i.number, i.gene_id, i.kind, i.name, i.breadcrumb, i.start_byte, i.end_byte, i.start_line,
    i.end_line, n.text, n.content_hash, n.content_type, n.title, n.language, n.source_kind, n.volatility, n.at
"""
_OF = f"SELECT {_ITEM} FROM workspace w JOIN note n ON n.workspace_id = w.id JOIN note_item i ON i.note_id = n.id"
_MATCHES = f"""
    SELECT {_ITEM} FROM note_fts f JOIN note_item i ON i.id = f.rowid JOIN note n ON n.id = i.note_id
    JOIN workspace w ON w.id = n.workspace_id
    WHERE f.note_fts MATCH ?1 AND f.rank MATCH ?2 AND w.path = ?3 AND NOT n.waits ORDER BY f.rank, i.id LIMIT ?4
"""
_EXCHANGES = """
    SELECT e.id, e.session, e.question, e.answer, e.model, e.packet_id, e.at, e.finish, e.truncated,
        a.org, a.device, a.user, a.agent, a.timezone
    FROM exchange e JOIN workspace w ON w.id = e.workspace_id JOIN attribution a ON a.id = e.attribution_id
    WHERE w.path = ?1 AND (?2 IS NULL OR e.session = ?2) ORDER BY e.id DESC LIMIT ?3
"""
_WEIGHTS = Weights(path=2.0, names=2.0)
MOST_USES = 20_000
MOST_ASKED = 8
_MOST_TOGETHER = 2_000

# CROSS JOIN fixes the join order: the planner would scan every use of a workspace instead of looking a path up.
# Paths are raw bytes, which JSON cannot hold, so they are bound as hexadecimal.
_TOGETHER = """
    SELECT a.path, o.path, a.session, a.at
    FROM workspace w CROSS JOIN json_each(?2) wanted
    CROSS JOIN used a ON a.workspace_id = w.id AND a.path = unhex(wanted.value)
    CROSS JOIN used o ON o.workspace_id = w.id AND o.session = a.session AND o.at BETWEEN a.at - ?3 AND a.at + ?3
    WHERE w.path = ?1 AND o.path <> a.path ORDER BY a.at DESC, a.id, o.id LIMIT ?4
"""
_COUNTS = """
    SELECT u.path, count(*) FROM workspace w CROSS JOIN json_each(?2) wanted
    CROSS JOIN used u ON u.workspace_id = w.id AND u.path = unhex(wanted.value) WHERE w.path = ?1 GROUP BY 1
"""
_LATELY = """
    SELECT u.path, max(u.at) FROM workspace w JOIN used u ON u.workspace_id = w.id
    WHERE w.path = ?1 AND u.session = ?2 AND u.at >= ?3 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?4
"""
_USE = """
    INSERT INTO used (workspace_id, session, path, at) SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS (
        SELECT 1 FROM used WHERE workspace_id = ?1 AND session = ?2 AND path = ?3 AND at BETWEEN ?4 - ?5 AND ?4 + ?5
    )
"""
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
MOST_PAUSES = 2_000
MOST_SNAPSHOTS = 8
"""Open pauses, over all workspaces, that keep the snapshot of their workspace."""
_PAUSE = """
    p.event_id, p.session, p.pause_type, p.participant, p.party, p.task_context, p.resolved_without_operator,
    p.signals, p.about, p.files, p.snapshot, p.at, p.resolved_at
"""
_PAUSES_LISTED = f"""
    SELECT {_PAUSE} FROM pause p JOIN workspace w ON w.id = p.workspace_id
    WHERE w.path = ?1 AND (?2 = '' OR p.pause_type = ?2) AND (?3 = '' OR p.participant = ?3)
        AND (?4 = '' OR p.party = ?4) AND p.at >= ?5 AND (NOT ?6 OR p.resolved_at IS NULL)
    ORDER BY p.id DESC LIMIT ?7
"""
_IS_PAUSE_OPEN = """
    SELECT EXISTS (
        SELECT 1 FROM pause WHERE workspace_id = (SELECT id FROM workspace WHERE path = ?1) AND resolved_at IS NULL
            AND at >= ?2 AND (?3 = '' OR event_id = ?3)
    )
"""
_RESOLVE_PAUSE = """
    UPDATE pause SET resolved_at = ?3, snapshot = x'' WHERE event_id = ?2 AND resolved_at IS NULL
        AND workspace_id = (SELECT id FROM workspace WHERE path = ?1)
"""
_THIN_SNAPSHOTS = """
    UPDATE pause SET snapshot = x'' WHERE length(snapshot) > 0 AND id NOT IN (
        SELECT id FROM pause WHERE length(snapshot) > 0 AND resolved_at IS NULL ORDER BY id DESC LIMIT ?1
    )
"""


class MemoryNotes:
    """Notes, their items and claims."""

    def __init__(self, file: MemoryConnection, most_bytes: int) -> None:
        self._file = file
        self._most_bytes = most_bytes

    def matches(self, workspace: bytes, words: Iterable[str], limit: int) -> list[NoteItem]:
        """Return items of a workspace's notes that contain some of the words, best first by BM25."""
        match = " OR ".join(phrase(word) for word in words)
        if not match:
            return []
        return [_item(row) for row in self._file.bounded_rows(_MATCHES, (match, _WEIGHTS.rank, workspace, limit))]

    def items_with(self, workspace: bytes, gene_id: bytes, *, waiting: bool | None = False) -> list[NoteItem]:
        """Return the items whose text has this hash, of notes in force, of those that wait, or with None of all."""
        where = "WHERE w.path = ?1 AND i.gene_id = ?2 AND (?3 IS NULL OR n.waits = ?3)"
        return [_item(row) for row in self._file.rows(f"{_OF} {where}", (workspace, gene_id, waiting))]

    def waiting(self, workspace: bytes, limit: int) -> list[tuple[NoteItem, str]]:
        """Return the first item of each note that waits for a person, with the agent that gave it, the newest first."""
        sql = f"""
            SELECT {_ITEM}, a.agent FROM workspace w JOIN note n ON n.workspace_id = w.id
            JOIN note_item i ON i.note_id = n.id AND i.number = 0 JOIN attribution a ON a.id = n.attribution_id
            WHERE w.path = ? AND n.waits ORDER BY n.id DESC LIMIT ?
        """
        return [(_item(row[:-1]), row[-1]) for row in self._file.rows(sql, (workspace, limit))]

    def approve(self, workspace: bytes, gene_id: bytes) -> tuple[str, ...]:
        """Put the waiting notes of the workspace that have this chunk in force; return their gene_ids."""
        found: dict[str, None] = {}
        with self._file.transaction():
            for note_id in {item.note_id for item in self.items_with(workspace, gene_id, waiting=True)}:
                with self._file.remarked(NOTES, note_id):
                    self._file.rows("UPDATE note SET waits = 0 WHERE id = ?", (note_id,))
                found.update((item.gene_id, None) for item in self.items_of(note_id))
        return tuple(found)

    def items_of(self, note_id: int) -> list[NoteItem]:
        """Return the items of a note, in order."""
        return [_item(row) for row in self._file.rows(f"{_OF} WHERE n.id = ? ORDER BY i.number", (note_id,))]

    def items_of_text(self, workspace: bytes, hash_begins: bytes) -> list[NoteItem]:
        """Return, in order, the items of the note whose text hash starts with ``hash_begins``."""
        where = (
            "WHERE w.path = ?1 AND substr(n.content_hash, 1, length(?2)) = ?2 AND NOT n.waits ORDER BY n.id, i.number"
        )
        return [_item(row) for row in self._file.rows(f"{_OF} {where}", (workspace, hash_begins))]

    def claims_of(self, item_ids: Iterable[int]) -> dict[int, list[ClaimHit]]:
        """Return the claims of each item; items without claims are missing. A hit's source is its note."""
        sql = """
            SELECT c.item_id, i.note_id, c.key, c.value, c.value_type, c.line
            FROM json_each(?) wanted JOIN note_claim c ON c.item_id = wanted.value
            JOIN note_item i ON i.id = c.item_id ORDER BY c.item_id, c.ordinal
        """
        found: dict[int, list[ClaimHit]] = {}
        for row in self._file.rows(sql, (id_list(item_ids),)):
            found.setdefault(row[0], []).append(ClaimHit(*row))
        return found

    def evidence_of(self, note_id: int) -> tuple[int, ...]:
        """Return the ids of the exchanges that a fact was derived from."""
        rows = self._file.rows("SELECT exchange_id FROM note_evidence WHERE note_id = ? ORDER BY 1", (note_id,))
        return tuple(row[0] for row in rows)

    def all(self, workspace: bytes) -> list[tuple[int, str, str, str, str]]:
        """Return ``(id, parser, content_type, metadata, text)`` of each note of a workspace, for parsing it again."""
        columns = "n.id, n.parser, n.content_type, n.metadata, n.text"
        sql = f"SELECT {columns} FROM note n JOIN workspace w ON w.id = n.workspace_id WHERE w.path = ? ORDER BY n.id"
        return [(row[0], row[1], row[2], row[3], row[4]) for row in self._file.rows(sql, (workspace,))]

    def put(self, note: Note, *, waits: bool = False) -> int:
        """Insert a note and return its id; the same text again updates the existing note.

        With ``waits`` nothing finds a new note before it is approved; given again without, it is approved.

        Raises MemoryStoreError when the notes exceed their size limit: no note is evicted for another.
        """
        with self._file.transaction():
            workspace, by = self._file.workspace_id(note.workspace), self._file.attribution_id(note.by)
            content_hash = bytes.fromhex(note.content_hash)
            known = self._file.rows(
                "SELECT id FROM note WHERE workspace_id = ? AND content_hash = ?", (workspace, content_hash)
            )
            if known:
                note_id: int = known[0][0]
                self._file.unmark(NOTES, note_id)
                sql = "UPDATE note SET at = max(at, ?), waits = min(waits, ?) WHERE id = ?"
                self._file.rows(sql, (note.at, waits, note_id))
            else:
                self._check_room(len(note.text))
                self._file.rows(
                    "INSERT INTO note VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        *(workspace, content_hash, note.text, note.content_type, note.title, note.metadata),
                        *(
                            note.language,
                            note.source_kind.value,
                            note.volatility.value,
                            note.at,
                            by,
                            note.parser,
                            waits,
                        ),
                    ),
                )
                note_id = self._file.last_row()
                self._put_items(note_id, note.title, note.chunks)
            for exchange in note.evidence:
                self._file.rows("INSERT OR IGNORE INTO note_evidence VALUES (?, ?)", (note_id, exchange))
            self._file.mark(NOTES, note_id)
        return note_id

    def agent_of(self, note_id: int) -> str:
        """Return the name of the agent that gave a note, empty for none."""
        sql = "SELECT a.agent FROM note n JOIN attribution a ON a.id = n.attribution_id WHERE n.id = ?"
        return str(self._file.rows(sql, (note_id,))[0][0])

    def is_waiting(self, note_id: int) -> bool:
        """Return whether a note waits for a person."""
        return bool(self._file.rows("SELECT waits FROM note WHERE id = ?", (note_id,))[0][0])

    def replace_items(self, note_id: int, chunks: Iterable[Chunk], parser: str) -> None:
        """Replace the items and claims of a note after its text was parsed again."""
        with self._file.transaction(), self._file.remarked(NOTES, note_id):
            (title,) = self._file.rows("SELECT title FROM note WHERE id = ?", (note_id,))[0]
            self._drop_items(note_id)
            self._put_items(note_id, title, chunks)
            self._file.rows("UPDATE note SET parser = ? WHERE id = ?", (parser, note_id))

    def forget(self, workspace: bytes, gene_id: bytes) -> tuple[str, ...]:
        """Delete every note of the workspace that contains this chunk; return the deleted gene_ids.

        Deleted pages are overwritten (``secure_delete``) and the WAL, which may still contain them, is truncated.
        """
        gone: dict[str, None] = {}
        with self._file.transaction():
            for note_id in {item.note_id for item in self.items_with(workspace, gene_id, waiting=None)}:
                gone.update((item.gene_id, None) for item in self.items_of(note_id))
                self._file.unmark(NOTES, note_id)
                self._drop_items(note_id)
                self._file.rows("DELETE FROM note WHERE id = ?", (note_id,))
            for gene in gone:
                self._file.rows("DELETE FROM delivered WHERE gene_id = ?", (bytes.fromhex(gene),))
        if gone:
            self._file.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return tuple(gone)

    def _put_items(self, note_id: int, title: str, chunks: Iterable[Chunk]) -> None:
        for number, chunk in enumerate(chunks):
            text = chunk.text
            posted = self._file.posted(body=text.body, doc=text.doc, names=text.names, extra=text.extra, title=title)
            self._file.rows(
                "INSERT INTO note_item VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(note_id, number, bytes.fromhex(chunk.text_hash), chunk.kind, chunk.name, chunk.breadcrumb),
                    *(chunk.start_byte, chunk.end_byte, chunk.start_line, chunk.end_line, posted),
                ),
            )
            item = self._file.last_row()
            self._file.rows(
                "INSERT INTO note_fts (rowid, body, doc, names, extra, title) VALUES (?, ?, ?, ?, ?, ?)",
                (item, text.body, text.doc, text.names, text.extra, title),
            )
            for ordinal, claim in enumerate(chunk.claims):
                row = (item, ordinal, claim.key, claim.value, claim.value_type, claim.line)
                self._file.rows("INSERT INTO note_claim VALUES (?, ?, ?, ?, ?, ?)", row)

    def _drop_items(self, note_id: int) -> None:
        """Delete the items' rows and postings; call it before the notes are deleted, as postings are removed by row."""
        for (item,) in self._file.rows("SELECT id FROM note_item WHERE note_id = ?", (note_id,)):
            self._file.rows("DELETE FROM note_fts WHERE rowid = ?", (item,))
        self._file.rows("DELETE FROM note_item WHERE note_id = ?", (note_id,))
        # FTS5 keeps a delete marker in the postings until segments are merged.
        self._file.rows("INSERT INTO note_fts (note_fts) VALUES ('optimize')")

    def _check_room(self, more: int) -> None:
        held = int(self._file.rows("SELECT coalesce(sum(length(text)), 0) FROM note")[0][0])
        if held + more > self._most_bytes:
            raise MemoryStoreError(
                f"The memory {self._file.path} holds {held // 2**20} MiB of notes and takes no more; forget some first."
            )


class MemoryExchanges:
    """Questions with their answers, and what each session received in full."""

    def __init__(self, file: MemoryConnection, most: int, most_bytes: int) -> None:
        self._file = file
        self._most, self._most_bytes = most, most_bytes

    def last(self, workspace: bytes, session: str | None, limit: int) -> list[KeptExchange]:
        """Return the last ``limit`` exchanges of a session, or of all sessions for None, oldest first."""
        rows = self._file.rows(_EXCHANGES, (workspace, session, limit))
        return [_exchange(row) for row in reversed(rows)]

    def add(self, exchange: Exchange) -> int:
        """Insert an exchange, evict the oldest beyond the limits, and return its id."""
        texts = (exchange.question, exchange.answer, exchange.model, exchange.session)
        size = sum(len(text.encode("utf-8", "replace")) for text in texts)
        with self._file.transaction():
            row = (
                self._file.workspace_id(exchange.workspace),
                *(exchange.session, exchange.question, exchange.answer, exchange.model, exchange.packet_id),
                *(exchange.at, exchange.finish, int(exchange.truncated), self._file.attribution_id(exchange.by), size),
            )
            self._file.rows(_EXCHANGE, row)
            made = self._file.last_row()
            self._file.rows(_PRUNE, (self._most, self._most_bytes))
        return made

    def forget_session(self, workspace: bytes, session: str) -> int:
        """Delete a session's exchanges, deliveries, uses and pauses; return the number of exchanges deleted."""
        with self._file.transaction():
            place = self._file.workspace_id(workspace)
            self._file.rows("DELETE FROM used WHERE workspace_id = ? AND session = ?", (place, session))
            self._file.rows("DELETE FROM delivered WHERE workspace_id = ? AND session = ?", (place, session))
            self._file.rows("DELETE FROM pause WHERE workspace_id = ? AND session = ?", (place, session))
            self._file.rows("DELETE FROM exchange WHERE workspace_id = ? AND session = ?", (place, session))
            count = self._file.changes()
        self._file.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return count

    def delivered(self, workspace: bytes, session: str, since: float = 0.0) -> frozenset[str]:
        """Return the chunks that a session received in full since then, as ``gene_id:content_hash``."""
        sql = """
            SELECT d.gene_id, d.content_hash FROM delivered d JOIN workspace w ON w.id = d.workspace_id
            WHERE w.path = ? AND d.session = ? AND d.at >= ?
        """
        return frozenset(
            f"{gene.hex()}:{content.hex()}" for gene, content in self._file.rows(sql, (workspace, session, since))
        )

    def deliver(self, workspace: bytes, session: str, given: Iterable[tuple[str, str]], at: float) -> None:
        """Record the ``(gene_id, content_hash)`` that a session received in full; evict the oldest beyond the limit.

        A question waits for this, so the busy timeout is short. Raises BusyStoreError.
        """
        with self._file.busy_timeout(DELIVER_WAIT_MS), self._file.transaction():
            place = self._file.workspace_id(workspace)
            for gene_id, content_hash in given:
                row = (place, session, bytes.fromhex(gene_id), bytes.fromhex(content_hash), at)
                self._file.rows("INSERT OR REPLACE INTO delivered VALUES (?, ?, ?, ?, ?)", row)
            sql = "DELETE FROM delivered WHERE at < (SELECT at FROM delivered ORDER BY at DESC LIMIT 1 OFFSET ?)"
            self._file.rows(sql, (MOST_DELIVERED,))


class MemoryUses:
    """Files used in each session, newest first. Paths are raw bytes relative to the workspace's root, times Unix
    seconds.
    """

    def __init__(self, file: MemoryConnection, most: int) -> None:
        self._file = file
        self._most = most

    def together(
        self, workspace: bytes, paths: Sequence[bytes], sitting_s: float
    ) -> list[tuple[bytes, bytes, str, float]]:
        """Return ``(path, other, session, at)`` for each use of at most eight ``paths`` and each file used within the
        same sitting.
        """
        bindings = (workspace, _hex(paths[:MOST_ASKED]), sitting_s, _MOST_TOGETHER)
        return [(row[0], row[1], row[2], row[3]) for row in self._file.bounded_rows(_TOGETHER, bindings)]

    def counts(self, workspace: bytes, paths: Iterable[bytes]) -> dict[bytes, int]:
        """Return the number of uses of each file; files without a use are missing."""
        return {row[0]: row[1] for row in self._file.bounded_rows(_COUNTS, (workspace, _hex(paths)))}

    def recent(self, workspace: bytes, session: str, since: float) -> list[bytes]:
        """Return at most eight files that a session used since ``since``, last used first."""
        return [row[0] for row in self._file.rows(_LATELY, (workspace, session, since, MOST_ASKED))]

    def add(self, workspace: bytes, session: str, paths: Iterable[bytes], at: float, sitting_s: float) -> None:
        """Record that a session opened or cited files; repeated use within ``sitting_s`` counts once.

        The busy timeout is as short as for ``deliver``.
        """
        with self._file.busy_timeout(DELIVER_WAIT_MS), self._file.transaction():
            place = (self._file.workspace_id(workspace), session)
            for path in paths:
                self._file.rows(_USE, (*place, path, at, sitting_s))
            self._file.rows("DELETE FROM used WHERE id <= (SELECT max(id) FROM used) - ?", (self._most,))


class MemoryPauses:
    """Pauses of agents, newest first."""

    def __init__(self, file: MemoryConnection, most: int) -> None:
        self._file = file
        self._most = most

    def add(self, pause: Pause, resolves: str = "") -> None:
        """Insert a pause, mark the one that it ``resolves`` as resolved, and evict the oldest beyond the limit."""
        files = json.dumps([each._asdict() for each in pause.files])
        with self._file.transaction():
            row = (
                *(pause.event_id, self._file.workspace_id(pause.workspace), pause.session, pause.pause_type.value),
                *(pause.participant, pause.party, pause.task_context, int(pause.resolved_without_operator)),
                *(pause.signals, pause.about, files, pause.snapshot, pause.at, pause.resolved_at),
            )
            self._file.rows(_RESOLVE_PAUSE, (pause.workspace, resolves, pause.at))
            self._file.rows(f"INSERT INTO pause VALUES (NULL{', ?' * len(row)})", row)
            self._file.rows("DELETE FROM pause WHERE id <= (SELECT max(id) FROM pause) - ?", (self._most,))
            self._file.rows(_THIN_SNAPSHOTS, (MOST_SNAPSHOTS,))

    def is_open(self, workspace: bytes, since: float = 0.0, event_id: str = "") -> bool:
        """Return whether a pause of a workspace, raised at ``since`` or later, is unresolved: this one, or any."""
        return bool(self._file.rows(_IS_PAUSE_OPEN, (workspace, since, event_id))[0][0])

    def listed(self, workspace: bytes, wanted: PauseFilter) -> list[KeptPause]:
        """Return the pauses of a workspace that fit, newest first."""
        bindings = (
            *(workspace, wanted.pause_type, wanted.participant, wanted.party),
            *(wanted.since, int(wanted.is_open), wanted.limit),
        )
        return [_pause(row) for row in self._file.rows(_PAUSES_LISTED, bindings)]


class Memory:
    """An open memory file; one connection, for the thread that opened it. Close it when the thread ends.

    Attributes:
        notice: Describes a damaged file that was moved aside at opening, or "".
        notes: Notes, their items and claims.
        exchanges: Questions with their answers, and deliveries of each session.
        uses: Files used together.
        pauses: Pauses of agents for a person.
        items: Memories: facts with evidence, and the log of what became of them.
    """

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
        most_pauses: int = MOST_PAUSES,
        project_key: Callable[[bytes], str] = lambda _: "",
    ) -> None:
        """Open or create the memory in ``folder``; arguments and errors are those of ``open_file`` and of its parts."""
        connection, self.notice = open_file(folder, now, suspect=suspect)
        self._file = file = MemoryConnection(os.fspath(folder / NAME), connection)
        self._identity = _identity(file.path)
        self.notes = MemoryNotes(file, most_note_bytes)
        self.exchanges = MemoryExchanges(file, most_exchanges, most_exchange_bytes)
        self.uses = MemoryUses(file, most_uses)
        self.pauses = MemoryPauses(file, most_pauses)
        self.items = MemoryItems(file, project_key)
        self.transfer = MemoryTransfer(file, self.items)
        # A writer that is busy is no reason to wait: the next one that opens the memory does it.
        with suppress(BusyStoreError):
            self.items.vectors.complete()

    def is_present(self) -> bool:
        """Check with one stat that the path still holds the file that was opened."""
        return _identity(self._file.path) == self._identity

    def totals(self) -> dict[str, int]:
        """Return the number of rows by kind, over all workspaces."""
        names = {"exchanges": "exchange", "notes": "note", "items": "note_item", "claims": "note_claim"}
        return {name: self._file.rows(f"SELECT count(*) FROM {table}")[0][0] for name, table in names.items()}

    def close(self) -> None:
        """Close the connection; call it in the thread that opened the memory."""
        self._file.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _item(row: Row) -> NoteItem:
    id_, note_id, number, gene, kind, name, breadcrumb, start_byte, end_byte, start_line, end_line, text = row[:12]
    content_hash, content_type, title, language, source_kind, volatility, at = row[12:]
    return NoteItem(
        id=id_,
        note_id=note_id,
        number=number,
        gene_id=gene.hex(),
        kind=kind,
        name=name,
        breadcrumb=breadcrumb,
        start_byte=start_byte,
        end_byte=end_byte,
        start_line=start_line,
        end_line=end_line,
        text=text.encode("utf-8", "replace")[start_byte:end_byte].decode("utf-8", "replace"),
        content_hash=content_hash.hex(),
        content_type=content_type,
        title=title,
        language=language,
        source_kind=SourceKind(source_kind),
        volatility=Volatility(volatility),
        at=at,
    )


def _exchange(row: Row) -> KeptExchange:
    id_, session, question, answer, model, packet_id, at, finish, truncated = row[:9]
    by = Attribution(*row[9:])
    return KeptExchange(id_, session, question, answer, model, packet_id, at, finish, bool(truncated), by)


def _hex(paths: Iterable[bytes]) -> str:
    return json.dumps([path.hex() for path in paths])


def _identity(file: str) -> tuple[int, int] | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _pause(row: Row) -> KeptPause:
    event_id, session, kind, participant, party, task_context, resolved, signals, about, files = row[:10]
    pointers = tuple(Pointer(**each) for each in json.loads(files))
    names = (event_id, session, PauseType(kind), participant, party, task_context)
    return KeptPause(*names, bool(resolved), signals, about, pointers, *row[10:])
