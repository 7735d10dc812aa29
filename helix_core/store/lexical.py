"""Full-text queries (FTS5): term statistics, BM25 matches with evidence counts, and phrase positions in a few files."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache

import apsw

from helix_core.store.hits import Weights
from helix_core.store.sqlite_file import (
    IN_SCOPE,
    LONG_TEXT_STEPS_PER_MS,
    RANKING_STEPS_PER_MS,
    ROW_STEPS_PER_MS,
    QuerySession,
    Row,
    Value,
    id_list,
    text_list,
)
from helix_core.tuples import NamedTuple
from helix_core.words import split_identifier

_EVEN = Weights()
_SPARE = 16
MOST_KEPT = 20_000
"""Size limit of the cache of frequencies, in words."""
STEMS_KEPT = 4_000
"""Size limit of the cache of stems, in names of some 600 bytes each: a question has a few hundred of them twice."""

# Inside the ranked query, so that a filter that leaves few chunks is no matter of how far the query reads.
_CHUNK_IN_SCOPE = "(SELECT i.source_id FROM item i WHERE i.id = chunk_fts.rowid) NOT IN temp.out_of_scope"
_FILE_IN_SCOPE = "file_fts.rowid NOT IN temp.out_of_scope"
_CHUNKS = f"""
    SELECT f.rowid, i.source_id, -f.rank, s.live
    FROM (
        SELECT rowid, rank FROM chunk_fts
        WHERE chunk_fts MATCH ?1 AND rank MATCH ?2 AND {_CHUNK_IN_SCOPE} ORDER BY rank LIMIT ?3
    ) f
    JOIN item i ON i.id = f.rowid JOIN source s ON s.id = i.source_id
"""
_FILES = f"""
    SELECT f.rowid, -f.rank, s.live
    FROM (
        SELECT rowid, rank FROM file_fts
        WHERE file_fts MATCH ?1 AND rank MATCH ?2 AND {_FILE_IN_SCOPE} ORDER BY rank LIMIT ?3
    ) f
    JOIN source s ON s.id = f.rowid
"""
_CHUNKS_IN = """
    SELECT f.rowid, i.source_id, -f.rank
    FROM chunk_fts f JOIN item i ON i.id = f.rowid
    WHERE f.chunk_fts MATCH ?1 AND f.rank MATCH ?2 AND +f.rowid IN (
        SELECT own.id FROM json_each(?3) wanted JOIN source s ON s.id = wanted.value
        JOIN item own ON own.id >= s.first_item AND own.id < s.first_item + s.item_count
        WHERE s.live = 1
    )
    ORDER BY 3 DESC, 1 LIMIT ?4
"""
_REFERENCES = f"""
    SELECT f.rowid FROM ref_fts f JOIN item i ON i.id = f.rowid JOIN source s ON s.id = i.source_id
    WHERE f.ref_fts MATCH ? AND {IN_SCOPE} ORDER BY f.rowid LIMIT ?
"""


def phrase(text: str) -> str:
    """Quote text as an FTS5 phrase, so that no part of it is parsed as an operator."""
    return '"' + text.replace('"', '""').replace("\0", " ") + '"'


def _tokens(tokenizer: apsw.FTS5Tokenizer, text: str) -> list[str]:
    encoded = text.encode("utf-8", "replace")
    return tokenizer(  # type: ignore[return-value]
        encoded, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
    )


class ReferenceWords:
    """Builds MATCH expressions for ``ref_fts``: its ``detail=none`` has no phrases, so each token is a term."""

    def __init__(self, session: QuerySession) -> None:
        self._session = session
        self._tokenizer: apsw.FTS5Tokenizer | None = None

    def match(self, text: str) -> str:
        """Return the expression for what has every token of a name or a path; "" where it has none."""
        if self._tokenizer is None:
            self._tokenizer = self._session.connection.fts5_tokenizer("unicode61", ["tokenchars", "_"])
        return " AND ".join(map(phrase, dict.fromkeys(_tokens(self._tokenizer, text))))


_OFFSETS_FUNCTION = "phrase_offsets"

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
    SELECT rowid, {_OFFSETS_FUNCTION}(chunk_fts) FROM chunk_fts
    WHERE chunk_fts MATCH ?1 AND rowid IN (SELECT value FROM json_each(?2))
"""


class FileChunk(NamedTuple):
    """A chunk without its file: its heading, its lines (1-based, inclusive), the names it defines, in order.

    A query creates hundreds of these, so it is a NamedTuple: a frozen dataclass takes three times as long to construct.
    """

    id: int
    source_id: int
    kind: str
    name: str
    breadcrumb: str
    start_line: int
    end_line: int
    defines: tuple[str, ...]


class PhraseOffsets(NamedTuple):
    """Phrase positions in one chunk, as ``(phrase, offset in tokens)``, and the length of its body and comments."""

    body_tokens: int
    doc_tokens: int
    body: tuple[tuple[int, int], ...]
    doc: tuple[tuple[int, int], ...]


def _phrase_offsets_function(api: apsw.FTS5ExtensionApi, *_: apsw.SQLiteValue) -> bytes:
    packed = [api.column_size(0), api.column_size(1)]
    locations = api.phrase_locations
    for phrase in range(api.phrase_count):
        for column, offsets in enumerate(locations(phrase)[:2]):
            for offset in offsets:
                packed += (column, phrase, offset)
    return array("q", packed).tobytes()


def _unpack_offsets(packed: Sequence[int]) -> PhraseOffsets:
    triples = list(zip(packed[2::3], packed[3::3], packed[4::3], strict=True))
    body, doc = (_of_column(triples, column) for column in (0, 1))
    return PhraseOffsets(packed[0], packed[1], body, doc)


def _of_column(triples: Iterable[tuple[int, int, int]], wanted: int) -> tuple[tuple[int, int], ...]:
    return tuple((phrase, offset) for column, phrase, offset in triples if column == wanted)


def _file_chunk(row: Row) -> FileChunk:
    defines = row[7]
    return tuple.__new__(FileChunk, (*row[:7], tuple(defines.split("\x1f")) if defines else ()))


_FUNCTION = "evidence"
_BYTES_OF_A_DOUBLE = 8
_FIELDS = ((0, 3), (1,), (2,), (4,))
"""Columns that share one length: ``extra`` spells out the identifiers of ``body``."""

_CHUNK_COUNTS = f"""
    SELECT f.rowid, i.source_id, f.counted, s.live
    FROM (
        SELECT rowid, {_FUNCTION}(chunk_fts, ?4, ?5, ?6, ?7, ?8, ?9, ?10) AS counted
        FROM chunk_fts WHERE chunk_fts MATCH ?1 AND rank MATCH ?2 AND {_CHUNK_IN_SCOPE} ORDER BY rank LIMIT ?3
    ) f JOIN item i ON i.id = f.rowid JOIN source s ON s.id = i.source_id
"""
_UNRANKED_COUNTS = f"""
    SELECT f.rowid, i.source_id, f.counted, s.live
    FROM (
        SELECT rowid, {_FUNCTION}(chunk_fts, ?4, ?5, ?6, ?7, ?8, ?9, ?10) AS counted
        FROM chunk_fts WHERE chunk_fts MATCH ?1 AND ?2 = ?2 AND {_CHUNK_IN_SCOPE} LIMIT ?3
    ) f JOIN item i ON i.id = f.rowid JOIN source s ON s.id = i.source_id
"""
_FILE_COUNTS = f"""
    SELECT f.rowid, f.rowid, f.counted, s.live
    FROM (
        SELECT rowid, {_FUNCTION}(file_fts, ?4, ?5, ?6, ?7, ?8, ?9, ?10) AS counted
        FROM file_fts WHERE file_fts MATCH ?1 AND rank MATCH ?2 AND {_FILE_IN_SCOPE} ORDER BY rank LIMIT ?3
    ) f JOIN source s ON s.id = f.rowid
"""
_INSIDE = f"""
    SELECT rowid, ?11, {_FUNCTION}(chunk_fts, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
    FROM chunk_fts WHERE chunk_fts MATCH ?1 AND rowid >= ?2 AND rowid < ?3
"""

_OCCURS = """
    SELECT 1 FROM chunk_fts f JOIN item i ON i.id = f.rowid JOIN source s ON s.id = i.source_id
    WHERE f.chunk_fts MATCH ? AND s.live = 1 LIMIT 1
"""
_OCCURS_IN_SCOPE = f"""
    SELECT 1 FROM chunk_fts f JOIN item i ON i.id = f.rowid JOIN source s ON s.id = i.source_id
    WHERE f.chunk_fts MATCH ? AND {IN_SCOPE} LIMIT 1
"""
_KNOWN = "SELECT v.term, v.doc FROM json_each(?1) w CROSS JOIN chunk_vocab v ON v.term = w.value"
_SIZE = """
    SELECT count(*), sum(item_count), EXISTS (SELECT 1 FROM source WHERE live = 0)
    FROM source WHERE live = 1 AND skipped = ''
"""


class MatchCounts(NamedTuple):
    """One of hundreds of matches. ``id`` is the item (or, for whole files, the source); ``counts`` holds, for each
    counted phrase in order, its occurrences weighted by column; lengths are in tokens over all columns.
    """

    id: int
    source_id: int
    length: float
    average_length: float
    counts: tuple[float, ...]


class WordQueries:
    """Tokens, stems and document frequencies of words, as the full-text index has them."""

    def __init__(self, session: QuerySession) -> None:
        self._session = session
        self._tokenizer: apsw.FTS5Tokenizer | None = None
        self._frequencies: tuple[int, dict[str, int]] = (-1, {})
        self._stems: dict[str, frozenset[str]] = {}
        self._stems_of_part: dict[str, tuple[str, ...]] = {}

    def frequency(self, words: Iterable[str]) -> dict[str, int]:
        """Return the document frequency of each word, in chunks, parked ones included; for a compound, that of its
        rarest part.
        """
        version = self._session.version()
        # Counting a common word reads its whole posting list, and questions repeat words: cache the counts.
        if self._frequencies[0] != version or len(self._frequencies[1]) > MOST_KEPT:
            self._frequencies = (version, {})
        known = self._frequencies[1]
        words = list(dict.fromkeys(words))
        for word in words:
            if word not in known:
                known[word] = min(map(self._term_frequency, self.tokens(word)), default=0)
        return {word: known[word] for word in words}

    def tokens(self, text: str) -> list[str]:
        """Tokenize the text as the postings are: folded, split, stemmed."""
        if self._tokenizer is None:
            self._tokenizer = self._session.connection.fts5_tokenizer("porter", ["unicode61"])
        return _tokens(self._tokenizer, text)

    def stems(self, names: Collection[str]) -> dict[str, frozenset[str]]:
        """Return the tokens of each name."""
        known = self._stems
        if len(known) > STEMS_KEPT:
            known.clear()
        for name in names:
            if name not in known:
                known[name] = frozenset().union(*map(self._part_stems, split_identifier(name)))
        return {name: known[name] for name in names}

    def _part_stems(self, part: str) -> tuple[str, ...]:
        """Return the tokens of a part of a name; names share their parts."""
        known = self._stems_of_part
        stems = known.get(part)
        if stems is None:
            if len(known) > STEMS_KEPT:
                known.clear()
            stems = known[part] = tuple(self.tokens(part))
        return stems

    def known(self, words: Sequence[str]) -> dict[str, int]:
        """Return the document frequency in chunks of those plain words whose stem the index has, in one query."""
        stems = self.tokens(" ".join(words))
        if len(stems) != len(words):
            stems = [next(iter(self.tokens(word)), "") for word in words]
        counts: dict[str, int] = dict(self._session.bounded_rows(_KNOWN, (text_list(stems),)))
        return {word: counts[stem] for word, stem in zip(words, stems, strict=True) if stem in counts}

    def _term_frequency(self, token: str) -> int:
        rows = self._session.bounded_rows("SELECT doc FROM chunk_vocab WHERE term = ?", (token,))
        return int(rows[0][0]) if rows else 0


class TextQueries:
    """BM25 queries, best match first, and chunks of live files; all within the reader's budget (QueryBudgetError)."""

    def __init__(self, session: QuerySession, words: WordQueries) -> None:
        self._session = session
        self._words = words
        self._references = ReferenceWords(session)
        self._sized = (-1, 0, 0, False)
        self._registered = False

    def chunk_matches(self, match: str, limit: int, weights: Weights = _EVEN) -> list[tuple[int, int, float]]:
        """Return ``(item id, source id, BM25 score)``, best first; scores are positive, larger is better."""
        rows = self._live(lambda count: self._session.bounded_rows(_CHUNKS, (match, weights.rank, count)), limit)
        return [(row[0], row[1], row[2]) for row in rows]

    def file_matches(self, match: str, limit: int, weights: Weights = _EVEN) -> list[tuple[int, float]]:
        """Return ``(source id, BM25 score)`` of whole files, best first."""
        rows = self._live(lambda count: self._session.bounded_rows(_FILES, (match, weights.rank, count)), limit)
        return [(row[0], row[1]) for row in rows]

    def matches_in(
        self, match: str, source_ids: Iterable[int], limit: int, weights: Weights = _EVEN
    ) -> list[tuple[int, int, float]]:
        """Run ``chunk_matches`` within some files; term weights remain those of the whole index."""
        return self._session.bounded_rows(_CHUNKS_IN, (match, weights.rank, id_list(source_ids), limit))

    def paths_like(self, words: Iterable[str], limit: int = 20) -> list[tuple[int, float]]:
        """Return ``(source id, score)`` of files whose path contains some of the words; more and rarer words score
        higher.
        """
        phrases = [phrase(word) for word in words if self._words.tokens(word)]
        return self.file_matches(f"path : ({' OR '.join(phrases)})", limit) if phrases else []

    def references(self, name: str, limit: int) -> list[int]:
        """Return items whose code uses an identifier, case folded, unranked.

        A name of several words (``key.sub-key``) matches where all of them occur.
        """
        match = self._references.match(name)
        return [row[0] for row in self._session.bounded_rows(_REFERENCES, (match, limit))] if match else []

    def chunks_in(self, source_ids: Iterable[int]) -> dict[int, list[FileChunk]]:
        """Return all chunks of some live files, by source id and in file order; files that are not live are missing."""
        found: dict[int, list[FileChunk]] = {}
        for row in self._session.bounded_rows(_PLACES, (id_list(source_ids),), ROW_STEPS_PER_MS):
            found.setdefault(row[1], []).append(_file_chunk(row))
        return found

    def phrase_offsets(self, match: str, item_ids: Sequence[int]) -> dict[int, PhraseOffsets]:
        """Return the positions of the phrases of ``match`` in some chunks; chunks without a match are missing."""
        self._register()
        return {
            row[0]: _unpack_offsets(array("q", row[1]))
            for row in self._session.bounded_rows(_WHERE_IN, (match, id_list(item_ids)))
        }

    def size(self) -> tuple[int, int]:
        """Return the numbers of live files and chunks; cached until another connection writes."""
        return self._size()[1:3]

    def occurs(self, match: str, *, in_scope: bool = False) -> bool:
        """Return whether a chunk of a live file matches, or of those that ``narrowed`` left; it ranks nothing, so it
        costs little.
        """
        return bool(self._session.bounded_rows(_OCCURS_IN_SCOPE if in_scope else _OCCURS, (match,)))

    def _size(self) -> tuple[int, int, int, bool]:
        version = self._session.version()
        if version != self._sized[0]:
            sources, items, has_parked = self._session.rows(_SIZE)[0]
            self._sized = (version, int(sources), int(items or 0), bool(has_parked))
        return self._sized

    def chunk_evidence(self, match: str, phrases: int, limit: int, weights: Weights) -> list[MatchCounts]:
        """Return at most ``limit`` chunks, best first, with counts of the first ``phrases`` phrases of ``match``."""
        return self._evidence(_CHUNK_COUNTS, match, phrases, limit, weights)

    def all_evidence(self, match: str, phrases: int, most: int, weights: Weights) -> list[MatchCounts] | None:
        """Return every matching chunk as ``chunk_evidence`` does, in no order; None where there are more than ``most``.

        Nothing is ranked: BM25 looks up each phrase once more, which costs most of a query with few matches.
        """
        found = self._evidence(_UNRANKED_COUNTS, match, phrases, most + 1, weights)
        return found if len(found) <= most else None

    def file_evidence(self, match: str, phrases: int, limit: int, weights: Weights) -> list[MatchCounts]:
        """Return at most ``limit`` whole files, best first, with counts of the first ``phrases`` phrases of
        ``match``.
        """
        return self._evidence(_FILE_COUNTS, match, phrases, limit, weights)

    def evidence_in(
        self, match: str, phrases: int, places: Sequence[FileChunk], weights: Weights
    ) -> dict[int, MatchCounts]:
        """Return the matching chunks of one live file, by id; ``places`` are all its chunks, in file order."""
        if not places:
            return {}
        self._register()
        first, behind = places[0].id, places[-1].id + 1
        counting = (phrases, weights.length_counts, *weights.by_column)
        bindings: tuple[Value, ...] = (match, first, behind, *counting, places[0].source_id)
        return {row[0]: _row(row) for row in self._session.bounded_rows(_INSIDE, bindings)}

    def _register(self) -> None:
        """Register the FTS5 auxiliary functions of these queries on the connection."""
        if not self._registered:
            self._session.connection.register_fts5_function(_OFFSETS_FUNCTION, _phrase_offsets_function)
            self._session.connection.register_fts5_function(_FUNCTION, _weighted_counts)
            self._registered = True

    def _evidence(self, sql: str, match: str, phrases: int, limit: int, weights: Weights) -> list[MatchCounts]:
        self._register()
        steps_per_ms = LONG_TEXT_STEPS_PER_MS if sql == _FILE_COUNTS else RANKING_STEPS_PER_MS

        def ask(count: int) -> list[Row]:
            return self._session.bounded_rows(
                sql, (match, weights.rank, count, phrases, weights.length_counts, *weights.by_column), steps_per_ms
            )

        return [_row(row) for row in self._live(ask, limit)]

    def _live(self, ask: Callable[[int], list[Row]], limit: int) -> list[Row]:
        """Return ``limit`` live rows: the postings include parked versions, so double the query's limit until enough
        rows are live.
        """
        count = limit + (_SPARE if self._size()[3] else 0)
        while True:
            rows = ask(count)
            live = [row for row in rows if row[-1]]
            if len(live) >= limit or len(rows) < count:
                return live[:limit]
            count *= 4


class _Query(NamedTuple):
    """Constants of one query, shared by all rows: how many phrases are counted, the weight of each column, and the
    length normalization of each field: ``(for no words, per word)``.
    """

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


def _weighted_counts(api: apsw.FTS5ExtensionApi, *given: apsw.SQLiteValue) -> bytes:
    """FTS5 auxiliary function: pack length, average length, and the weighted count of each phrase as doubles.

    It runs for every candidate row, so the loop is unrolled by column, in the order of the table.
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
        # Most rows lack most phrases.
        counted.append(
            body * len(b) + doc * len(d) + names * len(n) + extra * len(e) + path * len(p)
            if b or d or n or e or p
            else 0.0
        )
    return _doubles(len(counted)).pack(*counted)


def _row(row: Row) -> MatchCounts:
    id_, source_id, packed = row[:3]
    counted = _doubles(len(packed) // _BYTES_OF_A_DOUBLE).unpack(packed)
    return tuple.__new__(MatchCounts, (id_, source_id, counted[0], counted[1], counted[2:]))


@cache
def _doubles(count: int) -> struct.Struct:
    """Return the format of so many doubles: it costs a third of what an array does for each of hundreds of rows."""
    return struct.Struct(f"{count}d")
