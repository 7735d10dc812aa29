"""What the memory keeps: exchanges with a model, notes that were given, who gave them, what a session was shown."""

from __future__ import annotations

from dataclasses import dataclass

from helix_core.model.content import Chunk
from helix_core.model.kinds import Clean, SourceKind, Volatility


@dataclass(frozen=True, slots=True)
class Attribution:
    """Four layers of whoever said something, and the time zone it was said in; empty where it is not known.

    Provenance only: nobody proved to be who it says, and nothing is allowed or ranked by it.
    """

    org: str = ""
    device: str = ""
    user: str = ""
    agent: str = ""
    timezone: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question of a chat and its answer. ``workspace`` is the folder's real path, ``at`` Unix seconds.

    ``finish`` is the upstream's own word; ``truncated`` says that the answer stops before its end.
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
    """An exchange as it was read back from the memory: masked text, but text like any other."""

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
    """A text that was given, or a fact drawn from exchanges (``evidence``, their ids). ``chunks`` partition its bytes.

    ``content_hash`` is SHA-256 (hex) of the masked UTF-8 bytes. ``metadata`` is a JSON object, as it was given.
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
        """The first 16 hex of SHA-256 of each chunk's text, in order, each once."""
        return tuple(dict.fromkeys(chunk.text_hash for chunk in self.chunks))


@dataclass(frozen=True, slots=True)
class NoteItem:
    """A chunk of a note as the memory remembers it; ``number`` is its place among the note's, from 0."""

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
        """What stands where a file's path would: no path, and of no file."""
        return f"{NOTE_SCHEME}{self.content_hash[:16]}"


NOTE_SCHEME = "helix-note:"
