"""Map an item on disk to the editor's unsaved buffer, and detect whether unsaved edits touch it.

In: bytes of the file and of the buffer. Out: lines of the buffer. No buffer is ever stored. An untouched item is in the
buffer byte for byte and under the same symbol; line endings and a byte order mark are ignored, as editors change them
when they open a file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from helix_core.lines import LineTable
from helix_core.model import Item, LineSpan, Overlays
from helix_core.tuples import NamedTuple
from helix_core.workspace import DiskFile

if TYPE_CHECKING:
    from helix_core.engine.verdict.chains import ChainLookup

MOST_COPIES = 1_000
MOST_LINES_COMPARED = 100_000
_NAMED_AFTERWARDS = frozenset({"c", "cpp"})
"""``typedef struct { … } name;``: here a name may follow what it names."""
_MARK = b"\xef\xbb\xbf"


class InBuffer(NamedTuple):
    """The lines of an item in the buffer, and whether unsaved edits overlap it."""

    lines: LineSpan
    touched: bool


class Buffers:
    """The buffers of one query, each diffed with its file once; ``chains`` resolves symbols in their texts."""

    def __init__(self, overlays: Overlays, chains: ChainLookup) -> None:
        self._overlays, self._chains = overlays, chains
        self._edits: dict[tuple[bytes, str], Edits | None] = {}

    def place(self, item: Item, file: DiskFile) -> InBuffer | None:
        """Map an item of ``file`` to the buffer of its path; None if none is open or it equals the file."""
        found = self._of(item.source.path, file)
        if found is None:
            return None
        there = found.place(item.start_byte, item.end_byte)
        if there.touched or self._keeps_symbol(found, there.lines, item):
            return there
        return there._replace(touched=True)

    def _keeps_symbol(self, found: Edits, lines: LineSpan, item: Item) -> bool:
        """Return whether the text has the same symbol in the buffer, which depends on the text before it and in it."""
        if found.begins_after(item.end_byte) and item.source.language not in _NAMED_AFTERWARDS:
            return True
        buffer = found.buffer
        start, end = LineTable(buffer).span(lines.start_line, lines.end_line)
        there = item._replace(start_byte=start, end_byte=end)
        return self._chains.name_in_buffer(buffer, there).symbol == item.symbol

    def of(self, path: bytes) -> bytes | None:
        """Return the buffer of a path."""
        return self._overlays.get(path)

    def differs(self, path: bytes, file: DiskFile) -> bool:
        """Return whether the buffer of this path has unsaved edits."""
        return self._of(path, file) is not None

    def _of(self, path: bytes, file: DiskFile) -> Edits | None:
        buffer = self._overlays.get(path)
        if buffer is None:
            return None
        known = (path, file.content_hash)
        if known not in self._edits:
            self._edits[known] = edits(file.data, buffer)
        return self._edits[known]


def edits(disk: bytes, buffer: bytes) -> Edits | None:
    """Diff a file and its buffer; None when they are equal."""
    before, after = _plain(_decodable(disk)), _plain(buffer)
    return None if before == after else Edits(disk, before, after)


def line_on_disk(buffer: bytes, disk: bytes, line: int) -> int:
    """Map a line of an open buffer, 1-based, to the file on disk; approximate if the line was edited."""
    changed = edits(buffer, disk)
    if changed is None or line < 1:
        return line
    lines = LineTable(buffer)
    return changed.place(*lines.span(line, line)).lines.start_line if line <= len(lines) else line


class Edits:
    """The diff of a file and its buffer: common head and tail, and a line-based patience diff between them."""

    def __init__(self, disk: bytes, before: bytes, after: bytes) -> None:
        self._disk, self._before, self._after = disk, before, after
        self._same_length = len(disk) == len(before)
        self._head = _common_head(before, after)
        self._tail = _common_tail(before, after)
        self._anchors: tuple[list[int], list[int]] | None = None

    def place(self, start_byte: int, end_byte: int) -> InBuffer:
        """Map the bytes ``[start, end)`` of the file, whole lines, to lines of the buffer."""
        start, end = self._offset(start_byte), self._offset(end_byte)
        there = self._untouched(start, end)
        if there is None:
            return InBuffer(self._around(start, end), touched=True)
        first = self._after.count(b"\n", 0, there)
        return InBuffer(LineSpan(first + 1, first + _lines_in(self._before[start:end])), touched=False)

    @property
    def buffer(self) -> bytes:
        """Return the buffer's text, normalized for comparison."""
        return self._after

    def begins_after(self, end_byte: int) -> bool:
        """Return whether everything up to this byte of the file is equal in the buffer."""
        return self._offset(end_byte) <= self._head

    def _offset(self, offset: int) -> int:
        return offset if self._same_length else len(_plain(_decodable(self._disk[:offset])))

    def _untouched(self, start: int, end: int) -> int | None:
        """Return the offset of exactly this text in the buffer, or None if an edit overlaps it."""
        if end <= self._head:
            return start
        if start >= len(self._before) - self._tail:
            return start + len(self._after) - len(self._before)
        text = self._before[start:end]
        here, there = _occurrences(self._before, text), _occurrences(self._after, text)
        if start in here and len(here) == len(there):
            # With an unchanged number of equal texts, the n-th is still the n-th.
            return there[here.index(start)]
        line = self._mapped(self._before.count(b"\n", 0, start)) if there else 0
        return next(
            (at for at, number in zip(there, _line_numbers(self._after, there), strict=True) if number == line), None
        )

    def _around(self, start: int, end: int) -> LineSpan:
        """Return the buffer's lines that replace the touched ones, estimated from the unchanged lines around them."""
        first_before = self._before.count(b"\n", 0, start)
        first = self._mapped(first_before)
        after = self._mapped(first_before + _lines_in(self._before[start:end]))
        first = min(first, max(_lines_in(self._after) - 1, 0))
        return LineSpan(first + 1, max(after, first + 1))

    def _mapped(self, line: int) -> int:
        """Map a line boundary of the file, counted in lines before it, to the buffer."""
        head = self._before.count(b"\n", 0, self._head)
        if line <= head:
            return line
        total_before, total_after = _lines_in(self._before), _lines_in(self._after)
        rest = total_after - _lines_in(self._after[len(self._after) - self._tail :])
        if line >= total_before - (total_after - rest):
            return line + total_after - total_before
        if self._anchors is None:
            self._anchors = _anchors(self._middle(self._before), self._middle(self._after))
        here, there = self._anchors
        place = bisect_right(here, line - head)
        low = there[place - 1] + line - head - here[place - 1] if place else line - head
        most = there[place] if place < len(there) else rest - head
        return head + min(low, most)

    def _middle(self, text: bytes) -> list[bytes]:
        return text[self._head : len(text) - self._tail].split(b"\n")


def _plain(text: bytes) -> bytes:
    """Normalize what editors change when they open a file."""
    text = text.removeprefix(_MARK)
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def _decodable(text: bytes) -> bytes:
    """Return the text with invalid UTF-8 replaced, as an editor decodes it."""
    return text if text.isascii() else text.decode("utf-8", "replace").encode()


def _lines_in(text: bytes) -> int:
    return text.count(b"\n") + (not text.endswith(b"\n") and bool(text))


def _common_head(one: bytes, other: bytes) -> int:
    """Return the length in bytes of the whole lines that both begin with, by binary search of slices."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return one.rfind(b"\n", 0, low) + 1


def _common_tail(one: bytes, other: bytes) -> int:
    """Return the length in bytes of the whole lines that both end with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    if all(low == len(text) or text[len(text) - low - 1 : len(text) - low] == b"\n" for text in (one, other)):
        return low
    line_end = one.find(b"\n", len(one) - low)
    return len(one) - line_end - 1 if line_end >= 0 else 0


def _occurrences(data: bytes, text: bytes) -> list[int]:
    """Return the offsets of ``text`` in ``data`` as whole lines; empty if there are ``MOST_COPIES`` or more."""
    needle = b"\n" + text
    starts = [0] if data.startswith(text) else []
    at = data.find(needle)
    while at >= 0 and len(starts) < MOST_COPIES:
        starts.append(at + 1)
        at = data.find(needle, at + 1)
    if len(starts) == MOST_COPIES or not text:
        return []
    ends = (start + len(text) for start in starts)
    whole = [text.endswith(b"\n") or data[end : end + 1] in (b"", b"\n") for end in ends]
    return [start for start, is_whole in zip(starts, whole, strict=True) if is_whole]


def _line_numbers(data: bytes, offsets: Sequence[int]) -> Iterator[int]:
    """Yield the number of lines before each offset; ``offsets`` must be ascending."""
    lines = last = 0
    for offset in offsets:
        lines += data.count(b"\n", last, offset)
        last = offset
        yield lines


def _anchors(here: Sequence[bytes], there: Sequence[bytes]) -> tuple[list[int], list[int]]:
    """Return line numbers of the unique common lines, in a common order (the core of patience diff)."""
    if max(len(here), len(there)) > MOST_LINES_COMPARED:
        return [], []
    once_here, once_there = _once(here), _once(there)
    pairs = [(line, once_there[text]) for text, line in once_here.items() if text in once_there]
    piles: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for number, (_, line) in enumerate(pairs):
        pile = bisect_right(piles, line)
        before.append(tops[pile - 1] if pile else -1)
        piles[pile : pile + 1] = [line]
        tops[pile : pile + 1] = [number]
    chosen = []
    number = tops[-1] if tops else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    chosen.reverse()
    return [line for line, _ in chosen], [line for _, line in chosen]


def _once(lines: Sequence[bytes]) -> dict[bytes, int]:
    """Return the unique lines with their numbers, in order."""
    counts = Counter(lines)
    return {text: number for number, text in enumerate(lines) if counts[text] == 1}
