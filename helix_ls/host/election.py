"""Connect to the daemon, and elect and daemonize one under a file lock where none runs; query it without a start."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from helix_core.errors import ConfigError, HelixError
from helix_ls.host.connection import DaemonConnection, NoDaemonError, connected, encoded, transport_of
from helix_ls.host.endpoint import DaemonPaths, place, process_environment

if TYPE_CHECKING:
    import subprocess

DAEMON_MODULE = "helix_ls.daemon"
DETACH = "--detach"
GREETING_S = 5.0
START_S = 20.0
LOOK_S = 0.02


class StartError(HelixError):
    """No daemon can be reached or started; the caller falls back to serving in its own process."""


def reach(environ: Mapping[str, str], hello: dict[str, Any], *, start_s: float = START_S) -> DaemonConnection:
    """Return a connection to the daemon after the handshake, starting a daemon if none runs.

    Waits at most ``start_s`` seconds for a start. Raises StartError or PlaceError.
    """
    where = place(environ)
    transport = transport_of(environ)
    try:
        return connected(where, transport, hello, timeout_s=GREETING_S)
    except NoDaemonError:
        return _elected(where, environ, hello, time.monotonic() + start_s)


def _elected(
    where: DaemonPaths, environ: Mapping[str, str], hello: dict[str, Any], deadline: float
) -> DaemonConnection:
    """Elect one starter by a file lock: it spawns the daemon and holds the lock until connected; the others poll."""
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
                    raise StartError(f"The daemon did not start; see its log, {where.log}.") from error
            if not lock.is_locked:
                try:
                    lock.acquire(timeout=0)
                except Timeout:
                    time.sleep(LOOK_S)
                # Another process may have started the daemon before this one got the lock: connect again first.
                continue
            status = started.poll() if started is not None else None
            if status:
                raise StartError(f"The daemon could not start; see the end of its log, {where.log}.")
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
    """Spawn the daemon detached, with a filtered environment and its runtime folder as working directory.

    Returns the intermediate parent, not the daemon: it exits with 0 when the daemon listens and with 1 if it never
    will.
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
    """Return the environment variables that hold API keys of upstreams, as named in the user's own settings."""
    from helix_core.config import load_config

    try:
        names = {each.key_env for each in load_config(None, environ=environ).upstreams}
    except ConfigError:
        # The daemon starts without keys; a request to start the proxy reports the error.
        names = set()
    return {name: environ[name] for name in names if name in environ}


DAEMON_SCHEMA = "helix.daemon/1"
ANSWER_S = 10.0
STOP_S = 15.0


class DaemonError(HelixError):
    """The running daemon does not reply, refuses a call or does not stop."""


def daemon_status(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the ``helix.daemon/1`` object, with ``running`` false if no daemon runs. Raises DaemonError."""
    where = place(environ)
    answer = _call_daemon(where, environ, "daemon.status")
    return answer if answer is not None else _none(where)


def stop_daemon(environ: Mapping[str, str]) -> dict[str, Any]:
    """Stop the daemon and wait until it has released its lock, at most ``STOP_S`` seconds.

    Returns the ``helix.daemon/1`` object with ``stopped``: whether one ran. Raises DaemonError if it does not stop.
    """
    where = place(environ)
    answer = _call_daemon(where, environ, "daemon.stop")
    if answer is None:
        return _none(where) | {"stopped": False}
    from filelock import FileLock, Timeout

    lock = FileLock(where.lock, mode=0o600)
    try:
        lock.acquire(timeout=STOP_S)
    except Timeout as error:
        raise DaemonError(
            f"The daemon {answer['pid']} did not exit within {STOP_S:.0f} s; kill the process."
        ) from error
    lock.release()
    return _none(where) | {"stopped": True, "pid": answer["pid"]}


def _none(where: DaemonPaths) -> dict[str, Any]:
    return {"schema": DAEMON_SCHEMA, "running": False, "log": str(where.log)}


def _call_daemon(where: DaemonPaths, environ: Mapping[str, str], method: str) -> dict[str, Any] | None:
    try:
        connection = connected(where, transport_of(environ), {"kind": "call"}, timeout_s=ANSWER_S)
    except NoDaemonError:
        return None
    with connection.socket:
        return _answer(connection, method)


def _answer(connection: DaemonConnection, method: str) -> dict[str, Any]:
    try:
        reply = connection.exchange(encoded({"method": method}), ANSWER_S)
    except (OSError, ValueError) as error:
        raise DaemonError(f"The daemon {connection.pid} does not answer; see its log, or kill the process.") from error
    if "result" not in reply:
        raise DaemonError(f"The daemon {connection.pid} refused: {reply['error']['message']}")
    result: dict[str, Any] = reply["result"]
    return result


def detach() -> Callable[[], None]:
    """Daemonize: fork, go on in the child as a session leader, and return the callback that reports readiness.

    The parent waits for that call and exits with 0, or with 1 if the child exits first. Call it before threads start.
    Without ``os.fork`` the process goes on as it is.
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
