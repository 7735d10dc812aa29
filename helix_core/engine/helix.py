"""One open workspace. The Python API; every surface says the same through it.

    with Helix.open(Path("project")) as helix:
        helix.refresh()
        packet = helix.packet("where are sessions signed?", task="edit")

One ``Helix`` belongs to one thread.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from helix_core.config import Config, load_config
from helix_core.engine.explaining import NO_HINTS, Explaining
from helix_core.engine.indexing.plan import first_retry_at, is_rule_file, unsettled
from helix_core.engine.indexing.report import Progress, RefreshReport
from helix_core.engine.opened import FIRST_INDEX_WAIT_S, NO_OVERLAYS, PATIENT_MS, QUESTION_WAIT_S, WorkspaceSummary
from helix_core.engine.requests import checked_places, checked_question, checked_spending, checked_task, stop_when
from helix_core.engine.verdict.table import refresh_plan
from helix_core.errors import BusyStoreError, CorruptStoreError, NewerStoreError, StoreError
from helix_core.ingest.parse_guard import ParseGuard, no_parse_guard
from helix_core.model import NOTE_SCHEME, Found, Hints, Judged, LineSpan, Overlays, Pointer, RefreshTarget, TaskType
from helix_core.packet import PacketFacts, Quotes, packet, round_share, search_answer
from helix_core.store.writer import RULES
from helix_core.workspace.disk import Root

if TYPE_CHECKING:
    from helix_core.engine.answer.answer import Answered
    from helix_core.engine.answer.window import ContextRequest
    from helix_core.engine.symbols.lenses import Findings
    from helix_core.engine.verdict.weigher import Weigher

MOST_PATHS = 200
MOST_SHOWN_BYTES = 200_000
FINDINGS_MS = 150.0


class Helix(Explaining):
    """One open workspace with its index."""

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        config: Config | None = None,
        write_wait_ms: int = PATIENT_MS,
        in_hand: ParseGuard | None = None,
    ) -> Helix:
        """Open a folder; its index is made in the cache folder when there is none.

        With a ``write_wait_ms`` below 5,000 no question waits for somebody who is writing the index, nor for an index
        to be built: it is answered from what is there. ``in_hand`` is held, with the SHA-256 (hex) of the bytes,
        around everything that is parsed inside this process; where it gives False the bytes are left unparsed.

        Raises WorkspaceError for a folder that is missing, not a folder or not readable, StoreError when the index
        can be neither opened nor made, ConfigError for settings that cannot be understood.
        """
        root = Root.open(Path(folder))
        try:
            chosen = config if config is not None else load_config(root.path)
            return cls(root, chosen, write_wait_ms, in_hand or no_parse_guard)
        except BaseException:
            root.close()
            raise

    def __enter__(self) -> Helix:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def is_indexed(self) -> bool:
        """Has a refresh ever run to its end here?"""
        return self._mended(lambda: self._index.reader.meta("complete") == "1", indexed=False)

    def has_other_rules(self) -> bool:
        """Is what decides which files count, outside the tree and in the settings, other than when they were listed?"""
        from helix_core.workspace.counting import Record

        def compare() -> bool:
            recorded = Record.of(self._index.reader.meta(RULES)).outside
            return recorded != self._counting().begin(self._file_options())

        return self._mended(compare, indexed=False)

    def refresh(
        self,
        progress: Callable[[Progress], None] | None = None,
        *,
        retries: bool = True,
        wait_s: float | None = None,
    ) -> RefreshReport:
        """Bring the index up to date with the disk. Two processes take turns; the second finds little left to do.

        With ``retries``, files that were set aside are tried again when they are due. Raises BusyStoreError when the
        other process takes longer than ``wait_s`` seconds (None: ten minutes), and when this one does while the other
        waits to do the same without such a limit: what was taken in is kept.
        """
        started = time.monotonic()

        def run() -> RefreshReport:
            refresh = self._new_refresh(self._facts.state().history, progress, retries=retries)
            report = refresh.look()
            if report is not None:
                return report
            with self._turn(progress, wait_s):
                return refresh.run(None if wait_s is None else self._handing_over(started + wait_s))

        report = self._mended(run, indexed=False)
        self.behind = ""
        return report

    def catch_up(self, progress: Callable[[Progress], None] | None = None) -> None:
        """Bring the index up to date before a question, as far as that can be done soon; why it could not is
        ``behind``, and among the notes of every answer.

        Raises StoreError when there is no index to answer from, and CorruptStoreError and NewerStoreError.
        """
        is_indexed = self.is_indexed()
        try:
            self.refresh(progress, retries=False, wait_s=QUESTION_WAIT_S if is_indexed else FIRST_INDEX_WAIT_S)
        except (CorruptStoreError, NewerStoreError):
            raise
        except StoreError as error:
            if not is_indexed and not isinstance(error, BusyStoreError):
                raise
            self._fall_behind(error)

    def refresh_paths(self, paths: Sequence[bytes]) -> RefreshReport:
        """Bring some files or folders up to date, as raw paths from the workspace root: what a watcher heard of.

        Milliseconds for a saved file. Whatever can change which files count is answered with a whole refresh: many
        paths, an ignore file, git's own state, a path inside an inner repository, an index never finished.
        """
        if not paths:
            return RefreshReport()
        if self.needs_whole_refresh(paths):
            return self.refresh()

        return self._mended(lambda: self._new_refresh("", None).run_only(paths))

    def take_saved(self, paths: Sequence[bytes]) -> RefreshReport:
        """Take in a few files that were saved while another process brings the whole index up to date.

        Never begins a whole refresh: what can change which files count is left to the one that follows.
        """

        def run() -> RefreshReport:
            with self._index.writer.as_secondary_writer():
                return self._new_refresh("", None).run_only(paths)

        return self._mended(run, indexed=False)

    def unsettled(self, paths: Sequence[bytes] | None = None) -> tuple[tuple[bytes, ...], float]:
        """Of ``paths``, or of all: those read so soon after their last write that another may have left no trace, and
        in how many seconds ``refresh_paths`` will settle them."""
        reader = self._index.reader
        states = reader.files.states() if paths is None else reader.files.states_at(paths)
        return unsettled(states.values(), time.time_ns())

    def needs_whole_refresh(self, paths: Sequence[bytes]) -> bool:
        """Will ``refresh_paths`` answer these with a whole refresh?"""
        return len(paths) > MOST_PATHS or not self.is_indexed() or any(map(self.decides_for_others, paths))

    def decides_for_others(self, path: bytes) -> bool:
        """Can a change of this file change which other files count? Then only a whole refresh answers it."""
        parts = path.split(b"/")
        folders = (b"/".join([os.fsencode(self.workspace), *parts[:depth]]) for depth in range(1, len(parts)))
        return is_rule_file(path) or any(os.path.lexists(folder + b"/.git") for folder in folders)

    def rebuild(self, progress: Callable[[Progress], None] | None = None) -> RefreshReport:
        """Throw the index away and build it again from the disk."""

        def clear() -> None:
            self._index.writer.clear()

        self._mended(clear, indexed=False)
        return self.refresh(progress)

    def vacuum(self, *, cancelled: Callable[[], bool] | None = None) -> dict[str, Any]:
        """The ``helix.vacuum/1`` object: the index gives back what it does not need. Raises StoreError, Cancelled."""
        from helix_core.engine.indexing.refresh import vacuum

        return self._mended(lambda: vacuum(self._index.writer, self.index_path, stop_when(cancelled)), indexed=False)

    def search(
        self, question: str, *, k: int = 10, hints: Hints = NO_HINTS, cancelled: Callable[[], bool] | None = None
    ) -> dict[str, Any]:
        """The ``helix.search/1`` object: at most ``k`` places, best first.

        Raises UsageError for a bad call, and Cancelled soon after ``cancelled`` says so.
        """
        found, took_ms = self._searched(question, k, hints, cancelled)
        return search_answer(question, found, took_ms, self._said(found))

    def packet(
        self,
        question: str,
        *,
        task: TaskType | str = TaskType.EXPLAIN,
        k: int | None = None,
        hints: Hints = NO_HINTS,
        overlays: Overlays = NO_OVERLAYS,
        quotes: Quotes | str = Quotes.CHOSEN,
        max_tokens: int | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """The ``helix.packet/1`` object: at most ``k`` pointers, each with a verdict true at this moment.

        ``k`` is 8 where it is not given, 12 within a budget, of which as many come as there is room for. ``overlays``
        are the editor's unsaved buffers. ``quotes`` are chosen by what they are worth, whole where the
        task wants the very words, or whole everywhere. ``max_tokens`` bounds the whole packet: items then have only
        what points, judges and quotes, and fewer come. Raises UsageError for a bad call, and Cancelled soon after
        ``cancelled`` says so.
        """

        started = time.monotonic()
        chosen = checked_task(task)
        checked_question(question)
        most = checked_places(k, max_tokens)
        spending = checked_spending(quotes, max_tokens, chosen)
        check = stop_when(cancelled)

        def make() -> tuple[Answered, Weigher]:
            weigher = self._weigher(overlays, check)
            unsaved = self._unsaved_names(overlays, check)
            answer = self._answer(weigher, unsaved)
            return self._with_notes(answer.make(question, chosen, most, self._hinted(hints)), chosen, most)[0], weigher

        answer, weigher = self._mended(make)
        notes = (*self._said(answer.found), *weigher.notes)
        facts = PacketFacts(
            query=question,
            task=chosen,
            workspace=str(self.workspace),
            head=weigher.facts.state.head,
            found=answer.found,
            notes=notes,
            elapsed_ms=(time.monotonic() - started) * 1e3,
            spending=spending,
        )
        return packet(answer.weighed, answer.contradictions, refresh_plan(answer.weighed, chosen), facts)

    def context(
        self,
        question: str,
        request: ContextRequest | None = None,
        *,
        hints: Hints = NO_HINTS,
        overlays: Overlays = NO_OVERLAYS,
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """The ``helix.context/1`` object: the evidence as text for a chat model, within the budget of ``request``.

        Raises UsageError for a bad call, and Cancelled soon after ``cancelled`` says so.
        """
        from helix_core.engine.answer import window as windows

        started = time.monotonic()
        checked_question(question)
        wanted = (request or windows.ContextRequest()).checked()
        check = stop_when(cancelled)

        def make() -> tuple[dict[str, Any], Found, Weigher]:
            weigher = self._weigher(overlays, check, patience=windows.PATIENCE, busy_ms=windows.BUSY_MS)
            reader = self._index.reader
            means = windows.WindowDependencies(self._config, self.encoder, self._reranking(), self._with_notes)
            given, pending = self._hinted(hints), self._not_indexed()
            made, found = windows.context(reader, weigher, question, wanted, given, means=means, not_indexed=pending)
            return made, found, weigher

        answer, found, weigher = self._mended(make)
        answer["workspace"], answer["head"] = str(self.workspace), weigher.facts.state.head
        answer["notes"] = [*self._said(found), *weigher.notes, *answer["notes"]]
        answer["elapsed_ms"] = round((time.monotonic() - started) * 1e3, 3)
        return answer

    def judge(
        self,
        pointers: Sequence[Pointer],
        *,
        task: TaskType | str = TaskType.EXPLAIN,
        overlays: Overlays = NO_OVERLAYS,
        confidence: float = 1.0,
        cancelled: Callable[[], bool] | None = None,
    ) -> tuple[list[Judged], list[RefreshTarget]]:
        """The verdicts of a packet shown earlier, true at this moment, in the order of the pointers, and what to read
        again. Nothing is searched, and the index is left as it is.

        ``confidence`` is the packet's ``coordinate_confidence``. Raises UsageError for a pointer out of the workspace
        or an unknown task, and Cancelled soon after ``cancelled`` says so.
        """
        from helix_core.engine.verdict.judge import Judgement

        chosen, check = checked_task(task), stop_when(cancelled)

        def judge() -> tuple[list[Judged], list[RefreshTarget]]:
            judgement = Judgement(self._index.reader, self._weigher(overlays, check, mends=False), self._judged_note)
            return judgement.of(pointers, chosen, confidence)

        return self._mended(judge)

    def show(
        self,
        source_id: str,
        start_line: int,
        end_line: int,
        *,
        task: TaskType | str = TaskType.EXPLAIN,
        most_bytes: int = MOST_SHOWN_BYTES,
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """The ``helix.open/1`` object: these lines as they are on disk now, secrets masked, with hash and verdict.

        As many whole lines as ``most_bytes`` hold, a first one that is longer cut. Raises UsageError for a path out
        of the workspace, a file that does not count and lines that are not there.
        """
        from helix_core.engine.memory.note_shown import shown_note
        from helix_core.engine.verdict.shown import Shown, reason_now

        chosen, lines = checked_task(task), LineSpan(start_line, end_line)

        def show() -> dict[str, Any]:
            if source_id.startswith(NOTE_SCHEME):
                return shown_note(self._note_items(source_id), source_id, lines, chosen, most_bytes)
            weigher = self._weigher(NO_OVERLAYS, stop_when(cancelled))
            look, options = (self._root, self._facts.git), self._file_options()
            shown = Shown(self._index.reader, weigher, lambda path: reason_now(*look, options, path))
            return shown.of(source_id, lines, chosen, most_bytes)

        return self._mended(show)

    def symbol(
        self,
        name: str,
        *,
        path: bytes = b"",
        line: int = 0,
        overlays: Overlays = NO_OVERLAYS,
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any] | None:
        """The ``helix.symbol/1`` object: what is known of a name; None where no definition has it.

        ``path`` and ``line`` (1-based, in the buffer where one is open) say where the name was pointed at. Raises
        Cancelled soon after ``cancelled`` says so.
        """
        from helix_core.engine.symbols.lookup import SymbolAnswer

        def about() -> dict[str, Any] | None:
            lacking = self._not_indexed()
            weigher = self._weigher(overlays, stop_when(cancelled))
            answer = SymbolAnswer(self._index.reader, weigher, self._facts.lines()).about(name, path, line, overlays)
            if answer is not None:
                answer["indexed_share"] = round_share(lacking.share)
                answer["notes"] += [lacking.partial_note] if lacking.partial_note else []
            return answer

        return self._mended(about)

    def lenses(self, path: bytes, *, overlays: Overlays = NO_OVERLAYS) -> list[dict[str, Any]]:
        """For each definition of a file ``{symbol, start_line, uses, tests, same_name, status, reason}``."""
        from helix_core.engine.symbols.lenses import lenses

        return self._mended(lambda: lenses(path, self._index.reader, self._weigher(overlays, stop_when(None))))

    def findings(self, path: bytes, *, overlays: Overlays = NO_OVERLAYS, budget_ms: float = FINDINGS_MS) -> Findings:
        """What is wrong in a file: ``{code, message, start_line, end_line, text_hash, other}`` each.

        The list's ``partial`` says that ``budget_ms`` was over before all was looked at.
        """
        from helix_core.engine.symbols.lenses import FileFindings

        return self._mended(
            lambda: FileFindings(self._index.reader, self._weigher(overlays, stop_when(None)), budget_ms).of(path)
        )

    def digest(self) -> str:
        """SHA-256 over what is indexed, independent of how it came to be: equal for equal folders."""

        def digest() -> str:
            return self._index.reader.digest()

        return self._mended(digest)

    def standing(self) -> WorkspaceSummary:
        """The index's totals and git's branch and HEAD; no file is looked at."""

        def standing() -> WorkspaceSummary:
            reader, state = self._index.reader, self._facts.state()
            live, set_aside = reader.files.counts().live, reader.files.set_aside()
            whole = reader.meta("complete") == "1"
            due = first_retry_at(set_aside)
            return WorkspaceSummary(whole, live.sources, live.items, state.branch, state.head, len(set_aside), due)

        return self._mended(standing, indexed=False)

    def status(self, *, skipped: bool = False) -> dict[str, Any]:
        """The ``helix.status/1`` object: what is indexed, how far it is from the disk, what was left out and why."""
        from helix_core.engine.indexing.report import status

        answer = self._mended(
            lambda: status(
                self._root,
                self._facts.git,
                self._index.reader,
                self.index_path,
                options=self._file_options(),
                state=self._facts.state(),
                list_skipped=skipped,
            )
        )
        self.on_pending(max(sum(answer["pending"].values()) - len(answer["set_aside"]), 0))
        return answer
