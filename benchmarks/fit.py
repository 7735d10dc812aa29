"""Fit helix_core/search/weights.py: how much each ranker counts, and each role; every project is left out once.

usage: python benchmarks/fit.py CORPORA:QUESTIONS.jsonl... [--cache FOLDER] [--model MODEL] [--write]

Each CORPORA holds one folder a project, QUESTIONS are about them. For each question the rankers vote as in a search;
what is fitted is the sum of their standings times the role's factor, so that an expected file comes first: a softmax
over the candidates of each question (ListNet, Cao, ICML 2007) with a ridge that pulls every weight to a plain guess.
The figures are of projects the fit has not seen, files alone, before places are chosen in them. --model as in
benchmarks/search.py; without it the column with a model is left as it is. --write puts the fit over all projects into
the file.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from search import Bench, Engine, mean, questions_in

from helix_core.embed.static import Encoder, StaticEncoder
from helix_core.search import weights as shipped
from helix_core.search.fuse import Ranking, blend
from helix_core.search.meaning import encode_question
from helix_core.search.priors import LIFTED_BY
from helix_core.search.question import parse_question, select_terms, weigh_terms
from helix_core.search.rankers import DEPENDENT_RANKERS, PRIMARY_RANKERS, RANKERS, RankerInput, Votes
from helix_core.store import Reader

ROLES = ("test", "example", "history", "config", "doc")
GUESS = {
    "chunks": 1.0, "files": 1.0, "outlines": 1.0, "passages": 1.0, "phrases": 0.3, "names": 1.0, "similar": 0.3,
    "claims": 0.3, "tested": 0.3,
}  # fmt: skip
FITTED = tuple(GUESS)
FIXED = tuple(name for name in RANKERS if name not in GUESS)
SHARPNESS = 8.0
"""How quickly a file that scores less becomes unlikely, as a power of the score."""
RIDGE = 0.3
CANDIDATES = 120
STEPS = 250
RATE = 0.05
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A question with its candidates: standings in each fitted list, what the fixed lists give, roles that nobody asked
    for, and which candidates are expected."""

    project: str
    standings: Floats
    fixed: Floats
    roles: Floats
    expected: NDArray[np.bool_]


@dataclass
class Fit:
    """Logarithms of the weights, and of the role factors times ``SHARPNESS``."""

    weights: Floats = field(default_factory=lambda: np.log([GUESS[name] for name in FITTED]))
    roles: Floats = field(default_factory=lambda: np.zeros(len(ROLES)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="+", metavar="CORPORA:QUESTIONS")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--write", action="store_true", help="put the weights into helix_core/search/weights.py")
    args = parser.parse_args()
    columns: list[list[Case]] = [[], []] if args.model else [[]]
    with ExitStack() as stack:
        engine = Engine.of(args.cache, args.model, stack=stack)
        for corpora, file in (map(Path, pair.split(":")) for pair in args.benches):
            bench = Bench(file.parent, corpora, questions_in(file))
            readers = {name: stack.enter_context(engine.indexed(corpora / name)) for name in bench.projects}
            for column, encoder in zip(columns, (StaticEncoder(), engine.encoder), strict=False):
                column.extend(cases_of(bench, readers, encoder))
    print(f"{'files alone':36s} hit@1  hit@5 hit@10 mrr@10")
    for name, cases in zip(("built-in vectors", "model"), columns, strict=False):
        report(f"{name}: plain guess", [rank(case, Fit()) for case in cases])
        report(f"{name}: fitted elsewhere", left_out(cases, columns))
        report(f"{name}: fitted on itself too", [rank(case, fit_column(cases, columns)) for case in cases])
    fits = [fit_column(cases, columns) for cases in columns]
    print(text := as_text(fits, [heard_of(cases) for cases in columns]))
    if args.write:
        write(Path(shipped.__file__), text)


def cases_of(bench: Bench, readers: Mapping[str, Reader], encoder: Encoder) -> list[Case]:
    """One for each answerable question."""
    return [case_of(question, readers[question["corpus"]], encoder) for question in bench.answerable()]


def case_of(question: dict[str, Any], reader: Reader, encoder: Encoder) -> Case:
    """The rankers vote as in a search."""
    asked, votes = hear(question["question"], reader, encoder)
    standings: dict[str, dict[int, float]] = {}
    for name, given in votes.items():
        ids, scores = tuple(vote.source_id for vote in given.votes), tuple(vote.score for vote in given.votes)
        standings[name] = {one.id: one.score for one in blend([Ranking(name, ids, 1.0, scores)])}
    total: dict[int, float] = {}
    for name, known in standings.items():
        for id_, normalized_rank in known.items():
            total[id_] = total.get(id_, 0.0) + normalized_rank * GUESS.get(name, 1.0)
    sources = reader.files.sources_by_id(total)
    names = {source.source_id: id_ for id_, source in sources.items()}
    expected = {names[file] for file in question["expect_files"] if file in names}
    likely = sorted(total, key=lambda id_: -total[id_])[:CANDIDATES]
    chosen = sorted({*likely, *expected}, key=lambda id_: sources[id_].path)
    lifted = {role.value for role, intent in LIFTED_BY.items() if intent in asked.question.intents}
    roles = [[float(sources[id_].role.value == role and role not in lifted) for role in ROLES] for id_ in chosen]
    fixed = [
        sum(shipped.weight(name, with_model=False) * standings.get(name, {}).get(id_, 0.0) for name in FIXED)
        for id_ in chosen
    ]
    return Case(
        question["corpus"],
        np.array([[standings.get(name, {}).get(id_, 0.0) for name in FITTED] for id_ in chosen]),
        np.array(fixed),
        np.array(roles),
        np.array([id_ in expected for id_ in chosen]),
    )


def hear(text: str, reader: Reader, encoder: Encoder) -> tuple[RankerInput, dict[str, Votes]]:
    """What a search hears before it weighs it."""
    question = parse_question(text)
    _, items = reader.text.size()
    frequency = reader.words.frequency(question.words)
    terms = select_terms(weigh_terms(question.words, frequency, items), items)
    asked = RankerInput(question, terms, frequency, items, reader, encode_question(text, reader, encoder))
    votes = {name: ranker(asked) for name, ranker in PRIMARY_RANKERS.items()}
    votes.update({name: ranker(asked, votes) for name, ranker in DEPENDENT_RANKERS.items()})
    return asked, votes


def fit_column(cases: Sequence[Case], columns: Sequence[Sequence[Case]]) -> Fit:
    """Weights of one column, with roles that are fitted over all columns together, rounded as they will be shipped."""
    roles = np.mean([fit(column).roles for column in columns], axis=0)
    factors = np.clip(np.floor(np.exp(roles / SHARPNESS) * 10 + 1e-9) / 10, 0.5, 1.0)
    fitted = fit(cases, fixed_roles=SHARPNESS * np.log(factors))
    return Fit(np.log(np.maximum(0.01, np.round(np.exp(fitted.weights), 2))), fitted.roles)


def fit(cases: Sequence[Case], fixed_roles: Floats | None = None) -> Fit:
    """By gradient steps (Adam, Kingma and Ba 2015) over all questions whose answer is among the candidates, but for
    those that an exact name decides: it outweighs whatever is fitted, and a wrong one would inflate every weight.
    """
    cases = [
        case for case in cases if case.expected.any() and case.fixed.max() < shipped.weight("exact", with_model=False)
    ]
    rows, fixed, roles, expected = (
        np.concatenate([getattr(case, name) for case in cases]) for name in ("standings", "fixed", "roles", "expected")
    )
    starts = np.cumsum([0, *(len(case.expected) for case in cases[:-1])])
    of = np.repeat(np.arange(len(cases)), [len(case.expected) for case in cases])
    guess = Fit().weights
    point = np.concatenate([guess, fixed_roles if fixed_roles is not None else np.zeros(len(ROLES))])
    slope, square = np.zeros_like(point), np.zeros_like(point)
    count = len(guess)
    for step in range(1, STEPS + 1):
        weights = np.exp(point[:count])
        score = rows @ weights + fixed + 1e-3
        logit = SHARPNESS * np.log(score) + roles @ point[count:]
        chance = np.exp(logit - np.maximum.reduceat(logit, starts)[of])
        right = chance * expected
        error = chance / np.add.reduceat(chance, starts)[of] - right / np.add.reduceat(right, starts)[of]
        gradient = np.concatenate(
            [(rows.T @ (error * SHARPNESS / score)) * weights + RIDGE * (point[:count] - guess),
             roles.T @ error + RIDGE * point[count:]]
        )  # fmt: skip
        if fixed_roles is not None:
            gradient[count:] = 0.0
        slope, square = 0.9 * slope + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        point -= RATE * (slope / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return Fit(point[:count], point[count:])


def left_out(cases: Sequence[Case], columns: Sequence[Sequence[Case]]) -> list[int]:
    """The rank of each case by a fit that has not seen its project."""
    fits: dict[str, Fit] = {}
    for project in {case.project for case in cases}:
        others = [[case for case in column if case.project != project] for column in columns]
        place = next(number for number, column in enumerate(columns) if column is cases)
        fits[project] = fit_column(others[place], others)
    return [rank(case, fits[case.project]) for case in cases]


def rank(case: Case, fitted: Fit) -> int:
    """The 1-based rank of the first expected file; 0 where it is not a candidate."""
    score = (case.standings @ np.exp(fitted.weights) + case.fixed) * np.exp(case.roles @ fitted.roles / SHARPNESS)
    hits = np.nonzero(case.expected[np.argsort(-score, kind="stable")])[0]
    return int(hits[0]) + 1 if len(hits) else 0


def report(name: str, ranks: Sequence[int]) -> None:
    hits = [mean([float(0 < rank_ <= limit) for rank_ in ranks]) for limit in (1, 5, 10)]
    mrr = mean([1 / rank_ if 0 < rank_ <= 10 else 0.0 for rank_ in ranks])
    print(f"{name:36s} " + "  ".join(f"{value:.3f}" for value in (*hits, mrr)))


def heard_of(cases: Sequence[Case]) -> frozenset[str]:
    """The rankers that named any candidate at all: of the others a fit knows nothing but the guess."""
    total = np.sum([case.standings.sum(axis=0) for case in cases], axis=0)
    return frozenset(name for name, sum_ in zip(FITTED, total, strict=True) if sum_)


def write(path: Path, text: str) -> None:
    """Put ``text`` between the marks of the file of weights."""
    kept = path.read_text("utf-8")
    fresh, count = re.subn(r"(?s)(?<=# fitted: begin\n).*?(?=# fitted: end)", lambda _: text, kept)
    if count != 1:
        raise SystemExit(f"{path} has no one place between '# fitted: begin' and '# fitted: end'; nothing was written.")
    path.write_text(fresh, "utf-8")


def as_text(fits: Sequence[Fit], heard: Sequence[frozenset[str]]) -> str:
    """The part of the file between its marks; a column that was not fitted stays, and a ranker that was not heard."""
    lines = ["_FITTED: Mapping[str, tuple[float, float]] = {\n"]
    for number, name in enumerate(FITTED):
        values = [shipped.weight(name, with_model=with_model) for with_model in (False, True)]
        for column, (one, known) in enumerate(zip(fits, heard, strict=True)):
            if name in known:
                values[column] = round(float(np.exp(one.weights[number])), 2)
        lines.append(f'    "{name}": ({values[0]}, {values[1]}),\n')
    roles = np.exp(fits[0].roles / SHARPNESS)
    factors = ", ".join(f'"{role}": {value:g}' for role, value in zip(ROLES, roles, strict=True))
    return "".join([*lines, "}\n", f"_ROLES: Mapping[str, float] = {{{factors}}}\n"])


if __name__ == "__main__":
    main()
