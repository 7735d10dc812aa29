"""Fit the weights by which a sentence is one kind of memory or none (``helix_core/memory/kinds.py``).

    python benchmarks/memory_kinds.py [--show 20] [--write] [--only AUTHOR,AUTHOR]

The labeled messages are those of ``fixtures/memory/slices-*.jsonl`` that may be looked at, each file of another author
or another manner. For each author the table shows what weights give that were fitted to all others: how many durable
messages are kept, of how many of these the kind is right, how much chatter is dropped. The files named ``held-out`` or
``shut`` are neither fitted to nor shown (``memory.py --slices`` prints their totals).

A label is of a message, and the product reads sentences: of a durable message of several sentences the weights are
first fitted to the first one, then once more to those that look most like its kind. Multinomial logistic regression, by
L-BFGS.
--write puts the weights that all messages give into ``helix_core/memory/kinds.tsv``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from lbfgs import Array, minimized
from numpy.typing import NDArray

from helix_core.memory import kinds as memory_kinds
from helix_core.memory.exchanges import sentences
from helix_core.memory.kinds import KINDS, SCALE, signs_of
from helix_core.memory.statements import KEEP

ROOT = Path(__file__).parents[1]
SLICES, CONVERSATIONS = ROOT / "fixtures" / "memory", ROOT / "fixtures" / "conversations"
OPEN = ("development", "blind-open", "manners-open", *(f"written-{number}" for number in range(1, 15)))
PENALTY, STEPS, LEAST_AUTHORS, LEAST_SEEN = 1 / 30, 120, 3, 3
PLAIN = frozenset({"development", "blind-open", "manners-open", "written-12", "written-13"})
PLAIN_WEIGHT = 3.0
"""How much a message counts that was written as such things are plainly said; the others are hard on purpose."""


@dataclass(frozen=True, slots=True)
class Message:
    """A labeled message: the signs of each of its sentences, and the place of its kind in ``KINDS``."""

    text: str
    kind: int
    author: str
    signs: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The place of each sign, and a row of weights each; the last row is what each kind has without any sign."""

    places: Mapping[str, int]
    weights: Array

    def odds(self, signs: frozenset[str]) -> Array:
        known = sorted(self.places[sign] for sign in signs if sign in self.places)
        logits: Array = self.weights[known].sum(axis=0) / max(len(known), 1) ** 0.5 + self.weights[-1]
        raised = np.exp(logits - logits.max())
        return np.asarray(raised / raised.sum())


class Problem:
    """Sentences with their kinds, as arrays."""

    def __init__(self, given: Sequence[tuple[frozenset[str], int, float]], places: Mapping[str, int]) -> None:
        rows = [sorted(places[sign] for sign in signs if sign in places) or [len(places)] for signs, _, _ in given]
        self.counts = np.array([len(row) for row in rows])
        self.starts = np.concatenate([[0], np.cumsum(self.counts)[:-1]])
        self.signs = np.array([sign for row in rows for sign in row])
        self.shares = 1 / np.sqrt(self.counts)
        self.wanted = np.eye(len(KINDS))[[kind for _, kind, _ in given]]
        self.counted = np.array([weight for _, _, weight in given])[:, None]
        self.shape = (len(places) + 1, len(KINDS))

    def loss(self, found: Array) -> tuple[float, Array]:
        """Return the penalized loss of weights, and its slope; what a kind has without any sign costs nothing."""
        weights = found.reshape(self.shape)
        bias = weights[-1]
        logits = np.add.reduceat(weights[self.signs], self.starts) * self.shares[:, None] + bias
        logits -= logits.max(axis=1, keepdims=True)
        odds = np.exp(logits)
        odds /= odds.sum(axis=1, keepdims=True)
        loss = -np.sum(self.counted * self.wanted * np.log(odds + 1e-12)) + PENALTY / 2 * np.sum(weights[:-1] ** 2)
        rest = self.counted * (odds - self.wanted)
        spread = np.repeat(rest * self.shares[:, None], self.counts, axis=0)
        slope = np.stack(
            [np.bincount(self.signs, weights=column, minlength=self.shape[0]) for column in spread.T], axis=1
        )
        slope[:-1] += PENALTY * weights[:-1]
        slope[-1] = rest.sum(axis=0)
        return float(loss), slope.ravel()


@cache
def signs_in(text: str) -> tuple[frozenset[str], ...]:
    return tuple(map(signs_of, sentences(text))) or (signs_of(text),)


def messages() -> list[Message]:
    """Return what the weights may be fitted to."""
    found = []
    for author in OPEN:
        for line in (SLICES / f"slices-{author}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            found.append(Message(row["text"], KINDS.index(row["kind"]), author, signs_in(row["text"])))
    return found


def table_of(given: Sequence[Message]) -> Table:
    """Return the weights of the signs that several authors use."""
    by: dict[str, set[str]] = {}
    seen: dict[str, int] = {}
    for one in given:
        for signs in one.signs:
            for sign in signs:
                by.setdefault(sign, set()).add(one.author)
                seen[sign] = seen.get(sign, 0) + 1
    known = sorted(sign for sign, of in by.items() if len(of) >= LEAST_AUTHORS and seen[sign] >= LEAST_SEEN)
    places = {sign: place for place, sign in enumerate(known)}
    first = fitted([(one, signs) for one in given for signs in one.signs[: 1 if one.kind else None]], places)
    return fitted([(one, signs) for one in given for signs in telling(one, first)], places)


def telling(message: Message, table: Table) -> Sequence[frozenset[str]]:
    """Return the sentences of a message that have its kind: all of chatter, else the likeliest and each likely one."""
    if not message.kind or len(message.signs) == 1:
        return message.signs
    odds = [table.odds(signs)[message.kind] for signs in message.signs]
    return [signs for signs, one in zip(message.signs, odds, strict=True) if one > KEEP or one == max(odds)]


def fitted(given: Sequence[tuple[Message, frozenset[str]]], places: Mapping[str, int]) -> Table:
    counted = [(signs, one.kind, PLAIN_WEIGHT if one.author in PLAIN else 1.0) for one, signs in given]
    problem = Problem(counted, places)
    weights = minimized(problem.loss, np.zeros(problem.shape[0] * problem.shape[1]), steps=STEPS)
    return Table(places, weights.reshape(problem.shape))


def judged(message: Message, table: Table) -> tuple[float, int]:
    """Return how likely the likeliest sentence is durable, and the kind of the first that is."""
    odds: NDArray[np.float64] = np.array([table.odds(signs) for signs in message.signs])
    durable = 1 - odds[:, 0]
    at = int(np.argmax(durable > KEEP)) if (durable > KEEP).any() else int(durable.argmax())
    return float(durable.max()), int(odds[at, 1:].argmax()) + 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    given = messages()
    totals = np.zeros(5)
    for author in OPEN:
        if asked.only and author not in asked.only.split(","):
            continue
        table = table_of([one for one in given if one.author != author])
        own = [(one, *judged(one, table)) for one in given if one.author == author]
        durable = [(one, odds, kind) for one, odds, kind in own if one.kind]
        kept = [(one, kind) for one, odds, kind in durable if odds > KEEP]
        right = sum(one.kind == kind for one, kind in kept)
        passed = [one for one, odds, _ in own if not one.kind and odds > KEEP]
        counts = np.array([len(durable), len(kept), right, len(own) - len(durable), len(passed)])
        totals += counts
        print(line(author, counts))
        for one, odds, kind in own:
            is_wrong = (odds > KEEP) != bool(one.kind) or (one.kind > 0 and one.kind != kind)
            if is_wrong and asked.show:
                print(
                    f"  {KINDS[one.kind] or 'chatter'}, read as {KINDS[kind] if odds > KEEP else 'chatter'}: {one.text}"
                )
                asked.show -= 1
    print(line("all", totals))
    if asked.write:
        write(table_of(given))


def line(name: str, counts: NDArray[np.float64]) -> str:
    durable, kept, right, chatter, passed = map(int, counts)
    return (
        f"{name}: {kept / max(durable, 1):.3f} of {durable} durable kept, kind right {right / max(kept, 1):.3f}, "
        f"{1 - passed / max(chatter, 1):.3f} of {chatter} chatter dropped"
    )


def write(table: Table) -> None:
    """Put the weights into the product as whole numbers, without the signs that have none."""
    file = Path(memory_kinds.__file__).with_name("kinds.tsv")
    rows = {"": table.weights[-1]} | {sign: table.weights[place] for sign, place in table.places.items()}
    lines = []
    for sign, weights in rows.items():
        whole = np.rint(weights * SCALE).astype(int).tolist()
        if not sign or any(whole):
            lines.append("\t".join([sign, *map(str, whole)]))
    file.write_text("\n".join(lines) + "\n", "utf-8")
    print(f"{len(lines)} rows, {file.stat().st_size // 1024} KB: {file.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
