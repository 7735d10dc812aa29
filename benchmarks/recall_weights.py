"""Fit the weights by which a memory answers a question asked partly in other words (``helix_core/memory/answers.py``).

    python benchmarks/recall_weights.py

The questions are those of ``fixtures/memory`` that may be looked at: of statements in other words, what is near to them
and nowhere, and the development half of the topics. For each group of them, of another author or of other topics, the
first table shows what weights give that were fitted to all other groups, for several bounds of the odds: how many
questions are answered by the memory that answers them, how many have no answer at all, and of how many that nothing
answers this is told. Then the weights and the bound in use are printed beside those that all questions give.

Logistic regression by L-BFGS, on pairs of an English question and a memory that has some of its words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from lbfgs import Array, minimized
from memorybench.apart import helix_apart

from helix_core.embed import nearness
from helix_core.engine import Helix
from helix_core.engine.memory import RememberRequest
from helix_core.engine.memory.recalling import IN_TURN, LEAST_WEIGHED
from helix_core.engine.memory.remembering import found_by
from helix_core.memory import (
    RecallSigns,
    answer_signs,
    asked_words,
    content_words,
    covered,
    expected_form,
    has_form,
    is_english,
    other_forms,
    weigh,
)
from helix_core.memory.answers import BIAS, LEAST_ODDS, WEIGHTS
from helix_core.model import USABLE
from helix_core.store import Memory

FIXTURES = Path(__file__).parents[1] / "fixtures" / "memory"
PENALTY, STEPS = 1.0, 200
BOUNDS = (-1.9, -1.6, -1.3, -1.0, -0.7)
QUARTER = 26


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the signs of each memory that may answer it, which of them does (-1: none), and if one does."""

    group: str
    signs: Array
    right: int
    has_answer: bool


def labeled(name: str) -> list[dict[str, str]]:
    """Return the rows of a file of ``fixtures/memory``."""
    return [json.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_text("utf-8").splitlines()]


def questions() -> Iterator[tuple[list[str], list[tuple[str, str, str]]]]:
    """Return the texts of each store, with its questions: the group, the question, its answer or ""."""
    for name in ("paraphrases-open", "paraphrases-written-open"):
        rows = labeled(name)
        asked = []
        for number, row in enumerate(rows):
            group = f"{name} {number // 30}"
            asked += [(group, row["question"], row["memory"]), (group, row["near"], "")]
        yield [row["memory"] for row in rows], asked
    texts = [row["text"] for half in ("development", "blind-open") for row in labeled(f"slices-{half}") if row["kind"]]
    rows = labeled("questions-development")
    yield texts, [(f"topics {number // QUARTER}", row["question"], row["answer"]) for number, row in enumerate(rows)]


def weighed(memory: Memory, scopes: Sequence[str], group: str, question: str, answer: str) -> Asked:
    """Return a question with the signs of the memories that a recall weighs."""
    items, asked = memory.items, asked_words(question)
    words = [(word, items.tokens(word), [*map(items.tokens, other_forms(word, asked))]) for word in asked]
    frequency = items.frequency(token for _, own, forms in words for one in (own, *forms) for token in one)
    terms, form = weigh(words, frequency, items.count()), expected_form(question)
    told = []
    for one in items.listed(scopes, [status.value for status in sorted(USABLE)], (), 1_000):
        subject = one.fact.slot.subject
        held = frozenset(
            items.tokens(f"{one.fact.text} {subject} {one.fact.kind} {found_by(one.fact.text, '', subject)}")
        )
        if one.fact.kind not in IN_TURN and covered(terms, held):
            told.append((covered(terms, held), one, held))
    told.sort(key=lambda each: (-each[0], -each[1].at, each[1].id))
    signs, right = [], -1
    for _, one, held in told[:LEAST_WEIGHED]:
        own = content_words(one.fact.text)
        right = len(signs) if one.fact.text == answer else right
        near = {word: nearness(word, own) for word in asked}
        signs.append(answer_signs(terms, held, near.__getitem__, has_form=has_form(one.fact.text, form)))
    return Asked(group, np.array(signs).reshape(len(signs), len(RecallSigns._fields)), right, bool(answer))


def gathered() -> list[Asked]:
    """Return all English questions, each with what a recall weighs in a store of its statements."""
    found = []
    for texts, rows in questions():
        with helix_apart() as helix:
            for text in texts:
                helix.memory.remember(RememberRequest(text, force=True))

            def read(memory: Memory, helix: Helix = helix, rows: Sequence[tuple[str, str, str]] = rows) -> None:
                place = memory.items.scope(helix.session.place)
                scopes = [place] if place else []
                found.extend(weighed(memory, scopes, *row) for row in rows if is_english(row[1]))

            helix.session.memory_file.read(read)
    return found


def fitted(asked: Sequence[Asked]) -> Array:
    """Return the weights of the signs and, last, of what a memory has without any."""
    rows = np.concatenate([one.signs for one in asked])
    wanted = np.concatenate([np.arange(len(one.signs)) == one.right for one in asked]).astype(float)
    middle, spread = rows.mean(axis=0), rows.std(axis=0)
    scaled = np.hstack([(rows - middle) / spread, np.ones((len(rows), 1))])

    def loss(weights: Array) -> tuple[float, Array]:
        odds = scaled @ weights
        chance = 1 / (1 + np.exp(-odds))
        value = np.logaddexp(0, odds).sum() - wanted @ odds + PENALTY / 2 * (weights[:-1] @ weights[:-1])
        return float(value), scaled.T @ (chance - wanted) + PENALTY * np.append(weights[:-1], 0.0)

    found = minimized(loss, np.zeros(scaled.shape[1]), steps=STEPS)
    plain = found[:-1] / spread
    return np.append(plain, found[-1] - plain @ middle)


def shares(asked: Sequence[Asked], weights: Array, bound: float) -> tuple[int, int, int, int, int]:
    """Return how many questions are answered rightly, and how many of those with an answer have none at all, how many
    there are, of how many absent ones this is told, and how many of those there are.
    """
    right = empty = present = told = absent = 0
    for one in asked:
        got = np.flatnonzero(one.signs @ weights[:-1] + weights[-1] >= bound)
        if one.has_answer:
            present, right, empty = present + 1, right + (one.right in got), empty + (not len(got))
        else:
            absent, told = absent + 1, told + (not len(got))
    return right, empty, present, told, absent


def main() -> None:
    """Fit and print."""
    asked = gathered()
    groups = list(dict.fromkeys(one.group for one in asked))
    without = {group: fitted([one for one in asked if one.group != group]) for group in groups}
    print(f"{'questions':28}{'bound':>8}{'answered':>12}{'empty':>8}{'absent told':>14}")
    for name in dict.fromkeys(group.rsplit(" ", 1)[0] for group in groups):
        for bound in BOUNDS:
            several = [
                shares([one for one in asked if one.group == group], without[group], bound)
                for group in groups
                if group.rsplit(" ", 1)[0] == name
            ]
            right, empty, present, told, absent = map(sum, zip(*several, strict=True))
            print(
                f"{name:28}{bound:8}{right / present:12.3f}{empty / present:8.3f}{told / absent:14.3f}"
                f"   of {present} and {absent}"
            )
    found = fitted(asked)
    print(f"\n{'sign':12}{'fitted':>10}{'in use':>10}")
    for sign, own, used in zip((*RecallSigns._fields, "bias"), found, (*WEIGHTS, BIAS), strict=True):
        print(f"{sign:12}{own:10.2f}{used:10.2f}")
    print(f"{'bound':12}{'':10}{LEAST_ODDS:10.2f}")


if __name__ == "__main__":
    main()
