"""Whoever types nothing but a name, a file or a quoted text wants that place first."""

from __future__ import annotations

import pytest

from helix_core.model import Found
from helix_core.search.judge import LOOSE_CONFIDENCE, NO_FRAGMENT_NOTE
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


MESSAGES = {
    "src/args.go": """package app

func AtMost(n int) error {
	if len(args) > n {
		return fmt.Errorf("accepts at most %d arg(s), received %d", n, len(args))
	}
	return nil
}

func Exactly(n int) error {
	if len(args) != n {
		return fmt.Errorf("accepts %d arg(s), received %d", n, len(args))
	}
	return nil
}

func NoArgs(cmd *Command) error {
	return fmt.Errorf("unknown command %q for %q", args[0], cmd.Path())
}

func Required(names []string) error {
	return fmt.Errorf(`required flag(s) "%s" not set`, names)
}
""",
    "src/groups.go": """package app

// RequiredFlagGroups checks the required flags of a group: flag required, set or not set, a name of each flag.
func RequiredFlagGroups(flags []Flag) error {
	for _, flag := range flags {
		if flag.Required && flag.Name != "" && !flag.Set {
			return flag.Error()
		}
	}
	return nil
}
""",
    "src/channel.py": """class Channel:
    '''A channel, which may be disconnected. Disconnected channels are kept: a disconnected channel.'''

    def disconnect(self, channel):
        self.disconnected[channel] = True
""",
    "src/declare.py": """def declare(entity):
    if not entity.connection:
        raise RecoverableConnectionError('channel disconnected')
""",
    "src/transports.py": """def transport_of(name):
    raise KeyError(f"No such transport: {name}. Transports are {names}.")
""",
    "tests/args_test.go": """package app

func TestNoArgs(t *testing.T) {
	expected := `Error: unknown command "illegal" for "root"`
}
""",
}


@pytest.mark.parametrize(
    ("message", "symbol"),
    [
        ('Error: unknown command "foo" for "app"', "NoArgs"),
        ('why do I get Error: unknown command "foo" for "app"', "NoArgs"),
        ('why do I get Error: unknown command "frobnicator" for "zxq"?', "NoArgs"),
        ('Error: required flag(s) "name" not set', "Required"),
        ("accepts 1 arg(s), received 0", "Exactly"),
        ("accepts at most 1 arg(s), received 3", "AtMost"),
        ("Channel disconnected", "declare"),
        ("amqp.exceptions.RecoverableConnectionError: channel disconnected", "declare"),
        ("I typed app foo and it says: accepts 1 arg(s), received 0", "Exactly"),
        ('where does "accepts 1 arg(s), received 0" come from?', "Exactly"),
        ("No such transport: qwertz", "transport_of"),
    ],
)
def test_a_printed_message_finds_the_text_that_prints_it_whatever_its_values(
    indexed: Indexed, message: str, symbol: str
) -> None:
    found = ask(indexed(MESSAGES), message)
    assert not found.known_empty
    assert (found.ranked[0].item.name, found.confidence >= 0.9) == (symbol, True)


def test_the_message_of_a_paste_finds_the_text_that_prints_it_beside_other_words(indexed: Indexed) -> None:
    reader = indexed(MESSAGES)
    question = 'why? required flag(s) "name" not set RequiredFlagGroups checks flags'
    found = search(SearchRequest(question, 10, message='required flag(s) "name" not set'), reader)
    assert (found.ranked[0].item.name, found.confidence >= 0.9) == ("Required", True)
    assert ask(reader, question).ranked[0].item.name != "Required"


@pytest.mark.parametrize("message", ['Error: unknown shell "foo" for "app"', "Error: disk quota exceeded"])
def test_a_message_that_nothing_prints_is_not_taken_for_one_that_shares_words(indexed: Indexed, message: str) -> None:
    found = ask(indexed(MESSAGES), message)
    assert "exact" not in {signal.ranker for one in found.ranked for signal in one.signals}


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ('Error: unknown command "foo" for "app"', ("unknown command", "for")),
        ("ValueError: order 17 has no address", ("order", "has no address")),
        ("channel disconnected", ("channel disconnected",)),
        ("message queue", ()),
        ("where is the pool of 8 connections?", ()),
        ("Error", ()),
    ],
)
def test_a_printed_message_is_read_without_its_values(text: str, printed: tuple[str, ...]) -> None:
    assert parse_question(text).printed == printed


ROUTES = {
    "src/router.py": "def add(path):\n    # Add a route such as /{id:[0-9]+} to the tree.\n    return path\n",
    "src/request_id.py": "def request_id(id):\n    # The id of a request: id, id, id.\n    return id\n",
}


def test_a_piece_of_code_finds_the_place_that_has_it_or_says_that_none_has(indexed: Indexed) -> None:
    reader = indexed(ROUTES)
    found = search(SearchRequest("/{id:[0-9]+}", 5), reader)
    other = search(SearchRequest("/{id:[a-z]{3}}", 5), reader)
    assert found.ranked[0].item.source.source_id == "src/router.py" and found.confidence > 0.7
    assert other.confidence <= LOOSE_CONFIDENCE and NO_FRAGMENT_NOTE in other.notes
