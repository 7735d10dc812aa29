"""Answer one question from one index: parse, run the rankers, fuse, choose spans, estimate the confidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from helix_core.conversation import Coordinate
from helix_core.model import Found, Hints, Ranked, Role, SourceKind
from helix_core.search.confidence import (
    FLOOR,
    AnswerFeatures,
    FilesFound,
    answer_features,
    confidence,
    place,
    presence,
    telling_terms,
)
from helix_core.search.coordinates import located, with_located
from helix_core.search.explanation import SearchTrace, explain_search
from helix_core.search.fuse import Fused, Ranking, blend, fuse
from helix_core.search.language import function_words, is_multilingual, language_note, language_of, meaning_note
from helix_core.search.meaning import QuestionEncoder, QuestionVector, encode_question, state_of, vectors_note
from helix_core.search.named import NAMED_CONFIDENCE, ConfidenceBounds, has_line, settle, unknown_members
from helix_core.search.priors import Prior, prior
from helix_core.search.question import (
    LONGEST_SUBJECT,
    QUESTION_WORDS,
    REQUEST_WORDS,
    Intent,
    Question,
    Term,
    any_of,
    is_request_word,
    match_expression,
    parse_question,
    printed_runs,
    select_terms,
    weigh_terms,
    with_signs,
    without_values,
)
from helix_core.search.rankers import (
    DEPENDENT_RANKERS,
    LEVEL_OF,
    OF_THE_WHOLE,
    PRIMARY_RANKERS,
    RANKERS,
    RankerInput,
    Votes,
    word_definitions,
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
from helix_core.search.several_questions import separate_questions, with_answers, with_tests
from helix_core.search.spelling import corrected, corrections, in_one_word, is_bold, is_one_stroke, slips
from helix_core.search.weights import weight
from helix_core.store import QueryBudgetError, Reader
from helix_core.words import IDENTIFIER, lazy_pattern

_WORD = re.compile(r"\w+")
_ASKS_WHERE = lazy_pattern(
    r"(?i)\bwhere(?:['’]?s| is| are| was| were| does?| do| did| in)? (?!(?:i|can i|you|we)\b)|\bwhere\b\W*$",
    cues="where",
)
"""A question for a place is one of the files, where they have what it names; general knowledge has no places."""
_IN_PARTS = lazy_pattern(r"(?<=\w)[_./](?=\w)", cues="_|.|/")
MAX_POSTINGS = 6_000
"""A look-up costs the posting list of a name's rarest word; a name of common words only is assumed to be known."""


@dataclass(frozen=True, slots=True)
class Known:
    """``frequency`` is each word's document frequency in chunks; for a known compound name, that of its rarest word.

    ``uncounted`` are words whose count exceeded its budget: they are treated as occurring in every chunk, so that they
    decide nothing.
    """

    frequency: dict[str, int]
    uncounted: tuple[str, ...] = ()


def known_words(words: Iterable[str], items: int, reader: Reader) -> Known:
    """Look up each word's document frequency; ``items`` is the number of chunks."""
    uncounted: dict[str, None] = {}
    frequency = {word: _count(word, items, reader, uncounted) for word in dict.fromkeys(words)}
    for word, count in frequency.items():
        if _IN_PARTS.search(word) and 0 < count <= MAX_POSTINGS and not _has_phrase(word, reader, uncounted):
            frequency[word] = 0
    return Known(frequency, tuple(uncounted))


def _count(word: str, items: int, reader: Reader, uncounted: dict[str, None]) -> int:
    try:
        return reader.words.frequency([word])[word]
    except QueryBudgetError:
        uncounted[word] = None
        return items


def _has_phrase(name: str, reader: Reader, uncounted: dict[str, None]) -> bool:
    """Return whether the words of the name occur in sequence. Assumed, and noted, where the query exceeds its
    budget.
    """
    try:
        return bool(reader.text.chunk_matches(any_of([name]), 1))
    except QueryBudgetError:
        uncounted[name] = None
        return True


MOST_VERBATIM, VERBATIM_HITS = 4, 40
"""A longer text is a sentence: that it is not here word for word says nothing, and that it is says no more."""


def verbatim_chunks(text: str, reader: Reader) -> frozenset[int]:
    """Return chunks that have a short text word for word, but for the words around it that only ask: of "where are
    splat params" the last two. Such a text is here, wherever that is. None where a filter narrows what is searched.
    """
    words = _WORD.findall(text.lower()) if len(text) <= LONGEST_SUBJECT else []
    while words and words[0] in QUESTION_WORDS:
        words.pop(0)
    while words and words[-1] in QUESTION_WORDS:
        words.pop()
    is_told = len(words) > 1 or any(map(str.isdigit, words))
    if not is_told or len(words) > MOST_VERBATIM or reader.is_narrowed:
        return frozenset()
    _, items = reader.text.size()
    if not 0 < min(known_words(words, items, reader).frequency.values()) <= MAX_POSTINGS:
        return frozenset()
    try:
        found = reader.text.chunk_matches(any_of([" ".join(words)]), VERBATIM_HITS)
    except QueryBudgetError:
        return frozenset()
    return frozenset(item for item, _, _ in found)


WORDS_OF_A_SUBJECT = 4
"""So many known words are about this index: small talk and general knowledge share fewer with a project."""
NAMED_SHARE = 0.5
COMPARING_WORDS = frozenset(
    [
        "difference",
        "differences",
        "between",
        "differ",
        "versus",
        "vs",
        "compare",
        "compared",
        "meaning",
        "mean",
        "means",
    ]
)
"""Words of general questions that every project has."""
FILES_WEIGHED = 80
FILES_CHOSEN = 30
NEAREST = 8
WORDS_TRIED = 3
WORDS = "words"
BY_NAME = frozenset({"exact", "names", "paths", "phrases", "claims", "tests"})
"""The rankers of exact names. For a question that is only a known name, files without it are padding."""
SIMILAR_READ = 5
SHORTEST_SLIP = 6
ABSENT_CONFIDENCE = 0.29
"""Just below the threshold of a verified verdict: results of an absent answer are never shown as verified."""
SAID_CONFIDENCE = 0.5
"""Below this confidence an answer says why it may be none: the question's language, or that it is perhaps not here."""
DOUBT = 0.9
"""Below this presence, and not below ``FLOOR``, about half of the questions have no answer in the index."""
DOUBTED_CONFIDENCE = 0.69
"""Most confidence below ``DOUBT``: where the place would make an answer surer, it says that it is perhaps not here."""
UNSEARCHED_NOTE = "not everything was searched"
"""How the note begins of an answer that a ranker, or a word's count, is missing from."""
OVER_BUDGET = "ran out of its budget"
"""The state of a ranker, or of a later step, whose query was interrupted."""


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


@dataclass(frozen=True, slots=True)
class SearchRequest:
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
        tested: What a follow-up that asks for tests is about: tests that match it come before what they test.
        message: What a paste says that went wrong: the text that prints it comes first.
        explained: Explain how the answer was computed, which costs about half as much as the answer.
    """

    question: str
    k: int
    hints: Hints = field(default_factory=Hints)
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
    tested: str = ""
    message: str = ""


def search(request: SearchRequest, reader: Reader) -> Found:
    """The answer to a question, best first.

    Raises StoreError when the index cannot be read; what ran out of its budget of work is named in ``Found.rankers``
    and ``Found.notes`` instead.
    """
    with reader.snapshot():
        found = _Search(request, reader).run()
        if request.tested and not reader.is_narrowed:
            return with_tests(found, _tests(request, reader), request.k)
        if len(request.questions) < 2:
            return found
        apart = [replace(request, question=one, judged="", questions=(), message="") for one in request.questions]
        answers = [_Search(one, reader).run() for one in apart]
        absent = [ABSENT_NOTE + one.question.strip() for one, of in zip(apart, answers, strict=True) if of.known_empty]
        return with_answers(found, answers, absent, request.k)


def _tests(request: SearchRequest, reader: Reader) -> tuple[Ranked, ...]:
    """Return the places of tests alone that match what a follow-up is about."""
    tests = [one.id for one in reader.files.profiles() if one.role is Role.TEST]
    if not tests:
        return ()
    with reader.narrowed(tests):
        return _Search(replace(request, question=request.tested, judged="", tested="", message=""), reader).run().ranked


NO_AUTHORS_NOTE = "no file here says who wrote this; `git shortlog -sn` does"
NO_FRAGMENT_NOTE = "nothing here has this text as it stands; these places have its words"
ABSENT_NOTE = "probably not here: "
"""How the note begins on one of several questions that nothing here answers."""
DOUBT_NOTE = "perhaps not here: "
"""How the note begins on an answer that may be none: its confidence is that of a place that is perhaps right."""


def doubt_note(nearest: Ranked) -> str:
    """Return the sentence for an answer of which it cannot be known whether it is one."""
    item = nearest.item
    place_ = f"{item.source.source_id}:{item.start_line}" + (f" ({item.symbol})" if item.symbol else "")
    return f"{DOUBT_NOTE}nothing in the index answers this for certain; the nearest place is {place_}"


def guess_note(guess: tuple[str, str]) -> str:
    """Return the sentence that tells what an unknown word was taken for."""
    typed, meant = guess
    return f'{typed} is not in the index and was read as "{meant}"'


def _with_guesses(settled: ConfidenceBounds, guesses: Mapping[str, str]) -> ConfidenceBounds:
    """Return the bounds with the notes that tell what unknown words were taken for, and less sure of a name: another
    may be meant.
    """
    at_most = DOUBTED_CONFIDENCE if any(map(is_bold, guesses.values())) else 1.0
    notes = (*map(guess_note, guesses.items()), *settled.notes)
    return replace(settled, at_most=min(settled.at_most, at_most), notes=notes)


def _notes(
    results: _RankerResults,
    settled: ConfidenceBounds,
    ranked: Sequence[Ranked],
    sure: float,
    *,
    vectors: str,
    language: str,
    by_model: bool,
    is_doubtful: bool,
) -> tuple[str, ...]:
    """Return the notes on an answer: what it lacks, and why it may not answer the question."""
    notes = [*([vectors] if vectors else []), *results.notes(), *settled.notes]
    if language and (sure < SAID_CONFIDENCE or not ranked):
        notes.append(meaning_note(language) if by_model else language_note(language))
    elif is_doubtful and ranked and not SAID_CONFIDENCE <= sure < DOUBTED_CONFIDENCE:
        notes.append(doubt_note(ranked[0]))
    return tuple(notes)


def _is_path_of(path: bytes, named: Sequence[str]) -> bool:
    return any(path == name or path.endswith(b"/" + name) for name in map(str.encode, named))


def _names_of(file: BestFile) -> set[str]:
    """Return the names and headings of those chunks of a file that have a word of the question."""
    own = [place for place in file.places if place.id in file.counts]
    return {name for place in own for name in (place.name, *place.defines) if name}


def _is_exact(one: Ranked) -> bool:
    return any(signal.ranker == "exact" for signal in one.signals)


class _Search:
    """The state of one search. Use it once."""

    def __init__(self, request: SearchRequest, reader: Reader) -> None:
        self._request = request
        self._reader = reader
        self._language = language_of(request.judged or request.question)
        self._question = self._question_of(request.question)
        self._wanted_intents = self._question.intents if request.prefer_implementation else frozenset(Intent)
        self._sources, self._items = reader.text.size()

    def run(self) -> Found:
        k = self._request.k
        text, judged_by, known, read = self._read_words()
        frequency = known.frequency
        terms = weigh_terms(self._question.words, frequency, self._items)
        encoder = None if LEVEL_OF.keys() <= self._request.off else self._request.encoder
        meaning = encode_question(text, self._reader, encoder)
        query = RankerInput(
            self._question, select_terms(terms, self._items), frequency, self._items, self._reader, meaning
        )
        results = self._run_rankers(query)
        if known.uncounted:
            results.states[WORDS] = OVER_BUDGET
        with_model = meaning is not None and not meaning.is_static
        # A ranker over budget keeps its weight: it counts as one that does not agree.
        silent = [name for name in results.over_budget() if name != WORDS]
        weights = {name: weight(name, with_model=with_model) for name in (*results.votes, *silent)}
        rankings = [_ranking(name, votes, weights[name]) for name, votes in results.votes.items()]
        fused = blend(rankings)
        self._request.check()
        sources = self._reader.files.sources_by_id(one.id for one in fused[: max(FILES_WEIGHED, 2 * k)])
        priors = {id_: prior(source, self._wanted_intents, self._request.hints) for id_, source in sources.items()}
        files = sorted(
            [(one, one.score * priors[one.id].factor) for one in fused if one.id in sources],
            key=lambda entry: (-entry[1], sources[entry[0].id].path),
        )
        kinds = {id_: source.source_kind for id_, source in sources.items()}
        best = self._first_stage(query, results, files, kinds)
        ranked = self._ranked(query, results, files[: max(FILES_CHOSEN, k)], best, priors=priors, k=k)
        roles = {id_: source.role for id_, source in sources.items()}
        is_printed = bool(ranked and self._question.printed) and _is_exact(ranked[0])
        judged = self._judged(judged_by, text, is_printed=is_printed)
        judging = weigh_terms(judged.words, frequency, self._items)
        first = FilesFound(
            files, roles, results.votes, weights, self._titles(best, judging), is_narrowed=self._reader.is_narrowed
        )
        signs = answer_features(judged, judging, first)
        places = located(self._request.places, self._reader, ranked)
        ranked = with_located(ranked, places, k)
        # A name whose every word one file has is here, wherever it occurs; only the place is open.
        is_literal = bool(judged.subject) and signs.covered == 1.0 and not signs.missing_proper
        is_overview = "exact" in results.votes and bool(judged.toolchain or judged.intents & OF_THE_WHOLE.keys())
        whole, by_model = judged_by or text, self._is_found_by_meaning(meaning, judged, frequency)
        is_certain = bool(places) or is_overview or by_model or is_printed
        seems_empty = not ranked or (
            not is_certain and self._seems_absent(judged, judging, signs, is_literal=is_literal)
        )
        has_path = any(_is_path_of(source.path, judged.paths) for source in sources.values())
        verbatim = verbatim_chunks(whole, self._reader) if seems_empty and ranked else frozenset()
        if seems_empty and ranked:
            seems_empty = not (
                has_path
                or verbatim
                or (judged.versions and _is_exact(ranked[0]))
                or self._is_defined(judged, whole, judging, results)
                or self._has_part(whole, frequency, first)
            )
        seems_empty = seems_empty or (not places and self._lacks_member(whole, results))
        is_first = bool(ranked) and ranked[0].item.id in verbatim
        settled = settle(whole, judged, judging, ranked, self._reader)
        settled = _with_guesses(
            self._settled(settled, judged, ranked, places, is_printed=is_printed, is_verbatim=is_first), slips(read)
        )
        sure = settled.bound((place if is_literal or is_overview else confidence)(signs, with_model=with_model))
        # What a name of the question settles is no matter of its words.
        is_known = seems_empty or is_certain or is_literal or has_path or settled.at_least > DOUBTED_CONFIDENCE
        is_doubtful = not (is_known or is_first) and presence(signs) < DOUBT
        sure = min(sure, ABSENT_CONFIDENCE if seems_empty else DOUBTED_CONFIDENCE if is_doubtful else 1.0)
        notes = _notes(
            results,
            settled,
            ranked,
            sure,
            vectors=vectors_note(meaning, encoder),
            language=self._language,
            by_model=by_model,
            is_doubtful=is_doubtful,
        )
        asks_of_something = not judging or any(not is_request_word(term.word) for term in judging)
        known_empty = seems_empty and asks_of_something and not self._language and not results.over_budget()
        return Found(
            ranked=ranked,
            confidence=sure if ranked else 0.0,
            known_empty=known_empty,
            terms=tuple(term.word for term in terms),
            rankers=results.states,
            searched_sources=self._sources,
            searched_items=self._items,
            evaluated=len(fused),
            nearest=self._nearest(terms, results, ranked) if seems_empty else (),
            account=explain_search(SearchTrace(query, rankings, fused, best, ranked, signs, read))
            if self._request.explained
            else None,
            notes=notes,
            seems_empty=seems_empty,
        )

    def _first_stage(
        self,
        query: RankerInput,
        results: _RankerResults,
        files: Sequence[tuple[Fused, float]],
        kinds: Mapping[int, SourceKind],
    ) -> FirstStage:
        """Return the best files with what they hold: nothing, and noted, where reading them exceeds the budget."""
        best = FirstStage([(one.id, score) for one, score in files[:FILES_READ]], kinds, results.votes)
        try:
            return replace(best, read=read_files(query, best))
        except QueryBudgetError:
            results.states["lines"] = OVER_BUDGET
            return best

    def _titles(self, best: FirstStage, terms: Sequence[Term]) -> dict[int, set[frozenset[str]]]:
        """Return which of the terms each name and heading of a chunk has, by file; of chunks with a word of the
        question alone.
        """
        tokens = {term.word: frozenset(self._reader.words.tokens(term.word)) for term in terms if term.frequency}
        names = {file.source_id: _names_of(file) for file in best.read}
        stems = self._reader.words.stems({name for own in names.values() for name in own})
        return {
            id_: {frozenset(word for word, parts in tokens.items() if parts <= stems[name]) for name in own}
            for id_, own in names.items()
        }

    def _judged(self, judged_by: str, text: str, *, is_printed: bool) -> Question:
        """Return the question that is judged: what a program filled into its message is not what is asked for."""
        judged = self._parsed(judged_by) if judged_by else self._question
        return without_values(judged, judged_by or text) if is_printed else judged

    def _settled(
        self,
        of_names: ConfidenceBounds,
        judged: Question,
        ranked: Sequence[Ranked],
        places: Sequence[Ranked],
        *,
        is_printed: bool,
        is_verbatim: bool,
    ) -> ConfidenceBounds:
        """Return the bounds that facts put on the confidence: coordinates, the text that prints a message, a path that
        the question names, the whole question word for word in the first place, names.
        """
        if Intent.AUTHORSHIP in judged.intents and not (ranked and _is_exact(ranked[0])):
            return ConfidenceBounds(at_most=ABSENT_CONFIDENCE, notes=(NO_AUTHORS_NOTE,))
        if ranked and _is_exact(ranked[0]) and judged.intents & {Intent.OVERVIEW, Intent.SETUP}:
            return replace(of_names, at_least=DOUBTED_CONFIDENCE, at_most=1.0)
        if places:
            return ConfidenceBounds(NAMED_CONFIDENCE if has_line(places[0], self._request.places) else 0.0)
        if is_printed:
            return ConfidenceBounds(NAMED_CONFIDENCE, notes=of_names.notes)
        if judged.fragment and not (ranked and _is_exact(ranked[0])):
            return replace(of_names, at_most=min(of_names.at_most, DOUBTED_CONFIDENCE), notes=(NO_FRAGMENT_NOTE,))
        if is_verbatim or (ranked and _is_path_of(ranked[0].item.source.path, judged.paths)):
            return replace(of_names, at_least=max(of_names.at_least, min(SAID_CONFIDENCE, of_names.at_most)))
        return of_names

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
        empty = function_words(self._language) - question.proper
        return replace(question, words=tuple(word for word in question.words if word not in empty))

    def _question_of(self, text: str) -> Question:
        """Return the question parsed, with the message of its paste that a program printed."""
        question, runs = self._parsed(text), printed_runs(self._request.message)
        return replace(question, printed=runs) if len(" ".join(runs).split()) > 1 else question

    def _seems_absent(
        self, question: Question, terms: Sequence[Term], signs: AnswerFeatures, *, is_literal: bool
    ) -> bool:
        """Return whether the signs say that the index does not contain what is asked."""
        absent = presence(signs) < FLOOR and not is_literal
        if absent and self._request.discussed:
            absent = not self._reader.names.definitions(map(str.lower, self._request.discussed), 1)
        absent = absent or (
            self._request.may_be_general
            and not (question.versions and Intent.HISTORY in question.intents)
            and not _ASKS_WHERE.search(self._request.judged or self._request.question)
            and not self._is_named(terms)
        )
        return absent and not (self._language and self._is_named_abroad(question, terms, self._language))

    def _lacks_member(self, text: str, results: _RankerResults) -> bool:
        """Return whether the question names a member, as in ``IOLoop.call_every``, that nothing here has, nor one that
        is a slip away: its words may well be everywhere.
        """
        if self._reader.is_narrowed:
            return False
        return any(not self._is_slip(name, results) for name in unknown_members(text, self._reader))

    def _read_words(self) -> tuple[str, str, Known, dict[str, str]]:
        """Return the question and what it is judged by, both without slips of the keyboard, their words' frequencies,
        and what was read as what.
        """
        text, judged = self._request.question, self._request.judged
        joined = in_one_word(text, self._reader) if len(text) <= LONGEST_SUBJECT else {}
        for pair, whole in joined.items():
            text, judged = text.replace(pair, whole), judged.replace(pair, whole)
        if joined:
            self._question = self._question_of(text)
        words = (*self._question.words, *(self._parsed(judged).words if judged else ()))
        known = known_words(words, self._items, self._reader)
        read = corrections(text, self._question, known.frequency, self._reader)
        if read:
            text, judged = corrected(text, read), corrected(judged, read)
            self._question = self._question_of(text)
            words = (*self._question.words, *(self._parsed(judged).words if judged else ()))
            known = known_words(words, self._items, self._reader)
        return text, judged, known, joined | read

    def _is_defined(self, question: Question, text: str, terms: Sequence[Term], results: _RankerResults) -> bool:
        """Return whether every name that the question writes as code is defined here, or is one stroke from a name
        that is. A capitalized word counts as such a name where the question is about nothing else.
        """
        names = set(question.identifiers)
        if not names:
            subjects = {term.word for term in telling_terms(question, terms) if not is_request_word(term.word)}
            names = {name for name in IDENTIFIER.findall(text) if name.lower() in question.proper & subjects}
            if {name.lower() for name in names} != subjects:
                return False
        defined = {hit.name for hit in self._reader.names.definitions({name.lower() for name in names})}
        return bool(names) and all(name in defined or self._is_slip(name, results) for name in names)

    def _is_slip(self, name: str, results: _RankerResults) -> bool:
        """Return whether a defined name is one stroke away. No, and noted, where the query exceeds its budget."""
        try:
            near = self._reader.names.similar_names(name, SIMILAR_READ) if len(name) >= SHORTEST_SLIP else ()
        except QueryBudgetError:
            results.states["similar"] = OVER_BUDGET
            return False
        return any(is_one_stroke(name, one.name) for one in near)

    def _has_part(self, text: str, frequency: Mapping[str, int], found: FilesFound) -> bool:
        """Return whether one of several questions in the text is answered here."""
        for part in separate_questions(text):
            asked = parse_question(part)
            terms = weigh_terms(asked.words, frequency, self._items)
            own = [term for term in telling_terms(asked, terms) if not is_request_word(term.word)]
            if any(term.frequency for term in own) and presence(answer_features(asked, terms, found)) >= FLOOR:
                return True
        return False

    def _is_named_abroad(self, question: Question, terms: Sequence[Term], language: str) -> bool:
        """Return whether a name of the index bears out a question in another language: its unknown words are of that
        language and carry no meaning, but for a name, or a word of a path, that the index does not have. German writes
        every noun like a name.
        """
        names = {word.lower() for path in question.paths for word in _WORD.findall(path)}
        names |= question.proper if language != "German" else frozenset()
        if any(term.word in names and not term.frequency for term in terms):
            return False
        known = [term for term in terms if term.frequency and not is_request_word(term.word)]
        return self._is_named(known) or any(map(self._names_something, known))

    def _is_named(self, terms: Sequence[Term]) -> bool:
        """Return whether names of the index bear out a question that may be about anything: many of its words are
        known, or most of their weight is in names of definitions and paths.
        """
        telling = [term for term in terms if term.word not in COMPARING_WORDS]
        # "the default port": where every word may ask of anything, the one that may be an act as well is a thing.
        subjects = [term for term in telling if not is_request_word(term.word)] or [
            term for term in telling if term.word not in REQUEST_WORDS
        ]
        known = [term for term in subjects if term.frequency]
        if len(known) >= WORDS_OF_A_SUBJECT or not subjects:
            return bool(known)
        named = sum(term.weight for term in known if self._names_something(term))
        # A question of three known words may have others that paraphrase; a shorter one is about all of its words.
        return named > NAMED_SHARE * sum(term.weight for term in (subjects if len(known) < 3 else known))

    def _names_something(self, term: Term) -> bool:
        if term.frequency > MAX_POSTINGS:
            return True
        try:
            return self._reader.text.occurs(f"{{names path}} : {any_of([term.word])}")
        except QueryBudgetError:
            return True

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
        files: Sequence[tuple[Fused, float]],
        best: FirstStage,
        *,
        priors: Mapping[int, Prior],
        k: int,
    ) -> tuple[Ranked, ...]:
        chosen = self._places(query, results, files, best, k)
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
        word = self._question.word
        # What is only called after a word is one of the places that have it.
        is_after = bool(word) and not word_definitions(word, self._reader)
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
