"""Whoever types nothing but a name, a file or a quoted text wants that place first."""

from __future__ import annotations

import pytest

from helix_core.model import Found
from helix_core.search.question import parse_question
from helix_core.search.search import SearchRequest, search
from helix_core.store import Reader
from tests.search.conftest import Indexed

RENDERING = """
'''Rendering a page: render, page, rendering of pages.'''


def render_page(page):
    return page
"""
PAGE = """
class Page:
    '''A page to render.'''

    def render(self):
        return render_page(self)
"""
CHECK = """
def check_rendering(page):
    raise ValueError("the page has never been rendered")
"""
TREE = {
    "src/render.py": RENDERING,
    "src/page.py": PAGE,
    "docs/render.md": "# Rendering\n\nHow `check_rendering` checks the rendering.\n\n    check_rendering(page)\n",
    "docs/page.md": "# Page\n\nA page must be rendered before it is shown; the page.\n",
    "tests/test_page.py": CHECK,
    "examples/page.md.tmpl": "page\n",
    "README.md": "# Pages\n\nRead me.\n",
    "examples/README.md": "# README of the examples\n\nREADME md, README.md\n",
    "src/handle.py": "def 处理请求(x):\n    return x\n",
}


def ask(reader: Reader, question: str) -> Found:
    return search(SearchRequest(question, 10), reader)


def first(found: Found) -> str:
    return found.ranked[0].item.source.source_id


@pytest.fixture
def pages(indexed: Indexed) -> Reader:
    return indexed(TREE)


@pytest.mark.parametrize(
    "question", ["check_rendering", "where is check_rendering defined?", "what does `check_rendering` do"]
)
def test_a_name_defined_once_comes_first_even_in_a_test(pages: Reader, question: str) -> None:
    assert first(ask(pages, question)) == "tests/test_page.py"


def test_a_plain_word_that_is_a_name_counts_as_one(pages: Reader) -> None:
    assert ask(pages, "Page").ranked[0].item.name == "Page"


def test_a_name_is_looked_for_where_the_name_before_it_says(pages: Reader) -> None:
    assert first(ask(pages, "Page.render")) == "src/page.py"


def test_a_name_qualified_by_what_does_not_hold_it_is_not_that_name(pages: Reader) -> None:
    assert ask(pages, "elsewhere.check_rendering").rankers["exact"] == "empty"
    assert ask(pages, "test_page.check_rendering").rankers["exact"] == "used"


def test_a_name_in_another_script_is_found_and_known(pages: Reader) -> None:
    found = ask(pages, "处理请求")
    assert first(found) == "src/handle.py"
    assert not found.known_empty


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("page.py", "src/page.py"),
        ("what is in page.py", "src/page.py"),
        ("docs/page.md", "docs/page.md"),
        ("README.md", "README.md"),
        ("test_page.py", "tests/test_page.py"),
        ("page.md.tmpl", "examples/page.md.tmpl"),
    ],
)
def test_a_file_named_by_its_path_or_name_comes_first(pages: Reader, question: str, path: str) -> None:
    assert first(ask(pages, question)) == path


def test_a_quoted_text_comes_first_where_it_stands_word_for_word(pages: Reader) -> None:
    assert first(ask(pages, 'where does "the page has never been rendered" come from')) == "tests/test_page.py"


def test_a_message_that_only_tests_spell_out_does_not_lift_them_unquoted(pages: Reader) -> None:
    found = ask(pages, "the page has never been rendered")
    assert "exact" not in {signal.ranker for signal in found.ranked[0].signals}


@pytest.mark.parametrize(
    ("question", "subject", "path"),
    [
        ("where is Page.render defined", ("Page", "render"), ""),
        ("how does render_page work with a page", (), ""),
        ("open", ("open",), "open"),
        ("what is in src/page.py", (), "src/page.py"),
        ("", (), ""),
        ("?!", (), "?!"),
    ],
)
def test_the_one_thing_a_question_consists_of_is_known(question: str, subject: tuple[str, ...], path: str) -> None:
    understood = parse_question(question)
    assert (understood.subject, understood.path) == (subject, path)


def test_a_name_a_slip_away_from_a_known_one_finds_that(pages: Reader) -> None:
    found = ask(pages, "check_renderign")
    assert found.ranked[0].item.name == "check_rendering"


def test_a_place_named_outright_is_told_with_confidence(pages: Reader) -> None:
    assert ask(pages, "where is check_rendering defined?").confidence > 0.6
    assert ask(pages, "src/page.py").confidence > 0.6


def test_a_question_is_not_taken_for_a_message_somebody_met(pages: Reader) -> None:
    assert parse_question("how must a page be rendered?").sentence == ""
    assert parse_question("the page has never been rendered").sentence != ""


FLOWS = {
    "src/flow.py": """
'''Current flow closeness centrality: closeness centrality of edges, closeness centrality of nodes.'''


def current_flow_closeness_centrality(graph):
    '''Compute closeness centrality; closeness centrality by current flow, the closeness centrality of a graph.'''
    return solve_closeness_centrality(graph)


def edge_current_flow_closeness_centrality(graph):
    '''Compute the closeness centrality of edges: closeness centrality, computed by current flow.'''
    return solve_closeness_centrality(graph)
""",
    "src/closeness.py": """
def closeness_centrality(graph, node):
    lengths = shortest(graph, node)
    return (len(lengths) - 1) / sum(lengths)


def incremental(graph, node, previous):
    '''Compute closeness centrality again: the closeness centrality of a node, computed from the previous one.'''
    return previous
""",
    "tests/test_closeness.py": """
def test_closeness_centrality():
    '''Closeness centrality is computed.'''
    assert closeness_centrality({}, 1)
""",
}


@pytest.mark.parametrize(
    "question",
    ["how is closeness centrality computed", "closeness centrality", "Where's the closeness centrality of a node?"],
)
def test_a_name_written_as_separate_words_leads(indexed: Indexed, question: str) -> None:
    assert ask(indexed(FLOWS), question).ranked[0].item.symbol == "closeness_centrality"


def test_who_asks_for_the_tests_of_such_a_name_gets_the_tests(indexed: Indexed) -> None:
    assert first(ask(indexed(FLOWS), "which tests are there for closeness centrality")) == "tests/test_closeness.py"


def test_words_beside_it_that_weigh_more_decide_against_such_a_name(indexed: Indexed) -> None:
    found = ask(indexed(FLOWS), "closeness centrality of edges by solving the current flow")
    assert found.ranked[0].item.symbol == "edge_current_flow_closeness_centrality"
