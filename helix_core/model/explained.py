"""The explanation of a ranking, on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RankedFile:
    """A file in a ranker's list.

    ``rank`` is 1-based; ``part`` is what this rank adds to the file's fused score, ``share`` (0..1) its share of that
    score.
    """

    source_id: str
    rank: int
    part: float
    share: float


@dataclass(frozen=True, slots=True)
class RankerExplanation:
    """A ranker that ran: its weight, the length of its list, and the files worth showing, best first: its first
    ones, and every file of the answer.
    """

    name: str
    weight: float
    files: int
    listed: tuple[RankedFile, ...]


@dataclass(frozen=True, slots=True)
class FeatureEffect:
    """A feature, its value, and its effect: above 0 is evidence for, below 0 against."""

    name: str
    value: float
    effect: float


@dataclass(frozen=True, slots=True)
class RankingExplanation:
    """The explanation of a ranking.

    ``model`` names the model of the vectors (empty: none), ``levels`` the levels searched, ``unready`` why others were
    not. ``presence`` (0..1): the probability that the index contains the answer. ``place`` (0..1): the probability that
    the first item is right, given that. ``lines`` holds, by item id, the second stage's features: an effect is relative
    to the average of all chunks considered. It is empty where that stage had no time. ``read_as`` maps misspelled words
    to the words that they were read as.
    """

    rankers: tuple[RankerExplanation, ...]
    model: str
    levels: tuple[str, ...]
    unready: tuple[str, ...]
    presence: float
    presence_signs: tuple[FeatureEffect, ...]
    place: float
    place_signs: tuple[FeatureEffect, ...]
    lines: Mapping[int, tuple[FeatureEffect, ...]]
    read_as: Mapping[str, str] = field(default_factory=dict)
