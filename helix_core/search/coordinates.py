"""Resolve the coordinates of a paste to chunks of the index: a stack trace points at its own places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from helix_core.conversation import Coordinate
from helix_core.model import Item, LineSpan, Ranked, Role, Signal, Source
from helix_core.store import QueryBudgetError, Reader
from helix_core.words import is_compound, lazy_pattern

CANDIDATES = 60
MOST_PLACES = 6
MOST_FILES_OF_A_NAME = 3
LEAST_BESIDE = 0.25
"""Share of the best score that a place other than those of a paste must have."""
MOST_BESIDE = 6
AROUND = 6
PASTED_RANKER = "pasted"
"""The signal of a place that the question points at by its path and line, or by the function of a built bundle."""
_BUILT = re.compile(
    r"(?:^|/)(?:node_modules|dist|build|bundles?|out)/|\.(?:min|bundle|umd|esm|cjs|iife|global)(?:[.-]\w+)*\.js$|\.[cm]js$"
)
_NOT_OF_THE_JVM = lazy_pattern(
    r"/(?:js|wasm\w*|native|apple|ios\w*|macos\w*|tvos\w*|watchos\w*|linux\w*|mingw\w*)Main/", cues="main/"
)
"""Source sets of Kotlin that never run on a JVM, which alone prints ``(File.kt:36)``."""


def located(coordinates: Sequence[Coordinate], reader: Reader, ranked: Sequence[Ranked] = ()) -> list[Ranked]:
    """Return a place for each coordinate that means one file of the index, in their order, at most ``MOST_PLACES``.
    One without a line means its name's definition in the file, or else the best place of ``ranked`` there.

    A path counts by its ending, because a trace comes from where the code was installed: at least two of its last parts
    are those of the file, or the whole path of either is. A library's frame, which ends no file here, gives nothing. A
    built bundle has no file here either: its function counts where one file of the implementation defines it.
    """
    found: dict[int, Ranked] = {}
    for one in coordinates:
        try:
            pointed = list(_pointed(one, reader, ranked))
        except QueryBudgetError:
            continue
        for item, line in pointed:
            if item.id not in found and len(found) < MOST_PLACES:
                focus = _focus(item, line)
                found[item.id] = Ranked(item, 1.0, (Signal(PASTED_RANKER, len(found) + 1, 1.0),), focus=focus)
    return list(found.values())


def _pointed(one: Coordinate, reader: Reader, ranked: Sequence[Ranked]) -> Iterator[tuple[Item, int]]:
    """Yield the chunks that a coordinate means, each with the line that it points at."""
    sources = _sources(one.path, reader)
    for source in sources:
        if not one.line:
            yield from _unnumbered(one, source, reader, ranked)
            continue
        item = _item(reader.files.items_of(source.id), one.line)
        if one.symbol and not (item is not None and _is_of(item, one.symbol)):
            moved = _nearest(one, source, reader)
            if moved is not None:
                yield moved
                continue
        if item is not None:
            yield item, one.line
    if not sources and is_compound(one.symbol) and is_built(one.path):
        hits = [hit for hit in reader.names.definitions([one.symbol.lower()]) if hit.name == one.symbol]
        items = reader.files.items([hit.item_id for hit in hits])
        own = [
            (items[hit.item_id], hit.start_line)
            for hit in hits
            if hit.item_id in items and items[hit.item_id].source.role is Role.IMPLEMENTATION
        ]
        if len({item.source.source_id for item, _ in own}) == 1:
            yield own[0]


def _is_of(item: Item, symbol: str) -> bool:
    """Return whether a chunk is the function of a frame, or inside it."""
    return symbol.rpartition(".")[2] in item.chain.split(".")


def _nearest(one: Coordinate, source: Source, reader: Reader) -> tuple[Item, int] | None:
    """Return the definition of a frame's function that is nearest to its line, with the line to show; None where the
    file has none, or has the line in it. A trace is of the code as it ran, whose lines may have moved since.
    """
    name = one.symbol.rpartition(".")[2]
    hits = [hit for hit in reader.names.defined_in(source.id) if hit.name == name]
    if not hits or any(hit.start_line <= one.line <= hit.end_line for hit in hits):
        return None
    hit = min(hits, key=lambda hit: (abs(hit.start_line - one.line), hit.start_line))
    item = reader.files.items([hit.item_id]).get(hit.item_id)
    return None if item is None else (item, hit.start_line)


def is_built(path: str) -> bool:
    """Return whether a path is that of a built bundle, whose lines are those of no file here."""
    return _BUILT.search(path) is not None


def _unnumbered(
    one: Coordinate, source: Source, reader: Reader, ranked: Sequence[Ranked]
) -> Iterator[tuple[Item, int]]:
    """Yield the chunk of a file that a coordinate without a line means, with the line to show."""
    owner, _, name = one.symbol.rpartition(".")
    hits = reader.names.defined_in(source.id) if name else []
    owners = [hit for hit in hits if hit.name == owner.rpartition(".")[2]]
    named = [hit for hit in hits if hit.name == name]
    owned = [hit for hit in named if any(of.start_line <= hit.start_line <= of.end_line for of in owners)]
    for hit in (owned or named)[:1]:
        yield reader.files.items([hit.item_id])[hit.item_id], hit.start_line
        return
    for best in ranked:
        if best.item.source.id == source.id:
            yield best.item, best.lines.start_line
            return
    if (first := _item(reader.files.items_of(source.id), 1)) is not None:
        yield first, 0


def _focus(item: Item, line: int) -> LineSpan | None:
    """Return the lines around a line of a chunk; None for a chunk that is no longer, or does not have it."""
    first, last = max(item.start_line, line - AROUND), min(item.end_line, line + AROUND)
    is_part = item.start_line <= line <= item.end_line and (first, last) != (item.start_line, item.end_line)
    return LineSpan(first, last) if is_part else None


def with_located(ranked: Sequence[Ranked], places: Sequence[Ranked], k: int) -> tuple[Ranked, ...]:
    """Return the places first, with the best score, then what was found besides them and comes near to it.

    A paste says where to look: the tail of a search for its words is noise. What it names exactly always counts.
    """
    if not places:
        return tuple(ranked)
    best = max((one.score for one in ranked), default=1.0)
    ids = {one.item.id for one in places}
    first = [Ranked(one.item, best, one.signals, focus=one.focus) for one in places[:k]]
    beside = [one for one in ranked if one.item.id not in ids and _is_near(one, best)]
    return (*first, *beside[:MOST_BESIDE])[:k]


def _is_near(one: Ranked, best: float) -> bool:
    return one.score >= LEAST_BESIDE * best or any(signal.ranker == "exact" for signal in one.signals)


def _sources(path: str, reader: Reader) -> list[Source]:
    """Return the files that a path means: one, or a few of one name where the path is a name alone."""
    parts = [part for part in path.split("/") if part not in {"", ".", ".."}]
    if not parts:
        return []
    if len(parts) == 2 and parts[1].endswith(".swift"):
        # Swift prints a file behind its module, whatever its folder is.
        parts = parts[1:]
    named = reader.files.sources_by_id(id_ for id_, _ in reader.text.paths_like(["/".join(parts[-2:])], CANDIDATES))
    if not named:
        named = reader.files.sources_by_id(id_ for id_, _ in reader.text.paths_like([parts[-1]], CANDIDATES))
    scored = sorted(
        ((_shared(parts, source.source_id.split("/")), -len(source.source_id), source) for source in named.values()),
        key=lambda entry: (entry[0], not _NOT_OF_THE_JVM.search(entry[2].source_id), entry[1]),
        reverse=True,
    )
    if not scored or not scored[0][0]:
        return []
    shared, _, best = scored[0]
    is_whole = shared == len(parts) or shared == len(best.source_id.split("/"))
    if len(parts) == 1:
        same = [source for one, _, source in scored if one == shared]
        return same if len(same) <= MOST_FILES_OF_A_NAME else []
    return [best] if is_whole or shared >= 2 else []


def _shared(parts: Sequence[str], own: Sequence[str]) -> int:
    """Return how many of the last parts of both paths are the same."""
    count = 0
    for one, other in zip(reversed(parts), reversed(own), strict=False):
        if one != other:
            break
        count += 1
    return count


def _item(items: Iterable[Item], line: int) -> Item | None:
    """Return the smallest chunk that has the line; the nearest one where a line of the file is in none."""
    ordered = sorted(items, key=lambda item: item.start_line)
    holding = [item for item in ordered if item.start_line <= line <= item.end_line]
    if holding:
        return min(holding, key=lambda item: item.end_line - item.start_line)
    if not ordered or line > ordered[-1].end_line:
        return None
    return min(ordered, key=lambda item: max(item.start_line - line, line - item.end_line))
