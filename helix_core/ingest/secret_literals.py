"""Is this literal a secret, or a placeholder, a word, a piece of code? Pure decisions about short byte strings.

A false "no" leaks a credential into the index, a false "yes" hides ordinary code; formats with an issuer's prefix
never come here, so these rules speak only of literals whose one sign is the name they are assigned to.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import re2

# Words that stand in for a secret, or that a value merely naming one is made of.
_FILLER = re2.compile(
    rb"(?i)change[_\-]?(?:me|this|it)|example|placeholder|your|dummy|sample|insert|replace|redacted|removed|hidden|x{3,}|\*{3,}"
    rb"|\.{3,}|_{3,}|-{3,}|todo|fixme|fake|mock|test(?:ing|er|s)?|demo|default|insecure|super|secrets?|passw(?:or)?ds?|passwd"
    rb"|phrase|pass|pwd|pw|tokens?|credentials?|foobar|foo|bar|baz|spam|eggs|qux|qwerty|asdf|letmein|admin|guest|root|user(?:name)?"
    rb"|abcdef(?:gh|g)?|abc|0?123456789?0?|12345|1234|123|none|null|undefined|true|false|invalid|incorrect|forbidden|wrong|valid|bad|good"
    rb"|strong|weak|same|old|new|some|any|this|that|here|value|string|key|oauth2?|auth|sha-?(?:1|224|256|384|512)|sha3|md5|utf-?8"
    rb"|base(?:16|32|58|64)|pbkdf2|argon2(?:id|i|d)?|bcrypt|scrypt|hmac|x509|(?:rs|hs|es|ps)(?:256|384|512)|http2?|localhost"
    rb"|tiger|scott|postgres(?:ql)?|mysql|mariadb|redis|rabbitmq|mongo(?:db)?"
)
_TEMPLATE = re2.compile(
    rb"\$\{|\$\(|\{\{|\{%|%\(|%[sdr]\b|\{[\w.!:]*\}|<[\w\- ./:|]*>?|^\[mask|\[masked:|://|^\.{0,2}/[\w.\-]+(?:/|$)|^\$\w+$|^[#@]\w+$"
    rb"|^[A-Za-z]:\\|\\[dwsDWSbB.*+?()\[\]]|\(\?|\.\*|\[\^|^[\w\-]+/[\w\-]+$|^%\w+%$|^[\w.+\-]+@[\w\-]+\.[\w.]+$"
)
_UUID = re2.compile(rb"(?i)^\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$")
_WORDS = re2.compile(
    rb"^[A-Z]?[a-z]*(?:[A-Z][a-z]+)*(?:[_\-.:/ ,]+(?:[A-Z]?[a-z]+(?:[A-Z][a-z]+)*|[A-Z]+|[0-9]{1,4}))*[0-9]{0,4}$"
)
_UPPER_WORDS = re2.compile(rb"^[A-Z]+[0-9]{0,2}(?:[_\-.:/]+[A-Z0-9]+)*$")
_CODE_PATH = re2.compile(rb"^[A-Za-z_]+[0-9]{0,3}(?:(?:\.|::|->)[A-Za-z_]+[0-9]{0,3})*[*&!?]*$")
_PASSWORD_NAME = re2.compile(rb"(?i)passw|pwd|passphrase|passcode|[_\-.]pass|^pass")
_PUBLIC_NAME = re2.compile(rb"(?i)public|publishable")
_API_NAME = re2.compile(rb"(?i)api|secret|passw")
# Names that speak about a secret without holding one.
_ABOUT = re2.compile(
    rb"(?i)(?:url|uri|path|file(?:name)?|dir|name|field|header|type|length|len|size|expir\w*|ttl|timeout|age|prefix|suffix"
    rb"|hash(?:er|ers)?|validators?|template|class|param(?:eter)?s?|regex|pattern|format|label|message|msg|errors?|help\w*"
    rb"|text|title|views?|forms?|generator|backend|storage|engine|module|model|method|kind|status|version|algorithm|alg"
    rb"|checksum|digest|integrity|sha\w*|md5|commit|placeholder|hint|description|doc|route|endpoint|count|limit|policy|scope|arn"
    rb"|startswith|endswith|contains|exact|isnull|cookie|re|fmt|separator|sep|chars?|charset|alphabet)s?$"
)


def shannon_entropy(value: bytes) -> float:
    """Bits per byte of ``value`` as its own distribution."""
    if not value:
        return 0.0
    total = len(value)
    return -sum(count / total * math.log2(count / total) for count in Counter(value).values())


def is_template(value: bytes) -> bool:
    """Interpolation, a mask, a path, an address, a pattern: something that names a secret instead of being one."""
    return _TEMPLATE.search(value) is not None


def is_placeholder(value: bytes) -> bool:
    """``changeme``, ``<your-token>``, ``${TOKEN}``, ``xxxxxxxx``: nothing is left once filler words are taken out."""
    if is_template(value) or len(set(value)) < 4:
        return True
    rest = bytes(byte for byte in _FILLER.sub(b"", value) if byte not in b"_-. /:'\",!*#@$")
    return len(rest) < 4 or len(set(rest)) < 3


def _switches(value: bytes) -> int:
    """How often letters and digits, or lower and upper case, take turns."""
    classes = ["d" if 48 <= b <= 57 else "u" if 65 <= b <= 90 else "l" if 97 <= b <= 122 else "s" for b in value]
    return sum(1 for before, after in pairwise(classes) if before != after and (before, after) != ("u", "l"))


def looks_random(value: bytes) -> bool:
    """A generated key rather than words: long, many different characters, classes that take turns."""
    if len(value) < 12 or _WORDS.search(value) or _UPPER_WORDS.search(value):
        return False
    digits = sum(48 <= byte <= 57 for byte in value)
    entropy = shannon_entropy(value)
    if digits == 0:
        return len(value) >= 20 and entropy >= 3.7 and _switches(value) >= len(value) // 5
    if digits == len(value):
        return False
    return entropy >= 2.8 and (_switches(value) >= 3 or digits * 4 >= len(value))


def _looks_like_password(value: bytes) -> bool:
    """What a person types: letters with digits or marks, no phrase of plain words."""
    letters = sum(65 <= (byte & 0xDF) <= 90 for byte in value)
    digits = sum(48 <= byte <= 57 for byte in value)
    marks = sum(byte in b"!@#$%^&*~+=?|;" for byte in value)
    if not letters or not digits + marks:
        return looks_random(value)
    separated = any(byte in b"_-./:" for byte in value)
    return not (separated and _WORDS.search(value)) and len(set(value)) >= 5


def is_secret(name: bytes, value: bytes, *, quoted: bool = True, assigned: bool = True) -> bool:
    """Does ``name = value`` give a secret away?

    ``quoted`` is false for a bare word that ends its line; ``assigned`` is false where the name only stands
    before the literal, as in a call's ``get("SECRET_KEY", "…")``.
    """
    if _ABOUT.search(name) or _PUBLIC_NAME.search(name) or is_placeholder(value):
        return False
    if not assigned and not looks_random(value):
        return False
    if _UUID.search(value):
        return _API_NAME.search(name) is not None
    if not quoted and (_CODE_PATH.search(value) or len(value) < 8) and not _is_environment_name(name):
        return False
    if _CODE_PATH.search(value) and value.count(b".") and not looks_random(value):
        return False
    rest = _FILLER.sub(b"", value)
    if _PASSWORD_NAME.search(name):
        return len(rest) >= 4 and _looks_like_password(rest)
    return looks_random(value) and len(rest) >= 8


def _is_environment_name(name: bytes) -> bool:
    return name.isupper() and b"." not in name
