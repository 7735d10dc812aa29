"""What a refresh says while it works and when it is done."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a refresh stands: ``done`` of ``total`` files; ``path`` is the file just finished, printable."""

    phase: str
    done: int
    total: int
    path: str = ""


@dataclass(slots=True)
class RefreshReport:
    """What a refresh did. ``reactivated`` files came back to bytes seen before, so nothing was parsed for them.

    ``quarantined`` are files that broke their parser now, and ``set_aside`` all that are not indexed for that, as pairs
    of source_id and reason.
    """

    files: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    reactivated: int = 0
    touched: int = 0
    unchanged: int = 0
    parsed: int = 0
    masked: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    quarantined: tuple[tuple[str, str], ...] = ()
    set_aside: tuple[tuple[str, str], ...] = ()
    elapsed_ms: float = 0.0
    notes: tuple[str, ...] = ()

    def skip(self, reason: str) -> None:
        """Count a file that does not count."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1
