"""Detect the entries of Kubernetes Secrets, whatever their names. Bytes in, spans out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from helix_core.ingest.secret_values import LazyPattern, is_masked

Span = tuple[int, int]

_LONGEST_MANIFEST = 64 << 10

_SECRET_MANIFEST = LazyPattern(rb"(?m)^([ \t\-]*)[\"']?kind[\"']?[ \t]*:[ \t]*[\"']?Secret\b[\"']?[ \t]*,?[ \t]*\r?$")
_MANIFEST_ENTRY = LazyPattern(rb"^([ \t\-]*)[\"']?([\w.\-/]+)[\"']?[ \t]*:(?:[ \t]+(.*?))?[ \t]*,?[ \t]*\r?$")
_MANIFEST_JSON = LazyPattern(rb"\"kind\"[ \t]{0,4}:[ \t]{0,4}\"Secret\"")
_MANIFEST_DATA = LazyPattern(rb"\"(?:data|stringData)\"\s{0,20}:\s{0,20}\{")
_JSON_TEXT = LazyPattern(rb":[ \t\r\n]{0,40}\"((?:[^\"\\\r\n]|\\.)+)\"")


def in_manifests(data: bytes) -> Iterator[Span]:
    """Yield every entry of every Kubernetes Secret."""
    if b"Secret" not in data:
        return
    reached = 0
    for match in _SECRET_MANIFEST.finditer(data):
        if match.start() >= reached:
            lines = _manifest_lines(data, match.start(), len(match.group(1)))
            reached = max(match.end(), lines[-1][1] if lines else 0)
            yield from _entries(data, lines, len(match.group(1)))
    reached = 0
    for match in _MANIFEST_JSON.finditer(data):
        if match.start() < reached:
            continue
        begin = max(reached, match.start() - _LONGEST_MANIFEST, data.rfind(b'"apiVersion"', reached, match.start()))
        reached = min(len(data), match.end() + _LONGEST_MANIFEST)
        searched = begin
        for entry in _MANIFEST_DATA.finditer(data, begin, reached):
            # An object nested in a searched one ends at the same brace; searching it again would be quadratic.
            if entry.start() < searched:
                continue
            close = data.find(b"}", entry.end(), reached)
            searched = close if close >= 0 else reached
            for text in _JSON_TEXT.finditer(data, entry.end(), searched):
                if _is_entry(text.group(1)):
                    yield text.span(1)


def _manifest_lines(data: bytes, kind: int, indent: int) -> list[Span]:
    """Return the lines of the mapping around its ``kind``, which is indented by ``indent``."""
    first = limit = kind
    limit = max(0, kind - _LONGEST_MANIFEST)
    while first > limit:
        above = data.rfind(b"\n", 0, first - 1) + 1
        line = data[above : first - 1]
        if line.strip() and (_indent(line) < indent or line.startswith(b"---")):
            break
        first = above
        if line.strip() and _indent(line) == indent and line.lstrip(b" \t").startswith(b"- "):
            break
    lines: list[Span] = []
    position, limit = first, min(len(data), kind + _LONGEST_MANIFEST)
    while position < limit:
        newline = data.find(b"\n", position, limit)
        end = newline if newline >= 0 else limit
        line = data[position:end]
        is_item = _indent(line) == indent and line.lstrip(b" \t").startswith(b"- ")
        if position > kind and line.strip() and (_indent(line) < indent or is_item or line.startswith(b"---")):
            break
        lines.append((position, end))
        position = end + 1
    return lines


def _indent(line: bytes) -> int:
    """Return the column of a key, after the dash of a list item."""
    return len(line) - len(line.lstrip(b" \t-")) if not line.startswith(b"---") else 0


def _entries(data: bytes, lines: Sequence[Span], indent: int) -> Iterator[Span]:
    """Yield the values below ``data`` and ``stringData``, block scalars line by line."""
    is_inside = False
    for start, end in lines:
        line = data[start:end]
        if not line.strip() or line.lstrip().startswith(b"#"):
            continue
        entry = _MANIFEST_ENTRY.search(line)
        if len(line) - len(line.lstrip(b" \t")) <= indent:
            is_inside = entry is not None and entry.group(2) in (b"data", b"stringData")
            continue
        if is_inside:
            span = entry.span(3) if entry is not None else (_blank(line), len(line.rstrip()))
            if span[0] >= 0:
                yield from _entry(data, start + span[0], start + span[1])


def _entry(data: bytes, start: int, end: int) -> Iterator[Span]:
    while end > start and data[end - 1 : end] in b"\"' \t\r,":
        end -= 1
    while start < end and data[start : start + 1] in b"\"' \t":
        start += 1
    if _is_entry(data[start:end]):
        yield start, end


def _is_entry(value: bytes) -> bool:
    return bool(value) and value[:1] not in b"|>&*{!$<" and not is_masked(value)


def _blank(line: bytes) -> int:
    return len(line) - len(line.lstrip())
