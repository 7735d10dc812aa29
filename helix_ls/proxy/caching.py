"""Providers' prompt caches: what an answer says was read from one, and where a request marks the end of a prefix. Pure.

OpenAI, DeepSeek and local servers match the longest prefix by themselves. Anthropic matches only at marks, of which a
request may have four (docs.anthropic.com, prompt caching), and so do the gateways that pass its models on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

MARK: dict[str, Any] = {"cache_control": {"type": "ephemeral"}}
MARKS = frozenset(("cache_control", "prompt_cache_breakpoint"))
"""Members by which a client marks where a provider's cache ends."""
_OWN = frozenset((*MARKS, "prompt_cache_options"))
_UNMARKABLE = ("thinking", "redacted_thinking")
_GATEWAYS = ("openrouter.ai",)


@dataclass(frozen=True, slots=True)
class PromptUsage:
    """Tokens of a prompt, of which ``cached`` were read from the upstream's cache."""

    prompt: int
    cached: int


class UsageReader:
    """Reads the usage of one answer from its events or its whole object, in any dialect; the last word counts."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: PromptUsage | None = None

    @property
    def usage(self) -> PromptUsage | None:
        """Return what the answer said; None when it said nothing."""
        return self._last

    def read(self, event: Mapping[str, Any]) -> None:
        """Read one event, or a whole answer."""
        for holder in (event, event.get("message"), event.get("response")):
            if isinstance(holder, Mapping) and isinstance(usage := holder.get("usage"), Mapping):
                found = _openai(usage) or _anthropic(usage)
                # Anthropic's later events repeat the usage without the prompt's part of it.
                if found is not None and (found.prompt or self._last is None):
                    self._last = found


def usage_of(data: bytes) -> PromptUsage | None:
    """Return the usage of a whole answer; None when it says nothing."""
    reader, answer = UsageReader(), json.loads(data)
    if isinstance(answer, dict):
        reader.read(answer)
    return reader.usage


def _openai(usage: Mapping[str, Any]) -> PromptUsage | None:
    """Read the usage of chats and responses, DeepSeek's and Moonshot's included: the prompt counts the cached ones."""
    for total, details in (("prompt_tokens", "prompt_tokens_details"), ("input_tokens", "input_tokens_details")):
        prompt, more = _count(usage.get(total)), usage.get(details)
        if prompt is None or (total == "input_tokens" and not isinstance(more, Mapping)):
            continue
        given = [usage.get("prompt_cache_hit_tokens"), usage.get("cached_tokens"), usage.get("cache_read_input_tokens")]
        told = [more.get("cached_tokens") if isinstance(more, Mapping) else None, *given]
        cached = next((count for each in told if (count := _count(each)) is not None), 0)
        return PromptUsage(prompt, min(cached, prompt))
    return None


def _anthropic(usage: Mapping[str, Any]) -> PromptUsage | None:
    """Read the usage of messages: the prompt has three parts."""
    new = _count(usage.get("input_tokens"))
    if new is None:
        return None
    cached, written = (_count(usage.get(f"cache_{what}_input_tokens")) or 0 for what in ("read", "creation"))
    return PromptUsage(new + cached + written, cached)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def needs_marks(base: str, model: str) -> bool:
    """Return whether the upstream at ``base`` caches this model's prompts only up to marks in messages."""
    host = urlsplit(base).hostname or ""
    through_gateway = any(host == each or host.endswith(f".{each}") for each in _GATEWAYS)
    return host == "api.anthropic.com" or (through_gateway and model.lower().lstrip("~").startswith("anthropic/"))


def marks_of(fields: Mapping[str, Any]) -> int:
    """Count the marks that a client set itself: in tools, system, messages and their parts, and for the request."""
    count = sum(name in fields for name in _OWN)
    for name in ("tools", "system", "messages", "input"):
        count += _marks_in(fields.get(name), 3)
    return count


def _marks_in(value: Any, depth: int) -> int:
    if depth == 0 or not isinstance(value, list):
        return 0
    return sum(
        sum(name in each for name in MARKS) + _marks_in(each.get("content"), depth - 1)
        for each in value
        if isinstance(each, Mapping)
    )


def message_to_mark(fields: Mapping[str, Any], messages: Sequence[Any], place: int) -> int | None:
    """Return the message whose end is marked, the last one before the new evidence at ``place`` that has content.

    None where the client marks its prompt itself, or where nothing precedes the evidence. So a request never has more
    marks than its client set, or one.
    """
    if marks_of(fields):
        return None
    for at in range(place - 1, -1, -1):
        content = messages[at].get("content") if isinstance(messages[at], Mapping) else None
        if isinstance(content, str) and content.strip():
            return at
        if isinstance(content, list) and content and isinstance(last := content[-1], Mapping) and _can_be_marked(last):
            return at
    return None


def _can_be_marked(part: Mapping[str, Any]) -> bool:
    kind = part.get("type")
    return bool(str(part.get("text", "")).strip()) if kind == "text" else kind not in _UNMARKABLE
