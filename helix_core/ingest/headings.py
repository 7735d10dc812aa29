"""Headings of documents: their levels and the extent of each section. Pure text, no trees."""

from __future__ import annotations

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
