"""What becomes of a question: ranked items, verdicts, contradictions, refresh targets, and the account of a ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from helix_core.model.content import Item, LastCommit, Source
from helix_core.model.kinds import Reason, Status


@dataclass(frozen=True, slots=True)
class RankedFile:
    """A file in a ranker's list.

    ``rank`` is 1-based; ``part`` is what the place in this list adds to the file's fused score, ``share`` (0..1) how
    much of that score it is.
    """

    source_id: str
    rank: int
    part: float
    share: float


@dataclass(frozen=True, slots=True)
class RankerAccount:
    """A ranker that was heard: how much its word counts, how many files it named, and those of them worth showing,
    best first: its first ones, and every file of the answer."""

    name: str
    weight: float
    files: int
    listed: tuple[RankedFile, ...]


@dataclass(frozen=True, slots=True)
class Sign:
    """What was looked at, what was found, and how much that speaks for (above 0) or against (below 0)."""

    name: str
    value: float
    effect: float


@dataclass(frozen=True, slots=True)
class Account:
    """What a search can tell of itself.

    ``model`` names whose vectors served (empty: none), ``levels`` which of them were searched, ``unready`` what keeps
    others back. ``presence`` (0..1): is what was asked here at all? ``place`` (0..1): if so, is the first place the
    one? ``lines`` has, by the ids of items, why the second stage chose that place: the effect of a sign is measured
    from the average of all places that were looked at. It is empty where that stage had no time.
    """

    rankers: tuple[RankerAccount, ...]
    model: str
    levels: tuple[str, ...]
    unready: tuple[str, ...]
    presence: float
    presence_signs: tuple[Sign, ...]
    place: float
    place_signs: tuple[Sign, ...]
    lines: Mapping[int, tuple[Sign, ...]]


Overlays: TypeAlias = Mapping[bytes, bytes]
"""What an editor has open: path from the root -> the buffer as UTF-8 bytes. One that equals the disk says nothing."""

LONGEST_SHOWN = 120
"""Characters of a signature or value that a sentence about it repeats."""


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


class DocumentChange(StrEnum):
    """What happened to the code that a document speaks of."""

    SIGNATURE = "signature_changed"
    PARAMETER = "parameter_gone"
    DEFAULT = "default_changed"
    VALUE = "value_changed"
    NAME = "name_gone"
    FILE = "file_gone"


@dataclass(frozen=True, slots=True)
class DocumentFlag:
    """One statement of a document that its code has left behind.

    ``line`` is the document's, 1-based, and ``written`` what stands there. ``was`` and ``now`` are the two sides;
    ``now`` is empty for what is gone, unless something tells what it became. ``difference`` says of two signatures how
    they differ. ``path`` and ``code_line`` say where the code is, ``since`` at which commit the statement was right.
    """

    change: DocumentChange
    symbol: str
    line: int
    was: str
    now: str
    path: bytes = b""
    code_line: int = 0
    written: str = ""
    difference: str = ""
    since: LastCommit | None = None

    @property
    def sentence(self) -> str:
        """What changed, the old side and the new one, without a full stop."""
        was, now = _shortened(self.was), _shortened(self.now)
        match self.change:
            case DocumentChange.SIGNATURE:
                whole = f"{self.was} is {self.now} now"
                return whole if len(whole) <= LONGEST_SHOWN else f"{self.symbol} {self.difference}"
            case DocumentChange.PARAMETER:
                return f"{self.symbol} has no parameter {was} any more" + (f"; {now} is new" if now else "")
            case DocumentChange.DEFAULT | DocumentChange.VALUE:
                return f"{self.symbol} was {was} and is {now} now"
            case DocumentChange.NAME:
                return f"{was} is gone" + (f"; {now} has nearly its text" if now else "")
            case DocumentChange.FILE:
                return f"{was} is gone" + (f"; {now} has its text or its name" if now else "")


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


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
    buffer, where that is not the disk's place or not the disk's text. ``outdated`` is what the code left behind in it.
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
    outdated: tuple[DocumentFlag, ...] = ()


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


@dataclass(frozen=True, slots=True)
class Answered:
    """What a packet is made from: weighed items, best first, what contradicts what, and what was found."""

    weighed: tuple[Weighed, ...]
    contradictions: tuple[Contradiction, ...]
    found: Found
