"""Marks each test as ``unit``, ``process`` or ``editor``, refuses a ``unit`` test that starts a process, and any test
that reaches for the network.

A test is a ``process`` test when it, or a fixture that it uses, requests the fixture ``starts_processes``, or when it
carries the mark itself. Every other test is a ``unit`` test: the only program it may start is git.

No test connects to, or sends to, what is not on this machine; ``test_offline.py`` proves the same of the processes that
Helix starts.
"""

from __future__ import annotations

import gc
import ipaddress
import multiprocessing.process
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Hundreds of tests start a program: its sources are compiled once, also where the environment says never to keep that.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# A new repository gets no sample hooks: hundreds of tests make one.
os.environ["GIT_TEMPLATE_DIR"] = ""

# A busy machine is no fault of a test: no example has a deadline, and slow generation is not refused.
settings.register_profile("helix", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("helix")

TEMPORARY = "helix-tests-"
MARKS = ("unit", "process", "editor")
TOOLS = {"git"}
UNIT = "unit and not slow"
"""The marks of ``make unit``."""
NOT_UNIT = re.compile(r"^pytestmark = .*\bmark\.(?:process|editor|slow)\b", re.M)
EVENTS = {"subprocess.Popen", "os.posix_spawn", "os.exec", "os.spawn", "os.system", "os.fork", "os.forkpty"}


class ProcessGuard:
    """An audit hook that refuses to start a program while a ``unit`` test runs."""

    def __init__(self) -> None:
        self.guards = False
        self.refused: list[str] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.guards and event in EVENTS:
            program = started_program(event, arguments)
            if os.path.basename(program) not in TOOLS:
                self.refuse(program)

    def refuse(self, program: str) -> None:
        """Raise, and remember it for a caller that swallows what is raised."""
        self.refused.append(
            f"a unit test starts no process but git, and this one starts {program!r}: mark it with "
            "@pytest.mark.process, or let the fixture that starts the process request `starts_processes`"
        )
        pytest.fail(self.refused[-1])


def started_program(event: str, arguments: tuple[Any, ...]) -> str:
    """The path or name of the program that an audit event tells of."""
    if event in ("os.fork", "os.forkpty"):
        return event
    if event != "subprocess.Popen":
        return os.fsdecode(arguments[1] if event == "os.spawn" else arguments[0])
    command = arguments[1]
    words = [command] if isinstance(command, str | bytes | os.PathLike) else list(command)
    program = os.fsdecode(arguments[0] or words[0])
    if os.path.basename(program) == "env":  # the workspace starts git by `env -u NAME … git`
        rest = iter(map(os.fsdecode, words[1:]))
        program = next((word for word in rest if word != "-u" or not next(rest, "")), program)
    return program


class NetworkGuard:
    """An audit hook that refuses to reach another machine: loopback addresses and Unix sockets only."""

    def __init__(self) -> None:
        self.refused: list[str] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in NETWORK:
            return
        address = (arguments[0] or "",) if event == "socket.getaddrinfo" else arguments[1]
        if is_here(address):
            return
        self.refused.append(f"a test reaches no other machine, and this one asked {event} for {address!r}")
        raise PermissionError(self.refused[-1])


NETWORK = {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"}


def is_here(address: Any) -> bool:
    """Return whether the address of a socket event is of this machine; None is of a socket that is connected."""
    if not isinstance(address, tuple):
        return True
    named = address[0].decode() if isinstance(address[0], bytes) else str(address[0])
    host = named.partition("%")[0].removeprefix("::ffff:")
    if host in ("", "localhost"):
        return True
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return False
    return found.is_loopback or found.is_unspecified


GUARD = ProcessGuard()
OFFLINE = NetworkGuard()


def pytest_configure() -> None:
    """Install the guards; multiprocessing raises no audit event of its own, so its start is wrapped."""
    sys.addaudithook(GUARD)
    sys.addaudithook(OFFLINE)
    start = multiprocessing.process.BaseProcess.start

    def guarded_start(process: multiprocessing.process.BaseProcess) -> None:
        if GUARD.guards:
            GUARD.refuse(f"multiprocessing: {process.name}")
        start(process)

    multiprocessing.process.BaseProcess.start = guarded_start  # type: ignore[method-assign]


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    """Start two workers a processor: a third of a run waits for servers and timers; ``unit`` tests wait less."""
    workers = yield
    return workers + 1 if config.option.markexpr.startswith("unit") else 2 * workers


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out of ``make unit`` each file whose mark says that it has no such test: what those import takes as long
    as all the others.
    """
    if config.option.markexpr == UNIT and collection_path.name.startswith("test_") and collection_path.suffix == ".py":
        return NOT_UNIT.search(collection_path.read_text(encoding="utf-8")) is not None or None
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector, a third of the time; what is collected stays to the end anyway.

    After it the collector runs less often than by default: the syntax trees of the architecture's tests are a million
    objects, and each full collection visits them.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test exactly one of the marks, before ``-m`` selects by them."""
    for item in items:
        if any(item.get_closest_marker(mark) for mark in MARKS):
            continue
        item.add_marker("process" if "starts_processes" in getattr(item, "fixturenames", ()) else "unit")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Guard a ``unit`` test from its first fixture to its last."""
    GUARD.guards = item.get_closest_marker("unit") is not None
    GUARD.refused.clear()
    OFFLINE.refused.clear()
    try:
        return (yield)
    finally:
        GUARD.guards = False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Fail a test whose code swallowed the refusal."""
    result = yield
    for refused in (*GUARD.refused, *OFFLINE.refused):
        pytest.fail(refused)
    return result


@pytest.fixture(scope="session", autouse=True)
def _temporary_folders() -> Iterator[None]:
    """Make every temporary folder below one that goes at the end of the run, or of a later one where this is killed.

    Pytest's own will not do: tests enter some folders as another user.
    """
    remove_left_folders(Path(tempfile.gettempdir()))
    folder = tempfile.mkdtemp(prefix=f"{TEMPORARY}{os.getpid()}-")
    # As the folder above it: tests that give up their privileges write here, too.
    os.chmod(folder, 0o1777)
    tempfile.tempdir = folder
    yield
    tempfile.tempdir = None
    shutil.rmtree(folder, ignore_errors=True)


def remove_left_folders(base: Path) -> None:
    """Remove the temporary folders of runs whose process has ended."""
    for left in base.glob(f"{TEMPORARY}*"):
        try:
            os.kill(int(left.name.removeprefix(TEMPORARY).partition("-")[0]), 0)
        except ProcessLookupError:
            shutil.rmtree(left, ignore_errors=True)
        except PermissionError:
            continue  # it runs, as another user


@pytest.fixture(scope="session")
def starts_processes() -> None:
    """Requested by a fixture that starts a process: every test that uses it is marked ``process``."""
