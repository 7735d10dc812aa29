"""A question asked of a real index."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helix_core.model import Found, Hints
from helix_core.search.rankers import RANKERS
from helix_core.search.related import _linked
from helix_core.search.search import SearchRequest, search
from helix_core.search.weights import ROLE_FACTORS
from helix_core.store import Reader
from tests.search.conftest import Indexed

NO_HINTS = Hints()


def ask(reader: Reader, question: str, k: int = 10, hints: Hints = NO_HINTS) -> Found:
    return search(SearchRequest(question, k, hints), reader)


def files(found: Found) -> list[str]:
    return list(dict.fromkeys(one.item.source.source_id for one in found.ranked))


def test_the_implementation_comes_before_its_tests_examples_and_changelog(shop: Reader) -> None:
    found = ask(shop, "how is the total price of the cart summed with discounts?")
    assert files(found)[0] == "src/shop/cart.py"
    assert {"tests/test_cart.py", "examples/demo.py"} <= set(files(found))


def test_a_prior_that_moved_an_item_is_named(shop: Reader) -> None:
    found = ask(shop, "total price of the cart")
    priors = {one.item.source.source_id: one.priors for one in found.ranked}
    assert priors["src/shop/cart.py"] == ()
    assert priors["tests/test_cart.py"] == (f"test x{ROLE_FACTORS['test']:g}",)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("which test covers the total price of the cart?", "tests/test_cart.py"),
        ("show me an example that prints the total price of the cart", "examples/demo.py"),
        ("in which release was the discount on the total price introduced?", "CHANGES.md"),
    ],
)
def test_what_the_question_asks_for_is_not_held_back(shop: Reader, question: str, first: str) -> None:
    assert files(ask(shop, question))[0] == first


@pytest.mark.parametrize("name", ["parseMailHeader", "parse_mail_header", "parse mail header", "ParseMailHeader"])
def test_identifiers_match_however_they_are_split(shop: Reader, name: str) -> None:
    best = ask(shop, f"where is {name} defined?").ranked[0]
    assert (best.item.source.source_id, best.item.name) == ("src/shop/mail.py", "parseMailHeader")


def test_a_typed_name_finds_its_definition_first(shop: Reader) -> None:
    found = ask(shop, "what does send_confirmation do")
    assert found.ranked[0].item.name == "send_confirmation"
    assert "names" in {signal.ranker for signal in found.ranked[0].signals}
    assert not found.known_empty


def test_who_asks_for_the_tests_of_a_name_gets_them_before_its_definition(shop: Reader) -> None:
    assert files(ask(shop, "which test covers total_price?"))[0] == "tests/test_cart.py"


def test_of_equal_definitions_the_least_nested_comes_first(indexed) -> None:  # type: ignore[no-untyped-def]
    body = '        """Get it or make it."""\n        return 1\n'
    reader = indexed(
        {
            "a/managers.py": f"def make_manager(kind):\n    class Manager:\n      def get_or_make(self):\n{body}",
            "b/query.py": f"class Query:\n      def get_or_make(self):\n{body}",
        }
    )
    assert files(ask(reader, "where is get_or_make defined?"))[0] == "b/query.py"


def test_a_misspelled_name_still_finds_its_neighbour(shop: Reader) -> None:
    found = ask(shop, "send_confirmatoin")
    assert found.ranked[0].item.name == "send_confirmation"


def test_an_error_text_with_values_in_it_finds_where_it_is_raised(shop: Reader) -> None:
    found = ask(shop, "ValueError: the order 4711 has no mail address to confirm to")
    assert found.ranked[0].item.name == "send_confirmation"
    assert found.rankers["phrases"] == "used"


def test_a_path_in_the_question_brings_that_file(shop: Reader) -> None:
    assert files(ask(shop, "what is in src/shop/stock.py"))[0] == "src/shop/stock.py"


def test_a_question_about_a_setting_finds_its_value(shop: Reader) -> None:
    found = ask(shop, "what is the default retry_delay?")
    assert set(files(found)[:2]) == {"settings.toml", "src/shop/mail.py"}
    assert found.rankers["claims"] == "used"


def test_different_files_come_before_more_of_the_same_one(shop: Reader) -> None:
    found = ask(shop, "article count cart total price", k=4)
    assert len(files(found)) >= 3


def test_at_most_three_places_of_a_file_and_at_most_k_in_all(shop: Reader) -> None:
    for k in (1, 2, 5, 100):
        found = ask(shop, "article cart order mail price count", k=k)
        sources = [one.item.source.source_id for one in found.ranked]
        assert len(sources) <= k
        assert all(sources.count(source) <= 3 for source in sources)


def test_scores_fall_and_shares_add_up(shop: Reader) -> None:
    found = ask(shop, "mail to the customer of an order")
    scores = [one.score for one in found.ranked]
    assert scores == sorted(scores, reverse=True)
    for one in found.ranked:
        assert math.isclose(sum(signal.share for signal in one.signals), 1.0)


def test_equal_places_come_in_the_order_of_their_paths(indexed) -> None:  # type: ignore[no-untyped-def]
    text = "def spin(wheel):\n    return wheel\n"
    names = ["c.py", "a.py", "b.py"]
    assert files(ask(indexed(dict.fromkeys(names, text)), "spin the wheel")) == sorted(names)


def test_asking_twice_gives_the_same_answer(shop: Reader) -> None:
    assert ask(shop, "price of the cart") == ask(shop, "price of the cart")


def test_linked_items_are_marked_and_stand_below_the_direct_ones(indexed) -> None:  # type: ignore[no-untyped-def]
    reader = indexed(
        {
            "src/engine.py": 'def ignite():\n    """Start burning."""\n    return 1\n',
            "src/car.py": "from engine import ignite\n\n\ndef drive():\n    return ignite()\n",
            "tests/test_engine.py": "import engine\n\n\ndef test_ignite():\n    assert engine\n",
        }
    )
    found = ask(reader, "start burning")
    related = [one for one in found.ranked if one.related]
    assert {one.item.source.source_id for one in related} == {"src/car.py", "tests/test_engine.py"}
    assert max(one.score for one in related) < min(one.score for one in found.ranked if not one.related)


def test_an_open_file_wins_a_near_tie_and_says_so(indexed) -> None:  # type: ignore[no-untyped-def]
    text = "def spin(wheel):\n    return wheel\n"
    reader = indexed({"a.py": text, "b.py": text})
    found = ask(reader, "spin the wheel", hints=Hints(open_paths=(b"b.py",)))
    assert files(found) == ["b.py", "a.py"]
    assert found.ranked[0].priors == ("open x1.15",)


def test_an_open_file_does_not_beat_a_clear_match(shop: Reader) -> None:
    found = ask(shop, "what does send_confirmation do", hints=Hints((b"src/shop/stock.py",), (b"src/shop/stock.py",)))
    assert files(found)[0] == "src/shop/mail.py"


def test_a_parked_version_is_never_found(indexed, tmp_path) -> None:  # type: ignore[no-untyped-def]
    reader = indexed({"a.py": "def spin(wheel):\n    return wheel\n", "b.py": "x = 1\n"})
    from helix_core.store import open_index

    with open_index(tmp_path / "0" / "index.db") as index:
        index.writer().remove(b"a.py")
    assert ask(reader, "spin the wheel").ranked == ()


def test_nothing_like_it_is_a_normal_answer_with_handles_to_try(shop: Reader) -> None:
    found = ask(shop, "which Kafka consumer handles GraphQL subscriptions?")
    assert found.known_empty
    assert found.confidence < 0.3
    assert found.searched_sources == 8
    assert found.searched_items > 8


def test_an_absent_name_is_answered_with_those_like_it(shop: Reader) -> None:
    found = ask(shop, "where is total_prize computed")
    assert "total_price" in (*found.nearest, *(one.item.name for one in found.ranked))


def test_an_empty_index_knows_nothing(indexed) -> None:  # type: ignore[no-untyped-def]
    found = ask(indexed({}), "where is the price of the cart?")
    assert (found.ranked, found.confidence, found.known_empty) == ((), 0.0, True)


def test_every_ranker_says_whether_it_had_something_to_say(shop: Reader) -> None:
    found = search(SearchRequest("price of the cart", 5, off=frozenset({"files"})), shop)
    assert set(found.rankers) == set(RANKERS)
    assert found.rankers["files"] == "off"
    assert found.rankers["chunks"] == "used"
    assert found.rankers["paths"] == "empty"


def test_a_ranker_out_of_time_is_named_and_the_others_answer(indexed, tmp_path) -> None:  # type: ignore[no-untyped-def]
    from helix_core.store import open_index

    line = "we spin the wheel of the old mill\n"
    indexed({f"m{n}.txt": line * 4000 for n in range(12)} | {"mill.py": "def grind_corn(): return 1\n"})
    with open_index(tmp_path / "0" / "index.db") as index, index.reader(budget_ms=0.0) as hurried:
        found = search(SearchRequest("does grind_corn spin the wheel", 5), hurried)
    late = [state for state in found.rankers.values() if state not in {"used", "empty", "off"}]
    assert late
    assert found.rankers["names"] == "used"
    assert found.ranked


HOSTILE = [
    '" OR 1=1 --',
    'NEAR("a" "b", 5) AND NOT path : x*',
    "^price + cart*",
    "{path names} : cart",
    "'; DROP TABLE item; --",
    "a\0b cart",
    "\ud800 cart",
    "((((",
    '""""',
    "AND OR NOT",
    "🛒 cart 🛒",
    "购物车的总价在哪里计算？",
    "total_price() " * 5000,
    "x" * 1_000_000,
    "cart " * 200_000,
    " ",
]


@pytest.mark.slow
@pytest.mark.parametrize("question", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_question_is_just_a_question(shop: Reader, question: str) -> None:
    found = ask(shop, question)
    assert 0.0 <= found.confidence <= 1.0
    assert found.known_empty or found.ranked or "the question is in" in " ".join(found.notes)


def test_chinese_text_is_found_by_what_it_begins_with(indexed) -> None:  # type: ignore[no-untyped-def]
    reader = indexed({"a.py": "# 计算 购物车 的 总价\nTOTAL = 1\n", "b.py": "# 发送 邮件\nMAIL = 2\n"})
    assert files(ask(reader, "总价 在哪里"))[0] == "a.py"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200), st.integers(1, 12))
def test_any_question_gets_an_orderly_answer(shop: Reader, question: str, k: int) -> None:
    found = ask(shop, question, k)
    assert len(found.ranked) <= k
    assert len({one.item.id for one in found.ranked}) == len(found.ranked)
    assert 0.0 <= found.confidence <= 1.0


@pytest.mark.parametrize(("name", "is_linked"), [("apply", False), ("apply_postage", True), ("applyPostage", True)])
def test_a_document_is_linked_to_what_has_a_name_of_several_words_only(
    indexed: Indexed, name: str, is_linked: bool
) -> None:
    reader = indexed(
        {
            "src/post.py": f"def {name}(box):\n    return box\n",
            "docs/weather.md": f"# Weather\n\nThe same rules {name} to rain.\n",
        }
    )
    source = reader.files.source(b"src/post.py")
    assert source is not None
    linked = _linked(reader, reader.files.items_of(source.id)[:1])
    relations = {relation for some in linked for relation, _ in some}
    assert ("documents" in relations) is is_linked
