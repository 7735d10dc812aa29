"""Refit how sure an answer says it is, and show what that gives on projects not seen.

usage: python benchmarks/calibrate.py CORPORA:QUESTIONS.jsonl... [--model MODEL] [--cache FOLDER] [--write]

Two logistic models over the signs of ``helix_core.search.confidence``: is it here at all, is the first place the right
one. The second has two sets of coefficients, for the built-in vectors and for a model's; --model asks every question
with both, without it the model's set is left as it is. A sign that speaks for an answer never counts against it. One
project is left out at a time for the figures; all are used for --write, which puts the coefficients into
helix_core/search/confidence_weights.py.
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
from search import Engine

from helix_core.model import Hints
from helix_core.search import confidence, search
from helix_core.search.confidence import AGAINST, PLACE_SIGNS, PRESENCE_SIGNS, Signs
from helix_core.search.confidence_weights import PLACE_WITH_MODEL
from helix_core.store import Reader

WEIGHTS = Path(confidence.__file__).with_name("confidence_weights.py")
STEPS, RATE, PENALTY, BINS = 3000, 0.05, 0.002, 10
FALSE_ALARMS, MARGIN = 0.05, 0.7
SHARPNESS = 1.8
"""Scales presence around its floor, which decides alike; the place is fitted on what comes out."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """One question: its project, whether a model answered, whether it was made to be hard, the signs of its answer,
    whether it has an answer, whether the first file is right."""

    project: str
    with_model: bool
    hard: bool
    signs: Signs
    present: bool
    right: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="+", metavar="CORPORA:QUESTIONS")
    parser.add_argument("--model", type=Path, help="as in benchmarks/search.py")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    cases = []
    for model in dict.fromkeys((None, args.model)):
        with ExitStack() as stack:
            engine = Engine.of(args.cache, model, chunks=False, stack=stack)
            for pair in args.benches:
                cases += _cases(engine, stack, *map(Path, pair.split(":")))
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
    signs = met[0] if met else Signs(missing=1.0)
    expected = question["expect_files"]
    with_model, hard = engine.model is not None, "absence" in question
    return Case(question["corpus"], with_model, hard, signs, bool(expected), first in expected)


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


def _fit(cases: Sequence[Case]) -> tuple[dict[str, float], dict[bool, dict[str, float]]]:
    """Presence, moved so that at most ``FALSE_ALARMS`` of what is there falls below a half; then the place without
    and with a model."""
    here = np.array([case.present for case in cases], float)
    sizes = np.where(here > 0, 1 / max(here.sum(), 1), 1 / max((1 - here).sum(), 1))
    matrix = _matrix(cases, PRESENCE_SIGNS)
    found = _logistic(matrix, here, PRESENCE_SIGNS, sizes, np.ones(len(cases)))
    present = [case for case in cases if case.present]
    evidence = np.sort(_matrix(present, PRESENCE_SIGNS) @ found)
    found[0] -= evidence[int(FALSE_ALARMS * len(evidence) * MARGIN)]
    found *= SHARPNESS
    presence = _named(found, PRESENCE_SIGNS)
    columns = sorted({case.with_model for case in cases})
    return presence, {of: _place([case for case in present if case.with_model == of], presence) for of in columns}


def _place(present: Sequence[Case], presence: dict[str, float]) -> dict[str, float]:
    right = np.array([case.right for case in present], float)
    most = _told(present, presence, PRESENCE_SIGNS)
    place = _logistic(_matrix(present, PLACE_SIGNS), right, PLACE_SIGNS, np.ones(len(present)), most)
    return _named(place, PLACE_SIGNS)


def _named(weights: Array, names: Sequence[str]) -> dict[str, float]:
    return {name: round(float(value), 3) for name, value in zip(("base", *names), weights, strict=True)}


def _told(cases: Sequence[Case], weights: dict[str, float], names: Sequence[str]) -> Array:
    return np.asarray(1 / (1 + np.exp(-_matrix(cases, names) @ np.array([weights[name] for name in ("base", *names)]))))


def _report(cases: Sequence[Case]) -> None:
    """The figures of each project under weights that have not seen it."""
    empty, sure = np.zeros(len(cases), bool), np.zeros(len(cases))
    for project in dict.fromkeys(case.project for case in cases):
        own = [number for number, case in enumerate(cases) if case.project == project]
        presence, places = _fit([case for case in cases if case.project != project])
        for number in own:
            held = cases[number]
            here = _told([held], presence, PRESENCE_SIGNS)[0]
            empty[number] = here < confidence.FLOOR
            sure[number] = _told([held], places[held.with_model], PLACE_SIGNS)[0] * here
    for with_model in sorted({case.with_model for case in cases}):
        own = [number for number, case in enumerate(cases) if case.with_model == with_model]
        print(f"held out, {'vectors of the model' if with_model else 'built-in vectors'}:")
        _figures([cases[number] for number in own], empty[own], sure[own])


def _figures(cases: Sequence[Case], empty: NDArray[np.bool_], sure: Array) -> None:
    present = np.array([case.present for case in cases])
    hard = np.array([case.hard for case in cases])
    for name, kind in (("absent, easy", ~present & ~hard), ("absent, hard", ~present & hard), ("present", present)):
        if kind.any():
            print(f"  {name:14s} answered known_empty  {empty[kind].mean():.3f} of {kind.sum()}")
    bins = np.minimum((sure[present] * BINS).astype(int), BINS - 1)
    gaps = sure[present] - np.array([case.right for case in cases])[present]
    error = sum(abs(gaps[bins == number].sum()) for number in range(BINS)) / len(gaps)
    print(f"  expected calibration error           {error:.3f}")


def _text(presence: dict[str, float], places: dict[bool, dict[str, float]]) -> str:
    tables = {"PRESENCE": presence, "PLACE": places[False], "PLACE_WITH_MODEL": places.get(True, PLACE_WITH_MODEL)}
    lines = [WEIGHTS.read_text("utf-8").partition("\n")[0], ""]
    for name, table in tables.items():
        lines += [f"{name}: dict[str, float] = {{", *(f'    "{key}": {value},' for key, value in table.items()), "}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
