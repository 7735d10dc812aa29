"""Compare two runs of the same questions, paired, with confidence intervals. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from helix_core.bench.questions import METRICS, Interval, interval
from helix_core.errors import UsageError

DECIDING = ("mrr@10", "hit@5", "hit@1", "lines@5")
SLOWER = 1.10
"""Least ratio of times, at the lower bound of the interval, that counts as slower."""
SCHEMA = "helix.bench/1"
COMPARED_SCHEMA = "helix.benchCompared/1"


class Decision(IntEnum):
    """The exit status of a comparison."""

    SHIP = 0
    SLOWER = 1
    NO_GAIN = 2
    WORSE = 3
    UNDECIDED = 4


@dataclass(frozen=True, slots=True)
class Compared:
    """The decision and its evidence. ``differences`` are second minus first; ``speed`` second over first."""

    decision: Decision
    why: str
    differences: Mapping[str, Interval]
    speed: Interval | None
    notes: tuple[str, ...]

    def wire(self) -> dict[str, Any]:
        """Return the ``helix.benchCompared/1`` object."""
        return {
            "schema": COMPARED_SCHEMA,
            "decision": self.decision.name.lower(),
            "exit_status": int(self.decision),
            "why": self.why,
            "differences": {name: _wire(one) for name, one in self.differences.items()},
            "latency_ratio": _wire(self.speed) if self.speed is not None else None,
            "notes": list(self.notes),
        }


def compare_runs(first: Mapping[str, Any], second: Mapping[str, Any], *, quality_only: bool = False) -> Compared:
    """Compare two ``helix.bench/1`` objects. Raises UsageError where they cannot be compared."""
    for run, which in ((first, "first"), (second, "second")):
        _check(run, which)
    try:
        return _compared(first, second, quality_only)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise UsageError("a run is not whole; make both with helix bench run") from None


def _compared(first: Mapping[str, Any], second: Mapping[str, Any], quality_only: bool) -> Compared:
    if first["questions"]["sha256"] != second["questions"]["sha256"]:
        raise UsageError("the two runs asked different questions; run both with the same file")
    if not first["rows"] or len(first["rows"]) != len(second["rows"]):
        raise ValueError("rows are missing")
    before = {row["question"]: row for row in first["rows"]}
    pairs = [(before[row["question"]], row) for row in second["rows"]]
    differences = {}
    for metric in METRICS:
        of_present = [(a, b) for a, b in pairs if not a["absent"] and metric in a["scores"]]
        gaps = [float(b["scores"][metric]) - float(a["scores"][metric]) for a, b in of_present]
        if gaps:
            differences[metric] = interval(gaps)
    speed, notes = _speed(first, second, pairs, quality_only)
    decision, why = _decide(differences, speed, quality_only)
    return Compared(decision, why, differences, speed, (*notes, *_run_differences(first, second)))


def _check(run: Mapping[str, Any], which: str) -> None:
    if run.get("schema") != SCHEMA:
        raise UsageError(f"the {which} file is not a run of helix bench; make one with helix bench run")
    if run.get("figures") is None:
        doubts = "; ".join(str(one.get("detail", "")) for one in run.get("doubts", ()))
        raise UsageError(f"the {which} run has no figures ({doubts}); run it again")


def _speed(
    first: Mapping[str, Any], second: Mapping[str, Any], pairs: list[tuple[Any, Any]], quality_only: bool
) -> tuple[Interval | None, tuple[str, ...]]:
    """Return the geometric mean of each question's ratio of times, or the reasons why it is unknown."""
    if quality_only:
        return None, ()
    for run, which in ((first, "first"), (second, "second")):
        if run["latency_ms"] is None:
            return None, (f"the {which} run did not measure latency: the machine was busy or stood still",)
    if first["machine"]["cpu"] != second["machine"]["cpu"] or first["machine"]["cores"] != second["machine"]["cores"]:
        return None, ("the runs are of two machines; their latencies say nothing about each other",)
    logs = [math.log(max(b["median_ms"], 1e-3) / max(a["median_ms"], 1e-3)) for a, b in pairs]
    found = interval(logs)
    return Interval(math.exp(found.mean), math.exp(found.low), math.exp(found.high)), ()


def _decide(differences: Mapping[str, Interval], speed: Interval | None, quality_only: bool) -> tuple[Decision, str]:
    deciding = [(name, differences[name]) for name in DECIDING if name in differences]
    for name, one in deciding:
        if one.high < 0:
            return Decision.WORSE, f"{name} fell by {-one.mean:.3f} ({_range(one)})"
    gain = next(((name, one) for name, one in deciding if one.low > 0), None)
    reason = f"{gain[0]} rose by {gain[1].mean:.3f} ({_range(gain[1])})" if gain else "no metric moved beyond chance"
    if speed is None and not quality_only:
        return (
            Decision.UNDECIDED,
            f"{reason}, but speed is not known; run again on a quiet machine or say --quality-only",
        )
    if speed is not None and speed.low > SLOWER:
        return Decision.SLOWER, f"{reason}; questions take {speed.mean:.2f} times as long ({_range(speed)})"
    if gain:
        return Decision.SHIP, reason
    if speed is not None and speed.high < 1 / SLOWER:
        return Decision.SHIP, f"{reason}, and questions take {speed.mean:.2f} times as long ({_range(speed)})"
    return Decision.NO_GAIN, reason


def _run_differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """Return other differences between the runs, such as versions."""
    notes = []
    if first["index"]["digest"] != second["index"]["digest"]:
        notes.append("the indexed content differs: part of the difference may be the workspace's own")
    for run, which in ((first, "first"), (second, "second")):
        if run["code"]["dirty"]:
            notes.append(f"the {which} run was made with uncommitted changes in the workspace")
    return notes


def _range(one: Interval) -> str:
    return f"95 % interval {one.low:+.3f} to {one.high:+.3f}"


def _wire(one: Interval) -> dict[str, float]:
    return {"mean": round(one.mean, 5), "low": round(one.low, 5), "high": round(one.high, 5)}
