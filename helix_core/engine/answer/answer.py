"""Make one answer: search, read the results, search again where reading updated the index, weigh the rest."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from helix_core.conversation import Need, PartKind
from helix_core.engine.verdict import with_named
from helix_core.model import Answered, Found, Ranked, Reason, Signal, TaskType, Weighed
from helix_core.packet import files_first_order
from helix_core.search import (
    NAMED_CONFIDENCE,
    PASTED_RANKER,
    SearchRequest,
    asks_for_tests,
    parse_question,
    says_undefined,
    separate_questions,
    undefined_note,
)
from helix_core.search.search import search

if TYPE_CHECKING:
    from helix_core.conversation import ConversationQuery

    # A search in JSON weighs nothing: the verdicts and their parsers would cost it more than its answer.
    from helix_core.engine.answer.filters import FileFilter
    from helix_core.engine.answer.reranking import Reranking
    from helix_core.engine.requests import AnswerRequest
    from helix_core.engine.verdict import NotIndexed, OnlyInBuffer, UnsavedNames, Weigher
    from helix_core.search import QuestionEncoder
    from helix_core.store import Reader

ROUNDS = 3
GONE_SHOWN = 2
CHANGED_ELSEWHERE = "what differs from the last commit is in none of the files that are searched"


class IndexSearch:
    """Search one workspace's index, or the files of it that ``filtered`` keeps, and rerank the first results when a
    reranker is set up.
    """

    def __init__(
        self,
        reader: Reader,
        *,
        prefer_implementation: bool,
        encoder: QuestionEncoder,
        reranking: Reranking | None = None,
        filtered: FileFilter | None = None,
    ) -> None:
        self.reader = reader
        self.filtered = filtered
        self._prefer_implementation = prefer_implementation
        self._encoder = encoder
        self._reranking = reranking

    @property
    def is_reranked(self) -> bool:
        """Return whether a reranker is set up."""
        return self._reranking is not None

    def search(self, request: AnswerRequest) -> Found:
        """Return results for a question, enough for a reranker to choose from."""
        wanted = SearchRequest(
            request.asked.text,
            request.k if self._reranking is None else self._reranking.places_to_search(request.k),
            request.hints,
            prefer_implementation=self._prefer_implementation,
            check=request.check,
            encoder=self._encoder,
            explained=request.explained,
            judged=request.asked.judged,
            places=request.asked.places,
            may_be_general=request.asked.may_be_general,
            discussed=request.asked.discussed,
            questions=_questions(request.asked),
            alone=request.asked.alone,
            tested=_tested(request.asked),
            message=request.asked.message,
            said=" ".join(part.text for part in request.asked.parts) if request.asked.carried else "",
        )
        if request.asked.need is Need.NOTHING:
            with self.reader.snapshot(), self.reader.narrowed(()):
                return _nothing_asked(search(wanted, self.reader), request.asked)
        found = self._searched(wanted)
        return _only_changed(found) if request.asked.only_of_changes and request.asked.places else found

    def _searched(self, wanted: SearchRequest) -> Found:
        if self.filtered is None:
            return search(wanted, self.reader)
        with self.reader.snapshot():
            scope = self.filtered.scope(self.reader)
            with self.reader.narrowed(scope.source_ids):
                return scope.limits(search(wanted, self.reader))

    def rerank(self, request: AnswerRequest, found: Found, weigher: Weigher) -> Found:
        """Return the results with the first ones reranked; unchanged without a reranker."""
        return found if self._reranking is None else self._reranking.of(request.asked.text, found, weigher, request.k)


def _only_changed(found: Found) -> Found:
    """Return the answer with the places alone that the differences to the last commit name."""
    ranked = tuple(one for one in found.ranked if any(signal.ranker == PASTED_RANKER for signal in one.signals))
    found = found._replace(ranked=ranked, evaluated=len(ranked))
    if ranked:
        return found
    return found.where_nothing_was_searched(CHANGED_ELSEWHERE)._replace(notes=(CHANGED_ELSEWHERE,))


def _nothing_asked(found: Found, asked: ConversationQuery) -> Found:
    """Return the answer to a message that asks nothing: no place, and one note that says why and what to ask."""
    note = f"nothing was searched: {asked.why}; ask for a name, a file, or what the code here does"
    note = asked.why if asked.of_changes else note
    return found.where_nothing_was_searched(note)._replace(notes=(note,))


def _questions(asked: ConversationQuery) -> tuple[str, ...]:
    """Return the questions of a message that asks several. What a follow-up or a paste is about, the whole says."""
    return () if asked.carried or asked.places else tuple(separate_questions(asked.judged or asked.text))


def _tested(asked: ConversationQuery) -> str:
    """Return what a follow-up that asks for tests is about; empty for any other message."""
    own = " ".join(part.text for part in asked.parts if part.part is PartKind.QUESTION)
    return " ".join(asked.carried) if asked.carried and asks_for_tests(own) else ""


class Answer:
    """One question being answered. Use it once.

    Args:
        request: The question.
        index: Searches for it.
        weigher: Reads and judges what was found.
        not_indexed: The files that the index lacks.
        unsaved: The names of unsaved buffers.
        whole: Return chunks untrimmed, for callers that trim.
        most: Returns how many of the results are read and judged, all of them without it; ``further`` has the others.
    """

    def __init__(
        self,
        request: AnswerRequest,
        index: IndexSearch,
        weigher: Weigher,
        not_indexed: NotIndexed,
        *,
        unsaved: UnsavedNames | None = None,
        whole: bool = False,
        most: Callable[[Found], int] | None = None,
    ) -> None:
        self.further: tuple[Ranked, ...] = ()
        self._most = most
        self._request = request
        self._index = index
        self._weigher = weigher
        self._not_indexed = not_indexed
        self._unsaved = unsaved
        self._whole = whole

    def make(self) -> Answered:
        """Search and read until the index no longer changes, then weigh at most ``k`` items, best first."""
        question, task, k = self._request.asked.text, self._request.task, self._request.k
        found, gone = self._settle()
        found = self._with_not_indexed(question, found, k)
        weighed, pairs = self._weigher.weigh(_with_gone(found.ranked, gone, k), task, found.confidence)
        only = self._unsaved.defined(parse_question(question)) if self._unsaved is not None else []
        if self._index.filtered is not None:
            only = [one for one in only if self._index.filtered.keeps(one.item.source.path)]
        if only:
            best = max((one.ranked.score for one in weighed), default=0.0) or 1.0
            weighed = [*(self._only_in_buffer(one, best, task) for one in only), *weighed][:k]
            confidence = max(found.confidence, NAMED_CONFIDENCE)
            names = parse_question(question).identifiers
            untrue = [note for note in found.notes if any(says_undefined(note, name) for name in names)]
            notes = tuple(note for note in found.notes if note not in {*untrue, found.unsearched})
            found = found._replace(
                known_empty=False, seems_empty=False, confidence=confidence, notes=notes, unsearched=""
            )
        found = without_denied_lines(found, lambda: self._weigher)
        ordered = weighed if self._whole else files_first_order(weighed)
        return Answered(tuple(ordered), tuple(pairs), found)

    def _with_not_indexed(self, question: str, found: Found, k: int) -> Found:
        """Add existing files that the question names and the index does not contain."""
        look = self._weigher.observer.look
        named = self._not_indexed.named_by(parse_question(question))
        there = [one for one in named if look(one.ranked.item.source).file is not None]
        return with_named(self._not_indexed.limits(found), there, k)

    def _only_in_buffer(self, one: OnlyInBuffer, score: float, task: TaskType) -> Weighed:
        ranked = Ranked(one.item, score, (Signal("unsaved", 1, 1.0),))
        return self._weigher.weighed_in_buffer(ranked, one.lines, one.content_hash, task)

    def _cut(self, found: Found) -> Found:
        """Keep the results that the caller has room for; a reranker may choose any of them."""
        if self._most is None or self._index.is_reranked:
            return found
        most = self._most(found)
        self.further = found.ranked[most:]
        return found._replace(ranked=found.ranked[:most])

    def _settle(self) -> tuple[Found, list[Ranked]]:
        gone: dict[bytes, Ranked] = {}
        ignored: set[bytes] = set()
        observer = self._weigher.observer
        for _ in range(ROUNDS):
            found = self._cut(self._index.search(self._request))
            mended = False
            observer.expect(one.item.source.path for one in found.ranked)
            for one in found.ranked:
                path = one.item.source.path
                known = observer.observations.get(path)
                observed = observer.look_again(one.item.source)
                if observed is known:
                    continue
                mended = mended or observed.mended
                if observed.reason is Reason.IGNORED:
                    ignored.add(path)
                elif observed.file is None:
                    gone.setdefault(path, one)
            if not mended:
                break
        found = found._replace(ranked=tuple(_live(found.ranked, gone.keys() | ignored)))
        found = self._index.rerank(self._request, found, self._weigher)
        live = found.ranked
        if self._whole:
            live = tuple(one._replace(focus=None) for one in live)
        return found._replace(ranked=live), list(gone.values())


def within_one_place(weighed: Sequence[Weighed], chances: Mapping[bytes, float], share: float) -> list[Weighed]:
    """Exchange neighbors of which the later one has the higher score, each raised by ``share`` of its file's chance to
    be looked at next (0 … 1). An item moves one place at most, and scores never rise.
    """

    def raised(one: Weighed) -> float:
        return one.ranked.score * (1 + share * chances.get(one.ranked.item.source.path, 0.0))

    made = list(weighed)
    place = 0
    while place + 1 < len(made):
        one, other = made[place : place + 2]
        if raised(other) > raised(one):
            factor = raised(other) / other.ranked.score
            priors = (*other.ranked.priors, f"expected by the trail x{factor:.2f}")
            first = other._replace(ranked=other.ranked._replace(priors=priors))
            second = one._replace(ranked=one.ranked._replace(score=other.ranked.score))
            made[place : place + 2] = [first, second]
            place += 1
        place += 1
    return made


def _live(ranked: Sequence[Ranked], gone: Container[bytes]) -> Iterator[Ranked]:
    return (one for one in ranked if one.item.source.path not in gone)


def _with_gone(live: Sequence[Ranked], gone: Sequence[Ranked], k: int) -> list[Ranked]:
    """Keep deleted items at their rank, but never let them displace more than two that exist."""
    shown = sorted(gone, key=lambda one: -one.score)[: max(GONE_SHOWN, k - len(live))]
    kept = [*live[: max(k - len(shown), 0)], *shown][:k]
    return sorted(kept, key=lambda one: -one.score)


def without_denied_lines(found: Found, weigher: Callable[[], Weigher]) -> Found:
    """Return the results, whose notes on names without a known definition point to a line on disk that reads like one;
    files are read for a name of which it is said.
    """

    def checked(note: str) -> str:
        name = note.removeprefix("no definition of ").partition(" ")[0]
        if note != undefined_note(name):
            return note
        place = weigher().reads_like_definition(name)
        return undefined_note(name, may_be_in=f"{place} reads like one") if place else note

    return found._replace(notes=tuple(map(checked, found.notes))) if found.notes else found
