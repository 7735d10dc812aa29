"""Detect passwords anywhere in a sentence that speaks of one, whatever its wording, and in what answers it.

Bytes in, spans out. ``prose`` knows how a password is usually stated; here the word for it and a value that no
sentence holds otherwise are enough: letters with digits that name no thing, a quoted word that is not common English, a
word alone in the line below. Of what a person types into a chat, less is asked of the value than of a file's comments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from helix_core.secrets.context import names_next
from helix_core.secrets.prose import Noun, is_foreign, log_ins, nouns, stated
from helix_core.secrets.typed import is_mixed_password, is_typed_password, is_typed_secret
from helix_core.secrets.values import POD, LazyPattern, is_masked, is_strong_password
from helix_core.secrets.words import is_code_word, is_word_password

Span = tuple[int, int]

_REACH = 160
_FIRST_WIDE = 0xE0
"""The first byte of letters of scripts without blanks between words."""
_MOST_WORDS = 3
_LONGEST_ALONE = 90
_CREDENTIALS = (b"creds", b"credentials")
_DIGITS = b"0123456789"
_BREAKS = (*(bytes((code,)) for code in b"()[]{}=<>\\;"), b". ", b"? ", b" + ")
"""What ends a sentence, or shows that it is a program's."""
_WORD = LazyPattern(rb"[^\s\"'`<>()\[\]{}|\\,;0-9]*[0-9][^\s\"'`<>()\[\]{}|\\,;]*")
_VALUE = rb"[\"'`*]{0,3}([^\s\"'`<>()\[\]{}|\\,;*]{4,64})[\"'`*]{0,3}"
_BELOW = LazyPattern(
    rb"(?:|[^\r\n.;{}()=]{0,60}[?:]|(?:[^\r\n.;{}()=]{0,60}[ \t])?(?i:is|was|are|lautet|ist|est|es|\xc3\xa8|:))"
    rb"[ \t*_]{0,4}\r?\n"
    rb"(?:[ \t>]*\r?\n)?[ \t>]*(?:[*_]{0,2}[A-Z]\w{0,20}(?:[ ]\w{1,20})?:[*_]{0,2}[ \t]+|<\w{1,20}>[ \t]+|[-*][ \t]+)?"
    + _VALUE
    + rb"[ \t]*(?:\r?\n|\z)"
)
"""Group 1: the only word of the line below one that asks for a password or announces it."""
_ARROW = LazyPattern(
    rb"(?:->|=>|\xe2\x86\x92|\xe2\x87\x92|\xe2\x9e\x9c)[ \t]{0,4}" + _VALUE + rb"[ \t]*(?:\r?\n|\z|\xe2\x86\x90|<-)"
)
"""Group 1: what an arrow points at, at the end of the line."""
_OTHER = LazyPattern(
    rb"[.!?;,][ \t\r\n]{1,3}(?:(?i:the|a|my|our)[ ])?"
    rb"(?i:new|old|current|temporary|right|correct|good|neu\w*|alt\w*|aktuell\w*)"
    rb"(?:[ ](?i:one|ones|value))?(?:[ ](?i:is|ist|now)[ \t:]+|[ ]?[:=][ \t]*)" + _VALUE
)
"""Group 1: what the sentence after one about a password calls the new one."""
_ALONE = LazyPattern(
    rb"[,:][ \t]+(?:(?i:now|jetzt|nun|ahora|maintenant|adesso|it's|its)[ \t]+)?"
    + _VALUE
    + rb"(?:,[ \t]|[.!?]{0,2}[ \t]*(?:\r?\n|\z))"
)
"""Group 1: a word between two commas."""
_TOLD = LazyPattern(
    rb"(?:[a-z]:|\bit(?:'s|s| is)(?: now)?|\bnow)[ \t]+([A-Za-z]{4,24}[0-9]{1,4}!?)(?:[ ]now|[ ]again)?"
    rb"[.,!]?[ \t]*(?:\r?\n|\z)"
)
"""Group 1: a word with a number that ends the line, as what was told of a password before."""
_CALLED = LazyPattern(
    rb"(?:(?i:use|try|tried|used|with|enter|type|typed)[ \t]+"
    + _VALUE
    + rb"[ \t]+(?i:as|for)|[\"'`]([^\"'`\r\n]{4,64})[\"'`][ \t]+(?i:is|was|as))"
    rb"[ \t]+(?i:(?:the|my|our|your|a)[ \t]+)?(?:[\w\-]+[ \t]+){0,2}\z"
)
"""The group that matched: what is called a password by the words after it."""
_WHOLE = LazyPattern(rb"\s*(?i:(?:the|my|our)[ ])?(?i:pw|pwd|passwd|passwort|kennwort)[ \t:=]+([^\s]{4,64})\s*\z")
"""Group 1: what a message of two words gives."""
_BEHIND = LazyPattern(rb"[\"'`*]{0,2}(?:[ \t]+|[ \t]*[=:][ \t]+)" + _VALUE + rb"(?:[\s,.;!?)]|\z)")
"""Group 1: the word behind the one for a password."""
_APPOSED = LazyPattern(
    rb"[\"'`*]{0,2}[ ]?(?:\((?:\xc2\xab ?|\xe2\x80[\x9c-\x9e])?[\"'`*]{0,2}"
    rb"([^\s\"'`<>()\[\]{}|\\,;*\xc2\xe2]{5,64})[\"'`*]{0,2}(?: ?\xc2\xbb|\xe2\x80[\x9c-\x9e])?\)[ ][a-z]"
    rb"|,[ ][\"'`*]{0,2}([^\s\"'`<>()\[\]{}|\\,;*]{5,64})[\"'`*]{0,2},[ ])"
)
"""The group that matched: the word in brackets or between commas behind the one for a password, where the sentence
goes on.
"""
_MAIL_PAIR = LazyPattern(
    rb"(?:^|[\s\"'`<(])[\w.+\-]{1,40}@[\w\-]{1,40}(?:\.[\w\-]{1,20}){1,4}(?::|[ \t]*[/|][ \t]+|[ \t]{2,}|\t)"
    rb"([^\s\"'`<>()\[\]{}|\\,;/:]{5,64})[\"'`)]{0,2}[ \t]*(?:\r?\n|\z)"
)
"""Group 1: the last word of a line, after an address and a sign or wide blanks."""


def in_sentences(data: bytes, *, is_typed: bool = False) -> Iterator[Span]:
    """Yield the secrets that sentences give.

    Args:
        data: The text.
        is_typed: A person typed it into a chat or a memory.
    """
    passed = _Passed()
    for noun, start, end in nouns(data):
        yield from stated(data, noun, start, end, is_typed=is_typed)
        if noun not in (Noun.NUMBER, Noun.PASS) and not _is_code(data, start, end):
            is_password = noun is not Noun.SECRET or data[start:end].lower() in _CREDENTIALS
            yield from _around(data, start, end, passed, is_password=is_password, is_typed=is_typed)
    yield from log_ins(data)
    whole = _WHOLE.match(data) if is_typed else None
    if whole is not None and is_word_password(whole.group(1), is_sure=True, is_said=True):
        yield whole.span(1)
    if b"@" in data:
        for match in _MAIL_PAIR.finditer(data):
            yield from _judged(data, *match.span(1), is_password=True)


def _is_code(data: bytes, start: int, end: int) -> bool:
    """Return whether the word for a credential is a name in a program."""
    before, after = data[start - 1 : start], data[end : end + 2]
    if before in (b'"', b"'") and after[:1] == before:
        return True
    if (before in (b"(", b"[") and after[:1] in (b",", b")", b"]")) or (after[:1] == b"." and after[1:].isalpha()):
        return True
    if data[start - 1 : start] in (b".", b"$", b"/", b"-", b"<", b"_") or data[end : end + 1] in (
        b"_",
        b"(",
        b"[",
        b"=",
    ):
        return True
    return data[end : end + 1] in (b'"', b"'") and data[end + 1 : end + 2] in (b":", b",", b"]", b")")


def _line(data: bytes, start: int, end: int) -> Span:
    """Return the line around a span, as far as a sentence reaches."""
    first = max(data.rfind(b"\n", max(0, start - _REACH), start) + 1, start - _REACH, 0)
    newline = data.find(b"\n", end, end + _REACH)
    return first, newline if newline >= 0 else min(len(data), end + _REACH)


@dataclass(slots=True)
class _Passed:
    """How far the words of sentences are judged already, which several words for a credential would judge again."""

    words: int = 0
    parts: int = 0


def _around(data: bytes, start: int, end: int, passed: _Passed, *, is_password: bool, is_typed: bool) -> Iterator[Span]:
    first, last = _line(data, start, end)
    newline = last if data[last : last + 1] == b"\n" else -1
    if is_password:
        yield from _in_sentence(data, start, end, (first, last), passed, is_typed=is_typed)
        apposed = _APPOSED.match(data, end, last)
        # In a list of names no word stands before, but nothing or, in a file, another name.
        before = data[start - 2 : start - 1].strip(None if is_typed else b" \t\r\n,")
        if apposed is not None and data[start - 1 : start] == b" " and before:
            yield from _judged(data, *apposed.span(apposed.lastindex), is_password=True)
    behind = data[end : last + _REACH]
    if b">" in behind or b"\xe2" in behind:
        yield from _first(_ARROW, data, end, last + _REACH, is_password=is_password, is_sure=is_typed)
    if b": " in behind or b" is " in behind or b" ist " in behind:
        yield from _first(_OTHER, data, end, last + _REACH, is_password=is_password, is_sure=False)
    if newline >= 0 and _is_answered(data, newline):
        below = _BELOW.match(data, end, min(len(data), end + 2 * _REACH))
        if below is not None:
            yield from _judged(data, *below.span(1), is_password=is_password, is_sure=is_typed)


def _first(
    pattern: LazyPattern, data: bytes, start: int, stop: int, *, is_password: bool, is_sure: bool
) -> Iterator[Span]:
    match = pattern.search(data, start, min(len(data), stop))
    if match is not None and b"\n\n" not in data[start : match.start()]:
        yield from _judged(data, *match.span(1), is_password=is_password, is_sure=is_sure)


def _is_answered(data: bytes, newline: int) -> bool:
    """Return whether the first line below that is not blank has hardly more than a word."""
    lines = [line for line in data[newline + 1 : newline + _REACH].split(b"\n", 2)[:2] if line.strip(b" \t>")]
    return bool(lines) and len(lines[0].split()) <= _MOST_WORDS


def _in_sentence(data: bytes, start: int, end: int, line: Span, passed: _Passed, *, is_typed: bool) -> Iterator[Span]:
    """Yield the words of the sentence around ``[start, end)`` that are passwords in any wording."""
    first, last = line
    before, behind = data[first:start], data[end:last]
    first += max(before.rfind(mark) + len(mark) if mark in before else 0 for mark in _BREAKS)
    last = end + min((at for mark in _BREAKS if (at := behind.find(mark)) >= 0), default=len(behind))
    text = data[first:last]
    if b" " not in text:
        return
    if text.translate(None, _DIGITS) != text and data[start:end].lower() not in _CREDENTIALS:
        begin = max(first, passed.words)
        for word in (*_WORD.finditer(data, begin, max(begin, start)), *_WORD.finditer(data, max(begin, end), last)):
            yield from _unusual(data, *word.span(), is_typed=is_typed)
        # A word that ends there may go on.
        passed.words = max(begin, data.rfind(b" ", first, last) + 1)
    told = _TOLD.search(data, end, min(len(data), last + 2)) if end < last else None
    if told is not None and not is_typed:
        yield from _judged(data, *told.span(1), is_password=True)
    called = _CALLED.search(data[first:start]) if is_typed else None
    if called is not None:
        begin, stop = called.span(called.lastindex)
        yield from _judged(data, first + begin, first + stop, is_password=True, is_sure=True)
    alone = max(first, passed.parts - _LONGEST_ALONE)
    for match in _ALONE.finditer(data, alone, min(len(data), last + 2)) if is_typed and alone < last else ():
        yield from _judged(data, *match.span(1), is_password=True)
    passed.parts = max(passed.parts, last)
    beside = _BEHIND.match(data, end, min(len(data), last + 2)) if is_typed else None
    if beside is not None and not (beside.group(1).islower() and is_foreign(data[start:end])):
        yield from _judged(data, *beside.span(1), is_password=True)


def _unusual(data: bytes, start: int, end: int, *, is_typed: bool) -> Iterator[Span]:
    start, end = _trimmed(data, start, end)
    value = data[start:end]
    # ``user svc_2`` names a user, whatever its name looks like.
    if names_next(data[max(0, start - 16) : start].rstrip(b" ").rpartition(b" ")[2]) and not is_strong_password(value):
        return
    if is_masked(value) or is_code_word(value) or POD.search(value) is not None or max(value, default=0) >= _FIRST_WIDE:
        return
    is_found = is_mixed_password(value)
    if not is_found and is_typed and b"/" not in value:
        is_found = is_typed_password(value, is_linked=False) or is_word_password(value, is_sure=False, is_said=True)
    if is_found:
        yield start, end


def _judged(data: bytes, start: int, end: int, *, is_password: bool, is_sure: bool = False) -> Iterator[Span]:
    start, end = _trimmed(data, start, end)
    value = data[start:end]
    if is_masked(value) or is_code_word(value):
        return
    if is_password:
        is_found = is_typed_password(value, is_linked=True) or is_word_password(value, is_sure=is_sure, is_said=True)
    else:
        is_found = is_typed_secret(value, is_said=True)
    if is_found:
        yield start, end


def _trimmed(data: bytes, start: int, end: int) -> Span:
    """Return the word without the punctuation of the sentence."""
    while end > start and data[end - 1] in b".,;:?!*_":
        end -= 1
    return start, end
