"""What stands around a definition: who uses it, what tests it, which documents mean it, who imports its file.

In: the chosen definitions. Out: spots whose text was read just now and holds the name as it is written, and totals as
the index counts them, which folds case. At most a handful of files is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from helix_core.engine.observe import Observer
from helix_core.engine.symbol_place import Spot
from helix_core.engine.symbol_text import line_of_mention, line_of_use
from helix_core.model import Item, Role
from helix_core.search.import_paths import means, module_of
from helix_core.store.names import DefinedAt, UseTotals
from helix_core.store.reader import Reader

SHOWN = 5
SHOWN_PER_FILE = 2
USES_TRIED = 24
FILES_TRIED = 8
DOCUMENTS_TRIED = 40
DOCUMENT_FILES_TRIED = 6
LineOf = Callable[[bytes, Item], int]


@dataclass(frozen=True, slots=True)
class Uses:
    """The nearest places, and how many there are."""

    spots: tuple[Spot, ...] = ()
    total: int = 0


class Around:
    """Of one name. ``candidates`` are all that define it, ``meant`` those that are meant, best first."""

    def __init__(
        self,
        reader: Reader,
        observer: Observer,
        name: str,
        *,
        meant: Sequence[DefinedAt],
        candidates: Sequence[DefinedAt],
    ) -> None:
        self._reader, self._observer = reader, observer
        self._name = name
        self._meant = meant
        self._candidates = candidates
        self._path = meant[0].path

    def definitions(self) -> list[Spot]:
        """The definitions that are meant, as the index has them."""
        items = self._reader.items([one.hit.item_id for one in self._meant])
        spots = []
        for one in self._meant:
            item = items.get(one.hit.item_id)
            if item is not None:
                self._observer.look(item.source)
                spots.append(Spot(item, one.hit.start_line, one.hit.end_line, _qualified(one)))
        return spots

    @cached_property
    def importing(self) -> frozenset[int]:
        """Sources that import the file of the first definition, by its own name or out of its package."""
        *package, stem = module_of(self._path) or ("",)
        whole = self._reader.importing(stem, package[-1] if package else "")
        found = {id_ for target, id_, path in whole if means(target, path, self._path)}
        if package:
            parts = self._reader.importing_from(package[-1], stem)
            folder = "/".join((*package, "__init__")).encode()
            found |= {id_ for target, id_, path in parts if means(target, path, folder, is_named=True)}
        return frozenset(found)

    def users(self) -> Uses:
        """Who uses the name outside tests: first in the definition's file, then its folder, then who imports it."""
        return self._used(self._uses(in_tests=False), self._totals.users, in_tests=False)

    def tests(self) -> Uses:
        """What of the tests uses the name: those that import its file and bear its name first."""
        uses = self._uses(in_tests=True)
        linked = self._reader.tests_linked([self._name, _qualified(self._meant[0])], USES_TRIED)
        items = self._reader.items([*uses, *linked])
        ranked = sorted(
            items, key=lambda id_: (items[id_].source.id not in self.importing, id_ not in linked, id_ not in uses)
        )
        found = self._used(ranked, self._totals.tests, in_tests=True)
        return Uses(found.spots, max(found.total, len(found.spots)))

    def documents(self) -> list[Spot]:
        """Documents that write the name as code; those about it by their heading first."""
        best = self._meant[0]
        asked = [".".join((best.trail[-1], self._name))] if best.trail else []
        ids: dict[int, None] = {}
        for text in (*asked, self._name):
            ids.update(dict.fromkeys(self._reader.documents_saying(text, DOCUMENTS_TRIED)))
        items = self._reader.items(list(ids))
        ranked = sorted(items.values(), key=lambda item: self._name not in item.name)
        line = partial(_line_of_mention, names=(*asked, self._name))
        return self._spots(ranked, line, DOCUMENT_FILES_TRIED)[0]

    @cached_property
    def _totals(self) -> UseTotals:
        return self._reader.use_totals(self._name)

    def _uses(self, *, in_tests: bool) -> list[int]:
        return self._reader.uses(
            self._name,
            in_tests=in_tests,
            near=self._path,
            importing=self.importing,
            defining={one.hit.item_id for one in self._candidates},
            limit=USES_TRIED,
        )

    def _used(self, ids: Iterable[int], total: int, *, in_tests: bool) -> Uses:
        """``total`` counts what the index cannot tell from uses: definitions are taken off, and where every use was
        looked at, only those count that were seen."""
        tried = list(ids)
        items = self._reader.items(tried)
        own: dict[int, set[int]] = {}
        for one in self._candidates:
            own.setdefault(one.hit.item_id, set()).update(range(one.hit.start_line, one.hit.end_line + 1))

        def line(data: bytes, item: Item) -> int:
            return line_of_use(data, item, self._name, own.get(item.id, ()))

        spots, seen, is_all = self._spots([items[id_] for id_ in tried if id_ in items], line, FILES_TRIED)
        if is_all and len(tried) < USES_TRIED:
            return Uses(tuple(spots), seen)
        defining = {one.hit.item_id for one in self._candidates if (one.role is Role.TEST) == in_tests}
        return Uses(tuple(spots), max(total - len(defining), seen))

    def _spots(self, items: Sequence[Item], line_of: LineOf, files: int) -> tuple[list[Spot], int, bool]:
        """The first items whose text, as it is on disk now, has the name on a line that counts; how many of those
        looked at have, and whether all were looked at."""
        spots: list[Spot] = []
        per_file: Counter[bytes] = Counter()
        seen, is_all = 0, True
        for item in items:
            path = item.source.path
            if path not in per_file and (len(per_file) == files or len(spots) == SHOWN):
                is_all = False
                continue
            per_file[path] += 0
            file = self._observer.look(item.source).file
            # A file that changed and was not ingested anew is told of when the index knows it again.
            stands = file is not None and file.content_hash == item.source.content_hash
            line = line_of(file.data, item) if file is not None and stands else 0
            if line:
                seen += 1
                if per_file[path] < SHOWN_PER_FILE and len(spots) < SHOWN:
                    per_file[path] += 1
                    spots.append(Spot(item, line, line, item.symbol))
        return spots, seen, is_all


def _qualified(one: DefinedAt) -> str:
    return ".".join((*one.trail, one.hit.name))


def _line_of_mention(data: bytes, item: Item, names: Sequence[str]) -> int:
    return next((line for name in names if (line := line_of_mention(data, item, name))), 0)
