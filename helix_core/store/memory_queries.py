"""What is asked of the memory: notes by words or by id, exchanges of a session, what a session was given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from helix_core.model import Attribution, KeptExchange, NoteItem, SourceKind, Volatility
from helix_core.store.hits import ClaimHit, Weights
from helix_core.store.lexical import phrase
from helix_core.store.memory_file import remembered
from helix_core.store.session import Row, Session, Value, id_list, rows_of

_ITEM = """
    i.id, i.note_id, i.number, i.gene_id, i.kind, i.name, i.breadcrumb, i.start_byte, i.end_byte, i.start_line,
    i.end_line, n.text, n.content_hash, n.content_type, n.title, n.language, n.source_kind, n.volatility, n.at
"""
_OF = f"SELECT {_ITEM} FROM workspace w JOIN note n ON n.workspace_id = w.id JOIN note_item i ON i.note_id = n.id"
_MATCHES = f"""
    SELECT {_ITEM} FROM note_fts f JOIN note_item i ON i.id = f.rowid JOIN note n ON n.id = i.note_id
    JOIN workspace w ON w.id = n.workspace_id
    WHERE f.note_fts MATCH ?1 AND f.rank MATCH ?2 AND w.path = ?3 ORDER BY f.rank, i.id LIMIT ?4
"""
_EXCHANGES = """
    SELECT e.id, e.session, e.question, e.answer, e.model, e.packet_id, e.at, e.finish, e.truncated,
        a.org, a.device, a.user, a.agent, a.timezone
    FROM exchange e JOIN workspace w ON w.id = e.workspace_id JOIN attribution a ON a.id = e.attribution_id
    WHERE w.path = ?1 AND (?2 IS NULL OR e.session = ?2) ORDER BY e.id DESC LIMIT ?3
"""
_WEIGHTS = Weights(path=2.0, names=2.0)


class MemoryQueries(Session):
    """Of one connection, used by the thread that made it. Raises MemoryStoreError and its kin."""

    def _rows(self, sql: str, bindings: Sequence[Value] = ()) -> list[Row]:
        with remembered(self._path):
            return rows_of(self._connection, sql, bindings)

    def matches(self, workspace: bytes, words: Iterable[str], limit: int) -> list[NoteItem]:
        """The items of a workspace's notes that hold some of the words, by BM25, best first."""
        match = " OR ".join(phrase(word) for word in words)
        if not match:
            return []
        return [_item(row) for row in self._bounded_rows(_MATCHES, (match, _WEIGHTS.rank, workspace, limit))]

    def items_with(self, workspace: bytes, gene_id: bytes) -> list[NoteItem]:
        """The items whose text has this hash."""
        return [_item(row) for row in self._rows(f"{_OF} WHERE w.path = ? AND i.gene_id = ?", (workspace, gene_id))]

    def items_of(self, note_id: int) -> list[NoteItem]:
        """The items of a note, in its order."""
        return [_item(row) for row in self._rows(f"{_OF} WHERE n.id = ? ORDER BY i.number", (note_id,))]

    def items_of_text(self, workspace: bytes, hash_begins: bytes) -> list[NoteItem]:
        """The items of the note whose text's hash begins so, in its order."""
        where = "WHERE w.path = ?1 AND substr(n.content_hash, 1, length(?2)) = ?2 ORDER BY n.id, i.number"
        return [_item(row) for row in self._rows(f"{_OF} {where}", (workspace, hash_begins))]

    def claims_of(self, item_ids: Iterable[int]) -> dict[int, list[ClaimHit]]:
        """The claims found in each of some items; items without any are missing. A hit's source is its note."""
        sql = """
            SELECT c.item_id, i.note_id, c.key, c.value, c.value_type, c.line
            FROM json_each(?) wanted JOIN note_claim c ON c.item_id = wanted.value
            JOIN note_item i ON i.id = c.item_id ORDER BY c.item_id, c.ordinal
        """
        found: dict[int, list[ClaimHit]] = {}
        for row in self._rows(sql, (id_list(item_ids),)):
            found.setdefault(row[0], []).append(ClaimHit(*row))
        return found

    def evidence_of(self, note_id: int) -> tuple[int, ...]:
        """The exchanges a fact was drawn from."""
        rows = self._rows("SELECT exchange_id FROM evidence WHERE note_id = ? ORDER BY 1", (note_id,))
        return tuple(row[0] for row in rows)

    def exchanges(self, workspace: bytes, session: str | None, limit: int) -> list[KeptExchange]:
        """The last exchanges of a session, or of all where None, oldest first."""
        rows = self._rows(_EXCHANGES, (workspace, session, limit))
        return [_exchange(row) for row in reversed(rows)]

    def delivered(self, workspace: bytes, session: str) -> frozenset[str]:
        """What a session was given whole, as ``gene_id:content_hash``."""
        sql = """
            SELECT d.gene_id, d.content_hash FROM delivered d JOIN workspace w ON w.id = d.workspace_id
            WHERE w.path = ? AND d.session = ?
        """
        return frozenset(f"{gene.hex()}:{content.hex()}" for gene, content in self._rows(sql, (workspace, session)))

    def notes(self, workspace: bytes) -> list[tuple[int, str, str, str, str]]:
        """``(id, parser, content_type, metadata, text)`` of a workspace's notes: what made their items, and of what."""
        columns = "n.id, n.parser, n.content_type, n.metadata, n.text"
        sql = f"SELECT {columns} FROM note n JOIN workspace w ON w.id = n.workspace_id WHERE w.path = ? ORDER BY n.id"
        return [(row[0], row[1], row[2], row[3], row[4]) for row in self._rows(sql, (workspace,))]

    def totals(self) -> dict[str, int]:
        """How much there is, of all workspaces."""
        names = {"exchanges": "exchange", "notes": "note", "items": "note_item", "claims": "note_claim"}
        return {name: self._rows(f"SELECT count(*) FROM {table}")[0][0] for name, table in names.items()}


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
