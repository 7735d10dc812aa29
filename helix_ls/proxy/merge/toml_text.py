"""A TOML file with one table of ours: put at its end, or in the place of the one it has. https://toml.io/en/v1.0.0"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any

from helix_ls.proxy.merge.error import MergeError
from helix_ls.proxy.merge.jsonc import merged


def with_table(text: str, path: Sequence[str], table: dict[str, Any]) -> str:
    """The text with the table. Raises MergeError. The table's values are texts, numbers and lists of them."""
    before = _parsed(text)
    wanted = merged(before, path, table)
    if wanted == before:
        return text
    block = "\n".join(
        (f"[{'.'.join(path)}]", *(f"{name} = {json.dumps(each, ensure_ascii=False)}" for name, each in table.items()))
    )
    new = _put(text, path, block)
    if "\r\n" in text:
        new = re.sub(r"(?<!\r)\n", "\r\n", new)
    if _parsed(new) != wanted:
        raise MergeError(f"[{'.'.join(path)}] is written in a way that cannot be changed in its place")
    return new


def _put(text: str, path: Sequence[str], block: str) -> str:
    lines = text.split("\n")
    dotted = r"\s*\.\s*".join(rf"[\"']?{re.escape(part)}[\"']?" for part in path)
    header = re.compile(rf"\s*\[\s*{dotted}\s*\]\s*(#.*)?\r?")
    start = next((at for at, line in enumerate(lines) if header.fullmatch(line)), None)
    if start is None:
        return (
            f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{chr(10) if text.strip() else ''}{block}\n"
        )
    end = next((at for at in range(start + 1, len(lines)) if lines[at].lstrip().startswith("[")), len(lines))
    # What stands between this table and the next belongs to the next.
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return "\n".join((*lines[:start], block, *lines[end:]))


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        where = re.search(r"line \d+", str(error))
        raise MergeError(f"{where.group() if where else 'it'} is no TOML") from None
