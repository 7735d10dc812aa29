"""Where the daemon lives: its folder, the names in it, and the environment its processes get.

The folder is the user's alone (0700); a folder of that name which belongs to somebody else is refused, never used.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from helix_core import __version__
from helix_core.errors import HelixError

PROTOCOL = 1
# A Unix socket's address holds 108 bytes on Linux and 104 on macOS, the closing zero included.
LONGEST_ADDRESS = 103
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
    """The daemon's folder cannot be made, or is not the user's alone."""


@dataclass(frozen=True, slots=True)
class Place:
    """The paths of one daemon: one per user, protocol and version. ``socket`` may lie elsewhere when names are long."""

    folder: Path
    socket: Path
    lock: Path
    starting: Path
    log: Path
    token: Path
    in_hand: Path


def runtime_folder(environ: Mapping[str, str]) -> Path:
    """``HELIX_RUNTIME_DIR``, else the session's own folder, else one in the cache folder."""
    if named := environ.get("HELIX_RUNTIME_DIR", ""):
        return Path(os.path.abspath(named))
    session = environ.get("XDG_RUNTIME_DIR", "")
    if session and os.path.isabs(session) and os.path.isdir(session):
        return Path(session) / "helix-context"
    if cache := environ.get("HELIX_CACHE_DIR", ""):
        return Path(os.path.abspath(cache)) / "run"
    from helix_core.config import load_config

    return load_config(None, environ=environ).cache_dir / "run"


def place(environ: Mapping[str, str], *, version: str = __version__) -> Place:
    """The daemon's paths, its folder made. Raises PlaceError."""
    folder = runtime_folder(environ)
    make_private(folder)
    name = f"helix-{PROTOCOL}-{version}"
    socket = folder / f"{name}.sock"
    if len(os.fsencode(socket)) > LONGEST_ADDRESS:
        socket = _short_folder(folder, environ) / f"{name}.sock"
    return Place(
        folder=folder,
        socket=socket,
        lock=folder / f"{name}.lock",
        starting=folder / f"{name}.starting",
        log=folder / f"{name}.log",
        token=folder / f"{name}.token",
        in_hand=folder / f"{name}.in-hand",
    )


def make_private(folder: Path, variable: str = "HELIX_RUNTIME_DIR") -> None:
    """Make a folder only the user may enter, or see that it is one. Raises PlaceError, which names what to do.

    ``variable`` is what names another folder.
    """
    try:
        if not os.path.isdir(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            # mkdir's own mode is cut by the umask, so a mask of 0777 would lock us out: set it outright.
            folder.mkdir(mode=0o700, exist_ok=True)
            os.chmod(folder, 0o700)
        status = os.lstat(folder)
    except OSError as error:
        raise PlaceError(
            f"The folder {folder} cannot be made ({error.strerror}); set {variable} to one that can."
        ) from error
    if not hasattr(os, "getuid"):
        return
    if fault := private_fault(status.st_mode, status.st_uid, os.getuid()):
        if fault != "mode":
            raise PlaceError(f"The folder {folder} {fault}; remove it, or set {variable} to another.")
        os.chmod(folder, 0o700)


def private_fault(mode: int, owner: int, user: int) -> str:
    """Why a folder is not the user's alone, ``mode`` when only its mode is wrong; empty when it is."""
    if not stat.S_ISDIR(mode):
        return "is not a folder"
    if owner != user:
        return "belongs to another user"
    return "mode" if stat.S_IMODE(mode) & 0o077 else ""


def process_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What a process of ours needs of its starter's environment, and nothing else of it: no secrets, no hooks."""
    return {
        name: value
        for name, value in environ.items()
        if name.upper() in _PASSED_ON or name.upper().startswith(_PASSED_ON_PREFIXES)
    }


def _short_folder(folder: Path, environ: Mapping[str, str]) -> Path:
    """A folder for the socket alone, unique to the one it stands for, where names are short."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    temporary = environ.get("TMPDIR", "")
    for base in (temporary, "/tmp"):
        short = Path(base) / f"helix-{user}-{digest}"
        if os.path.isabs(short) and len(os.fsencode(short)) + 40 <= LONGEST_ADDRESS:
            make_private(short)
            return short
    raise PlaceError(f"The folder {folder} has too long a name for a socket; set HELIX_RUNTIME_DIR to a shorter one.")
