"""Which servers run: a small file each in the user's runtime folder, believed once the server has proved itself.

A process that has taken a dead server's port learns nothing: it is asked for a proof, and is sent no key.
"""

from __future__ import annotations

import hmac
import http.client
import json
import os
import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from helix_core.errors import HelixError
from helix_ls.host.endpoint import make_private, runtime_folder
from helix_ls.proxy.key import is_admins, proof
from helix_ls.proxy.restart import Signals, restarting, sentence

WAIT_S = 5.0


class NotRunningError(HelixError):
    """No server of the user's answers."""


@dataclass(frozen=True, slots=True)
class Running:
    """A server: ``workspaces`` are absolute paths, the first is the one it answers for where none is named."""

    port: int
    pid: int
    workspaces: tuple[str, ...]

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"


def announce(running: Running, environ: Mapping[str, str]) -> Path:
    """Write its file; remove that at the end."""
    folder = runtime_folder(environ)
    make_private(folder)
    file = folder / f"helix-serve-{running.pid}.json"
    unfinished = file.with_suffix(".new")
    with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as writer:
        json.dump(asdict(running), writer)
    os.replace(unfinished, file)
    return file


def found(environ: Mapping[str, str], key: str, workspace: str = "") -> Running:
    """The server that answers for a workspace, else the one started last. Raises NotRunningError."""
    files = sorted(runtime_folder(environ).glob("helix-serve-*.json"), key=_written_ns, reverse=True)
    told = [one for one in map(_told, files) if one is not None]
    told.sort(key=lambda one: workspace not in one.workspaces)
    for one in told:
        if proves_itself(one.port, key):
            return one
    signals, now = Signals.of(environ), time.time()
    for signal in map(signals.read, (one.port for one in told)):
        if signal is not None and restarting(signal, now):
            raise NotRunningError(sentence(signal, now))
    raise NotRunningError("no server is running; start one with: helix serve")


def proves_itself(port: int, key: str, *, wait_s: float = WAIT_S) -> bool:
    """Does the server on this port know the key? It is asked without being told it."""
    nonce = secrets.token_urlsafe(24)
    of = "&of=admin" if is_admins(key) else ""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=wait_s)
    try:
        connection.request("GET", f"/health?nonce={nonce}{of}")
        said = json.loads(connection.getresponse().read(65536))
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()
    given = said.get("proof") if isinstance(said, dict) else None
    return isinstance(given, str) and hmac.compare_digest(given.encode(), proof(key, nonce, port).encode())


def _written_ns(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _told(file: Path) -> Running | None:
    """What a file says; None for one that says nothing, or has just gone."""
    try:
        said = json.loads(file.read_text("utf-8"))
        return Running(int(said["port"]), int(said["pid"]), tuple(map(str, said["workspaces"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None
