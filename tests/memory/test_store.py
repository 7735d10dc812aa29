"""The memory on a real SQLite file: what is kept is found, what is forgotten is gone, what is damaged is kept aside."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from helix_core.errors import BusyStoreError, CorruptMemoryError, MemoryStoreError, NewerStoreError, StoreError
from helix_core.store import memory_file, memory_items
from helix_core.store.memory import DELIVER_WAIT_MS, Memory
from helix_core.store.memory_file import NAME, SCHEMA_VERSION
from helix_core.store.sqlite_file import BUSY_TIMEOUT_MS
from tests.memory.made import BY, HERE, exchange, note

NOW = 1_700_000_000.0


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def memory(folder):
    with Memory(folder, NOW) as opened:
        yield opened


def bytes_in(folder):
    return b"".join(file.read_bytes() for file in folder.iterdir())


def test_a_note_is_found_by_its_words_in_its_workspace_only(memory):
    memory.notes.put(note("# Deploys\n\nThe quokka server is restarted by hand on Mondays.\n", title="runbook"))
    memory.notes.put(note("The quokka of another project.\n", workspace=b"/elsewhere"))
    (found,) = memory.notes.matches(HERE, ["quokka"], 10)
    assert "restarted by hand" in found.text
    assert found.source_id == f"helix-note:{found.content_hash[:16]}"
    assert [item.text for item in memory.notes.matches(HERE, ["runbook"], 10)] == [found.text]
    assert memory.notes.matches(HERE, ['qu"okka" OR *'], 10) == []
    assert memory.notes.matches(HERE, [], 10) == []


def test_the_items_of_a_note_partition_its_text_and_have_the_hash_of_their_own(memory):
    given = note("".join(f"# Part {n}\n\n" + "word " * 300 + "\n\n" for n in range(5)))
    id_ = memory.notes.put(given)
    items = memory.notes.items_of(id_)
    assert len(items) > 1
    assert "".join(item.text for item in items) == given.text
    assert tuple(item.gene_id for item in items) == given.gene_ids
    assert memory.notes.items_with(HERE, bytes.fromhex(items[1].gene_id)) == [items[1]]
    assert memory.notes.items_of_text(HERE, bytes.fromhex(given.content_hash[:16])) == items


def test_the_same_text_given_twice_is_one_note_said_anew(memory):
    first = memory.notes.put(note("The port is 8080.\n", at=1_000.0))
    assert memory.notes.put(note("The port is 8080.\n", at=2_000.0)) == first
    assert memory.notes.put(note("The port is 8080.\n", at=500.0)) == first
    assert memory.totals()["notes"] == 1
    assert memory.notes.items_of(first)[0].at == 2_000.0


def test_what_is_forgotten_stands_nowhere_in_the_file(folder, memory):
    kept = note("Zebracorn stays here.\n")
    given = note("The password hint is Xylophonist and nobody else knows it.\n", title="Hintfile")
    memory.notes.put(kept)
    memory.notes.put(given)
    assert b"Xylophonist" in bytes_in(folder)
    assert memory.notes.forget(HERE, bytes.fromhex(given.gene_ids[0])) == given.gene_ids
    for word in (b"Xylophonist", b"xylophonist", b"Hintfile", b"hintfil"):
        assert word not in bytes_in(folder), word
    assert memory.notes.matches(HERE, ["xylophonist"], 10) == []
    assert memory.notes.matches(HERE, ["zebracorn"], 10)
    assert memory.notes.forget(HERE, bytes.fromhex(given.gene_ids[0])) == ()
    assert memory.notes.forget(b"/elsewhere", bytes.fromhex(kept.gene_ids[0])) == ()
    assert memory.totals() == {"exchanges": 0, "notes": 1, "items": 1, "claims": 0}


def test_the_oldest_exchanges_go_and_notes_never_do(folder):
    with Memory(folder, NOW, most_exchanges=3, most_exchange_bytes=2_000) as memory:
        memory.notes.put(note("A note from the beginning.\n", at=1.0))
        for number in range(6):
            memory.exchanges.add(exchange(f"question {number}", session="s"))
        assert [each.question for each in memory.exchanges.last(HERE, "s", 10)] == [f"question {n}" for n in (3, 4, 5)]
        memory.exchanges.add(exchange("long", "x" * 1_950, session="s"))
        assert [each.question for each in memory.exchanges.last(HERE, None, 10)] == ["question 5", "long"]
        assert memory.totals()["notes"] == 1


def test_notes_beyond_their_room_are_refused_and_none_is_dropped(folder):
    with Memory(folder, NOW, most_note_bytes=100) as memory:
        memory.notes.put(note("y" * 60 + "\n"))
        with pytest.raises(MemoryStoreError, match="takes no more; forget some"):
            memory.notes.put(note("z" * 60 + "\n"))
        assert memory.totals()["notes"] == 1


def test_exchanges_come_back_as_they_were_by_session(memory):
    memory.exchanges.add(exchange("one", session="a"))
    memory.exchanges.add(exchange("two", session="b", truncated=True))
    memory.exchanges.add(exchange("other", session="a", workspace=b"/elsewhere"))
    assert [each.question for each in memory.exchanges.last(HERE, None, 10)] == ["one", "two"]
    (two,) = memory.exchanges.last(HERE, "b", 10)
    assert (two.truncated, two.finish, two.by, two.model) == (True, "length", BY, "tiny")
    assert memory.exchanges.forget_session(HERE, "a") == 1
    assert [each.question for each in memory.exchanges.last(HERE, None, 10)] == ["two"]


def test_evidence_is_united_and_outlives_its_exchange(folder):
    with Memory(folder, NOW, most_exchanges=1) as memory:
        first = memory.exchanges.add(exchange("one"))
        id_ = memory.notes.put(note("We use tabs.\n", evidence=(first,)))
        second = memory.exchanges.add(exchange("two"))
        assert memory.notes.put(note("We use tabs.\n", evidence=(second, first))) == id_
        assert memory.notes.evidence_of(id_) == (first, second)


def test_what_a_session_was_given_is_remembered_by_text_and_file(memory):
    gene, content = "ab" * 8, "cd" * 32
    memory.exchanges.deliver(HERE, "s", [(gene, content)], NOW)
    memory.exchanges.deliver(HERE, "s", [(gene, content)], NOW + 1)
    assert memory.exchanges.delivered(HERE, "s") == {f"{gene}:{content}"}
    assert memory.exchanges.delivered(HERE, "t") == memory.exchanges.delivered(b"/elsewhere", "s") == frozenset()


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_who_asks_waits_for_other_writers_no_longer_than_a_question_may(folder, memory):
    waits = []

    def note_wait(_, sql, __):
        if sql.startswith("BEGIN"):
            waits.append(memory._file._session.connection.pragma("busy_timeout"))
        return True

    memory._file._session.connection.exec_trace = note_wait
    given = [("ab" * 8, "cd" * 32)]
    with Memory(folder, NOW) as other, other._file.transaction(), pytest.raises(BusyStoreError):
        memory.exchanges.deliver(HERE, "s", given, NOW)
    memory.exchanges.deliver(HERE, "s", given, NOW)
    memory.notes.put(note("The port is 8080.\n"))
    assert waits == [DELIVER_WAIT_MS, DELIVER_WAIT_MS, BUSY_TIMEOUT_MS]
    assert DELIVER_WAIT_MS < BUSY_TIMEOUT_MS / 5
    assert memory.exchanges.delivered(HERE, "s") == {f"{'ab' * 8}:{'cd' * 32}"}


@pytest.mark.parametrize("query", [memory_items._UNCLAIMED, memory_items._USED_SCOPE])
def test_whose_memories_are_here_is_asked_of_indexes_and_not_of_each_memory(folder, memory, query):
    with closing(sqlite3.connect(folder / NAME)) as connection:
        plan = connection.execute("EXPLAIN QUERY PLAN " + query.replace("?1", "'key'")).fetchall()
    steps = [step for *_, step in plan]
    assert any("COVERING INDEX item_scope" in step for step in steps), steps
    assert not [step for step in steps if step.startswith(("SCAN item", "SCAN evidence"))]


def test_the_memory_is_the_users_alone(folder, memory):
    memory.exchanges.add(exchange("one"))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
    folder.chmod(0o755)
    (folder / NAME).chmod(0o644)
    Memory(folder, NOW).close()
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE((folder / NAME).stat().st_mode)) == (0o700, 0o600)


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_links_and_things_that_are_no_files_are_refused(tmp_path):
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    with pytest.raises(MemoryStoreError, match="is not a folder of yours"):
        Memory(tmp_path / "link", NOW)
    (real / NAME).symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(MemoryStoreError, match="is not a file of yours"):
        Memory(real, NOW)
    assert not (tmp_path / "elsewhere.db").exists()
    (real / NAME).unlink()
    os.mkfifo(real / NAME)
    with pytest.raises(MemoryStoreError, match="is not a file of yours"):
        Memory(real, NOW)
    (tmp_path / "file").write_text("x")
    with pytest.raises(MemoryStoreError):
        Memory(tmp_path / "file", NOW)


def test_a_newer_memory_is_refused_and_left_as_it_is(folder):
    with Memory(folder, NOW) as memory:
        memory._file._session.connection.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
    before = (folder / NAME).read_bytes()
    with pytest.raises(NewerStoreError, match="newer Helix"):
        Memory(folder, NOW)
    assert (folder / NAME).read_bytes() == before


def test_another_applications_database_is_refused_and_left_as_it_is(folder):
    folder.mkdir()
    import apsw

    for stamp in ("PRAGMA application_id=7; CREATE TABLE t (a)", "CREATE TABLE t (a)"):
        (folder / NAME).unlink(missing_ok=True)
        apsw.Connection(str(folder / NAME)).execute(stamp)
        before = (folder / NAME).read_bytes()
        with pytest.raises(MemoryStoreError, match="another application"):
            Memory(folder, NOW)
        assert (folder / NAME).read_bytes() == before


@pytest.mark.parametrize("damage", ["header", "middle", "cut"])
def test_a_damaged_memory_is_set_aside_whole_and_said(folder, damage):
    with Memory(folder, NOW) as memory:
        for number in range(40):
            memory.notes.put(note(f"Note number {number} about the giraffe. " + "word " * 200))
    file = folder / NAME
    data = bytearray(file.read_bytes())
    if damage == "header":
        data[:16] = b"not a database!!"
    elif damage == "cut":
        del data[len(data) // 2 :]
    else:
        data[4096 : len(data) // 2] = b"\xff" * (len(data) // 2 - 4096)
    file.write_bytes(data)
    with Memory(folder, NOW) as memory:
        assert "set aside as" in memory.notice
        assert memory.totals()["notes"] == 0
    (aside,) = [each for each in folder.iterdir() if ".damaged-" in each.name]
    assert aside.read_bytes() == bytes(data)
    with Memory(folder, NOW) as memory:
        assert memory.notice == ""


def test_damage_that_only_a_query_meets_is_found_by_looking_at_every_page(folder):
    with Memory(folder, NOW) as memory:
        for number in range(40):
            memory.notes.put(note(f"Note number {number} about the giraffe. " + "word " * 200))
    data = bytearray((folder / NAME).read_bytes())
    # The last pages hold rows; the schema, which is read at opening, is before them.
    data[-len(data) // 5 :] = b"\xff" * (-(-len(data) // 5))
    (folder / NAME).write_bytes(data)
    with Memory(folder, NOW) as memory, pytest.raises(CorruptMemoryError, match="is set aside, whole"):
        memory.notes.matches(HERE, ["giraffe"], 100)
        memory.notes.all(HERE)
    with Memory(folder, NOW, suspect=True) as memory:
        assert "set aside as" in memory.notice


def test_a_copy_is_kept_before_the_format_changes(folder, monkeypatch):
    with Memory(folder, NOW) as memory:
        memory.notes.put(note("From the old days.\n"))
    migrations = {**memory_file.MIGRATIONS, SCHEMA_VERSION: "ALTER TABLE note ADD COLUMN mood TEXT"}
    later = memory_file.MEMORY._replace(version=SCHEMA_VERSION + 1, migrations=migrations)
    monkeypatch.setattr(memory_file, "MEMORY", later)
    with Memory(folder, NOW) as memory:
        assert memory.notes.matches(HERE, ["days"], 1)
    monkeypatch.undo()
    copy = folder / f"{NAME}.format-{SCHEMA_VERSION}"
    copy.rename(folder / "again.db")
    (folder / NAME).unlink()
    (folder / "again.db").rename(folder / NAME)
    with Memory(folder, NOW) as memory:
        assert memory.notes.matches(HERE, ["days"], 1)


def test_an_older_memory_that_cannot_be_migrated_is_left_as_it_is(folder, monkeypatch):
    with Memory(folder, NOW) as memory:
        memory.notes.put(note("From the old days.\n"))
    migrations = {**memory_file.MIGRATIONS, SCHEMA_VERSION: "ALTER TABLE nothing ADD COLUMN mood TEXT"}
    later = memory_file.MEMORY._replace(version=SCHEMA_VERSION + 1, migrations=migrations)
    monkeypatch.setattr(memory_file, "MEMORY", later)
    with pytest.raises(MemoryStoreError):
        Memory(folder, NOW)
    monkeypatch.undo()
    with Memory(folder, NOW) as memory:
        assert memory.notes.matches(HERE, ["days"], 1)


@pytest.mark.process
def test_threads_and_processes_write_one_memory_and_nothing_is_lost(folder):
    program = (
        "import sys; from pathlib import Path; from helix_core.store.memory import Memory\n"
        "from tests.memory.made import exchange\n"
        "with Memory(Path(sys.argv[1]), 0.0) as memory:\n"
        "    for n in range(20): memory.exchanges.add(exchange(f'{sys.argv[2]} {n}'))\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", program, str(folder), name]) for name in "ab"]
    failed = []

    def write(name):
        try:
            with Memory(folder, NOW) as memory:
                for number in range(20):
                    memory.exchanges.add(exchange(f"{name} {number}"))
        except StoreError as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in "cd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait(120) for process in processes] == [0, 0]
    assert not failed
    with Memory(folder, NOW) as memory:
        assert memory.totals()["exchanges"] == 80


def test_a_memory_that_was_taken_away_is_known_to_be_gone(folder, memory):
    assert memory.is_present()
    (folder / NAME).unlink()
    assert not memory.is_present()
