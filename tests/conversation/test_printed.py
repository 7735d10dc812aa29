"""What a program printed is searched by its own words: a source has the message and not the values in it."""

import pytest

from helix_core.conversation import Coordinate, coordinates, read_question

UUID = "b3c8a6d2-0b0e-4f58-8d4c-6f1d7d6f2f10"


@pytest.mark.parametrize(
    ("line", "judged", "searched"),
    [
        (
            "Gave up loading <GET https://shop.example/a> (failed 3 times): 503 Unavailable",
            "Gave up loading",
            "Gave up loading failed times Unavailable",
        ),
        (
            f"2026-03-01 10:12:44,120 [shop.stock.Reserver] [WARNING] Reservations exhausted for order '{UUID}'.",
            "Reservations exhausted for order",
            "Reservations exhausted for order",
        ),
        (
            "WARNING:shop.stock:Reservations exhausted for order 17",
            "Reservations exhausted for order",
            "Reservations exhausted for order",
        ),
        ("[shop.stock] DEBUG: Reserved 3 of 4.5 kg at 0x7f0012ab", "Reserved", "Reserved of kg at"),
        ("Connection to 10.0.0.12:5432 refused", "Connection to", "Connection to refused"),
    ],
)
def test_a_line_that_a_program_printed_is_judged_by_its_words_between_values(line, judged, searched):
    asked = read_question(line)
    assert (asked.judged or asked.text, asked.text) == (judged, searched)


def test_a_question_about_a_printed_line_is_searched_without_the_addresses_in_it():
    asked = read_question("why does the cart answer <Response at 0x7f0012ab> for https://shop.example/cart/17 twice?")
    assert asked.text == "why does the cart answer for twice?"
    assert read_question("https://shop.example/cart").text == "https://shop.example/cart"


@pytest.mark.parametrize(
    "text", ["ERROR handling in the cart", "WARNING filters", "how is INFO: shown?", "what does <T> mean", "cart 17"]
)
def test_words_that_a_person_typed_stay_as_they_are(text):
    asked = read_question(text)
    assert (asked.text, asked.judged) == (text, "")


STOCK = Coordinate("shop/stock.py")
ADD = Coordinate("tests/test_cart.py", 0, "TestCart.test_add")


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("FAILED tests/test_cart.py::TestCart::test_add[a-1] - assert 1 == 2", [ADD]),
        ("ERROR tests/test_cart.py", [Coordinate("tests/test_cart.py")]),
        ("tests/test_cart.py::TestCart::test_add FAILED [ 45%]", [ADD]),
        (
            "a.py::test_b PASSED [ 1%]\ntests/test_cart.py::TestCart::test_add FAILED [2%]",
            [ADD, Coordinate("a.py", 0, "test_b")],
        ),
        ("ci says tests/test_cart.py::TestCart::test_add fails on windows only, any idea", [ADD]),
        ("FAIL: test_add (tests.test_cart.TestCart.test_add)", [ADD]),
        ("ERROR: test_add (tests.test_cart.TestCart)", [ADD]),
        ("2026-03-01 10:12:44 [shop.stock] ERROR: empty", [STOCK]),
        ("[10:12:44] shop.stock.Reserver: empty", [Coordinate("shop/stock.py", 0, "Reserver")]),
        ("the call std::vector::at and shop.stock in a sentence", []),
    ],
)
def test_a_test_and_a_logger_are_places_though_they_have_no_line(text, places):
    assert list(coordinates(text)) == places


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('why?\n```\nError: required flag(s) "name" not set\n```', 'required flag(s) "name" not set'),
        (
            'why?\nTraceback (most recent call last):\n  File "a.py", line 3, in f\nshop.AddressError: no address',
            "no address",
        ),
        ("where is the cart saved?", ""),
    ],
)
def test_what_a_paste_says_that_went_wrong_is_its_message(text, message):
    assert read_question(text).message == message
