"""Spans: what an operation did and how long it took, for a process that exports them.

The engine calls the ``Spans`` that its host gave it; ``no_span`` is the default and does nothing. A span has only the
attributes of ``COUNTS``, ``WORDS`` and ``TEXTS``: an exporter drops every other one, so that no path, no symbol and no
quoted line leaves by a new attribute. Imports no OpenTelemetry and opens no connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol, Self

from helix_core.config import Config

NAMES: Mapping[str, str] = {
    "helix.request": "a request to the HTTP server, from its head to the end of its answer",
    "helix.mcp": "a call of an agent's tool",
    "helix.window": "evidence put together as text for a chat model",
    "helix.question": "a question searched for and judged",
    "helix.upstream": "a request to the user's model server, to the end of its answer",
    "helix.index": "files compared with the disk and taken in",
}
"""Every span, and what it covers."""
COUNTS: Mapping[str, str] = {
    "k": "places asked for",
    "returned": "places given",
    "verified": "of them, verified",
    "stale_risk": "of them, at risk of being stale",
    "needs_refresh": "of them, to be read again",
    "known_empty": "whether what is asked is not here",
    "confidence": "how sure the places are, 0 to 1",
    "indexed_share": "share of the files that was searched, 0 to 1",
    "budget": "tokens that the window may have",
    "tokens": "tokens that it has",
    "files": "files that count",
    "added": "of them, new",
    "changed": "of them, changed",
    "removed": "files that are gone",
    "parsed": "files parsed",
    "skipped": "files set aside or left out",
    "status": "status of the HTTP answer",
    "first_byte_ms": "milliseconds to the first byte of the upstream's answer",
}
"""Attributes that are numbers or true or false."""
WORDS: Mapping[str, str] = {
    "verb": "what was asked of the engine: search, packet or context",
    "task": "the task of a packet",
    "route": "the route's pattern, never the path of the request",
    "tool": "the tool's name",
    "became": "what became of a chat's context",
    "ended": "how the upstream's answer, or the work, ended",
    "error": "the type of the exception that ended the span",
}
"""Attributes that are one word of a list of ours."""
TEXTS: Mapping[str, str] = {"query": "the question, secrets masked; only with otel.redact_query = false"}
"""Attributes that hold words of the user."""
Value = bool | int | float | str


class TraceSpan(Protocol):
    """A span that has begun."""

    def set(self, **attributes: Value | None) -> None:
        """Set attributes; None sets nothing."""
        ...


class Spans(Protocol):
    """Begins spans; the one that is current becomes the parent."""

    def __call__(self, name: str, /, **attributes: Value | None) -> AbstractContextManager[TraceSpan]:
        """Return a context manager that lasts as long as the span ``name`` of ``NAMES``."""
        ...


class NoSpan:
    """The span of a process that exports none."""

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def set(self, **attributes: Value | None) -> None:
        """Ignore the attributes."""


_NO_SPAN = NoSpan()


def no_span(name: str, /, **attributes: Value | None) -> NoSpan:  # noqa: ARG001
    """Return a span that does nothing."""
    return _NO_SPAN


def why_off(config: Config) -> str:
    """Return why nothing can be exported although the settings want it; empty where it can, and where it is off."""
    if not config.otel_enabled:
        return ""
    from urllib.parse import urlsplit

    from helix_core.extras import why_missing

    host = urlsplit(config.otel_endpoint).hostname or ""
    if config.otel_endpoint.startswith("http:") and not is_loopback(host) and not config.otel_insecure:
        return (
            "otel.endpoint is another machine and its address is not https; write it with https, "
            "or set otel.insecure to true"
        )
    return why_missing("otel")


def is_loopback(host: str) -> bool:
    """Return whether a host of a URL is this machine."""
    if host == "localhost":
        return True
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def answer_facts(answer: Mapping[str, Any]) -> dict[str, Value]:
    """Return the counts of a ``helix.search/1`` or ``helix.packet/1`` object."""
    facts: dict[str, Value] = {name: len(answer[name]) for name in _VERDICTS if name in answer}
    facts["returned"] = len(answer["items"]) if "items" in answer else sum(int(facts[name]) for name in facts)
    confidence = answer.get("coordinate_confidence", answer.get("confidence"))
    return facts | {"known_empty": answer["known_empty"], "confidence": confidence or 0.0}


_VERDICTS = ("verified", "stale_risk", "needs_refresh")
