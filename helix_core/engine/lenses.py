"""A line for each definition of a file: how often it is used, how often tested, and whether it still stands so.

In: a path and the editor's buffers. Out: one value a definition, in the order of the file. Totals are the index's and
by name: where several places define a name, its uses cannot be told apart; ``same_name`` says how many there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from helix_core.engine.symbol_place import Spot, weigh_spots
from helix_core.engine.weigher import Weigher
from helix_core.model import Source, SourceKind
from helix_core.store.hits import DefinitionHit
from helix_core.store.names import UseTotals
from helix_core.store.reader import Reader

MOST_LENSES = 300
_NONE = UseTotals(0, 0)
_NO_LENS = frozenset(
    {"constant", "entry", "field", "key", "property", "rule", "section", "suite", "table", "test", "variable"}
)


def lenses(path: bytes, reader: Reader, weigher: Weigher) -> list[dict[str, Any]]:
    """``{symbol, start_line, uses, tests, same_name, status, reason}`` of each function, class and method.

    ``start_line`` is the buffer's where one is open. Empty for what is not indexed, or is not there any more.
    """
    source = _looked_at(path, reader, weigher)
    if source is None:
        return []
    shown = _shown(reader.defined_in(source.id))
    items = reader.items([hit.item_id for hit, _ in shown])
    spots = [
        Spot(items[hit.item_id], hit.start_line, hit.end_line, symbol) for hit, symbol in shown if hit.item_id in items
    ]
    totals = _totals({hit.name for hit, _ in shown}, reader)
    found = []
    for place in weigh_spots(weigher, spots):
        if place is not None:
            name = place.spot.symbol.rpartition(".")[2]
            used, defined = totals[name]
            found.append(
                {
                    "symbol": place.spot.symbol,
                    "start_line": place.buffer.start_line if place.buffer else place.spot.start_line,
                    "uses": max(used.users - defined.users, 0),
                    "tests": max(used.tests - defined.tests, 0),
                    "same_name": defined.users + defined.tests,
                    "status": place.verdict.status.value,
                    "reason": place.verdict.reason.value,
                }
            )
    return found


def _looked_at(path: bytes, reader: Reader, weigher: Weigher) -> Source | None:
    """The source as the index knows it after a look at its file, which may have mended the index."""
    source = reader.source(path)
    if source is None or source.source_kind is not SourceKind.CODE:
        return None
    return None if weigher.observer.look(source).file is None else reader.source(path)


def _shown(definitions: Iterable[DefinitionHit]) -> list[tuple[DefinitionHit, str]]:
    """Functions and classes at the top, methods one level below, each with its dotted name; no ``__dunder__``."""
    shown: list[tuple[DefinitionHit, str]] = []
    around: list[DefinitionHit] = []
    for hit in definitions:
        around = [outer for outer in around if outer.start_line <= hit.start_line and hit.end_line <= outer.end_line]
        if len(around) < 2 and hit.kind not in _NO_LENS and not _is_called_by_the_language(hit.name):
            shown.append((hit, ".".join([*(outer.name for outer in around), hit.name])))
        if hit.kind not in _NO_LENS:
            around.append(hit)
    return shown[:MOST_LENSES]


def _is_called_by_the_language(name: str) -> bool:
    """Nobody uses ``__init__`` by its name."""
    return name.startswith("__") and name.endswith("__")


def _totals(names: Iterable[str], reader: Reader) -> dict[str, tuple[UseTotals, UseTotals]]:
    """By name: how many items use it and how many of those do because they define it."""
    asked: Sequence[str] = sorted(names)
    defined = reader.definition_totals(asked)
    return {name: (reader.use_totals(name), defined.get(name.lower(), _NONE)) for name in asked}
