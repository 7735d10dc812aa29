"""Where a span that is too long may be cut: at statement borders of a tree, else at the best lines. Never recursive."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import tree_sitter

from helix_core.lines import LineTable


@dataclass(frozen=True, slots=True)
class Size:
    """How long a part may be: rows and bytes."""

    rows: int
    size_bytes: int

    def exceeded_by(self, lines: LineTable, start: int, end: int) -> bool:
        """Is ``[start, end)`` longer than this?"""
        return end - start > self.size_bytes or lines.row(end - 1) - lines.row(start) + 1 > self.rows


def statement_borders(root: tree_sitter.Node, lines: LineTable, size: Size) -> list[int]:
    """Line starts at which a node begins, looking into every node longer than ``size``; sorted."""
    borders: set[int] = set()
    pending = [root]
    while pending:
        for child in pending.pop().children:
            start, end = child.byte_range
            if start >= lines.size:
                continue
            borders.add(lines.start(lines.row(start)))
            if end > start and child.child_count and size.exceeded_by(lines, start, end):
                pending.append(child)
    return sorted(borders)


def packed(start: int, end: int, borders: Iterable[int], lines: LineTable, size: Size) -> list[int]:
    """Part starts for ``[start, end)``: as few parts as fit ``size`` when cut at ``borders``; begins with ``start``."""
    cuts = [start]
    candidate = start
    for border in borders:
        if border <= cuts[-1]:
            continue
        if candidate > cuts[-1] and size.exceeded_by(lines, cuts[-1], border):
            cuts.append(candidate)
        candidate = border
    if candidate > cuts[-1] and size.exceeded_by(lines, cuts[-1], end):
        cuts.append(candidate)
    return cuts


def line_windows(data: bytes, lines: LineTable, start: int, end: int, size: Size) -> list[int]:
    """Part starts for ``[start, end)`` by lines alone: windows of about ``size``, cut where the text makes a pause."""
    return packed_windows(start, end, lines, size, lambda row: _pause(data, lines, row))


def packed_windows(start: int, end: int, lines: LineTable, size: Size, pause: Callable[[int], int]) -> list[int]:
    """Greedy windows; inside the second half of each the row with the strongest pause before it begins the next."""
    cuts = [start]
    last = lines.row(end - 1)
    while size.exceeded_by(lines, cuts[-1], end):
        first = lines.row(cuts[-1])
        limit = _reach(lines, first, last, size)
        if limit > last:
            break
        half = first + max(1, (limit - first) // 2)
        best = max(range(half, limit + 1), key=lambda row: (pause(row), row))
        cuts.append(lines.start(best))
    return cuts


def _reach(lines: LineTable, first: int, last: int, size: Size) -> int:
    """The last row that may begin the next window when one begins at ``first``; more than ``last`` if all fits."""
    end = lines.start(first) + size.size_bytes
    reached = len(lines) if lines.size <= end else bisect_right(lines.starts, end, first + 1) - 1
    return max(first + 1, min(reached, first + size.rows, last + 1))


def _pause(data: bytes, lines: LineTable, row: int) -> int:
    """How good a place ``row`` is to begin a part: after a blank line, and the less indented the better."""
    line = data[lines.start(row) : lines.start(row + 1)]
    text = line.lstrip()
    if not text:
        return -1
    before = data[lines.start(row - 1) : lines.start(row)].strip()
    indent = len(line) - len(text)
    closing = text[:1] in b"})]"
    return (0 if before else 100) + max(0, 40 - indent) - (50 if closing else 0)


def within(borders: Sequence[int], start: int, end: int) -> Sequence[int]:
    """Those of the sorted ``borders`` that lie inside ``(start, end)``."""
    return borders[bisect_right(borders, start) : bisect_left(borders, end)]
