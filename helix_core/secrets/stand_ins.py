"""Find in a typed text what stands where a secret does, or has the form of one, though it is a filler or an odd string.

Of a file such text is left alone: a template and its tests are searched. Nobody asks a message or a memory for the
password of an example, and what looks like one there may be one. Bytes in, spans out, in linear time.
"""

from __future__ import annotations

from collections.abc import Iterator

from helix_core.model import SecretSpan
from helix_core.secrets.shapes import TOKEN_RULES
from helix_core.secrets.typed import is_predicate
from helix_core.secrets.values import LazyPattern, is_masked, is_template

_WORD = rb"[A-Za-z0-9_\-]"
_FORMS = {
    "artifactory-token": rb"\b(AKC[A-Za-z0-9]{10,}|AP[0-9A-F](?:x{8,}|[A-Za-z]{0,30}[0-9][A-Za-z0-9]{7,}))\b",
    "aws-secret-key": rb"\b([A-Za-z0-9/+]{30}EXAMPLEKEY)\b",
    "discord-token": rb"\b(" + _WORD + rb"{24,30}\." + _WORD + rb"{6}\." + _WORD + rb"{27,38})\b",
    "softlayer-key": rb"(?i:api\.softlayer\.com/soap/v3(?:\.1)?/)([a-z0-9]{64})",
    "twilio-key": rb"\b((?:SK|AC)(?:x{32}|[0-9a-z]{32}))\b",
}
_JUDGED_ELSEWHERE = ("slack-webhook", "npm-auth", "url-password")
_PATTERNS = [
    *((kind, LazyPattern(pattern)) for kind, pattern in _FORMS.items()),
    *((one.kind, LazyPattern(one.pattern)) for one in TOKEN_RULES if one.kind in _JUDGED_ELSEWHERE),
]
_CUE = LazyPattern(
    rb"AKC|\bAP[0-9A-F][A-Za-z0-9]{8}|EXAMPLEKEY|\.[A-Za-z0-9_\-]{6}\.|\b(?:SK|AC)[0-9a-z]{32}|hooks\.slack\.com|(?i:softlayer\.com)|:_(?:auth|password)"
    rb"|://[^\s/@]*[:A-Za-z0-9][^\s/@]*@"
)
_KEY_BLOCK = LazyPattern(rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[ \t]*\n")
_BLOCK_END = LazyPattern(rb"-----END |\n[ \t]*\n")
_NAME = (
    rb"(?i:\b[\w.\-]{0,40}(?:passwo?r?ds?|passwd|pwd|secrete?|(?:[\w\-]{0,20})key"
    rb"|(?:db|database|key)_?pass)[\w.\-]{0,40})"
)
_QUOTED = rb"\"([^\"\n]{8,128})\"|'([^'\n]{8,128})'"
_GIVEN = LazyPattern(
    _NAME + rb"[\"'\])]{0,2}[ \t]{0,4}(?::=|=>|[=!]==?|=|:)[ \t]{0,4}@?(?:" + _QUOTED + rb"|([^\s\"'`;]{8,128}))"
)
_PASSED = LazyPattern(_NAME + rb"(?:[ \t]{1,4}|\.\w{1,20}\()(?:" + _QUOTED + rb")")
_COMPARED = LazyPattern(rb"(?:" + _QUOTED + rb")[ \t]{0,4}[=!]==?[ \t]{0,4}" + _NAME)
_KEYWORD = LazyPattern(rb"(?i:pass|pwd|secret|key)")
_PAIRS = {ord(")"): ord("("), ord("]"): ord("["), ord("}"): ord("{")}
_LEAST_MARKS = 5
_LEAST_KEY, _LEAST_LETTERS = 20, 24
_DIGITS_APART = LazyPattern(rb"^(?:[A-Za-z]+[0-9]{0,4}[_\-]){1,12}[A-Za-z]*[0-9]{0,4}$")
"""Words with numbers behind them, as names have."""


def stand_ins(data: bytes) -> Iterator[SecretSpan]:
    """Yield what has the form or the place of a secret."""
    if _CUE.search(data) is not None:
        for kind, pattern in _PATTERNS:
            for match in pattern.finditer(data):
                value = match.group(1)
                if not is_masked(value) and (kind == "slack-webhook" or not is_template(value)):
                    yield SecretSpan(kind, *match.span(1))
    if b"PRIVATE KEY" in data:
        yield from _in_key_blocks(data)
    if _KEYWORD.search(data) is not None:
        yield from _given(data)


def _in_key_blocks(data: bytes) -> Iterator[SecretSpan]:
    """Yield each line of text between the marks of a private key, or up to a blank line."""
    for match in _KEY_BLOCK.finditer(data):
        end = _BLOCK_END.search(data, match.end() - 1)
        last, at = end.start() if end is not None else len(data), match.end()
        while at < last:
            line_end = data.find(b"\n", at, last)
            stop = line_end if line_end >= 0 else last
            line = data[at:stop]
            if line.strip() and not is_masked(line):
                yield SecretSpan("private-key", at + len(line) - len(line.lstrip()), at + len(line.rstrip()))
            at = stop + 1


def _given(data: bytes) -> Iterator[SecretSpan]:
    for pattern in (_GIVEN, _PASSED, _COMPARED):
        for match in pattern.finditer(data):
            group = match.lastindex
            start, end = match.span(group)
            value = data[start:end]
            is_quoted = group < 3
            if is_masked(value):
                continue
            if (
                is_key_run(value)
                or is_scrambled(value)
                or (is_quoted and b" " in value and pattern is _GIVEN and not is_predicate(value))
            ):
                yield SecretSpan("secret", start, end)


def is_key_run(value: bytes) -> bool:
    """Return whether a value is as long as a key is, letters and digits, also where they repeat: ``abcd1234abcd``."""
    if len(value) < _LEAST_KEY or not all(bytes((code,)).isalnum() or code in b"_-" for code in value):
        return False
    if not any(48 <= code <= 57 for code in value):
        return len(value) >= _LEAST_LETTERS and value.isalpha() and value.islower()
    return _DIGITS_APART.search(value) is None


def is_scrambled(value: bytes) -> bool:
    """Return whether a value has many marks and its brackets do not match: no code, template or word has that."""
    marks = {code for code in value if code < 0x80 and not (bytes((code,)).isalnum() or code in b" _-.")}
    if len(marks) < _LEAST_MARKS:
        return False
    opened: list[int] = []
    for code in value:
        if code in _PAIRS.values():
            opened.append(code)
        elif code in _PAIRS and (not opened or opened.pop() != _PAIRS[code]):
            return True
    return bool(opened) or not any(bytes((code,)).isalpha() and code < 0x80 for code in value[1:])
