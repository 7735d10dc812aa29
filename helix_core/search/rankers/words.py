"""Rankers that go by the words of a question: chunks, whole files, runs of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from helix_core.search.rankers.votes import NOTHING, Asked, Vote, Votes, best_first, by_file
from helix_core.search.terms import any_of, bm25, bm25f, expression, narrower, rarity
from helix_core.store.hits import Weights
from helix_core.store.lexical import MatchCounts
from helix_core.words import split_identifier

MATCHES = 80
PHRASE_MATCHES = 30
PHRASE_POSTINGS = 2_000
FIELD_WEIGHTS = Weights(path=2.0, names=2.0, doc=1.5, body=1.0, extra=1.0)
BY_FIELD_LENGTH = replace(FIELD_WEIGHTS, doc=3.5, length_counts=0.75)
"""Questions are asked in the words of comments rather than in those of code."""


def chunks(asked: Asked) -> Votes:
    """BM25F over chunks; a file counts its best chunk and a damped sum of the next ones."""
    if not asked.terms:
        return NOTHING
    words = [term.word for term in asked.terms]
    weights = [term.weight for term in asked.terms]
    found = _matches(asked, asked.reader.chunk_evidence)
    return _votes(words, found, {one.id: bm25f(weights, one) for one in found})


def files(asked: Asked) -> Votes:
    """BM25F over whole files, with the words' rarity among chunks: among long files every word seems common."""
    if not asked.terms:
        return NOTHING
    words = [term.word for term in asked.terms]
    weights = [term.weight for term in asked.terms]
    found = _matches(asked, asked.reader.file_evidence)
    scored = {one.source_id: bm25f(weights, one) for one in found}
    present = {one.source_id: _present(words, one) for one in found}
    return Votes(tuple(Vote(id_, score) for id_, score in best_first(scored)), present=present)


def _matches(asked: Asked, ask: Callable[[str, int, int, Weights], list[MatchCounts]]) -> list[MatchCounts]:
    """The best matches: among what holds the rarest words together, where one of them alone is in too much."""
    count, narrow = len(asked.terms), narrower(asked.terms)
    found = ask(narrow, count, MATCHES, BY_FIELD_LENGTH) if narrow else []
    return found if len(found) == MATCHES else ask(expression(asked.terms), count, MATCHES, BY_FIELD_LENGTH)


def phrases(asked: Asked) -> Votes:
    """Runs of the question's words in sequence: quoted text, error messages, compound names written apart."""
    wanted = dict.fromkeys((*asked.question.quoted, *asked.question.phrases))
    wanted.update(dict.fromkeys(tuple(split_identifier(name)) for name in asked.question.identifiers))
    texts = [" ".join(words) for words in affordable(wanted, asked.frequency)]
    if not texts:
        return NOTHING
    # How often a phrase occurs is not known beforehand: each counts as much as a word met once in a hundred chunks.
    weights = [rarity(asked.items // 100, asked.items)] * len(texts)
    found = asked.reader.chunk_evidence(any_of(texts), len(texts), PHRASE_MATCHES, FIELD_WEIGHTS)
    return _votes(texts, found, {one.id: bm25(weights, one) for one in found})


def affordable(wanted: Iterable[tuple[str, ...]], frequency: Mapping[str, int]) -> list[tuple[str, ...]]:
    """The phrases that can occur, those with the rarest words first, as long as looking them up stays cheap.

    A look-up costs about the postings of the phrase's rarest word. Words without a known frequency are those that
    questions are asked with: everywhere.
    """
    costs = ((min((frequency[word] for word in words if word in frequency), default=0), words) for words in wanted)
    possible = sorted((cost, words) for cost, words in costs if cost and len(words) > 1)
    chosen: list[tuple[str, ...]] = []
    postings = 0
    for cost, words in possible:
        postings += cost
        if postings > PHRASE_POSTINGS and chosen:
            break
        chosen.append(words)
    return chosen


def _votes(texts: Sequence[str], found: Sequence[MatchCounts], item_scores: dict[int, float]) -> Votes:
    evidence = {one.id: one for one in found}
    votes = by_file(item_scores, {one.id: one.source_id for one in found})
    present = {vote.source_id: _present(texts, evidence[vote.items[0]]) for vote in votes}
    return Votes(votes, item_scores, present)


def _present(words: Sequence[str], evidence: MatchCounts) -> frozenset[str]:
    return frozenset(word for word, count in zip(words, evidence.counts, strict=False) if count)
