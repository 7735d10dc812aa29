"""Which files belong to a file by fact: what it imports, what imports it, what changes together with it in git.

One hop, from a few look-ups by exact key; an import counts only where it means the file, as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from helix_core.model import Item
from helix_core.search.import_paths import Imports, means, module_of
from helix_core.store.reader import Reader

IMPORTED, IMPORTER, CHANGED = "imported by", "imports", "changes with"
MOST_EACH = 4
_MOST_TARGETS = 24
_MOST_LOOKED_AT = 48
_LAST_NAME = re.compile(r"[^\W\d][\w-]*(?=\W*(?:\.[a-z]{1,4})?$)")
_SUFFIXES = ("", ".js", ".ts", ".jsx", ".tsx")


def kin_of(reader: Reader, item: Item) -> list[tuple[str, int]]:
    """``(relation, first item)`` of the files that belong to the item's file, closest relation first.

    Raises StoreError.
    """
    source = item.source
    changed = [(CHANGED, one.source_id) for one in reader.co_changed([source.id])[:MOST_EACH]]
    imported = [(IMPORTED, id_) for id_ in _imported(reader, item)[:MOST_EACH]]
    importers = [(IMPORTER, id_) for id_ in _importers(reader, source.path)[:MOST_EACH]]
    found = [*changed, *imported, *importers]
    items = reader.first_items(id_ for _, id_ in found)
    return [(relation, items[id_]) for relation, id_ in found if id_ in items]


def _imported(reader: Reader, item: Item) -> list[int]:
    targets = reader.imports_of(item.source.id)[:_MOST_TARGETS]
    names = {found[0] for target in targets if (found := _LAST_NAME.search(target))}
    if not names:
        return []
    imports = Imports(item.source.path, targets)
    near = sorted(reader.sources_of_stems(names, _MOST_LOOKED_AT), key=lambda one: _far(one[1], item.source.path))
    return [id_ for id_, path in near if imports.mean(path)]


def _importers(reader: Reader, path: bytes) -> list[int]:
    """Those that name the file by at least two parts of its path, or from beside it."""
    found = reader.importers_of(_spellings(path), _MOST_LOOKED_AT)
    near = sorted(found, key=lambda one: _far(one[2], path))
    return list(dict.fromkeys(id_ for target, id_, importer in near if means(target, importer, path)))


def _spellings(path: bytes) -> Sequence[str]:
    """How imports usually write the module at ``path``: dotted, with ``::``, or from beside it."""
    module = module_of(path)
    if not module:
        return ()
    ends = [module[start:] for start in range(len(module) - 1)] or [module]
    beside = [f"./{module[-1]}{suffix}" for suffix in _SUFFIXES]
    return (*(".".join(parts) for parts in ends), *("::".join(parts) for parts in ends), "." + module[-1], *beside)


def _far(path: bytes, other: bytes) -> tuple[int, bytes]:
    """How many folders lie between two files, then by name."""
    one, two = path.split(b"/")[:-1], other.split(b"/")[:-1]
    shared = next((at for at, pair in enumerate(zip(one, two, strict=False)) if pair[0] != pair[1]), None)
    shared = min(len(one), len(two)) if shared is None else shared
    return len(one) + len(two) - 2 * shared, path
