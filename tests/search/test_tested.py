"""Tests that say what was asked vote for what they test."""

from __future__ import annotations

from helix_core.search.named import NAMED_CONFIDENCE
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


CALLS = {
    "src/Pool.java": """
/** A pool: evictConnection is tested by its users. */
public final class Pool {
    /** Evict a connection from the pool. */
    public void evictConnection(Connection connection) {
        bag.close(connection);
    }

    /** Where evictConnection waits for its turn. */
    void softEvictConnection() {
        evictConnection(oldest);
    }
}
""",
    "src/Source.java": """
public class Source {
    /** Evict a connection; it is tested. */
    public void evictConnection(Connection connection) {
        pool.evictConnection(connection);
    }
}
""",
    "src/test/ConnectionsTest.java": """
public class ConnectionsTest {
    @Test
    public void testEviction() {
        assertEquals(1, pool.count());
        pool.evictConnection(connection);
        assertEquals(0, pool.count());
    }
}
""",
    "src/test/MailTest.java": "public class MailTest {\n    @Test\n    public void testMail() {\n    }\n}\n",
}


def first_of(question: str, reader: Reader) -> str:
    return search(SearchRequest(question, 5), reader).ranked[0].item.source.source_id


def test_a_question_for_the_tests_of_a_name_gets_them_before_the_name(indexed) -> None:  # type: ignore[no-untyped-def]
    reader: Reader = indexed(CALLS)
    for question in ("where is evictConnection tested", "which tests cover evictConnection?"):
        assert first_of(question, reader) == "src/test/ConnectionsTest.java", question
    assert "/test/" not in first_of("where is evictConnection", reader)


def test_a_change_that_is_to_keep_the_tests_passing_asks_for_no_tests(indexed) -> None:  # type: ignore[no-untyped-def]
    reader: Reader = indexed(CALLS)
    for proviso in (
        "and keep the tests green",
        "and make sure all existing tests still pass",
        "without breaking tests",
    ):
        assert "/test/" not in first_of(f"refactor evictConnection into smaller functions {proviso}", reader), proviso


def test_a_name_that_only_tests_define_is_no_less_there(indexed) -> None:  # type: ignore[no-untyped-def]
    docs = "# Verify\n\nUse check_modules to check a graph.\n\n# check_modules\n\nSee check_modules.\n"
    reader: Reader = indexed(
        {"docs/verify.md": docs, "tests/support/modules.py": "def check_modules(graph):\n    return graph.all()\n"}
    )
    found = search(SearchRequest("check_modules", 5), reader)
    assert found.ranked[0].item.source.source_id == "tests/support/modules.py"
    assert found.confidence >= NAMED_CONFIDENCE and not found.notes
