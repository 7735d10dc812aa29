"""An answer in one piece: passed on as it is when it is what it says, else told in the clients' own shape. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from helix_ls.proxy.refused import error_object

MAX_ANSWER_BYTES = 64 * 1024 * 1024
_QUOTED = 500


@dataclass(frozen=True, slots=True)
class Whole:
    """What the client gets; ``is_own`` says that the body is ours and not the upstream's."""

    status: int
    body: bytes
    is_own: bool = False


def checked(status: int, body: bytes, *, hidden: str = "") -> Whole:
    """The answer to pass on. ``hidden`` is never said again in an error."""
    if 300 <= status < 400:
        return own(502, "the upstream redirects, which is not followed; configure the address it redirects to")
    said = _json(body)
    if status < 300:
        if isinstance(said, dict | list):
            return Whole(status, body)
        return own(502, "the upstream's answer is no JSON; see whether its address is right")
    if isinstance(said, dict) and isinstance(said.get("error"), dict) and "message" in said["error"]:
        return Whole(status, body.replace(hidden.encode(), b"[key]") if hidden else body)
    message = _message(said)
    if hidden:
        message = message.replace(hidden, "[key]")
    return own(status, message or f"the upstream answered {status} and no reason; see its log")


def wants_turns(status: int, body: bytes) -> bool:
    """Does a chat template refuse two messages of the user's in a row? Several do, with such words.

    "Conversation roles must alternate user/assistant/user/assistant/…" is Gemma's, Llama 2's and Mistral's.
    """
    return status in (400, 422, 500) and b"must alternate" in body


def own(status: int, message: str, code: str | None = "upstream_error") -> Whole:
    """An error in our words."""
    return Whole(status, json.dumps(error_object(status, message, code)).encode(), is_own=True)


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _message(said: Any) -> str:
    if not isinstance(said, dict):
        return ""
    found = next((said[name] for name in ("error", "message", "detail") if isinstance(said.get(name), str)), "")
    return str(found)[:_QUOTED]
