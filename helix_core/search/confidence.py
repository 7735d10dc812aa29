"""Is the best place the right place? An estimate from 0 to 1, made of what can be seen without knowing the answer.

Pure. Two questions: is what was asked here at all, and if so, is the first place the one? Each is a logistic model over
a few shares, fitted by ``benchmarks/calibrate.py`` with one project left out at a time; the answer is as sure as the
less sure of the two.
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

    ``covered``: how much of the question one of the best files holds, rare words counting most. ``missing_proper``: the
    rarest of its names and identifiers, which nobody paraphrases, that even the best of these files lacks, as a share
    of the rarest word asked. ``unfamiliar``: how far the strangest word that the index has never seen is from common
    English, which is what people paraphrase in. ``strength``: the best chunk's score as a share of the highest a chunk
    could have. ``agreement``: how much of the rankers' weight puts the first file among its first three. ``gap``: how
    far the next file stays behind. ``named``: is the first file, or something in it, what the question names outright?

    None is a cosine or a sum of cosines: how sure an answer is means the same whichever vectors serve.
    """

    covered: float = 0.0
    missing_proper: float = 0.0
    unfamiliar: float = 0.0
    strength: float = 0.0
    agreement: float = 0.0
    gap: float = 0.0
    named: float = 0.0


AGAINST = frozenset({"missing_proper", "unfamiliar"})
"""The signs that speak against an answer; all others speak for it."""
PRESENCE_SIGNS = ("covered", "missing_proper", "unfamiliar", "named")
PLACE_SIGNS = ("strength", "agreement", "gap")


def presence(signs: Signs) -> float:
    """Is what was asked in the index at all?"""
    return _weighed(PRESENCE, signs)


def place(signs: Signs, *, with_model: bool = False) -> float:
    """Is the first place the right one, if what was asked is here? With a model's vectors it is more often."""
    return _weighed(PLACE_WITH_MODEL if with_model else PLACE, signs)


def confidence(signs: Signs, *, with_model: bool = False) -> float:
    """How sure an answer is."""
    return min(presence(signs), place(signs, with_model=with_model))


def _weighed(weights: Mapping[str, float], signs: Signs) -> float:
    known = asdict(signs)
    return _logistic(sum(weight * known.get(name, 1.0) for name, weight in weights.items()))


def _logistic(evidence: float) -> float:
    return 1.0 / (1.0 + math.exp(-evidence))
