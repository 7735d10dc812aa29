"""Strand files on disk: read them, open them with the keys at hand, say whose they are, and write others.

A secret comes from the first line of a file, never from an argument that other users of the machine see.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from helix_core.errors import LockedStrandError, UsageError
from helix_core.strand import (
    MOST_FILE_BYTES,
    NEWEST_SCHEMA,
    Key,
    OpenedStrand,
    Pin,
    SealedStrand,
    data_key_of,
    opened,
    require_trusted,
)
from helix_ls.host.private_files import write_whole
from helix_ls.host.strand_keys import own_signer, trusted_signers

MOST_SECRET_FILE_BYTES = 4_096
DNA = ".dna"
OWN, TRUSTED, UNKNOWN = "own", "trusted", "none"


@dataclass(frozen=True, slots=True)
class StrandAccess:
    """What a user can open, and whom they believe: their keys, their own public key, and the signers they accepted."""

    keys: Sequence[Key]
    own: bytes | None
    pins: Mapping[bytes, Pin]

    @classmethod
    def read(cls, folder: Path | None, keys: Sequence[Key] = ()) -> StrandAccess:
        """Return the access of a data folder's user; without a folder no signer is trusted. Raises StrandKeyError."""
        if folder is None:
            return cls(keys, None, {})
        return cls(keys, own_signer(folder), trusted_signers(folder).pins)

    def trust(self, signer: bytes) -> str:
        """Return own, trusted or none. A key identifies a signer; a label never does."""
        if signer == self.own:
            return OWN
        return TRUSTED if signer in self.pins else UNKNOWN

    def believed(self, sealed: SealedStrand) -> OpenedStrand:
        """Return what a strand of the user's own, or of an accepted signer, holds. Raises UntrustedSignerError."""
        require_trusted(sealed, {*self.pins, *((self.own,) if self.own else ())})
        return self.opened(sealed)

    def opened(self, sealed: SealedStrand) -> OpenedStrand:
        """Return what a strand holds, by any signer. Raises LockedStrandError and errors of what was sealed."""
        refused: LockedStrandError | None = None
        for key in self.keys:
            try:
                data_key = data_key_of(sealed, key)
            except LockedStrandError as error:
                refused = error
                continue
            return opened(sealed, data_key, NEWEST_SCHEMA)
        raise refused or LockedStrandError("the strand does not open without a key; name a passphrase file")


def read_strand(path: Path, name: str, *, kind: str = DNA) -> bytes:
    """Return the bytes of a file, at most one more than a strand can have. Raises UsageError.

    ``name`` is what errors call it, ``kind`` the suffix of what they ask for. Waits for no pipe.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(descriptor, "rb") as reader:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UsageError(f"{name} is not a regular file; name a {kind} file")
            return reader.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{name} cannot be read ({error.strerror}); name a {kind} file") from None


def write_strand(path: Path, name: str, data: bytes, *, replaces: bool, kind: str = DNA) -> None:
    """Write a strand as a whole, readable by the user alone. A link that is replaced keeps leading where it led.

    Raises:
        UsageError: There is a file already, and ``replaces`` is not set; or what is there is no file.
    """
    require_free(path, name, replaces=replaces, kind=kind)
    write_whole(Path(os.path.realpath(path)) if replaces else path, data, is_durable=True)


def require_free(path: Path, name: str, *, replaces: bool, kind: str = DNA) -> None:
    """Raise UsageError where a strand cannot be written."""
    if not name:
        raise UsageError(f"no file is named; name a new {kind} file")
    if not os.path.lexists(path):
        return
    if not replaces:
        raise UsageError(f"{name} is already there; name a new {kind} file")
    if not path.is_file():
        raise UsageError(f"{name} is not a regular file; name a {kind} file")


def read_secret(path: Path, name: str) -> tuple[str, str]:
    """Return the first line of a file, which may be a pipe, and a warning where other users can read the file.

    Raises:
        UsageError: It cannot be read as text; the error holds no content.
    """
    try:
        with path.open("rb") as reader:
            mode = os.fstat(reader.fileno()).st_mode
            line = reader.read(MOST_SECRET_FILE_BYTES).partition(b"\n")[0].removesuffix(b"\r")
    except OSError as error:
        raise UsageError(f"{name} cannot be read ({error.strerror}); name a file with one line") from None
    try:
        return line.decode("utf-8"), exposure(mode, name)
    except UnicodeDecodeError:
        raise UsageError(f"{name} is not UTF-8; save it as UTF-8") from None


def exposure(mode: int, name: str) -> str:
    """Return the warning for a secret in a file of this mode, empty where it is the user's alone, or a pipe."""
    bits = stat.S_IMODE(mode)
    if not hasattr(os, "getuid") or not stat.S_ISREG(mode) or not bits & 0o077:
        return ""
    return f"{name} holds a secret and is open to other users (mode {bits:04o}); run: chmod 600 {shlex.quote(name)}"
