"""How an answer came about: what each ranker said, whose vectors served, and what its confidence is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Listed:
    """A file in a ranker's list.

    ``rank`` is 1-based; ``part`` is what the place in this list adds to the file's fused score, ``share`` (0..1) how
    much of that score it is.
    """

    source_id: str
    rank: int
    part: float
    share: float


@dataclass(frozen=True, slots=True)
class RankerAccount:
    """A ranker that was heard: how much its word counts, how many files it named, and those of them worth showing,
    best first: its first ones, and every file of the answer."""

    name: str
    weight: float
    files: int
    listed: tuple[Listed, ...]


@dataclass(frozen=True, slots=True)
class Sign:
    """What was looked at, what was found, and how much that speaks for (above 0) or against (below 0)."""

    name: str
    value: float
    effect: float


@dataclass(frozen=True, slots=True)
class Account:
    """What a search can tell of itself.

    ``model`` names whose vectors served (empty: none), ``levels`` which of them were searched, ``unready`` what keeps
    others back. ``presence`` (0..1): is what was asked here at all? ``place`` (0..1): if so, is the first place the
    one? ``lines`` has, by the ids of items, why the second stage chose that place: the effect of a sign is measured
    from the average of all places that were looked at. It is empty where that stage had no time.
    """

    rankers: tuple[RankerAccount, ...]
    model: str
    levels: tuple[str, ...]
    unready: tuple[str, ...]
    presence: float
    presence_signs: tuple[Sign, ...]
    place: float
    place_signs: tuple[Sign, ...]
    lines: Mapping[int, tuple[Sign, ...]]
