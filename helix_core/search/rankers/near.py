"""Rankers that go by what is near: in meaning, by vectors, and in structure, by who tests whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

from helix_core.search.meaning import OUTLINES, PASSAGES
from helix_core.search.question import Intent
from helix_core.search.rankers.votes import NOTHING, Asked, Vote, Votes, best_first
from helix_core.store.vectors import VectorHit

NEIGHBOURS = 200
_NOT_FOR_THE_IMPLEMENTATION = frozenset({Intent.TESTS, Intent.EXAMPLES, Intent.HISTORY})


def outlines(asked: Asked) -> Votes:
    """Files by the nearest of their outlines."""
    return _by_nearest(asked.meaning.nearest(OUTLINES, NEIGHBOURS)) if asked.meaning else NOTHING


def passages(asked: Asked) -> Votes:
    """Files by the nearest of their chunks."""
    return _by_nearest(asked.meaning.nearest(PASSAGES, NEIGHBOURS)) if asked.meaning else NOTHING


def _by_nearest(hits: Sequence[VectorHit]) -> Votes:
    """What counts is how far a place stands out from the last neighbour: a cosine of 0.4 is high for one question and
    low for another."""
    if not hits:
        return NOTHING
    last = hits[-1].similarity
    files: dict[int, float] = {}
    items: dict[int, list[int]] = {}
    item_scores: dict[int, float] = {}
    for hit in hits:
        score = hit.similarity - last
        if score <= 0:
            break
        files.setdefault(hit.source_id, score)
        if hit.item_id is not None and hit.item_id not in item_scores:
            item_scores[hit.item_id] = score
            items.setdefault(hit.source_id, []).append(hit.item_id)
    votes = tuple(Vote(id_, score, tuple(items.get(id_, ()))) for id_, score in best_first(files))
    return Votes(votes, item_scores)


def tested(asked: Asked, heard: Mapping[str, Votes]) -> Votes:
    """Implementation whose tests say what was asked, in words their authors chose for it."""
    if asked.question.intents & _NOT_FOR_THE_IMPLEMENTATION or "files" not in heard:
        return NOTHING
    scores = {vote.source_id: vote.score for vote in heard["files"].votes}
    pairs = asked.reader.tested_by(scores)
    targets: dict[int, int] = {}
    for test, _ in pairs:
        targets[test] = targets.get(test, 0) + 1
    found: dict[int, float] = {}
    for test, source in pairs:
        found[source] = max(found.get(source, 0.0), scores[test] / sqrt(targets[test]))
    return Votes(tuple(Vote(id_, score) for id_, score in best_first(found)))
