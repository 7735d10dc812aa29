"""What is written can be found by words, names, keys, imports and paths, best first, with its exact place."""

from __future__ import annotations

import threading

import apsw
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from helix_core.errors import RefusedStatementError, StoreError
from helix_core.model import LastCommit, Role, Skipped, SourceKind
from helix_core.store import Index, QueryBudgetError, Reader, Weights, Writer
from helix_core.store.lexical import phrase
from helix_core.store.writer import TABLES
from tests.store.build import LINES_PER_CHUNK, content_hash, document, signature

CONFIG = b"""# reads the settings of a workspace
import tomllib

def parse_config(path):
    return tomllib.load(path)

port = 8080
server.port = 9090
"""
TESTS = b"""from app.config import parse_config

def test_parse_config():
    assert parse_config("x")
"""
OTHER = b"""class HTTPRequestHandler:
    def handle(self):
        return self.parse()
"""


@pytest.fixture(autouse=True)
def filled(writer: Writer) -> dict[bytes, int]:
    with writer.batch():
        return {
            b"app/config.py": writer.replace(document(b"app/config.py", CONFIG), signature(1, len(CONFIG)), 10),
            b"tests/test_config.py": writer.replace(
                document(b"tests/test_config.py", TESTS, role=Role.TEST), signature(2), 20
            ),
            b"app/HttpServer.py": writer.replace(document(b"app/HttpServer.py", OTHER), signature(3), 30),
            b"logo.png": writer.replace(document(b"logo.png", b"\0", skipped="binary"), signature(4), 40),
        }


def paths(reader: Reader, item_ids: list[int]) -> list[bytes]:
    found = reader.files.items(item_ids)
    return [found[item_id].source.path for item_id in item_ids]


def test_an_item_knows_its_exact_place_and_its_source(reader: Reader, filled: dict[bytes, int]) -> None:
    (item,) = reader.files.items_of(filled[b"app/config.py"])
    assert (item.start_line, item.end_line, item.start_byte, item.end_byte) == (1, 8, 0, len(CONFIG))
    assert (item.kind, item.name, item.text_hash) == ("block", "parse_config", content_hash(CONFIG)[:16])
    source = item.source
    assert (source.path, source.source_id, source.content_hash) == (
        b"app/config.py",
        "app/config.py",
        content_hash(CONFIG),
    )
    assert (source.signature, source.source_kind, source.role) == (
        signature(1, len(CONFIG)),
        SourceKind.CODE,
        Role.IMPLEMENTATION,
    )
    assert source == reader.files.source(b"app/config.py") == reader.files.sources_by_id([source.id])[source.id]
    assert reader.files.items([item.id, 999]) == {item.id: item}


def test_words_are_stemmed_and_snake_case_is_split(reader: Reader) -> None:
    assert paths(reader, [hit[0] for hit in reader.text.chunk_matches("setting", 5)]) == [b"app/config.py"]
    assert len(reader.text.chunk_matches("parsing AND configs", 5)) == 2
    assert paths(reader, [hit[0] for hit in reader.text.chunk_matches("handler AND request", 5)]) == [
        b"app/HttpServer.py"
    ]
    assert paths(reader, [hit[0] for hit in reader.text.chunk_matches("path : server", 5)]) == [b"app/HttpServer.py"]
    assert reader.words.tokens("Parsing parse_config, Größe") == ["pars", "pars", "config", "groß"]


def test_a_whole_file_has_a_posting_for_each_distinct_word_and_keeps_the_parts_of_a_name_together(
    writer: Writer, reader: Reader, index: Index
) -> None:
    lines = [f"total = shop.cart.total_price({number})\n" for number in range(4 * LINES_PER_CHUNK)]
    row = writer.replace(document(b"app/sum.py", "".join(lines).encode()), signature(), 1)
    connection = apsw.Connection(str(index.path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.execute("CREATE VIRTUAL TABLE temp.posting USING fts5vocab(main, file_fts, instance)")
    sql = "SELECT count(*) FROM temp.posting WHERE doc = ? AND term = 'total' AND col = 'body'"
    counted = connection.execute(sql, (row,))
    # Each line has another call, and all of them the same word before it.
    assert counted.fetchall() == [(len(lines) + 1,)]
    connection.close()
    for text in ("total", "shop.cart", "cart.total_price", "total_price"):
        assert [source for source, _ in reader.text.file_matches(phrase(text), 5)] == [row], text


def test_scores_are_positive_best_first_and_follow_the_weights(reader: Reader) -> None:
    scores = [score for _, _, score in reader.text.chunk_matches("parse OR config", 5)]
    assert scores == sorted(scores, reverse=True) and min(scores) > 0
    by_path = reader.text.chunk_matches("config OR handle", 5, Weights(path=50, names=0, doc=0, body=0, extra=0))
    assert by_path[-1][0] == reader.text.chunk_matches("handle", 1)[0][0]
    assert [score for _, score in reader.text.file_matches("parse", 5)] == sorted(
        (score for _, score in reader.text.file_matches("parse", 5)), reverse=True
    )


def test_matches_can_be_restricted_to_files_with_unchanged_scores(reader: Reader, filled: dict[bytes, int]) -> None:
    everywhere = reader.text.chunk_matches("parse", 10)
    wanted = [filled[b"app/config.py"], filled[b"app/HttpServer.py"]]
    assert reader.text.matches_in("parse", wanted, 10) == [hit for hit in everywhere if hit[1] in wanted]
    assert len(reader.text.matches_in("parse", wanted, 1)) == 1
    assert reader.text.matches_in("parse", [], 10) == []


def test_a_phrase_is_taken_literally_whatever_is_in_it(reader: Reader) -> None:
    for text in ('say "hi"', "a AND (b", "path:x*", "NEAR(a b)", "nul\0byte", "日本語", "", "'", "-x ^y"):
        assert reader.text.chunk_matches(f"{phrase(text)} OR handle", 5)
    with pytest.raises(StoreError):
        reader.text.chunk_matches("AND (", 5)


def test_definitions_are_found_folded_and_by_prefix(reader: Reader, filled: dict[bytes, int]) -> None:
    (hit,) = reader.names.definitions(["httprequesthandler"])
    assert (hit.name, hit.source_id, hit.start_line) == ("HTTPRequestHandler", filled[b"app/HttpServer.py"], 1)
    assert [hit.name for hit in reader.names.definitions_by_prefix("http")] == ["HTTPRequestHandler"]
    assert [hit.name for hit in reader.names.definitions_by_prefix("parse")] == ["parse_config"]
    assert reader.names.definitions_by_prefix("") == [] and reader.names.definitions([]) == []


def test_a_misspelt_name_finds_the_right_one_first(reader: Reader) -> None:
    assert reader.names.similar_names("HttpRequestHandlr")[0].name == "HTTPRequestHandler"
    assert reader.names.similar_names("parse_confg")[0].name == "parse_config"
    exact = reader.names.similar_names("httpserver", 1)[0]
    assert (exact.name, exact.similarity, exact.is_path) == ("HttpServer", 1.0, True)
    assert reader.names.similar_names("xy") == []


def test_claims_are_found_by_key_by_its_end_and_by_item(reader: Reader, filled: dict[bytes, int]) -> None:
    assert [(hit.key, hit.value, hit.line) for hit in reader.claims.matching(["Port"])] == [
        ("port", "8080", 7),
        ("server.port", "9090", 8),
    ]
    assert [hit.value for hit in reader.claims.matching(["server.port"])] == ["9090"]
    assert [hit.value for hit in reader.claims.with_same_key(["port"])["port"]] == ["8080"]
    (item,) = reader.files.items_of(filled[b"app/config.py"])
    assert [hit.key for hit in reader.claims.of_items([item.id])[item.id]] == ["port", "server.port"]


def test_links_lead_to_importers_tests_and_users(reader: Reader, filled: dict[bytes, int]) -> None:
    assert reader.names.imports_of(filled[b"app/config.py"]) == ["tomllib"]
    assert paths(reader, reader.names.importers("app.config")) == [b"tests/test_config.py"]
    assert paths(reader, reader.names.tests_of("parse_config")) == [b"tests/test_config.py"]
    assert set(paths(reader, reader.text.references("parse_config", 10))) == {b"app/config.py", b"tests/test_config.py"}
    assert reader.text.references("config", 10) == reader.names.importers("app.config")


def test_paths_are_found_by_their_words(reader: Reader, filled: dict[bytes, int]) -> None:
    assert [source_id for source_id, _ in reader.text.paths_like(["http", "server"])] == [filled[b"app/HttpServer.py"]]
    assert reader.text.paths_like(["..", ""]) == []


def test_frequency_counts_chunks_with_the_same_stemming(reader: Reader) -> None:
    assert reader.words.frequency(["parse", "parsing", "parse_config", "nowhere", "!"]) == {
        "parse": 3,
        "parsing": 3,
        "parse_config": 2,
        "nowhere": 0,
        "!": 0,
    }


def test_skipped_files_are_counted_and_listed_but_not_searched(reader: Reader) -> None:
    assert reader.files.skipped() == [Skipped(b"logo.png", "binary")]
    assert reader.files.counts().skipped == 1 and reader.files.counts().live.sources == 3
    assert reader.files.source(b"logo.png") is None
    assert reader.files.states()[b"logo.png"].skipped == "binary"
    assert "logo" not in [found.name for found in reader.names.similar_names("logo")]


def test_commit_facts_are_kept_and_renewed(writer: Writer, reader: Reader) -> None:
    first, second = LastCommit("a" * 40, "Ada", 1), LastCommit("b" * 40, "Bob", 2)
    writer.set_commits({b"x": first, b"y": first})
    writer.set_commits({b"x": second})
    assert reader.files.commits([b"x", b"y", b"z"]) == {b"x": second, b"y": first}
    writer.set_commits({b"x": first}, whole=True)
    assert reader.files.commits([b"x", b"y", b"z"]) == {b"x": first}
    assert reader.files.commit(b"y") is None


def test_meta_facts_are_kept(writer: Writer, reader: Reader) -> None:
    assert reader.meta("complete") == ""
    writer.set_meta("complete", "1")
    assert reader.meta("complete") == "1"


def test_odd_paths_round_trip(writer: Writer, reader: Reader) -> None:
    odd = [
        b"caf\xc3\xa9.py",
        b"cafe\xcc\x81.py",
        b"\xff\xfe.py",
        b"new\nline.py",
        b"quo\"te'.py",
        b"-dash",
        b":(glob)*",
    ]
    for path in odd:
        writer.replace(document(path, b"odd_word = 1\n"), signature(), 1)
    assert set(odd) <= set(reader.files.states())
    assert (
        len(
            {reader.files.items([hit[0]])[hit[0]].source.source_id for hit in reader.text.chunk_matches("odd_word", 20)}
        )
        == 7
    )


def test_a_failed_batch_leaves_nothing_and_the_next_one_works(writer: Writer, reader: Reader) -> None:
    before = reader.digest()
    with pytest.raises(KeyboardInterrupt), writer.batch():
        writer.replace(document(b"new.py", b"def brand_new(): pass\n"), signature(), 1)
        writer.remove(b"app/config.py")
        raise KeyboardInterrupt
    assert reader.digest() == before and reader.text.chunk_matches("brand", 5) == []
    writer.replace(document(b"new.py", b"def brand_new(): pass\n"), signature(), 1)
    assert len(reader.text.chunk_matches("brand", 5)) == 1


def test_clearing_forgets_everything_and_filling_again_works(index: Index, writer: Writer, reader: Reader) -> None:
    before = reader.digest()
    writer.clear()
    assert (
        reader.files.states() == {}
        and reader.text.chunk_matches("parse", 5) == []
        and reader.names.definitions(["handle"]) == []
    )
    for path, data in ((b"app/config.py", CONFIG), (b"app/HttpServer.py", OTHER)):
        writer.replace(document(path, data), signature(), 1)
    writer.replace(document(b"tests/test_config.py", TESTS, role=Role.TEST), signature(), 1)
    writer.replace(document(b"logo.png", b"\0", skipped="binary"), signature(), 1)
    writer.optimize()
    assert reader.digest() == before and index.damage() == ""


def test_merging_a_first_build_lets_another_writer_in_between_its_steps(index: Index, writer: Writer) -> None:
    commits: list[int] = []
    connection = index._connection
    connection.set_commit_hook(lambda: bool(commits.append(1)))
    writer.optimize()
    connection.set_commit_hook(None)
    assert len(commits) > len(TABLES)


def test_a_snapshot_does_not_see_what_is_written_after_it_began(writer: Writer, reader: Reader) -> None:
    with reader.snapshot():
        before = reader.digest()
        writer.replace(document(b"later.py", b"def later(): pass\n"), signature(), 1)
        writer.optimize()
        assert reader.digest() == before and reader.files.source(b"later.py") is None
    assert reader.files.source(b"later.py") is not None


def test_a_query_over_its_budget_is_stopped_and_says_so(index: Index, writer: Writer) -> None:
    with writer.batch():
        for number in range(300):
            writer.replace(document(b"%d.py" % number, b"a b c d e f g\n" * 40, lines_per_chunk=1), signature(), 1)
    with index.reader(budget_ms=0.01) as hurried:
        with pytest.raises(QueryBudgetError, match="budget of work"):
            hurried.text.chunk_matches("a OR b OR c OR d OR e OR f OR g", 10)
        assert hurried.files.counts().live.sources == 303


def test_readers_cannot_write_and_never_checkpoint(index: Index, writer: Writer) -> None:
    with index.reader() as reader:
        assert reader._session.connection.readonly("main")
        with pytest.raises(StoreError):
            reader._session.rows("DELETE FROM source")
        writer.replace(document(b"new.py", b"x = 1\n"), signature(), 1)
        log = index.path.with_name(index.path.name + "-wal")
        size = log.stat().st_size
        reader.files.counts()
    assert log.stat().st_size == size > 0


def test_a_reader_belongs_to_its_thread(reader: Reader) -> None:
    raised: list[BaseException] = []

    def ask() -> None:
        try:
            reader.files.counts()
        except RuntimeError as error:
            raised.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert "thread" in str(raised[0])


ODD_NAMES = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            "ab_-.$/\\\"'*^:(){}[]+@#%& \t\n\0~!?,;<>|=é\u0301ß\u200dª²Ⅷ漢\ue000\U0001f600\U00010480\u1e9e"
        ),
        st.characters(codec="utf-8"),
    ),
    max_size=12,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=ODD_NAMES, package=ODD_NAMES)
@example(name="my-lib", package="src-of")
@example(name="AND", package="NEAR")
@example(name="a.b", package="*")
@example(name='"', package='"')
def test_no_name_and_no_path_is_refused_whatever_is_in_it(reader: Reader, name: str, package: str) -> None:
    uses = reader.uses
    assert uses.items_using(name, in_tests=False, near=b"", importing=(), defining=(), limit=5) is not None
    assert uses.totals(name).users >= 0
    assert uses.importing(name, package) is not None
    assert uses.importing_from(package, name) is not None
    assert uses.code_mentioning(name, 5) is not None
    assert uses.documents_mentioning(name, 5) is not None
    assert uses.tests_linked([name, package]) is not None
    assert reader.text.references(name, 5) is not None
    assert reader.text.paths_like([name, package]) is not None
    assert reader.names.definitions([name.lower()]) is not None
    assert reader.names.similar_names(name) is not None
    assert reader.names.defined_at(name, b"") is not None


def test_a_name_of_several_words_is_used_where_all_of_them_are(reader: Reader, filled: dict[bytes, int]) -> None:
    ask = {"in_tests": False, "near": b"", "importing": (), "defining": (), "limit": 5}
    (own,) = reader.files.items_of(filled[b"app/config.py"])
    uses, with_imports = reader.uses.items_using("parse_config-tomllib", **ask)
    assert sorted((*uses, *with_imports)) == [own.id]
    assert reader.uses.items_using("parse_config-elsewhere", **ask) == ([], [])
    assert reader.uses.totals("tomllib.load").users == 1
    assert reader.uses.totals("--").users == 0


def test_all_matches_are_counted_as_the_best_of_them_are(reader: Reader) -> None:
    match, weights = '"parse" OR "server"', Weights(path=2.0, names=2.0)
    ranked = reader.text.chunk_evidence(match, 2, 10, weights)
    assert len(ranked) == 3
    assert sorted(reader.text.all_evidence(match, 2, 3, weights) or ()) == sorted(ranked)
    assert reader.text.all_evidence(match, 2, 2, weights) is None


def test_a_filter_decides_what_occurs_where_that_is_asked(reader: Reader, filled: dict[bytes, int]) -> None:
    with reader.narrowed([filled[b"app/HttpServer.py"]]):
        assert reader.text.occurs("tomllib")
        assert not reader.text.occurs("tomllib", in_scope=True)
        assert reader.text.occurs("handle", in_scope=True)


def test_a_statement_that_is_refused_blames_neither_the_files_nor_the_index(reader: Reader) -> None:
    with pytest.raises(RefusedStatementError, match="a fault of Helix") as refused:
        reader.text.occurs("names : (")
    assert "delete" not in str(refused.value)
    assert "index.db" not in str(refused.value)
