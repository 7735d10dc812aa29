"""Detect keys written in base64: the private members of a JWK, and literals that code decodes into a key (RFC 7517).

Bytes in, spans out. Each pattern waits for a word that its texts have.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator

from helix_core.secrets.values import LazyPattern, is_base64_key, is_placeholder

Span = tuple[int, int]

_JWK_REACH = 4_096
_MEMBER = LazyPattern(rb"[\"'](?:d|p|q|dp|dq|qi|k)[\"'][ \t]{0,4}:[ \t]{0,4}[\"']([A-Za-z0-9_\-]{20,}={0,2})[\"']")
"""Group 1: a private member of a JWK (RFC 7518, 6.2.2, 6.3.2 and 6.4)."""
_DECODED = LazyPattern(
    rb"\bFernet\(b?[\"']([A-Za-z0-9_\-]{43}=)[\"']"
    rb"|(?i:key|secret|salt|hmac|aes|token)[^\r\n]{0,80}(?i:b64_?decode|base64_?(?:url)?_?decode|FromBase64String|decode64"
    rb"|Decoder\(\)\.decode|atob|Buffer\.from)\(b?[\"']([A-Za-z0-9+/_\-]{22,128}={0,2})[\"']"
)
"""The group that matched: what is decoded into a key."""
_DECODED_PASSWORD = LazyPattern(
    rb"(?i:passw(?:or)?d|passphrase|kennwort|(?:\b|_)(?:pass|pw|pwd))[\"'\])]{0,3}[ \t]{0,4}(?:=>|:=|[=:(])"
    rb"[^\r\n\"']{0,60}"
    rb"(?i:b64_?decode|base64_?(?:url)?_?decode|FromBase64String|decode64|Decoder\(\)\.decode|atob|Buffer\.from)"
    rb"\(b?[\"']([A-Za-z0-9+/_\-]{8,128}={0,2})[\"']"
)
"""Group 1: what is decoded into a password."""
_PRIVATE = LazyPattern(
    rb"(?m)\b[A-Z][A-Z0-9_]{0,40}_PRIVATE[ \t]{0,4}[=:][ \t]{0,4}[\"']?([A-Za-z0-9+/_\-]{43}=?)[\"']?[ \t]*\r?$"
)
"""Group 1: a key of 32 bytes that a variable calls private."""


KEY_SIGNS = rb"[\"']kty[\"']|Fernet\(|ase64|b64|atob\(|_PRIVATE"
"""Matches every text that ``in_keys`` searches."""


def in_keys(data: bytes) -> Iterator[Span]:
    """Yield the keys in base64 of a JWK, of calls that decode one, and of variables that call one private."""
    for sign in (b'"kty"', b"'kty'"):
        place = data.find(sign)
        while place >= 0:
            end = min(len(data), place + _JWK_REACH)
            yield from (match.span(1) for match in _MEMBER.finditer(data, max(0, place - _JWK_REACH // 4), end))
            place = data.find(sign, end)
    if b"Fernet(" in data or b"ase64" in data or b"b64" in data or b"atob(" in data:
        for match in _DECODED.finditer(data):
            value = match.group(match.lastindex)
            if is_base64_key(value) and not is_placeholder(value):
                yield match.span(match.lastindex)
        yield from (match.span(1) for match in _DECODED_PASSWORD.finditer(data) if _is_text(match.group(1)))
    if b"_PRIVATE" in data:
        yield from (match.span(1) for match in _PRIVATE.finditer(data) if is_base64_key(match.group(1)))


def _is_text(value: bytes) -> bool:
    """Return whether the value is base64 of a text that is no placeholder."""
    plain = value.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
    if len(plain) % 4 == 1:
        return False
    text = base64.b64decode(plain + b"=" * (-len(plain) % 4))
    return text.isascii() and text.decode().isprintable() and not is_placeholder(text)
