"""Refit how sure an answer says it is, and show what that gives on projects not seen.

usage: python benchmarks/calibrate.py CORPORA:QUESTIONS.jsonl... [--cache FOLDER] [--write]

Two logistic models over the signs of ``helix_core.search.confidence``: is it here at all, is the first place the right
one. A sign that speaks for an answer never counts against it. One project is left out at a time for the figures; all
are used for --write, which puts the coefficients into helix_core/search/confidence_weights.py.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from search import Engine, mean

from helix_core.model import Hints
from helix_core.search import confidence, search
from helix_core.search.confidence import AGAINST, PLACE_SIGNS, PRESENCE_SIGNS, Signs
from helix_core.store import Reader

WEIGHTS = Path(confidence.__file__).with_name("confidence_weights.py")
STEPS, RATE, PENALTY, BINS = 3000, 0.05, 0.002, 10
FALSE_ALARMS, MARGIN = 0.05, 0.6
SHARPNESS = 1.8
"""Scales presence around its floor, which decides alike; the place is fitted on what comes out."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """One question: its project, the signs of its answer, whether it has an answer, whether the first file is right."""

    project: str
    signs: Signs
    present: bool
    right: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="+", metavar="CORPORA:QUESTIONS")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    with ExitStack() as stack:
        engine = Engine.of(args.cache, None, chunks=False, stack=stack)
        cases = [case for pair in args.benches for case in _cases(engine, stack, *map(Path, pair.split(":")))]
    _report(cases)
    if args.write:
        WEIGHTS.write_text(_text(*_fit(cases)), "utf-8")


def _cases(engine: Engine, stack: ExitStack, corpora: Path, file: Path) -> list[Case]:
    questions = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]
    names = dict.fromkeys(one["corpus"] for one in questions)
    readers = {name: stack.enter_context(engine.indexed(corpora / name)) for name in names}
    return [_case(engine, one, readers[one["corpus"]]) for one in questions]


def _case(engine: Engine, question: dict[str, Any], reader: Reader) -> Case:
    met: list[Signs] = []

    def noticed(signs: Signs) -> float:
        met.append(signs)
        return own(signs)

    own = search.presence
    search.presence = noticed
    try:
        found = search.search(question["question"], reader, Hints(), 5, encoder=engine.encoder)
    finally:
        search.presence = own
    first = found.ranked[0].item.source.source_id if found.ranked else ""
    signs = met[0] if met else Signs(unknown=1.0)
    return Case(question["corpus"], signs, bool(question["expect_files"]), first in question["expect_files"])


def _matrix(cases: Sequence[Case], names: Sequence[str]) -> Array:
    return np.array([[1.0, *(asdict(case.signs)[name] for name in names)] for case in cases])


def _logistic(matrix: Array, wanted: Array, names: Sequence[str], sizes: Array, most: Array) -> Array:
    """Adam on the log loss of ``most`` times the logistic, each coefficient held on its own side of zero."""
    side = np.array([0.0, *(-1.0 if name in AGAINST else 1.0 for name in names)])
    weights = np.zeros(matrix.shape[1])
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        told = 1 / (1 + np.exp(-matrix @ weights))
        slope = (most * told - wanted) * (1 - told) / np.maximum(1 - most * told, 1e-6)
        gradient = (slope * sizes) @ matrix / sizes.sum() + PENALTY * np.abs(side) * weights
        first, second = 0.9 * first + 0.1 * gradient, 0.99 * second + 0.01 * gradient**2
        weights -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
        weights = np.where(side * weights < 0, 0.0, weights)
    return weights


def _fit(cases: Sequence[Case]) -> tuple[dict[str, float], dict[str, float]]:
    """Presence, moved so that at most ``FALSE_ALARMS`` of what is there falls below a half; then the place."""
    here = np.array([case.present for case in cases], float)
    sizes = np.where(here > 0, 1 / max(here.sum(), 1), 1 / max((1 - here).sum(), 1))
    matrix = _matrix(cases, PRESENCE_SIGNS)
    found = _logistic(matrix, here, PRESENCE_SIGNS, sizes, np.ones(len(cases)))
    present = [case for case in cases if case.present]
    evidence = np.sort(_matrix(present, PRESENCE_SIGNS) @ found)
    found[0] -= evidence[int(FALSE_ALARMS * len(evidence) * MARGIN)]
    found *= SHARPNESS
    right = np.array([case.right for case in present], float)
    presence = _named(found, PRESENCE_SIGNS)
    most = _told(present, presence, PRESENCE_SIGNS)
    place = _logistic(_matrix(present, PLACE_SIGNS), right, PLACE_SIGNS, np.ones(len(present)), most)
    return presence, _named(place, PLACE_SIGNS)


def _named(weights: Array, names: Sequence[str]) -> dict[str, float]:
    return {name: round(float(value), 3) for name, value in zip(("base", *names), weights, strict=True)}


def _told(cases: Sequence[Case], weights: dict[str, float], names: Sequence[str]) -> Array:
    return np.asarray(1 / (1 + np.exp(-_matrix(cases, names) @ np.array([weights[name] for name in ("base", *names)]))))


def _report(cases: Sequence[Case]) -> None:
    """The figures of each project under weights that have not seen it."""
    empty, sure = np.zeros(len(cases), bool), np.zeros(len(cases))
    for project in dict.fromkeys(case.project for case in cases):
        own = [number for number, case in enumerate(cases) if case.project == project]
        presence, place = _fit([case for case in cases if case.project != project])
        held = [cases[number] for number in own]
        here = _told(held, presence, PRESENCE_SIGNS)
        empty[own] = here < confidence.FLOOR
        sure[own] = _told(held, place, PLACE_SIGNS) * here
    absent = [number for number, case in enumerate(cases) if not case.present]
    present = [number for number, case in enumerate(cases) if case.present]
    gaps: dict[int, list[float]] = {}
    for number in present:
        gaps.setdefault(min(int(sure[number] * BINS), BINS - 1), []).append(sure[number] - cases[number].right)
    error = sum(abs(sum(gap)) for gap in gaps.values()) / len(present)
    print(f"held out, {len(present)} present and {len(absent)} absent questions:")
    print(f"  absent answered known_empty   {mean([float(empty[number]) for number in absent]):.3f}")
    print(f"  present answered known_empty  {mean([float(empty[number]) for number in present]):.3f}")
    print(f"  expected calibration error    {error:.3f}")


def _text(presence: dict[str, float], place: dict[str, float]) -> str:
    lines = [WEIGHTS.read_text("utf-8").partition("\n")[0], ""]
    for name, table in (("PRESENCE", presence), ("PLACE", place)):
        lines += [f"{name}: dict[str, float] = {{", *(f'    "{key}": {value},' for key, value in table.items()), "}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
