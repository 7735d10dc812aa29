"""Fit the weights of the second stage (which lines of the best files) and show what they give on projects not seen.

usage: python benchmarks/fit_lines.py CORPORA:QUESTIONS.jsonl... [--cache FOLDER] [--model MODEL] [--write]

Each CORPORA holds one folder a project, QUESTIONS are about them. A softmax over all places of a question's best
files is fitted (the place that holds an evidence line should win), with one project left out at a time for the
figures, and on all for ``--write``, which puts the weights into helix_core/search/weights.py. --model as in
benchmarks/search.py; without it the weights for a model's vectors are left as they are.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from search import Engine, questions_in

from helix_core.embed.static import Encoder, StaticEncoder
from helix_core.search import search, second_stage
from helix_core.search import weights as shipped
from helix_core.search.rankers import RankerInput
from helix_core.search.second_stage import FEATURES, ChosenSpan, FirstStage, place_features
from helix_core.store import Reader

PENALTY = 0.03
STEPS = 400
RATE = 0.1

BY_WORDS, WITH_VECTORS, WITH_MODEL = "LINES_BY_WORDS", "LINES_WITH_VECTORS", "LINES_WITH_MODEL"
TABLES = (BY_WORDS, WITH_VECTORS, WITH_MODEL)
Array = NDArray[np.float64]
Asked = tuple[dict[str, Any], Path, Reader]


@dataclass(frozen=True)
class Case:
    """One question: its project, the signs of each place (rows), and which places hold evidence."""

    project: str
    signs: list[dict[str, float]]
    right: NDArray[np.bool_]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="+", metavar="CORPORA:QUESTIONS")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    with ExitStack() as stack:
        engine = Engine.of(args.cache, args.model, stack=stack)
        asked = [pair for each in args.benches for pair in _questions(engine, stack, *map(Path, each.split(":")))]
        cases = {name: _cases(asked, StaticEncoder()) for name in (BY_WORDS, WITH_VECTORS)}
        if args.model:
            cases[WITH_MODEL] = _cases(asked, engine.encoder)
    tables = {name: dict(getattr(shipped, name)) for name in TABLES}
    for name, known in cases.items():
        chosen = [replace(case, signs=[_without(signs, name == BY_WORDS) for signs in case.signs]) for case in known]
        names = list(chosen[0].signs[0])
        _report(name, chosen, names)
        tables[name] = _weights(chosen, names)
    if args.write:
        write(Path(shipped.__file__), as_text(tables))


def _without(signs: dict[str, float], vectors: bool) -> dict[str, float]:
    return {key: value for key, value in signs.items() if key != "similar"} if vectors else signs


def _questions(engine: Engine, stack: ExitStack, corpora: Path, file: Path) -> list[Asked]:
    """Each answerable question with its project's folder and index."""
    questions = [one for one in questions_in(file) if one["expect_files"]]
    names = dict.fromkeys(one["corpus"] for one in questions)
    readers = {name: stack.enter_context(engine.indexed(corpora / name)) for name in names}
    return [(one, corpora / one["corpus"], readers[one["corpus"]]) for one in questions]


def _cases(asked: Sequence[Asked], encoder: Encoder) -> list[Case]:
    return [case for one in asked if (case := _case(*one, encoder)).right.any()]


def _case(question: dict[str, Any], folder: Path, reader: Reader, encoder: Encoder) -> Case:
    met: list[tuple[RankerInput, FirstStage]] = []

    def noticed(asked: RankerInput, best: FirstStage, limit: int) -> tuple[list[ChosenSpan], list[ChosenSpan]]:
        met.append((asked, best))
        return own(asked, best, limit)

    own = search.choose_spans
    search.choose_spans = noticed
    try:
        search.search(search.SearchRequest(question["question"], 5, encoder=encoder), reader)
    finally:
        search.choose_spans = own
    if not met:
        return Case(question["corpus"], [], np.zeros(0, bool))
    with reader.snapshot():
        files = second_stage.read_files(*met[0])
        found = place_features(files, second_stage.stage_input(met[0][0], met[0][1].votes, files))
    lines = {
        file: _lines_with(folder / file, evidence)
        for file, evidence in zip(question["expect_files"], question["evidence"], strict=True)
    }
    sources = reader.files.sources_by_id(met[0][1].kinds)
    right = [
        any(place.start_line <= line <= place.end_line for line in lines.get(sources[place.source_id].source_id, ()))
        for (_, place), _ in found
    ]
    signs = [dict(zip(FEATURES, one, strict=True)) for _, one in found]
    return Case(question["corpus"], signs, np.array(right, bool))


def _lines_with(path: Path, evidence: str) -> list[int]:
    text = path.read_text("utf-8", "replace")
    return [number for number, line in enumerate(text.splitlines(), 1) if evidence in line]


def _matrix(case: Case, names: Sequence[str]) -> Array:
    return np.array([[signs[name] for name in names] for signs in case.signs])


def _fit(matrices: Sequence[Array], cases: Sequence[Case]) -> Array:
    """Adam on the mean negative log of the right places' share, with a quadratic penalty; signs are standardised."""
    weights, first, second = (np.zeros(matrices[0].shape[1]) for _ in range(3))
    for step in range(1, STEPS + 1):
        gradient = PENALTY * weights
        for matrix, case in zip(matrices, cases, strict=True):
            raised = np.exp(matrix @ weights - (matrix @ weights).max())
            mine = raised * case.right
            gradient = gradient + (raised / raised.sum() - mine / mine.sum()) @ matrix / len(cases)
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        weights = weights - RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return weights


def _standard(matrices: Sequence[Array]) -> tuple[list[Array], Array]:
    everything = np.concatenate(matrices)
    spread = everything.std(0) + 1e-9
    return [(matrix - everything.mean(0)) / spread for matrix in matrices], spread


def _report(name: str, cases: Sequence[Case], names: Sequence[str]) -> None:
    """How often a right place is first, or among the first five, in projects the weights have not seen."""
    matrices, _ = _standard([_matrix(case, names) for case in cases])
    places = []
    for project in dict.fromkeys(case.project for case in cases):
        seen = [number for number, case in enumerate(cases) if case.project != project]
        weights = _fit([matrices[number] for number in seen], [cases[number] for number in seen])
        for number, case in enumerate(cases):
            if case.project == project:
                order = np.argsort(-(matrices[number] @ weights), kind="stable")
                places.append(int(np.argmax(case.right[order])) + 1)
    first, five = (sum(place <= most for place in places) / len(places) for most in (1, 5))
    print(f"{name:8s} held out, {len(cases)} questions: right place first {first:.3f}, in the first five {five:.3f}")


def _weights(cases: Sequence[Case], names: Sequence[str]) -> dict[str, float]:
    matrices, spread = _standard([_matrix(case, names) for case in cases])
    fitted = _fit(matrices, cases) / spread
    return {name: round(float(value), 3) for name, value in zip(names, fitted, strict=True)}


def write(path: Path, text: str) -> None:
    """Put ``text`` between the marks of the file of weights."""
    kept = path.read_text("utf-8")
    fresh, count = re.subn(r"(?s)(?<=# fitted lines: begin\n).*?(?=# fitted lines: end)", lambda _: text, kept)
    if count != 1:
        raise SystemExit(f"{path} has no one place between '# fitted lines: begin' and its end; nothing was written.")
    path.write_text(fresh, "utf-8")


def as_text(tables: Mapping[str, Mapping[str, float]]) -> str:
    """The part of the file between its marks."""
    lines = []
    for table, weights in tables.items():
        lines += [
            f"{table}: Mapping[str, float] = {{",
            *(f'    "{name}": {value},' for name, value in weights.items()),
            "}",
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
