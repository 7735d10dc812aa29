"""Rankings become one: places by rank alone, files by rank and by how far each stands behind the first."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from helix_core.search.fuse import Ranking, blend, fuse, normalized_rank

ids = st.lists(st.integers(1, 30), max_size=12, unique=True).map(tuple)
rankings = st.lists(
    st.builds(Ranking, st.sampled_from("abcdef"), ids, st.sampled_from([0.5, 1.0, 2.0]), st.just(())), max_size=5
)


@given(rankings, st.randoms())
def test_the_order_of_the_rankings_does_not_matter(given_rankings: list[Ranking], random: object) -> None:
    shuffled = list(given_rankings)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert fuse(shuffled) == fuse(given_rankings)


@given(rankings)
def test_the_shares_of_an_item_add_up_to_one(given_rankings: list[Ranking]) -> None:
    for fused in fuse(given_rankings):
        assert math.isclose(sum(signal.share for signal in fused.signals), 1.0)
        assert all(0 < signal.share <= 1 for signal in fused.signals)


@given(rankings, st.integers(1, 30))
def test_one_more_vote_never_lowers_a_score(given_rankings: list[Ranking], favourite: int) -> None:
    before = {fused.id: fused.score for fused in fuse(given_rankings)}
    after = {fused.id: fused.score for fused in fuse([*given_rankings, Ranking("extra", (favourite,))])}
    assert after[favourite] > before.get(favourite, 0.0)
    assert all(math.isclose(after[id_], score) for id_, score in before.items() if id_ != favourite)


@given(ids)
def test_a_single_ranking_keeps_its_order(only: tuple[int, ...]) -> None:
    assert [fused.id for fused in fuse([Ranking("only", only)])] == list(only)


def test_ties_are_broken_by_id() -> None:
    fused = fuse([Ranking("a", (7, 3)), Ranking("b", (3, 7))])
    assert [f.id for f in fused] == [3, 7]


def test_an_id_named_twice_counts_at_its_better_place() -> None:
    assert fuse([Ranking("a", (5, 6, 5))]) == fuse([Ranking("a", (5, 6))])


def test_a_ranking_without_weight_is_not_heard() -> None:
    assert fuse([Ranking("off", (1, 2), weight=0.0)]) == []


def test_equal_scores_share_a_rank_so_that_their_order_means_nothing() -> None:
    one = fuse([Ranking("a", (3, 1, 2), scores=(5.0, 5.0, 1.0))])
    other = fuse([Ranking("a", (1, 3, 2), scores=(5.0, 5.0, 1.0))])
    assert one == other
    assert [(f.id, f.signals[0].rank) for f in one] == [(1, 1), (3, 1), (2, 3)]


scored = st.lists(st.tuples(st.integers(1, 30), st.floats(0.1, 50)), max_size=12, unique_by=lambda one: one[0]).map(
    lambda given_: sorted(given_, key=lambda one: -one[1])
)


@given(scored, st.floats(0.1, 100))
def test_a_ranker_that_counts_in_other_units_says_the_same(
    given_scores: list[tuple[int, float]], factor: float
) -> None:
    ids_ = tuple(id_ for id_, _ in given_scores)
    one = blend([Ranking("a", ids_, scores=tuple(score for _, score in given_scores))])
    other = blend([Ranking("a", ids_, scores=tuple(score * factor for _, score in given_scores))])
    assert {f.id: round(f.score, 6) for f in one} == {f.id: round(f.score, 6) for f in other}


@given(scored)
def test_the_first_of_a_list_stands_at_one_and_nothing_above_it(given_scores: list[tuple[int, float]]) -> None:
    ids_, scores = tuple(id_ for id_, _ in given_scores), tuple(score for _, score in given_scores)
    found = blend([Ranking("a", ids_, scores=scores)])
    assert [f.score for f in found[:1]] == [1.0] * len(found[:1])
    assert all(0 < f.score <= 1 for f in found)


def test_a_first_place_far_ahead_tells_more_than_one_by_a_hair() -> None:
    clear, close = Ranking("a", (1, 2), scores=(10.0, 1.0)), Ranking("b", (2, 1), scores=(10.0, 9.9))
    assert [f.id for f in blend([clear, close])] == [1, 2]
    assert normalized_rank(1, 1.0) == 1.0
