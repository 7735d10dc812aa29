"""A watcher under test, and what somebody who believes every word of it knows of the disk."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from helix_core.workspace.disk import DiskError, Root
from helix_core.workspace.files import FileOptions, list_files
from helix_core.workspace.git import Git
from helix_core.workspace.watch import ChangeBatch, Watch

PATIENCE_S = 60.0
DEFAULTS = FileOptions()


class Listener:
    """Watches ``folder`` and keeps the hash of every file that counts, from what is heard alone."""

    def __init__(self, folder: Path, mode: Any = "auto", options: FileOptions = DEFAULTS, **more: Any) -> None:
        self.folder, self.options, self.calls = folder, options, 0
        with Root.open(folder) as root:
            self.watch = Watch(
                root, Git.open(folder), options, on_change=more.pop("on_change", self._heard), mode=mode, **more
            )
        self.known: dict[bytes, str] = {}
        self.wholes = 0
        self._read(())

    def __enter__(self) -> Listener:
        self.watch.start()
        self._read(())
        return self

    def __exit__(self, *_: object) -> None:
        self.watch.stop()

    def hear(self) -> ChangeBatch:
        """Everything until now."""
        assert self.watch.sync(PATIENCE_S)
        return self.watch.take()

    def until(self, holds: Callable[[ChangeBatch], bool]) -> ChangeBatch:
        """What is heard from now on, added up until it is enough, and believed."""
        paths: frozenset[bytes] = frozenset()
        whole = git = False
        deadline = time.monotonic() + PATIENCE_S
        while True:
            heard = self.follow()
            paths, whole, git = paths | heard.paths, whole or heard.whole, git or heard.git
            sum_ = ChangeBatch(paths, whole, git, heard.missing)
            if holds(sum_):
                return sum_
            assert time.monotonic() < deadline, (sum_, self.watch.state)
            time.sleep(0.01)

    def follow(self) -> ChangeBatch:
        """Believe what was heard."""
        heard = self.watch.take()
        if heard.missing or not self.folder.exists():
            return heard
        if heard.whole:
            self.wholes += 1
            self._read(())
        elif heard.paths:
            self._read(tuple(sorted(heard.paths)))
        return heard

    def follows_the_disk(self) -> bool:
        """Soon, from what is heard alone."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            self.follow()
            if self.known == self.disk():
                return True
            time.sleep(0.05)
        return False

    def disk(self, only: tuple[bytes, ...] = ()) -> dict[bytes, str]:
        """The hash of every file that counts, as it is now."""
        found = {}
        with Root.open(self.folder) as root:
            for entry in list_files(root, Git.open(self.folder), self.options, only).files:
                try:
                    found[entry.path] = root.read(entry.path).content_hash
                except DiskError:
                    found[entry.path] = "unreadable"
        return found

    def _read(self, only: tuple[bytes, ...]) -> None:
        below = tuple(path + b"/" for path in only)
        self.known = {path: one for path, one in self.known.items() if only and not (path + b"/").startswith(below)}
        self.known |= self.disk(only)

    def _heard(self) -> None:
        self.calls += 1


def saved_in_place(file: Path, text: str) -> None:
    """As most editors save."""
    file.write_text(text)


def saved_by_rename(file: Path, text: str) -> None:
    """As careful editors save."""
    other = file.with_name(file.name + ".tmp")
    other.write_text(text)
    os.replace(other, file)


def saved_with_backup(file: Path, text: str) -> None:
    """As vim saves: the old file moves away, a new one takes its name, the old one goes."""
    backup = file.with_name(file.name + "~")
    os.rename(file, backup)
    file.write_text(text)
    backup.unlink()


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def watches() -> list[str]:
    """The inotify watches of this process, one line each (proc(5))."""
    lines: list[str] = []
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{descriptor}") == "anon_inode:inotify":
                lines += Path(f"/proc/self/fdinfo/{descriptor}").read_text().splitlines()
        except FileNotFoundError:
            continue
    return [line for line in lines if line.startswith("inotify wd:")]


def inodes_watched() -> set[int]:
    return {int(line.split("ino:")[1].split()[0], 16) for line in watches()}
