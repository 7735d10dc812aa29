"""What can be set, with default, bounds and meaning in one place; everything else is read off these declarations."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

Value = int | float | bool | str | tuple[str, ...]
Kind = Literal["whole number", "number", "true or false", "list of text", "folder"]
From = Literal["default", "user", "workspace", "environment", "call"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of the settings; ``low`` and ``high`` are inclusive, a workspace may not set what is ``trusted``."""

    key: str
    kind: Kind
    default: Value
    meaning: str
    low: float | None = None
    high: float | None = None
    trusted: bool = False

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "HELIX_" + self.key.replace(".", "_").upper()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from; ``place`` is ``file:line``, a variable's name, or empty for a default."""

    source: From
    place: str = ""


@dataclass(frozen=True, slots=True)
class Valued:
    """A setting with the value in force and its origin, for ``helix config --explain``."""

    setting: Setting
    value: Value
    origin: Origin


def _declare(default: Any, kind: Kind, meaning: str, low: float | None = None, high: float | None = None) -> Any:
    return field(
        default=default, metadata={"default": default, "kind": kind, "meaning": meaning, "low": low, "high": high}
    )


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """``[index]``: which files count and how they are read."""

    max_file_bytes: int = _declare(
        2 * 1024 * 1024, "whole number", "a larger file is skipped as too_large", low=1024, high=64 * 1024 * 1024
    )
    workers: int = _declare(2, "whole number", "processes that read files in a bulk index", low=1, high=16)
    exclude: tuple[str, ...] = _declare((), "list of text", "patterns, as in .gitignore, of files that do not count")


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """``[search]``: how answers are ranked."""

    prefer_implementation: bool = _declare(
        True, "true or false", "rank the implementation above tests, examples and changelogs unless these are asked for"
    )


@dataclass(frozen=True, slots=True)
class PacketSettings:
    """``[packet]``: what one packet may cost."""

    reingest_budget_ms: float = _declare(
        25.0, "number", "time a packet may spend reading changed files again, in milliseconds", low=0, high=60_000
    )


CACHE_DIR = Setting("cache_dir", "folder", "", "folder that holds the disposable indexes", trusted=True)
SECTIONS: dict[str, type[IndexSettings] | type[SearchSettings] | type[PacketSettings]] = {
    "index": IndexSettings,
    "search": SearchSettings,
    "packet": PacketSettings,
}
SETTINGS: dict[str, Setting] = {
    CACHE_DIR.key: CACHE_DIR,
    **{
        f"{section}.{each.name}": Setting(f"{section}.{each.name}", **each.metadata)
        for section, declared in SECTIONS.items()
        for each in fields(declared)
    },
}


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force. ``cache_dir`` is absolute; ``origins`` has an entry for every key that is not a default.

    ``warnings`` are lines for the user: keys nobody knows, keys a workspace may not set.
    """

    cache_dir: Path
    index: IndexSettings = field(default_factory=IndexSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    packet: PacketSettings = field(default_factory=PacketSettings)
    origins: dict[str, Origin] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
