"""Is the best place the right place? An estimate from 0 to 1, made of what can be seen without knowing the answer.

Pure. The weights are those of a plain logistic model over four shares; they are a starting point, not a calibration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

FLOOR = 0.30


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for the best place; every field is a share from 0 to 1.

    ``covered_by_item`` and ``covered_by_file``: how much of what the question's words tell is in the best chunk, and in
    its file. ``agreement``: how much of the rankers' weight puts the file among its first three. ``gap``: how far the
    next file stays behind. ``unknown``: how much of what the question tells lies in words the index has never seen and
    nobody paraphrases: names and identifiers. ``defined``: 1 when an identifier of the question is defined here.
    """

    covered_by_item: float = 0.0
    covered_by_file: float = 0.0
    agreement: float = 0.0
    gap: float = 0.0
    unknown: float = 0.0
    defined: float = 0.0


def confidence(signs: Signs) -> float:
    """The estimate; 0 when nothing was found."""
    if not signs.covered_by_file and not signs.defined:
        return 0.0
    evidence = (
        -2.4
        + 2.2 * signs.covered_by_item
        + 2.0 * signs.covered_by_file
        + 1.0 * signs.agreement
        + 0.8 * signs.gap
        + 1.5 * signs.defined
        - 6.0 * signs.unknown
    )
    return 1.0 / (1.0 + math.exp(-evidence))
