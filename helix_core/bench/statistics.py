"""Means, quantiles and how far chance could move them: percentile bootstrap with a fixed seed (Efron 1979)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

DRAWS = 2_000
SEED = 20_250_101
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the 95 % interval of what it could have been with other questions of the same kind."""

    mean: float
    low: float
    high: float


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of them lie, between neighbours in proportion; 0 of nothing."""
    if not values:
        return 0.0
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def interval(values: Sequence[float], *, seed: int = SEED) -> Interval:
    """The mean of ``values`` with its interval. Of differences of pairs it is a paired test."""
    if not values:
        return Interval(0.0, 0.0, 0.0)
    draw = random.Random(seed)
    count = len(values)
    means = sorted(sum(draw.choices(values, k=count)) / count for _ in range(DRAWS))
    tail = (1 - LEVEL) / 2
    return Interval(mean(values), means[int(tail * DRAWS)], means[int((1 - tail) * DRAWS) - 1])
