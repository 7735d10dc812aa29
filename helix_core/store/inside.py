"""Questions about the inside of a few files: which places they have, and where in them words stand.

Ids of one file's items are neighbours, so each file is one range of rows in the postings: nothing outside it is read.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import apsw

from helix_core.store.lexical import LexicalQueries
from helix_core.store.session import ROW_STEPS_PER_MS, Row, id_list

_SPOTS = "spots"

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


@dataclass(frozen=True, slots=True)
class Spots:
    """Where phrases occur in one chunk, as ``(phrase, offset in tokens)``, and how long its body and comments are."""

    body_tokens: int
    doc_tokens: int
    body: tuple[tuple[int, int], ...]
    doc: tuple[tuple[int, int], ...]


class InsideQueries(LexicalQueries):
    """About live files only, each within the reader's budget of work (QueryBudgetError)."""

    _inside_registered = False

    def places_in(self, source_ids: Iterable[int]) -> dict[int, list[InnerPlace]]:
        """All chunks of some live files, by file and in its order; files that are not live are missing."""
        found: dict[int, list[InnerPlace]] = {}
        for row in self._bounded_rows(_PLACES, (id_list(source_ids),), ROW_STEPS_PER_MS):
            found.setdefault(row[1], []).append(_place(row))
        return found

    def spots(self, match: str, item_ids: Sequence[int]) -> dict[int, Spots]:
        """Where in each of some chunks the phrases of ``match`` occur; chunks without any are missing."""
        self._register()
        return {row[0]: _spots(array("q", row[1])) for row in self._bounded_rows(_WHERE_IN, (match, id_list(item_ids)))}

    def _register(self) -> None:
        if not self._inside_registered:
            self._connection.register_fts5_function(_SPOTS, _all_spots)
            self._inside_registered = True


def _all_spots(api: apsw.FTS5ExtensionApi, *_: apsw.SQLiteValue) -> bytes:
    packed = [api.column_size(0), api.column_size(1)]
    for phrase in range(api.phrase_count):
        for column in api.phrase_columns(phrase):
            if column < 2:
                for offset in api.phrase_column_offsets(phrase, column):
                    packed += (column, phrase, offset)
    return array("q", packed).tobytes()


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
