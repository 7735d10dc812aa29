"""The state a mutation works on: the copy, what was damaged, and how to take a damage back."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from truth_bench.repository import Repository, remove

FEWEST_MINIFIED_BYTES = 4_000


@dataclass(frozen=True, slots=True)
class Target:
    """A place a question is aimed at: 1-based inclusive lines, and a name found there."""

    path: bytes
    start_line: int
    end_line: int
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """A file as it was before it was damaged."""

    target: Target
    data: bytes
    mode: int
    times_ns: tuple[int, int]


Check = Callable[[Mapping[str, Any]], list[tuple[str, str]]]


@dataclass(slots=True)
class World:
    """What the mutations share. ``scars`` are absolute paths to clear away before git can restore the tree;
    ``versions`` are all contents a path has while a packet is made, when somebody writes meanwhile; ``uncounted`` are
    paths that rules of the user exclude now; ``home`` is the home folder of the processes that are asked;
    ``asked_again`` is how many more packets are to be asked for at once; ``halves`` are hashes of a file while somebody
    writes it; ``check`` says what else is wrong with the next packet; ``awaited`` is a place to ask for until it is
    found, and ``asked`` the question of a kind that has its own; ``secrets`` are
    those written so far, each with the rule it was written by; an answer later than ``longest_ms`` is a fault; while
    the server ``is_hurried`` it must say what it said in peace; an index that ``is_damaged`` may have bad pages left
    that no question read."""

    repository: Repository
    outside: Path
    rng: Random
    max_bytes: int
    can_deny: bool
    home: Path
    surface: str = "api"
    saved: list[Saved] = field(default_factory=list)
    scars: list[bytes] = field(default_factory=list)
    versions: dict[bytes, set[bytes]] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    meanwhile: Callable[[threading.Event], None] | None = None
    undo: Callable[[], None] | None = None
    asked_again: int = 0
    halves: frozenset[str] = frozenset()
    check: Check | None = None
    awaited: Target | None = None
    asked: str = ""
    longest_ms: float = 0.0
    is_hurried: bool = False
    is_locked: bool = False
    is_damaged: bool = False
    bring_level: Callable[[], None] | None = None
    uncounted: frozenset[bytes] = frozenset()
    old_index: bytes = b""

    def absolute(self, path: bytes) -> bytes:
        return self.repository.path(path)

    def is_file(self, path: bytes) -> bool:
        """A regular, readable file with no link on the way to it."""
        place = self.absolute(path)
        try:
            regular = stat.S_ISREG(os.lstat(place).st_mode)
            return regular and os.access(place, os.R_OK | os.W_OK) and os.path.realpath(place) == place
        except OSError:
            return False

    def remember(self, target: Target) -> bytes:
        """Save a file before damage; its bytes."""
        place = self.absolute(target.path)
        status = os.lstat(place)
        data = self.repository.read(target.path)
        self.saved.append(Saved(target, data, stat.S_IMODE(status.st_mode), (status.st_atime_ns, status.st_mtime_ns)))
        self.scars.append(place)
        return data

    def text_to_copy(self, path: bytes) -> bytes:
        """The bytes of a file for another one that is to count; empty where these say that their file does not."""
        data = self.repository.read(path)
        lines = data.splitlines()
        is_minified = len(data) > FEWEST_MINIFIED_BYTES and len(data) > 400 * len(lines)
        is_left_out = b"\0" in data or b"@" + b"generated" in data or b"PRIVATE KEY-----" in data or is_minified
        return b"" if is_left_out or len(data) > self.max_bytes // 2 else data

    def write(self, path: bytes, data: bytes) -> None:
        """Write in place, or by rename, as editors do."""
        if self.rng.random() < 0.3:
            self.replace(path, data)
        else:
            with open(self.absolute(path), "wb") as file:
                file.write(data)

    def replace(self, path: bytes, data: bytes) -> None:
        """Write a neighbour and rename it over the file."""
        place = self.absolute(path)
        neighbour = place + b".bench~"
        with open(neighbour, "wb") as file:
            file.write(data)
        os.replace(neighbour, place)

    def revert(self, saved: Saved) -> None:
        """Put a saved file back where it was."""
        place = self.absolute(saved.target.path)
        parent = os.path.dirname(place)
        if os.path.islink(parent) or (os.path.lexists(parent) and not os.path.isdir(parent)):
            remove(parent)
        os.makedirs(parent, exist_ok=True)
        remove(place)
        with open(place, "wb") as file:
            file.write(saved.data)
        os.chmod(place, saved.mode)

    def level(self, share: float = 1.0) -> None:
        """Bring the index level with the disk, so often: what happens next happens to what it knows."""
        if self.bring_level is not None and self.rng.random() < share:
            self.bring_level()

    def forget_leaked(self, wrong: list[tuple[str, str]]) -> None:
        """A secret that leaked is counted once."""
        for _, text in wrong:
            self.secrets.pop(text.rpartition(" ")[2], None)

    def begin(self) -> None:
        """Nothing is expected of the next question yet."""
        self.versions, self.halves, self.meanwhile = {}, frozenset(), None
        self.check, self.awaited, self.asked, self.asked_again, self.longest_ms = None, None, "", 0, 0.0
        self.is_hurried = False

    def take_back(self) -> None:
        """Undo what must not outlast one question."""
        self.uncounted = frozenset()
        if self.undo is not None:
            self.undo()
            self.undo = None

    def restore(self) -> None:
        """Undo everything."""
        self.take_back()
        for scar in reversed(self.scars):
            remove(scar)
        self.scars.clear()
        self.saved.clear()
        self.repository.restore()


Mutation = Callable[[World, Target], Target | None]
