"""Models that are to answer without thinking: told so, in the way their server documents, where the user set it. Pure.

- ``reasoning_effort``: OpenAI's field, ``none`` or the value given; also read by Ollama and by llama.cpp's server.
- ``chat_template_kwargs``: ``{"enable_thinking": false}`` for the template; read by vLLM, SGLang and llama.cpp.
- ``/no_think``: Qwen3's own word, at the end of the last question; for servers that pass neither field on.

What the client itself says of thinking stays as it is.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from helix_core.errors import ConfigError
from helix_ls.proxy.bodies import Body
from helix_ls.proxy.question import asked

EFFORTS = ("none", "minimal", "low", "medium", "high")
WORD = "/no_think"
_OWN = ("reasoning_effort", "reasoning", "chat_template_kwargs", "think", "thinking")
_HOW = "write MODEL=reasoning_effort, MODEL=reasoning_effort=low, MODEL=chat_template_kwargs or MODEL=/no_think"


@dataclass(frozen=True, slots=True)
class Rule:
    """Models by a pattern as of a shell, whatever the case; ``how`` they are told, with which ``value``."""

    pattern: str
    how: str
    value: Any = None


def rules_of(entries: Sequence[str]) -> tuple[Rule, ...]:
    """The rules of the setting ``proxy.no_thinking``. Raises ConfigError."""
    return tuple(map(_rule, entries))


def without_thinking(body: Body, rules: Sequence[Rule]) -> Body:
    """The body with what the first rule for its model says; the same without one, or where the client said so."""
    model = body.fields.get("model")
    if not rules or not isinstance(model, str) or any(name in body.fields for name in _OWN):
        return body
    rule = next((rule for rule in rules if _fits(model, rule.pattern)), None)
    if rule is None:
        return body
    if rule.how != WORD:
        return _with_member(body, rule.how, rule.value)
    question = asked(body.messages)
    return _with_ending(body, question.index) if question is not None else body


def _rule(entry: str) -> Rule:
    pattern, equals, rest = entry.partition("=")
    how, _, value = rest.strip().partition("=")
    if pattern.strip() and equals:
        match how.strip(), value.strip():
            case "reasoning_effort", effort if effort in ("", *EFFORTS):
                return Rule(pattern.strip().lower(), "reasoning_effort", effort or "none")
            case "chat_template_kwargs", "":
                return Rule(pattern.strip().lower(), "chat_template_kwargs", {"enable_thinking": False})
            case "/no_think", "":
                return Rule(pattern.strip().lower(), WORD)
    raise ConfigError(f"proxy.no_thinking: {entry[:80]!r} says not how; {_HOW}")


def _fits(model: str, pattern: str) -> bool:
    low = model.lower()
    return fnmatchcase(low, pattern) or fnmatchcase(low.rpartition("/")[2], pattern)


def _with_member(body: Body, name: str, value: Any) -> Body:
    at = body.text.index("{") + 1
    written = f"{json.dumps(name)}:{json.dumps(value)},"
    return _changed(body, at, at, written, {**body.fields, name: value})


def _with_ending(body: Body, index: int) -> Body:
    message = dict(body.messages[index])
    said = message.get("content")
    message["content"] = [*said, {"type": "text", "text": WORD}] if isinstance(said, list) else f"{said} {WORD}"
    messages = list(body.messages)
    messages[index] = message
    start, end = body.starts[index], body.ends[index]
    return _changed(body, start, end, json.dumps(message), {**body.fields, "messages": messages})


def _changed(body: Body, start: int, end: int, written: str, fields: dict[str, Any]) -> Body:
    """``written`` in place of the text from ``start`` to ``end``; every other byte as it was."""
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
