"""Which parked versions go, and how a version is deleted with everything that hangs on it."""

from __future__ import annotations

import apsw

from helix_core.store.session import rows_of
from helix_core.store.vector_rows import VectorRows

PARKED_SHARE = 0.30
PARKED_MINIMUM_ITEMS = 2_000

_OF_ITEMS = ("chunk_fts", "ref_fts", "item")
_BY_ITEM = ("definition", "claim", "link")


def parked_to_prune(connection: apsw.Connection) -> list[int]:
    """Source ids of the parked versions to delete, the one parked longest first.

    A version weighs its items and one for itself, so that versions without items are bounded too.
    """
    live, parked = rows_of(
        connection,
        "SELECT coalesce(sum(item_count + 1) FILTER (WHERE live = 1), 0),"
        " coalesce(sum(item_count + 1) FILTER (WHERE live = 0), 0) FROM source",
    )[0]
    allowed = max(PARKED_MINIMUM_ITEMS, int(live * PARKED_SHARE))
    doomed: list[int] = []
    if parked <= allowed:
        return doomed
    oldest_first = "SELECT id, item_count + 1 FROM source WHERE live = 0 ORDER BY parked_order"
    for version, items in rows_of(connection, oldest_first):
        if parked <= allowed:
            break
        doomed.append(version)
        parked -= items
    return doomed


def delete_version(connection: apsw.Connection, version: int, vectors: VectorRows) -> None:
    """Delete a source row with its items, postings, definitions, claims, links, and the vectors of its texts."""
    found = rows_of(connection, "SELECT first_item, item_count FROM source WHERE id = ?", (version,))
    for first, count in found:
        ids = [(item,) for item in range(first, first + count)]
        for table in _OF_ITEMS:
            connection.executemany(f"DELETE FROM {table} WHERE rowid = ?", ids)
        for table in _BY_ITEM:
            bounds = (first, first + count)
            connection.execute(f"DELETE FROM {table} WHERE item_id >= ? AND item_id < ?", bounds)
        vectors.delete_of(version)
        connection.execute("DELETE FROM file_fts WHERE rowid = ?", (version,))
        connection.execute("DELETE FROM source WHERE id = ?", (version,))
