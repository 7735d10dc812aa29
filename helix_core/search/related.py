"""Related files, one link away from the results: tests, users, documents, imports, co-changed files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from helix_core.model import Item, Ranked, Signal
from helix_core.search.import_paths import Imports, module_of, resolves_to
from helix_core.store import Reader
from helix_core.words import IDENTIFIER, is_compound

IMPORTED, IMPORTER, CHANGED = "imported by", "imports", "changes with"
MOST_EACH = 4
_MOST_TARGETS = 24
_MOST_LOOKED_AT = 48
_LAST_NAME = re.compile(r"[^\W\d][\w-]*(?=\W*(?:\.[a-z]{1,4})?$)")
_SUFFIXES = ("", ".js", ".ts", ".jsx", ".tsx")


def related_sources(reader: Reader, item: Item) -> list[tuple[str, int]]:
    """Return ``(relation, first item)`` of files related to the item's file, closest relation first.

    Raises StoreError.
    """
    source = item.source
    changed = [(CHANGED, one.source_id) for one in reader.related.co_changed([source.id])[:MOST_EACH]]
    imported = [(IMPORTED, id_) for id_ in _imported(reader, item)[:MOST_EACH]]
    importers = [(IMPORTER, id_) for id_ in _importers(reader, source.path)[:MOST_EACH]]
    found = [*changed, *imported, *importers]
    items = reader.related.first_items(id_ for _, id_ in found)
    return [(relation, items[id_]) for relation, id_ in found if id_ in items]


def _imported(reader: Reader, item: Item) -> list[int]:
    targets = reader.names.imports_of(item.source.id)[:_MOST_TARGETS]
    names = {found[0] for target in targets if (found := _LAST_NAME.search(target))}
    if not names:
        return []
    imports = Imports(item.source.path, targets)
    near = sorted(
        reader.related.sources_of_stems(names, _MOST_LOOKED_AT),
        key=lambda one: _folder_distance(one[1], item.source.path),
    )
    return [id_ for id_, path in near if imports.include(path)]


def _importers(reader: Reader, path: bytes) -> list[int]:
    """Return importers that name the file by at least two parts of its path, or from its own folder."""
    found = reader.related.importers_of(_spellings(path), _MOST_LOOKED_AT)
    near = sorted(found, key=lambda one: _folder_distance(one[2], path))
    return list(dict.fromkeys(id_ for target, id_, importer in near if resolves_to(target, importer, path)))


def _spellings(path: bytes) -> Sequence[str]:
    """Return the usual import targets of the module at ``path``: dotted, with ``::``, or relative."""
    module = module_of(path)
    if not module:
        return ()
    ends = [module[start:] for start in range(len(module) - 1)] or [module]
    beside = [f"./{module[-1]}{suffix}" for suffix in _SUFFIXES]
    return (*(".".join(parts) for parts in ends), *("::".join(parts) for parts in ends), "." + module[-1], *beside)


def _folder_distance(path: bytes, other: bytes) -> tuple[int, bytes]:
    """Return a sort key: the number of folders between two files, then the name."""
    one, two = path.split(b"/")[:-1], other.split(b"/")[:-1]
    shared = next((at for at, pair in enumerate(zip(one, two, strict=False)) if pair[0] != pair[1]), None)
    shared = min(len(one), len(two)) if shared is None else shared
    return len(one) + len(two) - 2 * shared, path


HOPS_FROM = 3
LINKS_EACH = 20


def related_items(reader: Reader, direct: Sequence[Ranked], room: int) -> list[Ranked]:
    """Return at most ``room`` items linked to the first direct results, from files not yet in the answer, ranked below
    all of them.

    Raises QueryBudgetError when the query for references exceeds its budget.
    """
    if room <= 0 or not direct:
        return []
    seen = {one.item.source.id for one in direct}
    score = min(one.score for one in direct)
    found: list[Ranked] = []
    for linked in _linked(reader, [one.item for one in direct[:HOPS_FROM]]):
        items = reader.files.items([item_id for _, item_id in linked]) if linked else {}
        for relation, item_id in linked:
            item = items.get(item_id)
            if item is None or item.source.id in seen:
                continue
            seen.add(item.source.id)
            score *= 0.9
            found.append(Ranked(item, score, (Signal(relation, len(found) + 1, 1.0),), related=True))
            if len(found) == room:
                return found
    return found


def _linked(reader: Reader, items: Sequence[Item]) -> Iterator[list[tuple[str, int]]]:
    """Yield ``(relation, item)`` of each item by relation, the closest first: each costs queries, and the first may
    suffice. What is related to a name or a file is looked up once.
    """
    names: set[str] = set()
    files: set[int] = set()
    for item in items:
        if item.name and item.name not in names:
            names.add(item.name)
            yield from _linked_to_name(reader, item.name)
        if item.source.id not in files:
            files.add(item.source.id)
            yield related_sources(reader, item)


def _linked_to_name(reader: Reader, name: str) -> Iterator[list[tuple[str, int]]]:
    yield [("tests of", id_) for id_ in reader.names.tests_of(name, LINKS_EACH)]
    if IDENTIFIER.fullmatch(name):
        yield [("uses of", id_) for id_ in reader.text.references(name, LINKS_EACH)]
        # In documents, one common word has many meanings.
        if is_compound(name):
            yield [("documents", id_) for id_ in reader.uses.documents_mentioning(name, LINKS_EACH)]
