"""Whatever is changed in the tables of the memory from outside, the check of the log notices and names."""

import sqlite3

import pytest

from helix_core.errors import MemoryStoreError
from helix_core.model import MemoryLink
from helix_core.store import memory_file
from helix_core.store.memory import Memory
from tests.memory.made import HERE, memory_of_format

NOW = 1_700_000_000.0
COLUMNS = {
    "op": ("seq", "id", "lamport", "actor", "kind", "item_id", "args", "at", "prev", "head"),
    "item": (
        *("row", "id", "handle", "kind", "scope", "text", "subject", "attribute", "value", "origin", "importance"),
        *("confidence", "valid_from", "valid_to", "salt", "text_key", "template_key", "tx_from"),
    ),
    "evidence": (
        *("row", "id", "item_id", "text", "actor", "extractor", "session", "at", "scope", "path", "start_line"),
        *("end_line", "span_hash", "layout_hash", "content_hash", "symbol", "commit_id", "heals"),
    ),
    "link": ("src", "rel", "dst", "tx_from"),
    "chain": ("seq", "head", "marks"),
}
KEYS = {"op": ("seq",), "item": ("row",), "evidence": ("row",), "link": ("src", "rel", "dst"), "chain": ("one",)}
EDITED_ARGS = ("no json", "", "[]", "5", '{"links":5,"evidence":{}}', '{"memory":NaN}', '{"x":"\\ud800"}', "{" * 5_000)


@pytest.fixture
def memory(tmp_path):
    """A memory of the format before, migrated: all that is written is in it, a purge and a strand of others too."""
    memory_of_format(tmp_path / "data", 4)
    with Memory(tmp_path / "data", NOW) as opened:
        opened._file.rows("PRAGMA foreign_keys=OFF")
        one, another = opened._file.rows("SELECT id FROM item ORDER BY row LIMIT 2")
        opened.items.relate(MemoryLink(another[0], "derived_from", one[0]), "user", 1)
        yield opened


def rows_of(memory, table):
    """The keys of all rows, each with the operation that the row is of, 0 where it is of none."""
    number = {"op": "seq", "chain": "0", "evidence": "0"}.get(table, "tx_from")
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
    if value is None or isinstance(value, int):
        return (value or 0) + 1_000
    return bytes(value[:-1]) + bytes([value[-1] ^ 1]) if isinstance(value, bytes) else f"{value}x"


def test_a_memory_that_nobody_changed_fits_its_log(memory):
    assert memory.items.first_broken() is None
    assert {table: tuple(row[1] for row in memory._file.rows(f"PRAGMA table_info({table})")) for table in COLUMNS} == {
        table: ("one", *columns) if table == "chain" else columns for table, columns in COLUMNS.items()
    }


@pytest.mark.parametrize(("table", "column"), [(table, one) for table, columns in COLUMNS.items() for one in columns])
def test_a_value_that_is_changed_is_noticed_in_every_row(memory, table, column):
    for key, number in rows_of(memory, table):
        (value,) = memory._file.rows(f"SELECT {column} FROM {table} WHERE {where(table)}", key)[0]
        found = broken_after(memory, f"UPDATE {table} SET {column} = ? WHERE {where(table)}", (other(value), *key))
        assert found is not None, key
        if table == "op":
            assert found == number


@pytest.mark.parametrize("table", COLUMNS)
def test_a_row_that_is_taken_away_is_noticed(memory, table):
    for key, number in rows_of(memory, table):
        found = broken_after(memory, f"DELETE FROM {table} WHERE {where(table)}", key)
        assert found is not None, key
        if table in ("op", "item"):
            assert found == number


@pytest.mark.parametrize("table", ["op", "item", "evidence", "link"])
def test_a_row_that_is_added_is_noticed(memory, table):
    names = COLUMNS[table]
    for key, _ in rows_of(memory, table):
        (row,) = memory._file.rows(f"SELECT {', '.join(names)} FROM {table} WHERE {where(table)}", key)
        new = dict(zip(names, row, strict=True))
        new |= {name: other(new[name]) for name in ("seq", "row", "id", "handle", "dst") if name in new}
        if table == "op":
            new["seq"] = memory.items.last_op() + 1
        marks = ", ".join("?" * len(new))
        assert broken_after(memory, f"INSERT INTO {table} VALUES ({marks})", tuple(new.values())) is not None, key


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


def test_a_memory_of_the_format_before_loses_nothing(tmp_path):
    folder = tmp_path / "data"
    memory_of_format(folder, 4)
    with sqlite3.connect(folder / memory_file.NAME) as before:
        tables = ("item", "evidence", "link", "op", "item_use", "write_key", "note", "workspace")
        was = {table: before.execute(f"SELECT * FROM {table}").fetchall() for table in tables}
    before.close()
    assert all(was.values())
    with Memory(folder, NOW) as memory:
        found = {table: memory._file.rows(f"SELECT * FROM {table}") for table in tables}
        # A later format adds that a note may wait; those of before do not.
        assert found == was | {"note": [(*row, 0) for row in was["note"]]}
        found = memory.items.matches(["postgresql"], [memory.items.scope(HERE)], 5)
        assert memory.items.first_broken() is None and len(found) == 1
    assert (folder / f"{memory_file.NAME}.format-4").exists()
