"""The daemon's endpoint: its runtime folder and files, and its Unix socket, or loopback TCP with a token."""

from __future__ import annotations

import json
import os
import socket
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from helix_core import __version__
from helix_core.errors import HelixError
from helix_ls.host.connection import LONGEST_ADDRESS, LOOPBACK, endpoint_name, runtime_folder, short_folders

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


class PlaceError(HelixError):
    """The daemon's runtime folder cannot be made, or other users can enter it."""


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


def make_private(folder: Path, variable: str = "HELIX_RUNTIME_DIR") -> None:
    """Make a folder with mode 0700, or verify that an existing one is the user's alone. Raises PlaceError.

    ``variable`` is the environment variable that the error text names as the way out.
    """
    try:
        if not os.path.isdir(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            # The umask reduces mkdir's mode, and a umask of 0777 would lock this process out: set the mode explicitly.
            folder.mkdir(mode=0o700, exist_ok=True)
            os.chmod(folder, 0o700)
        status = os.lstat(folder)
    except OSError as error:
        raise PlaceError(
            f"The folder {folder} cannot be created ({error.strerror}); set {variable} to another folder."
        ) from error
    if not hasattr(os, "getuid"):
        return
    if fault := private_fault(status.st_mode, status.st_uid, os.getuid()):
        if fault != "mode":
            raise PlaceError(f"The folder {folder} {fault}; remove it, or set {variable} to another.")
        os.chmod(folder, 0o700)


def private_fault(mode: int, owner: int, user: int) -> str:
    """Return why a folder is not private, ``mode`` if only its permission bits are wrong, or an empty string."""
    if not stat.S_ISDIR(mode):
        return "is not a folder"
    if owner != user:
        return "belongs to another user"
    return "mode" if stat.S_IMODE(mode) & 0o077 else ""


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
    unfinished = place.token.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with open(os.open(unfinished, flags, 0o600), "w", encoding="ascii") as file:
        json.dump({"port": secret.port, "token": secret.token}, file)
    os.replace(unfinished, place.token)
    return listener, secret


def remove_traces(place: DaemonPaths) -> None:
    """Unlink the socket and token files; call it only with the daemon's lock held."""
    place.socket.unlink(missing_ok=True)
    place.token.unlink(missing_ok=True)
