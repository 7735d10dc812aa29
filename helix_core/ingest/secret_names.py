"""The names that announce a secret: ``DB_PASSWORD``, ``apiKey``, ``client-secret``, ``smtpPw``."""

from __future__ import annotations

from typing import Any

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
NAME = rb"(" + TELLING + rb"|" + _TOKEN + rb"|" + _SHORT + rb")"
"""The telling end of a name; ``whole_name`` adds the part before it, which a pattern would try at every word."""
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
