"""Vectors come with a file's items and go with the last version that has their text; only live places are found."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
from ast import literal_eval
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.embed.static import StaticEncoder
from helix_core.embed.table import TABLE, TABLE_ID
from helix_core.ingest.document import ingest
from helix_core.model import Document, StatSignature
from helix_core.store import Index, Reader, Writer, open_index, open_or_rebuild
from helix_core.store.vector_rows import Space
from helix_core.store.vectors import floats_of, quantised, sign_distances

SIGNATURE = StatSignature(1, 2, 3, 4)
PARSE = b'def parse_header(line):\n    """Split a header line into name and value."""\n    return line.split(":")\n'
DELETE = (
    b'def delete_row(table, key):\n    """Remove a record and everything that points at it."""\n    del table[key]\n'
)
QUESTION = "remove a record from the table"


def add(writer: Writer, path: bytes, data: bytes) -> int:
    return writer.replace(ingest(path, data), SIGNATURE, 0)


def asked(text: str = QUESTION) -> bytes:
    return StaticEncoder().encode("static", text)


def counts(reader: Reader) -> list[tuple[int, ...]]:
    tables = ("embedded", "stands_in", "vectors_1_rowids", "vectors_2_rowids")
    return [reader._session.rows(f"SELECT count(*) FROM {table}")[0] for table in tables]


def test_a_file_is_found_by_what_it_means_as_soon_as_it_is_stored(writer: Writer, reader: Reader) -> None:
    assert reader.vectors.spaces() == {}
    add(writer, b"http/parse.py", PARSE)
    wanted = add(writer, b"db/rows.py", DELETE)
    assert reader.vectors.spaces() == {"static/outline": 1.0, "static/chunk": 1.0}
    for space in ("static/outline", "static/chunk"):
        hits = reader.vectors.nearest(space, asked(), 5)
        assert hits[0].source_id == wanted
        assert len(hits) == 2
        assert hits[0].similarity > hits[1].similarity


def test_an_older_format_with_vectors_starts_over_in_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with open_index(path) as index:
        add(index.writer(), b"db/rows.py", DELETE)
    with path.open("r+b") as file:
        # The header's user_version, of a format that nobody can migrate.
        file.seek(60)
        file.write(bytes(4))
    index, notice = open_or_rebuild(path, 1_800_000_000.0)
    with index, index.reader() as reader:
        assert (reader.files.states(), reader.vectors.spaces(), notice) == ({}, {}, "")
        add(index.writer(), b"db/rows.py", DELETE)
        assert len(reader.vectors.nearest("static/chunk", asked(), 5)) == 1
    assert sorted(file.name for file in tmp_path.iterdir()) == ["index.db", "index.queue"]


def test_parked_versions_are_not_found_and_come_back_with_their_vectors(writer: Writer, reader: Reader) -> None:
    document = ingest(b"db/rows.py", DELETE)
    first = writer.replace(document, SIGNATURE, 0)
    before = counts(reader)
    writer.remove(b"db/rows.py")
    assert reader.vectors.nearest("static/chunk", asked(), 5) == []
    assert counts(reader) == before
    assert writer.activate(b"db/rows.py", document.content_hash, document.parser, SIGNATURE, 0)
    assert [hit.source_id for hit in reader.vectors.nearest("static/chunk", asked(), 5)] == [first]
    assert counts(reader) == before


def test_live_places_are_found_behind_any_number_of_parked_ones(writer: Writer, reader: Reader) -> None:
    for number in range(40):
        add(writer, b"db/rows.py", DELETE + b"# note %d\n" % number)
    kept = add(writer, b"http/parse.py", PARSE)
    writer.remove(b"db/rows.py")
    assert [hit.source_id for hit in reader.vectors.nearest("static/outline", asked(), 1)] == [kept]
    assert [hit.source_id for hit in reader.vectors.nearest("static/chunk", asked(), 1)] == [kept]


def test_equal_text_is_embedded_once_and_found_in_both_places(writer: Writer, reader: Reader) -> None:
    one = add(writer, b"a/rows.py", DELETE)
    vectors = counts(reader)[3]
    two = add(writer, b"b/rows.py", DELETE)
    assert counts(reader)[3] == vectors
    assert {hit.source_id for hit in reader.vectors.nearest("static/chunk", asked(), 5)} == {one, two}


def test_many_copies_and_a_single_file_come_in_one_order_however_many_are_asked_for(
    writer: Writer, reader: Reader
) -> None:
    copies = [add(writer, b"part%d/rows.py" % number, DELETE) for number in range(12)]
    other = add(writer, b"parse.py", PARSE)
    everything = [hit.source_id for hit in reader.vectors.nearest("static/chunk", asked(), 100)]
    assert everything == [*copies, other]
    for limit in (1, 5, 12, 13):
        found = [hit.source_id for hit in reader.vectors.nearest("static/chunk", asked(), limit)]
        assert found == everything[:limit]


def test_a_text_said_twice_in_one_file_has_one_vector(writer: Writer, reader: Reader) -> None:
    parsed = ingest(b"rows.py", DELETE)
    twice = [text._replace(chunk=0) for text in parsed.embedded]
    writer.replace(parsed._replace(embedded=(*parsed.embedded, *twice)), SIGNATURE, 0)
    assert len(reader._session.rows("SELECT id FROM embedded")) == len(parsed.embedded)


def test_what_no_version_says_any_more_leaves_no_vector(writer: Writer, reader: Reader) -> None:
    add(writer, b"keep.py", PARSE)
    before = counts(reader)
    replaced = ingest(b"db/rows.py", DELETE)
    writer.replace(replaced, SIGNATURE, 0)
    # A version by another parser can never come back: it is deleted instead of parked.
    writer.replace(replaced._replace(parser="chunker/1"), SIGNATURE, 0)
    after_two = counts(reader)
    writer.skip(b"db/rows.py", "binary", SIGNATURE, 0, parser="chunker/3")
    assert counts(reader) == before
    assert after_two[0][0] > before[0][0]


def test_nothing_of_a_transaction_that_failed_stays(writer: Writer, reader: Reader) -> None:
    add(writer, b"keep.py", PARSE)
    before, digest = counts(reader), reader.digest()
    with pytest.raises(ZeroDivisionError), writer.batch():
        add(writer, b"db/rows.py", DELETE)
        raise ZeroDivisionError
    assert (counts(reader), reader.digest()) == (before, digest)
    add(writer, b"db/rows.py", DELETE)
    assert len(reader.vectors.nearest("static/outline", asked(), 5)) == 2


def test_the_digest_speaks_of_the_texts_and_not_of_their_history(
    writer: Writer, reader: Reader, tmp_path: Path
) -> None:
    for number in range(3):
        add(writer, b"db/rows.py", DELETE + b"# %d\n" % number)
    add(writer, b"db/rows.py", DELETE)
    with open_index(tmp_path / "cold" / "index.db") as cold, cold.reader() as fresh:
        add(cold.writer(), b"db/rows.py", DELETE)
        assert fresh.digest() == reader.digest()
        changed = ingest(b"db/rows.py", DELETE)
        other = changed.embedded[0]._replace(input_hash=b"\0" * 8)
        cold.writer().replace(changed._replace(embedded=(other, *changed.embedded[1:])), SIGNATURE, 0)
        assert fresh.digest() != reader.digest()


def test_similarities_are_those_of_the_hits(writer: Writer, reader: Reader) -> None:
    add(writer, b"http/parse.py", PARSE)
    add(writer, b"db/rows.py", DELETE)
    for space in ("static/outline", "static/chunk"):
        near = reader.vectors.nearest(space, asked(), 50)
        for source_id in {hit.source_id for hit in near}:
            hits = {hit.item_id: hit.similarity for hit in reversed(near) if hit.source_id == source_id}
            assert reader.vectors.similarities_in(space, asked(), [source_id, 10**6]) == pytest.approx(hits, abs=1e-5)


def test_signs_alone_estimate_the_cosine(writer: Writer, reader: Reader) -> None:
    from helix_core.embed.static import vectors_of
    from helix_core.embed.texts import chunk_texts

    document = ingest(b"db/rows.py", DELETE)
    writer.replace(document, SIGNATURE, 0)
    text = next(chunk_texts(document.path, document.chunks))
    exact = float(vectors_of([text])[0] @ np.frombuffer(asked(), "<f4"))
    assert reader.vectors.nearest("static/chunk", asked(), 1)[0].similarity == pytest.approx(exact, abs=0.15)


def test_an_unknown_space_and_a_vector_of_other_dimensions_hold_nothing(writer: Writer, reader: Reader) -> None:
    add(writer, b"db/rows.py", DELETE)
    assert reader.vectors.nearest("none/outline", asked(), 5) == []
    assert reader.vectors.nearest("static/outline", asked()[:64], 5) == []
    assert reader.vectors.nearest("static/outline", bytes(1024), 5) == []
    assert reader.vectors.similarities_in("none/chunk", asked(), [1]) == {}


def test_vectors_made_later_fill_a_space_of_their_own(writer: Writer, reader: Reader) -> None:
    document = ingest(b"db/rows.py", DELETE)
    wanted = writer.replace(document, SIGNATURE, 0)
    add(writer, b"http/parse.py", PARSE)
    outline = next(text for text in document.embedded if text.level == "outline")
    made = [(outline.input_hash, bytes(range(1, 65))), (b"unknown!", bytes(64))]
    assert writer.add_vectors("mini", "outline", made) == 1
    assert writer.add_vectors("mini", "outline", made) == 0
    assert reader.vectors.spaces()["mini/outline"] == 0.5
    query = np.arange(1, 65, dtype="<f4").tobytes()
    assert [(hit.source_id, round(hit.similarity, 3)) for hit in reader.vectors.nearest("mini/outline", query, 5)] == [
        (wanted, 1.0)
    ]
    writer.drop_models([])
    assert reader.vectors.nearest("mini/outline", query, 5) == []


def test_each_vector_is_in_memory_once_however_often_blocks_change(writer: Writer, reader: Reader) -> None:
    for number in range(3):
        with writer.batch():
            writer.replace(_one_outline(number), SIGNATURE, 0)
        assert len(reader.vectors.nearest("static/outline", np.ones(8, "<f4").tobytes(), 5)) == number + 1
        (matrix,) = reader.vectors._matrices.values()
        assert [np.shares_memory(block.kept, matrix._kept) for block in matrix._blocks.values()] == [True]
        assert [np.shares_memory(block.ids, matrix._ids) for block in matrix._blocks.values()] == [True]


@pytest.mark.slow
def test_gaps_are_closed_when_most_of_a_space_is_gone(index: Index, reader: Reader) -> None:
    writer = index.writer()
    with writer.batch():
        for number in range(2_600):
            writer.replace(_one_outline(number), SIGNATURE, 0)
    blocks = "SELECT count(*) FROM vectors_1_chunks"
    full = reader._session.rows(blocks)[0][0]
    with writer.batch():
        for number in range(2_600):
            if number % 10:
                writer.remove(b"f%d" % number)
    writer.prune()
    assert reader._session.rows(blocks)[0][0] <= full
    assert len(reader.vectors.nearest("static/outline", np.ones(8, "<f4").tobytes(), 500)) == 260


def _one_outline(number: int) -> Document:
    document = ingest(b"f%d" % number, b"x\n")
    values = np.random.default_rng(number).integers(-127, 127, 8, dtype=np.int8)
    return document._replace(
        embedded=(document.embedded[0]._replace(input_hash=number.to_bytes(8), vector=values.tobytes()),)
    )


def alike(number: int) -> bytes:
    """A file much like three hundred others."""
    return DELETE + PARSE + b"# %d\n" % number


def unlike(number: int) -> bytes:
    """A file of words chosen by chance, like no other."""
    chance = random.Random(number)
    words = ["row", "table", "key", "record", "header", "line", "cookie", "route", "lock", "page", "token", "queue"]
    said = "".join(f"def {'_'.join(chance.choices(words, k=3))}():\n    return {chance.random()}\n" for _ in range(4))
    return said.encode()


@pytest.mark.process
@pytest.mark.parametrize(("made", "limit"), [(alike, 20), (unlike, 200)])
def test_without_numpy_the_same_places_are_found_with_equal_scores(
    tmp_path: Path, made: Callable[[int], bytes], limit: int
) -> None:
    path = tmp_path / "index.db"
    with open_index(path) as index, index.reader() as reader:
        with index.writer().batch():
            for number in range(300):
                add(index.writer(), b"m%d/f.py" % number, made(number))
        found = [
            [tuple(hit) for hit in reader.vectors.nearest(f"static/{level}", asked(), limit)]
            for level in ("outline", "chunk")
        ]
    script = (
        "import sys\nfrom pathlib import Path\nfrom helix_core.store import open_index\n"
        "from helix_core.embed.static import StaticEncoder\n"
        f"vector = StaticEncoder().encode('static', {QUESTION!r})\n"
        "with open_index(Path(sys.argv[1])) as index, index.reader() as reader:\n"
        "    levels = ('static/outline', 'static/chunk')\n"
        f"    print([[tuple(hit) for hit in reader.vectors.nearest(level, vector, {limit})] for level in levels])\n"
        "assert 'numpy' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert literal_eval(done.stdout) == found


@given(size=st.sampled_from([1, 8, 31, 32, 33, 48, 128]), data=st.data())
def test_distances_of_signs_are_counted_bit_by_bit(size: int, data: st.DataObject) -> None:
    query = data.draw(st.binary(min_size=size, max_size=size))
    vectors = data.draw(st.lists(st.binary(min_size=size, max_size=size), max_size=9))
    # The farthest and the nearest, whose sums could run over into their neighbors'.
    vectors = [*vectors, bytes(byte ^ 0xFF for byte in query), query, *vectors]
    whole = int.from_bytes(query)
    counted = [(int.from_bytes(vector) ^ whole).bit_count() for vector in vectors]
    assert list(sign_distances(query, b"".join(vectors))) == counted


@pytest.mark.slow
def test_the_nearest_by_signs_are_those_of_vec0_in_a_table_with_gaps(index: Index, reader: Reader) -> None:
    chance = random.Random(5)
    with index.writer().batch():
        for number in range(2_100):
            vector = bytes(chance.choices((0xAA, 0xAB, 0x00, 0xFF), k=4))
            document = ingest(b"f%d" % number, b"x\n")
            text = document.embedded[-1]._replace(input_hash=number.to_bytes(8), vector=vector)
            index.writer().replace(document._replace(embedded=(text,)), SIGNATURE, 0)
    index._connection.execute("DELETE FROM vectors_1 WHERE rowid % 3 = 0")
    first = reader.vectors._heads(_space(reader))[0][1]
    assert set(first) - {0x00, 0xFF}
    query = np.asarray([1.0, -1.0] * 16, "<f4").tobytes()
    signs = quantised(list(np.frombuffer(query, "<f4")), _space(reader))
    for count in (10, 400, 5_000):
        found = reader.vectors._nearest_by_signs(_space(reader), signs, count, count)
        of_vec0 = reader._session.rows(
            "SELECT rowid, distance FROM vectors_1 WHERE vector MATCH vec_bit(?) AND k = ?", (signs, min(count, 4_096))
        )
        own = dict(zip(found, sign_distances(signs, b"".join(found.values())), strict=True))
        assert sorted(own.values()) == sorted(distance for _, distance in of_vec0)
        border = max(own.values())
        assert {id_ for id_, distance in own.items() if distance < border} == {
            id_ for id_, distance in of_vec0 if distance < border
        }
    without_ties = reader.vectors._nearest_by_signs(_space(reader), signs, 1, 400)
    assert len(without_ties) < 400


def _space(reader: Reader) -> Space:
    return reader.vectors.known_spaces()["static/chunk"]


@pytest.mark.slow
def test_a_question_neither_looks_up_each_text_nor_sorts_each_block(writer: Writer, reader: Reader) -> None:
    """What of an answer grew with the number of texts by more than one pass over their vectors."""
    with writer.batch():
        for number in range(300):
            add(writer, b"m%d/f.py" % number, unlike(number))
    signs = quantised(floats_of(asked()), _space(reader))
    asked_for: list[str] = []

    def note(_: object, sql: str, __: object) -> bool:
        asked_for.append(sql)
        return True

    reader._session.connection.exec_trace = note
    assert reader.vectors.spaces() == {"static/outline": 1.0, "static/chunk": 1.0}
    assert len(reader.vectors._nearest_by_signs(_space(reader), signs, 20, 400)) >= 20
    reader._session.connection.exec_trace = None
    assert any("vector_chunks00" in sql for sql in asked_for)
    assert not [sql for sql in asked_for if "JOIN" in sql or "vec_bit" in sql]


def test_the_table_is_named_by_its_own_hash() -> None:
    assert hashlib.sha256(TABLE.read_bytes()).hexdigest().startswith(TABLE_ID)


def test_vectors_of_another_table_are_none_and_are_made_again(tmp_path: Path) -> None:
    """The index is one that a Helix with another table has left behind."""
    with open_index(tmp_path / "index.db") as index, index.reader() as reader:
        add(index.writer(), b"db/rows.py", DELETE)
        (later_hash,) = reader._session.rows("SELECT hash FROM embedded WHERE level = 2")[0]
        index.writer().add_vectors("minilm", "chunk", [(later_hash, b"\2" * 32)])
        [(kept_as,)] = reader._session.rows("SELECT DISTINCT model FROM space WHERE model <> 'minilm'")
        assert kept_as == f"static@{TABLE_ID}"
        index._connection.execute("UPDATE space SET model = 'static@00000000' WHERE model = ?", (kept_as,))
    with open_index(tmp_path / "index.db") as index, index.reader() as reader:
        assert reader.vectors.spaces() == {"minilm/chunk": 1.0}
        assert reader.vectors.nearest("static/outline", asked(), 5) == []
        document = ingest(b"db/rows.py", DELETE)
        copied = index.writer().replace(document._replace(path=b"db/copy.py"), SIGNATURE, 0)
        names = ["static/outline", "static/chunk", "minilm/chunk"]
        assert reader.vectors.spaces() == dict.fromkeys(names, 1.0)
        assert copied in {hit.source_id for hit in reader.vectors.nearest("static/chunk", asked(), 5)}
        assert len(reader._session.rows("SELECT 1 FROM space")) == 3
        assert index.damage() == ""


def test_a_models_vectors_of_whole_chunks_give_way_to_those_of_cards(tmp_path: Path) -> None:
    """The index is one that a Helix has left behind whose models read the whole text of a chunk."""
    with open_index(tmp_path / "index.db") as index, index.reader() as reader:
        add(index.writer(), b"db/rows.py", DELETE)
        (hash_,) = reader._session.rows("SELECT hash FROM embedded WHERE level = 2")[0]
        index.writer().add_vectors("minilm", "chunk", [(hash_, b"\2" * 32)])
        index._connection.execute("UPDATE space SET level = 2 WHERE model = 'minilm'")
    with open_index(tmp_path / "index.db") as index, index.reader() as reader:
        assert "minilm/chunk" not in reader.vectors.spaces()
        assert index.writer().add_vectors("minilm", "chunk", [(hash_, b"\3" * 32)]) == 1
        assert reader.vectors.spaces()["minilm/chunk"] == 1.0
        assert len(reader._session.rows("SELECT 1 FROM space")) == 3
        assert index.damage() == ""


@pytest.mark.process
def test_another_table_has_every_file_ingested_again() -> None:
    code = (
        "from helix_core.embed import table; table.TABLE_ID = '{}'\n"
        "from helix_core.ingest import document, generation\n"
        "print(document.parser_version(b'a.py', b''), generation.parser_generation())\n"
        "print(document.parser_version(b'a.zig', b''))\n"
    )
    said = [
        subprocess.run([sys.executable, "-c", code.format(one)], capture_output=True, text=True, check=True).stdout
        for one in ("00000000", "11111111")
    ]
    assert "11111111" in said[1]
    assert said[0].replace("00000000", "11111111") == said[1]
    assert all("00000000" in line for line in said[0].splitlines())
