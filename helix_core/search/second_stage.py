"""Inside the best files: every place is looked at again, by its own words, its name, its surroundings and its form.

The first stage finds files; what it knows of places is which chunks happened to match. Here all chunks of the best
files compete with each other. Signs in, one score a place out; the weights are fitted (``line_weights``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helix_core.search.line_weights import VECTORS, WORDS
from helix_core.search.terms import K1, B, Term
from helix_core.store.inside import FieldCounts, InnerPlace

FILES_READ = 8
BODY, DOC, NAMES, EXTRA = range(4)
_FIELD_WEIGHTS = (1.0, 1.5, 2.0, 1.0)
_FUNCTIONS = frozenset({"function", "method", "declaration"})
_CLASSES = frozenset({"class", "struct", "interface", "trait", "enum", "type", "object", "module", "namespace"})
_VALUES = frozenset({"constant", "field", "key", "table", "block", "entry", "macro"})
_SHORT_LINES = 3
NAMED_OUTRIGHT = 6.0
"""More than all other signs together: a place that the question names is the place."""


@dataclass(frozen=True, slots=True)
class BestFile:
    """A file of the first stage with its score there, its places, and what of the question they hold."""

    source_id: int
    score: float
    is_document: bool
    places: Sequence[InnerPlace]
    counts: Mapping[int, FieldCounts]


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
    weights = VECTORS if heard.similarity else WORDS
    scored = []
    for (rank, place), signs in signs_of(files, heard):
        score = sum(weights.get(name, 0.0) * value for name, value in signs.items())
        scored.append(Scored(place, rank, score + NAMED_OUTRIGHT * (place.id in heard.outright)))
    scored.sort(key=lambda one: (-one.score, one.file_rank, one.place.id))
    return scored


def signs_of(files: Sequence[BestFile], heard: Heard) -> list[tuple[tuple[int, InnerPlace], dict[str, float]]]:
    """The signs of each place, by name, with its file's rank."""
    standard = _standardised(heard.similarity)
    best_chunk, best_phrase = (max(known.values(), default=0.0) or 1.0 for known in (heard.chunks, heard.phrases))
    found = []
    for rank, file in enumerate(files):
        texts = {id_: _relevance(heard.terms, counts) for id_, counts in file.counts.items()}
        family = _Family(file.places, texts)
        of_file = {
            "file_score": math.log(max(file.score, 1e-9) / max(files[0].score, 1e-9)),
            "file_rank": -math.log1p(rank),
            "file_small": -math.log(max(len(file.places), 1)),
            "document": float(file.is_document),
        }
        for place in file.places:
            signs = {
                **of_file,
                **_form(place),
                "text": texts.get(place.id, 0.0),
                "covered": _covered(heard.terms, file.counts.get(place.id)),
                "name": _name_fit(place, heard) if place.id in file.counts else 0.0,
                "members": family.best_member(place),
                "owner": family.owner(place),
                "phrase": heard.phrases.get(place.id, 0.0) / best_phrase,
                "chunk": heard.chunks.get(place.id, 0.0) / best_chunk,
                "named": float(place.id in heard.named),
                "value_asked": float(heard.asks_for_values and place.kind in _VALUES),
                "similar": standard.get(place.id, 0.0),
            }
            found.append(((rank, place), signs))
    return found


def _form(place: InnerPlace) -> dict[str, float]:
    """What a place looks like, whatever was asked."""
    lines = place.end_line - place.start_line + 1
    is_definition = place.kind in _FUNCTIONS or place.kind in _CLASSES
    return {
        "length": math.log(lines),
        "short": float(lines <= _SHORT_LINES),
        "head": float(bool(place.name) and place.name in place.defines),
        "top_level": float(is_definition and not place.breadcrumb),
        "nested": float(place.kind in _FUNCTIONS and "." in place.breadcrumb),
        "test": float("tests" in place.breadcrumb.split(".") or place.name == "tests"),
        "dunder": float(place.name.startswith("__")),
        "imports": float(place.kind == "imports"),
        "macro": float(place.kind == "macro"),
        "value": float(place.kind in _VALUES),
    }


def _relevance(terms: Sequence[Term], counts: FieldCounts) -> float:
    """BM25 over the place's own fields, with the words' rarity in the whole index, as a share of the highest: 0..1."""
    total = sum(term.weight for term in terms)
    length = 1 - B + B * counts.length / max(1.0, counts.average_length)
    score = 0.0
    for term, by_column in zip(terms, counts.counts, strict=True):
        count = sum(weight * many for weight, many in zip(_FIELD_WEIGHTS, by_column, strict=False))
        score += term.weight * count / (count + K1 * length) if count else 0.0
    return score / total if total else 0.0


def _covered(terms: Sequence[Term], counts: FieldCounts | None) -> float:
    """How much of what the words tell the place holds at all, 0..1."""
    total = sum(term.weight for term in terms)
    if counts is None or not total:
        return 0.0
    held = zip(terms, counts.counts, strict=True)
    return sum(term.weight for term, by_column in held if any(by_column[:4])) / total


def _name_fit(place: InnerPlace, heard: Heard) -> float:
    """The share of what the question tells that is in one name the place defines."""
    total = sum(heard.stems.values())
    if not total:
        return 0.0
    fits = (sum(heard.stems.get(stem, 0.0) for stem in heard.stems_of.get(name, ())) for name in place.defines)
    return max(fits, default=0.0) / total


class _Family:
    """Who stands inside whom: a method's class speaks for it, a class's best method for the class."""

    def __init__(self, places: Sequence[InnerPlace], texts: Mapping[int, float]) -> None:
        self._texts = texts
        self._heads: dict[str, int] = {}
        self._members: dict[str, float] = {}
        for place in places:
            if place.name:
                own = f"{place.breadcrumb}.{place.name}" if place.breadcrumb else place.name
                self._heads.setdefault(own, place.id)
            if place.breadcrumb:
                best = self._members.get(place.breadcrumb, 0.0)
                self._members[place.breadcrumb] = max(best, texts.get(place.id, 0.0))

    def owner(self, place: InnerPlace) -> float:
        return self._texts.get(self._heads.get(place.breadcrumb, 0), 0.0) if place.breadcrumb else 0.0

    def best_member(self, place: InnerPlace) -> float:
        own = f"{place.breadcrumb}.{place.name}" if place.breadcrumb else place.name
        return self._members.get(own, 0.0) if own and self._heads.get(own) == place.id else 0.0


def _standardised(similarity: Mapping[int, float]) -> dict[int, float]:
    """Cosines as standard deviations from their mean: models differ in what a high cosine is, not in who is ahead."""
    if not similarity:
        return {}
    mean = sum(similarity.values()) / len(similarity)
    spread = math.sqrt(sum((value - mean) ** 2 for value in similarity.values()) / len(similarity)) or 1.0
    return {id_: (value - mean) / spread for id_, value in similarity.items()}
