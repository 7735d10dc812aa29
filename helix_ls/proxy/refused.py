"""Error responses, in the format that the clients of a route read. They contain no path of ours and no traceback."""

from __future__ import annotations

import os
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from helix_core.errors import BusyStoreError, HelixError
from helix_ls.proxy.dialects import dialect_of


class HttpError(Exception):
    """A response with a status of 400 or more; ``message`` names the cause and the next action."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, dict(headers or {})


def answer(error: HttpError, route: str) -> JSONResponse:
    """Return the response for an error of a route."""
    body = dialect_of(route).error(error.status, error.message, error.code)
    return JSONResponse(body, error.status, error.headers)


def _on(request: Request, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    return answer(HttpError(status, code, message, headers), request.scope["path"])


async def on_refused(request: Request, error: Exception) -> Response:
    """Handle an HttpError of a route."""
    assert isinstance(error, HttpError)
    return answer(error, request.scope["path"])


async def on_helix_error(request: Request, error: Exception) -> Response:
    """Handle an expected error of the engine."""
    assert isinstance(error, HelixError)
    home = os.path.expanduser("~")
    # Who asks over HTTP need not know whose machine this is.
    said = str(error).replace(home, "~") if len(home) > 1 else str(error)
    if isinstance(error, BusyStoreError):
        return _on(request, 503, "busy", said, {"retry-after": "1"})
    return _on(request, 400 if error.usage else 500, "usage" if error.usage else "failed", said)


async def on_defect(request: Request, _error: Exception) -> Response:
    """Handle an unexpected exception; the log has its type and place."""
    return _on(request, 500, "defect", "an internal error; see Helix's log, and report it")
