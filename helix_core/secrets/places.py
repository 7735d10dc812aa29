"""Detect secrets by their context: the value of a telling name, a word of a sentence, and all that the rooms for
command lines, calls, tables and manifests know.

Bytes in, spans out. RE2 finds the heads of such contexts over the whole file; what follows a head is read in Python, at
most ``_REACH`` bytes of it, so that a file is scanned in linear time. The values themselves are judged by
``values``: a context that also holds ordinary code requires a value that looks like a secret by itself.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from helix_core.secrets.calls import KEY_FOLLOWS, LITERAL_FOLLOWS, Chain, chains, in_calls, in_pairs
from helix_core.secrets.commands import COMMAND_LINE_WORDS, PGPASS, in_commands
from helix_core.secrets.fields import in_fields
from helix_core.secrets.keys import KEY_SIGNS, in_keys
from helix_core.secrets.manifests import MANIFEST_SIGNS, in_manifests
from helix_core.secrets.names import CLOSE, NAME, TELLING, whole_name
from helix_core.secrets.prose import WORTH_A_LOOK
from helix_core.secrets.seeds import SEED_SIGNS, in_seeds
from helix_core.secrets.sessions import SESSION_SIGNS, in_addresses, in_sessions
from helix_core.secrets.tables import HEADER, in_columns, in_tables
from helix_core.secrets.usages import USAGE_SIGNS, in_usages
from helix_core.secrets.values import (
    LazyHeaded,
    LazyLined,
    LazyLoosened,
    LazyPattern,
    is_chosen_password,
    is_few_letters,
    is_generated_phrase,
    is_joined_passphrase,
    is_masked,
    is_name,
    is_password_in_place,
    is_placeholder,
    is_secret,
    is_strong_password,
    is_worded_password,
    looks_like_password,
    looks_random,
    without_masks,
)
from helix_core.secrets.words import is_worded

Span = tuple[int, int]

_REACH = 300
_AFTER = 200
_LONGEST_WORD = 128
_CALL_BEFORE = LazyPattern(rb"\w\([ ]?[\"']\z")
_NAME_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

_TYPE = (
    rb"(?:[ \t]{1,2}(?i:as)[ \t]{1,2}[A-Za-z_][\w.]{0,30}|[ \t](?i:str|string|text|varchar)\b"
    rb"|\??[ \t]{0,2}:[ \t]{0,2}(?:\[\])?[&A-Za-z_][\w.\[\]|<>&' ]{0,30}[ \t]{0,2})?"
)
_OPERATOR = (
    rb"(?:::|\{|[=:][ ]?[\"'][ \t]{0,4}[+.,%][ \t]{0,4}"
    rb"|=>|:=|<-|->|\|\|=?|\?\?=?|\?:|[?+:|.]?=|[=!]={1,2}|[=:(]|,|\bor\b|[ ]|\r?\n[ \t]{0,20}-[ \t])"
)
_QUOTE = rb"\\{0,3}[\"'`]"
_LITERAL_AHEAD = (
    rb"(?:[^\"'`\r\n;#{},]{0,100}|[^\"'`\r\n;]{0,60}[\[({=\\][ \t]*\r?\n[ \t]{0,40}[^\s\"'`=,;]{0,10}"
    rb"|[ \t]*\r?\n[ \t]{0,40})" + _QUOTE
)
_ASSIGNED = LazyHeaded(
    NAME + rb"(?:\[\w{1,24}\])?" + CLOSE + _TYPE + rb"[ \t]{0,16}(" + _OPERATOR + rb")", _LITERAL_AHEAD
)
"""Groups: 1 the name, 2 the operator; a literal follows nearby."""

_TEXT_BLOCK = LazyLoosened(NAME + CLOSE + _TYPE + rb"[ \t]{0,16}(?::=|[=:])[ \t]{0,16}[bBrRuU]{0,2}(\"\"\"|''')")
"""Groups: 1 the name, 2 the quotes of a literal that may have several lines."""
_BLOCK_WORD = LazyPattern(rb"[^\s\\]+")

_WORD = rb"[^\s\"'`,;()\[\]{}<>$&|\\]{6,256}"
_ENDS_LINE = rb"[ \t]{0,8}(?:(?:[;#]|//)[^\r\n]*)?(?:\r?\n|\r|\z|\\[rn])"
_BARE = LazyHeaded(
    NAME
    + CLOSE
    + _TYPE
    + rb"(?:[ \t]{0,16}(?:=>|:=|::|\?=|[=:])[ \t]{0,16}(?:[|>][+\-]?[ \t]*\r?\n[ \t]{1,40})?("
    + _WORD
    + rb")"
    + _ENDS_LINE
    + rb"|=("
    + _WORD
    + rb")(?:[\s&;,\"'<)}\]|\\]|\z)|:[\-=?]?("
    + _WORD
    + rb")\}|[ \t]{0,4}:[ \t]{1,4}("
    + _WORD
    + rb")[ \t]{0,4}[,}\"'])",
    b"",
)
"""Groups: 1 the name; a word that 2 ends its line, 3 is assigned without blanks, 4 is a default, 5 is in a mapping or
ends a literal, as a header of a request.
"""

_SET_LINE = LazyHeaded(
    rb"(?m)^[ \t]*(?:(?:export|set|setx|ENV|ARG|env|[-#+*>]|//)[ \t]+)?[\"']?[\w.\-]*?"
    + NAME
    + rb"[\"']?(?:=|[ \t]*:[ \t]+|[ \t]+=[ \t]+)([^\s\"'`]{6,256})[ \t]*\r?$",
    b"",
)
"""Groups: 1 the name; 2 any word, on a line with only these two."""

_ANCHOR = rb"(?:&[\w\-.]{1,40}|!{1,2}[\w\-.]{1,40})[ \t]+"
_ANCHORED_WORD = rb"(?:[|>][+\-]?[ \t]*\r?\n[ \t]{1,40})?[\"']?([^\s\"'`]{6,256})[\"']?[ \t]*(?:\r?\n|\z)"
_ANCHORED = LazyPattern(
    NAME
    + CLOSE
    + rb"[ \t]{0,8}:[ \t]{1,8}(?:"
    + _ANCHOR
    + rb"){1,2}"
    + _ANCHORED_WORD
    + rb"|[:\-][ \t]+&[\w\-]{0,40}?"
    + NAME
    + rb"[ \t]+"
    + _ANCHORED_WORD
)
"""Groups: 1 the name, 2 a value behind an anchor or a tag, 3 the name of an anchor, 4 the value behind it."""

_DIRECTIVE = LazyPattern(
    rb"(?m)^[ \t]*(?:ENV|ARG|SetEnv|setenv|set|#?[ \t]?define|export|proxy_set_header|add_header"
    rb"|fastcgi_param|put|property)[ \t]+[\w.\-]*?" + NAME + rb"[ \t]+[\"']?([^\s\"'`;]{6,256})[\"']?;?[ \t]*\r?$"
)
"""Groups: 1 the name; 2 the value that a directive assigns."""

_VALUE_SIGN = LazyPattern(rb"(?:alue|efault)[\"'=:]|ALUE=|<value|efault[ ](?:=|[ ])|efault\":|ontent=\"|text\"")
"""Matches in every file with a name and value pair; in most files not."""
_QUOTED_NAME = rb"\\{0,3}[\"']?[\w.\-/:$ ]{0,60}?" + NAME + rb"\\{0,3}[\"']?"
_NAMED = LazyLoosened(
    rb"(?i:\b(?:name|key|id|field|setting|variable|var|env|option|property|type|(?:parameter|attribute)(?:key|name)))"
    rb"\\{0,3}[\"']?[ \t]{0,4}[:=]?[ \t]{0,4}" + _QUOTED_NAME + rb"[^{}]{0,4}[ \t\r\n,{>/\\]"
)
"""Group 1: the name of a pair of attributes; its value follows nearby."""
_NAMED_VALUE = LazyPattern(
    rb"(?i:\b(?:value|val|default|content|text|(?:parameter|attribute|default|current)_?value)\b)"
    rb"\\{0,3}[\"']?[ \t]{0,8}"
    rb"[:=>][ \t]{0,8}\\{0,3}[\"']?([^\s\"'`<>\\{},]{4,512})"
)
_VALUE_NAMED = LazyLoosened(
    rb"(?i:\bvalue)\\{0,3}[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,3}[\"']([^\s\"'`<>\\]{4,512})"
    rb"\\{0,3}[\"'][ \t\r\n,]{1,60}\\{0,3}"
    rb"[\"']?(?i:key|name|id)\\{0,3}[\"']?[ \t]{0,4}[:=][ \t]{0,4}" + _QUOTED_NAME
)
"""Groups: 1 the value, 2 the name."""
_ELEMENT = LazyHeaded(
    NAME + rb"(?:[\"'][^<>\r\n]{0,100}>|>|</\w{1,20}>)\s{0,80}(?:<[\w:]{1,20}>\s{0,80})?([^<\s]{4,256})\s{0,80}<",
    b"",
)
"""Groups: 1 the name; 2 the text of its element, or of the adjacent element."""
_PLIST = LazyPattern(rb"<key>[^<\r\n]{0,60}?" + NAME + rb"</key>\s{0,80}<string>([^<\s]{4,256})</string>")
"""Groups: 1 the name; 2 its value in a property list."""
_CELL = LazyPattern(
    rb"\|[ \t*`]{0,6}(?:[\w\-]+ ){0,3}[\w.\-]*?" + NAME + rb"[ \t*`:]{0,6}\|[ \t*`]{0,6}([^\s|`]{6,256})[ \t`*]{0,6}\|"
)
"""Groups: 1 the name; 2 the next cell of a table."""


_KEYWORD = (
    rb"(?:(?i:(?:\b|_)(?:pass(?:word|phrase|code|wd|wort)?s?|pwd|pw|kennwort|secrets?|tokens?|credentials?|creds|psk|login"
    rb"|(?:api|access|auth|private|secret|signing|encryption|encrypt|license|master|session|account|service"
    rb"|storage|shared"
    rb"|deploy|crypto|activation|product)[ _\-]?keys?)\b|\xe5\xaf\x86\xe7\xa0\x81|contrase\xc3\xb1a|mot de passe)"
    rb"|[a-z0-9](?:Password|Passwd|Passphrase|Passcode|Pwd|Secret|Token|Credentials?|(?:Api|Access|Secret|Private)Key)\b)"
)
_SPOKEN = LazyLined(
    rb"("
    + _KEYWORD
    + rb")"
    + rb"[^\r\n]{1,100}?(?:[0-9!@#$%^*~]|[A-Za-z]{12}|[A-Za-z]{3,12}(?:[\-_][A-Za-z]{3,12}){2})"
)
"""A word for a secret, followed nearby by something that may not be a word."""
_SPOKEN_BEFORE = LazyPattern(
    rb"[^\s()][ \t]+(?i:is|was|as|for|=)[ \t]+(?:(?i:the|my|our|your|his|her|its|a)[ \t]+)?(?:[\w\-']+[ \t]+){0,4}?"
    + _KEYWORD
)
"""Starts at the end of the word that the sentence calls a secret."""
_SPOKEN_LOGIN = LazyLined(
    rb"(?i:\b(?:log(?:ged|s)?[ \-]?(?:in|on)|sign(?:ed|s)?[ \-]?in|authenticat\w+|connect(?:ed|s)?|ssh|account"
    rb"|user(?:name)?|creds?|"
    rb"credentials?|auth)\b)[^\r\n]{1,80}?(?i:\b(?:with|using|and|by|pass\w*)\b|[/:|])"
    rb"[ \t]{0,3}[\"'`*]{0,3}([^\s\"'`<>(),]{6,128})"
)
"""Group 1: the word after the user name of a log-in."""
_SPOKEN_PASSWORD = LazyPattern(rb"(?i)pass|pwd|pw$|kennwort|contrase|\xe5\xaf\x86\xe7\xa0\x81")
_FOLLOWS = LazyPattern(
    rb"[\"'`*_]{0,3}(?:[.,;:!?)\]]?[\"'`*_)\]]{0,3}\r?\z|[.,;:!?)\]][\"'`*_]{0,3}[ \t]"
    rb"|[ \t]+(?i:and|or|but|for|on|in|at|to|so|until|till|from|since"
    rb"|now|please|thanks|ok|if|when|while|of|with|as|again|today|\W))"
)
"""What follows the last word of a part of a sentence, up to the end of the line."""
_SENTENCE_WORD = re.compile(rb"[^\t\n\f\r \"'`<>()\[\]{},]+")
_LINKS = frozenset(b"is was are were equals = : := -> => ist es est".split())
_GIVING = frozenset(b" |to|as|now|be|from|-|with".split(b"|"))
"""The words before a password in a sentence that has named it, for what looks like one that a person chose."""

_VARIABLE = LazyLoosened(
    rb"(?:(?i:\b(?:variable|resource|parameter|param|input|output|secret))[ \t]{1,4}[\"']?|\\{0,3}[\"'])[\w.\-]*?"
    + NAME
    + rb"\\{0,3}[\"']?[ \t]{0,4}(?:[:=][ \t]{0,4})?\{"
)
_BETWEEN = b"\n\0\n"
_WORTH_A_LOOK = LazyPattern(
    rb"(?i:pass(?:[^\s]|[ \t]+\S)|\bassw|[^\s][ \t]*pass|pwd"
    rb"|pw[0-9]{0,2}\b|kennwort|secret|credential|creds?\b|psk|mnemonic"
    rb"|(?:api|access|auth|private|signing|encryption|encrypt|license|master|session|account|service|storage|shared|deploy"
    rb"|crypto|activation|product)[_\-. ]?key|(?:keys?|salt|pepper)[0-9]{0,2}[\"'`\])]{0,3}[ \t]{0,4}(?:[=:,(]|$)"
    rb"|\b(?:connect|bind|ldap_bind|simple_bind|simple_bind_s|pdo|smtp|imap|pop3|ftp|ssh|sftp|runas"
    rb"|impersonate)[ \t]?\(|\bjwt\.|create(?:hmac|cipher)|hmac\.new|aes\.(?:en|de)crypt|cookieparser|serializer[ ]?\("
    rb"|secretkeyspec|keygrip|mysqli|\bpdo\b|pg_connect"
    rb"|get_?connection|create_?connection|(?:create|add)_?(?:super_?)?user"
    rb"|(?:basic|digest|plain|with)_?auth"
    rb"|auth(?:enticate)?[sd]?\b|log_?[io]n\b|log(?:ged|s)?[ \-]?(?:in|on)\b|sign(?:ed|s)?[ _\-]?in\b"
    rb"|\b(?:authenticating|connected|connects|connect|ssh|account|user(?:name)?)[ :/|])"
    rb"|(?i:token)s?(?:[^a-z]|$)|AC[0-9a-f]{32}"
    rb"|" + WORTH_A_LOOK + rb"|" + COMMAND_LINE_WORDS
)
"""A prefilter: matches every line that one of the patterns below can match."""

_RARE_SIGN = LazyPattern(b"|".join((MANIFEST_SIGNS, KEY_SIGNS, SEED_SIGNS, SESSION_SIGNS, USAGE_SIGNS)))
"""A prefilter: matches every text in which a manifest, a key in base64, a seed phrase, a session or a usage can be."""
_USAGE_SIGN = LazyPattern(USAGE_SIGNS)
_NEARBY = LazyPattern(rb"(?:" + TELLING + rb"|(?i:token))[^\r\n]*[\"'`]([A-Za-z0-9+/=_\-]{20,})[\"'`]")
"""Group 1: a long quoted run of base64 or hex characters on a line that mentions a secret."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The lines of a file that may hold a secret, as one text, which is a small part of most files.

    ``regions`` are their spans in the file, ``starts`` where each begins in ``text``.
    """

    regions: Sequence[Span]
    starts: Sequence[int]
    text: bytes

    @classmethod
    def of(cls, data: bytes) -> Excerpt:
        """Return the excerpt of a file."""
        regions = _regions(data)
        lengths = (end - start + len(_BETWEEN) for start, end in regions)
        text = _BETWEEN.join(data[start:end] for start, end in regions)
        return cls(regions, (0, *accumulate(lengths)), text)

    def placed(self, start: int, end: int) -> Span:
        """Return where a span of the text is in the file."""
        number = bisect_right(self.starts, start) - 1
        by = self.regions[number][0] - self.starts[number]
        return start + by, min(end + by, self.regions[number][1])


def secrets_by_place(data: bytes, excerpt: Excerpt) -> Iterator[Span]:
    """Yield the span of every literal or word of a file that its context marks as a secret."""
    yield from in_pairs(data)
    yield from in_addresses(data)
    if _RARE_SIGN.search(data) is not None:
        yield from in_manifests(data)
        yield from in_keys(data)
        yield from in_seeds(data)
        yield from in_sessions(data)
        if _USAGE_SIGN.search(data) is not None:
            yield from in_usages(data)
    if b": &" in data or b"- &" in data or b": !" in data:
        yield from _anchored(data)
    if b"|" in data:
        yield from in_tables(data)
    if b":5432:" in data or b":*:" in data:
        yield from (match.span(1) for match in PGPASS.finditer(data) if is_password_in_place(match.group(1)))
    if excerpt.text:
        yield from in_columns(data, [excerpt.placed(*match.span()) for match in HEADER.finditer(excerpt.text)])
        for find in _FINDERS:
            for span in find(excerpt.text):
                yield excerpt.placed(*span)


def _regions(data: bytes) -> list[Span]:
    """Return the lines that may hold a secret, the line before them, and at least ``_AFTER`` bytes after them.

    They are a small part of most files, so the many patterns of contexts cost little.
    """
    regions: list[Span] = []
    match = _WORTH_A_LOOK.search(data)
    while match is not None:
        floor = max(regions[-1][1] if regions else 0, match.start() - 2 * _REACH)
        line = data.rfind(b"\n", floor, match.start())
        start = max(data.rfind(b"\n", floor, max(line, floor)) + 1, floor)
        newline = data.find(b"\n", match.end() + _AFTER)
        end = newline + 1 if newline >= 0 else len(data)
        if regions and start <= regions[-1][1]:
            regions[-1] = (regions[-1][0], end)
        else:
            regions.append((start, end))
        # The last line of a region may assign a literal on the following lines.
        match = _WORTH_A_LOOK.search(data, max(match.end(), end - _AFTER)) if end < len(data) else None
    return regions


def lines_of_interest(excerpt: Excerpt) -> Iterator[int]:
    """Yield a position on each line of the file that mentions a secret and contains a long literal."""
    for match in _NEARBY.finditer(excerpt.text):
        yield excerpt.placed(*match.span(1))[0]


def _assigned(data: bytes) -> Iterator[Span]:
    for match in _ASSIGNED.finditer(data):
        name, operator = whole_name(data, match), match.group(2)
        is_quoted = any(byte in b"\"'" for byte in data[match.end(1) : match.start(2)])
        before = data[max(0, match.start() - _LONGEST_WORD) : match.start()].rstrip(_NAME_BYTES)
        is_list = data[max(0, match.start() - 2) : match.start()].strip()[-1:] == b"["
        is_first, is_symbol = is_list or before.rstrip()[-1:] == b"{", before[-1:] == b":"
        if operator == b"," and not (is_quoted or is_first or is_symbol):
            continue
        for number, chain in enumerate(chains(data, match.end(2), match.end(2) + _REACH)):
            if operator == b" " and not chain.is_direct:
                break
            whole = chain.unwrapped(data)
            value = whole.value(data)
            is_set = chain.is_direct and number == 0
            if is_masked(value):
                yield from _rest_of_masked(data, whole)
            elif is_set and is_worded(name, value, is_sure=_is_sure(data, match.end(2), operator, before, chain)):
                yield from whole.parts
            elif len(value) < 6 or b" " in value.strip():
                is_phrase = _is_phrase(name, value) or is_worded_password(name, value)
                if chain.is_direct and (is_phrase or (operator != b"," and is_generated_phrase(value))):
                    yield from whole.parts
            elif operator == b" " and is_name(value) and not is_chosen_password(value):
                continue
            elif is_secret(name, value, assigned=is_set and operator != b"("):
                yield from whole.parts


def _is_sure(data: bytes, start: int, operator: bytes, before: bytes, chain: Chain) -> bool | None:
    """Return how sure it is that the literal is the value of the name before it; None where it surely is not.

    ``set_password("…")``, ``define("DB_PASSWORD", "…")`` and ``set :password, "…"`` give one, a list of names none.
    """
    end = chain.parts[-1][1] + 1
    if KEY_FOLLOWS.match(data, end) is not None:
        return None
    is_last = data[end : end + 3].lstrip(b" ")[:1] == b")"
    if operator == b"(":
        return True if is_last else None
    if operator == b"=" and LITERAL_FOLLOWS.match(data, end) is not None:
        return None
    if operator != b",":
        return True
    if before[-1:] == b":" and not data[end : end + 1].strip():
        return True
    if not is_last or b"\n" in data[start : chain.parts[0][0]]:
        return None
    return _CALL_BEFORE.search(before) is not None


def _text_blocks(data: bytes) -> Iterator[Span]:
    """Yield the secret lines of literals in three quotes."""
    for match in _TEXT_BLOCK.finditer(data):
        close = data.find(match.group(2), match.end(), match.end() + _REACH)
        stop = close if close >= 0 else min(len(data), match.end() + _REACH)
        name, start = whole_name(data, match), match.end()
        while start < stop:
            newline = data.find(b"\n", start, stop)
            end = newline if newline >= 0 else stop
            words = list(_BLOCK_WORD.finditer(data, start, end))
            for word in words:
                value = word.group()
                if is_secret(name, value) if len(words) == 1 else is_strong_password(value):
                    yield word.span()
            start = end + 1


def _rest_of_masked(data: bytes, chain: Chain) -> Iterator[Span]:
    """Yield the unmasked parts of a text of which one part is masked already."""
    for start, end in chain.parts:
        value = data[start:end]
        if not is_masked(value):
            if len(value) >= 4 and (is_strong_password(value) or looks_random(value)):
                yield start, end
        elif chain.is_direct and is_generated_phrase(without_masks(value), least=6):
            yield start, end


def _is_phrase(name: bytes, value: bytes) -> bool:
    """Return whether the value is a mnemonic: twelve or more plain words, where the name says so."""
    lowered = name.lower()
    words = value.split()
    is_named = b"mnemonic" in lowered or b"phrase" in lowered or b"seed" in lowered
    return is_named and len(words) >= 12 and all(word.isalpha() and len(word) <= 8 for word in words)


def _bare(data: bytes) -> Iterator[Span]:
    for match in _BARE.finditer(data):
        group = match.lastindex
        if is_secret(whole_name(data, match), match.group(group), quoted=False):
            yield match.span(group)
    settings: tuple[LazyPattern | LazyHeaded, ...] = (_SET_LINE, _DIRECTIVE)
    for pattern in settings:
        for match in pattern.finditer(data):
            value = match.group(2)
            if not any(byte in b"()[]{}<>,;" for byte in value) and is_secret(
                whole_name(data, match), value, quoted=False
            ):
                yield match.span(2)


def _anchored(data: bytes) -> Iterator[Span]:
    """Yield the secrets of YAML that stand behind an anchor or a tag."""
    for match in _ANCHORED.finditer(data):
        number = 1 if match.group(1) is not None else 3
        if is_secret(whole_name(data, match, number), match.group(number + 1)):
            yield match.span(number + 1)


def _neighbors(data: bytes) -> Iterator[LazyPattern | LazyHeaded]:
    """Yield the patterns of adjacent names and values that the bytes could match."""
    if b"</" in data:
        yield _ELEMENT
        if b"<key>" in data:
            yield _PLIST
    if b"| " in data:
        yield _CELL


def _pairs(data: bytes) -> Iterator[Span]:
    if _VALUE_SIGN.search(data) is not None:
        for pattern in (_NAMED, _VARIABLE):
            for match in pattern.finditer(data):
                stop = min(len(data), match.end() + _REACH // 2)
                if pattern is _VARIABLE:
                    close = data.find(b"}", match.end(), match.end() + _REACH)
                    stop = close if close >= 0 else stop
                value = _NAMED_VALUE.search(data, match.end() - 1, stop)
                if value is not None and _is_secret_or_words(whole_name(data, match), value.group(1), is_sure=False):
                    yield value.span(1)
        for match in _VALUE_NAMED.finditer(data):
            if _is_secret_or_words(whole_name(data, match, 2), match.group(1)):
                yield match.span(1)
    for neighbor in _neighbors(data):
        for match in neighbor.finditer(data):
            if _is_secret_or_words(whole_name(data, match), match.group(2)):
                yield match.span(2)


def _is_secret_or_words(name: bytes, value: bytes, *, is_sure: bool = True) -> bool:
    return is_secret(name, value) or is_worded(name, value, is_sure=is_sure)


def _spoken(data: bytes) -> Iterator[Span]:
    for match in _SPOKEN.finditer(data):
        if (
            not _is_sentence(data, match.start())
            or b"public" in data[max(0, match.start() - 12) : match.end(1)].lower()
        ):
            continue
        newline = data.find(b"\n", match.end(), match.end() + 128)
        stop = newline if newline >= 0 else min(len(data), match.end() + 128)
        is_password = _SPOKEN_PASSWORD.search(match.group(1)) is not None
        yield from _words_of(data, match.end(1), stop, is_password=is_password)
    for match in _SPOKEN_BEFORE.finditer(data):
        start = end = match.start() + 1
        while start > max(0, end - _LONGEST_WORD) and data[start - 1] not in b" \t\r\n\"'`<>()*:":
            start -= 1
        yield from _strong_word(data, start, end, is_given=True)
        if start == end:
            before = data.rfind(data[end - 1 : end], max(0, end - _LONGEST_WORD), end - 1)
            yield from _strong_word(data, before + 1, end - 1)
    for match in _SPOKEN_LOGIN.finditer(data):
        said = data[match.start() : match.start(1)]
        is_pair = said.rstrip(b" \t\"'`*")[-1:] in (b"/", b":", b"|")
        is_given = is_pair or any(sign in said for sign in (b" as ", b"@", b" and "))
        yield from _strong_word(data, *match.span(1), is_given=is_given)


def _strong_word(data: bytes, start: int, end: int, *, is_given: bool = False) -> Iterator[Span]:
    start, end = _trimmed(data, start, end)
    value = data[start:end]
    is_strong = len(value) >= 6 and (is_strong_password(value) or (is_given and is_chosen_password(value)))
    if is_strong and _is_sentence(data, start):
        yield start, end


def _is_sentence(data: bytes, position: int) -> bool:
    """Return whether the position is on a line of usual length, or the text around it has blanks as a sentence has."""
    around = data[max(0, position - _REACH) : position + _REACH]
    return b"\n" in around or len(around) < 2 * _REACH or around.count(b" ") * 16 >= len(around)


def _is_last_word(data: bytes, end: int, stop: int) -> bool:
    """Return whether a sentence, or one of its parts, ends with the word: ``a server-side-generated value`` goes on."""
    return _FOLLOWS.match(data[end : min(stop, end + 40)]) is not None


def _words_of(data: bytes, start: int, stop: int, *, is_password: bool) -> Iterator[Span]:
    before = data[start : start + 1]
    for match in _SENTENCE_WORD.finditer(data, start, stop):
        if match.start() == start and before not in (b":", b"=", b"*"):
            continue
        begin, end = _trimmed(data, *match.span())
        value = data[begin:end]
        is_linked = before.lower() in _LINKS or (before[-1:] == b":" and before[:1] != b":")
        is_given = is_linked or before.lower() in _GIVING
        before = match.group()
        if len(value) < 6 or is_few_letters(value):
            continue
        is_joined = is_linked and is_password and _is_last_word(data, end, stop) and is_joined_passphrase(value)
        is_chosen = is_given and is_chosen_password(value)
        if is_joined or is_chosen or is_strong_password(value) or (is_linked and _is_spoken_secret(value)):
            yield begin, end


def _is_spoken_secret(value: bytes) -> bool:
    """Return whether the word can be a secret in prose: letters and digits or punctuation, no name of a thing."""
    return not is_placeholder(value) and not is_name(value) and looks_like_password(value)


def _trimmed(data: bytes, start: int, end: int) -> Span:
    """Return the word without the surrounding punctuation."""
    while end > start and data[end - 1 : end] in b".,;:?*_":
        end -= 1
    while start < end and data[start : start + 1] in b"*_:=":
        start += 1
    return start, end


_FINDERS: tuple[Callable[[bytes], Iterator[Span]], ...] = (
    _assigned,
    _text_blocks,
    _bare,
    _pairs,
    in_commands,
    in_calls,
    _spoken,
    in_fields,
)
