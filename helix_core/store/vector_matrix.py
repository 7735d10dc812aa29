"""All vectors of a space in memory, for a process that goes on asking: a question is one pass over packed bits.

Kept level with the table by its blocks: one that is as it was is not read again.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt
from typing import TYPE_CHECKING

from helix_core.store.session import Row
from helix_core.store.vector_spaces import Space

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

ALL_EXACT = 1_024
_WORD_BITS = 64
_SAMPLED = 32
_SAMPLE_MARGIN = 16


@dataclass(frozen=True, slots=True)
class _Block:
    mark: tuple[bytes, bytes]
    ids: NDArray[np.int64]
    kept: NDArray[np.uint8]


class VectorMatrix:
    """The vectors of one space; ``load`` brings it level, ``best`` searches. For one thread.

    ``version`` is the state of the index it was last brought level with.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self.version = -1
        self._blocks: dict[int, _Block] = {}
        self._ids: NDArray[np.int64]
        self._kept: NDArray[np.uint8]
        self._order: NDArray[np.intp]
        self._words: list[NDArray[np.uint64]]

    def load(self, heads: Sequence[Row], read: Callable[[Sequence[int]], list[Row]]) -> None:
        """``heads`` are ``(block, validity, ids)`` of all blocks; ``read`` gives ``(block, vectors)`` of some."""
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
            self._blocks[block] = _Block(mark, np.frombuffer(ids, "<i8")[valid], kept[valid])
        self._blocks = {block: self._blocks[block] for block in marks}
        blocks = self._blocks.values()
        self._ids = np.concatenate([np.zeros(0, np.int64), *(block.ids for block in blocks)])
        self._kept = np.concatenate([np.zeros((0, size), np.uint8), *(block.kept for block in blocks)])
        self._order = np.argsort(self._ids, kind="stable")
        self._words = self._in_words()

    def best(self, query: Sequence[float], limit: int, candidates: int) -> list[tuple[int, float]]:
        """At most ``limit`` ids with their cosine, best first; of many, the ``candidates`` nearest by their signs are
        compared exactly."""
        import numpy as np

        vector = np.asarray(query, np.float32)
        chosen = self._nearest_by_signs(vector, limit, max(limit, candidates))
        scores = self._scores(vector, chosen)
        order = np.argsort(-scores, kind="stable")[:limit]
        return list(zip(self._ids[chosen[order]].tolist(), scores[order].tolist(), strict=True))

    def scores(self, query: Sequence[float], ids: Sequence[int]) -> dict[int, float]:
        """The cosine with each of some ids; those that are not here are missing."""
        import numpy as np

        wanted = np.asarray(ids, np.int64)
        if not len(wanted) or not len(self._ids):
            return {}
        places = self._order[np.minimum(np.searchsorted(self._ids, wanted, sorter=self._order), len(self._ids) - 1)]
        places = places[self._ids[places] == wanted]
        scores = self._scores(np.asarray(query, np.float32), places)
        return dict(zip(self._ids[places].tolist(), scores.tolist(), strict=True))

    def _in_words(self) -> list[NDArray[np.uint64]]:
        """The signs, 64 dimensions in a word, one array for each 64: a pass over them is then in order of memory."""
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
        """The places of the ``count`` nearest, without those at the border where ``least`` are left: which of these
        come would be chance."""
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

    def _scores(self, vector: NDArray[np.float32], chosen: NDArray[np.intp]) -> NDArray[np.float32]:
        import numpy as np

        length = np.float32(np.linalg.norm(vector) or 1.0)
        if self._space.precision == "int8":
            kept = self._kept.view(np.int8)[chosen].astype(np.float32)
            own = np.linalg.norm(kept, axis=1)
            return np.asarray((kept @ vector) / (np.where(own > 0, own, 1) * length), np.float32)
        signs = np.unpackbits(self._kept[chosen], axis=1).astype(np.float32) * 2 - 1
        estimate = (signs @ vector) / np.float32(length * sqrt(len(vector)) * sqrt(2 / pi))
        return np.asarray(np.clip(estimate, -1, 1), np.float32)


def _least(values: NDArray[np.uint16], count: int) -> NDArray[np.intp]:
    """The places of the ``count`` smallest of more values than that, in any order.

    A sample tells how small those are; to compare all with that is an eighth of the cost of ordering them.
    """
    import numpy as np

    sample = values[::_SAMPLED]
    wanted = 2 * count // _SAMPLED + _SAMPLE_MARGIN
    if wanted < len(sample):
        near = np.flatnonzero(values <= np.partition(sample, wanted)[wanted])
        if len(near) >= count:
            return np.asarray(near[np.argpartition(values[near], count - 1)[:count]], np.intp)
    return np.asarray(np.argpartition(values, count - 1)[:count], np.intp)
