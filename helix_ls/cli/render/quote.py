"""A quote with line numbers, coloured by the grammar that cut it: no pattern is ever run over text of others."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text
from tree_sitter import Parser

from helix_core.ingest.languages import LANGUAGES
from helix_core.ingest.syntax import load
from helix_core.lines import lines_with_ends
from helix_core.printable import lines_of
from helix_ls.cli.render.words import count

_MOST_BYTES = 20_000
_COLOURS = {"comment": "bright_black", "string": "green", "number": "cyan", "keyword": "magenta"}
_NUMBERS = ("integer", "float", "number", "int_literal", "decimal")


def quoted(quote: str, start_line: int, end_line: int, language: str, *, most: int, colour: bool) -> Iterator[Text]:
    """The lines of a quote with their numbers, ``most`` of them, then how many more the span has."""
    lines = lines_of("".join(lines_with_ends(quote)[:most])) if quote else []
    while lines and not lines[-1].strip():
        lines.pop()
    width = len(str(start_line + len(lines)))
    for number, line in enumerate(_coloured(lines, language) if colour else map(Text, lines), start=start_line):
        yield Text.assemble((f"  {number:>{width}} │ ", "dim"), line)
    more = end_line - start_line + 1 - len(lines)
    if lines and more > 0:
        yield Text(f"  {'⋮':>{width}}   {count(more, 'more line')}", style="dim")


def _coloured(lines: list[str], language: str) -> list[Text]:
    known = LANGUAGES.get(language)
    texts = [Text(line) for line in lines]
    data = [line.encode() for line in lines]
    if known is None or known.grammar is None or sum(map(len, data)) > _MOST_BYTES:
        return texts
    loaded = load(known.grammar)
    tree = Parser(loaded.language).parse(b"\n".join(data))
    pending = [tree.root_node]
    while pending:
        node = pending.pop()
        style = _style(node.type, named=node.is_named, keywords=loaded.keywords)
        if style is None:
            pending.extend(node.children)
            continue
        (first, start), (last, end) = node.start_point, node.end_point
        for row in range(first, min(last, len(texts) - 1) + 1):
            left = _column(data[row], start) if row == first else 0
            right = _column(data[row], end) if row == last else len(texts[row])
            texts[row].stylize(style, left, right)
    return texts


def _style(kind: str, *, named: bool, keywords: frozenset[str]) -> str | None:
    if not named:
        return _COLOURS["keyword"] if kind in keywords else None
    if "comment" in kind:
        return _COLOURS["comment"]
    if "string" in kind and "interpolat" not in kind and "template" not in kind:
        return _COLOURS["string"]
    return _COLOURS["number"] if kind.startswith(_NUMBERS) else None


def _column(line: bytes, byte: int) -> int:
    return len(line[:byte].decode("utf-8", "replace"))
