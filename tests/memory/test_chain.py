"""Whatever is changed in the tables of the memory from outside, the check of the log notices and names."""

import sqlite3
from contextlib import contextmanager

import pytest

from helix_core.errors import MemoryStoreError
from helix_core.model import MemoryLink
from helix_core.store import CarriedRecord, ForeignMemories, memory_file
from helix_core.store.memory import Memory
from helix_core.store.memory_chain import ChainCheck
from tests.memory.made import HERE, exchange, memory_of_format, note

NOW = 1_700_000_000.0
COLUMNS = {
    "op": ("seq", "id", "lamport", "actor", "kind", "item_id", "args", "at", "prev", "head"),
    "item": (
        *("row", "id", "handle", "kind", "scope", "text", "subject", "attribute", "value", "origin", "importance"),
        *("confidence", "valid_from", "valid_to", "salt", "text_key", "template_key", "tx_from", "posted"),
    ),
    "evidence": (
        *("row", "id", "item_id", "text", "actor", "extractor", "session", "at", "scope", "path", "start_line"),
        *("end_line", "span_hash", "layout_hash", "content_hash", "symbol", "commit_id", "heals"),
    ),
    "link": ("src", "rel", "dst", "tx_from"),
    "chain": ("seq", "head", "marks"),
    "mark": ("subject", "sum"),
    "workspace": ("id", "path", "key"),
    "carried": ("type", "id", "owner", "line"),
    "note": (
        *("id", "workspace_id", "content_hash", "text", "content_type", "title", "metadata", "language"),
        *("source_kind", "volatility", "at", "attribution_id", "parser", "waits"),
    ),
    "note_item": (
        *("id", "note_id", "number", "gene_id", "kind", "name", "breadcrumb", "start_byte", "end_byte", "start_line"),
        *("end_line", "posted"),
    ),
    "note_claim": ("item_id", "ordinal", "key", "value", "value_type", "line"),
    "note_evidence": ("note_id", "exchange_id"),
}
KEYS = {
    "op": ("seq",),
    "item": ("row",),
    "evidence": ("row",),
    "link": ("src", "rel", "dst"),
    "chain": ("one",),
    "mark": ("subject",),
    "workspace": ("id",),
    "carried": ("type", "id"),
    "note": ("id",),
    "note_item": ("id",),
    "note_claim": ("item_id", "ordinal"),
    "note_evidence": ("note_id", "exchange_id"),
}
OUTSIDE = {
    "workspace": "workspaces",
    "carried": "carried",
    "note": "notes",
    "note_item": "notes",
    "note_claim": "notes",
    "note_evidence": "notes",
}
UNIQUE = ("seq", "row", "id", "handle", "dst", "content_hash", "path", "key", "ordinal", "exchange_id")
EDITED_ARGS = ("no json", "", "[]", "5", '{"links":5,"evidence":{}}', '{"memory":NaN}', '{"x":"\\ud800"}', "{" * 5_000)


@contextmanager
def migrated(folder):
    """A memory of the format before, migrated: all that is written is in it, a purge and a strand of others too."""
    memory_of_format(folder, 6)
    with Memory(folder, NOW) as opened:
        opened._file.rows("PRAGMA foreign_keys=OFF")
        opened.notes.put(note("port = 8080\nhost = desk\n", title="Ports", path=b"ports.toml", evidence=(3, 4)))
        carried = CarriedRecord("hologram", "h1", "", '{"id":"h1","type":"hologram","x":1}')
        opened.transfer.take(lambda: ForeignMemories((), (), (), (), (), {}, "", (carried,)), HERE, "user", 1)
        one, another = opened._file.rows("SELECT id FROM item ORDER BY row LIMIT 2")
        opened.items.relate(MemoryLink(another[0], "derived_from", one[0]), "user", 1)
        yield opened


@pytest.fixture
def memory(tmp_path):
    """Of one test."""
    with migrated(tmp_path / "data") as opened:
        yield opened


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Of the tests that undo each change; it is whole at the end, too."""
    with migrated(tmp_path_factory.mktemp("kept") / "data") as opened:
        yield opened
        assert opened.items.check() == ChainCheck(None, ())


def rows_of(memory, table):
    """The keys of all rows, each with the operation that the row is of, 0 where it is of none."""
    number = {"op": "seq", "item": "tx_from", "link": "tx_from"}.get(table, "0")
    return [(row[:-1], row[-1]) for row in memory._file.rows(f"SELECT {', '.join(KEYS[table])}, {number} FROM {table}")]


def broken_after(memory, sql, values=()):
    """What the check finds after a statement, which is undone."""
    memory._file.rows("SAVEPOINT before")
    try:
        memory._file.rows(sql, values)
        return memory.items.first_broken()
    finally:
        memory._file.rows("ROLLBACK TO before")
        memory._file.rows("RELEASE before")


def where(table):
    return " AND ".join(f"{column} = ?" for column in KEYS[table])


def other(value):
    if value is None or isinstance(value, int | float):
        return (value or 0) + 1_000
    return bytes(value[:-1]) + bytes([value[-1] ^ 1]) if isinstance(value, bytes) else f"{value}x"


def test_a_memory_that_nobody_changed_fits_its_log(memory):
    assert memory.items.first_broken() is None
    assert {table: tuple(row[1] for row in memory._file.rows(f"PRAGMA table_info({table})")) for table in COLUMNS} == {
        table: ("one", *columns) if table == "chain" else columns for table, columns in COLUMNS.items()
    }


@pytest.mark.parametrize(("table", "column"), [(table, one) for table, columns in COLUMNS.items() for one in columns])
def test_a_value_that_is_changed_is_noticed_in_every_row(kept, table, column):
    for key, number in rows_of(kept, table):
        (value,) = kept._file.rows(f"SELECT {column} FROM {table} WHERE {where(table)}", key)[0]
        found = broken_after(kept, f"UPDATE {table} SET {column} = ? WHERE {where(table)}", (other(value), *key))
        assert found is not None, key
        if table == "op":
            assert found == number
        if table in OUTSIDE:
            assert found == kept.items.last_op() + 1


@pytest.mark.parametrize("table", COLUMNS)
def test_a_row_that_is_taken_away_is_noticed(kept, table):
    for key, number in rows_of(kept, table):
        found = broken_after(kept, f"DELETE FROM {table} WHERE {where(table)}", key)
        assert found is not None, key
        if table in ("op", "item"):
            assert found == number


@pytest.mark.parametrize("table", [table for table in COLUMNS if table not in ("chain", "mark")])
def test_a_row_that_is_added_is_noticed(kept, table):
    names = COLUMNS[table]
    for key, _ in rows_of(kept, table):
        (row,) = kept._file.rows(f"SELECT {', '.join(names)} FROM {table} WHERE {where(table)}", key)
        new = dict(zip(names, row, strict=True))
        new |= {name: other(new[name]) for name in UNIQUE if name in new}
        if table == "op":
            new["seq"] = kept.items.last_op() + 1
        marks = ", ".join("?" * len(new))
        assert broken_after(kept, f"INSERT INTO {table} VALUES ({marks})", tuple(new.values())) is not None, key


@pytest.mark.parametrize(
    "sql",
    [
        "DROP VIEW item_state",
        "DROP VIEW item_state; CREATE VIEW item_state AS SELECT id, 'active' AS status FROM item",
        "CREATE TRIGGER quiet AFTER INSERT ON op BEGIN DELETE FROM link; END",
    ],
)
def test_a_view_or_trigger_that_helix_did_not_make_is_noticed(memory, sql):
    assert broken_after(memory, sql) == memory.items.last_op() + 1
    assert memory.items.first_broken() is None


def test_arguments_that_are_no_json_are_named_and_still_listed(memory):
    for number in (1, 9, memory.items.last_op()):
        for args in EDITED_ARGS:
            assert broken_after(memory, "UPDATE op SET args = ? WHERE seq = ?", (args, number)) == number
    memory._file.rows("UPDATE op SET args = 'no json' WHERE seq = 3")
    assert len(memory.items.log(100)) == memory.items.last_op()
    with pytest.raises(MemoryStoreError, match=r"Operation 3 .* nothing leaves"):
        memory.transfer.records()


def test_operations_that_lost_their_end_stay_missing_whatever_is_written_after(memory):
    last = memory.items.last_op()
    memory._file.rows("DELETE FROM op WHERE seq > ?", (last - 2,))
    assert memory.items.first_broken() == last - 1
    with memory._file.transaction():
        memory.items.append("restore", "nothing", {}, "user", 1)
    assert memory.items.first_broken() == last - 1


@pytest.mark.parametrize(("table", "subject"), [("item_fts", "words"), ("note_fts", "notes")])
def test_other_words_to_find_a_row_by_are_noticed(kept, table, subject):
    columns = [row[1] for row in kept._file.rows(f"PRAGMA table_info({table})")]
    for (row,) in kept._file.rows(f"SELECT rowid FROM {table}"):
        kept._file.rows("SAVEPOINT before")
        kept._file.rows(f"DELETE FROM {table} WHERE rowid = ?", (row,))
        assert kept.items.check().outside == (subject,)
        kept._file.rows(f"INSERT INTO {table} (rowid, {columns[0]}) VALUES (?, 'other words')", (row,))
        assert kept.items.check() == ChainCheck(kept.items.last_op() + 1, (subject,))
        kept._file.rows("ROLLBACK TO before")
        kept._file.rows("RELEASE before")
    assert kept.items.check() == ChainCheck(None, ())


@pytest.mark.parametrize("table", OUTSIDE)
def test_what_no_operation_names_is_told_by_its_name(memory, table):
    assert memory._file.rows(f"SELECT 1 FROM {table}")
    memory._file.rows(f"DELETE FROM {table}")
    assert OUTSIDE[table] in memory.items.check().outside
    assert memory.items.check().first_broken == memory.items.last_op() + 1


def test_whatever_helix_itself_does_to_notes_and_workspaces_fits(memory):
    def is_whole():
        return memory.items.check() == ChainCheck(None, ())

    text = "# Release\n\nThe release is cut on Tuesdays.\nretries = 5\n"
    for waits in (True, True, False):
        note_id = memory.notes.put(note(text, title="Release", at=2_000.0, evidence=(7,)), waits=waits)
        assert is_whole()
    memory.notes.replace_items(note_id, note("One line is left.").chunks, "parser-2")
    assert is_whole()
    waiting = memory.notes.put(note("This waits.", workspace=b"/new/folder"), waits=True)
    gene = bytes.fromhex(memory.notes.items_of(waiting)[0].gene_id)
    assert memory.notes.approve(b"/new/folder", gene) and is_whole()
    assert memory.notes.forget(b"/new/folder", gene) and is_whole()
    memory.exchanges.add(exchange("What is new?", workspace=b"/another/folder"))
    assert memory.items.scope(b"/a/third", create=True) and is_whole()
    for (id_,) in memory._file.rows("SELECT id FROM item"):
        memory.items.purge(id_, "user", 1)
        assert is_whole()


@pytest.mark.parametrize("version", [4, 6])
def test_a_memory_of_the_format_before_loses_nothing(tmp_path, version):
    folder = tmp_path / "data"
    memory_of_format(folder, version)
    with sqlite3.connect(folder / memory_file.NAME) as before:
        tables = ("item", "evidence", "link", "op", "item_use", "write_key", "note", "workspace")
        was = {table: before.execute(f"SELECT * FROM {table}").fetchall() for table in tables}
    before.close()
    assert all(was.values())
    with Memory(folder, NOW) as memory:
        found = {table: memory._file.rows(f"SELECT * FROM {table}") for table in tables}
        # Later formats add that a note may wait, which those of before do not, and the mark of an item's words.
        assert [row[:-1] for row in found.pop("item")] == was.pop("item")
        assert found == was | {"note": [(*row, 0)[:14] for row in was["note"]]}
        found = memory.items.matches(["postgresql"], [memory.items.scope(HERE)], 5)
        assert memory.items.first_broken() is None and len(found) == 1
    assert (folder / f"{memory_file.NAME}.format-{version}").exists()
