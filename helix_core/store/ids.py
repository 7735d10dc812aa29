"""Row ids, and the tables of distinct names, targets, kinds and profiles, kept in memory while nobody else writes."""

from __future__ import annotations

import apsw

from helix_core.store.session import Row, rows_of

MOST_KEPT = 200_000
_PROFILE = "parser, language, source_kind, volatility, authority, role"
_KNOWN_NAME = "SELECT id FROM name WHERE folded = ?1 AND coalesce(name, folded) = ?2"
_INSERT_NAME = "INSERT INTO name VALUES (?, ?, ?)"
_INSERT_NAME_FTS = "INSERT INTO name_fts(rowid, folded) VALUES (?, ?)"
_DELETE_NAME_FTS = "INSERT INTO name_fts(name_fts, rowid, folded) VALUES ('delete', ?, ?)"
_KNOWN_TARGET = "SELECT id FROM target WHERE target = ?1 COLLATE NOCASE AND target = ?1"
_ADD_KIND = "INSERT INTO kind (kind) VALUES (?) ON CONFLICT DO NOTHING"
_ADD_PROFILE = f"INSERT INTO profile ({_PROFILE}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
_KNOWN_PROFILE = f"SELECT id FROM profile WHERE ({_PROFILE}) = (?, ?, ?, ?, ?, ?)"
_UNUSED_NAMES = """
    SELECT id, folded FROM name
    WHERE id NOT IN (SELECT name_id FROM definition)
      AND id NOT IN (SELECT name_id FROM item WHERE name_id IS NOT NULL)
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
        self._kinds: dict[str, int] = {}
        self._profiles: dict[tuple[str, ...], int] = {}
        self._version = -1
        self._knows_all = False

    def load(self) -> None:
        """Read where the last transaction, perhaps another process's, stopped."""
        self._loaded = rows_of(self._connection, "SELECT source, item, name, target, parked FROM next_id")[0]
        self._source, self._item, self._name, self._target, self._parked = self._loaded
        version = rows_of(self._connection, "PRAGMA data_version")[0][0]
        if version != self._version or len(self._names) + len(self._targets) > MOST_KEPT:
            self.forget_texts()
            self._version = version
            # Ids start at 1: none was ever given, so the tables are empty, and what is added here is all there is.
            self._knows_all = self._name == self._target == 1

    def save(self) -> None:
        """Write where this transaction stopped."""
        reached = (self._source, self._item, self._name, self._target, self._parked)
        if reached != self._loaded:
            sql = "UPDATE next_id SET source = ?, item = ?, name = ?, target = ?, parked = ?"
            self._connection.execute(sql, reached)

    def forget_texts(self) -> None:
        """Look names, targets and kinds up in the tables again: after a rollback, or when rows were deleted."""
        self._knows_all = False
        for known in (self._names, self._targets, self._kinds):
            known.clear()
        self._profiles.clear()

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
            found = [] if self._knows_all else rows_of(self._connection, _KNOWN_NAME, (folded, name))
            known = int(found[0][0]) if found else self._add_name(folded, name)
            self._names[name] = known
        return known

    def kind(self, kind: str) -> int:
        """The id of a kind of symbol, which is added when it is new."""
        known = self._kinds.get(kind)
        if known is None:
            self._connection.execute(_ADD_KIND, (kind,))
            known = self._kinds[kind] = rows_of(self._connection, "SELECT id FROM kind WHERE kind = ?", (kind,))[0][0]
        return known

    def profile(self, profile: tuple[str, ...]) -> int:
        """The id of what a source has in common with others, in the order of the table's columns."""
        known = self._profiles.get(profile)
        if known is None:
            self._connection.execute(_ADD_PROFILE, profile)
            known = self._profiles[profile] = rows_of(self._connection, _KNOWN_PROFILE, profile)[0][0]
        return known

    def target(self, target: str) -> int:
        """The id of a link's target, which is added when it is new."""
        known = self._targets.get(target)
        if known is None:
            found = [] if self._knows_all else rows_of(self._connection, _KNOWN_TARGET, (target,))
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
        self._connection.executemany(_DELETE_NAME_FTS, unused)
        self._connection.executemany("DELETE FROM name WHERE id = ?", [row[:1] for row in unused])
        self._connection.execute("DELETE FROM target WHERE id NOT IN (SELECT target_id FROM link)")
        self.forget_texts()
