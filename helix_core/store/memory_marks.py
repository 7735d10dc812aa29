"""Sums over rows of the memory file that no operation of the log names, so that a change from outside is noticed.

Each row counts with a hash of what it says, so that the sum depends on no order and a write adds or takes away its own
rows alone. What a search finds a memory by stands in postings; each row has a mark of those it was given.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import apsw

MODULUS = 1 << 62
Rows: TypeAlias = Callable[[str], Iterable[Sequence[Any]]]
MARKED = {
    "item": "SELECT row, id, text_key, template_key, tx_from FROM item",
    "evidence": "SELECT row, id FROM evidence",
    "link": "SELECT src, rel, dst, tx_from FROM link",
}
"""What a row of a memory has in this file alone, and no operation of the log names."""
_WORD_BITS = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class MarkedRows:
    """Rows of one table that count in a sum; ``of`` is the condition on those that belong to one key."""

    table: str
    select: str
    of: str


WORDS, NOTES, WORKSPACES, CARRIED = "words", "notes", "workspaces", "carried"
SUMMED: Mapping[str, tuple[MarkedRows, ...]] = {
    WORDS: (MarkedRows("item", "SELECT row, posted FROM item", "id = ?"),),
    NOTES: (
        MarkedRows(
            "note",
            """
            SELECT n.id, n.workspace_id, n.content_hash, n.text, n.content_type, n.title, n.metadata, n.language,
                n.source_kind, n.volatility, n.at, n.parser, n.waits, a.org, a.device, a.user, a.agent, a.timezone
            FROM note n LEFT JOIN attribution a ON a.id = n.attribution_id
            """,
            "n.id = ?",
        ),
        MarkedRows(
            "note_item",
            """
            SELECT id, note_id, number, gene_id, kind, name, breadcrumb, start_byte, end_byte, start_line, end_line,
                posted
            FROM note_item
            """,
            "note_id = ?",
        ),
        MarkedRows(
            "note_claim",
            "SELECT item_id, ordinal, key, value, value_type, line FROM note_claim",
            "item_id IN (SELECT id FROM note_item WHERE note_id = ?)",
        ),
        MarkedRows("note_evidence", "SELECT note_id, exchange_id FROM note_evidence", "note_id = ?"),
    ),
    WORKSPACES: (MarkedRows("workspace", "SELECT id, path, key FROM workspace", "id = ?"),),
    CARRIED: (MarkedRows("carried", "SELECT type, id, owner, line FROM carried", "owner = ?"),),
}
"""Of what there is a sum in the table ``mark``, and over which rows."""
POSTED = {WORDS: ("item_fts", "SELECT row, posted FROM item"), NOTES: ("note_fts", "SELECT id, posted FROM note_item")}
"""The postings of a sum's rows, and the mark that each row has of them."""


def row_mark(table: str, row: Sequence[Any]) -> int:
    """Return a hash of 62 bits of a row."""
    content = "\0".join([table, *(one.hex() if isinstance(one, bytes) else str(one) for one in row)])
    return int.from_bytes(hashlib.sha256(content.encode("utf-8", "replace")).digest()[:8]) >> 2


def marks_of(rows: Rows, selects: Mapping[str, str] = MARKED) -> int:
    """Return the sum of the marks of all rows, modulo 2^62; ``rows`` runs a query."""
    return sum(row_mark(table, row) for table, sql in selects.items() for row in rows(sql)) % MODULUS


def sum_of(rows: Rows, subject: str) -> int:
    """Return the sum of a subject as its rows are now."""
    return marks_of(rows, {each.table: each.select for each in SUMMED[subject]})


def words_mark(columns: Mapping[str, Iterable[str]]) -> int:
    """Return the mark of a row's postings: of the tokens of each column, in order."""
    return (
        sum(_posting(term, name, place) for name, terms in columns.items() for place, term in enumerate(terms))
        % MODULUS
    )


def posted_marks(connection: apsw.Connection, table: str) -> dict[int, int]:
    """Return the mark of the postings that a table of FTS5 has of each row; rows without any are missing."""
    connection.execute(f"CREATE VIRTUAL TABLE temp.posting USING fts5vocab('main', '{table}', 'instance')")
    found: dict[int, int] = {}
    try:
        for term, row, name, place in connection.execute('SELECT term, doc, col, "offset" FROM temp.posting'):
            found[row] = found.get(row, 0) + _posting(term, name, place)
    finally:
        connection.execute("DROP TABLE temp.posting")
    return {row: mark % MODULUS for row, mark in found.items()}


def unlike_their_sum(connection: apsw.Connection, rows: Rows) -> tuple[str, ...]:
    """Return the subjects whose rows or postings are not as they were written, in the order of ``SUMMED``."""
    kept = dict(map(tuple, rows("SELECT subject, sum FROM mark")))
    found = [subject for subject in SUMMED if kept.get(subject) != sum_of(rows, subject)]
    for subject, (table, select) in POSTED.items():
        had = {row: mark for row, mark in rows(select) if mark}
        if subject not in found and posted_marks(connection, table) != had:
            found.append(subject)
    return tuple(subject for subject in SUMMED if subject in found)


def begin_sums(connection: apsw.Connection) -> None:
    """Keep sums of what the log does not name, and room for records of a newer Helix: from format 6 to 7."""
    connection.execute("""
        ALTER TABLE item ADD COLUMN posted INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE note_item ADD COLUMN posted INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE carried (
            type   TEXT NOT NULL,
            id     TEXT NOT NULL,
            owner  TEXT NOT NULL,
            line   TEXT NOT NULL,
            PRIMARY KEY (type, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX carried_owner ON carried (owner) WHERE owner <> '';
        CREATE TABLE mark (subject TEXT PRIMARY KEY, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    """)
    for table, column, postings in (("item", "row", "item_fts"), ("note_item", "id", "note_fts")):
        marks = [(mark, row) for row, mark in posted_marks(connection, postings).items()]
        connection.executemany(f"UPDATE {table} SET posted = ? WHERE {column} = ?", marks)
    for subject in SUMMED:
        connection.execute("INSERT INTO mark VALUES (?, ?)", (subject, sum_of(connection.execute, subject)))


def _posting(term: str, column: str, place: int) -> int:
    mixed = (_term(term, column) + place * 0x9E3779B97F4A7C15) & _WORD_BITS
    return ((mixed ^ mixed >> 31) * 0xBF58476D1CE4E5B9 & _WORD_BITS) >> 2


@lru_cache(1 << 16)
def _term(term: str, column: str) -> int:
    content = f"{column}\0{term}".encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest())
