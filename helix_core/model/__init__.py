"""The nouns every room shares.

Values only: frozen, slotted, comparable. No I/O, no clock, no decisions; imports nothing of Helix.
Paths are raw bytes relative to the workspace root with ``/`` between parts; ``source_id`` is their printable form.
Lines are 1-based and inclusive; byte spans are half-open; times are Unix seconds unless the name says ``_ns``.
"""

from helix_core.model.answer import (
    Contradiction,
    Found,
    Hints,
    Judged,
    LineSpan,
    Overlays,
    Pointer,
    Ranked,
    RefreshTarget,
    Signal,
    SourcedClaim,
    Verdict,
    Weighed,
)
from helix_core.model.content import (
    Chunk,
    Claim,
    Definition,
    Document,
    EmbeddedText,
    IndexText,
    Item,
    Level,
    SetAside,
    Source,
    SourceState,
    StatSignature,
    joined_symbol,
)
from helix_core.model.kinds import Authority, Clean, Reason, Role, SourceKind, Status, TaskType, Volatility
from helix_core.model.memory import NOTE_SCHEME, Attribution, Exchange, KeptExchange, Note, NoteItem
from helix_core.model.workspace import FileEntry, GitState, LastCommit, Listing, Skipped

__all__ = [
    "NOTE_SCHEME",
    "Attribution",
    "Authority",
    "Chunk",
    "Claim",
    "Clean",
    "Contradiction",
    "Definition",
    "Document",
    "EmbeddedText",
    "Exchange",
    "FileEntry",
    "Found",
    "GitState",
    "Hints",
    "IndexText",
    "Item",
    "Judged",
    "KeptExchange",
    "LastCommit",
    "Level",
    "LineSpan",
    "Listing",
    "Note",
    "NoteItem",
    "Overlays",
    "Pointer",
    "Ranked",
    "Reason",
    "RefreshTarget",
    "Role",
    "SetAside",
    "Signal",
    "Skipped",
    "Source",
    "SourceKind",
    "SourceState",
    "SourcedClaim",
    "StatSignature",
    "Status",
    "TaskType",
    "Verdict",
    "Volatility",
    "Weighed",
    "joined_symbol",
]
