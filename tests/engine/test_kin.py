"""What belongs to a file by fact: the index knows it from git and from imports, and answers name it."""

from __future__ import annotations

import apsw
import pytest

from helix_core.engine.memory.session_records import co_changed
from helix_core.model import Ranked
from helix_core.search.related import CHANGED, IMPORTED, IMPORTER, related_items, related_sources
from tests.engine.repository import git, write


@pytest.fixture
def kindred(repository):
    """``routing.py`` and ``views.html`` change together; ``sessions.py`` is imported by its test."""
    for number in range(4):
        write(repository, {"app/views.html": f"<p>{number}</p>\n"})
        with (repository / "app/routing.py").open("a") as file:
            file.write(f"# {number}\n")
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", f"Views {number}")
    for number in range(8):
        write(repository, {f"other/part{number}.py": f"VALUE = {number}\n"})
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", f"Part {number}")
    write(repository, {"app/start.py": "from app.routing import match_route\nfrom .sessions import sign_cookie\n"})
    return repository


@pytest.fixture
def engine(kindred, open_helix):
    helix = open_helix(kindred)
    helix.refresh()
    return helix


def around(helix, path):
    reader = helix.session.index.reader
    item = reader.files.items_of(reader.files.source(path).id)[0]
    linked = related_sources(reader, item)
    items = reader.files.items([id_ for _, id_ in linked])
    return [(relation, items[id_].source.path) for relation, id_ in linked]


def test_the_index_knows_what_changed_together(engine):
    reader = engine.session.index.reader
    (partner,) = reader.related.co_changed([reader.files.source(b"app/routing.py").id])
    assert (partner.path, partner.together) == (b"app/views.html", 4)
    assert partner.lift > 2
    assert co_changed(reader, [b"app/routing.py"]) == (b"app/views.html",)
    assert co_changed(reader, [b"app/routing.py", b"app/views.html"]) == ()
    assert co_changed(reader, [b"app/none.py"]) == ()


def test_a_partner_that_is_gone_is_no_kin_any_more(engine, kindred):
    (kindred / "app/views.html").unlink()
    engine.refresh()
    assert co_changed(engine.session.index.reader, [b"app/routing.py"]) == ()


def test_another_history_replaces_what_was_known(engine, kindred):
    git(kindred, "checkout", "-q", "-f", "--orphan", "fresh")
    git(kindred, "commit", "-q", "-m", "Begin anew")
    engine.refresh()
    assert co_changed(engine.session.index.reader, [b"app/routing.py"]) == ()


def test_imports_lead_both_ways(engine):
    assert (IMPORTED, b"app/routing.py") in around(engine, b"app/start.py")
    assert (IMPORTED, b"app/sessions.py") in around(engine, b"app/start.py")
    assert (IMPORTER, b"tests/test_sessions.py") in around(engine, b"app/sessions.py")
    assert (IMPORTER, b"app/start.py") in around(engine, b"app/sessions.py")
    assert (CHANGED, b"app/views.html") in around(engine, b"app/routing.py")
    assert around(engine, b"README.md") == []


def test_what_is_related_stands_below_what_was_found_and_says_how(engine):
    reader = engine.session.index.reader
    item = reader.files.items_of(reader.files.source(b"app/routing.py").id)[0]
    related = related_items(reader, [Ranked(item, 0.5, ())], 5)
    assert {one.item.source.path: one.signals[0].ranker for one in related} == {
        b"app/views.html": CHANGED,
        b"app/start.py": IMPORTER,
    }
    assert all(one.related and one.score < 0.5 for one in related)
    assert len(related_items(reader, [Ranked(item, 0.5, ())], 1)) == 1
    assert related_items(reader, [Ranked(item, 0.5, ())], 0) == []


def test_an_index_of_the_format_before_learns_its_history(kindred, open_helix):
    helix = open_helix(kindred)
    helix.refresh()
    path = helix.index_path
    helix.close()
    connection = apsw.Connection(str(path))
    connection.execute("DROP TABLE co_change; DROP TABLE set_aside; DROP INDEX source_set_aside")
    connection.execute("ALTER TABLE definition DROP COLUMN trail")
    connection.execute("ALTER TABLE item DROP COLUMN claimed; PRAGMA user_version=5")
    connection.close()
    again = open_helix(kindred)
    assert co_changed(again.session.index.reader, [b"app/routing.py"]) == ()
    again.refresh()
    assert co_changed(again.session.index.reader, [b"app/routing.py"]) == (b"app/views.html",)


def test_last_commits_are_kept_where_the_history_behind_them_is_damaged(repository, open_helix):
    for number in range(3):
        write(repository, {"app/old.py": f"AGE = {number}\n"})
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", f"Age {number}")
    everything = {path: f"{path} anew\n" for path in git(repository, "ls-files").split()}
    write(repository, everything)
    git(repository, "commit", "-q", "-a", "-m", "All anew")
    lost = git(repository, "rev-parse", "HEAD~3").strip()
    (repository / ".git/objects" / lost[:2] / lost[2:]).unlink()
    helix = open_helix(repository)
    report = helix.refresh()
    assert any("change together" in note for note in report.notes)
    head = git(repository, "rev-parse", "HEAD").strip()
    assert helix.session.index.reader.files.commit(b"app/old.py").commit == head
    # What cannot be read is not asked for again at every look.
    assert helix.refresh().notes == ()
