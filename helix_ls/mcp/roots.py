"""The folders of a session: the client's MCP roots, else the folder of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit
from urllib.request import url2pathname

from helix_core.errors import UsageError
from helix_core.printable import one_line
from helix_core.workspace import is_no_project


class RootChoice(Protocol):
    """The folders that a call may be about."""

    def all(self) -> tuple[Path, ...]:
        """Return every folder that a call can be about."""

    def chosen(self, name: str | None) -> tuple[Path, tuple[str, ...]]:
        """Return the folder of that name, else the first, and the names of the others. Raises UsageError."""


class GivenFolders:
    """``given`` is the folder of the command line, or the working directory; ``is_named`` distinguishes them."""

    def __init__(self, given: Path, *, is_named: bool) -> None:
        self._given, self._is_named = given, is_named
        self._offered: dict[str, Path] = {}
        self.is_known = False

    def offer(self, uris: Iterable[str]) -> None:
        """Set the client's roots; those that are not folders here are ignored, and without any ``given`` is used."""
        found = dict.fromkeys(folder for folder in map(folder_of, uris) if folder is not None)
        self._offered = {}
        for folder in found:
            name, number = one_line(folder.name), 1
            while name in self._offered:
                number += 1
                name = f"{one_line(folder.name)} ({number})"
            self._offered[name] = folder
        self.is_known = True

    def forget(self) -> None:
        """Invalidate the roots after ``notifications/roots/list_changed``, so that they are listed again."""
        self.is_known = False

    def all(self) -> tuple[Path, ...]:
        """Return every folder that a call can be about."""
        return (*self._offered.values(), self._given)

    def chosen(self, name: str | None) -> tuple[Path, tuple[str, ...]]:
        """Return the folder of that name, else the first, and the names of those that were not chosen.

        Raises UsageError for an unknown name, or if the folder of the command line is a home or the whole disk.
        """
        if not self._offered and is_no_project(self._given):
            which = "the folder that was named" if self._is_named else "no folder was named, and the one it started in"
            raise UsageError(
                f"{which} is not a project, but a home folder or the whole disk; add the project's folder to the "
                "command in the client's settings: helix mcp /path/to/project"
            )
        named = self._offered or {one_line(self._given.name): self._given}
        if name is None:
            first, *others = named
            return named[first], tuple(others)
        if name not in named:
            raise UsageError(f"no open folder is named {name[:80]!a}; those that are open: {', '.join(named)}")
        return named[name], ()


def folder_of(uri: str) -> Path | None:
    """Return the folder of a ``file:`` URI, or None if it is not a folder that a project could be in."""
    try:
        parts = urlsplit(uri)
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            return None
        path = Path(os.path.realpath(url2pathname(parts.path)))
        return path if path.is_absolute() and path.is_dir() and not is_no_project(path) else None
    except (OSError, ValueError):
        return None
