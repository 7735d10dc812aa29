"""The values of the memory: exchanges with a model, notes, their attribution, and deliveries of a session."""

from __future__ import annotations

from dataclasses import dataclass

from helix_core.model.content import Chunk
from helix_core.model.kinds import Clean, SourceKind, Volatility


@dataclass(frozen=True, slots=True)
class Attribution:
    """Four layers of a speaker, and the time zone; empty where unknown.

    Provenance only: unauthenticated, and neither permissions nor ranking depend on it.
    """

    org: str = ""
    device: str = ""
    user: str = ""
    agent: str = ""
    timezone: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question of a chat and its answer. ``workspace`` is the folder's real path, ``at`` Unix seconds.

    ``finish`` is the upstream's own term; ``truncated`` means that the recorded answer is incomplete.
    """

    workspace: bytes
    session: Clean
    question: Clean
    answer: Clean
    model: Clean
    packet_id: str
    at: float
    finish: Clean
    truncated: bool
    by: Attribution


@dataclass(frozen=True, slots=True)
class KeptExchange:
    """An exchange as read from the memory: masked, but still untrusted text."""

    id: int
    session: str
    question: str
    answer: str
    model: str
    packet_id: str
    at: float
    finish: str
    truncated: bool
    by: Attribution


@dataclass(frozen=True, slots=True)
class Note:
    """A given text, or a fact derived from exchanges (``evidence``, their ids). ``chunks`` partition its bytes.

    ``content_hash`` is SHA-256 (hex) of the masked UTF-8 bytes. ``metadata`` is a JSON object, as given.
    """

    workspace: bytes
    text: Clean
    content_hash: str
    content_type: str
    title: Clean
    metadata: Clean
    language: str
    source_kind: SourceKind
    volatility: Volatility
    at: float
    by: Attribution
    chunks: tuple[Chunk, ...]
    parser: str
    evidence: tuple[int, ...] = ()

    @property
    def gene_ids(self) -> tuple[str, ...]:
        """Return the first 16 hex of SHA-256 of each distinct chunk's text, in order."""
        return tuple(dict.fromkeys(chunk.text_hash for chunk in self.chunks))


@dataclass(frozen=True, slots=True)
class NoteItem:
    """A chunk of a note as stored; ``number`` is its index in the note, from 0."""

    id: int
    note_id: int
    number: int
    gene_id: str
    kind: str
    name: str
    breadcrumb: str
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    text: str
    content_hash: str
    content_type: str
    title: str
    language: str
    source_kind: SourceKind
    volatility: Volatility
    at: float

    @property
    def source_id(self) -> str:
        """Return the placeholder for a file's path."""
        return f"{NOTE_SCHEME}{self.content_hash[:16]}"


NOTE_SCHEME = "helix-note:"
