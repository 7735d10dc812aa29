"""A location with its current verdict: the element of hovers, lenses and findings."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix_core.engine.verdict import ObservedItem, Placed, Weigher, narrowed, verdict
from helix_core.model import Contradiction, Item, LastCommit, LineSpan, Ranked, Reason, TaskType, Verdict
from helix_core.workspace import uri_of

MOST_LEAD_LINES = 60
_LEAD = re.compile(rb"\s*(?:@\w|#!?\[|//|/\*|\[\w.*\]\s*$|template\s*<)")
_HASH_LEAD = re.compile(rb"\s*#(?!\s*(?:include|define|undef|if|ifdef|ifndef|elif|else|endif|pragma|error|line)\b)")
_LEAD_ENDS = (b"*/", b")", b"]", b"}", b">")
_OPENS_LEAD = re.compile(rb"\s*(?:@\w|#!?\[|/\*|\[\w)")


def lead_line(lines: Sequence[bytes], line: int) -> int:
    """Return the line where a definition begins whose header is at ``line``, both from 1: at its comment, decorators,
    attributes or annotations, as its chunk does. A blank line ends them.
    """
    first = line
    while first > 1 and line - first < MOST_LEAD_LINES:
        above = lines[first - 2].rstrip()
        if _LEAD.match(above) or _HASH_LEAD.match(above):
            first -= 1
            continue
        opening = _opening(lines, first - 1) if above.endswith(_LEAD_ENDS) else 0
        if not opening:
            break
        first = opening
    return first


def _opening(lines: Sequence[bytes], last: int) -> int:
    """Return the line where a comment or a decorator of several lines begins that ends at ``last``; 0 for none."""
    is_comment = lines[last - 1].rstrip().endswith(b"*/")
    depth = 0
    for at in range(last, max(last - MOST_LEAD_LINES, 0), -1):
        text = lines[at - 1]
        if is_comment:
            if b"/*" in text:
                return at if text.lstrip().startswith(b"/*") else 0
            continue
        depth += sum(map(text.count, (b")", b"]", b"}"))) - sum(map(text.count, (b"(", b"[", b"{")))
        if depth <= 0:
            return at if depth == 0 and at < last and _OPENS_LEAD.match(text) else 0
    return 0


@dataclass(frozen=True, slots=True)
class Spot:
    """Lines of an item, not yet weighed; ``symbol`` is the dotted name of the place.

    ``by_name`` marks a use of which only the name says that it is one.
    """

    item: Item
    start_line: int
    end_line: int
    symbol: str
    by_name: bool = False


@dataclass(frozen=True, slots=True)
class SymbolPlace:
    """Lines of a file with their verdict. ``buffer`` is their position in an unsaved buffer that differs.

    ``commit`` is the last one of the file, or of these lines where ``commit_of`` is ``lines``. ``uncommitted`` says
    that HEAD does not have these lines.
    """

    spot: Spot
    verdict: Verdict
    commit: LastCommit | None
    buffer: LineSpan | None
    commit_of: str = "file"
    uncommitted: bool = False

    def wire(self, folder: Path) -> dict[str, Any]:
        """Return the place as in ``helix.symbol/1``."""
        source, commit = self.spot.item.source, self.commit
        return {
            "source_id": source.source_id,
            "uri": uri_of(folder, source.path),
            "start_line": self.spot.start_line,
            "end_line": self.spot.end_line,
            "symbol": self.spot.symbol if self.spot.item.is_claimed else "",
            "status": self.verdict.status.value,
            "reason": self.verdict.reason.value,
            "detail": self.verdict.detail,
            "commit": commit.commit if commit else None,
            "author": commit.author if commit else None,
            "committed_at": commit.committed_at if commit else None,
            "commit_of": self.commit_of if commit else "",
            **({"uncommitted": True} if self.uncommitted else {}),
            **({"by_name": True} if self.spot.by_name else {}),
            **({"buffer": self.buffer._asdict()} if self.buffer else {}),
        }


def weigh_spots(weigher: Weigher, spots: Sequence[Spot], task: TaskType = TaskType.EXPLAIN) -> list[SymbolPlace | None]:
    """Return a place for every spot; None where its file is gone or unreadable, which is never shown as existing."""
    placed = [weigher.place(Ranked(spot.item, 0.0, ())) for spot in spots]
    is_there = [weigher.observer.look(spot.item.source).file is not None for spot in spots]
    seen, pairs = weigher.see([one for one, there in zip(placed, is_there, strict=True) if there], 1.0)
    observed = iter(seen)
    return [
        _place(weigher, spot, one, next(observed), pairs, task=task) if there else None
        for spot, one, there in zip(spots, placed, is_there, strict=True)
    ]


def _place(
    weigher: Weigher, spot: Spot, placed: Placed, seen: ObservedItem, pairs: Sequence[Contradiction], *, task: TaskType
) -> SymbolPlace:
    """Return the item's verdict for some of its lines, without evidence about its other lines."""
    moved = placed.ranked.item.start_line - spot.item.start_line
    lines = LineSpan(spot.start_line + moved, spot.end_line + moved)
    observation, buffer, uncommitted = seen.observation, None, False
    file = weigher.observer.look(spot.item.source).file
    if file is not None and placed.reason is not Reason.CHANGED:
        own = narrowed(placed.ranked.item, file.data, lines.start_line, lines.end_line)
        uncommitted = weigher.is_uncommitted(own)
        there = weigher.facts.buffers.place(own, file)
        if there is not None:
            observation = observation._replace(unsaved=there.touched)
            buffer = there.lines if there.touched or there.lines.start_line != lines.start_line else None
    if observation.contradicted_by and not _is_disputed(placed.ranked.item, spot, pairs):
        observation = observation._replace(contradicted_by="")
    there_now = dataclasses.replace(spot, item=placed.ranked.item, start_line=lines.start_line, end_line=lines.end_line)
    return SymbolPlace(there_now, verdict(observation, task), seen.commit, buffer, uncommitted=uncommitted)


def _is_disputed(item: Item, spot: Spot, pairs: Sequence[Contradiction]) -> bool:
    return any(pair.older.item_id == item.id and spot.start_line <= pair.older.line <= spot.end_line for pair in pairs)
