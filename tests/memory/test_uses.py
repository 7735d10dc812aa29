"""What was opened or cited together: kept by session, linked within bounds, fading, forgotten with the session."""

from __future__ import annotations

import dataclasses
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.engine.memory.session_records import co_used
from helix_core.errors import UsageError
from helix_core.memory.uses import (
    HALF_LIFE_S,
    MOST_CITED,
    MOST_LINKS,
    SITTING_S,
    Together,
    cited_paths,
    companions,
    decay,
    kept_path,
    links,
)
from helix_core.model import Hints
from helix_core.search.priors import SESSION_CAP, USED_WITH_FACTOR, prior
from helix_core.store.memory import Memory
from helix_core.store.memory_file import NAME
from tests.memory.made import HERE, older_memory

NOW = 1_700_000_000.0
DAY = 86_400.0
ROUTING, SESSIONS = b"app/routing.py", b"app/sessions.py"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def memory(folder):
    with Memory(folder, NOW) as opened:
        yield opened


@pytest.fixture
def keeping(open_helix, project):
    """An engine that keeps uses."""
    helix = open_helix(project)
    helix.session.config = dataclasses.replace(helix.session.config, co_use=True)
    helix.refresh()
    return helix


def sit(memory, session, paths, at=NOW, workspace=HERE):
    memory.uses.add(workspace, session, paths, at, SITTING_S)


def rows(folder):
    with closing(sqlite3.connect(folder / NAME)) as connection, connection:
        return connection.execute("SELECT session, path, at FROM used ORDER BY id").fetchall()


def lately(helix, session, since):
    """What the memory knows that a session used since then; None where there is no memory."""
    place = helix.session.place
    return helix.session.memory_file.read(lambda memory: memory.uses.recent(place, session, since))


def test_two_sittings_link_two_files_and_one_does_not(memory):
    sit(memory, "one", [b"a", b"b"])
    assert co_used(memory, HERE, [b"a"], NOW) == ()
    sit(memory, "two", [b"a", b"b", b"c"])
    assert co_used(memory, HERE, [b"a"], NOW) == (b"b",)
    assert co_used(memory, b"/elsewhere", [b"a"], NOW) == ()
    assert co_used(memory, HERE, [b"a", b"b"], NOW) == ()


def test_sessions_of_one_moment_are_not_mixed_and_sittings_of_one_session_are_not_either(memory):
    for number in range(3):
        sit(memory, f"left {number}", [b"a"])
        sit(memory, f"right {number}", [b"b"])
        sit(memory, f"long {number}", [b"a"], NOW + DAY)
        sit(memory, f"long {number}", [b"b"], NOW + DAY + 2 * SITTING_S)
    assert co_used(memory, HERE, [b"a"], NOW + 2 * DAY) == ()


def test_a_file_opened_again_and_again_in_one_sitting_is_one_use(memory, folder):
    for second in range(5):
        sit(memory, "s", [b"a"], NOW + second)
    sit(memory, "s", [b"a"], NOW + 2 * SITTING_S)
    assert rows(folder) == [("s", b"a", NOW), ("s", b"a", NOW + 2 * SITTING_S)]


def test_a_file_that_is_used_all_the_time_is_linked_to_nobody():
    together = [Together(b"settings", b"file", str(number), NOW) for number in range(2)]
    assert links(together, {b"settings": 4, b"file": 2}, NOW)
    assert links(together, {b"settings": 2_000, b"file": 2}, NOW) == []


def test_links_fade_with_the_clock_that_is_passed_in(memory):
    for number in range(2):
        sit(memory, f"s{number}", [b"a", b"b"])
    assert co_used(memory, HERE, [b"a"], NOW) == (b"b",)
    assert co_used(memory, HERE, [b"a"], NOW + 20 * HALF_LIFE_S) == ()
    assert decay(HALF_LIFE_S) == 0.5
    assert decay(-DAY) == 1.0


def test_what_a_session_used_goes_with_the_session(memory, folder):
    for session in ("one", "two"):
        sit(memory, session, [b"a.py", b"quokka.py"])
    memory.exchanges.forget_session(HERE, "two")
    assert co_used(memory, HERE, [b"a.py"], NOW) == ()
    assert {row[0] for row in rows(folder)} == {"one"}
    memory.exchanges.forget_session(HERE, "one")
    assert not any(b"quokka" in file.read_bytes() for file in folder.iterdir())


def test_the_oldest_uses_go_when_there_are_too_many(folder):
    with Memory(folder, NOW, most_uses=10) as memory:
        for number in range(30):
            sit(memory, "s", [b"%d" % number])
    assert [path for _, path, _ in rows(folder)] == [b"%d" % number for number in range(20, 30)]


def test_what_a_session_used_lately_is_known_the_last_first(memory):
    sit(memory, "s", [b"old"], NOW - 2 * SITTING_S)
    sit(memory, "s", [b"a"], NOW - 2)
    sit(memory, "s", [b"b"], NOW - 1)
    assert memory.uses.recent(HERE, "s", NOW - SITTING_S) == [b"b", b"a"]
    assert memory.uses.recent(HERE, "t", 0.0) == []


def test_a_memory_of_the_format_before_is_copied_and_then_keeps_uses(folder):
    older_memory(folder, 1)
    with Memory(folder, NOW) as memory:
        sit(memory, "s", [b"a"])
        assert memory.notes.matches(HERE, ["quokka"], 1)
    with closing(sqlite3.connect(folder / f"{NAME}.format-1")) as connection, connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM note").fetchone() == (3,)


@pytest.mark.process
def test_a_copy_that_was_cut_short_is_made_again_before_the_format_changes(folder):
    older_memory(folder, 1)
    runner = f"""
import os, sys
sys.addaudithook(lambda event, given: os._exit(9) if event == "os.rename" and "format-1" in str(given[0]) else None)
from pathlib import Path
from helix_core.store.memory import Memory
Memory(Path({str(folder)!r}), {NOW})
"""
    assert subprocess.run([sys.executable, "-c", runner], check=False).returncode == 9
    assert not (folder / f"{NAME}.format-1").exists()
    with Memory(folder, NOW) as memory:
        sit(memory, "s", [b"a"])
    with closing(sqlite3.connect(folder / f"{NAME}.format-1")) as connection, connection:
        assert connection.execute("SELECT count(*) FROM note").fetchone() == (3,)
    assert not (folder / f"{NAME}.format-1.making").exists()


SITTINGS = st.lists(
    st.tuples(st.sets(st.integers(0, 40), min_size=1, max_size=35), st.floats(0, 400 * DAY)), max_size=25
)


def all_links(sittings, now):
    together, uses = [], {}
    for number, (files, at) in enumerate(sittings):
        names = [b"%d" % file for file in files]
        for name in names:
            uses[name] = uses.get(name, 0) + 1
            together += [Together(name, other, str(number), at) for other in names]
    return links(together, uses, now)


@pytest.mark.slow
@given(SITTINGS)
def test_links_are_few_strong_at_most_one_and_never_to_oneself(sittings):
    found = all_links(sittings, 400 * DAY)
    for link in found:
        assert link.path != link.other
        assert 0 < link.strength <= 1.0000001
        assert sum(one.path == link.path for one in found) <= MOST_LINKS
    of_one = [link.strength for link in found if link.path == b"1"]
    assert all(one >= other for one, other in pairwise(of_one))
    assert len(companions(found, [b"1"])) <= MOST_LINKS


@pytest.mark.slow
@given(SITTINGS, st.floats(0, 1000 * DAY))
def test_links_never_grow_by_waiting(sittings, later):
    before = {(link.path, link.other): link.strength for link in all_links(sittings, 400 * DAY)}
    after = {(link.path, link.other): link.strength for link in all_links(sittings, 400 * DAY + later)}
    best = max(before.values(), default=0.0)
    assert max(after.values(), default=0.0) <= best + 1e-12
    assert all(strength <= before.get(pair, 1.0) + 1e-12 for pair, strength in after.items())


def test_cited_places_are_read_off_an_answer():
    text = "See app/cart.py:12 and `lib/Mail.ts:3-9` (src/x.rs:7), not http://host.com:80, ../up.py:1, /etc/hosts.a:3."
    assert cited_paths(text + " app/cart.py:40") == (b"app/cart.py", b"lib/Mail.ts", b"src/x.rs")
    assert len(cited_paths(" ".join(f"f{n}.py:1" for n in range(100)))) == MOST_CITED
    assert cited_paths("a" * 300_000 + ".py:1") == ()
    assert cited_paths("x" * 101 + "@cart.py:1, @lib/mail.ts:2") == (b"@lib/mail.ts",)


def test_paths_that_look_like_secrets_or_are_none_are_not_kept():
    assert kept_path(b"app/cart.py") == b"app/cart.py"
    for path in (b"", b"/etc/passwd", b"x" * 2_000, b"keys/AKIAIOSFODNN7EXAMPLQ.pem", b"helix-note:0011223344556677"):
        assert kept_path(path) is None, path


def test_what_was_merely_returned_is_no_use(keeping, tmp_path):
    for _ in range(3):
        keeping.search("how is the session cookie signed?", hints=Hints(session="s", open_paths=(SESSIONS,)))
        keeping.packet("how is the session cookie signed?", hints=Hints(session="s"))
        keeping.context("how is the session cookie signed?", hints=Hints(session="s"))
        keeping.memory.expand(source_id="app/sessions.py", start_line=5, session="s")
    file = tmp_path / "data" / NAME
    assert not file.exists() or rows(file.parent) == []


def test_what_was_opened_together_ranks_a_little_higher_and_says_so(keeping):
    for session in ("one", "two"):
        keeping.memory.sessions.note_use(session, ["app/sessions.py", "app/routing.py"])
    hinted = keeping.memory.sessions.hinted(Hints(open_paths=(SESSIONS,)))
    assert hinted.used_with == (ROUTING,)
    keeping.memory.sessions.note_use("three", ["app/sessions.py"])
    assert keeping.memory.sessions.hinted(Hints(session="three")).used_with == (ROUTING,)
    assert keeping.memory.sessions.hinted(Hints(session="four")) == Hints(session="four")
    source = keeping.session.index.reader.files.source(ROUTING)
    told = prior(source, frozenset(), hinted)
    assert told.factor == USED_WITH_FACTOR
    assert told.names == (f"used with what is open x{USED_WITH_FACTOR:g}",)
    everything = hinted._replace(open_paths=(ROUTING,), recent_paths=(ROUTING,), changed_with=(ROUTING,))
    assert prior(source, frozenset(), everything).factor == SESSION_CAP
    assert keeping.memory.forget_session("two") == {"exchanges": 0}
    assert keeping.memory.sessions.hinted(Hints(open_paths=(SESSIONS,))).used_with == ()


def test_only_known_files_of_a_named_session_are_noted_and_only_where_it_is_wanted(keeping, open_helix, project):
    keeping.memory.sessions.note_use("s", ["app/none.py", "helix-note:0011223344556677"])
    keeping.memory.sessions.note_use("", ["app/routing.py"])
    assert lately(keeping, "s", 0.0) is None
    with pytest.raises(UsageError):
        keeping.memory.sessions.note_use("s", ["../elsewhere.py"])
    keeping.memory.sessions.note_use("s", ["app/routing.py"])
    assert lately(keeping, "s", time.time() - 60) == [ROUTING]
    off = open_helix(project)
    off.session.config = dataclasses.replace(keeping.session.config, co_use=False)
    off.memory.sessions.note_use("t", ["app/routing.py"])
    assert off.memory.sessions.hinted(Hints(session="t")) == Hints(session="t")
    assert lately(keeping, "t", 0.0) == []
