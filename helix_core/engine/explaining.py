"""The questions about answers: why a place has its verdict, and how an answer came about."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from helix_core.engine.memory.recall import Using
from helix_core.engine.opened import NO_OVERLAYS
from helix_core.engine.requests import checked_k, checked_question, checked_task, stop_when
from helix_core.model import NOTE_SCHEME, Found, Hints, LineSpan, Overlays, TaskType

NO_HINTS = Hints()


class Explaining(Using):
    """What an open workspace tells of its own answers. Nothing of it is worked out before somebody asks."""

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
        """The ``helix.explain/1`` object: why these lines of the disk's text have the verdict they have.

        Speaks of the smallest item that holds the lines, else of the file as a whole. ``confidence`` is that of the
        packet they were in, ``symbol`` what it called them: text that has another name now is explained as renamed.
        ``in_buffer`` says that they are lines of the file's open buffer instead. Raises UsageError for a path out of
        the workspace or an unknown task, and Cancelled soon after ``cancelled`` says so.
        """
        from helix_core.engine.memory.note_shown import explained_note
        from helix_core.engine.verdict.explain import Explanation

        chosen, lines = checked_task(task), LineSpan(start_line, end_line)

        def explain() -> dict[str, Any]:
            if source_id.startswith(NOTE_SCHEME):
                return explained_note(self._note_items(source_id), source_id, lines, chosen)
            explanation = Explanation(self._index.reader, self._weigher(overlays, stop_when(cancelled)))
            return explanation.of(source_id, lines, chosen, confidence=confidence, in_buffer=in_buffer, symbol=symbol)

        return self._mended(explain)

    def explain_search(
        self, question: str, *, k: int = 10, hints: Hints = NO_HINTS, cancelled: Callable[[], bool] | None = None
    ) -> dict[str, Any]:
        """The ``helix.search/1`` object of ``search``, and how it came about: ``lists`` (of each ranker its first
        places and every file of the answer), ``weights``, ``vectors``, ``certainty``, and each item's ``place`` signs.

        Raises UsageError for a bad call, and Cancelled soon after ``cancelled`` says so.
        """
        from helix_core.engine.answer.explain_ranking import explained_search

        found, took_ms = self._searched(question, k, hints, cancelled, explained=True)
        return explained_search(question, found, took_ms, self._said(found))

    def _searched(
        self, question: str, k: int, hints: Hints, cancelled: Callable[[], bool] | None, *, explained: bool = False
    ) -> tuple[Found, float]:
        """What is found, notes among it, and how many milliseconds that took."""
        started = time.monotonic()
        checked_question(question)
        checked_k(k)
        check = stop_when(cancelled)

        def find() -> Found:
            return self._found_with_notes(self._find(question, self._hinted(hints), k, check, explained=explained), k)

        found = self._mended(find)
        return found, (time.monotonic() - started) * 1e3

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
        """The ``helix.explain/1`` object of a question: how the packet came about that ``packet`` gives for the same
        arguments. Its items are the packet's, best first, each with ``gene_id``, signals, priors and ``place`` signs;
        ``lists``, ``weights``, ``vectors`` and ``certainty`` are those of ``explain_search``.

        The question is answered once more, so that what is explained is what the index says now. Raises UsageError for
        a bad call, and Cancelled soon after ``cancelled`` says so.
        """
        from helix_core.engine.answer.answer import Answered
        from helix_core.engine.answer.explain_ranking import explained_answer

        started = time.monotonic()
        chosen = checked_task(task)
        checked_question(question)
        checked_k(k)
        check = stop_when(cancelled)

        def make() -> Answered:
            answer = self._answer(self._weigher(overlays, check), self._unsaved_names(overlays, check), explained=True)
            return self._with_notes(answer.make(question, chosen, k, self._hinted(hints)), chosen, k)[0]

        answered = self._mended(make)
        elapsed_ms = (time.monotonic() - started) * 1e3
        found, notes = answered.found, self._said(answered.found)
        return explained_answer(question, chosen.value, answered.weighed, found, elapsed_ms=elapsed_ms, notes=notes)
