"""Questions about meaning: which live places are nearest to a vector, and how near some items are.

Two ways to the same answer. A process that asks once lets sqlite-vec scan and reads the few blocks it needs; one that
goes on asking, or has numpy loaded anyway, keeps each space in memory (``vector_matrix``), which is what stays quick
at a million vectors.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from helix_core.store.session import Row, Session, id_list
from helix_core.store.vector_blocks import floats_of, quantised, similarities
from helix_core.store.vector_extension import load_vectors
from helix_core.store.vector_matrix import VectorMatrix
from helix_core.store.vector_spaces import LEVEL_NUMBER, Space, spaces_of

CANDIDATES = 400
ALWAYS_IN_MEMORY = 300_000
FEW_ASKED = 6
"""As many as three questions ask; a process that asks more goes on asking."""
MOST_NEAREST = 1_000
COUNTED_S = 2.0
_FIRST_SHARE = 8
"""A text of which there are many copies fills an answer alone: an eighth of the texts is looked up first."""
_LIVE = """
    SELECT t.text_id, t.source_id, t.item_id
    FROM json_each(?) wanted JOIN stands_in t ON t.text_id = wanted.value JOIN source s ON s.id = t.source_id
    WHERE s.live = 1
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
    """A live place near a vector: ``item_id`` is the chunk, or for an outline the first chunk of its part of the file;
    ``similarity`` is the cosine, -1..1, estimated where only signs are kept. Hundreds are made for a question."""

    source_id: int
    item_id: int | None
    similarity: float


class VectorQueries(Session):
    """Vectors are float32, little-endian; an unknown space, or one of other dimensions, holds nothing."""

    _asked = 0
    _vectors_loaded: bool | None = None
    _spaces_known: tuple[int, dict[str, Space]] = (-1, {})
    _shares_known: tuple[int, float, dict[str, float]] = (-1, 0.0, {})

    def spaces(self) -> dict[str, float]:
        """What share of the live texts of its level each space has a vector for, 0..1, by ``model/level``."""
        version = int(self._rows("PRAGMA data_version")[0][0])
        known, counted_at, shares = self._shares_known
        now = time.monotonic()
        if version != known and (now - counted_at > COUNTED_S or set(shares) != set(self._spaces())):
            shares = {name: self._share(space) for name, space in self._spaces().items()}
            self._shares_known = (version, now, shares)
        return dict(shares)

    def nearest(self, space: str, vector: bytes, limit: int) -> list[VectorHit]:
        """At most ``limit`` live places, best first."""
        found = self._space(space, vector)
        if found is None or limit < 1 or not any(vector):
            return []
        limit = min(limit, MOST_NEAREST)
        query = floats_of(vector)
        wanted = limit + limit // 8
        while True:
            texts = self._nearest_texts(found, query, wanted)
            hits = self._places(texts, limit)
            # Parked versions keep their vectors: where they crowd the answer, more are asked for.
            if len(hits) >= limit or len(texts) < wanted or wanted >= 4 * MOST_NEAREST:
                return hits[:limit]
            wanted = min(4 * wanted, 4 * MOST_NEAREST)

    def similarities_in(self, space: str, vector: bytes, source_ids: Sequence[int]) -> dict[int, float]:
        """The cosine with each item of some live files; those without a vector in the space are missing."""
        found = self._space(space, vector)
        if found is None or not source_ids:
            return {}
        rows = self._rows(_IN_FILES, (id_list(source_ids),))
        texts = {row[1] for row in rows}
        query = floats_of(vector)
        # A text of another level has no vector here.
        by_text = (
            self._matrix(found).scores(query, list(texts))
            if self._is_in_memory(found)
            else similarities(query, self._kept(found, texts), found)
        )
        scores: dict[int, float] = {}
        for item_id, text_id in rows:
            if text_id in by_text:
                scores[item_id] = max(by_text[text_id], scores.get(item_id, -1.0))
        return scores

    def _space(self, name: str, vector: bytes) -> Space | None:
        space = self._spaces().get(name)
        return space if space is not None and len(vector) == 4 * space.dimensions else None

    def _spaces(self) -> dict[str, Space]:
        if self._vectors_loaded is None:
            self._vectors_loaded = load_vectors(self._connection)
        version = int(self._rows("PRAGMA data_version")[0][0])
        if self._vectors_loaded and self._spaces_known[0] != version:
            self._rows("SELECT 1 FROM space")
            self._spaces_known = (version, spaces_of(self._connection))
        return self._spaces_known[1]

    def _share(self, space: Space) -> float:
        total, done = self._rows(_SHARE.format(table=space.table), (LEVEL_NUMBER[space.level],))[0]
        return done / total if total else 1.0

    def _nearest_texts(self, space: Space, query: Sequence[float], wanted: int) -> list[tuple[int, float]]:
        self._asked += 1
        if self._is_in_memory(space):
            return self._matrix(space).best(query, wanted, CANDIDATES)
        count = max(wanted, CANDIDATES)
        near = self._rows(
            f"SELECT rowid, distance FROM {space.table} WHERE vector MATCH vec_{space.precision}(?) AND k = ?",
            (quantised(query, space), count),
        )
        if space.precision == "bit" and len(near) == count:
            # Which of those at the border came is chance: as in the matrix, none does while there are enough others.
            border = max(row[1] for row in near)
            inner = [row for row in near if row[1] < border]
            near = inner if len(inner) >= wanted else near
        scores = similarities(query, self._kept(space, {row[0] for row in near}), space)
        return sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))[:wanted]

    def _is_in_memory(self, space: Space) -> bool:
        """A process that goes on asking, or has numpy anyway, keeps the vectors; one with many of them has to."""
        return "numpy" in sys.modules or self._asked > FEW_ASKED or self._count(space) > ALWAYS_IN_MEMORY

    def _matrix(self, space: Space) -> VectorMatrix:
        matrices: dict[int, VectorMatrix] = self.__dict__.setdefault("_matrices", {})
        matrix = matrices.setdefault(space.id, VectorMatrix(space))
        version = self._spaces_known[0]
        if matrix.version != version:
            heads = self._rows(f"SELECT chunk_id, validity, rowids FROM {space.table}_chunks ORDER BY chunk_id")
            matrix.load(heads, lambda blocks: self._blocks(space, blocks))
            matrix.version = version
        return matrix

    def _blocks(self, space: Space, blocks: Iterable[int]) -> list[Row]:
        sql = (
            f"SELECT rowid, vectors FROM {space.table}_vector_chunks00 WHERE rowid IN (SELECT value FROM json_each(?))"
        )
        return self._rows(sql, (id_list(blocks),))

    def _kept(self, space: Space, text_ids: Iterable[int]) -> dict[int, bytes]:
        """The vectors of some texts, each block read once."""
        sql = f"""
            SELECT v.rowid, v.chunk_id, v.chunk_offset
            FROM json_each(?) wanted JOIN {space.table}_rowids v ON v.rowid = wanted.value
        """
        places = self._rows(sql, (id_list(text_ids),))
        blocks: dict[int, bytes] = dict(self._blocks(space, {row[1] for row in places}))
        size = space.bytes_each
        return {text_id: blocks[block][place * size : (place + 1) * size] for text_id, block, place in places}

    def _count(self, space: Space) -> int:
        return int(self._rows(f"SELECT coalesce(sum(size), 0) FROM {space.table}_chunks")[0][0])

    def _places(self, texts: Sequence[tuple[int, float]], limit: int) -> list[VectorHit]:
        """Where texts stand, given best first: of all of them, or of so many that ``limit`` places are reached."""
        hits: list[VectorHit] = []
        start, end = 0, max(1, limit // _FIRST_SHARE)
        while start < len(texts) and len(hits) < limit:
            while end < len(texts) and texts[end][1] == texts[end - 1][1]:
                end += 1
            found = dict(texts[start:end])
            places = self._rows(_LIVE, (id_list(found),))
            some = [VectorHit(source_id, item_id, found[text_id]) for text_id, source_id, item_id in places]
            hits += sorted(some, key=lambda hit: (-hit.similarity, hit.source_id, hit.item_id or 0))
            start, end = end, _FIRST_SHARE * end
        return hits
