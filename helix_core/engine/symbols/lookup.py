"""Look up a symbol: definitions, users, tests, documents, importers (``helix.symbol/1``)."""

from __future__ import annotations

import dataclasses
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from types import MappingProxyType
from typing import Any

from helix_core.engine.requests import USES_SHOWN, PageCursor
from helix_core.engine.symbols.choice import (
    CursorContext,
    LikelyDefinitions,
    NameQuery,
    chain_of,
    choose,
    owners_note,
    parse_name,
)
from helix_core.engine.symbols.former import former_definitions
from helix_core.engine.symbols.hierarchy import WITHOUT_BASES, ClassHierarchy
from helix_core.engine.symbols.place import Spot, SymbolPlace, lead_line, weigh_spots
from helix_core.engine.symbols.uses import Standing, UseJudge
from helix_core.engine.verdict import (
    Weigher,
    line_of_mention,
    line_on_disk,
    lines_of_import,
    lines_of_use,
    owners_in,
    whole_word,
)
from helix_core.ingest import ParseGuard, language_of
from helix_core.lines import LineTable
from helix_core.model import FUNCTIONS, Item, Overlays, Role
from helix_core.search import Imports, module_of, resolves_to
from helix_core.store import DefinedAt, DefinitionHit, Reader, UseTotals
from helix_core.words import split_identifier
from helix_core.workspace import BlamedLines, Git, LineHistory, source_id_of

SHOWN_PER_FILE = 2
USES_TRIED = 24
USES_COUNTED = 200
"""Candidates of each kind examined for a look-up with a limit: where there are fewer, totals are exact."""
FILES_TRIED = 8
OVERRIDES_COUNTED = 200
"""Methods of a name whose classes are read for their bases in a look-up with a limit; else twice as many as are shown,
because a hover waits for them."""
DOCUMENTS_TRIED = 40
DOCUMENT_FILES_TRIED = 6
MOST_BY_NAME = 3
"""A hover lists so many places of which the name alone says that they are uses where others have the name too."""
_CONSTRUCTORS = frozenset(("__init__", "__construct", "constructor", "initialize"))
"""Methods that are called by the name of their class."""
_SPACES = frozenset(("module", "namespace"))
_VALUES = frozenset(("constant", "entry", "field", "key", "property", "variable"))


@dataclass(frozen=True, slots=True)
class UsedLine:
    """A line that counts, 1-based; ``by_name`` where only the name says so. ``symbol`` is that of the place."""

    line: int
    by_name: bool = False
    symbol: str = ""


LinesOf = Callable[[bytes, Item], Sequence[UsedLine]]


@dataclass(frozen=True, slots=True)
class Uses:
    """The nearest places, and the total number: exact where ``is_counted``, which says that all were looked at and that
    none is in doubt. ``before`` are those of the pages before, and ``is_last`` says that no other page has more.
    """

    spots: tuple[Spot, ...] = ()
    total: int = 0
    is_counted: bool = True
    before: tuple[Spot, ...] = ()
    is_last: bool = True


class NameNeighborhood:
    """The definitions, uses, tests and documents of one name.

    ``candidates`` are all that define it, ``meant`` those that are meant, best first. With ``counts``
    up to ``USES_COUNTED`` uses are examined, however few are shown, and those after the first ``offset`` can be asked
    for: of each kind a page has at most ``shown``. Without ``as_owner`` a line that names it only before a member
    (``Name.member``) is no use of it, and without ``in_imports`` no import is. ``moved`` is where what is meant is now,
    and ``packages`` are those of files that are not there any more.
    """

    def __init__(
        self,
        reader: Reader,
        weigher: Weigher,
        name: str,
        *,
        meant: Sequence[DefinedAt],
        candidates: Sequence[DefinedAt],
        shown: int = USES_SHOWN,
        counts: bool = False,
        offset: int = 0,
        as_owner: bool = True,
        in_imports: bool = True,
        moved: Sequence[DefinedAt] = (),
        packages: Mapping[bytes, str] = MappingProxyType({}),
    ) -> None:
        self._reader, self._weigher, self._observer = reader, weigher, weigher.observer
        self._offset, self._as_owner, self._in_imports = offset, as_owner, in_imports
        self._moved, self._packages = moved, packages
        self._name = name
        self._definitions = meant
        self._candidates = candidates
        self._path = meant[0].path
        self._shown = shown
        self._counts = counts
        self._hierarchy = ClassHierarchy(reader, weigher, self._path, reads_all=counts)
        self._unlisted = 0
        self._using_known: dict[bool, tuple[list[int], list[int]]] = {}
        self._tried = max(USES_COUNTED if counts else USES_TRIED, 3 * shown)

    def definitions(self) -> list[Spot]:
        """The definitions that are meant, as the index has them."""
        return self._defined(self._definitions)

    def same_name(self) -> Uses:
        """Return the other definitions of the name outside tests: overrides first, then namesakes."""
        overrides = self._overrides
        others = [*overrides, *(one for one in self._others if one not in overrides)]
        return self._page(self._defined(others[: self._end]), is_last=len(others) <= self._end)

    def overrides(self) -> Uses:
        """Return the methods of the name in classes below the method's class: those that have it, or a class below it,
        among their bases. Where several classes have a base's name, imports tell which it is.

        Without ``counts`` only files that name the method's class, or one that overrides it, are read for that.
        """
        return self._page(self._defined(self._overrides[: self._end]), is_last=len(self._overrides) <= self._end)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return why overrides and uses are missing; call it after them."""
        return (*self._missing_overrides, *self._missing_uses, *self._uses_of_class)

    @property
    def unlisted(self) -> int:
        """Return how many lines have the name and are not listed, because nothing tells whose it is there; call it
        after ``users`` and ``tests``.
        """
        return self._unlisted

    @property
    def _uses_of_class(self) -> tuple[str, ...]:
        if not self.is_constructor:
            return ()
        owner = ".".join(self._definitions[0].trail)[:80]
        return (f"who makes a {owner} calls its constructor, too: ask who uses {owner}",)

    @property
    def is_constructor(self) -> bool:
        """Return whether calls of a class, which are not listed, are uses of what is meant."""
        return all(one.trail and one.hit.name in _CONSTRUCTORS for one in self._definitions)

    @property
    def _missing_uses(self) -> tuple[str, ...]:
        if not self._unlisted:
            return ()
        have = "line more has" if self._unlisted == 1 else "lines more have"
        return (
            f"{self._unlisted} {have} the name {self._name[:80]}, of which the text does not tell whose it is; "
            "find them with grep",
        )

    @property
    def _missing_overrides(self) -> tuple[str, ...]:
        first = self._definitions[0]
        language = _language(first.path)
        if language in WITHOUT_BASES and first.trail and any(one.trail for one in self._others):
            return (
                f"overrides are not listed in {language.capitalize()}, where no type names what it extends: "
                "look at same_name",
            )
        if untold := self._hierarchy.untold:
            count = f"{len(untold)} file{'s' if len(untold) > 1 else ''}"
            return (f"{count} could not be checked for overrides within the time: look at same_name",)
        return ()

    @cached_property
    def _others(self) -> list[DefinedAt]:
        """The definitions of the name outside tests that are not meant."""
        return [
            candidate
            for candidate in self._candidates
            if candidate not in self._definitions and candidate.role is not Role.TEST
        ]

    @cached_property
    def _overrides(self) -> list[DefinedAt]:
        hierarchy = self._hierarchy
        owners = hierarchy.owners(self._definitions)
        own = {(definition.path, definition.trail) for definition in self._definitions}
        name = self._definitions[0].hit.name
        methods = [
            one for one in self._others if one.trail and one.hit.name == name and (one.path, one.trail) not in own
        ][: OVERRIDES_COUNTED if self._counts else 2 * self._shown]
        found: list[DefinedAt] = []
        while owners:
            more = [
                method
                for method in methods
                if method not in found
                and hierarchy.extends((method.path, method.trail), owners, line=method.hit.start_line)
            ]
            found += more
            owners = hierarchy.owners(more)
        return [method for method in methods if method in found]

    @property
    def _end(self) -> int:
        return self._offset + self._shown

    def _page(self, spots: Sequence[Spot], *, is_last: bool | None = None) -> Uses:
        """Return the page of places in the order of all pages, counted."""
        ends = len(spots) <= self._end if is_last is None else is_last
        shown, before = spots[self._offset : self._end], spots[: self._offset]
        return Uses(tuple(shown), len(spots), before=tuple(before), is_last=ends)

    def _defined(self, definitions: Sequence[DefinedAt]) -> list[Spot]:
        items = self._reader.files.items([definition.hit.item_id for definition in definitions])
        spots = []
        for definition in definitions:
            item = items.get(definition.hit.item_id)
            if item is not None:
                file = self._observer.look(item.source).file
                start, hit = definition.hit.start_line, definition.hit
                if file is not None and file.content_hash == item.source.content_hash:
                    start = lead_line(file.data.splitlines(), hit.start_line)
                # A part of a definition that is cut in several is where its first line is.
                spots.append(Spot(item, max(start, item.start_line), hit.end_line, _qualified(definition)))
        return spots

    @cached_property
    def importing(self) -> frozenset[int]:
        """Sources that import the file of the first definition, by its own name or out of its package."""
        return frozenset(importing(self._reader, self._path))

    def users(self) -> Uses:
        """Return uses outside tests: first in the definition's file, then its folder, then its importers."""
        uses, beside = self._uses(in_tests=False)
        return self._used(uses, beside, self._totals.users, in_tests=False)

    def tests(self) -> Uses:
        """Return uses in tests: those that import its file and have its name come first."""
        uses, beside = self._uses(in_tests=True)
        linked = self._reader.uses.tests_linked([self._name, _qualified(self._definitions[0])], self._tried)
        items = self._reader.files.items([*uses, *linked])
        ranked = sorted(
            items, key=lambda id_: (items[id_].source.id not in self.importing, id_ not in linked, id_ not in uses)
        )
        found = self._used(ranked, beside, self._totals.tests, in_tests=True)
        total, is_counted = max(found.total, len(found.spots)), found.is_counted and len(uses) < self._tried
        return replace(found, total=total, is_counted=is_counted)

    def documents(self) -> Uses:
        """Return documents that write the name as code; those with it in their heading first. Where another owner has a
        member of the name, a section says whose it means by the owner's name.
        """
        owners = {one.trail[-1] for one in self._definitions if one.trail}
        asked = [f"{owner}.{self._name}" for owner in sorted(owners)]
        ids: dict[int, None] = {}
        for text in (*asked, self._name):
            ids.update(dict.fromkeys(self._reader.uses.documents_mentioning(text, DOCUMENTS_TRIED)))
        items = self._reader.files.items(list(ids))
        ranked = sorted(items.values(), key=lambda item: self._name not in item.name)
        others = {one.trail[-1] for one in self._others if one.trail and one not in self._overrides} - owners
        line = partial(_line_of_mention, names=(*asked, self._name), owners=owners if others else (), others=others)
        files = DOCUMENTS_TRIED if self._counts else DOCUMENT_FILES_TRIED
        return self._page(self._spots(ranked, line, files)[0])

    @cached_property
    def _totals(self) -> UseTotals:
        return self._reader.uses.totals(self._name)

    def _uses(self, *, in_tests: bool) -> tuple[list[int], list[int]]:
        """Return the items that use the name, and those that stand with imports. Tests of Rust may be in the file of
        what they test.
        """
        uses, beside = self._using(in_tests=in_tests)
        if not in_tests or not self._has_inner_tests:
            return uses, beside
        of_code = self._using(in_tests=False)
        return [*uses, *of_code[0]], [*beside, *of_code[1]]

    @property
    def _has_inner_tests(self) -> bool:
        return self._path.endswith(b".rs")

    def _is_of(self, item: Item, line: int, *, in_tests: bool) -> bool:
        """Return whether a line of an item belongs to the users, or to the tests."""
        is_test = item.source.role is Role.TEST or self._judge.is_inner_test(item.source, line)
        return not self._has_inner_tests or is_test is in_tests

    def _using(self, *, in_tests: bool) -> tuple[list[int], list[int]]:
        if in_tests not in self._using_known:
            self._using_known[in_tests] = self._asked_for_uses(in_tests=in_tests)
        return self._using_known[in_tests]

    def _asked_for_uses(self, *, in_tests: bool) -> tuple[list[int], list[int]]:
        uses, beside = self._reader.uses.items_using(
            self._name,
            in_tests=in_tests,
            near=self._path,
            importing=self.importing,
            defining={candidate.hit.item_id for candidate in self._candidates},
            limit=self._tried,
        )
        known = {*uses, *beside}
        return [*uses, *(id_ for id_ in self._saying(in_tests=in_tests) if id_ not in known)], beside

    @cached_property
    def _owners(self) -> list[str]:
        """Return the class or the module of each definition that is meant."""
        owners = (one.trail[-1] if one.trail else module_of(one.path)[-1] for one in self._definitions)
        return [*dict.fromkeys(owners)]

    def _saying(self, *, in_tests: bool) -> list[int]:
        """Return the items that have the name with its owner or its module, which may be in a string that is loaded by
        it: ``"shop.prices:total"``.
        """
        # References are words of two characters and more.
        said = [self._name] if len(self._name) == 1 else [f"{owner}.{self._name}" for owner in self._owners]
        return [
            id_ for text in said for id_ in self._reader.uses.items_saying(text, in_tests=in_tests, limit=self._tried)
        ]

    @cached_property
    def _judge(self) -> UseJudge:
        def importing() -> Mapping[int, bytes]:
            return {id_: source.path for id_, source in self._reader.files.sources_by_id(self.importing).items()}

        return UseJudge(
            self._reader,
            self._weigher,
            self._hierarchy,
            self._name,
            meant=self._definitions,
            candidates=self._candidates,
            importing=importing,
            moved=self._moved,
            packages=self._packages,
        )

    def _used(self, ids: Sequence[int], with_imports: Sequence[int], total: int, *, in_tests: bool) -> Uses:
        """``total`` counts what the index cannot tell from uses: definitions are taken off, and where every use was
        looked at, only those count that were seen. Statements that stand with imports are looked at last."""
        beside = [id_ for id_ in with_imports if id_ not in ids]
        is_whole = max(len(ids), len(beside)) < self._tried
        tried, total = [*ids, *beside], total + len(beside)
        items = self._reader.files.items(tried)
        own: dict[int, list[DefinedAt]] = {}
        for candidate in self._candidates:
            own.setdefault(candidate.hit.item_id, []).append(candidate)

        untold: list[int] = []
        imported: dict[bytes, Spot] = {}

        def lines(data: bytes, item: Item) -> Sequence[UsedLine]:
            found = lines_of_use(data, item, self._name, as_owner=self._as_owner, owners=self._owners)
            declared = self._declared(found, own.get(item.id, ()))
            found = self._without_own(found, own.get(item.id, ()))
            judged = [
                (
                    line,
                    self._judge.standing(
                        item.source, line, as_owner=self._as_owner, is_declared=line in declared
                    ),
                )
                for line in found
                if self._is_of(item, line, in_tests=in_tests)
            ]  # fmt: skip
            untold.extend(line for line, standing in judged if standing is Standing.UNTOLD)
            used = [
                UsedLine(line, standing is not Standing.SURE)
                for line, standing in judged
                if standing in (Standing.SURE, Standing.BY_NAME)
            ]
            only = self._imported(data, item) if item.source.path not in imported else None
            if only is not None and self._is_of(item, only.start_line, in_tests=in_tests):
                imported[item.source.path] = only
            others = (
                one for one in self._under_other_names(data, item) if self._is_of(item, one.line, in_tests=in_tests)
            )
            return self._one_each([*used, *others], item)

        files = self._tried if self._counts else max(FILES_TRIED, self._shown)
        known = [items[id_] for id_ in tried if id_ in items]
        spots, is_all, looked_at = self._spots(self._with_other_names(known, files), lines, files)
        using = {(spot.item.source.path, by_name) for spot in spots for by_name in {spot.by_name, True}}
        spots += [spot for path, spot in imported.items() if (path, spot.by_name) not in using]
        doubtful = [spot for spot in spots if spot.by_name]
        # With a limit all are counted, and come on later pages, so that no total depends on how many are asked for.
        most = len(doubtful) if self._counts else self._shown if self._judge.is_telling else MOST_BY_NAME
        self._unlisted += len(untold) + len(doubtful[most:])
        spots = [*(spot for spot in spots if not spot.by_name), *doubtful[:most]]
        is_sure = not untold and not doubtful
        page = replace(self._page(spots), is_counted=is_sure)
        if is_all and is_whole:
            return page
        defining = {
            candidate.hit.item_id for candidate in self._candidates if (candidate.role is Role.TEST) == in_tests
        }
        # What was not looked at is as likely a use as what was.
        rest = max(total - len(defining) - looked_at, 0) * len(spots) // max(looked_at, 1)
        return replace(page, total=len(spots) + rest, is_counted=False)

    def _imported(self, data: bytes, item: Item) -> Spot | None:
        """Return the first line of an item that imports what is meant: a use where its file has no other, such as a
        package that hands it on.
        """
        for line in lines_of_import(data, item, self._name) if self._in_imports else ():
            standing = self._judge.imported(item.source, line)
            if standing >= Standing.BY_NAME:
                return Spot(item, line, line, item.symbol, by_name=standing is Standing.BY_NAME)
        return None

    def _under_other_names(self, data: bytes, item: Item) -> Iterator[UsedLine]:
        """Yield the lines that import what is meant under another name, and those that use it under that name."""
        for alias, standing in self._judge.aliases(item.source).items():
            used = lines_of_use(data, item, alias, as_owner=self._as_owner)
            lines = [line for line in used if self._judge.is_alias(alias, item.source, line)]
            for line in (*lines, *lines_of_import(data, item, self._name, alias)):
                yield UsedLine(line, standing is not Standing.SURE)

    def _with_other_names(self, items: Sequence[Item], files: int) -> Iterator[Item]:
        """Yield items, and behind the first one of each of the first files those that may have another name of what is
        meant.
        """
        known = {item.id for item in items}
        paths: set[bytes] = set()
        for item in items:
            yield item
            if item.source.path not in paths and len(paths) < files:
                paths.add(item.source.path)
                if self._judge.aliases(item.source):
                    yield from (one for one in self._reader.files.items_of(item.source.id) if one.id not in known)

    def _declared(self, lines: Sequence[int], defined: Sequence[DefinedAt]) -> set[int]:
        """Return the lines that declare another definition of the name, which may also use what is meant."""
        # A line that has the name in other letters, as another definition may, is not among these.
        others = (one for one in defined if one not in self._definitions and one.hit.name == self._name)
        inside = ([line for line in lines if one.hit.start_line <= line <= one.hit.end_line] for one in others)
        return {found[0] for found in inside if found}

    def _without_own(self, lines: Sequence[int], defined: Sequence[DefinedAt]) -> list[int]:
        """Return the lines without those of what is meant, which is no user of itself."""
        own = [one.hit for one in defined if one in self._definitions]
        return [line for line in lines if not any(hit.start_line <= line <= hit.end_line for hit in own)]

    def _one_each(self, used: Sequence[UsedLine], item: Item) -> list[UsedLine]:
        """Return the first line of each function, and every line outside of functions: each is a user of its own.

        Of a function with a line that is meant for sure that line is taken.
        """
        file = self._judge.text_of(item.source)
        hits = file.defined if file is not None else ()
        found: dict[tuple[int, int] | int, UsedLine] = {}
        for one in used:
            around = [hit for hit in hits if hit.start_line <= one.line <= hit.end_line]
            callers = [hit for hit in around if hit.kind in FUNCTIONS]
            caller = min(callers, key=lambda hit: hit.end_line - hit.start_line, default=None)
            key = (caller.start_line, caller.end_line) if caller is not None else one.line
            if key not in found or (found[key].by_name and not one.by_name):
                found[key] = replace(one, symbol=_symbol_at(around, item))
        return sorted(found.values(), key=lambda one: one.line)

    def _spots(self, items: Iterable[Item], lines_of: LinesOf, files: int) -> tuple[list[Spot], bool, int]:
        """Return the items whose text, as it is on disk now, has the name on a line that counts, whether all were
        looked at, and how many were. Where there are more than a page shows, no file takes all of the first page.
        """
        found: list[Spot] = []
        beyond: list[bool] = []
        per_file: Counter[bytes] = Counter()
        most_per_file, is_all, looked_at = max(SHOWN_PER_FILE, self._shown // 4), True, 0
        for item in items:
            path = item.source.path
            is_enough = beyond.count(False) >= self._shown and not self._counts
            if path not in per_file and (len(per_file) == files or is_enough):
                is_all = False
                continue
            per_file[path] += 0
            looked_at += 1
            file = self._observer.look(item.source).file
            # A changed file that is not ingested again yet is reported once it is indexed.
            stands = file is not None and file.content_hash == item.source.content_hash
            for one in lines_of(file.data, item) if file is not None and stands else ():
                per_file[path] += not one.by_name
                found.append(Spot(item, one.line, one.line, one.symbol or item.symbol, by_name=one.by_name))
                beyond.append(one.by_name or per_file[path] > most_per_file)
        order = sorted(range(len(found)), key=lambda at: (beyond[at], at))
        pages = (sorted(order[at : at + self._shown]) for at in range(0, len(order), self._shown))
        return [found[at] for page in pages for at in page], is_all, looked_at


def importing(reader: Reader, path: bytes) -> dict[int, str]:
    """Return the sources that import a file, by its own name or out of its package, with what they import as
    written.
    """
    *package, stem = module_of(path) or ("",)
    found: dict[int, str] = {}
    if package:
        parts = reader.uses.importing_from(package[-1], stem)
        folder = "/".join((*package, "__init__")).encode()
        found = {id_: target for target, id_, importer in parts if resolves_to(target, importer, folder, is_named=True)}
    whole = reader.uses.importing(stem, package[-1] if package else "")
    return found | {id_: target for target, id_, importer in whole if resolves_to(target, importer, path)}


def _symbol_at(around: Sequence[DefinitionHit], item: Item) -> str:
    """Return the dotted name of the definitions around a line of an item, the innermost last."""
    inside = sorted(
        (hit for hit in around if hit.item_id == item.id and hit.kind not in _VALUES),
        key=lambda hit: (hit.start_line, -hit.end_line),
    )
    parts = item.symbol.split(".") if item.symbol else []
    names = [hit.name for hit in inside]
    if parts and parts[-1] in names:
        # What stands before it begins in this item, and is named before it: ``module Shop`` above ``class Cart``.
        names = names[names.index(parts[-1]) + 1 :]
    elif names and names[-1] in parts and inside[-1].kind in _SPACES:
        return ".".join(parts[: parts.index(names[-1]) + 1])
    return ".".join([*parts, *names])


def _entries(groups: Mapping[str, Sequence[Spot]]) -> list[str]:
    """Return keys that are equal while the places are the same: their texts, not their lines."""
    return [
        f"{kind} {spot.item.source.source_id} {spot.item.text_hash}" for kind, spots in groups.items() for spot in spots
    ]


def _language(path: bytes) -> str:
    return language_of(path, b"").name


def _qualified(one: DefinedAt) -> str:
    return ".".join(chain_of(one))


def _line_of_mention(
    data: bytes, item: Item, names: Sequence[str], owners: Collection[str], others: Collection[str]
) -> list[UsedLine]:
    """Return the line of an item that writes one of the names; where owners are given, it or its headings name one."""
    if owners:
        text = f"{item.symbol}\n{data[item.start_byte : item.end_byte].decode('utf-8', 'replace')}"
        # ``Arbiter`` is not named by "Dirty Arbiter".
        for other in others:
            text = _spelled(other).sub("", text)
        if not any(_spelled(owner).search(text) for owner in owners):
            return []
    return list(islice((UsedLine(line) for name in names if (line := line_of_mention(data, item, name))), 1))


def _spelled(name: str) -> re.Pattern[str]:
    """Return the pattern of a class in prose: ``DirtyArbiter`` is the dirty arbiter, too."""
    words = split_identifier(name)
    if len(words) < 2:
        return whole_word(name)
    apart = r"[\s_-]?".join(map(re.escape, words))
    return re.compile(rf"(?i)(?<!\w){apart}s?(?!\w)")


_UNDATED: Mapping[str, Any] = MappingProxyType(
    {"commit": None, "author": None, "committed_at": None, "commit_of": "", "uncommitted": False}
)
SYMBOL_SCHEMA = "helix.symbol/1"
ROUNDS = 2
HISTORY_WAIT_MS = 12.0
PARTNERS = 5


class SymbolAnswer:
    """The answer for one name. Use it once."""

    def __init__(
        self, reader: Reader, weigher: Weigher, history: LineHistory | None, page: PageCursor, *, counts: bool = False
    ) -> None:
        self._reader, self._weigher, self._history = reader, weigher, history
        self._page, self._counts = page, counts
        self._started = time.monotonic()
        self.is_of_others = False

    def about(self, name: str, path: bytes, line: int, overlays: Overlays) -> dict[str, Any] | None:
        """Return the ``helix.symbol/1`` object; None where nothing known has this name."""
        asked = parse_name(name)
        if asked is None:
            return None
        for _ in range(ROUNDS):
            before = self._weigher.observer.mended
            here, text = self._here(path, line, overlays)
            wanted = asked if asked.owners else NameQuery(asked.name, owners_in(text, asked.name))
            candidates = self._reader.names.defined_at(wanted.name, path)
            meant = choose(candidates, wanted, here)
            read_as = meant.definitions[0].hit.name if meant.definitions else wanted.name
            if read_as != wanted.name:
                # Of names that differ in letter case only, users are counted of the one that is shown.
                wanted = replace(wanted, name=read_as)
                meant = choose(candidates, wanted, here)
            of_others = "" if path else owners_note(wanted, meant.definitions)
            self.is_of_others = bool(of_others)
            is_told = bool(meant.definitions) and not (of_others and self._is_unheard_of(wanted.owners[-1]))
            answer = self._answer(wanted, meant, candidates) if is_told else None
            if answer is not None and of_others:
                answer["notes"].insert(0, of_others)
            if answer is not None and wanted.name != asked.name:
                answer["notes"].insert(0, f"{asked.name[:80]} is read as {wanted.name[:80]}")
            # Where another process stored a definition anew meanwhile, it is known by its old row no more.
            is_level = candidates == self._reader.names.defined_at(asked.name, path)
            if is_level and self._weigher.observer.mended == before:
                break
        return answer

    def about_former(
        self, name: str, git: Git, parse_guard: ParseGuard, *, is_whole: bool = True
    ) -> dict[str, Any] | None:
        """Return the ``helix.symbol/1`` object for a name that was defined, without definitions; None where none was
        lately. Raises GitError.

        Args:
            name: The name, qualified or not.
            git: The repository.
            parse_guard: Guards the parse of what it had.
            is_whole: Every file is indexed.
        """
        wanted = parse_name(name)
        if wanted is None:
            return None
        known = former_definitions(wanted, self._reader, self._weigher, git, parse_guard)
        if not known.definitions:
            return None
        first = known.definitions[0]
        others = self._reader.names.defined_at(wanted.name, first.path)
        meant = LikelyDefinitions((first,))
        candidates = [first, *(one for one in others if one.hit.name == wanted.name)]
        answer = self._answer(wanted, meant, candidates, known.packages)
        if answer is not None:
            was = f"{_qualified(first)[:80]} was defined in {source_id_of(first.path)}:{first.hit.start_line}"
            now = "and nothing defines it any more" if is_whole else "and no file indexed so far defines it"
            now = now if known.is_gone else "which is there and not indexed as it is now: read it"
            answer["notes"].insert(0, f"{was}, {now}")
            answer["totals_exact"] = answer["totals_exact"] and is_whole and known.is_gone
        return answer

    def _is_unheard_of(self, owner: str) -> bool:
        """Return whether nothing is defined under a name and no code has it, not even as a variable."""
        return not self._reader.names.definitions([owner.lower()], 1) and not self._reader.uses.code_mentioning(
            owner, 1
        )

    def _answer(
        self,
        wanted: NameQuery,
        meant: LikelyDefinitions,
        candidates: list[DefinedAt],
        packages: Mapping[bytes, str] = MappingProxyType({}),
    ) -> dict[str, Any] | None:
        around = NameNeighborhood(
            self._reader,
            self._weigher,
            wanted.name,
            meant=meant.definitions,
            candidates=candidates,
            shown=self._page.size,
            counts=self._counts,
            offset=self._page.offset,
            packages=packages,
        )
        definitions = around.definitions()
        lines = self._lines_from_git(definitions)
        users, tests = around.users(), around.tests()
        paged = {
            "overrides": around.overrides(),
            "same_name": around.same_name(),
            "users": users,
            "tests": tests,
            "documents": around.documents(),
        }
        is_first = not self._page.offset
        groups = {
            "definitions": definitions,
            **{kind: uses.spots for kind, uses in paged.items()},
            "co_changed": self._co_changed(meant.definitions[0].path) if is_first else [],
        }
        before = _entries({kind: uses.before for kind, uses in paged.items()})
        so_far = _entries({kind: (*uses.before, *uses.spots) for kind, uses in paged.items()})
        is_last = all(uses.is_last for uses in paged.values()) or not self._counts
        is_empty = not any(uses.spots for uses in paged.values())
        places = self._weighed(groups)
        best = meant.definitions[0]
        is_former = not best.hit.item_id
        if not places["definitions"] and not is_former:
            return None
        symbol, change = _qualified(best), dict(_UNDATED)
        if not is_former:
            first, change = self._dated(places["definitions"][0], lines)
            places["definitions"][0] = first
            symbol = first.spot.symbol
        folder = self._weigher.facts.folder
        return {
            "schema": SYMBOL_SCHEMA,
            "name": wanted.name,
            "kind": meant.definitions[0].hit.kind,
            "symbol": symbol,
            **change,
            **self._totals(meant, users, tests, is_exact=not around.is_constructor),
            "importers_total": len(around.importing),
            **{key: [place.wire(folder) for place in group] for key, group in places.items()},
            "offset": self._page.offset,
            "next_page": "" if is_last else self._page.then(so_far),
            "notes": [*self._weigher.notes, *around.notes, *self._page.notes(before, is_empty=is_empty)],
            "elapsed_ms": round((time.monotonic() - self._started) * 1e3, 3),
        }

    def _totals(self, meant: LikelyDefinitions, users: Uses, tests: Uses, *, is_exact: bool) -> dict[str, Any]:
        return {
            "definitions_total": meant.total,
            "users_total": users.total,
            "tests_total": tests.total,
            "totals_exact": is_exact and users.is_counted and tests.is_counted,
        }

    def _here(self, path: bytes, line: int, overlays: Overlays) -> tuple[CursorContext, str]:
        """Return the context of the place, and the text of its line."""
        source = self._reader.files.source(path) if path else None
        file = self._weigher.observer.look(source).file if source is not None else None
        source = self._reader.files.source(path) if path else None
        buffer = overlays.get(path, file.data if file is not None else b"")
        text = _line(buffer, line)
        if file is not None and path in overlays:
            line = line_on_disk(buffer, file.data, line)
        if source is None:
            return CursorContext(path, line), text
        trail = enclosing(self._reader.names.defined_in(source.id), line)
        return CursorContext(path, line, trail, Imports(path, self._reader.names.imports_of(source.id))), text

    def _weighed(self, groups: dict[str, Any]) -> dict[str, list[SymbolPlace]]:
        """Weigh all places in one batch, so that git runs once."""
        spots: list[Spot] = [spot for group in groups.values() for spot in group]
        places = iter(weigh_spots(self._weigher, spots))
        weighed = {key: [next(places) for _ in group] for key, group in groups.items()}
        return {key: [place for place in group if place is not None] for key, group in weighed.items()}

    def _co_changed(self, path: bytes) -> list[Spot]:
        """Return the indexed files that often change together with this one."""
        source = self._reader.files.source(path)
        partners = self._reader.related.co_changed([source.id])[:PARTNERS] if source is not None else []
        first = [self._reader.files.items_of(partner.source_id)[:1] for partner in partners]
        return [Spot(item, 1, 1, "") for items in first for item in items]

    def _lines_from_git(self, definitions: list[Spot]) -> BlamedLines | None:
        """Queue the blame of the first definition while the rest is computed."""
        if self._history is None or not definitions:
            return None
        spot = definitions[0]
        source = spot.item.source
        file = self._weigher.observer.look(source).file
        if file is None or file.content_hash != source.content_hash:
            return None
        lines = BlamedLines(source.path, file.content_hash, spot.start_line, spot.end_line, file.data)
        self._history.ask(lines)
        return lines

    def _dated(self, first: SymbolPlace, lines: BlamedLines | None) -> tuple[SymbolPlace, dict[str, Any]]:
        """Return the definition with the last commit of its own lines where blame finished in time, else of its
        file.
        """
        uncommitted = first.uncommitted
        if self._history is not None and lines is not None and first.commit is not None:
            left_ms = HISTORY_WAIT_MS - (time.monotonic() - self._started) * 1e3
            found = self._history.of(lines, left_ms / 1e3)
            if found is not None:
                own = first.commit if first.commit in found.newest else next(iter(found.newest), None)
                first = dataclasses.replace(first, commit=own, commit_of="lines")
                uncommitted = uncommitted or found.uncommitted
        commit = first.commit
        is_known = commit is not None or uncommitted
        return first, {
            "commit": commit.commit if commit else None,
            "author": commit.author if commit else None,
            "committed_at": commit.committed_at if commit else None,
            "commit_of": first.commit_of if is_known else "",
            "uncommitted": uncommitted,
        }


def _line(text: bytes, line: int) -> str:
    start, end = _line_span(text, line)
    return text[start:end].decode("utf-8", "replace").rstrip("\r\n") if line > 0 else ""


def _line_span(text: bytes, line: int) -> tuple[int, int]:
    """Return the bytes of a 1-based line with its end; of the last line for lines after it."""
    lines = LineTable(text)
    return lines.span(min(line, len(lines)), min(line, len(lines)))


def enclosing(definitions: Iterable[DefinitionHit], line: int) -> tuple[str, ...]:
    """Return the names of the definitions that enclose a line, outermost first."""
    around = [hit for hit in definitions if hit.start_line <= line <= hit.end_line]
    return tuple(hit.name for hit in sorted(around, key=lambda hit: (hit.start_line, -hit.end_line)))
