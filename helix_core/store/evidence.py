"""How much of a question each match holds: counts for a scorer that needs more than one BM25 number.

SQLite's own BM25 picks the candidates; an auxiliary function then reads, for those alone, how often each phrase of the
expression occurs. Nothing is read from the postings twice.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from operator import mul

import apsw

from helix_core.store.hits import Weights
from helix_core.store.inside import InsideQueries
from helix_core.store.session import Row

_FUNCTION = "evidence"
_COLUMNS = 5
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

_SIZE = "SELECT count(*), sum(item_count) FROM source WHERE live = 1 AND skipped = ''"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One match. ``id`` is the item (or, for whole files, the source); ``counts`` has, for each phrase that was to be
    counted, in order, the occurrences weighted by column; lengths are in tokens over all columns.
    """

    id: int
    source_id: int
    length: float
    average_length: float
    counts: tuple[float, ...]


class EvidenceQueries(InsideQueries):
    """Matches with their counts, best first by BM25, within the reader's time budget (QueryTimeoutError)."""

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

    def _evidence(self, sql: str, match: str, phrases: int, limit: int, weights: Weights) -> list[Evidence]:
        if not self._registered:
            self._connection.register_fts5_function(_FUNCTION, _counted)
            self._registered = True

        def ask(count: int) -> list[Row]:
            return self._timed_rows(
                sql, (match, weights.rank, count, phrases, weights.length_counts, *weights.by_column)
            )

        return [_row(row) for row in self._live(ask, limit)]


@dataclass(frozen=True, slots=True)
class _Query:
    """What is the same for every row of one query: how many phrases are counted, what a column counts, and by how much
    it counts less in a field of no words (``shorter``) and for each word of it (``longer``)."""

    phrases: int
    weights: tuple[float, ...]
    average_length: float
    by_length: bool
    shorter: float
    longer: tuple[float, ...]

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
            shorter=1 - length_counts,
            longer=tuple(length_counts / average if average else 0.0 for average in averages),
        )


def _counted(api: apsw.FTS5ExtensionApi, *given: apsw.SQLiteValue) -> bytes:
    """Length, average length, and the weighted count of each phrase, as packed doubles."""
    query: _Query | None = api.aux_data
    if query is None:
        query = api.aux_data = _Query.of(api, given)
    weights = query.weights
    if query.by_length:
        lengths = list(map(api.column_size, range(_COLUMNS)))
        length = sum(lengths)
        weights = _by_length(query, lengths)
    else:
        length = api.column_size(-1)
    counted = [length, query.average_length]
    locations = api.phrase_locations
    counted += [sum(map(mul, weights, map(len, locations(phrase)))) for phrase in range(query.phrases)]
    return array("d", counted).tobytes()


def _by_length(query: _Query, lengths: list[int]) -> tuple[float, ...]:
    """What a column counts in a row: less where the row's field is longer than fields are."""
    weights = list(query.weights)
    for columns, longer in zip(_FIELDS, query.longer, strict=True):
        length = sum([lengths[column] for column in columns])
        share = query.shorter + longer * length if longer else 1.0
        for column in columns:
            weights[column] /= share
    return tuple(weights)


def _row(row: Row) -> Evidence:
    packed = array("d", row[2])
    return Evidence(row[0], row[1], packed[0], packed[1], tuple(packed[2:]))
