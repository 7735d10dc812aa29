"""The values of the memory: exchanges with a model, notes, their attribution, deliveries; memories and their log."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from helix_core.model.content import Attribution, Chunk
from helix_core.model.kinds import NOTE_SCHEME, Clean, MemoryOrigin, MemoryStatus, SourceKind, UseKind, Volatility


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


USABLE = frozenset({MemoryStatus.ACTIVE, MemoryStatus.CONTESTED})
"""The statuses of a memory that is recalled."""
MEMORY_KINDS = (
    *("identity", "preference", "project", "decision", "entity", "snippet", "fact", "convention", "episode"),
    "procedure",
)
"""The built-in kinds; others are kept as they are."""
SUPERSEDES, REFINES, CONFLICTS = "supersedes", "refines", "conflicts_with"
DEPENDS_ON, DERIVED_FROM, CITES = "depends_on", "derived_from", "cites"
RELATED = (DEPENDS_ON, DERIVED_FROM, SUPERSEDES, REFINES, CONFLICTS)
"""The relations between two memories that a caller may state."""
MEMORY_RELATIONS = (SUPERSEDES, REFINES, CONFLICTS, DEPENDS_ON, DERIVED_FROM, CITES)
GLOBAL_SCOPE = "global"
"""The scope of a memory of every workspace; that of one workspace is its random key."""


def canonical(record: Mapping[str, Any]) -> bytes:
    """Return the one byte form of a record: JSON with sorted keys, no blanks, UTF-8. Its numbers are integers."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def record_hash(record: Mapping[str, Any]) -> str:
    """Return SHA-256 (hex) of the canonical bytes."""
    return hashlib.sha256(canonical(record)).hexdigest()


def memory_id(at: int, random: bytes) -> str:
    """Return a UUIDv7 (RFC 9562, section 5.7): Unix milliseconds and ten random bytes, nothing of any text."""
    value = (at & (1 << 48) - 1) << 80 | int.from_bytes(random[:10])
    value = value & ~(0xF << 76) | 7 << 76
    value = value & ~(0x3 << 62) | 2 << 62
    digits = f"{value:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


@dataclass(frozen=True, slots=True)
class Slot:
    """What a statement says of what: ``attribute`` of ``subject`` is ``value``. Normalized; all empty where unknown."""

    subject: Clean
    attribute: Clean
    value: Clean


@dataclass(frozen=True, slots=True)
class MemoryEvidence:
    """One support of a memory: where it was said (``text``, as it was worded), or the code that it cites (``path``).

    A citation has the fields of a ``Pointer``; ``span_hash`` is its ``gene_id``. ``layout_hash`` is that of the same
    lines without their spacing, with marks where the file had them twice (see ``verdict.spans``). ``heals`` is the id
    of the citation that this one replaces, of the same text at its new lines. ``at`` is in Unix milliseconds.
    """

    id: str
    item_id: str
    text: str
    actor: str
    extractor: str
    session: str
    at: int
    scope: str = ""
    path: str = ""
    start_line: int = 0
    end_line: int = 0
    span_hash: str = ""
    layout_hash: str = ""
    content_hash: str = ""
    symbol: str = ""
    commit: str = ""
    heals: str = ""

    def record(self) -> dict[str, Any]:
        """Return the canonical record."""
        return _record("evidence", self)


@dataclass(frozen=True, slots=True)
class MemoryLink:
    """A typed edge between two memories, by their ids."""

    src: str
    rel: str
    dst: str

    def record(self) -> dict[str, Any]:
        """Return the canonical record; its id is the edge itself."""
        return {"type": "link", "id": f"{self.src}/{self.rel}/{self.dst}", "fields": _fields(self, without=())}


@dataclass(frozen=True, slots=True)
class MemoryFact:
    """The immutable part of a memory. ``text_key`` and ``template_key`` are hashes of its words (see ``memory``).

    ``salt`` is random: the content hash of a purged memory cannot be guessed from the log. Times are Unix
    milliseconds; ``importance`` and ``confidence`` are 0..100. ``extra`` holds further words to find it by.
    """

    id: str
    handle: str
    kind: str
    scope: str
    text: Clean
    slot: Slot
    origin: MemoryOrigin
    importance: int
    confidence: int
    valid_from: int
    valid_to: int | None
    salt: str
    text_key: bytes
    template_key: bytes
    extra: Clean

    def record(self) -> dict[str, Any]:
        """Return the canonical record, without what is derived from the text."""
        fields = _fields(self, without=("id", "slot", "text_key", "template_key", "extra"))
        slot = {"subject": self.slot.subject, "attribute": self.slot.attribute, "value": self.slot.value}
        return {"type": "memory", "id": self.id, "fields": fields | slot}


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """A memory as read from the store: the fact, its transaction time in operations, and its status.

    ``tx_to`` is the operation that ended it, None while it is usable. ``at`` is when it was written, in Unix
    milliseconds.
    """

    fact: MemoryFact
    tx_from: int
    tx_to: int | None
    at: int
    status: MemoryStatus

    @property
    def id(self) -> str:
        """Return the id of the fact."""
        return self.fact.id


@dataclass(frozen=True, slots=True)
class DecidedFlags:
    """What the last decisions on a memory say of it, each on its own."""

    is_forgotten: bool
    is_proposed: bool
    is_archived: bool


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """One use of a memory; ``at`` is in Unix milliseconds. No part of the log, of a verdict, or of a strand."""

    kind: UseKind
    at: int


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """A memory to write: the fact, its evidence, and the links that the caller states.

    A ``is_proposal`` waits for review. ``key`` is the caller's idempotency key, empty for none.
    """

    fact: MemoryFact
    evidence: tuple[MemoryEvidence, ...]
    links: tuple[MemoryLink, ...] = ()
    is_proposal: bool = False
    key: str = ""


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What becomes of a draft, given the memories that are there.

    ``same_as`` is the id of the memory that says the same already: only evidence is added. Else the draft is added
    with ``links``; as a proposal where ``needs_review`` says why. With ``words_only`` its citations are not added
    to the memory that says the same: they would change its verdict without a review.
    """

    same_as: str = ""
    words_only: bool = False
    links: tuple[MemoryLink, ...] = ()
    needs_review: str = ""


@dataclass(frozen=True, slots=True)
class MemoryOp:
    """One committed change. ``head`` is the hash of its record, which holds ``prev``, the head before it.

    ``item_id`` is the memory it is about; ``args`` name rows by id and hash, and never hold text.
    """

    seq: int
    id: str
    lamport: int
    actor: str
    kind: str
    item_id: str
    args: Mapping[str, Any]
    at: int
    prev: str
    head: str

    def record(self) -> dict[str, Any]:
        """Return the canonical record, which the head is the hash of; it has no row number."""
        return {"type": "op", "id": self.id, "fields": _fields(self, without=("seq", "id", "head"))}


def _record(kind: str, value: Any) -> dict[str, Any]:
    return {"type": kind, "id": value.id, "fields": _fields(value, without=("id",))}


def _fields(value: Any, without: Collection[str]) -> dict[str, Any]:
    return {each.name: getattr(value, each.name) for each in dataclasses.fields(value) if each.name not in without}
