"""Tests that say what was asked vote for what they test."""

from __future__ import annotations

from helix_core.search.search import SearchRequest, search
from helix_core.store import Reader

TREE = {
    "src/retry.py": "def backoff(n):\n    return 2**n\n",
    "src/other.py": "def plain(n):\n    return n\n",
    "tests/test_retry.py": '''
from retry import backoff


def test_backoff_doubles():
    """Waits twice as long after every failure of the connection."""
    assert backoff(3) == 8
''',
}
QUESTION = "waits twice as long after every failure of the connection"


def test_a_test_that_says_what_was_asked_brings_what_it_tests(indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(QUESTION, 10), indexed(TREE))
    votes = {
        one.item.source.source_id: {signal.ranker for signal in one.signals} for one in found.ranked if not one.related
    }
    assert votes["src/retry.py"] == {"tested"}
    assert "src/other.py" not in votes


def test_who_asks_for_tests_gets_no_votes_from_them(indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(f"which test checks: {QUESTION}", 10), indexed(TREE))
    assert found.rankers["tested"] == "empty"


def test_a_test_names_the_implementation_of_its_own_name_alone(indexed) -> None:  # type: ignore[no-untyped-def]
    reader: Reader = indexed({**TREE, "docs/retry.md": "# Retry\n"})
    sources = {source.source_id: id_ for id_, source in reader.files.sources_by_id(range(1, 10)).items()}
    assert reader.names.tested_by(sources.values()) == [(sources["tests/test_retry.py"], sources["src/retry.py"])]
