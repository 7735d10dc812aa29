"""Observe the files an answer points at, at the moment of the answer, and re-ingest those that changed."""

from __future__ import annotations

import hashlib
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from helix_core.errors import BusyStoreError, CorruptStoreError, StoreError
from helix_core.ingest import is_current_generation
from helix_core.lines import LineTable, is_line_start
from helix_core.model import Item, Reason, Source, SourceState
from helix_core.secrets import Masked, masked_at
from helix_core.store import Reader, Writer
from helix_core.workspace import DiskError, DiskFile, Root, content_reason

if TYPE_CHECKING:
    from helix_core.ingest import FileDeclarations, ParseGuard

INGEST_BYTES_PER_MS = 3_000
LEAST_INGEST_MS = 0.5
OVER_BUDGET = "more files have changed than the budget takes in: what is new in the others was not searched"
BEING_WRITTEN = "the index is being written just now: what is new in changed files was not searched"
RELOCATE_BYTES = 8 * 1024 * 1024
MOST_COPIES = 64
_GONE = frozenset(
    {Reason.GONE, Reason.NOT_A_FILE, Reason.OUTSIDE_ROOT, Reason.UNREADABLE, Reason.TOO_LARGE, Reason.IGNORED}
)
ABSENT = frozenset({Reason.GONE, Reason.NOT_A_FILE, Reason.OUTSIDE_ROOT})
"""Reasons for which a file is not there; one that is there may be unreadable, too."""


@dataclass(frozen=True, slots=True)
class FileObservation:
    """The state of a file at the moment of an answer.

    ``spans_before`` maps text hashes to start lines in the version it replaced;
    ``masked`` is the file with its secrets masked where these very bytes were indexed by today's rules, so that the
    index knows where its secrets are.
    """

    reason: Reason
    file: DiskFile | None = None
    spans_before: dict[str, int] = field(default_factory=dict)
    masked: Masked | None = None

    @property
    def mended(self) -> bool:
        """Return whether the observation updated the index, so that the search must run again."""
        return self.reason in _GONE or self.reason is Reason.REINGESTED

    def reason_for(self, item: Item) -> Reason:
        """The word for one item of an index row that has the hash of these bytes: text that only changed its lines was
        moved, whatever else the file went through.
        """
        if self.reason in (Reason.CHANGED, Reason.NOT_INDEXED):
            # The row was stored after the file was looked at.
            return Reason.UNCHANGED
        if (
            self.reason is Reason.REINGESTED
            and self.spans_before.get(item.text_hash, item.start_line) != item.start_line
        ):
            return Reason.MOVED
        return self.reason


class Observer:
    """Observe files for one answer.

    ``budget_ms`` bounds the re-ingesting, never the observing: each file costs what its bytes
    take on an idle machine, so that the machine's load never decides which files are read again.

    ``uncounted`` says which of some paths, indexed or not, do not count, though their files are there. Without a
    ``writer`` nothing is mended. One that is busy is tried once, or, with patience, again for ``busy_ms`` in all.
    ``notes`` name what was not brought up to date; with ``never_waits`` a busy writer alone is not an error to report,
    only a reason why changed files were not searched.
    """

    def __init__(
        self,
        root: Root,
        reader: Reader,
        writer: Writer | None,
        *,
        max_bytes: int,
        budget_ms: float,
        parse_guard: ParseGuard,
        check: Callable[[], None],
        uncounted: Callable[[Collection[bytes], bool], Collection[bytes]] = lambda _, __: (),
        never_waits: bool = False,
        busy_ms: float = 0,
    ) -> None:
        self._uncounted = uncounted
        self._counted: set[bytes] = set()
        self._left_out: set[bytes] = set()
        self._root, self._reader, self._writer = root, reader, writer
        self._max_bytes = max_bytes
        self._left_ms = budget_ms
        self._parse_guard = parse_guard
        self._check = check
        self._never_waits = never_waits
        self._busy_until = time.monotonic() + busy_ms / 1e3
        self._gives_up = writer is None
        self._replaced: set[int] = set()
        self.notes: dict[str, None] = {}
        self.observations: dict[bytes, FileObservation] = {}

    @property
    def mended(self) -> int:
        """Count the observations that updated the index; earlier query results may be outdated."""
        return sum(observed.mended for observed in self.observations.values())

    def declares(self, path: bytes, data: bytes) -> FileDeclarations:
        """Return what bytes of a file declare at module or class level, now or in a commit; nothing, and that in doubt,
        where their parse broke a process.
        """
        from helix_core.ingest import FileDeclarations, declarations, file_declarations, language_of
        from helix_core.ingest.signatures import LANGUAGES

        language = language_of(path, data).name
        if language in LANGUAGES:
            return FileDeclarations(declarations(data, language))
        with self._parse_guard(hashlib.sha256(data).hexdigest()) as may_parse:
            return file_declarations(path, data) if may_parse else FileDeclarations(has_errors=True)

    def expect(self, paths: Iterable[bytes], *, indexed: bool = True) -> None:
        """Announce files to observe: whether they still count is checked in one batch. ``indexed`` is False for
        files without a record.
        """
        asked = {path for path in paths if path not in self._counted and path not in self._left_out}
        if asked:
            self._left_out.update(self._uncounted(asked, indexed))
            self._counted |= asked - self._left_out

    def left_out(self, paths: Collection[bytes]) -> frozenset[bytes]:
        """Return those of some files, indexed or not, that are there and do not count."""
        there = {path for path in paths if os.path.lexists(os.path.join(os.fsencode(self._root.path), path))}
        self.expect(there, indexed=False)
        return frozenset(there & self._left_out)

    def look(self, source: Source) -> FileObservation:
        """Read the source's file, once an answer, so that its spans, quotes and hashes are of one version; the index is
        updated from the very bytes that are quoted.
        """
        seen = self.observations.get(source.path)
        if seen is None:
            seen = self.observations[source.path] = self._look(source)
        return seen

    def look_again(self, source: Source) -> FileObservation:
        """Like ``look``, but read the file again where another process has stored a newer version of it.

        Only for a search that is not settled: what was placed in the file before would be of the older version.
        """
        seen = self.observations.get(source.path)
        if seen is not None and self._outrun(seen, source):
            del self.observations[source.path]
        return self.look(source)

    def is_there(self, path: bytes) -> bool:
        """Return whether a regular file exists now, indexed or not."""
        try:
            self._root.stat(path)
        except DiskError:
            return False
        return True

    def may_be_there(self, path: bytes) -> bool:
        """Return whether a regular file exists now, or its folder cannot be read, so that nobody can tell."""
        try:
            self._root.stat(path)
        except DiskError as error:
            return error.reason not in ABSENT
        return True

    def is_folder(self, path: bytes) -> bool:
        """Return whether a folder, or anything else that is not a regular file, exists now."""
        try:
            self._root.stat(path)
        except DiskError as error:
            return error.reason is Reason.NOT_A_FILE
        return False

    def changed(self, states: Iterable[SourceState]) -> list[bytes]:
        """Return the paths whose files are not as they were indexed, by their signatures; a file that is gone has
        none.
        """
        found = []
        with self._root.scan() as scan:
            for state in states:
                try:
                    if scan.stat(state.path) != state.signature:
                        found.append(state.path)
                except DiskError:
                    continue
        return found

    def peek(self, path: bytes) -> FileObservation:
        """Read a file now, indexed or not, without updating the index."""
        try:
            return FileObservation(Reason.UNCHANGED, self._root.read(path, self._max_bytes))
        except DiskError as error:
            return FileObservation(error.reason)

    def _outrun(self, seen: FileObservation, source: Source) -> bool:
        """Another process stored a newer version since we looked (and it is not the one that we replaced)."""
        return (
            seen.file is not None
            and source.is_indexed
            and seen.reason is not Reason.CHANGED
            and (seen.file.content_hash != source.content_hash or seen.reason is Reason.NOT_INDEXED)
            and source.id not in self._replaced
        )

    def _look(self, source: Source) -> FileObservation:
        self._check()
        observed_ns = time.time_ns()
        try:
            file = self._root.read(source.path, self._max_bytes)
        except DiskError as error:
            if error.reason in _GONE and source.is_indexed:
                self._mend(lambda writer: writer.remove(source.path))
            return FileObservation(error.reason)
        if source.is_indexed:
            self.expect([source.path])
        if source.path in self._left_out:
            if source.is_indexed:
                self._mend(lambda writer: writer.leave_out(source.path))
            return FileObservation(Reason.IGNORED)
        if file.content_hash == source.content_hash:
            masked = self._masked_as_indexed(source, file.data)
            if file.signature == source.signature:
                return FileObservation(Reason.UNCHANGED, file, masked=masked)
            self._mend(lambda writer: writer.touch(source.path, file.signature, observed_ns))
            return FileObservation(Reason.TOUCHED, file, masked=masked)
        # A file without a record may be ignored by git: read it, but leave indexing it to a refresh.
        return (
            self._reingest(source, file, observed_ns)
            if source.is_indexed
            else FileObservation(Reason.NOT_INDEXED, file)
        )

    def _masked_as_indexed(self, source: Source, data: bytes) -> Masked | None:
        """Mask the bytes that ``source`` was made of; None where only the rules can tell what is secret in them."""
        if not is_current_generation(source.parser):
            return None
        spans = self._reader.files.secrets(source.id) if source.masked_count else []
        return masked_at(data, spans) if len(spans) == source.masked_count else None

    def _mend(self, write: Callable[[Writer], object]) -> bool:
        """Write to the index; when that fails (a full disk), note it and answer from what was read."""
        if self._writer is None or self._gives_up:
            return False
        try:
            return self._written(self._writer, write)
        except CorruptStoreError:
            raise
        except StoreError as error:
            self._gives_up = True
            if self._never_waits and isinstance(error, BusyStoreError):
                return False
            self.notes[f"the index was not brought up to date: {error}"] = None
            return False

    def _written(self, writer: Writer, write: Callable[[Writer], object]) -> bool:
        """Write with retries; each try waits for the writer's busy timeout."""
        while True:
            try:
                return write(writer) is not False
            except BusyStoreError:
                if time.monotonic() > self._busy_until:
                    raise
            self._check()

    def _reingest(self, source: Source, file: DiskFile, observed_ns: int) -> FileObservation:
        # The parsers cost a search more than all of its answer; a search without a change does not import them.
        from helix_core.ingest import ingest, parser_version, preload_grammar

        self._replaced.add(source.id)
        before = {item.text_hash: item.start_line for item in self._reader.files.items_of(source.id)}
        data = file.data
        parser = parser_version(source.path, data)
        content = file.content_hash
        if self._mend(lambda writer: writer.activate(source.path, content, parser, file.signature, observed_ns)):
            return FileObservation(Reason.REINGESTED, file, before)
        cost_ms = max(len(data) / INGEST_BYTES_PER_MS, LEAST_INGEST_MS)
        if self._gives_up or cost_ms > self._left_ms:
            if self._writer is not None:
                self.notes[BEING_WRITTEN if self._gives_up else OVER_BUDGET] = None
            return FileObservation(Reason.CHANGED, file)
        self._left_ms -= cost_ms
        preload_grammar(source.path, data)
        with self._parse_guard(content) as may_parse:
            if not may_parse:
                return FileObservation(Reason.CHANGED, file)
            document = ingest(source.path, data, skipped=content_reason(source.path, data))
        stored = self._mend(lambda writer: writer.replace(document, file.signature, observed_ns))
        return FileObservation(Reason.REINGESTED, file, before) if stored else FileObservation(Reason.CHANGED, file)


def occurrences(item: Item, masked: Masked) -> Iterator[int]:
    """The 0-based bytes where the item's text is now, whole lines: its old place first, then down the file."""
    length = item.end_byte - item.start_byte
    data = masked.data
    if length <= 0 or length > len(data):
        return
    if is_line_start(data, item.start_byte) and _hash_at(data, item.start_byte, length) == item.text_hash:
        first = item.start_byte
    else:
        first = _first_occurrence(item, data, length)
        if first < 0:
            return
    yield first
    text = data[first : first + length]
    at = data.find(text)
    for _ in range(MOST_COPIES):
        if at < 0:
            return
        if at != first and is_line_start(data, at):
            yield at
        at = data.find(text, at + 1)


def _first_occurrence(item: Item, data: bytes, length: int) -> int:
    for start in LineTable(data).starts[: RELOCATE_BYTES // length]:
        if start + length > len(data):
            break
        if _hash_at(data, start, length) == item.text_hash:
            return start
    return -1


def _hash_at(data: bytes, start: int, length: int) -> str:
    return hashlib.sha256(data[start : start + length]).hexdigest()[:16]


KEPT_BYTES = 4 * 1024 * 1024


class MaskedFiles:
    """By content hash, the least recently used dropped first; holds at most ``kept_bytes`` of text."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._size_bytes = 0
        self._files: OrderedDict[str, Masked] = OrderedDict()

    def of(self, file: DiskFile) -> Masked:
        """The bytes that may leave: secrets masked, every offset and line where it was."""
        masked = self._files.get(file.content_hash)
        if masked is not None:
            self._files.move_to_end(file.content_hash)
            return masked
        # The rules for secrets cost a search more than the rest of it; without a changed file it imports none.
        from helix_core.secrets import mask

        masked = mask(file.data)
        self._files[file.content_hash] = masked
        self._size_bytes += len(masked.data)
        while self._size_bytes > self._kept_bytes and len(self._files) > 1:
            self._size_bytes -= len(self._files.popitem(last=False)[1].data)
        return masked
