"""A host on a loop of its own thread-free test, and the changes one workspace tells."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_ls.host.host import Host

DEADLINE_S = 60.0


class Heard:
    """Every change of a workspace, in order."""

    def __init__(self, workspace):
        self.workspace = workspace
        self.changes = []
        self._news = asyncio.Event()
        self.end = workspace.subscribe(self._take)

    def _take(self, change):
        self.changes.append(change)
        self._news.set()

    async def until(self, found, what):
        """Wait until ``found`` is true of what has been heard or of the workspace itself."""
        deadline = time.monotonic() + DEADLINE_S
        while not (answer := found()):
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), 0.1)
            except TimeoutError:
                assert time.monotonic() < deadline, f"{what}: {self.workspace.status}"
        return answer

    async def state(self, *states):
        await self.until(lambda: self.workspace.status.state in states, f"state {states}")
        return self.workspace.status

    async def finds(self, question, source_id):
        """Wait until a search for the question begins with that file."""
        deadline = time.monotonic() + DEADLINE_S
        while True:
            found = await self.workspace.ask(lambda helix: helix.search(question)["items"])
            first = found[0]["source_id"] if found else None
            if first == source_id:
                return
            assert time.monotonic() < deadline, f"{question} in {source_id}, not {first}: {self.workspace.status}"
            await asyncio.sleep(0.05)

    async def loses(self, question, source_id, *, is_known=True):
        """Wait until a search for the question has no place in that file, and knows that it finds nothing, or where
        files over the limit may answer (``is_known`` false), that it does not know.
        """
        deadline = time.monotonic() + DEADLINE_S
        while True:
            found = await self.workspace.ask(lambda helix: helix.search(question))
            if found["known_empty"] is is_known and source_id not in {item["source_id"] for item in found["items"]}:
                return
            assert time.monotonic() < deadline, f"{question} still in {source_id}: {self.workspace.status}"
            await asyncio.sleep(0.05)

    async def digest(self):
        return await self.workspace.ask(lambda helix: helix.digest())

    async def settles_as(self, expected):
        """Wait until the index's digest is the expected one."""
        deadline = time.monotonic() + DEADLINE_S
        while (now := await self.digest()) != expected:
            assert time.monotonic() < deadline, f"{now} is not {expected}: {self.workspace.status}"
            await asyncio.sleep(0.05)


@asynccontextmanager
async def opened(folder, *, trusted=True, watch="auto", linger_s=0.0, **more):
    """A workspace in a host of its own, once it is fresh."""
    host = Host(mode="solo", linger_s=linger_s, **more)
    try:
        workspace = await host.attach(folder, trusted=trusted, watch=watch)
        heard = Heard(workspace)
        await heard.state("fresh", "incomplete")
        yield heard
        await host.detach(workspace, trusted=trusted)
    finally:
        await host.close()


def cold_digest(folder, cache):
    """The digest of an index built from nothing."""
    environ = {"HELIX_CACHE_DIR": str(cache)}
    with Helix.open(folder, config=load_config(folder, environ=environ, user=cache / "no-user.toml")) as helix:
        helix.refresh()
        return helix.digest()
