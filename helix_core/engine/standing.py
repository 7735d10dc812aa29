"""What an open workspace says of itself without looking at its files: the index's totals, and where git stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standing:
    """``complete`` says that a refresh has once run to its end; ``head`` is a commit's hash, empty outside git.

    ``set_aside`` files broke their parser; ``retry_at`` is when the first of them is due again, in Unix seconds.
    """

    complete: bool
    files: int
    items: int
    branch: str
    head: str
    set_aside: int = 0
    retry_at: float = 0.0
