"""Which files belong together by what git says of them: changed in one commit more often than chance would have it.

Pure: counts in, kin out.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from helix_core.workspace.history import CoChanges

LEAST_TOGETHER = 3
LEAST_LIFT = 2.0
MOST_KIN = 8


@dataclass(frozen=True, slots=True)
class Kin:
    """``other`` changed with ``path`` in ``together`` commits, ``lift`` times as often as two strangers would."""

    path: bytes
    other: bytes
    together: int
    lift: float


def kin_of(changes: CoChanges) -> list[Kin]:
    """For each file at most eight that changed with it in three commits or more, with a lift over 2; closest first.

    Lift is P(both) / (P(one) P(other)) (Brin, Motwani, Ullman & Tsur 1997). Closest is whose commits overlap most, as
    the cosine: lift alone would put a file that is seldom touched before one that always is.
    """
    made: dict[bytes, list[tuple[float, bytes, Kin]]] = defaultdict(list)
    for (one, other), together in changes.items():
        chance = changes.touched[one] * changes.touched[other]
        lift = together * changes.commits / chance
        if together >= LEAST_TOGETHER and lift > LEAST_LIFT:
            nearness = together * together / chance
            made[one].append((-nearness, other, Kin(one, other, together, lift)))
            made[other].append((-nearness, one, Kin(other, one, together, lift)))
    return [kin for path in sorted(made) for _, _, kin in sorted(made[path], key=lambda entry: entry[:2])[:MOST_KIN]]
