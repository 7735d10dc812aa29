"""Weigh each word of a line by how likely it is a secret there, whatever the wording of its sentence.

Bytes in, spans out. The other rooms know how a secret is usually given; here each word that could be one is scored by
what it looks like, by the words next to it and by what its line speaks of, and the sum decides. The weights are those
of a logistic regression, fit to labelled sentences and to ordinary text (``benchsigns/secret_weights.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from helix_core.ingest.secret_typed import (
    FUNCTION_WORDS,
    PREDICATE_END,
    is_mixed_password,
    is_plain_passphrase,
    is_typed_password,
)
from helix_core.ingest.secret_values import (
    ADDRESS,
    DATE,
    DOTTED,
    UUID,
    LazyPattern,
    is_chosen_password,
    is_masked,
    is_strong_password,
    is_template,
    looks_random,
)
from helix_core.ingest.secret_weights import weights
from helix_core.ingest.secret_words import is_code_word, is_plain_answer, is_word_password

Span = tuple[int, int]

_LONGEST_VALUE = 96
_SHAPES_KEPT = 1 << 12
_MANY_PARTS = 3
_NAMED_BEFORE = 4
_LONG_LINE = 160
_NEAR_BEFORE, _NEAR_AFTER = 40, 24

_KEYS = (
    rb"(?:api|app|access|auth|private|secret|signing|encryption|licen[sc]e|master|session|account|shared|host|deploy"
    rb"|product|recovery|ssh|gpg|wi-?fi|windows|webhook|service|network|security)[ _\-]?keys?"
)
_CODES = (
    rb"(?:door|gate|alarm|access|unlock|recovery|backup|entry|safe|duress|security|verification|wi-?fi|wlan|sms|lock)"
    rb"[ _\-]?codes?"
)
_CREDENTIAL = LazyPattern(
    rb"(?i)p[asor]{1,5}w[aswor]{0,4}[dt]{1,2}s?\b|\b(?:pass(?:phrase|code|key)?s?|pwd?s?|psw|creds?|credentials?|secrets?"
    rb"|tokens?|pins?|puk|otp|mfa|2fa|psk|wpa[23]?|mnemonic|seed|bitlocker|keypass|storepass|cookies?|dsn|pat|hmac|jwt"
    rb"|sasl|bearer|auth|community|combo|combination|" + _KEYS + rb"|" + _CODES + rb"|kennw(?:o|\xc3\xb6)rt(?:er)?"
    rb"|\w*passwort|\w*passw(?:\xc3\xb6)rter|zugang\w*|(?:\w+-)?schl(?:\xc3\xbc|ue)ssel|contrase(?:\xc3\xb1|n)as?|claves?"
    rb"|mots? de passe|mdp|senhas?|wachtwoord(?:en)?|heslo|has(?:\xc5\x82|l)o|l(?:\xc3\xb6|o)senord\w*|parola|chiave)\b"
)
"""Words for what is secret."""
_KEY = LazyPattern(rb"(?i)\b(?:keys?|keyed|(?:de|en)crypt\w*|cl\xc3\xa9)\b")
_ACCESS = LazyPattern(
    rb"(?i)\b(?:log(?:ged|s|ging)?[ \-]?(?:in|on)s?|sign(?:ed|s|ing)?[ \-]?(?:in|on)|accounts?|users?|usernames?"
    rb"|admin(?:istrator)?|root|unlock(?:s|ed|ing)?|disarm|(?:de|en)crypt(?:s|ed|ing)?|prompts?|prompted|opens? with"
    rb"|gets? (?:you |me |him |her |them )?in|vault|wi-?fi|wlan|vpn|router|ssh|s?ftp|imap|smtp|ldap|snmp|sudo|luks|rdp"
    rb"|vnc|bios|sticker|nas|locked out|auth\w*|access|asks?(?: you)? for|asked for|when asked|protected|secured"
    rb"|mailbox|console|anmeld\w*|einlogg\w*|nutzer|benutzer\w*|konto|gesch\xc3\xbctzt|usuario|utilisateur|identifiant"
    rb"|compte|prot\xc3\xa9g\xc3\xa9e?|connect(?:e|ez|er|ing|s)?|entra)\b"
)
"""Words for what a secret opens, and for who opens it."""
_NUMBERED = LazyPattern(
    rb"(?i)\b(?:pins?|puk|otp|mfa|2fa|passcodes?|codes?|combo|combination|unlock\w*|disarm|opens? with|typing"
    rb"|passwor[dt]|pw|pwd|pass|kennwort|contrase(?:\xc3\xb1|n)a|clave|mdp|mot de passe"
    rb"|(?:host|wi-?fi|wlan|network|security) key|wlan-?schl(?:\xc3\xbc|ue)ssel|alarm|tresor|keypad|voicemail)\b"
)
"""Words for what may be a number."""
_OTHER_NUMBER = LazyPattern(
    rb"(?i)\b(?:rfc|ports?|count|limit|errors?|status|http|pages?|lines?|years?|since|until|version|extension|tickets?"
    rb"|issue|room|customer|tracking|serial|order|max|min|maximum|minimum|timeout|seconds|bytes|model|requests?|sha256"
    rb"|checksum|commit)\b"
)
"""Words for numbers that open nothing."""
_TELLING = LazyPattern(
    rb"(?i)\b(?:must|should|require[sd]?|invalid|characters?|digits?|expired?|forgot(?:ten)?|valid for|at least|stored"
    rb"|hash(?:ed|es|ing)?|generate[ds]?|header|environment|default is|bump|renamed?|revert|merge|typo|returns?|raises?"
    rb"|deprecated|muss|debe|doit|ttl|warranty)\b"
)
"""Words of sentences that tell something of secrets."""
_FIRST_UNBROKEN = 0xE1
"""The first byte of letters of scripts without blanks between words, in UTF-8."""
_NEVER = b"()[]{}<>|\\\"'`"
_ALGORITHM = LazyPattern(
    rb"(?i)(?:sha-?[1-9]|md5|argon2|[bs]?crypt|poly1305|chacha|hmac|ecdsa|25519|blake|pbkdf|base64|utf-?8)"
    rb"|\A(?:[:~.@#]|0x)|\.[a-z]{1,4}(?:[:#][0-9:\-L]+)?\z"
)
"""Names of algorithms, roles of documents, numbers of a machine, files with their lines and relative names."""
_LEET = LazyPattern(rb"[a-z][013457!@$]+[a-z]|\b[013457@$][a-z]+[A-Z013457]")
_WORD_NUMBER = LazyPattern(rb"^[A-Za-z\x80-\xff]{4,}[0-9]{1,4}!*$")
_DIGITS = LazyPattern(rb"^[0-9]{3,16}(?:-[0-9]{1,8})*#?$")
_ASSIGNMENT = LazyPattern(rb"^[ \t]*[\w.\-]+[ \t]*[:+]?=[ \t]")
"""What the rooms for names and fields know."""
_PHRASE = LazyPattern(
    rb"([A-Za-z\x80-\xff]{3,14}(?:[ ][A-Za-z\x80-\xff]{2,14}){1,11}?(?:[ ][0-9]{1,4})?)"
    rb"(?:[.,;!?)\"'`]|[ ](?:at|in|for)[ ]|\s*\z)"
)
"""Group 1: plain words up to the end of a part of a sentence."""
_EMPHASIS = (b"!", b"?")
_SIGNS = (b"->", b"=>", b"=", "→".encode(), b"--", b"-")
_LEAD, _TAIL, _QUOTES = b"\"'`(<[{*_", b"\"'`)>]}.,;:!?*_", (b'"', b"'", b"`", b"*")
_CODE = LazyPattern(rb"[(){}\[\];]|=[^=\s]|::|->[a-z]")
_MARK = LazyPattern(rb"[A-Za-z\x80-\xff0-9][!@#$%&+~^=?.][A-Za-z\x80-\xff0-9]|[!#$&%]\z")
_JOINED = LazyPattern(rb"^[A-Za-z\x80-\xff0-9]+(?:[\-_][A-Za-z\x80-\xff0-9]+)+$")
_THING = LazyPattern(
    rb"(?i)^(?:v?[0-9]+(?:[.\-_][0-9x]+)+[a-z0-9.\-]*|v[0-9]+|[0-9]+(?:st|nd|rd|th|[kmgt]i?b?|ms|s|h|px|x|%|bit|am|pm)|[0-9a-f]{7,12}"
    rb"|[a-z]{1,5}-[0-9]+(?:-[a-z0-9]+)*|(?:[0-9a-f]{2}[:\-]){3,}[0-9a-f]{2}|[a-z]{2}-[a-z]+-[0-9][a-z]?|sha-?[0-9]+"
    rb"|utf-?[0-9]+|base[0-9]+|argon2\w*|ed25519|x509|oauth2?|[a-z][a-z0-9.]*(?:-[a-z0-9.]+)*-(?:19|20)[0-9]{2}-[0-9]{2}.*"
    rb"|[a-z\-]+-[0-9a-f]{7,10}-[a-z0-9]{5}|[a-z]+[0-9]+[a-z]?-(?:dev|server|bin|client|common)|:[a-z]+:.*"
    rb"|[a-z][\w\-.]*\.[a-z]{1,4}(?::[0-9:\-]+)?|[a-z]+(?:-[a-z]+)*-?v?[0-9]+(?:\.[0-9]+)+)$"
)
"""Measures, versions, references, short hashes, regions, algorithms, models and pods."""

_HASH = LazyPattern(rb"^(?i:[0-9a-f]{16,128})$")
_VERSIONED = LazyPattern(rb"@(?:v[0-9]+|[\^~v]?[0-9]+\.[0-9][0-9.x]*)$")
"""A package or an action with its version."""
_OF_NUMBERS = LazyPattern(rb"^[0-9]+[/:][0-9]+$")
"""A range, a date or two ports."""

_TOLD = FUNCTION_WORDS | frozenset(
    "muss müssen mindestens ist sind nicht wurde wird werden hat haben kann soll bitte und oder für mit auf im steht "
    "liegt läuft vom zum zur beim noch nur aber dann debe tiene está fue hay no en por con que como para los las una "
    "doit est être été sera dans sur pas faut avec qui que les des une deve essere non".encode().split()
)

_SAID = frozenset(
    "is was be became equals ist war lautet heißt heisst es est c'est sera its it's = -> => → : :=".encode().split()
)
_NAMING = frozenset(b"phrase word words key code".split())
_STILL = frozenset(b"now literally just simply still currently only".split())
_GIVEN = frozenset(
    b"use using used try tried type typed typing enter entered entering chose picked pick choose got gave answer pon "
    b"say says reads w/ nimm usa saisir tape tapez escribe".split()
)
_WITH = frozenset(b"with as to into by via mit auf con avec como come".split())
_AND = frozenset(b"and then y et und / + & or".split())
_PLACES = frozenset(
    "for on in at of from für im von de del du la el le les para pour under behind see".encode().split()
)
_ARTICLES = frozenset(
    b"the a an this that these my your our his her their each every any no some der die das den".split()
)
_USERS = frozenset(b"user username account nutzer benutzer usuario host server as".split())
_NAMED = frozenset(
    b"rfc iso http error branch ticket version column field table function class file page option flag setting port "
    b"parameter variable extension order build commit uuid id serial number nr customer tracking release image model "
    b"pod node request room phase step section line row entry called named group role database schema bucket region "
    b"zone package module library disk mac sha256 checksum".split()
)
_GIVES = frozenset(("said", "given", "with", "and", "beside", "after_colon", "after_comma"))
_LEADS_TO_PHRASE = frozenset(("said", "given", "beside", "after_colon", "bracketed"))
_SHAPED = frozenset(("strong", "mixed", "short_typed", "marked", "joined_digit", "joined"))

LEAST_TYPED, LEAST_WRITTEN = 0.0, 1.5
"""Log-odds above which a word is masked, in a message and in a file, of whose sentences far fewer give a secret."""
_LONGEST_LINE = 1_200
_LEAST_BLANKS = 2
_CODE_MARKS, _MOST_CODE = b"(){}[];=<>|\\", 16
"""Of so many bytes of a line at most one may be a mark of a program."""


@dataclass(frozen=True, slots=True)
class PossibleSecret:
    """A word that could be a secret, with the names of what is true of it where it stands."""

    start: int
    end: int
    signs: frozenset[str]


class _Line:
    """What a whole line speaks of: its ``signs`` are true of each of its words.

    They and the spans of its words for credentials are looked for when they are first asked for: few lines have a word
    that could be a secret.
    """

    def __init__(self, line: bytes, before: bytes, *, is_typed: bool) -> None:
        self.data = line
        self.words = _words(line)
        self.lowered = [word.strip(_LEAD + _TAIL).lower() for _, word in self.words]
        self._before, self._is_typed = before, is_typed

    def before(self, place: int) -> tuple[bytes, bytes, bytes]:
        """Return the word before one as it is written and in lower case without its marks, and the word that leads to
        it, which is one earlier where that says no more than ``now``.
        """
        previous = self.words[place - 1][1] if place else b""
        prior = self.lowered[place - 1] if place else b""
        key = prior or previous
        if key in _STILL and place > 1:
            key = self.lowered[place - 2]
        return previous, prior, key

    @cached_property
    def signs(self) -> frozenset[str]:
        """Return the names of what is true of the line."""
        line = self.data
        passage = self._before + b" " + line
        access = sum(1 for _ in _ACCESS.finditer(passage))
        told = {
            "typed": self._is_typed,
            "credential": _CREDENTIAL.search(passage) is not None,
            "access": access > 0,
            "access_many": access > 1,
            "numbered": _NUMBERED.search(passage) is not None,
            "other_number": _OTHER_NUMBER.search(line) is not None,
            "telling": _TELLING.search(line) is not None,
            "code": _CODE.search(line) is not None,
            "key": _KEY.search(passage) is not None,
            "named_line": any(word in _NAMED for word in self.lowered),
            "long_line": len(line) > _LONG_LINE,
        }
        return frozenset(name for name, is_true in told.items() if is_true)

    @cached_property
    def credentials(self) -> list[Span]:
        """Return the spans of its words for credentials."""
        return [match.span() for match in _CREDENTIAL.finditer(self.data)]


def likely_secrets(data: bytes, *, is_typed: bool) -> Iterator[Span]:
    """Yield the words and phrases that are more likely a secret than not.

    Args:
        data: The text.
        is_typed: A person typed it into a chat or a memory.
    """
    table = weights()
    least = LEAST_TYPED if is_typed else LEAST_WRITTEN
    for one in candidates_of(data, is_typed=is_typed):
        if sum(table.get(sign, 0.0) for sign in one.signs) > least:
            yield one.start, one.end


def candidates_of(data: bytes, *, is_typed: bool) -> Iterator[PossibleSecret]:
    """Yield the words and phrases of a text that could be secrets: of a file those on lines of prose that speak of
    credentials or of access, of a message those of every line.
    """
    before, start = b"", 0
    while start < len(data):
        newline = data.find(b"\n", start, start + _LONGEST_LINE)
        if newline >= 0 or len(data) - start <= _LONGEST_LINE:
            end = newline if newline >= 0 else len(data)
        else:
            end = max(data.rfind(b" ", start, start + _LONGEST_LINE), start + 1)
        line = data[start:end]
        if is_typed or _is_prose(line, before):
            for one in candidates(line, before, is_typed=is_typed):
                yield PossibleSecret(start + one.start, start + one.end, one.signs)
        before = line if line.strip() else before
        start = end + 1


def _is_prose(line: bytes, before: bytes) -> bool:
    """Return whether a line of a file is a sentence that speaks of credentials or of access, or stands below one."""
    if len(line.translate(None, _CODE_MARKS)) * _MOST_CODE < len(line) * (_MOST_CODE - 1):
        return False
    if b"=" in line and _ASSIGNMENT.search(line) is not None:
        return False
    if line.count(b" ") < _LEAST_BLANKS:
        return _CREDENTIAL.search(before) is not None and _is_prose(before, b"")
    return any(pattern.search(line) is not None for pattern in (_CREDENTIAL, _ACCESS, _KEY))


def candidates(line: bytes, before: bytes, *, is_typed: bool) -> Iterator[PossibleSecret]:
    """Yield the words and phrases of a line that could be secrets.

    Args:
        line: The line.
        before: The line before it, of which it may speak.
        is_typed: A person typed it into a chat or a memory.
    """
    about = _Line(line, before, is_typed=is_typed)
    for place, (first, raw) in enumerate(about.words):
        if is_masked(raw):
            continue
        lead = len(raw) - len(raw.lstrip(_LEAD))
        tail = len(raw.rstrip(_TAIL))
        # A ``!`` at the end of a password is more often its own than the sentence's.
        if raw[tail : tail + 1] in _EMPHASIS and any(48 <= code <= 57 for code in raw[lead:tail]):
            while raw[tail : tail + 1] in _EMPHASIS:
                tail += 1
        begin = lead + _pair(raw[lead:tail])
        shape = _shape(raw[begin:tail]) if tail > begin else frozenset()
        start = first + begin
        nearby = None
        if shape and _is_other(shape, about, place):
            shape = frozenset()
        if shape:
            nearby = _nearby(about, place, start, first + tail, is_second=begin > lead)
            yield PossibleSecret(start, first + tail, _crossed(shape | about.signs | nearby))
        if tail == len(raw) and raw[begin:tail].isalpha() and _may_begin_phrase(about, place, start):
            phrase = _PHRASE.match(line, start)
            if phrase is not None:
                nearby = nearby or _nearby(about, place, start, phrase.end(1), is_second=False)
                if nearby & _LEADS_TO_PHRASE:
                    signs = _phrase(phrase.group(1)) | about.signs | nearby - {"modifies"}
                    yield PossibleSecret(phrase.start(1), phrase.end(1), _crossed(signs))


def _words(line: bytes) -> list[tuple[int, bytes]]:
    """Return the words of a line, each with where it begins."""
    found, end = [], 0
    for word in line.split():
        start = line.index(word, end)
        end = start + len(word)
        found.append((start, word))
    return found


def _is_other(shape: frozenset[str], about: _Line, place: int) -> bool:
    """Return whether the word is a thing, a number or a name of another kind, as the words before it say."""
    if "number" in shape or "number_long" in shape:
        return place > 0 and about.lowered[place - 1] in _NAMED
    if about.signs & {"credential", "key"}:
        return False
    is_named = not _NAMED.isdisjoint(about.lowered[max(0, place - _NAMED_BEFORE) : place])
    return is_named or "thing" in shape


def _pair(value: bytes) -> int:
    """Return where the second half of ``user/password``, ``user:password`` or ``name=value`` begins; 0 for others."""
    if not (b"/" in value or b":" in value or b"=" in value):
        return 0
    if b"//" in value or _OF_NUMBERS.search(value) is not None:
        return 0
    for sign in (b"/", b":", b"="):
        if sign in value and value.rstrip(b"=").count(sign) == 1 and value[:1] != sign:
            return value.index(sign) + 1
    return 0


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
def _shape(value: bytes) -> frozenset[str]:
    """Return what a word looks like; nothing for one that is no secret anywhere."""
    if not 4 <= len(value) <= _LONGEST_VALUE or value.lower() in FUNCTION_WORDS:
        return frozenset()
    if is_masked(value) or is_template(value):
        return frozenset()
    digits = sum(48 <= code <= 57 for code in value)
    letters = sum(65 <= (code & 0xDF) <= 90 or code >= 0x80 for code in value)
    is_dotted = DOTTED.search(value) is not None
    is_lower = value[:1].islower() and not digits and not any(65 <= code <= 90 for code in value[1:])
    if is_dotted and (is_lower or b"_" in value):
        return frozenset()
    is_number = _DIGITS.search(value) is not None and digits >= 4 and DATE.search(value) is None
    if not (letters or is_number):
        return frozenset()
    if any(pattern.search(value.rstrip(b"!?")) is not None for pattern in (_VERSIONED, _ALGORITHM)):
        return frozenset()
    if any(code in _NEVER or code >= _FIRST_UNBROKEN for code in value):
        return frozenset()
    is_joined = _JOINED.search(value) is not None
    parts = value.lower().replace(b"_", b"-").split(b"-")
    # ``sign_cookie`` is a name of the code.
    is_name = b"_" in value or PREDICATE_END.search(parts[-1]) or not FUNCTION_WORDS.isdisjoint(parts)
    if is_joined and not digits and is_name:
        return frozenset()
    told = {
        "number": is_number and digits <= 8,
        "number_long": is_number and digits > 8,
        "strong": letters and (is_strong_password(value) or is_chosen_password(value)),
        "mixed": letters and is_mixed_password(value),
        "short_typed": letters and digits and is_typed_password(value, is_linked=True),
        "random": letters and digits and looks_random(value),
        "marked": letters and _MARK.search(value) is not None,
        "joined": is_joined and not digits,
        "joined_digit": is_joined and digits and letters,
    }
    signs = {name for name, is_true in told.items() if is_true}
    if value.isalpha() or not (digits or signs):
        is_strange = is_word_password(value, is_sure=False, is_said=True)
        if is_strange or is_word_password(value, is_sure=True, is_said=True):
            signs.add("strange" if is_strange else "word")
    if not signs:
        return frozenset()
    is_hash = _HASH.search(value) is not None
    more = {
        "hash": is_hash,
        "leet": not is_hash and _LEET.search(value) is not None,
        "word_number": _WORD_NUMBER.search(value) is not None,
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
        "capital": value[:1].isupper() and value[1:].islower(),
        "all_upper": value.isupper(),
        "path": b"/" in value or b"\\" in value,
        "identifier": (b"_" in value and not digits) or b"(" in value or is_code_word(value),
    }
    return frozenset(signs | {name for name, is_true in more.items() if is_true})


def _may_begin_phrase(about: _Line, place: int, start: int) -> bool:
    """Return whether what stands before the word can lead to a phrase: before most words nothing does."""
    previous, prior, key = about.before(place)
    is_led_to = key in _SAID or key in _GIVEN or _is_sign(previous) or _names_credential(prior)
    return is_led_to or b"(" in about.data[about.words[place][0] : start]


def _is_sign(word: bytes) -> bool:
    """Return whether the word is a sign before a value, or ends with one."""
    return word[-1:] == b":" or word in _SIGNS


@lru_cache(_SHAPES_KEPT)
def _names_credential(word: bytes) -> bool:
    """Return whether the word is one for a secret, and no verb."""
    return word in _NAMING or (word != b"pass" and _CREDENTIAL.search(word) is not None)


def _nearby(about: _Line, place: int, start: int, end: int, *, is_second: bool) -> frozenset[str]:
    """Return what the words next to ``[start, end)`` say of it."""
    line, words, lowered = about.data, about.words, about.lowered
    previous, prior, key = about.before(place)
    behind = line[end : end + 1]
    following = lowered[place + 1] if place + 1 < len(words) else b""
    opening = line[words[place][0] : start]
    told = {
        "beginning": not place,
        "alone": len(words) == 1 and "credential" in about.signs,
        "and": is_second or key in _AND,
        "quoted": opening[-1:] in _QUOTES,
        "bracketed": b"(" in opening,
        "ends": behind not in (b" ", b"\t") or not following,
        "said": key in _SAID and not is_second,
        "given": key in _GIVEN,
        "with": key in _WITH,
        "place": key in _PLACES,
        "article": key in _ARTICLES,
        "user": key in _USERS,
        "named": key in _NAMED or previous[-1:] == b"#",
        "after_colon": _is_sign(previous),
        "after_comma": previous[-1:] == b",",
        "beside": _names_credential(prior),
        "modifies": behind == b" " and following.isalpha() and following not in FUNCTION_WORDS,
        "credential_near": any(
            noun[1] - _NEAR_BEFORE <= start <= noun[1] + _NEAR_BEFORE or 0 <= noun[0] - end <= _NEAR_AFTER
            for noun in about.credentials
        ),
    }
    return frozenset(name for name, is_true in told.items() if is_true)


def _crossed(signs: frozenset[str]) -> frozenset[str]:
    """Add what is true of some signs together, and drop those that have no weight alone."""
    is_given = bool(signs & _GIVES)
    is_shaped = bool(signs & _SHAPED)
    is_number = bool(signs & {"number", "number_long"})
    is_about = bool(signs & {"credential", "access"})
    told = {
        "any": True,
        "said_strange": signs >= {"strange", "said"},
        "given_strange": signs >= {"strange", "given"},
        "beside_strange": signs >= {"strange", "beside"},
        "strange_credential": signs >= {"strange", "credential_near"} and is_given,
        "said_word": signs >= {"word", "said"},
        "given_word": signs >= {"word", "given"},
        "word_credential": signs >= {"word", "credential_near"} and is_given,
        "numbered_number": is_number and "numbered" in signs,
        "numbered_given": is_number and "numbered" in signs and is_given,
        "another_number": is_number and "other_number" in signs,
        "hash_key": "hash" in signs and bool(signs & {"credential", "key"}) and "telling" not in signs,
        "hash_other": "hash" in signs and bool(signs & {"other_number", "named_line"}),
        "credential_shaped": is_shaped and "credential" in signs,
        "access_shaped": is_shaped and "access" in signs,
        "giving_shaped": is_shaped and is_given,
        "about_given": is_shaped and is_given and is_about,
        "bare_shaped": is_shaped and not is_about,
        "bare_joined": is_shaped and not is_about and bool(signs & {"joined", "joined_digit", "all_upper"}),
        "bare_other": not is_about and bool(signs & {"other_number", "named_line"}),
        "marked_given": is_given and "marked" in signs,
        "joined_given": is_given and "credential" in signs and bool(signs & {"joined", "joined_digit"}),
        "joined_access": is_given and "access" in signs and bool(signs & {"joined", "joined_digit"}),
        "phrase_credential": signs >= {"phrase", "credential_near"},
        "plain_credential": signs >= {"phrase_plain", "credential_near"},
        "answer_said": "phrase_answer" in signs and bool(signs & {"said", "beside"}),
        "pair_shaped": is_shaped and "and" in signs and is_about,
        "user_shaped": is_shaped and "access" in signs and bool(signs & {"after_comma", "after_colon"}),
        "typed_word": "typed" in signs and bool(signs & {"word", "strange"}) and is_given,
        "typed_shaped": "typed" in signs and is_shaped,
    }
    return signs | {name for name, is_true in told.items() if is_true}
