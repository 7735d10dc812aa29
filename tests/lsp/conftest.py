"""A language server process of each test's own, on a small real repository."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engine.repository import FILES, git, write
from tests.lsp.wire import Wire

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


def make_project(folder: Path, files: dict[str, str] | None = None) -> Path:
    """A repository with one commit."""
    folder.mkdir(parents=True)
    write(folder, FILES if files is None else files)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The small repository."""
    return make_project(tmp_path / "project")


@pytest.fixture
def opened(wire: Wire, project: Path) -> Wire:
    """A server that has the repository open and indexed."""
    wire.initialize(project)
    wire.until_fresh(project)
    return wire
