"""The question verbs of one open workspace: search, packet, context window, and explanations of rankings."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from helix_core.conversation import Need
from helix_core.engine.opened import WorkspaceSession, heals_index
from helix_core.engine.requests import MAX_K, NO_FILTERS
from helix_core.errors import GitError
from helix_core.model import (
    NOTE_SCHEME,
    Answered,
    Found,
    Hints,
    LineSpan,
    Pointer,
    Preview,
    Ranked,
    RecalledMemory,
    TaskType,
)
from helix_core.packet import (
    TEXT_CANDIDATES,
    PacketFacts,
    Spending,
    packet,
    packet_text,
    pointer_object,
    search_answer,
)
from helix_core.printable import count
from helix_core.telemetry import TraceSpan, answer_facts
from helix_core.tuples import NamedTuple

if TYPE_CHECKING:
    from helix_core.conversation import ConversationQuery, Coordinate
    from helix_core.engine.answer.answer import IndexSearch
    from helix_core.engine.answer.filters import FileFilter
    from helix_core.engine.answer.reranking import Reranking
    from helix_core.engine.answer.window import ContextRequest
    from helix_core.engine.requests import AnswerRequest
    from helix_core.engine.verdict import NotIndexed, Weigher


NO_CHANGE = "nothing here differs from the last commit"
NO_COMMIT = "what is changed is known only in a git repository that has a commit"
MOST_CHANGED = 24
_DIFF_HEADERS = ("--- ", "+++ ", "@@ ")
Previews = tuple[Preview | None, ...]


class AnswerNotes(Protocol):
    """What the user's memory adds to an answer."""

    def found_with_notes(self, found: Found, k: int) -> Found: ...

    def with_notes(self, answered: Answered, task: TaskType, k: int) -> tuple[Answered, dict[int, str]]: ...

    def remembered(self, question: str, task: TaskType, *, least: float = 0.0) -> tuple[RecalledMemory, ...]: ...


OpenPauses = tuple[list[dict[str, Any]], tuple[str, ...]]
"""What an answer says of agents that wait for a person: the objects, and a note for each."""
GENERAL_FLOOR = 0.6
"""Least score of a memory in the answer to a message of a chat that may as well be about anything else."""


class Answers:
    """The verbs that search.

    Args:
        session: The folder, settings and index.
        notes: Gives the notes and memories of an answer.
        hinted: Adds to hints the files that are related to them.
        open_pauses: Gives the pauses of agents that wait for a person.
        chances: Gives how likely each file is looked at next, 0 … 1.
    """

    def __init__(
        self,
        session: WorkspaceSession,
        notes: AnswerNotes,
        hinted: Callable[[Hints], Hints],
        open_pauses: Callable[[], OpenPauses],
        chances: Callable[[], Mapping[bytes, float]],
    ) -> None:
        self.session = session
        self._notes = notes
        self._hinted_by_memory = hinted
        self._open_pauses = open_pauses
        self._chances = chances

    def search(self, request: AnswerRequest) -> dict[str, Any]:
        """Return the ``helix.search/1`` object, with what ``request.previewed`` and ``request.explained`` add."""
        request = self._as_asked(request)
        with self._question("search", request) as span:
            answer = self._search(request)
            span.set(**answer_facts(answer))
            return answer

    def _question(self, verb: str, request: AnswerRequest) -> AbstractContextManager[TraceSpan]:
        """Return the span of one question."""
        return self.session.span(
            "helix.question", verb=verb, task=request.task.value, k=request.k, query=request.question
        )

    def _search(self, request: AnswerRequest) -> dict[str, Any]:
        started = time.monotonic()
        part = self._part(request)
        found = part.found
        notes = (*self.session.notes(found), *part.notes)
        previews: Previews = ()
        if request.previewed:
            previews, unread = self._previews(found, request)
            found, notes = _at_current_lines(found, previews), (*notes, *unread)
        elapsed_ms = _ms_since(started)
        if not request.explained:
            answer = search_answer(request.question, found, elapsed_ms, notes, previews)
            return answer | {"offset": part.offset, "next_page": part.next_page}
        from helix_core.engine.answer.explain_ranking import explained_search

        explained = explained_search(request.question, found, elapsed_ms, notes, previews)
        return explained | request.asked.account()

    def _as_asked(self, request: AnswerRequest) -> AnswerRequest:
        """Return the request. A message that seems to ask nothing, but is or has a name of the code, asks for that."""
        asked = request.asked
        if asked.of_changes:
            places, why = self._changed_places()
            if places or asked.only_of_changes:
                need = Need.EVIDENCE if places else Need.NOTHING
                changed = dataclasses.replace(asked, need=need, places=places, why=why, is_of_workspace=True)
                return dataclasses.replace(request, asked=dataclasses.replace(changed, may_be_general=False))
        if asked.need is not Need.NOTHING or not (why := self._why_named(asked)):
            return request
        searched = dataclasses.replace(asked, need=Need.EVIDENCE, why=why)
        # Of a project about recipes, most about a recipe is still of the world: names have to bear it out.
        return dataclasses.replace(
            request, asked=dataclasses.replace(searched, may_be_general=asked.may_be_general or bool(asked.worldly))
        )

    def _changed_places(self) -> tuple[tuple[Coordinate, ...], str]:
        """Return where the files differ from the last commit, new files last, and a sentence that says so, or why there
        is no such place.
        """
        from helix_core.conversation import Coordinate, coordinates
        from helix_core.workspace import uncommitted, untracked_paths

        git = self.session.git_facts.git
        if git is None:
            return (), NO_COMMIT
        try:
            diff, new = uncommitted(git), untracked_paths(git)
        except GitError:
            return (), NO_COMMIT
        headers = "\n".join(line for line in diff.split("\n") if line.startswith(_DIFF_HEADERS))
        places = (*coordinates(headers), *(Coordinate(os.fsdecode(path), 1) for path in new))[:MOST_CHANGED]
        if not places:
            return (), NO_CHANGE
        return (
            places,
            f"the message asks for what is changed and not committed: {count(len(places), 'place')} of it first",
        )

    @heals_index()
    def _why_named(self, asked: ConversationQuery) -> str:
        """Return what a message has of the names here, as a sentence; empty for nothing.

        Of a greeting only a definition of the implementation is meant: an example's ``hello`` is no answer. A word that
        says to go on may be typed in whatever case.
        """
        from helix_core.search import are_names, is_called, is_implemented, verbatim_chunks

        reader, names = self.session.index.reader, asked.bare_names
        if names and (is_implemented(names[0], reader) if asked.is_formula else are_names(names, reader)):
            return "the message is a name of the code here"
        if asked.is_bare_step and is_called(names[0], reader):
            return "the message is a name of the code here"
        if asked.worldly and are_names(asked.worldly, reader):
            return f"the message may be about the world, and {asked.worldly[0]} is a name of the code here"
        if any(is_implemented(name, reader) for name in asked.code_names):
            return "the message has a name of the code here"
        if asked.bare_number and verbatim_chunks(asked.bare_number, reader):
            return "the message is a number that stands in a file here"
        return ""

    @heals_index()
    def _part(self, request: AnswerRequest) -> _ResultPage:
        """Return one page of the results.

        A longer search ranks anew, so its first ``k`` results are not those of a search for ``k``. Every page after the
        first is cut from the longest list, without what the first page has.
        """
        page = request.page
        if page is None or not page.offset:
            found = self._found(request)
            is_more = page is not None and len(found.ranked) == page.size < MAX_K and not found.known_empty
            following = page.then(_entries(found.ranked)) if page is not None and is_more else ""
            return _ResultPage(found, next_page=following)
        with self.session.index.reader.snapshot():
            found = self._found(request)
            longest = self._found(dataclasses.replace(request, k=MAX_K))
        first = [(one.item.source.path, one.lines) for one in found.ranked]
        others = [one for one in longest.ranked if not _is_among(one, first)]
        listed = (*found.ranked, *others)
        shown = listed[page.offset : page.end]
        following = page.then(_entries(listed[: page.end])) if len(listed) > page.end else ""
        notes = page.notes(_entries(listed[: page.offset]), is_empty=not shown)
        return _ResultPage(found._replace(ranked=shown), notes, page.offset, following)

    def packet(self, request: AnswerRequest, spending: Spending) -> dict[str, Any]:
        """Return the ``helix.packet/1`` object."""
        request = self._as_asked(request)
        with self._question("packet", request) as span:
            answer = self._packet(request, spending)
            span.set(**answer_facts(answer))
            return answer

    def _packet(self, request: AnswerRequest, spending: Spending) -> dict[str, Any]:
        from helix_core.engine.verdict import refresh_plan

        started = time.monotonic()
        answer, weigher = self._answered(request)
        memories = self._remembered(request)
        pauses, pause_notes = self._open_pauses()
        facts = PacketFacts(
            query=request.question,
            task=request.task,
            workspace=str(self.session.workspace),
            head=weigher.facts.state.head,
            found=answer.found,
            notes=(*self.session.notes(answer.found), *weigher.notes, *pause_notes),
            elapsed_ms=_ms_since(started),
            spending=spending,
            others=self._more_files(request) if spending.names_more else (),
            memories=memories,
        )
        made = packet(answer.weighed, answer.contradictions, refresh_plan(answer.weighed, request.task), facts)
        if pauses and spending.max_tokens is None:
            made["pauses"] = pauses
        if not spending.as_text:
            return made
        text = packet_text(answer.weighed, answer.contradictions, facts)
        return made | {"text": text.text, "text_items": [pointer_object(one) for one in text.shown]}

    def _more_files(self, request: AnswerRequest) -> tuple[str, ...]:
        """Return the files of a longer answer, best first, for a reader of text: a name costs a few tokens."""
        longer = dataclasses.replace(self._hinted(request), k=TEXT_CANDIDATES)
        ranked = self._index_search(request).search(longer).ranked
        return tuple(dict.fromkeys(one.item.source.source_id for one in ranked))

    @heals_index()
    def packet_of(self, pointers: Sequence[Pointer], request: AnswerRequest, spending: Spending) -> dict[str, Any]:
        """Return the ``helix.packet/1`` object of given places instead of found ones, judged at this moment."""
        from helix_core.engine.verdict import Judgement, refresh_plan

        started = time.monotonic()
        session = self.session
        weigher = session.weigher(request.overlays, request.check, mends=False)
        weighed = Judgement(session.index.reader, weigher).weighed(pointers, request.task)
        sources, items = session.index.reader.text.size()
        found = Found(tuple(one.ranked for one in weighed), 1.0, False, (), {}, sources, items, len(weighed))
        facts = PacketFacts(
            query=request.question,
            task=request.task,
            workspace=str(session.workspace),
            head=weigher.facts.state.head,
            found=found,
            notes=(*session.take_notices(), *weigher.notes),
            elapsed_ms=_ms_since(started),
            spending=spending,
        )
        return packet(weighed, (), refresh_plan(weighed, request.task), facts)

    def explained(self, request: AnswerRequest) -> dict[str, Any]:
        """Return the ``helix.explain/1`` object of a question: the explanation of the same request's packet."""
        from helix_core.engine.answer.explain_ranking import explained_answer

        started = time.monotonic()
        request = self._as_asked(request)
        answered, _ = self._answered(request)
        elapsed_ms, notes = _ms_since(started), self.session.notes(answered.found)
        explained = explained_answer(
            request.question, request.task.value, answered.weighed, answered.found, elapsed_ms=elapsed_ms, notes=notes
        )
        return explained | request.asked.account()

    def context(self, request: AnswerRequest, wanted: ContextRequest) -> dict[str, Any]:
        """Return the ``helix.context/1`` object: the evidence as text for a chat model, within the budget of
        ``wanted``.
        """
        request = self._as_asked(request)
        with self.session.span("helix.window", budget=wanted.budget_tokens) as span:
            answer = self._context(request, wanted)
            span.set(
                **answer["verdicts"],
                tokens=answer["tokens"],
                known_empty=answer["known_empty"],
                indexed_share=answer["indexed_share"],
            )
            return answer

    def _context(self, request: AnswerRequest, wanted: ContextRequest) -> dict[str, Any]:
        started = time.monotonic()
        pauses, pause_notes = self._open_pauses()
        answer, found, weigher = self._window(request, wanted, pause_notes)
        answer["workspace"], answer["head"] = str(self.session.workspace), weigher.facts.state.head
        answer["notes"] = [*self.session.notes(found), *weigher.notes, *answer["notes"], *pause_notes]
        if pauses:
            answer["pauses"] = pauses
        answer["elapsed_ms"] = round(_ms_since(started), 3)
        return answer

    @heals_index()
    def _found(self, request: AnswerRequest) -> Found:
        """Return items in search order, as indexed; no file is read except by a reranker, or for a name that is
        undefined.
        """
        from helix_core.engine.answer.answer import without_denied_lines
        from helix_core.engine.verdict import with_named
        from helix_core.search import parse_question

        asked = self._hinted(request)
        # Read this before the search, so that files indexed meanwhile count as missing, never the reverse.
        index = self._index_search(request)
        lacking = self._not_indexed(index)
        found = index.search(asked)

        def weigher() -> Weigher:
            return self.session.weigher(request.overlays, request.check, mends=False)

        if index.is_reranked:
            found = index.rerank(asked, found, weigher())
        found = without_denied_lines(found, weigher)
        found = with_named(lacking.limits(found), lacking.named_by(parse_question(request.asked.text)), request.k)
        is_of_files = index.filtered is not None or found.unsearched
        return found if is_of_files else self._notes.found_with_notes(found, request.k)

    @heals_index()
    def _previews(self, found: Found, request: AnswerRequest) -> tuple[Previews, tuple[str, ...]]:
        """Return the preview of each result, None for a note of the memory, and what could not be checked."""
        weigher = self.session.weigher(request.overlays, request.check, mends=False)
        files = [one for one in found.ranked if not _is_note(one)]
        made = iter(weigher.previews(files, request.task, found.confidence))
        return tuple(None if _is_note(one) else next(made) for one in found.ranked), weigher.notes

    @heals_index()
    def _answered(self, request: AnswerRequest) -> tuple[Answered, Weigher]:
        """Return the weighed items of a packet, notes included, and their weigher."""
        from helix_core.engine.answer.answer import Answer

        weigher = self.session.weigher(request.overlays, request.check)
        unsaved = self.session.unsaved_names(request.overlays, request.check)
        index = self._index_search(request)
        answer = Answer(self._hinted(request), index, weigher, self._not_indexed(index), unsaved=unsaved).make()
        return self._with_notes(self._with_trail(answer), request)[0], weigher

    @heals_index()
    def _window(
        self, request: AnswerRequest, wanted: ContextRequest, pause_notes: tuple[str, ...]
    ) -> tuple[dict[str, Any], Found, Weigher]:
        from helix_core.engine.answer.answer import Answer
        from helix_core.engine.answer.window import BUSY_MS, PATIENCE, context, places_read

        session = self.session
        weigher = session.weigher(request.overlays, request.check, patience=PATIENCE, busy_ms=BUSY_MS)
        index = self._index_search(request)
        lacking = self._not_indexed(index)
        with self._question("context", request) as span:
            answer = Answer(self._hinted(request), index, weigher, lacking, whole=True, most=places_read(wanted))
            files = self._with_trail(answer.make())
            span.set(
                returned=len(files.weighed), confidence=files.found.confidence, known_empty=files.found.known_empty
            )
        recalled = self._with_notes(files, request)
        window = context(
            request,
            wanted,
            files,
            recalled,
            memories=self._remembered(request),
            pauses=pause_notes,
            missing=lacking.notes,
            further=answer.further,
            reader=session.index.reader,
            weigher=weigher,
            config=session.config,
        )
        return window, recalled[0].found, weigher

    def _hinted(self, request: AnswerRequest) -> AnswerRequest:
        hints, files = request.hints, request.asked.files
        if files:
            shown = tuple(
                dict.fromkeys(
                    (
                        *hints.recent_paths,
                        *(os.fsencode(file.removeprefix(f"{self.session.workspace}{os.sep}")) for file in files),
                    )
                )
            )
            hints = hints._replace(recent_paths=shown)
        return dataclasses.replace(request, hints=self._hinted_by_memory(hints))

    def _with_trail(self, answer: Answered) -> Answered:
        """Return the answer in the order of the user's trail, where the settings want that."""
        share = self.session.config.trail_prior
        if not share or not self.session.records_trail:
            return answer
        from helix_core.engine.answer.answer import within_one_place

        return answer._replace(weighed=tuple(within_one_place(answer.weighed, self._chances(), share)))

    def _with_notes(self, answer: Answered, request: AnswerRequest) -> tuple[Answered, dict[int, str]]:
        """Return the answer with notes of the memory. A question of certain files gets none, as they are in no file,
        nor does a message that asks nothing.
        """
        if request.filters != NO_FILTERS or answer.found.unsearched:
            return answer, {}
        return self._notes.with_notes(answer, request.task, request.k)

    def _remembered(self, request: AnswerRequest) -> tuple[RecalledMemory, ...]:
        """Return the memories of an answer; a question of certain files gets none, as they are in no file."""
        asked = request.asked
        if request.filters != NO_FILTERS or asked.need is Need.NOTHING:
            return ()
        least = GENERAL_FLOOR if asked.may_be_general else 0.0
        return self._notes.remembered(asked.judged or asked.text, request.task, least=least)

    def _not_indexed(self, index: IndexSearch) -> NotIndexed:
        lacking = self.session.not_indexed()
        return lacking if index.filtered is None else index.filtered.not_indexed(lacking)

    def _index_search(self, request: AnswerRequest) -> IndexSearch:
        from helix_core.engine.answer.answer import IndexSearch

        return IndexSearch(
            self.session.index.reader,
            prefer_implementation=self.session.config.prefer_implementation,
            encoder=self.session.encoder,
            reranking=self._reranking(),
            filtered=self._filtered(request),
        )

    def _reranking(self) -> Reranking | None:
        if self.session.reranker is None:
            return None
        from helix_core.engine.answer.reranking import Reranking

        return Reranking(self.session.reranker, self.session.config.rerank_budget_ms)

    def _filtered(self, request: AnswerRequest) -> FileFilter | None:
        if request.filters == NO_FILTERS:
            return None
        from helix_core.engine.answer.filters import QuestionFilters

        return QuestionFilters(self.session).checked(request.filters)


class _ResultPage(NamedTuple):
    """One page of search results: ``offset`` are before it, and ``next_page`` is the cursor of those after it."""

    found: Found
    notes: tuple[str, ...] = ()
    offset: int = 0
    next_page: str = ""


def _entries(ranked: Sequence[Ranked]) -> list[str]:
    return [f"{one.item.source.source_id} {one.item.text_hash}" for one in ranked]


def _is_among(one: Ranked, places: Sequence[tuple[bytes, LineSpan]]) -> bool:
    """Return whether any place shares lines with the result."""
    lines = one.lines
    return any(
        path == one.item.source.path and lines.start_line <= other.end_line and other.start_line <= lines.end_line
        for path, other in places
    )


def _is_note(ranked: Ranked) -> bool:
    """Return whether a result is a note of the memory and not in a file."""
    return ranked.item.source.source_id.startswith(NOTE_SCHEME)


def _at_current_lines(found: Found, previews: Previews) -> Found:
    pairs = zip(found.ranked, previews, strict=True)
    return found._replace(ranked=tuple(one if preview is None else preview.ranked for one, preview in pairs))


def _ms_since(started: float) -> float:
    return (time.monotonic() - started) * 1e3
