"""By meaning: the best model whose vectors are complete, one model a question, and what is said of it."""

from __future__ import annotations

import pytest

from helix_core.embed.static import StaticEncoder
from helix_core.model import Found
from helix_core.search.meaning import encode_question
from helix_core.search.search import SearchRequest, search
from helix_core.store import Reader


class Better:
    """A model that nothing in the index has vectors of."""

    models = ("better", "static")
    problem = ""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, model: str, text: str) -> bytes:
        self.asked.append(model)
        return StaticEncoder().encode("static", text)


def ask(reader: Reader, question: str, off: frozenset[str] = frozenset()) -> Found:
    return search(SearchRequest(question, 10, off=off, encoder=StaticEncoder()), reader)


def files(found: Found) -> list[str]:
    return list(dict.fromkeys(one.item.source.source_id for one in found.ranked))


def test_without_an_encoder_what_goes_by_meaning_is_off(shop: Reader) -> None:
    found = search(SearchRequest("price of the cart", 5), shop)
    assert (found.rankers["outlines"], found.rankers["passages"]) == ("off", "off")


def test_a_question_without_a_word_of_the_index_is_found_by_meaning(shop: Reader) -> None:
    found = ask(shop, "buying goods: the costs, reduced")
    assert found.rankers["outlines"] == "used"
    by = {signal.ranker for one in found.ranked for signal in one.signals}
    assert "outlines" in by
    assert "src/shop/cart.py" in files(found)[:3]


def test_a_model_without_vectors_is_never_asked(shop: Reader) -> None:
    encoder = Better()
    found = search(SearchRequest("price of the cart", 5, encoder=encoder), shop)
    assert set(encoder.asked) == {"static"}
    assert found.notes == ("the built-in vectors are used: better/outline 0%, better/chunk 0%",)


def test_a_model_that_is_not_complete_is_named_and_the_built_in_vectors_serve(shop: Reader, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    shares = shop.vectors.spaces()
    monkeypatch.setattr(shop.vectors, "spaces", lambda: {"better/outline": 0.4, **shares})
    found = search(SearchRequest("price of the cart", 5, encoder=Better()), shop)
    assert found.rankers["outlines"] == "static only"
    assert found.notes == ("the built-in vectors are used: better/outline 40%, better/chunk 0%",)
    meaning = encode_question("price of the cart", shop, Better())
    assert meaning is not None
    assert meaning.is_static


def test_a_question_that_a_model_fails_at_is_asked_of_the_built_in_vectors(shop: Reader, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    class Failing(Better):
        problem = "the model fails at this text"

        def encode(self, model: str, text: str) -> bytes:
            return b"" if model == "better" else super().encode(model, text)

    shares = shop.vectors.spaces()
    complete = {"better/outline": 1.0, "better/chunk": 1.0, **shares}
    monkeypatch.setattr(shop.vectors, "spaces", lambda: complete)
    found = search(SearchRequest("price of the cart", 5, encoder=Failing()), shop)
    assert found.rankers["outlines"] == "static only"
    assert found.notes == ("the built-in vectors are used: the model fails at this text",)


def test_a_level_that_is_not_complete_is_not_searched(shop: Reader, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    shares = shop.vectors.spaces()
    monkeypatch.setattr(shop.vectors, "spaces", lambda: {**shares, "static/chunk": 0.5})
    found = ask(shop, "price of the cart")
    assert found.rankers["passages"] == "not ready"
    assert found.notes == ("not everything was searched by meaning yet: static/chunk 50%",)
    assert found.rankers["outlines"] == "used"


def test_a_question_without_a_vector_says_what_is_wrong_with_the_model(shop: Reader) -> None:
    class Missing(Better):
        models = ()
        problem = "its files are damaged"

    assert search(SearchRequest("price of the cart", 5, encoder=Missing()), shop).notes == (
        "nothing was searched by meaning: its files are damaged",
    )
    off = frozenset({"outlines", "passages"})
    assert not search(SearchRequest("price of the cart", 5, off=off, encoder=Missing()), shop).notes


def test_words_the_model_does_not_know_make_no_vector(shop: Reader) -> None:
    assert encode_question("", shop, StaticEncoder()) is None
    assert ask(shop, "").rankers["outlines"] == "empty"


@pytest.mark.parametrize("off", [frozenset({"outlines", "passages"}), frozenset({"passages"})])
def test_what_goes_by_meaning_can_be_turned_off(shop: Reader, off: frozenset[str]) -> None:
    found = ask(shop, "price of the cart", off)
    assert {name for name, state in found.rankers.items() if state == "off"} == set(off)
