"""Phase algebra on integers: a phase is an unsigned integer modulo 2^b, so addition is rotation and nothing drifts.

A code is a vector of byte phases (256 to a turn). Superposition follows holographic reduced representations in their
Fourier form (Plate 1995, IEEE Transactions on Neural Networks 6(3)): bind adds phases, bundle adds unit phasors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import shake_256
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

DIM = 256
"""Phases of a code."""
TURN = 256
"""Steps of a byte phase to one turn."""
UNIT = 127
"""Length of an integer phasor."""
HARMONICS = (1, 2, 4, 8)
_DOMAIN = b"helix.phase/1\0"
_FINE = 1 << 20
"""Length of the integer vectors that bound the sector of a byte phase."""

Phases: TypeAlias = NDArray[np.unsignedinteger]
"""Phases modulo 2^8 or 2^16, by the array's type."""
Code: TypeAlias = NDArray[np.uint8]
Reals: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]


def code(name: str, dim: int = DIM) -> Code:
    """Return the code of a name: the same bytes on every machine, unrelated between names. The array is read-only."""
    digest = shake_256(_DOMAIN + name.encode("utf-8", "surrogatepass")).digest(dim)
    return np.frombuffer(digest, np.uint8)


def bind(one: Phases, other: Phases) -> Phases:
    """Return the phases of ``one`` turned by ``other``. Raises: ValueError for different types or shapes."""
    _check(one, other)
    return one + other


def unbind(bound: Phases, other: Phases) -> Phases:
    """Undo ``bind``: ``unbind(bind(a, b), b)`` is ``a``, bit for bit."""
    _check(bound, other)
    return bound - other


def delta(before: Phases, after: Phases) -> Phases:
    """Return the turn that leads from ``before`` to ``after``."""
    return unbind(after, before)


def apply(phases: Phases, turn: Phases) -> Phases:
    """Apply a turn: ``apply(a, delta(a, b))`` is ``b``, bit for bit."""
    return bind(phases, turn)


def invert(turn: Phases) -> Phases:
    """Return the turn that undoes this one."""
    return np.negative(turn)


def bundle(parts: Iterable[tuple[Code, int]]) -> Code:
    """Return the byte phases of a weighted sum of codes, which stays similar to each of them.

    Raises: ValueError without a part, or for a weight below 1.
    """
    given = [*parts]
    if not given or any(weight < 1 for _, weight in given):
        raise ValueError("a bundle needs a part, and weights of at least 1")
    total = sum(weight * phasors(phases).astype(np.int64) for phases, weight in given)
    assert isinstance(total, np.ndarray)
    return phases_of(total[0], total[1])


def phasors(phases: Code) -> NDArray[np.int16]:
    """Return the integer unit phasors of byte phases: real parts, then imaginary parts, on a new first axis."""
    return _tables()[0][:, phases]


def phases_of(real: Integers, imaginary: Integers) -> Code:
    """Return the byte phases of integer vectors (each below 2^31); 0 for the zero vector.

    The sector is decided by integer cross products, so the bytes do not depend on a machine's arctangent.
    """
    guess = np.rint(np.arctan2(imaginary, real) * (TURN / (2 * np.pi))).astype(np.int64) % TURN
    borders = _tables()[1]
    too_low = _side(borders[:, guess + 1], real, imaginary) >= 0
    too_high = _side(borders[:, guess], real, imaginary) < 0
    is_zero = (real == 0) & (imaginary == 0)
    return np.where(is_zero, 0, guess + too_low - too_high).astype(np.uint8)


def similarity(query: Code, rows: Code) -> Reals:
    """Return the mean cosine of the query and each row (shape ``(n, dim)``): 1 for itself, about 0 ± 0.044 unrelated.

    Raises: ValueError for another width.
    """
    if rows.ndim != 2 or rows.shape[1] != query.shape[0]:
        raise ValueError(f"{query.shape[0]} phases cannot be compared with rows of {rows.shape[-1]}")
    return waves(rows) @ waves(query)


def cosine(one: Code, other: Code) -> float:
    """Return the mean cosine of two codes; exactly 1.0 for equal ones."""
    return float(_tables()[2][0][one - other].mean(dtype=np.float64))


def waves(phases: Code) -> Reals:
    """Return cosines, then sines, of byte phases along the last axis, scaled so that a dot product is a mean cosine."""
    cosines, sines = _tables()[2]
    scale = np.float32(1 / np.sqrt(phases.shape[-1]))
    return np.concatenate([cosines[phases], sines[phases]], axis=-1) * scale


def harmonics(phases: Code, orders: Sequence[int] = HARMONICS) -> tuple[Reals, Reals]:
    """Return cosines and sines of the phases at each harmonic, on a new first axis; a lookup, no arithmetic drift."""
    # numpy keeps uint8 times int as uint8 under NEP 50: widen, so that a negative order is accepted too.
    turned = np.stack([phases.astype(np.int64) * order % TURN for order in orders])
    cosines, sines = _tables()[2]
    return cosines[turned], sines[turned]


def wound(total: int, bits: int = 16) -> tuple[int, int]:
    """Split a sum of increments into its phase modulo 2^bits and its winding number (whole turns, negative below 0)."""
    turns, phase = divmod(total, 1 << bits)
    return phase, turns


def _check(one: Phases, other: Phases) -> None:
    if one.dtype != other.dtype or one.shape != other.shape or one.dtype.kind != "u":
        raise ValueError(f"phases of {one.dtype}{one.shape} and {other.dtype}{other.shape} do not combine")


def _side(border: Integers, real: Integers, imaginary: Integers) -> Integers:
    """Return the cross product: 0 or more where the vector is on the border or counterclockwise of it."""
    product: Integers = border[0] * imaginary - border[1] * real
    return product


@cache
def _tables() -> tuple[NDArray[np.int16], Integers, Reals]:
    """Return the integer phasors, the lower border of each sector (and the first again), and cosines and sines."""
    angles = np.arange(TURN) * (2 * np.pi / TURN)
    exact = np.stack([np.cos(angles), np.sin(angles)])
    # The quarters are exact, so that a turn by 64, 128 or 192 is too.
    exact[np.abs(exact) < 1e-9] = 0.0
    below = (np.arange(TURN + 1) - 0.5) * (2 * np.pi / TURN)
    borders = np.rint(_FINE * np.stack([np.cos(below), np.sin(below)])).astype(np.int64)
    return np.rint(UNIT * exact).astype(np.int16), borders, exact.astype(np.float32)
