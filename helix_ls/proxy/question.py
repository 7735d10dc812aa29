"""Extract a chat's question, find the place for its evidence, and disable thinking for some models. Pure."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from helix_core.conversation import own_words, shortened, text_of
from helix_core.errors import ConfigError
from helix_ls.proxy.bodies import Body
from helix_ls.proxy.dialects import CHAT
from helix_ls.proxy.dialects.responses import REASONING


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    """The question, and the index of its message."""

    text: str
    index: int


def last_question(messages: list[Any]) -> ChatQuestion | None:
    """Return the last real question of the user; messages with only workspace state or tool results are skipped."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, dict) and message.get("role") == "user" and (own := own_words(text_of(message))):
            return ChatQuestion(shortened(own), index)
    return None


def place_for(messages: list[Any], question: int) -> int:
    """Return the index to insert the block before: the question's, or an earlier one while a tool call waits for its
    result.
    """
    waiting: set[str] = set()
    place = 0
    for index, message in enumerate(messages[: question + 1]):
        if not waiting:
            place = index
        if isinstance(message, dict):
            waiting |= _called(message)
            waiting.discard(str(message.get("tool_call_id")))
    while place > 0 and isinstance(before := messages[place - 1], dict) and before.get("role") == REASONING:
        # What a model thought must be followed by what it did then.
        place -= 1
    return place


def _called(message: dict[str, Any]) -> set[str]:
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return set()
    return {str(call.get("id")) for call in calls if isinstance(call, dict)}


EFFORTS = ("none", "minimal", "low", "medium", "high")
WORD = "/no_think"
_OWN = ("reasoning_effort", "reasoning", "chat_template_kwargs", "think", "thinking")
_HOW = "write MODEL=reasoning_effort, MODEL=reasoning_effort=low, MODEL=chat_template_kwargs or MODEL=/no_think"


@dataclass(frozen=True, slots=True)
class ThinkingRule:
    """A case-insensitive shell pattern of models; ``how`` and with which ``value`` thinking is disabled."""

    pattern: str
    how: str
    value: Any = None


def rules_of(entries: Sequence[str]) -> tuple[ThinkingRule, ...]:
    """Parse the setting ``proxy.no_thinking``. Raises ConfigError."""
    return tuple(map(_rule, entries))


def without_thinking(body: Body, rules: Sequence[ThinkingRule]) -> Body:
    """Apply the first matching rule to a chat completion; unchanged without one, or if the client set it itself."""
    model = body.fields.get("model")
    is_chat = body.dialect is CHAT
    if not rules or not is_chat or not isinstance(model, str) or any(name in body.fields for name in _OWN):
        return body
    rule = next((rule for rule in rules if _fits(model, rule.pattern)), None)
    if rule is None:
        return body
    if rule.how != WORD:
        return _with_member(body, rule.how, rule.value)
    # Every question, because each was the last one once: what an upstream has cached must stay as it was sent.
    return _with_endings(body, _questions(body.messages))


def _rule(entry: str) -> ThinkingRule:
    pattern, equals, rest = entry.partition("=")
    how, _, value = rest.strip().partition("=")
    if pattern.strip() and equals:
        match how.strip(), value.strip():
            case "reasoning_effort", effort if effort in ("", *EFFORTS):
                return ThinkingRule(pattern.strip().lower(), "reasoning_effort", effort or "none")
            case "chat_template_kwargs", "":
                return ThinkingRule(pattern.strip().lower(), "chat_template_kwargs", {"enable_thinking": False})
            case "/no_think", "":
                return ThinkingRule(pattern.strip().lower(), WORD)
    raise ConfigError(f"proxy.no_thinking: {entry[:80]!r} says not how; {_HOW}")


def _fits(model: str, pattern: str) -> bool:
    low = model.lower()
    return fnmatchcase(low, pattern) or fnmatchcase(low.rpartition("/")[2], pattern)


def _with_member(body: Body, name: str, value: Any) -> Body:
    at = body.text.index("{") + 1
    written = f"{json.dumps(name)}:{json.dumps(value)},"
    return _changed(body, at, at, written, {**body.fields, name: value})


def _questions(messages: list[Any]) -> set[int]:
    return {
        index
        for index, message in enumerate(messages)
        if isinstance(message, dict) and message.get("role") == "user" and own_words(text_of(message))
    }


def _with_endings(body: Body, questions: set[int]) -> Body:
    messages = list(body.messages)
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = more = 0
    for index, (start, end) in enumerate(zip(body.starts, body.ends, strict=True)):
        starts.append(start + more)
        if index in questions:
            messages[index] = message = _ended(messages[index])
            written = json.dumps(message)
            parts += (body.text[done:start], written)
            done, more = end, more + len(written) - (end - start)
        ends.append(end + more)
    begin, last = body.model
    moved = more if body.starts and begin > body.starts[0] else 0
    return dataclasses.replace(
        body,
        text="".join((*parts, body.text[done:])),
        fields={**body.fields, "messages": messages},
        starts=tuple(starts),
        ends=tuple(ends),
        model=(begin + moved, last + moved),
    )


def _ended(message: dict[str, Any]) -> dict[str, Any]:
    text = message.get("content")
    content = [*text, {"type": "text", "text": WORD}] if isinstance(text, list) else f"{text} {WORD}"
    return {**message, "content": content}


def _changed(body: Body, start: int, end: int, written: str, fields: dict[str, Any]) -> Body:
    """Replace the text from ``start`` to ``end`` by ``written``; every other byte is unchanged."""
    more = len(written) - (end - start)

    def moved(at: int) -> int:
        return at + more if at >= end else at

    return dataclasses.replace(
        body,
        text=f"{body.text[:start]}{written}{body.text[end:]}",
        fields=fields,
        starts=tuple(moved(at) for at in body.starts),
        ends=tuple(moved(at) for at in body.ends),
        model=(moved(body.model[0]), moved(body.model[1])),
    )
