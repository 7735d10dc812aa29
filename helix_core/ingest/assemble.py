"""Spans, outline and claims → chunks: each definition, import, claim and text to the span it stands in. Pure."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence

from helix_core.ingest import symbols
from helix_core.ingest.chunk import Span
from helix_core.ingest.outline import NAMES_NOTHING_NEW, Outline
from helix_core.ingest.secrets import Masked
from helix_core.lines import LineTable
from helix_core.model import Chunk, Claim, Definition, IndexText
from helix_core.words import camel_parts, spread, wide_pairs

_ALWAYS_TESTS = frozenset({"suite", "test"})


class Assembler:
    """Builds the chunks of one file. ``separator`` stands between the names of a breadcrumb; in a test file the
    names of functions and classes say what they test."""

    def __init__(
        self,
        masked: Masked,
        lines: LineTable,
        outline: Outline,
        parts: Sequence[Span],
        separator: str,
        *,
        is_test: bool,
    ) -> None:
        self._is_test = is_test
        self._masked = masked
        self._lines = lines
        self._keywords = outline.keywords
        self._parts = parts
        self._separator = separator
        self._starts = [part.start for part in parts]
        self._texts = symbols.TextSplitter(masked.data, outline)
        self._definitions: dict[int, list[Definition]] = defaultdict(list)
        self._imports: dict[int, dict[str, None]] = defaultdict(dict)
        self._tests: dict[int, dict[str, None]] = defaultdict(dict)
        self._claims: dict[int, list[Claim]] = defaultdict(list)
        self._place(outline)

    def add_claims(self, claims: Iterable[Claim]) -> None:
        """Each claim goes to the span its line is in."""
        for claim in claims:
            self._claims[self._index(self._lines.start(claim.line - 1))].append(claim)

    def add_test_of_file(self, name: str) -> None:
        """What the file as a whole tests is said once, by its first chunk."""
        if name:
            self._tests[0][name] = None

    def chunks(self) -> tuple[Chunk, ...]:
        """All chunks, in the order of the file."""
        return tuple(self._chunk(index, part) for index, part in enumerate(self._parts))

    def _index(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def _place(self, outline: Outline) -> None:
        clean, row = self._masked.clean, self._lines.row
        for symbol in outline.symbols:
            index = self._index(symbol.start)
            tested = symbols.tested_name(symbol.name, symbol.kind) if symbol.is_heavy else ""
            if tested and (self._is_test or symbol.kind in _ALWAYS_TESTS or "tests" in symbol.trail):
                self._tests[index][tested] = None
            if symbol.kind not in NAMES_NOTHING_NEW:
                last = max(symbol.start, symbol.end - 1)
                self._definitions[index].append(
                    Definition(clean(symbol.name), symbol.kind, row(symbol.start) + 1, row(last) + 1)
                )
        for item in outline.imports:
            if item.module:
                self._imports[self._index(item.start)][item.module] = None

    def _chunk(self, index: int, part: Span) -> Chunk:
        clean, row = self._masked.clean, self._lines.row
        breadcrumb = self._separator.join(part.trail)
        definitions = self._definitions.get(index, [])
        return Chunk(
            kind=part.kind,
            start_byte=part.start,
            end_byte=part.end,
            start_line=row(part.start) + 1,
            end_line=row(part.end - 1) + 1,
            name=clean(part.name),
            breadcrumb=clean(breadcrumb),
            text_hash=hashlib.sha256(self._masked.data[part.start : part.end]).hexdigest()[:16],
            text=self._text(part, definitions),
            definitions=tuple(definitions),
            claims=tuple(self._claims.get(index, ())),
            imports=tuple(map(clean, self._imports.get(index, ()))),
            tests=tuple(map(clean, self._tests.get(index, ()))),
        )

    def _text(self, part: Span, definitions: list[Definition]) -> IndexText:
        clean = self._masked.clean
        texts = self._texts.split(part.start, part.end)
        body = texts.body.decode("utf-8", "replace")
        doc = symbols.plain(texts.doc.decode("utf-8", "replace"))
        names = dict.fromkeys((*part.trail, part.name, *(definition.name for definition in definitions)))
        names.pop("", None)
        return IndexText(
            names=clean(spread(names)),
            doc=clean(doc),
            body=clean(body),
            extra=clean(" ".join((*camel_parts(body), *wide_pairs(body), *wide_pairs(doc)))),
            refs=clean(symbols.references(texts.code, self._keywords)),
        )
