"""Reach the daemon; when there is none, start it. However many try at once, one starts it and all are served."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from helix_core.errors import ConfigError, HelixError
from helix_ls.host.endpoint import Connection, NoDaemonError, connected, transport_of
from helix_ls.host.place import Place, place, process_environment

DAEMON_MODULE = "helix_ls.daemon"
DETACH = "--detach"
GREETING_S = 5.0
START_S = 20.0
LOOK_S = 0.02

if TYPE_CHECKING:
    import subprocess


class StartError(HelixError):
    """No daemon can be reached or started; the caller goes on in its own process."""


def reach(environ: Mapping[str, str], hello: dict[str, Any], *, start_s: float = START_S) -> Connection:
    """A greeted connection to the daemon, started when there is none. Raises StartError, PlaceError."""
    where = place(environ)
    transport = transport_of(environ)
    try:
        return connected(where, transport, hello, timeout_s=GREETING_S)
    except NoDaemonError:
        return _elected(where, environ, hello, time.monotonic() + start_s)


def _elected(where: Place, environ: Mapping[str, str], hello: dict[str, Any], deadline: float) -> Connection:
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


def start_daemon(where: Place, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
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
