"""The second stage: score every place inside the best files, and choose the places and lines to show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import mul

from helix_core.model import LineSpan, SourceKind
from helix_core.search.line_weights import VECTORS, WORDS
from helix_core.search.question import K1, B, Intent, Term, any_of
from helix_core.search.rankers import RankerInput, Votes
from helix_core.store.hits import Weights
from helix_core.store.lexical import FileChunk, MatchCounts, PhraseOffsets

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
    places: Sequence[FileChunk]
    counts: Mapping[int, MatchCounts]


@dataclass(frozen=True, slots=True)
class StageInput:
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

    place: FileChunk
    file_rank: int
    score: float


def rescore(files: Sequence[BestFile], heard: StageInput) -> list[Scored]:
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


def signs_of(files: Sequence[BestFile], heard: StageInput) -> list[tuple[tuple[int, FileChunk], tuple[float, ...]]]:
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


def _worth_a_look(file: BestFile, named: frozenset[int], standard: Mapping[int, float]) -> Sequence[FileChunk]:
    """The places of a file that hold a word of the question, are named by it or are like it; all where none is."""
    return [
        place
        for place in file.places
        if place.id in file.counts or place.id in named or standard.get(place.id, 0.0) >= LIKE
    ] or file.places


def _form(place: FileChunk) -> tuple[float, ...]:
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


def _fits_of_names(heard: StageInput) -> dict[str, float]:
    """How much of the question each name tells, 0..1, in the weights of its words."""
    stems = heard.stems
    told = sum(stems.values()) or 1.0
    return {
        name: sum([stems[stem] for stem in parts if stem in stems]) / told for name, parts in heard.stems_of.items()
    }


class _Family:
    """Who stands inside whom: a method's class speaks for it, a class's best method for the class."""

    def __init__(self, places: Sequence[FileChunk], words: Mapping[int, tuple[float, float]]) -> None:
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

    def owner(self, place: FileChunk) -> float:
        return self._words.get(self._heads.get(place.breadcrumb, 0), _NO_WORDS)[0] if place.breadcrumb else 0.0

    def best_member(self, place: FileChunk) -> float:
        return self._members.get(self._owned.get(place.id, ""), 0.0)


def _standardised(similarity: Mapping[int, float]) -> dict[int, float]:
    """Cosines as standard deviations from their mean: models differ in what a high cosine is, not in who is ahead."""
    if not similarity:
        return {}
    mean = sum(similarity.values()) / len(similarity)
    spread = math.sqrt(sum((value - mean) ** 2 for value in similarity.values()) / len(similarity)) or 1.0
    return {id_: (value - mean) / spread for id_, value in similarity.items()}


ITEMS_PER_FILE = 3
NEXT_ITEM_FACTOR = 0.75
GROUP = 5
LINES_SHOWN = 120
LONGEST = 60
HEAD_LINES = 4
HEAD_SHARE = 0.5
"""What the head of a definition is worth beside the words found elsewhere in it, as a share of all that is found."""


@dataclass(frozen=True, slots=True)
class ChosenSpan:
    """A chunk chosen for the answer and the score of its place; ``lines`` where not the whole chunk is meant."""

    item_id: int
    source_id: int
    score: float
    lines: LineSpan | None = None


def choose_places(
    files: Sequence[tuple[int, float]], items: Mapping[int, Sequence[tuple[int, float]]], limit: int
) -> list[ChosenSpan]:
    """At most ``limit`` places, best first.

    ``files`` are ``(source id, score)`` best first; ``items`` the ``(item id, score)`` of each file, best first. The
    best chunk of a file has the file's score; each next one at most three quarters of the one before it, less when it
    matches less, so that other files that match come first. Equal places keep the order of their files.
    """
    places: list[ChosenSpan] = []
    for source_id, score in files:
        own = items.get(source_id, ())[:ITEMS_PER_FILE]
        for place, (item_id, item_score) in enumerate(own):
            share = item_score / own[0][1] if own[0][1] > 0 else 1.0
            factor = NEXT_ITEM_FACTOR**place * share if place else 1.0
            places.append(ChosenSpan(item_id, source_id, score * factor))
    places.sort(key=lambda place: -place.score)
    return places[:limit]


def spread(scored: Sequence[Scored], limit: int) -> list[Scored]:
    """At most ``limit`` of the places, in the order they are shown.

    The best file's best place leads. The first ``GROUP`` are the likeliest of the ``GROUP`` best files, at most
    ``ITEMS_PER_FILE`` of one; then comes each file that was not yet shown, in its order, and then the rest.
    """
    order = sorted(scored, key=lambda one: -one.score)
    first = next((one for one in order if one.file_rank == 0), None)
    order = [first, *(one for one in order if one is not first)] if first is not None else order
    shown: list[Scored] = []
    taken: dict[int, int] = {}

    def show(one: Scored) -> None:
        shown.append(one)
        taken[one.file_rank] = taken.get(one.file_rank, 0) + 1

    for one in order:
        if one.file_rank >= GROUP or len(shown) >= min(GROUP, limit):
            continue
        if taken.get(one.file_rank, 0) < ITEMS_PER_FILE:
            show(one)
    for one in sorted(order, key=lambda one: one.file_rank):
        if len(shown) < limit and one.file_rank not in taken:
            show(one)
    seen = {one.place.id for one in shown}
    for one in order:
        if len(shown) < limit and one.place.id not in seen and taken[one.file_rank] < ITEMS_PER_FILE:
            show(one)
    return shown


def falling(places: Sequence[ChosenSpan]) -> list[ChosenSpan]:
    """The places in their order, none with a higher score than the one before it."""
    found: list[ChosenSpan] = []
    for place in places:
        found.append(replace(place, score=min(place.score, found[-1].score)) if found else place)
    return found


def shares(lengths: Sequence[int], total: int = LINES_SHOWN, longest: int = LONGEST) -> list[int]:
    """How many lines each may show when all together show at most ``total``: short ones all, long ones equally many."""
    wanted = [min(length, longest) for length in lengths]
    left, cap = total, longest
    for number, length in enumerate(sorted(wanted)):
        cap = left // (len(wanted) - number)
        if length > cap:
            break
        left -= length
    else:
        return wanted
    return [min(length, cap) for length in wanted]


def narrow(place: FileChunk, count: int, spots: PhraseOffsets | None, weights: Sequence[float]) -> LineSpan | None:
    """The ``count`` lines of a place that hold most of the question; None where that is all of it.

    ``weights`` is what each phrase of ``spots`` tells. A definition begins where its head is, unless what is found
    further down outweighs it. Where a word stands is known in tokens, so a line is an estimate.
    """
    lines = place.end_line - place.start_line + 1
    if count >= lines:
        return None
    found = _found_lines(lines, spots) if spots is not None else []
    has_head = bool(place.name) and place.name in place.defines
    best, start = -1.0, 0
    for first in range(lines - count + 1):
        held = {phrase for phrase, line in found if first <= line < first + count}
        value = sum(weights[phrase] for phrase in held if phrase < len(weights))
        if first == 0:
            value += HEAD_SHARE * sum(weights) if has_head else 0.0
        if value > best:
            best, start = value, first
    return LineSpan(place.start_line + start, place.start_line + start + count - 1)


def _found_lines(lines: int, spots: PhraseOffsets) -> list[tuple[int, int]]:
    """``(phrase, line from 0)``: comments and docstrings are taken to stand between the head and the body."""
    total = max(1, spots.body_tokens + spots.doc_tokens)
    head = min(spots.body_tokens, max(1, spots.body_tokens * HEAD_LINES // max(lines, HEAD_LINES)))
    found = []
    for phrase, offset in spots.body:
        at = offset if offset < head else offset + spots.doc_tokens
        found.append((phrase, min(lines - 1, at * lines // total)))
    found += [(phrase, min(lines - 1, (head + offset) * lines // total)) for phrase, offset in spots.doc]
    return found


_BY_NAME = ("names", "exact", "tests")
_LOWEST_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Best:
    """What the first stage hands over: its files, best first, of what sort they are, and what every ranker said."""

    files: Sequence[tuple[int, float]]
    kinds: Mapping[int, SourceKind]
    votes: Mapping[str, Votes]


def point(asked: RankerInput, best: Best, limit: int) -> tuple[list[ChosenSpan], list[ChosenSpan]]:
    """At most ``limit`` places of the best files, in the order they are shown: until each file was shown once,
    and the further ones.

    Raises QueryBudgetError when reading the places takes too much work.
    """
    files = read_files(asked, best)
    scored = rescore(files, heard(asked, best.votes, files))
    shown = spread(scored, limit)
    lines = _lines(asked, shown)
    places: list[ChosenSpan] = []
    top = scored[0].score if scored else 0.0
    for one, span in zip(shown, lines, strict=True):
        share = max(_LOWEST_SHARE, min(1.0, 2.0 ** (one.score - top)))
        places.append(ChosenSpan(one.place.id, one.place.source_id, files[0].score * share, span))
    first = {place.source_id: number for number, place in reversed(list(enumerate(places)))}
    until = max(GROUP, max(first.values(), default=0) + 1)
    return places[:until], places[until:]


def read_files(asked: RankerInput, best: Best) -> list[BestFile]:
    """The best files with their places and what of the question those hold."""
    match = any_of(term.word for term in asked.terms)
    count = len(asked.terms)
    files = []
    wanted = best.files[:FILES_READ]
    chunks_in = asked.reader.text.chunks_in([source_id for source_id, _ in wanted])
    for source_id, score in wanted:
        places = chunks_in.get(source_id, [])
        counts = asked.reader.text.evidence_in(match, count, places, PLACE_WEIGHTS) if match else {}
        files.append(BestFile(source_id, score, best.kinds[source_id] is SourceKind.DOC, places, counts))
    return files


def heard(asked: RankerInput, votes: Mapping[str, Votes], files: Sequence[BestFile]) -> StageInput:
    """What the first stage knows of single places."""
    by_name = [item for name in _BY_NAME if name in votes for vote in votes[name].votes for item in vote.items]
    outright = [item for vote in votes["exact"].votes for item in vote.items] if "exact" in votes else []
    names = {name for file in files for place in file.places if place.id in file.counts for name in place.defines}
    return StageInput(
        terms=asked.terms,
        stems={stem: term.weight for term in asked.terms for stem in asked.reader.words.tokens(term.word)},
        stems_of=asked.reader.words.stems(names),
        chunks=votes["chunks"].item_scores if "chunks" in votes else {},
        phrases=votes["phrases"].item_scores if "phrases" in votes else {},
        named=frozenset(by_name),
        outright=frozenset(outright),
        similarity=_similarity(asked, files),
        asks_for_values=Intent.CONFIG in asked.question.intents,
    )


def _similarity(asked: RankerInput, files: Sequence[BestFile]) -> dict[int, float]:
    """The cosine of each place that has a vector; none where the question has none."""
    if asked.meaning is None:
        return {}
    return asked.meaning.similarities_in([file.source_id for file in files])


def _lines(asked: RankerInput, shown: Sequence[Scored]) -> list[LineSpan | None]:
    """Which lines of each place are shown; None where all of them are."""
    places = [one.place for one in shown]
    counts = [
        share
        for start in range(0, len(places), GROUP)
        for share in shares([_length(place) for place in places[start : start + GROUP]])
    ]
    long = [place.id for place, count in zip(places, counts, strict=True) if count < _length(place)]
    texts = {term.word: term.weight for term in asked.terms}
    most = max(texts.values(), default=1.0)
    texts.update({" ".join(words): 2 * most for words in asked.question.quoted})
    spots = asked.reader.text.phrase_offsets(any_of(texts), long) if long and texts else {}
    weights = tuple(texts.values())
    return [narrow(place, count, spots.get(place.id), weights) for place, count in zip(places, counts, strict=True)]


def _length(place: FileChunk) -> int:
    return place.end_line - place.start_line + 1
