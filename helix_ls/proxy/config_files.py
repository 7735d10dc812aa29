"""Edit a client's own settings file (JSONC, TOML, YAML): insert our entry and keep every other byte."""

from __future__ import annotations

import difflib
import json
import os
import re
import stat
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomlkit
import yaml
from tomlkit.exceptions import ParseError, TOMLKitError
from tomlkit.toml_document import TOMLDocument

from helix_core.errors import HelixError
from helix_ls.host.private_files import write_whole


class MergeError(HelixError):
    """The file cannot be parsed, or not be edited in place; ``str()`` is the cause alone."""


MAX_BYTES = 4 * 1024 * 1024
Merge = Callable[[str], str]


class FileError(HelixError):
    """A file that cannot be read or written, or is not a regular file."""


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A planned edit. ``before`` is None for a new file; ``secret`` is not shown, and makes the file private (0600)."""

    path: Path
    before: str | None
    after: str
    secret: str = field(default="", repr=False)

    @property
    def is_needed(self) -> bool:
        """Return whether the edit changes anything."""
        return self.before != self.after

    def diff(self) -> str:
        """Return the unified diff, with the secret removed."""
        before, after = (self.before or "").splitlines(keepends=True), self.after.splitlines(keepends=True)
        shown = str(self.path)
        lines = difflib.unified_diff(before, after, shown if self.before is not None else os.devnull, shown)
        text = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
        return text.replace(self.secret, "(your key)") if self.secret else text

    def write(self) -> Path | None:
        """Write the file; return the backup's path, None for a new file. Raises FileError."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if _text(self.path) != self.before:
                raise FileError(f"{self.path} was changed meanwhile; run this again")
            mode = stat.S_IMODE(os.stat(self.path).st_mode) if self.before is not None else 0o644
            mode = 0o600 if self.secret else mode
            backup = None
            if self.before is not None:
                backup = _keep(self.path, self.before, mode)
            write_whole(self.path, self.after, mode=mode, is_durable=True)
        except OSError as error:
            raise FileError(f"{self.path} cannot be written ({error.strerror}); see who owns it") from error
        return backup


def planned(path: Path, merge: Merge, *, inside: Path | None = None, secret: str = "") -> FileEdit:
    """Return the edit that ``merge`` makes. ``inside`` is the workspace it belongs to, None for the user's home.

    Raises FileError.
    """
    real = Path(os.path.realpath(path))
    if inside is not None and real != Path(os.path.realpath(inside)) / path.relative_to(inside):
        raise FileError(f"{path} is a link that the workspace brings along; replace it by a file of your own")
    before = _text(real)
    try:
        after = merge(before or "")
    except MergeError as error:
        raise FileError(
            f"{path} is left as it is: {error}; correct it, or paste what is printed without --write"
        ) from error
    return FileEdit(real, before, after, secret)


def _text(path: Path) -> str | None:
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(f"{path} cannot be read ({error.strerror}); make it a file of yours") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileError(f"{path} is not a file; put one in its place")
    with open(descriptor, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise FileError(f"{path} is over {MAX_BYTES // 1024 // 1024} MiB, which settings are not; shorten it")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(f"{path} is not UTF-8 text; save it as UTF-8") from None


def _keep(path: Path, text: str, mode: int) -> Path:
    """Back up the old text in a new file next to it; never overwrite an earlier backup."""
    stamp = f"{path.name}.{time.strftime('%Y%m%d-%H%M%S')}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    number = 1
    while True:
        backup = path.with_name(f"{stamp}{f'-{number}' if number > 1 else ''}.helix-backup")
        try:
            descriptor = os.open(backup, flags, mode)
        except FileExistsError:
            number += 1
            continue
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            os.chmod(backup, mode)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        return backup


MAX_DEPTH = 100
_TRIVIA = re.compile(r"(?:[ \t\r\n\ufeff]|//[^\n]*|/\*(?s:.*?)\*/)*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")


@dataclass(slots=True)
class Node:
    """A JSON value, its span, and the members of an object by name."""

    start: int
    end: int
    value: Any
    members: dict[str, Node] = field(default_factory=dict)


def parsed(text: str) -> Any:
    """Parse JSONC. Raises MergeError."""
    return _whole(text).value


def with_member(text: str, path: Sequence[str], value: Any) -> str:
    """Return the text with ``value`` at the path; missing objects on the path are created.

    Raises MergeError, also when something else than an object is on the path.
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
    new = _put_json(text, node, path[depth], value)
    if "\r\n" in text:
        new = re.sub(r"(?<!\r)\n", "\r\n", new)
    if parsed(new) != wanted:
        raise MergeError("the entry cannot be put in its place")
    return new


def merged(value: Any, path: Sequence[str], entry: Any) -> Any:
    """Return the value with the entry at the path. Raises MergeError."""
    if not path:
        return entry
    if not isinstance(value, dict):
        raise MergeError(f"{path[0]} should go into something that is not an object")
    return {**value, path[0]: merged(value.get(path[0], {}), path[1:], entry)}


def _put_json(text: str, node: Node, name: str, value: Any) -> str:
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
    """Return the indentation of a member of this object, and one indentation step."""
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
        raise MergeError(str(error) if isinstance(error, MergeError) else "it is not valid JSON") from None
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
    return MergeError(f"line {text.count(chr(10), 0, at) + 1} is not valid JSON")


def with_table(text: str, path: Sequence[str], table: dict[str, Any]) -> str:
    """Return the TOML text with ``table`` at ``path``, all else as it was, byte for byte.

    The table's values are texts, numbers and lists of them. Raises MergeError.
    """
    document = _parsed_toml(text)
    before = document.unwrap()
    wanted = merged(before, path, table)
    if wanted == before:
        return text
    place: Any = document
    try:
        for name in path:
            if name not in place:
                place[name] = tomlkit.table(is_super_table=name != path[-1])
            place = place[name]
        # Edit key by key: a comment after the old table is a part of it.
        for name in [name for name in place if name not in table]:
            del place[name]
        place.update(table)
        new = tomlkit.dumps(document)
    except (TOMLKitError, TypeError, AttributeError) as error:
        raise MergeError(f"[{'.'.join(path)}] cannot be put into it ({error})") from error
    if "\r\n" in text:
        new = re.sub(r"(?<!\r)\n", "\r\n", new)
    if _parsed_toml(new).unwrap() != wanted:
        raise MergeError(f"[{'.'.join(path)}] is written in a way that cannot be changed in its place")
    return new


def _parsed_toml(text: str) -> TOMLDocument:
    try:
        return tomlkit.parse(text)
    except ParseError as error:
        raise MergeError(f"line {error.line} is not valid TOML") from None
    except (TOMLKitError, RecursionError):
        raise MergeError("it is not valid TOML") from None


def with_entry(text: str, section: str, entry: dict[str, Any], *, new_file: str = "") -> str:
    """Return the text with the entry in the list ``section``; it replaces the one of the same ``name``.

    ``new_file`` starts a file that is missing or empty. Raises MergeError.
    """
    begun = text if _parsed_yaml(text) is not None else f"{text}{new_file}"
    before = _parsed_yaml(begun)
    before = {} if before is None else before
    wanted = _with(before, section, entry)
    if wanted == before:
        return text
    new = _put_yaml(begun, section, entry)
    if "\r\n" in text:
        new = re.sub(r"(?<!\r)\n", "\r\n", new)
    if _parsed_yaml(new) != wanted:
        raise MergeError(f"its list of {section} is written in a way that cannot be changed in its place")
    return new


def _with(value: Any, section: str, entry: dict[str, Any]) -> Any:
    if not isinstance(value, dict):
        raise MergeError("it is not a mapping")
    entries = value.get(section)
    if entries is not None and not isinstance(entries, list):
        raise MergeError(f"its {section} are not a list")
    kept, replaced = [], False
    for each in entries or []:
        is_ours = isinstance(each, dict) and each.get("name") == entry["name"]
        if is_ours and not replaced:
            kept.append(entry)
            replaced = True
        elif not is_ours:
            kept.append(each)
    return {**value, section: kept if replaced else [*kept, entry]}


def _put_yaml(text: str, section: str, entry: dict[str, Any]) -> str:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    found = None
    for key, value in root.value if root is not None else ():
        if key.value == section:
            found = value
    if found is None or (isinstance(found, yaml.ScalarNode) and found.value == ""):
        if root is not None and root.flow_style:
            raise MergeError("it is written in braces")
        if found is not None:
            at = found.start_mark.index
            return f"{text[:at]}\n{_item(entry, '  ')}{text[at:].removeprefix(chr(10))}"
        end = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{end}{section}:\n{_item(entry, '  ')}"
    if found.flow_style:
        for each in found.value:
            if _named(each) == entry["name"]:
                start, end = each.start_mark.index, each.end_mark.index
                return f"{text[:start]}{json.dumps(entry, ensure_ascii=False)}{text[end:]}"
        at = found.end_mark.index - 1
        return f"{text[:at].rstrip()}{', ' if found.value else ''}{json.dumps(entry, ensure_ascii=False)}{text[at:]}"
    indent = " " * found.start_mark.column
    for each in found.value:
        if _named(each) == entry["name"]:
            start = text.rindex("-", 0, each.start_mark.index)
            return f"{text[:start].removesuffix(indent)}{_item(entry, indent)}{text[_end(text, each) :]}"
    behind = _end(text, found.value[-1])
    return f"{text[:behind]}{'' if text[:behind].endswith(chr(10)) else chr(10)}{_item(entry, indent)}{text[behind:]}"


def _named(node: Any) -> str:
    pairs = node.value if isinstance(node, yaml.MappingNode) else ()
    return next((value.value for key, value in pairs if key.value == "name"), "")


def _end(text: str, node: Any) -> int:
    """Return the offset after the node's last line; a block's own end mark is after the blank lines and comments
    behind it.
    """
    last = node
    while last.value and not isinstance(last, yaml.ScalarNode) and not last.flow_style:
        last = last.value[-1][1] if isinstance(last, yaml.MappingNode) else last.value[-1]
    at = last.end_mark.index
    if text[at - 1 : at] == "\n":
        return int(at)
    line = text.find("\n", at)
    return len(text) if line < 0 else line + 1


def _item(entry: dict[str, Any], indent: str) -> str:
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items()]
    return f"{indent}- {lines[0]}\n" + "".join(f"{indent}  {line}\n" for line in lines[1:])


def _parsed_yaml(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise MergeError(
            f"line {mark.line + 1} is not valid YAML" if mark is not None else "it is not valid YAML"
        ) from None
