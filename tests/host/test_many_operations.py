"""Whatever is done, and however often, the process is in the end what it was."""

import asyncio
import os
import random
import time

import psutil
import pytest

from helix_ls.host.host import Host
from tests.engine.repository import FILES, git
from tests.host.opened import Heard, cold_digest


@pytest.fixture(autouse=True)
def own_folders(environ, monkeypatch):
    for name, value in environ.items():
        if name.startswith("HELIX_"):
            monkeypatch.setenv(name, value)


async def _operate(project, host, dice):
    """One of the things that happen all day."""
    workspace = await host.attach(project, trusted=dice.random() < 0.9)
    heard = Heard(workspace)
    await heard.state("fresh", "indexing", "paused")
    for _ in range(8):
        match dice.randrange(7):
            case 0:
                file = project / f"app/extra{dice.randrange(3)}.py"
                file.write_text(f"def extra_{dice.randrange(99)}():\n    return 1\n")
                workspace.hint([os.fsencode(file.relative_to(project))])
            case 1:
                (project / f"app/extra{dice.randrange(3)}.py").unlink(missing_ok=True)
            case 2:
                await workspace.ask(lambda helix: helix.packet("sign_cookie"))
            case 3:
                asking = asyncio.ensure_future(workspace.ask(lambda helix: helix.search("route")))
                await asyncio.sleep(0)
                asking.cancel()
            case 4:
                workspace.pause()
                workspace.resume()
            case 5:
                git(project, "add", "-A")
                git(project, "commit", "-q", "--allow-empty", "-m", "Go on")
            case 6:
                await workspace.ask(lambda helix: helix.status())
        await asyncio.sleep(0.01)
    heard.end()
    await host.detach(workspace)


def counted():
    me = psutil.Process()
    return me.num_fds(), len(me.children(recursive=True)), me.num_threads()


async def settled(expected):
    """Children are buried and threads end a moment after they were let go."""
    deadline = time.monotonic() + 60
    while any(now > before + 2 for now, before in zip(counted(), expected, strict=True)):
        assert time.monotonic() < deadline, f"{counted()} is not {expected}"
        await asyncio.sleep(0.1)


@pytest.mark.slow
def test_descriptors_children_and_threads_come_back_to_what_they_were(project, tmp_path):
    dice = random.Random(7)

    async def main():
        host = Host(mode="solo", linger_s=0)
        await _operate(project, host, dice)
        before = counted()
        for _ in range(10):
            await _operate(project, host, dice)
        await settled(before)
        workspace = await host.attach(project, trusted=True)
        heard = Heard(workspace)
        await heard.state("fresh")
        await heard.settles_as(cold_digest(project, tmp_path / "cold"))
        assert workspace.status.files >= len(FILES)
        await host.close()

    asyncio.run(main())
