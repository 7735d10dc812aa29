"""Is the best place the right place? An estimate from 0 to 1, made of what can be seen without knowing the answer.

Pure. Two questions, one after the other: is what was asked here at all, and is the first place the one? Each is a
logistic model over a few shares, fitted by ``benchmarks/calibrate.py`` with one project left out at a time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from helix_core.search.confidence_weights import PLACE, PLACE_WITH_MODEL, PRESENCE

FLOOR = 0.5
"""Below this presence nothing is here to be found."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for the answer; every field is a share from 0 to 1.

    ``unknown_proper``: how much of what the question's words tell lies in names and identifiers, which nobody
    paraphrases, that the index has never seen. ``covered``: how much one of the best files holds. ``missing``: the
    rarest word that even the best chunk of one of these files lacks, as a share of the rarest word asked: a near miss
    has every word but the one that matters. ``strength``: the best chunk's score as a share of the highest a chunk
    could have. ``agreement``: how much of the rankers' weight puts the first file among its first three. ``gap``: how
    far the next file stays behind. ``named``: is the first file, or something in it, what the question names outright?

    None is a cosine or a sum of cosines: how sure an answer is means the same whichever vectors serve.
    """

    unknown_proper: float = 0.0
    covered: float = 0.0
    strength: float = 0.0
    agreement: float = 0.0
    gap: float = 0.0
    named: float = 0.0
    missing: float = 0.0


AGAINST = frozenset({"unknown_proper", "missing"})
"""The signs that speak against an answer; all others speak for it."""
PRESENCE_SIGNS = ("covered", "missing", "unknown_proper", "named")
PLACE_SIGNS = ("strength", "agreement", "gap", "named")


def presence(signs: Signs) -> float:
    """Is what was asked in the index at all?"""
    return _weighed(PRESENCE, signs)


def confidence(signs: Signs, *, with_model: bool = False) -> float:
    """Is the first place the right one? With a model's vectors the same signs are right more often."""
    return presence(signs) * _weighed(PLACE_WITH_MODEL if with_model else PLACE, signs)


def _weighed(weights: Mapping[str, float], signs: Signs) -> float:
    known = asdict(signs)
    return _logistic(sum(weight * known.get(name, 1.0) for name, weight in weights.items()))


def _logistic(evidence: float) -> float:
    return 1.0 / (1.0 + math.exp(-evidence))
