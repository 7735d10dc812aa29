"""Answer one question from one index: parse, run the rankers, fuse, choose places, estimate the confidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from helix_core.model import Found, Hints, Ranked
from helix_core.search.account import Searched, account_of
from helix_core.search.confidence import FLOOR, FilesFound, confidence, presence, signs_of
from helix_core.search.fuse import Fused, Ranking, blend, fuse
from helix_core.search.meaning import QuestionEncoder, meaning_of, state_of
from helix_core.search.priors import Prior, prior
from helix_core.search.question import Intent, Question, Term, any_of, expression, understand, weigh_terms, worth_asking
from helix_core.search.rankers import DERIVED, FIRST, LEVEL_OF, RANKERS, RankerInput, Votes
from helix_core.search.related import related_items
from helix_core.search.second_stage import FILES_READ, Best, ChosenSpan, choose_places, falling, point
from helix_core.search.weights import weight
from helix_core.store.reader import Reader
from helix_core.store.sqlite_file import QueryBudgetError

MAX_POSTINGS = 6_000
"""Looking a name up costs about the postings of its rarest word; one of common words only is taken to be known."""


@dataclass(frozen=True, slots=True)
class Known:
    """``frequency`` is in how many chunks each word occurs; for a known compound name, the count of its rarest word.

    ``uncounted`` are the words whose count ran out of its budget: each is taken to occur in every chunk, so that it
    decides nothing.
    """

    frequency: dict[str, int]
    uncounted: tuple[str, ...] = ()


def known_words(words: Iterable[str], items: int, reader: Reader) -> Known:
    """What the index knows of each word; ``items`` is the number of its chunks."""
    uncounted: dict[str, None] = {}
    frequency = {word: _count(word, items, reader, uncounted) for word in dict.fromkeys(words)}
    for word, count in frequency.items():
        if "_" in word and 0 < count <= MAX_POSTINGS and not _stands(word, reader, uncounted):
            frequency[word] = 0
    return Known(frequency, tuple(uncounted))


def _count(word: str, items: int, reader: Reader, uncounted: dict[str, None]) -> int:
    try:
        return reader.words.frequency([word])[word]
    except QueryBudgetError:
        uncounted[word] = None
        return items


def _stands(name: str, reader: Reader, uncounted: dict[str, None]) -> bool:
    """Do the words of the name stand in a row somewhere? Assumed where finding out is over budget, and noted."""
    try:
        return bool(reader.text.chunk_matches(any_of([name]), 1))
    except QueryBudgetError:
        uncounted[name] = None
        return True


FILES_WEIGHED = 80
FILES_CHOSEN = 30
NEAREST = 8
WORDS_TRIED = 3
WORDS = "words"
BY_NAME = frozenset({"exact", "names", "paths", "phrases", "claims", "tests"})
"""The rankers that find what is named. Where a question is nothing but a known name, files without it are padding."""
ABSENT_CONFIDENCE = 0.29
"""Just below what a verdict asks for: places shown beside "it is not here" are never told as verified."""
OVER_BUDGET = "ran out of its budget"
"""The state of a ranker, or of a later step, whose query was stopped."""


@dataclass(slots=True)
class _Heard:
    """What the rankers said."""

    votes: dict[str, Votes] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)

    def lost(self) -> list[str]:
        """The rankers, and the counts of words, that ran out of their budget: nothing is known of what they hold."""
        return [name for name in (WORDS, *RANKERS) if self.states.get(name) == OVER_BUDGET]

    def notes(self) -> tuple[str, ...]:
        """What the answer lacks, for the user."""
        lost = self.lost()
        later = [name for name, state in self.states.items() if state == OVER_BUDGET and name not in lost]
        notes = []
        if lost:
            notes.append(
                f"not everything was searched ({', '.join(lost)}: the budget of work was used up): "
                "places may be missing, and the confidence is computed without them"
            )
        if later:
            notes.append(f"not worked out within the budget of work: {', '.join(later)}")
        return tuple(notes)


def _go_on() -> None:
    """Nobody takes the question back."""


def search(
    question: str,
    reader: Reader,
    hints: Hints,
    k: int,
    *,
    prefer_implementation: bool = True,
    off: frozenset[str] = frozenset(),
    check: Callable[[], None] = _go_on,
    encoder: QuestionEncoder | None = None,
    explained: bool = False,
) -> Found:
    """The answer to ``question``: at most ``k`` items, best first.

    ``prefer_implementation`` ranks it above tests, examples and changelogs unless the question asks for those.
    ``off`` names rankers that are not to be heard. ``check`` is called between steps and ends the search by raising.
    ``encoder`` makes the question's vector; without one what goes by meaning is off. ``explained`` adds the account of
    how the answer came about, which costs about half as much as the answer.
    Raises StoreError when the index cannot be read; what ran out of its budget of work is named in ``Found.rankers``
    and ``Found.notes`` instead.
    """
    with reader.snapshot():
        asked = understand(question)
        asked_for = asked.intents if prefer_implementation else frozenset(Intent)
        one = _Search(asked, reader, asked_for, hints, off=off, check=check, encoder=encoder)
        return one.run(question, k, explained=explained)


class _Search:
    """One question being answered. Use once."""

    def __init__(
        self,
        question: Question,
        reader: Reader,
        asked_for: frozenset[Intent],
        hints: Hints,
        *,
        off: frozenset[str],
        check: Callable[[], None],
        encoder: QuestionEncoder | None,
    ) -> None:
        self._question = question
        self._asked_for = asked_for
        self._reader = reader
        self._hints = hints
        self._off = off
        self._check = check
        self._encoder = encoder
        self._sources, self._items = reader.text.size()

    def run(self, text: str, k: int, *, explained: bool = False) -> Found:
        known = known_words(self._question.words, self._items, self._reader)
        frequency = known.frequency
        terms = weigh_terms(self._question.words, frequency, self._items)
        meaning = None if LEVEL_OF.keys() <= self._off else meaning_of(text, self._reader, self._encoder)
        asked = RankerInput(
            self._question, worth_asking(terms, self._items), frequency, self._items, self._reader, meaning
        )
        heard = self._hear(asked)
        if known.uncounted:
            heard.states[WORDS] = OVER_BUDGET
        with_model = meaning is not None and not meaning.is_static
        # A ranker that was lost keeps its weight: it counts as one that does not agree.
        silent = [name for name in heard.lost() if name != WORDS]
        weights = {name: weight(name, with_model=with_model) for name in (*heard.votes, *silent)}
        rankings = [_ranking(name, votes, weights[name]) for name, votes in heard.votes.items()]
        fused = blend(rankings)
        self._check()
        sources = self._reader.files.sources_by_id(one.id for one in fused[: max(FILES_WEIGHED, 2 * k)])
        priors = {id_: prior(source, self._asked_for, self._hints) for id_, source in sources.items()}
        files = sorted(
            ((one, one.score * priors[one.id].factor) for one in fused if one.id in sources),
            key=lambda entry: (-entry[1], sources[entry[0].id].path),
        )
        kinds = {id_: source.source_kind for id_, source in sources.items()}
        best = Best([(one.id, score) for one, score in files[:FILES_READ]], kinds, heard.votes)
        ranked = self._ranked(asked, heard, files[: max(FILES_CHOSEN, k)], best, priors=priors, k=k)
        roles = {id_: source.role for id_, source in sources.items()}
        signs = signs_of(self._question, terms, FilesFound(files, roles, heard.votes, weights))
        seems_empty = not ranked or presence(signs) < FLOOR
        sure = min(confidence(signs, with_model=with_model), ABSENT_CONFIDENCE if seems_empty else 1.0)
        known_empty = seems_empty and not heard.lost()
        nearest = self._nearest(terms, heard, ranked) if seems_empty else ()
        return Found(
            ranked=ranked,
            confidence=sure if ranked else 0.0,
            known_empty=known_empty,
            terms=tuple(term.word for term in terms),
            rankers=heard.states,
            searched_sources=self._sources,
            searched_items=self._items,
            evaluated=len(fused),
            nearest=nearest,
            account=account_of(Searched(asked, rankings, fused, best, ranked, signs)) if explained else None,
            notes=heard.notes(),
            seems_empty=seems_empty,
        )

    def _hear(self, asked: RankerInput) -> _Heard:
        heard = _Heard()
        for name, first in FIRST.items():
            self._listen(heard, name, partial(first, asked))
        for name, derived in DERIVED.items():
            self._listen(heard, name, partial(derived, asked, heard.votes))
        for name, level in LEVEL_OF.items():
            if heard.states[name] in {"used", "empty"}:
                heard.states[name] = state_of(asked.meaning, level, heard.states[name], self._encoder)
        return heard

    def _listen(self, heard: _Heard, name: str, ranker: Callable[[], Votes]) -> None:
        if name in self._off:
            heard.states[name] = "off"
            return
        self._check()
        try:
            votes = ranker()
        except QueryBudgetError:
            heard.states[name] = OVER_BUDGET
            return
        heard.states[name] = "used" if votes.votes else "empty"
        if votes.votes:
            heard.votes[name] = votes

    def _ranked(
        self,
        asked: RankerInput,
        heard: _Heard,
        files: Sequence[tuple[Fused, float]],
        best: Best,
        *,
        priors: Mapping[int, Prior],
        k: int,
    ) -> tuple[Ranked, ...]:
        chosen = self._places(asked, heard, files, best, k)
        fused = {one.id: one for one, _ in files}
        items = self._reader.files.items([place.item_id for place in chosen])
        direct = [
            Ranked(
                items[place.item_id],
                place.score,
                fused[place.source_id].signals,
                priors[place.source_id].names,
                focus=place.lines,
            )
            for place in chosen
            if place.item_id in items
        ]
        one_name = self._question.subject or self._question.path
        if one_name and files and any(signal.ranker == "exact" for signal in files[0][0].signals):
            direct = [one for one in direct if any(signal.ranker in BY_NAME for signal in one.signals)]
        try:
            related = related_items(self._reader, direct, k - len(direct))
        except QueryBudgetError:
            heard.states["related"] = OVER_BUDGET
            related = []
        return (*direct, *related)

    def _places(
        self,
        asked: RankerInput,
        heard: _Heard,
        files: Sequence[tuple[Fused, float]],
        best: Best,
        k: int,
    ) -> list[ChosenSpan]:
        """Places of the best files as the second stage chooses them, then those of the other files."""
        others = files[FILES_READ:]
        try:
            first, rest = point(asked, best, k) if best.files else ([], [])
        except QueryBudgetError:
            heard.states["lines"] = OVER_BUDGET
            items = self._items_of(asked, heard, files)
            return choose_places([(one.id, score) for one, score in files], items, k)
        found = self._items_of(asked, heard, others) if len(first) < k else {}
        further = choose_places(
            [(one.id, score) for one, score in others], {id_: items[:1] for id_, items in found.items()}, k
        )
        return falling([*first, *further, *rest][:k])

    def _items_of(
        self, asked: RankerInput, heard: _Heard, files: Sequence[tuple[Fused, float]]
    ) -> dict[int, list[tuple[int, float]]]:
        """The chunks of each file that some ranker meant, fused over the rankers; where none was meant, asked for."""
        wanted = {one.id for one, _ in files}
        source_of: dict[int, int] = {}
        rankings = []
        for name, votes in heard.votes.items():
            meant = [item for vote in votes.votes if vote.source_id in wanted for item in vote.items]
            source_of.update({item: vote.source_id for vote in votes.votes for item in vote.items})
            meant.sort(key=lambda item: (-votes.item_scores.get(item, 0.0), item))
            rankings.append(Ranking(name, tuple(meant)))
        found: dict[int, list[tuple[int, float]]] = {}
        for one in fuse(rankings):
            found.setdefault(source_of[one.id], []).append((one.id, one.score))
        missing = [id_ for id_ in wanted if id_ not in found]
        for item_id, source_id, score in self._matches_in(asked, heard, missing):
            found.setdefault(source_id, []).append((item_id, score))
        for source_id in missing:
            if source_id not in found:
                found[source_id] = [(item.id, 0.0) for item in self._reader.files.items_of(source_id)[:1]]
        return found

    def _matches_in(self, asked: RankerInput, heard: _Heard, source_ids: Sequence[int]) -> list[tuple[int, int, float]]:
        if not source_ids or not asked.terms:
            return []
        try:
            return self._reader.text.matches_in(expression(asked.terms), source_ids, 4 * len(source_ids))
        except QueryBudgetError:
            heard.states["spans"] = OVER_BUDGET
            return []

    def _nearest(self, terms: Sequence[Term], heard: _Heard, ranked: Sequence[Ranked]) -> tuple[str, ...]:
        """Names worth trying: spelled like what the index does not know, then those of the places found."""
        unknown = (term.word for term in terms if not term.frequency and len(term.word) > 3)
        names: dict[str, None] = {}
        for word in list(dict.fromkeys((*self._question.identifiers, *unknown)))[:WORDS_TRIED]:
            try:
                names.update(
                    (hit.name, None) for hit in self._reader.names.similar_names(word, 2) if hit.similarity >= 0.5
                )
            except QueryBudgetError:
                heard.states["nearest"] = OVER_BUDGET
                break
        names.update((one.item.symbol or one.item.source.source_id, None) for one in ranked[:NEAREST])
        return tuple(names)[:NEAREST]


def _ranking(name: str, votes: Votes, weight_: float) -> Ranking:
    ids, scores = tuple(vote.source_id for vote in votes.votes), tuple(vote.score for vote in votes.votes)
    return Ranking(name, ids, weight_, scores)
