"""Weigh whether a memory answers a question that is asked partly in other words.

Pure: which words are near to a memory in meaning is an argument. English only: elsewhere, and of what was said in turn,
``is_about`` decides by the words alone.

Logistic regression on a few signs, as in Platt 1999, "Probabilistic Outputs for Support Vector Machines": a question in
other words has few words of its answer, and one that nothing answers may have many, so that no single share tells them
apart. ``benchmarks/recall_weights.py`` fits the weights and prints them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import mul

from helix_core.memory.ranking import UNSAID, AskedTerm, function_words
from helix_core.tuples import NamedTuple

LEAST_ENGLISH = 2
"""Function words by which a question is in English: two, as "was" and "in" are German, too."""
UNSAID_WEIGHT = 0.5
"""What a word that an answer often leaves unsaid counts beside others."""
MOST_WORDS = 8
"""From so many words on a question counts as long."""


class RecallSigns(NamedTuple):
    """What tells whether a memory answers, each 0..1.

    ``share`` is the share of the question that the memory has, a word near to one of its own counting as much as it is
    near, ``least`` that of the word which it has least of. ``has_form`` is 1 where it has what is asked for (a time, a
    person), and ``length`` grows with the words of the question: of a long one, an answer has a smaller share.
    """

    share: float
    least: float
    has_form: float
    length: float


WEIGHTS = RecallSigns(share=9.28, least=1.34, has_form=2.87, length=6.4)
BIAS = -13.74
LEAST_ODDS = -1.7
"""Logarithm of the odds from which on a memory is an answer. Below even: of a question that has an answer more memories
are weighed that are none, and one that is missing costs more than one that is only near.
"""


def is_english(question: str) -> bool:
    """Return whether a question has function words of English."""
    return question.isascii() and function_words(question) >= LEAST_ENGLISH


def answer_signs(
    terms: Sequence[AskedTerm], held: frozenset[str], near: Callable[[str], float], *, has_form: bool
) -> RecallSigns:
    """Return the signs of a memory for a question.

    Args:
        terms: The terms of the question.
        held: The tokens of the memory.
        near: How near, 0..1, a word is to the nearest one of the memory; asked of the words that it has not.
        has_form: Whether the memory has the form of the answer.
    """
    had = [term.share_in(held) or max(near(term.word), 0.0) for term in terms]
    weights = [term.weight * (UNSAID_WEIGHT if term.word in UNSAID else 1.0) for term in terms]
    share = sum(map(mul, weights, had)) / (sum(weights) or 1.0)
    least = min((one for one, term in zip(had, terms, strict=True) if term.word not in UNSAID), default=share)
    return RecallSigns(share, least, float(has_form), min(len(terms), MOST_WORDS) / MOST_WORDS)


def answer_odds(signs: RecallSigns) -> float:
    """Return the logarithm of the odds that a memory with these signs is the answer."""
    odds: float = sum(map(mul, WEIGHTS, signs))
    return BIAS + odds
