"""What was set aside is tried again, later and later, and nobody is told that all is well meanwhile."""

import sqlite3
from contextlib import closing
from functools import partial

import pytest

from helix_core.engine.indexing import intake, plan
from helix_core.engine.indexing.plan import MOST_RETRIES, due_again, retry_at, work_plan
from helix_core.ingest import pool
from helix_core.ingest.document import ingest
from helix_core.ingest.pool import IngestPool
from helix_core.model import FileEntry, Listing, SetAside, StatSignature
from tests.engine.breaking_ingest import break_on_sight
from tests.engine.repository import write

ASIDE = "app/cursed.py"


@pytest.fixture
def broken(repository, open_helix, monkeypatch):
    """An engine whose parser raised for one file, once."""

    def raising(path, data, *, skipped=""):
        if path == ASIDE.encode():
            raise RecursionError
        return ingest(path, data, skipped=skipped)

    write(repository, {ASIDE: "def mended_at_last(): pass\n"})
    with monkeypatch.context() as patched:
        patched.setattr(pool, "ingest", raising)
        helix = open_helix(repository)
        assert helix.refresh().quarantined == ((ASIDE, "raised RecursionError"),)
    return helix


@pytest.fixture
def is_due(monkeypatch):
    """Whatever is set aside is due at once."""
    monkeypatch.setattr(plan, "FIRST_RETRY_S", 0.0)


def test_the_status_is_never_fresh_while_a_file_is_set_aside_and_lists_it(broken):
    status = broken.status()
    assert status["fresh"] is False
    (one,) = status["set_aside"]
    assert (one["source_id"], one["reason"], one["attempts"]) == (ASIDE, "raised RecursionError", 1)
    assert one["retry_at"] == pytest.approx(one["tried_at"] + plan.FIRST_RETRY_S)
    assert [note for note in status["notes"] if ASIDE in note]


def test_every_refresh_says_what_is_set_aside_and_does_not_try_it_before_its_time(broken):
    for report in (broken.refresh(), broken.refresh_paths([ASIDE.encode()])):
        assert (report.parsed, report.quarantined) == (0, ())
        assert report.set_aside == ((ASIDE, "raised RecursionError"),)
    assert broken.status()["set_aside"][0]["attempts"] == 1


@pytest.mark.process
def test_a_whole_refresh_takes_it_in_when_its_time_has_come(broken, is_due):
    report = broken.refresh()
    assert (report.parsed, report.set_aside, report.quarantined) == (1, (), ())
    assert broken.search("mended_at_last")["items"][0]["source_id"] == ASIDE
    packet = broken.packet("mended_at_last")
    assert [item["source_id"] for item in packet["verified"]][:1] == [ASIDE]
    assert not [note for note in packet["notes"] if "set aside" in note]
    status = broken.status()
    assert (status["fresh"], status["set_aside"]) == (True, [])


def test_a_refresh_that_a_question_waits_for_tries_nothing_again(broken, is_due):
    assert broken.refresh(retries=False).parsed == 0
    assert broken.refresh_paths([ASIDE.encode()]).parsed == 0


@pytest.mark.process
def test_other_limits_are_a_reason_to_try_again_at_once(broken, monkeypatch):
    monkeypatch.setattr(pool.Limits, "version", "twice the memory")
    assert broken.refresh().set_aside == ()


@pytest.mark.process
def test_a_file_that_changes_is_tried_again_at_once(broken, repository):
    write(repository, {ASIDE: "def mended_at_last(): return 1\n"})
    report = broken.refresh(retries=False)
    assert (report.parsed, report.set_aside) == (1, ())


@pytest.mark.slow
@pytest.mark.process
def test_a_file_that_breaks_workers_again_and_again_waits_longer_and_holds_up_nobody(
    repository, open_helix, monkeypatch, tmp_path, is_due
):
    tries = tmp_path / "tries"
    tries.touch()
    monkeypatch.setenv("HELIX_TEST_TRIES", str(tries))
    monkeypatch.setattr(intake, "IngestPool", partial(IngestPool, ingest=break_on_sight))
    write(repository, {f"many/module_{number}.py": f"def f_{number}(): pass\n" for number in range(30)})
    write(repository, {"many/cursed.py": "BREAK = 1\n"})
    helix = open_helix(repository)
    assert helix.refresh().quarantined == (("many/cursed.py", "crashed"),)
    assert tries.read_text() == "tried\n" * 2
    for attempt in (2, 3):
        write(repository, {f"many/later_{attempt}.py": f"def later_{attempt}(): pass\n"})
        report = helix.refresh()
        assert (report.parsed, report.quarantined) == (1, (("many/cursed.py", "crashed"),))
        assert tries.read_text() == "tried\n" * (attempt + 1), "a suspect is tried once"
        assert helix.search(f"later_{attempt}")["items"][0]["source_id"] == f"many/later_{attempt}.py"
        assert helix.status()["set_aside"][0]["attempts"] == attempt


@pytest.mark.process
def test_what_an_older_version_set_aside_is_tried_again_at_once(broken, open_helix, repository):
    """The index of that version has no table of attempts."""
    broken.close()
    with closing(sqlite3.connect(broken.index_path)) as connection, connection:
        connection.execute("DROP TABLE set_aside")
        connection.execute("DROP INDEX source_set_aside")
        connection.execute("ALTER TABLE item DROP COLUMN claimed")
        connection.execute("ALTER TABLE definition DROP COLUMN trail")
        connection.execute("PRAGMA user_version = 6")
    connection.close()
    helix = open_helix(repository)
    assert [one["source_id"] for one in helix.status()["set_aside"]] == [ASIDE]
    assert helix.refresh().set_aside == ()
    assert helix.status()["fresh"]


def aside(path, attempts, tried_at=0.0, limits="now"):
    return SetAside(path, "crashed", attempts, tried_at, limits)


def test_the_time_until_the_next_try_grows_up_to_a_day():
    waits = [retry_at(aside(b"a", attempts, 1000.0), "now") - 1000.0 for attempts in range(1, 9)]
    assert waits == [60.0, 300.0, 1500.0, 7500.0, 37_500.0, 86_400.0, 86_400.0, 86_400.0]
    assert retry_at(aside(b"a", 10_000, 1000.0), "now") == 87_400.0
    assert retry_at(aside(b"a", 3, 1000.0, limits="before"), "now") == 0.0


def test_of_many_that_are_due_those_that_waited_longest_are_tried_first():
    many = [aside(b"%02d" % number, 1, tried_at=float(100 - number)) for number in range(30)]
    assert due_again(many, "now", 1000.0) == {b"%02d" % number for number in range(30 - MOST_RETRIES, 30)}
    assert due_again(many, "now", 100.0) == frozenset()


def test_a_clock_that_was_set_back_makes_nobody_wait_for_years():
    assert due_again([aside(b"a", 1, tried_at=1e12)], "now", 1000.0) == {b"a"}


def test_what_is_tried_again_is_read_behind_everything_else():
    entries = tuple(FileEntry(path, StatSignature(1, 1, 1, 1)) for path in (b"a", b"b", b"c"))
    whole = work_plan(Listing(entries, ()), {}, True, frozenset({b"a"}))
    assert [entry.path for entry in whole.read] == [b"b", b"c", b"a"]
    sooner = whole.sooner([b"a", b"x", b"c"], frozenset({b"a"}))
    assert [entry.path for entry in sooner.read] == [b"c", b"b", b"a"]
