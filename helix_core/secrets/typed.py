"""Decide whether a word that a person types is a password, a token or a number that opens something. Pure functions.

A person types shorter and more ordinary secrets than a program holds: ``hunter2``, ``Winter2024!``, three words. What
has the same shape and is not a secret is known by its kind: measures, references, numbered things, what is told of one.
"""

from __future__ import annotations

from functools import lru_cache

from helix_core.secrets.values import (
    ADDRESS,
    DATE,
    DOTTED,
    FILLER,
    JOINING,
    PUNCTUATION,
    UUID,
    VALUES_KEPT,
    LazyPattern,
    classes_of,
    is_chosen_password,
    is_placeholder,
    is_strong_password,
    is_template,
    looks_random,
    switches_of,
)

_NUMBERED_THING = LazyPattern(
    rb"(?i)^(?:pass(?:word|wd|phrase|code)?|passwort|pwd|pw|secret|token|key|value|val|string|str|text|field|form|input|output"
    rb"|arg|param|user(?:name)?|test|example|foo|bar|baz|item|line|step|level|part|type|option|version|column|row|col|page|node"
    rb"|host|server|db|app|group|role|case|class|table|model|file|dir|path|section|chapter|figure|phase|stage|round|task|job"
    rb"|data|name|index|slot|mode|block|issue|utf|base|sha|md|oauth|saml|http|ipv|tls|ssl|win|x|v|py(?:thon)?|php|java|es|ec"
    rb"|rs|hs|ps|ed|aes|des|rc|rsa|dsa|ecdsa|argon|pbkdf|scrypt|bcrypt|ntlmv|sql|mysql|postgres|int|uint|float|char|varchar)"
    rb"[_\-]?v?[0-9]{1,4}(?:id|i|d|e|k)?$"
)
_MEASURE = LazyPattern(
    rb"(?i)^(?:top-|max-|min-)?[0-9]+(?:[.,\-][0-9]+)?-?(?:px|em|ms|s|[kmg]i?b|[kmg]|bits?|bytes?|chars?|characters?|digits?|letters?|words?|min|h|d"
    rb"|days?|hours?|years?|months?|weeks?|minutes?|seconds?|times?|st|nd|rd|th|x|factor|fa|way|step|part)$"
)
_REFERENCE = LazyPattern(
    rb"^(?:[A-Z]{2,5}-?[0-9]{1,6}(?:-[0-9]+)*|[a-z]{1,3}[0-9]{1,2}[a-z]{1,2}|v?[0-9]+(?:[._][0-9x]+)*[a-z]{0,2}[0-9]*)$"
)
_FIELD = LazyPattern(rb"^[A-Za-z]+(?:_[A-Za-z0-9]+)+$|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
_GROUPED = LazyPattern(rb"^[A-Z0-9]{3,6}(?:-[A-Z0-9]{3,6}){1,5}$")
_UNBROKEN = LazyPattern(
    rb"(?:[\xe3-\xed][\x80-\xbf]{2}|\xef[\xa4-\xab\xbc-\xbf][\x80-\xbf]|\xe0[\xb8-\xbb][\x80-\xbf]"
    rb"|\xe1[\x80-\x82\x9e\x9f][\x80-\xbf])+"
)
"""UTF-8 of Chinese, Japanese, Korean, Thai, Lao, Burmese and Khmer, and of full-width signs."""
_UNBROKEN_PASSWORD = LazyPattern(
    "(?:パスワード|パスコード|パスフレーズ|暗証番号|密码|密碼|口令|비밀번호|암호|รหัสผ่าน)".encode()
)
FUNCTION_WORDS = frozenset(
    b"a an the and or nor but for of in on at by to from with without into onto over under as is are was were be "
    b"been being am do does did done has have had not no yes if then else when while where which who whom whose what "
    b"why how that this these those it its he she they we you i my your our his her their me him them us will would "
    b"shall should can could may might must very too so than there here now also only just still even ever never "
    b"always again about after before between because during each every any some all both either neither more most "
    b"less least other another such own same one per via until unless "
    b"since like using used".split()
)
PREDICATES = frozenset(
    b"absent accepted accurate active actual alive alphanumeric ambiguous anonymous anyone anything arbitrary ascii "
    b"available awkward bad base64 bcrypt binary blank bogus boring bought bound broke broken built bytes case "
    b"caught char cheap clear cleartext common complex compromised confidential constant correct corrupt crucial "
    b"current cut dead different dummy duplicate dynamic easy elsewhere empty enough equal essential everyone "
    b"everything everywhere exact exposed external fake false final fine first fixed forgotten free fresh generic "
    b"given global gone good great guest hard hashed held hex hidden hit however identical immutable impossible "
    b"incorrect individual initial insecure int integer internal invalid irrelevant kept known later left legacy "
    b"lengthy literal local long longer lost lower lowercase mandatory masked mine missing neutral new nil nobody "
    b"none nothing null numeric object obsolete obvious okay old one-time open optional out outdated partial "
    b"per-user permanent personal plain plaintext present private proper provided public quoted random raw ready "
    b"real redacted required reset right safe salted same secure sensitive sent set short shorter shown shut simple "
    b"sold somebody someone something somewhere soon special spent split stale static stolen str string strong "
    b"stronger stuck such sure swapped taught temporary text theirs though thought today told tomorrow trivial true "
    b"type typed typically unchanged undefined unicode unique universal unknown unsafe unset unused up upper "
    b"uppercase usual valid virtual visible vital wanted weak weird worldwide written wrong "
    b"yesterday yours zero".split()
)
PREDICATE_END = LazyPattern(rb"(?:ed|ing|able|ible|ive|ly|ary|ical|less|ful|ous|ent|ant|ory|wn|ten|ken|sen|den)$")


@lru_cache(VALUES_KEPT)
def is_typed_password(value: bytes, *, is_linked: bool) -> bool:
    """Return whether a word where a sentence gives a password is one that a person typed: a word with a digit or a mark
    in it, no measure, reference, numbered thing, file or host.

    ``is_linked`` is false where the word is only next to the one for a password; linked to it, digits alone are a
    password too.
    """
    if value.isalpha():
        return False
    letters = sum(65 <= (code & 0xDF) <= 90 or code >= 0x80 for code in value)
    digits = sum(48 <= code <= 57 for code in value)
    if b" " in value or (len(value) == 5 and not any(97 <= code <= 122 or code >= 0x80 for code in value)):
        return is_linked and value.isdigit()
    if (
        not 5 <= len(value) <= 128
        or len(set(value)) < 3
        or value[:1] in (b"-", b"$", b"%", b"<", b"@", b"/", b".", b"&")
    ):
        return is_linked and letters == 0 and 4 <= digits == len(value)
    if not letters:
        return is_linked and digits == len(value) <= 12 and DATE.search(value) is None
    if is_template(value) or b"=" in value.rstrip(b"=") or b"::" in value or _is_thing(value):
        return False
    if not digits:
        return is_linked and has_inner_mark(value)
    if is_linked:
        return _FIELD.search(value) is None or is_chosen_password(value)
    if len(value) < 6 and switches_of(value) < 3:
        return False
    is_filler = is_placeholder(value) and not (classes_of(value) == 4 and digits)
    return letters >= 3 and not is_filler and _FIELD.search(value) is None


@lru_cache(VALUES_KEPT)
def is_mixed_password(value: bytes) -> bool:
    """Return whether a word is a password wherever one is spoken of: a strong or chosen one, or letters of both cases
    or a mark with digits in a word that is not a name of a thing.
    """
    if not is_typed_password(value, is_linked=False) or any(code in b"./:=+*" for code in value[:-1]):
        return False
    if is_strong_password(value) or is_chosen_password(value):
        return True
    digits = sum(48 <= code <= 57 for code in value)
    return (
        len(value) >= 8
        and (classes_of(value) >= 3 or digits >= 2)
        and not _REFERENCE.search(value)
        and value[:1].isalpha()
    )


def lone_passwords(value: bytes) -> list[bytes]:
    """Return what of a whole message without blanks is a password: an answer of one word with a digit in it.

    Scripts that write no blanks between words make a sentence of one word, whose digits are not a sign: of such a
    message only a part in other letters can be a password, and a weak one only where the message names a password.
    """
    if any(code in b" \t\r\n/." for code in value) or len(value) > 128:
        return []
    if _UNBROKEN.search(value) is not None:
        is_named = _UNBROKEN_PASSWORD.search(value) is not None
        parts = _UNBROKEN.compiled().split(value)
        return [one for one in parts if is_strong_password(one) or (is_named and is_mixed_password(one))]
    return [value] if is_strong_password(value) or is_typed_password(value, is_linked=False) else []


def is_typed_secret(value: bytes, *, is_said: bool) -> bool:
    """Return whether a word where a sentence gives a token or a key is one: long, with several digits, and no name."""
    letters = sum(65 <= (code & 0xDF) <= 90 for code in value)
    digits = sum(48 <= code <= 57 for code in value)
    if len(value) < 8 or letters < 2 or not digits or is_placeholder(value) or _is_thing(value):
        return False
    if is_strong_password(value) or (is_said and is_chosen_password(value)):
        return True
    is_plain = value.isalnum() or _FIELD.search(value) is None
    return (
        is_plain
        and digits >= (2 if is_said else 3)
        and b"." not in value
        and b"/" not in value
        and len(value) >= 10 - 2 * is_said
    )


def is_typed_code(value: bytes, *, is_linked: bool) -> bool:
    """Return whether the value is a number or a code that opens something: four digits or more, also among letters in
    groups as in ``7KQ2-M4XD``; beside its word only digits, or such groups.
    """
    digits = sum(48 <= code <= 57 for code in value)
    if not 4 <= digits <= len(value) <= 24 or not all(code in b"-# " or bytes((code,)).isalnum() for code in value):
        return False
    return is_linked or digits == len(value) or (_GROUPED.search(value) is not None and not _REFERENCE.search(value))


def is_plain_passphrase(value: bytes) -> bool:
    """Return whether three or more plain words are a passphrase: none joins a sentence or describes a password."""
    words = [word.lower() for word in value.split()]
    if len(words) < 3 or not all(3 <= len(word) <= 12 and word.isalpha() for word in words):
        return False
    if words[0] in PREDICATES and words[0] != b"correct":
        return False
    is_told = any(word in FUNCTION_WORDS or word in JOINING or FILLER.sub(b"", word) == b"" for word in words)
    described = sum(PREDICATE_END.search(word) is not None for word in words)
    return not is_told and described * 3 < len(words) and len(set(words)) * 3 >= len(words) * 2


def is_predicate(value: bytes) -> bool:
    """Return whether quoted words after ``the password is`` tell something of it instead of being it."""
    words = [word.strip(b".,!?:;").lower() for word in value.split()]
    if not words or is_placeholder(value) or is_template(value) or len(words) > 12 or _is_thing(value):
        return True
    if len(words) == 1:
        word = words[0]
        return word in PREDICATES or word in FUNCTION_WORDS or PREDICATE_END.search(word) is not None or b"_" in word
    told = sum(word in FUNCTION_WORDS or word in PREDICATES for word in words)
    return told * 2 > len(words) or any(byte in b"()[]{}=<>" for byte in value)


def has_inner_mark(value: bytes) -> bool:
    """Return whether a mark that no name has stands between letters, as in ``P@ssword``."""
    inner = value[1:-1]
    if any(code in b"|/:;*?_+'()[]{}<>\\\"," for code in value) or ADDRESS.search(value) is not None:
        return False
    if value.count(b"@") == 1 and b"." in value.partition(b"@")[2]:
        return False
    return classes_of(value) >= 3 and (any(code in b"!@#$%^&~" for code in inner) or value[-1] in b"!#$%&")


def _is_thing(value: bytes) -> bool:
    """Return whether the word is a measure, a reference, a numbered thing, a date, a host or a piece of code."""
    return (
        any(byte in PUNCTUATION for byte in value)
        or (b"/" in value and not looks_random(value))
        or any(
            shape.search(value) is not None
            for shape in (_NUMBERED_THING, _MEASURE, _REFERENCE, ADDRESS, DATE, DOTTED, UUID)
        )
    )
