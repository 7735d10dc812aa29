"""One live version a path; the others are parked, come back by a flag, and are pruned oldest first."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helix_core.model import Clean
from helix_core.store import Counts, Index, Reader, SourceTotals, Writer, open_index
from tests.store.build import PARSER, content_hash, document, signature

OLD = b"def parse_config(): pass\n"
NEW = b"def parse_settings(): pass\n"


def test_a_replaced_version_is_no_longer_found_anywhere(writer: Writer, reader: Reader) -> None:
    writer.replace(document(b"app/conf.py", b"import tomllib\nport = 8080\n" + OLD), signature(1), 1)
    writer.replace(document(b"app/conf.py", NEW), signature(2), 2)
    assert reader.text.chunk_matches("config", 10) == []
    assert reader.text.file_matches("config", 10) == []
    assert not reader.text.occurs("config")
    assert reader.text.occurs("settings")
    assert reader.names.definitions(["parse_config"]) == []
    assert reader.names.definitions_by_prefix("parse_c") == []
    assert "parse_config" not in {found.name for found in reader.names.similar_names("parse_config")}
    assert reader.claims.matching(["port"]) == []
    assert reader.names.importers("tomllib") == []
    assert reader.text.references("tomllib", 10) == []
    assert len(reader.names.definitions(["parse_settings"])) == 1
    assert reader.files.counts() == Counts(live=SourceTotals(1, 1), skipped=0, parked=SourceTotals(1, 1))


def test_coming_back_to_bytes_seen_before_needs_no_parsing(writer: Writer, reader: Reader) -> None:
    writer.replace(document(b"conf.py", OLD), signature(1), 1)
    before, ids = reader.digest(), reader.text.chunk_matches("config", 10)
    writer.replace(document(b"conf.py", NEW), signature(2), 2)
    assert writer.activate(b"conf.py", content_hash(OLD), PARSER, signature(3), 3)
    assert (reader.digest(), reader.text.chunk_matches("config", 10)) == (before, ids)
    assert reader.text.chunk_matches("settings", 10) == []
    state = reader.files.state(b"conf.py")
    assert state is not None and state.signature == signature(3) and state.observed_ns == 3


def test_a_source_that_was_read_is_read_again_once_the_index_was_written(writer: Writer, reader: Reader) -> None:
    first = writer.replace(document(b"conf.py", OLD), signature(1), 1)
    assert reader.files.source(b"other.py") is None and not reader.files.sources_by_id([first + 1])
    assert [reader.files.source(b"conf.py")] == [*reader.files.sources_by_id([first, first]).values()]
    second = writer.replace(document(b"conf.py", NEW), signature(2), 2)
    writer.replace(document(b"other.py", OLD), signature(1), 1)
    now = reader.files.source(b"conf.py")
    assert now is not None and now.signature == signature(2) and reader.files.source(b"other.py") is not None
    assert reader.files.sources_by_id([first, second]) == {second: now}
    with reader.snapshot():
        assert reader.files.source(b"conf.py") == now
        writer.remove(b"conf.py")
        assert reader.files.source(b"conf.py") == now
    assert reader.files.source(b"conf.py") is None and reader.files.sources_by_id([second]) == {}


def test_bytes_never_seen_or_parsed_otherwise_cannot_be_activated(writer: Writer, reader: Reader) -> None:
    writer.replace(document(b"conf.py", OLD), signature(1), 1)
    writer.remove(b"conf.py")
    assert not writer.activate(b"conf.py", content_hash(NEW), PARSER, signature(2), 2)
    assert not writer.activate(b"conf.py", content_hash(OLD), "lines/2", signature(2), 2)
    assert not writer.activate(b"other.py", content_hash(OLD), PARSER, signature(2), 2)
    assert reader.files.states() == {}


def test_activating_what_is_live_already_only_renews_its_signature(writer: Writer, reader: Reader) -> None:
    row = writer.replace(document(b"conf.py", OLD), signature(1), 1)
    assert writer.activate(b"conf.py", content_hash(OLD), PARSER, signature(2), 2)
    source = reader.files.source(b"conf.py")
    assert source is not None and source.id == row and source.signature == signature(2)


def test_a_removed_file_is_gone_and_comes_back(writer: Writer, reader: Reader) -> None:
    writer.replace(document(b"conf.py", OLD), signature(1), 1)
    assert writer.remove(b"conf.py")
    assert not writer.remove(b"conf.py")
    assert (
        reader.files.states() == {}
        and reader.files.source(b"conf.py") is None
        and reader.text.chunk_matches("config", 5) == []
    )
    assert writer.activate(b"conf.py", content_hash(OLD), PARSER, signature(2), 2)
    assert list(reader.files.states()) == [b"conf.py"]


def test_replacing_with_the_same_bytes_leaves_one_version(writer: Writer, reader: Reader) -> None:
    for number in range(3):
        writer.replace(document(b"conf.py", OLD), signature(number), number)
    assert reader.files.counts().parked == SourceTotals(0, 0)
    assert len(reader.text.chunk_matches("config", 10)) == 1


def test_a_new_parser_deletes_what_the_old_one_made(writer: Writer, reader: Reader) -> None:
    writer.replace(document(b"conf.py", OLD), signature(1), 1)
    writer.replace(document(b"conf.py", OLD, parser="lines/2"), signature(1), 2)
    assert reader.files.counts().parked == SourceTotals(0, 0)
    assert len(reader.text.chunk_matches("config", 10)) == 1


def test_touch_heals_the_signature_and_keeps_the_time_of_reading(writer: Writer, reader: Reader) -> None:
    writer.replace(document(b"conf.py", OLD), signature(1), 1_000_000_000)
    writer.touch(b"conf.py", signature(2), 5_000_000_000)
    source, state = reader.files.source(b"conf.py"), reader.files.state(b"conf.py")
    assert source is not None and state is not None
    assert (source.signature, source.observed_at, source.verified_at) == (signature(2), 1.0, 5.0)
    assert (state.signature, state.observed_ns) == (signature(2), 5_000_000_000)


def test_enough_live_matches_come_back_however_many_are_parked(writer: Writer, reader: Reader) -> None:
    with writer.batch():
        for number in range(150):
            writer.replace(document(b"many.py", b"def wanted(): return wanted\n# %d\n" % number), signature(), number)
        for number in range(7):
            path = b"file%d.py" % number
            writer.replace(document(path, b"def wanted(): return something_else_%d\n" % number), signature(), 1)
    assert len(reader.text.chunk_matches("wanted", 5)) == 5
    assert len(reader.text.chunk_matches("wanted", 50)) == 8
    assert len(reader.text.file_matches("wanted", 50)) == 8
    assert len(reader.text.references("wanted", 50)) == 8


def test_all_matches_of_a_limit_are_live_before_and_after_one_is_parked(writer: Writer, reader: Reader) -> None:
    with writer.batch():
        for number in range(9):
            writer.replace(document(b"file%d.py" % number, b"def wanted(): return %d\n" % number), signature(), 1)
    before = reader.text.chunk_matches("wanted", 9)
    assert len(before) == 9
    with writer.batch():
        for number in range(3):
            writer.replace(document(b"file%d.py" % number, b"def other(): return %d\n" % number), signature(), 2)
    assert reader.text.chunk_matches("wanted", 9) == before[3:]


def test_references_of_a_name_that_is_no_single_word_can_be_asked_for(writer: Writer, reader: Reader) -> None:
    with writer.batch():
        writer.replace(document(b"one.py", b"def one(): return key.other\n"), signature(), 1)
    assert len(reader.text.references("key.other", 5)) == 1
    for name in ("key-missing", "!", "", 'a "quoted" name', "tool.ruff.lint", "A title: of words"):
        assert reader.text.references(name, 5) == []


def test_parked_versions_are_pruned_oldest_first(writer: Writer, reader: Reader) -> None:
    def version(number: int) -> bytes:
        return b"".join(b"def name_%d_%d(): pass\n" % (number, line) for line in range(500))

    with writer.batch():
        for number in range(9):
            writer.replace(document(b"big.py", version(number), lines_per_chunk=1), signature(), number)
    assert reader.files.counts().parked.items == 4_000
    assert writer.prune() == 5
    assert reader.files.counts().parked.items == 1_500
    assert writer.prune() == 0
    assert not writer.activate(b"big.py", content_hash(version(4)), PARSER, signature(), 1)
    assert (
        reader.names.definitions(["name_8_0"]) and reader.names.similar_names("name_4_321", 1)[0].name != "name_4_321"
    )
    assert writer.activate(b"big.py", content_hash(version(5)), PARSER, signature(), 1)
    assert len(reader.text.chunk_matches("name", 600)) == 500


@pytest.mark.slow
def test_pruning_leaves_no_trace_of_a_version(index: Index, writer: Writer, reader: Reader) -> None:
    with writer.batch():
        for number in range(3):
            data = b"".join(b"import mod_%d\nkey_%d = 1\n" % (number, line) for line in range(800))
            writer.replace(document(b"big.py", data, lines_per_chunk=1), signature(), number)
        writer.replace(document(b"big.py", b"x = 1\n"), signature(), 9)
    writer.prune()
    assert reader.files.counts().parked.items <= 2_000
    assert index.damage() == ""


_EDIT = st.tuples(st.sampled_from([b"a.py", b"b.py", b"d/c.txt"]), st.integers(0, 3), st.sampled_from("rad"))


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(_EDIT, max_size=12))
def test_any_history_ends_in_the_digest_of_a_cold_build(tmp_path_factory, edits) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("index")
    now: dict[bytes, bytes] = {}
    with open_index(folder / "edited.db") as edited, open_index(folder / "cold.db") as cold:
        for number, (path, content, action) in enumerate(edits):
            data = b"import m%d\ndef f%d(): pass\nkey = %d\n" % (content, content, content)
            known = edited.writer().activate(path, content_hash(data), PARSER, signature(number), number)
            if action == "d":
                edited.writer().remove(path)
                now.pop(path, None)
                continue
            if not known or action == "r":
                edited.writer().replace(document(path, data), signature(number), number)
            now[path] = data
        for path, data in now.items():
            cold.writer().replace(document(path, data), signature(), 1)
        with edited.reader() as one, cold.reader() as other:
            assert one.digest() == other.digest()
            assert one.files.counts().live == other.files.counts().live
            assert sorted(path for path in one.files.states()) == sorted(now)
            assert places(one, "f0 OR m1 OR def") == places(other, "f0 OR m1 OR def")


def places(reader: Reader, match: str) -> set[tuple[bytes, int]]:
    """Where the postings lead."""
    found = reader.files.items([item_id for item_id, _, _ in reader.text.chunk_matches(match, 100)])
    return {(item.source.path, item.start_line) for item in found.values()}


def test_the_digest_notices_any_difference_in_content(writer: Writer, reader: Reader) -> None:
    seen = set()
    for data in (b"", b"x = 1\n", b"x = 2\n", b"import x\n", b"def x(): pass\n"):
        writer.replace(document(b"a.py", data), signature(), 1)
        seen.add(reader.digest())
    writer.skip(b"a.py", "too_large", signature(), 1)
    seen.add(reader.digest())
    assert len(seen) == 6


def test_only_clean_text_gets_in(writer: Writer, reader: Reader) -> None:

    clean = document(b"conf.py", b"import tomllib\nport = 8080\ndef test_it(): pass\n")
    (chunk,) = clean.chunks
    plain = [
        chunk._replace(name=str(chunk.name)),
        chunk._replace(breadcrumb=""),
        chunk._replace(imports=("tomllib",)),
        chunk._replace(tests=("it",)),
        chunk._replace(definitions=(chunk.definitions[0]._replace(name="it"),)),
        chunk._replace(claims=(chunk.claims[0]._replace(key="port"),)),
        chunk._replace(claims=(chunk.claims[0]._replace(value="8080"),)),
    ]
    plain += [
        chunk._replace(text=chunk.text._replace(**{field: "text"}))
        for field in ("names", "doc", "body", "extra", "refs")
    ]
    for unclean in plain:
        with pytest.raises(TypeError, match="Clean"):
            writer.replace(clean._replace(chunks=(unclean,)), signature(), 1)
    assert reader.files.states() == {}
    assert isinstance(chunk.name, Clean)
