"""Detect what opens a session: cookies, session ids and keys in query strings. Bytes in, spans out.

A cookie's value is a secret where it looks generated, whatever the cookie is called; elsewhere the name must be one of
a session. To search all text for such names would cost more than all that it finds, so each pattern waits for a word
that its texts have.
"""

from __future__ import annotations

from collections.abc import Iterator

from helix_core.secrets.values import LazyPattern, is_hex_key, is_placeholder, looks_random

Span = tuple[int, int]

_LEAST = 16
_LONGEST_HEADER = 4_096
_HEADER = LazyPattern(
    rb"(?i:\b(?:set-)?cookies?)[\"'\]]{0,2}[ \t]{0,4}[:=][ \t]{0,4}[\"'`]?[\w.\-]{1,64}="
    rb"|\bdocument\.cookie[ \t]{0,4}=[ \t]{0,4}[\"'`]"
    rb"|\bcurl\b[^\r\n]{0,200}?[ \t](?:-\w{0,6}b|--cookie)[ =]?[\"']?[\w.\-]{1,64}="
)
"""Where a header of cookies begins, or an option that gives one."""
_COOKIE = LazyPattern(rb"(?:^|[\s;,\"'`:=])[\w.\-]{1,64}=(?:s%3A|s:)?([A-Za-z0-9%+/_.\-]{16,}={0,2})")
_QUOTED = rb"[\"']([A-Za-z0-9%+/_.\-]{16,}={0,2})[\"']"
_NAMED = rb"[\"'][\w.\-]{1,64}[\"']"
_GIVEN = LazyPattern(
    rb"(?i:cookies?)\b[^\r\n;]{0,40}?[\[({][ \t\[{]{0,4}"
    + _NAMED
    + rb"\]?[ \t]{0,4}[:,=][ \t]{0,4}"
    + _QUOTED
    + rb"|(?i:cookies?)\b[^\r\n]{0,40}?[{(][^{}\r\n]{0,80}?\bname[\"']?[ \t]{0,4}:[ \t]{0,4}"
    + _NAMED
    + rb",[ \t]{0,4}[\"']?value[\"']?[ \t]{0,4}:[ \t]{0,4}"
    + _QUOTED
    + rb"|(?i:set_?cookie)\([ \t]{0,4}"
    + _NAMED
    + rb",[ \t]{0,4}"
    + _QUOTED
    + rb"|(?i:erlang[_.]?cookie[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?|-setcookie[ ]+[\"']?)([A-Za-z0-9]{12,128})"
)
"""The group that matched: the value that code gives a cookie."""
_JAR = LazyPattern(rb"\t(?:TRUE|FALSE)\t[0-9]{1,12}\t[^\t\r\n]{1,64}\t([^\t\r\n]{16,})")
"""Group 1: the value in a line of a file of cookies."""
_SESSION = LazyPattern(
    rb"(?i:\b(?:php|j|asp\.net_)?sess(?:ion)?_?id|\bconnect\.sid|\bsessdata|\bsession_?(?:key|token))"
    rb"[\"'\]]{0,2}[ \t]{0,4}(?:=|:|,)[ \t]{0,4}[\"'`]?(?:s%3A|s:)?([A-Za-z0-9%_\-]{16,})"
)
"""Group 1: the value of a name of a session."""
_QUERY = LazyPattern(
    rb"[?&](?i:key|app_?id|app_?key|api_?key|access_?key|token|auth|auth_?token|access_?token|sig|signature|client_secret"
    rb"|x-(?:amz|goog)-(?:signature|security-token)|sid|session(?:_?id)?|subscription-key|hapikey|ticket)"
    rb"=([A-Za-z0-9%+/_.\-]{16,}={0,2})"
)
"""Group 1: the value of a parameter that signs or opens."""
_HOOK = LazyPattern(
    rb"/IncomingWebhook/([0-9a-f]{32})\b|/api/webhooks/[0-9]{6,24}/([A-Za-z0-9_\-]{40,128})"
    rb"|(?i:infura|alchemy|quiknode|ankr)[\w.\-]{0,40}/(?:[\w]{1,12}/){0,2}([A-Za-z0-9_\-]{32,64})\b"
)
"""The group that matched: the last part of the address of a webhook or of a node."""


SESSION_SIGNS = rb"ookie|COOKIE|curl |\t(?:TRUE|FALSE)\t|ession(?:id|_id|Id)|SESS|ect\.sid|session_"
"""Matches every text that ``in_sessions`` searches."""


def in_sessions(data: bytes) -> Iterator[Span]:
    """Yield the values of cookies and of session ids."""
    if b"ookie" in data or b"COOKIE" in data or b"curl " in data:
        yield from _cookies(data)
    if b"\tTRUE\t" in data or b"\tFALSE\t" in data:
        yield from _generated(_JAR, data)
    if any(name in data for name in (b"essionid", b"ession_id", b"essionId", b"SESS", b"ect.sid", b"session_")):
        yield from _generated(_SESSION, data)


def in_addresses(data: bytes) -> Iterator[Span]:
    """Yield the parameters and the parts of addresses that sign or open something."""
    if b"://" in data or b"HTTP/" in data or b"GET /" in data:
        yield from _generated(_QUERY, data)
        if b"ebhook" in data or b"/v" in data:
            yield from (match.span(match.lastindex) for match in _HOOK.finditer(data))


def _cookies(data: bytes) -> Iterator[Span]:
    for header in _HEADER.finditer(data):
        start = data.find(b"ookie", header.start(), header.end())
        start = header.start() if start < 0 else start
        newline = data.find(b"\n", header.end(), header.start() + _LONGEST_HEADER)
        end = newline if newline >= 0 else min(len(data), header.start() + _LONGEST_HEADER)
        for match in _COOKIE.finditer(data, start, end):
            if _is_generated(match.group(1)):
                yield match.span(1)
    yield from _generated(_GIVEN, data)


def _generated(pattern: LazyPattern, data: bytes) -> Iterator[Span]:
    for match in pattern.finditer(data):
        if _is_generated(match.group(match.lastindex)):
            yield match.span(match.lastindex)


def _is_generated(value: bytes) -> bool:
    """Return whether the value looks made by a program, and is no address, word or placeholder."""
    if is_hex_key(value):
        return True
    return not is_placeholder(value) and looks_random(value)
