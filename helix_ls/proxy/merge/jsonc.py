"""JSON as editors keep it, with comments and commas too many: one member put into it, in its place.

RFC 8259, and of JavaScript only comments, commas before a closing bracket and a byte order mark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from helix_ls.proxy.merge.error import MergeError

MAX_DEPTH = 100
_TRIVIA = re.compile(r"(?:[ \t\r\n\ufeff]|//[^\n]*|/\*(?s:.*?)\*/)*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")


@dataclass(slots=True)
class Node:
    """A value, the span it takes, and of an object its members by name."""

    start: int
    end: int
    value: Any
    members: dict[str, Node] = field(default_factory=dict)


def parsed(text: str) -> Any:
    """What it says. Raises MergeError."""
    return _whole(text).value


def with_member(text: str, path: Sequence[str], value: Any) -> str:
    """The text with ``value`` at the end of the path; objects on the way are made where there are none.

    Raises MergeError, also where something else than an object is in the way.
    """
    text = text if text.strip("\ufeff \t\r\n") else "{}\n"
    root = _whole(text)
    wanted = merged(root.value, path, value)
    if wanted == root.value:
        return text
    node, depth = root, 0
    while depth < len(path) - 1 and path[depth] in node.members:
        node, depth = node.members[path[depth]], depth + 1
    for name in reversed(path[depth + 1 :]):
        value = {name: value}
    new = _put(text, node, path[depth], value)
    if "\r\n" in text:
        new = re.sub(r"(?<!\r)\n", "\r\n", new)
    if parsed(new) != wanted:
        raise MergeError("the entry cannot be put in its place")
    return new


def merged(value: Any, path: Sequence[str], entry: Any) -> Any:
    """The value with the entry at the path. Raises MergeError."""
    if not path:
        return entry
    if not isinstance(value, dict):
        raise MergeError(f"{path[0]} should go into something that is no object")
    return {**value, path[0]: merged(value.get(path[0], {}), path[1:], entry)}


def _put(text: str, node: Node, name: str, value: Any) -> str:
    indent, unit = _indents(text, node)
    shown = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"\n{indent}")
    if name in node.members:
        old = node.members[name]
        return f"{text[: old.start]}{shown}{text[old.end :]}"
    closing = node.end - 1
    kept = len(text[:closing].rstrip(" \t\r\n"))
    member = f"\n{indent}{json.dumps(name)}: {shown}"
    tail = text[kept:] if "\n" in text[kept:closing] else f"\n{_indent_of(text, node.start)}{text[closing:]}"
    if not node.members:
        return f"{text[:kept]}{member}{tail}"
    last = max(member.end for member in node.members.values())
    has_comma = text[_skip(text, last)] == ","
    return f"{text[:last]}{'' if has_comma else ','}{text[last:kept]}{member}{',' if has_comma else ''}{tail}"


def _indents(text: str, node: Node) -> tuple[str, str]:
    """What stands before a member of this object, and what one step is."""
    outer = _indent_of(text, node.start)
    for member in node.members.values():
        inner = _indent_of(text, member.start)
        if len(inner) > len(outer) and inner.startswith(outer):
            return inner, inner[len(outer) :]
    unit = "\t" if outer.startswith("\t") else "  "
    return outer + unit, unit


def _indent_of(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _whole(text: str) -> Node:
    try:
        node = _value(text, _skip(text, 0), 0)
    except (ValueError, IndexError, RecursionError) as error:
        raise MergeError(str(error) if isinstance(error, MergeError) else "it is no JSON") from None
    end = _skip(text, node.end)
    if end != len(text):
        raise _wrong(text, end)
    return node


def _value(text: str, at: int, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise MergeError("it is nested too deeply")
    if text[at : at + 1] == "{":
        return _object(text, at, depth)
    if text[at : at + 1] == "[":
        return _array(text, at, depth)
    found = _STRING.match(text, at) or _PLAIN.match(text, at)
    if found is None:
        raise _wrong(text, at)
    try:
        return Node(at, found.end(), json.loads(found.group()))
    except ValueError:
        raise _wrong(text, at) from None


def _object(text: str, start: int, depth: int) -> Node:
    members: dict[str, Node] = {}
    at = _skip(text, start + 1)
    while text[at : at + 1] != "}":
        name = _value(text, at, depth + 1)
        colon = _skip(text, name.end)
        if not isinstance(name.value, str) or name.value in members or text[colon : colon + 1] != ":":
            raise _wrong(text, at)
        value = members[name.value] = _value(text, _skip(text, colon + 1), depth + 1)
        at = _next(text, value.end, "}")
    return Node(start, at + 1, {name: each.value for name, each in members.items()}, members)


def _array(text: str, start: int, depth: int) -> Node:
    values: list[Any] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "]":
        value = _value(text, at, depth + 1)
        values.append(value.value)
        at = _next(text, value.end, "]")
    return Node(start, at + 1, values)


def _next(text: str, at: int, closing: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] == ",":
        return _skip(text, at + 1)
    if text[at : at + 1] != closing:
        raise _wrong(text, at)
    return at


def _skip(text: str, at: int) -> int:
    trivia = _TRIVIA.match(text, at)
    return trivia.end() if trivia is not None else at


def _wrong(text: str, at: int) -> MergeError:
    return MergeError(f"line {text.count(chr(10), 0, at) + 1} is no JSON")
