"""A packet says no more than it is worth: the next file before more of the same, text where it pays, a budget held."""

import json

from hypothesis import given
from hypothesis import strategies as st

from helix_core.packet import Spending, files_first_order
from helix_core.packet.economy import SHORT_QUOTE, fitted, head, quoted
from tests.packet.made import place

LONG = "def weigh(box):\n" + "\n".join(f"    total += box.part_{n}.weight" for n in range(30))


def files_of(places):
    return [one.ranked.item.source.source_id for one in places]


@given(st.lists(st.sampled_from("abcdef"), max_size=20))
def test_of_the_first_five_each_file_comes_before_more_of_any_and_none_gives_way_to_another(files):
    given_ = [place(f"{name}.py", score=1 / (1 + n)) for n, name in enumerate(files)]
    ordered = files_first_order(given_)
    names = files_of(ordered)
    early = len(set(names[:5]))
    assert len(set(names[:early])) == early
    assert names[:1] == files_of(given_[:1])
    assert {one.ranked.item.id for one in ordered[:5]} == {one.ranked.item.id for one in given_[:5]}
    assert [one.ranked.item.id for one in ordered[5:]] == [one.ranked.item.id for one in given_[5:]]
    scores = [one.ranked.score for one in ordered]
    assert scores == sorted(scores, reverse=True)
    for name in set(names):
        ids = [one.ranked.item.id for one in given_ if one.ranked.item.source.source_id == name]
        assert [one.ranked.item.id for one in ordered if one.ranked.item.source.source_id == name] == ids


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=20), st.integers(1, 20))
def test_where_few_places_fit_they_are_of_four_files_before_more_of_any_and_keep_their_order(files, most):
    given_ = [place(f"{name}.py") for name in files]
    kept = fitted(given_, most, lambda one: 1)
    assert len(kept) == min(most, len(given_))
    assert len(set(files_of(kept))) >= min(4, most, len(set(files)))
    order = [one.ranked.item.id for one in given_]
    places = [order.index(one.ranked.item.id) for one in kept]
    assert places == sorted(places)
    assert places[0] == 0


def test_the_first_place_is_quoted_whole_when_it_is_surely_the_answer_and_the_others_by_their_head():
    places = [place("a.py", quote=LONG, name="weigh"), place("b.py", quote=LONG, name="weigh")]
    sure = [one.quote for one in quoted(places, 0.8, Spending())]
    assert sure == [LONG, "def weigh(box):"]
    unsure = [one.quote for one in quoted(places, 0.3, Spending())]
    assert unsure == ["def weigh(box):"] * 2
    assert [one.quote for one in quoted(places[:1], 0.3, Spending())] == [LONG]
    assert [one.quote for one in quoted(places, 0.3, Spending(whole=True))] == [LONG] * 2


def test_the_head_of_a_quote_ends_where_the_name_stands_and_little_is_never_cut():
    body = "\n".join(f"    step_{n}()" for n in range(40))
    decorated = f"# how a box is weighed\n@cached\ndef weigh(box):\n{body}"
    assert head(place("a.py", quote=decorated, name="weigh")).endswith("def weigh(box):")
    assert head(place("a.py", quote=f"\n\n{body}", name="")) == "\n\n    step_0()"
    assert head(place("a.py", quote=body, name="elsewhere")) == "    step_0()"
    short = "x = 1\n" * (SHORT_QUOTE // 6)
    assert head(place("a.py", quote=short, name="x")) == short


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 30)), min_size=1, max_size=12),
    st.integers(-100, 4000),
)
def test_what_is_fitted_has_room_and_is_a_beginning_of_what_there_was(shapes, room):
    places = [place(f"{n}.py", quote="\n".join(["q" * wide] * tall)) for n, (wide, tall) in enumerate(shapes)]

    def size(one):
        return 40 + len(json.dumps(one.quote))

    kept = fitted(places, room, size)
    assert (room >= 42) <= len(kept) <= len(places)
    assert sum(map(size, kept)) <= max(room, 0)
    for one, whole in zip(kept, places, strict=False):
        assert one.ranked.item.id == whole.ranked.item.id
        assert whole.quote.startswith(one.quote)
        assert one.quote in ("", whole.quote) or whole.quote[len(one.quote)] == "\n"
    if len(kept) < len(places):
        assert sum(map(size, kept)) + 42 > room


def test_a_place_that_is_larger_than_the_room_gives_way_to_the_best_that_fits():
    places = [place("a/long/path.py", quote="x"), place("b.py", quote="x"), place("c.py", quote="x")]
    kept = fitted(places, 10, lambda one: len(one.ranked.item.source.source_id))
    assert files_of(kept) == ["b.py", "c.py"]
