"""The second stage: score every chunk of the best files, and choose the chunks and lines to show."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from operator import mul

from helix_core.model import LineSpan, SourceKind
from helix_core.search.question import K1, B, Intent, Term, any_of, match_expression
from helix_core.search.rankers import RankerInput, Votes
from helix_core.search.weights import LINES_BY_WORDS, LINES_WITH_MODEL, LINES_WITH_VECTORS
from helix_core.search.whole_project import OF_THE_WHOLE
from helix_core.store import FileChunk, MatchCounts, PhraseOffsets, Weights
from helix_core.tuples import NamedTuple
from helix_core.words import split_identifier

FILES_READ = 8
PLACE_WEIGHTS = Weights(path=0.0, names=2.0, doc=1.5, body=1.0, extra=1.0)
"""Column weights inside a file; the path is equal for all chunks of a file, so it counts nothing."""
_FUNCTIONS = frozenset({"function", "method", "declaration"})
_CLASSES = frozenset({"class", "struct", "interface", "trait", "enum", "type", "object", "module", "namespace"})
_VALUES = frozenset({"constant", "field", "key", "table", "block", "entry", "macro"})
_SHORT_LINES = 3
_NO_WORDS = (0.0, 0.0)
_ELSEWHERE = frozenset({Intent.TESTS, Intent.DOCS, Intent.EXAMPLES, Intent.HISTORY})
LIKE = 1.0
"""Least similarity, in standard deviations, of a candidate chunk without a word of the question."""
NAMED_OUTRIGHT = 6.0
"""About what all other features give together: a chunk that the question names exactly nearly always comes first. The
place of an overview, whose words do not count, gets it more than once (``rankers.WHOLE``)."""


class BestFile(NamedTuple):
    """A file of the first stage with its score there, its chunks, and their counts of the question's words."""

    source_id: int
    score: float
    is_document: bool
    places: Sequence[FileChunk]
    counts: Mapping[int, MatchCounts]


class StageInput(NamedTuple):
    """What the first stage found out about chunks, by id: scores of chunks and of phrases, the chunks found by name,
    those that the question names exactly with their weights, 1 or more, and the cosines (none where there are no
    vectors), by a model or built-in.

    ``stems`` are the question's words as tokens with their IDF; ``stems_of`` are the tokens of names.
    """

    terms: Sequence[Term]
    stems: Mapping[str, float]
    stems_of: Mapping[str, frozenset[str]]
    chunks: Mapping[int, float]
    phrases: Mapping[int, float]
    named: frozenset[int]
    outright: Mapping[int, float]
    similarity: Mapping[int, float]
    with_model: bool
    asks_for_values: bool


class Scored(NamedTuple):
    """A chunk with its score; ``file_rank`` is its file's, 0 for the best."""

    place: FileChunk
    file_rank: int
    score: float


def rescore(files: Sequence[BestFile], stage: StageInput) -> list[Scored]:
    """Score every chunk of the files, best first; ties in file order."""
    table = table_for(stage)
    weights = [table.get(name, 0.0) for name in FEATURES]
    scored = []
    for (rank, place), signs in place_features(files, stage):
        outright = stage.outright.get(place.id, 0.0) * NAMED_OUTRIGHT
        scored.append(Scored(place, rank, sum(map(mul, weights, signs)) + outright))
    scored.sort(key=lambda one: (-one.score, one.file_rank, one.place.id))
    return scored


def table_for(stage: StageInput) -> Mapping[str, float]:
    """Return the weights for what is known of the chunks: words alone, or vectors too."""
    if not stage.similarity:
        return LINES_BY_WORDS
    return LINES_WITH_MODEL if stage.with_model else LINES_WITH_VECTORS


_FILE_SIGNS = ("file_score", "file_rank", "file_small", "document")
_FORM_SIGNS = ("length", "short", "head", "top_level", "nested", "test", "dunder", "imports", "macro", "value")
_ASKED_SIGNS = ("text", "covered", "name", "members", "owner", "phrase", "chunk", "named", "value_asked", "similar")
FEATURES = (*_FILE_SIGNS, *_FORM_SIGNS, *_ASKED_SIGNS)
"""Names of the features of a chunk, in the order of ``place_features``."""


def place_features(
    files: Sequence[BestFile], stage: StageInput
) -> list[tuple[tuple[int, FileChunk], tuple[float, ...]]]:
    """Return the features of each chunk, in the order of ``FEATURES``, with its file's rank."""
    standard = _standardised(stage.similarity)
    best_chunk, best_phrase = (max(known.values(), default=0.0) or 1.0 for known in (stage.chunks, stage.phrases))
    fit = _name_matches(stage).__getitem__
    weights = [term.weight for term in stage.terms]
    total = sum(weights)
    phrases, chunks, named = stage.phrases.get, stage.chunks.get, stage.named
    valued = _VALUES if stage.asks_for_values else frozenset[str]()
    found = []
    for rank, file in enumerate(files):
        words = {id_: _words_held(weights, total, counts) for id_, counts in file.counts.items()}
        best_member, owner = _inherited(file.places, words)
        of_file = (
            math.log(max(file.score, 1e-9) / max(files[0].score, 1e-9)),
            -math.log1p(rank),
            -math.log(max(len(file.places), 1)),
            float(file.is_document),
        )
        for place in _candidates(file, named, standard):
            id_ = place.id
            signs = (
                *of_file,
                *_layout_features(place),
                *words.get(id_, _NO_WORDS),
                max(map(fit, place.defines)) if id_ in words and place.defines else 0.0,
                best_member.get(id_, 0.0),
                owner.get(place.breadcrumb, 0.0),
                phrases(id_, 0.0) / best_phrase,
                chunks(id_, 0.0) / best_chunk,
                1.0 if id_ in named else 0.0,
                1.0 if place.kind in valued else 0.0,
                standard.get(id_, 0.0),
            )
            found.append(((rank, place), signs))
    return found


def _candidates(file: BestFile, named: frozenset[int], standard: Mapping[int, float]) -> Sequence[FileChunk]:
    """Return the chunks of a file that contain a word of the question, are named by it or are near it; all where
    none is.
    """
    return [
        place
        for place in file.places
        if place.id in file.counts or place.id in named or standard.get(place.id, 0.0) >= LIKE
    ] or file.places


def _layout_features(place: FileChunk) -> tuple[float, ...]:
    """Return the features of a chunk that do not depend on the question."""
    _, _, kind, name, breadcrumb, start_line, end_line, defines = place
    lines = end_line - start_line + 1
    is_function = kind in _FUNCTIONS
    return (
        math.log(lines),
        1.0 if lines <= _SHORT_LINES else 0.0,
        1.0 if name and name in defines else 0.0,
        1.0 if not breadcrumb and (is_function or kind in _CLASSES) else 0.0,
        1.0 if is_function and "." in breadcrumb else 0.0,
        1.0 if name == "tests" or ("tests" in breadcrumb and "tests" in breadcrumb.split(".")) else 0.0,
        1.0 if name.startswith("__") else 0.0,
        1.0 if kind == "imports" else 0.0,
        1.0 if kind == "macro" else 0.0,
        1.0 if kind in _VALUES else 0.0,
    )


def _words_held(weights: Sequence[float], total: float, found: MatchCounts) -> tuple[float, float]:
    """Return BM25 over the chunk's own fields, with IDF over the whole index, relative to the maximum; and the
    IDF-weighted share of the terms that the chunk contains: both 0..1. ``total`` is the sum of the weights.
    """
    if not total:
        return _NO_WORDS
    saturation = K1 * (1 - B + B * found.length / max(1.0, found.average_length))
    score = held = 0.0
    for weight, count in zip(weights, found.counts, strict=True):
        if count:
            score += weight * count / (count + saturation)
            held += weight
    return score / total, held / total


def _name_matches(stage: StageInput) -> dict[str, float]:
    """Return the share of the question, 0..1 by IDF, that each name's tokens cover."""
    stems = stage.stems
    told = sum(stems.values()) or 1.0
    return {
        name: sum([stems[stem] for stem in parts if stem in stems]) / told for name, parts in stage.stems_of.items()
    }


def _inherited(
    places: Sequence[FileChunk], words: Mapping[int, tuple[float, float]]
) -> tuple[dict[int, float], dict[str, float]]:
    """Return what chunks inherit, where that is not 0: by id the score of the best chunk in each, as of a class's best
    method, and by breadcrumb the score of what contains it, as of a method's class.
    """
    heads: dict[str, int] = {}
    members: dict[str, float] = {}
    for id_, _, _, name, around, *_ in places:
        if name:
            heads.setdefault(f"{around}.{name}" if around else name, id_)
        if around and id_ in words:
            members[around] = max(words[id_][0], members.get(around, 0.0))
    best_member = {heads[own]: score for own, score in members.items() if own in heads}
    return best_member, {own: words[id_][0] for own, id_ in heads.items() if id_ in words}


def _standardised(similarity: Mapping[int, float]) -> dict[int, float]:
    """Standardize cosines to zero mean and unit variance: models differ in what a high cosine is, not in the order."""
    if not similarity:
        return {}
    mean = sum(similarity.values()) / len(similarity)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in similarity.values()) / len(similarity)) or 1.0
    return {id_: (value - mean) / deviation for id_, value in similarity.items()}


ITEMS_PER_FILE = 3
NEXT_ITEM_FACTOR = 0.75
GROUP = 5
LINES_SHOWN = 120
LONGEST = 60
HEAD_LINES = 4
HEAD_SHARE = 0.5
"""Weight of a definition's head relative to the matches elsewhere in it, as a share of all matches."""


class ChosenSpan(NamedTuple):
    """A chunk chosen for the answer and its score; ``lines`` where only part of the chunk is shown."""

    item_id: int
    source_id: int
    score: float
    lines: LineSpan | None = None


def choose_places(
    files: Sequence[tuple[int, float]], items: Mapping[int, Sequence[tuple[int, float]]], limit: int
) -> list[ChosenSpan]:
    """Return at most ``limit`` spans, best first.

    ``files`` are ``(source id, score)`` best first; ``items`` the ``(item id, score)`` of each file, best first. The
    best chunk of a file has the file's score; each next one at most three quarters of the one before it, less when it
    matches less, so that other matching files come first. Ties keep the order of their files.
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


def diversify(scored: Sequence[Scored], limit: int, outright: Collection[int] = ()) -> list[Scored]:
    """Return at most ``limit`` of the chunks, in display order.

    The best file's best chunk leads, unless the best of all is one of ``outright``. The first ``GROUP`` are the best of
    the ``GROUP`` best files, at most ``ITEMS_PER_FILE`` of one; then comes each file not yet shown, in order, and then
    the rest.
    """
    order = sorted(scored, key=lambda one: -one.score)
    is_named = bool(order) and order[0].place.id in outright
    first = order[0] if is_named else next((one for one in order if one.file_rank == 0), None)
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


def monotone(places: Sequence[ChosenSpan]) -> list[ChosenSpan]:
    """Return the spans in their order, with no score higher than the one before it."""
    found: list[ChosenSpan] = []
    for place in places:
        most = found[-1].score if found else place.score
        found.append(place if place.score <= most else place._replace(score=most))
    return found


def shares(lengths: Sequence[int], total: int = LINES_SHOWN, longest: int = LONGEST) -> list[int]:
    """Distribute at most ``total`` lines: short chunks are shown whole, long ones get equal shares."""
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


def narrow(place: FileChunk, count: int, offsets: PhraseOffsets | None, weights: Sequence[float]) -> LineSpan | None:
    """Return the ``count`` lines of a chunk with most of the question; None where that is all of it.

    ``weights`` are those of the phrases of ``offsets``. A definition starts at its head, unless the matches further
    down outweigh it. Offsets are in tokens, so a line is an estimate.
    """
    lines = place.end_line - place.start_line + 1
    if count >= lines:
        return None
    found = _found_lines(lines, offsets) if offsets is not None else []
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


def _found_lines(lines: int, offsets: PhraseOffsets) -> list[tuple[int, int]]:
    """Estimate ``(phrase, line from 0)``: comments and docstrings are assumed between the head and the body."""
    total = max(1, offsets.body_tokens + offsets.doc_tokens)
    head = min(offsets.body_tokens, max(1, offsets.body_tokens * HEAD_LINES // max(lines, HEAD_LINES)))
    found = []
    for phrase, offset in offsets.body:
        at = offset if offset < head else offset + offsets.doc_tokens
        found.append((phrase, min(lines - 1, at * lines // total)))
    found += [(phrase, min(lines - 1, (head + offset) * lines // total)) for phrase, offset in offsets.doc]
    return found


_BY_NAME = ("names", "exact", "tests")
_LOWEST_SHARE = 0.02


class FirstStage(NamedTuple):
    """The first stage's result: its files, best first, their kinds, every ranker's votes, and what was read of the
    files.
    """

    files: Sequence[tuple[int, float]]
    kinds: Mapping[int, SourceKind]
    votes: Mapping[str, Votes]
    read: Sequence[BestFile] = ()


def choose_spans(query: RankerInput, best: FirstStage, limit: int) -> tuple[list[ChosenSpan], list[ChosenSpan]]:
    """Return at most ``limit`` spans of the best files in display order, in two parts: until each file was shown once,
    and the rest; ``best`` is read.

    Raises QueryBudgetError when reading the names exceeds the budget.
    """
    files = best.read
    stage = stage_input(query, best.votes, files)
    scored = rescore(files, stage)
    shown = diversify(scored, limit, stage.outright)
    lines = _lines(query, shown)
    places: list[ChosenSpan] = []
    top = scored[0].score if scored else 0.0
    for one, span in zip(shown, lines, strict=True):
        share = max(_LOWEST_SHARE, min(1.0, 2.0 ** (one.score - top)))
        places.append(ChosenSpan(one.place.id, one.place.source_id, files[0].score * share, span))
    first = {place.source_id: number for number, place in reversed(list(enumerate(places)))}
    until = max(GROUP, max(first.values(), default=0) + 1)
    return places[:until], places[until:]


def read_files(query: RankerInput, best: FirstStage) -> list[BestFile]:
    """Load the best files' chunks and count the question's words in them. Raises QueryBudgetError when that exceeds
    the budget.
    """
    wanted = best.files[:FILES_READ]
    chunks_in = query.reader.text.chunks_in([source_id for source_id, _ in wanted])
    return [
        BestFile(source_id, score, best.kinds[source_id] is SourceKind.DOC, places, _counts_in(query, places))
        for source_id, score in wanted
        for places in [chunks_in.get(source_id, [])]
    ]


LONG_FILE = 100
"""A file of more chunks is read for the rarest words of the question alone, where these are in ``ENOUGH`` chunks."""
ENOUGH = 12


def _counts_in(query: RankerInput, places: Sequence[FileChunk]) -> dict[int, MatchCounts]:
    """Return the counts of the question's words in the chunks of a file that have one: each of hundreds of tests has
    the word "test".
    """
    count = len(query.terms)
    if not count:
        return {}
    whole = any_of(term.word for term in query.terms)
    decisive = match_expression(query.terms)
    if len(places) > LONG_FILE and decisive != whole:
        counts = query.reader.text.evidence_in(decisive, count, places, PLACE_WEIGHTS)
        if len(counts) >= ENOUGH:
            return counts
    return query.reader.text.evidence_in(whole, count, places, PLACE_WEIGHTS)


def stage_input(query: RankerInput, votes: Mapping[str, Votes], files: Sequence[BestFile]) -> StageInput:
    """Collect what the first stage found out about single chunks."""
    by_name = [item for name in _BY_NAME if name in votes for vote in votes[name].votes for item in vote.items]
    outright = {item: 1.0 for vote in votes["exact"].votes for item in vote.items} if "exact" in votes else {}
    if outright and (query.question.word or query.question.intents & OF_THE_WHOLE.keys()):
        outright = {item: max(1.0, votes["exact"].item_scores.get(item, 1.0)) for item in outright}
    names = {name for file in files for place in file.places if place.id in file.counts for name in place.defines}
    return StageInput(
        terms=query.terms,
        stems={stem: term.weight for term in query.terms for stem in query.reader.words.tokens(term.word)},
        stems_of=query.reader.words.stems(names),
        chunks=votes["chunks"].item_scores if "chunks" in votes else {},
        phrases=votes["phrases"].item_scores if "phrases" in votes else {},
        named=frozenset(by_name),
        outright=outright or dict.fromkeys(_spoken_outright(query, files), 1.0),
        similarity=_similarity(query, files),
        with_model=query.has_model,
        asks_for_values=Intent.CONFIG in query.question.intents,
    )


def _spoken_outright(query: RankerInput, files: Sequence[BestFile]) -> frozenset[int]:
    """Return the definitions whose name's parts are adjacent words of the question, and most of it: of its words, or
    of their IDF.
    """
    weight_of = {term.word: term.weight for term in query.terms}
    told, words = sum(weight_of.values()), len(query.question.words)
    runs = {
        run
        for run in query.question.spoken
        if 2 * len(run) > words or 2 * sum(weight_of.get(word, 0.0) for word in run) > told
    }
    if not runs or query.question.identifiers or query.question.intents & _ELSEWHERE:
        return frozenset()
    return frozenset(
        place.id
        for file in files
        for place in file.places
        if place.name in place.defines and place.kind in _FUNCTIONS | _CLASSES
        if tuple(split_identifier(place.name)) in runs
    )


def _similarity(query: RankerInput, files: Sequence[BestFile]) -> dict[int, float]:
    """Return the cosine of each chunk that has a vector; empty where the question has none."""
    if query.meaning is None:
        return {}
    return query.meaning.similarities_in([file.source_id for file in files])


def _lines(query: RankerInput, shown: Sequence[Scored]) -> list[LineSpan | None]:
    """Return the lines of each chunk to show; None for the whole chunk."""
    places = [one.place for one in shown]
    counts = [
        share
        for start in range(0, len(places), GROUP)
        for share in shares([_length(place) for place in places[start : start + GROUP]])
    ]
    long = [place.id for place, count in zip(places, counts, strict=True) if count < _length(place)]
    texts = {term.word: term.weight for term in query.terms}
    most = max(texts.values(), default=1.0)
    texts.update({" ".join(words): 2 * most for words in query.question.quoted})
    offsets = query.reader.text.phrase_offsets(any_of(texts), long) if long and texts else {}
    weights = tuple(texts.values())
    return [narrow(place, count, offsets.get(place.id), weights) for place, count in zip(places, counts, strict=True)]


def _length(place: FileChunk) -> int:
    return place.end_line - place.start_line + 1
