"""From files to places in them: the best chunks of the best files, different files first. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ITEMS_PER_FILE = 3
NEXT_ITEM_FACTOR = 0.75


@dataclass(frozen=True, slots=True)
class Place:
    """A chunk chosen for the answer and the score of its place."""

    item_id: int
    source_id: int
    score: float


def choose_places(
    files: Sequence[tuple[int, float]], items: Mapping[int, Sequence[tuple[int, float]]], limit: int
) -> list[Place]:
    """At most ``limit`` places, best first.

    ``files`` are ``(source id, score)`` best first; ``items`` the ``(item id, score)`` of each file, best first. The
    best chunk of a file has the file's score; each next one at most three quarters of the one before it, less when it
    matches less, so that other files that match come first. Equal places keep the order of their files.
    """
    places: list[Place] = []
    for source_id, score in files:
        own = items.get(source_id, ())[:ITEMS_PER_FILE]
        for place, (item_id, item_score) in enumerate(own):
            share = item_score / own[0][1] if own[0][1] > 0 else 1.0
            factor = NEXT_ITEM_FACTOR**place * share if place else 1.0
            places.append(Place(item_id, source_id, score * factor))
    places.sort(key=lambda place: -place.score)
    return places[:limit]
