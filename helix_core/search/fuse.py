"""Fuse several rankings into one. Raw scores of different rankers are never added, only positions in lists.

Chunks inside a file are fused by rank alone: weighted reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR
2009). Files are fused half by rank, half by score relative to the first of the list: a first place that is far ahead
counts more (``benchmarks/fit.py`` measures both). Pure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from helix_core.model import Signal
from helix_core.tuples import NamedTuple

RANK_CONSTANT = 20.0
BLEND_CONSTANT = 5.0
ROUNDING = 1e-9
"""Relative tolerance of equal scores: smaller differences come from the order of floating-point additions."""


class Ranking(NamedTuple):
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
    return blend_first(rankings, None)[0]


def blend_first(rankings: Iterable[Ranking], most: int | None) -> tuple[list[Fused], Mapping[int, float]]:
    """Return the first ``most`` of ``blend``, and the score of every id: a question has a thousand, and shows few."""
    return _summed(rankings, _normalized_ranks, most)


def _normalized_ranks(ranking: Ranking) -> dict[int, tuple[int, float]]:
    ranks = ranking.ranks()
    best = ranking.scores[0] if ranking.scores else 0.0
    if not ranking.scores:
        return {id_: (rank, normalized_rank(rank, 1.0 / rank)) for id_, rank in ranks.items()}
    if best <= 0:
        return {id_: (rank, normalized_rank(rank, 1.0)) for id_, rank in ranks.items()}
    found: dict[int, tuple[int, float]] = {}
    shared, place = 0, 0.0
    for id_, score in zip(ranking.ids, ranking.scores, strict=True):
        if id_ not in found:
            rank = ranks[id_]
            if rank != shared:
                shared, place = rank, (BLEND_CONSTANT + 1) / (BLEND_CONSTANT + rank)
            # ``normalized_rank``, without a call for each.
            found[id_] = rank, (score / best + place) / 2
    return found


def fuse(rankings: Iterable[Ranking], rank_constant: float = RANK_CONSTANT) -> list[Fused]:
    """Sum ``weight / (rank_constant + rank)`` over the rankings; best first, equal scores by id.

    An id named twice by one ranker counts at its better place. The order of ``rankings`` does not matter.
    """
    return _summed(
        rankings, lambda ranking: {id_: (rank, 1 / (rank_constant + rank)) for id_, rank in ranking.ranks().items()}
    )[0]


def _summed(
    rankings: Iterable[Ranking], worth: Callable[[Ranking], Mapping[int, tuple[int, float]]], most: int | None = None
) -> tuple[list[Fused], dict[int, float]]:
    """Return the first ``most`` sums, all for None, and the score of every id."""
    worths: list[tuple[str, float, Mapping[int, tuple[int, float]]]] = []
    scores: dict[int, float] = {}
    for ranking in sorted(rankings, key=lambda r: (r.ranker, r.weight, r.ids, r.scores)):
        name, weight = ranking.ranker, ranking.weight
        if weight <= 0:
            continue
        own = worth(ranking)
        worths.append((name, weight, own))
        for id_, (_, value) in own.items():
            scores[id_] = scores[id_] + weight * value if id_ in scores else weight * value
    best_first = sorted([(-score, id_) for id_, score in scores.items()])[:most]
    first = []
    for score, id_ in best_first:
        parts = [(name, own[id_][0], weight * own[id_][1]) for name, weight, own in worths if id_ in own]
        first.append(tuple.__new__(Fused, (id_, -score, tuple(parts))))
    return first, scores
