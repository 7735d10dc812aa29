"""Literals as typed values, and configuration files as claims: TOML, INI, YAML, JSON, Dockerfile, shell, .env."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import re2

from helix_core.tuples import NamedTuple

LONGEST_VALUE = 200

STRING = rb"\"(?:[^\"\\\r\n]|\\.)*\"|'(?:[^'\\\r\n]|\\.)*'"
NUMBER = (
    rb"[-+]?(?:0[xXoObB][0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)"
    rb"(?:[uU]?[lL]{0,2}|[fFdDmMn]|[iu](?:8|16|32|64|128|size)|f(?:32|64))"
)
LITERAL = (
    rb"(?:[rRuUbB@L]?(?:" + STRING + rb"|`[^`\r\n$]*`)|" + NUMBER + rb"(?:[ ]?\*[ ]?[0-9_]+){0,4}|[Tt]rue|[Ff]alse)"
)


class FoundClaim(NamedTuple):
    """A claim before masking is applied: the key, and the span of its literal in the file."""

    key: str
    start: int
    end: int
    bare: bool = False


def found_claim(key: str, match: Any, group: int, *, bare: bool = False) -> FoundClaim:
    """Return the claim whose literal is ``group`` of an RE2 match."""
    start, end = match.span(group)
    return FoundClaim(key, start, end, bare)


def pattern(source: bytes) -> Any:
    """Compile an RE2 over bytes in Latin-1 mode: one byte is one character; ``^`` and ``$`` are line ends only after
    ``(?m)``.
    """
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = 32 << 20
    options.log_errors = False
    return re2.compile(source, options)


_INT = pattern(rb"^[-+]?(?:0[xXoObB][0-9a-fA-F_]+|[0-9][0-9_]*)(?:[uU]?[lL]{0,2}|n|[iu](?:8|16|32|64|128|size))$")
_PRODUCT = pattern(rb"^[0-9_]+(?:[ ]?\*[ ]?[0-9_]+)+$")
_FLOAT = pattern(rb"^[-+]?[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?:[fFdDmM]|f32|f64)?$")
_URL = pattern(rb"^[A-Za-z][A-Za-z0-9+.\-]*://[^\s]+$")
_ADDRESS = pattern(rb"^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$")
_VERSION = pattern(rb"^(?:[~^]|[<>=~!]=?\s?)?v?[0-9]+(?:\.[0-9]+)+(?:[.\-+]?[A-Za-z][A-Za-z0-9.\-+]*)?(?:\.\*)?$")
_PATH = pattern(
    rb"^(?:~|\.{1,2})?/[\w.\-/ @]*$|^[\w.\-@]+(?:/[\w.\-@]+)+/?$|^[A-Za-z]:\\[^\r\n]*$"
    rb"|^[\w\-]+\.(?:py|json|toml|ya?ml|ini|cfg|conf|log|db|sqlite3?|txt|pem|sock)$"
)
_INTERPOLATED = pattern(rb"\$[\w({]|\[masked[:*\]]|\[\*+\]|\\x")
_TRUTH = frozenset({b"true", b"false"})
_SPOKEN_TRUTH = frozenset({b"yes", b"no", b"on", b"off"})


def value_of(literal: bytes, bare: bool = False) -> tuple[bytes, str] | None:
    """Return the unquoted value and its type; None for an empty, too long or interpolated literal.

    ``bare`` literals are words of a configuration file, where ``yes`` is a boolean and text needs no quotes.
    """
    quoted = _unquoted(literal)
    if quoted is not None:
        value = quoted.strip()
        if not value or len(value) > LONGEST_VALUE or _INTERPOLATED.search(value):
            return None
        return value, _text_type(value)
    value = literal.strip()
    if not value or len(value) > LONGEST_VALUE or _INTERPOLATED.search(value):
        return None
    if _INT.search(value) or _PRODUCT.search(value):
        return value, "int"
    if _FLOAT.search(value):
        return value, "float"
    lowered = value.lower()
    if lowered in _TRUTH or (bare and lowered in _SPOKEN_TRUTH):
        return value, "bool"
    if lowered in (b"none", b"null", b"nil", b"~", b"undefined"):
        return None
    return (value, _text_type(value)) if bare else None


def _unquoted(literal: bytes) -> bytes | None:
    body = literal.lstrip(b"rRuUbB@L") if literal[:1] in b"rRuUbB@L" and literal[-1:] in b"\"'`" else literal
    if len(body) >= 2 and body[:1] in (b'"', b"'", b"`") and body[-1:] == body[:1]:
        return body[1:-1]
    return None


def _text_type(value: bytes) -> str:
    if _URL.search(value):
        return "url"
    if _VERSION.search(value) and not _ADDRESS.search(value):
        return "version"
    if _PATH.search(value) and not value.startswith(b"//"):
        return "path"
    return "string"


_DEEPEST = 12
_MOST_TOKENS = 20_000

_INI = pattern(
    rb"(?m)^[ \t]*(?:\[([^\]\r\n]{1,120})\]|([A-Za-z_][\w.\- /]{0,100}?)[ \t]*[=:][ \t]*("
    + STRING
    + rb"|[^\s\r\n][^\r\n]*?)"
    rb"[ \t]*(?:[ \t][#;][^\r\n]*)?\r?$)"
)
_TOML = pattern(
    rb"(?m)\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)'''"
    rb"|^[ \t]*(?:(\[{1,2})[ \t]*([^\]\r\n]{1,160}?)[ \t]*\]{1,2}[ \t]*(?:#[^\r\n]*)?\r?$"
    rb"|([\w.\-\"']{1,120})[ \t]*=[ \t]*(?:(" + LITERAL + rb"|[0-9][\w.:\-+]*)|\{([^\r\n]*)\})[ \t]*(?:#[^\r\n]*)?\r?$)"
)
_INLINE = pattern(rb"([\w.\-\"']{1,80})[ \t]*=[ \t]*(" + LITERAL + rb")")
_YAML = pattern(
    rb"(?m)^([ ]*)((?:-[ ]+)*)(?:([\w.\-/]{1,120}|\"[^\"\r\n]{1,120}\"|'[^'\r\n]{1,120}')[ ]*:"
    rb"(?:[ ]+(?:&\w+[ ]*)?(?:("
    + STRING
    + rb"|[^\s#&*!|>\[\]{}\"'%@`][^\r\n]*?)|([|>][-+0-9]*)|[^\r\n]*?))?)?(?:[ ]+#[^\r\n]*)?[ ]*\r?$"
)
_JSON = pattern(
    rb"(\"(?:[^\"\\\r\n]|\\.){0,160}\")\s*:\s*(?:(\"(?:[^\"\\\r\n]|\\.)*\"|"
    + NUMBER
    + rb"|true|false)|([{\[]))|([{\[])|([}\]])|(\"(?:[^\"\\\r\n]|\\.)*\")"
)
_DOCKERFILE = pattern(
    rb"(?mi)^[ \t]*(?:(FROM)[ \t]+(?:--\S+[ \t]+)?([^\s:@$]+)(?::([^\s@$]+))?[^\r\n]*|(ENV|ARG|LABEL)[ \t]+([^\r\n]+)"
    rb"|(EXPOSE)[ \t]+([^\r\n#]+)|(WORKDIR)[ \t]+([^\s$]+)|(USER)[ \t]+([^\s$]+))\r?$"
)
_DOCKER_PAIR = pattern(rb"([A-Za-z_][\w.\-]*)(?:=|[ \t]+)(" + STRING + rb"|[^\s\"'$]+)")
_PORT = pattern(rb"[0-9]{1,5}")
_SHELL = pattern(
    rb"(?m)^(?:export[ \t]+|readonly[ \t]+|declare[ \t]+-\w+[ \t]+|set[ \t]+-gx[ \t]+)?"
    rb"([A-Za-z_][A-Za-z0-9_]*)[ \t]*(?:\?=|:=|=)[ \t]*"
    rb"(?:\"?\$\{\w+:?[-=]([^}\"$\r\n]+)\}\"?|("
    + STRING
    + rb"|[^\s#\"'$`()&|;<>][^\r\n#\"'$`()&|;<>]*?))[ \t]*(?:[ \t]#[^\r\n]*)?;?\r?$"
)


def ini_claims(data: bytes) -> Iterator[FoundClaim]:
    """Parse ``[section]`` and ``key = value``; also ``key: value`` and .properties."""
    section = ""
    for match in _INI.finditer(data):
        if match.start(1) >= 0:
            section = _word(data, *match.span(1))
        else:
            yield found_claim(_dotted(section, _word(data, *match.span(2))), match, 3, bare=True)


def toml_claims(data: bytes) -> Iterator[FoundClaim]:
    """Parse tables as key prefixes, inline tables one level deep; the n-th ``[[table]]`` is ``table[n]``, from 0."""
    table = ""
    seen: Counter[str] = Counter()
    for match in _TOML.finditer(data):
        if match.start(1) >= 0:
            table = _word(data, *match.span(2))
            if match.end(1) - match.start(1) == 2:
                seen[table] += 1
                table = f"{table}[{seen[table] - 1}]"
        elif match.start(4) >= 0:
            yield found_claim(_dotted(table, _word(data, *match.span(3))), match, 4, bare=True)
        elif match.start(5) >= 0:
            start, end = match.span(5)
            prefix = _dotted(table, _word(data, *match.span(3)))
            for pair in _INLINE.finditer(data, start, min(end, start + 1000)):
                yield found_claim(_dotted(prefix, _word(data, *pair.span(1))), pair, 2)


def yaml_claims(data: bytes) -> Iterator[FoundClaim]:
    """Parse mappings by indentation; the n-th element of a sequence is ``[n]``, from 0; block scalars are skipped."""
    path: list[tuple[int, str]] = []
    elements: dict[int, int] = {}
    scalar_indent = -1
    for match in _YAML.finditer(data):
        indent = match.end(1) - match.start(1)
        if match.end() - match.start() <= indent:
            continue
        if 0 <= scalar_indent < indent:
            continue
        scalar_indent = -1
        dash = match.end(2) - match.start(2)
        while path and path[-1][0] >= indent + (1 if dash else 0):
            elements.pop(path.pop()[0], None)
        if dash:
            while path and path[-1][1].startswith("[") and path[-1][0] >= indent:
                path.pop()
            elements[indent] = elements.get(indent, -1) + 1
            path.append((indent + 1, f"[{elements[indent]}]"))
        if match.start(3) < 0 or len(path) > _DEEPEST:
            continue
        column = indent + dash
        key = _word(data, *match.span(3))
        if match.start(4) >= 0:
            yield found_claim(_path([*(name for _, name in path), key]), match, 4, bare=True)
        else:
            if match.start(5) >= 0:
                scalar_indent = column
            path.append((column + (1 if dash else 0), key))


def json_claims(data: bytes) -> Iterator[FoundClaim]:
    """Parse objects as key prefixes, the n-th element of an array is ``[n]``; reads a bounded number of tokens."""
    path: list[str] = []
    counts: list[int] = []
    for number, match in enumerate(_JSON.finditer(data)):
        if number >= _MOST_TOKENS:
            return
        if match.start(2) >= 0:
            yield found_claim(_path([*path[-_DEEPEST:], _word(data, *match.span(1))]), match, 2)
        elif match.start(3) >= 0:
            path.append(_word(data, *match.span(1)))
            counts.append(0 if data[match.start(3)] == 0x5B else -1)
        elif match.start(4) >= 0:
            in_array = bool(counts) and counts[-1] >= 0
            path.append(f"[{counts[-1]}]" if in_array else "")
            if in_array:
                counts[-1] += 1
            counts.append(0 if data[match.start(4)] == 0x5B else -1)
        elif match.start(5) >= 0 and path:
            path.pop()
            counts.pop()


def dockerfile_claims(data: bytes) -> Iterator[FoundClaim]:
    """Parse a Dockerfile: ``FROM.python`` is the tag; ENV and ARG have their own names; EXPOSE, WORKDIR and USER the
    instruction's.
    """
    for match in _DOCKERFILE.finditer(data):
        if match.start(1) >= 0:
            if match.start(3) >= 0:
                yield found_claim(f"FROM.{_word(data, *match.span(2))}", match, 3, bare=True)
        elif match.start(4) >= 0:
            start, end = match.span(5)
            for pair in _DOCKER_PAIR.finditer(data, start, min(end, start + 2000)):
                yield found_claim(_word(data, *pair.span(1)), pair, 2, bare=True)
        elif match.start(6) >= 0:
            for port in _PORT.finditer(data, *match.span(7)):
                yield found_claim("EXPOSE", port, 0)
        else:
            group = 8 if match.start(8) >= 0 else 10
            yield found_claim(_word(data, *match.span(group)).upper(), match, group + 1, bare=True)


def shell_claims(data: bytes) -> Iterator[FoundClaim]:
    """Parse assignments at line starts; of ``${NAME:-default}`` the default."""
    for match in _SHELL.finditer(data):
        group = 2 if match.start(2) >= 0 else 3
        yield found_claim(_word(data, *match.span(1)), match, group, bare=True)


def _word(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("utf-8", "replace").strip("\"' \t")


def _dotted(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _path(parts: list[str]) -> str:
    return ".".join(part for part in parts if part).replace(".[", "[")
