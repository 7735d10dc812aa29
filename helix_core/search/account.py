"""How an answer came about, worked out only when somebody asks: the search itself keeps none of it.

What the rankers said is looked at once more from their side; the second stage's signs are read a second time. Decides
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from helix_core.model import Ranked
from helix_core.model.answer import Account, RankedFile, RankerAccount, Sign
from helix_core.search.confidence import Signs, place, presence
from helix_core.search.confidence_weights import PLACE, PLACE_WITH_MODEL, PRESENCE
from helix_core.search.fuse import Fused, Ranking, blend
from helix_core.search.line_weights import VECTORS, WORDS
from helix_core.search.rankers import RankerInput
from helix_core.search.second_stage import SIGNS, Best, heard, read_files, signs_of
from helix_core.store.sqlite_file import QueryBudgetError

FIRST_SHOWN = 8
"""So many places of each ranker's list are told, whether they came into the answer or not."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search had in hand when it was done. ``rankings`` and ``fused`` are of files by their ids."""

    asked: RankerInput
    rankings: Sequence[Ranking]
    fused: Sequence[Fused]
    best: Best
    ranked: Sequence[Ranked]
    signs: Signs


def account_of(searched: Searched) -> Account:
    """The account of one search. Raises StoreError when the index cannot be read."""
    meaning = searched.asked.meaning
    with_model = meaning is not None and not meaning.is_static
    return Account(
        rankers=_rankers(searched),
        model=meaning.model if meaning is not None else "",
        levels=tuple(sorted(meaning.levels)) if meaning is not None else (),
        unready=meaning.unready if meaning is not None else (),
        presence=presence(searched.signs),
        presence_signs=_weighed(searched.signs, PRESENCE),
        place=place(searched.signs, with_model=with_model),
        place_signs=_weighed(searched.signs, PLACE_WITH_MODEL if with_model else PLACE),
        lines=_lines(searched),
    )


def _rankers(searched: Searched) -> tuple[RankerAccount, ...]:
    totals = {one.id: one.score for one in searched.fused}
    shown = {one.item.source.id for one in searched.ranked}
    told = [(ranking, blend([ranking])) for ranking in searched.rankings]
    worth = [[one for at, one in enumerate(files) if at < FIRST_SHOWN or one.id in shown] for _, files in told]
    sources = searched.asked.reader.files.sources_by_id({one.id for files in worth for one in files})
    return tuple(
        RankerAccount(
            ranking.ranker,
            ranking.weight,
            len(files),
            tuple(
                RankedFile(sources[one.id].source_id, one.parts[0][1], one.score, one.score / totals[one.id])
                for one in chosen
                if one.id in sources
            ),
        )
        for (ranking, files), chosen in zip(told, worth, strict=True)
    )


def _weighed(signs: Signs, weights: Mapping[str, float]) -> tuple[Sign, ...]:
    known = asdict(signs)
    return tuple(Sign(name, known[name], weight * known[name]) for name, weight in weights.items() if name in known)


def _lines(searched: Searched) -> dict[int, tuple[Sign, ...]]:
    """For each place of the answer that the second stage looked at: its signs, the weightiest first."""
    try:
        files = read_files(searched.asked, searched.best)
        known = heard(searched.asked, searched.best.votes, files)
    except QueryBudgetError:
        return {}
    places = signs_of(files, known)
    table = VECTORS if known.similarity else WORDS
    shown = {one.item.id for one in searched.ranked if not one.related}
    average = [sum(column) / len(places) for column in zip(*(signs for _, signs in places), strict=True)]
    return {one.id: _standing_out(signs, average, table) for (_, one), signs in places if one.id in shown}


def _standing_out(signs: Sequence[float], average: Sequence[float], table: Mapping[str, float]) -> tuple[Sign, ...]:
    told = [
        Sign(name, value, table.get(name, 0.0) * (value - usual))
        for name, value, usual in zip(SIGNS, signs, average, strict=True)
    ]
    return tuple(sorted((one for one in told if one.effect), key=lambda one: (-abs(one.effect), one.name)))
