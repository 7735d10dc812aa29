"""One hop from what was found: tests, users, documents and kin of the best items, never above a direct hit."""

from __future__ import annotations

from collections.abc import Sequence

from helix_core.model import Item, Ranked, Signal
from helix_core.search.kin import kin_of
from helix_core.store.reader import Reader
from helix_core.words import IDENTIFIER, is_compound

HOPS_FROM = 3
LINKS_EACH = 20


def related_items(reader: Reader, direct: Sequence[Ranked], room: int) -> list[Ranked]:
    """At most ``room`` items linked to the first direct ones, from files not yet in the answer, below all of them.

    Raises QueryBudgetError when finding out who uses a name takes too much work.
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
        if len(found) == room:
            break
    return found


def _linked(reader: Reader, item: Item) -> list[tuple[str, int]]:
    linked: list[tuple[str, int]] = []
    if item.name:
        linked += [("tests of", id_) for id_ in reader.tests_of(item.name, LINKS_EACH)]
    if IDENTIFIER.fullmatch(item.name):
        linked += [("uses of", id_) for id_ in reader.references(item.name, LINKS_EACH)]
        # A document that says one common word means many things by it.
        if is_compound(item.name):
            linked += [("documents", id_) for id_ in reader.documents_saying(item.name, LINKS_EACH)]
    return linked + kin_of(reader, item)
