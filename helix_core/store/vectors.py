"""Vector queries: nearest live items, by an in-memory matrix or a scan of blocks, and texts without a vector."""

from __future__ import annotations

import sys
import time
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from math import pi, sqrt
from operator import getitem, mul
from typing import TYPE_CHECKING

from helix_core.model import Level
from helix_core.store.sqlite_file import IN_SCOPE, QuerySession, Row, id_list, load_vectors
from helix_core.store.vector_rows import LEVEL_NUMBER, Space, spaces_of
from helix_core.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

_OF_SIGNS = sqrt(2 / pi)
_LARGEST_WHOLE = 32_767
"""Expected projection of a random unit vector on its sign vector, divided by the root of the dimensions."""


def floats_of(vector: bytes) -> Sequence[float]:
    """Decode little-endian float32 values."""
    values = array("f")
    values.frombytes(vector)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def int8_of(values: Sequence[float]) -> bytes:
    """Quantize a vector to one signed byte a dimension; its direction is kept, its length is not."""
    largest = max(map(abs, values), default=0.0) or 1.0
    scale = 127 / largest
    return array("b", [round(value * scale) for value in values]).tobytes()


def quantised(values: Sequence[float], space: Space) -> bytes:
    """Quantize a query vector to the precision of the space."""
    if space.precision == "int8":
        return int8_of(values)
    signs = "".join("1" if value > 0 else "0" for value in values)
    return int(signs, 2).to_bytes(len(values) // 8, "big")


def similarities(query: Sequence[float], kept: Mapping[int, bytes], space: Space) -> dict[int, float]:
    """Return the cosine with each stored vector by id, in the given order; an estimate for sign-bit vectors."""
    whole = whole_numbers(query)
    if space.precision == "int8":
        return int8_cosines(whole, kept)
    return _with_bits(whole, kept)


def whole_numbers(query: Sequence[float]) -> list[int]:
    """Scale a query vector to 16-bit whole numbers.

    The sums of their products with stored vectors are exact in any order of adding, so that equal scores are equal
    whether a vector is scored here or by numpy, and places tie alike.
    """
    largest = max(map(abs, query), default=0.0) or 1.0
    return [round(value * (_LARGEST_WHOLE / largest)) for value in query]


_RAISED_BY = 128
_RAISED = bytes(value ^ _RAISED_BY for value in range(256))
_square_of_byte = [((value ^ _RAISED_BY) - _RAISED_BY) ** 2 for value in range(256)].__getitem__


def int8_cosines(query: Sequence[int], kept: Mapping[int, bytes]) -> dict[int, float]:
    """Return the cosine of a query in whole numbers with each int8 vector by id, in the given order."""
    length, raised = sqrt(sum(map(mul, query, query))) or 1.0, _RAISED_BY * sum(query)
    found = {}
    for id_, vector in kept.items():
        own = sqrt(sum(map(_square_of_byte, vector))) or 1.0
        # Of the bytes themselves, each raised above 0, which are whole numbers that Python keeps: nothing is allocated.
        found[id_] = (sum(map(mul, query, vector.translate(_RAISED))) - raised) / (own * length)
    return found


def _with_bits(query: Sequence[int], kept: Mapping[int, bytes]) -> dict[int, float]:
    """Score sign-bit vectors with one look-up a byte: a table for each byte position sums its eight signs."""
    length = _length_of_signs(query)
    tables = [_sums(query[start : start + 8]) for start in range(0, len(query), 8)]
    return {id_: max(-1.0, min(1.0, sum(map(getitem, tables, vector)) / length)) for id_, vector in kept.items()}


_BITS = bytes(value.bit_count() for value in range(256))
_BYTES = int.from_bytes(bytes(range(256)), "little")
_MOST_ADDED = 31
"""So many bytes of a vector differ in at most 248 bits: their sum fits in a byte."""


def sign_distances(query: bytes, vectors: bytes) -> array[int]:
    """Return the Hamming distance of each of the ``vectors``, each as long as ``query``, from it.

    All vectors are taken at once, one of their bytes after the other: a table turns that byte into its number of
    differing bits, and these are added as digits of one large number. It takes a fifth of the time that vec0 does for
    the nearest few hundred, and loads nothing.
    """
    size = len(query)
    count, total = len(vectors) // size, 0
    for start in range(0, size, _MOST_ADDED):
        added = 0
        for place in range(start, min(start + _MOST_ADDED, size)):
            added += int.from_bytes(vectors[place::size].translate(_differing_bits(query[place])), "little")
        wide = bytearray(2 * count)
        wide[::2] = added.to_bytes(count, "little")
        total += int.from_bytes(wide, "little")
    distances = array("H")
    distances.frombytes(total.to_bytes(2 * count, "little"))
    if sys.byteorder == "big":
        distances.byteswap()
    return distances


def _differing_bits(byte: int) -> bytes:
    """Return the table that has, for each value of a byte, how many of its bits differ from ``byte``."""
    return (_BYTES ^ int.from_bytes(bytes([byte]) * 256, "little")).to_bytes(256, "little").translate(_BITS)


def _length_of_signs(query: Sequence[int]) -> float:
    """Return what turns the sum of a query's values with stored signs into an estimate of the cosine."""
    return sqrt(sum(map(mul, query, query))) * sqrt(len(query)) * _OF_SIGNS or 1.0


def _sums(values: Iterable[int]) -> list[int]:
    sums = [0]
    for value in values:
        sums = [sum_ + sign for sum_ in sums for sign in (-value, value)]
    return sums


ALL_EXACT = 1_024
_WORD_BITS = 64
_SAMPLED = 32
_SAMPLE_MARGIN = 16


class _VectorBlock(NamedTuple):
    mark: tuple[bytes, bytes]
    ids: NDArray[np.int64]
    kept: NDArray[np.uint8]


class VectorMatrix:
    """The vectors of one space in memory; ``load`` refreshes it, ``best`` searches it. For one thread.

    ``version`` is the index version of the last ``load``.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self.version = -1
        self._blocks: dict[int, _VectorBlock] = {}
        self._ids: NDArray[np.int64]
        self._kept: NDArray[np.uint8]
        self._order: NDArray[np.intp]
        self._words: list[NDArray[np.uint64]]

    def load(self, heads: Sequence[Row], read: Callable[[Sequence[int]], list[Row]]) -> None:
        """Update changed blocks: ``heads`` are ``(block, validity, ids)`` of all blocks; ``read`` returns ``(block,
        vectors)`` of some.
        """
        import numpy as np

        marks = {block: (validity, ids) for block, validity, ids in heads}
        changed = [
            block for block, mark in marks.items() if block not in self._blocks or self._blocks[block].mark != mark
        ]
        if not changed and len(marks) == len(self._blocks):
            return
        size = self._space.bytes_each
        for block, vectors in read(changed):
            validity, ids = mark = marks[block]
            valid = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little").astype(bool)
            kept = np.frombuffer(vectors, np.uint8).reshape(-1, size)
            self._blocks[block] = _VectorBlock(mark, np.frombuffer(ids, "<i8")[valid], kept[valid])
        blocks = {number: self._blocks[number] for number in marks}
        self._ids = np.concatenate([np.zeros(0, np.int64), *(block.ids for block in blocks.values())])
        self._kept = np.concatenate([np.zeros((0, size), np.uint8), *(block.kept for block in blocks.values())])
        # Each block becomes a part of the whole, so that its vectors are in memory once.
        self._blocks, start = {}, 0
        for number, block in blocks.items():
            end = start + len(block.ids)
            self._blocks[number] = _VectorBlock(block.mark, self._ids[start:end], self._kept[start:end])
            start = end
        self._order = np.argsort(self._ids, kind="stable")
        self._words = self._in_words()

    def best(self, query: Sequence[float], limit: int, candidates: int) -> list[tuple[int, float]]:
        """Return at most ``limit`` ids with their cosine, best first; in a large space only the ``candidates`` nearest
        by Hamming distance of the signs are compared exactly.
        """
        import numpy as np

        vector = np.asarray(query, np.float32)
        chosen = self._nearest_by_signs(vector, limit, max(limit, candidates))
        scores = self._scores(query, chosen)
        order = np.lexsort((self._ids[chosen], -scores))[:limit]
        return list(zip(self._ids[chosen[order]].tolist(), scores[order].tolist(), strict=True))

    def scores(self, query: Sequence[float], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine with each id; ids that are not in the matrix are missing."""
        import numpy as np

        wanted = np.asarray(ids, np.int64)
        if not len(wanted) or not len(self._ids):
            return {}
        places = self._order[np.minimum(np.searchsorted(self._ids, wanted, sorter=self._order), len(self._ids) - 1)]
        places = places[self._ids[places] == wanted]
        scores = self._scores(query, places)
        return dict(zip(self._ids[places].tolist(), scores.tolist(), strict=True))

    def _in_words(self) -> list[NDArray[np.uint64]]:
        """Return the sign bits as one uint64 array for each 64 dimensions, so that a pass over them reads memory in
        order.
        """
        import numpy as np

        is_int8 = self._space.precision == "int8"
        if is_int8 and len(self._ids) <= ALL_EXACT:
            return []
        bits = np.packbits(self._kept.view(np.int8) > 0, axis=1) if is_int8 else self._kept
        padded = np.zeros((len(bits), -(-self._space.dimensions // _WORD_BITS) * 8), np.uint8)
        padded[:, : bits.shape[1]] = bits
        words = padded.view(np.uint64)
        return [np.ascontiguousarray(words[:, column]) for column in range(words.shape[1])]

    def _nearest_by_signs(self, vector: NDArray[np.float32], least: int, count: int) -> NDArray[np.intp]:
        """Return the rows of the ``count`` nearest by Hamming distance. Ties at the cut are dropped where ``least``
        rows remain, because picking among ties would be arbitrary.
        """
        import numpy as np

        if len(self._ids) <= count or not self._words:
            return np.arange(len(self._ids))
        signs = np.zeros(len(self._words) * 8, np.uint8)
        packed = np.packbits(vector > 0)
        signs[: len(packed)] = packed
        distance = np.zeros(len(self._ids), np.uint16)
        for column, word in zip(self._words, signs.view(np.uint64), strict=True):
            distance += np.bitwise_count(column ^ word)
        chosen = np.sort(_least(distance, count))
        inner = chosen[distance[chosen] < distance[chosen].max()]
        return inner if len(inner) >= least else chosen

    def _scores(self, query: Sequence[float], chosen: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the cosines, as ``similarities`` does: sums of whole numbers below 2**53 are exact."""
        import numpy as np

        whole = whole_numbers(query)
        vector = np.asarray(whole, np.float64)
        if self._space.precision == "int8":
            kept = self._kept.view(np.int8)[chosen].astype(np.float64)
            own = np.sqrt(np.einsum("ij,ij->i", kept, kept))
            length = sqrt(sum(map(mul, whole, whole))) or 1.0
            return np.asarray((kept @ vector) / (np.where(own > 0, own, 1.0) * length), np.float64)
        # A sign is 2 * bit - 1.
        bits = np.unpackbits(self._kept[chosen], axis=1).astype(np.float64)
        sums = 2 * (bits @ vector) - sum(whole)
        return np.asarray(np.clip(sums / _length_of_signs(whole), -1, 1), np.float64)


def _least(values: NDArray[np.uint16], count: int) -> NDArray[np.intp]:
    """Return the indices of the ``count`` smallest values, unordered; ``values`` has more.

    A threshold estimated from a sample, and one comparison with it, cost an eighth of a partition.
    """
    import numpy as np

    sample = values[::_SAMPLED]
    wanted = 2 * count // _SAMPLED + _SAMPLE_MARGIN
    if wanted < len(sample):
        near = np.flatnonzero(values <= np.partition(sample, wanted)[wanted])
        if len(near) >= count:
            return np.asarray(near[np.argpartition(values[near], count - 1)[:count]], np.intp)
    return np.asarray(np.argpartition(values, count - 1)[:count], np.intp)


CANDIDATES = 400
ALWAYS_IN_MEMORY = 300_000
FEW_ASKED = 6
"""Number of queries of three questions; a process that exceeds it is long-lived."""
MOST_NEAREST = 1_000
COUNTED_S = 2.0
_FIRST_SHARE = 8
"""Divisor of the texts looked up first: a text with many copies can fill an answer by itself."""
_LIVE = f"""
    SELECT t.text_id, t.source_id, t.item_id
    FROM json_each(?) wanted JOIN stands_in t ON t.text_id = wanted.value JOIN source s ON s.id = t.source_id
    WHERE {IN_SCOPE}
"""
FEW_TEXTS = 2_000
"""Above so many texts the matrix is loaded: comparing them one by one takes longer than importing numpy."""
_TEXTS_IN_SCOPE = """
    SELECT DISTINCT t.text_id FROM json_each(?) wanted JOIN source s ON s.id = wanted.value
    JOIN stands_in t ON t.source_id = s.id JOIN embedded e ON e.id = t.text_id
    WHERE s.live = 1 AND e.level = {level}
"""
_IN_FILES = """
    SELECT t.item_id, t.text_id
    FROM json_each(?) wanted JOIN source s ON s.id = wanted.value JOIN stands_in t ON t.source_id = s.id
    WHERE s.live = 1
"""
_SHARE = """
    SELECT count(*), count(v.rowid)
    FROM embedded e LEFT JOIN {table}_rowids v ON v.rowid = e.id
    WHERE e.level = ? AND EXISTS (
        SELECT 1 FROM stands_in t JOIN source s ON s.id = t.source_id WHERE t.text_id = e.id AND s.live = 1)
"""


class VectorHit(NamedTuple):
    """A live item near a vector: ``item_id`` is the chunk, or for an outline the first chunk of its part of the file;
    ``similarity`` is the cosine, -1..1, estimated for sign-bit vectors. A query creates hundreds of these.
    """

    source_id: int
    item_id: int | None
    similarity: float


class VectorQueries:
    """Nearest-neighbor queries. Vectors are little-endian float32; an unknown space, or one of other dimensions, is
    empty.
    """

    def __init__(self, session: QuerySession) -> None:
        self._session = session
        self._searches = 0
        self._vectors_loaded: bool | None = None
        self._spaces_known: tuple[int, dict[str, Space]] = (-1, {})
        self._shares_known: tuple[int, float, dict[str, float]] = (-1, 0.0, {})
        self._matrices: dict[int, VectorMatrix] = {}

    def spaces(self) -> dict[str, float]:
        """Return, by ``model/level``, the share (0..1) of the level's live texts that have a vector."""
        version = self._session.version()
        known, counted_at, shares = self._shares_known
        now = time.monotonic()
        if version != known and (now - counted_at > COUNTED_S or set(shares) != set(self.known_spaces())):
            whole = self._whole_models()
            shares = {
                name: 1.0 if space.model in whole else self._share(space) for name, space in self.known_spaces().items()
            }
            self._shares_known = (version, now, shares)
        return dict(shares)

    def nearest(self, space: str, vector: bytes, limit: int) -> list[VectorHit]:
        """Return at most ``limit`` live items, nearest first."""
        found = self._space(space, vector)
        if found is None or limit < 1 or not any(vector):
            return []
        limit = min(limit, MOST_NEAREST)
        query = floats_of(vector)
        if self._session.scope is not None:
            return self._places(self._texts_in_scope(found, query), limit)[:limit]
        wanted = limit + limit // 8
        while True:
            texts = self._nearest_texts(found, query, wanted)
            hits = self._places(texts, limit)
            # Parked versions keep their vectors: ask for more when they crowd live ones out.
            if len(hits) >= limit or len(texts) < wanted or wanted >= 4 * MOST_NEAREST:
                return hits[:limit]
            wanted = min(4 * wanted, 4 * MOST_NEAREST)

    def similarities_in(self, space: str, vector: bytes, source_ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine with each item of some live files; items without a vector in the space are missing."""
        found = self._space(space, vector)
        if found is None or not source_ids:
            return {}
        rows = self._session.rows(_IN_FILES, (id_list(source_ids),))
        texts = {row[1] for row in rows}
        query = floats_of(vector)
        # A text of another level has no vector in this space.
        by_text = (
            self._matrix(found).scores(query, list(texts))
            if self._is_in_memory(found)
            else similarities(query, self._stored_vectors(found, texts), found)
        )
        scores: dict[int, float] = {}
        for item_id, text_id in rows:
            if text_id in by_text:
                scores[item_id] = max(by_text[text_id], scores.get(item_id, -1.0))
        return scores

    def _space(self, name: str, vector: bytes) -> Space | None:
        space = self.known_spaces().get(name)
        return space if space is not None and len(vector) == 4 * space.dimensions else None

    def known_spaces(self) -> dict[str, Space]:
        """Return the existing spaces, by ``model/level``."""
        if self._vectors_loaded is None:
            self._vectors_loaded = load_vectors(self._session.connection)
        version = self._session.version()
        if self._vectors_loaded and self._spaces_known[0] != version:
            with self._session.errors():
                self._spaces_known = (version, spaces_of(self._session.connection))
        return self._spaces_known[1]

    def _whole_models(self) -> set[str]:
        """Return the models that have as many vectors as there are texts, which is one for each: a vector has its text.

        Two counts of rows cost a tenth of what it does to look up each text's vector and whether a live file has it.
        """
        counts: dict[str, int] = {}
        for space in self.known_spaces().values():
            own = self._session.rows(f"SELECT count(*) FROM {space.table}_rowids")[0][0]
            counts[space.model] = counts.get(space.model, 0) + own
        texts = self._session.rows("SELECT count(*) FROM embedded")[0][0]
        return {model for model, count in counts.items() if count == texts}

    def _share(self, space: Space) -> float:
        total, done = self._session.rows(_SHARE.format(table=space.table), (LEVEL_NUMBER[space.level],))[0]
        return done / total if total else 1.0

    def _nearest_texts(self, space: Space, query: Sequence[float], wanted: int) -> list[tuple[int, float]]:
        self._searches += 1
        if self._is_in_memory(space):
            return self._matrix(space).best(query, wanted, CANDIDATES)
        count = max(wanted, CANDIDATES)
        if space.precision == "bit":
            kept = self._nearest_by_signs(space, quantised(query, space), wanted, count)
        else:
            near = self._session.rows(
                f"SELECT rowid FROM {space.table} WHERE vector MATCH vec_int8(?) AND k = ?",
                (quantised(query, space), count),
            )
            kept = self._stored_vectors(space, {row[0] for row in near})
        scores = similarities(query, kept, space)
        return sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))[:wanted]

    def _nearest_by_signs(self, space: Space, signs: bytes, least: int, count: int) -> dict[int, bytes]:
        """Return the stored vectors of the ``count`` texts that are nearest by Hamming distance, by text. Ties at the
        cut are arbitrary: they are dropped, as the matrix does, while ``least`` others remain.
        """
        heads = self._heads(space)
        vectors: dict[int, bytes] = dict(self._blocks(space, [block for block, _, _ in heads]))
        border = 8 * len(signs) + 1
        distances: dict[int, array[int]] = {}
        at: Counter[int] = Counter()
        for block, validity, _ in heads:
            distances[block] = sign_distances(signs, vectors[block])
            at.update(compress(distances[block], _taken(validity)))
        nearer = 0
        for distance in sorted(at):
            if nearer + at[distance] >= count:
                border = distance
                break
            nearer += at[distance]
        ties = 0 if nearer >= least else count - nearer
        kept: dict[int, bytes] = {}
        for block, validity, text_ids in heads:
            own, taken = distances[block], _taken(validity)
            places = [place for place, distance in enumerate(own) if distance <= border and taken[place]]
            ids = _whole_numbers_of(text_ids) if places else array("q")
            for place in places:
                if own[place] == border:
                    if not ties:
                        continue
                    ties -= 1
                kept[ids[place]] = vectors[block][place * len(signs) : (place + 1) * len(signs)]
        return kept

    def _texts_in_scope(self, space: Space, query: Sequence[float]) -> list[tuple[int, float]]:
        """Return every text of the files that a filter left, nearest first: the nearest of all may be in none."""
        self._searches += 1
        sql = _TEXTS_IN_SCOPE.format(level=LEVEL_NUMBER[space.level])
        texts = [row[0] for row in self._session.rows(sql, (id_list(self._session.scope or ()),))]
        if self._is_in_memory(space) or len(texts) > FEW_TEXTS:
            scores = self._matrix(space).scores(query, texts)
        else:
            scores = similarities(query, self._stored_vectors(space, texts), space)
        return sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))[: 4 * MOST_NEAREST]

    def _is_in_memory(self, space: Space) -> bool:
        """Return whether to load the matrix: after a few queries, when numpy is loaded anyway, or for a large space."""
        return "numpy" in sys.modules or self._searches > FEW_ASKED or self._count(space) > ALWAYS_IN_MEMORY

    def _matrix(self, space: Space) -> VectorMatrix:
        matrix = self._matrices.setdefault(space.id, VectorMatrix(space))
        version = self._spaces_known[0]
        if matrix.version != version:
            matrix.load(self._heads(space), lambda blocks: self._blocks(space, blocks))
            matrix.version = version
        return matrix

    def _heads(self, space: Space) -> list[Row]:
        """Return ``(block, validity, ids)`` of all blocks of a space."""
        return self._session.rows(f"SELECT chunk_id, validity, rowids FROM {space.table}_chunks ORDER BY chunk_id")

    def _blocks(self, space: Space, blocks: Iterable[int]) -> list[Row]:
        sql = (
            f"SELECT rowid, vectors FROM {space.table}_vector_chunks00 WHERE rowid IN (SELECT value FROM json_each(?))"
        )
        return self._session.rows(sql, (id_list(blocks),))

    def _stored_vectors(self, space: Space, text_ids: Iterable[int]) -> dict[int, bytes]:
        """Return the stored vectors of some texts; each block is read once."""
        sql = f"""
            SELECT v.rowid, v.chunk_id, v.chunk_offset
            FROM json_each(?) wanted JOIN {space.table}_rowids v ON v.rowid = wanted.value
        """
        places = self._session.rows(sql, (id_list(text_ids),))
        blocks: dict[int, bytes] = dict(self._blocks(space, {row[1] for row in places}))
        size = space.bytes_each
        return {text_id: blocks[block][place * size : (place + 1) * size] for text_id, block, place in places}

    def _count(self, space: Space) -> int:
        return int(self._session.rows(f"SELECT coalesce(sum(size), 0) FROM {space.table}_chunks")[0][0])

    def _places(self, texts: Sequence[tuple[int, float]], limit: int) -> list[VectorHit]:
        """Return the live items of texts, given nearest first: of all texts, or of as many as yield ``limit`` items."""
        hits: list[VectorHit] = []
        start, end = 0, max(1, limit // _FIRST_SHARE)
        while start < len(texts) and len(hits) < limit:
            while end < len(texts) and texts[end][1] == texts[end - 1][1]:
                end += 1
            found = dict(texts[start:end])
            places = self._session.rows(_LIVE, (id_list(found),))
            some = sorted([(-found[text_id], source_id, item_id or 0) for text_id, source_id, item_id in places])
            hits += [
                tuple.__new__(VectorHit, (source_id, item_id or None, -distance))
                for distance, source_id, item_id in some
            ]
            start, end = end, _FIRST_SHARE * end
        return hits


_NO_ZERO = bytes.maketrans(b"0", b"\0")


def _taken(validity: bytes) -> bytes:
    """Return a byte for each place of a block, 0 where it holds no vector; ``validity`` has a bit for each, the lowest
    first.
    """
    bits = format(int.from_bytes(validity, "little"), f"0{8 * len(validity)}b")
    return bits[::-1].encode("ascii").translate(_NO_ZERO)


def _whole_numbers_of(ids: bytes) -> array[int]:
    """Decode little-endian 64-bit whole numbers."""
    values = array("q")
    values.frombytes(ids)
    if sys.byteorder == "big":
        values.byteswap()
    return values


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


class UnembeddedFile(NamedTuple):
    """A live file with texts that have no vector; ``content_hash`` (hex) is of the indexed version."""

    path: bytes
    content_hash: str


class MissingVectors:
    """Texts without a vector of one model and level; for a model without a space, all texts."""

    def __init__(self, session: QuerySession, vectors: VectorQueries) -> None:
        self._session = session
        self._vectors = vectors

    def unembedded_files(self, model: str, level: Level) -> list[UnembeddedFile]:
        """Return the files to embed, newest day first, and within a day the files with most definitions first."""
        rows = self._session.rows(_SOURCES.format(missing=self._missing(model, level)), (LEVEL_NUMBER[level],))
        return [UnembeddedFile(path, content_hash.hex()) for path, content_hash in rows]

    def missing_hashes(self, model: str, level: Level, path: bytes) -> set[bytes]:
        """Return the hashes of the texts of a live file that have no vector."""
        sql = _HASHES.format(missing=self._missing(model, level))
        return {row[0] for row in self._session.rows(sql, (LEVEL_NUMBER[level], path))}

    def text_counts(self, model: str, level: Level) -> tuple[int, int]:
        """Return how many live texts of the level have a vector of the model, and how many texts there are."""
        every, missing = (
            int(self._session.rows(_TEXTS.format(missing=which), (LEVEL_NUMBER[level],))[0][0])
            for which in ("1", self._missing(model, level))
        )
        return every - missing, every

    def _missing(self, model: str, level: Level) -> str:
        space = self._vectors.known_spaces().get(f"{model}/{level}")
        return "1" if space is None else _MISSING.format(table=space.table)
