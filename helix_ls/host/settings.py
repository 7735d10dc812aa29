"""The settings of an open workspace: those of its files, overridden by those of the editor.

The ``helix.toml`` of an untrusted workspace is not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from helix_core.config import SETTINGS, Config, load_config


@dataclass(frozen=True, slots=True)
class Settings:
    """Overrides of the settings files; None: no override. Numbers are clamped.

    ``exclude`` adds to the files' patterns, ``include`` takes their place unless it is empty.
    """

    restricted: bool = False
    exclude: tuple[str, ...] | None = None
    include: tuple[str, ...] | None = None
    max_file_bytes: int | None = None
    max_files: int | None = None

    def wire(self) -> dict[str, Any]:
        """Return them as JSON, for a child process."""
        return asdict(self)

    @classmethod
    def of(cls, wire: Mapping[str, Any]) -> Self:
        """Parse what ``wire`` of this version or an older one returned: a daemon outlives an upgrade."""
        exclude, include = (wire.get(key) for key in ("exclude", "include"))
        return cls(
            wire["restricted"],
            None if exclude is None else tuple(exclude),
            None if include is None else tuple(include),
            wire.get("max_file_bytes"),
            wire.get("max_files"),
        )

    def config(self, folder: Path) -> Config:
        """Return the settings in force. Reads files; raises ConfigError."""
        config = load_config(None if self.restricted else folder)
        if self.exclude is not None:
            config = replace(config, exclude=(*config.exclude, *_lines(self.exclude)))
        if self.include:
            config = replace(config, include=_lines(self.include))
        if self.max_file_bytes is not None:
            config = replace(config, max_file_bytes=_clamped("index.max_file_size", self.max_file_bytes))
        if self.max_files is not None:
            config = replace(config, max_files=_clamped("index.max_files", self.max_files))
        if config.reload is not None:
            config = replace(config, reload=config.reload._replace(load=lambda: self.config(folder)))
        return config


def _lines(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(line for line in patterns if line and "\0" not in line and "\n" not in line)


def _clamped(key: str, value: int) -> int:
    bounds = SETTINGS[key]
    return min(max(value, int(bounds.low or 0)), int(bounds.high or value))
