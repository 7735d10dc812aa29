"""Row ids and the table of names, kept in memory within a transaction."""

from __future__ import annotations

import apsw

from helix_core.store.session import Row, rows_of

_INSERT_NAME = "INSERT INTO name VALUES (?, ?, ?)"
_INSERT_NAME_FTS = "INSERT INTO name_fts(rowid, name) VALUES (?, ?)"
_UNUSED_NAMES = """
    SELECT id FROM name
    WHERE id NOT IN (SELECT name_id FROM definition)
      AND id NOT IN (SELECT stem_id FROM source WHERE stem_id IS NOT NULL)
"""


class Ids:
    """Gives ids that were never given before. ``load`` after BEGIN, ``save`` before COMMIT: others write in between."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._source = self._item = self._name = self._parked = 1
        self._loaded: Row = ()
        self._names: dict[str, int] = {}

    def load(self) -> None:
        """Read where the last transaction, perhaps another process's, stopped."""
        self._loaded = rows_of(self._connection, "SELECT source, item, name, parked FROM next_id")[0]
        self._source, self._item, self._name, self._parked = self._loaded
        self._names.clear()

    def save(self) -> None:
        """Write where this transaction stopped."""
        reached = (self._source, self._item, self._name, self._parked)
        if reached != self._loaded:
            self._connection.execute("UPDATE next_id SET source = ?, item = ?, name = ?, parked = ?", reached)

    def next_source(self) -> int:
        """A new source id."""
        self._source += 1
        return self._source - 1

    def next_parked(self) -> int:
        """The place of a version in the order of parking."""
        self._parked += 1
        return self._parked - 1

    def next_items(self, count: int) -> int:
        """The first of ``count`` consecutive new item ids."""
        self._item += count
        return self._item - count

    def name(self, name: str) -> int:
        """The id of a name, which is added with its trigrams when it is new."""
        known = self._names.get(name)
        if known is None:
            found = rows_of(self._connection, "SELECT id FROM name WHERE name = ?", (name,))
            known = int(found[0][0]) if found else self._add(name)
            self._names[name] = known
        return known

    def _add(self, name: str) -> int:
        folded = name.lower()
        self._connection.execute(_INSERT_NAME, (self._name, name, folded))
        self._connection.execute(_INSERT_NAME_FTS, (self._name, folded))
        self._name += 1
        return self._name - 1

    def drop_unused_names(self) -> None:
        """Forget names that no definition and no file bears any more."""
        unused = rows_of(self._connection, _UNUSED_NAMES)
        self._connection.executemany("DELETE FROM name_fts WHERE rowid = ?", unused)
        self._connection.executemany("DELETE FROM name WHERE id = ?", unused)
        self._names.clear()
