"""A damaged, foreign, newer or unwritable index file: told apart, never overwritten, never served as truth."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from helix_core.errors import CorruptStoreError, NewerStoreError, StoreError
from helix_core.store import Index, open_index, open_or_rebuild, rebuild
from tests.store.build import document, signature

NOW = 1_800_000_000.0
PAGE = 4096
# Of a query on a damaged index only damage is asked here, never speed; a loop without end would still be stopped.
UNHURRIED_MS = 60_000


def filled(path: Path, files: int = 60) -> str:
    """An index of some files, closed cleanly; returns its digest."""
    with open_index(path) as index:
        with index.writer().batch():
            for number in range(files):
                body = b"".join(b"def name_%d_%d(): return thing_%d\n" % (number, line, line) for line in range(40))
                index.writer().replace(document(b"f%d.py" % number, body), signature(number), number)
        with index.reader() as reader:
            return reader.digest()


def patch(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 // PAGE * PAGE)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "magic overwritten": lambda path: patch(path, 0, b"not a database at all"),
    "header zeroed": lambda path: patch(path, 0, bytes(100)),
    "page size nonsense": lambda path: patch(path, 16, b"\x00\x07"),
    "schema page zeroed": lambda path: patch(path, 100, bytes(PAGE - 100)),
    "cut in the header": lambda path: os.truncate(path, 50),
    "cut after one page": lambda path: os.truncate(path, PAGE),
    "cut in the middle": truncated,
    "text instead": lambda path: path.write_text("hello\n" * 100) and None,
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_damage_seen_at_opening_is_moved_aside_and_said_once(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    path = tmp_path / "index.db"
    filled(path)
    damage(path)
    damaged = path.read_bytes()
    with pytest.raises(CorruptStoreError):
        open_index(path)
    index, notice = open_or_rebuild(path, NOW)
    with index, index.reader() as reader:
        assert reader.files.states() == {}
    aside = tmp_path / "index.db.damaged-20270115T080000Z"
    assert aside.read_bytes() == damaged
    assert str(aside) in notice and "\n" not in notice
    index, notice = open_or_rebuild(path, NOW)
    index.close()
    assert notice == ""


def test_a_second_damaged_file_in_the_same_second_does_not_replace_the_first(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    for content in (b"first" * 100, b"second" * 100):
        path.write_bytes(content)
        open_or_rebuild(path, NOW)[0].close()
    assert sorted(file.read_bytes()[:5] for file in tmp_path.glob("index.db.damaged-*")) == [b"first", b"secon"]


@pytest.mark.slow
def test_zeroed_pages_give_corrupt_store_errors_or_right_answers(tmp_path: Path) -> None:
    good = tmp_path / "good.db"
    digest = filled(good)
    pages = good.stat().st_size // PAGE
    noticed = 0
    for page in range(1, pages, 2):
        path = tmp_path / "index.db"
        path.write_bytes(good.read_bytes())
        patch(path, page * PAGE, bytes(PAGE))
        try:
            with open_index(path) as index, index.reader(budget_ms=UNHURRIED_MS) as reader:
                assert len(reader.text.chunk_matches("name", 500)) > 0
                reader.text.file_matches("thing", 50)
                reader.text.references("thing_3", 100)
                reader.names.similar_names("name_3_3")
                reader.names.definitions(["name_1_1"])
                assert reader.digest() == digest
        except CorruptStoreError:
            noticed += 1
    assert noticed > pages / 6


def test_the_full_check_names_a_zeroed_page(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    filled(path)
    patch(path, path.stat().st_size // PAGE // 2 * PAGE, bytes(PAGE))
    with open_index(path) as index:
        assert index.damage()


def test_damage_met_by_a_query_is_answered_by_rebuilding(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    filled(path)
    connection = apsw.Connection(str(path))
    (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'source'").fetchall()[0]
    connection.close()
    patch(path, (root - 1) * PAGE, bytes(PAGE))
    index = open_index(path)
    with index.reader() as reader, pytest.raises(CorruptStoreError) as raised:
        reader.files.states()
    index.close()
    index, notice = rebuild(path, NOW, str(raised.value), damaged=index.identity)
    with index, index.reader() as reader:
        assert reader.files.states() == {}
    assert "damaged" in notice


def test_of_two_who_find_the_damage_the_second_keeps_what_the_first_rebuilt(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    filled(path)
    one, other = open_index(path), open_index(path)
    one.close()
    other.close()
    first, _ = rebuild(path, NOW, "Damaged.", damaged=one.identity)
    first.writer().replace(document(b"a.py", b"x = 1\n"), signature(), 1)
    second, notice = rebuild(path, NOW, "Damaged.", damaged=other.identity)
    with first, second, second.reader() as reader:
        assert list(reader.files.states()) == [b"a.py"]
    assert notice == "Damaged."
    assert len(list(tmp_path.glob("index.db.damaged-*"))) == 1


def test_an_emptied_file_is_built_again_and_said(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    filled(path)
    os.truncate(path, 0)
    os.utime(path, (NOW - 60, NOW - 60))
    index, notice = open_or_rebuild(path, NOW)
    with index, index.reader() as reader:
        assert reader.files.states() == {}
    assert "emptied" in notice


@pytest.mark.process
def test_a_deleted_log_leaves_an_older_whole_state_or_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    filled(path)
    code = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from pathlib import Path
from tests.store.build import document, signature
from helix_core.store import open_index
index = open_index(Path({str(path)!r}))
for number in range(20):
    index.writer().replace(document(b"f%d.py" % number, b"x = %d\\n" % number), signature(), 1)
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", code], check=False)
    (tmp_path / "index.db-wal").unlink()
    index, _ = open_or_rebuild(path, NOW)
    with index, index.reader() as reader:
        assert index.damage() == ""
        assert len(reader.files.states()) in (0, 60)


def test_another_applications_database_is_moved_aside_unharmed(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    for pragma in ("PRAGMA application_id=7", "PRAGMA user_version=0"):
        with apsw.Connection(str(path)) as other:
            other.execute(f"{pragma}; CREATE TABLE precious (thing); INSERT INTO precious VALUES ('kept')")
        other.close()
        index, notice = open_or_rebuild(path, NOW)
        index.close()
        assert "another application" in notice
        path.unlink()
    asides = sorted(tmp_path.glob("index.db.damaged-*"))
    assert len(asides) == 2
    for aside in asides:
        kept = apsw.Connection(str(aside))
        assert kept.execute("SELECT thing FROM precious").fetchall() == [("kept",)]
        kept.close()


def test_a_newer_index_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    filled(path)
    patch(path, 60, (99).to_bytes(4, "big"))
    before = path.read_bytes()
    for opening in (open_index, lambda path: open_or_rebuild(path, NOW)):
        with pytest.raises(NewerStoreError, match="newer Helix"):
            opening(path)
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["index.db", "index.queue"]


def test_an_older_format_without_a_migration_starts_over_empty(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    digest = filled(path)
    patch(path, 60, (0).to_bytes(4, "big"))
    with open_index(path) as index, index.reader() as reader:
        assert reader.files.states() == {}
        assert index.damage() == ""
    assert filled(path) == digest
    assert sorted(file.name for file in tmp_path.iterdir()) == ["index.db", "index.queue"]


@pytest.mark.parametrize("way", ["removed", "replaced", "emptied"])
def test_losing_the_file_while_it_is_open_is_noticed_before_the_next_write(tmp_path: Path, way: str) -> None:
    path = tmp_path / "index.db"
    filled(path)
    index = open_index(path)
    assert index.is_present()
    match way:
        case "removed":
            path.unlink()
        case "replaced":
            (tmp_path / "other").write_bytes(path.read_bytes())
            os.replace(tmp_path / "other", path)
        case "emptied":
            os.truncate(path, 0)
    assert not index.is_present()
    with pytest.raises(CorruptStoreError):
        index.writer().replace(document(b"a.py", b"x = 1\n"), signature(), 1)
    index.close()


def test_a_folder_where_the_file_should_be_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "index.db").mkdir()
    with pytest.raises(StoreError, match="writable or choose another"):
        open_index(tmp_path / "index.db")


def test_a_file_where_the_folder_should_be_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.raises(StoreError, match="writable or choose another"):
        open_index(tmp_path / "cache" / "index.db")


@pytest.mark.process
def test_a_folder_that_cannot_be_written_is_an_error_that_says_so(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    code = f"""
import os
from pathlib import Path
from helix_core.errors import StoreError
from helix_core.store import open_index
if os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
try:
    open_index(Path({str(locked / "index.db")!r}))
except StoreError as error:
    print(error)
"""
    for folder in (tmp_path, *tmp_path.parents[:3]):
        if folder.stat().st_uid == os.geteuid() and "pytest" in str(folder):
            folder.chmod(0o755)
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "writable or choose another cache folder" in told.stdout, told.stderr


@pytest.mark.slow
def test_a_full_disk_loses_nothing_and_writing_goes_on_when_there_is_room(index: Index) -> None:
    writer = index.writer()
    writer.replace(document(b"kept.py", b"def kept(): pass\n"), signature(), 1)
    (pages,) = index._connection.execute("PRAGMA page_count").fetchall()[0]
    index._connection.execute(f"PRAGMA max_page_count={pages + 5}").fetchall()
    large = document(b"large.py", b"".join(b"def name_%d(): pass\n" % line for line in range(5_000)), lines_per_chunk=2)
    for _ in range(2):
        with pytest.raises(StoreError, match="free space"):
            writer.replace(large, signature(), 1)
        with index.reader() as reader:
            assert list(reader.files.states()) == [b"kept.py"]
            assert len(reader.text.chunk_matches("kept", 5)) == 1
    index._connection.execute("PRAGMA max_page_count=100000").fetchall()
    writer.replace(large, signature(), 1)
    with index.reader() as reader:
        assert sorted(reader.files.states()) == [b"kept.py", b"large.py"]
    assert index.damage() == ""


def test_the_folder_is_the_users_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with open_index(tmp_path / "cache" / "index.db") as index:
            index.writer().replace(document(b"a.py", b"x = 1\n"), signature(), 1)
            modes = {file.name: file.stat().st_mode & 0o777 for file in (tmp_path / "cache").iterdir()}
    finally:
        os.umask(before)
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700
    assert set(modes) == {"index.db", "index.db-wal", "index.db-shm", "index.queue"}
    assert set(modes.values()) == {0o600}
