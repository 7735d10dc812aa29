"""The names that announce a secret: ``DB_PASSWORD``, ``apiKey``, ``client-secret``, ``smtpPw``."""

from __future__ import annotations

from typing import Any

from helix_core.secrets.values import LazyPattern

_LONGEST_NAME = 64

# Name parts that denote a secret: DB_PASSWORD, apiKey, client-secret, db.pass, smtpPw.
TELLING = (
    rb"(?i:passw(?:or)?d|passwort|kennwort|passphrase|passcode|pwd|secret|credentials?|mnemonic"
    rb"|(?:api|access|auth|private|secret|signing|encryption|encrypt|license|master|session|account|service|storage"
    rb"|shared)[_\-. ]?key)[\w\-]*"
)
_TOKEN = rb"(?i:token)s?(?:[A-Z0-9_\-][\w\-]*)?"
_OWNED = (
    rb"(?i:root|user|usr|db|admin|adm|my|ftp|smtp|imap|pop3?|mail|sa|ssh|bind|ldap|wifi|wlan"
    rb"|http|proxy|old|new|login|ssl|key|app)"
)
_SHORT = (
    rb"(?:\b|_)(?:" + _OWNED + rb")?(?i:pass|pw|psk|auth|creds?|login)[0-9]{0,2}"
    rb"|[a-z0-9](?:Pass|Pw|PW|Psk|PSK|Auth|Creds?)[0-9]{0,2}|(?i:keys?)[0-9]{0,2}"
)
_SALT = rb"(?:\b|_)(?i:salt|pepper)|[a-z0-9](?:Salt|Pepper)"
NAME = rb"(" + TELLING + rb"|" + _TOKEN + rb"|" + _SHORT + rb"|" + _SALT + rb")"
"""The telling end of a name; ``whole_name`` adds the part before it, which a pattern would try at every word."""
USER_WORDS = (
    rb"(?:user(?:[_\- ]?(?:name|id))?|uid|usr|principal|log-?in(?:[_\- ]?(?:name|id))?|account(?:[_\- ]?name)?|e-?mail"
    rb"|bind_?dn|benutzer(?:name)?|utilisateur|identifiant|usuario|utente|utilizador"
    rb"|usu\xc3\xa1rio|gebruiker(?:snaam)?|anv\xc3\xa4ndar(?:e|namn)|u\xc5\xbcytkownik|u\xc5\xbeivatel"
    rb"|\xd0\xbb\xd0\xbe\xd0\xb3\xd0\xb8\xd0\xbd|\xe7\x94\xa8\xe6\x88\xb7\xe5\x90\x8d|\xe3\x83\xa6\xe3\x83\xbc\xe3\x82\xb6\xe3\x83\xbc\xe5\x90\x8d)"
)
PASSWORD_WORDS = (
    rb"(?:passw(?:or)?d|passwor[dt]|passphrase|passcode|pass|pwd|pw|psw|psk|mdp|mot[ _]de[ _]passe|kennwort|wachtwoord"
    rb"|senha"
    rb"|contrase(?:\xc3\xb1|n)a|has(?:\xc5\x82|l)o|heslo|l(?:\xc3\xb6|o)senord|passord|parol(?:a|\xc4\x83)|pin|auth_string|credentials?"
    rb"|authentication_string|secret|clave|\xd0\xbf\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c|\xe5\xaf\x86\xe7\xa0\x81"
    rb"|\xe3\x83\x91\xe3\x82\xb9\xe3\x83\xaf\xe3\x83\xbc\xe3\x83\x89)"
)
"""Words for a user, and for a password, as names of fields and of columns."""
_PASSWORD = LazyPattern(
    rb"(?i:passwor[dt]|passwd|passphrase|passcode|kennwort)[0-9]{0,2}$"
    rb"|(?:^|[_\-.]|(?i:root|user|usr|db|admin|adm|my|ftp|smtp|imap|mail|sa|bind|ldap))(?i:pass|pw|pwd|psk)[0-9]{0,2}$"
    rb"|[a-z0-9](?:Pass|Pw|PW|Pwd|PWD|Psk|PSK)[0-9]{0,2}$"
)
_SECRET = LazyPattern(rb"(?i)(?:^|[_\-.]|[a-z0-9])secret(?:[_\-]?key)?(?:[_\-]?base)?$")
CLOSE = rb"[\\\"'`\[\])*]{0,6}"


def whole_name(data: bytes, match: Any, group: int = 1) -> bytes:
    """Return the whole name whose telling end a pattern matched: at most ``_LONGEST_NAME`` bytes more."""
    start, end = match.span(group)
    limit = max(0, start - _LONGEST_NAME)
    while start > limit and (data[start - 1 : start].isalnum() or data[start - 1] in b"_.-"):
        start -= 1
    limit = min(len(data), end + _LONGEST_NAME)
    while end < limit and (data[end : end + 1].isalnum() or data[end] in b"_-"):
        end += 1
    return data[start:end]


def names_password(name: bytes) -> bool:
    """Return whether the name is one of a password itself: ``DB_PASS``, no ``passwordField`` and no ``pass`` alone."""
    return _PASSWORD.search(name) is not None and name.lower() not in (b"pass", b"pwd")


def names_secret(name: bytes) -> bool:
    """Return whether the name is one of a secret itself: ``session_secret``, ``SECRET_KEY``."""
    return _SECRET.search(name) is not None
