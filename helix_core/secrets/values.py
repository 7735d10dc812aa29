"""Decide whether a literal is a secret, or a placeholder, a word, a piece of code. Pure functions of short byte
strings.

A false negative leaks a credential into the index, a false positive hides ordinary code. Formats with an issuer's
prefix are not handled here: these rules apply where the only evidence is the name that a literal is assigned to, or its
place.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

import re2

from helix_core.secrets.letter_odds import LEAST_LETTERS, has_unlikely_letters, looks_random_letters

VALUES_KEPT = 1 << 12
"""How many judgments of values are kept: the same words stand in many lines."""
MEMORY_BYTES = 12 << 20
"""What one RE2 pattern may use, most of it for its DFA's states, which it drops and makes anew when they fill it.

A DFA keeps what it may until its process ends. Over the sources of django 64 MiB a pattern take 89 in all, 12 take 53
and the same time; with 8, the default, sources of Python take up to twice the time.
"""


_ANYWHERE, _AT_START = re2._re2.RE2.Anchor.UNANCHORED, re2._re2.RE2.Anchor.ANCHOR_START


class Match:
    """Where a pattern and its groups match in ``data``: what this package asks of re2's own class, which looks each
    group up in C++ once more.
    """

    __slots__ = ("_data", "_spans")

    def __init__(self, data: bytes, spans: list[tuple[int, int]]) -> None:
        self._data = data
        self._spans = spans

    def group(self, number: int = 0) -> Any:
        """Return what a group matched, or None."""
        start, end = self._spans[number]
        return self._data[start:end] if start >= 0 else None

    def groups(self) -> tuple[Any, ...]:
        """Return what each group matched, or None for it."""
        return tuple(self._data[start:end] if start >= 0 else None for start, end in self._spans[1:])

    def span(self, number: int = 0) -> tuple[int, int]:
        """Return where a group matched, (-1, -1) where it did not."""
        return self._spans[number]

    def start(self, number: int = 0) -> int:
        """Return where the match of a group begins."""
        return self._spans[number][0]

    def end(self, number: int = 0) -> int:
        """Return where the match of a group ends."""
        return self._spans[number][1]

    @property
    def lastindex(self) -> Any:
        """The outermost of the groups whose match ends last, or None."""
        last, reached = None, -1
        for number, (_, end) in enumerate(self._spans):
            if number and end > reached:
                last, reached = number, end
        return last


class LazyPattern:
    """An RE2 pattern over bytes in Latin-1 mode, compiled at its first use: one byte is one character."""

    __slots__ = ("_compiled", "_find", "_source")

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._compiled: Any = None
        self._find: Any = None

    def compiled(self) -> Any:
        """Return the compiled RE2 object."""
        if self._compiled is None:
            options = re2.Options()
            options.encoding = re2.Options.Encoding.LATIN1
            options.max_mem = MEMORY_BYTES
            options.log_errors = False
            self._compiled = re2.compile(self._source, options)
            self._find = self._compiled._regexp.Match
        return self._compiled

    def search(self, data: bytes, start: int = 0, end: int | None = None) -> Any:
        """Return the first match in ``[start, end)``, or None."""
        return self._first(_ANYWHERE, data, start, end)

    def match(self, data: bytes, start: int = 0, end: int | None = None) -> Any:
        """Return the match that begins at ``start``, or None."""
        return self._first(_AT_START, data, start, end)

    def _first(self, anchor: Any, data: bytes, start: int, end: int | None) -> Any:
        # re2's own methods run a generator for each of a file's thousands of searches.
        if self._compiled is None:
            self.compiled()
        size = len(data)
        stop = size if end is None or end > size else end
        if not 0 <= start <= stop:
            start = min(max(start, 0), size)
            if start > stop:
                return None
        spans = self._find(anchor, data, start, stop)
        return Match(data, spans) if spans[0][0] >= 0 else None

    def finditer(self, data: bytes, start: int = 0, end: int | None = None) -> Iterator[Match]:
        """Yield the non-overlapping matches in ``[start, end)``."""
        if self._compiled is None:
            self.compiled()
        find, size = self._find, len(data)
        stop = size if end is None or end > size else end
        position = min(max(start, 0), size)
        while position <= stop:
            spans = find(_ANYWHERE, data, position, stop)
            begin, after = spans[0]
            if begin < 0:
                return
            yield Match(data, spans)
            if position == stop:
                return
            position = after if after > position else position + 1

    def sub(self, replacement: bytes, data: bytes) -> bytes:
        """Return ``data`` with every match replaced."""
        parts: list[bytes] = []
        position = 0
        for match in self.finditer(data):
            start, end = match.span()
            parts += (data[position:start], replacement)
            position = end
        return b"".join((*parts, data[position:])) if parts else data


_COUNTED = re.compile(rb"(?<!\\)\{([0-9]+),[0-9]+\}")


def loosened(source: bytes) -> bytes:
    """Return a pattern without upper bounds of repetitions, which matches wherever ``source`` does.

    RE2 copies what ``{0,200}`` counts 200 times, and a DFA has a state for each count: with the bounds a search of a
    text takes up to ten times as long while the states are not made yet, or do not fit into the processor's cache.
    """
    return _COUNTED.sub(rb"{\1,}", source)


class LazyLoosened:
    """Matches like ``LazyPattern(source)``, whose search begins where the loosened pattern matches: in most texts
    nowhere.
    """

    __slots__ = ("_exact", "_loose")

    def __init__(self, source: bytes) -> None:
        self._exact, self._loose = LazyPattern(source), LazyPattern(loosened(source))

    def finditer(self, data: bytes) -> Iterator[Match]:
        """Yield the non-overlapping matches."""
        first = self._loose.search(data)
        if first is not None:
            yield from self._exact.finditer(data, first.start())


class LazyLined:
    """Matches like ``LazyPattern(source)``, none of whose matches has a line feed but at its start: only the lines on
    which the loosened pattern, or a given guard, matches are searched.
    """

    __slots__ = ("_exact", "_loose")

    def __init__(self, source: bytes, guard: bytes = b"") -> None:
        self._exact, self._loose = LazyPattern(source), LazyPattern(guard or loosened(source))

    def finditer(self, data: bytes) -> Iterator[Match]:
        """Yield the non-overlapping matches, none of which may be empty."""
        position = 0
        while (hit := self._loose.search(data, position)) is not None:
            start = data.rfind(b"\n", position, hit.start()) + 1 or position
            newline = data.find(b"\n", hit.end())
            position = newline if newline >= 0 else len(data)
            yield from self._exact.finditer(data, start, position)


class LazyHeaded:
    """A pattern of a head and a rest, of which only the heads are searched for.

    Matches like ``LazyPattern(head + rest)``, whose DFA outgrows ``max_mem`` where the rest counts: a search of it
    takes ten times as long.
    """

    __slots__ = ("_head", "_whole")

    def __init__(self, head: bytes, rest: bytes) -> None:
        self._head, self._whole = LazyPattern(loosened(head)), LazyPattern(head + rest)

    def finditer(self, data: bytes) -> Iterator[Any]:
        """Yield the non-overlapping matches, none of which may be empty."""
        # Heads without their rest may overlap: read as many bytes of them as the text has, so that time stays linear.
        position, left = 0, len(data)
        while left >= 0:
            head = self._head.search(data, position)
            if head is None:
                return
            match = self._whole.match(data, head.start())
            if match is not None:
                yield match
                position = match.end()
            else:
                position = head.start() + 1
                left -= head.end() - head.start()
        yield from self._whole.finditer(data, position)


class LazyAlternatives:
    """The alternatives of one pattern, each compiled at the first text that has one of its words.

    Matches like ``LazyPattern(b"|".join(sources))``. RE2 copies what ``{0,200}`` counts 200 times into the program, so
    that many alternatives in one pattern take tens of MiB, and no DFA of theirs fits into ``max_mem``.
    """

    __slots__ = ("_patterns", "sources")

    def __init__(self, sources: tuple[tuple[tuple[bytes, ...], bytes], ...]) -> None:
        """Take the words of each alternative, in lower case, and its source: whatever it matches has one of them."""
        self.sources = sources
        self._patterns = tuple((words, LazyPattern(source)) for words, source in sources)

    def finditer(self, data: bytes, start: int, end: int) -> Iterator[Any]:
        """Yield the non-overlapping matches in ``[start, end)``, none of which may be empty: the leftmost, and of
        several at one place that of the first alternative.
        """
        text = data[start:end].lower()
        patterns = [one for words, one in self._patterns if any(word in text for word in words)]
        found = _first_matches(enumerate(patterns), data, start, end)
        while found:
            _, _, match = min(found)
            yield match
            passed = match.end()
            again = [(place, patterns[place]) for begin, place, _ in found if begin < passed]
            found = [one for one in found if one[0] >= passed] + _first_matches(again, data, passed, end)


def _first_matches(
    patterns: Iterable[tuple[int, LazyPattern]], data: bytes, start: int, end: int
) -> list[tuple[int, int, Any]]:
    """Return the start, the place and the first match of each numbered pattern that matches in ``[start, end)``."""
    searched = [(place, one.search(data, start, end)) for place, one in patterns]
    return [(match.start(), place, match) for place, match in searched if match is not None]


# Filler words of placeholders, and words of values that only name a secret.
PUNCTUATION = b"()[]{}<>`\\\"',"
_MARKS = b"!@#$%^&*~+=?|;"
FILLER = LazyPattern(
    rb"(?i)change[_\-]?(?:me|this|it)|example|placeholder|your|dummy|sample|insert|replace|redacted|removed|hidden|x{3,}|\*{3,}"
    rb"|\.{3,}|_{3,}|-{3,}|todo|fixme|fake|mock|test(?:ing|er|s)?|demo|default|insecure|super|secrets?|passw(?:or)?ds?|passwd"
    rb"|phrase|pass|pwd|pw|tokens?|credentials?|foobar|foo|bar|baz|spam|eggs|qux|qwerty|asdf|letmein|admin|guest|root|user(?:name)?"
    rb"|abcdef(?:gh|g)?|abc|0?123456789?0?|12345|1234|123|none|null|undefined|true|false|invalid|incorrect|forbidden|wrong|valid|bad|good"
    rb"|strong|weak|same|old|new|some|any|this|that|here|value|string|key|oauth2?|auth|sha-?(?:1|224|256|384|512)|sha3|md5|latin-?1|utf-?(?:8(?:mb4)?|16|32)"
    rb"|base(?:16|32|58|64)|pbkdf2|argon2(?:id|i|d)?|bcrypt|scrypt|hmac|x509|(?:rs|hs|es|ps)(?:256|384|512)|http2?|localhost"
    rb"|tiger|scott|postgres(?:ql)?|mysql|mariadb|redis|rabbitmq|mongo(?:db)?"
)
_TEMPLATE = LazyPattern(
    rb"\$\{|\$\(|\{\{|\{%|%\(|%[sdr]\b|\{[\w.!:]*\}|<[\w\- ./:|]*>?|\[masked[:*\]]|\[\*+\]|://|^\.{0,2}/[\w.\-]+(?:/|$)|^\$\w[\w.\-]*\$?$|^[#@]\w+$"
    rb"|^[A-Za-z]:\\|^\\[ux]|^~[\w.]|\\[dwsDWSbB.*+?()\[\]]|\(\?|\.\*|\[\^|^[\w\-]+/[\w\-]+$|^%\w+%$|^[\w.+\-]+@[\w\-]+\.[\w.]+$"
)
_MASK = LazyPattern(rb"\[masked(?::[a-z0-9\-]+)?\**\]|\[\*+\]")
UUID = LazyPattern(rb"(?i)^\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$")
_WORDS = LazyPattern(
    rb"^[A-Z]?[a-z]*(?:[A-Z][a-z]+)*(?:[_\-.:/ ,]+(?:[A-Z]?[a-z]+(?:[A-Z][a-z]+)*|[A-Z]+|[0-9]{1,4}))*[0-9]{0,4}$"
)
_UPPER_WORDS = LazyPattern(rb"^[A-Z]+[0-9]{0,2}(?:[_\-.:/]+[A-Z0-9]+)*$")
_CODE_PATH = LazyPattern(rb"^[A-Za-z_]+[0-9]{0,3}(?:(?:\.|::|->)[A-Za-z_]+[0-9]{0,3})*[*&!?]*$")
ADDRESS = LazyPattern(
    rb"^[\w\-]+(?:\.[\w\-]+)*\.[a-z]{2,6}(?::[0-9]{1,5}(?:-[0-9]{1,5})?)?$"
    rb"|^[0-9.]+(?::[0-9]+){0,3}$|^0x[0-9a-fA-F]{1,16}$|^[\w.\-]+:[0-9.]+$|^[0-9a-fA-F]*:[0-9a-fA-F:.]+$|@[\w.\-]+\.[a-z]{2,6}(?:[/:?]|$)|^v?[0-9]+(?:\.[0-9]+)+[\w.\-+]*$"
)
POD = LazyPattern(rb"^[a-z][a-z0-9\-]*-[0-9a-f]{8,10}-[bcdfghjklmnpqrstvwxz24-9]{5}$")
"""A name that Kubernetes makes of those of a deployment and of its replica set, and five characters."""
DOTTED = LazyPattern(rb"^[A-Za-z_\x80-\xff][\w\x80-\xff]{0,30}(?:\.[A-Za-z_\x80-\xff][\w\x80-\xff]{0,30})+$")
_SETTING = LazyPattern(
    rb"^-{0,2}[A-Za-z_][\w.\-]*=|^-{1,2}[A-Za-z]|^&?[A-Za-z]\w*[*&]+\w*$|^\w+[+*/]\w+$|%[A-Fa-f0-9]{2}|[?&]\w+=|\.\.|^[A-Za-z]+[0-9]{0,5}(?:_[A-Za-z]*[0-9]{0,5})+$"
    rb"|^[:~&*!]|[?!]\.|0-9|[aA]-[fzFZ]|\.\w{1,4}[#?]|^[0-9a-f]{7,12}$|^[0-9]{8}T[0-9]{6}Z?$"
)
DATE = LazyPattern(rb"^[0-9]{1,4}[\-/.][0-9]{1,2}[\-/.][0-9]{1,4}(?:[T ][0-9:.]+Z?)?$")
_PAIR = LazyPattern(rb"^-{0,2}[A-Za-z]{1,12}(?:[_.\-][A-Za-z]{1,12}){0,4}=")
_OPENS = {ord(")"): ord("("), ord("]"): ord("["), ord("}"): ord("{")}
_PASSPHRASE = LazyPattern(rb"^(?:[A-Z]?[a-z]{3,12}[\-_.]){2,6}[0-9]{2,6}[!?*]?$")
_CHOSEN = LazyPattern(rb"^[A-Z]?[a-z]{2,}(?:[_\-]?[A-Z][a-z]{1,}){1,8}(?:[_\-#!&+@]?[0-9]{1,4})[!?*#]?$")
JOINING = frozenset(
    b"the and for not non from with into onto out off over under per one two way only all own self pre side based "
    b"case time user name server client base file path date level line end read write auth login account hash "
    b"hashed salted encoded encrypted required optional empty plain text clear wide safe free well once use used "
    b"set get has have are was were must can may app service system machine config database url env variable host "
    b"code data id api http https role group type kind list item part input output request response session cookie "
    b"header field form store vault manager policy generator reset change expired email mail phone number length "
    b"minimum maximum least most chapter step level version page table figure error python needs requires".split()
)
_DESCRIBING = LazyPattern(rb"(?:ed|ing|able|ible|ive|ly|ary|ical|less|ful|ous)$")
_HEX = LazyPattern(rb"^(?:0x)?(?:[0-9a-f]{32,128}|[0-9A-F]{32,128})$")
_PASSWORD_NAME = LazyPattern(
    rb"(?i)passw|passcode|passphrase|kennwort|pwd|(?:^|[_\-.\s])(?:[a-z]{0,8}(?:pass|pw|psk)|creds?|credentials?)[0-9]{0,2}$"
    rb"|(?-i:[a-z0-9](?:Pass|Pw|PW|Psk|PSK|Creds?|Credentials?)[0-9]{0,2}$)"
)
_LOGIN_NAME = LazyPattern(rb"(?:^|[_\-.])(?i:auth|login)s?[0-9]{0,2}$|[a-z0-9](?:Auth|Login)[0-9]{0,2}$")
_KEY_NAME = LazyPattern(rb"(?i)keys?[0-9]{0,2}$")
_TELLING_KEY = LazyPattern(
    rb"(?i)secret|token|cred"
    rb"|(?:api|access|auth|private|signing|encryption|encrypt|license|master|session|account|service|storage|shared)"
    rb"[_\-. ]?keys?"
)
_SECRET_NAME = LazyPattern(rb"(?i)(?:^|[_\-.])secret(?:_?key)?$|(?-i:[a-z]Secret(?:Key)?$)")
_PUBLIC_NAME = LazyPattern(rb"(?i)public|publishable")
_API_NAME = LazyPattern(rb"(?i)api|secret|passw")
# Names that describe a secret without containing one.
_ABOUT = LazyPattern(
    rb"(?i)(?:url|uri|path|file(?:name)?|dir|name|field|header|type|length|len|size|expir\w*|ttl|timeout|age|prefix|suffix"
    rb"|hash(?:er|ers)?|validators?|template|class|param(?:eter)?s?|regex|pattern|format|label|message|msg|errors?|help\w*"
    rb"|text|title|views?|forms?|generator|backend|storage|engine|module|model|method|kind|status|version|algorithm|alg"
    rb"|checksum|digest|integrity|sha\w*|md5|commit|placeholder|hint|description|doc|route|endpoint|count|limit|policy|scope|arn"
    rb"|startswith|endswith|contains|exact|isnull|cookie|(?:^|[_\-.])re|(?-i:[a-z]Re)|fmt|separator|sep|chars?|charset"
    rb"|alphabet)s?$"
)


def shannon_entropy(value: bytes) -> float:
    """Return the entropy of ``value``, in bits per byte of its own distribution."""
    if not value:
        return 0.0
    total = len(value)
    return -sum(count / total * math.log2(count / total) for count in Counter(value).values())


def is_template(value: bytes) -> bool:
    """Return whether the value is an interpolation, a mask, a path, an address or a pattern, which refers to a
    secret without being one.
    """
    return not value.isalnum() and _TEMPLATE.search(value) is not None


def is_placeholder(value: bytes) -> bool:
    """Return whether only filler words remain: ``changeme``, ``<your-token>``, ``${TOKEN}``, ``xxxxxxxx``."""
    if is_template(value) or len(set(value)) < 4:
        return True
    rest = bytes(byte for byte in FILLER.sub(b"", value) if byte not in b"_-. /:'\",!*#@$")
    return len(rest) < 4 or len(set(rest)) < 3


def switches_of(value: bytes) -> int:
    """Count the changes between letters and digits, or lower and upper case."""
    classes = ["d" if 48 <= b <= 57 else "u" if 65 <= b <= 90 else "l" if 97 <= b <= 122 else "s" for b in value]
    return sum(1 for before, after in pairwise(classes) if before != after and (before, after) != ("u", "l"))


def looks_random(value: bytes) -> bool:
    """Return whether the value is a generated key rather than words: long, many distinct characters, alternating
    character classes.
    """
    if looks_random_letters(value):
        return True
    if len(value) < 12 or _WORDS.search(value) or (_UPPER_WORDS.search(value) and not _has_random_part(value)):
        return False
    digits = sum(48 <= byte <= 57 for byte in value)
    entropy = shannon_entropy(value)
    if digits == 0:
        return len(value) >= 20 and entropy >= 3.7 and switches_of(value) >= len(value) // 5
    if digits == len(value):
        return False
    return entropy >= 2.8 and (switches_of(value) >= 3 or digits * 4 >= len(value))


def _has_random_part(value: bytes) -> bool:
    """Return whether capitals and digits alternate in a part of the value, as in ``API-J0M4477BSID06QIA9QEM7UNFS7``."""
    parts = value.translate(_JOINTS_TO_BLANKS).split()
    return any(len(part) >= _LEAST_RANDOM_PART and switches_of(part) * 4 >= len(part) for part in parts)


_JOINTS_TO_BLANKS = bytes.maketrans(b"_-.:/", b"     ")
_LEAST_RANDOM_PART = 20


def is_masked(value: bytes) -> bool:
    """Return whether the value contains a mask."""
    return b"[" in value and _MASK.search(value) is not None


def is_hex_key(value: bytes) -> bool:
    """Return whether the value is 32 to 128 hex digits of one case, of which several differ."""
    return _HEX.search(value) is not None and len(set(value)) >= 4


def is_base64_key(value: bytes) -> bool:
    """Return whether the value is base64 of 16, 24, 32, 48 or 64 bytes that look generated, as keys are."""
    plain = value.rstrip(b"=")
    size = len(plain) * 3 // 4
    return size in (16, 24, 32, 48, 64) and len(plain) % 4 != 1 and classes_of(plain) >= 3 and looks_random(plain)


def masks_in(value: bytes) -> list[tuple[int, int]]:
    """Return where the masks of the value stand, in order."""
    return [found.span() for found in _MASK.finditer(value)] if b"[" in value else []


def without_masks(value: bytes) -> bytes:
    """Return the value without its masks."""
    return _MASK.sub(b"", value)


def looks_generated(value: bytes) -> bool:
    """Return whether no word or name looks like the value: hex of a key's length, or long with three alternating
    character classes.
    """
    if _HEX.search(value):
        return len(value.removeprefix(b"0x")) % 8 == 0 and switches_of(value) >= 4
    if len(value) < 16 or not looks_random(value) or any(byte in b" _-./:" for byte in value):
        return False
    often = 4 if len(value) >= 24 else 2
    return classes_of(value) >= 3 and switches_of(value) * often >= len(value) and not is_wordy(value)


def is_wordy(value: bytes) -> bool:
    """Return whether the value is an identifier or a phrase: runs of letters, each starting with a capital, three or
    more on average, with vowels.
    """
    letters = runs = consonants = 0
    before = b""
    for place, code in enumerate(value):
        is_lower, is_upper = 97 <= code <= 122, 65 <= code <= 90
        if is_lower or is_upper:
            letters += 1
            follows = value[place + 1 : place + 2]
            runs += not before.isalpha() or (is_upper and (before.islower() or follows.islower()))
        consonants = consonants + 1 if is_lower and code not in b"aeiouy" else 0
        if consonants >= 5:
            return False
        before = value[place : place + 1]
    return runs > 0 and letters >= 3 * runs


def classes_of(value: bytes) -> int:
    """Count the character classes in it: lower case, upper case, digits and punctuation."""
    return (
        any(97 <= byte <= 122 for byte in value)
        + any(65 <= byte <= 90 for byte in value)
        + any(48 <= byte <= 57 for byte in value)
        + any(byte in _MARKS for byte in value)
    )


def looks_like_password(value: bytes) -> bool:
    """Return whether a person may type the value: letters with digits or punctuation, no phrase of plain words."""
    letters = sum(65 <= (byte & 0xDF) <= 90 for byte in value)
    digits = sum(48 <= byte <= 57 for byte in value)
    marks = sum(byte in _MARKS for byte in value)
    if not letters or not digits + marks:
        return looks_random(value)
    separated = any(byte in b"_-./:" for byte in value)
    return not (separated and _WORDS.search(value)) and len(set(value)) >= 5


def _is_passphrase(value: bytes) -> bool:
    """Return whether words of a generator are joined with a number, as in ``Terra-Falcon-3391``."""
    return _PASSPHRASE.search(value) is not None


def looks_chosen(value: bytes) -> bool:
    """Return whether words with a number may be a password that a person chose, as in ``pepperJar_31``. An identifier
    can look the same, so this counts only where the name and the place both say that a password is given.
    """
    if len(value) < 8 or is_placeholder(value) or any(byte in PUNCTUATION or byte in b" /;:=" for byte in value):
        return False
    rest = FILLER.sub(b"", value)
    letters = sum(65 <= (byte & 0xDF) <= 90 for byte in rest)
    has_digit = any(48 <= byte <= 57 for byte in value)
    is_other = any(shape.search(value) for shape in (ADDRESS, DATE, _UPPER_WORDS, UUID))
    return letters >= 4 and has_digit and value.count(b".") < 2 and not is_other


def is_chosen_password(value: bytes) -> bool:
    """Return whether words with a number look like a password also in a sentence or as a bare word: words in camel
    case with a number at the end.
    """
    return not value.isalpha() and looks_chosen(value) and b"." not in value and _CHOSEN.search(value) is not None


def is_worded_password(name: bytes, value: bytes) -> bool:
    """Return whether ``name = value`` gives a password of plain words and a last number, as in ``copper Kettle 5``."""
    *words, number = value.split() or [b""]
    if not 1 <= len(words) <= 3 or not (number.isdigit() and len(number) <= 4) or _ABOUT.search(name):
        return False
    if _PASSWORD_NAME.search(name) is None and _SECRET_NAME.search(name) is None:
        return False
    return all(
        4 <= len(word) <= 12 and word.isalpha() and word.lower() not in JOINING and len(FILLER.sub(b"", word)) >= 4
        for word in words
    )


def is_joined_passphrase(value: bytes) -> bool:
    """Return whether three or more words are joined as in ``correct-horse-battery-staple``, and none of them makes a
    description of it (``read-from-file``, ``server-side-generated``).
    """
    words = [word.lower() for word in value.replace(b"_", b"-").split(b"-")]
    if len(words) < 3 or not all(3 <= len(word) <= 12 and word.isalpha() for word in words):
        return False
    return not any(
        word in JOINING or FILLER.sub(b"", word) == b"" or (len(words) == 3 and _DESCRIBING.search(word))
        for word in words
    )


def is_generated_phrase(value: bytes, *, least: int = 12) -> bool:
    """Return whether a literal with blanks is what a generator of keys gives: as many marks as no phrase has."""
    marks = sum(33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126 for code in value)
    is_mixed = classes_of(value) >= 3 and marks * 3 >= len(value)
    return len(value) >= least and is_mixed and switches_of(value) * 2 >= len(value) and not is_template(value)


def has_crossed_brackets(value: bytes) -> bool:
    """Return whether brackets close in another order than they open, as in ``hT7(wq>-_$#9x]zP``: what a generator
    of passwords gives, and no code or template, also where these are cut off.
    """
    if len(value) < 10 or b" " in value or any(byte in b"\\\"'`^" for byte in value):
        return False
    letters = sum(65 <= (byte & 0xDF) <= 90 for byte in value)
    marks = sum(33 <= byte <= 47 or 58 <= byte <= 64 or 91 <= byte <= 96 or 123 <= byte <= 126 for byte in value)
    if letters < 4 or marks < 4 or len(set(value)) < 8:
        return False
    opened: list[int] = []
    for byte in value:
        if byte in b"([{":
            opened.append(byte)
        elif byte in b")]}" and opened and opened.pop() != _OPENS[byte]:
            return True
    return False


def _is_long_key(value: bytes) -> bool:
    """Return whether a value is a long key, also with ``=`` inside, and no name with a value."""
    is_pair = _PAIR.search(value) is not None or any(byte in b" &?;,:/()[]{}<>\"'" for byte in value)
    return len(value) >= 30 and b"=" in value and not is_pair and looks_random(value) and not is_wordy(value)


def is_few_letters(value: bytes) -> bool:
    """Return whether the value is letters alone, and too few of them to look random."""
    return value.isalpha() and len(value) < LEAST_LETTERS


@lru_cache(VALUES_KEPT)
def is_strong_password(value: bytes) -> bool:
    """Return whether the value is a password in any context: alternating character classes, and no identifier."""
    if len(value) < 6 or is_few_letters(value) or is_placeholder(value) or is_name(value):
        return False
    if looks_random_letters(value):
        return True
    rest = FILLER.sub(b"", value)
    if len(rest) < 4 or not looks_like_password(rest):
        return looks_random(value) and not is_wordy(value)
    has_digit = any(48 <= byte <= 57 for byte in value)
    marked = any(byte in b"!@#$%^&*~?" for byte in value)
    if is_wordy(value):
        if has_digit and len(value) >= 8 and switches_of(value) >= 2 and has_unlikely_letters(value):
            return True
        return (
            b"$" not in value[:-1] and (value[-1] in _MARKS or b"!" in value) and has_digit and classes_of(value) >= 3
        )
    return (has_digit or classes_of(value) >= 3) and switches_of(value) >= (2 if marked or len(value) >= 10 else 3)


def is_name(value: bytes) -> bool:
    """Return whether the value is a host, a file, a version, a date, a dotted or hyphenated name, or a piece of
    code, and so no password.
    """
    return (
        any(byte in PUNCTUATION for byte in value)
        or b"::" in value
        or b";" in value
        or b"=" in value.rstrip(b"=")
        or (b"@" in value and b":" in value)
        or (b"/" in value and (value.count(b"/") > 2 or b"." in value or not looks_random(value)))
        or any(
            shape.search(value) is not None and not looks_random_letters(value)
            for shape in (ADDRESS, DATE, DOTTED, POD, _CODE_PATH, UUID, _WORDS, _SETTING)
        )
        or (_UPPER_WORDS.search(value) is not None and not (looks_random_letters(value) or _has_random_part(value)))
    )


def is_password_in_place(value: bytes) -> bool:
    """Return whether the value is a password in a place that holds only passwords: anything but a placeholder, a
    variable or an option.
    """
    return len(value) >= 4 and value[:1] not in (b"-", b"$", b"%", b"<", b"@") and not is_placeholder(value)


def is_secret(name: bytes, value: bytes, *, quoted: bool = True, assigned: bool = True) -> bool:
    """Return whether ``name = value`` is a secret.

    ``quoted`` is false for a bare word; ``assigned`` is false where the name only precedes the literal, or where the
    literal is only a part of the assigned value, as in ``get("SECRET_KEY", "…")``.
    """
    if len(value) < 6 or (len(value) < 20 and value.isalpha() and not looks_random(value)):
        return False
    if _ABOUT.search(name) or _PUBLIC_NAME.search(name):
        return False
    if quoted and has_crossed_brackets(value):
        return True
    if is_placeholder(value):
        return False
    if not quoted and b"=" in value.rstrip(b"=") and not _is_long_key(value):
        return False
    is_path = _CODE_PATH.search(value) is not None and not looks_random_letters(value)
    is_password = _PASSWORD_NAME.search(name) is not None
    is_chosen = assigned and (
        looks_chosen(value) if quoted or _is_environment_name(name) else is_chosen_password(value)
    )
    if is_password and is_chosen:
        return True
    is_worded = is_chosen and _SECRET_NAME.search(name) is not None and len(FILLER.sub(b"", value)) >= 8
    if not quoted and (is_path or len(value) < 8) and not (is_worded or _is_environment_name(name)):
        return False
    if _CODE_PATH.search(value) and value.count(b".") and not looks_random(value):
        return False
    is_key = not is_password and _KEY_NAME.search(name) is not None and _TELLING_KEY.search(name) is None
    if is_key:
        is_padded = value.endswith(b"=") and is_base64_key(value)
        return looks_generated(value) or is_padded or (value.startswith(b"base64:") and looks_random(value[7:]))
    if not assigned:
        is_login = is_password or _LOGIN_NAME.search(name) is not None
        if is_login and is_chosen_password(value):
            return True
        return is_strong_password(value) and (is_login or (looks_random(value) and not is_wordy(value)))
    if UUID.search(value):
        return _API_NAME.search(name) is not None or name.lower().endswith(b"token")
    if _is_long_key(value):
        return True
    rest = FILLER.sub(b"", value)
    if is_password:
        return len(rest) >= 4 and (looks_like_password(rest) or _is_passphrase(value))
    return (is_worded or looks_random(value) or (len(value) >= 8 and is_strong_password(value))) and len(rest) >= 6


def _is_environment_name(name: bytes) -> bool:
    return name.isupper() and b"." not in name
