"""Detect passwords that are words, by the name of their field and by an adjacent user name.

Bytes in, spans out. Where a user's name has a value, the adjacent password in the same notation has one too, and then
any word is a password: ``user=karl password=apfelmus``. Without a user it must not be common English, as in
``DB_PASSWORD=krokodil``. Fields are those of mappings, queries, log lines and forms, and lines of notes. RE2 finds the
names over the whole text; at most ``_REACH`` bytes around each are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any

from helix_core.secrets.calls import LITERAL_FOLLOWS
from helix_core.secrets.names import CLOSE, PASSWORD_WORDS, USER_WORDS, names_password, whole_name
from helix_core.secrets.typed import FUNCTION_WORDS
from helix_core.secrets.values import LazyPattern
from helix_core.secrets.words import is_chosen_word, is_code_word, is_word_password

Span = tuple[int, int]

_REACH = 200
_MOST_LINES = 4
_NEAR = 2000
_BARE = 4

_SIGN = rb"[ \t]{0,12}(=>|::|:=|\?=|[:=]|\xef\xbc\x9a)[ \t]{0,12}(?:\*{2})?(?:<[a-z]{1,8}>)?"
_VALUE = (
    rb"(?:\\{0,3}\"([^\"\\\r\n]{1,64})\\{0,3}\"|'([^'\\\r\n]{1,64})'|`([^`\\\r\n]{1,64})`"
    rb"|([^\s\"'`<>,;&|()\[\]{}\\$]{1,64}))"
)
_GIVEN = rb"(?:" + _SIGN + _VALUE + rb"|[ \t]{1,8}\"([^\"\\\r\n]{1,64})\")"
_USER_FIELD = LazyPattern(rb"(?i:(?:\b|_)" + USER_WORDS + rb")" + CLOSE + _GIVEN)
_PASSWORD_FIELD = LazyPattern(
    rb"((?i:(?:\b|_)"
    + PASSWORD_WORDS
    + rb"[0-9]{0,2})|[a-z](?:Password|Passwd|Pass|Pwd|Pw)|[A-Z]{2}(?:PASSWORD|PASSWD|PWD))"
    + CLOSE
    + _GIVEN
)
"""Groups: 1 the name (of a password only), the sign, the value in ``"``, in ``'``, in a backtick, or bare; or, without
a sign, the value in ``"``.
"""
_TELLING = LazyPattern(
    rb"(?i)passw|wort$|passphrase|passcode|psk|pwd?$|mdp|mot|wachtw|senha|contrase|has.{1,2}o|heslo|senord|passord|[\x80-\xff]"
)
"""What of these names means nothing but a password."""
_INITIALS = LazyPattern(
    rb"(?im)^[ \t]*u[ \t]*[:=][ \t]*[^\s]{2,64}[ \t]*\r?\n[ \t]*p(?:w|ass|wd)?[ \t]*[:=][ \t]*"
    rb"([^\s\"'`]{4,64})[ \t]*\r?$"
)
"""Group 1: the password of notes that write ``u:`` and ``p:``."""
_SPOKEN = LazyPattern(
    rb"(?i:\b(?:user(?:name)?|log-?in|account))[ \t]+[\"'`]{0,2}([\w.@\-]{2,40})[\"'`]{0,2},?[ \t]+"
    rb"(?i:(?:and|with|plus|mit|und|y|et)[ \t]+)?(?i:(?:the|a)[ \t]+)?"
    rb"(?i:pass(?:word|wd|phrase|wort|code)?|pwd|pw)[ \t]+"
    rb"[\"'`]{0,2}([^\s\"'`<>()\[\]{}|\\,;:=]{4,64})"
)
"""Groups: 1 a user, 2 the password after its word."""
_NEXT_LISTED = LazyPattern(rb",[ ][\w\-]{2,30}=")
_NEXT_FIELD = LazyPattern(rb"[ \t]+\w+[ \t]?[=:]")
_TYPES = frozenset(
    b"str string text bytes char chararray buffer varchar any object optional int integer none null nil undefined true "
    b"false bool boolean required email user username name login value type self this required: unique index".split()
)


@dataclass(frozen=True, slots=True)
class _Field:
    """A name with a value: its span, the span of the value, the sign between them, and how the value is quoted."""

    span: Span
    value: Span
    sign: bytes
    quote: int

    def text(self, data: bytes) -> bytes:
        """Return the bytes of the value in ``data``."""
        return data[self.value[0] : self.value[1]]


def in_fields(data: bytes) -> Iterator[Span]:
    """Yield the words in fields that name a password."""
    passwords = list(_PASSWORD_FIELD.finditer(data))
    users = list(_users(data, passwords))
    first = 0
    for match in passwords:
        field = _field(match, 2)
        while first < len(users) and users[first].span[1] < field.span[0] - 2 * _REACH:
            first += 1
        beside = next((user for user in _near(users, first, field) if _is_adjacent(data, user, field)), None)
        if beside is not None:
            is_found = field.text(data) != beside.text(data) and _is_password(data, field, is_sure=True)
        else:
            is_telling = _TELLING.search(match.group(1)) is not None or names_password(whole_name(data, match))
            is_secret = match.group(1).lower() == b"secret" and field.sign == b"="
            is_named = (is_telling or is_secret) and field.sign != b" "
            is_found = is_named and _is_password(data, field, is_sure=is_telling)
            is_found = is_found or (is_secret and field.quote == _BARE and is_chosen_word(field.text(data)))
        if is_found:
            yield field.value
    yield from _noted(data)


def _users(data: bytes, passwords: list[Any]) -> Iterator[_Field]:
    """Yield the fields of users near those of passwords, in order."""
    reached = 0
    for match in passwords:
        start, end = max(reached, match.start() - 2 * _REACH), min(len(data), match.end() + 2 * _REACH)
        for found in _USER_FIELD.finditer(data, start, max(start, end)):
            user = _field(found, 1)
            reached = found.end()
            if user.text(data).lower() not in _TYPES:
                yield user
        reached = max(reached, end - _REACH)


def _noted(data: bytes) -> Iterator[Span]:
    for match in _INITIALS.finditer(data) if b"u:" in data or b"U:" in data else ():
        if is_word_password(match.group(1), is_sure=True):
            yield match.span(1)
    for match in _SPOKEN.finditer(data):
        value = match.group(2).rstrip(b".!?*_")
        user = match.group(1).lower()
        is_user = not (is_code_word(user) or user in _TYPES or user in FUNCTION_WORDS)
        if is_user and is_word_password(value, is_sure=True, is_said=True):
            yield match.start(2), match.start(2) + len(value)


def _near(users: list[_Field], first: int, field: _Field) -> Iterator[_Field]:
    return takewhile(lambda user: user.span[0] <= field.span[1] + _REACH, islice(users, first, None))


def _field(match: Any, sign: int) -> _Field:
    group = match.lastindex
    return _Field(match.span(), match.span(group), match.group(sign) or b" ", group - sign)


def _is_adjacent(data: bytes, user: _Field, field: _Field) -> bool:
    """Return whether both are in one notation, with a few lines between them at most."""
    if user.span[0] <= field.span[0] < user.span[1]:
        return False
    start, end = sorted((user.span, field.span))
    between = data[start[1] : end[0]]
    is_alike = user.sign == field.sign and (user.quote == _BARE) == (field.quote == _BARE)
    return is_alike and len(between) <= _REACH and between.count(b"\n") <= _MOST_LINES and b"\n\n" not in between


def _is_password(data: bytes, field: _Field, *, is_sure: bool) -> bool:
    value = field.text(data)
    if field.quote == _BARE:
        is_value = _is_bare_value(data, field, value, is_sure=is_sure)
    else:
        is_value = field.sign != b"=" or LITERAL_FOLLOWS.match(data, field.span[1]) is None
    return is_value and is_word_password(value, is_sure=is_sure)


def _is_bare_value(data: bytes, field: _Field, value: bytes, *, is_sure: bool) -> bool:
    """Return whether no expression of a program can stand there: the word ends the line or the field."""
    start, end = field.value
    after = data[end : end + 2]
    is_tight = data[start - 1 : start] == b"="
    is_last = after[:1] in (b"", b"\r", b"\n", b"&", b"<") or (is_tight and after[:1] in (b'"', b"'"))
    is_variable = is_tight and data[start - 2 : start - 1].isupper()
    is_last = is_last or (is_variable and after[:1] in (b" ", b";")) or (is_tight and _is_logged(data, start, end))
    is_divided = is_tight or _NEXT_FIELD.match(data, end) is not None
    is_end = is_last or (is_sure and is_divided and after[:1] in b" \t" and after[1:2] not in b"=+-*/.([{?%|")
    is_listed = is_sure and is_tight and after[:1] == b"," and after[1:2].strip() != b""
    if not (is_end or is_listed) or b")" in data[field.span[0] : start] or b"]" in data[field.span[0] : start]:
        return False
    if is_variable or any(48 <= code <= 57 or code in b"-!#" for code in value):
        return True
    if any(65 <= code <= 90 for code in value[1:]) or b"_" in value or b"." in value:
        return False
    return is_tight or _is_used_once(data, field, value)


def _is_logged(data: bytes, start: int, end: int) -> bool:
    """Return whether the field is one of several in a line of a log, and no argument of a call."""
    before = data[max(data.rfind(b"\n", max(0, start - _REACH), start), start - _REACH, 0) : start]
    return before.count(b"(") <= before.count(b")") and _NEXT_LISTED.match(data, end) is not None


def _is_used_once(data: bytes, field: _Field, value: bytes) -> bool:
    """Return whether the word is not a name in the code around it: nowhere called, assigned, passed or a type."""
    start, end = max(0, field.span[0] - _NEAR), min(len(data), field.span[1] + _NEAR)
    if value[:1].isupper() and data.count(b": " + value, start, end) > 1:
        return False
    place = data.find(value, start, end)
    while place >= 0:
        behind = data[place + len(value) : place + len(value) + 3].lstrip(b" ")[:1]
        if place != field.value[0] and (behind in (b"=", b"(", b")", b",", b".", b":", b"[", b";")):
            return False
        place = data.find(value, place + 1, end)
    return True
