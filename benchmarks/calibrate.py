"""Refit how sure an answer says it is, and show what that gives on projects not seen.

usage: python benchmarks/calibrate.py CORPORA:QUESTIONS.jsonl... [--by project|author] [--keep-presence]
                                      [--model MODEL] [--cache FOLDER] [--write]

QUESTIONS may also be a half of ``fixtures/conversations``: its plain questions, its absent ones and their near-twins.

Two logistic models over the signs of ``helix_core.search.confidence``: is it here at all, is the first place the right
one; and a rising curve that says how often an answer is right by the product of both. The second differs for the
built-in vectors and for a model's by one constant; --model asks every question with both, without it the model's set is
left as it is. A sign that speaks for an answer never counts against it. Every file of questions has the same weight,
however long it is. One project is left out at a time for the figures, which come with 95 % bootstrap intervals, or with
--by author one file of questions, with all others over its projects; all are used for --write, which puts the
coefficients into helix_core/search/confidence_weights.py. With --keep-presence the first model stays as it is
there, and the second and the curve are fitted to it.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from search import Engine, interval

from helix_core.search import confidence, judge, search
from helix_core.search.confidence import AGAINST, PLACE_SIGNS, PRESENCE_SIGNS, AnswerFeatures
from helix_core.search.confidence_weights import PLACE_WITH_MODEL, PRESENCE
from helix_core.store import Reader

WEIGHTS = Path(confidence.__file__).with_name("confidence_weights.py")
STEPS, RATE, PENALTY, BINS = 1500, 0.05, 0.005, 10
FALSE_ALARMS, MARGIN = 0.05, 0.85
"""How many present questions may be called absent, and the share of them spent on the questions that are fitted."""
CURVE = (0.01, 0.03, 0.05)
SHARPNESS = 1.8
"""Scales presence around its floor, which decides alike."""
DRAWS = 1000
WHOLE = 40
"""So many questions of a kind give a file its full weight."""
LOUD = 0.6
"""A confidence above which somebody acts on an answer."""
KNOTS, MOST = 10, 0.97
"""How many points the last curve is fitted to, as many questions each, and its end: nothing is certain."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """One question: its project, its file of questions, whether a model answered, whether it was made to be hard, the
    signs of its answer, whether it has an answer, whether the first file is right."""

    project: str
    author: str
    with_model: bool
    hard: bool
    signs: AnswerFeatures
    present: bool
    right: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="+", metavar="CORPORA:QUESTIONS")
    parser.add_argument("--by", choices=("project", "author"), default="project", help="what is left out at a time")
    parser.add_argument("--keep-presence", action="store_true", help="fit the place and the curve alone")
    parser.add_argument("--model", type=Path, help="as in benchmarks/search.py")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    cases = []
    for model in dict.fromkeys((None, args.model)):
        with ExitStack() as stack:
            engine = Engine.of(args.cache, model, stack=stack)
            for pair in args.benches:
                cases += _cases(engine, stack, *map(Path, pair.split(":")))
    kept = PRESENCE if args.keep_presence else None
    _report(cases, args.by, kept)
    if args.write:
        presence, places = _fit(cases, kept)
        WEIGHTS.write_text(_text(presence, places, _curve(cases, presence, places)), "utf-8")


def _cases(engine: Engine, stack: ExitStack, corpora: Path, file: Path) -> list[Case]:
    questions = [each for line in file.read_text("utf-8").splitlines() if line for each in _questions(json.loads(line))]
    names = dict.fromkeys(one["corpus"] for one in questions)
    readers = {name: stack.enter_context(engine.indexed(corpora / name)) for name in names}
    return [_case(engine, one, readers[one["corpus"]], str(file)) for one in questions]


def _questions(record: dict[str, Any]) -> list[dict[str, Any]]:
    """A line of questions as it is; of a conversation set its plain questions, and absent ones with their twins."""
    match record.get("kind"), record.get("group"):
        case "message", "plain":
            text, files = record["messages"][0]["content"], record["files"]
            return [{"corpus": record["project"], "question": text, "expect_files": files}]
        case "absent", None if "twin" in record:
            here = {"corpus": record["project"], "question": record["question"], "expect_files": []}
            twin = {"question": record["twin"]["question"], "expect_files": record["twin"]["files"]}
            return [here | {"absence": record["rule"]}, here | twin]
        case (("message" | "conversation"), _):
            return []
    return [record]


def _case(engine: Engine, question: dict[str, Any], reader: Reader, author: str) -> Case:
    met: list[AnswerFeatures] = []

    def noticed(signs: AnswerFeatures) -> float:
        met.append(signs)
        return own(signs)

    own = judge.presence
    judge.presence = noticed
    try:
        found = search.search(search.SearchRequest(question["question"], 5, encoder=engine.encoder), reader)
    finally:
        judge.presence = own
    first = found.ranked[0].item.source.source_id if found.ranked else ""
    signs = met[0] if met else AnswerFeatures(missing_proper=1.0)
    expected = question["expect_files"]
    with_model, hard = engine.model is not None, "absence" in question
    return Case(question["corpus"], author, with_model, hard, signs, bool(expected), first in expected)


def _matrix(cases: Sequence[Case], names: Sequence[str]) -> Array:
    return np.array([[1.0, *(case.signs._asdict()[name] for name in names)] for case in cases])


def _logistic(matrix: Array, wanted: Array, side: Array, sizes: Array) -> Array:
    """Adam on the log loss with a ridge over columns of spread one; a coefficient with a ``side`` (1 or -1) is held
    there, one without is free of both."""
    spread = np.where(np.std(matrix, axis=0) > 0, np.std(matrix, axis=0), 1.0)
    matrix = matrix / spread
    weights = np.zeros(matrix.shape[1])
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        error = 1 / (1 + np.exp(-matrix @ weights)) - wanted
        gradient = (error * sizes) @ matrix / sizes.sum() + PENALTY * np.abs(side) * weights
        first, second = 0.9 * first + 0.1 * gradient, 0.99 * second + 0.01 * gradient**2
        weights -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
        weights = np.where(side * weights < 0, 0.0, weights)
    return np.asarray(weights / spread)


def _sides(names: Sequence[str]) -> list[float]:
    return [0.0, *(-1.0 if name in AGAINST else 1.0 for name in names)]


def _fit(cases: Sequence[Case], kept: dict[str, float] | None) -> tuple[dict[str, float], dict[bool, dict[str, float]]]:
    """Presence, moved so that at most ``FALSE_ALARMS`` of what is there falls below a half, unless one is ``kept``; the
    place without and with a model."""
    if kept is not None:
        return kept, _places([case for case in cases if case.present])
    here = np.array([case.present for case in cases], float)
    found = _logistic(_matrix(cases, PRESENCE_SIGNS), here, np.array(_sides(PRESENCE_SIGNS)), _sizes(cases))
    present = [case for case in cases if case.present]
    evidence = np.sort(_matrix(present, PRESENCE_SIGNS) @ found)
    found[0] -= evidence[int(FALSE_ALARMS * len(evidence) * MARGIN)]
    found *= SHARPNESS
    return _named(found, PRESENCE_SIGNS), _places(present)


def _sizes(cases: Sequence[Case]) -> Array:
    """The weight of each question: an author's present ones count in all as much as another's, and the absent ones."""
    count = Counter((case.author, case.present) for case in cases)
    return np.array([1 / max(count[case.author, case.present], WHOLE) for case in cases])


def _places(present: Sequence[Case]) -> dict[bool, dict[str, float]]:
    right = np.array([case.right for case in present], float)
    with_model = np.array([case.with_model for case in present], float)
    matrix = np.column_stack([_matrix(present, PLACE_SIGNS), with_model])
    *place, more = _logistic(matrix, right, np.array([*_sides(PLACE_SIGNS), 0.0]), np.ones(len(present)))
    return {
        of: _named(np.array([place[0] + more * of, *place[1:]]), PLACE_SIGNS)
        for of in sorted({case.with_model for case in present})
    }


def _curve(
    cases: Sequence[Case], presence: dict[str, float], places: dict[bool, dict[str, float]]
) -> list[tuple[float, float]]:
    """How often the first place is right, by the product of presence and place: the shares of ``KNOTS`` runs of equal
    size, joined until they rise (pool adjacent violators; Zadrozny and Elkan 2002)."""
    product = np.array([_product(case, presence, places) for case in cases])
    right = np.array([case.present and case.right for case in cases], float)
    pools: list[tuple[float, float, int]] = []
    for run in np.array_split(np.argsort(product, kind="stable"), KNOTS):
        pools.append((float(product[run].sum()), float(right[run].sum()), len(run)))
        while len(pools) > 1 and pools[-2][1] / pools[-2][2] >= pools[-1][1] / pools[-1][2]:
            last, before = pools.pop(), pools.pop()
            pools.append((last[0] + before[0], last[1] + before[1], last[2] + before[2]))
    inner = [(round(of / size, 3), round(share / size, 3)) for of, share, size in pools]
    return [(0.0, 0.0), *(point for point in inner if 0 < point[0] < 1), (1.0, max(MOST, inner[-1][1]))]


def _product(case: Case, presence: dict[str, float], places: dict[bool, dict[str, float]]) -> float:
    here = _told([case], presence, PRESENCE_SIGNS)[0]
    return float(here * _told([case], places[case.with_model], PLACE_SIGNS)[0])


def _named(weights: Array, names: Sequence[str]) -> dict[str, float]:
    return {name: round(float(value), 3) for name, value in zip(("base", *names), weights, strict=True)}


def _told(cases: Sequence[Case], weights: dict[str, float], names: Sequence[str]) -> Array:
    return np.asarray(1 / (1 + np.exp(-_matrix(cases, names) @ np.array([weights[name] for name in ("base", *names)]))))


def _report(cases: Sequence[Case], by: str, kept: dict[str, float] | None) -> None:
    """The figures of each project, or of each author, under weights that have not seen it."""
    here, sure = np.zeros(len(cases)), np.zeros(len(cases))
    for left_out in dict.fromkeys(getattr(case, by) for case in cases):
        projects = {case.project for case in cases if getattr(case, by) == left_out}
        others = [case for case in cases if case.project not in projects]
        presence, places = _fit(others, kept)
        curve = _curve(others, presence, places)
        for number, held in enumerate(cases):
            if getattr(held, by) == left_out:
                here[number] = _told([held], presence, PRESENCE_SIGNS)[0]
                found = confidence.calibrated(_product(held, presence, places), curve)
                empty = here[number] < confidence.FLOOR
                most = judge.DOUBTED_CONFIDENCE if here[number] < judge.DOUBT else 1.0
                sure[number] = min(found, judge.ABSENT_CONFIDENCE if empty else most)
    for with_model in sorted({case.with_model for case in cases}):
        own = [number for number, case in enumerate(cases) if case.with_model == with_model]
        print(f"held out, {'vectors of the model' if with_model else 'built-in vectors'}:")
        _figures([cases[number] for number in own], here[own], sure[own])
        for author in dict.fromkeys(case.author for case in cases):
            _of_author(author, [number for number in own if cases[number].author == author], cases, here, sure)


def _of_author(author: str, own: Sequence[int], cases: Sequence[Case], here: Array, sure: Array) -> None:
    """One line on a file of questions."""
    present = [number for number in own if cases[number].present]
    absent = [number for number in own if not cases[number].present]
    first = np.array([cases[number].present and cases[number].right for number in own], float)
    told, wrongly = (np.mean(here[kind] < confidence.FLOOR) if kind else np.nan for kind in (absent, present))
    loud = np.mean(sure[absent] > LOUD) if absent else np.nan
    print(
        f"  {Path(author).stem:22s} told {told:.3f} of {len(absent)}, wrongly {wrongly:.3f} of {len(present)};", end=" "
    )
    print(f"absent above {LOUD}: {loud:.3f}; calibration error of all {_error(sure[own], first):.3f}")


def _figures(cases: Sequence[Case], here: Array, sure: Array) -> None:
    present = np.array([case.present for case in cases])
    hard = np.array([case.hard for case in cases])
    kinds = [("absent, easy", ~present & ~hard), ("absent, hard", ~present & hard), ("present", present)]
    kinds = [(name, kind) for name, kind in kinds if kind.any()]
    for name, kind in kinds:
        low, high = interval([float(one) for one in here[kind] < confidence.FLOOR])
        share = (here[kind] < confidence.FLOOR).mean()
        print(f"  {name:14s} answered known_empty  {share:.3f} ({low:.3f}..{high:.3f}) of {kind.sum()}")
    for alarms in CURVE:
        floor = np.quantile(here[present], alarms)
        shares = ", ".join(f"{(here[kind] < floor).mean():.3f} of {name}" for name, kind in kinds if name != "present")
        print(f"  with {alarms:.0%} of the present called absent: {shares}")
    right = np.array([case.right for case in cases], float)[present]
    draw = np.random.default_rng(20250101)
    perfect = [_error(sure[present], draw.random(len(right)) < sure[present]) for _ in range(DRAWS)]
    drawn = [draw.integers(0, len(right), len(right)) for _ in range(DRAWS)]
    low, high = np.quantile([_error(sure[present][one], right[one]) for one in drawn], (0.025, 0.975))
    error = _error(sure[present], right)
    print(f"  expected calibration error           {error:.3f} ({low:.3f}..{high:.3f});", end=" ")
    print(f"one without fault shows {np.mean(perfect):.3f} on as many questions")
    print(f"  said {sure[present].mean():.3f} on average, right {right.mean():.3f}")
    first = np.array([case.present and case.right for case in cases], float)
    print(f"  the same with the absent ones          {_error(sure, first):.3f} of {len(cases)}")


def _error(sure: Array, right: Array | NDArray[np.bool_]) -> float:
    """Expected calibration error over ten equal bins (Naeini et al. 2015)."""
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    return float(sum(abs((sure - right)[bins == number].sum()) for number in range(BINS)) / len(sure))


def _text(
    presence: dict[str, float], places: dict[bool, dict[str, float]], curve: Sequence[tuple[float, float]]
) -> str:
    tables = {"PRESENCE": presence, "PLACE": places[False], "PLACE_WITH_MODEL": places.get(True, PLACE_WITH_MODEL)}
    lines = [WEIGHTS.read_text("utf-8").partition("\n")[0], ""]
    for name, table in tables.items():
        lines += [f"{name}: dict[str, float] = {{", *(f'    "{key}": {value},' for key, value in table.items()), "}"]
    lines += ["CALIBRATION: tuple[tuple[float, float], ...] = (", *(f"    {point}," for point in curve), ")"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
