"""Names as they are typed: definitions and files by prefix, by humps (``WP`` is ``WritePacket``) or letters in order.

The names are held in memory as one text, so that a keystroke costs a few scans of it, a look-up of what is shown, and
one reading of each file shown. The patterns run on RE2, in linear time whatever is typed. Never writes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helix_core.engine.verdict import Weigher
from helix_core.model import Item, Preview, Ranked, Role, SourceKind, TaskType
from helix_core.store import DefinedAt, Reader

NAMES_SCHEMA = "helix.names/1"
LONGEST_TYPED = 80
"""Characters of what is typed that are read; no name is longer than a line."""
NAMES_TRIED = 40
"""Names of one way to match that are looked up: most of them have one definition."""
FILES_TRIED = 8
"""Files of one way to match that are shown."""
DEFINITIONS_OF_ONE = 6
"""Definitions of one name that are shown, so that ``run`` does not fill the list."""
MOST_ADDED = 2_000
"""So many names added since the table was made make it be made again."""
HUMPS = 4
"""The way to match by humps that begin anywhere."""
LEAST_SCATTERED = 3
"""Letters that must be typed before they may lie anywhere in a name, in their order."""

_BORDER = re.compile(
    r"[^\w\n]+|_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])"
)
_OWNER = re.compile(r"::|[.#]")
_WORDS = re.compile(r"(\s+)|[\W_]+")


class NameTable:
    """Distinct names, shortest first, searched as one text in which ``|`` precedes each hump of a name."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names: Sequence[str] = sorted(
            {name for name in names if "\n" not in name}, key=lambda name: (len(name), name.lower(), name)
        )
        lines = _BORDER.sub("|", "\n".join(self.names)).lower().split("\n") if self.names else []
        encoded = [(line if line.startswith("|") else f"|{line}").encode("utf-8", "replace") for line in lines]
        self._text = b"\n".join(encoded)
        self._starts: list[int] = []
        at = 0
        for line in encoded:
            self._starts.append(at)
            at += len(line) + 1

    def matches(self, pattern: str, limit: int) -> list[str]:
        """Return the first ``limit`` names whose marked text has the RE2 pattern, shortest first."""
        return [self.names[row] for row in self._rows(pattern, limit)]

    def having(self, pattern: str, most: int) -> NameTable:
        """Return the table of the names whose marked text has the RE2 pattern, or this one where they are over
        ``most``.
        """
        rows = self._rows(pattern, most + 1)
        return NameTable([self.names[row] for row in rows]) if len(rows) <= most else self

    def _rows(self, pattern: str, limit: int) -> list[int]:
        import re2

        found: dict[int, None] = {}
        for match in re2.finditer(pattern.encode("utf-8", "replace"), self._text):
            found[bisect_right(self._starts, match.start()) - 1] = None
            if len(found) == limit:
                break
        return list(found)


def patterns(typed: str) -> list[str]:
    """Return the RE2 patterns of what is typed, the nearest way to match first; none where nothing is typed. What a way
    before ``HUMPS`` matches, that one matches too.

    Letters match whatever their case. A ``_`` or another sign asks for the start of a hump, white space for the start
    of any later one.
    """
    links, letters = _letters(typed)
    if not letters:
        return []

    def joined(between: str) -> str:
        return "".join(
            link + letter for link, letter in zip(["", *(one or between for one in links)], letters, strict=True)
        )

    whole, humps, scattered = joined(r"\|?"), joined(r"(?:\|?|[^\n]*\|)"), joined(r"[^\n]*?")
    ways = [rf"(?m)^\|{whole}$", rf"(?m)^\|{whole}", rf"\|{whole}", rf"(?m)^\|{humps}", rf"\|{humps}"]
    return [*ways, *([rf"\|{scattered}"] if len(letters) >= LEAST_SCATTERED else [])]


def _letters(typed: str) -> tuple[list[str], list[str]]:
    """Return each letter as a pattern, and between each two what must lie there; empty where the way decides."""
    letters: list[str] = []
    links: list[str] = []
    pending = ""
    for word in _WORDS.split(typed.strip()):
        if word is None or word.isspace():
            pending = r"[^\n]*\|" if word else (pending or r"\|")
            continue
        for letter in word.lower():
            if letters:
                links.append(pending)
            letters.append(re.escape(letter))
            pending = ""
    return links, letters


class TypedNames:
    """The tables of one index, kept up to date: what was defined since is a table of its own until it is large."""

    def __init__(self) -> None:
        self._reader: Reader | None = None
        self._newest = self._seen = -1
        self._main, self._added, self._files = NameTable(()), NameTable(()), NameTable(())
        self._paths: dict[str, list[bytes]] = {}
        self._version = -1
        self.built = 0
        """How often all names were read."""

    def tables(self, reader: Reader) -> tuple[NameTable, NameTable]:
        """Return the tables of the names that code, configuration and documents define."""
        newest = reader.names.newest_definition()
        if reader is not self._reader or newest < self._seen:
            self._build(reader, newest)
        elif newest > self._newest:
            added = reader.names.defined_after(self._seen)
            if len(added) > MOST_ADDED:
                self._build(reader, newest)
            else:
                self._added, self._newest = NameTable(set(added).difference(self._main.names)), newest
        return self._main, self._added

    def files(self, reader: Reader) -> tuple[NameTable, dict[str, list[bytes]]]:
        """Return the table of the names of files, and the paths of each; call it after ``tables``."""
        version = reader.version()
        if version != self._version:
            self._paths = {}
            for path in reader.files.live_paths():
                self._paths.setdefault(path.rpartition(b"/")[2].decode("utf-8", "replace"), []).append(path)
            self._files, self._version = NameTable(self._paths), version
        return self._files, self._paths

    def _build(self, reader: Reader, newest: int) -> None:
        self._main, self._added = NameTable(reader.names.defined_after(0)), NameTable(())
        self._reader, self._newest, self._seen, self._version = reader, newest, newest, -1
        self.built += 1


@dataclass(frozen=True, slots=True)
class Place:
    """A place to show: lines of an item under a name, of a ``kind``."""

    item: Item
    symbol: str
    kind: str
    start_line: int
    end_line: int


class NameSearch:
    """One answer to what is typed."""

    def __init__(self, reader: Reader, names: TypedNames, weigher: Weigher, check: Callable[[], None]) -> None:
        self._reader, self._names, self._weigher, self._check = reader, names, weigher, check

    def answer(self, typed: str, k: int) -> dict[str, Any]:
        """Return the ``helix.names/1`` object: at most ``k`` places, the nearest match first.

        Args:
            typed: What is typed so far: a name, ``owner.name``, or the name or path of a file.
            k: The maximum number of places.
        """
        typed = typed[:LONGEST_TYPED]
        places: list[Place] = []
        for found in self._found(typed):
            places += found
            if len(places) >= k:
                break
        ranked = [Ranked(one.item, 0.0, ()) for one in places[:k]]
        seen = self._weigher.marks(ranked, TaskType.EXPLAIN)
        items = [_item(place, preview) for place, preview in zip(places, seen, strict=False) if preview is not None]
        return {"schema": NAMES_SCHEMA, "typed": typed, "items": items}

    def _found(self, typed: str) -> Iterator[list[Place]]:
        """Yield the places of each way to match, without those that a nearer way has."""
        *owners, name = [part for part in _OWNER.split(typed) if part.strip()] or [""]
        known: set[tuple[int, int]] = set()
        ways = [] if "/" in typed else patterns(name)
        in_files = patterns(typed.rpartition("/")[2])
        main, added = self._names.tables(self._reader)
        by_way = [_by_way(table, ways) for table in (main, added) if ways]
        files, paths = self._names.files(self._reader)
        files_by_way = _by_way(files, in_files)
        tried: set[str] = set()
        for number, way in enumerate(ways or in_files):
            self._check()
            # A nearer way has had all places of the names that it tried.
            names = [name for table in by_way for name in table[number].matches(way, NAMES_TRIED) if name not in tried]
            tried.update(names)
            found = self._defined(names, owners[-1] if owners else "")
            if number < len(in_files):
                found += self._named_files(files_by_way[number].matches(in_files[number], NAMES_TRIED), paths, typed)
            new = [one for one in found if (one.item.source.id, one.start_line) not in known]
            known.update((one.item.source.id, one.start_line) for one in new)
            yield new

    def _defined(self, names: Sequence[str], owner: str) -> list[Place]:
        hits: list[DefinedAt] = []
        for name in names:
            every = self._reader.names.defined_at(name, b"", 4 * DEFINITIONS_OF_ONE if not owner else 200)
            own = [one for one in every if one.hit.name == name and _is_of(one, owner)]
            hits += own[:DEFINITIONS_OF_ONE]
        hits.sort(key=lambda one: _rank(one, owner))
        items = self._reader.files.items([one.hit.item_id for one in hits])
        return [
            Place(items[hit.item_id], ".".join((*one.trail, hit.name)), hit.kind, hit.start_line, hit.end_line)
            for one in hits
            if (hit := one.hit).item_id in items
        ]

    def _named_files(self, names: Sequence[str], paths: Mapping[str, Sequence[bytes]], typed: str) -> list[Place]:
        folder = typed.rpartition("/")[0].lower().encode("utf-8", "replace")
        found = [
            path for name in names for path in paths[name] if not folder or folder in path.rpartition(b"/")[0].lower()
        ]
        firsts = self._reader.files.items(self._reader.files.first_items(found[:FILES_TRIED]))
        return [
            Place(first, first.source.source_id.rpartition("/")[2], "file", 1, 1)
            for first in sorted(firsts.values(), key=lambda one: found.index(one.source.path))
        ]


def _by_way(table: NameTable, ways: Sequence[str]) -> list[NameTable]:
    """Return the table that each way reads: what is typed in humps leaves most often a few names of thousands, and
    the nearer ways match none but these.
    """
    near = table.having(ways[HUMPS], NAMES_TRIED) if ways else table
    return [near] * (HUMPS + 1) + [table]


def _is_of(one: DefinedAt, owner: str) -> bool:
    """Return whether a definition is inside a class, function or module whose name begins with ``owner``."""
    wanted = owner.strip().lower()
    stem = one.path.rpartition(b"/")[2].rpartition(b".")[0].decode("utf-8", "replace")
    return not wanted or any(part.lower().startswith(wanted) for part in (*one.trail[-1:], stem))


def _rank(one: DefinedAt, owner: str) -> tuple[bool, bool, bool]:
    is_own = not owner or (bool(one.trail) and one.trail[-1].lower() == owner.strip().lower())
    return not is_own, one.source_kind is not SourceKind.CODE, one.role is not Role.IMPLEMENTATION


def _item(place: Place, preview: Preview) -> dict[str, Any]:
    moved = preview.ranked.item.start_line - place.item.start_line if place.kind != "file" else 0
    return {
        "symbol": place.symbol,
        "kind": place.kind,
        "source_id": place.item.source.source_id,
        "start_line": place.start_line + moved,
        "end_line": place.end_line + moved,
        "status": preview.verdict.status.value,
        "reason": preview.verdict.reason.value,
    }
