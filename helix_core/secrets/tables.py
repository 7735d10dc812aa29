"""Detect secrets in the columns of tables whose header names them. Bytes in, spans out."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from itertools import pairwise

from helix_core.secrets.names import NAME, PASSWORD_WORDS, USER_WORDS
from helix_core.secrets.typed import is_plain_passphrase, is_typed_password, is_typed_secret
from helix_core.secrets.values import (
    LazyPattern,
    is_placeholder,
    is_secret,
    is_strong_password,
    looks_chosen,
    looks_like_password,
)
from helix_core.secrets.words import is_word_password

Span = tuple[int, int]

_REACH = 300

_RULE = LazyPattern(rb"(?m)^[ \t>*#/]*[|+]?[ \t]*[:=\-]{2,}[ \t:=\-]*[|+][ \t|+:=\-]*\r?$")
"""The line under the header of a table in Markdown or of a drawn one."""
_SECRET_CELL = LazyPattern(NAME)
_ABOUT_TABLES = LazyPattern(rb"(?i)(?:name|type|format|length|policy|hash|description|scope|kind)s?$")
_CELL_WORD = LazyPattern(rb"[^\s\"'`*|]{4,256}")
PASSWORD_COLUMN = LazyPattern(rb"(?i)passw|kennwort|pwd|secret|token|api_?key|(?:^|[\s_\"'`])(?:pass|pw)(?:$|[\s\"'`])")
_LABEL = (
    rb"(?:[\w\x80-\xff]{1,20}[ _\-]){0,2}(?:" + PASSWORD_WORDS + rb"s?|(?:access |auth )?token"
    rb"|api[ _\-]?key|client[ _]secret)"
)
_LABEL_CELL = LazyPattern(rb"(?i)^" + _LABEL + rb"$")
_PASSWORD_CELL = LazyPattern(rb"(?i)^(?:[\w\x80-\xff]{1,20}[ _\-]){0,2}" + PASSWORD_WORDS + rb"s?$")
HEADER = LazyPattern(
    rb"(?im)\b(?:" + PASSWORD_WORDS + rb"s?|token|api[ _\-]?key)[ \t\"'`*:]{0,4}(?:\r?$|[|;,\t&!\\]|[ ]{2})"
)
"""The end of a cell that may be the header of a column of secrets."""
_HEADER_CELL = LazyPattern(rb"^[\w#\x80-\xff][\w \-./#?\x80-\xff()]{0,40}$")
_BETWEEN_ROWS = LazyPattern(rb"^[\s|+:=\-~_>*#/]*$|^[ \t]*(?:\\\w+|\|-)")
_USER_CELL = LazyPattern(
    rb"(?i)^(?:[\w\x80-\xff]{1,20}[ _\-]){0,2}(?:" + USER_WORDS + rb"|host(?:name)?|server|system|service|site|url"
    rb"|dienst)s?$"
)
"""A column that says whose the secrets of its table are."""
_PAIR_CELL = LazyPattern(rb"^[\w.@\-]{2,40}(?:[ ]?/[ ]?|:)([^\s/:]{4,64})$")
_CREDENTIALS_CELL = LazyPattern(rb"(?i)credential|log-?in|zugang|access|account")
_MARKS = (b"!!", b"|", b"\t", b";", b",", b"&")
_DATA_MARKS = (b"\t", b";", b",")
"""What stands between the columns of data; other tables may also explain."""
_AROUND = b" \t\r\"'`*:|!"
_CELLS_APART = LazyPattern(rb"[ ]{2,}|\t")


def in_columns(data: bytes, headers: Iterable[Span]) -> Iterator[Span]:
    """Yield the secrets in the columns of tables whose header is no ruled one: delimited, aligned, LaTeX, HTML.

    Args:
        data: The whole file.
        headers: The spans of ``HEADER`` in it.
    """
    reached = 0
    for first, last in headers:
        start = data.rfind(b"\n", max(0, first - _REACH), last - 1) + 1
        end = data.find(b"\n", last - 1, last + _REACH)
        if start < reached or end < 0 or (start == 0 and first > _REACH):
            continue
        reached = end
        header = data[start:end]
        if header.translate(None, b"[]{}=<>") != header:
            continue
        mark = next((mark for mark in _MARKS if mark in header and _is_header(header.split(mark))), b"")
        if mark:
            reached = yield from _delimited(data, start, end, mark)
        elif _is_aligned_header(data, header, end):
            reached = yield from _in_aligned(data, start, end)
    if b"<th" in data:
        yield from _in_html(data)


def _is_header(cells: list[bytes]) -> bool:
    """Return whether the cells are names of columns, of which one is that of a secret."""
    names = [cell.split(b"\\\\")[0].strip(_AROUND) for cell in cells]
    names = [name for name in names if name]
    return (
        len(names) > 1
        and all(_HEADER_CELL.search(name) is not None for name in names)
        and any(_LABEL_CELL.search(name) is not None for name in names)
    )


def _is_aligned_header(data: bytes, header: bytes, end: int) -> bool:
    """Return whether the line ends a header whose columns are two blanks apart: three, or with a rule below."""
    columns = _aligned(header)
    if len(columns) < 2 or not _is_header([header[first:last] for first, last in columns]):
        return False
    below = data[end + 1 : end + _REACH].partition(b"\n")[0]
    return len(columns) > 2 or (below.strip() != b"" and _BETWEEN_ROWS.search(below) is not None)


def _delimited(data: bytes, start: int, end: int, mark: bytes) -> Generator[Span, None, int]:
    """Yield the secrets of a table whose cells a mark divides, and return where it ends."""
    header = data[start:end].split(mark)
    if mark in _DATA_MARKS and any(cell[:1] == b" " or not cell.strip() for cell in header):
        return end
    names = [cell.split(b"\\\\")[0].strip(_AROUND) for cell in header]
    between = b"||" if mark == b"!!" else mark
    is_sure = mark in _DATA_MARKS or any(_USER_CELL.search(name) is not None for name in names)
    position, last = end + 1, 0
    while position < len(data):
        stop = data.find(b"\n", position)
        stop = stop if stop >= 0 else len(data)
        line = data[position : min(stop, position + 8 * _REACH)]
        if not _BETWEEN_ROWS.search(line):
            cells = line.split(between)
            if len(cells) != len(names):
                # Rows of a file that begins with a header may have line ends in quotes.
                last = last or position
                if start:
                    break
                cells = []
            at = position
            for name, cell in zip(names, cells, strict=False):
                if _LABEL_CELL.search(name) is not None:
                    yield from _in_cell(data, name, at, at + len(cell), is_sure=is_sure)
                at += len(cell) + len(between)
        elif not line.strip():
            last = last or position
            if start:
                break
        position = stop + 1
    return last or position


def _aligned(line: bytes) -> list[Span]:
    """Return the cells of a line that are two blanks apart."""
    cells: list[Span] = []
    start = len(line) - len(line.lstrip())
    for gap in _CELLS_APART.finditer(line, start):
        cells.append((start, gap.start()))
        start = gap.end()
    if line[start:].strip():
        cells.append((start, len(line.rstrip())))
    return cells


def _in_aligned(data: bytes, start: int, end: int) -> Generator[Span, None, int]:
    """Yield the secrets of a table whose columns stand below each other, and return where it ends."""
    header = data[start:end]
    columns = _aligned(header)
    names = [header[first:last].strip(_AROUND) for first, last in columns]
    is_sure = any(_USER_CELL.search(name) is not None for name in names)
    position = end + 1
    while position < len(data):
        stop = data.find(b"\n", position)
        stop = stop if stop >= 0 else len(data)
        line = data[position : min(stop, position + 8 * _REACH)]
        cells = _aligned(line)
        if not _BETWEEN_ROWS.search(line):
            if len(cells) < 2:
                return position
            for number, (name, (column, _)) in enumerate(zip(names, columns, strict=True)):
                cell = next((cell for cell in cells if cell[0] == column), None)
                if cell is None and len(cells) == len(columns):
                    cell = cells[number]
                if cell is not None and _LABEL_CELL.search(name) is not None:
                    yield from _in_cell(data, name, position + cell[0], position + cell[1], is_sure=is_sure)
        elif not line.strip():
            return position
        position = stop + 1
    return len(data)


_HTML_HEAD = LazyPattern(rb"(?i)<th\b[^>]{0,80}>\s{0,20}" + _LABEL + rb"\s{0,20}</th")
_HTML_ROW = LazyPattern(rb"(?i)<tr\b|</table")
_HTML_CELL = LazyPattern(rb"(?i)<t[dh]\b[^>]{0,80}>\s{0,80}(?:<[a-z]{1,6}>\s{0,20})?([^<]{0,200})")


def _in_html(data: bytes) -> Iterator[Span]:
    reached = 0
    for match in _HTML_HEAD.finditer(data):
        if match.start() < reached:
            continue
        row = data.rfind(b"<tr", max(0, match.start() - 8 * _REACH), match.start())
        body = data.find(b"</tr", match.end(), match.end() + 8 * _REACH)
        if row < 0 or body < 0:
            continue
        names = [cell.group(1).strip() for cell in _HTML_CELL.finditer(data, row, body)]
        is_sure = any(_USER_CELL.search(name) is not None for name in names)
        end = data.find(b"</table", body)
        reached = end if end >= 0 else len(data)
        rows = [found.start() for found in _HTML_ROW.finditer(data, body, reached)] + [reached]
        for start, stop in pairwise(rows):
            for name, cell in zip(names, _HTML_CELL.finditer(data, start, stop), strict=False):
                if _LABEL_CELL.search(name) is not None:
                    yield from _in_cell(data, name, *cell.span(1), is_sure=is_sure)


def _in_cell(data: bytes, name: bytes, start: int, end: int, *, is_sure: bool) -> Iterator[Span]:
    """Yield what a cell below the name of a secret holds."""
    value = data[start:end].split(b"\\\\")[0]
    start += len(value) - len(value.lstrip(_AROUND))
    value = value.strip(_AROUND)
    pair = _PAIR_CELL.search(value)
    if pair is not None and _CREDENTIALS_CELL.search(name) is not None:
        start, value = start + pair.start(1), pair.group(1)
        is_sure = True
    if value and _is_secret_cell(name, value, is_sure=is_sure):
        yield start, start + len(value)


def _is_secret_cell(name: bytes, value: bytes, *, is_sure: bool) -> bool:
    if is_placeholder(value):
        return False
    if len(value.split()) > 1:
        return is_sure and is_plain_passphrase(value)
    if looks_like_password(value) or looks_chosen(value):
        return True
    if _PASSWORD_CELL.search(name) is None:
        return is_typed_secret(value, is_said=True)
    return is_typed_password(value, is_linked=True) or is_word_password(value, is_sure=is_sure)


def in_tables(data: bytes) -> Iterator[Span]:
    """Yield the secrets in the columns of text tables whose header names them."""
    rules = [rule.span() for rule in _RULE.finditer(data)]
    names: dict[int, bytes] = {}
    reached, is_sure = -1, False
    for number, (start, end) in enumerate(rules):
        header = _line_before(data, start)
        named = _named_columns(data, *header) if header[1] - header[0] <= 4 * _REACH else {}
        if named or reached != start:
            names = named
            is_sure = any(_USER_CELL.search(data[first:last].strip(_AROUND)) for first, last in _cells(data, *header))
        following = rules[number + 1][0] if number + 1 < len(rules) else len(data)
        reached = min(len(data), end + 1)
        while reached < following:
            newline = data.find(b"\n", reached)
            stop = newline if newline >= 0 else len(data)
            if b"|" not in data[reached : min(stop, reached + 8 * _REACH)]:
                break
            for column, cell in enumerate(_cells(data, reached, stop) if names else ()):
                if column in names:
                    yield from _cell(data, names[column], *cell, is_sure=is_sure)
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


def _cell(data: bytes, name: bytes, start: int, end: int, *, is_sure: bool) -> Iterator[Span]:
    """Yield what a cell holds of secrets: its only word by the name of the column, one of several if it is strong."""
    pair = _PAIR_CELL.search(data[start:end].strip(_AROUND))
    if (
        pair is not None
        and _CREDENTIALS_CELL.search(name) is not None
        and is_word_password(pair.group(1), is_sure=True)
    ):
        at = data.index(pair.group(1), start, end)
        yield at, at + len(pair.group(1))
    words = list(_CELL_WORD.finditer(data, start, end))
    for word in words:
        value = word.group()
        if len(words) == 1 and len(data[start:end].split()) == 1:
            is_words = _PASSWORD_CELL.search(name) is not None and is_word_password(value, is_sure=is_sure)
            is_found = is_secret(name, value) or is_words
        else:
            is_found = _ABOUT_TABLES.search(name) is None and is_strong_password(value)
        if is_found:
            yield word.span()
