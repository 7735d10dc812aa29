"""Error responses in OpenAI's format. They contain no path of ours and no traceback."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from helix_core.errors import BusyStoreError, HelixError

_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


class HttpError(Exception):
    """A response with a status of 400 or more; ``message`` names the cause and the next action."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, dict(headers or {})


def type_of(status: int) -> str:
    """Return the error type that clients map to an exception."""
    return _TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")


def error_object(status: int, message: str, code: str | None) -> dict[str, Any]:
    """Return ``{"error": {message, type, param, code}}``."""
    return {"error": {"message": message, "type": type_of(status), "param": None, "code": code}}


def answer(error: HttpError) -> JSONResponse:
    """Return the response for an error."""
    return JSONResponse(error_object(error.status, error.message, error.code), error.status, error.headers)


async def on_refused(_request: Request, error: Exception) -> JSONResponse:
    """Handle an HttpError of a route."""
    assert isinstance(error, HttpError)
    return answer(error)


async def on_helix_error(_request: Request, error: Exception) -> JSONResponse:
    """Handle an expected error of the engine."""
    assert isinstance(error, HelixError)
    if isinstance(error, BusyStoreError):
        return answer(HttpError(503, "busy", str(error), {"retry-after": "1"}))
    status = 400 if error.usage else 500
    return answer(HttpError(status, "usage" if error.usage else "failed", str(error)))


async def on_unknown(request: Request, _error: Exception) -> JSONResponse:
    """Handle an unknown route (404)."""
    return answer(HttpError(404, "unknown_route", f"there is no {request.method} of that path here"))


async def on_method(request: Request, error: Exception) -> JSONResponse:
    """Handle a wrong method; the response names the allowed ones (RFC 9110, 15.5.6)."""
    allowed = (error.headers if isinstance(error, HTTPException) else None) or {}
    return answer(HttpError(405, "method_not_allowed", f"{request.method} is not for this path", allowed))


async def on_defect(_request: Request, _error: Exception) -> JSONResponse:
    """Handle an unexpected exception; the log has its type and place."""
    return answer(HttpError(500, "defect", "a defect of Helix; its log names the place, please report it"))
