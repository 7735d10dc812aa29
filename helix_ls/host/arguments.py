"""The arguments of a call, read from JSON; a refusal says which one is wrong and what would be right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helix_core.errors import UsageError
from helix_core.model import Pointer


def text(params: dict[str, Any], name: str, default: str | None = None) -> str:
    """A string."""
    value = params.get(name, default)
    if not isinstance(value, str):
        raise UsageError(f"{name} is missing or no text; give it as a string")
    return value


def count(params: dict[str, Any], name: str, default: int | None = None) -> int:
    """A whole number."""
    value = params.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(f"{name} is no whole number; give one")
    return value


def count_if_any(params: dict[str, Any], name: str) -> int | None:
    """A whole number, None where none is given."""
    return None if params.get(name) is None else count(params, name)


def folder(params: dict[str, Any]) -> Path:
    """The absolute ``path`` of a workspace."""
    path = Path(text(params, "path"))
    if not path.is_absolute():
        raise UsageError(f"the path {path} is not absolute; give the whole path")
    return path


def confidence(params: dict[str, Any]) -> float:
    """A packet's ``coordinate_confidence``, 1 where none is given."""
    value = params.get("confidence", 1.0)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise UsageError("confidence is no number; give the packet's coordinate_confidence")
    return float(value)


def pointers(params: dict[str, Any]) -> list[Pointer]:
    """The items of a packet shown earlier, or as much of them as points."""
    items = params.get("items")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise UsageError("items is no list of objects; give the items of a packet")
    return [
        Pointer(
            source_id=text(item, "source_id"),
            gene_id=text(item, "gene_id"),
            symbol=text(item, "symbol", ""),
            start_line=count(item, "start_line"),
            end_line=count(item, "end_line"),
            content_hash=text(item, "content_hash", ""),
        )
        for item in items
    ]
