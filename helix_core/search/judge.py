"""Judge an answer: whether the index has what the question asks for, and how surely its first place is the right one.

In: what is known of the answer (``AnswerSigns``). Out: whether it seems to be none, and its confidence with the notes
that its bounds call for. Looks names up in the index.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from helix_core.conversation import Coordinate
from helix_core.model import Ranked, Role
from helix_core.search.asked_names import apart_note, asked_nowhere, foreign_notes, nowhere_notes
from helix_core.search.confidence import (
    FLOOR,
    AnswerFeatures,
    FilesFound,
    answer_features,
    confidence,
    place,
    presence,
    telling_terms,
    without_acts,
    without_manner,
)
from helix_core.search.known_words import MAX_POSTINGS, verbatim_chunks
from helix_core.search.named import (
    HEADING,
    NAMED_CONFIDENCE,
    OF_DOCUMENTS,
    ConfidenceBounds,
    has_line,
    settle,
    unknown_members,
)
from helix_core.search.question import (
    REQUEST_WORDS,
    Intent,
    Question,
    Term,
    any_of,
    is_request_word,
    parse_question,
    weigh_terms,
)
from helix_core.search.rankers import OVER_BUDGET, WordPlaces
from helix_core.search.several_questions import separate_questions
from helix_core.search.spelling import is_bold, is_one_stroke, slips
from helix_core.store import QueryBudgetError, Reader
from helix_core.tuples import NamedTuple
from helix_core.words import IDENTIFIER, is_compound, lazy_pattern, split_identifier

_WORD = re.compile(r"\w+")
_VERSION = lazy_pattern(r"(?<![\w.])v?\d{1,4}\.\d")
_MEMBER = lazy_pattern(r"(?<=\w)(?:\.|::|#)([A-Za-z_]\w*)", cues=".|::|#")
_ASKS_OF_FILES = lazy_pattern(
    r"(?i)\bwhere(?:['’]?s| is| are| was| were| does?| do| did| in)? (?!(?:i|can i|you|we)\b)|\bwhere\b\W*$"
    r"|\bwhat happens (?:after|during|if|on|once|to|when|with)\b",
    cues="where|what happens",
)
"""A question for a place, or for what happens on an event, is one of the files, where they have what it names; general
knowledge has no places.
"""
WORDS_OF_A_SUBJECT = 4
"""So many known words are about this index: small talk and general knowledge share fewer with a project."""
NAMED_SHARE = 0.5
FIRST_NAMED_SHARE = 0.5
"""A first place whose name is so much of the question is no doubtful one."""
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
WORDS_BESIDE_A_VERSION = 3
"""With more words a question asks what became of something, not what a version brought."""
SIMILAR_READ = 5
SHORTEST_SLIP = 6
ABSENT_CONFIDENCE = 0.29
"""Just below the threshold of a verified verdict: results of an absent answer are never shown as verified."""
SAID_CONFIDENCE = 0.5
"""Below this confidence an answer says why it may be none: the question's language, or that it is perhaps not here."""
DOUBT = 0.9
"""Below this presence, and not below ``FLOOR``, about half of the questions have no answer in the index."""
DOUBTED_CONFIDENCE = 0.5
"""Most confidence below ``DOUBT``, where an answer says that it is perhaps not here: one of three is right."""
_OF_DOCUMENTS_FOUND = frozenset({Intent.OVERVIEW, Intent.SETUP, Intent.TESTING, Intent.PACKAGES, Intent.RELEASING})
"""The intents of the whole project that a document of it answers wherever it is found."""
LOOSE_CONFIDENCE = 0.69
"""Most confidence where a word was guessed or the text of a piece of code is nowhere, and least for what the question
names of the whole project.
"""
NO_AUTHORS_NOTE = "no file here says who wrote this; `git shortlog -sn` does"


def no_version_note(version: str) -> str:
    """Return the sentence for a version of which no changelog has anything."""
    return f"no changelog or release notes here have anything on version {version}"


NO_FRAGMENT_NOTE = "nothing here has this text as it stands; these places have its words"


def guess_note(guess: tuple[str, str]) -> str:
    """Return the sentence that tells what an unknown word was taken for."""
    typed, meant = guess
    return f'{typed} is not in the index and was read as "{meant}"'


def _with_guesses(settled: ConfidenceBounds, guesses: Mapping[str, str]) -> ConfidenceBounds:
    """Return the bounds with the notes that tell what unknown words were taken for, and less sure of a name: another
    may be meant.
    """
    at_most = LOOSE_CONFIDENCE if any(map(is_bold, guesses.values())) else 1.0
    notes = (*map(guess_note, guesses.items()), *settled.notes)
    return settled._replace(at_most=min(settled.at_most, at_most), notes=notes)


def is_path_of(path: bytes, named: Sequence[str]) -> bool:
    """Return whether a path is one of those that a question names, or ends with it."""
    return any(path == name or path.endswith(b"/" + name) for name in map(str.encode, named))


def is_exact(one: Ranked) -> bool:
    """Return whether a result is one that the question names exactly."""
    return any(signal.ranker == "exact" for signal in one.signals)


class AnswerSigns(NamedTuple):
    """What is known of an answer, before it is judged.

    Attributes:
        text: The part of the question that is judged, as text.
        question: The same, parsed.
        terms: All its words with their frequencies.
        word: The places of the one word that it asks for.
        frequency: How many chunks have each word.
        files: The first stage's result.
        features: The features of the confidence model.
        places: The places that coordinates of a paste name.
        is_printed: The first place prints the message of a paste.
        is_literal: One file has every word of a name: it is here, wherever it occurs, and only the place is open.
        is_overview: The first places are those of the whole project, or the manifest of a toolchain.
        by_meaning: A model that knows the question's language found the places.
        has_path: A file has the path that the question names.
    """

    text: str
    question: Question
    terms: tuple[Term, ...]
    word: WordPlaces
    frequency: Mapping[str, int]
    files: FilesFound
    features: AnswerFeatures
    places: Sequence[Ranked]
    is_printed: bool
    is_literal: bool
    is_overview: bool
    by_meaning: bool
    has_path: bool

    @property
    def is_certain(self) -> bool:
        """Whether something else than the words of the question says that this is an answer."""
        return bool(self.places) or self.is_overview or self.by_meaning or self.is_printed


class Sureness(NamedTuple):
    """The confidence of an answer, with its bounds; of a doubtful one it cannot be known whether it
    answers the question. ``is_first_named``: the question is mostly the name of its first place.
    """

    confidence: float
    bounds: ConfidenceBounds
    is_doubtful: bool
    is_first_named: bool


class AskedAbout(NamedTuple):
    """What a caller says of a question besides its text.

    Attributes:
        asked: The part of it that is judged, as it was typed.
        language: Its language, empty for English.
        may_be_general: It may as well be about anything else: it is answered only where names of the index bear it out.
        discussed: Names that the conversation before it is about.
        is_own: It is a follow-up that is judged by its own words.
        coordinates: Those of a paste.
    """

    asked: str
    language: str
    may_be_general: bool
    discussed: Sequence[str]
    is_own: bool
    coordinates: Sequence[Coordinate]


def _owners_of(name: str, text: str) -> list[str]:
    """Return the names that stand before a member in the text, joined to it."""
    return _WORD.findall(" ".join(re.findall(rf"([\w.:#]+?)(?:\.|::|#){re.escape(name)}\b", text)))


def _is_name(word: str, question: Question, subjects: Collection[str]) -> bool:
    """Return whether a word that is asked about is a name: capitalized, or with a digit, as ``fuzzymatchv2``."""
    is_typed_as_one = word.lower() in question.proper or any(map(str.isdigit, word))
    return is_typed_as_one and word.lower() in subjects


def _parts_of_name(name: str) -> set[str]:
    return {part for part in split_identifier(name) if part != name.lower()}


def _names_unknown(question: Question, terms: Sequence[Term]) -> bool:
    """Return whether a question asks for something that the index does not know."""
    told = telling_terms(question, terms)
    return any(not term.frequency and not is_request_word(term.word) for term in told)


class AnswerJudge:
    """Judges the answer to one question. ``states`` are those of the rankers; a look-up over its budget is noted."""

    def __init__(self, about: AskedAbout, reader: Reader, items: int, states: dict[str, str]) -> None:
        self._about, self._reader, self._items, self._states = about, reader, items, states
        self._language = about.language
        self._defined = frozenset[str]()
        self._is_all_defined = False
        self._nowhere: list[str] = []
        self._version = ""

    def absence(self, signs: AnswerSigns, ranked: Sequence[Ranked]) -> tuple[bool, frozenset[int]]:
        """Return whether the index seems not to have what is asked, and the chunks that have the question word for
        word, looked up only where it seems so.
        """
        seems_empty, verbatim = not ranked or (not signs.is_certain and self._seems_absent(signs)), frozenset[int]()
        if seems_empty and ranked:
            verbatim = verbatim_chunks(signs.text, self._reader)
            is_known = signs.has_path or verbatim or (signs.question.versions and is_exact(ranked[0]))
            self._is_all_defined = not is_known and self._is_defined(signs)
            seems_empty = not (is_known or self._is_all_defined or self._has_part(signs))
        may_lack = not (signs.places or self._reader.is_narrowed)
        unknown = unknown_members(signs.text, self._reader) if seems_empty or may_lack else []
        # The words of a member that nothing here has, as in ``IOLoop.call_every``, may well be everywhere.
        seems_empty = seems_empty or (may_lack and not all(map(self._is_slip, unknown)))
        if not (signs.is_certain or signs.has_path or verbatim):
            self._nowhere = asked_nowhere(signs.text, signs.question, signs.frequency, self._reader)
        if ranked and self._lacks_version(signs, ranked):
            return True, verbatim
        if seems_empty and ranked and not self._nowhere:
            self._defined = self._defined_names(signs, unknown)
        return bool(self._nowhere) or (seems_empty and not self._defined), verbatim

    def sureness(
        self,
        signs: AnswerSigns,
        ranked: Sequence[Ranked],
        taken_for: Mapping[str, str],
        *,
        seems_empty: bool,
        is_verbatim: bool,
        with_model: bool,
    ) -> Sureness:
        """Return how sure the answer is: the model's confidence within the bounds of facts, less where it is doubtful.

        Args:
            signs: What is known of the answer.
            ranked: The answer, best first.
            taken_for: What was read as what.
            seems_empty: Whether the index seems not to have what is asked.
            is_verbatim: Whether the first place has the whole question word for word.
            with_model: Whether a model's vectors served.
        """
        of_names = settle(signs.text, signs.question, signs.terms, ranked, word=signs.word, reader=self._reader)
        bounds = _with_guesses(self._settled(of_names, signs, ranked, is_verbatim=is_verbatim), slips(taken_for))
        model = place if signs.is_literal or signs.is_overview else confidence
        sure = bounds.bound(model(signs.features, with_model=with_model))
        if ranked and ranked[0].item.name in self._defined:
            sure = max(sure, min(SAID_CONFIDENCE, bounds.at_most))
            bounds = bounds._replace(notes=(*bounds.notes, *foreign_notes(signs.question, signs.frequency)))
        if self._version:
            bounds = bounds._replace(notes=(no_version_note(self._version), *bounds.notes))
        if self._nowhere:
            bounds = bounds._replace(notes=(*nowhere_notes(self._nowhere, signs.question, self._reader), *bounds.notes))
        elif not seems_empty and (apart := apart_note(signs.text, signs.question, signs.frequency, self._reader)):
            bounds = bounds._replace(notes=(apart, *bounds.notes))
        # What a name of the question settles is no matter of its words.
        is_known = seems_empty or signs.is_certain or signs.is_literal or signs.has_path or is_verbatim
        is_known = is_known or bounds.at_least > LOOSE_CONFIDENCE
        is_doubtful = not is_known and presence(signs.features) < DOUBT
        most = ABSENT_CONFIDENCE if seems_empty else DOUBTED_CONFIDENCE if is_doubtful else 1.0
        return Sureness(min(sure, most), bounds, is_doubtful, is_doubtful and self._names_first(signs, ranked))

    def _lacks_version(self, signs: AnswerSigns, ranked: Sequence[Ranked]) -> bool:
        """Return whether a question for what a version brought names one that no history of the project has."""
        question = signs.question
        numbers = [version for version in question.versions if version[0].isdigit()]
        if Intent.HISTORY not in question.intents or len(numbers) != 1 or self._reader.is_narrowed:
            return False
        if is_exact(ranked[0]) or signs.places or len(question.words) > WORDS_BESIDE_A_VERSION:
            return False
        try:
            histories = [one.id for one in self._reader.files.profiles() if one.role is Role.HISTORY]
            chunks = self._reader.text.chunks_in(histories)
            versions = [name for own in chunks.values() for one in own if _VERSION.search(name := one.name) is not None]
            # Where sections are called after versions, a text with the same digits, as of 1.7.0 for 7.0, is none.
            written = re.compile(rf"(?<![\w.]){re.escape(numbers[0])}(?!\w)|(?<!\w)v{re.escape(numbers[0])}(?!\w)")
            found = any(map(written.search, versions)) or (
                not versions and bool(self._reader.text.matches_in(any_of(numbers), histories, 1))
            )
        except QueryBudgetError:
            return False
        self._version = "" if found else numbers[0]
        return not found

    def _names_first(self, signs: AnswerSigns, ranked: Sequence[Ranked]) -> bool:
        """Return whether the name of the first place, with that of its file, is most of what the question asks for,
        all of which is known: "Importer trait", "gthread worker".
        """
        subjects = [one for one in telling_terms(signs.question, signs.terms) if not is_request_word(one.word)]
        if not ranked or not subjects or not all(one.frequency for one in subjects):
            return False
        item = ranked[0].item
        file_name = item.source.source_id.rpartition("/")[2].partition(".")[0]
        names = {name for name in (item.name, file_name) if name}
        stems = frozenset().union(*self._reader.words.stems(names).values())
        named = sum(one.weight for one in subjects if stems.issuperset(self._reader.words.tokens(one.word)))
        return named >= FIRST_NAMED_SHARE * sum(one.weight for one in subjects)

    def _settled(
        self,
        of_names: ConfidenceBounds,
        signs: AnswerSigns,
        ranked: Sequence[Ranked],
        *,
        is_verbatim: bool,
    ) -> ConfidenceBounds:
        """Return the bounds that facts put on the confidence: coordinates, the text that prints a message, a path that
        the question names, the whole question word for word in the first place or as its name, names.
        """
        judged = signs.question
        if Intent.AUTHORSHIP in judged.intents and not (ranked and is_exact(ranked[0])):
            return ConfidenceBounds(at_most=ABSENT_CONFIDENCE, notes=(NO_AUTHORS_NOTE,))
        if ranked and is_exact(ranked[0]) and judged.intents & _OF_DOCUMENTS_FOUND:
            return of_names._replace(at_least=LOOSE_CONFIDENCE, at_most=1.0)
        if signs.places:
            return ConfidenceBounds(NAMED_CONFIDENCE if has_line(signs.places[0], self._about.coordinates) else 0.0)
        if signs.is_printed:
            return ConfidenceBounds(NAMED_CONFIDENCE, notes=of_names.notes)
        if judged.fragment and not (ranked and is_exact(ranked[0])):
            return of_names._replace(at_most=min(of_names.at_most, LOOSE_CONFIDENCE), notes=(NO_FRAGMENT_NOTE,))
        is_all_said = is_verbatim or (self._is_all_defined and bool(ranked) and is_exact(ranked[0]))
        if is_all_said or (ranked and is_path_of(ranked[0].item.source.path, judged.paths)):
            return of_names._replace(at_least=max(of_names.at_least, min(SAID_CONFIDENCE, of_names.at_most)))
        return of_names

    def _seems_absent(self, signs: AnswerSigns) -> bool:
        """Return whether the signs say that the index does not contain what is asked."""
        question, terms = signs.question, signs.terms
        absent = presence(signs.features) < FLOOR and not signs.is_literal
        if absent and self._about.discussed and not (self._about.is_own and _names_unknown(question, terms)):
            absent = not self._reader.names.definitions(map(str.lower, self._about.discussed), 1)
        absent = absent or (
            self._about.may_be_general
            and not (question.versions and Intent.HISTORY in question.intents)
            and not _ASKS_OF_FILES.search(self._about.asked)
            and not self._is_named(terms)
            and not self._is_named(without_acts(question, without_manner(question, terms)))
        )
        return absent and not (self._language and self._is_named_abroad(question, terms, self._language))

    def _is_defined(self, signs: AnswerSigns) -> bool:
        """Return whether every name that the question writes as code is defined here, or is one stroke from a name
        that is. A capitalized word counts as such a name where the question is about nothing else.
        """
        question, names = signs.question, set(signs.question.identifiers)
        if not names:
            subjects = {term.word for term in telling_terms(question, signs.terms) if not is_request_word(term.word)}
            names = {name for name in IDENTIFIER.findall(signs.text) if _is_name(name, question, subjects)}
            if {name.lower() for name in names} != subjects.difference(*map(_parts_of_name, names)):
                return False
        hits = self._reader.names.definitions({name.lower() for name in names})
        # What only a heading is called after is written about; it is here where nothing else is asked.
        is_about = bool(question.subject) or not question.intents.isdisjoint(OF_DOCUMENTS)
        defined = {hit.name for hit in hits if is_about or hit.kind != HEADING}
        # Who types a name in lower case means one that is written in any.
        in_lower_case = {name.lower() for name in defined}
        return bool(names) and all(name in defined or name in in_lower_case or self._is_slip(name) for name in names)

    def _defined_names(self, signs: AnswerSigns, unknown: Sequence[str]) -> frozenset[str]:
        """Return what code defines of the names that the question writes as only code has them, whatever else it names:
        "why does write_chunk break our KafkaProducer?" has an answer here. An owner whose member is unknown, or a word
        that no file has, is none.
        """
        nowhere = {name for name in _MEMBER.findall(signs.text) if signs.frequency.get(name.lower(), 1) == 0}
        lacked = nowhere.union(unknown)
        names = {name for name in signs.question.identifiers if is_compound(name)}.difference(
            lacked, *(_owners_of(name, signs.text) for name in lacked)
        )
        hits = self._reader.names.definitions({name.lower() for name in names}) if names else ()
        return frozenset(hit.name for hit in hits if hit.name in names and hit.kind != HEADING)

    def _is_slip(self, name: str) -> bool:
        """Return whether a defined name is one stroke away. No, and noted, where the query exceeds its budget."""
        try:
            near = self._reader.names.similar_names(name, SIMILAR_READ) if len(name) >= SHORTEST_SLIP else ()
        except QueryBudgetError:
            self._states["similar"] = OVER_BUDGET
            return False
        return any(is_one_stroke(name, one.name) for one in near)

    def _has_part(self, signs: AnswerSigns) -> bool:
        """Return whether one of several questions in the text is answered here."""
        for part in separate_questions(signs.text):
            asked = parse_question(part)
            terms = weigh_terms(asked.words, signs.frequency, self._items)
            own = [term for term in telling_terms(asked, terms) if not is_request_word(term.word)]
            if any(term.frequency for term in own) and presence(answer_features(asked, terms, signs.files)) >= FLOOR:
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
