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

from helix_core.config import Config, current
from helix_core.conversation import ConversationQuery
from helix_core.engine.answer import Answers
from helix_core.engine.indexing import Progress, RefreshReport, first_retry_at, is_rule_file, unsettled
from helix_core.engine.memory import WorkspaceMemory
from helix_core.engine.opened import (
    FIRST_INDEX_WAIT_S,
    PATIENT_MS,
    QUESTION_WAIT_S,
    SOON_FILES,
    WorkspaceSession,
    WorkspaceSummary,
    answers_from_index,
    heals_index,
)
from helix_core.engine.requests import (
    MAX_K,
    MOST_TYPED,
    NO_FILTERS,
    NO_HINTS,
    NO_OVERLAYS,
    NOTHING_ASKED,
    AnswerRequest,
    checked_places,
    checked_question,
    checked_spending,
    checked_task,
    checked_text,
    page_at,
    stop_when,
)
from helix_core.engine.symbols import Symbols
from helix_core.errors import BusyStoreError, CorruptStoreError, NewerStoreError, StoreError, UsageError
from helix_core.ingest import ParseGuard, no_parse_guard
from helix_core.model import NOTE_SCHEME, Filters, Hints, Judged, LineSpan, Overlays, Pointer, RefreshTarget, TaskType
from helix_core.packet import Quotes
from helix_core.store import RULES

if TYPE_CHECKING:
    from helix_core.engine.answer import ContextRequest
    from helix_core.engine.memory import WorkspacePauses, WorkspaceTrail

MOST_PATHS = 200
MOST_SHOWN_BYTES = 200_000
FINDINGS_MS = 150.0


class Helix:
    """One open workspace with its index.

    Attributes:
        session: The folder, settings, index and git facts that all verbs use.
        memory: Notes, exchanges, and what sessions used.
        symbols: What is known of a name; lenses and findings of a file.
    """

    def __init__(self, session: WorkspaceSession) -> None:
        self.session = session
        self.memory = WorkspaceMemory(session)
        self.symbols = Symbols(session)
        self._answers = Answers(
            session, self.memory.answers, self.memory.sessions.hinted, self._open_pauses, self._chances
        )
        self._trail: WorkspaceTrail | None = None
        self._pauses: WorkspacePauses | None = None

    @property
    def trail(self) -> WorkspaceTrail:
        """The places that were opened, where the user wants them recorded. Loaded when it is asked for."""
        if self._trail is None:
            from helix_core.engine.memory import WorkspaceTrail

            self._trail = WorkspaceTrail(self.session)
        return self._trail

    @property
    def pauses(self) -> WorkspacePauses:
        """The pauses of agents for a person. Loaded when it is asked for."""
        if self._pauses is None:
            from helix_core.engine.memory import WorkspacePauses

            self._pauses = WorkspacePauses(self.session, self.show)
        return self._pauses

    def _open_pauses(self) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
        if not self.memory.answers.has_open_pause():
            return [], ()
        from helix_core.engine.memory import pause_notes

        events = self.pauses.of_answer()
        return events, pause_notes(events)

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        config: Config | None = None,
        write_wait_ms: int = PATIENT_MS,
        parse_guard: ParseGuard | None = None,
    ) -> Helix:
        """Open a folder; its index is made in the cache folder when there is none.

        Args:
            folder: The workspace.
            config: Its settings; read from its files and the environment by default.
            write_wait_ms: How long to wait for another writer of the index. Below 5,000 no question waits, nor for an
                index to be built: it is answered from what is there.
            parse_guard: Held, with the SHA-256 (hex) of the bytes, around everything that is parsed inside this
                process; where it gives False the bytes are left unparsed.

        Raises:
            WorkspaceError: The folder is missing, not a folder or not readable.
            StoreError: The index can be neither opened nor made.
            ConfigError: The settings cannot be understood.
        """
        parse_guard = parse_guard or no_parse_guard
        return cls(WorkspaceSession.open(folder, config, parse_guard=parse_guard, write_wait_ms=write_wait_ms))

    def close(self) -> None:
        """Close the index and the folder. Nothing is lost without it."""
        self.session.close()

    def __enter__(self) -> Helix:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def workspace(self) -> Path:
        """Return the open folder."""
        return self.session.workspace

    @property
    def index_path(self) -> Path:
        """Return the path of the index file."""
        return self.session.index_path

    @property
    def notices(self) -> tuple[str, ...]:
        """Return warnings for the user about settings, index and memory."""
        return self.session.notices

    @property
    def behind(self) -> str:
        """Return why the index could not be refreshed before the last question, or ""."""
        return self.session.behind

    @heals_index(fills=False)
    def is_indexed(self) -> bool:
        """Return whether a refresh has ever finished here."""
        return self.session.index.reader.meta("complete") == "1"

    @heals_index(fills=False)
    def has_other_rules(self) -> bool:
        """Return whether the ignore rules outside the tree or in the settings changed since the files were listed."""
        from helix_core.workspace import Record

        recorded = Record.of(self.session.index.reader.meta(RULES)).outside
        return recorded != self.session.counting().begin(self.session.file_options())

    def refresh(
        self,
        progress: Callable[[Progress], None] | None = None,
        *,
        retries: bool = True,
        wait_s: float | None = None,
        only_small: bool = False,
    ) -> RefreshReport:
        """Bring the index up to date with the disk. An inter-process lock serializes refreshes.

        Args:
            progress: Called as the refresh advances.
            retries: Quarantined files are retried when due.
            wait_s: How many seconds to wait for the lock; None means ten minutes.
            only_small: Refuse a pass that needs worker processes.

        Raises:
            BusyStoreError: The other process takes longer than ``wait_s``; or this one does while another waits to
                refresh without a limit: what was indexed is kept.
            LargeChangeError: With ``only_small``, worker processes would be needed.
        """
        started = time.monotonic()
        hand_over_at = None if wait_s is None else started + wait_s
        report = self._spanned(
            lambda: self._refresh(
                progress, retries=retries, wait_s=wait_s, hand_over_at=hand_over_at, only_small=only_small
            )
        )
        self.session.behind = ""
        return report

    def _spanned(self, refreshed: Callable[[], RefreshReport]) -> RefreshReport:
        """Return the report of a refresh that runs in a span with its counts."""
        with self.session.span("helix.index") as span:
            report = refreshed()
            span.set(**report.counts())
        return report

    @heals_index(fills=False)
    def _refresh(
        self,
        progress: Callable[[Progress], None] | None,
        *,
        retries: bool,
        wait_s: float | None,
        hand_over_at: float | None,
        only_small: bool,
    ) -> RefreshReport:
        session = self.session
        last = session.look_ahead(is_question=only_small)
        history = session.git_facts.state().history
        refresh = session.new_refresh(
            history, progress, retries=retries, only_small=only_small, read_first=self._expected, last=last
        )
        report = refresh.look()
        if report is not None:
            return report
        with session.write_lock(progress, wait_s):
            return refresh.run(None if hand_over_at is None else session.handing_over(hand_over_at))

    def _expected(self) -> list[bytes]:
        """Return what the trail expects next; loads it only now."""
        return self.trail.expected()

    def _chances(self) -> dict[bytes, float]:
        """Return how likely the trail holds each file to be next; loads it only now."""
        return self.trail.chances()

    def catch_up(self, progress: Callable[[Progress], None] | None = None, *, only_small: bool = False) -> None:
        """Refresh before a question, within the setting's time; ``behind`` and every answer's notes tell why it could
        not.

        Raises StoreError when there is no index to answer from, and CorruptStoreError and NewerStoreError; with
        ``only_small`` LargeChangeError where worker processes would be needed, as for a first index.
        """
        is_indexed = self.is_indexed()
        # A first index that lacks many files is not whole in a moment: waiting for it would only delay the answer.
        is_soon = not is_indexed and len(self.session.index.reader.files.pending().new) <= SOON_FILES
        wait_s = FIRST_INDEX_WAIT_S if is_soon else QUESTION_WAIT_S
        try:
            self.refresh(progress, retries=False, wait_s=wait_s, only_small=only_small)
        except (CorruptStoreError, NewerStoreError):
            raise
        except StoreError as error:
            if not is_indexed and not isinstance(error, BusyStoreError):
                raise
            self.session.fall_behind(error)

    def refresh_paths(self, paths: Sequence[bytes]) -> RefreshReport:
        """Refresh some files or folders, as raw paths relative to the workspace root, that a watcher reported.

        Takes milliseconds for a saved file. Changes that may affect which files count cause a whole refresh: many
        paths, an ignore file, git's own state, a path inside an inner repository, an unfinished index; with a most
        number of files also one that came or went.
        """
        if not paths:
            return RefreshReport()
        if self.needs_whole_refresh(paths):
            return self.refresh()
        return self._spanned(lambda: self._refresh_only(paths))

    @heals_index()
    def _refresh_only(self, paths: Sequence[bytes]) -> RefreshReport:
        return self.session.new_refresh("", None).run_only(paths)

    @heals_index(fills=False)
    def take_saved(self, paths: Sequence[bytes]) -> RefreshReport:
        """Index a few saved files while another process refreshes the whole index.

        Never starts a whole refresh: changes that may affect which files count are left to the next one.
        """
        writer = self.session.index.writer
        with writer.first_in_line(), writer.as_secondary_writer():
            return self._spanned(lambda: self.session.new_refresh("", None).run_only(paths))

    def unsettled(self, paths: Sequence[bytes] | None = None) -> tuple[tuple[bytes, ...], float]:
        """Return those of ``paths``, or of all, that were read racily (so soon after their last write that another
        may be invisible), and in how many seconds ``refresh_paths`` will settle them.
        """
        reader = self.session.index.reader
        states = reader.files.states() if paths is None else reader.files.states_at(paths)
        return unsettled(states.values(), time.time_ns())

    def needs_whole_refresh(self, paths: Sequence[bytes]) -> bool:
        """Return whether ``refresh_paths`` will do a whole refresh for these."""
        if len(paths) > MOST_PATHS or not self.is_indexed() or any(map(self.decides_for_others, paths)):
            return True
        return bool(self.session.config.max_files) and self._changes_number_of_files(paths)

    def _changes_number_of_files(self, paths: Sequence[bytes]) -> bool:
        """Return whether one of them came or went: it makes room for another file, or takes it."""
        known = self.session.index.reader.files.states_at(paths)
        top = os.fsencode(self.workspace) + b"/"
        for path in paths:
            was_there = path in known or any(one.startswith(path + b"/") for one in known)
            if was_there != os.path.lexists(top + path) or (not was_there and path not in known):
                return True
        return False

    def decides_for_others(self, path: bytes) -> bool:
        """Return whether a change of this file may affect which other files count, and so needs a whole refresh."""
        parts = path.split(b"/")
        folders = (b"/".join([os.fsencode(self.workspace), *parts[:depth]]) for depth in range(1, len(parts)))
        return is_rule_file(path) or any(os.path.lexists(folder + b"/.git") for folder in folders)

    def rebuild(self, progress: Callable[[Progress], None] | None = None) -> RefreshReport:
        """Delete the index and build it again from the disk."""
        self._clear()
        return self.refresh(progress)

    @heals_index(fills=False)
    def _clear(self) -> None:
        self.session.index.writer.clear()

    @heals_index(fills=False)
    def vacuum(self, *, cancelled: Callable[[], bool] | None = None) -> dict[str, Any]:
        """Vacuum the index and return the ``helix.vacuum/1`` object. Raises StoreError, Cancelled."""
        from helix_core.engine.indexing import vacuum

        return vacuum(self.session.index.writer, self.index_path, stop_when(cancelled))

    def search(
        self,
        question: str,
        *,
        k: int = 10,
        hints: Hints = NO_HINTS,
        overlays: Overlays = NO_OVERLAYS,
        previews: bool = False,
        filters: Filters = NO_FILTERS,
        page: str = "",
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Return the ``helix.search/1`` object: items of the files that ``filters`` keep, best first.

        Args:
            question: In plain words, or names of code.
            k: The most items.
            hints: What the session has open and used.
            overlays: The editor's unsaved buffers.
            previews: Compare each item with the disk and with ``overlays``; it then has ``status``, ``reason`` and
                ``signature``, the line that declares it.
            filters: Which files are searched.
            page: The ``next_page`` of the answer before, empty for the first page; it keeps that answer's ``k``. A note
                says when the pages before would be others now.
            cancelled: Polled between steps.

        Raises:
            UsageError: The call is invalid.
            Cancelled: Soon after ``cancelled`` returned True.
        """
        part = page_at(page, k, question, filters)
        request = AnswerRequest(
            question,
            part.size,
            hints=hints,
            overlays=overlays,
            check=stop_when(cancelled),
            previewed=previews,
            filters=filters,
            page=part,
        )
        return self._answers.search(request)

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
        as_text: bool = False,
        filters: Filters = NO_FILTERS,
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Return the ``helix.packet/1`` object: pointers, each with a verdict true at this moment.

        Args:
            question: In plain words, or names of code.
            task: What the answer is for; it decides how strict a verdict is.
            k: The most pointers: 8 by default, 12 within a budget, of which as many come as there is room for.
            hints: What the session has open and used.
            overlays: The editor's unsaved buffers.
            quotes: Chosen by what they are worth, whole where the task wants the very words, or whole everywhere.
            max_tokens: Bounds the whole packet: items then have only location, verdict and quote, and fewer come.
            as_text: The object also has ``text``, the packet as compact text that is within ``max_tokens`` by itself
                (1,200 by default), and ``text_items``, what it shows; without ``k`` the text also names more files.
            filters: Which files are searched; a verdict does not depend on them.
            cancelled: Polled between steps.

        Raises:
            UsageError: The call is invalid.
            Cancelled: Soon after ``cancelled`` returned True.
        """
        chosen = checked_task(task)
        checked_question(question)
        most, spending = checked_places(k, max_tokens), checked_spending(quotes, max_tokens, chosen)
        if as_text:
            spending = spending._replace(as_text=True, names_more=k is None)
        request = AnswerRequest(question, most, chosen, hints, overlays, stop_when(cancelled), filters=filters)
        return self._answers.packet(request, spending)

    def packet_of(
        self,
        pointers: Sequence[Pointer],
        question: str,
        *,
        task: TaskType | str = TaskType.EXPLAIN,
        overlays: Overlays = NO_OVERLAYS,
        quotes: Quotes | str = Quotes.WHOLE,
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Return the ``helix.packet/1`` object of places that were given before, such as those that a model was sent.

        Nothing is searched; each place has the verdict of this moment, and ``coordinate_confidence`` is 1.

        Args:
            pointers: The places, best first.
            question: What the places answered.
            task: What the answer is for; it decides how strict a verdict is.
            overlays: The editor's unsaved buffers.
            quotes: As in ``packet``.
            cancelled: Polled between steps.

        Raises:
            UsageError: A pointer leads out of the workspace.
            Cancelled: Soon after ``cancelled`` returned True.
        """
        chosen = checked_task(task)
        most = max(1, min(len(pointers), MAX_K))
        request = AnswerRequest(question, most, chosen, overlays=overlays, check=stop_when(cancelled))
        return self._answers.packet_of(pointers[:MAX_K], request, checked_spending(quotes, None, chosen))

    def context(
        self,
        question: str,
        request: ContextRequest | None = None,
        *,
        hints: Hints = NO_HINTS,
        overlays: Overlays = NO_OVERLAYS,
        asked: ConversationQuery = NOTHING_ASKED,
        filters: Filters = NO_FILTERS,
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Return the ``helix.context/1`` object: the evidence as text for a chat model, within a budget.

        Args:
            question: The user's message.
            request: Budget, decoder and what the session received before.
            hints: What the session has open and used.
            overlays: The editor's unsaved buffers.
            asked: What a conversation was read as; without it the question is read by itself.
            filters: Which files are searched.
            cancelled: Polled between steps.

        Raises:
            UsageError: The call is invalid.
            Cancelled: Soon after ``cancelled`` returned True.
        """
        from helix_core.engine.answer import ContextRequest, window_places

        checked_question(question)
        wanted = (request or ContextRequest()).checked()
        answering = AnswerRequest(
            question,
            window_places(wanted),
            hints=hints,
            overlays=overlays,
            check=stop_when(cancelled),
            asked=asked,
            filters=filters,
        )
        return self._answers.context(answering, wanted)

    @heals_index()
    def judge(
        self,
        pointers: Sequence[Pointer],
        *,
        task: TaskType | str = TaskType.EXPLAIN,
        overlays: Overlays = NO_OVERLAYS,
        confidence: float = 1.0,
        follows: bool = False,
        cancelled: Callable[[], bool] | None = None,
    ) -> tuple[list[Judged], list[RefreshTarget]]:
        """Return the verdicts of a packet shown earlier, true at this moment, and what to read again.

        Nothing is searched, and the index is left as it is.

        Args:
            pointers: The packet's places; the verdicts are in their order.
            task: What the answer was for; it decides how strict a verdict is.
            overlays: The editor's unsaved buffers.
            confidence: The packet's ``coordinate_confidence``.
            follows: What is in its file no more is looked for under another name and in other files.
            cancelled: Polled between steps.

        Raises:
            UsageError: A pointer leads out of the workspace, or the task is unknown.
            Cancelled: Soon after ``cancelled`` returned True.
        """
        from helix_core.engine.verdict import Judgement

        weigher = self.session.weigher(overlays, stop_when(cancelled), mends=False)
        judgement = Judgement(self.session.index.reader, weigher, self.memory.answers.judged_note)
        chosen = checked_task(task)
        judged, targets = judgement.of(pointers, chosen, confidence)
        return judgement.followed(judged, chosen, confidence) if follows else (judged, targets)

    @answers_from_index()
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
        """Return the ``helix.open/1`` object: lines as they are on disk now, secrets masked, with hash and verdict.

        Args:
            source_id: The file.
            start_line: The first line, 1-based.
            end_line: The last line.
            task: What the lines are for; it decides how strict the verdict is.
            most_bytes: How much is shown, in whole lines; a first line that is longer is cut.
            cancelled: Polled between steps.

        Raises:
            UsageError: The path leads out of the workspace, the file does not count, or it has no such lines.
            Cancelled: Soon after ``cancelled`` returned True.
        """
        from helix_core.engine.memory import shown_note
        from helix_core.engine.verdict import Shown, reason_now

        chosen, lines = checked_task(task), LineSpan(start_line, end_line)
        if source_id.startswith(NOTE_SCHEME):
            return shown_note(self.memory.answers.note_items(source_id), source_id, lines, chosen, most_bytes)
        session = self.session
        weigher = session.weigher(NO_OVERLAYS, stop_when(cancelled))
        git, options = session.git_facts.git, session.file_options()
        shown = Shown(session.index.reader, weigher, lambda path: reason_now(session.root, git, options, path))
        return shown.of(source_id, lines, chosen, most_bytes)

    def note_opened(self, source_id: str, at: float) -> bool:
        """Record in the trail that a whole file was opened at ``at`` (Unix seconds), where the user wants a trail.

        Returns False where recording is off, and for a file that does not count.
        """
        self.session.config = current(self.session.config)
        if not self.session.records_trail:
            return False
        try:
            shown = self.show(source_id, 1, MOST_SHOWN_BYTES)
        except UsageError:
            # What is not shown to anybody is not recorded.
            return False
        return self.trail.note(shown, at)

    @answers_from_index()
    def explain(
        self,
        source_id: str,
        start_line: int,
        end_line: int,
        *,
        task: TaskType | str = TaskType.EXPLAIN,
        overlays: Overlays = NO_OVERLAYS,
        confidence: float = 1.0,
        in_buffer: bool = False,
        symbol: str = "",
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Return the ``helix.explain/1`` object: why these lines have the verdict they have.

        It is about the smallest item that holds the lines, else about the file as a whole.

        Args:
            source_id: The file.
            start_line: The first line, 1-based.
            end_line: The last line.
            task: What the lines are for; it decides how strict the verdict is.
            overlays: The editor's unsaved buffers.
            confidence: That of the packet the lines were in.
            in_buffer: They are lines of the file's open buffer instead of the disk's.
            symbol: What the packet called the lines: text that has another name now is explained as renamed.
            cancelled: Polled between steps.

        Raises:
            UsageError: The path leads out of the workspace, or the task is unknown.
            Cancelled: Soon after ``cancelled`` returned True.
        """
        from helix_core.engine.memory import explained_note
        from helix_core.engine.verdict import Explanation

        chosen, lines = checked_task(task), LineSpan(start_line, end_line)
        if source_id.startswith(NOTE_SCHEME):
            return explained_note(self.memory.answers.note_items(source_id), source_id, lines, chosen)
        explanation = Explanation(self.session.index.reader, self.session.weigher(overlays, stop_when(cancelled)))
        return explanation.of(source_id, lines, chosen, confidence=confidence, in_buffer=in_buffer, symbol=symbol)

    @answers_from_index(fills=False)
    def paths(self, typed: str, *, k: int = MOST_TYPED) -> dict[str, Any]:
        """The ``helix.paths/1`` object: at most ``k`` indexed files whose path begins with what is typed, then those
        that have it further on, whatever the case.
        """
        from helix_core.workspace import source_id_of

        wanted = typed.lower()
        every = [source_id_of(path) for path in self.session.index.reader.files.live_paths()]
        having = [(not one.lower().startswith(wanted), one) for one in every if wanted in one.lower()]
        return {"schema": "helix.paths/1", "typed": typed, "paths": [one for _, one in sorted(having)[:k]]}

    @answers_from_index()
    def check(self, text: str, *, source_id: str = "", cancelled: Callable[[], bool] | None = None) -> dict[str, Any]:
        """The ``helix.check/1`` object: the places, paths, symbols and quotes that a Markdown text cites and that are
        not so on disk at this moment. What cannot be compared is counted under ``unknown``.

        ``source_id`` is the text's own path in the workspace, where it has one: links start from its folder. Raises
        UsageError for a text over 262,144 characters, and Cancelled soon after ``cancelled`` says so.
        """
        from helix_core.engine.verdict import CheckedText

        session = self.session
        weigher = session.weigher(NO_OVERLAYS, stop_when(cancelled))
        lacking = session.not_indexed()
        is_whole = self.is_indexed() and not lacking.pending and lacking.is_current
        set_aside = lacking.set_aside
        check = CheckedText(
            session.index.reader,
            weigher,
            os.fspath(session.workspace),
            git=session.git_facts.git,
            base=os.path.dirname(source_id),
            is_whole=is_whole,
            set_aside=set_aside,
        )
        return check.of(checked_text(text), source_id)

    def explain_search(
        self,
        question: str,
        *,
        k: int = 10,
        hints: Hints = NO_HINTS,
        previews: bool = False,
        filters: Filters = NO_FILTERS,
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Return the ``helix.search/1`` object of ``search``, explained: ``lists`` (of each ranker its first places and
        every file of the answer), ``weights``, ``vectors``, ``certainty``, and each item's ``place`` signs.

        Args:
            question: In plain words, or names of code.
            k: The most items.
            hints: What the session has open and used.
            previews: Compare each item with the disk, as in ``search``.
            filters: Which files are searched.
            cancelled: Polled between steps.

        Raises:
            UsageError: The call is invalid.
            Cancelled: Soon after ``cancelled`` returned True.
        """
        asked = AnswerRequest(
            question,
            k,
            hints=hints,
            check=stop_when(cancelled),
            explained=True,
            previewed=previews,
            filters=filters,
        )
        return self._answers.search(asked)

    def explain_answer(
        self,
        question: str,
        *,
        task: TaskType | str = TaskType.EXPLAIN,
        k: int = 8,
        hints: Hints = NO_HINTS,
        overlays: Overlays = NO_OVERLAYS,
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Return the ``helix.explain/1`` object of a question: how ``packet`` makes its packet for the same arguments.

        Its items are the packet's, best first, each with ``gene_id``, signals, priors and ``place`` signs;
        ``lists``, ``weights``, ``vectors`` and ``certainty`` are those of ``explain_search``.

        The question is answered once more, so that what is explained is what the index says now.

        Args:
            question: As it was given to ``packet``.
            task: As it was given to ``packet``.
            k: The most pointers.
            hints: What the session has open and used.
            overlays: The editor's unsaved buffers.
            cancelled: Polled between steps.

        Raises:
            UsageError: The call is invalid.
            Cancelled: Soon after ``cancelled`` returned True.
        """
        chosen = checked_task(task)
        request = AnswerRequest(question, k, chosen, hints, overlays, stop_when(cancelled), explained=True)
        return self._answers.explained(request)

    @heals_index()
    def digest(self) -> str:
        """Return the SHA-256 over all indexed content, independent of history: equal for equal folders."""
        return self.session.index.reader.digest()

    @heals_index(fills=False)
    def summary(self) -> WorkspaceSummary:
        """Return the index's totals and git's branch and HEAD; reads no file."""
        reader, state = self.session.index.reader, self.session.git_facts.state()
        live, set_aside = reader.files.counts().live, reader.files.set_aside()
        whole = reader.meta("complete") == "1"
        due = first_retry_at(set_aside)
        return WorkspaceSummary(whole, live.sources, live.items, state.branch, state.head, len(set_aside), due)

    @heals_index()
    def freshness(self, limit: int = 100) -> dict[str, Any]:
        """Return the ``helix.freshness/1`` object: how much of each folder the index has as it is on disk."""
        from helix_core.engine.indexing import freshness

        session = self.session
        git, options = session.git_facts.git, session.file_options()
        return freshness(session.root, git, session.index.reader, options=options, limit=limit)

    @heals_index()
    def status(self, *, skipped: bool = False) -> dict[str, Any]:
        """Return the ``helix.status/1`` object: what is indexed, how far it is from the disk, what was skipped and
        why, and who is indexing at the moment.
        """
        from helix_core.engine.indexing import lock_holder, status
        from helix_core.engine.verdict import set_aside_note

        session = self.session
        answer = status(
            session.root,
            session.git_facts.git,
            session.index.reader,
            self.index_path,
            options=session.file_options(),
            state=session.git_facts.state(),
            list_skipped=skipped,
        )
        set_aside = [one.path for one in session.index.reader.files.set_aside()]
        session.on_pending(max(sum(answer["pending"].values()) - len(set_aside), 0))
        answer["notes"] += [set_aside_note(set_aside)] if set_aside else []
        spent = self.memory.extractor_budget()
        holder = lock_holder(self.index_path) if not answer["fresh"] or not answer["indexed"] else None
        if holder is not None:
            done, ahead = answer["index"]["files"], len(session.index.reader.files.pending().new)
            progress = {
                "by": holder.name,
                "pid": holder.pid,
                "since": holder.since,
                "done": done,
                "total": done + ahead,
            }
            answer["indexing"] = progress
        return answer | ({"extractor": spent} if spent else {})
