"""What speaks for and against that what was asked is here, asked of a real index."""

from __future__ import annotations

import pytest

from helix_core.model import Found
from helix_core.search.search import SearchRequest, known_words, search
from helix_core.store import Reader


def ask(reader: Reader, question: str) -> Found:
    return search(SearchRequest(question, 10, explained=True), reader)


def sign(found: Found, name: str) -> float:
    assert found.account is not None
    return next(one.value for one in found.account.presence_signs if one.name == name)


def test_a_compound_name_is_known_where_its_words_stand_in_a_row(shop: Reader) -> None:
    frequency = known_words(
        ["total_price", "discount_price", "parse_mail_header", "total", "ghost"], 100, shop
    ).frequency
    assert frequency["total_price"] > 0
    assert frequency["parse_mail_header"] > 0
    assert frequency["discount_price"] == frequency["ghost"] == 0
    assert frequency["total"] > 0


@pytest.mark.parametrize(
    "question",
    [
        "what does Cart.discount_price do?",
        "what is the default of CART_RETRY_DELAY?",
        "where is the price of the cart sent to Kafka?",
        "how is the cart stored in mongodb?",
    ],
)
def test_a_near_miss_is_answered_with_known_empty(shop: Reader, question: str) -> None:
    found = ask(shop, question)
    assert found.known_empty
    assert found.confidence < 0.3


@pytest.mark.parametrize(
    "question",
    [
        "what does Cart.total_price do?",
        "what is the default of RETRY_DELAY?",
        "where are articles set aside until the order is paid?",
        "tell the customer by mail that the purchase was received",
    ],
)
def test_what_is_here_is_not_called_absent(shop: Reader, question: str) -> None:
    assert not ask(shop, question).known_empty


def test_what_only_a_changelog_names_is_missing_unless_history_is_asked_for(indexed) -> None:  # type: ignore[no-untyped-def]
    code = "def total_price(cart):\n    return sum(cart)\n"
    reader = indexed({"src/cart.py": code, "CHANGES.md": "# 1.0\n\nThanks to Redis.\n"})
    assert sign(ask(reader, "is the cart kept in Redis?"), "missing_proper") > 0.0
    assert sign(ask(reader, "in which release was Redis introduced?"), "missing_proper") == 0.0


def test_jargon_nobody_wrote_is_stranger_than_a_common_word_nobody_wrote(shop: Reader) -> None:
    common = sign(ask(shop, "make the cart vanish"), "unfamiliar")
    jargon = sign(ask(shop, "make the cart kubernetes"), "unfamiliar")
    assert 0.0 == sign(ask(shop, "total price of the cart"), "unfamiliar") < common < jargon <= 1.0


def test_an_answer_to_a_name_ends_where_no_file_holds_the_name(shop: Reader) -> None:
    named, asked = ask(shop, "parseMailHeader"), ask(shop, "how are mails to customers sent and articles set aside?")
    assert {one.item.source.source_id for one in named.ranked if not one.related} == {"src/shop/mail.py"}
    assert len({one.item.source.source_id for one in asked.ranked}) > 1
