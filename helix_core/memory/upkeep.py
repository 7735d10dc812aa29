"""Keep a memory in order: which decisions undo others, and what has faded so far that it could leave.

Pure: the log's states and the clock are arguments. Decides nothing for a person: what could leave is a proposal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helix_core.memory.ranking import DAY_MS, reinforced
from helix_core.model import USABLE, DecidedFlags, MemoryStatus, MemoryUse, StoredMemory

LEAST_SALIENCE = 0.05
LEAST_IDLE_DAYS = 30.0
KEPT_FORGOTTEN_DAYS = 90.0
"""Days after which a forgotten memory could be purged."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """What could become of a memory, ``archive`` or ``purge``, and why: days since its last use, and its salience."""

    act: str
    idle_days: float
    salience: float


def undoing(before: DecidedFlags | None, now: DecidedFlags) -> tuple[str, ...]:
    """Return the operations after which a memory is in force, or is not, as it was ``before``; None where it was not
    there.

    What waited for review then and was approved since is forgotten: an approval cannot be taken back otherwise.
    """
    if before is None or (before.is_proposed and not now.is_proposed):
        return () if now.is_forgotten else ("forget",)
    acts: list[str] = []
    is_forgotten, is_archived = now.is_forgotten, now.is_archived
    if (is_forgotten and not before.is_forgotten) or (is_archived and not before.is_archived):
        acts.append("restore")
        is_forgotten = is_archived = False
    if before.is_archived and not is_archived:
        acts.append("archive")
    if before.is_forgotten and not is_forgotten:
        acts.append("forget")
    return tuple(acts)


def leaving(one: StoredMemory, uses: Sequence[MemoryUse], ended: int, now: int) -> Leaving | None:
    """Return what could become of a memory; None for one that should stay.

    What was not used for a month and has faded to a twentieth could be archived, what was forgotten three months ago
    could be purged.

    Args:
        one: The memory.
        uses: When it was used.
        ended: When it was forgotten, in Unix milliseconds.
        now: The present, in Unix milliseconds.
    """
    half_life, last = reinforced(one, uses)
    idle = max(now - last, 0) / DAY_MS
    salience = one.fact.importance / 100 * 2.0 ** (-idle / half_life)
    if one.status in USABLE and idle >= LEAST_IDLE_DAYS and salience < LEAST_SALIENCE:
        return Leaving("archive", idle, salience)
    if one.status is MemoryStatus.FORGOTTEN and now - ended >= KEPT_FORGOTTEN_DAYS * DAY_MS:
        return Leaving("purge", (now - ended) / DAY_MS, 0.0)
    return None
