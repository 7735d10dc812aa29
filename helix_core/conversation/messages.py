"""What the user wrote in a message of the OpenAI chat shape, apart from what editors and agents put around it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MAX_QUESTION = 4_000
MAX_LOOKED_AT = 128 * 1024
MAX_INDENT = 80
# Elements in which editors enclose the user's own words, and the workspace's state.
_ASKED_IN = ("userRequest", "user_query", "user-query", "task", "feedback", "answer", "question", "prompt")
# Elements with workspace state have these names, or names that are not HTML: with _, - or a capital.
_TOLD_IN = frozenset(
    ("context", "attachments", "attachment", "instructions", "rules", "file", "files", "editor", "selection", "skills")
)
_RESULT = "] Result:"


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a message, whether a string or a list of parts, without tool results."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part for part in content if isinstance(part, dict) and part.get("type") in ("text", "input_text")]
    return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))


def own_words(text: str) -> str:
    r"""Return what the user wrote: inside an editor's element for it, else what is outside of every element.

    >>> own_words("<context>open: a.py</context>\n<userRequest>why?</userRequest>")
    'why?'
    """
    text = shortened(text, MAX_LOOKED_AT)
    for name in _ASKED_IN:
        start = text.rfind(f"<{name}>")
        end = text.find(f"</{name}>", start)
        if start >= 0 and end >= 0 and (inner := text[start + len(name) + 2 : end].strip()):
            return inner
    left = _outside(text).strip()
    # Agents that do not use the API's tools send tool results as a user message.
    return "" if left.startswith("[") and _RESULT in left.partition("\n")[0] else left


def shortened(text: str, most: int = MAX_QUESTION) -> str:
    """Return both ends of a long text: people put the question before or after what they paste."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n{text[-half:]}"


def _outside(text: str) -> str:
    """Remove elements: ``<name …>`` at the start of a line up to the last ``</name>``."""
    kept: list[str] = []
    at = 0
    while at < len(text):
        start = _element(text, at)
        if start < 0:
            kept.append(text[at:])
            break
        name = _name(text, start)
        end = text.find(f"</{name}>", start)
        kept.append(text[at:start])
        if end < 0:
            kept.append(text[start:])
            break
        at = end + len(name) + 3
    return "".join(kept)


def _element(text: str, at: int) -> int:
    """Return the offset of the next element, at the start of a line; -1 for none."""
    while (at := text.find("<", at)) >= 0:
        before = text[max(0, at - MAX_INDENT) : at].rpartition("\n")[2]
        if not before.strip() and _name(text, at):
            return at
        at += 1
    return -1


def _name(text: str, start: int) -> str:
    """Return the name of the element opened here, or ""."""
    end = start + 1
    while end < len(text) and end - start < 64 and (text[end].isalnum() or text[end] in "-_"):
        end += 1
    name = text[start + 1 : end]
    is_told = name in _TOLD_IN or (name[:1].isalpha() and (name != name.lower() or "_" in name or "-" in name))
    return name if is_told and text[end : end + 1] in (">", " ") else ""
