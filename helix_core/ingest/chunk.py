"""Split a file into chunks that partition its bytes: every byte is in exactly one span, and spans begin at line starts.

A span that is too long is cut at statement borders of its tree, else at the best lines.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import tree_sitter

from helix_core.ingest.outline import Import, Outline, Symbol, inner_trail
from helix_core.lines import LineTable
from helix_core.model import FUNCTIONS


@dataclass(frozen=True, slots=True)
class Size:
    """The size limit of a part, in rows and bytes."""

    rows: int
    size_bytes: int

    def exceeded_by(self, lines: LineTable, start: int, end: int) -> bool:
        """Return whether ``[start, end)`` is longer than this."""
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
    """Return the part starts of ``[start, end)`` by lines alone: windows of about ``size``, cut at blank or
    unindented lines.
    """
    return packed_windows(start, end, lines, size, lambda row: _pause(data, lines, row))


def packed_windows(start: int, end: int, lines: LineTable, size: Size, pause: Callable[[int], int]) -> list[int]:
    """Return greedy windows; each ends in its second half, at the row that ``pause`` scores highest."""
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
    """Return the last row that may begin the next window when one begins at ``first``; more than ``last`` if all
    fits.
    """
    end = lines.start(first) + size.size_bytes
    reached = len(lines) if lines.size <= end else bisect_right(lines.starts, end, first + 1) - 1
    return max(first + 1, min(reached, first + size.rows, last + 1))


def _pause(data: bytes, lines: LineTable, row: int) -> int:
    """Score ``row`` as a part's first row: after a blank line is best, then the least indented."""
    line = data[lines.start(row) : lines.start(row + 1)]
    text = line.lstrip()
    if not text:
        return -1
    before = data[lines.start(row - 1) : lines.start(row)].strip()
    indent = len(line) - len(text)
    closing = text[:1] in b"})]"
    return (0 if before else 100) + max(0, 40 - indent) - (50 if closing else 0)


def within(borders: Sequence[int], start: int, end: int) -> Sequence[int]:
    """Return those of the sorted ``borders`` that lie inside ``(start, end)``."""
    return borders[bisect_right(borders, start) : bisect_left(borders, end)]


SMALL = Size(rows=40, size_bytes=1200)
LONG = Size(rows=80, size_bytes=4000)
PART = Size(rows=60, size_bytes=3000)
RUN = Size(rows=50, size_bytes=2000)
RUN_PART = Size(rows=40, size_bytes=1500)
CRUMB = Size(rows=4, size_bytes=300)
INNER_ROWS = 10
_THIN = frozenset({"module", "namespace", "impl", "extension", "suite"})
_GROUPED_ON_ONE_ROW = frozenset({"module", "namespace", "impl", "extension", "suite", "test"})
_BLANKS = b" \t\r\n\f\v\xef\xbb\xbf"
CLOSERS = b" \t\r\n\f\v{}[]();,"


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes ``[start, end)`` with their kind and name; ``trail`` is the path of the enclosing names. Without
    ``is_claimed`` the name is a guess.
    """

    start: int
    end: int
    kind: str
    name: str
    trail: tuple[str, ...]
    is_claimed: bool = True


@dataclass(frozen=True, slots=True)
class _Piece:
    """A run of lines that belongs to ``owner`` (None for the file itself); ``is_head`` when it starts the owner."""

    start: int
    end: int
    owner: Symbol | None
    is_head: bool


def spans(data: bytes, lines: LineTable, outline: Outline, root: tree_sitter.Node | None) -> list[Span]:
    """Split ``data`` into spans, in order; none for an empty file."""
    if not data:
        return []
    pieces = _pieces(data, lines, outline)
    pieces = _joined(data, lines, pieces)
    cutter = _Cutter(data, lines, outline, root)
    return _without_blank_starts(data, lines, [span for piece in pieces for span in cutter.cut(piece)])


def _without_blank_starts(data: bytes, lines: LineTable, found: Sequence[Span]) -> list[Span]:
    """Return the spans with the blank lines at the start of each given to the one before it; none is left blank."""
    out: list[Span] = []
    for span in found:
        start, row = span.start, lines.row(span.start)
        while out and start < span.end and not data[start : lines.start(row + 1)].strip(_BLANKS):
            row += 1
            start = lines.start(row)
        if start > span.start:
            out[-1] = replace(out[-1], end=min(start, span.end))
        if start < span.end:
            out.append(span if start == span.start else replace(span, start=start))
    return out


def _pieces(data: bytes, lines: LineTable, outline: Outline) -> list[_Piece]:
    """Split the file into runs of lines, each owned by the innermost symbol that gets a span of its own."""
    leads = _lead_rows(data, lines, outline)
    pieces: list[_Piece] = []
    open_: list[tuple[Symbol, int]] = []
    position = 0
    is_head = False

    def upto(offset: int) -> None:
        nonlocal position, is_head
        if offset > position:
            pieces.append(_Piece(position, offset, open_[-1][0] if open_ else None, is_head))
            position, is_head = offset, False

    for symbol in _chosen(lines, outline.symbols):
        row = lines.row(symbol.start)
        while open_ and open_[-1][0].end <= symbol.start:
            upto(open_[-1][1])
            open_.pop()
            is_head = False
        while row - 1 in leads and leads[row - 1] < row:
            row = leads[row - 1]
        upto(lines.start(row))
        open_.append((symbol, lines.start(lines.row(symbol.end - 1) + 1)))
        is_head = True
    while open_:
        upto(open_[-1][1])
        open_.pop()
        is_head = False
    upto(lines.size)
    return pieces


def _chosen(lines: LineTable, symbols: tuple[Symbol, ...]) -> list[Symbol]:
    """Return the symbols that become spans: top-level ones, members of a container that is split, and large ones in
    long functions.
    """
    opened = [False] * len(symbols)
    chosen = []
    for index, symbol in enumerate(symbols):
        if symbol.parent >= 0 and not opened[symbol.parent]:
            continue
        around = symbols[symbol.parent] if symbol.parent >= 0 else None
        if not _stands_alone(lines, symbol, around):
            continue
        limit = SMALL if symbol.is_container else LONG
        opened[index] = limit.exceeded_by(lines, symbol.start, symbol.end)
        chosen.append(symbol)
    return chosen


def _stands_alone(lines: LineTable, symbol: Symbol, around: Symbol | None) -> bool:
    if symbol.end <= symbol.start:
        return False
    rows = lines.row(symbol.end - 1) - lines.row(symbol.start) + 1
    if around is not None and around.kind in FUNCTIONS:
        return rows >= INNER_ROWS
    if symbol.is_heavy:
        return rows > 1 or symbol.kind not in _GROUPED_ON_ONE_ROW
    return rows >= INNER_ROWS or symbol.end - symbol.start >= SMALL.size_bytes


def _lead_rows(data: bytes, lines: LineTable, outline: Outline) -> dict[int, int]:
    """Map the last row of each comment, decorator or attribute to its first row; one that follows code on its first
    row belongs to that code.
    """
    rows: dict[int, int] = {}
    lead_end = 0
    for start, end in outline.leads:
        if end <= start:
            continue
        first = lines.row(start)
        if data[max(lines.start(first), lead_end) : start].strip(_BLANKS):
            continue
        lead_end = max(lead_end, end)
        rows.setdefault(lines.row(end - 1), rows.get(first, first))
    return rows


def _joined(data: bytes, lines: LineTable, pieces: list[_Piece]) -> list[_Piece]:
    """Join blank lines and closing brackets to the previous piece, and a namespace's bare first line to the next."""
    out: list[_Piece] = []
    for piece in pieces:
        if out and data[piece.start : piece.end].strip(CLOSERS) in (b"", b"end"):
            out[-1] = _Piece(out[-1].start, piece.end, out[-1].owner, out[-1].is_head)
        elif out and _is_thin(lines, out[-1], piece):
            out[-1] = _Piece(out[-1].start, piece.end, piece.owner, piece.is_head)
        else:
            out.append(piece)
    return out


def _is_thin(lines: LineTable, head: _Piece, following: _Piece) -> bool:
    owner = head.owner
    if owner is None or not head.is_head or owner.kind not in _THIN or not following.is_head:
        return False
    return lines.row(head.end - 1) - lines.row(head.start) < 2


class _Cutter:
    """Cuts pieces to size and names the parts."""

    def __init__(self, data: bytes, lines: LineTable, outline: Outline, root: tree_sitter.Node | None) -> None:
        self._data = data
        self._lines = lines
        self._outline = outline
        self._root = root
        self._borders: list[int] | None = None
        self._values = [symbol for symbol in outline.symbols if not symbol.is_heavy]
        self._import_starts = [item.start for item in outline.imports]
        self._value_starts = [symbol.start for symbol in self._values]

    def cut(self, piece: _Piece) -> list[Span]:
        """Return the spans of one piece."""
        if piece.owner is None:
            return [self._run(start, end, None) for start, end in self._runs(piece)]
        trail, name = piece.owner.trail, piece.owner.name
        if piece.is_head or not piece.owner.is_container:
            parts = self._parts(piece.start, piece.end, LONG, PART)
            return [Span(start, end, piece.owner.kind, name, trail, piece.owner.is_sure) for start, end in parts]
        runs = [self._run(start, end, piece.owner) for start, end in self._parts(piece.start, piece.end, RUN, RUN_PART)]
        if piece.owner.kind == "section":
            return [Span(run.start, run.end, "section", name, trail) if run.kind == "block" else run for run in runs]
        return runs

    def _runs(self, piece: _Piece) -> list[tuple[int, int]]:
        """Split a top-level run so that its imports are a span of their own, unless little surrounds them."""
        cuts = [piece.start, *self._around_imports(piece.start, piece.end), piece.end]
        runs = []
        for start, end in pairwise(cuts):
            runs += self._parts(start, end, RUN, RUN_PART)
        return runs

    def _around_imports(self, start: int, end: int) -> list[int]:
        inside = self._imports_in(start, end)
        if not inside or not Size(15, 600).exceeded_by(self._lines, start, end):
            return []
        rows = [self._lines.row(item.start) for item in inside]
        first, last = min(rows), max(self._lines.row(max(item.start, item.end - 1)) for item in inside)
        cuts = []
        if first - self._lines.row(start) >= 5:
            cuts.append(self._lines.start(first))
        if self._lines.row(end - 1) - last >= 4:
            cuts.append(self._lines.start(last + 1))
        return [cut for cut in cuts if start < cut < end]

    def _imports_in(self, start: int, end: int) -> tuple[Import, ...]:
        low, high = bisect_left(self._import_starts, start), bisect_left(self._import_starts, end)
        return self._outline.imports[low:high]

    def _parts(self, start: int, end: int, limit: Size, part: Size) -> list[tuple[int, int]]:
        if not limit.exceeded_by(self._lines, start, end):
            return [(start, end)]
        cuts = packed(start, end, within(self._all_borders(), start, end), self._lines, part)
        parts = list(zip(cuts, [*cuts[1:], end], strict=True))
        return self._merge_crumbs([small for big in parts for small in self._windows(*big, part)])

    def _windows(self, start: int, end: int, part: Size) -> list[tuple[int, int]]:
        """Cut by lines where no statement starts for too long, as in a long literal."""
        if not LONG.exceeded_by(self._lines, start, end):
            return [(start, end)]
        cuts = line_windows(self._data, self._lines, start, end, part)
        return list(zip(cuts, [*cuts[1:], end], strict=True))

    def _merge_crumbs(self, parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Join a part that is too small to the one before it, or the first part to the next."""
        out: list[tuple[int, int]] = []
        for start, end in parts:
            if out and (not CRUMB.exceeded_by(self._lines, start, end) or not CRUMB.exceeded_by(self._lines, *out[-1])):
                out[-1] = (out[-1][0], end)
            else:
                out.append((start, end))
        return out

    def _all_borders(self) -> list[int]:
        if self._borders is None:
            found = statement_borders(self._root, self._lines, RUN_PART) if self._root is not None else []
            held = _lead_rows(self._data, self._lines, self._outline)
            self._borders = [border for border in found if self._lines.row(border) - 1 not in held]
        return self._borders

    def _is_outer(self, value: Symbol, owner: Symbol | None) -> bool:
        """Return whether a value stands in no other symbol than ``owner``."""
        return (self._outline.symbols[value.parent] if value.parent >= 0 else None) is owner

    def _run(self, start: int, end: int, owner: Symbol | None) -> Span:
        """Return the span of statements between symbols in ``owner``, named when they assign one value only."""
        trail = (*owner.trail, owner.name) if owner is not None else ()
        known = inner_trail(owner) if owner is not None else ()
        low, high = bisect_left(self._value_starts, start), bisect_left(self._value_starts, end)
        around = self._values[low:high]
        values = [value for value in around if value.trail == known]
        is_sure = (owner is None or owner.is_sure) and all(value.is_sure for value in values)
        # What is assigned to a member of something else (``module.exports = …``) is another value.
        names = {value.name for value in values} | {
            ".".join((*value.trail, value.name))
            for value in around
            if value.trail != known and self._is_outer(value, owner)
        }
        kinds = {value.kind for value in values}
        if self._imports_in(start, end):
            return Span(start, end, "imports", "", trail, is_sure)
        if len(names) == 1 and values:
            return Span(start, end, values[0].kind, values[0].name, trail, is_sure)
        return Span(start, end, kinds.pop() if len(kinds) == 1 else "block", "", trail, is_sure)
