"""The first places of an answer, put in another order by whoever reads question and text together. Pure.

A place keeps its score by its rank, not by what it was given: scores fall from first to last as ever, and confidence
and what counts as found stay those of the rankers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from helix_core.model import Item, Ranked

MOST_PLACES = 20
"""So many are read again: beyond them little that is right is left, and each costs milliseconds."""
MOST_CHARS = 1_200
"""Of a place, and of a question: a batch once begun is read to its end, however late it gets."""


def told(item: Item, text: str) -> str:
    """What a reranker reads of a place: its path and symbol, then its lines."""
    return f"{item.source.source_id} {item.symbol}\n{text}"[:MOST_CHARS]


def reordered(ranked: Sequence[Ranked], scores: Mapping[int, float]) -> tuple[Ranked, ...]:
    """``scores`` are by place in ``ranked``, from 0, higher for better; equal ones keep their order.

    Places without a score stay where they are; those with one change among each other.
    """
    places = sorted(scores)
    best_first = sorted(places, key=lambda place: (-scores[place], place))
    order = dict(zip(places, best_first, strict=True))
    return tuple(
        dataclasses.replace(ranked[order.get(place, place)], score=one.score) for place, one in enumerate(ranked)
    )
