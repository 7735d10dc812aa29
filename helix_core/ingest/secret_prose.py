"""Detect secrets that a person states in a sentence: ``the password is …``, ``PIN: …``, ``credentials bob:…``.

Bytes in, spans out. A statement is a word for a credential, optionally what it is for, a link (``is``, ``:``, ``to``, a
blank) and a value. RE2 finds the words over the whole text; link and value are read from at most ``_REACH`` bytes after
each, so that a text is scanned in linear time. How much a value must look like a secret depends on word and link: after
``the password is`` any word with a digit is one, after ``password`` alone it needs more.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from helix_core.ingest.secret_typed import (
    is_mixed_password,
    is_plain_passphrase,
    is_predicate,
    is_typed_code,
    is_typed_password,
    is_typed_secret,
)
from helix_core.ingest.secret_values import (
    LazyPattern,
    is_chosen_password,
    is_masked,
    is_strong_password,
    is_template,
)

Span = tuple[int, int]

_REACH = 240


class _Noun(Enum):
    """What the word for a credential allows as its value."""

    PHRASE = 1
    NUMBER = 2
    PASSWORD = 3
    SECRET = 4
    PASS = 5


class _Link(Enum):
    """What joins word and value: a verb, a sign, ``to`` or ``from``, or nothing."""

    SAID = 1
    SIGN = 2
    SET = 3
    BESIDE = 4


def _any(*words: str) -> bytes:
    return b"(?:" + b"|".join(word.encode() for word in words) + b")"


# Alternatives instead of classes: a pattern sees bytes, and these letters have several.
_FOREIGN = _any(
    *("contrase(?:ñ|Ñ|n)as?", "mots? de passe", "senhas?", "wachtwoord", "has(?:ł|l)o", "l(?:ö|o)senord(?:et)?"),
    *("adgangskoden?", "passord(?:et)?", "salasana(?: on)?", "heslo", "jelsz(?:ó|o)", "parol(?:ă|a)"),
    *("mật khẩu", "kata sandi", "geslo", "lozinka", "slapta(?:ž|z)odis", "clave", "kennwort", "mdp"),
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
_NETWORK = rb"(?:wi-?fi|wlan|wpa[23]?|wireless|vpn|ssid[ ][\w\-]{1,32})[ _\-](?:key|pass|code|schl(?:\xc3\xbc|ue)ssel)"
_PASSWORD = (
    rb"(?i:passw(?:or)?[dt]s?|passcode|(?:\b|_)(?:pwd|pw|p/w|psw|passw|psk|"
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
    rb"|(?i:wi-?fi|wlan|wpa[23]?|wireless|ssid|app[ _\-]key|mdp|psw|p/w)\b|(?i:crypt|lock|protect)[a-z]{0,3} "
    rb"|(?i:schl(?:\xc3\xbc|ue)ssel|chiave|cl\xc3\xa9|clave)|(?:root|admin(?:istrator)?|postgres|sysadmin|superuser|sa|deploy"
    rb"|ubuntu|oracle)(?::| / )|(?i:anmelden|zugang|sftp|rdp|vnc|vpn)"
)
"""A prefilter: matches every line that a statement with none of the usual words can be on."""
_STATED = LazyPattern(
    rb"(?:("
    + rb")|(".join((_PHRASE, _NUMBER, _PASSWORD, _SECRET, rb"(?i:(?:\b|_)pass\b)|[a-z0-9]Pass\b"))
    + rb"))[0-9]?[\"'`*_?,]{0,4}(?:[ \t:=(\[\-s\x80-\xff.;!\r\n]|\z)"
)
"""The groups are in the order of ``_Noun``."""

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
    rb"|here))*[ \t]+(?:(?i:is|was|are|were|be|been|equals|became|becomes|ist|war|lautet|lautete|hei(?:\xc3\x9f|ss)t"
    rb"|wird|es|era|ser\xc3\xa1|est|sera|jest|var|er|je|stays|remains|still)|\xc3[\xa8\xa9\xa4\x88\x89]r?|\xd1\x8d\xd1\x82\xd0\xbe)|'s)"
    rb"(?:[ \t]+(?i:now|still|currently|just|simply|always"
    rb"|(?:set|changed|reset|updated|switched)[ ]to|again|jetzt|nun|noch|ahora|maintenant))?"
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
_THEN = LazyPattern(rb"[\"'`*]{0,2}[ \t]+(?i:to|auf|zu|a|en|into|by|->|=>)[ \t]+")
"""What precedes the second value of ``changed the password from … to …``."""

_QUOTES = {
    b'"': ('"',),
    b"'": ("'",),
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
_OPENING = LazyPattern(rb"[ \t(*_]{0,4}(\"|'|`|\xe2\x80[\x9c\x9e\x98\x9a]|\xc2[\xab\xbb]|\xe3\x80[\x8c\x8e])")
_MARKUP = LazyPattern(rb"[ \t]*[*_(\[]{0,3}")
_WORD = LazyPattern(rb"[^\s\"'`<>()\[\]{}|\\,;]+")
_ASCII_WORD = LazyPattern(rb"[!#-&*+\-./0-9:=?@A-Z^_a-z~]+")
_PLAIN_WORDS = LazyPattern(rb"([A-Za-z]{3,12}(?:[ ][A-Za-z]{3,12}){2,23})(?:[.;!?)\"'`]|[ \t]*\r?\n|[ \t]*\z)")
_ENGLISH = LazyPattern(rb"(?i:is|was|'s)[ \t:]+(?i:\w+[ \t:]+)?\z")
_LAST_WORD = LazyPattern(rb"([A-Za-z]{5,24})(?:[.!]{0,3}[ \t]*(?:\r?\n|\z)|[.!][ \t])")
_WIDE = tuple(mark.encode() for mark in "。、，；！？）」』”’»…")

_USER = rb"[\"'`*(]{0,3}[A-Za-z][\w.@\-]{1,40}[\"'`*]{0,2}"
_VALUE = rb"[\"'`*]{0,3}([^\s\"'`<>()\[\]{}|\\,]{5,128})"
_PAIR = LazyPattern(
    rb"(?:^|[^\w:./\-])(?i:(log(?:ged|s)?[ \-]?(?:in|on)|logins?|sign(?:ed|s)?[ \-]?in|anmelden|zugang(?:sdaten)?"
    rb"|creds?|credentials?|basic[ \-]?auth|wi-?fi|wlan|ssid)"
    rb"|(?:connect(?:ed|s)?|auth|accounts?|ssh|s?ftp|smtp|imap|rdp|vnc"
    rb"|vpn|user(?:name)?)(?:[ ](?:log-?in|account|user|creds|credentials))?)\b[\"'`*]{0,3}"
    rb"(?:[ \t]*([:=])[ \t]*"
    rb"|[ \t]+(?i:(?:is|are|as|with|using|to|on|for|by|the|user|mit|als|con|como|avec|via)[ \t:]+){0,3})"
    + _USER
    + rb"(?:([ \t]+[/|:\-][ \t]+|[/:|])|,?[ \t]+(?i:and|und|y|et|with|mit|con|using|pass\w*|pw)?[ \t]*)"
    + _VALUE
)
"""Groups: 1 a word for a log-in, 2 a sign after it, 3 a sign between user and password, 4 the word after the user."""
_KNOWN_USER = LazyPattern(
    rb"(?:^|[\s\"'`(])(?i:root|admin|administrator|postgres|sysadmin|superuser|sa|deploy|ubuntu|oracle)"
    rb"(?::[ \t]?|[ \t]+/[ \t]+)([^\s\"'`<>()\[\]{}|\\,/:]{6,64})[\"'`.,;)]{0,2}(?:\s|\z)"
)
"""Group 1: the word after the name of a common account."""
_USED = LazyPattern(
    rb"\b(?i:use|try|enter|type|typing|with|using|nimm|usa)[ \t]+"
    + _VALUE
    + rb"[\"'`*]{0,3}[ \t]+(?i:to[ \t]+(?:log|sign"
    rb"|unlock|authenticate|connect|decrypt|get[ ]in)|as[ \t]+(?:(?:the|a|my|our)[ ])?(?:\w+[ ])?pass|als[ \t]+passwor)"
)
"""Group 1: the word that gets one in."""
_GIVEN_AFTER = LazyPattern(
    rb"(?:,|[ \t](?i:to|as|now|be|is|it's|that's|with|type|enter|use|try|says|before,|again,|:))[ \t]+" + _VALUE
)
_COLON_LATER = LazyPattern(
    rb",?(?:[ \t]+[\w'\-]{1,20}){1,5}(?::|,[ \t]+(?i:it's|it[ ]is|its))[ \t]+"
    + _VALUE
    + rb"[\"'`*]{0,3}(?:[ \t]+now)?[ \t]*(?:\r?\n|\z)"
)
"""Group 1: the last word of the line, which a colon later in the sentence gives."""
_GIVEN_BEFORE = LazyPattern(
    rb"(?:^|\s)" + _VALUE + rb"[\"'`*]{0,3}(?:,[ \t]+(?i:that's|it's|that[ ]is)"
    rb"|[ \t]+(?i:is|was|as|for|when|if|at|still|=))[ \t]+(?:[\w\-']+[ \t]+){0,4}[\w\-]*\z"
)
"""Group 1: a word that is given, somewhere after and before the word for a password."""
_OPENED = LazyPattern(
    rb"\b(?i:unlock|decrypt|open|extract|protected|encrypted|locked|secured|entsperren|gesichert)"
    rb"(?:[ \t]+[\w.\-]{1,30}){0,5}?[ \t]+(?i:with|using|by|mit|con)[ \t]+" + _VALUE
)
"""Group 1: a word that opens something."""
_BRACKETED = LazyPattern(
    rb"[^\s()][ \t]*\((?i:(?:\w+[ ]){0,2}(?:passwor[dt]|passwd|pw|pass|pwd|kennwort|passphrase))\)"
)
"""Starts at the end of the word that brackets call a password."""
_LONGEST_WORD = 128


def stated(data: bytes) -> Iterator[Span]:
    """Yield the values that sentences state to be passwords, secrets, or numbers that open something."""
    for match in _STATED.finditer(data):
        noun = _Noun(next(number for number in range(1, 6) if match.group(number) is not None))
        start, end = match.span(noun.value)
        if b"public" in data[max(0, start - 12) : start].lower():
            continue
        stop = min(_line_end(data, end), end + _REACH)
        linked = _LINKED.match(data, end, stop)
        found = list(_values(data, linked.end(), stop, noun, _Link(linked.lastindex))) if linked is not None else []
        yield from found
        if (
            not found
            and noun is not _Noun.SECRET
            and data[match.end() - 1] in b" \t"
            and _may_stand_alone(data, noun, start)
        ):
            yield from _values(data, _BESIDE.match(data, end, stop).end(), stop, noun, _Link.BESIDE)
        if noun in (_Noun.PASSWORD, _Noun.PHRASE):
            yield from _said_near(data, start, end, stop)
    yield from _log_ins(data)


def _may_stand_alone(data: bytes, noun: _Noun, start: int) -> bool:
    """Return whether the value may follow the word with nothing between; ``pass`` alone is a verb, too."""
    return noun is not _Noun.PASS or data[max(0, start - 4) : start].rstrip(b" \t")[-1:] in (b",", b";", b"(", b"/")


def _said_near(data: bytes, start: int, end: int, stop: int) -> Iterator[Span]:
    """Yield the words around the one for a password, in its sentence, that nobody types but as a password."""
    later = _COLON_LATER.match(data, end, min(len(data), stop + 2))
    if later is not None:
        first, last = _trimmed(data, *later.span(1))
        if is_typed_password(data[first:last], is_linked=True):
            yield first, last
    for match in _GIVEN_AFTER.finditer(data, end, stop):
        if not any(code in b"(){}[]=<>" for code in data[end : match.start(1)]):
            yield from _mixed(data, *match.span(1))
    begin = max(data.rfind(b"\n", max(0, start - _REACH // 2), start) + 1, start - _REACH // 2, 0)
    match = _GIVEN_BEFORE.search(data[begin:end])
    if match is not None:
        yield from _mixed(data, begin + match.start(1), begin + match.end(1))


def _mixed(data: bytes, start: int, end: int) -> Iterator[Span]:
    start, end = _trimmed(data, start, end)
    if is_mixed_password(data[start:end]):
        yield start, end


def _line_end(data: bytes, start: int) -> int:
    newline = data.find(b"\n", start, start + _REACH)
    return newline if newline >= 0 else len(data)


def _values(data: bytes, start: int, stop: int, noun: _Noun, link: _Link) -> Iterator[Span]:
    """Yield the value at ``start``, and the second one of a change from one to another."""
    span = _value(data, start, stop, noun, link)
    if span is None:
        return
    yield span
    then = _THEN.match(data, span[1], stop) if link is _Link.SET else None
    if then is not None:
        second = _value(data, then.end(), stop, noun, link)
        if second is not None:
            yield second


def _value(data: bytes, start: int, stop: int, noun: _Noun, link: _Link) -> Span | None:
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
    if noun in (_Noun.PHRASE, _Noun.PASSWORD) and link in (_Link.SAID, _Link.SIGN):
        words = _PLAIN_WORDS.match(data, start, min(len(data), stop + 2))
        least = 3 if noun is _Noun.PHRASE else 4
        if words is not None and len(words.group(1).split()) >= least and is_plain_passphrase(words.group(1)):
            return words.start(1), words.end(1)
        if link is _Link.SAID and _ENGLISH.search(data[max(0, start - 24) : start]) is not None:
            last = _LAST_WORD.match(data, start, min(len(data), stop + 2))
            if last is not None and not is_predicate(last.group(1)):
                return last.start(1), last.end(1)
    word = _WORD.match(data, start, stop)
    if word is None or data[word.end() : word.end() + 1] in (b"(", b"[", b"{", b"<", b'"', b"'", b"\\"):
        return None
    if word.group()[0] < 0x80 and any(code >= 0x80 for code in word.group()):
        word = _ASCII_WORD.match(data, start, word.end()) or word
    begin, end = _trimmed(data, *word.span())
    span = begin, end
    return span if _is_value(data[begin:end], noun, link) else None


def _is_quoted_value(value: bytes, noun: _Noun, link: _Link) -> bool:
    if _is_value(value, noun, link):
        return True
    if link is _Link.BESIDE or noun not in (_Noun.PHRASE, _Noun.PASSWORD) or not 4 <= len(value) <= 120:
        return False
    if link is _Link.SAID:
        return not is_predicate(value)
    words = len(value.split())
    return noun is _Noun.PHRASE and words >= 3 and is_plain_passphrase(value)


def _is_value(value: bytes, noun: _Noun, link: _Link) -> bool:
    if is_masked(value) or is_template(value):
        return False
    if noun is _Noun.NUMBER:
        return is_typed_code(value, is_linked=link is not _Link.BESIDE)
    if noun is _Noun.SECRET:
        return is_typed_secret(value, is_said=link is _Link.SAID)
    return is_typed_password(value, is_linked=link is not _Link.BESIDE)


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


def _log_ins(data: bytes) -> Iterator[Span]:
    for match in _PAIR.finditer(data):
        is_log_in, is_sign = match.group(1) is not None, match.group(3) is not None
        start, end = _trimmed(data, *match.span(4))
        if (is_log_in or is_sign) and _is_log_in(
            data[start:end], is_sign=is_sign or (is_log_in and match.group(2) is not None)
        ):
            yield start, end
    for pattern in (_KNOWN_USER, _USED):
        for match in pattern.finditer(data):
            start, end = _trimmed(data, *match.span(1))
            if _is_log_in(data[start:end], is_sign=True):
                yield start, end
    for match in _OPENED.finditer(data):
        yield from _mixed(data, *match.span(1))
    for match in _BRACKETED.finditer(data):
        start = end = match.start() + 1
        while start > max(0, end - _LONGEST_WORD) and data[start - 1] not in b" \t\r\n\"'`<>()[]{}|\\,":
            start -= 1
        if _is_log_in(data[start:end], is_sign=True):
            yield start, end


def _is_log_in(value: bytes, *, is_sign: bool) -> bool:
    """Return whether the word after a user's name is a password: at least two digits, or one that is no name."""
    return (
        is_strong_password(value)
        or is_chosen_password(value)
        or (is_sign and not value.isdigit() and is_typed_password(value, is_linked=True))
    )
