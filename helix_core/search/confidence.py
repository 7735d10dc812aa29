"""Is the best place the right place? An estimate from 0 to 1, made of what can be seen without knowing the answer.

Pure. Two questions, one after the other: is what was asked here at all, and is the first place the one? Each is a
logistic model over a few shares, fitted on the public questions with one project left out at a time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

FLOOR = 0.5
"""Below this presence nothing is here to be found."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for the answer; every field is a share from 0 to 1.

    ``unknown``: how much of what the question's words tell lies in words the index has never seen; ``unknown_proper``:
    the part of it in names and identifiers, which nobody paraphrases. ``covered``: how much one of the best files
    holds. ``strength``: the best chunk's score as a share of the highest a chunk could have. ``agreement``: how much of
    the rankers' weight puts the first file among its first three. ``gap``: how far the next file stays behind.
    ``named``: is the first file, or something in it, what the question names outright?
    """

    unknown: float = 0.0
    unknown_proper: float = 0.0
    covered: float = 0.0
    strength: float = 0.0
    agreement: float = 0.0
    gap: float = 0.0
    named: float = 0.0


def presence(signs: Signs) -> float:
    """Is what was asked in the index at all?"""
    return _logistic(0.6 + 2.7 * signs.covered - 3.5 * signs.unknown - 3.3 * signs.unknown_proper + 3.0 * signs.named)


def confidence(signs: Signs) -> float:
    """Is the first place the right one?"""
    right = _logistic(-1.9 + 3.0 * signs.strength + 1.4 * signs.agreement + 1.5 * signs.gap + 1.5 * signs.named)
    return presence(signs) * right


def _logistic(evidence: float) -> float:
    return 1.0 / (1.0 + math.exp(-evidence))
