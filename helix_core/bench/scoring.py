"""What one answer is worth: was the right file first, among five, among ten; were the right lines shown?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helix_core.bench.questions import BenchQuestion
from helix_core.bench.statistics import Interval, interval, mean

METRICS = ("hit@1", "hit@5", "hit@10", "mrr@10", "lines@5")
PLACES = 20
LINES = Callable[[str, int, int], str]
"""Path, first and last line (1-based, inclusive) → the lines as they are."""


@dataclass(frozen=True, slots=True)
class Row:
    """One question's scores (0..1 each), and the milliseconds of each time it was asked."""

    question: str
    scores: Mapping[str, float]
    known_empty: bool
    is_absent: bool
    elapsed_ms: tuple[float, ...]


def scores_of(question: BenchQuestion, items: Sequence[Mapping[str, Any]], lines: LINES) -> dict[str, float]:
    """The scores of the places in ``items``, best first; none of lines where the question names no text."""
    files = list(dict.fromkeys(str(item["source_id"]) for item in items))
    rank = next((place for place, file in enumerate(files, 1) if file in question.files), 0)
    scores = {
        "hit@1": float(rank == 1),
        "hit@5": float(0 < rank <= 5),
        "hit@10": float(0 < rank <= 10),
        "mrr@10": 1 / rank if 0 < rank <= 10 else 0.0,
    }
    if question.contains:
        scores["lines@5"] = float(any(_holds(question, item, lines) for item in items[:5]))
    return scores


def figures(rows: Sequence[Row]) -> dict[str, Interval]:
    """Each metric over the questions that the workspace answers; those nothing was asked for are left out."""
    present = [row for row in rows if not row.is_absent]
    found = {}
    for metric in METRICS:
        values = [row.scores[metric] for row in present if metric in row.scores]
        if values:
            found[metric] = interval(values)
    return found


def abstention(rows: Sequence[Row]) -> dict[str, float]:
    """Share of absent questions answered with "not here", and of present ones that were told so by mistake."""
    absent = [float(row.known_empty) for row in rows if row.is_absent]
    present = [float(row.known_empty) for row in rows if not row.is_absent]
    said = {"false_absent": mean(present)} if present else {}
    return {**said, "absent_known": mean(absent)} if absent else said


def _holds(question: BenchQuestion, item: Mapping[str, Any], lines: LINES) -> bool:
    file = str(item["source_id"])
    for path, text in zip(question.files, question.contains, strict=True):
        if path == file and text in lines(file, int(item["start_line"]), int(item["end_line"])):
            return True
    return False
