"""What answers, hovers and diagnostics take from the memory: notes and memories, with verdicts of now.

Writes nothing. Where the memory cannot be read, an answer is as without one, and ``memory_problem`` says why.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from helix_core.engine.opened import WorkspaceSession
from helix_core.engine.requests import NO_OVERLAYS
from helix_core.model import Answered, Found, Judged, LineSpan, Overlays, Pointer, RecalledMemory, TaskType
from helix_core.packet import MOST_RECALLED

if TYPE_CHECKING:
    from helix_core.engine.memory.notes import Recalled
    from helix_core.model import NoteItem
    from helix_core.store import Memory


class MemoryInAnswers:
    """The user's memory, as answers of one open workspace have it; without a memory all is as if it were empty."""

    def __init__(self, session: WorkspaceSession) -> None:
        self._session = session

    def remembered(self, question: str, task: TaskType, *, least: float = 0.0) -> tuple[RecalledMemory, ...]:
        """Return the memories of an answer to the question, best first, judged now; none without any in scope.

        Of those above the floor only what has at least the score ``least``. Nothing is written, and nothing counts as
        used.
        """
        before = self._session.memory_problem

        def read(memory: Memory) -> tuple[RecalledMemory, ...]:
            if not self._has_any(memory):
                return ()
            from helix_core.engine.memory.recalling import Recalling, recalled_memory

            recalling = Recalling(self._session, memory, time.time())
            found = [pair for pair in recalling.found(question, MOST_RECALLED, (), None) if pair[1] >= least]
            return tuple(recalled_memory(one) for one in recalling.judged(found, task, heals=False)) if found else ()

        found = self._session.read_memory(read) or ()
        self._session.memory_problem = self._session.memory_problem or before
        return found

    def found_with_notes(self, found: Found, k: int) -> Found:
        """Return the search results merged with notes."""
        recalled = self._recalled(found.terms, k)
        if recalled is None:
            return found
        from helix_core.engine.memory.notes import found_with

        return found_with(found, recalled, k)

    def with_notes(self, answered: Answered, task: TaskType, k: int) -> tuple[Answered, dict[int, str]]:
        """Return the answer merged with notes, and their texts by item id."""
        recalled = self._recalled(answered.found.terms, k)
        if recalled is None:
            return answered, {}
        from helix_core.engine.memory.notes import answered_with

        texts = {-one.item.id: one.item.text for one in recalled}
        return answered_with(answered, recalled, task, k, time.time()), texts

    def citing(
        self,
        lines: Sequence[tuple[str, LineSpan]],
        symbols: Collection[tuple[str, str]] = (),
        *,
        overlays: Overlays = NO_OVERLAYS,
    ) -> list[dict[str, Any]]:
        """Return the memories that cite some of these lines or symbols, as a packet has them.

        Both are by source id; lines are those of the buffer where ``overlays`` has the file. Nothing is written.
        """

        def read(memory: Memory) -> list[dict[str, Any]]:
            if not self._has_any(memory):
                return []
            from helix_core.engine.memory.recalling import CitedLines, Recalling, recalled_memory
            from helix_core.packet import memory_entry

            recalling = Recalling(self._session, memory, time.time(), overlays)
            found = recalling.citing(CitedLines(tuple(lines), frozenset(symbols)), TaskType.EXPLAIN)
            return [memory_entry(recalled_memory(one)) for one in found]

        return self._session.read_memory(read) or []

    def stale_citations(self, source_id: str, *, overlays: Overlays = NO_OVERLAYS) -> list[dict[str, Any]]:
        """Return what memories cite in a file and is not as it was: ``{id, text, start_line, end_line, status, reason,
        detail}`` each; lines are those of the buffer where ``overlays`` has the file. Nothing is written.
        """

        def read(memory: Memory) -> list[dict[str, Any]]:
            if not self._has_any(memory):
                return []
            from helix_core.engine.memory.recalling import Recalling, recalled_memory

            found = Recalling(self._session, memory, time.time(), overlays).stale_in(source_id)
            return [
                {
                    "id": one.stored.fact.handle,
                    "text": recalled_memory(one).text,
                    "start_line": each.start_line,
                    "end_line": each.end_line,
                    "status": each.verdict.status.value,
                    "reason": each.verdict.reason.value,
                    "detail": each.verdict.detail,
                }
                for one, each in found
            ]

        return self._session.read_memory(read) or []

    def has_open_pause(self) -> bool:
        """Return whether an agent waits for a person here."""

        def read(memory: Memory) -> bool:
            from helix_core.memory import OPEN_S

            return memory.pauses.is_open(self._session.place, time.time() - OPEN_S)

        before = self._session.memory_problem
        found = self._session.read_memory(read)
        self._session.memory_problem = self._session.memory_problem or before
        return bool(found)

    def note_items(self, source_id: str) -> list[NoteItem]:
        """Return the items of a note by its ``source_id``; empty for an unknown one."""
        from helix_core.engine.memory.related import note_hash

        begins = note_hash(source_id)
        if not begins:
            return []
        place = self._session.place
        return self._session.memory_file.read(lambda memory: memory.notes.items_of_text(place, begins)) or []

    def judged_note(self, pointer: Pointer, task: TaskType) -> Judged:
        """Judge a note of an earlier packet."""
        from helix_core.engine.memory.notes import judged

        place, now = self._session.place, time.time()
        found = self._session.read_memory(lambda memory: judged(memory, place, pointer, task, now))
        return found or judged(None, place, pointer, task, now)

    def _recalled(self, words: Sequence[str], k: int) -> list[Recalled] | None:
        """Return the notes for an answer; None without a memory, or when it cannot be read, which is noted."""

        def read(memory: Memory) -> list[Recalled]:
            from helix_core.engine.memory.notes import recall

            return recall(memory, self._session.index.reader, self._session.place, words, k)

        return self._session.read_memory(read)

    def _has_any(self, memory: Memory) -> bool:
        """Return whether there is a memory that answers here could have."""
        from helix_core.store import scopes_of

        return memory.items.has_any(scopes_of(memory.items.scope(self._session.place)))
