"""The log of a trail: what was looked at, which versions were marked, which flags are set; and its text form.

Everything else about a trail is computed from this log. An entry holds names and hashes, never the text of a file.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, replace
from hashlib import sha256
from math import isfinite
from typing import Any, TypeAlias

from helix_core.errors import TrailError
from helix_core.tuples import NamedTuple

ROOT = -1
"""The step before the first."""
MOST_EVENTS = 10_000
MOST_FLAGS = 10_000
MOST_WEIGHT = 8
LONGEST_TEXT = 1_024
"""Greatest length of a name in a log, in characters."""
_MAGIC = b"HLXTRAIL\x01"
_MOST_BYTES = 64 * 1024 * 1024


class TrailItem(NamedTuple):
    """What is looked at: a file by its path from the workspace's root, and a symbol in it, "" for the file itself."""

    path: str
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """One step: an item was looked at.

    Args:
        step: Its number; steps count from 0 and are never used twice.
        parent: The step it continues, ``ROOT`` for none; another than the one before it after a rollback.
        path: The file, as in ``source_id``.
        symbol: The symbol, or "".
        kind: How it was looked at, such as open or cited.
        weight: 1 … 8.
        span_hash: Hash (hex) of the lines as they were seen, or "".
        file_hash: SHA-256 (hex) of the whole file then, or "".
        start_line: First line seen, 1-based; 0 for the whole file.
        end_line: Last line seen, inclusive.
        at: Unix seconds.
    """

    step: int
    parent: int
    path: str
    symbol: str = ""
    kind: str = "open"
    weight: int = 1
    span_hash: str = ""
    file_hash: str = ""
    start_line: int = 0
    end_line: int = 0
    at: float = 0.0

    @property
    def item(self) -> TrailItem:
        """What was looked at."""
        return TrailItem(self.path, self.symbol)


@dataclass(frozen=True, slots=True)
class TrailVersion:
    """A commit, or a rollback: ``head`` is the step it left the trail at, ``before`` the one it found.

    ``undoes`` is the version that a rollback names, None for a commit.
    """

    number: int
    head: int
    before: int
    label: str = ""
    undoes: int | None = None
    at: float = 0.0

    @property
    def target(self) -> int:
        """The step that a rollback to this version leads to; a rollback is undone by going where it came from."""
        return self.head if self.undoes is None else self.before


TrailEntry: TypeAlias = Look | TrailVersion


@dataclass(frozen=True, slots=True)
class TrailLog:
    """The entries in the order they were made, and the flags, which are never cleared."""

    entries: tuple[TrailEntry, ...] = ()
    flags: frozenset[str] = frozenset()


def entry_text(entry: TrailEntry) -> str:
    """Return an entry as one line of JSON."""
    if isinstance(entry, Look):
        seen = (entry.path, entry.symbol, entry.kind, entry.weight, entry.span_hash, entry.file_hash)
        lines = (entry.start_line, entry.end_line)
        fields: tuple[object, ...] = ("look", entry.step, entry.parent, *seen, *lines, entry.at)
    else:
        fields = ("version", entry.number, entry.head, entry.before, entry.label, entry.undoes, entry.at)
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def entry_of(text: str) -> TrailEntry:
    """Read a line of ``entry_text``. Raises: TrailError for anything else."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TrailError(_refused("a line is not valid JSON")) from error
    match fields:
        case ["look", int(), int(), str(), str(), str(), int(), str(), str(), int(), int(), float() | int()]:
            look = replace(Look(*fields[1:]), at=float(fields[-1]))
            return _checked(look, fields, is_right=_is_look(look))
        case ["version", int(), int(), int(), str(), int() | None, float() | int()]:
            version = replace(TrailVersion(*fields[1:]), at=float(fields[-1]))
            return _checked(version, fields, is_right=_is_version(version))
    raise TrailError(_refused("a line is not an entry"))


def next_step(newest: int, last: TrailEntry | None) -> tuple[int, int]:
    """Return the number and the parent of the next look, after the newest step and the last entry of a log."""
    if last is None:
        return newest + 1, ROOT
    return newest + 1, last.step if isinstance(last, Look) else last.head


def checked_log(log: TrailLog) -> TrailLog:
    """Return the log. Raises: TrailError where steps or versions do not count up, or name one that comes later."""
    last_step: int | None = None
    last_version: int | None = None
    for entry in log.entries:
        if isinstance(entry, Look):
            if (last_step is not None and entry.step != last_step + 1) or not ROOT <= entry.parent < entry.step:
                raise TrailError(_refused(f"step {entry.step} is out of order"))
            last_step = entry.step
        else:
            newest = ROOT if last_step is None else last_step
            is_known = last_step is None or (entry.head <= newest and entry.before <= newest)
            if (last_version is not None and entry.number != last_version + 1) or not is_known:
                raise TrailError(_refused(f"version {entry.number} is out of order"))
            last_version = entry.number
    if len(log.entries) > MOST_EVENTS or len(log.flags) > MOST_FLAGS:
        raise TrailError(_refused(f"it has more than {MOST_EVENTS} events or {MOST_FLAGS} flags"))
    if any(not 0 < len(flag) <= LONGEST_TEXT for flag in log.flags):
        raise TrailError(_refused("a flag has no name, or too long a one"))
    looks = (entry for entry in log.entries if isinstance(entry, Look))
    texts = {*log.flags, *(text for look in looks for text in _texts(look))}
    texts |= {entry.label for entry in log.entries if isinstance(entry, TrailVersion)}
    try:
        "".join(texts).encode("utf-8")
    except UnicodeEncodeError as error:
        # Half of a surrogate pair, which the file of a trail cannot hold.
        raise TrailError(_refused("a name is not Unicode")) from error
    return log


def log_bytes(log: TrailLog) -> bytes:
    """Return the content of a ``.hx`` file: magic, SHA-256, and the entries and flags, deflated."""
    lines = [json.dumps(sorted(log.flags), ensure_ascii=False), *(entry_text(entry) for entry in log.entries)]
    body = zlib.compress("\n".join(lines).encode("utf-8", "surrogatepass"), 9)
    return _MAGIC + sha256(_MAGIC + body).digest() + body


def read_log(data: bytes) -> TrailLog:
    """Read the content of a ``.hx`` file. Raises: TrailError for one that is cut off, extended, altered or foreign."""
    if not data.startswith(_MAGIC):
        raise TrailError(_refused("it is not a trail, or one of a newer Helix"))
    digest, body = data[len(_MAGIC) : len(_MAGIC) + 32], data[len(_MAGIC) + 32 :]
    if digest != sha256(_MAGIC + body).digest():
        raise TrailError(_refused("it is damaged or not whole"))
    inflate = zlib.decompressobj()
    try:
        text = inflate.decompress(body, _MOST_BYTES).decode("utf-8", "surrogatepass")
        if inflate.unconsumed_tail or not inflate.eof:
            raise TrailError(_refused("it is larger than a trail can be"))
        first, *lines = text.split("\n")
        flags = json.loads(first)
    except (zlib.error, ValueError, RecursionError) as error:
        raise TrailError(_refused("its content cannot be read")) from error
    if not isinstance(flags, list) or not all(isinstance(flag, str) for flag in flags):
        raise TrailError(_refused("its flags cannot be read"))
    return checked_log(TrailLog(tuple(entry_of(line) for line in lines), frozenset(flags)))


def merged_log(one: TrailLog, other: TrailLog) -> TrailLog:
    """Return the looks of two logs in the order of their times, each once, and the flags of both.

    Steps are numbered anew. Versions name heads of one log only and are left out; the newest 10,000 looks are kept.
    """
    seen: dict[tuple[Any, ...], Look] = {}
    for log in (one, other):
        for entry in log.entries:
            if isinstance(entry, Look):
                seen.setdefault(_identity(entry), entry)
    looks = [seen[key] for key in sorted(seen)][-MOST_EVENTS:]
    renumbered = (replace(look, step=step, parent=step - 1) for step, look in enumerate(looks))
    return TrailLog(tuple(renumbered), one.flags | other.flags)


def _identity(look: Look) -> tuple[Any, ...]:
    seen = (look.kind, look.weight, look.span_hash, look.file_hash, look.start_line, look.end_line)
    return (look.at, *look.item, *seen)


def _checked(entry: TrailEntry, fields: list[object], *, is_right: bool) -> TrailEntry:
    if not is_right or any(isinstance(field, bool) for field in fields):
        raise TrailError(_refused("an entry is out of bounds"))
    return entry


def _texts(look: Look) -> tuple[str, ...]:
    return look.path, look.symbol, look.kind, look.span_hash, look.file_hash


def _is_look(look: Look) -> bool:
    return (
        bool(look.path)
        and all(len(text) <= LONGEST_TEXT for text in _texts(look))
        and 1 <= look.weight <= MOST_WEIGHT
        and 0 <= look.start_line <= 2**31
        and 0 <= look.end_line <= 2**31
        and 0 <= look.step < 2**53
        and isfinite(look.at)
    )


def _is_version(version: TrailVersion) -> bool:
    steps = (version.head, version.before)
    undoes = ROOT if version.undoes is None else version.undoes
    return (
        0 <= version.number < 2**53
        and all(ROOT <= step < 2**53 for step in steps)
        and ROOT <= undoes < version.number
        and len(version.label) <= LONGEST_TEXT
        and isfinite(version.at)
    )


def _refused(cause: str) -> str:
    return f"The trail was refused: {cause}; nothing of it was taken in."
