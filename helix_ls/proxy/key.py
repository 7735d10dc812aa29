"""The user's keys: 256 random bits each, in files that are the user's alone, made when they are first needed.

One to ask, for every client of the user; one to administer. A server proves that it knows a key before one of our own
tools shows it. The ask key is the one key there was before there were two.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path

from helix_core.config.load import APPLICATION
from helix_core.errors import HelixError
from helix_ls.host.endpoint import make_private

VARIABLE = "HELIX_STATE_DIR"
NAME, ADMIN_NAME = "api-key", "admin-key"
_ADMIN = "helix-admin-"
_SHAPE = re.compile(r"helix-(admin-)?[A-Za-z0-9_-]{43}")
NONCE = "[A-Za-z0-9_-]{16,128}"


class KeyFileError(HelixError):
    """The key cannot be read or made."""


def state_folder(environ: Mapping[str, str]) -> Path:
    """``HELIX_STATE_DIR``, else the platform's folder for what a program keeps."""
    if named := environ.get(VARIABLE, ""):
        return Path(os.path.abspath(named))
    from platformdirs import user_state_dir

    return Path(user_state_dir(APPLICATION, appauthor=False))


def users_key(environ: Mapping[str, str]) -> str:
    """The key to ask, made when there is none. Raises KeyFileError, PlaceError."""
    return _kept(environ, NAME, "helix-")


def admins_key(environ: Mapping[str, str]) -> str:
    """The key to administer, made when there is none. Raises KeyFileError, PlaceError."""
    return _kept(environ, ADMIN_NAME, _ADMIN)


def _kept(environ: Mapping[str, str], name: str, begins: str) -> str:
    folder = state_folder(environ)
    make_private(folder, VARIABLE)
    file = folder / name
    try:
        if not os.path.lexists(file):
            _make(file, begins)
        return _read(file)
    except OSError as error:
        raise KeyFileError(f"The key {file} cannot be used ({error.strerror}); remove it to get another.") from error


def is_admins(key: str) -> bool:
    """Is it, by its shape, a key to administer?"""
    return key.startswith(_ADMIN) and _SHAPE.fullmatch(key) is not None


def proof(key: str, nonce: str, port: int) -> str:
    """HMAC-SHA-256 (RFC 2104) by which the server on ``port`` shows that it has the key, without showing it."""
    return hmac.new(key.encode(), f"helix-health\n{port}\n{nonce}".encode(), hashlib.sha256).hexdigest()


def is_nonce(text: str) -> bool:
    """16 to 128 letters, digits, ``-`` or ``_``."""
    return re.fullmatch(NONCE, text) is not None


def _make(file: Path, begins: str) -> None:
    """Whole or not at all, and the first of two who begin at once wins."""
    unfinished = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with open(os.open(unfinished, flags, 0o600), "w", encoding="ascii") as writer:
        writer.write(f"{begins}{secrets.token_urlsafe(32)}\n")
    try:
        os.link(unfinished, file)
    except FileExistsError:
        return
    finally:
        unfinished.unlink()


def _read(file: Path) -> str:
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(descriptor, encoding="ascii", errors="replace") as reader:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
            raise KeyFileError(f"{file} is not a file of yours; remove it to get a key.")
        if stat.S_IMODE(status.st_mode) & 0o077 and hasattr(os, "fchmod"):
            os.fchmod(descriptor, 0o600)
        key = reader.read(200).strip()
    if _SHAPE.fullmatch(key) is None:
        raise KeyFileError(f"{file} does not hold a key; remove it to get another, and connect your clients again.")
    return key
