"""A reading is a state that the file was in, or it says that the file is changing; it is never a mix of two states."""

import hashlib
import itertools
import os
import subprocess
import sys
import threading
import time

import pytest

from helix_core.model import Reason
from helix_core.workspace.disk import DiskError, Root
from tests.engine.conftest import config_in
from tests.engine.repository import git, write

READS = 25
GENERATIONS = 50
# Every generation is one letter throughout; of two writes the state between them is one that the file was in.
# A busy machine keeps a writer in the middle of a write: a mix that stood so long was a state, too, and is noted.
WRITER = """
import mmap, os, sys, time
kind, path, size, rested = sys.argv[1], sys.argv[2], int(sys.argv[3]), open(sys.argv[4], "a", buffering=1)
fd = os.open(path, os.O_RDWR | os.O_CREAT)
os.pwrite(fd, b"A" * size, 0)
mapped = mmap.mmap(fd, size) if kind == "mapping" else None
print("ready", flush=True)
generation = 0
while True:
    generation = (generation + 1) % 50
    text = bytes([65 + generation]) * size
    began = time.monotonic()
    if mapped is not None:
        mapped[:] = text
    elif kind == "two writes":
        os.pwrite(fd, text[: size // 2], 0)
        os.pwrite(fd, text[size // 2 :], size // 2)
    else:
        os.pwrite(fd, text, 0)
    if time.monotonic() - began > 0.001:
        print(generation, file=rested)
"""
# Definitions of one generation, so that a quote that mixes two shows it.
SOURCES = """
import os, sys, time
path, rested = sys.argv[1], open(sys.argv[2], "a", buffering=1)
fd = os.open(path, os.O_RDWR | os.O_CREAT)
def text(number):
    lines = [f"def carry_parcel_{n:02}(box):\\n    return box.weight_{number:04}\\n\\n\\n" for n in range(120)]
    return "".join(lines).encode()
texts = [text(number) for number in range(40)]
os.pwrite(fd, texts[0], 0)
print("ready", flush=True)
number = 0
while True:
    number = (number + 1) % 40
    began = time.monotonic()
    os.pwrite(fd, texts[number], 0)
    if time.monotonic() - began > 0.001:
        print(number, file=rested)
"""
PAGE = 4096


@pytest.fixture
def started():
    """Start a writer and wait until it writes."""
    running = []

    def start(code, *arguments):
        process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True
        )
        running.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()


def _rested(noted, written):
    """The generations whose writing the machine kept waiting, once the writer has gone on and noted them."""
    for _ in range(3):
        before = written.read_bytes()
        while written.read_bytes() == before:
            time.sleep(0.001)
    return {int(line) for line in noted.read_text().split()}


def _is_a_state(kind, data, size, rested):
    runs = [(letter - 65, len(list(run))) for letter, run in itertools.groupby(data)]
    if len(data) != size or len(runs) > 2:
        return False
    if len(runs) == 1:
        return True
    (first, length), (second, _) = runs
    is_next = first == (second + 1) % GENERATIONS
    return is_next and ((kind == "two writes" and length == size // 2) or first in rested)


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(("kind", "size"), [("one write", 7_000), ("two writes", 69_000), ("mapping", 7_000)])
def test_a_file_written_without_pause_is_read_whole_or_called_changing(tmp_path, started, kind, size):
    started(WRITER, kind, tmp_path / "file", size, tmp_path / "rested")
    reasons, mixed = set(), []
    with Root.open(tmp_path) as root:
        for _ in range(READS):
            try:
                file = root.read(b"file")
            except DiskError as error:
                reasons.add(error.reason)
            else:
                assert file.content_hash == hashlib.sha256(file.data).hexdigest()
                mixed += [] if _is_a_state(kind, file.data, size, set()) else [file.data]
    assert reasons <= {Reason.CHANGED}
    rested = _rested(tmp_path / "rested", tmp_path / "file") if mixed else set()
    assert [data for data in mixed if not _is_a_state(kind, data, size, rested)] == []


@pytest.mark.process
def test_packets_about_a_file_written_without_pause_carry_no_hash_and_no_quote_that_never_was(tmp_path, started):
    from helix_core.engine import Helix

    folder = tmp_path / "project"
    folder.mkdir()
    write(folder, {"docs/parcels.md": "# Parcels\n\nHow to carry a parcel.\n"})
    git(folder, "init", "-q")
    (folder / "parcels.py").write_text("def carry_parcel_00(box):\n    return box.weight_0000\n")
    with Helix.open(folder, config=config_in(tmp_path, folder)) as helix:
        helix.refresh()
        started(SOURCES, folder / "parcels.py", tmp_path / "rested")
        texts = [
            "".join(f"def carry_parcel_{n:02}(box):\n    return box.weight_{number:04}\n\n\n" for n in range(120))
            for number in range(40)
        ]
        were = {hashlib.sha256(text.encode()).hexdigest(): text for text in texts}
        packets = [helix.packet("carry_parcel_07") for _ in range(5)]
        for number in _rested(tmp_path / "rested", folder / "parcels.py"):
            mix = texts[number][:PAGE] + texts[number - 1][PAGE:]
            were[hashlib.sha256(mix.encode()).hexdigest()] = mix
        for packet in packets:
            items = [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]
            for item in items:
                if item["source_id"] == "parcels.py" and item["content_hash"]:
                    assert item["content_hash"] in were
                    assert item["quote"] in were[item["content_hash"]]
                assert item["status"] != "verified" or item["content_hash"]


def test_a_file_is_read_at_once_after_every_ordinary_way_to_save_it(tmp_path):
    def in_place(path, data):
        path.write_bytes(data)

    def by_rename(path, data):
        path.with_name("other").write_bytes(data)
        os.replace(path.with_name("other"), path)

    def appended(path, data):
        with path.open("ab") as file:
            file.write(data)

    with Root.open(tmp_path) as root:
        for number in range(60):
            save = (in_place, by_rename, appended)[number % 3]
            save(tmp_path / "file", b"%d\n" % number * 400)
            assert root.read(b"file").data == (tmp_path / "file").read_bytes()


def test_a_file_that_is_open_for_writing_is_read_once_its_writer_pauses(tmp_path):
    with (tmp_path / "log").open("wb", buffering=0) as log, Root.open(tmp_path) as root:
        for number in range(5):
            log.write(b"line %d\n" % number)
            assert root.read(b"log").data == (tmp_path / "log").read_bytes()


def test_reading_neither_stops_a_writer_nor_ends_the_reader(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x" * 4_000)
    stopped, opened = threading.Event(), []

    def save():
        while not stopped.is_set():
            with path.open("r+b") as file:
                file.write(b"y" * 4_000)
            opened.append(1)
            time.sleep(0.0005)

    saver = threading.Thread(target=save)
    saver.start()
    try:
        with Root.open(tmp_path) as root:
            for _ in range(300):
                try:
                    assert len(root.read(b"file").data) == 4_000
                except DiskError as error:
                    assert error.reason is Reason.CHANGED
    finally:
        stopped.set()
        saver.join()
    assert opened
