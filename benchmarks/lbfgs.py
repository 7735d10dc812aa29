"""The weights of least loss, for the benchmarks that fit weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
KEPT_STEPS = 12


def minimized(loss_of: Callable[[Array], tuple[float, Array]], found: Array, *, steps: int) -> Array:
    """Return the weights of least loss, by L-BFGS (Nocedal and Wright, Numerical Optimization, algorithm 7.5).

    Args:
        loss_of: Returns the loss of weights, and its slope.
        found: The weights to begin with.
        steps: The most steps that are taken.
    """
    loss, slope = loss_of(found)
    kept: list[tuple[Array, Array]] = []
    for _ in range(steps):
        way, shares = slope.copy(), []
        for step, turn in reversed(kept):
            shares.append((step @ way) / (turn @ step))
            way -= shares[-1] * turn
        way *= (kept[-1][0] @ kept[-1][1]) / (kept[-1][1] @ kept[-1][1]) if kept else 1 / max(1, np.abs(slope).max())
        for (step, turn), share in zip(kept, reversed(shares), strict=True):
            way += step * (share - (turn @ way) / (turn @ step))
        length = 1.0
        while True:
            tried = found - length * way
            less, then = loss_of(tried)
            if less <= loss - 1e-4 * length * (slope @ way) or length < 1e-6:
                break
            length /= 2
        if (then - slope) @ (tried - found) > 1e-10:
            kept = [*kept, (tried - found, then - slope)][-KEPT_STEPS:]
        is_done = abs(loss - less) < 1e-6 * abs(loss)
        found, loss, slope = tried, less, then
        if is_done:
            break
    return found
