"""The second stage, with what it reads: from the best files to places in them and the lines of those places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helix_core.model import LineSpan, SourceKind
from helix_core.search.question import Intent
from helix_core.search.rankers import Asked, Votes
from helix_core.search.second_stage import FILES_READ, PLACE_WEIGHTS, BestFile, Heard, Scored, rescore
from helix_core.search.spans import GROUP, Place, narrow, shares, spread
from helix_core.search.terms import any_of
from helix_core.store.lexical import InnerPlace

_BY_NAME = ("names", "exact", "tests")
_LOWEST_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Best:
    """What the first stage hands over: its files, best first, of what sort they are, and what every ranker said."""

    files: Sequence[tuple[int, float]]
    kinds: Mapping[int, SourceKind]
    votes: Mapping[str, Votes]


def point(asked: Asked, best: Best, limit: int) -> tuple[list[Place], list[Place]]:
    """At most ``limit`` places of the best files, in the order they are shown: until each file was shown once,
    and the further ones.

    Raises QueryBudgetError when reading the places takes too much work.
    """
    files = read_files(asked, best)
    scored = rescore(files, heard(asked, best.votes, files))
    shown = spread(scored, limit)
    lines = _lines(asked, shown)
    places: list[Place] = []
    top = scored[0].score if scored else 0.0
    for one, span in zip(shown, lines, strict=True):
        share = max(_LOWEST_SHARE, min(1.0, 2.0 ** (one.score - top)))
        places.append(Place(one.place.id, one.place.source_id, files[0].score * share, span))
    first = {place.source_id: number for number, place in reversed(list(enumerate(places)))}
    until = max(GROUP, max(first.values(), default=0) + 1)
    return places[:until], places[until:]


def read_files(asked: Asked, best: Best) -> list[BestFile]:
    """The best files with their places and what of the question those hold."""
    match = any_of(term.word for term in asked.terms)
    count = len(asked.terms)
    files = []
    wanted = best.files[:FILES_READ]
    places_in = asked.reader.places_in([source_id for source_id, _ in wanted])
    for source_id, score in wanted:
        places = places_in.get(source_id, [])
        counts = asked.reader.evidence_in(match, count, places, PLACE_WEIGHTS) if match else {}
        files.append(BestFile(source_id, score, best.kinds[source_id] is SourceKind.DOC, places, counts))
    return files


def heard(asked: Asked, votes: Mapping[str, Votes], files: Sequence[BestFile]) -> Heard:
    """What the first stage knows of single places."""
    by_name = [item for name in _BY_NAME if name in votes for vote in votes[name].votes for item in vote.items]
    outright = [item for vote in votes["exact"].votes for item in vote.items] if "exact" in votes else []
    names = {name for file in files for place in file.places if place.id in file.counts for name in place.defines}
    return Heard(
        terms=asked.terms,
        stems={stem: term.weight for term in asked.terms for stem in asked.reader.tokens(term.word)},
        stems_of=asked.reader.stems(names),
        chunks=votes["chunks"].item_scores if "chunks" in votes else {},
        phrases=votes["phrases"].item_scores if "phrases" in votes else {},
        named=frozenset(by_name),
        outright=frozenset(outright),
        similarity=_similarity(asked, files),
        asks_for_values=Intent.CONFIG in asked.question.intents,
    )


def _similarity(asked: Asked, files: Sequence[BestFile]) -> dict[int, float]:
    """The cosine of each place that has a vector; none where the question has none."""
    if asked.meaning is None:
        return {}
    return asked.meaning.similarities_in([file.source_id for file in files])


def _lines(asked: Asked, shown: Sequence[Scored]) -> list[LineSpan | None]:
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
    spots = asked.reader.spots(any_of(texts), long) if long and texts else {}
    weights = tuple(texts.values())
    return [narrow(place, count, spots.get(place.id), weights) for place, count in zip(places, counts, strict=True)]


def _length(place: InnerPlace) -> int:
    return place.end_line - place.start_line + 1
