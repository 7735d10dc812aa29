"""Fuse several rankings into one. Raw scores of different rankers are never added, only positions in lists.

Chunks inside a file are fused by rank alone: weighted reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR
2009). Files are fused half by rank, half by score relative to the first of the list: a first place that is far ahead
counts more (``benchmarks/fit.py`` measures both). Pure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from helix_core.model import Signal

RANK_CONSTANT = 20.0
BLEND_CONSTANT = 5.0
ROUNDING = 1e-9
"""Relative tolerance of equal scores: smaller differences come from the order of floating-point additions."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """One ranker's list of ids, best first, and its weight.

    ``scores``, when given, has one for each id; equal neighbors share a rank, because the order among equals depends on
    how the index was built.
    """

    ranker: str
    ids: tuple[int, ...]
    weight: float = 1.0
    scores: tuple[float, ...] = ()

    def ranks(self) -> dict[int, int]:
        """Return the 1-based rank of each id, the better one for an id listed twice."""
        ranks: dict[int, int] = {}
        scores = self.scores or range(len(self.ids), 0, -1)
        shared, last = 0, math.inf
        for id_, score in zip(self.ids, scores, strict=True):
            if id_ in ranks:
                continue
            if score < last * (1 - ROUNDING):
                shared, last = len(ranks) + 1, score
            ranks[id_] = shared
        return ranks


class Fused(NamedTuple):
    """An id, its fused score, and each ranker's contribution: its name, the rank there, and its part of the score."""

    id: int
    score: float
    parts: tuple[tuple[str, int, float], ...]

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Return each ranker's share of the score, largest first; shares add up to 1. Computed lazily, as few
        results are shown.
        """
        signals = (Signal(ranker, rank, part / self.score) for ranker, rank, part in self.parts)
        return tuple(sorted(signals, key=lambda s: (-s.share, s.ranker)))


def normalized_rank(rank: int, share: float) -> float:
    """Return the value of a position in a list, 0..1: ``rank`` is 1-based, ``share`` its score relative to the
    first.
    """
    return (share + (BLEND_CONSTANT + 1) / (BLEND_CONSTANT + rank)) / 2


def blend(rankings: Iterable[Ranking]) -> list[Fused]:
    """Sum ``weight * normalized_rank`` over the rankings; best first, equal scores by id.

    Scores are positive, the best one first; a ranking without scores has only ranks. The order of ``rankings`` does not
    matter.
    """
    return _summed(rankings, _normalized_ranks)


def _normalized_ranks(ranking: Ranking) -> dict[int, tuple[int, float]]:
    ranks = ranking.ranks()
    best = ranking.scores[0] if ranking.scores else 0.0
    if not ranking.scores:
        return {id_: (rank, normalized_rank(rank, 1.0 / rank)) for id_, rank in ranks.items()}
    if best <= 0:
        return {id_: (rank, normalized_rank(rank, 1.0)) for id_, rank in ranks.items()}
    # From the end, so that of an id named twice the better score stays.
    shares = dict(zip(reversed(ranking.ids), reversed(ranking.scores), strict=True))
    return {id_: (rank, normalized_rank(rank, shares[id_] / best)) for id_, rank in ranks.items()}


def fuse(rankings: Iterable[Ranking], rank_constant: float = RANK_CONSTANT) -> list[Fused]:
    """Sum ``weight / (rank_constant + rank)`` over the rankings; best first, equal scores by id.

    An id named twice by one ranker counts at its better place. The order of ``rankings`` does not matter.
    """
    return _summed(
        rankings, lambda ranking: {id_: (rank, 1 / (rank_constant + rank)) for id_, rank in ranking.ranks().items()}
    )


def _summed(rankings: Iterable[Ranking], worth: Callable[[Ranking], Mapping[int, tuple[int, float]]]) -> list[Fused]:
    parts: dict[int, list[tuple[str, int, float]]] = {}
    scores: dict[int, float] = {}
    for ranking in sorted(rankings, key=lambda r: (r.ranker, r.weight, r.ids, r.scores)):
        name, weight = ranking.ranker, ranking.weight
        if weight <= 0:
            continue
        for id_, (rank, value) in worth(ranking).items():
            part = weight * value
            if id_ in parts:
                parts[id_].append((name, rank, part))
                scores[id_] += part
            else:
                parts[id_] = [(name, rank, part)]
                scores[id_] = part
    best_first = sorted([(-score, id_) for id_, score in scores.items()])
    return [tuple.__new__(Fused, (id_, -score, tuple(parts[id_]))) for score, id_ in best_first]
