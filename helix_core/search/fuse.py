"""Several rankings become one, by rank alone: scores of different rankers are never added.

Weighted reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from helix_core.model import Signal

RANK_CONSTANT = 20.0


@dataclass(frozen=True, slots=True)
class Ranking:
    """One ranker's list of ids, best first, and how much its word counts.

    ``scores``, when given, has one for each id; equal neighbours share a rank, so that the order among equals, which
    depends on how the index came about, means nothing.
    """

    ranker: str
    ids: tuple[int, ...]
    weight: float = 1.0
    scores: tuple[float, ...] = ()

    def ranks(self) -> dict[int, int]:
        """The 1-based rank of each id, the better one for an id named twice."""
        ranks: dict[int, int] = {}
        scores = self.scores or tuple(range(len(self.ids)))
        shared, last = 0, None
        for id_, score in zip(self.ids, scores, strict=True):
            if id_ in ranks:
                continue
            if score != last:
                shared, last = len(ranks) + 1, score
            ranks[id_] = shared
        return ranks


@dataclass(frozen=True, slots=True)
class Fused:
    """An id, its fused score, and what each ranker gave: its name, the rank there, and that much of the score."""

    id: int
    score: float
    parts: tuple[tuple[str, int, float], ...]

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Each ranker's part, the largest first; the shares add up to 1. Made when asked: few of many are shown."""
        signals = (Signal(ranker, rank, part / self.score) for ranker, rank, part in self.parts)
        return tuple(sorted(signals, key=lambda s: (-s.share, s.ranker)))


def fuse(rankings: Iterable[Ranking], rank_constant: float = RANK_CONSTANT) -> list[Fused]:
    """Sum ``weight / (rank_constant + rank)`` over the rankings; best first, equal scores by id.

    An id named twice by one ranker counts at its better place. The order of ``rankings`` does not matter.
    """
    parts: dict[int, list[tuple[str, int, float]]] = {}
    for ranking in sorted(rankings, key=lambda r: (r.ranker, r.weight, r.ids, r.scores)):
        if ranking.weight <= 0:
            continue
        for id_, rank in ranking.ranks().items():
            parts.setdefault(id_, []).append((ranking.ranker, rank, ranking.weight / (rank_constant + rank)))
    fused = [Fused(id_, sum(part for _, _, part in given), tuple(given)) for id_, given in parts.items()]
    fused.sort(key=lambda f: (-f.score, f.id))
    return fused
