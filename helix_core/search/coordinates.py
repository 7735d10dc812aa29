"""Resolve the coordinates of a paste to chunks of the index: a stack trace points at its own places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from helix_core.conversation import Coordinate
from helix_core.model import Item, LineSpan, Ranked, Signal, Source
from helix_core.store import QueryBudgetError, Reader

CANDIDATES = 60
MOST_PLACES = 6
MOST_FILES_OF_A_NAME = 3
AROUND = 6
RANKER = "pasted"
"""The signal of a place that the question points at by its path and line."""


def located(coordinates: Sequence[Coordinate], reader: Reader) -> list[Ranked]:
    """Return a place for each coordinate that means one file of the index, in their order, at most ``MOST_PLACES``.

    A path counts by its ending, because a trace comes from where the code was installed: at least two of its last parts
    are those of the file, or the whole path of either is. A library's frame, which ends no file here, gives nothing.
    """
    found: dict[int, Ranked] = {}
    for one in coordinates:
        if len(found) >= MOST_PLACES:
            break
        try:
            source = _source(one.path, reader)
        except QueryBudgetError:
            continue
        if source is None:
            continue
        item = _item(reader.files.items_of(source.id), one.line)
        if item is None or item.id in found:
            continue
        first, last = max(item.start_line, one.line - AROUND), min(item.end_line, one.line + AROUND)
        focus = LineSpan(first, last) if one.line and (first, last) != (item.start_line, item.end_line) else None
        found[item.id] = Ranked(item, 1.0, (Signal(RANKER, len(found) + 1, 1.0),), focus=focus)
    return list(found.values())


def with_located(ranked: Sequence[Ranked], places: Sequence[Ranked], k: int) -> tuple[Ranked, ...]:
    """Return the places first, with the best score, then what was found besides them."""
    if not places:
        return tuple(ranked)
    best = max((one.score for one in ranked), default=1.0)
    ids = {one.item.id for one in places}
    first = [Ranked(one.item, best, one.signals, focus=one.focus) for one in places[:k]]
    return (*first, *(one for one in ranked if one.item.id not in ids))[:k]


def _source(path: str, reader: Reader) -> Source | None:
    parts = [part for part in path.split("/") if part not in {"", ".", ".."}]
    if not parts:
        return None
    named = reader.files.sources_by_id(id_ for id_, _ in reader.text.paths_like(["/".join(parts[-2:])], CANDIDATES))
    if not named:
        named = reader.files.sources_by_id(id_ for id_, _ in reader.text.paths_like([parts[-1]], CANDIDATES))
    scored = sorted(
        ((_shared(parts, source.source_id.split("/")), -len(source.source_id), source) for source in named.values()),
        key=lambda entry: (entry[0], entry[1]),
        reverse=True,
    )
    if not scored or not scored[0][0]:
        return None
    shared, _, best = scored[0]
    is_whole = shared == len(parts) or shared == len(best.source_id.split("/"))
    if len(parts) == 1:
        same = sum(one[0] == shared for one in scored)
        return best if same <= MOST_FILES_OF_A_NAME else None
    return best if is_whole or shared >= 2 else None


def _shared(parts: Sequence[str], own: Sequence[str]) -> int:
    """Return how many of the last parts of both paths are the same."""
    count = 0
    for one, other in zip(reversed(parts), reversed(own), strict=False):
        if one != other:
            break
        count += 1
    return count


def _item(items: Iterable[Item], line: int) -> Item | None:
    """Return the smallest chunk that has the line; the first chunk where there is no such line."""
    ordered = sorted(items, key=lambda item: item.start_line)
    holding = [item for item in ordered if item.start_line <= line <= item.end_line]
    if holding:
        return min(holding, key=lambda item: item.end_line - item.start_line)
    return ordered[0] if ordered and line <= ordered[-1].end_line else None
