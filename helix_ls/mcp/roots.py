"""Which folders a session is about: what the client offers as its roots, else what the command named."""

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
    """The folders a question may be about."""

    def all(self) -> tuple[Path, ...]:
        """Every one."""

    def chosen(self, name: str | None) -> tuple[Path, tuple[str, ...]]:
        """The one of that name, else the first, and then the names of the others. Raises UsageError."""


class GivenFolders:
    """``given`` is the folder the command was given or started in; ``is_named`` says that it was given."""

    def __init__(self, given: Path, *, is_named: bool) -> None:
        self._given, self._is_named = given, is_named
        self._offered: dict[str, Path] = {}
        self.is_known = False

    def offer(self, uris: Iterable[str]) -> None:
        """The client's roots; those that are folders here count, and where none is, the command's stays."""
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
        """The client has other roots now; they must be asked for."""
        self.is_known = False

    def all(self) -> tuple[Path, ...]:
        """Every folder a question could be about."""
        return (*self._offered.values(), self._given)

    def chosen(self, name: str | None) -> tuple[Path, tuple[str, ...]]:
        """The folder of that name, else the first, and then the names of those that were not chosen.

        Raises UsageError for another name, and where the command's folder is no project's.
        """
        if not self._offered and is_no_project(self._given):
            which = "the folder that was named" if self._is_named else "no folder was named, and the one it started in"
            raise UsageError(
                f"{which} is no project, but a home or the whole disk; add the project's folder to the command in the "
                "client's settings: helix mcp /path/to/project"
            )
        named = self._offered or {one_line(self._given.name): self._given}
        if name is None:
            first, *others = named
            return named[first], tuple(others)
        if name not in named:
            raise UsageError(f"no open folder is named {name[:80]!a}; those that are open: {', '.join(named)}")
        return named[name], ()


def folder_of(uri: str) -> Path | None:
    """The folder a ``file:`` address names, None when it names none that a project could be in."""
    try:
        parts = urlsplit(uri)
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            return None
        path = Path(os.path.realpath(url2pathname(parts.path)))
        return path if path.is_absolute() and path.is_dir() and not is_no_project(path) else None
    except (OSError, ValueError):
        return None
