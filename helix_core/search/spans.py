"""From scored places to what is shown: which ones, in which order, and which of their lines. Pure.

The first places are what an agent reads: they cover at most ``LINES_SHOWN`` lines together, whatever a chunk's size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from helix_core.model import LineSpan
from helix_core.search.second_stage import Scored
from helix_core.store.lexical import InnerPlace, Spots

ITEMS_PER_FILE = 3
NEXT_ITEM_FACTOR = 0.75
GROUP = 5
LINES_SHOWN = 120
LONGEST = 60
HEAD_LINES = 4
HEAD_SHARE = 0.5
"""What the head of a definition is worth beside the words found elsewhere in it, as a share of all that is found."""


@dataclass(frozen=True, slots=True)
class Place:
    """A chunk chosen for the answer and the score of its place; ``lines`` where not the whole chunk is meant."""

    item_id: int
    source_id: int
    score: float
    lines: LineSpan | None = None


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


def spread(scored: Sequence[Scored], limit: int) -> list[Scored]:
    """At most ``limit`` of the places, in the order they are shown.

    The best file's best place leads. The first ``GROUP`` are the likeliest of the ``GROUP`` best files, at most
    ``ITEMS_PER_FILE`` of one; then comes each file that was not yet shown, in its order, and then the rest.
    """
    order = sorted(scored, key=lambda one: -one.score)
    first = next((one for one in order if one.file_rank == 0), None)
    order = [first, *(one for one in order if one is not first)] if first is not None else order
    shown: list[Scored] = []
    taken: dict[int, int] = {}

    def show(one: Scored) -> None:
        shown.append(one)
        taken[one.file_rank] = taken.get(one.file_rank, 0) + 1

    for one in order:
        if one.file_rank >= GROUP or len(shown) >= min(GROUP, limit):
            continue
        if taken.get(one.file_rank, 0) < ITEMS_PER_FILE:
            show(one)
    for one in sorted(order, key=lambda one: one.file_rank):
        if len(shown) < limit and one.file_rank not in taken:
            show(one)
    seen = {one.place.id for one in shown}
    for one in order:
        if len(shown) < limit and one.place.id not in seen and taken[one.file_rank] < ITEMS_PER_FILE:
            show(one)
    return shown


def falling(places: Sequence[Place]) -> list[Place]:
    """The places in their order, none with a higher score than the one before it."""
    found: list[Place] = []
    for place in places:
        found.append(replace(place, score=min(place.score, found[-1].score)) if found else place)
    return found


def shares(lengths: Sequence[int], total: int = LINES_SHOWN, longest: int = LONGEST) -> list[int]:
    """How many lines each may show when all together show at most ``total``: short ones all, long ones equally many."""
    wanted = [min(length, longest) for length in lengths]
    left, cap = total, longest
    for number, length in enumerate(sorted(wanted)):
        cap = left // (len(wanted) - number)
        if length > cap:
            break
        left -= length
    else:
        return wanted
    return [min(length, cap) for length in wanted]


def narrow(place: InnerPlace, count: int, spots: Spots | None, weights: Sequence[float]) -> LineSpan | None:
    """The ``count`` lines of a place that hold most of the question; None where that is all of it.

    ``weights`` is what each phrase of ``spots`` tells. A definition begins where its head is, unless what is found
    further down outweighs it. Where a word stands is known in tokens, so a line is an estimate.
    """
    lines = place.end_line - place.start_line + 1
    if count >= lines:
        return None
    found = _found_lines(lines, spots) if spots is not None else []
    has_head = bool(place.name) and place.name in place.defines
    best, start = -1.0, 0
    for first in range(lines - count + 1):
        held = {phrase for phrase, line in found if first <= line < first + count}
        value = sum(weights[phrase] for phrase in held if phrase < len(weights))
        if first == 0:
            value += HEAD_SHARE * sum(weights) if has_head else 0.0
        if value > best:
            best, start = value, first
    return LineSpan(place.start_line + start, place.start_line + start + count - 1)


def _found_lines(lines: int, spots: Spots) -> list[tuple[int, int]]:
    """``(phrase, line from 0)``: comments and docstrings are taken to stand between the head and the body."""
    total = max(1, spots.body_tokens + spots.doc_tokens)
    head = min(spots.body_tokens, max(1, spots.body_tokens * HEAD_LINES // max(lines, HEAD_LINES)))
    found = []
    for phrase, offset in spots.body:
        at = offset if offset < head else offset + spots.doc_tokens
        found.append((phrase, min(lines - 1, at * lines // total)))
    found += [(phrase, min(lines - 1, (head + offset) * lines // total)) for phrase, offset in spots.doc]
    return found
