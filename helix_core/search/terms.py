"""Which words of a question are worth a look into the postings, and how much each tells. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from helix_core.store.lexical import MatchCounts, phrase

MAX_TERMS = 16
CORE_POSTINGS = 2_000
RANKED_POSTINGS = 8_000
COUNTED_POSTINGS = 200_000
COMMON_SHARE = 0.5

# Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), usual values.
K1 = 1.2
B = 0.75


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the question; ``frequency`` is the number of chunks it occurs in, ``weight`` its inverse."""

    word: str
    frequency: int
    weight: float


def weigh_terms(words: Iterable[str], frequency: Mapping[str, int], items: int) -> tuple[Term, ...]:
    """Every word with what it tells, in the order given; ``items`` is the number of chunks in the index."""
    return tuple(Term(word, frequency.get(word, 0), rarity(frequency.get(word, 0), items)) for word in words)


def rarity(frequency: int, items: int) -> float:
    """BM25's inverse frequency in the form that stays positive for words in more than half of the chunks."""
    items = max(items, frequency)
    return math.log1p((items - frequency + 0.5) / (frequency + 0.5))


def worth_asking(terms: Sequence[Term], items: int) -> tuple[Term, ...]:
    """The known terms, rarest first: at most ``MAX_TERMS``, words in half of the chunks only if there is no other, and
    beyond the second only as long as all their postings are ``COUNTED_POSTINGS`` at most, which BM25 has to count."""
    known = sorted((term for term in terms if term.frequency), key=lambda term: (term.frequency, term.word))
    telling = [term for term in known if term.frequency <= COMMON_SHARE * items] or known
    counted = accumulate(term.frequency for term in telling)
    affordable = sum(postings <= COUNTED_POSTINGS for postings in counted)
    return tuple(telling[: min(MAX_TERMS, max(2, affordable))])


def expression(terms: Sequence[Term]) -> str:
    """An expression over the terms (rarest first), whose phrases begin with the terms in their order.

    The time of a query grows with the postings it visits. So the rarest terms, as many as make up ``CORE_POSTINGS``,
    decide what matches; the others are only looked up where one of those is, to be counted.
    """
    core, postings = 1, terms[0].frequency
    while core < len(terms) and postings + terms[core].frequency <= CORE_POSTINGS:
        postings += terms[core].frequency
        core += 1
    decisive = any_of(term.word for term in terms[:core])
    others = any_of(term.word for term in terms[core:])
    return _counted_beside(decisive, others)


def narrower(terms: Sequence[Term]) -> str:
    """An expression for what holds the two rarest terms, or a single one in a name; its phrases are in the same order.

    In a large index even the rarest term may stand in so many chunks that ranking them all takes too long. Empty where
    it does not.
    """
    if terms[0].frequency <= RANKED_POSTINGS:
        return ""
    if len(terms) == 1:
        return f"names : {phrase(terms[0].word)}"
    both = " AND ".join(phrase(term.word) for term in terms[:2])
    others = any_of(term.word for term in terms[2:])
    return _counted_beside(both, others)


def _counted_beside(decisive: str, others: str) -> str:
    """What matches ``decisive``; the phrases of ``others`` are behind its own, and only looked up there."""
    return f"({decisive}) OR (({others}) AND ({decisive}))" if others else decisive


def any_of(texts: Iterable[str]) -> str:
    """An expression that matches any of the texts; each is quoted, so nothing in it is an operator."""
    return " OR ".join(map(phrase, texts))


def bm25(weights: Sequence[float], evidence: MatchCounts) -> float:
    """BM25 over weighted fields; ``weights`` are those of the expression's first phrases, in its order."""
    length = 1 - B + B * evidence.length / max(1.0, evidence.average_length)
    return sum(
        weight * count * (K1 + 1) / (count + K1 * length)
        for weight, count in zip(weights, evidence.counts, strict=False)
        if count
    )


def bm25f(weights: Sequence[float], evidence: MatchCounts) -> float:
    """BM25F: like ``bm25``, for counts that each field's own length is already in (Zaragoza et al., TREC 2004)."""
    return sum(
        weight * count * (K1 + 1) / (count + K1)
        for weight, count in zip(weights, evidence.counts, strict=False)
        if count
    )


def highest_score(terms: Sequence[Term]) -> float:
    """What BM25 approaches when a text holds every term ever more often."""
    return (K1 + 1) * sum(term.weight for term in terms)


def coverage(terms: Sequence[Term], present: Iterable[str]) -> float:
    """The share, 0..1, of what the terms tell that the present words make up; 0 without terms."""
    total = sum(term.weight for term in terms)
    found = frozenset(present)
    return sum(term.weight for term in terms if term.word in found) / total if total else 0.0


def rarest_missing(terms: Sequence[Term], present: Iterable[str]) -> float:
    """How rare the rarest term is that is not among the present words, as a share, 0..1, of the rarest term's weight; 0
    where all are present."""
    found = frozenset(present)
    missing = max((term.weight for term in terms if term.word not in found), default=0.0)
    return missing / max(term.weight for term in terms) if missing else 0.0
