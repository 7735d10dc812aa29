"""May these numbers be believed? From what was seen beside the questions: the index, the clock, the other processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

STALL_S = 20.0
"""A question that takes longer is no slow answer but a run that stands still."""
GAP_S = 5.0
"""So long between two questions is no work of this process: the machine slept, or somebody held it."""
OTHERS_SHARE = 0.5
"""Others may use half of what is beside one core, or a quarter of the only one, before latency says more of them."""
WAITED_SHARE = 0.25
"""A process that computes and gets less than this share of a core short of one was kept waiting."""
Kind = Literal["index_changed", "stalled", "busy_machine"]


@dataclass(frozen=True, slots=True)
class Sample:
    """The machine at one moment; CPU times in seconds since some start. ``all_cpu_s`` is None where nobody tells."""

    at_s: float
    own_cpu_s: float
    all_cpu_s: float | None
    load: float


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why some numbers are not told, and what to do."""

    kind: Kind
    detail: str


def machine_doubt(before: Sample, after: Sample, cores: int) -> Doubt | None:
    """Did other processes take what the questions needed?

    Where the system tells all CPU time: others used more than half of the other cores (a quarter of an only one).
    Elsewhere: the load of the last minute, less one for this process, is above the same border.
    """
    wall_s = after.at_s - before.at_s
    border = OTHERS_SHARE * (cores - 1) if cores > 1 else OTHERS_SHARE / 2
    if wall_s <= 0:
        return None
    if before.all_cpu_s is None or after.all_cpu_s is None:
        others = max(0.0, after.load - 1)
    else:
        own = after.own_cpu_s - before.own_cpu_s
        others = max(0.0, after.all_cpu_s - before.all_cpu_s - own) / wall_s
    if others <= border:
        return None
    said = f"other processes used {others:.1f} of {cores} cores (load {after.load:.1f})"
    return Doubt("busy_machine", f"{said}; latency is not told, run again when the machine is quiet")


def index_doubt(before: str, after: str) -> Doubt | None:
    """Is what was asked still what is there? ``before`` and ``after`` are digests, each level with the disk."""
    if before == after:
        return None
    said = "files or their index changed while questions were asked"
    return Doubt("index_changed", f"{said}; nothing is told, run again without edits")


def gap_doubt(gaps_s: Sequence[float]) -> Doubt | None:
    """Did the run stand still between its questions?"""
    worst = max(gaps_s, default=0.0)
    if worst < GAP_S:
        return None
    return Doubt(
        "stalled", f"the run stood still for {worst:.0f} s between two questions; latency is not told, run again"
    )


def stall(question: str, waited_s: float) -> Doubt:
    """A question that was given up."""
    said = f"{question[:80]!r} was not answered in {waited_s:.0f} s"
    return Doubt("stalled", f"{said}; nothing is told, see helix doctor and run again")
