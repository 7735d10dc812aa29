"""The values of files: listings, git states, documents and chunks, the items of the index."""

from __future__ import annotations

import hashlib
from typing import Literal

from helix_core.model.kinds import Authority, Clean, Role, SourceKind, Volatility
from helix_core.tuples import NamedTuple


class StatSignature(NamedTuple):
    """The ``fstat`` fields of a file; equal signatures mean equal bytes unless the file is racily clean, as git
    calls it.

    A tuple, as ``FileEntry`` and ``SourceState`` are: a look at a tree makes one of each for every file, and compares
    them, before a question is answered.
    """

    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Definition(NamedTuple):
    """A name that a chunk defines: a function, class, constant, section, key. ``trail`` names the definitions around
    it, joined like a breadcrumb, wherever they begin.
    """

    name: Clean
    kind: str
    start_line: int
    end_line: int
    trail: Clean


class Naming(NamedTuple):
    """The label of a span. ``symbol`` is None when it is unknown or the span defines nothing; ``why`` says which."""

    symbol: str | None
    why: str = ""


class Claim(NamedTuple):
    """A literal fact ``key = value``; ``key`` is dotted and as written, ``value_type`` one of
    ``int float bool string path url version``."""

    key: Clean
    value: Clean
    value_type: str
    line: int


class IndexText(NamedTuple):
    """The indexed fields of a chunk; the store keeps postings, not text.

    ``names`` breadcrumb and names, whole and split; ``doc`` comments and docstrings; ``body`` the rest; ``extra`` parts
    of camel-case identifiers in ``body``; ``refs`` distinct identifiers in code, outside strings and comments.
    """

    names: Clean
    doc: Clean
    body: Clean
    extra: Clean
    refs: Clean


class Chunk(NamedTuple):
    """An item of a file: one symbol or a part of one. The chunks of a file partition its bytes at line starts.

    ``kind`` is the standard term (function, method, class, section, table, imports, block, text, …); ``breadcrumb`` is
    ``Outer.inner`` for code and ``Heading > Sub`` for documents, empty at top level; ``text_hash`` is the first 16 hex
    of SHA-256 of the masked bytes, the wire's ``gene_id``. Without ``is_claimed`` its names were guessed: they help to
    find it, and no answer says that it is what they name.
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
    is_claimed: bool = True


Level = Literal["outline", "chunk"]
"""What a vector embeds: a part of a file by its names and first sentences, or one chunk's text."""


class EmbeddedText(NamedTuple):
    """An embedded text of a file: the chunk (0-based) at which its part begins, the hash it is stored under (8
    bytes), and its static vector: int8 for an outline, bits for a chunk.
    """

    level: Level
    chunk: int
    input_hash: bytes
    vector: bytes


class SecretSpan(NamedTuple):
    """A detected secret: ``kind`` is the field's term for it, the byte span is half-open."""

    kind: str
    start: int
    end: int


class Document(NamedTuple):
    """One ingested file: everything the index may store of it.

    ``content_hash`` is SHA-256 (hex) of the raw bytes. ``parser`` names chunker and grammar with their versions.
    ``skipped`` is a reason why the content does not count (binary, minified, generated); then there are no chunks.
    ``secrets`` are the ``masked_count`` spans that were masked, or empty where they do not suffice to mask again.
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
    secrets: tuple[SecretSpan, ...] = ()
    skipped: str = ""
    embedded: tuple[EmbeddedText, ...] = ()


class SourceState(NamedTuple):
    """The indexed state of a path: enough to tell by a stat that the file is unchanged."""

    path: bytes
    content_hash: str
    signature: StatSignature
    observed_ns: int
    parser: str
    skipped: str = ""


class SetAside(NamedTuple):
    """A quarantined file: its bytes crashed their parser ``attempts`` times, the last time ``tried_at`` under these
    ``limits``.

    ``reason`` is the pool's term. The attempts are 0 for a file that an older version of Helix quarantined.
    """

    path: bytes
    reason: str
    attempts: int
    tried_at: float
    limits: str


class Source(NamedTuple):
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
    masked_count: int = -1
    """Number of secrets masked in it; below 0 when unknown."""
    parser: str = ""
    """Versions of the chunker, the grammar and the secret rules that made it."""

    @property
    def is_indexed(self) -> bool:
        """Return False for a placeholder of a file that the index does not contain."""
        return self.id != 0


class Item(NamedTuple):
    """A chunk as indexed. ``is_claimed`` as in ``Chunk``."""

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
    is_claimed: bool = True

    @property
    def symbol(self) -> str:
        """Return the dotted name that an answer claims for it; empty where its names were guessed."""
        return self.chain if self.is_claimed else ""

    @property
    def chain(self) -> str:
        """Return its dotted name, to find it by: breadcrumb and name joined, or the one that exists."""
        return joined_symbol(self.breadcrumb, self.name, self.source.source_kind)


def joined_symbol(breadcrumb: str, name: str, kind: SourceKind) -> str:
    """Join breadcrumb and name; return one alone where the other is empty."""
    if breadcrumb and name:
        return f"{breadcrumb}{' > ' if kind is SourceKind.DOC else '.'}{name}"
    return name or breadcrumb


class LastCommit(NamedTuple):
    """The last commit that touched a path."""

    commit: str
    author: str
    committed_at: int


class GitState(NamedTuple):
    """The state of a repository. ``operation`` is empty or one of merge, rebase, cherry-pick, revert, bisect, am.

    ``boundaries`` are the commits at which a shallow clone is cut off: git shows every file as added there, so they are
    no file's last change.
    """

    head: str = ""
    branch: str = ""
    operation: str = ""
    conflicted: frozenset[bytes] = frozenset()
    touched: frozenset[bytes] = frozenset()
    boundaries: frozenset[str] = frozenset()

    @property
    def history(self) -> str:
        """Return a key of the reachable commits; empty where there is none. It is HEAD alone in a whole clone, see
        ``is_cut_off``.
        """
        if not self.head or not self.boundaries:
            return self.head
        return f"{self.head} {hashlib.sha256(' '.join(sorted(self.boundaries)).encode()).hexdigest()[:16]}"


def is_cut_off(history: str) -> bool:
    """Return whether a ``GitState.history`` is that of a shallow clone."""
    return " " in history


class Skipped(NamedTuple):
    """A file that does not count, and the reason."""

    path: bytes
    reason: str


class FileEntry(NamedTuple):
    """A file that counts, with its stat signature."""

    path: bytes
    signature: StatSignature


class Listing(NamedTuple):
    """The files on disk now: those that count, in byte order of path, and the skipped ones."""

    files: tuple[FileEntry, ...]
    skipped: tuple[Skipped, ...]
    source: str = "git"
    notes: tuple[str, ...] = ()


class Attribution(NamedTuple):
    """Four layers of a speaker, and the time zone; empty where unknown.

    Provenance only: unauthenticated, and neither permissions nor ranking depend on it.
    """

    org: str = ""
    device: str = ""
    user: str = ""
    agent: str = ""
    timezone: str = ""


MOST_UNINDEXED = 24


class UnindexedChanges(NamedTuple):
    """Changes on the disk that are not in the index yet: raw paths of files and folders that exist, from the root.

    ``is_listed`` is False where other files may have changed too: more than ``MOST_UNINDEXED``, or nobody knows which.
    """

    paths: tuple[bytes, ...] = ()
    is_listed: bool = True


NO_CHANGES = UnindexedChanges()
