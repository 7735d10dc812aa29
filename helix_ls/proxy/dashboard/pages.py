"""The routes of the dashboard's page: its files as they were built, and a session for a ticket."""

from __future__ import annotations

import time
from functools import cache
from hashlib import sha256
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from helix_ls.operations.hosting import DASHBOARD_SESSION
from helix_ls.proxy.guard import GuardRules
from helix_ls.proxy.refused import HttpError
from helix_ls.proxy.routes import members
from helix_ls.proxy.sessions import SESSION_S, Tickets

PAGE = "/dashboard"
FILES = {
    PAGE: ("index.html", "text/html; charset=utf-8"),
    f"{PAGE}/dashboard.js": ("dashboard.js", "text/javascript; charset=utf-8"),
    f"{PAGE}/dashboard.css": ("dashboard.css", "text/css; charset=utf-8"),
}
"""Route → file in ``built`` and its type."""
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
"""Content Security Policy (level 3): the page runs its own script, and reaches no host but this server."""
_HEADERS = {
    # Asked again each time, by the ETag: another version of Helix may serve the same port.
    "cache-control": "no-cache",
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


@cache
def _built(name: str) -> tuple[bytes, str]:
    """Return a file of the page and its ETag."""
    data = files(__package__).joinpath("built", name).read_bytes()
    return data, f'"{sha256(data).hexdigest()[:32]}"'


class Dashboard:
    """The page of one server, for browsers."""

    def __init__(self, rules: GuardRules) -> None:
        self._tickets = Tickets(rules.key, rules.port, time.time())

    async def page(self, request: Request) -> Response:
        """Handle the page and its two files; 304 where the browser has them."""
        name, media = FILES[request.scope["path"]]
        data, tag = _built(name)
        headers = _HEADERS | {"etag": tag}
        if tag in (known.strip() for known in request.headers.get("if-none-match", "").split(",")):
            return Response(status_code=304, headers=headers)
        return Response(data, headers=headers | {"content-type": media})

    async def session(self, request: Request) -> Response:
        """Handle ``/dashboard/session``: the key of a session for a ticket; 401 for one that is not valid."""
        given = await members(request, DASHBOARD_SESSION)
        key = self._tickets.take(given.ticket, time.time())
        if not key:
            message = (
                "this link was used before, is older than two minutes or than the server's start;"
                " get another with: helix dashboard"
            )
            raise HttpError(401, "invalid_ticket", message)
        answer = {"schema": DASHBOARD_SESSION.answer, "key": key, "ends_in_s": SESSION_S}
        return JSONResponse(answer, headers={"cache-control": "no-store"})
