"""A YAML file with one entry of ours in one of its lists, which is known by its name. https://yaml.org/spec/1.2.2/"""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from helix_ls.proxy.merge.error import MergeError


def with_entry(text: str, section: str, entry: dict[str, Any], *, new_file: str = "") -> str:
    """The text with the entry in the list ``section``, instead of the one that has its ``name``.

    ``new_file`` begins a file that is not there yet, or says nothing. Raises MergeError.
    """
    begun = text if _parsed(text) is not None else f"{text}{new_file}"
    before = _parsed(begun)
    before = {} if before is None else before
    wanted = _with(before, section, entry)
    if wanted == before:
        return text
    new = _put(begun, section, entry)
    if "\r\n" in text:
        new = re.sub(r"(?<!\r)\n", "\r\n", new)
    if _parsed(new) != wanted:
        raise MergeError(f"its list of {section} is written in a way that cannot be changed in its place")
    return new


def _with(value: Any, section: str, entry: dict[str, Any]) -> Any:
    if not isinstance(value, dict):
        raise MergeError("it is no mapping")
    entries = value.get(section)
    if entries is not None and not isinstance(entries, list):
        raise MergeError(f"its {section} are no list")
    kept, replaced = [], False
    for each in entries or []:
        is_ours = isinstance(each, dict) and each.get("name") == entry["name"]
        if is_ours and not replaced:
            kept.append(entry)
            replaced = True
        elif not is_ours:
            kept.append(each)
    return {**value, section: kept if replaced else [*kept, entry]}


def _put(text: str, section: str, entry: dict[str, Any]) -> str:
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
    """Behind the node's last line; a block's own mark lies behind the blank lines and comments after it."""
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


def _parsed(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise MergeError(f"line {mark.line + 1} is no YAML" if mark is not None else "it is no YAML") from None
