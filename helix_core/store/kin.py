"""What belongs to a file by fact: files it imports, that import it, and that changed with it in git."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import apsw

from helix_core.store.rows import IMPORTS
from helix_core.store.session import Session, id_list, text_list

_IMPORTED = """
    SELECT s.id, s.path FROM json_each(?1) wanted JOIN name n ON n.folded = wanted.value
    JOIN source s ON s.stem_id = n.id WHERE s.live = 1 AND s.item_count > 0 LIMIT ?2
"""
_IMPORTERS = f"""
    SELECT t.target, s.id, s.path FROM json_each(?1) wanted JOIN target t ON t.target = wanted.value COLLATE NOCASE
    JOIN link l ON l.target_id = t.id AND l.rel = {IMPORTS}
    JOIN item i ON i.id = l.item_id JOIN source s ON s.id = i.source_id
    WHERE s.live = 1 LIMIT ?2
"""
_CO_CHANGED = """
    SELECT s.id, s.path, c.together, c.lift FROM json_each(?1) wanted JOIN source own ON own.id = wanted.value
    JOIN co_change c ON c.path = own.path JOIN source s ON s.path = c.other AND s.live = 1
    WHERE s.item_count > 0 ORDER BY wanted.key, c.place
"""
_FIRST_ITEMS = "SELECT s.id, s.first_item FROM json_each(?1) wanted JOIN source s ON s.id = wanted.value"


@dataclass(frozen=True, slots=True)
class CoChanged:
    """A live file that changed with another one in ``together`` commits, ``lift`` times as often as by chance."""

    source_id: int
    path: bytes
    together: int
    lift: float


class KinQueries(Session):
    """Of live sources, by id."""

    def sources_of_stems(self, stems: Iterable[str], limit: int) -> list[tuple[int, bytes]]:
        """``(source id, path)`` of files named so, case folded, whatever their folder and extension."""
        rows = self._rows(_IMPORTED, (text_list(sorted({stem.lower() for stem in stems})), limit))
        return [(row[0], row[1]) for row in rows]

    def importers_of(self, targets: Iterable[str], limit: int) -> list[tuple[str, int, bytes]]:
        """``(target as written, source id, path)`` of files that import one of ``targets``, case folded."""
        rows = self._rows(_IMPORTERS, (text_list(targets), limit))
        return [(row[0], row[1], row[2]) for row in rows]

    def co_changed(self, source_ids: Sequence[int]) -> list[CoChanged]:
        """Live files that changed in git with any of the sources, closest first, source by source."""
        return [CoChanged(*row) for row in self._rows(_CO_CHANGED, (id_list(source_ids),))]

    def first_items(self, source_ids: Iterable[int]) -> dict[int, int]:
        """The first item of each source."""
        return {row[0]: row[1] for row in self._rows(_FIRST_ITEMS, (id_list(source_ids),))}


def replace_co_changes(connection: apsw.Connection, rows: Iterable[tuple[bytes, bytes, int, float]]) -> None:
    """All of ``(path, other, together, lift)`` anew, closest first a path. Inside the writer's transaction."""
    connection.execute("DELETE FROM co_change")
    places: dict[bytes, int] = {}
    values = []
    for path, other, together, lift in rows:
        places[path] = places.get(path, -1) + 1
        values.append((path, places[path], other, together, lift))
    connection.executemany("INSERT INTO co_change VALUES (?, ?, ?, ?, ?)", values)
