"""Headings of documents: their levels and the extent of each section. Pure text, no trees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from helix_core.ingest.exact_names import bounded, name_text
from helix_core.lines import LineTable

_ADORNMENT = frozenset(b"=-~^\"'`*+#<>:._")
_DESCRIBING = frozenset(
    {
        *("class", "function", "method", "attribute", "data", "exception", "module", "classmethod", "staticmethod"),
        *("property", "decorator", "type", "member", "struct", "enum", "var", "macro", "object", "describe"),
        *("setting", "confval", "option", "cmdoption", "envvar", "program", "directive", "django-admin"),
        *("templatetag", "templatefilter", "fieldlookup", "signal"),
        *("automodule", "autoclass", "autofunction", "automethod", "autodata"),
    }
)

_IMAGE = re.compile(r"!\[([^\[\]]{0,300}+)\](?:\([^()\s]{0,500}+(?: +\"[^\"]{0,200}+\")?\)|\[[^\[\]]{0,100}+\])")
_LINK = re.compile(
    r"(?<![\w\]])\[([^\[\]]{0,300}+)\](?:\([^()\s]{0,500}+(?: +\"[^\"]{0,200}+\")?\)|\[[^\[\]]{0,100}+\])"
)
_TAG = re.compile(
    r"</?(a|img|br|h[1-6]|div|span|p|b|i|u|s|em|strong|sub|sup|code|kbd|small|center|font|picture|source|samp|tt)"
    r"(?=[\s/>])([^<>]{0,1000}+)>",
    re.I,
)
"""What is shown as markup; ``List<T>`` is not."""
_ALT = re.compile(r"\balt\s*=\s*(?:\"([^\"<>]{0,300}+)\"|'([^'<>]{0,300}+)')", re.I)
_IDENTIFIER = re.compile(r"\s*\{#[^{}]{1,100}\}\s*$")
_HTML_HEADING = re.compile(r"<h([1-6])(?=[\s>])[^<>]{0,1000}+>(.{0,4000}?)(?:</h\1\s*>|\Z)", re.I | re.S)
_KEPT_CODE = re.compile(r"\0(\d+)\0")
_MARKUP = ("![", "](", "][", "<", "{#")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading's bytes ``[start, end)`` with its overline and underline; ``level`` 0 means inferred from its style."""

    start: int
    end: int
    name: str
    kind: str = "section"
    level: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A described name, such as ``.. setting:: DEBUG`` or ``.. py:method:: f(x)``, with its indented text."""

    start: int
    end: int
    name: str


def readable(title: str) -> str:
    """Return a title as its reader sees it: of links the label, of images the alternative text, and no tags. A title
    that has nothing else stays as it is.
    """
    if not any(mark in title for mark in _MARKUP) or "\0" in title:
        return title
    # A worker has no other use for it.
    from helix_core.ingest.references import code_spans

    codes: list[str] = []
    pieces: list[str] = []
    position = 0
    for start, end, _ in code_spans(title):
        pieces += [title[position:start], f"\0{len(codes)}\0"]
        codes.append(title[start:end])
        position = end
    text = _IDENTIFIER.sub("", _without_markup("".join([*pieces, title[position:]])))
    return " ".join(_KEPT_CODE.sub(lambda kept: codes[int(kept[1])], text).split()) or title


def _without_markup(text: str) -> str:
    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    return _TAG.sub(_alternative, text)


def _alternative(tag: re.Match[str]) -> str:
    alternative = _ALT.search(tag[2]) if tag[1].lower() == "img" else None
    return f" {alternative[1] or alternative[2] or ''} " if alternative is not None else " " * (tag[1].lower() == "br")


def html_headings(data: bytes, start: int, end: int) -> list[Heading]:
    """Return the headings that a block of HTML draws, each from the start of its line on; none without any text."""
    block = data[start:end]
    if b"<h" not in block and b"<H" not in block:
        return []
    # One character a byte, so that offsets are right.
    found: list[Heading] = []
    for match in _HTML_HEADING.finditer(block.decode("latin-1")):
        name = readable(name_text(match[2].encode("latin-1")))
        line = data.rfind(b"\n", 0, start + match.start()) + 1
        if name.strip("<> ") and not name.startswith("<") and (not found or line > found[-1].start):
            found.append(Heading(line, start + match.end(), name, level=int(match[1])))
    return found


def nested(headings: list[Heading], data: bytes) -> Iterator[tuple[Heading, int]]:
    """Yield each heading with the end of its section: the next heading of its level or a higher one, or the file's
    end.
    """
    levels = _levels(headings, data)
    ends = [len(data)] * len(headings)
    open_: list[int] = []
    for index, level in enumerate(levels):
        while open_ and levels[open_[-1]] >= level:
            ends[open_.pop()] = headings[index].start
        open_.append(index)
    yield from zip(headings, ends, strict=True)


def _levels(headings: list[Heading], data: bytes) -> list[int]:
    """Return the levels: the number of ``#``, or the order in which underline styles first appear (docutils,
    "Sections").
    """
    styles: list[str] = []
    levels = []
    for heading in headings:
        if heading.level:
            levels.append(heading.level)
            continue
        text = data[heading.start : heading.end].strip().decode("utf-8", "replace")
        marks = len(text) - len(text.lstrip("#"))
        if 0 < marks <= 6 and "\n" not in text:
            levels.append(marks)
            continue
        drawn = text.rpartition("\n")[2][-1:]
        style = drawn * 2 if text.startswith(drawn) else drawn
        if style not in styles:
            styles.append(style)
        levels.append(styles.index(style) + 1)
    return levels


def underlined(data: bytes, lines: LineTable) -> list[Heading]:
    """Return titles with an underline of one punctuation character, and perhaps an overline, found line by line."""
    found: list[Heading] = []
    for row in range(1, len(lines)):
        drawn = data[lines.start(row) : lines.start(row + 1)].rstrip()
        if len(drawn) < 3 or drawn[0] not in _ADORNMENT or drawn.strip(drawn[:1]):
            continue
        title = data[lines.start(row - 1) : lines.start(row)].rstrip()
        if not title.strip() or len(title) > len(drawn) + 2 or not title.strip(title.strip()[:1]):
            continue
        first = row - 1
        if row >= 2:
            over = data[lines.start(row - 2) : lines.start(row - 1)].rstrip()
            first -= over == drawn
            if first == row - 1 and over.strip() and not _ends_at(found, lines.start(row - 1)):
                continue
        if title[:1].isspace() and first == row - 1:
            continue
        found.append(Heading(lines.start(first), lines.start(row + 1), name_text(title.strip())))
    return found


def entries(data: bytes) -> list[Entry]:
    """Return the reStructuredText directives that describe one name each (Sphinx, "Domains"), nested by indentation."""
    if b":: " not in data:
        return []
    found: list[Entry] = []
    open_: list[tuple[int, int, str]] = []
    position = 0
    for line in data.split(b"\n"):
        text = line.lstrip()
        indent = len(line) - len(text)
        if text.strip():
            while open_ and open_[-1][0] >= indent:
                _, start, name = open_.pop()
                found.append(Entry(start, position, name))
            name = _described(text) if text.startswith(b".. ") else ""
            if name:
                open_.append((indent, position, name))
        position += len(line) + 1
    found += [Entry(start, len(data), name) for _, start, name in open_]
    return found


def _described(text: bytes) -> str:
    directive, separator, argument = text[3:].partition(b":: ")
    kind = directive.rpartition(b":")[2].decode("utf-8", "replace")
    if not separator or kind not in _DESCRIBING:
        return ""
    words = name_text(argument).partition("(")[0].split()
    return bounded(words[-1]) if words else ""


def _ends_at(found: list[Heading], offset: int) -> bool:
    """Return whether the last heading ends at ``offset``."""
    return bool(found) and found[-1].end == offset
