"""Several processes on one index, and processes killed in the middle of writing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import apsw
import pytest

from helix_core.store import Index, open_index, sqlite_file
from helix_core.store.index import create_private_file
from helix_core.store.lifecycle import create_private
from helix_core.store.sqlite_file import connect, read_header
from tests.store.build import content_hash, document, signature

ROOT = str(Path(__file__).parents[2])
LINE = b"def name_%d(): return value_%d\n"
PREAMBLE = f"""
import sys
sys.path.insert(0, {ROOT!r})
from pathlib import Path
from tests.store.build import document, signature
from helix_core.store import open_index, open_or_rebuild
path, number = Path(sys.argv[1]), int(sys.argv[2])
LINE = {LINE!r}
"""
OPEN_AND_WRITE = (
    PREAMBLE
    + """
sys.stdin.readline()
index, notice = open_or_rebuild(path, 0.0)
assert notice == "", notice
for round in range(10):
    with index.writer().batch():
        for file in range(5):
            data = b"def shared_%d(): return %d\\n" % (file, number)
            index.writer().replace(document(b"shared%d.py" % file, data), signature(), round)
        own = b"own%d-%d.py" % (number, round)
        index.writer().replace(document(own, b"def own_name(): return %d\\n" % number), signature(), round)
index.close()
print("done")
"""
)
WRITE_FOR_EVER = (
    PREAMBLE
    + """
index = open_index(path)
print("writing", flush=True)
generation = 0
while True:
    generation += 1
    with index.writer().batch():
        for file in range(8):
            text = b"".join(LINE % (line, generation) for line in range(30))
            index.writer().replace(document(b"f%d.py" % file, text, lines_per_chunk=5), signature(), generation)
    if generation % 7 == 0:
        index.writer().prune()
    if generation % 11 == 0:
        index.writer().optimize()
"""
)


def start(code: str, path: Path, number: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, str(path), str(number)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def assert_equal_to_a_cold_build(index: Index, cold_path: Path) -> None:
    """All files are of one generation, as one batch wrote them, and nothing tells the index from a fresh one."""
    assert index.damage() == ""
    with index.reader() as reader, open_index(cold_path) as cold, cold.reader() as cold_reader:
        known = {path: state.content_hash for path, state in reader.files.states().items()}
        if known:
            texts = (b"".join(LINE % (line, generation) for line in range(30)) for generation in range(1, 5_000))
            text = next(text for text in texts if content_hash(text) == known[b"f0.py"])
            for path in known:
                cold.writer().replace(document(path, text, lines_per_chunk=5), signature(), 1)
        assert len(known) in (0, 8)
        assert reader.digest() == cold_reader.digest()
        assert len(reader.text.chunk_matches("name", 1_000)) == len(cold_reader.text.chunk_matches("name", 1_000))


@pytest.mark.process
def test_processes_that_make_and_write_one_index_at_the_same_moment_all_succeed(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "index.db"
    processes = [start(OPEN_AND_WRITE, path, number) for number in range(4)]
    time.sleep(0.3)
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        out, error = process.communicate(timeout=60)
        assert out == "done\n", error
    with open_index(path) as index, index.reader() as reader:
        assert index.damage() == ""
        assert len(reader.files.states()) == 5 + 4 * 10
        assert len(reader.text.chunk_matches("own_name", 100)) == 40
        assert len({state.content_hash for path, state in reader.files.states().items() if path < b"p"}) == 4


@pytest.mark.slow
@pytest.mark.process
def test_a_process_killed_while_writing_leaves_every_file_wholly_old_or_new(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    chance = random.Random(7)
    for number in range(20):
        process = start(WRITE_FOR_EVER, path, number)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.12))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        with open_index(path) as index:
            assert_equal_to_a_cold_build(index, tmp_path / f"cold{number}.db")


@pytest.mark.process
def test_a_reader_in_another_process_sees_whole_batches_only(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with open_index(path) as index:
        process = start(WRITE_FOR_EVER, path, 0)
        assert process.stdout is not None
        process.stdout.readline()
        try:
            with index.reader() as reader:
                deadline = time.monotonic() + 0.7
                while time.monotonic() < deadline:
                    assert len(reader.files.states()) in (0, 8)
                    with reader.snapshot():
                        before = reader.digest()
                        ids = [source.id for path in reader.files.states() if (source := reader.files.source(path))]
                        assert all(len(reader.files.items_of(source_id)) == 6 for source_id in ids)
                        assert reader.digest() == before
        finally:
            process.kill()
            process.communicate()


@pytest.mark.process
def test_another_process_holding_the_lock_for_a_moment_is_waited_for(tmp_path: Path) -> None:
    code = (
        PREAMBLE
        + """
import time
index = open_index(path)
with index.writer().batch():
    print("holding", flush=True)
    time.sleep(0.8)
"""
    )
    path = tmp_path / "index.db"
    with open_index(path) as index:
        process = start(code, path, 0)
        assert process.stdout is not None
        process.stdout.readline()
        index.writer().replace(document(b"a.py", b"x = 1\n"), signature(), 1)
        with index.reader() as reader:
            assert list(reader.files.states()) == [b"a.py"]
        process.communicate()


def test_a_writer_that_begins_again_at_once_lets_one_that_waits_go_first(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with open_index(path) as index, index.reader() as reader:
        busy = index.writer()
        busy.replace(document(b"first.py", b"x = 1\n"), signature(), 1)
        with busy.batch():
            busy.replace(document(b"bulk0.py", b"x = 1\n"), signature(), 1)
            assert not busy.should_yield()
            waiting = threading.Thread(target=_write_one, args=(path,))
            waiting.start()
            deadline = time.monotonic() + 60
            while not busy.should_yield():
                assert time.monotonic() < deadline, "nobody comes to wait"
                time.sleep(0.001)
        with busy.batch():
            assert b"saved.py" in reader.files.states(), "the one that waited has not had its turn"
        waiting.join()


def test_one_that_queues_before_its_work_goes_before_the_next_batch(tmp_path: Path) -> None:
    """The other writer ends its batch while the file is still being parsed, and begins no other before it is stored."""
    path, queued, parsed = tmp_path / "index.db", threading.Event(), threading.Event()

    def save() -> None:
        with open_index(path) as index, index.writer().first_in_line():
            queued.set()
            assert parsed.wait(60)
            index.writer().replace(document(b"saved.py", b"x = 2\n"), signature(), 2)

    with open_index(path) as index, index.reader() as reader:
        busy = index.writer()
        with busy.batch():
            busy.replace(document(b"bulk0.py", b"x = 1\n"), signature(), 1)
            saving = threading.Thread(target=save)
            saving.start()
            assert queued.wait(60)
            assert busy.should_yield()
        timer = threading.Timer(0.1, parsed.set)
        timer.start()
        with busy.batch():
            assert b"saved.py" in reader.files.states(), "the one that queued has not had its turn"
        saving.join()
        timer.join()
        assert not busy.should_yield()


def test_one_that_queues_and_writes_nothing_leaves_the_line(tmp_path: Path) -> None:
    with open_index(tmp_path / "index.db") as index, open_index(tmp_path / "index.db") as other:
        with other.writer().first_in_line():
            assert index.writer().should_yield()
        assert not index.writer().should_yield()


def test_a_writer_looks_for_the_lock_at_short_intervals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's own busy timeout sleeps for 100 ms at a time when it has waited for a quarter of a second."""
    path, slept = tmp_path / "index.db", []
    with open_index(path) as index, open_index(path) as other:
        index.writer().replace(document(b"first.py", b"x = 1\n"), signature(), 1)
        holding = other.writer().batch()

        def sleep(seconds: float) -> None:
            slept.append(seconds)
            if len(slept) == 300:
                holding.__exit__(None, None, None)

        holding.__enter__()
        monkeypatch.setattr(sqlite_file.time, "sleep", sleep)
        index.writer().replace(document(b"saved.py", b"x = 2\n"), signature(), 2)
    assert len(slept) == 300
    assert max(slept) <= 0.005


def _write_one(path: Path) -> None:
    with open_index(path) as index:
        index.writer().replace(document(b"saved.py", b"x = 2\n"), signature(), 2)


LOOKS = {
    "its header": lambda path: read_header(str(path)),
    "its rights": create_private,
    "the index's rights": create_private_file,
}
BEGIN = """
import apsw, sys
try:
    apsw.Connection(sys.argv[1]).execute("BEGIN IMMEDIATE")
except apsw.BusyError:
    print("locked")
"""


@pytest.mark.process
@pytest.mark.parametrize("look", LOOKS)
def test_a_look_at_a_file_keeps_the_locks_of_this_process_on_it(tmp_path: Path, look: str) -> None:
    """Closing any descriptor but SQLite's own ends them: another process then rolls back what is being written."""
    path = tmp_path / "index.db"
    create_private(path)
    connection = connect(str(path), apsw.SQLITE_OPEN_READWRITE)
    connection.execute("CREATE TABLE one (x); BEGIN IMMEDIATE; CREATE TABLE two (x)")
    LOOKS[look](path)
    other = subprocess.run([sys.executable, "-c", BEGIN, path], capture_output=True, text=True, check=True)
    connection.close()
    assert other.stdout == "locked\n"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a file is made by opening it")
def test_a_file_is_made_without_a_descriptor_whose_end_would_cost_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, asked = tmp_path / "index.db", []
    monkeypatch.setattr(os, "open", lambda *said, **_: asked.append(said))
    assert create_private(path) and create_private(path)
    assert not asked and path.stat().st_mode & 0o777 == 0o600


def test_where_files_are_made_only_by_opening_them_one_is_made_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "mknod", refused)
    path = tmp_path / "index.db"
    assert create_private(path) and create_private(path)
    assert path.stat().st_mode & 0o777 == 0o600
