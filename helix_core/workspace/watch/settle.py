"""Decide when what was heard is complete enough to be taken. Pure: the clock comes in.

A save is several events within a millisecond; a checkout is thousands within seconds, and every moment before its end
shows a tree that nobody wrote.
"""

from __future__ import annotations

from dataclasses import dataclass

QUIET_S = 0.03
MOST_S = 0.2
GIT_QUIET_S = 0.3
GIT_MOST_S = 5.0
LOCK_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits to be taken; times are monotonic seconds, of its first and last event.

    ``git_at`` is when HEAD, the index or a ref last moved, ``locked_at`` since when git holds the index's lock.
    """

    first_at: float
    last_at: float
    git_at: float | None = None
    locked_at: float | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """``is_due``: take it now; otherwise ask again at ``at``, and not before."""

    is_due: bool
    at: float


def settle(now: float, waiting: Waiting) -> Settled:
    """Due after 30 ms of quiet and at most 200 ms after the first event; while git works after 300 ms and 5 s."""
    if waiting.locked_at is not None and now - waiting.locked_at < GIT_MOST_S:
        # Nobody is told a second time when the lock goes, so it is looked at again soon.
        at = min(waiting.first_at + GIT_MOST_S, now + LOCK_LOOK_S)
    elif waiting.git_at is not None and waiting.git_at >= waiting.first_at - GIT_QUIET_S:
        at = min(waiting.first_at + GIT_MOST_S, max(waiting.last_at, waiting.git_at) + GIT_QUIET_S)
    else:
        at = min(waiting.first_at + MOST_S, waiting.last_at + QUIET_S)
    return Settled(at <= now, at)
