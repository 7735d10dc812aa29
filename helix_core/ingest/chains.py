"""Label a span of a file's bytes with its chain of enclosing definitions, as ingest would.

In: masked bytes and their path. Out: whether the span still has a given symbol, has another one, or defines nothing (a
string, a comment). Pure; reads and keeps nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from helix_core.ingest.chunk import CLOSERS, spans
from helix_core.ingest.document import DOCUMENT_LANGUAGES, outline_and_tree
from helix_core.ingest.languages import Language, language_of
from helix_core.ingest.outline import CONTAINERS, Outline, Symbol, bases_by_class
from helix_core.ingest.provenance import provenance
from helix_core.ingest.syntax import Deadline, load
from helix_core.lines import LineTable, with_line_feeds
from helix_core.model import Naming, SourceKind, joined_symbol

NO_DEFINITION = "the same text is there, but defines nothing of that name"
INERT = "the same text is there, but in a string or a comment"
NOT_PARSED = "the same text is there; under which name could not be told, since the file does not parse"
_BLANK = b" \t\r\n\f\v"
_LITERAL = re.compile(rb"`[^`]*`")
_REMARK = re.compile(rb"#|//|/?\*|>>>|\.\. |:\w")
_MARKUP = re.compile(rb":[a-z]+:`|(?m:^[ \t]*(?:\.\. [a-z]+::|:param |>>> ))|::[ \t]*\n")
_CODE = re.compile(
    rb"[={};]|\w[(\[]|[)\](,:]$|->|&&|\|\||"
    rb"^(?:return|yield|raise|pass|break|continue|import|from|@|else|try|del|assert|end)\b"
)
_PROSE_SHARE = 0.45
"""Least share of prose lines in a part of a docstring; measured on flask, whose docstrings reach it in nine of ten."""
_SEPARATORS = re.compile(r" > |\.")


@dataclass(frozen=True, slots=True)
class _Defined:
    """A symbol with its joined chain."""

    start: int
    end: int
    name: str
    chain: str
    kind: str
    is_heavy: bool
    is_container: bool


@dataclass(frozen=True, slots=True)
class ClassSpan:
    """A class, interface, trait or implementation with its 1-based lines and what it extends or implements."""

    chain: tuple[str, ...]
    start_line: int
    end_line: int
    bases: tuple[str, ...]


_CLASSES = CONTAINERS - {"module", "namespace", "suite", "section"}


class Chains:
    """The symbol chains of one file. ``limit_s`` limits the CPU time of the parse, in seconds."""

    def __init__(self, path: bytes, data: bytes, limit_s: float) -> None:
        self._data = data = with_line_feeds(data)
        self._language = language_of(path, data)
        lines = LineTable(data)
        outline, tree, has_errors = outline_and_tree(self._language, data, lines, Deadline(limit_s))
        # Headings are found without a grammar, so a syntax error in prose does not matter.
        self._has_errors = has_errors and self._language.name not in DOCUMENT_LANGUAGES
        named = _namer(self._language, provenance(path).source_kind)
        self._defined = [_defined(symbol, named) for symbol in outline.symbols if symbol.is_sure]
        self._starts = [one.start for one in self._defined]
        parts = spans(data, lines, outline, tree.root_node if tree is not None else None)
        self._parts = [part.start for part in parts]
        self._labels = [named(part.trail, part.name) if part.is_claimed else "" for part in parts]
        bases: dict[int, tuple[str, ...]] = {}
        if tree is not None and self._language.grammar is not None:
            bases = bases_by_class(load(self._language.grammar), tree.root_node, data)
        self.classes = tuple(
            ClassSpan(
                (*one.trail, one.name),
                lines.row(one.start) + 1,
                lines.row(max(one.start, one.end - 1)) + 1,
                bases.get(one.start, ()),
            )
            for one in outline.symbols
            if one.kind in _CLASSES and one.is_sure
        )
        self._inert = _inert(self._language, outline)

    @property
    def size_bytes(self) -> int:
        """Return the size of the text, in bytes."""
        return len(self._data)

    @property
    def definitions(self) -> list[tuple[int, str]]:
        """Return the first byte and the symbol of each definition, in order."""
        return [(one.start, one.chain) for one in self._defined]

    @property
    def kinds(self) -> list[tuple[str, str]]:
        """Return the symbol and the kind of each definition, in order."""
        return [(one.chain, one.kind) for one in self._defined]

    def name(self, start: int, end: int, symbol: str) -> Naming:
        """Label the bytes ``[start, end)``, whole lines, whose label used to be ``symbol``.

        A part of a definition has the definition's symbol; so a span keeps ``symbol`` while it defines it or is nested
        in it, with no class between and no other definition behind its end.
        """
        start, end = self._trimmed(start, end)
        if start >= end:
            return Naming(symbol)
        inside = self._defined[bisect_left(self._starts, start) : bisect_left(self._starts, end)]
        if any(one.chain == symbol for one in inside):
            return Naming(symbol)
        namesake = next((one for one in inside if _ends_with(symbol, one.name)), None)
        if namesake is not None:
            return self._other(namesake.chain)
        if self._is_inert(start, end):
            return Naming(None, INERT)
        around = [one for one in self._defined if one.start <= start < one.end]
        if self._is_labelled(start, end, symbol) or _is_enclosed(around, inside, symbol):
            return Naming(symbol)
        if symbol and _mentions(self._data[start:end], symbol):
            return Naming(None, NOT_PARSED if self._has_errors else NO_DEFINITION)
        holding = [one for one in around if one.end >= end or (one.is_heavy and not _goes_on(one, inside))]
        return self._other(holding[-1].chain if holding else "")

    def label(self, start: int, end: int) -> Naming:
        """Label the bytes ``[start, end)``, whole lines, that had no label before.

        As ``name``; but lines that begin with the ``export``, the decorators or the comment of one definition, and hold
        nothing after it, have the definition's symbol.
        """
        found = self.name(start, end, "")
        if found.symbol != "":
            return found
        start, end = self._trimmed(start, end)
        first = next(iter(self._defined[bisect_left(self._starts, start) : bisect_left(self._starts, end)]), None)
        if first is None or not self._is_labelled(start, start + 1, first.chain):
            return found
        return found if self._data[first.end : end].strip(CLOSERS) else self._other(first.chain)

    def _other(self, chain: str) -> Naming:
        """Label with another symbol, or with none in a text with syntax errors, where the parser may be wrong."""
        return Naming(None, NOT_PARSED) if self._has_errors else Naming(chain)

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        text = self._data[start:end]
        return start + len(text) - len(text.lstrip(_BLANK)), start + len(text.rstrip(_BLANK))

    def _is_labelled(self, start: int, end: int, symbol: str) -> bool:
        """Return whether every chunk of the span has this symbol."""
        first = max(bisect_right(self._parts, start) - 1, 0)
        labels = self._labels[first : max(bisect_left(self._parts, end), first + 1)]
        return bool(labels) and all(label == symbol for label in labels)

    def _is_inert(self, start: int, end: int) -> bool:
        """Return whether the span is entirely inside strings and comments although it parses as code by itself."""
        if not _covers(self._data, self._inert, start, end):
            return False
        alone = self._data[start:end]
        outline, _, has_errors = outline_and_tree(self._language, alone, LineTable(alone), Deadline(1.0))
        if has_errors:
            return not _is_prose(alone)
        return not _covers(alone, _inert(self._language, outline), 0, len(alone))


def _namer(language: Language, kind: SourceKind) -> Callable[[Sequence[str], str], str]:
    separator = " > " if language.name in DOCUMENT_LANGUAGES else "."
    return lambda trail, name: joined_symbol(separator.join(trail), name, kind)


def _defined(symbol: Symbol, named: Callable[[Sequence[str], str], str]) -> _Defined:
    chain = named(symbol.trail, symbol.name)
    heavy, container = symbol.is_heavy, symbol.is_container
    return _Defined(symbol.start, symbol.end, symbol.name, chain, symbol.kind, heavy, container)


def _ends_with(chain: str, name: str) -> bool:
    return chain == name or chain.endswith((f".{name}", f" > {name}"))


def _is_enclosed(around: Sequence[_Defined], inside: Sequence[_Defined], chain: str) -> bool:
    """Return whether the definition ``chain`` encloses the text, with no class between.

    ``around`` holds the definitions that the first byte is in, outermost first, and ``inside`` those that begin in the
    text: one that begins behind the end of ``chain`` is no part of it. A text without a name is enclosed by none.
    """
    if not chain:
        return not any(one.is_heavy for one in around)
    at = next((at for at in range(len(around) - 1, -1, -1) if around[at].chain == chain), None)
    if at is None or any(one.is_container for one in around[at + 1 :]):
        return False
    return not _goes_on(around[at], inside)


def _goes_on(holding: _Defined, inside: Sequence[_Defined]) -> bool:
    """Return whether one of the definitions that begin in a text begins behind the end of ``holding``."""
    return any(one.start >= holding.end for one in inside)


def _mentions(text: bytes, symbol: str) -> bool:
    """Return whether the text contains the last name of the chain, and so is probably its definition."""
    name = _SEPARATORS.split(symbol)[-1]
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text.decode("utf-8", "replace")) is not None


def _inert(language: Language, outline: Outline) -> list[tuple[int, int]]:
    """Return the ranges of comments and strings, in order; none for prose, where quoted prose is prose."""
    return [] if language.name in DOCUMENT_LANGUAGES else sorted((*outline.doc, *outline.strings))


def _covers(data: bytes, ranges: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Return whether the sorted ``ranges`` cover every non-blank byte of ``[start, end)``."""
    position = start
    index = max(bisect_right(ranges, (start, len(data))) - 1, 0)
    for low, high in ranges[index:]:
        if low >= end:
            break
        if low > position and data[position:low].strip(_BLANK):
            return False
        position = max(position, high)
    return bool(ranges) and not data[position:end].strip(_BLANK)


def _is_prose(text: bytes) -> bool:
    """Return whether the text has document markup, or many of its lines look like sentences.

    Comment lines do not count.
    """
    if _MARKUP.search(text):
        return True
    lines = [_LITERAL.sub(b"", line.strip()) for line in text.split(b"\n") if line.strip(_BLANK)]
    plain = [line for line in lines if not _REMARK.match(line)]
    return sum(_CODE.search(line) is None for line in plain) >= _PROSE_SHARE * len(plain)
