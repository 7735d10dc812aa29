"""A name that is defined, a line that exists, a name that is gone: what they settle about an answer."""

from __future__ import annotations

import pytest

from helix_core.conversation import coordinates
from helix_core.model import Found
from helix_core.search.named import NAMED_CONFIDENCE, UNDEFINED_CONFIDENCE
from helix_core.search.search import SearchRequest, search
from helix_core.store import Reader


def ask(reader: Reader, question: str) -> Found:
    return search(SearchRequest(question, 8, places=coordinates(question)), reader)


def is_first(found: Found, path: str, name: str) -> bool:
    return (found.ranked[0].item.source.source_id, found.ranked[0].item.name) == (path, name)


@pytest.mark.parametrize(
    "question",
    [
        "send_confirmation",
        "fix send_confirmation",
        "refactor send_confirmation please",
        "repair the bug in send_confirmation",
    ],
)
def test_a_defined_name_is_sure_whatever_verb_stands_before_it(shop: Reader, question: str) -> None:
    found = ask(shop, question)
    assert is_first(found, "src/shop/mail.py", "send_confirmation")
    assert found.confidence >= NAMED_CONFIDENCE and not found.notes


@pytest.mark.parametrize(
    "question", ["test_total_price", "fix test_total_price", "fix the failing test test_total_price"]
)
def test_a_test_that_the_question_names_is_as_sure_as_any_definition(shop: Reader, question: str) -> None:
    found = ask(shop, question)
    assert is_first(found, "tests/test_cart.py", "test_total_price")
    assert found.confidence >= NAMED_CONFIDENCE


def test_homonyms_come_first_together_and_are_sure_as_a_set(indexed) -> None:  # type: ignore[no-untyped-def]
    code = '"""Centrality."""\n\n\ndef betweenness_centrality(graph):\n    """Compute betweenness centrality."""\n'
    others = {
        f"tests/test_{number}.py": f"from a import betweenness_centrality\n\n\ndef test_{number}():\n"
        + "    betweenness_centrality(betweenness_centrality)\n" * 5
        for number in range(90)
    }
    reader = indexed({"a.py": code, "bipartite/a.py": code, **others})
    for question in ("betweenness_centrality", "fix betweenness_centrality"):
        found = ask(reader, question)
        assert {one.item.source.source_id for one in found.ranked[:2]} == {"a.py", "bipartite/a.py"}
        assert found.confidence >= NAMED_CONFIDENCE


def test_a_defined_name_settles_nothing_about_what_nobody_wrote_or_what_others_own(shop: Reader) -> None:
    for question in ("does send_confirmation shard over kubernetes pods", "fix kubernetes.reserve_stock"):
        assert ask(shop, question).confidence < NAMED_CONFIDENCE
    assert ask(shop, "explain Mailbox.send_confirmation and Cart").confidence < NAMED_CONFIDENCE


@pytest.mark.parametrize(
    "question",
    [
        "what is at stock.py:10",
        "in stock.py what does line 10 do",
        "what is on line 10 of src/shop/stock.py?",
        "Line 10 in `stock.py`",
        "stock.py line 10",
    ],
)
def test_a_line_of_a_file_is_a_place_of_its_own(shop: Reader, question: str) -> None:
    found = ask(shop, question)
    assert found.ranked[0].item.start_line <= 10 <= found.ranked[0].item.end_line
    assert found.ranked[0].signals[0].ranker == "pasted"
    assert found.ranked[0].item.source.source_id == "src/shop/stock.py"
    assert found.confidence >= NAMED_CONFIDENCE


@pytest.mark.parametrize("question", ["what is at stock.py:9999", "line 9999 of stock.py", "line 3 of warehouse.py"])
def test_a_line_that_no_file_has_is_not_sure(shop: Reader, question: str) -> None:
    assert ask(shop, question).confidence < NAMED_CONFIDENCE


def test_a_line_of_several_files_of_one_name_is_shown_of_each(indexed) -> None:  # type: ignore[no-untyped-def]
    code = "def view(request):\n    return request\n"
    reader = indexed({"a/views.py": code, "b/views.py": code})
    found = ask(reader, "what is at views.py:2")
    assert {one.item.source.source_id for one in found.ranked[:2]} == {"a/views.py", "b/views.py"}


def test_prose_with_two_files_or_two_lines_names_no_place() -> None:
    assert coordinates("does line 3 of a.py differ from b.py") == ()
    assert coordinates("lines 3 and line 8 of a.py") == ()
    assert [(one.path, one.line) for one in coordinates("the loop, e.g. on line 8, is in app/main.py")] == [
        ("app/main.py", 8)
    ]


@pytest.mark.parametrize(
    "definition", ["def parse_cookies(text):", "# def cookie_parser(text):\n#     pass\n\n\ndef other(text):"]
)
def test_a_name_that_is_used_and_no_longer_defined_is_said_to_be_so(indexed, definition) -> None:  # type: ignore[no-untyped-def]
    files = {
        "src/cookies.py": f'"""Cookies."""\n\n\n{definition}\n    """Parse a cookie header."""\n    return text\n',
        "src/requests.py": "from cookies import cookie_parser\n\n\ndef cookies(request):\n"
        "    return cookie_parser(request.header)\n",
    }
    reader = indexed(files)
    for question in ("cookie_parser", "fix cookie_parser"):
        found = ask(reader, question)
        assert any(note.startswith("cookie_parser is defined nowhere in this workspace") for note in found.notes)
        assert found.confidence <= UNDEFINED_CONFIDENCE
    assert not ask(
        indexed(files | {"src/old.py": "def cookie_parser(text):\n    return text\n"}), "cookie_parser"
    ).notes


def test_a_name_that_a_macro_may_define_is_not_said_to_be_defined_nowhere(indexed) -> None:  # type: ignore[no-untyped-def]
    files = {
        "src/tree.c": "DEFINE_TREE(page_tree, struct page, by_number)\n\nint first_page(void) {\n  return 1;\n}\n",
        "src/cache.c": "int cached(struct page *page) {\n  return page_tree_insert(page) + 1;\n}\n",
    }
    found = ask(indexed(files), "where is page_tree_insert defined?")
    assert found.notes == (
        "no definition of page_tree_insert was recognized in this workspace; a macro may define it; "
        "these places use it",
    )
    assert found.confidence <= UNDEFINED_CONFIDENCE


def test_a_key_with_a_value_and_a_name_nobody_uses_are_not_said_to_be_undefined(shop: Reader) -> None:
    for question in ("fix RETRY_DELAY", "fix retry_delay", "fix qwrtplk_zzyzx"):
        assert not any("defined nowhere" in note for note in ask(shop, question).notes)


def test_what_a_library_defines_takes_nothing_from_a_question_for_more(shop: Reader) -> None:
    found = ask(shop, "ValueError: the order has no mail address to confirm to")
    assert found.confidence > UNDEFINED_CONFIDENCE and not found.notes
