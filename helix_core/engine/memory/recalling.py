"""Answer from the memory: find memories by words, judge each against the code that it cites, and list and review them.

Every memory that is returned has a verdict of this moment. Reading changes nothing but the lines of a citation whose
text has moved.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from helix_core.embed import STATIC, nearness
from helix_core.engine.memory.disk_values import cited_paths, compared_values, current_citations
from helix_core.engine.memory.remembering import cited, found_by, memory_object
from helix_core.engine.opened import WorkspaceSession
from helix_core.engine.requests import NO_OVERLAYS, go_on
from helix_core.errors import BusyStoreError, UsageError
from helix_core.memory import (
    FLOOR,
    FLOOR_AROUND,
    HALF_LIFE_DAYS,
    LEAST_ODDS,
    NAMED,
    AskedTerm,
    RecallSigns,
    alternatives,
    answer_odds,
    answer_signs,
    apart_from,
    asked_names,
    asked_words,
    content_words,
    covered,
    covered_in_turn,
    expected_form,
    faded,
    has_form,
    is_about,
    is_english,
    is_order,
    is_over,
    least_share,
    named_share,
    near_words,
    other_forms,
    said_turns,
    salience,
    weigh,
)
from helix_core.model import (
    CONFLICTS,
    DEPENDS_ON,
    DERIVED_FROM,
    GLOBAL_SCOPE,
    REFINES,
    USABLE,
    Judged,
    LineSpan,
    MemoryEvidence,
    MemoryLink,
    MemoryStatus,
    MemoryUse,
    Overlays,
    Pointer,
    Reason,
    RecalledCitation,
    RecalledMemory,
    Status,
    StoredMemory,
    TaskType,
    Verdict,
    memory_id,
)
from helix_core.printable import inert_text
from helix_core.secrets import mask, quoted
from helix_core.store import Memory, scopes_of

if TYPE_CHECKING:
    from helix_core.engine.verdict import ComparedValues, Judgement, Weigher

RECALL_SCHEMA = "helix.recall/1"
LOOKED_AT = 64
MOST_LOOKED_AT = 4_096
IN_TURN = frozenset({"episode"})
"""Kinds of what was said in turn: what such a memory is about often stands in what was said around it."""
LEAST_NEAR = 0.38
"""Least mean cosine of the question's other words and the nearest ones of a turn that has one of them. What is kept of
other kinds states more than a turn does, and is not searched by meaning: near topics would pass for answers.
"""
OTHER_FORM = 0.8
"""Factor of a turn without what the question asks for: a time, a person, a quantity."""
TURNS = 2
"""How many memories before and after one count as said around it."""
COMMON = 0.1
"""Share of the memories from which on a word is too common to search by, unless the question has no other."""
MOST_ANCESTORS = 200
MOST_NEAREST = 3
"""Memories that are named where none answers."""
MOST_NEAR = 12
"""Memories that are looked at for these by what they mean."""
COSINE, LEAST_COSINE = 2.0, 0.2
"""What the cosine of the built-in vectors counts for them, beside the share of the question's words, and its least.
Chosen on the open halves of the paraphrases of ``fixtures/memory``.
"""
MOST_WEIGHED_NEAREST = 6
"""Memories of these that are weighed word for word."""
COSINE_BESIDE_NEAR, FORM = 0.6, 0.2
"""What the cosine of the built-in vectors, and the form of what is asked for, count beside a share of the question's
words in which those near in meaning count, too (``benchmarks/recall_weights.py``).
"""
EVEN_ODDS = 0.0
"""From even odds on an answer is sure, and nothing is named beside it."""
LEAST_WEIGHED = 8
"""Memories that are weighed word for word as answers, however few are asked for."""
MOST_NEARER, LEAST_NEARER = 2, 0.3
"""Memories that are named beside an answer, and the least cosine of a model's vectors for that."""
COSINE_OF_MODEL, LEAST_COSINE_OF_MODEL = 4.0, 0.25
"""The same of a model's vectors. No cosine tells an answer from what is near and absent: the two overlap."""
RESERVED = 24
"""Tokens of an answer within a budget for what is added last: counts and milliseconds."""
MOST_FOREMOST = 500
"""Memories, the newest ones, among which those that matter most are looked for without a question."""
SCOPES = ("all", "workspace", "global")
MOST_CITING = 64
"""Memories that cite the files of one question about lines, the newest ones."""
_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)|<img\b[^>]*>", re.IGNORECASE)
_PARENTS = (DEPENDS_ON, DERIVED_FROM)
_ELSEWHERE = Verdict(Status.NEEDS_REFRESH, Reason.OUTSIDE_ROOT, "it is a file of another workspace")


@dataclass(frozen=True, slots=True)
class JudgedMemory:
    """A memory with its verdict now, its citations with theirs, and how it was worded by whom."""

    stored: StoredMemory
    verdict: Verdict
    citations: tuple[tuple[MemoryEvidence, Judged | None], ...]
    said: tuple[MemoryEvidence, ...]
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class CitedLines:
    """Lines of files, by source id, and symbols, by source id and name, that memories may cite.

    Lines are those of the editor's buffer where one is open.
    """

    lines: tuple[tuple[str, LineSpan], ...]
    symbols: frozenset[tuple[str, str]] = frozenset()

    @property
    def files(self) -> frozenset[str]:
        """Return the paths of the cited lines and symbols."""
        return frozenset(path for path, _ in (*self.lines, *self.symbols))

    def nearness(self, citations: Iterable[tuple[MemoryEvidence, Judged | None]]) -> int:
        """Return 2 where a citation is of a symbol, 1 where it shares lines, else 0."""
        near = 0
        for one, mark in citations:
            if (one.path, one.symbol) in self.symbols:
                return 2
            _, span = _now(one, mark)
            span = mark.buffer if mark is not None and mark.buffer is not None else span
            if any(path == one.path and _shares_lines(span, lines) for path, lines in self.lines):
                near = 1
        return near


def _shares_lines(one: LineSpan, other: LineSpan) -> bool:
    return one.start_line <= other.end_line and other.start_line <= one.end_line


@dataclass(frozen=True, slots=True)
class _Within:
    """Which memories a question asks: of these scopes and kinds (none: all), usable as of an operation, and not over at
    a ``moment`` in Unix milliseconds.
    """

    scopes: Collection[str]
    kinds: Collection[str]
    as_of: int | None
    moment: int

    def admits(self, one: StoredMemory) -> bool:
        is_asked = one.status in USABLE and (not self.kinds or one.fact.kind in self.kinds)
        return is_asked and not is_over(one.fact, self.moment)


@dataclass(frozen=True, slots=True)
class _Meaning:
    """The cosine of memories that mean nearly what a question does, by id, the nearest first, and what it counts beside
    the share of words, and beside a share in which near words count.
    """

    cosines: Mapping[str, float]
    is_built_in: bool

    @property
    def weight(self) -> float:
        return COSINE if self.is_built_in else COSINE_OF_MODEL

    @property
    def weight_beside_near(self) -> float:
        return COSINE_BESIDE_NEAR if self.is_built_in else COSINE_OF_MODEL


class Recalling:
    """Read the memory for one call. ``overlays`` are the editor's unsaved buffers, which nothing is healed by.

    ``near`` has the handles of what the last answer left out, as it has it in nearly the same words, ``over`` of what
    it left out because it is no longer so.
    """

    def __init__(self, session: WorkspaceSession, memory: Memory, now: float, overlays: Overlays = NO_OVERLAYS) -> None:
        self._session, self._memory, self._now = session, memory, now
        self._overlays = overlays
        self._weigher: Weigher | None = None
        self.near: tuple[str, ...] = ()
        self.over: tuple[str, ...] = ()
        self._find_nearest: Callable[[], tuple[StoredMemory, ...]] = tuple
        self._key = memory.items.scope(session.place)

    @property
    def nearest(self) -> tuple[StoredMemory, ...]:
        """Return the memories that came closest to the last question where none answered, or that mean more nearly what
        it asks than those of the answer do.
        """
        return self._find_nearest()

    @property
    def scopes(self) -> list[str]:
        """Return the scopes that this workspace asks."""
        return scopes_of(self._key)

    def within(self, scope: str) -> list[str]:
        """Return those of ``scopes`` that an answer asks: ``all``, this ``workspace``'s, or the ``global`` one."""
        if scope not in SCOPES:
            raise UsageError(f"{quoted(scope, 40)} is not a scope; use one of {', '.join(SCOPES)}")
        return [one for one in self.scopes if scope == "all" or (one == GLOBAL_SCOPE) is (scope == "global")]

    def foremost(self, k: int, kinds: Collection[str], scope: str) -> list[tuple[StoredMemory, float]]:
        """Return at most ``k`` usable memories that matter most, whatever they are about: by importance, confidence and
        age where their kind fades; the newer one first where these are equal.
        """
        statuses = [one.value for one in sorted(USABLE)]
        listed = self._memory.items.listed(self.within(scope), statuses, kinds, MOST_FOREMOST)
        found = [one for one in listed if not self.is_over(one)]
        uses = self._memory.items.uses(one.id for one in found if one.fact.kind in HALF_LIFE_DAYS)
        now = int(self._now * 1e3)
        rated = [(one, salience(one) * faded(one, uses.get(one.id, ()), now)) for one in found]
        rated.sort(key=lambda pair: -pair[1])
        return [(one, min(score, 1.0)) for one, score in self._distinct(rated, k)]

    def is_over(self, one: StoredMemory) -> bool:
        """Return whether a memory is no longer so now."""
        return is_over(one.fact, int(self._now * 1e3))

    def found(
        self,
        question: str,
        k: int,
        kinds: Collection[str],
        as_of: int | None,
        scope: str = "all",
        *,
        at: float | None = None,
    ) -> list[tuple[StoredMemory, float]]:
        """Return at most ``k`` usable memories with their scores (0..1), best first; none below the floor.

        ``as_of`` is an operation of the log; what is over at the time ``at`` (Unix seconds, else now) is left out.
        """
        items, scopes = self._memory.items, self.within(scope)
        asked = asked_words(question)
        either = alternatives(question)
        forms_of = {word: (*other_forms(word, asked), *filter(None, [either.get(word)])) for word in asked}
        words = [(word, items.tokens(word), [*map(items.tokens, forms)]) for word, forms in forms_of.items()]
        frequency = items.frequency(token for _, own, forms in words for one in (own, *forms) for token in one)
        count = items.count()
        terms = weigh(words, frequency, count)
        chosen, form = _telling(terms, frequency, count), expected_form(question)
        limit, known = LOOKED_AT, []
        while chosen:
            ids = [id_ for id_, _ in items.matches(chosen, scopes, limit)]
            usable = (one for one in items.by_ids(ids, as_of) if one.status in USABLE)
            known = [(one, self._held(one)) for one in usable if not kinds or one.fact.kind in kinds]
            if len(known) >= k or len(ids) < limit or limit >= MOST_LOOKED_AT:
                break
            limit *= 4
        uses = items.uses(one.id for one, _ in known if one.fact.kind in HALF_LIFE_DAYS)
        stated: dict[str, tuple[float, float]] = {}
        # Of a question in English, what was not said in turn is weighed by its signs.
        if in_english := is_english(question):
            stated = self._stated([each for each in known if each[0].fact.kind not in IN_TURN], (terms, form), uses, k)
        best: dict[str, tuple[StoredMemory, float]] = {}
        for one, held in known:
            if in_english and one.fact.kind not in IN_TURN:
                best[one.id] = (one, stated[one.id][0] if one.id in stated else 0.0)
            else:
                best[one.id] = (one, self._score((one, held), terms, uses.get(one.id, ()), form))
        rated = [(one, score) for one, score in best.values() if one.id in stated or score >= FLOOR]
        if rated:
            turns = self._in_turn((terms, form), best, scopes, kinds, as_of)
            rated = [
                (one, score)
                for one, score in rated
                if one.id not in turns and (one.id in stated or score >= least_share(one.fact.text, form))
            ]
            rated += [(one, score) for one, score in turns.values() if score >= FLOOR_AROUND]
        moment = int((self._now if at is None else at) * 1e3)
        self.over = tuple(one.fact.handle for one, _ in rated if is_over(one.fact, moment))
        rated = [(one, score) for one, score in rated if not is_over(one.fact, moment)]
        within = _Within(scopes, kinds, as_of, moment)
        names = asked_names(question)
        rated.sort(key=lambda pair: (-pair[1] - NAMED * named_share(names, pair[0].fact.text), -pair[0].at, pair[0].id))
        answer = self._distinct(rated, k)
        is_sure = any(one.id not in stated or stated[one.id][1] >= EVEN_ODDS for one, _ in answer)
        if is_sure:
            self._find_nearest = partial(self._nearer, question, answer, within)
        else:
            others = [(one, held) for one, held in known if one.id not in stated and within.admits(one)]
            self._find_nearest = partial(self._nearest, others, question, (terms, form), within, {*stated})
        return answer

    def _score(
        self,
        known: tuple[StoredMemory, frozenset[str]],
        terms: Sequence[AskedTerm],
        uses: Sequence[MemoryUse],
        form: str,
    ) -> float:
        """Return how much of a question, which asks for a form, a memory with these tokens answers by itself; 0 below
        the floor.
        """
        one, held = known
        subject = frozenset(self._memory.items.tokens(one.fact.slot.subject))
        least = FLOOR if one.fact.kind in IN_TURN else max(FLOOR, least_share(one.fact.text, form))
        share = covered(terms, held)
        if not is_about(terms, held, subject, least=least):
            share = self._share_by_meaning(one, terms, held) if one.fact.kind in IN_TURN else 0.0
            if share < least:
                return 0.0
        score = self._weighed(share, one, uses)
        return score if score >= FLOOR else 0.0

    def _stated(
        self,
        known: Iterable[tuple[StoredMemory, frozenset[str]]],
        asked: tuple[Sequence[AskedTerm], str],
        uses: Mapping[str, Sequence[MemoryUse]],
        k: int,
    ) -> dict[str, tuple[float, float]]:
        """Return by id the score of each memory that likely answers an English question, and the logarithm of the odds
        that it does.

        Of the ``known`` memories, with their tokens, those that have most of the question's words are weighed.
        """
        excluding = self._excluding(asked[0])
        told = [(covered(asked[0], held), one, held) for one, held in known if not _is_of_another(held, excluding)]
        told.sort(key=lambda each: (-each[0], -each[1].at, each[1].id))
        found = {}
        for share, one, held in told[: max(k, LEAST_WEIGHED)]:
            signs, own = _signs(one, held, asked), uses.get(one.id, ())
            odds = answer_odds(signs)
            if odds >= LEAST_ODDS and self._weighed(signs.share, one, own) >= FLOOR:
                found[one.id] = (self._weighed(share, one, own), odds)
        return found

    def _excluding(self, terms: Sequence[AskedTerm]) -> list[tuple[AskedTerm, list[frozenset[str]]]]:
        """Return the words of a question that exclude others, each with the tokens of those that are not asked for."""
        asked = {term.word for term in terms}
        excluded = ((term, [other for other in apart_from(term.word) if other not in asked]) for term in terms)
        tokens = self._memory.items.tokens
        return [(term, [frozenset(tokens(other)) for other in others]) for term, others in excluded if others]

    def _share_by_meaning(self, one: StoredMemory, terms: Sequence[AskedTerm], held: frozenset[str]) -> float:
        """Return the share of a question that a turn has where words near to its own in meaning count, too.

        0 unless it has one of the question's words itself.
        """
        missing = [term for term in terms if not term.is_in(held)]
        if not missing or len(missing) == len(terms):
            return 0.0
        near = [nearness(term.word, content_words(one.fact.text)) for term in missing]
        if sum(near) / len(near) < LEAST_NEAR:
            return 0.0
        total = sum(term.weight for term in terms)
        return (
            covered(terms, held) + sum(term.weight * share for term, share in zip(missing, near, strict=True)) / total
        )

    def _nearest(
        self,
        known: Collection[tuple[StoredMemory, frozenset[str]]],
        question: str,
        asked: tuple[Sequence[AskedTerm], str],
        within: _Within,
        answering: Collection[str],
    ) -> tuple[StoredMemory, ...]:
        """Return the memories that come closest to a question that none surely answers, but for the ids of those that
        are ``answering``: by the share of it that they have, of ``known`` ones with their tokens, and by what they
        mean, also without a word of it. None is of what was said in turn.

        Those that may be closest are weighed once more, word for word.
        """
        terms, _ = asked
        meaning = self._meaning(question, within.scopes)
        ids = meaning.cosines.keys() - {one.id for one, _ in known} - {*answering}
        others = [(one, self._held(one)) for one in self._memory.items.by_ids(ids, within.as_of) if within.admits(one)]
        rated = []
        for one, held in (*known, *others):
            share, cosine = covered(terms, held), meaning.cosines.get(one.id, 0.0)
            if (share or cosine) and _may_be_named(one):
                rated.append((share + meaning.weight * cosine, one, held))
        rated.sort(key=lambda each: (-each[0], -each[1].at, each[1].id))
        weighed = []
        for _, one, held in rated[:MOST_WEIGHED_NEAREST]:
            signs, cosine = _signs(one, held, asked), meaning.cosines.get(one.id, 0.0)
            weighed.append((signs.share + FORM * signs.has_form + meaning.weight_beside_near * cosine, one))
        weighed.sort(key=lambda pair: (-pair[0], -pair[1].at, pair[1].id))
        return tuple(one for _, one in weighed[:MOST_NEAREST])

    def _nearer(
        self, question: str, answer: Sequence[tuple[StoredMemory, float]], within: _Within
    ) -> tuple[StoredMemory, ...]:
        """Return the memories that mean a question more nearly than all of its answer do, by the vectors of a model.

        They may be what is asked for in other words, where the answer only shares words with it. By the built-in
        vectors none of these was right.
        """
        if all(model == STATIC for model in self._session.encoder.models):
            return ()
        if any(one.fact.kind in IN_TURN for one, _ in answer):
            return ()
        meaning = self._meaning(question, within.scopes)
        if meaning.is_built_in:
            return ()
        least = max(LEAST_NEARER, *(meaning.cosines.get(one.id, 0.0) for one, _ in answer))
        ids = [id_ for id_, cosine in meaning.cosines.items() if cosine > least]
        named = (
            one
            for one in self._memory.items.by_ids(ids, within.as_of)
            if within.admits(one) and _may_be_named(one) and one.fact.handle not in self.near
        )
        return tuple(itertools.islice(named, MOST_NEARER))

    def _meaning(self, question: str, scopes: Collection[str]) -> _Meaning:
        """Return what means nearly what a question does, by the best model that has a vector of every memory."""
        encoder, vectors = self._session.encoder, self._memory.items.vectors
        for model in encoder.models:
            if not vectors.is_whole(model):
                self._session.on_unembedded()
                continue
            is_built_in = model == STATIC
            # The built-in vector of a text is a sum over its words: those that only ask would count as much as others.
            text = " ".join(asked_words(question)) if is_built_in else question
            found = vectors.nearest(model, encoder.encode(model, text), scopes, MOST_NEAR)
            least = LEAST_COSINE if is_built_in else LEAST_COSINE_OF_MODEL
            return _Meaning({id_: cosine for id_, cosine in found if cosine >= least}, is_built_in)
        return _Meaning({}, is_built_in=True)

    def _weighed(self, share: float, one: StoredMemory, uses: Sequence[MemoryUse]) -> float:
        return min(share * faded(one, uses, int(self._now * 1e3)) * salience(one), 1.0)

    def _held(self, one: StoredMemory) -> frozenset[str]:
        """Return the tokens that a memory is found by."""
        fact, subject = one.fact, one.fact.slot.subject
        words = f"{fact.text} {subject} {fact.kind} {found_by(fact.text, '', subject)}"
        return frozenset(self._memory.items.tokens(words))

    def _in_turn(
        self,
        asked: tuple[Sequence[AskedTerm], str],
        found: Iterable[str],
        scopes: Collection[str],
        kinds: Collection[str],
        as_of: int | None,
    ) -> dict[str, tuple[StoredMemory, float]]:
        """Return, rated, what was said in turn with memories that were found: it is about what was said around it.

        That holds where a text names no subject of its own, and was said in one session with what it stands next to.
        """
        (terms, form), items = asked, self._memory.items
        first = list(found)[:LOOKED_AT]
        near = items.beside(first, TURNS)
        ids = dict.fromkeys((*first, *(each for several in near.values() for each, _ in several)))
        if len(ids) == len(first):
            return {}
        near |= items.beside([id_ for id_ in ids if id_ not in near], TURNS)
        ids |= dict.fromkeys(each for several in near.values() for each, _ in several)
        usable = {one.id: one for one in items.by_ids(ids, as_of) if one.status in USABLE and one.fact.scope in scopes}
        held = {id_: self._held(one) for id_, one in usable.items()}
        uses = items.uses(id_ for id_, one in usable.items() if one.fact.kind in HALF_LIFE_DAYS)
        said = said_turns({id_: one.fact.text for id_, one in usable.items()}, held, items.tokens)
        speakers = {one.speaker for one in said.values() if one.speaker}
        rated: dict[str, tuple[StoredMemory, float]] = {}
        for id_, several in near.items():
            one = usable.get(id_)
            if one is None or one.fact.kind not in IN_TURN or (kinds and one.fact.kind not in kinds):
                continue
            around = [(place, said[each]) for each, place in several if each in said]
            share = covered_in_turn(terms, said[id_], around, speakers)
            share *= 1.0 if has_form(one.fact.text, form) else OTHER_FORM
            rated[id_] = (one, self._weighed(share, one, uses.get(id_, ())))
        return rated

    def _distinct(self, rated: Sequence[tuple[StoredMemory, float]], k: int) -> list[tuple[StoredMemory, float]]:
        """Return the first ``k`` without those that another one of the answer states more exactly, or in nearly the
        same words; of a contradiction both sides stay.

        Of those in nearly the same words the one with the best verdict stays, then the one of the higher origin, then
        the newer one, in the place of the first.
        """
        ids = {one.id for one, _ in rated}
        links = self._memory.items.links(ids)
        refined = {link.dst for link in links if link.rel == REFINES and link.src in ids}
        alike: dict[tuple[str, ...], list[tuple[StoredMemory, float]]] = {}
        for one, score in rated:
            if one.id not in refined:
                is_apart = one.status is MemoryStatus.CONTESTED
                alike.setdefault((one.id,) if is_apart else near_words(one.fact.text), []).append((one, score))
        kept: list[tuple[StoredMemory, float]] = []
        left_out: list[str] = []
        for several in [*alike.values()][:k]:
            best = self._best(several) if len(several) > 1 else several[0][0]
            kept.append((best, several[0][1]))
            left_out += [one.fact.handle for one, _ in several if one.id != best.id]
        self.near = tuple(left_out)
        return kept

    def _best(self, alike: Sequence[tuple[StoredMemory, float]]) -> StoredMemory:
        """Return which of several memories in nearly the same words an answer has."""
        trust = list(Status)
        judged = self.judged(alike, TaskType.EXPLAIN, heals=False)
        judged.sort(
            key=lambda one: (
                trust.index(one.verdict.status),
                one.stored.fact.origin.rank,
                -one.stored.at,
                one.stored.id,
            )
        )
        return judged[0].stored

    def _citing(self, files: Collection[str]) -> list[StoredMemory]:
        """Return the usable memories that cite one of these files and are still so."""
        ids = self._memory.items.citing(self._key, files, MOST_CITING) if self._key else []
        return [one for one in self._memory.items.by_ids(ids) if one.status in USABLE and not self.is_over(one)]

    def citing(self, cited: CitedLines, task: TaskType) -> list[JudgedMemory]:
        """Return the usable memories that cite some of these lines or a symbol, judged; those of a symbol first, then
        the newest.
        """
        known = self._citing(cited.files)
        judged = self.judged([(one, 0.0) for one in known], task, heals=False) if known else []
        rated = [(cited.nearness(one.citations), one) for one in judged]
        return [one for nearness, one in sorted(rated, key=lambda pair: -pair[0]) if nearness]

    def stale_in(self, source_id: str) -> list[tuple[JudgedMemory, RecalledCitation]]:
        """Return the usable memories that cite lines of a file which are not as they were, with those lines as they are
        in the editor's buffer where one is open.
        """
        known = self._citing([source_id])
        found = []
        for one in self.judged([(one, 0.0) for one in known], TaskType.EXPLAIN, heals=False) if known else []:
            for each, mark in one.citations:
                if each.path == source_id and mark is not None and mark.verdict.status is not Status.VERIFIED:
                    citation = _citation(each, mark)
                    lines = mark.buffer or LineSpan(citation.start_line, citation.end_line)
                    found.append((one, citation._replace(start_line=lines.start_line, end_line=lines.end_line)))
        return found

    def judged(self, found: Iterable[tuple[StoredMemory, float]], task: TaskType, *, heals: bool) -> list[JudgedMemory]:
        """Return the memories with their verdicts; with ``heals`` moved citations are followed in the memory."""
        pairs = list(found)
        own = [one for one, _ in pairs]
        family, links = self._family(own)
        evidence: dict[str, list[MemoryEvidence]] = {}
        for each in self._memory.items.evidence(family):
            evidence.setdefault(each.item_id, []).append(each)
        current = {id_: current_citations(held) for id_, held in evidence.items()}
        all_evidence = [one for held in evidence.values() for one in held]
        marks = self._marks([one for held in current.values() for one in held], all_evidence, task)
        if heals:
            self._heal(marks)
        signers, compared = self._memory.transfer.signers(), self._compared(family.values(), links, current)
        verdicts = _Verdicts(family, links, current, marks, task, self._now, signers, compared)
        return [
            JudgedMemory(
                stored=one,
                verdict=verdicts.of(one.id),
                citations=tuple((each, marks.get(each.id, (each, None))[1]) for each in current.get(one.id, ())),
                said=tuple(each for each in evidence.get(one.id, ()) if not each.path),
                score=score,
            )
            for one, score in pairs
        ]

    def _disk(self) -> Weigher:
        """Return what compares with the disk, each file once an answer."""
        if self._weigher is None:
            self._session.follow()
            self._weigher = self._session.weigher(self._overlays, go_on, mends=False)
        return self._weigher

    def _compared(
        self,
        family: Iterable[StoredMemory | None],
        links: Iterable[MemoryLink],
        current: Mapping[str, Sequence[MemoryEvidence]],
    ) -> dict[str, ComparedValues]:
        """Compare by their ids what memories of this workspace state with the files that they name, or that they or
        those that they contradict cite.

        ``current`` are the citations by the ids of the memories.
        """
        cited = {id_: cited_paths(held, self._key) for id_, held in current.items()} if self._key else {}
        own = {one.id: one for one in family if one is not None and one.fact.scope == self._key}
        of_rivals: dict[str, list[bytes]] = {}
        for link in links:
            if link.rel == CONFLICTS:
                for one, other in ((link.src, link.dst), (link.dst, link.src)):
                    of_rivals.setdefault(one, []).extend(cited.get(other, ()))
        texts = {id_: (one.fact.text, [*cited.get(id_, ()), *of_rivals.get(id_, ())]) for id_, one in own.items()}
        return compared_values(self._session, self._disk, texts)

    def _family(self, own: Sequence[StoredMemory]) -> tuple[dict[str, StoredMemory | None], list[MemoryLink]]:
        """Return the memories with all that they depend on, None for what was purged, and their links."""
        family: dict[str, StoredMemory | None] = {one.id: one for one in own}
        links: dict[MemoryLink, None] = {}
        waiting = list(family)
        while waiting and len(family) <= MOST_ANCESTORS + len(own):
            new = self._memory.items.links(waiting)
            links.update(dict.fromkeys(new))
            parents = {link.dst for link in new if link.rel in _PARENTS and link.src in family} - family.keys()
            rivals = {one for link in new if link.rel == CONFLICTS for one in (link.src, link.dst)} - family.keys()
            stored = {one.id: one for one in self._memory.items.by_ids(parents | rivals)}
            family |= {id_: stored.get(id_) for id_ in parents | rivals}
            waiting = list(parents)
        return family, list(links)

    def _marks(
        self, citations: Sequence[MemoryEvidence], evidence: Sequence[MemoryEvidence], task: TaskType
    ) -> dict[str, tuple[MemoryEvidence, Judged | None]]:
        """Judge citations of this workspace against the disk; those of another one have no mark.

        A citation that was followed is looked for where it was first: an edit that is taken back leads back.
        """
        here = [one for one in citations if one.scope == self._key]
        marks: dict[str, tuple[MemoryEvidence, Judged | None]] = {one.id: (one, None) for one in citations}
        if here:
            from helix_core.engine.verdict import Judgement

            weigher = self._disk()
            judgement = Judgement(self._session.index.reader, weigher)
            origins = _origins(evidence)
            first = [origins.get(one.id, one) for one in here]
            judged, _ = judgement.of([_pointer(one) for one in (*here, *first)], task, 1.0)
            for one, origin, mark, before in zip(here, first, judged, judged[len(here) :], strict=False):
                is_back = origin.id != one.id and before.start_line == origin.start_line and _is_true(before)
                found = before if is_back else _followed(judgement, one, _of_text(mark), origin)
                marks[one.id] = (one, found)
        return marks

    def _heal(self, marks: Mapping[str, tuple[MemoryEvidence, Judged | None]]) -> None:
        """Keep the new lines of what moved. A writer that is busy is no reason to wait: the next reader does it."""
        at = int(self._now * 1e3)
        moved = [
            dataclasses.replace(
                cited(one, mark.pointer._replace(start_line=mark.start_line, end_line=mark.end_line)),
                id=memory_id(at, os.urandom(10)),
                at=at,
                heals=one.id,
            )
            for one, mark in marks.values()
            if mark is not None and mark.verdict.reason is Reason.MOVED and mark.start_line
        ]
        if moved and not self._session.never_waits:
            try:
                self._memory.items.heal(moved, "helix", at)
            except BusyStoreError as error:
                self._session.memory_problem = str(error)


@dataclass(slots=True)
class _Verdicts:
    """The verdicts of memories and of all that they depend on, each worked out once; a circle counts for nothing.

    ``family`` holds None for what was purged, ``marks`` the judged citations by their ids; ``now`` is in Unix seconds;
    ``signer`` names who signed a memory that came in; ``compared`` has what files give to the names that one values.
    """

    family: Mapping[str, StoredMemory | None]
    links: Sequence[MemoryLink]
    current: Mapping[str, Sequence[MemoryEvidence]]
    marks: Mapping[str, tuple[MemoryEvidence, Judged | None]]
    task: TaskType
    now: float
    signer: Callable[[StoredMemory], str]
    compared: Mapping[str, ComparedValues]
    known: dict[str, Verdict] = field(default_factory=dict)

    def of(self, id_: str) -> Verdict:
        """Return the verdict of one memory."""
        if id_ in self.known:
            return self.known[id_]
        from helix_core.engine.verdict import Observation, memory_verdict

        one = self.family[id_]
        assert one is not None
        self.known[id_] = Verdict(Status.VERIFIED, Reason.UNCHANGED)
        marks = [self.marks[each.id][1] for each in self.current.get(id_, ())]
        cited = [mark.verdict if mark is not None else _ELSEWHERE for mark in marks]
        has_ended = is_over(one.fact, int(self.now * 1e3))
        seen = Observation(
            disk=Reason.UNCHANGED if cited and not has_ended else None,
            freshness=0.0 if has_ended else 1.0,
            asserted_by=None if cited else one.fact.origin,
            contradicted_by=self._contradicted_by(one),
            superseded=self._superseded(id_),
        )
        parents = [self.of(each) for each in self._parents(id_) if self.family.get(each) is not None]
        compared = None if has_ended else self.compared.get(id_)
        disproved_by, uncompared = (compared.otherwise, compared.uncompared) if compared is not None else ("", "")
        found = memory_verdict(cited, parents, seen, self.task, disproved_by=disproved_by, uncompared=uncompared)
        if found.reason is Reason.ASSERTED and not uncompared and (signer := self.signer(one)):
            found = found._replace(detail=f"signed by {signer}")
        self.known[id_] = found
        return found

    def _contradicted_by(self, one: StoredMemory) -> str:
        if one.status is not MemoryStatus.CONTESTED:
            return ""
        rivals = [self.family.get(id_) for id_ in self._rivals(one.id)]
        usable = [rival.fact for rival in rivals if rival is not None and rival.status in USABLE]
        if (own := self.compared.get(one.id)) is not None and own.is_confirmed:
            # Of two that give one name a value the disk knows which is right.
            usable = [fact for fact in usable if not self._is_doubted(fact.id)]
            if rivals and not usable:
                return ""
        return "; ".join(f"{fact.handle}: {fact.text}" for fact in usable) or "another memory"

    def _is_doubted(self, id_: str) -> bool:
        compared = self.compared.get(id_)
        return compared is not None and bool(compared.otherwise or compared.uncompared)

    def _parents(self, id_: str) -> list[str]:
        return [link.dst for link in self.links if link.rel in _PARENTS and link.src == id_]

    def _rivals(self, id_: str) -> list[str]:
        found = [link for link in self.links if link.rel == CONFLICTS and id_ in (link.src, link.dst)]
        return [link.dst if link.src == id_ else link.src for link in found]

    def _superseded(self, id_: str) -> str:
        """Return what it depends on and is no longer so, directly; further ancestors pass their verdict on."""
        for parent in self._parents(id_):
            one = self.family.get(parent)
            if one is None:
                return "a memory that was purged"
            if one.status not in USABLE:
                return f"{one.fact.handle} is {one.status.value}"
        return ""


def _signs(one: StoredMemory, held: frozenset[str], asked: tuple[Sequence[AskedTerm], str]) -> RecallSigns:
    """Return what tells whether a memory with these tokens answers a question, asked by these terms for a form."""
    (terms, form), words = asked, content_words(one.fact.text)
    return answer_signs(terms, held, lambda word: nearness(word, words), has_form=has_form(one.fact.text, form))


def _may_be_named(one: StoredMemory) -> bool:
    """Return whether a memory that answers nothing may stand beside an answer: it states something by itself."""
    return one.fact.kind not in IN_TURN and not is_order(one.fact.text)


def recalled_memory(one: JudgedMemory) -> RecalledMemory:
    """Return the memory as a packet or a window has it."""
    fact = one.stored.fact
    return RecalledMemory(
        id=fact.handle,
        kind=fact.kind,
        text=masked_now(fact.text),
        state=one.stored.status,
        origin=fact.origin,
        confidence=fact.confidence / 100,
        verdict=one.verdict._replace(detail=masked_now(one.verdict.detail)),
        citations=tuple(_citation(each, mark) for each, mark in one.citations),
        is_instruction=is_order(fact.text),
    )


def _citation(one: MemoryEvidence, mark: Judged | None) -> RecalledCitation:
    verdict, lines = _now(one, mark)
    detail = shown(verdict.detail)
    return RecalledCitation(one.path, lines.start_line, lines.end_line, one.symbol, verdict._replace(detail=detail))


def _now(one: MemoryEvidence, mark: Judged | None) -> tuple[Verdict, LineSpan]:
    """Return the verdict of a citation and its lines now, those of then where they are nowhere."""
    if mark is None:
        return _ELSEWHERE, LineSpan(one.start_line, one.end_line)
    is_there = mark.start_line > 0
    lines = LineSpan(mark.start_line, mark.end_line) if is_there else LineSpan(one.start_line, one.end_line)
    return mark.verdict, lines


def recall_object(one: JudgedMemory) -> dict[str, Any]:
    """Return the wire object of a recalled memory; its ``status`` is its verdict, ``state`` its lifecycle.

    The text is data: invisible characters and what loads a picture are removed.
    """
    answer = memory_object(one.stored)
    verdict = one.verdict
    return answer | {
        "text": shown(answer["text"]),
        "status": verdict.status.value,
        "reason": verdict.reason.value,
        "detail": masked_now(verdict.detail),
        "state": one.stored.status.value,
        "score": round(one.score, 4),
        "evidence": [_evidence_object(each, mark) for each, mark in one.citations],
        "supports": len(one.said),
        "actors": list(dict.fromkeys(each.actor for each in one.said)),
        "is_instruction": is_order(answer["text"]),
    }


def nearest_object(one: StoredMemory) -> dict[str, Any]:
    """Return the wire object of a memory that came near to a question and does not answer it."""
    return {"id": one.fact.handle, "kind": one.fact.kind, "text": masked_now(one.fact.text)}


def masked_now(text: str) -> str:
    """Return ``shown`` of a text that was masked by the rules of its time, masked by those of today."""
    return shown(mask(text.encode("utf-8", "replace")).text())


def shown(text: str) -> str:
    """Return a memory's text for an answer: inert, and without links that a client would load."""
    return inert_text(_IMAGE.sub(lambda found: f"[image: {found.group(1) or ''}]", text))


def _evidence_object(one: MemoryEvidence, mark: Judged | None) -> dict[str, Any]:
    verdict, lines = _now(one, mark)
    return {
        "source_id": one.path,
        "start_line": lines.start_line,
        "end_line": lines.end_line,
        "symbol": one.symbol,
        "status": verdict.status.value,
        "reason": verdict.reason.value,
        "detail": shown(verdict.detail),
        "content_hash": one.content_hash,
        "commit": one.commit,
        "at": one.at / 1e3,
    }


def _telling(terms: Sequence[AskedTerm], frequency: Mapping[str, int], count: int) -> list[str]:
    """Return the known words to search for, without those of a tenth of all memories unless there is no other."""
    rated = [
        (min(frequency.get(token, 0) for token in form), word)
        for term in terms
        for word, form in ((term.word, term.tokens), *((" ".join(form), form) for form in term.forms))
    ]
    known = sorted((held, word) for held, word in rated if held)
    rare = [word for held, word in known if held <= max(COMMON * count, LOOKED_AT)]
    return rare or [word for _, word in known[:2]]


def _is_of_another(held: frozenset[str], excluding: Iterable[tuple[AskedTerm, Sequence[frozenset[str]]]]) -> bool:
    """Return whether a memory with these tokens is of what a word of the question excludes, which it lacks: of the
    staging server, where the production server is asked about.
    """
    return any(not term.is_in(held) and any(map(held.issuperset, others)) for term, others in excluding)


def _of_text(mark: Judged) -> Judged:
    """Return the mark of cited lines: where the file was read and they are not in it, they changed, indexed or not."""
    if mark.verdict.reason is not Reason.NOT_INDEXED:
        return mark
    return mark._replace(verdict=mark.verdict._replace(reason=Reason.CHANGED))


def _origins(evidence: Iterable[MemoryEvidence]) -> dict[str, MemoryEvidence]:
    """Return by the id of each citation that was followed the one that it began as."""
    known = {one.id: one for one in evidence}
    origins: dict[str, MemoryEvidence] = {}
    for one in known.values():
        first, seen = one, {one.id}
        while first.heals in known and first.heals not in seen:
            first = known[first.heals]
            seen.add(first.id)
        if first is not one:
            origins[one.id] = first
    return origins


def _is_true(mark: Judged) -> bool:
    return mark.verdict.reason in (Reason.UNCHANGED, Reason.TOUCHED, Reason.REINGESTED)


def _followed(judgement: Judgement, one: MemoryEvidence, mark: Judged, origin: MemoryEvidence) -> Judged:
    """Return the mark where the lines were followed, if these are surely the cited ones; else they changed.

    Lines that were only formatted anew are followed, and lines that only have another name of their definition.
    """
    pointer, reason = mark.pointer, mark.verdict.reason
    if reason is not Reason.CHANGED:
        if mark.verdict.status is Status.NEEDS_REFRESH or not mark.start_line:
            return mark
        now = LineSpan(mark.start_line, mark.end_line)
        is_renamed = Reason.RENAMED in (reason, *mark.verdict.also)
        is_sure = judgement.is_sure(pointer, now, one.layout_hash, is_renamed=is_renamed)
        # An older Helix followed lines that say too little.
        was_sure = one.start_line == origin.start_line or judgement.is_telling(pointer, now)
        return mark if is_sure and was_sure else _changed(pointer)
    found = judgement.relaid(pointer, one.layout_hash)
    if found is not None:
        now = LineSpan(found.start_line, found.end_line)
        if judgement.is_sure(pointer, now, one.layout_hash, is_renamed=False):
            moved = Verdict(Status.VERIFIED, Reason.MOVED, "formatted anew")
            return Judged(found, moved, found.start_line, found.end_line)
    renamed = judgement.renamed(pointer, one.layout_hash)
    if renamed is not None:
        lines, names = renamed
        verdict = Verdict(Status.STALE_RISK, Reason.RENAMED, names)
        return Judged(pointer, verdict, lines.start_line, lines.end_line)
    return mark


def _changed(pointer: Pointer) -> Judged:
    detail = "the same lines are elsewhere, but they may be others"
    return Judged(pointer, Verdict(Status.NEEDS_REFRESH, Reason.CHANGED, detail), 0, 0)


def _pointer(one: MemoryEvidence) -> Pointer:
    return Pointer(one.path, one.span_hash, one.symbol, one.start_line, one.end_line, one.content_hash)
