"""Benchmark questions as JSON lines, the score of one answer, and bootstrap intervals (Efron 1979)."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helix_core.errors import UsageError
from helix_core.printable import count

MOST_QUESTIONS = 5_000
LONGEST_QUESTION = 4_000
MOST_PLACES = 50
SHAPE = (
    'one JSON object a line: {"question": "where are sessions signed?", "files": ["src/app/sessions.py"]}; beside it '
    '"contains": ["def sign"] names a text that the right lines hold, one for each file; no files at all says that the '
    "workspace does not answer the question"
)


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A question with the files that answer it, and for each file a text that the expected lines contain; none for
    an absent answer.
    """

    text: str
    files: tuple[str, ...]
    contains: tuple[str, ...] = ()


def read_questions(text: str, name: str) -> tuple[BenchQuestion, ...]:
    """Parse the questions of the file called ``name``. Raises UsageError, naming line and shape."""
    found = [
        _question(line, f"{name} line {number}") for number, line in enumerate(text.split("\n"), 1) if line.strip()
    ]
    if not found:
        raise UsageError(f"{name} holds no question; write {SHAPE}")
    if len(found) > MOST_QUESTIONS:
        raise UsageError(f"{name} holds {len(found):,} questions; keep to {MOST_QUESTIONS:,}")
    twice = [text for text, times in Counter(one.text for one in found).items() if times > 1]
    if twice:
        raise UsageError(f"{name} asks {twice[0][:60]!r} twice; ask it once")
    return tuple(found)


def fingerprint(questions: Sequence[BenchQuestion]) -> str:
    """Return SHA-256 (hex) of the questions and their answers: runs are comparable only where it is equal."""
    rows = [[one.text, list(one.files), list(one.contains)] for one in questions]
    return hashlib.sha256(json.dumps(rows, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def _question(line: str, where: str) -> BenchQuestion:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        raise UsageError(f"{where} is not valid JSON; write {SHAPE}") from None
    if not isinstance(given, dict) or not isinstance(given.get("question"), str) or not given["question"].strip():
        raise UsageError(f"{where} has no question; write {SHAPE}")
    files = _texts(given, ("files", "expect_files"), where)
    contains = _texts(given, ("contains", "evidence"), where)
    if contains and len(contains) != len(files):
        expected = f"{count(len(files), 'file')} and {count(len(contains), 'text')} in them"
        raise UsageError(f"{where} has {expected}; give one for each")
    if len(given["question"]) > LONGEST_QUESTION:
        raise UsageError(f"{where} is longer than {LONGEST_QUESTION:,} characters; ask in fewer")
    return BenchQuestion(given["question"], files, contains)


def _texts(given: dict[str, Any], names: tuple[str, ...], where: str) -> tuple[str, ...]:
    value: Any = next((given[name] for name in names if given.get(name) is not None), [])
    if (
        not isinstance(value, list)
        or len(value) > MOST_PLACES
        or not all(isinstance(one, str) and one for one in value)
    ):
        raise UsageError(f"{where}: {names[0]} is not a list of at most {MOST_PLACES} texts; write {SHAPE}")
    return tuple(value)


DRAWS = 2_000
SEED = 20_250_101
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its 95 % confidence interval over questions of the same kind."""

    mean: float
    low: float
    high: float


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 for no values."""
    return sum(values) / len(values) if values else 0.0


def quantile(values: Sequence[float], share: float) -> float:
    """Return the quantile ``share``, linearly interpolated; 0 for no values."""
    if not values:
        return 0.0
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def interval(values: Sequence[float], *, seed: int = SEED) -> Interval:
    """Return the mean of ``values`` with its interval. For differences of pairs it is a paired test."""
    if not values:
        return Interval(0.0, 0.0, 0.0)
    draw = random.Random(seed)
    count = len(values)
    means = sorted(sum(draw.choices(values, k=count)) / count for _ in range(DRAWS))
    tail = (1 - LEVEL) / 2
    return Interval(mean(values), means[int(tail * DRAWS)], means[int((1 - tail) * DRAWS) - 1])


METRICS = ("hit@1", "hit@5", "hit@10", "mrr@10", "lines@5")
PLACES = 20
LINES = Callable[[str, int, int], str]
"""Returns the lines on disk of a path, first and last line (1-based, inclusive)."""


@dataclass(frozen=True, slots=True)
class Row:
    """One question's scores (0..1 each), and the latency of each repetition in milliseconds."""

    question: str
    scores: Mapping[str, float]
    known_empty: bool
    is_absent: bool
    elapsed_ms: tuple[float, ...]


def scores_of(question: BenchQuestion, items: Sequence[Mapping[str, Any]], lines: LINES) -> dict[str, float]:
    """Score the items, best first; no line scores where the question has no text."""
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
    """Return each metric over the questions that the workspace answers; metrics without a question are missing."""
    present = [row for row in rows if not row.is_absent]
    found = {}
    for metric in METRICS:
        values = [row.scores[metric] for row in present if metric in row.scores]
        if values:
            found[metric] = interval(values)
    return found


def abstention(rows: Sequence[Row]) -> dict[str, float]:
    """Return the share of absent questions answered with "not here", and of present ones answered so by mistake."""
    absent = [float(row.known_empty) for row in rows if row.is_absent]
    present = [float(row.known_empty) for row in rows if not row.is_absent]
    shares = {"false_absent": mean(present)} if present else {}
    return {**shares, "absent_known": mean(absent)} if absent else shares


def _holds(question: BenchQuestion, item: Mapping[str, Any], lines: LINES) -> bool:
    file = str(item["source_id"])
    for path, text in zip(question.files, question.contains, strict=True):
        if path == file and text in lines(file, int(item["start_line"]), int(item["end_line"])):
            return True
    return False
