"""Queries by name: definitions, similar names, references, tests, importers."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from helix_core.model import Role, SourceKind
from helix_core.store.hits import DefinitionHit, SimilarName
from helix_core.store.lexical import ReferenceWords, phrase
from helix_core.store.rows import IMPORTS, TESTS
from helix_core.store.sqlite_file import IN_SCOPE, ROW_STEPS_PER_MS, QuerySession, id_list, text_list
from helix_core.tuples import NamedTuple

_SIMILAR_CANDIDATES = 200
_SPELLINGS_KEPT = 16

_DEFINITIONS = f"""
    SELECT d.item_id, i.source_id, coalesce(n.name, n.folded), k.kind, d.start_line, d.end_line
    FROM json_each(?1) wanted JOIN name n ON n.folded = wanted.value JOIN definition d ON d.name_id = n.id
    JOIN kind k ON k.id = d.kind_id JOIN item i ON i.id = d.item_id JOIN source s ON s.id = i.source_id
    WHERE {IN_SCOPE} ORDER BY s.path, d.item_id, d.ordinal LIMIT ?2
"""
_SOLE = """
    SELECT d.item_id, i.source_id, coalesce(n.name, n.folded), k.kind, d.start_line, d.end_line
    FROM name n JOIN definition d ON d.name_id = n.id
    JOIN kind k ON k.id = d.kind_id JOIN item i ON i.id = d.item_id JOIN source s ON s.id = i.source_id
    WHERE n.folded = ?1 AND coalesce(n.name, n.folded) = ?2 AND s.live = 1 LIMIT 2
"""
_BY_PREFIX = f"""
    SELECT d.item_id, i.source_id, coalesce(n.name, n.folded), k.kind, d.start_line, d.end_line
    FROM name n JOIN definition d ON d.name_id = n.id
    JOIN kind k ON k.id = d.kind_id JOIN item i ON i.id = d.item_id JOIN source s ON s.id = i.source_id
    WHERE n.folded >= ?1 AND n.folded < ?2 AND {IN_SCOPE}
    ORDER BY length(n.folded), n.folded, s.path, d.item_id LIMIT ?3
"""
_DEFINED_AFTER = """
    SELECT coalesce(name, folded) FROM name WHERE id IN (SELECT name_id FROM definition WHERE item_id > ?)
"""
_CANDIDATES = """
    SELECT n.id, coalesce(n.name, n.folded), n.folded FROM (
        SELECT doc, count(*) AS shared FROM json_each(?1) wanted JOIN name_vocab v ON v.term = wanted.value
        GROUP BY doc HAVING shared >= ?4
    ) f JOIN name n ON n.id = f.doc
    ORDER BY 2.0 * f.shared / (?2 + max(1, length(n.folded) - 2)) DESC, n.id LIMIT ?3
"""
_IS_DEFINED = f"""
    SELECT 1 FROM definition d JOIN item i ON i.id = d.item_id JOIN source s ON s.id = i.source_id
    WHERE d.name_id = ? AND {IN_SCOPE} LIMIT 1
"""
_IS_STEM = f"SELECT 1 FROM source s WHERE s.stem_id = ? AND {IN_SCOPE} LIMIT 1"
_IMPORTS_OF = f"""
    SELECT DISTINCT t.target FROM source s
    JOIN link l ON l.item_id >= s.first_item AND l.item_id < s.first_item + s.item_count
    JOIN target t ON t.id = l.target_id
    WHERE s.id = ? AND s.live = 1 AND l.rel = {IMPORTS} ORDER BY t.target
"""
_LINKED = f"""
    SELECT l.item_id FROM target t JOIN link l ON l.target_id = t.id
    JOIN item i ON i.id = l.item_id JOIN source s ON s.id = i.source_id
    WHERE t.target = ?1 COLLATE NOCASE AND l.rel = ?2 AND {IN_SCOPE} ORDER BY s.path, l.item_id LIMIT ?3
"""


_TESTED = f"""
    SELECT DISTINCT t.id, s.id
    FROM json_each(?1) wanted JOIN source t ON t.id = wanted.value
    JOIN link l ON l.item_id = t.first_item JOIN target g ON g.id = l.target_id
    JOIN name n ON n.folded = lower(g.target) JOIN source s ON s.stem_id = n.id JOIN profile p ON p.id = s.profile_id
    WHERE l.rel = {TESTS} AND t.live = 1 AND {IN_SCOPE} AND p.role = '{Role.IMPLEMENTATION.value}' AND s.id <> t.id
    ORDER BY t.id, s.path LIMIT ?2
"""


def trigrams(folded: str) -> frozenset[str]:
    """Return the distinct runs of three characters, as SQLite's trigram tokenizer makes them."""
    return frozenset(folded[start : start + 3] for start in range(len(folded) - 2))


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    """Return Dice's coefficient of two sets (Dice 1945): twice the intersection's size over the sum of the sizes."""
    return 2 * len(one & other) / (len(one) + len(other))


_TEST = Role.TEST.value
_HIT = "d.item_id, i.source_id, coalesce(n.name, n.folded), k.kind, d.start_line, d.end_line"
_DEFINED_AT = f"""
    SELECT {_HIT}, s.path, p.role, p.source_kind, coalesce(d.trail, i.breadcrumb)
    FROM name n JOIN definition d ON d.name_id = n.id JOIN kind k ON k.id = d.kind_id
    JOIN item i ON i.id = d.item_id JOIN source s ON s.id = i.source_id JOIN profile p ON p.id = s.profile_id
    WHERE n.folded = ?1 AND s.live = 1
    ORDER BY s.path = ?2 DESC, p.role = '{Role.IMPLEMENTATION.value}' DESC, s.path, d.item_id, d.ordinal LIMIT ?3
"""
_DEFINED_TIMES = f"""
    SELECT n.folded, p.role = '{_TEST}', count(DISTINCT d.item_id)
    FROM json_each(?1) wanted JOIN name n ON n.folded = wanted.value JOIN definition d ON d.name_id = n.id
    JOIN item i ON i.id = d.item_id JOIN source s ON s.id = i.source_id JOIN profile p ON p.id = s.profile_id
    WHERE s.live = 1 AND p.source_kind = '{SourceKind.CODE.value}' GROUP BY 1, 2
"""
_DEFINED_IN = f"""
    SELECT {_HIT}
    FROM source s JOIN definition d ON d.item_id >= s.first_item AND d.item_id < s.first_item + s.item_count
    JOIN item i ON i.id = d.item_id JOIN name n ON n.id = d.name_id JOIN kind k ON k.id = d.kind_id
    WHERE s.id = ? AND s.live = 1 ORDER BY d.start_line, d.item_id, d.ordinal
"""
_KINDS_IN = """
    SELECT DISTINCT coalesce(d.trail, i.breadcrumb), coalesce(n.name, n.folded), k.kind
    FROM source s JOIN definition d ON d.item_id >= s.first_item AND d.item_id < s.first_item + s.item_count
    JOIN item i ON i.id = d.item_id JOIN name n ON n.id = d.name_id JOIN kind k ON k.id = d.kind_id
    WHERE s.id = (SELECT max(id) FROM (
        SELECT id, content_hash FROM source WHERE path = ?1 AND live = 1
        UNION ALL SELECT id, content_hash FROM source WHERE path = ?1 AND live = 0
    ) WHERE lower(hex(content_hash)) = ?2)
"""
_HAS_IMPORTS = "(i.kind_id IS (SELECT id FROM kind WHERE kind = 'imports'))"
_USED = f"""
    FROM ref_fts f JOIN item i ON i.id = f.rowid JOIN source s ON s.id = i.source_id
    JOIN profile p ON p.id = s.profile_id WHERE f.ref_fts MATCH ?1 AND s.live = 1
      AND p.source_kind = '{SourceKind.CODE.value}'
"""
_USES = f"""
    SELECT id, imports FROM (
        SELECT i.id AS id, {_HAS_IMPORTS} AS imports, row_number() OVER (
            PARTITION BY {_HAS_IMPORTS} ORDER BY i.id IN (SELECT value FROM json_each(?8)), CASE
                WHEN s.path = ?3 THEN 0
                WHEN s.path > ?4 AND s.path < ?5 THEN 1
                WHEN s.id IN (SELECT value FROM json_each(?6)) THEN 2
                ELSE 3 END, s.path, i.id
        ) AS place {_USED} AND (p.role = '{_TEST}') = ?2
    ) WHERE place <= ?7 ORDER BY place
"""
_USE_TOTALS = f"SELECT p.role = '{_TEST}', count(*) {_USED} AND NOT {_HAS_IMPORTS} GROUP BY 1"
_TEST_LINKS = f"""
    SELECT DISTINCT l.item_id FROM json_each(?1) wanted JOIN target t ON t.target = wanted.value COLLATE NOCASE
    JOIN link l ON l.target_id = t.id JOIN item i ON i.id = l.item_id JOIN source s ON s.id = i.source_id
    WHERE l.rel = {TESTS} AND s.live = 1 ORDER BY s.path, l.item_id LIMIT ?2
"""
_IMPORTING = f"""
    SELECT t.target, s.id, s.path FROM target t JOIN link l ON l.target_id = t.id
    JOIN item i ON i.id = l.item_id JOIN source s ON s.id = i.source_id
    WHERE instr(t.target, ?1) AND (
        t.target LIKE '%' || ?3 || '_' || ?2 ESCAPE '\\' OR t.target LIKE '%' || ?3 || '__' || ?2 ESCAPE '\\'
        OR t.target LIKE '%' || ?3 || '/' || ?2 || '.%' ESCAPE '\\' OR t.target LIKE '.%' || ?2 || '%' ESCAPE '\\'
        OR t.target = ?1 OR t.target LIKE ?2 || '.%' ESCAPE '\\'
    ) AND l.rel = {IMPORTS} AND s.live = 1 LIMIT ?4
"""
_IMPORTING_FROM = f"""
    SELECT t.target, s.id, s.path FROM target t JOIN link l ON l.target_id = t.id
    JOIN item i ON i.id = l.item_id JOIN source s ON s.id = i.source_id
    WHERE (t.target LIKE '%' || ?1 ESCAPE '\\' OR t.target IN ('.', '..', '...')) AND l.rel = {IMPORTS} AND s.live = 1
      AND l.item_id IN (SELECT rowid FROM ref_fts WHERE ref_fts MATCH ?2) LIMIT ?3
"""
_SAID = f"""
    SELECT f.rowid FROM chunk_fts f JOIN item i ON i.id = f.rowid JOIN source s ON s.id = i.source_id
    JOIN profile p ON p.id = s.profile_id
    WHERE f.chunk_fts MATCH ?1 AND {IN_SCOPE} AND p.source_kind = '{SourceKind.DOC.value}'
      AND p.role <> '{Role.HISTORY.value}' LIMIT ?2
"""
_SAYING = f"""
    SELECT f.rowid FROM chunk_fts f JOIN item i ON i.id = f.rowid JOIN source s ON s.id = i.source_id
    JOIN profile p ON p.id = s.profile_id
    WHERE f.chunk_fts MATCH ?1 AND s.live = 1
      AND p.source_kind IN ('{SourceKind.CODE.value}', '{SourceKind.CONFIG.value}') AND (p.role = '{_TEST}') = ?2
    ORDER BY s.path, i.id LIMIT ?3
"""
_IN_CODE = f"""
    SELECT DISTINCT s.path FROM chunk_fts f JOIN item i ON i.id = f.rowid JOIN source s ON s.id = i.source_id
    JOIN profile p ON p.id = s.profile_id
    WHERE f.chunk_fts MATCH ?1 AND s.live = 1 AND p.source_kind = '{SourceKind.CODE.value}' AND s.has_errors >= ?3
    ORDER BY s.path LIMIT ?2
"""


class DefinedAt(NamedTuple):
    """A live definition with what distinguishes it from others of its name; ``trail`` names the enclosing scopes."""

    hit: DefinitionHit
    path: bytes
    role: Role
    source_kind: SourceKind
    trail: tuple[str, ...]


class UseTotals(NamedTuple):
    """Number of items that use a name, or define it; items of test files counted apart; case is folded."""

    users: int
    tests: int


class NameQueries:
    """Definitions, similar names, imports, tests."""

    def __init__(self, session: QuerySession) -> None:
        self._session = session
        self._spelled: tuple[int, dict[str, list[tuple[float, str, int]]]] = (-1, {})

    def definitions(self, folded_names: Iterable[str], limit: int = 200) -> list[DefinitionHit]:
        """Return live definitions of lower-cased names, in path order."""
        return [DefinitionHit(*row) for row in self._session.rows(_DEFINITIONS, (text_list(folded_names), limit))]

    def newest_definition(self) -> int:
        """Return the largest item id of a definition, or 0: it grows whenever a definition is added."""
        return int(self._session.rows("SELECT coalesce(max(item_id), 0) FROM definition")[0][0])

    def defined_after(self, item_id: int) -> list[str]:
        """Return the names, as written, that items with a larger id define; those of parked versions too."""
        return [row[0] for row in self._session.rows(_DEFINED_AFTER, (item_id,))]

    def sole_definition(self, name: str) -> DefinitionHit | None:
        """Return the live definition of a name, case-sensitive, when there is exactly one."""
        rows = self._session.rows(_SOLE, (name.lower(), name))
        return DefinitionHit(*rows[0]) if len(rows) == 1 else None

    def definitions_by_prefix(self, folded_prefix: str, limit: int = 50) -> list[DefinitionHit]:
        """Return live definitions whose lower-cased name has this prefix, shortest name first."""
        if not folded_prefix:
            return []
        bounds = (folded_prefix, folded_prefix + "\U0010ffff", limit)
        return [DefinitionHit(*row) for row in self._session.rows(_BY_PREFIX, bounds)]

    def similar_names(self, text: str, limit: int = 10) -> list[SimilarName]:
        """Return known symbols and file stems spelled like ``text``, best first: exact matches included, scores under
        the threshold dropped.
        """
        found: list[SimilarName] = []
        for similarity, name, name_id in self._spelled_like(text.lower()):
            if self._session.rows(_IS_DEFINED, (name_id,)):
                found.append(SimilarName(name, similarity, is_path=False))
            elif self._session.rows(_IS_STEM, (name_id,)):
                found.append(SimilarName(name, similarity, is_path=True))
            if len(found) == limit:
                break
        return found

    def _spelled_like(self, folded: str) -> list[tuple[float, str, int]]:
        """Return similarity, name and id of the names spelled like ``folded``, best first.

        Cached until the index is written: in a large index it is the most expensive query, and one question runs it
        twice.
        """
        version = self._session.version()
        if self._spelled[0] != version or len(self._spelled[1]) >= _SPELLINGS_KEPT:
            self._spelled = (version, {})
        kept = self._spelled[1].get(folded)
        if kept is None:
            wanted = trigrams(folded)
            # Below this many shared trigrams Dice's coefficient cannot reach 0.4; skip looking up those names' lengths.
            least = max(1, ceil(0.2 * len(wanted)))
            bindings = (text_list(wanted), len(wanted), _SIMILAR_CANDIDATES, least)
            rows = self._session.bounded_rows(_CANDIDATES, bindings, 2 * ROW_STEPS_PER_MS) if wanted else []
            scored = [(_dice(wanted, trigrams(known)), name, name_id) for name_id, name, known in rows]
            kept = self._spelled[1][folded] = sorted(scored, key=lambda entry: (-entry[0], entry[1]))
        return kept

    def imports_of(self, source_id: int) -> list[str]:
        """Return the import targets of a live source, as written."""
        return [row[0] for row in self._session.rows(_IMPORTS_OF, (source_id,))]

    def importers(self, target: str, limit: int = 50) -> list[int]:
        """Return items that import exactly ``target`` (as written, case folded)."""
        return [row[0] for row in self._session.rows(_LINKED, (target, IMPORTS, limit))]

    def tests_of(self, name: str, limit: int = 50) -> list[int]:
        """Return items that test ``name`` (case folded)."""
        return [row[0] for row in self._session.rows(_LINKED, (name, TESTS, limit))]

    def tested_by(self, source_ids: Iterable[int], limit: int = 500) -> list[tuple[int, int]]:
        """Return ``(test, tested)`` source ids: for each live test file, the implementation files named after it."""
        return [(row[0], row[1]) for row in self._session.rows(_TESTED, (id_list(source_ids), limit))]

    def defined_at(self, name: str, path: bytes, limit: int = 2_000) -> list[DefinedAt]:
        """Return live definitions of a name, case folded: those of the file at ``path`` first, then implementation
        before tests.
        """
        rows = self._session.rows(_DEFINED_AT, (name.lower(), path, limit))
        return [
            DefinedAt(DefinitionHit(*row[:6]), row[6], Role(row[7]), SourceKind(row[8]), _names_of(row[9]))
            for row in rows
        ]

    def defined_in(self, source_id: int) -> list[DefinitionHit]:
        """Return every definition of a live source, in line order."""
        return [DefinitionHit(*row) for row in self._session.rows(_DEFINED_IN, (source_id,))]

    def kinds_in(self, path: bytes, content_hash: str) -> list[tuple[str, str]]:
        """Return the dotted name and the kind of each definition of a version of a file, SHA-256 (hex), be it a parked
        one; none of a version that the index does not have.
        """
        rows = self._session.rows(_KINDS_IN, (path, content_hash))
        return [(f"{trail}.{name}" if trail else name, kind) for trail, name, kind in rows]

    def definition_totals(self, names: Iterable[str]) -> dict[str, UseTotals]:
        """Count the items that define each name, by lower-cased name; undefined names are missing."""
        found: dict[str, dict[int, int]] = {}
        for folded, in_tests, count in self._session.rows(
            _DEFINED_TIMES, (text_list({name.lower() for name in names}),)
        ):
            found.setdefault(folded, {})[in_tests] = count
        return {folded: UseTotals(counts.get(0, 0), counts.get(1, 0)) for folded, counts in found.items()}


class UseQueries:
    """References to a name by nearness, its imports, its tests, and documents that mention it.

    Of a name of several words (``key.sub-key``) the references are where all of them occur.
    """

    def __init__(self, session: QuerySession) -> None:
        self._session = session
        self._references = ReferenceWords(session)

    def items_using(
        self,
        name: str,
        *,
        in_tests: bool,
        near: bytes,
        importing: Iterable[int],
        defining: Iterable[int],
        limit: int,
    ) -> tuple[list[int], list[int]]:
        """Return items whose code uses a name, case folded, and those of imports, with the statements between them.

        Each first of the file ``near``, then of its folder, of the sources ``importing`` it, of all others; last the
        items ``defining`` it, which contain the name anyway. ``limit`` holds for either.
        """
        folder = near.rpartition(b"/")[0]
        bounds = (folder + b"/", folder + b"0") if folder else (b"", b"\xff")
        match = self._references.match(name)
        bindings = (match, in_tests, near, *bounds, id_list(importing), limit, id_list(defining))
        rows = list(self._session.rows(_USES, bindings)) if match else []
        return [row[0] for row in rows if not row[1]], [row[0] for row in rows if row[1]]

    def totals(self, name: str) -> UseTotals:
        """Count the items that use a name."""
        match = self._references.match(name)
        totals: dict[int, int] = dict(self._session.rows(_USE_TOTALS, (match,))) if match else {}
        return UseTotals(totals.get(0, 0), totals.get(1, 0))

    def code_mentioning(self, name: str, limit: int, *, half_read: bool = False) -> list[bytes]:
        """Return code files in which the words of a name occur in sequence, strings and comments included. A superset
        of the files with the name itself, because a longer name may contain it.

        With ``half_read`` only those that have syntax errors, so that what they define may not be known.
        """
        if not name:
            return []
        match = f"{{body names doc}} : {phrase(name)}"
        return [row[0] for row in self._session.rows(_IN_CODE, (match, limit, half_read))]

    def items_saying(self, name: str, *, in_tests: bool, limit: int) -> list[int]:
        """Return items of code and configuration in which the words of a dotted name occur in sequence: in strings too,
        which are no references.
        """
        return [row[0] for row in self._session.rows(_SAYING, (f"{{body}} : {phrase(name)}", in_tests, limit))]

    def tests_linked(self, names: Iterable[str], limit: int = 50) -> list[int]:
        """Return items that test one of ``names`` by their own name or their file's, case folded."""
        return [row[0] for row in self._session.rows(_TEST_LINKS, (text_list(names), limit))]

    def importing(self, stem: str, package: str, limit: int = 2_000) -> list[tuple[str, int, bytes]]:
        """Return ``(target as written, source id, path)`` of imports that may mean a module with this last name in a
        package.
        """
        bindings = (stem, _like_literal(stem), _like_literal(package), limit)
        rows = self._session.rows(_IMPORTING, bindings) if stem else []
        return [(row[0], row[1], row[2]) for row in rows]

    def importing_from(self, package: str, stem: str, limit: int = 2_000) -> list[tuple[str, int, bytes]]:
        """Return the same for imports that end with a package's last name, or are only relative dots, and that import
        ``stem``.
        """
        match = self._references.match(stem)
        if not package or not match:
            return []
        rows = self._session.rows(_IMPORTING_FROM, (_like_literal(package), match, limit))
        return [(row[0], row[1], row[2]) for row in rows]

    def documents_mentioning(self, name: str, limit: int) -> list[int]:
        """Return items of documents in which the words of a name occur in sequence, changelogs excluded."""
        return [row[0] for row in self._session.rows(_SAID, (phrase(name), limit))] if name else []


def _names_of(breadcrumb: str) -> tuple[str, ...]:
    return tuple(part for part in breadcrumb.split(".") if part)


def _like_literal(text: str) -> str:
    """Escape the wildcards of LIKE with a backslash."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
