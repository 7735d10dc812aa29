"""Detect secrets by what code does with them: a literal that is hashed, opens a key store, signs, answers a prompt or
is compared with what somebody typed, seeds of one-time codes, and log-ins in lists and mappings.

Bytes in, spans out. Each pattern waits for a word that its texts have; at most ``_LONGEST_LIST`` bytes of a list are
read.
"""

from __future__ import annotations

from collections.abc import Iterator

from helix_core.secrets.calls import may_be_user
from helix_core.secrets.letter_odds import has_unlikely_letters
from helix_core.secrets.typed import is_mixed_password, is_plain_passphrase, is_typed_password
from helix_core.secrets.values import (
    LazyPattern,
    is_chosen_password,
    is_masked,
    is_password_in_place,
    is_placeholder,
    is_strong_password,
    looks_chosen,
)
from helix_core.secrets.words import is_lower_phrase, is_plain_answer, is_word_password

Span = tuple[int, int]

_LONGEST_LIST, _MOST_LOG_INS = 4_096, 64
_MOST_LINES = 3
_LITERAL = rb"[bBrRuU@$]{0,2}[\"'`]([^\"'`\r\n\\]{4,128})[\"'`]"
_OPEN = rb"[ ]?\([ \t\r\n]{0,40}(?:\[\][ ]?byte\(|[\w.]{1,40}(?:get_?bytes|Bytes|encode)\()?"
_HASHED = LazyPattern(
    rb"(?:(?i:\b(?:bcrypt|argon2\w*|scrypt|crypt|pbkdf2\w*|passlib\.hash|password_?(?:hasher|encoder|util\w*)(?:\(\))?"
    rb"|bcryptpasswordencoder\(\)|\w+_?crypt)[.:]{1,2}(?:hash(?:pw|_?sync|_?password)?|check_?pw|compare(?:_?sync)?|verify"
    rb"|encode|encrypt|crypt|kdf|generate\w*|create|matches))"
    rb"|(?i:\b(?:password_(?:hash|verify)|generate_password_hash|hash_?password|verify_?password|encrypt_?password"
    rb"|generatefrompassword|rfc2898derivebytes|pbkdf2_?(?:hmac|sha\w+)?|hashlib\.scrypt))"
    rb"|\bBCrypt::Password\.create)"
    + _OPEN
    + rb"(?:[\"']sha-?[0-9]{1,3}[\"'],[ ]?)?"
    + _LITERAL
    + rb"|(?i:\b(?:check_password_hash|compare_?hash_?and_?password|verify_and_update))[ ]?\([^()\"'`\r\n]{1,60},[ ]?"
    rb"(?:\[\][ ]?byte\()?" + _LITERAL
)
"""The group that matched: what a function for passwords hashes or compares."""
_CHARACTERS = LazyPattern(
    rb"(?:\b(?:load|store|init|getKey|setKeyEntry|getEntry)\([^;\r\n\"]{0,120}(?:\"[^\"\r\n]{1,80}\"[^;\r\n\"]{0,60})?"
    rb"|\b(?:PBEKeySpec|PasswordProtection|PasswordAuthentication|PasswordFinder)\([^;\r\n\"]{0,60}"
    rb"(?:\"[^\"\r\n]{1,80}\"[ ]?,[ ]?)?"
    rb"|(?i:passw|passphrase|storepass|keypass|pwd)[^;\r\n\"]{0,60})\"([^\"\r\n\\]{4,128})\"[ ]?\.toCharArray\(\)"
)
"""Group 1: the password of a key store or of a key made of one, which Java takes as characters."""
_SIGNED = LazyPattern(
    rb"(?:\bsignWith\((?:[ ]?[\w.]{1,60},)?|\b(?:set|verify)(?:Signing|With)?Key\(|\bAlgorithm\.HMAC(?:256|384|512)\("
    rb"|\bhmacShaKeyFor\(|\bSymmetricSecurityKey\([^\r\n\"]{0,60})[ ]?\"([^\"\r\n\\]{6,256})\""
)
"""Group 1: by what tokens are signed."""
_ENCODED = LazyPattern(
    rb"\{noop\}([^\s\"'`<>,;(){}$]{3,128})|\{(?i:bcrypt|s?crypt|pbkdf2|argon2|ldap|md[45]|s?sha-?[0-9]{0,3})(?:@[\w.]{1,40})?\}"
    rb"([A-Za-z0-9$./+=,\-]{16,256})"
)
"""The group that matched: what follows the name of its encoder: as it is after ``{noop}``, else hashed (Spring
Security, RFC 2307).
"""
_SEED = LazyPattern(
    rb"(?:\b[TH]OTP(?:\.new)?|\b[Aa]uthenticator\.\w+)\([ ]?[\"']([A-Z2-7 ]{16,128}={0,6})[\"']"
    rb"|(?i:\boathtool)\b[^\r\n]{0,60}[ ][\"']?([A-Z2-7]{16,128}={0,6})"
    rb"|(?i:\b(?:t?otp|2fa|mfa|authenticator)[ _\-]?(?:seed|secret|key)s?)[\"']?[ \t]{0,4}(?:[:=]|is)[ \t]{0,4}[\"'`]?"
    rb"((?:[A-Z2-7]{4}[ \-]?){4,16})\b"
)
"""The group that matched: the seed of one-time codes in base32 (RFC 6238)."""
_PROMPT = rb"(?i:assword|assphrase|asscode|\bPIN)(?:[ ]for[ ][^\"'\r\n]{0,40})?[?:\]*.>][\s?:\]*$.>\\]{0,8}[\"']"
_PROMPTED = LazyPattern(
    _PROMPT
    + rb"(?:[^\"'`;]{0,80}?(?:\b(?i:send\w*|writes?\w*|put\w*|println|enter\w*|answer\w*|respond\w*|response|input"
    rb"|type\w*)[ \t]{0,4}[(= ][ ]{0,4}[bBrRuU]{0,2}|[,:][ ]{0,2}[bBrRuU]{0,2}(?i:sendline|response=))"
    rb"|[ ]?:[ ]?b?|,[ ]b?)"
    rb"[\"']([^\"'`\r\n\\]{4,64})(?:\\[rn]){0,2}[\"']"
)
"""Group 1: what code sends to a prompt for a password."""
_COMPARED = LazyPattern(
    rb"(?i:(?:user\w*|login|account)[\"'\])]{0,3}[ ]?(?:={2,3}|\.equals(?:ignorecase)?\(|-eq)[ ]?"
    rb"[\"'][^\"'\r\n]{1,40}[\"']\)?[ ]?(?:&&|and|-and)[ ]([\w.$\[\]\"'()]{1,40}?)[ ]?(?:={2,3}|\.equals\(|-eq)[ ]?"
    rb"[\"']([^\"'\r\n\\]{4,64})[\"']"
    rb"|\bstr(?:n|case)?cmp\([^\"'\r\n]{0,40}?(?:pass\w{0,10}|pwd|pw|secret|pin),[ ]?[\"']([^\"'\r\n\\]{4,64})[\"']"
    rb"|(?:\b|_)(?:entered|typed|attempt(?:ed)?|supplied|submitted|guess(?:ed)?|pass(?:word|wd|phrase|code)?|pwd|pw)"
    rb"(?:[ _]?(?:input|field|entry|entered|value|text|given|attempt|guess|try|box)|\.value|\.text|\(\))*"
    rb"[\"'\])]{0,3}[ ]?(?:[=!]={1,2}|\.equals\(|-eq|-ne)[ ]?[\"']([^\"'\r\n\\]{6,64})[\"'])"
)
"""Groups: 1 what is compared beside the name of a user, and 2 with what; 3 and 4 what is compared with what somebody
typed.
"""
_TYPED_NAME = LazyPattern(rb"(?i)pass|pwd|pw|pin|secret|entered|typed|given|input|guess|attempt|supplied|submitted")
_COMPARED_FIRST = LazyPattern(
    rb"[\"']([^\"'\r\n\\]{4,64})[\"'](?:[ ]?(?:[=!]={1,2}|-eq|-ne)[ ]?|\.equals\([ ]?|,[ ]?)[\w.$>\-\[\]\"']{0,40}?"
    rb"(?i:(pass(?:word|wd|phrase|code)?|pwd|pw)|secret|token|(?:api|access|private|secret)_?key)[0-9]?"
    rb"(?:[ _]?(?i:input|field|entry|entered|value|text|given|attempt|guess|try)|\(\))*[\"'\])]{0,3}[ ]?"
    rb"(?:[)&|:;{?]|and\b|then\b|\r?\n|\z)"
)
"""Groups: 1 a literal that is compared with what is named behind it, 2 a name of a password."""
_PAIR_OF_AUTH = LazyPattern(
    rb"(?i:(?:\b|_)(?:(basic_?-?auth(?:entication|orization)?|http_?auth|user_?pwd|user_?pass(?:word)?|proxy_?auth)|auth"
    rb"|credentials?|creds|log_?in))[\"'\])]{0,3}[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}(?:\{[ ]?)?[\"'`]?"
    rb"([\w.@+\-]{1,40}):([^\s\"'`<>(){}\[\],;/:]{4,64})[\"'`]?[ \t]{0,2}(?:\r?\n|\z|[,;}\])])"
)
"""Groups: 1 a name that nothing but a log-in has, 2 the user, 3 the password."""
_BLOCK = LazyPattern(
    rb"(?m)^([ \t]*)(?:-[ \t]+)?[\"']?[\w.\-]{0,40}?"
    rb"(?i:pass(?:word|wd|phrase|code)|kennwort|passwort|pwd|secret(?:_?(?:key|phrase|word)s?)?|psk|mnemonic)[\"']?:"
    rb"[ \t]+[|>][+\-0-9]{0,2}[ \t]*\r?\n"
)
"""Group 1: the indentation of a key whose block scalar is a password."""
_IS_LIST = rb"[\"'\])]{0,3}(?:[ ]?:[ ]?[\w\[\], .<>|]{1,60})?[ ]?(?::=|=>|[:=])"
_LISTED = LazyPattern(
    rb"(?:\b|_)(?:((?i:log_?ins?|credentials?|creds|passwords|passwds|ht_?passwd(?:_users)?|user_?passwords"
    rb"|basic_?auth_?users|auth_users))|(?i:accounts|users))" + _IS_LIST + rb"[ ]{0,4}"
    rb"(?:\[\w*\][\w\[\]]{1,20}|map\[string\]string|new[ ][\w<>\[\], ]{1,40}"
    rb"|(?:dict|Map\.of|OrderedDict|new[ ]Map)\(?)?[ ]?[\[({]"
)
"""What a list or a mapping of log-ins begins with. Group 1: a name that says that they have passwords."""
_LISTED_LINES = LazyPattern(
    rb"(?m)^([ \t]*)(?:-[ \t]+)?[\"']?[\w.\-]{0,30}?"
    rb"(?:((?i:log_?ins|credentials|creds|passwords|htpasswd|basic_?auth_?users))|(?i:accounts|users))[\"']?:"
    rb"[ \t]*\r?\n"
)
"""Groups: 1 the indentation of a key above lines of log-ins, 2 a name that says that they have passwords."""
_LOG_IN = LazyPattern(
    rb"[\[({][ \t\r\n]{0,40}[bru]?[\"']([A-Za-z][\w.@+\- ]{1,40})[\"'],\s{0,20}"
    rb"[bru]?[\"']([^\"'\r\n\\]{4,64})[\"'],?\s{0,20}[\])}]"
    rb"|[\"']([A-Za-z][\w.@+\-]{1,40})[\"'][ \t]{0,4}(?::|=>|,)[ \t\r\n]{0,20}[bru]?[\"']([^\"'\r\n\\]{4,64})[\"']"
    rb"|\b([A-Za-z][\w]{1,40})[ \t]{0,4}[:=][ \t]{0,4}[\"']([^\"'\r\n\\]{4,64})[\"']"
)
"""Groups in twos: a user and a password, as a pair, as an entry of a mapping, as a keyword."""
_LINE = LazyPattern(
    rb"([ \t]*)(?:-[ \t]+)?[\"']?([A-Za-z][\w.@+\-]{1,40})[\"']?:[ \t]+"
    rb"[\"']?([^\s\"'#|>&*!{\[][^\s\"'#]{3,63})[\"']?[ \t]*\r?\n"
)
"""Groups: 1 the indentation, 2 a user, 3 a password."""


USAGE_SIGNS = (
    rb"toCharArray|\{(?i:noop|bcrypt|s?crypt|pbkdf2|argon2|ldap|md[45]|s?sha)[\w@.\-]{0,20}\}"
    rb"|(?i:hash_?pw?\(|word_?hash\(|hash_?password\(|check_?pw|b?crypt(?:[.:]|passwordencoder)|compare_?hash"
    rb"|frompassword|2898|passwordencoder\.|pbkdf2\w{0,12}[ ]?[(.:]|scrypt[ ]?[(.]|argon2\w{0,10}[(.:]"
    rb"|passwordhasher\(?\)?\.|passlib\.|verify_(?:and|pass)|encrypt_?password|password_verify)|signWith|(?:Signing|With)Key|\.HMAC|hmacSha|SecurityKey\("
    rb"|OTP(?:\.new)?\(|uthenticator\.|oathtool|(?i:otp|2fa|mfa|authenticator)[ _\-]?(?i:seed|secret|key)"
    rb"|" + _PROMPT + rb"(?:[ ]?[:;)}{]|,[ ]?[\"'bru])"
    rb"|(?i:entered|typed|attempt|submitted|supplied|guess)[\w.\[\]\"'()]{0,20}[ ]?(?:==|\.equals|-eq)"
    rb"|(?i:pass(?:word|wd|phrase|code)?|pwd|pw|(?:user\w*|login|account))[\"'\])]{0,3}(?:[ _]?\w{1,8})?"
    rb"[\"'\])]{0,3}[ ]?(?:==|\.equals\(|-eq)[ ]?[\"']"
    rb"|[\"'](?:[ ]?[!=]={1,2}[ ]?|\.equals\([ ]?|[ ]-(?:eq|ne)[ ])[\w.$>\-\[\]\"']{0,40}"
    rb"(?i:pass|pwd|pw|secret|token|key)|str(?:case)?cmp\("
    rb"|(?i:auth\w*|user_?pwd|user_?pass(?:word)?|credentials?|creds|login)[\"'\])]{0,3}[ \t]{0,4}(?:=>|:=|[:=])"
    rb"[ \t]{0,4}(?:\{[ ]?)?[\"'`]?[\w.@+\-]{1,40}:[^\s/:]"
    rb"|(?i:pass\w*|kennwort|pwd|secret\w*|psk|mnemonic)[\"']?:[ \t]+[|>]"
    rb"|(?i:log_?ins?|credentials?|creds|passwords|passwds|passwd_users|users|accounts)" + _IS_LIST + rb"[ \t]{0,4}"
    rb"(?:\r?\n|[\[({]|map|new|dict|Map)"
)
"""Matches every text that ``in_usages`` searches."""


def in_usages(data: bytes) -> Iterator[Span]:
    """Yield the literals that code uses as passwords, and those in lists of log-ins."""
    for pattern in (_HASHED, _CHARACTERS, _SIGNED):
        for match in pattern.finditer(data):
            group = match.lastindex
            if _is_given(match.group(group)):
                yield match.span(group)
    for match in _ENCODED.finditer(data):
        if match.lastindex == 2 or _is_given(match.group(1)):
            yield match.span(match.lastindex)
    for match in _SEED.finditer(data):
        if _is_seed(match.group(match.lastindex)):
            yield match.span(match.lastindex)
    for match in _PROMPTED.finditer(data):
        if is_word_password(match.group(1), is_sure=True) or _is_shaped(match.group(1)):
            yield match.span(1)
    for match in _COMPARED.finditer(data):
        group = match.lastindex
        value = match.group(group)
        is_typed = group == 2 and _TYPED_NAME.search(match.group(1)) is not None
        if _is_shaped(value) or (is_typed and is_word_password(value, is_sure=True)):
            yield match.span(group)
    for match in _COMPARED_FIRST.finditer(data):
        value = match.group(1)
        is_comparison = (
            data[match.end(1) + 1 : match.end(1) + 2] != b"," or b"strcmp(" in data[match.start() - 12 : match.start()]
        )
        if is_comparison and (_is_shaped(value) or (match.group(2) and is_word_password(value, is_sure=True))):
            yield match.span(1)
    for match in _PAIR_OF_AUTH.finditer(data):
        value = match.group(3)
        is_sure = match.group(1) is not None
        if (is_sure and is_word_password(value, is_sure=True)) or _is_shaped(value):
            yield match.span(3)
    for match in _BLOCK.finditer(data):
        yield from _in_block(data, match.end(), len(match.group(1)))
    yield from _in_lists(data)


def _is_given(value: bytes) -> bool:
    """Return whether a literal is a password in a place that holds only passwords."""
    return is_password_in_place(value) and not is_masked(value)


def _is_shaped(value: bytes) -> bool:
    """Return whether a literal looks like a password: with digits or marks among its letters, and no name."""
    if is_masked(value) or is_placeholder(value):
        return False
    if is_strong_password(value) or is_chosen_password(value) or is_mixed_password(value):
        return True
    return looks_chosen(value) and is_typed_password(value, is_linked=True)


def _is_seed(value: bytes) -> bool:
    letters = value.replace(b" ", b"").replace(b"-", b"").rstrip(b"=")
    has_digit = any(48 <= code <= 57 for code in letters)
    return len(letters) >= 16 and len(set(letters)) >= 6 and (has_digit or has_unlikely_letters(letters))


def _in_block(data: bytes, start: int, indent: int) -> Iterator[Span]:
    """Yield the words of a block scalar of a few lines, each of which may be a part of one password."""
    lines: list[Span] = []
    while start < len(data):
        newline = data.find(b"\n", start)
        end = newline if newline >= 0 else len(data)
        line = data[start:end]
        text = line.strip()
        if text and len(line) - len(line.lstrip(b" \t")) <= indent:
            break
        if text:
            first = start + line.index(text)
            lines.append((first, first + len(text)))
        if len(lines) > _MOST_LINES:
            return
        start = end + 1
    whole = b" ".join(data[first:last] for first, last in lines)
    if whole and not is_masked(whole) and _is_phrase(whole):
        yield from lines


def _is_phrase(value: bytes) -> bool:
    words = value.split()
    if len(words) == 1:
        return is_word_password(value, is_sure=True) or _is_shaped(value)
    letters = b" ".join(word for word in words if word.isalpha())
    if any(_is_shaped(word) for word in words) and len(words) <= _MOST_LINES:
        return True
    return is_plain_passphrase(value) or is_lower_phrase(letters) or is_plain_answer(value, is_phrase=True)


def _in_lists(data: bytes) -> Iterator[Span]:
    """Yield the passwords of lists and mappings of log-ins."""
    reached = 0
    for match in _LISTED.finditer(data):
        if match.start() < reached:
            continue
        stop = _end_of_list(data, match.end() - 1)
        found: list[tuple[bytes, Span]] = []
        for pair in _LOG_IN.finditer(data, match.end() - 1, stop):
            group = pair.lastindex
            found.append((pair.group(group - 1), pair.span(group)))
            if len(found) == _MOST_LOG_INS:
                break
        reached = stop
        yield from _passwords(data, found, is_sure=match.group(1) is not None)
    for match in _LISTED_LINES.finditer(data):
        found = []
        line = _LINE.match(data, match.end())
        indent = len(line.group(1)) if line is not None else 0
        while line is not None and len(line.group(1)) == indent > len(match.group(1)) and len(found) < _MOST_LOG_INS:
            found.append((line.group(2), line.span(3)))
            line = _LINE.match(data, line.end())
        yield from _passwords(data, found, is_sure=match.group(2) is not None)


def _passwords(data: bytes, found: list[tuple[bytes, Span]], *, is_sure: bool) -> Iterator[Span]:
    """Yield the values of users: all that may be passwords where the list is called one of log-ins, else those of a
    list in which one looks like a password anywhere.
    """
    if not found or not all(may_be_user(user) for user, _ in found):
        return
    values = [data[start:end] for _, (start, end) in found]
    shaped = [_is_shaped(value) for value in values]
    is_strong = any(is_strong_password(value) or is_chosen_password(value) for value in values)
    is_told = is_sure or is_strong or (len(values) > 1 and 2 * sum(map(is_mixed_password, values)) >= len(values))
    if not is_told or 2 * sum(shaped) < len(values):
        return
    for (user, span), value, is_one in zip(found, values, shaped, strict=True):
        if user != value and (is_one or (is_sure and is_word_password(value, is_sure=True))):
            yield span


def _end_of_list(data: bytes, start: int) -> int:
    """Return where the bracket at ``start`` closes, as far as a list is read."""
    stop = min(len(data), start + _LONGEST_LIST)
    depth = 0
    for place in range(start, stop):
        code = data[place]
        if code in b"[({":
            depth += 1
        elif code in b"])}":
            depth -= 1
            if depth == 0:
                return place + 1
    return stop
