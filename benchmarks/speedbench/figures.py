"""A figure, its target, and the table of them. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table. ``target`` bounds ``ratio`` when there is a yardstick, else ``ours``; None: no target.

    ``gates`` is true only for ratios of one run: absolute times depend on the machine.
    """

    name: str
    ours: float
    unit: str
    yardstick: float | None = None
    beside: str = ""
    target: float | None = None
    at_least: bool = False
    gates: bool = False
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours divided by the yardstick, in the yardstick's unit."""
        return self.ours / self.yardstick if self.yardstick else None

    @property
    def ok(self) -> bool | None:
        """Is the target met? None where nothing was measured or asked."""
        value = self.ratio if self.yardstick is not None else self.ours
        if value is None or self.target is None:
            return None
        return value >= self.target if self.at_least else value <= self.target

    def as_json(self) -> dict[str, Any]:
        """The figure with what follows from it."""
        return {**asdict(self), "ratio": self.ratio, "ok": self.ok}


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile; ``share`` from 0 to 1."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered) + 0.5) - 1))]


def spread_of(values: Sequence[float]) -> str:
    """Smallest and largest of a few repetitions, so that noise shows."""
    return f"{min(values):.3g}–{max(values):.3g} of {len(values)}" if len(values) > 1 else ""


def median(values: Sequence[float]) -> float:
    """The median."""
    return float(statistics.median(values))


def missed_gates(figures: Sequence[Figure]) -> list[str]:
    """The names of the ratios that miss their target."""
    return [figure.name for figure in figures if figure.gates and figure.ok is False]


def table(figures: Sequence[Figure]) -> str:
    """The figures for a person."""
    header = ("figure", "ours", "beside", "ratio", "target", "", "note")
    rows = [header, *(_row(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths[:-1]), *lines[1:]])


def _row(figure: Figure) -> tuple[str, ...]:
    beside = f"{_short(figure.yardstick)} {figure.unit} {figure.beside}" if figure.yardstick is not None else ""
    sign = "≥" if figure.at_least else "≤"
    unit = "×" if figure.yardstick is not None else f" {figure.unit}"
    target = f"{sign} {_short(figure.target)}{unit}" if figure.target is not None else ""
    ratio = f"{_short(figure.ratio)}×" if figure.ratio is not None else ""
    word = {True: "ok", False: "miss", None: ""}[figure.ok]
    return figure.name, f"{_short(figure.ours)} {figure.unit}", beside, ratio, target, word, figure.note


def _short(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
