"""The nouns every room shares.

Values only: frozen, slotted, comparable. No I/O, no clock, no decisions; imports nothing of Helix.
Paths are raw bytes relative to the workspace root with ``/`` between parts; ``source_id`` is their printable form.
Lines are 1-based and inclusive; byte spans are half-open; times are Unix seconds unless the name says ``_ns``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Clean(str):
    """Text in which secrets are masked. Only ``ingest/secrets.py`` makes it; the store takes nothing else."""

    __slots__ = ()


class TaskType(StrEnum):
    """What the asker is about to do with the answer; the risk rises from ``plan`` to ``quote``."""

    PLAN = "plan"
    EXPLAIN = "explain"
    REVIEW = "review"
    EDIT = "edit"
    DEBUG = "debug"
    OPS = "ops"
    QUOTE = "quote"


class Status(StrEnum):
    """May the pointer be trusted now?"""

    VERIFIED = "verified"
    STALE_RISK = "stale_risk"
    NEEDS_REFRESH = "needs_refresh"


class Reason(StrEnum):
    """Why a verdict is what it is: the words of the verdict table."""

    UNCHANGED = "unchanged"
    TOUCHED = "touched"
    REINGESTED = "reingested"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"
    UNREADABLE = "unreadable"
    OUTSIDE_ROOT = "outside_root"
    NOT_A_FILE = "not_a_file"
    TOO_LARGE = "too_large"
    UNSAVED = "unsaved"
    CONFLICTED = "conflicted"
    OUTDATED_DOC = "outdated_doc"
    CONTRADICTED = "contradicted"
    AGED = "aged"
    WEAK_AUTHORITY = "weak_authority"
    UNLOCATED = "unlocated"


class SourceKind(StrEnum):
    """What sort of thing a source is."""

    CODE = "code"
    CONFIG = "config"
    DOC = "doc"
    LOG = "log"
    DB = "db"
    NOTE = "note"


class Volatility(StrEnum):
    """How fast a source ages when it cannot be read again (half-lives 7 d, 12 h, 15 min)."""

    STABLE = "stable"
    MEDIUM = "medium"
    HOT = "hot"


class Authority(StrEnum):
    """How close a source is to the thing it speaks of."""

    PRIMARY = "primary"
    DERIVED = "derived"
    INFERRED = "inferred"


class Role(StrEnum):
    """The part a file plays in its project, read from its path alone."""

    IMPLEMENTATION = "implementation"
    TEST = "test"
    EXAMPLE = "example"
    HISTORY = "history"
    DOC = "doc"
    CONFIG = "config"
    VENDORED = "vendored"


@dataclass(frozen=True, slots=True)
class StatSignature:
    """What ``fstat`` says of a file; equal signatures mean equal bytes unless the change was racily recent."""

    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Definition:
    """A name a chunk gives a meaning to: a function, class, constant, section, key."""

    name: Clean
    kind: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A literal fact ``key = value``; ``key`` is dotted and as written, ``value_type`` one of
    ``int float bool string path url version``."""

    key: Clean
    value: Clean
    value_type: str
    line: int


@dataclass(frozen=True, slots=True)
class IndexText:
    """The fields of a chunk as postings see them; the store keeps postings, not text.

    ``names`` breadcrumb and names, whole and split; ``doc`` comments and docstrings; ``body`` the rest; ``extra`` parts
    of camel-case identifiers in ``body``; ``refs`` distinct identifiers in code, outside strings and comments.
    """

    names: Clean
    doc: Clean
    body: Clean
    extra: Clean
    refs: Clean


@dataclass(frozen=True, slots=True)
class Chunk:
    """An item of a file: one symbol or a part of one. The chunks of a file partition its bytes at line starts.

    ``kind`` is the field's word (function, method, class, section, table, imports, block, text, …);
    ``breadcrumb`` is ``Outer.inner`` for code and ``Heading > Sub`` for documents, empty at top level;
    ``text_hash`` is the first 16 hex of SHA-256 of the masked bytes, the wire's ``gene_id``.
    """

    kind: str
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    name: Clean
    breadcrumb: Clean
    text_hash: str
    text: IndexText
    definitions: tuple[Definition, ...] = ()
    claims: tuple[Claim, ...] = ()
    imports: tuple[Clean, ...] = ()
    tests: tuple[Clean, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One file, ingested: everything the index will know of it, and nothing it must not.

    ``content_hash`` is SHA-256 (hex) of the raw bytes. ``parser`` names chunker and grammar with their versions.
    ``skipped`` is a reason why the content does not count (binary, minified, generated); then there are no chunks.
    """

    path: bytes
    content_hash: str
    size_bytes: int
    line_count: int
    language: str
    parser: str
    source_kind: SourceKind
    volatility: Volatility
    authority: Authority
    role: Role
    chunks: tuple[Chunk, ...]
    has_errors: bool = False
    masked_count: int = 0
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class SourceState:
    """What the index knows of a file's place on disk: enough to tell, by a stat, that nothing moved."""

    path: bytes
    content_hash: str
    signature: StatSignature
    observed_ns: int
    parser: str
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A live row of the index: a file version with its provenance."""

    id: int
    path: bytes
    source_id: str
    content_hash: str
    signature: StatSignature
    observed_at: float
    verified_at: float
    language: str
    source_kind: SourceKind
    volatility: Volatility
    authority: Authority
    role: Role
    line_count: int


@dataclass(frozen=True, slots=True)
class Item:
    """A chunk as the index remembers it."""

    id: int
    source: Source
    kind: str
    name: str
    breadcrumb: str
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    text_hash: str

    @property
    def symbol(self) -> str:
        """The dotted name people use for it: breadcrumb and name joined, or what there is."""
        if self.breadcrumb and self.name:
            separator = " > " if self.source.source_kind is SourceKind.DOC else "."
            return f"{self.breadcrumb}{separator}{self.name}"
        return self.name or self.breadcrumb


@dataclass(frozen=True, slots=True)
class Signal:
    """One ranker's word about one item: its 1-based rank in that list and its share of the fused score."""

    ranker: str
    rank: int
    share: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """An item with its place in the answer; ``score`` is comparable inside one answer only."""

    item: Item
    score: float
    signals: tuple[Signal, ...]
    priors: tuple[str, ...] = ()
    related: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What search knows about a question. ``rankers`` maps each ranker to ``used``, ``empty``, ``off`` or the failure.

    ``confidence`` (0..1): is the best item the right place? ``nearest``: names worth trying when nothing was found.
    """

    ranked: tuple[Ranked, ...]
    confidence: float
    known_empty: bool
    terms: tuple[str, ...]
    rankers: dict[str, str]
    searched_sources: int
    searched_items: int
    evaluated: int
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hints:
    """What the session knows: paths open in the editor and recently used, most recent first."""

    open_paths: tuple[bytes, ...] = ()
    recent_paths: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class LastCommit:
    """The last commit that touched a path."""

    commit: str
    author: str
    committed_at: int


@dataclass(frozen=True, slots=True)
class GitState:
    """Where a repository stands. ``operation`` is empty or one of merge, rebase, cherry-pick, revert, bisect, am."""

    head: str = ""
    branch: str = ""
    operation: str = ""
    conflicted: frozenset[bytes] = frozenset()
    touched: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that does not count, and why."""

    path: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file that counts by its name and stat."""

    path: bytes
    signature: StatSignature


@dataclass(frozen=True, slots=True)
class Listing:
    """What is on disk now: the files that count, in byte order of path, and those that do not."""

    files: tuple[FileEntry, ...]
    skipped: tuple[Skipped, ...]
    source: str = "git"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourcedClaim:
    """A claim as the index remembers it, with the item and the file version that make it."""

    item_id: int
    source: Source
    key: str
    value: str
    value_type: str
    line: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """May this pointer be trusted now, and why. ``detail`` completes the reason (names, the other side), or is empty.

    ``also`` holds the observations that the reason outweighed, in the order of the verdict table.
    """

    status: Status
    reason: Reason
    detail: str = ""
    also: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sources that claim different values for one key; ``fresher`` changed last."""

    key: str
    fresher: SourcedClaim
    older: SourcedClaim


@dataclass(frozen=True, slots=True)
class Weighed:
    """A ranked item with its verdict and what was read for it.

    ``content_hash`` and ``quote`` come from the bytes read for this answer; both are empty where nothing could be read.
    ``verified_at`` is when bytes and index last agreed.
    """

    ranked: Ranked
    verdict: Verdict
    live_truth: float
    content_hash: str
    quote: str
    verified_at: float
    uri: str
    commit: LastCommit | None = None


@dataclass(frozen=True, slots=True)
class RefreshTarget:
    """One thing to read again: where, why, and how pressing (0..1)."""

    target_kind: str
    source_id: str
    start_line: int
    end_line: int
    reason: Reason
    priority: float
