"""Inside the best files: every place is looked at again, by its own words, its name, its surroundings and its form.

The first stage finds files; what it knows of places is which chunks happened to match. Here all chunks of the best
files compete with each other. Signs in, one score a place out; the weights are fitted (``line_weights``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul

from helix_core.search.line_weights import VECTORS, WORDS
from helix_core.search.terms import K1, B, Term
from helix_core.store.hits import Weights
from helix_core.store.lexical import InnerPlace, MatchCounts

FILES_READ = 8
PLACE_WEIGHTS = Weights(path=0.0, names=2.0, doc=1.5, body=1.0, extra=1.0)
"""What a word of a place counts, by where it stands; the path is the same for all places of a file."""
_FUNCTIONS = frozenset({"function", "method", "declaration"})
_CLASSES = frozenset({"class", "struct", "interface", "trait", "enum", "type", "object", "module", "namespace"})
_VALUES = frozenset({"constant", "field", "key", "table", "block", "entry", "macro"})
_SHORT_LINES = 3
_NO_WORDS = (0.0, 0.0)
LIKE = 1.0
"""How many standard deviations a place without a word of the question must stand out by meaning to be looked at."""
NAMED_OUTRIGHT = 6.0
"""More than all other signs together: a place that the question names is the place."""


@dataclass(frozen=True, slots=True)
class BestFile:
    """A file of the first stage with its score there, its places, and what of the question they hold."""

    source_id: int
    score: float
    is_document: bool
    places: Sequence[InnerPlace]
    counts: Mapping[int, MatchCounts]


@dataclass(frozen=True, slots=True)
class Heard:
    """What is known of places by their ids: the first stage's scores of chunks and of runs of words, the places that it
    found by name, those that the question names outright, and the cosines (none where there are no vectors).

    ``stems`` are the question's words as postings see them with what each tells; ``stems_of`` does that to names.
    """

    terms: Sequence[Term]
    stems: Mapping[str, float]
    stems_of: Mapping[str, frozenset[str]]
    chunks: Mapping[int, float]
    phrases: Mapping[int, float]
    named: frozenset[int]
    outright: frozenset[int]
    similarity: Mapping[int, float]
    asks_for_values: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """A place with its score; ``file_rank`` is its file's, 0 for the best."""

    place: InnerPlace
    file_rank: int
    score: float


def rescore(files: Sequence[BestFile], heard: Heard) -> list[Scored]:
    """Every place of the files, best first; equal ones in file order."""
    table = VECTORS if heard.similarity else WORDS
    weights = [table.get(name, 0.0) for name in SIGNS]
    scored = []
    for (rank, place), signs in signs_of(files, heard):
        outright = NAMED_OUTRIGHT if place.id in heard.outright else 0.0
        scored.append(Scored(place, rank, sum(map(mul, weights, signs)) + outright))
    scored.sort(key=lambda one: (-one.score, one.file_rank, one.place.id))
    return scored


_FILE_SIGNS = ("file_score", "file_rank", "file_small", "document")
_FORM_SIGNS = ("length", "short", "head", "top_level", "nested", "test", "dunder", "imports", "macro", "value")
_ASKED_SIGNS = ("text", "covered", "name", "members", "owner", "phrase", "chunk", "named", "value_asked", "similar")
SIGNS = (*_FILE_SIGNS, *_FORM_SIGNS, *_ASKED_SIGNS)
"""What speaks for or against a place, in the order of ``signs_of``."""


def signs_of(files: Sequence[BestFile], heard: Heard) -> list[tuple[tuple[int, InnerPlace], tuple[float, ...]]]:
    """The signs of each place, in the order of ``SIGNS``, with its file's rank."""
    standard = _standardised(heard.similarity)
    best_chunk, best_phrase = (max(known.values(), default=0.0) or 1.0 for known in (heard.chunks, heard.phrases))
    fits = _fits_of_names(heard)
    weights = [term.weight for term in heard.terms]
    found = []
    for rank, file in enumerate(files):
        words = {id_: _words_held(weights, counts) for id_, counts in file.counts.items()}
        family = _Family(file.places, words)
        of_file = (
            math.log(max(file.score, 1e-9) / max(files[0].score, 1e-9)),
            -math.log1p(rank),
            -math.log(max(len(file.places), 1)),
            float(file.is_document),
        )
        for place in _worth_a_look(file, heard.named, standard):
            id_ = place.id
            of_question = (
                *words.get(id_, _NO_WORDS),
                max([fits.get(name, 0.0) for name in place.defines], default=0.0) if id_ in words else 0.0,
                family.best_member(place),
                family.owner(place),
                heard.phrases.get(id_, 0.0) / best_phrase,
                heard.chunks.get(id_, 0.0) / best_chunk,
                float(id_ in heard.named),
                float(heard.asks_for_values and place.kind in _VALUES),
                standard.get(id_, 0.0),
            )
            found.append(((rank, place), (*of_file, *_form(place), *of_question)))
    return found


def _worth_a_look(file: BestFile, named: frozenset[int], standard: Mapping[int, float]) -> Sequence[InnerPlace]:
    """The places of a file that hold a word of the question, are named by it or are like it; all where none is."""
    return [
        place
        for place in file.places
        if place.id in file.counts or place.id in named or standard.get(place.id, 0.0) >= LIKE
    ] or file.places


def _form(place: InnerPlace) -> tuple[float, ...]:
    """What a place looks like, whatever was asked."""
    kind, name, breadcrumb = place.kind, place.name, place.breadcrumb
    lines = place.end_line - place.start_line + 1
    is_function = kind in _FUNCTIONS
    return (
        math.log(lines),
        float(lines <= _SHORT_LINES),
        float(bool(name) and name in place.defines),
        float(not breadcrumb and (is_function or kind in _CLASSES)),
        float(is_function and "." in breadcrumb),
        float(name == "tests" or ("tests" in breadcrumb and "tests" in breadcrumb.split("."))),
        float(name.startswith("__")),
        float(kind == "imports"),
        float(kind == "macro"),
        float(kind in _VALUES),
    )


def _words_held(weights: Sequence[float], found: MatchCounts) -> tuple[float, float]:
    """BM25 over the place's own fields, with the words' rarity in the whole index, as a share of the highest; and how
    much of what the words tell the place holds at all: both 0..1."""
    total = sum(weights)
    if not total:
        return _NO_WORDS
    saturation = K1 * (1 - B + B * found.length / max(1.0, found.average_length))
    score = held = 0.0
    for weight, count in zip(weights, found.counts, strict=True):
        if count:
            score += weight * count / (count + saturation)
            held += weight
    return score / total, held / total


def _fits_of_names(heard: Heard) -> dict[str, float]:
    """How much of the question each name tells, 0..1, in the weights of its words."""
    stems = heard.stems
    told = sum(stems.values()) or 1.0
    return {
        name: sum([stems[stem] for stem in parts if stem in stems]) / told for name, parts in heard.stems_of.items()
    }


class _Family:
    """Who stands inside whom: a method's class speaks for it, a class's best method for the class."""

    def __init__(self, places: Sequence[InnerPlace], words: Mapping[int, tuple[float, float]]) -> None:
        self._words = words
        self._heads: dict[str, int] = {}
        self._owned: dict[int, str] = {}
        self._members: dict[str, float] = {}
        for place in places:
            id_, around, name = place.id, place.breadcrumb, place.name
            own = f"{around}.{name}" if around and name else around or name
            if name and self._heads.setdefault(own, id_) == id_:
                self._owned[id_] = own
            if around and id_ in words:
                self._members[around] = max(words[id_][0], self._members.get(around, 0.0))

    def owner(self, place: InnerPlace) -> float:
        return self._words.get(self._heads.get(place.breadcrumb, 0), _NO_WORDS)[0] if place.breadcrumb else 0.0

    def best_member(self, place: InnerPlace) -> float:
        return self._members.get(self._owned.get(place.id, ""), 0.0)


def _standardised(similarity: Mapping[int, float]) -> dict[int, float]:
    """Cosines as standard deviations from their mean: models differ in what a high cosine is, not in who is ahead."""
    if not similarity:
        return {}
    mean = sum(similarity.values()) / len(similarity)
    spread = math.sqrt(sum((value - mean) ** 2 for value in similarity.values()) / len(similarity)) or 1.0
    return {id_: (value - mean) / spread for id_, value in similarity.items()}
