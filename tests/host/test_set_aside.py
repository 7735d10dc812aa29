"""What was set aside is told by a workspace that is open, and tried again by itself when its time has come."""

import asyncio
import sqlite3
from contextlib import closing

import pytest

from helix_core.engine import Helix
from helix_core.engine.indexing import plan
from helix_core.ingest import pool
from helix_core.ingest.document import ingest
from helix_ls.host import index_thread
from tests.engine.repository import write
from tests.host.opened import opened


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HELIX_CACHE_DIR", str(tmp_path / "cache"))


def set_aside(project, monkeypatch, *, ago_s):
    """An index of the folder with one file set aside so long ago, whose parser has been mended since."""

    def raising(path, data, *, skipped=""):
        if path == b"app/cursed.py":
            raise RecursionError
        return ingest(path, data, skipped=skipped)

    write(project, {"app/cursed.py": "def mended_at_last(): pass\n"})
    with monkeypatch.context() as patched, Helix.open(project) as helix:
        patched.setattr(pool, "ingest", raising)
        assert len(helix.refresh().set_aside) == 1
        index = helix.index_path
    with closing(sqlite3.connect(index)) as connection, connection:
        connection.execute("UPDATE set_aside SET tried_at = tried_at - ?", (ago_s,))


@pytest.mark.process
@pytest.mark.usefixtures("cache")
def test_it_is_told_while_it_lasts(project, monkeypatch):
    set_aside(project, monkeypatch, ago_s=0)

    async def main():
        async with opened(project) as heard:
            status = heard.workspace.status
            assert (status.state, status.set_aside) == ("incomplete", 1)
            assert status.message.startswith("1 file is set aside and not searched")
            packet = await heard.workspace.ask(lambda helix: helix.packet("mended_at_last"))
            assert [note for note in packet["notes"] if "app/cursed.py" in note]

    asyncio.run(main())


@pytest.mark.process
@pytest.mark.usefixtures("cache")
def test_it_is_taken_in_when_its_time_has_come_though_nothing_else_happens(project, monkeypatch):
    set_aside(project, monkeypatch, ago_s=plan.FIRST_RETRY_S - 4)
    monkeypatch.setattr(index_thread, "LEAST_RETRY_S", 0.1)

    async def main():
        async with opened(project) as heard:
            await heard.until(lambda: not heard.workspace.status.set_aside, "nothing is set aside")
            await heard.finds("mended_at_last", "app/cursed.py")
            await heard.state("fresh")

    asyncio.run(main())
