"""Folders and files that are the user's alone: made with mode 0700 and 0600, written whole."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from helix_core.errors import HelixError


class PlaceError(HelixError):
    """A private folder cannot be made, or other users can enter it."""


class ForeignFileError(HelixError):
    """What is in the place of a private file is not a regular file of the user's."""


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


def read_private(file: Path, most_bytes: int) -> bytes:
    """Return at most so many bytes of a file of the user's own, and make it private where its mode is not.

    Follows no link and waits for no pipe. Raises FileNotFoundError and other OSErrors, and ForeignFileError.
    """
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(descriptor, "rb") as reader:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
            raise ForeignFileError(f"{file} is not a file of yours; remove it")
        if stat.S_IMODE(status.st_mode) & 0o077 and hasattr(os, "fchmod"):
            os.fchmod(descriptor, 0o600)
        return reader.read(most_bytes)


def write_whole(
    file: Path, data: bytes | str, *, mode: int = 0o600, is_durable: bool = False, replaces: bool = True
) -> bool:
    """Write a file under another name and put it in its place: a crash leaves the old one or the new one.

    Args:
        file: Where it goes.
        data: Its content; a text is written as UTF-8, with its line ends.
        mode: The permission bits, whatever the umask is.
        is_durable: Wait until the disk has it.
        replaces: Without it the first of several writers wins.

    Returns:
        Whether it was written; False only without ``replaces``, where there is a file already.

    Raises:
        OSError: It cannot be written; the old one is as it was.
    """
    unfinished = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(unfinished, flags, mode), "wb") as writer:
            os.chmod(unfinished, mode)
            writer.write(data if isinstance(data, bytes) else data.encode())
            if is_durable:
                writer.flush()
                os.fsync(writer.fileno())
        if replaces:
            os.replace(unfinished, file)
            return True
        try:
            os.link(unfinished, file)
        except FileExistsError:
            return False
        return True
    except OSError as error:
        # Name the file that the caller named: the unfinished one is gone when the error is read.
        error.filename, error.filename2 = os.fspath(file), None
        raise
    finally:
        unfinished.unlink(missing_ok=True)
