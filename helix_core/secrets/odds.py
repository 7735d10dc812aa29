"""Weigh each word of a line by how likely it is a secret there, whatever the wording of its sentence.

Bytes in, spans out. The other rooms know how a secret is usually given; here each word that could be one is scored by
what it looks like, by how it is joined to the words next to it and by what its line speaks of, and the sum decides. The
weights are those of a logistic regression, fit to labelled sentences and to ordinary text
(``benchmarks/secret_weights.py``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from helix_core.secrets.context import (
    FOLLOWERS,
    Passage,
    classes_of_line,
    classes_of_word,
    follower,
    is_named,
    link,
    names_credential,
    names_next,
    topic,
)
from helix_core.secrets.typed import (
    FUNCTION_WORDS,
    PREDICATE_END,
    PREDICATES,
    is_mixed_password,
    is_plain_passphrase,
    is_typed_password,
)
from helix_core.secrets.values import (
    ADDRESS,
    DATE,
    DOTTED,
    POD,
    UUID,
    LazyPattern,
    is_chosen_password,
    is_masked,
    is_strong_password,
    is_template,
    looks_random,
)
from helix_core.secrets.weights import WEIGHTS
from helix_core.secrets.words import is_code_word, is_english, is_plain_answer, is_word_password
from helix_core.tuples import NamedTuple

Span = tuple[int, int]

_NOUNS = frozenset(("password", "key", "number"))
"""The classes of words for credentials."""
_LONGEST_VALUE = 96
_NOTHING: frozenset[str] = frozenset()
_SHAPES_KEPT = 1 << 12
_LINES_KEPT, _PASSAGES_KEPT = 1 << 11, 1 << 11
_MANY_PARTS = 3

_KEYS = (
    rb"(?:api|app|access|auth|private|secret|signing|encryption|licen[sc]e|master|session|account|shared|host|deploy"
    rb"|product|recovery|ssh|gpg|wi-?fi|windows|webhook|service|network|security)[ _\-]?keys?"
)
_CODES = (
    rb"(?:door|gate|alarm|access|unlock|recovery|backup|entry|safe|duress|security|verification|wi-?fi|wlan|sms|lock)"
    rb"[ _\-]?codes?"
)
_CREDENTIAL_WORDS = (
    rb"(?i:p[asor]{1,5}w[aswor]{0,4}[dt]{1,2}s?\b|\b(?:pass(?:phrase|code|key)?s?|pwd?s?|psw|creds?|credentials?|secrets?"
    rb"|tokens?|pins?|puk|otp|mfa|2fa|psk|wpa[23]?|mnemonic|seed|bitlocker|keypass|storepass|cookies?|dsn|pat|hmac|jwt"
    rb"|sasl|bearer|auth|community|combo|combination|" + _KEYS + rb"|" + _CODES + rb"|kennw(?:o|\xc3\xb6)rt(?:er)?"
    rb"|\w*passwort|\w*passw(?:\xc3\xb6)rter|zugang\w*|(?:\w+-)?schl(?:\xc3\xbc|ue)ssel|contrase(?:\xc3\xb1|n)as?|claves?"
    rb"|mots? de passe|mdp|senhas?|wachtwoord(?:en)?|heslo|has(?:\xc5\x82|l)o|l(?:\xc3\xb6|o)senord\w*|parola"
    rb"|chiave)\b)"
)
_CREDENTIAL = LazyPattern(_CREDENTIAL_WORDS)
"""Words for what is secret."""
_OPENING_WORDS = (
    rb"(?i:\b(?:keys?|keyed|(?:de|en)crypt\w*|cl\xc3\xa9|log(?:ged|s|ging)?[ \-]?(?:in|on)s?"
    rb"|sign(?:ed|s|ing)?[ \-]?(?:in|on)|accounts?|users?|usernames?"
    rb"|admin(?:istrator)?|root|unlock(?:s|ed|ing)?|disarm|(?:de|en)crypt(?:s|ed|ing)?|prompts?|prompted|opens? with"
    rb"|gets? (?:you |me |him |her |them )?in|vault|wi-?fi|wlan|vpn|router|ssh|s?ftp|imap|smtp|ldap|snmp|sudo|luks|rdp"
    rb"|vnc|bios|sticker|nas|locked out|auth\w*|access|asks?(?: you)? for|asked for|when asked|protected|secured"
    rb"|mailbox|console|ask(?:s|ed|ing)?|wants?|typ(?:e|ed|ing)|enter(?:ed)?"
    rb"|key in|sign(?:s|ed)|accepts?|keypad|codes?|c\xc3\xb3digo|fragt"
    rb"|anmeld\w*|einlogg\w*|nutzer|benutzer\w*|konto|gesch\xc3\xbctzt|usuario|utilisateur|identifiant"
    rb"|compte|prot\xc3\xa9g\xc3\xa9e?|connect(?:e|ez|er|ing|s)?|entra)\b)"
)
_OPENS = LazyPattern(_OPENING_WORDS)
"""Words for keys, for what a secret opens, and for who opens it."""
_UNLIKE_A_WORD = (
    rb"(?:[A-Za-z0-9.\-_]*(?:[a-z][0-9!#$%&]+[A-Za-z]|[0-9][A-Z]|[A-Z][0-9]+[a-z]|[A-Za-z0-9][!#$%&~^][A-Za-z0-9])"
    rb"|[A-Za-z]{4,}[0-9]+[\s.,;:!?)\"'`*]|[A-Z]?[a-z]{2,}[\-._][A-Z]?[a-z]+[\-._][0-9])"
)
_TOLD_WITH = LazyPattern(rb"(?:" + _CREDENTIAL_WORDS + rb"|" + _OPENING_WORDS + rb")[^\n]*[\s\"'`(*:]" + _UNLIKE_A_WORD)
"""Matches the lines on which such a word stands before one that is unlike a word: digits, cases or marks inside."""
_FIRST_UNBROKEN = 0xE1
"""The first byte of letters of scripts without blanks between words, in UTF-8."""
_NEVER = b"()[]{}<>|\\\"'`"
_ALGORITHM = LazyPattern(
    rb"(?i)(?:sha-?[1-9]|md5|argon2|[bs]?crypt|poly1305|chacha|hmac|ecdsa|25519|blake|pbkdf|base-?[0-9]{2}|utf-?8)"
    rb"|\A(?:[:~.@#]|0x|[a-z]{1,2}[0-9]{2,4}k(?:_base)?\z)|(?-i:\.[a-z]{1,4}(?:[:#][\w:\-]+)?\z)"
)
"""Names of algorithms, roles of documents, numbers of a machine, files with their lines and relative names."""
_LEET = LazyPattern(rb"[a-z][013457!@$]+[a-z]|\b[013457@$][a-z]+[A-Z013457]")
_WORD_NUMBER = LazyPattern(rb"^[A-Za-z\x80-\xff]{4,}[0-9]{1,4}!*$")
_DIGITS = LazyPattern(rb"^[0-9]{2,16}(?:[\-#][0-9]{1,8})*[#*]?$")
_ASSIGNMENT = LazyPattern(rb"^[ \t]*[\w.\-]+[ \t]*[:+]?=[ \t]")
"""What the rooms for names and fields know."""
_PHRASE = LazyPattern(
    rb"([A-Za-z\x80-\xff]{1,14}(?:[ ][A-Za-z\x80-\xff']{1,14}){1,11}?(?:[ ][0-9]{1,4})?)"
    rb"(?:[.,;:!?)\"'`]|[ ][(\-<\xe2\xc2]|\s*\z)"
)
_PART = LazyPattern(
    rb"([A-Za-z\x80-\xff]{1,14}(?:[ ][A-Za-z\x80-\xff']{1,14}){1,11}?)"
    rb"[ ](?:at|in|for|and|or|but|please|twice|als|y|und|as|which|when|if|so|it|unless|is|was|works)[ ]"
)
"""Group 1: plain words up to the end of a part of a sentence."""
_LEAD, _TAIL, _QUOTES = b"\"'`(<[{*_", b"\"'`)>]}.,;:!?*_", (b'"', b"'", b"`", b"*")
_WIDE_QUOTES = frozenset("« “ „ ‘ ‚ »".encode().split()) | frozenset(mark.encode()[-2:] for mark in "“„‘‚")
_WIDE_MARKS = tuple(mark.encode() for mark in "«»“”„‘’‚…")
_CODE = LazyPattern(rb"[(){}\[\];]|=[^=\s]|::|->[a-z]")
_MARK = LazyPattern(rb"[A-Za-z\x80-\xff0-9][!@#$%&+~^=?.][A-Za-z\x80-\xff0-9]|[!#$&%]\z")
_JOINED = LazyPattern(rb"^[A-Za-z\x80-\xff0-9]+(?:[\-_][A-Za-z\x80-\xff0-9]+)+$")
_THING = LazyPattern(
    rb"(?i)^(?:v?[0-9]+(?:[.\-_][0-9x]+)+[a-z0-9.\-]*|v[0-9]+|[0-9]+(?:st|nd|rd|th|[kmgt]i?b?|ms|s|h|px|x|%|bit|am|pm)|[0-9a-f]{7,12}"
    rb"|(?-i:[A-Z]{1,5}|[a-z]{1,5})-[0-9]+(?:-[a-z0-9]+)*|(?:[0-9a-f]{2}[:\-]){3,}[0-9a-f]{2}|[a-z]{2}-[a-z]+-[0-9][a-z]?|sha-?[0-9]+"
    rb"|[a-z]{2,12}-[0-9]+[kmb]|utf-?[0-9]+|latin-?[0-9]+|\w*win(?:32|64)|base[0-9]+|argon2\w*|ed25519|x509|oauth2?|[a-z][a-z0-9.]*(?:-[a-z0-9.]+)*-(?:19|20)[0-9]{2}-[0-9]{2}.*"
    rb"|[a-z\-]+-[0-9a-f]{7,10}-[a-z0-9]{5}|[a-z]+[0-9]+[a-z]?-(?:dev|server|bin|client|common)|:[a-z]+:.*"
    rb"|[a-z][\w\-.]*(?-i:\.[a-z]{1,4})(?::[0-9:\-]+)?|[a-z]+(?:-[a-z]+)*-?v?[0-9]+(?:\.[0-9]+)+)$"
)
"""Measures, versions, references, short hashes, regions, algorithms, models and pods."""

_HASH = LazyPattern(rb"^(?i:[0-9a-f]{16,128})$")
_VERSIONED = LazyPattern(
    rb"@(?:v[0-9]+|[\^~v]?[0-9]+\.[0-9][0-9.x]*)$|^(?:[A-Z][a-z]+){2,}V[0-9](?:[A-Z][a-z]+)*$|^[A-Z]{1,3}[0-9]+(?:\.[0-9]+){2}[a-z]?$"
)
"""A package or an action with its version, a class with one, or a version behind the letters of a product."""
_OF_NUMBERS = LazyPattern(rb"^[0-9]+[/:][0-9]+$")
"""A range, a date or two ports."""

_TOLD = FUNCTION_WORDS | frozenset(
    "muss müssen mindestens ist sind nicht wurde wird werden hat haben kann soll bitte und oder für mit auf im steht "
    "liegt läuft vom zum zur beim noch nur aber dann debe tiene está fue hay no en por con que como para los las una "
    "doit est être été sera dans sur pas faut avec qui que les des une deve essere non".encode().split()
)


LEAST_TYPED, LEAST_WRITTEN, LEAST_ELSEWHERE = 0.0, 1.5, 3.5
"""Log-odds above which a word is masked: in a message, in a file, of whose sentences far fewer give a secret, and in
lines of a file that name no credential as ``Excerpt`` does, of which fewer still do.
"""
_LONGEST_LINE = 1_200
_LEAST_BLANKS = 2
_CODE_MARKS, _MOST_CODE = b"(){}[];=<>|\\", 16
"""Of so many bytes of a line at most one may be a mark of a program."""
_GIVING = frozenset(
    ("be", "give", "with", "and", "to", "noun", "sign", "comma", "bracket", "pair", "user", "worded", "opens")
)
"""How a plain word must be joined to be looked at."""
_COARSE = {
    **dict.fromkeys(("near", "far", "follows", "follows_far"), "noun"),
    **dict.fromkeys(("noun_before", "noun_after", "noun_line"), "around"),
    **dict.fromkeys(("access", "access_before"), "access"),
    **dict.fromkeys(("service", "none"), "none"),
}
_NAMED_KINDS = frozenset(("counted", "joined_digit", "snake", "joined", "dotted", "mixed", "camel", "groups"))
"""What the names of users, machines and versions look like, too."""
_PLAIN = frozenset(("english", "strange", "default", "capital"))
_FAMILY = {
    **dict.fromkeys(("english", "default"), "plain"),
    **dict.fromkeys(("strange", "capital"), "strange"),
    **dict.fromkeys(("marked", "mixed", "leet", "random"), "shaped"),
    **dict.fromkeys(("counted", "joined_digit"), "counted"),
    **dict.fromkeys(("joined", "camel", "dotted"), "joined"),
    **dict.fromkeys(("hex", "groups"), "key"),
}


@dataclass(frozen=True, slots=True)
class PossibleSecret:
    """A word that could be a secret, with the names of what is true of it where it stands: disjoint sets, of which
    many words have the same.
    """

    start: int
    end: int
    groups: tuple[frozenset[str], ...]

    @property
    def signs(self) -> frozenset[str]:
        """Return all that is true of it."""
        return frozenset().union(*self.groups)

    @property
    def hundredths(self) -> int:
        """Return how likely it is a secret, in hundredths of log-odds."""
        return sum(map(_hundredths, self.groups))


class _Line(NamedTuple):
    """Where a line is, the one above it where that is known, whether that one speaks of credentials, and whether the
    line does, or of access, itself.
    """

    start: int
    end: int
    above: bytes | None
    is_below: bool
    is_told: bool
    is_opened: bool


def likely_secrets(data: bytes, *, is_typed: bool) -> Iterator[Span]:
    """Yield the words and phrases that are more likely a secret than not.

    Args:
        data: The text.
        is_typed: A person typed it into a chat or a memory.
    """
    least = round(100 * (LEAST_TYPED if is_typed else LEAST_WRITTEN))
    for start, line, above in _passages(data, is_typed=is_typed):
        for first, last in _likely(line, above, least, is_typed=is_typed):
            yield start + first, start + last


def likely_elsewhere(data: bytes, regions: Sequence[Span]) -> Iterator[Span]:
    """Yield what ``likely_secrets`` does of the lines of a file outside of ``regions``, disjoint spans in order, which
    name what opens something before a word that is unlike one.
    """
    position, ends = 0, [end for _, end in regions]
    while (hit := _TOLD_WITH.search(data, position)) is not None:
        start = data.rfind(b"\n", position, hit.start()) + 1 or position
        newline = data.find(b"\n", hit.end())
        position = newline if newline >= 0 else len(data)
        region = bisect_right(ends, start)
        if position - start > _LONGEST_LINE or (region < len(ends) and regions[region][0] <= start):
            continue
        line = data[start:position]
        # The rooms for command lines know which option takes a secret.
        if b" --" not in line and line.count(b" ") >= _LEAST_BLANKS and _is_prose(line, is_told=True):
            for first, last in _likely(
                line, _classes_of(_line_above(data, start)), round(100 * LEAST_ELSEWHERE), is_typed=False
            ):
                yield start + first, start + last


@lru_cache(_SHAPES_KEPT)
def _hundredths(group: frozenset[str]) -> int:
    """Return the weights of a group, as whole hundredths: a sum of floats depends on the order of a set."""
    return sum(map(_weight, group))


def _weight(sign: str) -> int:
    return round(100 * WEIGHTS.get(sign, 0.0))


def candidates_of(data: bytes, *, is_typed: bool) -> Iterator[PossibleSecret]:
    """Yield the words and phrases of a text that could be secrets: of a file those on lines of prose that speak of
    credentials or of access, of a message those of every line.
    """
    for start, line, above in _passages(data, is_typed=is_typed):
        for one in candidates(Passage.of(line, above), is_typed=is_typed):
            yield PossibleSecret(start + one.start, start + one.end, one.groups)


def _passages(data: bytes, *, is_typed: bool) -> Iterator[tuple[int, bytes, frozenset[str]]]:
    """Yield where each line begins that could hold a secret, the line, and the classes of the one before it."""
    lines = _every_line(data) if is_typed else _lines_of_interest(data)
    for start, end, above, is_below, is_told, is_opened in lines:
        line = data[start:end]
        if is_typed or _is_prose(line, is_told=is_told, is_opened=is_opened, is_below=is_below):
            before = above if above is not None else _line_above(data, start)
            if is_typed or line.count(b" ") >= _LEAST_BLANKS or _is_prose(before, is_told=True):
                yield start, line, _classes_of(before)


@lru_cache(_PASSAGES_KEPT)
def _likely(line: bytes, above: frozenset[str], least: int, *, is_typed: bool) -> tuple[Span, ...]:
    """Return where the words of a line are whose log-odds exceed ``least`` hundredths.

    Many files have the same lines: licenses, messages, examples.
    """
    if not (is_typed or _has_possible_word(line, above)):
        return ()
    found = candidates(Passage.of(line, above), is_typed=is_typed, least=least)
    return tuple((one.start, one.end) for one in found)


@lru_cache(_LINES_KEPT)
def _classes_of(line: bytes) -> frozenset[str]:
    return classes_of_line(line)


def _end_of_part(data: bytes, start: int) -> int:
    """Return where the line at ``start`` ends, or of a long one its part."""
    newline = data.find(b"\n", start, start + _LONGEST_LINE)
    if newline >= 0 or len(data) - start <= _LONGEST_LINE:
        return newline if newline >= 0 else len(data)
    return max(data.rfind(b" ", start, start + _LONGEST_LINE), start + 1)


def _every_line(data: bytes) -> Iterator[_Line]:
    """Yield each line that is not blank, long ones in parts."""
    above, is_below, start = b"", False, 0
    while start < len(data):
        end = _end_of_part(data, start)
        line = data[start:end]
        if line and not line.isspace():
            is_told = _CREDENTIAL.search(line) is not None
            yield _Line(start, end, above, is_below, is_told, _OPENS.search(line) is not None)
            above, is_below = line, is_told
        start = end + 1


def _lines_of_interest(data: bytes) -> Iterator[_Line]:
    """Yield the lines of a file that can be prose, as ``_every_line`` does: those that speak of credentials or of
    access, and those below one that speaks of credentials.
    """
    position, is_below, told, opens = 0, False, -1, -1
    while position < len(data):
        told, opens = _next(_CREDENTIAL, data, told, position), _next(_OPENS, data, opens, position)
        first = position if is_below else min(told, opens)
        if first == len(data):
            return
        start = data.rfind(b"\n", position, first) + 1 or position
        above: bytes | None = None
        end = _end_of_part(data, start)
        while end <= first < len(data) and data[end : end + 1] != b"\n":
            above, start = data[start:end], end + 1
            end = _end_of_part(data, start)
        line = data[start:end]
        if start > 0 and data[start - 1 : start] != b"\n":
            above = above or data[max(start - _LONGEST_LINE, 0) : start - 1].rpartition(b"\n")[2]
        if line and not line.isspace():
            yield _Line(start, end, above, is_below, told < end, opens < end)
            is_below = told < end
        position = end + 1


def _line_above(data: bytes, start: int) -> bytes:
    """Return the last line before ``start`` that is not blank, empty where there is none."""
    while start > 0:
        above = data.rfind(b"\n", 0, start - 1) + 1
        line = data[above : start - 1]
        if line and not line.isspace():
            return line
        start = above
    return b""


def _next(pattern: LazyPattern, data: bytes, found: int, start: int) -> int:
    """Return the first match at ``start`` or behind, the length of the text where there is none; ``found`` is the one
    before, which may be it.
    """
    if found >= start:
        return found
    match = pattern.search(data, start)
    return match.start() if match is not None else len(data)


def _is_prose(line: bytes, *, is_told: bool, is_opened: bool = False, is_below: bool = False) -> bool:
    """Return whether a line of a file may be a sentence that speaks of credentials or of access, or stands below one.

    Args:
        line: The line.
        is_told: It speaks of credentials.
        is_opened: It speaks of access.
        is_below: The line above it speaks of credentials.
    """
    if len(line.translate(None, _CODE_MARKS)) * _MOST_CODE < len(line) * (_MOST_CODE - 1):
        return False
    if b"=" in line and _ASSIGNMENT.search(line) is not None:
        return False
    if line.count(b" ") < _LEAST_BLANKS:
        return is_below
    if is_told or (is_opened and _UNUSUAL.search(line) is not None):
        return True
    return is_below and _VALUE_TOLD.search(line) is not None


_UNUSUAL = LazyPattern(
    rb"[A-Za-z]{3}[0-9]|[0-9]{4}|[0-9][A-Za-z]{2}|[A-Za-z0-9][!@#$%&+~^?\-_][A-Za-z0-9]|[a-z]{3}[A-Z]"
)
"""Matches every line that has a word that is no word of a sentence."""
_VALUE_TOLD = LazyPattern(rb"(?i)^[^\w]{0,3}(?:the |our |my )?(?:new |old |current )?(?:one|value|it)(?:'s| is|:)? ")


def _has_possible_word(line: bytes, above: frozenset[str]) -> bool:
    """Return whether a word of a line of a file can be a candidate: one that is no plain word, or any word where the
    line, or the one above it, names a credential.
    """
    found = 0
    for raw in line.split():
        found |= _possible(raw)
        if found & _SHAPED:
            return True
    return bool(found & _PLAIN_WORD) and (bool(found & _NAMING) or not above.isdisjoint(_NOUNS))


_PLAIN_WORD, _SHAPED, _NAMING = 1, 2, 4


@lru_cache(_SHAPES_KEPT)
def _possible(raw: bytes) -> int:
    """Return what a word can be: a plain one, one with the shape of a secret, and one that names a credential."""
    bare = _bare_of(raw)
    found = _NAMING if names_credential(raw) else 0
    if bare is None:
        return found
    if bare.is_plain:
        return found | _PLAIN_WORD
    return found | (_SHAPED if raw.isdigit() or _shape(bare.value)[0] else 0)


def candidates(passage: Passage, *, is_typed: bool, least: int | None = None) -> Iterator[PossibleSecret]:
    """Yield the words and phrases of a line that could be secrets; those whose log-odds exceed ``least`` hundredths,
    where it is given.
    """
    told: frozenset[str] | None = None
    passed = 0
    is_told = is_typed or bool(passage.nouns) or not passage.before.isdisjoint(_NOUNS)
    for place, word in enumerate(passage.words):
        bare = _bare(word.raw) if len(word.raw) <= _LONGEST_VALUE else _bare_of(word.raw)
        if bare is None or word.start < passed:
            continue
        value, begin, is_second, is_plain = bare
        end = begin + len(value)
        lead, stop = word.raw[:begin], word.start + end
        joined = None
        if is_plain:
            # Most words of a sentence are neither given nor told: they are no candidates, and cost little.
            if not is_told:
                continue
            joined = link(passage, place, lead, is_second=is_second)
            is_given = joined[0] in _GIVING or (joined[0] == "start" and _COARSE[topic(passage, place)] == "around")
            if not is_given and not (_is_quoted(passage, place, lead) and _shape(value)[0]):
                continue
        elif word.raw.isdigit():
            stop = passed = _end_of_groups(passage, place, stop)
            value = passage.data[word.start : stop].replace(b" ", b"-")
        kind, shape = _shape(value)
        if not is_plain and (not kind or _is_numbered(kind, passage, place)):
            continue
        # Forty hex digits name a commit; a key of that length is known by the rules.
        if kind == "hex" and len(value) == _COMMIT_DIGITS:
            continue
        if not passage.nouns and ("a thing" in shape or is_named(passage, place, _reach_of_name(kind, shape))):
            continue
        if kind in _NAMED_KINDS and place and names_next(passage.words[place - 1].raw.lstrip(_LEAD)):
            continue
        joined = joined or link(passage, place, lead, is_second=is_second)
        about = topic(passage, place)
        if is_plain and not is_typed and not passage.nouns and _COARSE[about] != "around":
            continue
        told = told if told is not None else _told(passage, is_typed=is_typed)
        if kind and (
            least is None
            or _hundredths(shape) + _most_of_more(kind, told) + _most_of_signs(kind, *joined, about) > least
        ):
            quoted = "quoted" if _is_quoted(passage, place, lead) else "bare"
            signs = _signs(kind, *joined, about, follower(passage, place, stop))
            more = _more(kind, quoted, told, is_named=is_named(passage, place))
            one = PossibleSecret(word.start + begin, stop, (shape, told, signs, more))
            if least is None or one.hundredths > least:
                yield one
        if is_plain and end == len(word.raw) and not is_second:
            yield from _phrases_at(passage, place, begin, context=(*joined, about), told=told, least=least)


def _phrases_at(
    passage: Passage,
    place: int,
    begin: int,
    *,
    context: tuple[str, str, str],
    told: frozenset[str],
    least: int | None,
) -> Iterator[PossibleSecret]:
    """Yield the phrases that begin with a plain word: by what, to what and about what it is joined is ``context``."""
    if least is not None and _most_of_phrase(told) + _most_of_signs("phrase", *context) <= least:
        return
    lead = passage.words[place].raw[:begin]
    quoted = frozenset(("phrase quoted" if _is_quoted(passage, place, lead) else "phrase bare",))
    for first, last in _phrases(passage.data, passage.words[place].start + begin):
        count = passage.data.count(b" ", first, last)
        after = follower(passage, min(place + count, len(passage.words) - 1), last)
        signs = _signs("phrase", *context, after)
        one = PossibleSecret(first, last, (_phrase(passage.data[first:last]), told, signs, quoted))
        if least is None or one.hundredths > least:
            yield one


def _phrases(line: bytes, start: int) -> Iterator[Span]:
    """Yield the words from ``start`` to the end of the sentence's part, and to what joins it to another."""
    whole, part = _PHRASE.match(line, start), _PART.match(line, start)
    if whole is not None:
        yield whole.span(1)
    if part is not None:
        yield part.span(1)


def _is_word(value: bytes) -> bool:
    """Return whether the value has letters only, some of them no ASCII."""
    return not value.isascii() and value.decode("utf-8", "replace").isalpha()


def _is_quoted(passage: Passage, place: int, lead: bytes) -> bool:
    return (
        lead[-1:] in _QUOTES or lead[-2:] in _WIDE_QUOTES or passage.words[place - 1].raw.lstrip(b"([") in _WIDE_QUOTES
    )


def _end_of_groups(passage: Passage, place: int, end: int) -> int:
    """Return where the last of several groups of as many digits ends, as in ``582 914``."""
    length = len(passage.words[place].raw)
    if length not in _GROUP_LENGTHS or not passage.words[place].raw.isdigit():
        return end
    for word in passage.words[place + 1 : place + _MOST_GROUPS]:
        digits = word.raw.rstrip(b".,;:!?)\"'`")
        if not digits.isdigit() or len(digits) != length:
            break
        end = word.start + len(digits)
        if len(digits) != len(word.raw):
            break
    return end


def _reach_of_name(kind: str, shape: frozenset[str]) -> int:
    """Return how many words before it may say that a word is a name: few where hardly any name looks like it."""
    return _NAMED_NEAR if "a strong" in shape or _FAMILY.get(kind) == "shaped" else _NAMED_FAR


def _is_numbered(kind: str, passage: Passage, place: int) -> bool:
    """Return whether a number is that of a thing, as the word before it says."""
    return kind in ("number", "number_long") and place > 0 and "named" in passage.words[place - 1].classes


_TELLING = frozenset(("other_number", "named_line", "telling", "of_password", "of_key", "typed"))
"""What of a line is told together with the kind of a word, too."""
_LEAST_GROUP, _COMMIT_DIGITS = 2, 40
_GROUP_LENGTHS, _MOST_GROUPS = (3, 4), 8
_EMPHASIS = (b"!", b"?", b"*")
_PAIRED = (b"/", b":", b"=")
_NAMED_NEAR, _NAMED_FAR = 3, 8
"""Within so many words a name of a thing is told from a secret where the line names no credential."""


class _BareValue(NamedTuple):
    """What of a word is its value, and where that begins; ``is_second`` of ``user/password``."""

    value: bytes
    begin: int
    is_second: bool
    is_plain: bool


def _bare_of(raw: bytes) -> _BareValue | None:
    """Return the value of a word that is long enough for a secret."""
    begin, end = _value_of(raw)
    if end - begin < _LEAST_GROUP:
        return None
    value = raw[begin:end]
    return _BareValue(value, begin, begin > 0 and raw[begin - 1 : begin] in _PAIRED, value.isalpha() or _is_word(value))


_bare = lru_cache(_SHAPES_KEPT)(_bare_of)


def _value_of(raw: bytes) -> Span:
    """Return what of a word is no mark around it, nor the first half of ``user/password``."""
    lead = len(raw) - len(raw.lstrip(_LEAD))
    tail = len(raw.rstrip(_TAIL))
    if raw[lead : lead + 1] in (b"\xc2", b"\xe2") or raw[tail - 1 : tail] > b"\x7f":
        lead += next((len(mark) for mark in _WIDE_MARKS if raw.startswith(mark, lead)), 0)
        tail -= next((len(mark) for mark in _WIDE_MARKS if raw.endswith(mark, lead, tail)), 0)
    # A ``!`` at the end of a password is more often its own than the sentence's.
    if raw[tail : tail + 1] in _EMPHASIS and any(48 <= code <= 57 for code in raw[lead:tail]):
        while raw[tail : tail + 1] in _EMPHASIS:
            tail += 1
    return lead + _pair(raw[lead:tail]), tail


def _told(passage: Passage, *, is_typed: bool) -> frozenset[str]:
    """Return what is true of each word of a line."""
    line = passage.data
    classes = passage.classes
    told = {
        "typed": is_typed,
        "other_number": "other_number" in classes,
        "named_line": "named" in classes,
        "telling": "telling" in classes,
        "asking": line.rstrip()[-1:] == b"?",
        "negated": "not" in classes,
        "code": _CODE.search(line) is not None,
        "long_line": len(line) > _LONG_LINE,
        "of_password": "password" in classes,
        "of_key": "key" in classes,
        "of_number": "number" in classes,
        "of_access": "access" in classes,
        "of_service": "service" in classes,
    }
    return frozenset(name for name, is_true in told.items() if is_true)


_LONG_LINE = 160


@lru_cache(_SHAPES_KEPT)
def _more(kind: str, quoted: str, told: frozenset[str], *, is_named: bool) -> frozenset[str]:
    """Return what is true of a word of a kind in quotes or not, named or not, on a line of which so much is told."""
    named = "named" if is_named else "unnamed"
    return frozenset((quoted, named, f"{kind} {named}", *(f"{kind} {one}" for one in _TELLING & told)))


@lru_cache(_SHAPES_KEPT)
def _signs(kind: str, by: str, to: str, about: str, after: str) -> frozenset[str]:
    """Return what a word looks like, how it is joined, what it is about and what follows, alone and by twos."""
    return frozenset((*_signs_before(kind, by, to, about), *_signs_behind(_FAMILY.get(kind, kind), by, after)))


def _signs_before(kind: str, by: str, to: str, about: str) -> tuple[str, ...]:
    family, near = _FAMILY.get(kind, kind), _COARSE[about]
    return (
        "any",
        f"is {kind}",
        f"by {by}",
        f"to {to}",
        f"about {about}",
        f"{kind} by {by}",
        f"{kind} about {near}",
        f"{family} about {about}",
        f"{by} {to}",
        f"{by} about {about}",
        f"{family} by {by} about {near}",
        f"{family} by {by} to {to}",
    )


def _signs_behind(family: str, by: str, after: str) -> tuple[str, ...]:
    return f"then {after}", f"{family} then {after}", f"{by} then {after}"


def _pair(value: bytes) -> int:
    """Return where the second half of ``user/password``, ``user:password`` or ``name=value`` begins; 0 for others."""
    if not any(sign in value for sign in _PAIRED):
        return 0
    # Base64 has ``/``, too.
    if b"//" in value or (b"/" in value and value[-1:] == b"=") or _OF_NUMBERS.search(value) is not None:
        return 0
    for sign in (b"/", b":", b"="):
        if sign in value and value.rstrip(b"=").count(sign) == 1 and value[:1] != sign:
            return value.index(sign) + 1
    return 0


@lru_cache(_SHAPES_KEPT)
def _most_of_signs(kind: str, by: str, to: str, about: str) -> int:
    """Return the most hundredths that ``_signs`` gives, whatever follows the word."""
    return sum(map(_weight, _signs_before(kind, by, to, about))) + _most_behind(_FAMILY.get(kind, kind), by)


@lru_cache(_SHAPES_KEPT)
def _most_behind(family: str, by: str) -> int:
    return max(sum(map(_weight, _signs_behind(family, by, after))) for after in FOLLOWERS)


@lru_cache(_SHAPES_KEPT)
def _most_of_more(kind: str, told: frozenset[str]) -> int:
    """Return the most hundredths that ``_more`` and what a line tells give, in quotes or not, named or not."""
    more = (_more(kind, quoted, told, is_named=named) for quoted in ("quoted", "bare") for named in (True, False))
    return _hundredths(told) + max(map(_hundredths, more))


@lru_cache(_SHAPES_KEPT)
def _most_of_phrase(told: frozenset[str]) -> int:
    """Return the most hundredths that the words of a phrase and what its line tells give."""
    quoted = max(_hundredths(frozenset((f"phrase {one}",))) for one in ("quoted", "bare"))
    return _hundredths(told) + quoted + sum(max(0, _hundredths(frozenset((sign,)))) for sign in _PHRASE_SIGNS)


_PHRASE_SIGNS = frozenset(("phrase", "phrase_plain", "phrase_answer", "phrase_joined", "phrase_long", "phrase_first"))
"""What may be true of several plain words."""


@lru_cache(_SHAPES_KEPT)
def _phrase(words: bytes) -> frozenset[str]:
    """Return what several plain words look like together."""
    told = {
        "phrase": True,
        "phrase_plain": is_plain_passphrase(words),
        "phrase_answer": is_plain_answer(words, is_phrase=False),
        "phrase_joined": any(word.lower() in _TOLD for word in words.split()),
        "phrase_long": len(words.split()) > 3,
        "phrase_first": words.split()[0].lower() in _TOLD,
    }
    return frozenset(name for name, is_true in told.items() if is_true)


@lru_cache(_SHAPES_KEPT)
def _shape(value: bytes) -> tuple[str, frozenset[str]]:
    """Return the kind of a word, empty for one that is no secret anywhere, and what else it looks like."""
    if not 4 <= len(value) <= _LONGEST_VALUE or is_masked(value) or is_template(value):
        return _NO_SHAPE
    digits = sum(48 <= code <= 57 for code in value)
    letters = sum(65 <= (code & 0xDF) <= 90 or code >= 0x80 for code in value)
    is_dotted = DOTTED.search(value) is not None
    is_lower = value[:1].islower() and not digits and not any(65 <= code <= 90 for code in value[1:])
    lowered = value.lower()
    if lowered in FUNCTION_WORDS or (is_dotted and (is_lower or b"_" in value)):
        return _NO_SHAPE
    is_number = _DIGITS.search(value) is not None and digits >= 4
    is_date = is_number and DATE.search(value) is not None
    if not (letters or is_number):
        return _NO_SHAPE
    if any(pattern.search(value.rstrip(b"!?")) is not None for pattern in (_VERSIONED, _ALGORITHM, POD)):
        return _NO_SHAPE
    if any(code in _NEVER or code >= _FIRST_UNBROKEN for code in value) or (b"/" in value and not looks_random(value)):
        return _NO_SHAPE
    is_joined = _JOINED.search(value) is not None
    parts = value.lower().replace(b"_", b"-").split(b"-")
    # ``sign_cookie`` is a name of the code.
    is_name = b"_" in value or PREDICATE_END.search(parts[-1]) or not FUNCTION_WORDS.isdisjoint(parts)
    if is_joined and not digits and is_name and not value[:1].isupper():
        if b"_" in value and value.count(b"_") < _MANY_PARTS and not any(is_code_word(part) for part in parts):
            return "snake", frozenset(("identifier",))
        return _NO_SHAPE
    kind = _kind(value, digits=digits, letters=letters, is_number=is_number, is_joined=is_joined)
    if not kind:
        return _NO_SHAPE
    if is_date:
        kind = "pairs"
    is_hash = _HASH.search(value) is not None
    more = {
        "strong": letters and (is_strong_password(value) or is_chosen_password(value)),
        "mixed": letters and is_mixed_password(value),
        "short_typed": letters and digits and is_typed_password(value, is_linked=True),
        "random": letters and digits and looks_random(value),
        "marked": letters and _MARK.search(value) is not None,
        "leet": not is_hash and _LEET.search(value) is not None,
        "thing": letters
        and (
            is_hash
            or _THING.search(value)
            or UUID.search(value)
            or DATE.search(value)
            or (b"." in value and ADDRESS.search(value))
        ),
        "dotted": is_dotted and value[:1].islower(),
        "joined_many": value.count(b"-") + value.count(b"_") >= _MANY_PARTS,
        "begins_upper": value[:1].isupper(),
        "all_upper": value.isupper(),
        "path": b"/" in value or b"\\" in value,
        "identifier": (b"_" in value and not digits) or b"(" in value or is_code_word(value),
        "describing": value.isalpha() and (value.lower() in PREDICATES or PREDICATE_END.search(value.lower())),
        "short": len(value) < 6,
        "known": not classes_of_word(lowered).isdisjoint(_KNOWN),
    }
    return kind, frozenset(f"a {name}" for name, is_true in more.items() if is_true)


_NO_SHAPE: tuple[str, frozenset[str]] = ("", frozenset())


def _kind(value: bytes, *, digits: int, letters: int, is_number: bool, is_joined: bool) -> str:
    """Return the kind of a word by its letters, digits and marks; empty for a word of a sentence."""
    if is_number:
        return "number" if digits <= 8 else "number_long"
    if letters == len(value):
        return _kind_of_word(value)
    if _HASH.search(value) is not None:
        return "hex"
    if _GROUPS.search(value) is not None:
        return "groups"
    if _MARK.search(value) is not None and _DOTS_ONLY.search(value) is None:
        return "marked"
    if not digits:
        if is_joined:
            return "joined"
        return "dotted" if _DOTS_ONLY.search(value) is not None and not value.islower() else ""
    if is_joined:
        return "joined_digit"
    if _WORD_NUMBER.search(value) is not None:
        return "" if is_code_word(value) or _NUMBERED_NAME.search(value) is not None else "counted"
    if looks_random(value):
        return "random"
    if _LEET.search(value) is not None:
        return "leet"
    return "mixed"


def _kind_of_word(value: bytes) -> str:
    lowered = value.lower()
    if "default" in classes_of_word(lowered):
        return "default"
    if lowered in FUNCTION_WORDS or lowered in PREDICATES or not classes_of_word(lowered).isdisjoint(_GRAMMAR):
        return ""
    if not value.islower() and not value.isupper() and not value[1:].islower():
        return "camel"
    if value.isupper() and len(value) >= _LEAST_UPPER and not is_english(lowered.decode("utf-8", "ignore")):
        return "upper"
    if is_word_password(value, is_sure=False, is_said=True):
        return "strange"
    if is_word_password(value, is_sure=True, is_said=True):
        return "capital" if value[:1].isupper() else "english"
    return ""


_GROUPS = LazyPattern(rb"^[A-Za-z0-9]{4,6}(?:-[A-Za-z0-9]{4,6}){1,7}$")
_DOTS_ONLY = LazyPattern(rb"^[A-Za-z\x80-\xff]+(?:\.[A-Za-z\x80-\xff]+)+$")
_LEAST_UPPER = 8
_NUMBERED_NAME = LazyPattern(
    rb"(?i)^(?:pass(?:word|wd|phrase|code)?|passwort|token|secret|key|user(?:name)?)[0-9]{1,2}$"
)
_KNOWN = frozenset(("password", "key", "number", "access", "service", "user"))
_GRAMMAR = frozenset(
    ("be", "give", "with", "to", "and", "place", "article", "not", "it", "conjunction", "still", "named", "telling")
)
