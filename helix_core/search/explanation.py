"""Explain a ranking: recomputed from a finished search, only on request, because the search itself stores none of it.

The rankers' lists are inverted by file, and the second stage's features are computed a second time. Decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from helix_core.model import FeatureEffect, Ranked, RankedFile, RankerExplanation, RankingExplanation
from helix_core.search.confidence import AnswerFeatures, place, presence
from helix_core.search.confidence_weights import PLACE, PLACE_WITH_MODEL, PRESENCE
from helix_core.search.fuse import Ranking, blend
from helix_core.search.rankers import RankerInput
from helix_core.search.second_stage import FEATURES, FirstStage, place_features, stage_input, table_for
from helix_core.store import QueryBudgetError

FIRST_SHOWN = 8
"""Number of entries of each ranker's list that the explanation shows even when the answer lacks them."""


@dataclass(frozen=True, slots=True)
class SearchTrace:
    """Intermediate results of a finished search. ``rankings`` and ``totals``, the fused scores, hold source ids."""

    query: RankerInput
    rankings: Sequence[Ranking]
    totals: Mapping[int, float]
    best: FirstStage
    ranked: Sequence[Ranked]
    signs: AnswerFeatures
    read_as: Mapping[str, str] = field(default_factory=dict)


def explain_search(trace: SearchTrace) -> RankingExplanation:
    """Return the explanation of one search. Raises StoreError when the index cannot be read."""
    meaning = trace.query.meaning
    with_model = trace.query.has_model
    return RankingExplanation(
        rankers=_rankers(trace),
        model=meaning.model if meaning is not None else "",
        levels=tuple(sorted(meaning.levels)) if meaning is not None else (),
        unready=meaning.unready if meaning is not None else (),
        presence=presence(trace.signs),
        presence_signs=_weighed(trace.signs, PRESENCE),
        place=place(trace.signs, with_model=with_model),
        place_signs=_weighed(trace.signs, PLACE_WITH_MODEL if with_model else PLACE),
        lines=_lines(trace),
        read_as=dict(trace.read_as),
    )


def _rankers(trace: SearchTrace) -> tuple[RankerExplanation, ...]:
    totals = trace.totals
    shown = {one.item.source.id for one in trace.ranked}
    told = [(ranking, blend([ranking])) for ranking in trace.rankings]
    worth = [[one for at, one in enumerate(files) if at < FIRST_SHOWN or one.id in shown] for _, files in told]
    sources = trace.query.reader.files.sources_by_id({one.id for files in worth for one in files})
    return tuple(
        RankerExplanation(
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


def _weighed(signs: AnswerFeatures, weights: Mapping[str, float]) -> tuple[FeatureEffect, ...]:
    known = signs._asdict()
    return tuple(
        FeatureEffect(name, known[name], weight * known[name]) for name, weight in weights.items() if name in known
    )


def _lines(trace: SearchTrace) -> dict[int, tuple[FeatureEffect, ...]]:
    """Return the second stage's features of each chunk in the answer, largest effect first."""
    try:
        files = trace.best.read
        known = stage_input(trace.query, trace.best.votes, files)
    except QueryBudgetError:
        return {}
    places = place_features(files, known)
    table = table_for(known)
    shown = {one.item.id for one in trace.ranked if not one.related}
    average = [sum(column) / len(places) for column in zip(*(signs for _, signs in places), strict=True)]
    return {one.id: _top_features(signs, average, table) for (_, one), signs in places if one.id in shown}


def _top_features(
    signs: Sequence[float], average: Sequence[float], table: Mapping[str, float]
) -> tuple[FeatureEffect, ...]:
    told = [
        FeatureEffect(name, value, table.get(name, 0.0) * (value - usual))
        for name, value, usual in zip(FEATURES, signs, average, strict=True)
    ]
    return tuple(sorted((one for one in told if one.effect), key=lambda one: (-abs(one.effect), one.name)))
