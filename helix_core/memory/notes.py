"""A text that is given becomes a note: bounded, masked, cut into chunks as a file would be. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from helix_core.errors import UsageError
from helix_core.ingest import Masked, mask
from helix_core.model import Attribution, Clean, Document, Note, SourceKind, Volatility

MOST_BYTES = 1024 * 1024
MOST_METADATA = 4_096
LONGEST_TITLE = 200
FACT = "fact"
CONTENT_TYPES = ("text", "code", "conversation")
_KINDS = {
    "text": (SourceKind.NOTE, Volatility.STABLE, b"note.md"),
    "code": (SourceKind.NOTE, Volatility.STABLE, b"note.txt"),
    "conversation": (SourceKind.CHAT, Volatility.MEDIUM, b"note.md"),
    FACT: (SourceKind.NOTE, Volatility.STABLE, b"note.md"),
}


class EmptyError(UsageError):
    """There is nothing to keep in what was given."""


class UnfitError(UsageError):
    """What was given cannot be kept: it is no text, too much of it, or of a file that is never read."""


@dataclass(frozen=True, slots=True)
class NoteInput:
    """What somebody wants kept. ``metadata`` may name a ``path`` or ``title``, and anything else of their own."""

    content: str
    content_type: str = "text"
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def checked(self) -> NoteInput:
        """The same. Raises EmptyError, UnfitError for what is no text, or too much of it, and UsageError."""
        if self.content_type not in _KINDS:
            raise UsageError(f"unknown content_type {self.content_type[:80]!a}; use one of {', '.join(CONTENT_TYPES)}")
        if not self.content.strip():
            raise EmptyError("content is empty; give the text that is to be kept")
        if "\0" in self.content:
            raise UnfitError("content holds a zero byte, so it is no text; give text")
        if len(self.content) > MOST_BYTES or len(self.content.encode("utf-8", "replace")) > MOST_BYTES:
            raise UnfitError(f"content is over {MOST_BYTES // 1024} KiB; give it in parts")
        return self

    @property
    def path(self) -> str:
        """The path it is said to be of, as it was given; empty where none is."""
        named = self.metadata.get("path")
        return named if isinstance(named, str) else ""

    def masked(self) -> Masked:
        """The text that may be kept."""
        return mask(self.content.encode("utf-8", "replace"))

    def named_as(self) -> bytes:
        """A file name that tells the text's language: of its path, else of its type. Nothing is opened by it."""
        name = self.path.replace("\\", "/").rpartition("/")[2].encode("utf-8", "replace").replace(b"\0", b"")
        return name[-200:] or _KINDS[self.content_type][2]


def note_of(
    given: NoteInput,
    masked: Masked,
    document: Document,
    *,
    workspace: bytes,
    by: Attribution,
    at: float,
    evidence: tuple[int, ...] = (),
) -> Note:
    """The note of a text whose masked bytes gave ``document``. To mask twice changes nothing: its spans are right."""
    kind, volatility, _ = _KINDS[given.content_type]
    title = given.metadata.get("title")
    named = title if isinstance(title, str) else given.path
    return Note(
        workspace=workspace,
        text=masked.text(),
        content_hash=hashlib.sha256(masked.data).hexdigest(),
        content_type=given.content_type,
        title=_masked(" ".join(named.split()), LONGEST_TITLE),
        metadata=_metadata(given.metadata),
        language=document.language,
        source_kind=kind,
        volatility=volatility,
        at=at,
        by=by,
        chunks=document.chunks,
        parser=document.parser,
        evidence=evidence,
    )


def _metadata(metadata: Mapping[str, Any]) -> Clean:
    """As JSON, where that is short and stays JSON when masked; else only the path and the title, cut; else nothing."""
    short = {name: _masked(str(metadata[name])[:MOST_METADATA], 150) for name in ("path", "title") if name in metadata}
    for each in (dict(metadata), short):
        if len(_json(each)) > MOST_METADATA:
            continue
        said = _masked(_json(_each_masked(each)), MOST_METADATA + 1)
        if len(said) <= MOST_METADATA and _is_json(said):
            return said
    return _masked("{}", 2)


def _each_masked(value: Any) -> Any:
    """Every text of it masked by itself: in JSON its quotes hide what it says, and a cut hides what it was."""
    if isinstance(value, str):
        return str(_masked(value, MOST_METADATA))
    if isinstance(value, Mapping):
        return {name: _each_masked(each) for name, each in value.items()}
    return [_each_masked(each) for each in value] if isinstance(value, list) else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True, default=str)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _masked(text: str, most: int) -> Clean:
    masked = mask(text.encode("utf-8", "replace"))
    return masked.clean(masked.text()[:most])
