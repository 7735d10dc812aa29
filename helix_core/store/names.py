"""Questions about names: where something is defined, what is called alike, who imports or tests it."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from helix_core.model import Role
from helix_core.store.hits import DefinitionHit, SimilarName
from helix_core.store.rows import IMPORTS, TESTS
from helix_core.store.session import ROW_STEPS_PER_MS, Session, id_list, text_list

_SIMILAR_CANDIDATES = 200
_SPELLINGS_KEPT = 16

_DEFINITIONS = """
    SELECT d.item_id, i.source_id, coalesce(n.name, n.folded), k.kind, d.start_line, d.end_line
    FROM json_each(?1) wanted JOIN name n ON n.folded = wanted.value JOIN definition d ON d.name_id = n.id
    JOIN kind k ON k.id = d.kind_id JOIN item i ON i.id = d.item_id JOIN source s ON s.id = i.source_id
    WHERE s.live = 1 ORDER BY s.path, d.item_id, d.ordinal LIMIT ?2
"""
_SOLE = """
    SELECT d.item_id, i.source_id, coalesce(n.name, n.folded), k.kind, d.start_line, d.end_line
    FROM name n JOIN definition d ON d.name_id = n.id
    JOIN kind k ON k.id = d.kind_id JOIN item i ON i.id = d.item_id JOIN source s ON s.id = i.source_id
    WHERE n.folded = ?1 AND coalesce(n.name, n.folded) = ?2 AND s.live = 1 LIMIT 2
"""
_BY_PREFIX = """
    SELECT d.item_id, i.source_id, coalesce(n.name, n.folded), k.kind, d.start_line, d.end_line
    FROM name n JOIN definition d ON d.name_id = n.id
    JOIN kind k ON k.id = d.kind_id JOIN item i ON i.id = d.item_id JOIN source s ON s.id = i.source_id
    WHERE n.folded >= ?1 AND n.folded < ?2 AND s.live = 1
    ORDER BY length(n.folded), n.folded, s.path, d.item_id LIMIT ?3
"""
_CANDIDATES = """
    SELECT n.id, coalesce(n.name, n.folded), n.folded FROM (
        SELECT doc, count(*) AS shared FROM json_each(?1) wanted JOIN name_vocab v ON v.term = wanted.value
        GROUP BY doc HAVING shared >= ?4
    ) f JOIN name n ON n.id = f.doc
    ORDER BY 2.0 * f.shared / (?2 + max(1, length(n.folded) - 2)) DESC, n.id LIMIT ?3
"""
_IS_DEFINED = """
    SELECT 1 FROM definition d JOIN item i ON i.id = d.item_id JOIN source s ON s.id = i.source_id
    WHERE d.name_id = ? AND s.live = 1 LIMIT 1
"""
_IS_STEM = "SELECT 1 FROM source WHERE stem_id = ? AND live = 1 LIMIT 1"
_IMPORTS_OF = f"""
    SELECT DISTINCT t.target FROM source s
    JOIN link l ON l.item_id >= s.first_item AND l.item_id < s.first_item + s.item_count
    JOIN target t ON t.id = l.target_id
    WHERE s.id = ? AND s.live = 1 AND l.rel = {IMPORTS} ORDER BY t.target
"""
_LINKED = """
    SELECT l.item_id FROM target t JOIN link l ON l.target_id = t.id
    JOIN item i ON i.id = l.item_id JOIN source s ON s.id = i.source_id
    WHERE t.target = ?1 COLLATE NOCASE AND l.rel = ?2 AND s.live = 1 ORDER BY s.path, l.item_id LIMIT ?3
"""


_TESTED = f"""
    SELECT DISTINCT t.id, s.id
    FROM json_each(?1) wanted JOIN source t ON t.id = wanted.value
    JOIN link l ON l.item_id = t.first_item JOIN target g ON g.id = l.target_id
    JOIN name n ON n.folded = lower(g.target) JOIN source s ON s.stem_id = n.id JOIN profile p ON p.id = s.profile_id
    WHERE l.rel = {TESTS} AND t.live = 1 AND s.live = 1 AND p.role = '{Role.IMPLEMENTATION.value}' AND s.id <> t.id
    ORDER BY t.id, s.path LIMIT ?2
"""


class NameQueries(Session):
    """Definitions, similar names, imports, tests."""

    _spelled: tuple[int, dict[str, list[tuple[float, str, int]]]] = (-1, {})

    def definitions(self, folded_names: Iterable[str], limit: int = 200) -> list[DefinitionHit]:
        """Live definitions of lower-cased names, in path order."""
        return [DefinitionHit(*row) for row in self._rows(_DEFINITIONS, (text_list(folded_names), limit))]

    def sole_definition(self, name: str) -> DefinitionHit | None:
        """The live definition of a name as it is written, where there is exactly one."""
        rows = self._rows(_SOLE, (name.lower(), name))
        return DefinitionHit(*rows[0]) if len(rows) == 1 else None

    def definitions_by_prefix(self, folded_prefix: str, limit: int = 50) -> list[DefinitionHit]:
        """Live definitions whose lower-cased name starts so, shortest name first."""
        if not folded_prefix:
            return []
        bounds = (folded_prefix, folded_prefix + "\U0010ffff", limit)
        return [DefinitionHit(*row) for row in self._rows(_BY_PREFIX, bounds)]

    def similar_names(self, text: str, limit: int = 10) -> list[SimilarName]:
        """Known symbols and file stems spelled like ``text``, best first; exact ones included, faint ones left out."""
        found: list[SimilarName] = []
        for similarity, name, name_id in self._spelled_like(text.lower()):
            if self._rows(_IS_DEFINED, (name_id,)):
                found.append(SimilarName(name, similarity, is_path=False))
            elif self._rows(_IS_STEM, (name_id,)):
                found.append(SimilarName(name, similarity, is_path=True))
            if len(found) == limit:
                break
        return found

    def _spelled_like(self, folded: str) -> list[tuple[float, str, int]]:
        """Similarity, name and id of the names spelled like ``folded``, best first.

        Kept while nobody writes: in a large index it is the dearest look-up, and one question asks it twice.
        """
        version = int(self._rows("PRAGMA data_version")[0][0])
        if self._spelled[0] != version or len(self._spelled[1]) >= _SPELLINGS_KEPT:
            self._spelled = (version, {})
        kept = self._spelled[1].get(folded)
        if kept is None:
            wanted = trigrams(folded)
            # Dice's coefficient reaches 0.4 only from here on; looking up the length of every other name cost the most.
            least = max(1, ceil(0.2 * len(wanted)))
            bindings = (text_list(wanted), len(wanted), _SIMILAR_CANDIDATES, least)
            rows = self._bounded_rows(_CANDIDATES, bindings, 2 * ROW_STEPS_PER_MS) if wanted else []
            scored = [(_dice(wanted, trigrams(known)), name, name_id) for name_id, name, known in rows]
            kept = self._spelled[1][folded] = sorted(scored, key=lambda entry: (-entry[0], entry[1]))
        return kept

    def imports_of(self, source_id: int) -> list[str]:
        """What a live source imports, as written."""
        return [row[0] for row in self._rows(_IMPORTS_OF, (source_id,))]

    def importers(self, target: str, limit: int = 50) -> list[int]:
        """Items that import ``target`` (the whole target as written, case folded)."""
        return [row[0] for row in self._rows(_LINKED, (target, IMPORTS, limit))]

    def tests_of(self, name: str, limit: int = 50) -> list[int]:
        """Items that test ``name`` (case folded)."""
        return [row[0] for row in self._rows(_LINKED, (name, TESTS, limit))]

    def tested_by(self, source_ids: Iterable[int], limit: int = 500) -> list[tuple[int, int]]:
        """``(test, tested)``: for each live test file the implementation's files of the name that it tests."""
        return [(row[0], row[1]) for row in self._rows(_TESTED, (id_list(source_ids), limit))]


def trigrams(folded: str) -> frozenset[str]:
    """The distinct runs of three characters, as SQLite's trigram tokenizer makes them."""
    return frozenset(folded[start : start + 3] for start in range(len(folded) - 2))


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    """Dice's coefficient of two sets (Dice 1945): twice the shared part over the sum of the sizes."""
    return 2 * len(one & other) / (len(one) + len(other))
