"""Answer one question from one index: parse, run the rankers, fuse, choose spans, estimate the confidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from helix_core.conversation import Coordinate
from helix_core.model import Found, Hints, Ranked, Role, Source
from helix_core.search.confidence import AnswerFeatures, FilesFound, answer_features
from helix_core.search.coordinates import located, with_located
from helix_core.search.edits import NAMES_OF_CODE, parts_of, read_edit
from helix_core.search.fuse import Fused, Ranking, blend_first, fuse
from helix_core.search.judge import (
    SAID_CONFIDENCE,
    AnswerJudge,
    AnswerSigns,
    AskedAbout,
    Sureness,
    guess_note,
    is_exact,
    is_path_of,
)
from helix_core.search.known_words import Known, known_words
from helix_core.search.language import (
    WORDS_OF_CODE,
    function_words,
    is_multilingual,
    language_note,
    language_of,
    loan_stems,
    meaning_note,
)
from helix_core.search.meaning import QuestionEncoder, QuestionVector, encode_question, state_of, vectors_note
from helix_core.search.named import HEADING, is_implemented, is_of_tests
from helix_core.search.priors import Prior, prior
from helix_core.search.question import (
    LONGEST_SUBJECT,
    QUESTION_WORDS,
    Intent,
    Question,
    Term,
    is_request_word,
    match_expression,
    parse_question,
    printed_runs,
    project_asked_of,
    select_terms,
    weigh_terms,
    with_signs,
    without_values,
)
from helix_core.search.rankers import (
    DEPENDENT_RANKERS,
    LEVEL_OF,
    OVER_BUDGET,
    PRIMARY_RANKERS,
    RANKERS,
    VALUE_KINDS,
    RankerInput,
    Votes,
    WordPlaces,
)
from helix_core.search.related import related_items
from helix_core.search.second_stage import (
    FILES_READ,
    BestFile,
    ChosenSpan,
    FirstStage,
    choose_places,
    choose_spans,
    monotone,
    read_files,
)
from helix_core.search.several_questions import with_answers, with_tests
from helix_core.search.spelling import corrected, corrections, in_one_word
from helix_core.search.weights import weight
from helix_core.search.whole_project import OF_THE_WHOLE, is_project
from helix_core.store import DefinitionHit, QueryBudgetError, Reader
from helix_core.tuples import NamedTuple
from helix_core.words import IDENTIFIER, is_compound

if TYPE_CHECKING:
    from helix_core.model import RankingExplanation

_WORD = re.compile(r"\w+")
FILES_WEIGHED = 80
FILES_CHOSEN = 30
NEAREST = 8
WORDS_TRIED = 3
SHORTEST_NAME = 2
"""A word of no more letters is none of the code's in a sentence of another language."""
MOST_WRITTEN = 10
"""In so many chunks, or one in a hundred, a word may stand that is the name of something no parser recognized."""
WORDS = "words"
BY_NAME = frozenset({"exact", "names", "paths", "phrases", "claims", "tests"})
"""The rankers of exact names. For a question that is only a known name, files without it are padding."""
UNSEARCHED_NOTE = "not everything was searched"
"""How the note begins of an answer that a ranker, or a word's count, is missing from."""


@dataclass(slots=True)
class _RankerResults:
    """The rankers' votes and states."""

    votes: dict[str, Votes] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)

    def over_budget(self) -> list[str]:
        """Return the rankers, and the word counts, that exceeded their budget: their results are unknown."""
        return [name for name in (WORDS, *RANKERS) if self.states.get(name) == OVER_BUDGET]

    def notes(self) -> tuple[str, ...]:
        """Return what the answer lacks, for the user."""
        over_budget = self.over_budget()
        later = [name for name, state in self.states.items() if state == OVER_BUDGET and name not in over_budget]
        notes = []
        if over_budget:
            notes.append(
                f"{UNSEARCHED_NOTE} ({', '.join(over_budget)}: the budget of work was used up): "
                "places may be missing, and the confidence is computed without them"
            )
        if later:
            notes.append(f"not worked out within the budget of work: {', '.join(later)}")
        return tuple(notes)


def _never_cancelled() -> None:
    """The default ``check``: it never cancels the search."""


class SearchRequest(NamedTuple):
    """What is searched for.

    Attributes:
        question: As it was asked.
        judged: The part of the question by which is judged whether the index has what is asked; empty: all of it.
        places: Coordinates of a paste: the chunks that they point at come first.
        k: At most so many items.
        hints: What else is known of the client: open files, session.
        prefer_implementation: Rank it above tests, examples and changelogs unless the question asks for those.
        off: Names of rankers that are left out.
        check: Called between steps; ends the search by raising.
        encoder: Makes the question's vector; without one what goes by meaning is off.
        may_be_general: The question may as well be about anything else: it is answered only where names of the index
            bear out what it asks for.
        discussed: Names that the conversation before a follow-up is about: where the index defines one of them, what is
            asked is here.
        questions: The questions of ``question``, where it asks several: each is searched by itself too.
        alone: A follow-up that may be about what it names itself: where that is here, its places come first.
        tested: What a follow-up that asks for tests is about: tests that match it come before what they test. Where a
            question names what is tested itself, this is empty.
        message: What a paste says that went wrong: the text that prints it comes first.
        said: What a follow-up says itself: of the turns before it, it was told already what their words were read as.
        explained: Explain how the answer was computed, which costs about half as much as the answer.
    """

    question: str
    k: int
    hints: Hints = Hints()
    prefer_implementation: bool = True
    off: frozenset[str] = frozenset()
    check: Callable[[], None] = _never_cancelled
    encoder: QuestionEncoder | None = None
    explained: bool = False
    judged: str = ""
    places: tuple[Coordinate, ...] = ()
    may_be_general: bool = False
    discussed: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    alone: str = ""
    tested: str = ""
    message: str = ""
    said: str = ""


def search(request: SearchRequest, reader: Reader) -> Found:
    """The answer to a question, best first.

    Raises StoreError when the index cannot be read; what ran out of its budget of work is named in ``Found.rankers``
    and ``Found.notes`` instead.
    """
    with reader.snapshot():
        found = _Search(request, reader).run()
        tested = "" if reader.is_narrowed else request.tested or _tested_name(request, reader)
        if tested:
            return with_tests(found, _tests(request, tested, reader), request.k)
        if request.alone:
            own = request._replace(question=request.alone, judged="", alone="", discussed=(), message="")
            return with_answers(found, [_Search(own, reader).run()], (), request.k)
        if len(request.questions) < 2:
            return found
        apart = [request._replace(question=one, judged="", questions=(), message="") for one in request.questions]
        answers = [_Search(one, reader).run() for one in apart]
        absent = [ABSENT_NOTE + one.question.strip() for one, of in zip(apart, answers, strict=True) if of.known_empty]
        return with_answers(found, answers, absent, request.k)


def _spelled(name: str, hits: Iterable[DefinitionHit]) -> str:
    """Return how code writes a name that it defines in another case only, such as ``expire`` for the command EXPIRE; ""
    where it is defined as written, values aside.
    """
    names = {hit.name for hit in hits if hit.kind not in VALUE_KINDS | {HEADING} and hit.name.lower() == name.lower()}
    return min(names, default="") if name not in names else ""


def _tested_name(request: SearchRequest, reader: Reader) -> str:
    """Return a question for the tests of one name, which tests say and the implementation defines; "" for another."""
    asked = parse_question(text := request.judged or request.question)
    names = [name for name in asked.identifiers if is_compound(name) or name in asked.subject]
    if Intent.TESTS not in asked.intents or len(names) != 1 or len(request.questions) > 1 or read_edit(text):
        return ""
    try:
        return request.question if is_implemented(names[0], reader) else ""
    except QueryBudgetError:
        return ""


def _tests(request: SearchRequest, tested: str, reader: Reader) -> tuple[Ranked, ...]:
    """Return the places of tests alone that match a question, or what a follow-up is about."""
    tests = [one.id for one in reader.files.profiles() if one.role is Role.TEST]
    if not tests:
        return ()
    with reader.narrowed(tests):
        return _Search(request._replace(question=tested, judged="", tested="", message=""), reader).run().ranked


ABSENT_NOTE = "probably not here: "
"""How the note begins on one of several questions that nothing here answers."""
DOUBT_NOTE = "perhaps not here: "
"""How the note begins on an answer that may be none: its confidence is that of a place that is perhaps right."""


def doubt_note(nearest: Ranked) -> str:
    """Return the sentence for an answer of which it cannot be known whether it is one."""
    item = nearest.item
    place_ = f"{item.source.source_id}:{item.start_line}" + (f" ({item.symbol})" if item.symbol else "")
    return f"{DOUBT_NOTE}nothing in the index answers this for certain; the nearest place is {place_}"


def _notes(
    results: _RankerResults,
    sureness: Sureness,
    ranked: Sequence[Ranked],
    *,
    vectors: str,
    language: str,
    by_model: bool,
) -> tuple[str, ...]:
    """Return the notes on an answer: what it lacks, and why it may not answer the question."""
    sure = sureness.confidence
    notes = [*([vectors] if vectors else []), *results.notes(), *sureness.bounds.notes]
    if language and (sure < SAID_CONFIDENCE or not ranked):
        notes.append(meaning_note(language) if by_model else language_note(language))
    elif sureness.is_doubtful and not sureness.is_first_named and ranked:
        notes.append(doubt_note(ranked[0]))
    return tuple(notes)


def _names_of(file: BestFile) -> set[str]:
    """Return the names and headings of those chunks of a file that have a word of the question."""
    own = [place for place in file.places if place.id in file.counts]
    return {name for place in own for name in (place.name, *place.defines) if name}


class _QuestionRead(NamedTuple):
    """A question as it was read, without slips of the keyboard.

    Attributes:
        text: The question.
        judged_by: The part of it by which it is judged; empty: all of it.
        known: How often the index has each word.
        taken_for: What was read as what.
    """

    text: str
    judged_by: str
    known: Known
    taken_for: Mapping[str, str]


class _RankedFiles(NamedTuple):
    """The rankers' lists with their weights, the fused score of every file, and the best files by score, best first,
    each with its priors.
    """

    rankings: Sequence[Ranking]
    weights: Mapping[str, float]
    totals: Mapping[int, float]
    sources: Mapping[int, Source]
    priors: Mapping[int, Prior]
    files: Sequence[tuple[Fused, float]]


class _Search:
    """The state of one search. Use it once."""

    def __init__(self, request: SearchRequest, reader: Reader) -> None:
        self._request = request
        self._reader = reader
        self._language = language_of(request.judged or request.question)
        self._about = ""
        self._sources, self._items = reader.text.size()
        self._question = self._question_of(request.question)
        self._wanted_intents = self._question.intents if request.prefer_implementation else frozenset(Intent)
        self._encoder = None if LEVEL_OF.keys() <= request.off else request.encoder

    def run(self) -> Found:
        """Rank files, choose places in the best of them, judge whether they answer the question, and how surely."""
        read = self._read_words()
        if self._request.prefer_implementation and is_of_tests(self._question, self._reader):
            self._wanted_intents |= {Intent.TESTS}
        terms = weigh_terms(self._question.words, read.known.frequency, self._items)
        query = RankerInput(
            self._question,
            select_terms(terms, self._items),
            read.known.frequency,
            self._items,
            self._reader,
            encode_question(read.text, self._reader, self._encoder),
        )
        results = self._run_rankers(query)
        if read.known.uncounted:
            results.states[WORDS] = OVER_BUDGET
        stage = self._rank_files(results, with_model=query.has_model)
        best = self._first_stage(query, results, stage)
        ranked = self._ranked(query, results, stage, best)
        signs = self._signs(read, query, results, stage, best=best, ranked=ranked)
        ranked = with_located(ranked, signs.places, self._request.k)
        judge = self._judge_of(results)
        seems_empty, verbatim = judge.absence(signs, ranked)
        is_first = bool(ranked) and ranked[0].item.id in verbatim
        sureness = judge.sureness(
            signs, ranked, read.taken_for, seems_empty=seems_empty, is_verbatim=is_first, with_model=query.has_model
        )
        told = self._told_before(read.taken_for)
        notes = _notes(
            results,
            sureness,
            ranked,
            vectors=vectors_note(query.meaning, self._encoder),
            language=self._language,
            by_model=signs.by_meaning,
        )
        notes = tuple(note for note in notes if note not in told)
        asks_of_something = not signs.terms or any(not is_request_word(term.word) for term in signs.terms)
        return Found(
            ranked=ranked,
            confidence=sureness.confidence if ranked else 0.0,
            known_empty=seems_empty and asks_of_something and not self._language and not results.over_budget(),
            terms=tuple(term.word for term in terms),
            rankers=results.states,
            searched_sources=self._sources,
            searched_items=self._items,
            evaluated=len(stage.totals),
            nearest=self._nearest(terms, results, ranked) if seems_empty else (),
            account=self._explained(read, query, stage, best=best, ranked=ranked, features=signs.features)
            if self._request.explained
            else None,
            notes=notes,
            seems_empty=seems_empty,
        )

    @staticmethod
    def _explained(
        read: _QuestionRead,
        query: RankerInput,
        stage: _RankedFiles,
        *,
        best: FirstStage,
        ranked: Sequence[Ranked],
        features: AnswerFeatures,
    ) -> RankingExplanation:
        """Return why the answer is as it is. Hardly a command asks for it, and its dataclasses take each one 3 ms."""
        from helix_core.search.explanation import SearchTrace, explain_search

        return explain_search(SearchTrace(query, stage.rankings, stage.totals, best, ranked, features, read.taken_for))

    def _rank_files(self, results: _RankerResults, *, with_model: bool) -> _RankedFiles:
        """Fuse the rankers' lists, and order the files by their score and what is known of each beforehand."""
        # A ranker over budget keeps its weight: it counts as one that does not agree.
        silent = [name for name in results.over_budget() if name != WORDS]
        weights = {name: weight(name, with_model=with_model) for name in (*results.votes, *silent)}
        rankings = [_ranking(name, votes, weights[name]) for name, votes in results.votes.items()]
        fused, totals = blend_first(rankings, max(FILES_WEIGHED, 2 * self._request.k))
        self._request.check()
        sources = self._reader.files.sources_by_id(file.id for file in fused)
        priors = {id_: prior(source, self._wanted_intents, self._request.hints) for id_, source in sources.items()}
        files = sorted(
            [(file, file.score * priors[file.id].factor) for file in fused if file.id in sources],
            key=lambda entry: (-entry[1], sources[entry[0].id].path),
        )
        return _RankedFiles(rankings, weights, totals, sources, priors, files)

    def _first_stage(self, query: RankerInput, results: _RankerResults, stage: _RankedFiles) -> FirstStage:
        """Return the best files with what they hold: nothing, and noted, where reading them exceeds the budget."""
        kinds = {id_: source.source_kind for id_, source in stage.sources.items()}
        best = FirstStage([(file.id, score) for file, score in stage.files[:FILES_READ]], kinds, results.votes)
        try:
            return best._replace(read=read_files(query, best))
        except QueryBudgetError:
            results.states["lines"] = OVER_BUDGET
            return best

    def _signs(
        self,
        read: _QuestionRead,
        query: RankerInput,
        results: _RankerResults,
        stage: _RankedFiles,
        *,
        best: FirstStage,
        ranked: Sequence[Ranked],
    ) -> AnswerSigns:
        """Collect what the answer is judged by."""
        is_printed = bool(ranked and self._question.printed) and is_exact(ranked[0])
        judged = self._judged(read.judged_by, read.text, is_printed=is_printed)
        terms = weigh_terms(judged.words, query.frequency, self._items)
        roles = {id_: source.role for id_, source in stage.sources.items()}
        files = FilesFound(
            stage.files,
            roles,
            results.votes,
            stage.weights,
            self._titles(best, terms),
            is_narrowed=self._reader.is_narrowed,
        )
        features = answer_features(judged, terms, files)
        return AnswerSigns(
            text=read.judged_by or read.text,
            question=judged,
            terms=terms,
            word=query.word if judged.word == query.question.word else WordPlaces(judged.word, self._reader),
            frequency=query.frequency,
            files=files,
            features=features,
            places=located(self._request.places, self._reader, ranked),
            is_printed=is_printed,
            is_literal=bool(judged.subject)
            and not features.missing_proper
            and (features.covered == 1.0 or (bool(features.named) and not results.over_budget())),
            is_overview="exact" in results.votes and bool(judged.toolchain or judged.intents & OF_THE_WHOLE.keys()),
            by_meaning=self._is_found_by_meaning(query.meaning, judged, query.frequency),
            has_path=any(is_path_of(source.path, judged.paths) for source in stage.sources.values()),
        )

    def _judge_of(self, results: _RankerResults) -> AnswerJudge:
        asked = self._request
        about = AskedAbout(
            asked=asked.judged or asked.question,
            language=self._language,
            may_be_general=asked.may_be_general,
            discussed=asked.discussed,
            is_own=bool(asked.alone) and asked.judged == asked.alone,
            coordinates=asked.places,
        )
        return AnswerJudge(about, self._reader, self._items, results.states)

    def _titles(self, best: FirstStage, terms: Sequence[Term]) -> dict[int, set[frozenset[str]]]:
        """Return which of the terms each name and heading of a chunk has, by file; of chunks with a word of the
        question alone.
        """
        tokens = {term.word: frozenset(self._reader.words.tokens(term.word)) for term in terms if term.frequency}
        names = {file.source_id: _names_of(file) for file in best.read}
        stems = self._reader.words.stems({name for own in names.values() for name in own})
        asked = frozenset().union(*tokens.values())
        # Hundreds of names have few different parts of the question.
        held = {id_: {stems[name] & asked for name in own} for id_, own in names.items()}
        return {
            id_: {frozenset(word for word, parts in tokens.items() if parts <= some) for some in own}
            for id_, own in held.items()
        }

    def _judged(self, judged_by: str, text: str, *, is_printed: bool) -> Question:
        """Return the question that is judged: what a program filled into its message is not what is asked for."""
        judged = self._parsed(judged_by) if judged_by else self._question
        return without_values(judged, judged_by or text) if is_printed else judged

    def _is_found_by_meaning(
        self, meaning: QuestionVector | None, question: Question, frequency: Mapping[str, int]
    ) -> bool:
        """Return whether a model that knows the question's language finds the places: its words are in no file, here or
        not, so nothing can say of the places that they answer nothing. A name of code is the same in every language.
        """
        brings = meaning is not None and is_multilingual(meaning.model)
        return brings and bool(self._language) and all(frequency.get(name.lower()) for name in question.identifiers)

    def _parsed(self, text: str) -> Question:
        """Return the text parsed, without the words that every question in its language has: a file that happens to
        contain "wo" answers nothing.
        """
        question = with_signs(parse_question(text), text, self._reader)
        if (
            (of := project_asked_of(text)) is not None
            and of[0] not in question.intents
            and is_project(of[1], self._reader)
        ):
            # The project's own name tells no place of it from another.
            words = tuple(word for word in question.words if word != of[1]) or question.words
            question = question._replace(intents=question.intents | {of[0]}, words=words)
        # German writes the word for a class like a name, too.
        empty = function_words(self._language) - (question.proper - WORDS_OF_CODE)
        question = question._replace(proper=question.proper - empty)
        words = tuple(word for word in question.words if word not in empty)
        if stems := loan_stems(words, self._language):
            known = known_words(stems, self._items, self._reader).frequency
            words = tuple(dict.fromkeys((*words, *(stem for stem in stems if known[stem]))))
        names = self._english_names(text, empty) if self._language else ()
        if not names:
            return question._replace(words=words)
        others = [word for word in words if word not in {name.lower() for name in names}]
        is_all = not any(known_words(others, self._items, self._reader).frequency.values())
        return question._replace(
            words=tuple(dict.fromkeys((*words, *names))),
            identifiers=tuple(dict.fromkeys((*question.identifiers, *names))),
            proper=question.proper | frozenset(names),
            subject=names if is_all and len(names) == 1 else question.subject,
        )

    def _english_names(self, text: str, empty: Collection[str]) -> tuple[str, ...]:
        """Return the words of a text in another language that say nothing in an English one, or are written with a
        capital, and that the implementation has for names: the filter ``before`` in "como funciona el filtro before?".
        """
        written = [word for word in IDENTIFIER.findall(text) if word in QUESTION_WORDS or word[0].isupper()]
        said = dict.fromkeys(word for word in written if word.lower() not in empty)
        return tuple(word for word in said if len(word) > SHORTEST_NAME and is_implemented(word, self._reader))

    def _question_of(self, text: str) -> Question:
        """Return the question parsed, with the message of its paste that a program printed."""
        question, runs = self._parsed(text), printed_runs(self._request.message)
        if self._about:
            about = self._parsed(self._about)
            intents = question.intents - {Intent.TESTS} | about.intents
            question = question._replace(subject=about.subject, word=about.word, intents=intents)
        return question._replace(printed=runs) if len(" ".join(runs).split()) > 1 else question

    def _read_edit(self, text: str) -> tuple[str, str]:
        """Return the text of an order to change code without what is to be new, and the existing name that it is about;
        the text as it is, and nothing, where it is none, or no such name is defined here.
        """
        edit = read_edit(text)
        if edit is None:
            return text, ""
        members = {name: parts[-1].lower() for name in edit.about if (parts := parts_of(name))}
        try:
            # "like pip install --dry-run" names the project, and something of it that stands behind.
            members = {name: one for name, one in members.items() if name != one or not is_project(one, self._reader)}
            hits = self._reader.names.definitions(set(members.values()))
        except QueryBudgetError:
            return text, ""
        defined = {hit.name.lower() for hit in hits if hit.kind != HEADING}
        used = known_words(members.values(), self._items, self._reader).frequency
        about = next((name for name, member in members.items() if member in defined), "")
        # What no parser here recognized is here where it is written, but for a word that is written everywhere.
        most = max(MOST_WRITTEN, self._items // 100)
        about = about or next((name for name, member in members.items() if 0 < used.get(member, 0) <= most), "")
        start, end = edit.new
        if about and (spelled := _spelled(parts_of(about)[-1], hits)):
            written = re.compile(rf"(?<!\w){re.escape(parts_of(about)[-1])}(?!\w)")
            text, about = text[:end] + written.sub(spelled, text[end:], count=1), written.sub(spelled, about)
        if not about or start == end:
            return text, about
        said = text[start:end]
        counts = known_words(parse_question(said).words, self._items, self._reader).frequency
        new = [word for word in NAMES_OF_CODE.findall(said) if not counts.get(word.strip("`").lower().strip("_"), 1)]
        for name in new:
            said = said.replace(name, " ")
        return f"{text[:start]}{said}{text[end:]}", about

    def _read_words(self) -> _QuestionRead:
        """Correct slips of the keyboard, and count the words. Of an order to change code only what it is about is
        judged: it may name what is not here yet.
        """
        text, judged = self._request.question, self._request.judged
        asked, about = self._read_edit(judged or text)
        if about:
            text = text.replace(judged or text, asked)
            self._about = about
            self._question = self._question_of(text)
            if self._request.prefer_implementation:
                self._wanted_intents = self._question.intents
            judged = about
        joined = in_one_word(text, self._reader) if len(text) <= LONGEST_SUBJECT else {}
        for pair, whole in joined.items():
            text, judged = text.replace(pair, whole), judged.replace(pair, whole)
        if joined:
            self._question = self._question_of(text)
        words = (*self._question.words, *(self._parsed(judged).words if judged else ()))
        known = known_words(words, self._items, self._reader)
        read = corrections(text, self._question, known.frequency, self._reader)
        if self._language:
            # A word of another language is no slip of one that the files have.
            read = {typed: meant for typed, meant in read.items() if is_compound(typed)}
        if read:
            text, judged = corrected(text, read), corrected(judged, read)
            self._question = self._question_of(text)
            words = (*self._question.words, *(self._parsed(judged).words if judged else ()))
            known = known_words(words, self._items, self._reader)
        return _QuestionRead(text, judged, known, joined | read)

    def _told_before(self, taken_for: Mapping[str, str]) -> frozenset[str]:
        """Return the notes on words that only the turns before a follow-up have."""
        said = self._request.said.lower()
        of_earlier = [guess for guess in taken_for.items() if said and guess[0].lower() not in said]
        return frozenset(map(guess_note, of_earlier))

    def _run_rankers(self, query: RankerInput) -> _RankerResults:
        results = _RankerResults()
        for name, first in PRIMARY_RANKERS.items():
            self._run_ranker(results, name, partial(first, query))
        for name, derived in DEPENDENT_RANKERS.items():
            self._run_ranker(results, name, partial(derived, query, results.votes))
        for name, level in LEVEL_OF.items():
            if results.states[name] in {"used", "empty"}:
                results.states[name] = state_of(query.meaning, level, results.states[name], self._request.encoder)
        return results

    def _run_ranker(self, results: _RankerResults, name: str, ranker: Callable[[], Votes]) -> None:
        if name in self._request.off:
            results.states[name] = "off"
            return
        self._request.check()
        try:
            votes = ranker()
        except QueryBudgetError:
            results.states[name] = OVER_BUDGET
            return
        results.states[name] = "used" if votes.votes else "empty"
        if votes.votes:
            results.votes[name] = votes

    def _ranked(
        self,
        query: RankerInput,
        results: _RankerResults,
        stage: _RankedFiles,
        best: FirstStage,
    ) -> tuple[Ranked, ...]:
        """Return the places of the best files as results, and what is related to them where they are few."""
        k = self._request.k
        files = stage.files[: max(FILES_CHOSEN, k)]
        chosen = self._places(query, results, files, best, k)
        fused = {one.id: one for one, _ in files}
        items = self._reader.files.items([place.item_id for place in chosen])
        direct = [
            Ranked(
                items[place.item_id],
                place.score,
                fused[place.source_id].signals,
                stage.priors[place.source_id].names,
                focus=place.lines,
            )
            for place in chosen
            if place.item_id in items
        ]
        one_name = self._question.subject or self._question.path
        # What is only called after a word is one of the places that have it.
        is_after = bool(self._question.word) and not query.word.definitions
        if one_name and not is_after and files and any(signal.ranker == "exact" for signal in files[0][0].signals):
            direct = [one for one in direct if any(signal.ranker in BY_NAME for signal in one.signals)]
        try:
            related = related_items(self._reader, direct, k - len(direct))
        except QueryBudgetError:
            results.states["related"] = OVER_BUDGET
            related = []
        return (*direct, *related)

    def _places(
        self,
        query: RankerInput,
        results: _RankerResults,
        files: Sequence[tuple[Fused, float]],
        best: FirstStage,
        k: int,
    ) -> list[ChosenSpan]:
        """Return spans of the best files as the second stage chooses them, then those of the other files."""
        others = files[FILES_READ:]
        if best.files and not best.read:
            items = self._items_of(query, results, files)
            return choose_places([(one.id, score) for one, score in files], items, k)
        try:
            first, rest = choose_spans(query, best, k) if best.read else ([], [])
        except QueryBudgetError:
            results.states["lines"] = OVER_BUDGET
            items = self._items_of(query, results, files)
            return choose_places([(one.id, score) for one, score in files], items, k)
        found = self._items_of(query, results, others) if len(first) < k else {}
        further = choose_places(
            [(one.id, score) for one, score in others], {id_: items[:1] for id_, items in found.items()}, k
        )
        return monotone([*first, *further, *rest][:k])

    def _items_of(
        self, query: RankerInput, results: _RankerResults, files: Sequence[tuple[Fused, float]]
    ) -> dict[int, list[tuple[int, float]]]:
        """Return the chunks of each file that rankers voted for, fused over the rankers; a file without any is
        queried.
        """
        wanted = {one.id for one, _ in files}
        source_of: dict[int, int] = {}
        rankings = []
        for name, votes in results.votes.items():
            scores = votes.item_scores
            own = {item: vote.source_id for vote in votes.votes if vote.source_id in wanted for item in vote.items}
            source_of.update(own)
            rankings.append(
                Ranking(name, tuple(item for _, item in sorted((-scores.get(one, 0.0), one) for one in own)))
            )
        found: dict[int, list[tuple[int, float]]] = {}
        for one in fuse(rankings):
            found.setdefault(source_of[one.id], []).append((one.id, one.score))
        missing = [id_ for id_ in wanted if id_ not in found]
        for item_id, source_id, score in self._matches_in(query, results, missing):
            found.setdefault(source_id, []).append((item_id, score))
        for source_id in missing:
            if source_id not in found:
                found[source_id] = [(item.id, 0.0) for item in self._reader.files.items_of(source_id)[:1]]
        return found

    def _matches_in(
        self, query: RankerInput, results: _RankerResults, source_ids: Sequence[int]
    ) -> list[tuple[int, int, float]]:
        if not source_ids or not query.terms:
            return []
        try:
            return self._reader.text.matches_in(match_expression(query.terms), source_ids, 4 * len(source_ids))
        except QueryBudgetError:
            results.states["spans"] = OVER_BUDGET
            return []

    def _nearest(self, terms: Sequence[Term], results: _RankerResults, ranked: Sequence[Ranked]) -> tuple[str, ...]:
        """Return suggested names: spelled like the words that the index does not contain, then those of the results."""
        unknown = (term.word for term in terms if not term.frequency and len(term.word) > 3)
        names: dict[str, None] = {}
        for word in list(dict.fromkeys((*self._question.identifiers, *unknown)))[:WORDS_TRIED]:
            try:
                names.update(
                    (hit.name, None) for hit in self._reader.names.similar_names(word, 2) if hit.similarity >= 0.5
                )
            except QueryBudgetError:
                results.states["nearest"] = OVER_BUDGET
                break
        names.update((one.item.symbol or one.item.source.source_id, None) for one in ranked[:NEAREST])
        return tuple(names)[:NEAREST]


def _ranking(name: str, votes: Votes, weight_: float) -> Ranking:
    ids, scores = tuple(vote.source_id for vote in votes.votes), tuple(vote.score for vote in votes.votes)
    return Ranking(name, ids, weight_, scores)
