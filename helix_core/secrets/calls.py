"""Read literals of expressions, and detect those that a call or a bare pair gives as a password by position.

Bytes in, spans out. At most ``_REACH`` bytes after the opening bracket are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from helix_core.secrets.names import NAME
from helix_core.secrets.tables import PASSWORD_COLUMN
from helix_core.secrets.typed import is_mixed_password
from helix_core.secrets.values import LazyLoosened, LazyPattern, is_chosen_password, is_secret, is_strong_password
from helix_core.secrets.words import is_word_password

Span = tuple[int, int]

_REACH = 300
_MOST_CHAINS = 8
_REST_OF_WORD = re.compile(rb"[A-Za-z0-9]+")

_LOGIN = LazyLoosened(
    rb"(?i:\b(?:log_?[io]n|sign_?in|authenticate|auth|connect|\w*basic_?auth\w*|with_?auth|\w*digest_?auth"
    rb"|plain_?auth|\w*credentials?"
    rb"|get_?connection|create_?connection|create_?user|add_?user|create_?super_?user|check_?password"
    rb"|set_?password|make_?password"
    rb"|mysqli?(?:_p?connect)?|pg_connect|ldap_bind|simple_bind(?:_s)?|pdo|ftp|smtp|imap|pop3|ssh|sftp"
    rb"|bind|impersonate|runas|password_?authentication|(?:wifi|wlan|sta_if)\w*\.(?:begin|connect)"
    rb"|auth[ \t]{0,2}=)[ \t]{0,2})\("
    rb"[^\r\n()\"'`]{0,100}(?:\r?\n[ \t]{0,40})?\\{0,3}[\"'`]"
)
"""A call that takes a password by position."""
_AFTER_HOST = LazyPattern(
    rb"(?i)^(?:connect|get_?connection|create_?connection|mysqli?(?:_p?connect)?|pg_connect|pdo|plain_?auth)\b"
)
"""A call that takes first where to connect, then user and password."""
_AFTER_USER = LazyPattern(
    rb"(?i)^(?:log_?[io]n|sign_?in|authenticate|auth|\w*basic_?auth|with_?auth|\w*digest_?auth|\w*credentials?"
    rb"|password_?authentication|(?:wifi|wlan|sta_if)\w*\.(?:begin|connect))\b"
)
"""A call that takes user and password."""
_NAMED = LazyLoosened(
    NAME
    + rb"[\w\-]{0,20}[\"'\])]{1,4}\)?\.(?i:type|fill|send_?keys|set_?value|val|input)\([\"']([^\"'\r\n$]{5,64})[\"']\)"
    rb"|(?i:\b(?:jwt\.(?:sign|encode|verify|decode)|createhmac|createcipher(?:iv)?|aes\.(?:en|de)crypt)[ ]?\("
    rb"[^\"'`\r\n;]{0,60}?(?:[\"'](?:aes|sha|md|hs|rs)[\w\-]{1,20}[\"'])?,[ ]{0,2}"
    rb"|\b(?:hmac\.new|cookieparser|urlsafe(?:timed)?serializer|timestampsigner|secretkeyspec|keygrip)[ ]?\(\[?)b?"
    rb"[\"'`]([^\"'`\r\n$]{6,128})[\"'`]"
)
"""Groups: 1 the name that selects a field of a form, 2 what is typed into it, 3 by what a call signs or encrypts."""

KEY_FOLLOWS = LazyPattern(rb"[ \t]*(?::[^:]|=>)")
"""What follows the name of a field of a mapping."""
LITERAL_FOLLOWS = LazyPattern(rb",[ ]?[\"']")
"""What follows the first value of ``user, password = "…", "…"``."""
_TWILIO = LazyPattern(rb"\bAC[0-9a-f]{32}\\{0,3}[\"']?[\s,:]{1,40}\\{0,3}[\"']?([0-9a-f]{32})\b")
_PAIR = LazyLoosened(
    rb"(?:^|[^\w)\]])\(\s{0,20}[bru]?[\"']([A-Za-z][\w.@+\-]{1,40})[\"'],\s{0,20}"
    rb"[bru]?[\"']([^\"'\r\n]{6,64})[\"'],?\s{0,20}\)"
)
"""Two literals in brackets that are not call. Groups: 1 a user's name, 2 what may be the password."""
_CLIENT = LazyLoosened(
    rb"(?:[Cc]lient|[Ss]ession|[A-Za-z]A(?:PI|pi))\(\s{0,20}(?:[bru]?[\"'][^\"'\r\n]{1,100}[\"'],\s{0,20}(?:[0-9]{1,5},\s{0,20})?)?"
    rb"[bru]?[\"']([A-Za-z][\w.@+\-]{1,40})[\"'],\s{0,20}[bru]?[\"']([^\"'\r\n]{6,64})[\"'][,)]"
)
"""What is called a client or a session and takes two literals, perhaps behind a host. Groups as before."""
_ENDING_MARKS = (b"!", b"?", b"#", b"$")
_NO_USERS = frozenset(
    b"accept action algorithm alias algo api arg argument attr attribute author base board body branch cache category "
    b"channel charset cipher class code codec col color colour column command config content cookie count country "
    b"currency data database date db default description device digest dtype email encoding engine entry env error "
    b"etag event example expected expr extension fen field file filename filter flag font form format function game "
    b"given group hash header hex host icon id image index input instance item key kind label lang language layer "
    b"level lib license line link list locale location loss message method metric mime mode model module move name "
    b"node number object opt option order original output package page param parameter part path pattern pgn phase "
    b"pipeline platform plugin policy position prefix profile project prompt protocol provider query ref reference "
    b"region release repo request response result revision role route row rule sample schema scope section selector "
    b"seed serial session setting shape sku slug source species split src stage state status step string style "
    b"subject suffix symbol table tag target task template term test text theme ticket time timezone title tokenizer "
    b"topic type unit uri url uuid val value variable variant vendor version view word zone namespace".split()
)
"""Keys, parameters and fields, which no user is called."""
_INSERT = LazyPattern(rb"(?i:insert[ ]into)[ ][\w.\"`\[\]]{1,60}[ ]?\(([^()]{0,200})\)\s{0,20}(?i:values)\s{0,20}\(")


@dataclass(frozen=True, slots=True)
class Chain:
    """Adjacent literals that form one text; ``is_direct`` means that only brackets precede the first."""

    parts: tuple[Span, ...]
    is_direct: bool

    def value(self, data: bytes) -> bytes:
        """Return the concatenated text."""
        return b"".join(data[start:end] for start, end in self.parts)

    def unwrapped(self, data: bytes) -> Chain:
        """Remove escaped quotes inside the literal, as in a literal nested in a literal."""
        start, end = self.parts[0]
        if len(self.parts) == 1 and end - start > 4 and data[start : start + 2] == data[end - 2 : end] == b'\\"':
            return Chain(((start + 2, end - 2),), self.is_direct)
        return self


def in_calls(data: bytes) -> Iterator[Span]:
    """Yield the literals that log-ins and inserted rows give as passwords by their position."""
    reached = 0
    for match in _LOGIN.finditer(data):
        opened = data.index(b"(", match.start(), match.end())
        place: int | None = None
        for chain, number in _arguments(data, opened + 1) if opened >= reached else ():
            reached = chain.parts[-1][1]
            place = _password_place(data, match) if place is None else place
            if _is_given(data, chain, is_sure=number == place) or _is_lone(data, match.start(), opened, chain):
                yield from chain.parts
    for match in _INSERT.finditer(data):
        names = match.group(1).split(b",")
        place = next((number for number, name in enumerate(names) if PASSWORD_COLUMN.search(name)), None)
        for chain, number in _arguments(data, match.end()) if place is not None else ():
            if _is_given(data, chain, is_sure=number == place):
                yield from chain.parts
    for match in _NAMED.finditer(data):
        value = match.group(match.lastindex)
        is_filled = match.lastindex == 2 and (is_chosen_password(value) or is_secret(b"password", value))
        if is_filled or is_word_password(value, is_sure=True):
            yield match.span(match.lastindex)
    if b"AC" in data:
        for match in _TWILIO.finditer(data):
            yield match.span(1)


def in_pairs(data: bytes) -> Iterator[Span]:
    """Yield the second literals of bare pairs, as in ``[("bob", "…")]``, and of what a client takes, as in
    ``Client("bob", "…")``, that are passwords by themselves, next to a first that may be a user's name.
    """
    has_client = any(name in data for name in (b"lient(", b"ession(", b"API(", b"Api("))
    for pattern in (_PAIR, _CLIENT) if has_client else (_PAIR,):
        for match in pattern.finditer(data):
            name, value = match.groups()
            is_password = is_strong_password(value) or is_chosen_password(value) or value.endswith(_ENDING_MARKS)
            if name != value and is_password and may_be_user(name) and is_mixed_password(value):
                yield match.span(2)


def may_be_user(name: bytes) -> bool:
    """Return whether the word may be a user's name: an address, or neither an identifier with an underscore nor the
    name of a key or a parameter, also in the plural or with a number.
    """
    if b"@" in name:
        return True
    word = name.lower().rstrip(b"0123456789")
    return b"_" not in name and word not in _NO_USERS and word.removesuffix(b"s") not in _NO_USERS


def _arguments(data: bytes, start: int) -> Iterator[tuple[Chain, int]]:
    """Yield the literals among the arguments from ``start`` on, with their numbers, counted from 0; no keys of a
    mapping.
    """
    number, before = 0, start
    for chain in chains(data, start, start + _REACH, outer=1):
        number += data.count(b",", before, chain.parts[0][0])
        before = chain.parts[-1][1]
        if KEY_FOLLOWS.match(data, before + 1) is None:
            yield chain, number


def _is_given(data: bytes, chain: Chain, *, is_sure: bool) -> bool:
    """Return whether the literal is a password; ``is_sure`` where it is at the place of one."""
    value = chain.value(data)
    if is_sure and is_word_password(value, is_sure=True):
        return True
    return is_strong_password(value) or is_chosen_password(value)


def _password_place(data: bytes, call: Any) -> int:
    """Return which argument of the call is the password, counted from 0; -1 where its name does not say."""
    if data[max(0, call.start() - 16) : call.start()].rstrip().endswith((b"def", b"function", b"func", b"fn")):
        return -1
    return 2 if _AFTER_HOST.search(call.group()) else 1 if _AFTER_USER.search(call.group()) else -1


def _is_lone(data: bytes, start: int, opened: int, chain: Chain) -> bool:
    """Return whether the only argument is what ``auth("…")`` of a Redis client takes, and no name of a method."""
    first, end = chain.parts[0][0], chain.parts[-1][1]
    is_only = first - opened <= len("(b'") and data[end + 1 : end + 2] == b")"
    return is_only and data[start:opened].strip().lower() == b"auth" and is_mixed_password(chain.value(data))


def chains(data: bytes, start: int, limit: int, *, outer: int = 0) -> Iterator[Chain]:
    """Yield the literals of the expression that begins at ``start`` and ends before ``limit``, concatenated ones as
    one.

    ``outer`` is 1 where the expression is the arguments of a call that is open already.
    """
    limit = min(limit, len(data))
    position, depth, last, left = start, outer, b"=", _MOST_CHAINS
    parts: list[Span] = []
    is_direct = is_joined = True
    while position < limit and depth >= outer:
        byte = data[position : position + 1]
        found = _literal(data, position, limit) if byte in b"\"'`\\" else None
        if found is not None:
            if parts and not is_joined:
                yield Chain(tuple(parts), is_direct)
                parts, is_direct, left = [], False, left - 1
                if not left:
                    return
            parts.append(found[:2])
            position, is_joined, last = found[2], True, b'"'
            continue
        if byte in b"\"'`;" or (
            depth == 0 and (byte == b"," or (byte == b"\n" and _ends(data, position, last, parts)))
        ):
            break
        if byte.isalnum():
            # Of the letters of a word only the last may belong to a literal behind it.
            word = _REST_OF_WORD.match(data, position + 1, limit)
            if word is not None:
                is_joined, is_direct, position = False, is_direct and bool(parts), word.end() - 1
                byte = data[position : position + 1]
        depth += (byte in b"([{") - (byte in b")]}")
        if byte not in b" \t\r\n":
            is_prefix = byte in b"bBrRuUfFL@N" and data[position + 1 : position + 2] in (b'"', b"'")
            if not (is_prefix or byte in b"+.&\\" or (byte in b"([{" and not parts)):
                is_joined = False
                is_direct = is_direct and bool(parts)
            last = byte
        position += 1
    if parts:
        yield Chain(tuple(parts), is_direct)


def _ends(data: bytes, newline: int, last: bytes, parts: Sequence[Span]) -> bool:
    """Return whether the line ends the expression, whose last significant byte is ``last``."""
    if last == b'"':
        following = data[newline + 1 : newline + 80].lstrip()[:2]
        return following[:1] not in (b"+", b"&") and not (following[:1] == b"." and following[1:2] in b". \"'")
    return last not in b"+.&\\=(," or (last == b"=" and bool(parts))


def _literal(data: bytes, position: int, limit: int) -> tuple[int, int, int] | None:
    """Return the start and end of the literal at ``position``, and the offset after it; its quotes may be escaped."""
    quote = position
    while data[quote : quote + 1] == b"\\" and quote < position + 3:
        quote += 1
    mark = data[quote : quote + 1]
    if mark not in (b'"', b"'", b"`"):
        return None
    opener = data[position : quote + 1]
    if quote == position and data[position : position + 3] == mark * 3:
        opener = mark * 3
    start = position + len(opener)
    newline = data.find(b"\n", start, limit)
    stop = newline if newline >= 0 else limit
    end = data.find(opener, start, stop)
    while end >= 0 and opener == mark and data[end - 1 : end] == b"\\" and data[end - 2 : end] != b"\\\\":
        end = data.find(opener, end + 1, stop)
    if end < 0 or b"\r" in data[start:end]:
        return None
    return start, end, end + len(opener)
