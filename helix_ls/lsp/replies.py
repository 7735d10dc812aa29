"""Map exceptions to JSON-RPC errors: a code of the protocol and one sentence, without internals. Pure.

The traceback is included only for a client with verbose trace.
"""

from __future__ import annotations

import traceback
from typing import Any

from pygls.exceptions import JsonRpcException

from helix_core.errors import Cancelled, HelixError, LockedStrandError
from helix_ls.lsp.frames import INVALID_REQUEST, PARSE_ERROR

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
CANCELLED = -32800
CONTENT_MODIFIED = -32801
REQUEST_FAILED = -32803

__all__ = [
    "CANCELLED",
    "CONTENT_MODIFIED",
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "METHOD_NOT_FOUND",
    "NOT_INITIALIZED",
    "PARSE_ERROR",
    "REQUEST_FAILED",
    "RequestError",
    "error_reply",
]


class RequestError(Exception):
    """A request that is answered with a JSON-RPC error: ``code`` and one sentence."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def error_reply(error: BaseException, method: str, *, verbose: bool) -> dict[str, Any]:
    """Return the ``error`` object of a failed request (JSON-RPC 2.0 §5.1; codes of LSP 3.17, base protocol)."""
    if isinstance(error, RequestError):
        return {"code": error.code, "message": str(error)}
    if isinstance(error, JsonRpcException):
        return {"code": error.code, "message": error.message}
    if isinstance(error, HelixError):
        # A client asks for the passphrase again instead of showing an error.
        locked = {"data": {"refused": "locked"}} if isinstance(error, LockedStrandError) else {}
        return {"code": _code_of(error), "message": str(error), **locked}
    reply: dict[str, Any] = {
        "code": INTERNAL_ERROR,
        "message": f"{method} failed inside Helix ({type(error).__name__}); see its log, and try again",
    }
    if verbose:
        reply["data"] = {"traceback": traceback.format_exception(error)}
    return reply


def _code_of(error: HelixError) -> int:
    if isinstance(error, Cancelled):
        return CANCELLED
    return INVALID_PARAMS if error.usage else REQUEST_FAILED
