"""The settings of an open workspace: those of its files, overridden by those of the editor.

The ``helix.toml`` of an untrusted workspace is not read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from helix_core.config import SETTINGS, Config, load_config


@dataclass(frozen=True, slots=True)
class Settings:
    """Overrides of the settings files. ``exclude`` and ``max_file_bytes`` None: no override. Sizes are clamped."""

    restricted: bool = False
    exclude: tuple[str, ...] | None = None
    max_file_bytes: int | None = None

    def config(self, folder: Path) -> Config:
        """Return the settings in force. Reads files; raises ConfigError."""
        config = load_config(None if self.restricted else folder)
        if self.exclude is not None:
            lines = tuple(line for line in self.exclude if line and "\0" not in line and "\n" not in line)
            config = replace(config, exclude=(*config.exclude, *lines))
        if self.max_file_bytes is not None:
            bounds = SETTINGS["index.max_file_bytes"]
            low, high = int(bounds.low or 0), int(bounds.high or self.max_file_bytes)
            config = replace(config, max_file_bytes=min(max(self.max_file_bytes, low), high))
        if config.reload is not None:
            config = replace(config, reload=replace(config.reload, load=lambda: self.config(folder)))
        return config
