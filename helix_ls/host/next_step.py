"""Decide what the index thread does next. Pure: the clock and everything known come in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MISSING_LOOK_S = 1.0
EMPTY_GRACE_S = 60.0


@dataclass(frozen=True, slots=True)
class Wants:
    """What waits to be done; times are monotonic seconds, None where there is nothing to wait for.

    ``ordered`` is a refresh somebody asked for; ``whole_at`` when a whole refresh may begin; ``batch_at`` when what a
    watcher heard is complete enough to be taken; ``look_at`` when a folder that is missing is looked for again.
    """

    closing: bool = False
    look_at: float | None = None
    paused: bool = False
    ordered: bool = False
    whole_at: float | None = None
    batch_at: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """``wait_s`` None: until somebody wakes the thread."""

    act: Literal["close", "look", "whole", "batch", "wait"]
    wait_s: float | None = None


def next_step(now: float, wants: Wants) -> Step:
    """What to do now. A whole refresh that is due covers every path heard of, so it goes before a batch of them."""
    if wants.closing:
        return Step("close")
    if wants.look_at is not None:
        is_due = wants.ordered or wants.look_at <= now
        return Step("look") if is_due else Step("wait", wants.look_at - now)
    if wants.ordered:
        return Step("whole")
    if wants.paused:
        return Step("wait")
    if wants.whole_at is not None and wants.whole_at <= now:
        return Step("whole")
    if wants.batch_at is not None and wants.batch_at <= now:
        return Step("batch")
    due = earliest(wants.whole_at, wants.batch_at)
    return Step("wait", due - now if due is not None else None)


def earliest(*moments: float | None) -> float | None:
    """The first of some moments, None where there is none."""
    return min((moment for moment in moments if moment is not None), default=None)


def is_present(now: float, *, is_folder: bool, is_same: bool, is_empty: bool, missing_since: float | None) -> bool:
    """Is the workspace there, or is what stands at its path only the sign that it was taken away?

    An empty folder where a full one was is a mount point without its disk, or a clone that has just begun: for a
    minute that is no reason to forget everything.
    """
    if not is_folder:
        return False
    was_away = missing_since is not None or not is_same
    return not (was_away and is_empty and now - (missing_since if missing_since is not None else now) < EMPTY_GRACE_S)
