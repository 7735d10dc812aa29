"""Ask the daemon that runs, if one does, without starting one: what the command line needs of it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from helix_core.errors import HelixError
from helix_ls.host.endpoint import Connection, NoDaemonError, connected, transport_of
from helix_ls.host.place import Place, place

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


def _none(where: Place) -> dict[str, Any]:
    return {"schema": DAEMON_SCHEMA, "running": False, "log": str(where.log)}


def _asked(where: Place, environ: Mapping[str, str], method: str) -> dict[str, Any] | None:
    try:
        connection = connected(where, transport_of(environ), {"kind": "call"}, timeout_s=ANSWER_S)
    except NoDaemonError:
        return None
    with connection.socket:
        return _answer(connection, method)


def _answer(connection: Connection, method: str) -> dict[str, Any]:
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
