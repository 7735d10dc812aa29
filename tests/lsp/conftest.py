"""A language server process of a test or of a module, on a small real repository of each test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engine.repository import FILES, begin, put_index
from tests.lsp.wire import Message, Wire

StartWire = Callable[..., Wire]


@pytest.fixture
def start(tmp_path: Path, starts_processes: None) -> Iterator[StartWire]:
    """``start(*command)`` starts a server that knows nothing of the user; all are gone at the end."""
    wires: list[Wire] = []

    def begin(*command: str, **more: str) -> Wire:
        wires.append(Wire(tmp_path / f"home{len(wires)}", *command, **more))
        return wires[-1]

    yield begin
    for wire in wires:
        wire.close()


@pytest.fixture
def wire(start: StartWire) -> Wire:
    """A server to which nothing was said yet."""
    return start()


@contextmanager
def serving(home: Path, *command: str, capabilities: Message | None = None, **more: str) -> Iterator[Wire]:
    """A server without a folder, for all tests of a module that depend on no fresh process."""
    wire = Wire(home, *command, **more)
    wire.initialize(capabilities=capabilities)
    yield wire
    wire.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> Iterator[Wire]:
    """The module's server; a test that depends on a fresh process uses ``start``."""
    with serving(tmp_path_factory.mktemp("running")) as wire:
        yield wire


def make_project(folder: Path, files: dict[str, str] | None = None) -> Path:
    """A repository with one commit."""
    return begin(folder, FILES if files is None else files)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The small repository."""
    return make_project(tmp_path / "project")


@pytest.fixture
def opened(wire: Wire, project: Path) -> Wire:
    """A server that has the repository open and indexed."""
    put_index(project, wire.home / "cache")
    wire.initialize(project)
    wire.until_fresh(project)
    return wire


@contextmanager
def visiting(wire: Wire, *folders: Path, waits: bool = True) -> Iterator[Wire]:
    """A running server with these folders and no other, indexed unless ``waits`` is false; what the test left is
    closed.
    """
    wire.forget()
    wire.change_folders(added=folders)
    if waits:
        wire.until_fresh(*folders)
    yield wire
    wire.close_documents()
    wire.notify("workspace/didChangeConfiguration", {"settings": {"helix": {}}})
    wire.change_folders(removed=folders)
    assert wire.is_alive()


@pytest.fixture
def visited(running: Wire, project: Path) -> Iterator[Wire]:
    """The module's server with the repository as its only folder."""
    put_index(project, running.home / "cache")
    with visiting(running, project) as wire:
        yield wire
