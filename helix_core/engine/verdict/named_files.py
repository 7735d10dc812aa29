"""The files that a memory's text names in full, as they are on disk now: lines to cite, and values they give otherwise.

A memory may say ``MAX_RETRIES = 25 in app/retry.py``, or cite that file. Where it gives the constant another value, the
file is right. A file that does not give it at all, or in a unit that cannot be told, says nothing of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from helix_core.check import CitationKind, citations_in, file_names_in
from helix_core.engine.verdict.judge import unindexed
from helix_core.engine.verdict.spans import is_telling
from helix_core.engine.verdict.weigher import Weigher
from helix_core.errors import UsageError
from helix_core.ingest import find, language_of
from helix_core.memory import StatedValue, agrees, stated_values
from helix_core.model import Claim, LineSpan, Source
from helix_core.secrets import Masked, holds_mask
from helix_core.store import DefinitionHit, Reader
from helix_core.words import is_compound
from helix_core.workspace import checked, name_reason

MOST_FILES = 4
MOST_PLACES = 4
MOST_DEFINED_LINES = 60
"""A definition of more lines is edited too often for a statement to stand and fall with all of it."""
_DOTTED = re.compile(r"[^\W\d]\w*+(?:(?:\.|::)[^\W\d]\w*+)*+")
_AROUND = ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 2))
"""Lines before and after a constant that are cited with it, the fewest first."""


@dataclass(frozen=True, slots=True)
class _PlaceInText:
    """A place as a text names it; without lines ``start_line`` is 0."""

    path: bytes
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class ComparedValues:
    """What files give to the names to which a text gives values.

    ``otherwise`` says what one gives otherwise, ``uncompared`` which values could not be compared with what one gives;
    both are empty where there is none. ``confirmed`` and ``denied`` are the places, source id and line, of what is
    given.
    """

    otherwise: str = ""
    uncompared: str = ""
    confirmed: frozenset[tuple[str, int]] = frozenset()
    denied: frozenset[tuple[str, int]] = frozenset()

    @property
    def is_confirmed(self) -> bool:
        """Return whether files give each value that they give at all as the text does, and one at least."""
        return bool(self.confirmed) and not self.otherwise and not self.uncompared


class _File:
    """A file that was read now."""

    def __init__(self, source: Source, masked: Masked, defined: Iterable[DefinitionHit]) -> None:
        self.source_id, self._path, self._masked, self.defined = source.source_id, source.path, masked, [*defined]

    @cached_property
    def rows(self) -> list[bytes]:
        return self._masked.data.splitlines(keepends=True)

    @cached_property
    def claims(self) -> list[Claim]:
        return find(self._masked, language_of(self._path, self._masked.data).name)

    def line(self, number: int) -> str:
        """Return a line, 1-based."""
        return self.rows[number - 1].decode("utf-8", "replace") if number <= len(self.rows) else ""

    def giving(self, name: str) -> list[Claim]:
        """Return what the file gives to a name, whatever scopes the file has around it."""
        return [one for one in self.claims if one.key == name or one.key.endswith(f".{name}")]


class NamedFiles:
    """Read what texts name, for one answer."""

    def __init__(self, reader: Reader, weigher: Weigher) -> None:
        self._reader, self._weigher = reader, weigher
        self._read: dict[bytes, _File | None] = {}

    def compared(self, text: str, cited: Iterable[bytes] = ()) -> ComparedValues:
        """Compare the values that a text states with the files that it names, or that are ``cited`` for it."""
        stated = [one for one in stated_values(text) if not holds_mask(one.value)]
        files = [*self._files((*(one.path for one in _named(text)), *cited))] if stated else []
        return _together(_compared(one, files) for one in stated)

    def places(self, text: str) -> list[tuple[str, LineSpan]]:
        """Return the places that a text names: lines, and of files the lines of the constants and definitions that it
        names, too.
        """
        named = _named(text)
        found: dict[tuple[str, LineSpan], None] = {}
        for one in named:
            if one.start_line and (file := self._file(one.path)) is not None:
                found[file.source_id, LineSpan(one.start_line, one.end_line)] = None
        stated, symbols = stated_values(text), _symbols(text)
        for file in self._files(one.path for one in named if not one.start_line):
            for value in stated:
                lines = [LineSpan(each.line, each.line) for each in file.giving(value.name)]
                if len(lines) == 1:
                    found[file.source_id, _telling(lines[0], file.rows)] = None
            known = {value.name.rpartition(".")[2] for value in stated}
            for name in symbols - known:
                same = [hit for hit in file.defined if hit.name == name]
                if len(same) == 1 and same[0].end_line - same[0].start_line < MOST_DEFINED_LINES:
                    found[file.source_id, LineSpan(same[0].start_line, same[0].end_line)] = None
        return [*found][:MOST_PLACES]

    def files(self, text: str) -> list[str]:
        """Return the files of the workspace that a text names in full."""
        return [file.source_id for file in self._files(one.path for one in _named(text))]

    def _files(self, paths: Iterable[bytes]) -> Iterator[_File]:
        for path in [*dict.fromkeys(paths)][:MOST_FILES]:
            if (file := self._file(path)) is not None:
                yield file

    def _file(self, path: bytes) -> _File | None:
        if path not in self._read:
            self._read[path] = self._opened(path)
        return self._read[path]

    def _opened(self, path: bytes) -> _File | None:
        if name_reason(path) == "private":
            return None
        source, observer = self._reader.files.source(path), self._weigher.observer
        observer.expect([path], indexed=source is not None)
        observed = observer.look(source or unindexed(path))
        if observed.file is None:
            return None
        is_current = source is not None and source.content_hash == observed.file.content_hash
        defined = self._reader.names.defined_in(source.id) if source is not None and is_current else ()
        return _File(source or unindexed(path), self._weigher.mask(observed), defined)


def _named(text: str) -> list[_PlaceInText]:
    found: list[_PlaceInText] = []
    for one in citations_in(text):
        if one.kind not in (CitationKind.PLACE, CitationKind.PATH) or not one.path:
            continue
        try:
            path = checked(one.path)
        except UsageError:
            continue
        found.append(_PlaceInText(path, one.start_line, max(one.end_line, one.start_line)))
    known = {one.path for one in found}
    at_root = (os.fsencode(name) for name in file_names_in(text))
    return [*found, *(_PlaceInText(path, 0, 0) for path in at_root if path not in known)]


def _compared(stated: StatedValue, files: Iterable[_File]) -> ComparedValues:
    """Compare one value: where one of some files agrees, the others are of another scope."""
    given = [(file, claim) for file in files for claim in file.giving(stated.name)]
    told = [(agrees(stated, claim.value, file.line(claim.line)), file, claim) for file, claim in given]
    confirmed = frozenset((file.source_id, claim.line) for is_same, file, claim in told if is_same)
    if not told or confirmed:
        return ComparedValues(confirmed=confirmed)
    is_same, file, claim = next((one for one in told if one[0] is None), told[0])
    said = f"{claim.key.rpartition('.')[2]} is {claim.value} in {file.source_id}:{claim.line}"
    if is_same is None:
        return ComparedValues(uncompared=f"not compared: {said}")
    return ComparedValues(said, denied=frozenset((each.source_id, one.line) for _, each, one in told))


def _together(found: Iterable[ComparedValues]) -> ComparedValues:
    several = [*found]
    return ComparedValues(
        "; ".join(one.otherwise for one in several if one.otherwise),
        "; ".join(one.uncompared for one in several if one.uncompared),
        frozenset().union(*(one.confirmed for one in several)),
        frozenset().union(*(one.denied for one in several)),
    )


def _symbols(text: str) -> set[str]:
    """Return the last parts of names in a text that can only be names of code."""
    found: set[str] = set()
    for number, part in enumerate(text.split("`")):
        for match in _DOTTED.finditer(part):
            name = match[0].rpartition(".")[2].rpartition(":")[2]
            is_called = part[match.end() : match.end() + 1] == "("
            if number % 2 or is_called or name != match[0] or is_compound(name):
                found.add(name)
    return found


def _telling(lines: LineSpan, rows: list[bytes]) -> LineSpan:
    """Return a line with as few lines around it as it takes to be known again elsewhere."""
    for before, after in _AROUND:
        first, last = max(lines.start_line - before, 1), min(lines.end_line + after, len(rows))
        if is_telling(rows[first - 1 : last]) and rows[first - 1].strip() and rows[last - 1].strip():
            return LineSpan(first, last)
    return lines
