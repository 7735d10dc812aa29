"""Ingest one file: its bytes in, a ``Document`` with chunks, symbols, claims and clean text out.

The entry point of this package. Pure: reads nothing, keeps nothing, and masks secrets before any other step.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache

import tree_sitter

from helix_core.embed import embedded_texts
from helix_core.ingest.chunk import Span, spans
from helix_core.ingest.claims import find as find_claims
from helix_core.ingest.data_blocks import blanked, hidden, other_branches, unclosed_from
from helix_core.ingest.generation import MADE_BY
from helix_core.ingest.languages import Language, language_of
from helix_core.ingest.never_run import never_run
from helix_core.ingest.outline import NAMES_NOTHING_NEW, Outline, end_of_code, outline, outline_of
from helix_core.ingest.provenance import provenance
from helix_core.ingest.recovery import guesses, respelled_from, unended_from
from helix_core.ingest.syntax import Deadline, Loaded, is_tangled, is_worth_parsing, load, parse, time_for
from helix_core.lines import LineTable, line_count, with_line_feeds
from helix_core.model import Chunk, Claim, Definition, Document, IndexText, Role
from helix_core.secrets import Masked, mask, masked_at
from helix_core.words import camel_parts, spread, wide_pairs

HEAD_BYTES = 256
_LITERALS = frozenset({"None", "True", "False", "null", "true", "false", "nil", "undefined", "self", "this"})
_WORD = re.compile(r"\w+")
_USE_FIXTURES = re.compile(rb"\busefixtures\(([^()]{1,2000})\)")
_QUOTED_NAME = re.compile(rb"[\"']([A-Za-z_][A-Za-z0-9_]*)[\"']")
_ASCII_WORDS = bytes(code if chr(code).isalnum() or code in b"_" else 0x20 for code in range(128)) + bytes(128)
_MARKERS = str.maketrans(dict.fromkeys("/*#\"'", " "))
_TEST_PREFIXES = ("test_", "Test_", "Tests_", "test", "Test", "Benchmark", "Fuzz", "Example")
_TEST_SUFFIXES = ("TestCase", "Tests", "Test", "Spec", "_test", "_spec", "_tests")
_FILE_MARKS = (".test", ".spec", "_test", "_spec", "_tests", "-test", "-spec", "Test", "Tests", "Spec")


@dataclass(frozen=True, slots=True)
class Texts:
    """Masked bytes of a span by kind: comments and docstrings, all the rest, and code without strings."""

    doc: bytes
    body: bytes
    code: bytes


class TextSplitter:
    """Splits spans of one file, in any order, at its comments, docstrings and strings."""

    def __init__(self, data: bytes, outline: Outline) -> None:
        self._data = data
        self._ranges = sorted([*((s, e, True) for s, e in outline.doc), *((s, e, False) for s, e in outline.strings)])
        self._starts = [start for start, _, _ in self._ranges]

    def split(self, start: int, end: int) -> Texts:
        """Return the texts of ``[start, end)``."""
        data = self._data
        doc: list[bytes] = []
        body: list[bytes] = []
        code: list[bytes] = []
        position = body_from = start
        for index in range(max(0, bisect_right(self._starts, start) - 1), len(self._starts)):
            low, high, is_doc = self._ranges[index]
            if low >= end:
                break
            if high <= position:
                continue
            low, high = max(low, position), min(high, end)
            code.append(data[position:low])
            position = high
            if is_doc:
                doc.append(data[low:high])
                body.append(data[body_from:low])
                body_from = high
        code.append(data[position:end])
        body.append(data[body_from:end])
        return Texts(b"\n".join(doc), b" ".join(body), b" ".join(code))


_ENCODING = re.compile(rb"[^\n]*?#[^\n]*?coding[:=][ \t]*([-\w.]+)")
_OF_ONE_ALPHABET = re.compile(
    r"(?i)iso[-_]?8859[-_]?\d{1,2}|latin[-_]?\d{1,2}|(?:cp|windows-?)\d{3,4}|koi8[-_][rut]|euc[-_]?(?:jp|kr|cn)"
    r"|shift[-_]?jis|sjis|gb(?:2312|k|18030)|big5"
)


def declared_encoding(data: bytes) -> str:
    """Return the encoding that a comment in one of the first two lines declares, as Python and Ruby read it; UTF-8
    where none does that leaves ASCII as it is, or none is known. PEP 263.
    """
    for line in data[:HEAD_BYTES].split(b"\n", 2)[:2]:
        match = _ENCODING.match(line)
        name = match[1].decode("ascii", "replace") if match is not None else ""
        if _OF_ONE_ALPHABET.fullmatch(name):
            with suppress(LookupError):
                return codecs.lookup(name).name
    return "utf-8"


def plain(doc: str) -> str:
    """Return comment text without its markers, with whitespace folded."""
    return " ".join(doc.translate(_MARKERS).split())


def references(code: bytes, keywords: frozenset[str], encoding: str = "utf-8") -> str:
    """Return the distinct identifiers of ``code`` with at least two characters that are not keywords."""
    if code.isascii():
        # A third cheaper than a regular expression; a word that starts with a digit is not an identifier.
        words = code.translate(_ASCII_WORDS).decode("ascii").split()
    else:
        words = _WORD.findall(code.decode(encoding, "replace"))
    names = [name for name in dict.fromkeys(words) if len(name) >= 2 and name[0] > "9"]
    return " ".join([name for name in names if name not in keywords and name not in _LITERALS])


def tested_name(name: str, kind: str) -> str:
    """Return the name under test by convention, or '': ``test_foo`` and ``TestFoo`` give foo and Foo."""
    if kind in {"suite", "test"}:
        return name if name.isidentifier() else ""
    for prefix in _TEST_PREFIXES:
        rest = name.removeprefix(prefix)
        if rest != name and rest and not (prefix[-1].islower() and rest[0].islower()):
            return rest.lstrip("_")
    if kind == "class":
        for suffix in _TEST_SUFFIXES:
            rest = name.removesuffix(suffix)
            if rest != name and rest:
                return rest
    return ""


def tested_file(path: bytes) -> str:
    """Return the stem of the file under test by the convention of this file name, or ''."""
    stem = path.rpartition(b"/")[2].decode("utf-8", "replace").rpartition(".")[0]
    if stem.startswith("test_"):
        return stem[5:]
    for mark in _FILE_MARKS:
        rest = stem.removesuffix(mark)
        if rest != stem and rest:
            return rest
    return ""


def _fixtures_asked_for(code: bytes) -> str:
    """Return the names of fixtures of pytest that code asks for as strings: ``usefixtures("name")``."""
    if b"usefixtures(" not in code:
        return ""
    found = (name for call in _USE_FIXTURES.findall(code) for name in _QUOTED_NAME.findall(call))
    return b" ".join(dict.fromkeys(found)).decode("ascii")


_ALWAYS_TESTS = frozenset({"suite", "test"})


class Assembler:
    """Builds the chunks of one file. ``separator`` joins the names of a breadcrumb; in a test file the names of
    functions and classes determine what they test.
    """

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
        self._texts = TextSplitter(masked.data, outline)
        self._encoding = declared_encoding(masked.data)
        self._definitions: dict[int, list[Definition]] = defaultdict(list)
        self._imports: dict[int, dict[str, None]] = defaultdict(dict)
        self._tests: dict[int, dict[str, None]] = defaultdict(dict)
        self._claims: dict[int, list[Claim]] = defaultdict(list)
        self._place(outline)

    def add_claims(self, claims: Iterable[Claim]) -> None:
        """Assign each claim to the span that contains its line."""
        for claim in claims:
            self._claims[self._index(self._lines.start(claim.line - 1))].append(claim)

    def add_test_of_file(self, name: str) -> None:
        """Record in the first chunk what the file as a whole tests."""
        if name:
            self._tests[0][name] = None

    def chunks(self) -> tuple[Chunk, ...]:
        """Return all chunks, in file order."""
        return tuple(self._chunk(index, part) for index, part in enumerate(self._parts))

    def _index(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def _place(self, outline: Outline) -> None:
        clean, row = self._masked.clean, self._lines.row
        for symbol in outline.symbols:
            index = self._index(symbol.start)
            tested = tested_name(symbol.name, symbol.kind) if symbol.is_heavy else ""
            if tested and (self._is_test or symbol.kind in _ALWAYS_TESTS or "tests" in symbol.trail):
                self._tests[index][tested] = None
            if symbol.kind not in NAMES_NOTHING_NEW:
                last = max(symbol.start, symbol.end - 1)
                self._definitions[index].append(
                    Definition(
                        clean(symbol.name),
                        symbol.kind,
                        row(symbol.start) + 1,
                        row(last) + 1,
                        clean(self._separator.join(symbol.trail)),
                    )
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
            is_claimed=part.is_claimed,
        )

    def _text(self, part: Span, definitions: list[Definition]) -> IndexText:
        clean = self._masked.clean
        texts = self._texts.split(part.start, part.end)
        body = texts.body.decode(self._encoding, "replace")
        doc = plain(texts.doc.decode(self._encoding, "replace"))
        names = dict.fromkeys((*part.trail, part.name, *(definition.name for definition in definitions)))
        names.pop("", None)
        asked = _fixtures_asked_for(self._masked.data[part.start : part.end]) if self._is_test else ""
        return IndexText(
            names=clean(spread(names)),
            doc=clean(doc),
            body=clean(body),
            extra=clean(" ".join((*camel_parts(body), *wide_pairs(body), *wide_pairs(doc)))),
            refs=clean(" ".join(filter(None, (references(texts.code, self._keywords, self._encoding), asked)))),
        )


DOCUMENT_LANGUAGES = frozenset({"markdown", "rst", "text", "tex"})


def ingest(
    path: bytes, data: bytes, *, skipped: str = "", parse_limit_s: float | None = None, embed: bool = True
) -> Document:
    """Return the document of a file's bytes.

    Args:
        path: Relative to the root.
        data: The whole file.
        skipped: A reason to skip the file; its content is then not read.
        parse_limit_s: CPU seconds after which the parse is abandoned for line chunks and ``has_errors`` set; by default
            0.2 to 2, by size.
        embed: Without it the document has no vectors.
    """
    language = language_of(path, data)
    about = provenance(path)
    masked = Masked(b"") if skipped else mask(data)
    chunks: tuple[Chunk, ...] = ()
    has_errors = False
    if masked.data:
        deadline = Deadline(time_for(len(data)) if parse_limit_s is None else parse_limit_s)
        chunks, has_errors = _chunks(path, language, about.role, masked, deadline)
    return Document(
        path=path,
        content_hash=hashlib.sha256(data).hexdigest(),
        size_bytes=len(data),
        line_count=line_count(data),
        language=language.name,
        parser=parser_of(language),
        source_kind=about.source_kind,
        volatility=about.volatility,
        authority=about.authority,
        role=about.role,
        chunks=chunks,
        has_errors=has_errors,
        masked_count=len(masked.findings),
        secrets=masked.findings if masked_at(data, masked.findings) == masked else (),
        skipped=skipped,
        embedded=embedded_texts(path, chunks) if embed else (),
    )


def preload_grammar(path: bytes, data: bytes) -> None:
    """Load the grammar of a file in advance, which costs 5 to 180 ms once a language."""
    language = language_of(path, data)
    if language.grammar is not None:
        load(language.grammar)


def parser_version(path: bytes, data: bytes) -> str:
    """Return the chunker and grammar versions that would parse a file at ``path`` now; loads neither."""
    return parser_of(language_of(path, data))


@cache
def parser_of(language: Language) -> str:
    """Return ``chunker/3 table/a8c58453 tree-sitter-python/0.25.0``: equal versions produce equal chunks."""
    if language.grammar is None:
        return f"{MADE_BY} lines/{language.name}"
    from importlib.metadata import PackageNotFoundError, version

    name = language.grammar.distribution
    try:
        return f"{MADE_BY} {name}/{version(name)}"
    except PackageNotFoundError:
        return f"{MADE_BY} {name}/missing"


def outline_and_tree(
    language: Language, data: bytes, lines: LineTable, deadline: Deadline
) -> tuple[Outline, tree_sitter.Tree | None, bool]:
    """Return the outline and its tree, and whether the text has syntax errors or its parse was abandoned.

    What the interpreter does not read as code is outlined as one string.
    """
    found, tree, has_errors = _outline_and_tree(language, data, lines, deadline)
    # Where the text does not parse, what the parser took for a string may be none.
    end = end_of_code(language.name, data, () if has_errors else (*found.doc, *found.strings))
    if has_errors and tree is not None:
        end = min(end, unended_from(language.name, tree.root_node, data))
    if end == len(data):
        return found, tree, has_errors
    found, tree, is_code_wrong = _outline_and_tree(language, data[:end], lines, deadline)
    found = replace(found, strings=(*found.strings, (end, len(data))))
    return found, tree, has_errors or is_code_wrong


def _outline_and_tree(
    language: Language, data: bytes, lines: LineTable, deadline: Deadline
) -> tuple[Outline, tree_sitter.Tree | None, bool]:
    if language.grammar is None or not is_worth_parsing(language.grammar, data, len(lines)):
        return outline_of(language.name, data, lines), None, False
    loaded = load(language.grammar)
    code, blocks = blanked(language.name, data)
    tree = parse(loaded, code, deadline)
    if tree is None or is_tangled(tree.root_node):
        return outline_of(language.name, data, lines), None, True
    if language.name == "c_sharp" and tree.root_node.has_error and b"#if" in code:
        tree, code, blocks = _by_first_branches(loaded, tree, code, blocks, deadline)
    dead = never_run(language.name, tree.root_node, code)
    found = outline(loaded, tree, code, headings=language.grammar.headings, dead=dead)
    end = unclosed_from(language.name, code) if tree.root_node.has_error else len(code)
    if language.name == "java":
        end = min(end, respelled_from(tree.root_node, code))
    if end < len(code):
        symbols = (one if one.end <= end else replace(one, is_sure=False) for one in found.symbols)
        found = replace(found, symbols=tuple(symbols))
    return replace(found, strings=(*found.strings, *blocks)), tree, tree.root_node.has_error


def _by_first_branches(
    loaded: Loaded, tree: tree_sitter.Tree, code: bytes, blocks: list[tuple[int, int]], deadline: Deadline
) -> tuple[tree_sitter.Tree, bytes, list[tuple[int, int]]]:
    """Return tree, code and hidden ranges of a text of C# of which conditions that the parser does not understand show
    their first branch alone, where it has to guess less then.
    """
    guessed = guesses(tree.root_node)
    others = other_branches(code, guessed)
    shown = hidden(code, others)
    other_tree = parse(loaded, shown, deadline) if others else None
    if other_tree is None or len(guesses(other_tree.root_node)) >= len(guessed):
        return tree, code, blocks
    return other_tree, shown, sorted([*blocks, *others])


def _chunks(
    path: bytes, language: Language, role: Role, masked: Masked, deadline: Deadline
) -> tuple[tuple[Chunk, ...], bool]:
    lines = LineTable(masked.data)
    # Grammars and patterns only know \n as a line end; hashes and texts are of the original bytes.
    text = with_line_feeds(masked.data)
    outlined, tree, has_errors = outline_and_tree(language, text, lines, deadline)
    parts = spans(text, lines, outlined, tree.root_node if tree is not None else None)
    separator = " > " if language.name in DOCUMENT_LANGUAGES else "."
    assembler = Assembler(masked, lines, outlined, parts, separator, is_test=role is Role.TEST)
    assembler.add_claims(find_claims(masked, language.name, tree))
    if role is Role.TEST:
        assembler.add_test_of_file(tested_file(path))
    return assembler.chunks(), has_errors
