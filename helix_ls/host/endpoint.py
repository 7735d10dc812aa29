"""The daemon's endpoint: its runtime folder and files, and its Unix socket, or loopback TCP with a token."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from helix_core import __version__
from helix_ls.host.connection import LONGEST_ADDRESS, LOOPBACK, endpoint_name, runtime_folder, short_folders
from helix_ls.host.private_files import PlaceError, make_private, write_whole

if TYPE_CHECKING:
    from helix_ls.host.connection import Transport

_PASSED_ON = frozenset(
    {
        *("HOME", "PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "USER", "LOGNAME", "USERNAME"),
        *("USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC"),
        *("PATHEXT", "PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV"),
        *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    }
)
_PASSED_ON_PREFIXES = ("LC_", "XDG_", "HELIX_")


@dataclass(frozen=True, slots=True)
class DaemonPaths:
    """The file paths of one daemon: one set per user, protocol and version.

    ``socket`` lies in another folder if its path would be too long for a Unix socket.
    """

    folder: Path
    socket: Path
    lock: Path
    starting: Path
    log: Path
    token: Path
    parse_guard: Path


def place(environ: Mapping[str, str], *, version: str = __version__) -> DaemonPaths:
    """Return the daemon's paths and make the runtime folder. Raises PlaceError."""
    folder = Path(runtime_folder(environ))
    make_private(folder)
    name = endpoint_name(version)
    socket = folder / f"{name}.sock"
    if len(os.fsencode(socket)) > LONGEST_ADDRESS:
        socket = _short_folder(folder, environ) / f"{name}.sock"
    return DaemonPaths(
        folder=folder,
        socket=socket,
        lock=folder / f"{name}.lock",
        starting=folder / f"{name}.starting",
        log=folder / f"{name}.log",
        token=folder / f"{name}.token",
        parse_guard=folder / f"{name}.in-hand",
    )


def process_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Filter an environment for a child process by an allowlist, so that no secrets and no hooks are passed on."""
    return {
        name: value
        for name, value in environ.items()
        if name.upper() in _PASSED_ON or name.upper().startswith(_PASSED_ON_PREFIXES)
    }


def _short_folder(folder: Path, environ: Mapping[str, str]) -> Path:
    """Return a private folder with a short path for the socket, named by a digest of ``folder``. Raises PlaceError."""
    for short in map(Path, short_folders(str(folder), environ)):
        make_private(short)
        return short
    raise PlaceError(f"The folder {folder} has a path too long for a socket; set HELIX_RUNTIME_DIR to a shorter one.")


@dataclass(frozen=True, slots=True)
class Secret:
    """The port and token that the token file of a TCP endpoint holds."""

    port: int
    token: str


def bound_socket(place: DaemonPaths, transport: Transport) -> tuple[socket.socket, Secret | None]:
    """Bind the daemon's socket with mode 0600, or loopback TCP with a new token; replace a stale socket file.

    Call it only with the daemon's lock held.
    """
    if transport == "tcp":
        return _bound_tcp(place)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        place.socket.unlink(missing_ok=True)
        listener.bind(str(place.socket))
        os.chmod(place.socket, 0o600)
    except BaseException:
        listener.close()
        raise
    finally:
        os.umask(before)
    return listener, None


def _bound_tcp(place: DaemonPaths) -> tuple[socket.socket, Secret]:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind((LOOPBACK, 0))
    secret = Secret(listener.getsockname()[1], os.urandom(32).hex())
    write_whole(place.token, json.dumps({"port": secret.port, "token": secret.token}))
    return listener, secret


def remove_traces(place: DaemonPaths) -> None:
    """Unlink the socket and token files; call it only with the daemon's lock held."""
    place.socket.unlink(missing_ok=True)
    place.token.unlink(missing_ok=True)
