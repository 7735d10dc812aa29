"""``helix mcp`` processes on small real repositories, with a daemon of each test's (or module's) own."""

import pytest

from tests.engine.repository import FILES, begin
from tests.host.conftest import apart
from tests.mcp.agent import Agent


def repository(folder, files=FILES):
    """A repository of one commit."""
    return begin(folder, files)


@pytest.fixture(scope="module")
def environ(tmp_path_factory, starts_processes):
    """Of one module, whose tests ask one daemon about folders of their own."""
    with apart(tmp_path_factory.mktemp("mcp")) as variables:
        yield variables


@pytest.fixture
def fresh_environ(tmp_path, starts_processes):
    """Of one test, for modules whose tests change more than their folder: the memory, the settings, the daemon."""
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
