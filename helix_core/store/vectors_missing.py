"""Which live texts have no vector of a model yet, and whose turn is next: what a background worker goes by."""

from __future__ import annotations

from dataclasses import dataclass

from helix_core.model import Level
from helix_core.store.vector_spaces import LEVEL_NUMBER
from helix_core.store.vectors import VectorQueries

_DAY_NS = 86_400_000_000_000
_MISSING = "NOT EXISTS (SELECT 1 FROM {table}_rowids v WHERE v.rowid = e.id)"
_SOURCES = f"""
    SELECT s.path, s.content_hash FROM source s
    WHERE s.live = 1 AND s.skipped = '' AND EXISTS (
        SELECT 1 FROM stands_in t JOIN embedded e ON e.id = t.text_id
        WHERE t.source_id = s.id AND e.level = ?1 AND {{missing}})
    ORDER BY s.mtime_ns / {_DAY_NS} DESC,
        (SELECT count(*) FROM definition d WHERE d.item_id >= s.first_item AND d.item_id < s.first_item + s.item_count)
        DESC, s.id
"""
_HASHES = """
    SELECT DISTINCT e.hash FROM source s JOIN stands_in t ON t.source_id = s.id JOIN embedded e ON e.id = t.text_id
    WHERE s.path = ?2 AND s.live = 1 AND e.level = ?1 AND {missing}
"""
_TEXTS = """
    SELECT count(*) FROM embedded e WHERE e.level = ?1 AND {missing} AND EXISTS (
        SELECT 1 FROM stands_in t JOIN source s ON s.id = t.source_id WHERE t.text_id = e.id AND s.live = 1)
"""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A live file some of whose texts have no vector; ``content_hash`` (hex) is of the version that is indexed."""

    path: bytes
    content_hash: str


class MissingVectors(VectorQueries):
    """Of one model and level; a model that has no space yet misses everything."""

    def waiting_sources(self, model: str, level: Level) -> list[Waiting]:
        """The newest day first, in it the files that define most names."""
        rows = self._rows(_SOURCES.format(missing=self._missing(model, level)), (LEVEL_NUMBER[level],))
        return [Waiting(path, content_hash.hex()) for path, content_hash in rows]

    def missing_hashes(self, model: str, level: Level, path: bytes) -> set[bytes]:
        """The hashes of the texts of a live file that have no vector."""
        sql = _HASHES.format(missing=self._missing(model, level))
        return {row[0] for row in self._rows(sql, (LEVEL_NUMBER[level], path))}

    def text_counts(self, model: str, level: Level) -> tuple[int, int]:
        """How many live texts of the level have a vector of the model, and how many there are."""
        every, missing = (
            int(self._rows(_TEXTS.format(missing=which), (LEVEL_NUMBER[level],))[0][0])
            for which in ("1", self._missing(model, level))
        )
        return every - missing, every

    def _missing(self, model: str, level: Level) -> str:
        space = self._spaces().get(f"{model}/{level}")
        return "1" if space is None else _MISSING.format(table=space.table)
