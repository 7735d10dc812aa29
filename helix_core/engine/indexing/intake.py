"""Index files: read each, handle at once those that need no parser, ingest and store the rest.

Every file is stored whole or not at all, a batch of them in a transaction. No transaction is open while a worker
parses, and one ends early when another process waits to write. A file that changed since it was read is not stored over
another process's version: it is read once more at the end. A renamed file leaves its old path in the transaction that
stores the new one, so that no question finds it in neither place.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from helix_core.engine.indexing.plan import QUARANTINED, fits_in_process, is_any_suspect
from helix_core.engine.indexing.report import Progress, RefreshReport
from helix_core.errors import HandedOverError
from helix_core.ingest import IngestPool, Limits, ParseGuard, Quarantined, ingest_in_process, parser_version
from helix_core.model import Document, FileEntry, Reason, SetAside, SourceState, StatSignature
from helix_core.store import Writer
from helix_core.workspace import DiskError, DiskFile, Root, Scan, content_reason, source_id_of

BATCH_FILES = 64
BATCH_S = 0.25


@dataclass(frozen=True, slots=True)
class _Write:
    """A pending write of a file, valid while its signature is ``seen`` (None: it was missing)."""

    path: bytes
    seen: StatSignature | None
    store: Callable[[], None]
    content_hash: str = ""


class Intake:
    """One pass. ``known`` is the previous index state; events are counted in ``report``.

    Of the quarantined files in ``set_aside``, only ``again`` are retried while their bytes are unchanged. ``check`` is
    called between files and may raise HandedOverError: what was parsed is stored first.

    ``leaving`` are files that are gone, with their content hashes: ``leave`` removes each when a file with the same
    content is stored, and the others with the last write.
    """

    def __init__(
        self,
        root: Root,
        writer: Writer,
        known: Mapping[bytes, SourceState],
        report: RefreshReport,
        *,
        tell: Callable[[Progress], None],
        check: Callable[[], None],
        max_bytes: int,
        parse_guard: ParseGuard,
        set_aside: Mapping[bytes, SetAside],
        again: Collection[bytes],
        leaving: Mapping[bytes, str],
        leave: Callable[[Sequence[bytes]], None],
    ) -> None:
        self._leave = leave
        self._leaving: dict[str, list[bytes]] = {}
        for path, content_hash in leaving.items():
            self._leaving.setdefault(content_hash, []).append(path)
        self._set_aside, self._again = set_aside, again
        self._parse_guard = parse_guard
        self._root, self._writer, self._known = root, writer, known
        self._report, self._report_progress, self._check, self._max_bytes = report, tell, check, max_bytes
        self._reads: dict[bytes, tuple[StatSignature, int, str]] = {}
        self._writes: list[_Write] = []
        self._due_at = 0.0
        self._moved: list[bytes] = []
        self._is_last_look = False
        self._total = 0
        self._done = 0

    def take(self, entries: Sequence[FileEntry], workers: int) -> None:
        """Index all of ``entries``: a few small ones in this process, many in worker processes."""
        self._total = len(entries)
        self._take(entries, workers)
        moved, self._moved, self._is_last_look = self._moved, [], True
        if moved:
            self._total += len(moved)
            self._take(tuple(self._entries(moved)), workers)
        self._leave_rest()

    def _take(self, entries: Sequence[FileEntry], workers: int) -> None:
        fresh = self._fresh_files(entries)
        if fits_in_process(entries) and not is_any_suspect(entries, self._known):
            self._store(self._ingest_here(*file) for file in fresh)
            return
        with IngestPool(workers=workers) as pool:
            self._store(pool.run(fresh, self._again))

    def _entries(self, paths: Sequence[bytes]) -> Iterator[FileEntry]:
        """Yield files as they are now; a deleted one is left to the watcher."""
        with self._root.scan() as scan:
            for path in paths:
                signature = _signature_now(scan, path)
                if signature is not None:
                    yield FileEntry(path, signature)

    def _ingest_here(self, path: bytes, data: bytes, skipped: str) -> Document | Quarantined:
        content = hashlib.sha256(data).hexdigest()
        with self._parse_guard(content) as may_parse:
            return ingest_in_process(path, data, skipped) if may_parse else Quarantined(path, content, "crashed")

    def _store(self, documents: Iterator[Document | Quarantined]) -> None:
        try:
            for document in documents:
                signature, observed_ns, parser = self._reads.pop(document.path)
                keep = partial(self._keep, document, signature, observed_ns, parser)
                self._write(document.path, signature, keep, document.content_hash)
                self._check()
        except (KeyboardInterrupt, HandedOverError):
            self._flush()
            raise
        self._flush(is_last=True)

    def _write(
        self, path: bytes, seen: StatSignature | None, store: Callable[[], None], content_hash: str = ""
    ) -> None:
        """Queue a write for the next transaction; the first one of a batch sets when it is due."""
        if not self._writes:
            self._due_at = time.monotonic() + BATCH_S
        self._writes.append(_Write(path, seen, store, content_hash))
        if len(self._writes) >= BATCH_FILES or time.monotonic() > self._due_at:
            self._flush()

    def _flush(self, *, is_last: bool = False) -> None:
        """Store the queued writes, in several transactions when other processes wait to write."""
        with self._root.scan() as scan:
            while self._writes:
                done = 0
                with self._writer.batch():
                    for write in self._writes:
                        done += 1
                        if self._is_last_look or _signature_now(scan, write.path) == write.seen:
                            write.store()
                            if same := self._leaving.get(write.content_hash):
                                self._leave([same.pop()])
                        else:
                            self._moved.append(write.path)
                        if self._writer.should_yield():
                            break
                    if is_last and done == len(self._writes) and not self._moved:
                        self._leave_rest()
                del self._writes[:done]

    def _leave_rest(self) -> None:
        """Remove the files that are gone and were stored under no other name."""
        rest = [path for paths in self._leaving.values() for path in paths]
        self._leaving.clear()
        self._leave(rest)

    def _keep(self, document: Document | Quarantined, signature: StatSignature, observed_ns: int, parser: str) -> None:
        if isinstance(document, Quarantined):
            given_up = (source_id_of(document.path), document.reason)
            self._report.quarantined = (*self._report.quarantined, given_up)
            self._report.skip(QUARANTINED)
            self._writer.skip(
                document.path,
                QUARANTINED,
                signature,
                observed_ns,
                content_hash=document.content_hash,
                parser=parser,
            )
            self._note_attempt(document)
        else:
            if document.skipped:
                self._report.skip(document.skipped)
            else:
                self._report.parsed += 1
                self._report.masked += document.masked_count
            self._writer.replace(document, signature, observed_ns)
        is_left_out = isinstance(document, Quarantined) or document.skipped != ""
        if is_left_out and document.path not in self._known:
            self._pass_over(document.path)
        else:
            self._tick(document.path)

    def _note_attempt(self, broken: Quarantined) -> None:
        before, state = self._set_aside.get(broken.path), self._known.get(broken.path)
        is_same = state is not None and state.content_hash == broken.content_hash
        attempts = 1 + (before.attempts if before is not None and is_same else 0)
        noted = SetAside(broken.path, broken.reason, attempts, time.time(), Limits().version)
        self._writer.set_aside(noted, broken.content_hash)

    def _tick(self, path: bytes) -> None:
        if path in self._known:
            self._report.changed += 1
        else:
            self._report.added += 1
        self._step(path)

    def _step(self, path: bytes) -> None:
        self._done += 1
        self._report_progress(Progress("indexing", self._done, self._total, source_id_of(path)))

    def _pass_over(self, path: bytes) -> None:
        """Report that a file is set aside: it is none of those that the index will have."""
        self._total -= 1
        self._report_progress(Progress("indexing", self._done, self._total, source_id_of(path)))

    def _fresh_files(self, entries: Sequence[FileEntry]) -> Iterator[tuple[bytes, bytes, str]]:
        """Read each file; handle those that need no parser, and yield the rest."""
        with self._root.scan() as scan:
            yield from self._read(scan, entries)

    def _read(self, scan: Scan, entries: Sequence[FileEntry]) -> Iterator[tuple[bytes, bytes, str]]:
        for entry in entries:
            observed_ns = time.time_ns()
            try:
                file = scan.read(entry.path, self._max_bytes)
            except DiskError as error:
                self._unreadable(entry, observed_ns, error)
                continue
            parser = parser_version(entry.path, file.data)
            state = self._known.get(entry.path)
            is_same = state is not None and state.content_hash == file.content_hash and state.parser == parser
            if is_same and entry.path not in self._again:
                self._write(entry.path, file.signature, partial(self._touch, entry.path, file.signature, observed_ns))
            elif not is_same and self._writer.has_version(entry.path, file.content_hash, parser):
                activate = partial(self._activate, entry.path, file, parser, observed_ns)
                self._write(entry.path, file.signature, activate, file.content_hash)
            else:
                self._reads[entry.path] = (file.signature, observed_ns, parser)
                yield entry.path, file.data, content_reason(entry.path, file.data)

    def _touch(self, path: bytes, signature: StatSignature, observed_ns: int) -> None:
        self._writer.touch(path, signature, observed_ns)
        self._report.touched += 1
        self._step(path)

    def _activate(self, path: bytes, file: DiskFile, parser: str, observed_ns: int) -> None:
        if self._writer.activate(path, file.content_hash, parser, file.signature, observed_ns):
            self._report.reactivated += 1
            self._tick(path)
        else:
            self._moved.append(path)

    def _unreadable(self, entry: FileEntry, observed_ns: int, error: DiskError) -> None:
        """Record why a file cannot be read; one that only kept changing is left as it was."""
        reason = error.reason
        self._report.skip(reason.value)
        known = self._known.get(entry.path)
        if known is not None and not known.skipped and reason is not Reason.CHANGED:
            self._report.removed += 1
        if reason is Reason.GONE:
            self._write(entry.path, None, partial(self._remove, entry.path))
            return
        if reason is not Reason.CHANGED and not (
            known is not None and known.skipped == reason and known.signature == entry.signature
        ):
            self._writer.skip(entry.path, reason.value, entry.signature, observed_ns)
        if known is None:
            self._pass_over(entry.path)
        else:
            self._step(entry.path)

    def _remove(self, path: bytes) -> None:
        self._writer.remove(path)
        self._step(path)


def _signature_now(scan: Scan, path: bytes) -> StatSignature | None:
    try:
        return scan.stat(path)
    except DiskError:
        return None
