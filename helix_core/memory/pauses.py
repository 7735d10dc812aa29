"""Rules of pauses: what of a pause for a person is kept, the files it names, and what changed since it was raised.

A pause is raised by an agent that waits for a person. It is open until a later one resolves it, at most a day. Pure.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from helix_core.errors import UsageError
from helix_core.memory.exchanges import bounded, session_name
from helix_core.memory.notes import metadata_json
from helix_core.memory.uses import kept_path
from helix_core.model import Pause, PauseType, Pointer, Recoverability
from helix_core.secrets import masked_line, quoted

OPEN_S = 86_400.0
"""Seconds after which an unresolved pause is no longer open."""
MOST_CONTEXT, MOST_KEYWORDS, LONGEST_KEYWORD = 4_000, 20, 80
MOST_PAUSE_FILES = 8
MOST_SNAPSHOT_FILES = 50_000
_HASH_BYTES = 8
_MOST_NAMED = 200
_LINES = r"(?::(\d{1,7})(?:-(\d{1,7}))?)?"
_NAMED = re.compile(rf"([\w./@+-]{{1,400}}){_LINES}")
_GIVEN = re.compile(rf"([^:]{{1,400}}){_LINES}")
PausePlace = tuple[str, int, int]
"""A path with its first and last line, both 0 where none are said."""


@dataclass(frozen=True, slots=True)
class PauseInput:
    """A pause as an agent raises it. ``files`` are places, ``path`` or ``path:first-last``; ``resolves`` is the id of
    an earlier pause that this one ends.
    """

    pause_type: PauseType
    task_context: str = ""
    participant: str = ""
    party: str = ""
    session: str = ""
    resolved_without_operator: bool = False
    resolves: str = ""
    files: Sequence[str] = ()
    tone_uncertainty: float | None = None
    risk_keywords: Sequence[str] = ()
    time_since_last_risk: float | None = None
    recoverability: str = ""
    genome_snapshot: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise UsageError for a wrong ``recoverability``."""
        if self.recoverability and self.recoverability not in set(Recoverability):
            raise UsageError(f"recoverability must be one of {', '.join(Recoverability)}")

    def places(self) -> list[PausePlace]:
        """Return the places of ``files``, none known to be there. Raises UsageError for what names none."""
        return [_place_of(each) for each in self.files]

    def named_places(self) -> Iterator[PausePlace]:
        """Yield what the task's text may name as places, none known to be there."""
        words = dict.fromkeys(self.task_context[:MOST_CONTEXT].replace("`", " ").split()[:_MOST_NAMED])
        stripped = (word.strip("\"'()[]{}<>,;!?").rstrip(".:") for word in words)
        return (_place(found) for found in map(_NAMED.fullmatch, stripped) if found is not None)

    def kept(self, event_id: str, workspace: bytes, files: tuple[Pointer, ...], snapshot: bytes, at: float) -> Pause:
        """Return the pause to store: text masked and bounded.

        Args:
            event_id: Its id.
            workspace: The key of the workspace.
            files: The places that ``files`` and the task's text name.
            snapshot: The files with their hashes then, as ``files_snapshot`` gives them; empty where none is kept.
            at: When it was opened, in Unix seconds.
        """
        signals = {
            "tone_uncertainty": self.tone_uncertainty,
            "risk_keywords": [masked_line(one, LONGEST_KEYWORD) for one in self.risk_keywords[:MOST_KEYWORDS]],
            "time_since_last_risk": self.time_since_last_risk,
            "recoverability": self.recoverability or None,
        }
        about = {"genome_snapshot": dict(self.genome_snapshot), "metadata": dict(self.metadata)}
        return Pause(
            event_id=event_id,
            workspace=workspace,
            session=session_name(self.session),
            pause_type=self.pause_type,
            participant=session_name(self.participant),
            party=session_name(self.party),
            task_context=bounded(self.task_context, MOST_CONTEXT)[0],
            resolved_without_operator=self.resolved_without_operator,
            signals=metadata_json(signals),
            about=metadata_json({name: value for name, value in about.items() if value}),
            files=files,
            snapshot=snapshot,
            at=at,
            resolved_at=at if self.resolved_without_operator else None,
        )


def _place_of(typed: str) -> PausePlace:
    found = _GIVEN.fullmatch(typed)
    if found is None or not 1 <= int(found[2] or 1) <= int(found[3] or found[2] or 1):
        raise UsageError(f"{quoted(typed, 80)} is not a place; write path or path:first-last, lines from 1 on")
    return _place(found)


def _place(found: re.Match[str]) -> PausePlace:
    first = int(found[2] or 0)
    return found[1].removeprefix("./"), first, max(first, int(found[3] or 0))


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that is other than when a pause was raised; ``change`` is changed, added or gone."""

    path: bytes
    change: str


def files_snapshot(files: Iterable[tuple[bytes, str]]) -> bytes:
    """Return files, each a path and its content hash in hex, as compressed bytes; empty where there are too many."""
    held = sorted((path, content_hash) for path, content_hash in files if kept_path(path) is not None)
    if len(held) > MOST_SNAPSHOT_FILES:
        return b""
    return zlib.compress(b"".join(bytes.fromhex(one[: 2 * _HASH_BYTES]) + path + b"\0" for path, one in held))


def changed_since(snapshot: bytes, files: Collection[tuple[bytes, str]]) -> list[ChangedFile]:
    """Return how files differ from a snapshot, by path."""
    was, at, data = {}, 0, zlib.decompress(snapshot)
    while at < len(data):
        end = data.index(b"\0", at + _HASH_BYTES)
        was[data[at + _HASH_BYTES : end]] = data[at : at + _HASH_BYTES]
        at = end + 1
    now = {path: bytes.fromhex(one[: 2 * _HASH_BYTES]) for path, one in files if kept_path(path) is not None}
    found = [ChangedFile(path, "gone") for path in was.keys() - now.keys()]
    found += [ChangedFile(path, "added") for path in now.keys() - was.keys()]
    found += [ChangedFile(path, "changed") for path in was.keys() & now.keys() if was[path] != now[path]]
    return sorted(found, key=lambda one: one.path)
