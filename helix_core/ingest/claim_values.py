"""What a literal says and of which type it is. Pure: the bytes of one literal in, its value and type out.

Also the pieces the claim patterns are built from: RE2 in Latin-1 mode, a literal on one line.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import re2

LONGEST_VALUE = 200

STRING = rb"\"(?:[^\"\\\r\n]|\\.)*\"|'(?:[^'\\\r\n]|\\.)*'"
NUMBER = (
    rb"[-+]?(?:0[xXoObB][0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)"
    rb"(?:[uU]?[lL]{0,2}|[fFdDmMn]|[iu](?:8|16|32|64|128|size)|f(?:32|64))"
)
LITERAL = (
    rb"(?:[rRuUbB@L]?(?:" + STRING + rb"|`[^`\r\n$]*`)|" + NUMBER + rb"(?:[ ]?\*[ ]?[0-9_]+){0,4}|[Tt]rue|[Ff]alse)"
)


class Found(NamedTuple):
    """A claim before it is clean: the key, and the span of its literal in the file."""

    key: str
    start: int
    end: int
    bare: bool = False


def found(key: str, match: Any, group: int, *, bare: bool = False) -> Found:
    """The claim whose literal is ``group`` of an RE2 match."""
    start, end = match.span(group)
    return Found(key, start, end, bare)


def pattern(source: bytes) -> Any:
    """An RE2 over bytes: one byte is one character; ``^`` and ``$`` are line ends only after ``(?m)``."""
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
    """The value without its quotes, and its type; None for what states nothing (empty, too long, interpolated).

    ``bare`` literals are words of a configuration file, where ``yes`` is a truth value and text needs no quotes.
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
