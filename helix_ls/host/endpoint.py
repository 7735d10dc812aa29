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

    def text(self) -> str:
        """Return the content of the token file."""
        return json.dumps({"port": self.port, "token": self.token})


@dataclass(frozen=True, slots=True)
class BoundEndpoint:
    """A bound socket and the file by which clients find it: the socket's own, or the token file over TCP.

    ``inode`` is the device and inode of a Unix socket's file. The bound socket holds that inode, so no other file
    gets its number; that of a deleted token file can be reused, so the token file is known by its content.
    """

    listener: socket.socket
    file: Path
    secret: Secret | None = None
    inode: tuple[int, int] | None = None

    def is_in_place(self) -> bool:
        """Return whether clients that look at the path still find this daemon; True if that cannot be known."""
        try:
            if self.secret is not None:
                return self.file.read_text("ascii") == self.secret.text()
            status = os.lstat(self.file)
        except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
            return False
        except OSError:
            return True
        return (status.st_dev, status.st_ino) == self.inode

    def remove(self) -> None:
        """Unlink the file, unless it was removed or is another daemon's; call it while the socket is bound."""
        if self.is_in_place():
            self.file.unlink(missing_ok=True)


def bound_socket(place: DaemonPaths, transport: Transport) -> BoundEndpoint:
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
        status = os.lstat(place.socket)
    except BaseException:
        listener.close()
        raise
    finally:
        os.umask(before)
    return BoundEndpoint(listener, place.socket, inode=(status.st_dev, status.st_ino))


def _bound_tcp(place: DaemonPaths) -> BoundEndpoint:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind((LOOPBACK, 0))
    secret = Secret(listener.getsockname()[1], os.urandom(32).hex())
    write_whole(place.token, secret.text())
    return BoundEndpoint(listener, place.token, secret)
