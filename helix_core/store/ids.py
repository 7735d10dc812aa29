"""Row ids, and the tables of distinct names and targets, kept in memory within a transaction."""

from __future__ import annotations

import apsw

from helix_core.store.session import Row, rows_of

_KNOWN_NAME = "SELECT id FROM name WHERE folded = ?1 AND coalesce(name, folded) = ?2"
_INSERT_NAME = "INSERT INTO name VALUES (?, ?, ?)"
_INSERT_NAME_FTS = "INSERT INTO name_fts(rowid, name) VALUES (?, ?)"
_KNOWN_TARGET = "SELECT id FROM target WHERE target = ?1 COLLATE NOCASE AND target = ?1"
_UNUSED_NAMES = """
    SELECT id FROM name
    WHERE id NOT IN (SELECT name_id FROM definition)
      AND id NOT IN (SELECT stem_id FROM source WHERE stem_id IS NOT NULL)
"""


class Ids:
    """Gives ids that were never given before. ``load`` after BEGIN, ``save`` before COMMIT: others write in between."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._source = self._item = self._name = self._target = self._parked = 1
        self._loaded: Row = ()
        self._names: dict[str, int] = {}
        self._targets: dict[str, int] = {}

    def load(self) -> None:
        """Read where the last transaction, perhaps another process's, stopped."""
        self._loaded = rows_of(self._connection, "SELECT source, item, name, target, parked FROM next_id")[0]
        self._source, self._item, self._name, self._target, self._parked = self._loaded
        self.forget_texts()

    def save(self) -> None:
        """Write where this transaction stopped."""
        reached = (self._source, self._item, self._name, self._target, self._parked)
        if reached != self._loaded:
            sql = "UPDATE next_id SET source = ?, item = ?, name = ?, target = ?, parked = ?"
            self._connection.execute(sql, reached)

    def forget_texts(self) -> None:
        """Look names and targets up in the tables again."""
        self._names.clear()
        self._targets.clear()

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
            folded = name.lower()
            found = rows_of(self._connection, _KNOWN_NAME, (folded, name))
            known = int(found[0][0]) if found else self._add_name(folded, name)
            self._names[name] = known
        return known

    def target(self, target: str) -> int:
        """The id of a link's target, which is added when it is new."""
        known = self._targets.get(target)
        if known is None:
            found = rows_of(self._connection, _KNOWN_TARGET, (target,))
            known = int(found[0][0]) if found else self._add_target(target)
            self._targets[target] = known
        return known

    def _add_name(self, folded: str, name: str) -> int:
        self._connection.execute(_INSERT_NAME, (self._name, folded, None if name == folded else name))
        self._connection.execute(_INSERT_NAME_FTS, (self._name, folded))
        self._name += 1
        return self._name - 1

    def _add_target(self, target: str) -> int:
        self._connection.execute("INSERT INTO target VALUES (?, ?)", (self._target, target))
        self._target += 1
        return self._target - 1

    def drop_unused(self) -> None:
        """Forget names that no definition and no file bears any more, and targets no link leads to."""
        unused = rows_of(self._connection, _UNUSED_NAMES)
        self._connection.executemany("DELETE FROM name_fts WHERE rowid = ?", unused)
        self._connection.executemany("DELETE FROM name WHERE id = ?", unused)
        self._connection.execute("DELETE FROM target WHERE id NOT IN (SELECT target_id FROM link)")
        self.forget_texts()
