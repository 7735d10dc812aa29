"""How much of a question each match holds: counts for a scorer that needs more than one BM25 number.

SQLite's own BM25 picks the candidates; an auxiliary function then reads, for those alone, how often each phrase of the
expression occurs. Nothing is read from the postings twice.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import apsw

from helix_core.store.hits import Weights
from helix_core.store.inside import InsideQueries
from helix_core.store.session import Row

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


def _counted(api: apsw.FTS5ExtensionApi, *given: apsw.SQLiteValue) -> bytes:
    """Length, average length, and the weighted count of each phrase, as packed doubles."""
    phrases, length_counts, *weights = [value for value in given if isinstance(value, (int, float))]
    rows = max(1, api.row_count)
    counted = [api.column_size(-1), api.column_total_size(-1) / rows]
    if length_counts:
        for columns in _FIELDS:
            average = sum(map(api.column_total_size, columns)) / rows
            longer = sum(map(api.column_size, columns)) / average if average else 1.0
            for column in columns:
                weights[column] /= 1 - length_counts + length_counts * longer
    for phrase in range(min(int(phrases), api.phrase_count)):
        count = 0.0
        for column in api.phrase_columns(phrase):
            count += weights[column] * len(api.phrase_column_offsets(phrase, column))
        counted.append(count)
    return array("d", counted).tobytes()


def _row(row: Row) -> Evidence:
    packed = array("d", row[2])
    return Evidence(row[0], row[1], packed[0], packed[1], tuple(packed[2:]))
