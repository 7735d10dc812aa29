"""Which places of the best files are shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from helix_core.search.second_stage import ITEMS_PER_FILE, choose_places

scores = st.lists(st.floats(0.01, 10), min_size=1, max_size=6).map(lambda values: sorted(values, reverse=True))


@given(scores, st.lists(scores, min_size=6, max_size=6), st.integers(1, 20))
def test_places_are_ordered_bounded_and_led_by_the_best_file(
    files: list[float], items: list[list[float]], limit: int
) -> None:
    ranked = list(enumerate(files))
    own = {n: [(100 * n + i, score) for i, score in enumerate(items[n])] for n, _ in ranked}
    places = choose_places(ranked, own, limit)
    assert len(places) <= limit
    assert [place.score for place in places] == sorted((place.score for place in places), reverse=True)
    assert places[0].source_id == 0
    for source in own:
        of_one = [place.item_id for place in places if place.source_id == source]
        assert of_one == sorted(of_one)
        assert len(of_one) <= ITEMS_PER_FILE


def test_an_equal_file_comes_before_another_chunk_of_the_first() -> None:
    places = choose_places([(1, 1.0), (2, 1.0)], {1: [(10, 5.0), (11, 5.0)], 2: [(20, 1.0)]}, 3)
    assert [place.item_id for place in places] == [10, 20, 11]


def test_a_file_without_items_is_passed_over() -> None:
    assert [p.item_id for p in choose_places([(1, 2.0), (2, 1.0)], {2: [(20, 1.0)]}, 5)] == [20]
