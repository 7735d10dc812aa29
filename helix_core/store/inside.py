"""Questions about the inside of a few files: which places they have, and how much of a question each place holds.

Ids of one file's items are neighbours, so each file is one range of rows in the postings: nothing outside it is read.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import apsw

from helix_core.store.lexical import LexicalQueries
from helix_core.store.session import Row, id_list

_COLUMNS = 5
_COUNTS, _SPOTS = "field_counts", "spots"

_MATCHES = (
    f"SELECT rowid, {_COUNTS}(chunk_fts, ?4) FROM chunk_fts WHERE chunk_fts MATCH ?1 AND rowid >= ?2 AND rowid < ?3"
)
_PLACES = """
    SELECT i.id, i.source_id, k.kind, coalesce(n.name, n.folded, ''), i.breadcrumb, i.start_line, i.end_line,
        (SELECT group_concat(coalesce(dn.name, dn.folded), char(31)) FROM definition d JOIN name dn ON dn.id = d.name_id
         WHERE d.item_id = i.id)
    FROM json_each(?) wanted JOIN source s ON s.id = wanted.value
    JOIN item i ON i.id >= s.first_item AND i.id < s.first_item + s.item_count
    JOIN kind k ON k.id = i.kind_id LEFT JOIN name n ON n.id = i.name_id
    WHERE s.live = 1 ORDER BY i.id
"""
_WHERE_IN = f"""
    SELECT rowid, {_SPOTS}(chunk_fts) FROM chunk_fts
    WHERE chunk_fts MATCH ?1 AND rowid IN (SELECT value FROM json_each(?2))
"""


class InnerPlace(NamedTuple):
    """A chunk without its file: what it is called, its lines (1-based, inclusive), the names it defines, in order.

    Hundreds are made for a question, so it is a tuple: a frozen dataclass takes three times as long to make.
    """

    id: int
    source_id: int
    kind: str
    name: str
    breadcrumb: str
    start_line: int
    end_line: int
    defines: tuple[str, ...]


class FieldCounts(NamedTuple):
    """How often each phrase occurs in each column of one chunk.

    ``counts[phrase]`` are the occurrences in body, doc, names, extra and path; ``length`` is in tokens, without the
    path, which all chunks of a file share; ``average_length`` is that of all chunks, over all columns.
    """

    length: float
    average_length: float
    counts: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Spots:
    """Where phrases occur in one chunk, as ``(phrase, offset in tokens)``, and how long its body and comments are."""

    body_tokens: int
    doc_tokens: int
    body: tuple[tuple[int, int], ...]
    doc: tuple[tuple[int, int], ...]


class InsideQueries(LexicalQueries):
    """About live files only, each within the reader's time budget (QueryTimeoutError)."""

    _inside_registered = False

    def places_in(self, source_ids: Iterable[int]) -> dict[int, list[InnerPlace]]:
        """All chunks of some live files, by file and in its order; files that are not live are missing."""
        found: dict[int, list[InnerPlace]] = {}
        for row in self._timed_rows(_PLACES, (id_list(source_ids),)):
            found.setdefault(row[1], []).append(_place(row))
        return found

    def counts_in(self, match: str, phrases: int, places: Sequence[InnerPlace]) -> dict[int, FieldCounts]:
        """Which of a live file's chunks match, by id; ``places`` are all of them in file order. The first ``phrases``
        phrases of ``match`` are counted."""
        if not places:
            return {}
        self._register()
        rows = self._timed_rows(_MATCHES, (match, places[0].id, places[-1].id + 1, phrases))
        return {row[0]: _counts(array("d", row[1])) for row in rows}

    def spots(self, match: str, item_ids: Sequence[int]) -> dict[int, Spots]:
        """Where in each of some chunks the phrases of ``match`` occur; chunks without any are missing."""
        self._register()
        return {row[0]: _spots(array("q", row[1])) for row in self._timed_rows(_WHERE_IN, (match, id_list(item_ids)))}

    def _register(self) -> None:
        if not self._inside_registered:
            self._connection.register_fts5_function(_COUNTS, _field_counts)
            self._connection.register_fts5_function(_SPOTS, _all_spots)
            self._inside_registered = True


def _field_counts(api: apsw.FTS5ExtensionApi, *given: apsw.SQLiteValue) -> bytes:
    wanted = given[0] if given and isinstance(given[0], int) else 0
    average = api.aux_data
    if average is None:
        average = api.aux_data = api.column_total_size(-1) / max(1, api.row_count)
    packed = [float(api.column_size(-1) - api.column_size(_COLUMNS - 1)), average]
    for phrase in range(min(wanted, api.phrase_count)):
        packed += map(len, api.phrase_locations(phrase))
    return array("d", packed).tobytes()


def _all_spots(api: apsw.FTS5ExtensionApi, *_: apsw.SQLiteValue) -> bytes:
    packed = [api.column_size(0), api.column_size(1)]
    for phrase in range(api.phrase_count):
        for column in api.phrase_columns(phrase):
            if column < 2:
                for offset in api.phrase_column_offsets(phrase, column):
                    packed += (column, phrase, offset)
    return array("q", packed).tobytes()


def _counts(packed: Sequence[float]) -> FieldCounts:
    numbers = iter(packed)
    return FieldCounts(next(numbers), next(numbers), tuple(zip(*[numbers] * _COLUMNS, strict=True)))


def _spots(packed: Sequence[int]) -> Spots:
    triples = list(zip(packed[2::3], packed[3::3], packed[4::3], strict=True))
    body, doc = (_of_column(triples, column) for column in (0, 1))
    return Spots(packed[0], packed[1], body, doc)


def _of_column(triples: Iterable[tuple[int, int, int]], wanted: int) -> tuple[tuple[int, int], ...]:
    return tuple((phrase, offset) for column, phrase, offset in triples if column == wanted)


def _place(row: Row) -> InnerPlace:
    defines = row[7]
    return InnerPlace(
        row[0], row[1], row[2], row[3], row[4], row[5], row[6], tuple(defines.split("\x1f")) if defines else ()
    )
