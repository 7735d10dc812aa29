"""A small folder, and an environment in which daemons live apart from everybody else's and end with the test."""

import os
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from pathlib import Path

import psutil
import pytest

from helix_ls.host.endpoint import place
from tests.engine.repository import begin
from tests.fork_server import run_helix_as_text
from tests.host.clients import Editor, until


def processes_of(environ):
    """Every process that was started with this environment's runtime folder, itself or by one that was."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("HELIX_RUNTIME_DIR") == environ["HELIX_RUNTIME_DIR"]:
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
    return found


@contextmanager
def apart(folder):
    """Variables for processes that live in a folder; whatever they started is gone at the end."""
    # This process has one of its own for all tests: it must not be taken for a test's.
    resource_tracker.ensure_running()
    unknown = ("HELIX_", "XDG_", "LC_", "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unknown)}
    environ = kept | {
        "HELIX_CACHE_DIR": str(folder / "cache"),
        "HELIX_DATA_DIR": str(folder / "data"),
        "HELIX_RUNTIME_DIR": str(folder / "run"),
        "HELIX_CONFIG": str(folder / "no-user-file.toml"),
        "HELIX_IDLE_S": "20",
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.getcwd(),
    }
    yield environ
    for process in processes_of(environ):
        if process.pid != os.getpid():
            with suppress(psutil.NoSuchProcess):
                process.kill()
    until(lambda: not [p for p in processes_of(environ) if p.pid != os.getpid()], "every process is gone")
    socket = place(environ).socket
    if socket.parent != place(environ).folder:
        socket.unlink(missing_ok=True)
        socket.parent.rmdir()


@pytest.fixture
def environ(tmp_path, starts_processes):
    """Of one test."""
    with apart(tmp_path) as variables:
        yield variables


@pytest.fixture
def project(tmp_path):
    """A repository of one commit."""
    return begin(tmp_path / "project")


@pytest.fixture
def editor(environ):
    """Start editors; each is closed at the end."""
    opened = []

    def start(*arguments, **variables):
        opened.append(Editor(environ | variables, *arguments))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


@pytest.fixture
def helix(environ):
    """Run the command."""

    def run(*arguments, **variables):
        return run_helix_as_text([*map(str, arguments)], env=environ | variables, cwd=Path.cwd())

    return run
