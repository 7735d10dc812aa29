"""A browser reads the dashboard by a ticket, valid once and for two minutes, which it exchanges for a session's key.

Both are signed with the user's ask key (HMAC-SHA-256, RFC 2104) and bound to the server's port, so that who can read
that key alone can make a ticket. The ticket travels in the fragment of an address, which a browser sends
to no server. A session reads the routes of ``READS``, and no other; it ends by itself. What was used is in memory only,
so a server takes no ticket that was made before it started.
"""

from __future__ import annotations

import hmac
import re
import secrets
from hashlib import sha256

TICKET_S, SESSION_S = 120, 12 * 3_600
MOST_USED = 10_000
READS = frozenset(
    (
        *("/stats", "/activity", "/freshness", "/hitl/recent"),
        *("/memory/graph", "/memory/log", "/memory/diff", "/memory/review"),
    )
)
"""The routes that a session may read; and ``SENT``, followed by the id of a packet."""
SENT = "/context/sent/"
_SESSION = "helix-view-"
_SIGNED = re.compile(r"(\d{1,12})\.([A-Za-z0-9_-]{22})\.([0-9a-f]{64})")


def ticket(key: str, port: int, now: float) -> str:
    """Return a ticket for the server on ``port``; ``now`` is in Unix seconds."""
    return _signed("ticket", key, port, int(now) + TICKET_S)


def session_key(key: str, port: int, now: float) -> str:
    """Return the key of a new session."""
    return _SESSION + _signed("session", key, port, int(now) + SESSION_S)


def is_session(cookie: bytes, key: str, port: int, now: float) -> bool:
    """Return whether this is the key of a session of the server on ``port`` that has not ended."""
    text = cookie.decode("latin-1")
    return text.startswith(_SESSION) and _ends_at("session", text.removeprefix(_SESSION), key, port) > now


def may_read(route: str) -> bool:
    """Return whether a session may read the route."""
    return route in READS or (route.startswith(SENT) and "/" not in route.removeprefix(SENT))


class Tickets:
    """The tickets that were used, until they are no longer valid. Bound to one event loop.

    ``started`` is when the server started, in Unix seconds: one before it may have taken any ticket made earlier.
    """

    def __init__(self, key: str, port: int, started: float) -> None:
        self._key, self._port = key, port
        # A ticket knows the whole second in which it was made.
        self._first_second = int(started)
        self._used: dict[str, float] = {}

    def take(self, token: str, now: float) -> str:
        """Return the key of a session for a ticket; empty if it is wrong, used, too old or of before the start."""
        ends_at = _ends_at("ticket", token, self._key, self._port)
        self._used = {one: until for one, until in self._used.items() if until > now}
        if ends_at <= now or ends_at - TICKET_S < self._first_second:
            return ""
        if token in self._used or len(self._used) >= MOST_USED:
            return ""
        self._used[token] = ends_at
        return session_key(self._key, self._port, now)


def _signed(kind: str, key: str, port: int, ends_at: int) -> str:
    nonce = secrets.token_urlsafe(16)
    return f"{ends_at}.{nonce}.{_mac(kind, key, port, f'{ends_at}.{nonce}')}"


def _ends_at(kind: str, token: str, key: str, port: int) -> float:
    """Return when a signed text ends, in Unix seconds; 0 for one that is not signed for this."""
    parts = _SIGNED.fullmatch(token)
    if parts is None:
        return 0.0
    ends_at, nonce, mac = parts.groups()
    is_ours = hmac.compare_digest(mac, _mac(kind, key, port, f"{ends_at}.{nonce}"))
    return float(ends_at) if is_ours else 0.0


def _mac(kind: str, key: str, port: int, content: str) -> str:
    return hmac.new(key.encode(), f"helix-dashboard-{kind}\n{port}\n{content}".encode(), sha256).hexdigest()
