"""The one entry of the room: a file's bytes → everything the index will know of it. Reads nothing, keeps nothing."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version

import tree_sitter

from helix_core.embed.document import embedded_texts
from helix_core.ingest import claims
from helix_core.ingest.assemble import Assembler
from helix_core.ingest.chunk import spans
from helix_core.ingest.generation import MADE_BY
from helix_core.ingest.languages import Language, language_of
from helix_core.ingest.outline import Outline, outline
from helix_core.ingest.plain import outline_of
from helix_core.ingest.provenance import provenance
from helix_core.ingest.secrets import Masked, mask
from helix_core.ingest.symbols import tested_file
from helix_core.ingest.syntax import Deadline, is_tangled, is_worth_parsing, load, parse, time_for
from helix_core.lines import LineTable, line_count, with_line_feeds
from helix_core.model import Chunk, Document, Role

HEAD_BYTES = 256
DOCUMENT_LANGUAGES = frozenset({"markdown", "rst", "text", "tex"})


def ingest(
    path: bytes, data: bytes, *, skipped: str = "", parse_limit_s: float | None = None, embed: bool = True
) -> Document:
    """The document of ``data``, found at ``path`` (relative to the root).

    ``skipped`` is a reason why the content does not count; then nothing of it is read. A parse that takes longer than
    ``parse_limit_s`` seconds (by default 0.2 to 2, by size) is given up for line chunks, and ``has_errors`` says so.
    Without ``embed`` the document has no vectors.
    """
    language = language_of(path, data[:HEAD_BYTES])
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
        skipped=skipped,
        embedded=embedded_texts(path, chunks) if embed else (),
    )


def make_ready(path: bytes, head: bytes) -> None:
    """Load the grammar of a file now, so that ingesting it costs what ingesting costs: once 5 to 180 ms a language."""
    language = language_of(path, head[:HEAD_BYTES])
    if language.grammar is not None:
        load(language.grammar)


def parser_version(path: bytes, head: bytes) -> str:
    """Names the chunker and the grammar, with versions, that a file at ``path`` would meet today; loads neither."""
    return parser_of(language_of(path, head[:HEAD_BYTES]))


@cache
def parser_of(language: Language) -> str:
    """``chunker/3 table/a8c58453 tree-sitter-python/0.25.0``: equal where old chunks are as good as new ones."""
    if language.grammar is None:
        return f"{MADE_BY} lines/{language.name}"
    name = language.grammar.distribution
    try:
        return f"{MADE_BY} {name}/{version(name)}"
    except PackageNotFoundError:
        return f"{MADE_BY} {name}/missing"


def outline_and_tree(
    language: Language, data: bytes, lines: LineTable, deadline: Deadline
) -> tuple[Outline, tree_sitter.Tree | None, bool]:
    """The outline and its tree, and whether the text has syntax errors or its parse was given up."""
    if language.grammar is None or not is_worth_parsing(language.grammar, data, len(lines)):
        return outline_of(language.name, data, lines), None, False
    loaded = load(language.grammar)
    tree = parse(loaded, data, deadline)
    if tree is None or is_tangled(tree.root_node):
        return outline_of(language.name, data, lines), None, True
    found = outline(loaded, tree, data, headings=language.grammar.headings)
    return found, tree, tree.root_node.has_error


def _chunks(
    path: bytes, language: Language, role: Role, masked: Masked, deadline: Deadline
) -> tuple[tuple[Chunk, ...], bool]:
    lines = LineTable(masked.data)
    # Grammars and patterns know \n as the only line end; hashes and texts are those of the bytes as they are.
    text = with_line_feeds(masked.data)
    outlined, tree, has_errors = outline_and_tree(language, text, lines, deadline)
    parts = spans(text, lines, outlined, tree.root_node if tree is not None else None)
    separator = " > " if language.name in DOCUMENT_LANGUAGES else "."
    assembler = Assembler(masked, lines, outlined, parts, separator, is_test=role is Role.TEST)
    assembler.add_claims(claims.find(masked, language.name, tree))
    if role is Role.TEST:
        assembler.add_test_of_file(tested_file(path))
    return assembler.chunks(), has_errors
