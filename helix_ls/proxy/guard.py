"""Authorize requests: one pure decision on the head of a request, before its body is read.

A web page cannot pass: it sends an Origin, or a Host of its own name after DNS rebinding, or no JSON. Another user
cannot pass: the keys are in a folder of the user's own. The ask key is for routes that only read; those that write or
forget need the admin key, which is valid for all. The page of the dashboard is open, as it holds no data; the key of
its session is for the few routes that it shows.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from helix_ls.proxy.sessions import is_session, may_read

MAX_HEAD_BYTES = 32 * 1024
MAX_BODY_BYTES = 32 * 1024 * 1024
# Routes that need no key: to read, and to send a body to.
OPEN_PATHS = frozenset(("/health", "/dashboard", "/dashboard/dashboard.js", "/dashboard/dashboard.css"))
OPEN_POST = "/dashboard/session"
ADMIN = "/admin/"
"""Everything below needs the admin key, also what is not a route."""
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
Scope = Literal["none", "view", "ask", "admin"]


@dataclass(frozen=True, slots=True)
class GuardRules:
    """What is allowed: ``key`` to ask, ``admin_key`` (empty: none) for the rest.

    ``admin_routes`` are the paths that need the admin key: ``route_table.ADMIN_ROUTES``, which the operations declare.
    ``origins`` are the exact origins the user has allowed, besides the server's own; ``clock`` gives Unix seconds.
    """

    port: int
    key: str = field(repr=False)
    admin_key: str = field(default="", repr=False)
    origins: frozenset[bytes] = frozenset()
    clock: Callable[[], float] = time.time
    admin_routes: frozenset[str] = field(kw_only=True)

    @property
    def hosts(self) -> frozenset[bytes]:
        """Return the Host values of this server, each with its exact port."""
        return frozenset(f"{name}:{self.port}".encode() for name in ("127.0.0.1", "localhost", "[::1]"))


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a request; header names in lower case, repeated as sent.

    ``path`` is the whole path, ``route`` the part after the workspace, which is routed.
    """

    method: str
    path: str
    headers: tuple[tuple[bytes, bytes], ...]
    route: str

    def all(self, name: bytes) -> list[bytes]:
        """Return every value of a header."""
        return [value for each, value in self.headers if each == name]

    def one(self, name: bytes) -> bytes:
        """Return the only value of a header; empty for none, or several."""
        values = self.all(name)
        return values[0].strip() if len(values) == 1 else b""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP status, and a sentence with cause and next action."""

    status: int
    code: str
    message: str


_HOST = Refusal(421, "wrong_host", "the Host must be 127.0.0.1 or localhost with this server's port; use that URL")
_ORIGIN = Refusal(403, "origin_refused", "requests from web pages are refused; send them from a program")
_KEY = Refusal(401, "invalid_api_key", "the key is missing or wrong; get it with: helix connect openai --json")
_ADMIN_KEY = Refusal(401, "invalid_api_key", "the key is missing or wrong; get it with: helix connect admin")
_SCOPE = Refusal(
    403, "insufficient_scope", "this key is read-only; get the key for this route with: helix connect admin"
)
_VIEW = Refusal(403, "insufficient_scope", "the dashboard may not do this; use a key of: helix connect openai --json")
FORM = "multipart/form-data"
# Routes that take a file in a form, as OpenAI's API does. A page's form cannot send the key.
FORM_PATHS = frozenset(
    ("/v1/audio/transcriptions", "/v1/audio/translations", "/v1/images/edits", "/v1/images/variations")
)
# Routes of the APIs whose clients send the key as x-api-key: Anthropic's. With a wrong base URL they ask other paths,
# and are to hear of the path, not of the key.
_API_KEY_PATHS = ("/v1/messages", "/v1/models", "/v1/v1/messages", "/v1/v1/models", "/messages", "/models")
_TYPE = Refusal(415, "not_json", "the body must be application/json; set Content-Type to that")
_FORM = Refusal(415, "not_form", "the body must be multipart/form-data; send the file in a form")
_PACKED = Refusal(415, "compressed_body", "compressed bodies are not supported; send the body uncompressed")
_HEAD = Refusal(431, "head_too_large", f"the request headers are larger than {MAX_HEAD_BYTES // 1024} KiB; send less")
BODY = Refusal(413, "body_too_large", f"the body is larger than {MAX_BODY_BYTES // 1024 // 1024} MiB; send less")


def refusal(head: Head, rules: GuardRules) -> Refusal | None:
    """Return why this request is refused, or None to admit it."""
    if sum(len(name) + len(value) for name, value in head.headers) > MAX_HEAD_BYTES:
        return _HEAD
    if head.one(b"host").lower() not in rules.hosts:
        return _HOST
    if not _is_own_origin(head, rules):
        return _ORIGIN
    if not _is_open(head):
        scope = scope_of(head, rules)
        if scope == "none":
            return _ADMIN_KEY if needs_admin(head.route, rules) else _KEY
        if scope != "admin" and needs_admin(head.route, rules):
            return _SCOPE
        if scope == "view" and not may_read(head.route):
            return _VIEW
    if head.method in _BODILESS or _has_no_body(head):
        return None
    media = head.one(b"content-type").partition(b";")[0].strip().lower().decode("latin-1")
    if media != (FORM if head.route in FORM_PATHS else "application/json"):
        return _FORM if head.route in FORM_PATHS else _TYPE
    if any(value.strip().lower() not in (b"", b"identity") for value in head.all(b"content-encoding")):
        return _PACKED
    length = head.one(b"content-length")
    return BODY if length.isdigit() and int(length[:12]) > MAX_BODY_BYTES else None


def scope_of(head: Head, rules: GuardRules) -> Scope:
    """Return the scope of the request's key, which Anthropic's clients send as ``x-api-key``.

    Both keys are always compared, in constant time.
    """
    scheme, _, credentials = head.one(b"authorization").partition(b" ")
    scopes = [_scope(credentials.strip() if scheme.lower() == b"bearer" else b"", rules)]
    if any(head.route == path or head.route.startswith(f"{path}/") for path in _API_KEY_PATHS):
        scopes.append(_scope(head.one(b"x-api-key"), rules))
    return max(scopes, key=_SCOPES.index)


_SCOPES: tuple[Scope, ...] = ("none", "view", "ask", "admin")


def _scope(key: bytes, rules: GuardRules) -> Scope:
    asks = hmac.compare_digest(key, rules.key.encode())
    administers = hmac.compare_digest(key, rules.admin_key.encode()) and bool(rules.admin_key)
    if administers or asks:
        return "admin" if administers else "ask"
    return "view" if is_session(key, rules.key, rules.port, rules.clock()) else "none"


def needs_admin(route: str, rules: GuardRules) -> bool:
    """Return whether the route writes or forgets."""
    return route.startswith(ADMIN) or route in rules.admin_routes


def _is_own_origin(head: Head, rules: GuardRules) -> bool:
    """Return whether no other page sends this. The only page of this server's own origin is the dashboard, and it has
    no other host.
    """
    own = rules.origins | {b"http://" + head.one(b"host").lower()}
    if any(origin.strip() not in own for origin in head.all(b"origin")):
        return False
    return all(site.strip().lower() in (b"none", b"same-origin") for site in head.all(b"sec-fetch-site"))


def _is_open(head: Head) -> bool:
    return (head.path in OPEN_PATHS and head.method in ("GET", "HEAD")) or (
        head.path == OPEN_POST and head.method == "POST"
    )


def _has_no_body(head: Head) -> bool:
    """Return whether the request has no body, and so is not a form. A POST must declare it."""
    lengths = [value.strip() for value in head.all(b"content-length")]
    return not head.all(b"transfer-encoding") and (lengths == [b"0"] or (not lengths and head.method != "POST"))


def head_of(method: str, path: str, headers: Iterable[tuple[bytes, bytes]], route: str | None = None) -> Head:
    """Build the head from the server's values."""
    lowered = tuple((bytes(name).lower(), bytes(value)) for name, value in headers)
    return Head(method, path, lowered, path if route is None else route)
