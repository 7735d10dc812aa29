"""What an open workspace says of itself without looking at its files: the index's totals, and where git stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standing:
    """``complete`` says that a refresh has once run to its end; ``head`` is a commit's hash, empty outside git."""

    complete: bool
    files: int
    items: int
    branch: str
    head: str
