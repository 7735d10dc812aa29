"""Judge pointers shown earlier by the same verdict table, without a search.

Includes finding what only an unsaved buffer defines.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from helix_core.engine.verdict.chains import renaming
from helix_core.engine.verdict.observe import RELOCATE_BYTES, FileObservation
from helix_core.engine.verdict.spans import (
    COPY,
    NEAR_COPY,
    copies,
    is_telling,
    laid_out_anew,
    layout,
    narrowed,
    whole_word,
)
from helix_core.engine.verdict.table import TEXT_THERE, TRUE_NOW, Observation, priority, verdict
from helix_core.engine.verdict.weigher import ObservedItem, Placed, Weigher, called
from helix_core.errors import UsageError
from helix_core.ingest.provenance import provenance
from helix_core.model import (
    NOTE_SCHEME,
    Chunk,
    Item,
    Judged,
    LineSpan,
    Overlays,
    Pointer,
    Ranked,
    Reason,
    RefreshTarget,
    Source,
    SourceKind,
    StatSignature,
    Status,
    TaskType,
    Weighed,
)
from helix_core.printable import count
from helix_core.search import Question
from helix_core.store import Reader
from helix_core.workspace import DiskError, Root, checked, content_reason, name_reason, source_id_of

if TYPE_CHECKING:
    from helix_core.ingest import ParseGuard

MOST_BUFFER_BYTES = 256 * 1024
MOST_COPIES = 16
_NO_SIGNATURE = StatSignature(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Lost:
    """The pointer's text is not in its file; ``now`` is the item that has its symbol, if any.

    ``buffer`` is its position in an unsaved buffer, for a text that was never on disk.
    """

    reason: Reason
    now: Item | None = None
    buffer: LineSpan | None = None


class Judgement:
    """Judge one set of pointers against the disk. ``note`` judges pointers at notes of the memory.

    ``weigher`` should not repair the index, as callers have an index thread.
    """

    def __init__(
        self, reader: Reader, weigher: Weigher, note: Callable[[Pointer, TaskType], Judged] | None = None
    ) -> None:
        self._note = note
        self._reader = reader
        self._weigher = weigher
        self._items: dict[int, list[Item]] = {}
        self._made = 0

    def of(
        self, pointers: Sequence[Pointer], task: TaskType, confidence: float
    ) -> tuple[list[Judged], list[RefreshTarget]]:
        """Return a verdict for each pointer, in order, and the refresh targets, most urgent first."""
        paths = {checked(one.source_id) for one in pointers if not one.source_id.startswith(NOTE_SCHEME)}
        indexed = {path for path in paths if self._reader.files.source(path) is not None}
        self._weigher.observer.expect(indexed)
        self._weigher.observer.expect(paths - indexed, indexed=False)
        found = [self._note_of(pointer, task) or self._find(pointer) for pointer in pointers]
        seen, _ = self._weigher.see([one for one in found if isinstance(one, Placed)], confidence)
        waiting = iter(seen)
        judged = []
        for pointer, one in zip(pointers, found, strict=True):
            if isinstance(one, Judged):
                judged.append(one)
            elif isinstance(one, Lost):
                judged.append(self._lost(pointer, one, task, confidence))
            else:
                judged.append(_judged(pointer, next(waiting), task))
        return judged, _targets(judged, task)

    def followed(
        self, judged: Sequence[Judged], task: TaskType, confidence: float
    ) -> tuple[list[Judged], list[RefreshTarget]]:
        """Return the same with the place of what left its file or got another name, and the refresh targets.

        The text is looked for in the one file that has the bytes of one that is gone, in the one place of the index
        that has it under its symbol, and in its file under another name of its definition.
        """
        found = [self._followed(one, task, confidence) for one in judged]
        return found, _targets(found, task)

    def _followed(self, one: Judged, task: TaskType, confidence: float) -> Judged:
        pointer, reason = one.pointer, one.verdict.reason
        if one.start_line or pointer.source_id.startswith(NOTE_SCHEME) or reason not in (Reason.GONE, Reason.CHANGED):
            return one
        self._weigher.facts.check()
        if reason is Reason.CHANGED and (renamed := self._renamed(pointer)) is not None:
            lines, names = renamed
            seen = Observation(disk=Reason.RENAMED, disk_detail=names, confidence=confidence)
            return one._replace(verdict=verdict(seen, task), start_line=lines.start_line, end_line=lines.end_line)
        there = self._elsewhere(pointer)
        if there is None:
            return one
        path, lines = there
        now = f"the same text is in {path}:{lines.start_line}-{lines.end_line}"
        told = one.verdict._replace(detail=now)
        return one._replace(verdict=told, start_line=lines.start_line, end_line=lines.end_line, moved_to=path)

    def _elsewhere(self, pointer: Pointer) -> tuple[str, LineSpan] | None:
        """Return the only other file and lines that have the pointer's text: a file of the same bytes, or one in which
        the text is under the same symbol; None where there are none or several.
        """
        own = checked(pointer.source_id)
        lines = LineSpan(pointer.start_line, pointer.end_line)
        found = {
            (source_id_of(path), lines)
            for path, state in self._reader.files.states().items()
            if path != own and state.content_hash == pointer.content_hash and not state.skipped
        }
        if not found and pointer.symbol:
            hits = self._reader.names.defined_at(pointer.symbol.rpartition(".")[2], own, MOST_COPIES)
            items = self._reader.files.items([hit.hit.item_id for hit in hits if hit.path != own])
            found = {
                (item.source.source_id, LineSpan(item.start_line, item.end_line))
                for item in items.values()
                if item.text_hash == pointer.gene_id and item.symbol == pointer.symbol
            }
        if len(found) != 1:
            return None
        ((source_id, _),) = found
        source = self._reader.files.source(checked(source_id))
        observed = self._weigher.observer.look(source) if source is not None else None
        is_current = (
            source is not None
            and observed is not None
            and observed.file is not None
            and observed.file.content_hash == source.content_hash
        )
        return next(iter(found)) if is_current else None

    def pinned(self, source_id: str, lines: LineSpan) -> tuple[Pointer, str]:
        """Return a pointer at these whole lines as they are on disk now, under the symbol that they belong to, and
        their layout, for ``relaid``, with a mark where the file has the same lines elsewhere too.

        Raises UsageError for a file that does not count or is not there, for lines that it does not have, and for
        lines that could not be followed: those whose place in the file's definitions no parser knows.
        """
        path = checked(source_id)
        source = self._reader.files.source(path)
        if name_reason(path) == "private":
            raise UsageError(f"{source_id} cannot be cited: files of this kind are never read; cite another file")
        self._weigher.observer.expect([path], indexed=source is not None)
        observed = self._weigher.observer.look(source or unindexed(path))
        if observed.file is None:
            # Of a path that the index never had, it is not known whether a file was there.
            was_never = source is None and observed.reason is Reason.GONE
            why = "there is no such file" if was_never else f"it is {observed.reason.value.replace('_', ' ')}"
            raise UsageError(f"{source_id} cannot be cited: {why}; name a file of this workspace, as path:first-last")
        masked = self._weigher.mask(observed)
        rows = masked.data.splitlines(keepends=True)
        if lines.start_line > lines.end_line:
            message = f"{lines.start_line}-{lines.end_line} ends before it begins"
            raise UsageError(f"{message}; cite lines of {source_id} as path:first-last")
        if not 1 <= lines.start_line <= lines.end_line <= len(rows):
            held = count(len(rows), "line")
            raise UsageError(f"{source_id} has {held}; cite lines that it has, as path:first-last")
        text = b"".join(rows[lines.start_line - 1 : lines.end_line])
        gene_id, content_hash = hashlib.sha256(text).hexdigest()[:16], observed.file.content_hash
        bare = Pointer(source_id_of(path), gene_id, "", lines.start_line, lines.end_line, content_hash)
        item = _pointed_item(-1, source or unindexed(path), masked.data, lines.start_line, bare)
        naming = self._weigher.facts.chains.label(item, observed, masked)
        pointer = bare._replace(symbol=naming.symbol or "")
        found = self._find(pointer)
        if isinstance(found, Lost) or found.reason not in TRUE_NOW:
            why = naming.why or "the same lines are elsewhere too"
            raise UsageError(f"{source_id}:{lines.start_line}-{lines.end_line} cannot be followed ({why}); cite others")
        near, far = self._copies(pointer, lines)
        far = far or self._renamed(pointer) is not None
        marks = COPY * near + NEAR_COPY * far
        return pointer, layout(rows[lines.start_line - 1 : lines.end_line]) + marks

    def is_sure(self, pointer: Pointer, now: LineSpan, layout_hash: str, *, is_renamed: bool) -> bool:
        """Return whether the text at the lines ``now`` is surely what a pointer was made at.

        It is at its own lines. Elsewhere it says enough to be recognized, and the file has it only once, then and now.

        Args:
            pointer: The place as it was cited.
            now: Where its text is now.
            layout_hash: The layout of the text when it was cited.
            is_renamed: Its definition has another name now.
        """
        if now.start_line == pointer.start_line:
            return True
        near, far = self._copies(pointer, now)
        if COPY in layout_hash or near or not self.is_telling(pointer, now):
            return False
        is_short = now.start_line == now.end_line
        return not ((is_renamed or is_short) and (far or NEAR_COPY in layout_hash))

    def is_telling(self, pointer: Pointer, lines: LineSpan) -> bool:
        """Return whether these lines of the pointer's file say enough to be known again elsewhere."""
        return is_telling(self._rows(pointer)[lines.start_line - 1 : lines.end_line])

    def renamed(self, pointer: Pointer, layout_hash: str) -> tuple[LineSpan, str] | None:
        """Return where the pointer's lines are with another name of their definition, and both names; None where there
        is no such place or several, or the lines say too little.
        """
        return None if NEAR_COPY in layout_hash or COPY in layout_hash else self._renamed(pointer)

    def _renamed(self, pointer: Pointer) -> tuple[LineSpan, str] | None:
        old = pointer.symbol.rpartition(".")[2]
        source, observed = self._observed(pointer)
        if observed.file is None or not old or source.source_kind is not SourceKind.CODE:
            return None
        masked, rows = self._weigher.mask(observed), self._rows(pointer)
        ends = list(accumulate(map(len, rows)))
        count, left = pointer.end_line - pointer.start_line + 1, RELOCATE_BYTES
        found: dict[LineSpan, str] = {}
        for byte, symbol in self._weigher.facts.chains.definitions(source.path, observed, masked):
            new, row = symbol.rpartition(".")[2], bisect_right(ends, byte)
            for start in range(max(row - count + 1, 0), min(row, len(rows) - count) + 1) if new != old else ():
                lines = rows[start : start + count]
                text = b"".join(lines)
                left -= len(text)
                if left < 0:
                    return None
                was = whole_word(new).sub(old, text.decode("utf-8", "surrogateescape"))
                is_it = hashlib.sha256(was.encode("utf-8", "surrogateescape")).hexdigest()[:16] == pointer.gene_id
                if is_it and is_telling(lines):
                    found[LineSpan(start + 1, start + count)] = renaming(pointer.symbol, symbol)
        return next(iter(found.items())) if len(found) == 1 else None

    def _copies(self, pointer: Pointer, lines: LineSpan) -> tuple[bool, bool]:
        """Return whether the text of these lines is elsewhere in its file: under the pointer's symbol, under others."""
        source, observed = self._observed(pointer)
        data = b"".join(self._rows(pointer))
        others = [
            copy for copy in copies(data, lines) if copy.start_line > lines.end_line or copy.end_line < lines.start_line
        ]
        near = far = len(others) > MOST_COPIES
        for one in others[:MOST_COPIES]:
            at = pointer._replace(start_line=one.start_line, end_line=one.end_line)
            item = _pointed_item(-1, source, data, one.start_line, at)
            symbol = self._weigher.facts.chains.name(item, observed, self._weigher.mask(observed)).symbol
            near, far = near or symbol in (None, pointer.symbol), far or symbol != pointer.symbol
        return near, far

    def _rows(self, pointer: Pointer) -> list[bytes]:
        """Return the lines of the pointer's file now, masked; none where it cannot be read."""
        _, observed = self._observed(pointer)
        return [] if observed.file is None else self._weigher.mask(observed).data.splitlines(keepends=True)

    def _observed(self, pointer: Pointer) -> tuple[Source, FileObservation]:
        """Return the pointer's file as it is indexed, or as one that is not, and as it is on disk now."""
        path = checked(pointer.source_id)
        source = self._reader.files.source(path) or unindexed(path)
        return source, self._weigher.observer.look(source)

    def relaid(self, pointer: Pointer, wanted: str) -> Pointer | None:
        """Return a pointer at the same lines of code, only formatted anew, under the same symbol; None where there are
        none. ``wanted`` is their layout, empty for none.
        """
        source, observed = self._observed(pointer)
        if not wanted or observed.file is None or source.source_kind is not SourceKind.CODE:
            return None
        data = self._weigher.mask(observed).data
        lines = laid_out_anew(data, wanted, pointer.start_line)
        if lines is None:
            return None
        text = b"".join(data.splitlines(keepends=True)[lines.start_line - 1 : lines.end_line])
        found = pointer._replace(
            gene_id=hashlib.sha256(text).hexdigest()[:16],
            start_line=lines.start_line,
            end_line=lines.end_line,
            content_hash=observed.file.content_hash,
        )
        item = _pointed_item(-1, source, data, lines.start_line, found)
        named = item._replace(name=pointer.symbol)
        naming = self._weigher.facts.chains.name(named, observed, self._weigher.mask(observed))
        return found if naming.symbol == pointer.symbol else None

    def weighed(self, pointers: Sequence[Pointer], task: TaskType) -> list[Weighed]:
        """Return each pointer as an item of a packet, in order; pointers at notes are left out.

        What is not in its file any more is an item at its old lines, without a quote.
        """
        files = [pointer for pointer in pointers if not pointer.source_id.startswith(NOTE_SCHEME)]
        found = [(file, self._find(file)) for file in files]
        placed = [each if isinstance(each, Placed) else self._lost_item(one, each) for one, each in found]
        seen, _ = self._weigher.see(placed, 1.0)
        return [self._weigher.weighed(one, task) for one in seen]

    def _lost_item(self, pointer: Pointer, lost: Lost) -> Placed:
        self._made -= 1
        path = checked(pointer.source_id)
        source = self._reader.files.source(path) or unindexed(path)
        item = _pointed_item(self._made, source, b"", pointer.start_line, pointer)
        return Placed(Ranked(item, 1.0, ()), lost.reason)

    def _note_of(self, pointer: Pointer, task: TaskType) -> Judged | None:
        is_note = self._note is not None and pointer.source_id.startswith(NOTE_SCHEME)
        return self._note(pointer, task) if is_note and self._note is not None else None

    def _find(self, pointer: Pointer) -> Placed | Lost:
        path = checked(pointer.source_id)
        source = self._reader.files.source(path)
        if source is None and name_reason(path) == "private":
            return Lost(Reason.UNREADABLE)
        observed = self._weigher.observer.look(source or unindexed(path))
        if observed.file is None:
            return Lost(observed.reason, buffer=self._only_in_buffer(pointer, path, ""))
        items = self._items_of(source)
        is_current = source is not None and source.content_hash == observed.file.content_hash
        same = [item for item in items if item.text_hash == pointer.gene_id]
        if same:
            nearest = min(same, key=lambda item: _distance(item, pointer))
            if nearest.symbol == pointer.symbol:
                return self._since(pointer, self._weigher.place(Ranked(nearest, 1.0, ())))
            placed = self._weigher.relocated(Ranked(called(nearest, pointer.symbol), 1.0, ()), observed)
            return self._since(pointer, placed)
        # The text may still be in the file: in other chunks, in bytes that are not indexed yet, or in a new file.
        masked = self._weigher.mask(observed)
        start_line = locate(masked.data, pointer)
        if start_line is not None:
            part = self._part_of(items, pointer, start_line, masked.data) if is_current else None
            if (
                part is not None
                and part.symbol == pointer.symbol
                and pointer.content_hash == observed.file.content_hash
            ):
                return Placed(Ranked(part, 1.0, ()), Reason.UNCHANGED)
            self._made -= 1
            item = _pointed_item(self._made, source or unindexed(path), masked.data, start_line, pointer)
            if part is not None:
                item = called(part, pointer.symbol)
            return self._since(pointer, self._weigher.relocated(Ranked(item, 1.0, ()), observed))
        if not is_current:
            return Lost(observed.reason if source is None else Reason.CHANGED)
        bearers = [item for item in items if pointer.symbol and item.symbol == pointer.symbol]
        bearer = min(bearers, key=lambda item: _distance(item, pointer), default=None)
        return Lost(Reason.CHANGED, bearer, self._only_in_buffer(pointer, path, observed.file.content_hash))

    def _since(self, pointer: Pointer, placed: Placed) -> Placed:
        """Return the reason for what happened to the text since the pointer was made, independent of the index."""
        if placed.reason not in TRUE_NOW:
            return placed
        stands = placed.ranked.item.start_line == pointer.start_line
        since = Placed(placed.ranked, Reason.UNCHANGED if stands else Reason.MOVED)
        return self._weigher.of_its_kind(since, pointer.content_hash)

    @staticmethod
    def _part_of(items: Sequence[Item], pointer: Pointer, start_line: int, data: bytes) -> Item | None:
        """Return the pointer's lines cut from the chunk around them, which keeps the chunk's claims.

        None if the lines have moved or no chunk contains them.
        """
        if start_line != pointer.start_line:
            return None
        end_line = start_line + pointer.end_line - pointer.start_line
        around = (item for item in items if item.start_line <= start_line and end_line <= item.end_line)
        chunk = next(around, None)
        return None if chunk is None else _cut(chunk, data, start_line, pointer)

    def _items_of(self, source: Source | None) -> list[Item]:
        if source is None:
            return []
        if source.id not in self._items:
            self._items[source.id] = self._reader.files.items_of(source.id)
        return self._items[source.id]

    def _only_in_buffer(self, pointer: Pointer, path: bytes, content_hash: str) -> LineSpan | None:
        """Return the lines of a pointer's text in the unsaved buffer, if the file is as it was for the pointer."""
        from helix_core.secrets import mask

        buffer = self._weigher.facts.buffers.of(path)
        if buffer is None or pointer.content_hash != content_hash or len(buffer) > MOST_BUFFER_BYTES:
            return None
        start_line = locate(mask(buffer).data, pointer)
        return None if start_line is None else LineSpan(start_line, start_line + pointer.end_line - pointer.start_line)

    def _lost(self, pointer: Pointer, lost: Lost, task: TaskType, confidence: float) -> Judged:
        if lost.buffer is not None:
            unsaved = verdict(Observation(disk=None, unsaved=True, confidence=confidence), task)
            return Judged(pointer, unsaved, lost.buffer.start_line, lost.buffer.end_line, lost.buffer)
        state, path = self._weigher.facts.state, checked(pointer.source_id)
        conflicted = path in state.conflicted or path in state.touched
        seen = Observation(disk=lost.reason, conflicted=conflicted, confidence=confidence)
        now = lost.now
        start_line, end_line = (now.start_line, now.end_line) if now is not None else (0, 0)
        return Judged(pointer, verdict(seen, task), start_line, end_line)


def all_lost(
    pointers: Sequence[Pointer], reason: Reason, task: TaskType, confidence: float
) -> tuple[list[Judged], list[RefreshTarget]]:
    """Return the result of ``Judgement.of`` when nothing can be read, for the one ``reason``.

    Args:
        pointers: What would have been judged, best first.
        reason: Why nothing can be read.
        task: What the answer is for; it decides how strict a verdict is.
        confidence: Of the answer, 0 to 1.
    """
    seen = verdict(Observation(disk=reason, confidence=confidence), task)
    judged = [Judged(pointer, seen, 0, 0) for pointer in pointers]
    return judged, _targets(judged, task)


def unindexed(path: bytes) -> Source:
    """Return a source without a record, known by its name only; its content hash matches no bytes."""
    about = provenance(path)
    return Source(
        id=0,
        path=path,
        source_id=source_id_of(path),
        content_hash="",
        signature=_NO_SIGNATURE,
        observed_at=0.0,
        verified_at=0.0,
        language="",
        source_kind=about.source_kind,
        volatility=about.volatility,
        authority=about.authority,
        role=about.role,
        line_count=0,
    )


def locate(data: bytes, pointer: Pointer) -> int | None:
    """Return the first line, 1-based, of the text with the pointer's hash: at its place, else the first match."""
    lines = data.splitlines(keepends=True)
    count = pointer.end_line - pointer.start_line + 1
    if not 1 <= pointer.start_line <= pointer.end_line:
        return None
    left = RELOCATE_BYTES
    starts: list[int] = [pointer.start_line, *range(1, len(lines) - count + 2)]
    for start in starts:
        text = b"".join(lines[max(start - 1, 0) : start - 1 + count])
        left -= len(text)
        if left < 0:
            return None
        if hashlib.sha256(text).hexdigest()[:16] == pointer.gene_id:
            return start
    return None


def _pointed_item(number: int, source: Source, data: bytes, start_line: int, pointer: Pointer) -> Item:
    """Return an item for a pointer's text that the index does not contain; ``number`` is a negative id."""
    lines = data.splitlines(keepends=True)
    end_line = start_line + pointer.end_line - pointer.start_line
    start_byte = sum(map(len, lines[: start_line - 1]))
    end_byte = start_byte + sum(map(len, lines[start_line - 1 : end_line]))
    kind, name = source.source_kind.value, pointer.symbol
    return Item(number, source, kind, name, "", start_byte, end_byte, start_line, end_line, pointer.gene_id)


def _cut(chunk: Item, data: bytes, start_line: int, pointer: Pointer) -> Item:
    end_line = start_line + pointer.end_line - pointer.start_line
    return narrowed(chunk, data, start_line, end_line)._replace(text_hash=pointer.gene_id)


def _judged(pointer: Pointer, seen: ObservedItem, task: TaskType) -> Judged:
    item, is_there = seen.ranked.item, seen.observation.disk in TEXT_THERE
    start_line, end_line = (item.start_line, item.end_line) if is_there else (0, 0)
    return Judged(pointer, verdict(seen.observation, task), start_line, end_line, seen.buffer)


def _targets(judged: Sequence[Judged], task: TaskType) -> list[RefreshTarget]:
    targets = [_target(one, task) for one in judged if one.verdict.status is not Status.VERIFIED]
    return sorted(targets, key=lambda target: -target.priority)


def _target(judged: Judged, task: TaskType) -> RefreshTarget:
    pointer, is_somewhere = judged.pointer, judged.start_line > 0
    return RefreshTarget(
        target_kind=_kind(pointer),
        source_id=judged.moved_to or pointer.source_id,
        start_line=judged.start_line if is_somewhere else pointer.start_line,
        end_line=judged.end_line if is_somewhere else pointer.end_line,
        reason=judged.verdict.reason,
        priority=priority(judged.verdict.status, task),
    )


def _kind(pointer: Pointer) -> str:
    if pointer.source_id.startswith(NOTE_SCHEME):
        return SourceKind.NOTE.value
    return provenance(checked(pointer.source_id)).source_kind.value


def _distance(item: Item, pointer: Pointer) -> tuple[bool, int]:
    return item.symbol != pointer.symbol, abs(item.start_line - pointer.start_line)


MOST_BYTES = 256 * 1024
MOST_BUFFERS = 4
PARSE_LIMIT_S = 0.1
SHORTEST = 3


@dataclass(frozen=True, slots=True)
class OnlyInBuffer:
    """A definition that exists only in a buffer; ``lines`` are those of the definition within the item.

    ``content_hash`` is the hash of the file on disk, empty if there is none.
    """

    item: Item
    lines: LineSpan
    content_hash: str


@dataclass(frozen=True, slots=True)
class UnsavedNames:
    """Find definitions in buffers for one answer. ``check`` is called before each buffer and may raise Cancelled."""

    root: Root
    reader: Reader
    overlays: Overlays
    parse_guard: ParseGuard
    max_bytes: int
    check: Callable[[], None]

    def defined(self, question: Question) -> list[OnlyInBuffer]:
        """Return the buffers' definitions of names that nothing in the index defines."""
        if not self.overlays:
            return []
        names = [
            name for name in dict.fromkeys((*question.identifiers, *question.subject[-1:])) if len(name) >= SHORTEST
        ]
        unknown = {name for name in names if not self.reader.names.definitions([name.lower()], 1)}
        holding = [
            (path, buffer)
            for path, buffer in self.overlays.items()
            if len(buffer) <= MOST_BYTES and any(name.encode() in buffer for name in unknown)
        ]
        return [found for path, buffer in holding[:MOST_BUFFERS] for found in self._in(path, buffer, unknown)]

    def _in(self, path: bytes, buffer: bytes, names: set[str]) -> Iterator[OnlyInBuffer]:
        from helix_core.ingest import ingest

        self.check()
        source = self.reader.files.source(path)
        content_hash = self._hash_on_disk(path)
        # An existing file without a record is excluded on purpose, and so is its buffer.
        if name_reason(path) or (source is None and content_hash):
            return
        with self.parse_guard(hashlib.sha256(buffer).hexdigest()) as may_parse:
            if not may_parse:
                return
            skipped = content_reason(path, buffer)
            document = ingest(path, buffer, skipped=skipped, parse_limit_s=PARSE_LIMIT_S)
        for chunk in document.chunks:
            for definition in chunk.definitions:
                if definition.name in names:
                    lines = LineSpan(definition.start_line, definition.end_line)
                    yield OnlyInBuffer(_item(source or unindexed(path), chunk), lines, content_hash)
                    break

    def _hash_on_disk(self, path: bytes) -> str:
        try:
            return self.root.read(path, self.max_bytes).content_hash
        except DiskError:
            return ""


def _item(source: Source, chunk: Chunk) -> Item:
    return Item(
        id=0,
        source=source,
        kind=chunk.kind,
        name=chunk.name,
        breadcrumb=chunk.breadcrumb,
        start_byte=chunk.start_byte,
        end_byte=chunk.end_byte,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        text_hash=chunk.text_hash,
        is_claimed=chunk.is_claimed,
    )
