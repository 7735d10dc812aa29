"""What counts as used, through the surfaces: a pointer that is followed, lines that are opened, places cited."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
import time

import pytest

from helix_core.engine.opened import MemoryFile
from helix_core.model import Attribution
from helix_core.store.memory import Memory
from helix_core.store.memory_file import NAME
from helix_ls.host.calls import Asker, Calls
from helix_ls.host.host import Host
from helix_ls.proxy.learn import _QueuedExchange, _store_exchange
from helix_ls.proxy.stream import CompletionRecorder
from tests.host.clients import until
from tests.lsp.wire import Wire

ROUTING, SESSIONS = b"app/routing.py", b"app/sessions.py"
QUESTION = "how is the session cookie signed?"


def used(folder, project, session=None):
    """``(session, path)`` of every use, in the order they came."""
    with Memory(folder, time.time()) as memory:
        rows = memory._file.rows(
            "SELECT u.session, u.path, w.path FROM used u JOIN workspace w ON w.id = u.workspace_id"
        )
    place = os.fsencode(os.path.realpath(project))
    return [(name, path) for name, path, where in rows if where == place and session in (None, name)]


@pytest.mark.process
def test_lines_that_an_agent_opens_are_used_and_what_it_was_given_is_not(project, tmp_path, monkeypatch):
    for name in ("CACHE", "DATA", "RUNTIME"):
        monkeypatch.setenv(f"HELIX_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.setenv("HELIX_CONFIG", str(tmp_path / "no-user-file.toml"))

    async def act():
        host = Host(mode="solo", linger_s=0.0)
        asker = Asker(host)
        calls = Calls(host, lambda: {"pid": host.pid}, lambda: None)

        async def said(method, **params):
            request = {"method": method, "params": {"path": str(project), **params}}
            return json.loads(await calls.answer(json.dumps(request).encode(), asker))["result"]

        try:
            for asked in ("helix.packet", "helix.search", "helix.context"):
                await said(asked, question=QUESTION, asker="agent")
            await said("helix.open", source_id="app/routing.py")
            await said("helix.open", source_id="app/sessions.py", start_line=5, asker="agent")
        finally:
            await asker.leave()
            await host.close()

    asyncio.run(act())
    assert used(tmp_path / "data", project) == [("agent", SESSIONS)]


@pytest.mark.slow
@pytest.mark.process
def test_a_pointer_that_is_followed_in_an_editor_is_used_and_another_file_is_not(project, tmp_path):
    wire = Wire(tmp_path / "home", HELIX_DATA_DIR=str(tmp_path / "data"))
    try:
        wire.initialize(project)
        wire.until_fresh(project)
        wire.open(project / "app/routing.py")
        packet = wire.command("helix.packet", {"question": QUESTION, "k": 1, "open": True})
        (item,) = (item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group])
        wire.open(project / "README.md")
        wire.open(project / item["source_id"])
        until(lambda: (tmp_path / "data").exists() and used(tmp_path / "data", project), "the use is noted")
        wire.command("helix.search", {"question": QUESTION})
    finally:
        wire.close()
    assert [path for _, path in used(tmp_path / "data", project)] == [item["source_id"].encode()]


def cited(project, session):
    told = CompletionRecorder()
    answer = "It is signed in app/sessions.py:6, see also app/routing.py:4 (and keys/AKIAIOSFODNN7EXAMPLQ.pem:1)."
    told.whole({"choices": [{"message": {"content": answer}, "finish_reason": "stop"}]})
    return _QueuedExchange(
        workspace=os.fsencode(os.path.realpath(project)),
        session=session,
        messages=[{"role": "user", "content": QUESTION}],
        model="tiny",
        packet_id="",
        at=time.time(),
        recorder=told,
        whole=b"",
        size=1,
    )


@pytest.mark.parametrize(("session", "notes_uses"), [("s", True), ("s", False), ("", True)])
def test_files_that_an_answer_cites_are_used_in_its_session_where_wanted(project, tmp_path, session, notes_uses):
    memory = MemoryFile(tmp_path / "data")
    try:
        assert _store_exchange(memory, Attribution(), cited(project, session), notes_uses=notes_uses) == "kept"
    finally:
        memory.close()
    wanted = [("s", SESSIONS), ("s", ROUTING)] if session and notes_uses else []
    assert used(tmp_path / "data", project) == wanted


def test_an_exchange_that_is_kept_is_told_as_kept_though_its_uses_cannot_be_noted(project, tmp_path):
    Memory(tmp_path / "data", 0.0).close()
    with contextlib.closing(sqlite3.connect(tmp_path / "data" / NAME)) as connection:
        connection.execute("CREATE TRIGGER full BEFORE INSERT ON used BEGIN SELECT RAISE(ABORT, 'full'); END")
    memory = MemoryFile(tmp_path / "data")
    try:
        assert _store_exchange(memory, Attribution(), cited(project, "s"), notes_uses=True) == "kept"
        assert memory.read(lambda opened: opened._file.rows("SELECT count(*) FROM exchange")) == [(1,)]
    finally:
        memory.close()
    assert used(tmp_path / "data", project) == []
