"""What speaks for and against that what was asked is here, asked of a real index."""

from __future__ import annotations

import pytest

from helix_core.model import Found
from helix_core.search.known_words import known_words
from helix_core.search.search import SearchRequest, search
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


CHANGES = "# Changes\n\n" + "\n".join(
    f"## {version}\n\n" + "".join(f"- Fix the {what} of {at} fields, in {at} lines.\n" for at in range(14, 26))
    for version, what in (("3.20.0", "names"), ("3.19.0", "errors"), ("3.2.0", "new orders"))
)


def test_a_version_is_found_under_its_own_heading_and_one_that_never_was_is_absent(indexed) -> None:  # type: ignore[no-untyped-def]
    reader = indexed({"CHANGES.md": CHANGES, "src/load.py": "def load(data):\n    return data\n"})
    for version in ("3.20", "3.19"):
        assert ask(reader, f"what changed in version {version}?").ranked[0].item.name.startswith(version)
    assert ask(reader, "what changed in version 9.99?").known_empty


def test_another_version_of_a_protocol_is_another_thing(indexed) -> None:  # type: ignore[no-untyped-def]
    code = "def connect(host):\n    # Open an HTTP/1.1 connection.\n    return host\n"
    reader = indexed({"src/http.py": code, "src/other.py": "def other():\n    return 2\n"})
    assert sign(ask(reader, "where are HTTP/1.1 connections opened?"), "missing_proper") == 0.0
    assert sign(ask(reader, "where are HTTP/2 connections opened?"), "missing_proper") > 0.0


def test_a_name_that_only_documents_have_is_missing_in_the_code(indexed) -> None:  # type: ignore[no-untyped-def]
    code = "def export_entries(entries):\n    # Export the entries.\n    return entries\n"
    reader = indexed({"src/export.py": code, "docs/other.md": "# Others\n\nFor entries use Elasticsearch.\n"})
    found = ask(reader, "where are entries exported to Elasticsearch?")
    assert sign(found, "missing_in_code") > sign(found, "missing_proper") == 0.0


def test_what_the_code_has_a_name_for_is_titled(indexed) -> None:  # type: ignore[no-untyped-def]
    scattered = "def load(deserialized):\n    # Objects are in a cache.\n    return deserialized\n"
    named = {"src/load.py": scattered, "src/cache.py": "def cache_objects(deserialized):\n    return deserialized\n"}
    asked = "where are deserialized objects cached?"
    assert sign(ask(indexed(named), asked), "titled") > sign(ask(indexed({"src/load.py": scattered}), asked), "titled")
