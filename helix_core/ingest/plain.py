"""An outline for text without a grammar: titles, ``[sections]``, and lines that begin with a defining word."""

from __future__ import annotations

from helix_core.ingest.headings import Heading, entries, underlined
from helix_core.ingest.outline import Outline, sections
from helix_core.lines import LineTable

_DEFINING = {
    b"def": "function", b"defp": "function", b"fn": "function", b"func": "function", b"function": "function",
    b"sub": "function", b"proc": "function", b"fun": "function", b"subroutine": "function", b"rpc": "function",
    b"cdef": "function", b"cpdef": "function", b"class": "class", b"module": "class", b"defmodule": "class",
    b"struct": "class", b"message": "class", b"service": "class", b"interface": "class", b"trait": "class",
    b"type": "class", b"enum": "class", b"resource": "class", b"object": "class", b"package": "class",
}  # fmt: skip
_BEFORE = frozenset({b"export", b"public", b"private", b"protected", b"static", b"async", b"pub", b"abstract", b"local",
                     b"final", b"override", b"inline", b"cdef"})  # fmt: skip
_PROSE = frozenset({"text", "rst", "log", "csv", "gettext", "xml", "env"})


def outline_of(language: str, data: bytes, lines: LineTable) -> Outline:
    """What line reading alone can tell; an empty outline for data and logs."""
    if language in {"text", "rst"}:
        return Outline(symbols=tuple(sections(underlined(data, lines), data, entries(data))))
    if language in {"ini", "env"}:
        return Outline(symbols=tuple(sections(_tables(data, lines), data)))
    if language in _PROSE:
        return Outline()
    return Outline(symbols=tuple(sections(_definitions(data, lines), data)))


def _tables(data: bytes, lines: LineTable) -> list[Heading]:
    found = []
    for row in range(len(lines)):
        start, end = lines.start(row), lines.start(row + 1)
        line = data[start : min(end, start + 200)].strip()
        if line[:1] == b"[" and line[-1:] == b"]" and line[1:-1].strip():
            name = line[1:-1].decode("utf-8", "replace").strip("[] ")
            found.append(Heading(start, end, name, "table", level=1))
    return found


def _definitions(data: bytes, lines: LineTable) -> list[Heading]:
    """Top-level lines that say they define something, in the way most languages say it."""
    found = []
    for row in range(len(lines)):
        start, end = lines.start(row), lines.start(row + 1)
        if data[start : start + 1].isspace():
            continue
        words = data[start : min(end, start + 200)].split(None, 5)
        while words and words[0] in _BEFORE and len(words) > 2 and words[1] not in (b"=", b":"):
            words = words[1:]
        if len(words) > 1 and words[0] in _DEFINING:
            name = _identifier(words[1].strip(b"\"'`").decode("utf-8", "replace"))
            if name:
                found.append(Heading(start, end, name, _DEFINING[words[0]], level=1))
    return found


def _identifier(word: str) -> str:
    length = 0
    while length < len(word) and (word[length].isalnum() or word[length] in "_.:-$"):
        length += 1
    return word[:length].rstrip(".:-")
