"""Detect secrets in the columns of tables whose header names them. Bytes in, spans out."""

from __future__ import annotations

from collections.abc import Iterator

from helix_core.ingest.secret_names import NAME
from helix_core.ingest.secret_values import (
    LazyPattern,
    is_placeholder,
    is_secret,
    is_strong_password,
    looks_chosen,
    looks_like_password,
)

Span = tuple[int, int]

_REACH = 300

_HEADER = LazyPattern(rb"^[ \t]*[\w \-\"]{1,40}(?:[,;\t][\w \-\"]{1,40})+\r?$")


_RULE = LazyPattern(rb"(?m)^[ \t>*#/]*[|+]?[ \t]*[:=\-]{2,}[ \t:=\-]*[|+][ \t|+:=\-]*\r?$")
"""The line under the header of a table in Markdown or of a drawn one."""
_SECRET_CELL = LazyPattern(NAME)
_ABOUT_TABLES = LazyPattern(rb"(?i)(?:name|type|format|length|policy|hash|description|scope|kind)s?$")
_CELL_WORD = LazyPattern(rb"[^\s\"'`*|]{6,256}")
PASSWORD_COLUMN = LazyPattern(rb"(?i)passw|pwd|secret|token|api_?key")


def in_columns(data: bytes) -> Iterator[Span]:
    """Yield the columns of a delimited table that its header names as secrets."""
    position = data.find(b"\n", 0, _REACH) + 1
    header = data[: max(0, position - 1)]
    if not position or _HEADER.search(header) is None or PASSWORD_COLUMN.search(header) is None:
        return
    mark = max((b",", b";", b"\t"), key=header.count)
    columns = [n for n, name in enumerate(header.split(mark)) if PASSWORD_COLUMN.search(name)]
    most = header.count(mark)
    while position < len(data):
        newline = data.find(b"\n", position)
        end = newline if newline >= 0 else len(data)
        line = data[position:end]
        if line.count(mark) == most:
            start = position
            for number, cell in enumerate(line.split(mark)):
                value = cell.strip(b" \"'\r")
                is_password = looks_like_password(value) or looks_chosen(value)
                if number in columns and not is_placeholder(value) and is_password:
                    at = start + cell.index(value)
                    yield at, at + len(value)
                start += len(cell) + 1
        position = end + 1


def in_tables(data: bytes) -> Iterator[Span]:
    """Yield the secrets in the columns of text tables whose header names them."""
    rules = [rule.span() for rule in _RULE.finditer(data)]
    names: dict[int, bytes] = {}
    reached = -1
    for number, (start, end) in enumerate(rules):
        header = _line_before(data, start)
        named = _named_columns(data, *header) if header[1] - header[0] <= 4 * _REACH else {}
        if named or reached != start:
            names = named
        following = rules[number + 1][0] if number + 1 < len(rules) else len(data)
        reached = min(len(data), end + 1)
        while reached < following:
            newline = data.find(b"\n", reached)
            stop = newline if newline >= 0 else len(data)
            if b"|" not in data[reached : min(stop, reached + 8 * _REACH)]:
                break
            for column, cell in enumerate(_cells(data, reached, stop) if names else ()):
                if column in names:
                    yield from _cell(data, names[column], *cell)
            reached = stop + 1


def _line_before(data: bytes, start: int) -> Span:
    end = max(start - 1, 0)
    return data.rfind(b"\n", 0, end) + 1, end


def _named_columns(data: bytes, start: int, end: int) -> dict[int, bytes]:
    """Map the columns of a header that name a secret to their names."""
    if b"|" not in data[start:end]:
        return {}
    cells = enumerate(_cells(data, start, end))
    return {
        column: data[first:last].strip(b" \t`*:\r")
        for column, (first, last) in cells
        if _SECRET_CELL.search(data[first:last]) is not None
    }


def _cells(data: bytes, start: int, end: int) -> Iterator[Span]:
    """Yield the cells of a row, without what precedes its first bar where it begins with one."""
    while start < end and data[start : start + 1] in (b" ", b"\t", b">", b"*", b"#", b"/"):
        start += 1
    start += data[start : start + 1] == b"|"
    while start <= end:
        bar = data.find(b"|", start, end)
        stop = bar if bar >= 0 else end
        yield start, stop
        start = stop + 1


def _cell(data: bytes, name: bytes, start: int, end: int) -> Iterator[Span]:
    """Yield what a cell holds of secrets: its only word by the name of the column, one of several if it is strong."""
    words = list(_CELL_WORD.finditer(data, start, end))
    for word in words:
        value = word.group()
        if len(words) == 1 and len(data[start:end].split()) == 1:
            is_found = is_secret(name, value)
        else:
            is_found = _ABOUT_TABLES.search(name) is None and is_strong_password(value)
        if is_found:
            yield word.span()
