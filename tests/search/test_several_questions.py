"""A message that asks several questions gets places for each of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from helix_core.search.search import ABSENT_NOTE, SearchRequest, search
from helix_core.search.several_questions import separate_questions
from helix_core.store import Reader

Indexed = Callable[[dict[str, str]], Reader]

TREE = {
    f"shop/prices_{number}.py": f'''
"""Prices: discounts are taken off the total price of the articles."""


def total_price_{number}(articles):
    """Sum of the prices of articles, with discounts taken off."""
    return sum(article.price for article in articles)
'''
    for number in range(5)
} | {
    "shop/mail.py": '''
"""Mails to customers."""


def send_confirmation(order):
    """Tell the customer that the order was received."""
    return deliver(order.address)
'''
}


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        (
            "where are discounts taken off and how is a confirmation sent?",
            ["where are discounts taken off", "how is a confirmation sent?"],
        ),
        ("where is the cart? Which mail is sent?", ["where is the cart?", "Which mail is sent?"]),
        ("where is the total price computed and who calls it?", ["where is the total price computed"]),
        ("how are discounts and prices joined?", []),
        (
            "1) how are discounts taken off 2) where is the mail sent",
            ["how are discounts taken off", "where is the mail sent"],
        ),
        (
            "a) how are discounts taken off? b) which mail is sent?",
            ["how are discounts taken off?", "which mail is sent?"],
        ),
        ("how is version 2) parsed", []),
    ],
)
def test_the_questions_of_a_message_are_those_that_say_what_they_are_about(text: str, questions: list[str]) -> None:
    assert separate_questions(text) == questions


def paths(text: str, k: int, reader: Reader) -> list[str]:
    request = SearchRequest(text, k, questions=tuple(separate_questions(text)))
    return [one.item.source.source_id for one in search(request, reader).ranked]


def test_each_question_of_a_message_has_a_place_among_the_first(indexed: Indexed) -> None:
    text = "where are discounts taken off the total price of the articles and how is an order confirmed?"
    first, second = paths(text, 2, indexed(TREE))
    assert {first.rpartition("_")[0] or first, second.rpartition("_")[0] or second} == {"shop/prices", "shop/mail.py"}


def test_a_question_that_nothing_answers_is_told_beside_the_other(indexed: Indexed) -> None:
    text = "how is the confirmation of an order sent and where is the graphql endpoint configured?"
    request = SearchRequest(text, 3, questions=tuple(separate_questions(text)))
    found = search(request, indexed(TREE))
    assert found.ranked[0].item.source.source_id == "shop/mail.py" and not found.known_empty
    assert f"{ABSENT_NOTE}where is the graphql endpoint configured?" in found.notes
