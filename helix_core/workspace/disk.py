"""Consistent reads: a file's bytes and its stat signature, taken together, from inside one root only.

Every component is opened relative to its parent's descriptor and without following symlinks, so a folder swapped for a
link between two calls cannot redirect a read. Only regular files are opened.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import signal
import stat as modes
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from helix_core.errors import HelixError, WorkspaceError
from helix_core.model import Reason, StatSignature
from helix_core.tuples import NamedTuple

MAX_BYTES = 2 * 1024 * 1024
# Waits between tries, in seconds; longer in all than _PREEMPTED_NS, so that only a file written without pause is
# given up.
_RETRY_S = (0.0, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064)
# The kernel stamps writes by a clock that ticks every 1 to 10 ms, so two writes within a tick look like one.
_TICK_NS = 20_000_000
# A writer preempted between two writes continues within this time, even on a busy machine.
_PREEMPTED_NS = 60_000_000
_SETTLE_S = (0.002,)
_SETTLE_MAPPED_S = (0.01, 0.01, 0.01, 0.01)
_LEASES = sys.platform == "linux"
_FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | getattr(os, "O_NOCTTY", 0)
_UNSAFE_NAMES = frozenset({b"", b".", b".."})
_SENTENCES = {
    Reason.GONE: "does not exist any more; refresh the index",
    Reason.UNREADABLE: "cannot be read; check its permissions",
    Reason.OUTSIDE_ROOT: "is not inside the workspace (a symlink or an unsafe name); it is never followed",
    Reason.NOT_A_FILE: "is not a regular file; it is never opened",
    Reason.IGNORED: "does not count any more: an ignore rule or a setting leaves it out",
    Reason.TOO_LARGE: "is over the size limit; raise it or leave the file out",
    Reason.CHANGED: "kept changing while it was read; ask again",
}


class DiskError(HelixError):
    """A path cannot be read; ``reason`` is the verdict's reason code."""

    def __init__(self, path: bytes, reason: Reason) -> None:
        super().__init__(f"{path.decode('utf-8', 'backslashreplace')} {_SENTENCES[reason]}")
        self.path = path
        self.reason = reason


class DiskFile(NamedTuple):
    """A consistent snapshot of a file; ``content_hash`` is SHA-256 (hex) of ``data``."""

    data: bytes
    signature: StatSignature
    content_hash: str


def is_no_project(folder: Path) -> bool:
    """Return whether the folder is the root of the disk or the user's home, which should not be indexed."""
    real = os.path.realpath(folder)
    return real == os.path.realpath(Path(real).anchor) or real == os.path.realpath(os.path.expanduser("~"))


def check_project(folder: Path) -> None:
    """Raise WorkspaceError for a folder that is not a project, before any of it is listed."""
    if is_no_project(folder):
        real = os.path.realpath(folder)
        what = "the root of the disk" if real == os.path.realpath(Path(real).anchor) else "your home folder"
        raise WorkspaceError(f"{folder} is {what}, not a project; name a project's folder, as in --path ~/project")


def signature_of(status: os.stat_result) -> StatSignature:
    """Return the four stat fields that change when a file's bytes do."""
    return StatSignature(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


class Scan:
    """A pass over many paths that keeps the descriptors of the folders on the current path open.

    It returns and raises what ``Root`` does. Use it from one thread and for one pass only, because it keeps descriptors
    of folders that may be renamed meanwhile.
    """

    def __init__(self, root_fd: int) -> None:
        self._root_fd = root_fd
        # None while the open folders are on the way from one path to another.
        self._parent: bytes | None = b""
        self._open: list[tuple[bytes, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every folder's descriptor."""
        self._keep(0)

    def folder(self, parent: bytes) -> int:
        """Return a descriptor to ``stat`` and ``open`` in folder ``parent`` (``b""`` is the root), valid until the next
        call.

        Raises ``DiskError`` GONE, OUTSIDE_ROOT (a component is a symlink), UNREADABLE.
        """
        if parent == self._parent:
            return self._open[-1][1] if self._open else self._root_fd
        names = parent.split(b"/") if parent else []
        shared = 0
        for (name, _), wanted in zip(self._open, names, strict=False):
            if name != wanted:
                break
            shared += 1
        self._keep(shared)
        for name in names[shared:]:
            self._descend(name, parent)
        self._parent = parent
        return self._open[-1][1] if self._open else self._root_fd

    def stat(self, path: bytes) -> StatSignature:
        """Return the signature of the regular file at ``path``; raises ``DiskError``."""
        return signature_of(self._status(path))

    def read(self, path: bytes, limit_bytes: int = MAX_BYTES) -> DiskFile:
        """Return the bytes of ``path`` when two reads agree, with equal signatures before and after.

        Raises ``DiskError``, with CHANGED for a file that keeps changing.
        """
        for wait_s in _RETRY_S:
            if wait_s:
                time.sleep(wait_s)
            file = self._read_once(path, limit_bytes)
            if file is not None:
                return file
        raise DiskError(path, Reason.CHANGED)

    def _keep(self, count: int) -> None:
        self._parent = None
        while len(self._open) > count:
            os.close(self._open.pop()[1])

    def _descend(self, name: bytes, path: bytes) -> None:
        above = self._open[-1][1] if self._open else self._root_fd
        if name in _UNSAFE_NAMES or b"\0" in name:
            raise DiskError(path, Reason.OUTSIDE_ROOT)
        try:
            self._open.append((name, os.open(name, _FOLDER_FLAGS, dir_fd=above)))
        except OSError as error:
            raise DiskError(path, _folder_reason(error, name, above)) from error

    def _status(self, path: bytes) -> os.stat_result:
        parent, _, name = path.rpartition(b"/")
        if name in _UNSAFE_NAMES or b"\0" in name or path.startswith(b"/"):
            raise DiskError(path, Reason.OUTSIDE_ROOT)
        try:
            status = os.stat(name, dir_fd=self.folder(parent), follow_symlinks=False)
        except OSError as error:
            raise DiskError(path, _file_reason(error)) from error
        if not modes.S_ISREG(status.st_mode):
            raise DiskError(path, Reason.NOT_A_FILE)
        return status

    def _read_once(self, path: bytes, limit_bytes: int) -> DiskFile | None:
        expected = self._status(path)
        if expected.st_size > limit_bytes:
            raise DiskError(path, Reason.TOO_LARGE)
        parent, _, name = path.rpartition(b"/")
        try:
            descriptor = os.open(name, _FILE_FLAGS, dir_fd=self.folder(parent))
        except OSError as error:
            raise DiskError(path, _file_reason(error)) from error
        try:
            return _consistent(descriptor, expected, path, limit_bytes)
        except OSError as error:
            raise DiskError(path, _file_reason(error)) from error
        finally:
            os.close(descriptor)


class Root:
    """A workspace folder, held open by a descriptor. ``path`` is its real path when it was opened."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._fd = descriptor

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open folder ``path``; raises ``WorkspaceError`` when it is missing, not a folder or unreadable."""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            raise _root_error(path, error) from error
        try:
            os.stat(".", dir_fd=descriptor)
            # A folder may open and refuse to be listed, as some of /proc do.
            with os.scandir(descriptor) as listing:
                next(listing, None)
            return cls(Path(os.path.realpath(path)), descriptor)
        except OSError as error:
            os.close(descriptor)
            raise _root_error(path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the descriptor; closing twice is allowed."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def is_in_place(self) -> bool:
        """Return whether ``path`` still is the open folder, or it was moved, removed or replaced."""
        try:
            there = os.stat(self.path)
        except OSError:
            return False
        return os.path.samestat(there, os.fstat(self._descriptor()))

    def scan(self) -> Scan:
        """Return a pass over many paths, which is cheaper than as many single calls."""
        return Scan(self._descriptor())

    def stat(self, path: bytes) -> StatSignature:
        """Return the signature of a regular file; raises ``DiskError`` (GONE, UNREADABLE, OUTSIDE_ROOT, NOT_A_FILE)."""
        with self.scan() as scan:
            return scan.stat(path)

    def read(self, path: bytes, limit_bytes: int = MAX_BYTES) -> DiskFile:
        """Return the bytes of a file and their signature; raises ``DiskError``, also TOO_LARGE and CHANGED."""
        with self.scan() as scan:
            return scan.read(path, limit_bytes)

    def _descriptor(self) -> int:
        if self._fd < 0:
            raise WorkspaceError(f"{self.path} was closed; open it again")
        return self._fd


def _consistent(descriptor: int, expected: os.stat_result, path: bytes, limit_bytes: int) -> DiskFile | None:
    """Return the whole file, or None when it changed during the read or has a writer.

    Equal stats do not prove that it did not change: writes within one clock tick share a timestamp, and stores through
    a mapping move it only once. A file that has no writer and is older than a tick is read once; any other is read
    twice and compared, and one that is still being written is not read at all.
    """
    before = os.fstat(descriptor)
    if not modes.S_ISREG(before.st_mode):
        raise DiskError(path, Reason.NOT_A_FILE)
    if before.st_size > limit_bytes:
        raise DiskError(path, Reason.TOO_LARGE)
    if (before.st_dev, before.st_ino) != (expected.st_dev, expected.st_ino):
        return None
    is_written, age_ns = _has_writer(descriptor), abs(time.time_ns() - before.st_ctime_ns)
    if is_written and age_ns < _PREEMPTED_NS:
        return None
    data = _read_all(descriptor, before.st_size)
    for wait_s in _settling(is_written, age_ns):
        time.sleep(wait_s)
        os.lseek(descriptor, 0, os.SEEK_SET)
        if _read_all(descriptor, before.st_size) != data or (is_written is False and _has_writer(descriptor)):
            return None
    signature = signature_of(before)
    if len(data) != before.st_size or signature != signature_of(os.fstat(descriptor)):
        return None
    return DiskFile(data, signature, hashlib.sha256(data).hexdigest())


def _settling(is_written: bool | None, age_ns: int) -> tuple[float, ...]:
    """Return the delays, in seconds, before each further read for comparison."""
    if is_written:
        return _SETTLE_MAPPED_S
    if age_ns < _TICK_NS:
        return _SETTLE_S if is_written is None else (0.0,)
    return () if is_written is False else (0.0,)


def _has_writer(descriptor: int) -> bool | None:
    """Return whether a process has the file open, or mapped, for writing; None where the system cannot tell.

    Linux grants a read lease only on a file that no process has open for writing (fcntl(2), "Leases"). It
    is released at once; a process that opens the file for writing meanwhile waits for that, and the lease-break signal
    is one that is ignored.
    """
    if not _LEASES:
        return None
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False


def _read_all(descriptor: int, size_bytes: int) -> bytes:
    """Read up to one byte more than ``size_bytes``, so that a growing file is detected and never fills the memory."""
    wanted = size_bytes + 1
    data = os.read(descriptor, wanted)
    if len(data) in (size_bytes, wanted):
        return data if len(data) == wanted else data + os.read(descriptor, 1)
    parts = [data]
    wanted -= len(data)
    while wanted and (part := os.read(descriptor, wanted)):
        parts.append(part)
        wanted -= len(part)
    return b"".join(parts)


def _file_reason(error: OSError) -> Reason:
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
        return Reason.GONE
    if error.errno == errno.ELOOP:
        return Reason.NOT_A_FILE
    return Reason.UNREADABLE


def _folder_reason(error: OSError, name: bytes, above: int) -> Reason:
    """Return OUTSIDE_ROOT for a symlink in the path; GONE for a file where a folder should be."""
    if error.errno not in (errno.ENOTDIR, errno.ELOOP):
        return _file_reason(error)
    try:
        mode = os.stat(name, dir_fd=above, follow_symlinks=False).st_mode
    except OSError:
        return Reason.GONE
    return Reason.OUTSIDE_ROOT if modes.S_ISLNK(mode) else Reason.GONE


def _root_error(path: Path, error: OSError | ValueError) -> WorkspaceError:
    if isinstance(error, FileNotFoundError):
        return WorkspaceError(f"{path} does not exist; name an existing folder")
    if isinstance(error, NotADirectoryError):
        return WorkspaceError(f"{path} is not a folder; name the folder that contains it")
    if isinstance(error, PermissionError):
        return WorkspaceError(f"{path} cannot be read; check the folder's permissions")
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return WorkspaceError(f"{path} cannot be opened ({reason}); name a readable folder")
