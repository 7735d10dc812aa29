"""Enumerations: tasks, verdicts, reasons, provenance; and the type of masked text."""

from __future__ import annotations

from enum import StrEnum


class Clean(str):
    """Text in which secrets are masked. Only ``secrets/masked.py`` creates it; the store accepts nothing else."""

    __slots__ = ()


class Decoder(StrEnum):
    """How much the model is told about reading the window."""

    FULL = "full"
    CONDENSED = "condensed"
    MINIMAL = "minimal"
    NONE = "none"


class TaskType(StrEnum):
    """What the client is about to do with the answer; the risk rises from ``plan`` to ``quote``."""

    PLAN = "plan"
    EXPLAIN = "explain"
    REVIEW = "review"
    EDIT = "edit"
    DEBUG = "debug"
    OPS = "ops"
    QUOTE = "quote"


HIGH_RISK = frozenset({TaskType.EDIT, TaskType.DEBUG, TaskType.OPS, TaskType.QUOTE})
"""Tasks that need the exact text: nothing outdated passes, and no quote is shortened."""


class Status(StrEnum):
    """Whether the pointer may be trusted now."""

    VERIFIED = "verified"
    STALE_RISK = "stale_risk"
    NEEDS_REFRESH = "needs_refresh"


class Reason(StrEnum):
    """The reason of a verdict: the terms of the verdict table."""

    UNCHANGED = "unchanged"
    TOUCHED = "touched"
    REINGESTED = "reingested"
    MOVED = "moved"
    RENAMED = "renamed"
    CHANGED = "changed"
    NOT_INDEXED = "not_indexed"
    GONE = "gone"
    UNREADABLE = "unreadable"
    OUTSIDE_ROOT = "outside_root"
    NOT_A_FILE = "not_a_file"
    TOO_LARGE = "too_large"
    IGNORED = "ignored"
    UNSAVED = "unsaved"
    CONFLICTED = "conflicted"
    OUTDATED_DOC = "outdated_doc"
    CONTRADICTED = "contradicted"
    AGED = "aged"
    WEAK_AUTHORITY = "weak_authority"
    UNLOCATED = "unlocated"
    ASSERTED = "asserted"
    SUPERSEDED = "superseded"


def is_only_asserted(status: str, reason: str) -> bool:
    """Return whether nothing denies a memory, and nothing was compared for it, as it cites nothing."""
    return status == Status.VERIFIED and reason == Reason.ASSERTED


class Kept(StrEnum):
    """What a filter does with one kind of files."""

    WITH = "with"
    WITHOUT = "without"
    ONLY = "only"


class SourceKind(StrEnum):
    """The kind of a source."""

    CODE = "code"
    CONFIG = "config"
    DOC = "doc"
    LOG = "log"
    DB = "db"
    NOTE = "note"
    CHAT = "chat"


class Volatility(StrEnum):
    """How fast a source ages when it cannot be read again (half-lives 7 d, 12 h, 15 min)."""

    STABLE = "stable"
    MEDIUM = "medium"
    HOT = "hot"


class Authority(StrEnum):
    """How directly a source determines what it describes."""

    PRIMARY = "primary"
    DERIVED = "derived"
    INFERRED = "inferred"


class Role(StrEnum):
    """The role of a file in its project, derived from its path alone."""

    IMPLEMENTATION = "implementation"
    TEST = "test"
    EXAMPLE = "example"
    HISTORY = "history"
    DOC = "doc"
    CONFIG = "config"
    VENDORED = "vendored"


class MemoryOrigin(StrEnum):
    """Who asserts a memory, in falling authority."""

    USER = "user"
    AGENT = "agent"
    IMPORTED = "imported"

    @property
    def rank(self) -> int:
        """Return 0 for the highest authority; an origin of a larger rank needs review to replace one of a smaller."""
        return list(MemoryOrigin).index(self)


class MemoryStatus(StrEnum):
    """What the operations and links of the log say of a memory; never stored."""

    ACTIVE = "active"
    CONTESTED = "contested"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    QUARANTINED = "quarantined"
    FORGOTTEN = "forgotten"


class UseKind(StrEnum):
    """How a memory was used: a person or an agent opened it by its id, an answer cited it, a person confirmed it."""

    OPENED = "opened"
    CITED = "cited"
    CONFIRMED = "confirmed"


NOTE_SCHEME = "helix-note:"
"""Begins the ``source_id`` of a note of the memory."""
FUNCTIONS = frozenset({"function", "method", "test"})
"""Kinds of definitions that have parameters and a body which runs."""
TYPES = frozenset(
    ("class", "interface", "trait", "struct", "object", "enum", "type", "impl", "record", "union", "protocol")
)
"""Kinds of definitions that have members."""
