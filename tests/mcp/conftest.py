"""``helix mcp`` processes on small real repositories, with a daemon of each test's (or module's) own."""

import os
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker

import psutil
import pytest

from helix_ls.host.endpoint import place
from tests.engine.repository import FILES, begin
from tests.host.clients import until
from tests.host.conftest import processes_of
from tests.mcp.agent import Agent


@contextmanager
def apart(folder):
    """Variables for processes; whatever they started is gone at the end."""
    resource_tracker.ensure_running()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HELIX_", "XDG_"))}
    environ = kept | {
        "HELIX_CACHE_DIR": str(folder / "cache"),
        "HELIX_DATA_DIR": str(folder / "data"),
        "HELIX_RUNTIME_DIR": str(folder / "run"),
        "HELIX_CONFIG": str(folder / "no-user-file.toml"),
        "HELIX_IDLE_S": "20",
        "PYTHONPATH": os.getcwd(),
    }
    yield environ
    for process in processes_of(environ):
        with suppress(psutil.NoSuchProcess):
            process.kill()
    until(lambda: not processes_of(environ), "every process is gone")
    socket = place(environ).socket
    if socket.parent != place(environ).folder:
        socket.unlink(missing_ok=True)
        socket.parent.rmdir()


def repository(folder, files=FILES):
    """A repository of one commit."""
    return begin(folder, files)


@pytest.fixture
def environ(tmp_path, starts_processes):
    """Of one test."""
    with apart(tmp_path) as variables:
        yield variables


@pytest.fixture
def project(tmp_path):
    """A repository of one test."""
    return repository(tmp_path / "project")


@pytest.fixture
def start(environ):
    """Start servers; each is closed at the end, and none said anything but the protocol's lines."""
    opened = []

    def begin(*arguments, **more):
        opened.append(Agent(environ, *arguments, **more))
        return opened[-1]

    yield begin
    for agent in opened:
        agent.close()
        assert agent.strays == []
