"""What becomes of a question: ranked items, verdicts, contradictions, things to read again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from helix_core.model.account import Account
from helix_core.model.content import Item, Source
from helix_core.model.kinds import Reason, Status
from helix_core.model.workspace import LastCommit

Overlays: TypeAlias = Mapping[bytes, bytes]
"""What an editor has open: path from the root -> the buffer as UTF-8 bytes. One that equals the disk says nothing."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One ranker's word about one item: its 1-based rank in that list and its share of the fused score."""

    ranker: str
    rank: int
    share: float


@dataclass(frozen=True, slots=True)
class LineSpan:
    """Lines of a text, 1-based and inclusive."""

    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """An item with its place in the answer; ``score`` is comparable inside one answer only.

    ``focus`` are the lines of the item that are meant, where not all of it is; they are as the index has them.
    """

    item: Item
    score: float
    signals: tuple[Signal, ...]
    priors: tuple[str, ...] = ()
    related: bool = False
    focus: LineSpan | None = None

    @property
    def lines(self) -> LineSpan:
        """The lines that are meant."""
        return self.focus or LineSpan(self.item.start_line, self.item.end_line)


@dataclass(frozen=True, slots=True)
class Found:
    """What search knows about a question. ``rankers`` maps each ranker to ``used``, ``empty``, ``off`` or the failure.
    ``notes`` say what the answer lacks: what its budget of work did not reach, what is not indexed yet.
    ``seems_empty`` says that nothing found clears the floor; ``known_empty`` also that all there is was searched.
    ``indexed_share`` (0..1) is how much of the files that count was.

    ``confidence`` (0..1): is the best item the right place? ``nearest``: names worth trying when nothing was found.
    ``account``: how the answer came about, where that was asked for.
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
    account: Account | None = None
    notes: tuple[str, ...] = ()
    seems_empty: bool = False
    indexed_share: float = 1.0


@dataclass(frozen=True, slots=True)
class Hints:
    """What the session knows: paths open in the editor and recently used, most recent first.

    ``used_with`` were opened or cited together with those earlier, ``changed_with`` changed together with them in git;
    the engine fills both in. ``session`` names who asks, where files it opened lately are to count as open.
    """

    open_paths: tuple[bytes, ...] = ()
    recent_paths: tuple[bytes, ...] = ()
    used_with: tuple[bytes, ...] = ()
    changed_with: tuple[bytes, ...] = ()
    session: str = ""


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
    ``verified_at`` is when bytes and index last agreed. ``buffer`` is where the item stands in the editor's unsaved
    buffer, where that is not the disk's place or not the disk's text.
    """

    ranked: Ranked
    verdict: Verdict
    live_truth: float
    content_hash: str
    quote: str
    verified_at: float
    uri: str
    commit: LastCommit | None = None
    buffer: LineSpan | None = None


@dataclass(frozen=True, slots=True)
class RefreshTarget:
    """One thing to read again: where, why, and how pressing (0..1)."""

    target_kind: str
    source_id: str
    start_line: int
    end_line: int
    reason: Reason
    priority: float


@dataclass(frozen=True, slots=True)
class Pointer:
    """An item of a packet shown earlier: the fields of the packet that say which text was meant, and where it stood."""

    source_id: str
    gene_id: str
    symbol: str
    start_line: int
    end_line: int
    content_hash: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A pointer shown earlier with the verdict that is true now, and where its text, or else its symbol, stands now.

    Both lines are 0 where it stands nowhere. ``buffer`` as in ``Weighed``.
    """

    pointer: Pointer
    verdict: Verdict
    start_line: int
    end_line: int
    buffer: LineSpan | None = None
