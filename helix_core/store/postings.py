"""How the full-text tables are kept: cheap to fill the first time, then in few segments, so that questions stay quick.

Each transaction leaves a segment of postings. While an index is first built merging them is put off, and done once at
the end ("FTS5", sections 6.2 "automerge", 6.5 "merge", 6.7 "optimize"; sqlite.org/fts5.html).
"""

from __future__ import annotations

import apsw

from helix_core.store.session import rows_of

TABLES = ("chunk_fts", "file_fts", "ref_fts", "name_fts")
_WHILE_FILLING = {"automerge": 0, "crisismerge": 256}
_AFTERWARDS = {"automerge": 4, "crisismerge": 16}
_FILLING = "filling"
_PAGES_A_STEP = 500


def is_filling(connection: apsw.Connection) -> bool:
    """Has a first build begun and not ended?"""
    return bool(rows_of(connection, "SELECT 1 FROM meta WHERE key = ?", (_FILLING,)))


def is_empty(connection: apsw.Connection) -> bool:
    """Is there no source at all?"""
    return not rows_of(connection, "SELECT 1 FROM source LIMIT 1")


def begin_filling(connection: apsw.Connection) -> None:
    """Put merging off."""
    _configure(connection, _WHILE_FILLING)
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, '1')", (_FILLING,))


def end_filling(connection: apsw.Connection) -> None:
    """Merge a little with every write again."""
    _configure(connection, _AFTERWARDS)
    connection.execute("DELETE FROM meta WHERE key = ?", (_FILLING,))


def merge_all(connection: apsw.Connection) -> None:
    """One segment a table."""
    for table in TABLES:
        connection.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")


def merge_some(connection: apsw.Connection, table: str, *, is_first: bool) -> bool:
    """One bounded step towards one segment; False once there is nothing left to merge.

    The first step, with a negative count of pages, joins everything into one merge; a step that changes fewer than two
    rows has found nothing to do ("FTS5", section 6.6; sqlite.org/fts5.html).
    """
    before = connection.total_changes()
    pages = -_PAGES_A_STEP if is_first else _PAGES_A_STEP
    connection.execute(f"INSERT INTO {table}({table}, rank) VALUES ('merge', ?)", (pages,))
    return connection.total_changes() - before >= 2


def delete_all(connection: apsw.Connection) -> None:
    """No postings at all."""
    for table in TABLES:
        connection.execute(f"INSERT INTO {table}({table}) VALUES ('delete-all')")


def _configure(connection: apsw.Connection, settings: dict[str, int]) -> None:
    for table in TABLES:
        for name, value in settings.items():
            connection.execute(f"INSERT INTO {table}({table}, rank) VALUES (?, ?)", (name, value))
