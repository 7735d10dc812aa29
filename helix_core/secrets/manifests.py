"""Detect the secrets of manifests and templates: entries of Kubernetes Secrets whatever their names, defaults of
parameters, values that stand before their names, and what a vault is given. Bytes in, spans out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from helix_core.secrets.names import NAME, whole_name
from helix_core.secrets.values import LazyPattern, is_masked, is_password_in_place, is_secret

Span = tuple[int, int]

_LONGEST_MANIFEST = 64 << 10

_SECRET_MANIFEST = LazyPattern(rb"(?m)^([ \t\-]*)[\"']?kind[\"']?[ \t]*:[ \t]*[\"']?Secret\b[\"']?[ \t]*,?[ \t]*\r?$")
_MANIFEST_ENTRY = LazyPattern(rb"^([ \t\-]*)[\"']?([\w.\-/]+)[\"']?[ \t]*:(?:[ \t]+(.*?))?[ \t]*,?[ \t]*\r?$")
_MANIFEST_JSON = LazyPattern(rb"\"kind\"[ \t]{0,4}:[ \t]{0,4}\"Secret\"")
_MANIFEST_DATA = LazyPattern(rb"\"(?:data|stringData)\"\s{0,20}:\s{0,20}\{")
_JSON_TEXT = LazyPattern(rb":[ \t\r\n]{0,40}\"((?:[^\"\\\r\n]|\\.)+)\"")


_TEXT = rb"[\"']?([^\s\"'`<>{},]{4,256})[\"']?"
_VALUE_FIRST = LazyPattern(
    rb"(?m)^[ \t]*(?:-[ \t]+)?[\"']?[vV]alue[\"']?[ \t]*[:=][ \t]*"
    + _TEXT
    + rb",?[ \t]*\r?\n(?:[ \t]*[A-Za-z][\w \-]{0,30}[:=][^\r\n]{0,80}\r?\n){0,2}"
    rb"[ \t]*[\"']?(?:[nN]ame|[kK]ey|[iI]d)[\"']?[ \t]*[:=][ \t]*[\"']?[\w.\-]*?" + NAME
)
"""Groups: 1 the value, 2 the name on a line below it."""
_PARAMETER = LazyPattern(
    NAME
    + rb"[\"']?:[ \t]*\r?\n(?:[ \t]+[A-Za-z]\w{0,30}:[^\r\n]{0,120}\r?\n){0,4}?[ \t]+[Dd]efault:[ \t]+"
    + _TEXT
    + rb"[ \t]*(?:\r?\n|\z)"
)
"""Groups: 1 the name of a parameter of a template, 2 its default."""
_ECHO = rb"NoEcho[\"']?:[ \t]*[\"']?(?i:true)"
_LINES = rb"(?:[\"']?[A-Z]\w{0,30}[\"']?:[^\r\n]{0,120}\s{1,40}){0,4}?"
_DEFAULT = rb"[\"']?Default[\"']?:[ \t]*" + _TEXT
_HIDDEN = LazyPattern(
    _ECHO + rb"[\"']?,?\s{1,40}" + _LINES + _DEFAULT + rb"|" + _DEFAULT + rb",?\s{1,40}" + _LINES + rb"[\"']?" + _ECHO
)
"""The group that matched: the default of a parameter that is not to be shown."""
_SECURE = LazyPattern(
    rb"@secure\(\)\s{1,40}(?:@[^\r\n]{0,120}\s{1,40}){0,3}param[ \t]+\w+[ \t]+\w+[ \t]*=[ \t]*'([^'\r\n$]{4,256})'"
)
_VAULT = LazyPattern(
    rb"(?:vaults/secrets[@'\"]|key_vault_secret[\"'])[^@]{0,300}?"
    rb"\bvalue[\"']?[ \t]*[:=][ \t]*[\"']([^'\"\r\n$]{4,256})[\"']"
    rb"|\bSecretString[\"']?:[ \t]*[\"']?([^\s\"'{}<>!]{4,256})"
)
"""The group that matched: what a vault is given as a secret."""


MANIFEST_SIGNS = rb"value: |alue\": |\nvalue = | [dD]efault: |NoEcho|@secure\(\)|vaults/secrets|key_vault_secret|Secret"
"""Matches every text that ``in_manifests`` searches."""


def in_manifests(data: bytes) -> Iterator[Span]:
    """Yield every entry of every Kubernetes Secret, and the secrets of other manifests and templates."""
    yield from _in_templates(data)
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


def _in_templates(data: bytes) -> Iterator[Span]:
    if b"value: " in data or b'alue": ' in data or b"\nvalue = " in data:
        for match in _VALUE_FIRST.finditer(data):
            if is_secret(whole_name(data, match, 2), match.group(1)):
                yield match.span(1)
    if b" Default: " in data or b" default: " in data:
        for match in _PARAMETER.finditer(data):
            if is_secret(whole_name(data, match), match.group(2)):
                yield match.span(2)
    for sign, pattern in ((b"NoEcho", _HIDDEN), (b"@secure()", _SECURE)):
        for match in pattern.finditer(data) if sign in data else ():
            if is_password_in_place(match.group(match.lastindex)):
                yield match.span(match.lastindex)
    if b"vaults/secrets" in data or b"key_vault_secret" in data or b"SecretString" in data:
        for match in _VAULT.finditer(data):
            if is_password_in_place(match.group(match.lastindex)):
                yield match.span(match.lastindex)


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
