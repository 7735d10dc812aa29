"""One hop from what was found: tests and users of the best items, never above a direct hit."""

from __future__ import annotations

from collections.abc import Sequence

from helix_core.model import Item, Ranked, Signal
from helix_core.store.reader import Reader
from helix_core.words import IDENTIFIER

HOPS_FROM = 3
LINKS_EACH = 20


def related_items(reader: Reader, direct: Sequence[Ranked], room: int) -> list[Ranked]:
    """At most ``room`` items linked to the first direct ones, from files not yet in the answer, below all of them.

    Raises QueryTimeoutError when the index takes too long to say who uses a name.
    """
    if room <= 0 or not direct:
        return []
    seen = {one.item.source.id for one in direct}
    score = min(one.score for one in direct)
    found: list[Ranked] = []
    for one in direct[:HOPS_FROM]:
        linked = _linked(reader, one.item)
        items = reader.items([item_id for _, item_id in linked])
        for relation, item_id in linked:
            item = items.get(item_id)
            if item is None or item.source.id in seen or len(found) == room:
                continue
            seen.add(item.source.id)
            score *= 0.9
            found.append(Ranked(item, score, (Signal(relation, len(found) + 1, 1.0),), related=True))
    return found


def _linked(reader: Reader, item: Item) -> list[tuple[str, int]]:
    if not item.name:
        return []
    linked = [("tests of", id_) for id_ in reader.tests_of(item.name, LINKS_EACH)]
    if IDENTIFIER.fullmatch(item.name):
        linked += [("uses of", id_) for id_ in reader.references(item.name, LINKS_EACH)]
    return linked
