"""Vectors read by the block, without numpy: what a process needs that asks one question and leaves.

A query is compared as it is kept: quantised to int8 where vectors are, and with full weight against bits, which keeps
more of the order than counting differing bits does (asymmetric distance: Jégou, Douze & Schmid 2011, section III).
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from math import pi, sqrt
from operator import mul

from helix_core.store.vector_spaces import Space

_OF_SIGNS = sqrt(2 / pi)
"""Expected length of the projection of a random direction on its own signs, divided by the root of the dimensions."""


def floats_of(vector: bytes) -> Sequence[float]:
    """float32, little-endian, as numbers."""
    values = array("f")
    values.frombytes(vector)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def quantised(values: Sequence[float], space: Space) -> bytes:
    """A query as the space's own vectors are kept."""
    if space.precision == "int8":
        largest = max(map(abs, values), default=0.0) or 1.0
        return array("b", [round(value * (127 / largest)) for value in values]).tobytes()
    signs = "".join("1" if value > 0 else "0" for value in values)
    return int(signs, 2).to_bytes(len(values) // 8, "big")


def similarities(query: Sequence[float], kept: Mapping[int, bytes], space: Space) -> dict[int, float]:
    """The cosine with each of some vectors; an estimate where only their signs are kept. By id, as given."""
    if space.precision == "int8":
        return _with_int8(query, kept)
    return _with_bits(query, kept)


def _with_int8(query: Sequence[float], kept: Mapping[int, bytes]) -> dict[int, float]:
    length = sqrt(sum(map(mul, query, query))) or 1.0
    found = {}
    for id_, vector in kept.items():
        values = memoryview(vector).cast("b")
        own = sqrt(sum(map(mul, values, values))) or 1.0
        found[id_] = sum(map(mul, query, values)) / (own * length)
    return found


def _with_bits(query: Sequence[float], kept: Mapping[int, bytes]) -> dict[int, float]:
    """For each byte a table of what its eight signs add up to: then a vector costs a look-up a byte."""
    length = sqrt(sum(map(mul, query, query))) * sqrt(len(query)) * _OF_SIGNS or 1.0
    tables = [_sums(query[start : start + 8]) for start in range(0, len(query), 8)]
    return {
        id_: max(-1.0, min(1.0, sum(table[byte] for table, byte in zip(tables, vector, strict=True)) / length))
        for id_, vector in kept.items()
    }


def _sums(values: Iterable[float]) -> list[float]:
    sums = [0.0]
    for value in values:
        sums = [sum_ + sign for sum_ in sums for sign in (-value, value)]
    return sums
