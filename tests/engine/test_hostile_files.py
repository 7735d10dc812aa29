"""Files that change while read, are huge, deep, odd in name or break a parser: the rest is answered all the same."""

from __future__ import annotations

import json
import os
import threading
import time
import unicodedata
from functools import partial

import pytest

from helix_core.engine.indexing import intake
from helix_core.ingest import pool
from helix_core.ingest.document import ingest
from helix_core.ingest.pool import IngestPool, Limits
from tests.engine.breaking_ingest import break_on_sight
from tests.engine.repository import git, write
from tests.engine.test_faults import assert_answers_right, cold_digest

pytestmark = pytest.mark.slow

MIB = 1 << 20


def skipped_files(helix) -> dict[str, str]:
    return {one["source_id"]: one["reason"] for one in helix.status(skipped=True)["skipped_files"]}


def test_a_file_rewritten_all_the_time_is_whole_or_left_for_the_next_time(helix, repository):
    """Each version is of one letter, so that a mixture of two would show."""
    path = repository / "app/busy.py"
    over = threading.Event()

    def rewrite() -> None:
        letters = 0
        while not over.is_set():
            letters = letters % 26 + 1
            text = f"def busy_function():\n    return '{chr(96 + letters) * (letters * 9_000)}'\n"
            with path.open("r+" if path.exists() else "w") as file:
                file.write(text)
                file.truncate()

    thread = threading.Thread(target=rewrite)
    thread.start()
    try:
        for _ in range(15):
            helix.refresh()
            for item in helix.packet("busy_function", task="edit")["verified"]:
                if item["source_id"] == "app/busy.py":
                    letters = set(item["quote"].partition("'")[2].rstrip("'\n"))
                    assert len(letters) <= 1
            assert_answers_right(helix)
    finally:
        over.set()
        thread.join()
    helix.refresh()
    assert helix.status()["fresh"] or helix.refresh().parsed == 0


@pytest.mark.process
def test_a_file_that_grows_for_ever_holds_nobody_up(helix, repository, tmp_path):
    path = repository / "growing.log"
    over = threading.Event()

    def grow() -> None:
        with path.open("w", buffering=1) as file:
            while not over.is_set():
                file.write("one more line\n")

    thread = threading.Thread(target=grow)
    thread.start()
    try:
        while not path.exists():
            time.sleep(0.001)
        for _ in range(5):
            helix.refresh()
            assert_answers_right(helix)
    finally:
        over.set()
        thread.join()
    helix.refresh()
    assert helix.digest() == cold_digest(repository, tmp_path)


def test_a_hundred_megabytes_are_left_out_by_their_size_alone(helix, repository):
    """Of a hole: reading it would fill memory, and the file may not be read at all."""
    path = repository / "app/large.py"
    with path.open("wb") as file:
        file.truncate(100 * MIB)
    path.chmod(0)
    before = helix.digest()
    assert helix.refresh().skipped == {"too_large": 1}
    assert skipped_files(helix)["app/large.py"] == "too_large"
    assert helix.digest() == before
    assert_answers_right(helix)


@pytest.mark.process
def test_a_million_lines_are_left_out_and_many_lines_are_not(helix, repository):
    """In less than the size limit the lines are what is too many, and they are counted once; in more, the bytes."""
    write(repository, {"data/lines.txt": "\n" * 1_000_000, "data/bytes.txt": "xy\n" * 1_000_000})
    write(repository, {"data/many.txt": "x\n" * 49_000 + "needle_in_the_hay\n"})
    report = helix.refresh()
    assert (report.parsed, report.skipped) == (1, {"too_large": 2})
    left_out = skipped_files(helix)
    assert left_out["data/lines.txt"] == left_out["data/bytes.txt"] == "too_large"
    (item, *_) = helix.packet("needle_in_the_hay", task="edit")["verified"]
    assert (item["source_id"], item["end_line"]) == ("data/many.txt", 49_001)
    time.sleep(0.1)
    helix.refresh()
    assert helix.refresh().touched == 0
    assert_answers_right(helix)


HOSTILE = {
    "deep.json": "[" * 100_000 + "]" * 100_000,
    "objects.json": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "brackets.py": "(" * 100_000,
    "blocks.js": "{" * 100_000,
    "lists.yaml": "[" * 100_000,
    "quotes.md": "> " * 100_000,
    "tags.html": "<div>" * 100_000,
    "regex.py": f"value = '{'a' * 200_000}!'\n",
    "assignments.ini": "password=" * 50_000,
    "blanks.md": " " * 500_000 + "x",
    "underscores.py": "_" * 500_000,
    "backslashes.js": '"' + "\\" * 500_001,
}


@pytest.mark.process
@pytest.mark.parametrize("together", [True, False], ids=["together", "one by one"])
def test_deep_and_regex_bomb_texts_are_indexed_like_any_other(helix, repository, tmp_path, together):
    for name, text in HOSTILE.items():
        write(repository, {f"hostile/{name}": text})
        if not together:
            helix.refresh_paths([f"hostile/{name}".encode()])
    report = helix.refresh()
    assert report.quarantined == ()
    assert set(report.skipped) <= {"minified", "generated"}
    assert_answers_right(helix)
    for text in HOSTILE.values():
        json.dumps(helix.packet("a" + text[:20_000]))
    assert helix.digest() == cold_digest(repository, tmp_path)


@pytest.mark.process
def test_three_thousand_empty_files_are_files_like_others(helix, repository):
    write(repository, {f"empty/{number % 30}/file{number}.py": "" for number in range(3_000)})
    assert helix.refresh().added == 3_000
    assert_answers_right(helix)
    assert helix.status()["index"]["files"] >= 3_000
    again = helix.refresh()
    assert (again.files, again.parsed) == (3_005, 0)


@pytest.mark.parametrize("in_git", [True, False], ids=["in git", "without git"])
def test_a_link_to_an_ancestor_is_not_walked(repository, open_helix, in_git):
    if not in_git:
        (repository / ".git").rename(repository.parent / "away")
    (repository / "app/loop").symlink_to("..")
    (repository / "app/self").symlink_to("self")
    helix = open_helix(repository)
    report = helix.refresh()
    assert report.files == report.parsed == 5
    assert report.skipped == {"symlink": 2}
    assert {"app/loop", "app/self"} <= skipped_files(helix).keys()
    assert_answers_right(helix)


NAMES = {
    b"line\nbreak.py": "line\nbreak.py",
    b"caf\xe9.py": "caf\\xe9.py",
    unicodedata.normalize("NFC", "naïve.py").encode(): unicodedata.normalize("NFC", "naïve.py"),
    unicodedata.normalize("NFD", "naïve.py").encode(): unicodedata.normalize("NFD", "naïve.py"),
    b'quo"te \\ back\t.py': 'quo"te \\ back\t.py',
    b"-rf.py": "-rf.py",
    b"\xe2\x80\xae.py": "\u202e.py",
}


@pytest.mark.parametrize("in_git", [True, False], ids=["in git", "without git"])
def test_odd_names_go_all_the_way_round(repository, open_helix, in_git):
    if not in_git:
        (repository / ".git").rename(repository.parent / "away")
    for number, name in enumerate(NAMES):
        with open(os.path.join(os.fsencode(repository), name), "w") as file:
            file.write(f"def oddly_named_{number}():\n    return {number}\n")
        with open(os.path.join(os.fsencode(repository), name + b".so"), "w") as file:
            file.write("binary by its name")
    if in_git:
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", "Odd")
    helix = open_helix(repository)
    assert helix.refresh().parsed == 5 + len(NAMES)
    for number, source_id in enumerate(NAMES.values()):
        question = f"oddly_named_{number}"
        found = json.loads(json.dumps(helix.search(question), ensure_ascii=False).encode())["items"][0]
        assert (found["source_id"], found["symbol"]) == (source_id, question)
        verified = json.loads(json.dumps(helix.packet(question), ensure_ascii=False).encode())["verified"]
        (item,) = [item for item in verified if item["symbol"] == question]
        assert item["source_id"] == source_id
        assert item["quote"] == f"def oddly_named_{number}():\n    return {number}"
        assert bool(item["commit"]) == in_git
    status = json.loads(json.dumps(helix.status(skipped=True), ensure_ascii=False).encode())
    left_out = {one["source_id"] for one in status["skipped_files"] if one["reason"] == "binary"}
    assert left_out == {source_id + ".so" for source_id in NAMES.values()}
    (repository / os.fsdecode(b"caf\xe9.py")).unlink()
    assert helix.refresh_paths([b"caf\xe9.py", b"line\nbreak.py"]).removed == 1
    assert (
        not helix.search("oddly_named_1")["items"]
        or helix.search("oddly_named_1")["items"][0]["symbol"] != "oddly_named_1"
    )


@pytest.mark.process
def test_a_file_that_breaks_its_parser_twice_is_left_alone_until_it_changes(
    repository, open_helix, tmp_path, monkeypatch
):
    """Through a real pool whose workers end themselves when they see the file."""
    tries = tmp_path / "tries"
    tries.touch()
    monkeypatch.setenv("HELIX_TEST_TRIES", str(tries))
    monkeypatch.setattr(intake, "IngestPool", partial(IngestPool, ingest=break_on_sight, limits=Limits(cpu_s=5.0)))
    write(repository, {f"many/module_{number}.py": f"def f_{number}(): pass\n" for number in range(30)})
    write(repository, {"many/cursed.py": "BREAK = 1\n"})
    os.utime(repository / "many/cursed.py", (1, 1))
    helix = open_helix(repository)
    first = helix.refresh()
    assert first.quarantined == (("many/cursed.py", "crashed"),)
    assert first.parsed == 35
    assert tries.read_text() == "tried\n" * 2
    assert_answers_right(helix)
    assert skipped_files(helix)["many/cursed.py"] == "quarantined"
    assert helix.status()["skipped"] == {"quarantined": 1}

    time.sleep(0.1)
    write(repository, {f"more/module_{number}.py": f"def g_{number}(): pass\n" for number in range(30)})
    os.utime(repository / "many/cursed.py", (2, 2))
    assert helix.refresh().quarantined == ()
    assert helix.refresh_paths([b"many/cursed.py"]).quarantined == ()
    assert tries.read_text() == "tried\n" * 2
    assert skipped_files(helix)["many/cursed.py"] == "quarantined"

    write(repository, {"many/cursed.py": "BREAK = 2  # changed, and as bad\n"})
    assert helix.refresh().quarantined == (("many/cursed.py", "crashed"),)
    assert tries.read_text() == "tried\n" * 4
    write(repository, {"many/cursed.py": "def mended_at_last(): pass\n"})
    assert helix.refresh().parsed == 1
    assert helix.search("mended_at_last")["items"][0]["source_id"] == "many/cursed.py"
    assert "many/cursed.py" not in skipped_files(helix)


def test_a_file_whose_parse_raises_does_not_stop_the_others(helix, repository, monkeypatch):
    """In this process too, where a few small files are ingested."""

    def raising(path, data, *, skipped=""):
        if data.startswith(b"BREAK"):
            raise RecursionError
        return ingest(path, data, skipped=skipped)

    monkeypatch.setattr(pool, "ingest", raising)
    write(repository, {"app/cursed.py": "BREAK = 1\n", "app/healthy.py": "def stays_healthy(): pass\n"})
    report = helix.refresh()
    assert (report.parsed, report.quarantined) == (1, (("app/cursed.py", "raised RecursionError"),))
    assert skipped_files(helix)["app/cursed.py"] == "quarantined"
    assert helix.search("stays_healthy")["items"][0]["source_id"] == "app/healthy.py"
