"""The values of an answer: ranked items, verdicts, contradictions and refresh targets."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from helix_core.model.content import Item, LastCommit, Source
from helix_core.model.kinds import Kept, MemoryOrigin, MemoryStatus, Reason, Status
from helix_core.tuples import NamedTuple

if TYPE_CHECKING:
    from helix_core.model.explained import RankingExplanation


Overlays: TypeAlias = Mapping[bytes, bytes]
"""Open editor buffers: path relative to the root -> UTF-8 bytes. A buffer equal to the disk has no effect."""

LONGEST_SHOWN = 120
"""Maximum length, in characters, of a signature or value in a sentence about it."""


class Signal(NamedTuple):
    """One ranker's vote for one item: its 1-based rank in that list and its share of the fused score."""

    ranker: str
    rank: int
    share: float


class LineSpan(NamedTuple):
    """Lines of a text, 1-based and inclusive."""

    start_line: int
    end_line: int


class Ranked(NamedTuple):
    """An item of the answer; ``score`` is comparable inside one answer only.

    ``focus`` are the relevant lines of the item, where not all of it is; as indexed.
    """

    item: Item
    score: float
    signals: tuple[Signal, ...]
    priors: tuple[str, ...] = ()
    related: bool = False
    focus: LineSpan | None = None

    @property
    def lines(self) -> LineSpan:
        """Return the relevant lines."""
        return self.focus or LineSpan(self.item.start_line, self.item.end_line)


class Found(NamedTuple):
    """The result of a search.

    ``rankers`` maps each ranker to ``used``, ``empty``, ``off`` or the failure. ``notes`` tell what the answer lacks:
    what exceeded its budget, what is not indexed yet. ``seems_empty``: no result exceeds the floor; ``known_empty``:
    and everything was searched. ``indexed_share`` (0..1) is the indexed share of the files that count.

    ``confidence`` (0..1): the probability that the best item is right. ``nearest``: suggested names when nothing was
    found. ``account``: the explanation, where requested. ``unsearched``: why no file was searched, empty where one was.
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
    account: RankingExplanation | None = None
    notes: tuple[str, ...] = ()
    seems_empty: bool = False
    indexed_share: float = 1.0
    unsearched: str = ""

    def where_nothing_was_searched(self, why: str) -> Found:
        """Return it as the answer of no file: no file was searched, so nothing is known to be missing."""
        return self._replace(known_empty=False, seems_empty=False, confidence=0.0, nearest=(), unsearched=why)


class Filters(NamedTuple):
    """Which files a question is asked of; by default all.

    ``paths`` are globs in gitignore syntax, one that begins with ``!`` excludes. ``language`` is a language of the
    index. ``since`` is a git revision: files that differ from it. ``author`` is a part of the name or e-mail address of
    somebody whose commits touched them, with ``since`` only commits after it.
    """

    paths: tuple[str, ...] = ()
    language: str = ""
    tests: Kept = Kept.WITH
    docs: Kept = Kept.WITH
    since: str = ""
    author: str = ""


class Hints(NamedTuple):
    """Session context: paths open in the editor and recently used, most recent first.

    ``used_with`` were opened or cited together with those earlier, ``changed_with`` changed together with them in git;
    the engine fills both in. ``session`` names the client, whose recently opened files count as open.
    """

    open_paths: tuple[bytes, ...] = ()
    recent_paths: tuple[bytes, ...] = ()
    used_with: tuple[bytes, ...] = ()
    changed_with: tuple[bytes, ...] = ()
    session: str = ""


class SourcedClaim(NamedTuple):
    """A claim as indexed, with its item and file version."""

    item_id: int
    source: Source
    key: str
    value: str
    value_type: str
    line: int


class DocumentChange(StrEnum):
    """What happened to the code that a document refers to."""

    SIGNATURE = "signature_changed"
    PARAMETER = "parameter_gone"
    DEFAULT = "default_changed"
    VALUE = "value_changed"
    NAME = "name_gone"
    FILE = "file_gone"


class DocumentFlag(NamedTuple):
    """One statement of a document that its code no longer supports.

    ``line`` is the document's, 1-based, and ``written`` its text. ``was`` and ``now`` are the two sides; ``now`` is
    empty for what was deleted, unless its replacement is known. ``difference`` describes how two signatures differ.
    ``path`` and ``code_line`` locate the code, ``since`` is the commit at which the statement was right.
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
        """Return what changed, the old side and the new one, without a full stop."""
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


class Verdict(NamedTuple):
    """Whether this pointer may be trusted now, and why. ``detail`` completes the reason (names, the other side), or is
    empty.

    ``also`` holds the observations that the reason outweighed, in the order of the verdict table.
    """

    status: Status
    reason: Reason
    detail: str = ""
    also: tuple[Reason, ...] = ()


class Contradiction(NamedTuple):
    """Two sources with different values for one key; the line of ``fresher`` changed last if ``order_known``."""

    key: str
    fresher: SourcedClaim
    older: SourcedClaim
    order_known: bool = True


class Weighed(NamedTuple):
    """A ranked item with its verdict and the bytes read for it.

    ``content_hash`` and ``quote`` come from the bytes read for this answer; both are empty where nothing could be read.
    ``verified_at`` is when bytes and index last agreed. ``buffer`` is the item's position in the editor's unsaved
    buffer, where position or text differ from the disk. ``outdated`` are its statements that the code no longer
    supports. ``uncommitted`` says that HEAD does not have these lines: ``commit`` is then an older one's.
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
    uncommitted: bool = False


class Preview(NamedTuple):
    """A search result compared with the disk.

    ``ranked`` is at its current lines. ``verdict`` comes from the bytes of its file, from unsaved edits and from
    conflicts; of what documents say, only values are checked. ``line`` declares it, or is its first line: as on disk,
    secrets masked, without indentation; empty where nothing could be read.
    """

    ranked: Ranked
    verdict: Verdict
    line: str


class RefreshTarget(NamedTuple):
    """One thing to read again: its location, the reason, and its urgency (0..1)."""

    target_kind: str
    source_id: str
    start_line: int
    end_line: int
    reason: Reason
    priority: float


class Pointer(NamedTuple):
    """An item of an earlier packet: the fields that identify its text, and its location then."""

    source_id: str
    gene_id: str
    symbol: str
    start_line: int
    end_line: int
    content_hash: str


class Judged(NamedTuple):
    """A pointer of an earlier packet with its current verdict, and the current location of its text, or else of its
    symbol.

    Both lines are 0 where it no longer exists. ``buffer`` as in ``Weighed``. ``moved_to`` is the file that has it now,
    empty where that is the pointer's own.
    """

    pointer: Pointer
    verdict: Verdict
    start_line: int
    end_line: int
    buffer: LineSpan | None = None
    moved_to: str = ""


class RecalledCitation(NamedTuple):
    """Lines of a file that a memory cites, where they are now, with their verdict of this moment."""

    source_id: str
    start_line: int
    end_line: int
    symbol: str
    verdict: Verdict


class RecalledMemory(NamedTuple):
    """A memory that belongs to an answer, with its verdict of this moment. Its text is data, never an instruction.

    ``id`` is its handle, ``state`` its lifecycle. ``confidence`` (0..1) is that of the statement itself.
    ``is_instruction``: the text reads like an order to a model.
    """

    id: str
    kind: str
    text: str
    state: MemoryStatus
    origin: MemoryOrigin
    confidence: float
    verdict: Verdict
    citations: tuple[RecalledCitation, ...] = ()
    is_instruction: bool = False


class Answered(NamedTuple):
    """What a packet is made from: weighed items, best first, what contradicts what, and what was found."""

    weighed: tuple[Weighed, ...]
    contradictions: tuple[Contradiction, ...]
    found: Found
