"""The files that a memory's text names in full, as they are on disk now: lines to cite, and values they give otherwise.

A memory may say ``MAX_RETRIES = 25 in app/retry.py``, or cite that file. Where it gives the constant another value, the
file is right; a file that does not give it at all says nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from helix_core.check import CitationKind, citations_in
from helix_core.engine.verdict.judge import unindexed
from helix_core.engine.verdict.spans import is_telling
from helix_core.engine.verdict.weigher import Weigher
from helix_core.errors import UsageError
from helix_core.ingest import find, language_of
from helix_core.memory import StatedValue, comparable, stated_values
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

    def giving(self, name: str) -> list[Claim]:
        """Return what the file gives to a name, whatever scopes the file has around it."""
        return [one for one in self.claims if one.key == name or one.key.endswith(f".{name}")]


class NamedFiles:
    """Read what texts name, for one answer."""

    def __init__(self, reader: Reader, weigher: Weigher) -> None:
        self._reader, self._weigher = reader, weigher
        self._read: dict[bytes, _File | None] = {}

    def otherwise(self, text: str, cited: Iterable[bytes] = ()) -> str:
        """Return what files that a text names, or that are ``cited`` for it, give otherwise than it states; empty where
        nothing does.
        """
        stated = [one for one in stated_values(text) if not holds_mask(one.value)]
        files = [*self._files((*(one.path for one in _named(text)), *cited))] if stated else []
        return "; ".join(filter(None, (_against(one, files) for one in stated)))

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
    return found


def _against(stated: StatedValue, files: Iterable[_File]) -> str:
    """Return what the first of some files gives otherwise; empty where one agrees, or none gives the name a value."""
    given = [(file, claim) for file in files for claim in file.giving(stated.name)]
    wanted = comparable(stated.value)
    if not given or any(comparable(claim.value) == wanted for _, claim in given):
        return ""
    file, claim = given[0]
    return f"{claim.key.rpartition('.')[2]} is {claim.value} in {file.source_id}:{claim.line}"


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
