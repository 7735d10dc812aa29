"""Vectors of memories in the memory file, one space for each model, and the memories that are nearest to one.

A vector is derived: no operation names it and no strand has it. It is made from the text of its memory wherever it is
missing, and is deleted with it. The built-in one is written with its memory; those of a model are made later, in order
of the rows, so that the work can stop at any moment and resume. A space that is not whole answers nothing.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from helix_core.store.memory_connection import MemoryConnection
from helix_core.store.sqlite_file import Row, id_list
from helix_core.store.vector_rows import STATIC, Space
from helix_core.store.vectors import (
    CANDIDATES,
    VectorMatrix,
    floats_of,
    int8_cosines,
    int8_of,
    whole_numbers,
)

FEW_MEMORIES = 1_000
"""Above so many numpy is imported: comparing them one by one takes longer."""
AT_ONCE = 512
"""Memories whose vectors are written in one transaction."""
_ONE_BY_ONE = 32
_MOST_PIECES = 64
_END = "SELECT coalesce(max(row), 0) + 1 FROM item"
_MISSING = "SELECT row, text FROM item WHERE row >= ? ORDER BY row LIMIT ?"
_STORED = """
    SELECT v.row, v.vector FROM item_vector v JOIN item i ON i.row = v.row
    WHERE v.space = ?1 AND v.row >= ?2 AND i.scope = ?3 ORDER BY v.row
"""
_DONE = """
    UPDATE vector_space SET next = ?2
    WHERE id = ?1 AND next < ?2 AND NOT EXISTS (SELECT 1 FROM item WHERE row >= vector_space.next AND row < ?3)
"""


@dataclass(frozen=True, slots=True)
class MemorySpace:
    """The vectors of one model. ``next`` is the first row that may have none; ``removals`` counts deletions of rows."""

    id: int
    dimensions: int
    next: int
    removals: int


class MemoryVectors:
    """The vectors of one open memory file. Vectors of questions are little-endian float32."""

    def __init__(self, file: MemoryConnection) -> None:
        self._file = file
        self._matrices: dict[tuple[str, str], _ScopeMatrix] = {}
        self._waiting: list[tuple[int, str]] | None = None

    def add(self, row: int, text: str) -> None:
        """Write the built-in vector of a memory that was just inserted, inside its transaction."""
        if self._waiting is None:
            self._put(built_in(), [row], _encoded([text]))
            return
        self._waiting.append((row, text))
        if len(self._waiting) >= AT_ONCE:
            self._put_waiting()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Encode what ``add`` is given in the block many at a time, which takes a tenth of the time."""
        self._waiting = []
        try:
            yield
            self._put_waiting()
        finally:
            self._waiting = None

    def _put_waiting(self) -> None:
        waiting, self._waiting = self._waiting or [], []
        self._put(built_in(), [row for row, _ in waiting], _encoded([text for _, text in waiting]))

    def remove(self, rows: Iterable[int]) -> None:
        """Delete the vectors of memories that were just deleted, inside their transaction."""
        for row in rows:
            self._file.rows("DELETE FROM item_vector WHERE row = ?", (row,))
        # The number of the last row is given again.
        self._file.rows(f"UPDATE vector_space SET removals = removals + 1, next = min(next, ({_END}))")

    def complete(self) -> None:
        """Write the built-in vectors that are missing, as after a change of format or of the table of words."""
        own = built_in()
        others = f"model LIKE '{STATIC}@%' AND model <> ?"
        if self._file.rows(f"SELECT 1 FROM vector_space WHERE {others}", (own,)):
            with self._file.transaction():
                self._drop(others, (own,))
        while found := self.missing(own):
            self.put(own, found, _encoded([text for _, text in found]))

    def missing(self, model: str, limit: int = AT_ONCE) -> list[tuple[int, str]]:
        """Return row and text of the first memories, of any scope and status, without a vector of the model."""
        space = self._space(model)
        return [(row, text) for row, text in self._file.rows(_MISSING, (space.next if space else 0, limit))]

    def put(self, model: str, found: Sequence[tuple[int, str]], vectors: Sequence[bytes]) -> bool:
        """Write the vectors of what ``missing`` returned, in its order.

        False, and none is written, if the memories are others now: one was removed, and its number may be given again.
        """
        with self._file.transaction():
            now = self._file.rows(_MISSING, (found[0][0], len(found)))
            if [tuple(row) for row in now] != [tuple(row) for row in found]:
                return False
            self._put(model, [row for row, _ in found], vectors)
        return True

    def counts(self, model: str) -> tuple[int, int]:
        """Return how many memories have a vector of the model, and how many there are."""
        sql = "SELECT count(*) FROM item_vector WHERE space = (SELECT id FROM vector_space WHERE model = ?)"
        return self._file.rows(sql, (model,))[0][0], self._file.rows("SELECT count(*) FROM item")[0][0]

    def keep(self, model: str) -> None:
        """Delete the vectors of every model but the built-in one, this one, and the one used before it."""
        stay = (model, built_in())
        sql = "SELECT id FROM vector_space WHERE model NOT IN (?, ?) ORDER BY id DESC LIMIT -1 OFFSET 1"
        if self._file.rows(sql, stay):
            with self._file.transaction():
                self._drop(f"id IN ({sql})", stay)

    def is_whole(self, model: str) -> bool:
        """Return whether every memory has a vector of the model."""
        space = self._space(model)
        return space is not None and space.next >= self._file.rows(_END)[0][0]

    def nearest(self, model: str, vector: bytes, scopes: Collection[str], limit: int) -> list[tuple[str, float]]:
        """Return at most ``limit`` ids of memories of any status with their cosine, nearest first.

        Empty where the space is not whole, or has other dimensions.
        """
        space = self._space(model)
        if space is None or len(vector) != 4 * space.dimensions or not any(vector) or not self.is_whole(model):
            return []
        query = floats_of(vector)
        near: dict[int, float] = {}
        for scope in scopes:
            if "numpy" in sys.modules or space.next > FEW_MEMORIES:
                near |= self._scope(model, space, scope).best(query, limit)
            else:
                stored: dict[int, bytes] = dict(self._file.rows(_STORED, (space.id, 0, scope)))
                near |= int8_cosines(whole_numbers(query), stored)
        first = sorted(near.items(), key=lambda entry: (-entry[1], entry[0]))[:limit]
        sql = "SELECT row, id FROM item WHERE row IN (SELECT value FROM json_each(?))"
        ids: dict[int, str] = dict(self._file.rows(sql, (id_list(row for row, _ in first),)))
        return [(ids[row], cosine) for row, cosine in first if row in ids]

    def _space(self, model: str) -> MemorySpace | None:
        sql = "SELECT id, dimensions, next, removals FROM vector_space WHERE model = ?"
        rows = self._file.rows(sql, (built_in() if model == STATIC else model,))
        return MemorySpace(*rows[0]) if rows else None

    def _put(self, model: str, rows: Sequence[int], vectors: Sequence[bytes]) -> None:
        """Write vectors of rows, which are in order, as the next ones of the space; made when missing."""
        if not rows:
            return
        space = self._space(model)
        if space is None:
            dimensions = len(vectors[0]) // 4
            self._file.rows("INSERT INTO vector_space VALUES (NULL, ?, ?, 0, 0)", (model, dimensions))
            space = self._space(model)
            assert space is not None, "it was inserted just now"
        for row, vector in zip(rows, vectors, strict=True):
            kept = int8_of(floats_of(vector))
            self._file.rows("INSERT OR REPLACE INTO item_vector VALUES (?, ?, ?)", (space.id, row, kept))
        self._file.rows(_DONE, (space.id, rows[-1] + 1, rows[0]))

    def _drop(self, where: str, bindings: Sequence[str]) -> None:
        for (space,) in self._file.rows(f"SELECT id FROM vector_space WHERE {where}", bindings):
            self._file.rows("DELETE FROM item_vector WHERE space = ?", (space,))
            self._file.rows("DELETE FROM vector_space WHERE id = ?", (space,))

    def _scope(self, model: str, space: MemorySpace, scope: str) -> _ScopeMatrix:
        held = self._matrices.get((model, scope))
        if held is None or held.removals != space.removals or held.next > space.next or held.is_in_pieces:
            held = self._matrices[model, scope] = _ScopeMatrix(model, space)
        if held.next < space.next:
            held.append(self._file.rows(_STORED, (space.id, held.next, scope)), space.next)
        return held


class _ScopeMatrix:
    """The vectors of one space and scope in memory. Each ``append`` is a block of the matrix."""

    def __init__(self, model: str, space: MemorySpace) -> None:
        # Outlines are stored as these are: a signed byte a dimension.
        self._matrix = VectorMatrix(Space(space.id, model, "outline", space.dimensions))
        self._heads: list[Row] = []
        self.removals, self.next = space.removals, 0

    @property
    def is_in_pieces(self) -> bool:
        """Return whether it had better be read anew, as one block."""
        return len(self._heads) > _MOST_PIECES

    def append(self, stored: Sequence[Row], end: int) -> None:
        """Add ``(row, vector)`` of the rows from ``next`` on, which becomes ``end``."""
        if stored:
            rows, vectors = zip(*stored, strict=True)
            # A block has a bit for each of its places, and so many places that these fill bytes.
            free = -len(rows) % 8
            ids = struct.pack(f"<{len(rows) + free}q", *rows, *([0] * free))
            validity = ((1 << len(rows)) - 1).to_bytes((len(rows) + free) // 8, "little")
            kept = b"".join((*vectors, bytes(free * len(vectors[0]))))
            self._heads.append((rows[0], validity, ids))
            self._matrix.load(self._heads, lambda blocks: [(block, kept) for block in blocks])
        self.next = end

    def best(self, query: Sequence[float], limit: int) -> list[tuple[int, float]]:
        """Return at most ``limit`` rows with their cosine, nearest first."""
        return self._matrix.best(query, limit, CANDIDATES) if self._heads else []


def built_in() -> str:
    """Return the name of the built-in space in the file: its hash makes vectors of another table invisible."""
    from helix_core.embed import TABLE_ID

    return f"{STATIC}@{TABLE_ID}"


def _encoded(texts: Sequence[str]) -> list[bytes]:
    """Return the built-in vector of each text; of a few without numpy."""
    from helix_core.embed import StaticEncoder, vectors_of

    if len(texts) <= _ONE_BY_ONE:
        encoder = StaticEncoder()
        return [encoder.encode(STATIC, text) for text in texts]
    return [row.tobytes() for row in vectors_of(texts).astype("<f4")]
