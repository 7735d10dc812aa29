"""Convert a given text to a note: bounded, masked, chunked as a file would be. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from helix_core.errors import UsageError
from helix_core.model import Attribution, Clean, Document, Note, SourceKind, Volatility
from helix_core.secrets import Masked, mask, mask_typed, masked_line, quoted

MOST_BYTES = 1024 * 1024
MOST_METADATA = 4_096
LONGEST_TITLE = 200
FACT = "fact"
"""The type of notes that an older Helix made of facts of chats."""
CONTENT_TYPES = ("text", "code", "conversation")
_KINDS = {
    "text": (SourceKind.NOTE, Volatility.STABLE, b"note.md"),
    "code": (SourceKind.NOTE, Volatility.STABLE, b"note.txt"),
    "conversation": (SourceKind.CHAT, Volatility.MEDIUM, b"note.md"),
    FACT: (SourceKind.NOTE, Volatility.STABLE, b"note.md"),
}


class EmptyError(UsageError):
    """The given text is empty."""


class UnfitError(UsageError):
    """The given text cannot be kept: it is not text, too long, or of a file that is never read."""


@dataclass(frozen=True, slots=True)
class NoteInput:
    """A text to keep. ``metadata`` may contain a ``path`` or ``title``, and any other members."""

    content: str
    content_type: str = "text"
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def checked(self) -> NoteInput:
        """Validate and return the input. Raises EmptyError, UnfitError for what is not text or too long, and
        UsageError.
        """
        if self.content_type not in _KINDS:
            raise UsageError(
                f"unknown content_type {quoted(self.content_type, 80)}; use one of {', '.join(CONTENT_TYPES)}"
            )
        if not self.content.strip():
            raise EmptyError("content is empty; give the text that is to be kept")
        if "\0" in self.content:
            raise UnfitError("content holds a zero byte, so it is not text; give text")
        if len(self.content) > MOST_BYTES or len(self.content.encode("utf-8", "replace")) > MOST_BYTES:
            raise UnfitError(f"content is over {MOST_BYTES // 1024} KiB; give it in parts")
        return self

    @property
    def path(self) -> str:
        """Return the path in the metadata, as given, or ""."""
        named = self.metadata.get("path")
        return named if isinstance(named, str) else ""

    def masked(self) -> Masked:
        """Return the masked text."""
        return mask_typed(self.content)

    def named_as(self) -> bytes:
        """Return a file name that determines the text's language: its path, else one for its type. It is never
        opened.
        """
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
) -> Note:
    """Build the note of a text. Masking is idempotent, so the spans of its document are valid.

    Args:
        given: The input.
        masked: Its text with masked secrets.
        document: What the masked bytes were parsed into.
        workspace: The key of the workspace.
        by: The author.
        at: When it was given, in Unix seconds.
    """
    kind, volatility, _ = _KINDS[given.content_type]
    title = given.metadata.get("title")
    named = title if isinstance(title, str) else given.path
    return Note(
        workspace=workspace,
        text=masked.text(),
        content_hash=hashlib.sha256(masked.data).hexdigest(),
        content_type=given.content_type,
        title=masked_line(named, LONGEST_TITLE),
        metadata=metadata_json(given.metadata),
        language=document.language,
        source_kind=kind,
        volatility=volatility,
        at=at,
        by=by,
        chunks=document.chunks,
        parser=document.parser,
    )


def metadata_json(metadata: Mapping[str, Any]) -> Clean:
    """Return the metadata as JSON, if short and still JSON when masked; else only path and title, truncated; else
    "".
    """
    short = {name: _masked(str(metadata[name])[:MOST_METADATA], 150) for name in ("path", "title") if name in metadata}
    for each in (dict(metadata), short):
        if len(_json(each)) > MOST_METADATA:
            continue
        said = _masked(_json(_each_masked(each)), MOST_METADATA + 1)
        if len(said) <= MOST_METADATA and _is_json(said):
            return said
    return _masked("{}", 2)


def _each_masked(value: Any) -> Any:
    """Mask each string by itself: JSON's quotes would hide the context, and truncation the value."""
    if isinstance(value, str):
        return str(_masked(value, MOST_METADATA))
    if isinstance(value, Mapping):
        return {str(_masked(str(name), MOST_METADATA)): _each_masked(each) for name, each in value.items()}
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
