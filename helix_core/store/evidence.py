"""How much of a question each match holds: counts for a scorer that needs more than one BM25 number.

SQLite's own BM25 picks the candidates; an auxiliary function then reads, for those alone, how often each phrase of the
expression occurs. Nothing is read from the postings twice.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import apsw

from helix_core.store.hits import Weights
from helix_core.store.inside import InnerPlace, InsideQueries
from helix_core.store.session import LONG_TEXT_STEPS_PER_MS, RANKING_STEPS_PER_MS, Row, Value

_FUNCTION = "evidence"
_FIELDS = ((0, 3), (1,), (2,), (4,))
"""Columns that are one text and have one length: ``extra`` spells out what stands in ``body``."""

_CHUNKS = f"""
    SELECT f.rowid, i.source_id, f.counted, s.live
    FROM (
        SELECT rowid, {_FUNCTION}(chunk_fts, ?4, ?5, ?6, ?7, ?8, ?9, ?10) AS counted
        FROM chunk_fts WHERE chunk_fts MATCH ?1 AND rank MATCH ?2 ORDER BY rank LIMIT ?3
    ) f JOIN item i ON i.id = f.rowid JOIN source s ON s.id = i.source_id
"""
_FILES = f"""
    SELECT f.rowid, f.rowid, f.counted, s.live
    FROM (
        SELECT rowid, {_FUNCTION}(file_fts, ?4, ?5, ?6, ?7, ?8, ?9, ?10) AS counted
        FROM file_fts WHERE file_fts MATCH ?1 AND rank MATCH ?2 ORDER BY rank LIMIT ?3
    ) f JOIN source s ON s.id = f.rowid
"""
_INSIDE = f"""
    SELECT rowid, ?11, {_FUNCTION}(chunk_fts, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
    FROM chunk_fts WHERE chunk_fts MATCH ?1 AND rowid >= ?2 AND rowid < ?3
"""

_SIZE = "SELECT count(*), sum(item_count) FROM source WHERE live = 1 AND skipped = ''"


class Evidence(NamedTuple):
    """One match, one of hundreds. ``id`` is the item (or, for whole files, the source); ``counts`` has, for each phrase
    that was to be counted, in order, the occurrences weighted by column; lengths are in tokens over all columns.
    """

    id: int
    source_id: int
    length: float
    average_length: float
    counts: tuple[float, ...]


class EvidenceQueries(InsideQueries):
    """Matches with their counts, best first by BM25, within the reader's budget of work (QueryBudgetError)."""

    _registered = False
    _sized = (-1, 0, 0)

    def size(self) -> tuple[int, int]:
        """How many live files and chunks there are to search; counted anew only after another connection wrote."""
        version = int(self._rows("PRAGMA data_version")[0][0])
        if version != self._sized[0]:
            sources, items = self._rows(_SIZE)[0]
            self._sized = (version, int(sources), int(items or 0))
        return self._sized[1:]

    def chunk_evidence(self, match: str, phrases: int, limit: int, weights: Weights) -> list[Evidence]:
        """At most ``limit`` chunks; the first ``phrases`` phrases of the expression are counted."""
        return self._evidence(_CHUNKS, match, phrases, limit, weights)

    def file_evidence(self, match: str, phrases: int, limit: int, weights: Weights) -> list[Evidence]:
        """At most ``limit`` whole files; the first ``phrases`` phrases of the expression are counted."""
        return self._evidence(_FILES, match, phrases, limit, weights)

    def evidence_in(
        self, match: str, phrases: int, places: Sequence[InnerPlace], weights: Weights
    ) -> dict[int, Evidence]:
        """Those of a live file's chunks that match, by id; ``places`` are all its chunks, in file order."""
        if not places:
            return {}
        self._register_evidence()
        first, behind = places[0].id, places[-1].id + 1
        counting = (phrases, weights.length_counts, *weights.by_column)
        bindings: tuple[Value, ...] = (match, first, behind, *counting, places[0].source_id)
        return {row[0]: _row(row) for row in self._bounded_rows(_INSIDE, bindings)}

    def _register_evidence(self) -> None:
        if not self._registered:
            self._connection.register_fts5_function(_FUNCTION, _counted)
            self._registered = True

    def _evidence(self, sql: str, match: str, phrases: int, limit: int, weights: Weights) -> list[Evidence]:
        self._register_evidence()
        steps_per_ms = LONG_TEXT_STEPS_PER_MS if sql == _FILES else RANKING_STEPS_PER_MS

        def ask(count: int) -> list[Row]:
            return self._bounded_rows(
                sql, (match, weights.rank, count, phrases, weights.length_counts, *weights.by_column), steps_per_ms
            )

        return [_row(row) for row in self._live(ask, limit)]


@dataclass(frozen=True, slots=True)
class _Query:
    """What is the same for every row of one query: how many phrases are counted, what a column counts, and how much
    less it counts in a field: ``(in one of no words, for each word of it)``."""

    phrases: int
    weights: tuple[float, ...]
    average_length: float
    by_length: bool
    less: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, api: apsw.FTS5ExtensionApi, given: tuple[apsw.SQLiteValue, ...]) -> _Query:
        phrases, length_counts, *weights = [value for value in given if isinstance(value, (int, float))]
        rows = max(1, api.row_count)
        averages = tuple(sum(map(api.column_total_size, columns)) / rows for columns in _FIELDS)
        return cls(
            phrases=min(int(phrases), api.phrase_count),
            weights=tuple(weights),
            average_length=api.column_total_size(-1) / rows,
            by_length=bool(length_counts),
            less=tuple((1 - length_counts, length_counts / average) if average else (1.0, 0.0) for average in averages),
        )


def _counted(api: apsw.FTS5ExtensionApi, *given: apsw.SQLiteValue) -> bytes:
    """Length, average length, and the weighted count of each phrase, as packed doubles.

    Runs for every row that is looked at, so it is written out column by column, in the order of the table's.
    """
    query: _Query | None = api.aux_data
    if query is None:
        query = api.aux_data = _Query.of(api, given)
    body, doc, names, extra, path = query.weights
    if query.by_length:
        size = api.column_size
        in_body, in_doc, in_names, in_extra, in_path = size(0), size(1), size(2), size(3), size(4)
        length = in_body + in_doc + in_names + in_extra + in_path
        code, comment, name, place = query.less
        share = code[0] + code[1] * (in_body + in_extra)
        body, extra = body / share, extra / share
        doc /= comment[0] + comment[1] * in_doc
        names /= name[0] + name[1] * in_names
        path /= place[0] + place[1] * in_path
    else:
        length = api.column_size(-1)
    counted = [length, query.average_length]
    locations = api.phrase_locations
    for phrase in range(query.phrases):
        b, d, n, e, p = locations(phrase)
        counted.append(body * len(b) + doc * len(d) + names * len(n) + extra * len(e) + path * len(p))
    return array("d", counted).tobytes()


def _row(row: Row) -> Evidence:
    length, average, *counts = array("d", row[2])
    return Evidence(row[0], row[1], length, average, tuple(counts))
