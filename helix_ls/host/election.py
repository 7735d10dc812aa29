"""Reach the daemon, and start one when there is none: elected by a file lock, daemonized, asked without starting."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from helix_core.errors import ConfigError, HelixError
from helix_ls.host.endpoint import (
    DaemonConnection,
    DaemonPaths,
    NoDaemonError,
    connected,
    place,
    process_environment,
    transport_of,
)

if TYPE_CHECKING:
    import subprocess

DAEMON_MODULE = "helix_ls.daemon"
DETACH = "--detach"
GREETING_S = 5.0
START_S = 20.0
LOOK_S = 0.02


class StartError(HelixError):
    """No daemon can be reached or started; the caller goes on in its own process."""


def reach(environ: Mapping[str, str], hello: dict[str, Any], *, start_s: float = START_S) -> DaemonConnection:
    """A greeted connection to the daemon, started when there is none. Raises StartError, PlaceError."""
    where = place(environ)
    transport = transport_of(environ)
    try:
        return connected(where, transport, hello, timeout_s=GREETING_S)
    except NoDaemonError:
        return _elected(where, environ, hello, time.monotonic() + start_s)


def _elected(
    where: DaemonPaths, environ: Mapping[str, str], hello: dict[str, Any], deadline: float
) -> DaemonConnection:
    """Whoever gets the starting lock starts the daemon, and holds the lock until it answers; the others look on."""
    from filelock import FileLock, Timeout

    transport = transport_of(environ)
    lock = FileLock(where.starting, mode=0o600)
    started: subprocess.Popen[bytes] | None = None
    try:
        while True:
            try:
                return connected(where, transport, hello, timeout_s=GREETING_S)
            except NoDaemonError as error:
                if time.monotonic() > deadline:
                    raise StartError(f"The daemon did not start; its log is {where.log}.") from error
            if not lock.is_locked:
                try:
                    lock.acquire(timeout=0)
                except Timeout:
                    time.sleep(LOOK_S)
                # Somebody may have started it between our look and the lock.
                continue
            status = started.poll() if started is not None else None
            if status:
                raise StartError(f"The daemon could not start; the reason is at the end of its log, {where.log}.")
            if started is None or status == 0:
                started = start_daemon(where, environ)
            time.sleep(LOOK_S)
    except OSError as error:
        raise StartError(f"The daemon could not be started ({error.strerror}); see {where.folder}.") from error
    finally:
        lock.release()
        if started is not None:
            started.wait()


def start_daemon(where: DaemonPaths, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start it detached, with a small environment, in its own folder: nothing of the workspace reaches it.

    The process given is not the daemon but its parent, which ends with 0 when the daemon listens and with 1 when it
    never will.
    """
    import subprocess

    detached = 0
    if sys.platform == "win32":
        detached = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    with open(os.open(where.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as log:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", DAEMON_MODULE, DETACH],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            cwd=where.folder,
            env=process_environment(environ) | _upstream_keys(environ) | {"HELIX_RUNTIME_DIR": str(where.folder)},
            start_new_session=sys.platform != "win32",
            creationflags=detached,
        )


def _upstream_keys(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables in which the user's own settings say that an upstream's key lies; the daemon takes them out."""
    from helix_core.config import load_config

    try:
        names = {each.key_env for each in load_config(None, environ=environ).upstreams}
    except ConfigError:
        # The daemon starts all the same: who asks for the proxy is told.
        names = set()
    return {name: environ[name] for name in names if name in environ}


DAEMON_SCHEMA = "helix.daemon/1"
ANSWER_S = 10.0
STOP_S = 15.0


class DaemonError(HelixError):
    """The daemon that runs does not do what it was asked."""


def daemon_status(environ: Mapping[str, str]) -> dict[str, Any]:
    """The ``helix.daemon/1`` object; ``running`` is false when there is none."""
    where = place(environ)
    answer = _asked(where, environ, "daemon.status")
    return answer if answer is not None else _none(where)


def stop_daemon(environ: Mapping[str, str]) -> dict[str, Any]:
    """The same, with ``stopped``: whether one ran. Waits until it is gone; raises DaemonError when it stays."""
    where = place(environ)
    answer = _asked(where, environ, "daemon.stop")
    if answer is None:
        return _none(where) | {"stopped": False}
    from filelock import FileLock, Timeout

    lock = FileLock(where.lock, mode=0o600)
    try:
        lock.acquire(timeout=STOP_S)
    except Timeout as error:
        raise DaemonError(f"The daemon {answer['pid']} has not ended in {STOP_S:.0f} s; end the process.") from error
    lock.release()
    return _none(where) | {"stopped": True, "pid": answer["pid"]}


def _none(where: DaemonPaths) -> dict[str, Any]:
    return {"schema": DAEMON_SCHEMA, "running": False, "log": str(where.log)}


def _asked(where: DaemonPaths, environ: Mapping[str, str], method: str) -> dict[str, Any] | None:
    try:
        connection = connected(where, transport_of(environ), {"kind": "call"}, timeout_s=ANSWER_S)
    except NoDaemonError:
        return None
    with connection.socket:
        return _answer(connection, method)


def _answer(connection: DaemonConnection, method: str) -> dict[str, Any]:
    peer = connection.socket
    peer.settimeout(ANSWER_S)
    deadline = time.monotonic() + ANSWER_S
    try:
        peer.sendall(json.dumps({"method": method}).encode() + b"\n")
        said = connection.early
        while not said.endswith(b"\n") and time.monotonic() < deadline:
            more = peer.recv(65536)
            if not more:
                break
            said += more
        reply = json.loads(said)
    except (OSError, ValueError) as error:
        raise DaemonError(f"The daemon {connection.pid} does not answer; end the process, or see its log.") from error
    if "result" not in reply:
        raise DaemonError(f"The daemon {connection.pid} refused: {reply['error']['message']}")
    result: dict[str, Any] = reply["result"]
    return result


def detach() -> Callable[[], None]:
    """Go on in a child process of its own session; the result is to be called when it is ready.

    The parent stays until then and ends with 0, or with 1 when the child ends first. Call it before there are threads.
    Where there is no fork the process goes on as it is.
    """
    if not hasattr(os, "fork"):
        return lambda: None
    is_ready, tell = os.pipe()
    if os.fork():
        os.close(tell)
        os._exit(0 if os.read(is_ready, 1) else 1)
    os.close(is_ready)
    os.setsid()

    def ready() -> None:
        os.write(tell, b"!")
        os.close(tell)

    return ready
