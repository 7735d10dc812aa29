"""Detect secrets that a person states in a sentence: ``the password is …``, ``PIN: …``, ``credentials bob:…``.

Bytes in, spans out. A statement is a word for a credential, optionally what it is for, a link (``is``, ``:``, ``to``, a
blank) and a value. RE2 finds the words over the whole text; link and value are read from at most ``_REACH`` bytes after
each, so that a text is scanned in linear time. How much a value must look like a secret depends on word and link: after
``the password is`` any word with a digit is one, after ``password`` alone it needs more.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from helix_core.secrets.typed import (
    FUNCTION_WORDS,
    has_inner_mark,
    is_plain_passphrase,
    is_predicate,
    is_typed_code,
    is_typed_password,
    is_typed_secret,
)
from helix_core.secrets.values import (
    LazyLined,
    LazyPattern,
    is_chosen_password,
    is_masked,
    is_strong_password,
    is_template,
)
from helix_core.secrets.words import is_plain_answer, is_word_password

Span = tuple[int, int]

_REACH = 240
_MOST_BLANKS = 6
_CLOSING = b"0123456789\"'`*_?,"


class Noun(Enum):
    """What the word for a credential allows as its value."""

    PHRASE = 1
    NUMBER = 2
    PASSWORD = 3
    SECRET = 4
    PASS = 5


_PASSWORDS = (Noun.PHRASE, Noun.PASSWORD, Noun.PASS)


class _Connective(Enum):
    """What joins word and value: a verb, a sign, ``to`` or ``from``, nothing, only what the credential is
    for, or a sign directly behind a name that fields have, too.
    """

    SAID = 1
    SIGN = 2
    SET = 3
    BESIDE = 4
    APART = 5
    FIELD = 6


_UNLINKED = (_Connective.BESIDE, _Connective.APART)
_SIGNS = (_Connective.SIGN, _Connective.FIELD)


def _any(*words: str) -> bytes:
    return b"(?:" + b"|".join(word.encode() for word in words) + b")"


# Alternatives instead of classes: a pattern sees bytes, and these letters have several.
_FOREIGN = _any(
    *("contrase(?:ñ|Ñ|n)as?", "mots? de passe", "senhas?", "wachtwoord", "has(?:ł|l)o", "l(?:ö|o)senord(?:et)?"),
    *("adgangskoden?", "passord(?:et)?", "salasana(?: on)?", "heslo", "jelsz(?:ó|o)", "parol(?:ă|a)"),
    *(
        "mật khẩu",
        "kata sandi",
        "geslo",
        "lozinka",
        "slapta(?:ž|z)odis",
        "clave",
        "kennwort",
        "mdp",
        "palavra-passe",
        "contrasenya",
        "hasła",
    ),
)
"""The words for a password in scripts with blanks between words."""
_UNSPACED = _any(
    *("(?:П|п)арол(?:ь|я|е|ю|ем)", "ПАРОЛЬ", "パスワード", "パスコード", "パスフレーズ", "密码", "密碼", "口令"),
    *("비밀번호", "암호", "패스워드", "รหัสผ่าน", "كلمة المرور", "كلمة السر", "סיסמה", "סיסמא", "पासवर्ड"),
    *("(?:Κ|κ)ωδικός", "(?:ş|Ş)ifre(?:si|niz)?"),
)
"""Words for a password that need no border."""
_FOREIGN_SECRET = _any("トークン", "APIキー", "令牌", "密钥", "(?:К|к)люч API", "(?:Т|т)окен", "토큰")
_FOREIGN_WORDS = rb"(?i:" + _FOREIGN + rb")|" + _UNSPACED + rb"|" + _FOREIGN_SECRET
_PHRASE = (
    rb"\b(?i:pass[ \-_]phrase|passphrase|mnemonic"
    rb"|(?:seed|recovery|backup|wallet|mnemonic|secret)[ _\-](?:phrase|words))\b"
)
_NUMBER = (
    rb"\b(?i:pins?(?:[ \-]?(?:code|number|nummer|nr|no|#))?|puk|otp|totp|cvv2?|cvc|geheimzahl|combination"
    rb"|(?:door|garage|keypad|locker|bike|building|office|authenticator|elevator|lobby|house|sms|text|card|gate|alarm|entry|unlock"
    rb"|lock|safe|vault|access|backup|recovery|verification|one[ \-]?time|2fa|mfa|security|sim|activation|login|pass"
    rb"|t\xc3\xbcr|auth(?:entication)?|confirmation|invite)[ \-]?codes?)\b|"
    + _any("暗証番号", "验证码", "驗證碼", "認証コード", "確認コード", "(?:ПИН|Пин|пин)(?:-код)?", "핀번호")
)
_NETWORK = (
    rb"(?:wi-?fi|wlan|wpa[23]?|wireless|vpn|pre-?shared|ssid[ ][\w\-]{1,32})"
    rb"[ _\-](?:key|pass|code|schl(?:\xc3\xbc|ue)ssel)"
)
_PASSWORD = (
    rb"(?i:p[asor]{1,5}w[aswor]{0,4}[dt]{1,2}s?|passcode"
    rb"|(?:\b|_)(?:(?:secret|unlock|magic|access)[ ]word|pwd|pw|p/w|psw|passw|psk|"
    + _FOREIGN
    + rb"|"
    + _NETWORK
    + rb"))\b|[a-z0-9](?:Pwd|Pw)\b|"
    + _UNSPACED
)
_SECRET = (
    rb"(?i:(?:\b|_)(?:secret|token|credential|cred|(?:api|access|auth|private|secret|signing|encryption|licen[sc]e|master"
    rb"|session|account|service|storage|shared|deploy|activation|product|recovery|app)[ _\-]?key"
    rb"|(?:api|access)-schl(?:\xc3\xbc|ue)ssel|clave (?:de )?(?:la )?api|chiave api|cl(?:\xc3\xa9|e) api)s?\b)"
    rb"|[a-z0-9](?:Secret|Token|(?:Api|Access|Secret|Private)Key)\b|" + _FOREIGN_SECRET
)
WORTH_A_LOOK = (
    _FOREIGN_WORDS + rb"|" + _NUMBER + rb"|(?i:seed|recovery|backup|wallet)[ _\-](?i:phrase|words|key)"
    rb"|(?i:wi-?fi|wlan|wpa[23]?|wireless|ssid|app[ _\-]key|mdp|psw|p/w|pre-?shared)\b"
    rb"|(?i:p[asor]{1,5}w[aswor]{0,4}[dt])|\w@[\w\-]{1,40}\.[\w\-.]{2,40}(?::[^\s/]|[ \t]*[/|][ \t]|[ ]{2,}[^\s])"
    rb"|(?i:crypt|lock|protect)[a-z]{0,3} "
    rb"|(?i:schl(?:\xc3\xbc|ue)ssel|chiave|cl\xc3\xa9|clave)|(?:root|admin(?:istrator)?|postgres|sysadmin|superuser|sa|deploy"
    rb"|ubuntu|oracle)(?::| / )|(?m:^[ \t]*[pP][wW]?:[ \t])|(?i:anmeld|einlog|zugang"
    rb"|get[ ]in\b|sesi(?:\xc3\xb3|o)n con|(?:entra|accede)r?[ ]con|sftp|rdp|vnc|vpn)"
)
"""A prefilter: matches every line that a statement with none of the usual words can be on."""
_STATED = LazyPattern(
    rb"(?:("
    + rb")|(".join((_PHRASE, _NUMBER, _PASSWORD, _SECRET, rb"(?i:(?:\b|_)pass\b)|[a-z0-9]Pass\b"))
    + rb"))[0-9]?[\"'`*_?,]{0,4}(?:[ \t:=(\[\-s\x80-\xff.;!\r\n]|\z)"
)
"""The groups are in the order of ``Noun``."""

_FOREIGN_NOUN = LazyPattern(rb"(?i)^(?:\w*passw(?:ort|\xc3\xb6rter)|" + _FOREIGN + rb")$")
_FOREIGN_BEFORE = LazyPattern(rb"(?i)(?:passwort|" + _FOREIGN + rb")[\"'`*_]{0,4}[ \t]+(?:[a-z]{2,3}[ \t]+)?\z")

_FOR = (
    rb"(?:[ \t]+(?:(?i:for|of|on|at|in|used|f\xc3\xbcr|fuer|vo[nm]|zu[mr]|para|del?|di|per|pour|du|voor|van|d[oa]|dla"
    rb"|till?|(?:to|from)[ \t]+(?:the|our|my|his|her|this|that|your|unlock|open|enter))"
    rb"|\xd0\xb4\xd0\xbb\xd1\x8f|\xd0\xbe\xd1\x82)"
    rb"(?:[ \t]+[\w'@.\-\x80-\xff]{1,30}){1,5}?)?"
)
"""What a credential is for, between its word and the link."""
_OWNER = _FOR + rb"(?:[ \t]*[(\[][^()\[\]\r\n]{1,40}[)\]])?"
_SAID = (
    rb"(?:,[^,.;:\r\n]{1,30},)?(?:(?:[ \t]+(?i:will|should|would|used|has|had|to|been|currently|now|still|just|always"
    rb"|here|there|then|today))*[ \t]+"
    rb"(?:(?i:is|was|are|were|be|been|equals|became|becomes|ist|war|lautet|lautete|hei(?:\xc3\x9f|ss)t"
    rb"|wird|es|era|ser\xc3\xa1|c'est|est|sera|jest|var|er|je|stays|remains|still)"
    rb"|\xc3[\xa8\xa9\xa4\x88\x89]r?|\xd1\x8d\xd1\x82\xd0\xbe)|'s)"
    rb"(?:[ \t]+(?i:now|still|currently|just|simply|always"
    rb"|(?:set|changed|reset|updated|switched)[ ]to|again|jetzt|nun|noch|nu|ahora|maintenant))?"
    rb"[ \t]*:?[ \t]+"
)
_PARTICLE = (
    rb"[ \t]*"
    + _any("は", "が", "を", "是", "为", "為", "改成", "改为", "设为", "设置为", "는", "은", "이", "가")
    + rb"[ \t]*"
)
_SIGN = (
    rb"[ \t]*(?:=>|->|:=|={1,2}|[:?]|\xe2\x80\xa6|\.\.\.|\xe2\x86\x92|\xe2\x87\x92|\xef\xbc\x9a"
    rb"|\xef\xbc\x9d)[*_]{0,3}[ \t]*|[ \t]+(?:-|\xe2\x80\x93|\xe2\x80\x94)[ \t]+"
)
_SET = rb"[ \t]+(?i:(?:set|reset|changed|updated)[ ]to|to|as|from|auf|zu|von|into|with|using|mit)[ \t]+"
_LINKED = LazyPattern(
    rb"[0-9]?" + _OWNER + rb"[\"'`*_]{0,4}(?:(" + _SAID + rb"|" + _PARTICLE + rb")|(" + _SIGN + rb")|(" + _SET + rb"))"
)
"""Groups: 1 a verb, 2 a sign, 3 ``to`` or the like."""
_BESIDE = LazyPattern(rb"[0-9]?[\"'`*_]{0,4}" + _FOR + rb"[ \t]*")
_OR = LazyPattern(rb"[\"'`*]{0,2},?[ \t]+(?i:or|oder|ou|o|maybe|perhaps)[ \t]+")
_THEN = LazyPattern(rb"[\"'`*]{0,2}[ \t]+(?i:to|auf|zu|a|en|into|by|->|=>)[ \t]+")
"""What precedes the second value of ``changed the password from … to …``."""

_QUOTES = {
    b'"': ('"',),
    b"'": ("'",),
    b"``": ("``",),
    b"`": ("`",),
    "“".encode(): ("”", "“"),
    "„".encode(): ("“", "”"),
    "‘".encode(): ("’",),
    "‚".encode(): ("‘", "’"),
    "«".encode(): ("»",),
    "»".encode(): ("«",),
    "「".encode(): ("」",),
    "『".encode(): ("』",),
}
_OPENING = LazyPattern(rb"[ \t(*_]{0,4}(\"|'|``|`|\xe2\x80[\x9c\x9e\x98\x9a]|\xc2[\xab\xbb]|\xe3\x80[\x8c\x8e])")
_MARKUP = LazyPattern(rb"[ \t]*[*_(\[]{0,3}")
_WORD = LazyPattern(rb"[^\s\"'`<>()\[\]{}|\\,;]+")
_ASCII_WORD = LazyPattern(rb"[!#-&*+\-./0-9:=?@A-Z^_a-z~]+")
_PLAIN_WORDS = LazyPattern(rb"([A-Za-z]{3,12}(?:[ ][A-Za-z]{3,12}){2,23})(?:[.;!?)\"'`]|[ \t]*\r?\n|[ \t]*\z)")
_ENGLISH = LazyPattern(rb"(?i:is|was|'s)[ \t:]+(?i:\w+[ \t:]+)?\z")
_LAST_WORD = LazyPattern(rb"([A-Za-z]{5,24})(?:[.!]{0,3}[ \t]*(?:\r?\n|\z)|[.!][ \t])")
_PLAIN_WORD = LazyPattern(
    rb"([A-Za-z\x80-\xff]{2,24}(?:[\-._][A-Za-z\x80-\xff]{2,24}){0,4})"
    rb"(?:[.!]{0,3}[ \t]*(?:\r?\n|\z)|[.,;:!?)](?:[ \t]|\z)|[ \t]+(?:[(\-\xe2]"
    rb"|(?i:and|but|or|oder|ou|und|aber|et|mais|y|pero|e|ma|i"
    rb"|ale|men|och|en|maar|so|warum|why|when|because|weil|porque|pourquoi|por|for|on|in|until|till|bei|auf|ipv|instead|statt)\b"
    rb"|(?:f\xc3\xbcr|perch\xc3\xa9)[ \t]))"
)
"""Group 1: a word that a part of a sentence ends with."""
_PLAIN_REST = LazyPattern(rb"([A-Za-z\x80-\xff]{2,16}(?:[ ][A-Za-z\x80-\xff]{2,16}){1,5})[.!]{0,3}[ \t]*(?:\r?\n|\z)")
"""Group 1: the words up to the end of the line."""
_FIRST_WORD = LazyPattern(rb"([A-Za-z\x80-\xff]{4,24}(?:[\-._][A-Za-z\x80-\xff]{2,24}){0,4})(?:[ \t.,;:!?)]|\r?\n|\z)")
_WIDE = tuple(mark.encode() for mark in "。、，；！？）」』”’»…")

_USER = rb"[\"'`*(]{0,3}([A-Za-z][\w.@\-]{1,40})[\"'`*]{0,2}"
_VALUE = rb"[\"'`*]{0,3}([^\s\"'`<>()\[\]{}|\\,]{5,128})"
_PAIR = LazyLined(
    rb"(?:^|[^\w:./\-]|[a-z]-)(?i:(log(?:ged|s)?[ \-]?(?:in|on)|logins?|sign(?:ed|s)?[ \-]?in"
    rb"|anmelden|anmeldung|einloggen|zugang(?:sdaten)?"
    rb"|iniciar? sesi(?:\xc3\xb3|o)n|entrar?|acceder?|creds?|credentials?|basic[ \-]?auth"
    rb"|wi-?fi|wlan|ssid)|(?:connect(?:ed|s)?|auth|accounts?|ssh|s?ftp|smtp|imap|rdp|vnc"
    rb"|vpn|user(?:name)?)(?:[ ](?:log-?in|account|user|creds|credentials))?)\b[\"'`*]{0,3}"
    rb"(?:(?:[ \t]+[\w\-]{1,20}){0,2}?[ \t]*([:=])[ \t]*"
    rb"|[ \t]+(?i:(?:is|are|as|with|using|to|on|for|by|the|user|mit|als|con|como|avec|via)[ \t:]+){0,3})"
    + _USER
    + rb"(?:([ \t]+[/|:\-][ \t]+|[/:|])|,?[ \t]+(?i:and|und|y|et|with|mit|con|using|pass\w*|pw)?[ \t]*)"
    + _VALUE
)
"""Groups: 1 a word for a log-in, 2 a sign after it, 3 the user, 4 a sign behind, 5 the word after the user."""
_KNOWN_USER = LazyPattern(
    rb"(?:^|[\s\"'`(])(?i:root|admin|administrator|postgres|sysadmin|superuser|sa|deploy|ubuntu|oracle)"
    rb"(?::[ \t]?|[ \t]+/[ \t]+)([^\s\"'`<>()\[\]{}|\\,/:]{6,64})[\"'`.,;)]{0,2}(?:\s|\z)"
)
"""Group 1: the word after the name of a common account."""
_USED = LazyPattern(
    rb"(?i:\b(?:use|using|try|with|enter)[ ](?:root|admin|administrator|demo|guest|test|user))[ ]"
    rb"(?i:and|&|\+|/|with)[ ][\"'`]?([^\s\"'`<>()\[\]{}|\\,;/:]{5,64})[\"'`]?[ ]"
    rb"(?i:to[ ](?:get|log|sign)[ ](?:in|on)\b)"
)
"""Group 1: what is used with a common account to get in."""
_BRACKETED = LazyPattern(
    rb"[^\s()][ \t]*\((?i:(?:\w+[ ]){0,2}(?:passwor[dt]|passwd|pw|pass|pwd|kennwort|passphrase))\)"
)
"""Starts at the end of the word that brackets call a password."""
_USER_BEFORE = LazyPattern(
    rb"\b(?i:user(?:name)?|log-?in|login|account|root|admin)\b[^\r\n.]{0,40}(?i:and|with|plus|&|\+)[ \t]+\z"
)
_LONGEST_WORD = 128


def nouns(data: bytes) -> Iterator[tuple[Noun, int, int]]:
    """Yield the words for credentials with their spans."""
    for match in _STATED.finditer(data):
        noun = Noun(match.lastindex)
        start, end = match.span(noun.value)
        if b"public" not in data[max(0, start - 12) : start].lower():
            yield noun, start, end


def stated(data: bytes, noun: Noun, start: int, end: int, *, is_typed: bool = False) -> Iterator[Span]:
    """Yield the values that are stated of a credential by its word at ``[start, end)``.

    Args:
        data: The text.
        noun: What the word allows as its value.
        start: Where the word begins.
        end: Where it ends.
        is_typed: A person typed the text into a chat or a memory, where also a common word after ``the password is``
            is one.
    """
    stop = min(_line_end(data, end), end + _REACH)
    linked = _LINKED.match(data, end, stop)
    is_found = False
    if linked is not None:
        link = _Connective(linked.lastindex)
        if link is _Connective.SIGN and linked.end() - end <= _MOST_BLANKS and data[start:end].isalnum():
            link = _Connective.FIELD
        for span in _values(data, linked.end(), stop, noun, link, is_typed=is_typed):
            is_found = True
            yield span
    if not is_found and noun is not Noun.SECRET and _may_stand_alone(data, noun, start, end):
        beside = _BESIDE.match(data, end, stop).end()
        yield from _values(
            data, beside, stop, noun, _Connective.BESIDE if beside - end <= _MOST_BLANKS else _Connective.APART
        )


def _may_stand_alone(data: bytes, noun: Noun, start: int, end: int) -> bool:
    """Return whether the value may follow the word with nothing between; ``pass`` alone is a verb, too."""
    if data[end : end + _MOST_BLANKS].lstrip(_CLOSING)[:1] not in (b" ", b"\t"):
        return False
    if noun is not Noun.PASS or data[max(0, start - 4) : start].rstrip(b" \t")[-1:] in (b",", b";", b"(", b"/"):
        return True
    return _USER_BEFORE.search(data[max(0, start - 60) : start]) is not None


def _line_end(data: bytes, start: int) -> int:
    newline = data.find(b"\n", start, start + _REACH)
    return newline if newline >= 0 else len(data)


def _values(
    data: bytes, start: int, stop: int, noun: Noun, link: _Connective, *, is_typed: bool = False
) -> Iterator[Span]:
    """Yield the value at ``start``, and the second one of a change from one to another."""
    span = _value(data, start, stop, noun, link, is_typed=is_typed)
    if span is None:
        return
    yield span
    follows = _THEN if link is _Connective.SET else _OR if link is _Connective.SAID else None
    then = follows.match(data, span[1], stop) if follows is not None else None
    if then is not None:
        second = _value(data, then.end(), stop, noun, link, is_typed=is_typed)
        if second is not None:
            yield second


def _value(data: bytes, start: int, stop: int, noun: Noun, link: _Connective, *, is_typed: bool = False) -> Span | None:
    opening = _OPENING.match(data, start, stop)
    if opening is not None:
        closed = [
            at for mark in _QUOTES[opening.group(1)] if (at := data.find(mark.encode(), opening.end(), stop)) >= 0
        ]
        if not closed:
            return None
        span = opening.end(), min(closed)
        return span if _is_quoted_value(data[span[0] : span[1]], noun, link) else None
    start = _MARKUP.match(data, start, stop).end()
    plain = (
        _plain(data, start, stop, noun, link, is_typed=is_typed)
        if noun in _PASSWORDS and link is not _Connective.APART
        else None
    )
    if plain is not None:
        return plain
    word = _WORD.match(data, start, stop)
    if word is None or data[word.end() : word.end() + 1] in (b"(", b"[", b"{", b"<", b'"', b"'", b"\\"):
        return None
    if word.group()[0] < 0x80 and any(code >= 0x80 for code in word.group()):
        word = _ASCII_WORD.match(data, start, word.end()) or word
    begin, end = _trimmed(data, *word.span())
    span = begin, end
    return span if _is_value(data[begin:end], noun, link) else None


def _plain(data: bytes, start: int, stop: int, noun: Noun, link: _Connective, *, is_typed: bool) -> Span | None:
    """Return the words without digits or marks that follow a link to a password."""
    if noun is not Noun.PASS and link in (_Connective.SAID, *_SIGNS):
        words = _PLAIN_WORDS.match(data, start, min(len(data), stop + 2))
        least = 3 if noun is Noun.PHRASE else 4
        if words is not None and len(words.group(1).split()) >= least and is_plain_passphrase(words.group(1)):
            return words.start(1), words.end(1)
        if link is _Connective.SAID and _ENGLISH.search(data[max(0, start - 24) : start]) is not None:
            last = _LAST_WORD.match(data, start, min(len(data), stop + 2))
            if last is not None and not is_predicate(last.group(1)):
                return last.start(1), last.end(1)
    sign = data[max(0, start - 4) : start].rstrip(b" \t\"'`*_")[-1:] if link in _SIGNS else b""
    if link in (_Connective.BESIDE, _Connective.SET) and _says_of_foreign(data, start):
        return None
    if data[start - 2 : start] == b"->" or (noun is Noun.PASS and link not in (_Connective.SAID, _Connective.BESIDE)):
        return None
    pattern = _FIRST_WORD if link is _Connective.SET else _PLAIN_WORD
    plain = pattern.match(data, start, min(len(data), stop + 2))
    is_asked = sign == b"?"
    if is_typed and link in (_Connective.SAID, *_SIGNS) and not is_asked:
        rest = _PLAIN_REST.match(data, start, min(len(data), stop + 2))
        if rest is not None and is_plain_answer(rest.group(1), is_phrase=noun is Noun.PHRASE):
            return rest.start(1), rest.end(1)
    is_sure = is_typed and link is not _Connective.BESIDE and noun is not Noun.PASS
    if plain is None or not is_word_password(plain.group(1), is_sure=is_sure, is_said=True):
        return None
    if link is _Connective.SAID and not is_sure and is_predicate(plain.group(1)):
        return None
    # Of an assignment, ``in_fields`` knows whether it is a program's.
    is_line = data[plain.end(1) : plain.end(1) + 1] in (b"", b"\r", b"\n")
    if is_asked and not is_line:
        return None
    if link is _Connective.FIELD and not is_typed and (sign == b"=" or is_line):
        return None
    return plain.start(1), plain.end(1)


def _says_of_foreign(data: bytes, start: int) -> bool:
    """Return whether a word in lower case follows a foreign word for a password unlinked: it is a verb or an adjective,
    which no table here knows.
    """
    return data[start : start + 1].islower() and _FOREIGN_BEFORE.search(data[max(0, start - 40) : start]) is not None


def is_foreign(noun: bytes) -> bool:
    """Return whether a word for a password is not English."""
    return _FOREIGN_NOUN.search(noun) is not None


def _is_quoted_value(value: bytes, noun: Noun, link: _Connective) -> bool:
    if _is_value(value, noun, link):
        return True
    is_given = noun in _PASSWORDS and (noun is not Noun.PASS or link in (_Connective.SAID, *_SIGNS, _Connective.BESIDE))
    if is_given and is_word_password(value, is_sure=False, is_said=True):
        return True
    if noun is Noun.SECRET and link is _Connective.SAID and len(value.split()) > 2:
        return not is_predicate(value)
    if link in _UNLINKED or noun not in (Noun.PHRASE, Noun.PASSWORD) or not 4 <= len(value) <= 120:
        return False
    if link is _Connective.SAID:
        return not is_predicate(value)
    words = len(value.split())
    return noun is Noun.PHRASE and words >= 3 and is_plain_passphrase(value)


def _is_value(value: bytes, noun: Noun, link: _Connective) -> bool:
    if value.isalpha() or is_masked(value) or is_template(value):
        return False
    if noun is Noun.NUMBER:
        return is_typed_code(value, is_linked=link not in _UNLINKED)
    if noun is Noun.SECRET:
        return is_typed_secret(value, is_said=link is _Connective.SAID)
    return is_typed_password(value, is_linked=link not in _UNLINKED) or (
        link is _Connective.BESIDE and has_inner_mark(value)
    )


def _trimmed(data: bytes, start: int, end: int) -> Span:
    """Return the word without the punctuation of the sentence."""
    while end > start:
        if data[end - 1] in b".,;:?*_":
            end -= 1
        elif data[max(start, end - 3) : end].endswith(_WIDE):
            end -= next(len(mark) for mark in _WIDE if data[:end].endswith(mark))
        else:
            break
    return start, end


def log_ins(data: bytes) -> Iterator[Span]:
    """Yield the passwords that follow the name of a user, and what opens or unlocks something."""
    for match in _PAIR.finditer(data):
        is_log_in, is_sign = match.group(1) is not None, match.group(4) is not None
        start, end = _trimmed(data, *match.span(5))
        is_quoted = data[start - 1 : start] in _QUOTES and data[end : end + 1] == data[start - 1 : start]
        if (
            is_log_in
            and (is_quoted or is_sign)
            and data[end : end + 1] != (b"" if is_quoted else b"'")
            and match.group(3).lower() not in FUNCTION_WORDS
            and is_word_password(data[start:end], is_sure=False)
        ):
            yield start, end
        if (is_log_in or is_sign) and _is_log_in(
            data[start:end], is_sign=is_sign or (is_log_in and match.group(2) is not None)
        ):
            yield start, end
    for match in _KNOWN_USER.finditer(data):
        start, end = _trimmed(data, *match.span(1))
        is_close = data[match.start() : start].rstrip(b" \t")[-1:] != b":" or data[start - 1] == 58
        if _is_log_in(data[start:end], is_sign=True) or (is_close and is_word_password(data[start:end], is_sure=False)):
            yield start, end
    for match in _USED.finditer(data):
        if is_typed_password(match.group(1), is_linked=True):
            yield match.span(1)
    for match in _BRACKETED.finditer(data):
        is_call = data[match.start() + 1 : match.start() + 2] == b"("
        start = end = match.start() + 1
        while start > max(0, end - _LONGEST_WORD) and data[start - 1] not in b" \t\r\n\"'`<>()[]{}|\\,":
            start -= 1
        value = data[start:end]
        if _is_log_in(value, is_sign=True) or (not is_call and is_word_password(value, is_sure=False)):
            yield start, end


def _is_log_in(value: bytes, *, is_sign: bool) -> bool:
    """Return whether the word after a user's name is a password: at least two digits, or one that is not a name."""
    return (
        is_strong_password(value)
        or is_chosen_password(value)
        or (is_sign and not value.isdigit() and is_typed_password(value, is_linked=True))
    )
