"""The life of a SQLite file of Helix: open, create, migrate, refuse a newer one, move a damaged one aside.

The index and the memory are two formats of one life. What differs between them is a ``FileFormat``: the stamps in the
header, the schema, and the messages to the user. The memory is never deleted, the index can always be built again.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

import apsw

from helix_core.errors import BusyStoreError, HelixError, NewerStoreError
from helix_core.store.sqlite_file import (
    BUSY_TIMEOUT_MS,
    QueryBudgetError,
    connect,
    is_truncated,
    read_header,
)
from helix_core.tuples import NamedTuple

Identity: TypeAlias = tuple[int, int]
"""Device and inode: which file it is, whatever its name."""

_SCHEMA_DAMAGE = re.compile(
    r"no such (?:column|table|index|module)\b|table \S+ has (?:no column named|\d+ columns? but)|"
    r"vtable constructor failed|unable to use function"
)
"""What SQLite says of the statements of this package, which are constants, where the schema in the file is not ours."""
_VECTOR_DAMAGE = re.compile(
    r"(?i)(?:error opening|could not open|could not fetch|could not find a row)\b.{0,40}\b(?:vectors?|rowid)\b"
    r"|\w+ blob read error|(?:chunk )?\w+(?: blob)? size doesn't match"
    r"|internal sqlite-vec error: (?!could not allocate)"
)
"""What sqlite-vec says of its own tables where their pages were changed: it has no error code of its own for it."""


class FileFormat(NamedTuple):
    """A kind of file: its stamps in the header, its schema, and the wording and types of its errors.

    ``schema`` is a file of SQL next to this module, ``views`` another, which also runs after a migration and replaces
    the views of before; ``first`` are pragmas for a file without tables, ``settings`` those of every writer.
    ``migrations`` hold the SQL, or the function, that takes a file from the version that is the key to the next one;
    ``before_migration(path, version)`` is called first, ``restart`` empties a file that no migration leads from.

    Of the texts, ``noun`` names the file, ``remedy`` says what happens to a damaged one, ``elsewhere`` how to choose
    another place, ``otherwise`` what helps against what SQLite refuses, ``newer`` and ``foreign`` what helps against
    those. ``damaged``, ``refused``, ``failed`` and ``not_ours`` are raised for damage, for a statement that SQLite does
    not take, for any other error of SQLite, and for another application's file.
    """

    noun: str
    application_id: int
    version: int
    schema: str
    migrations: Mapping[int, str | Callable[[apsw.Connection], None]]
    damaged: type[HelixError]
    refused: type[HelixError]
    failed: type[HelixError]
    not_ours: type[HelixError]
    remedy: str
    elsewhere: str
    otherwise: str
    newer: str
    foreign: str
    views: str = ""
    first: str = ""
    settings: str = ""
    before_migration: Callable[[str, int], None] | None = None
    restart: Callable[[apsw.Connection], None] | None = None

    def damage(self, path: str, cause: object) -> HelixError:
        """Return the error for a damaged file."""
        return self.damaged(f"The {self.noun} {path} is damaged ({cause}); {self.remedy}.")

    @contextmanager
    def errors(self, path: str) -> Iterator[None]:
        """Translate SQLite's errors into errors of this format that name the next action.

        Raises: ``damaged`` for a damaged file, its schema included; QueryBudgetError for a query interrupted by its
        budget; BusyStoreError when another connection writes for longer than the busy timeout; ``refused`` for a
        statement of ours that is wrong; ``failed`` for every other error of SQLite.
        """
        try:
            yield
        except apsw.InterruptError as error:
            raise QueryBudgetError from error
        except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, UnicodeDecodeError) as error:
            raise self.damage(path, error) from error
        except (apsw.BusyError, apsw.LockedError) as error:
            raise BusyStoreError(
                f"Another process is writing the {self.noun} {path} and does not end; try again."
            ) from error
        except apsw.SQLError as error:
            if _VECTOR_DAMAGE.match(str(error)) is not None:
                raise self.damage(path, f"its vectors: {error}") from error
            if _SCHEMA_DAMAGE.match(str(error)) is None:
                raise self.refused(
                    f"A statement on the {self.noun} was refused ({error}); this is a fault of Helix, not of your "
                    f"files or of the {self.noun}: report it with what you asked."
                ) from error
            raise self.damage(path, f"its schema: {error}") from error
        except apsw.Error as error:
            raise self.failed(self._explain(error, path)) from error

    def _explain(self, error: apsw.Error, path: str) -> str:
        folder = os.path.dirname(path) or "."
        match error:
            case apsw.FullError():
                return (
                    f"No room to write the {self.noun} {path}; free space on its disk, what was committed before is "
                    "kept."
                )
            case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.CantOpenError() | apsw.AuthError():
                return (
                    f"The {self.noun} {path} cannot be opened for writing; make {folder} writable or {self.elsewhere}."
                )
            case apsw.IOError():
                return (
                    f"Reading or writing the {self.noun} {path} failed ({error}); check the disk that holds {folder}."
                )
            case apsw.NoMemError():
                return f"Not enough memory for the {self.noun} {path}; close other programs and try again."
        return f"The {self.noun} {path} refused a statement ({error}); {self.otherwise}."

    def check(self, path: str, version: int, application_id: int) -> None:
        """Check the stamps of a file. Raises: NewerStoreError, ``not_ours``."""
        if application_id not in (self.application_id, 0):
            raise self.not_ours(f"The file {path} is another application's database; {self.foreign}.")
        if version > self.version:
            raise NewerStoreError(
                f"The {self.noun} {path} was written by a newer Helix (format {version}, this one knows "
                f"{self.version}); {self.newer}."
            )

    def open(self, path: str, *, suspect: bool = False) -> apsw.Connection:
        """Open the file, which may be empty, for writing, and bring it to this version.

        Every page is checked where the header does not fit the file, where a transaction was cut off, and where the
        file is ``suspect``. Several processes may open it at the same time.

        Raises: NewerStoreError and ``not_ours`` (the file is untouched), and what ``errors`` raises.
        """
        with self.errors(path):
            suspect = self._look(path) or suspect
            connection = connect(path, apsw.SQLITE_OPEN_READWRITE)
            try:
                self._set_up(path, connection, suspect)
            except BaseException:
                connection.close()
                raise
        return connection

    def _look(self, path: str) -> bool:
        """Return whether the header is odd enough for a check of every page."""
        if os.path.exists(f"{path}-journal"):
            # The header is unreliable until SQLite has rolled the transaction back.
            return True
        try:
            header = read_header(path)
        except ValueError as error:
            raise self.damage(path, error) from error
        if header is None:
            return False
        self.check(path, header.user_version, header.application_id)
        return is_truncated(path, header)

    def _set_up(self, path: str, connection: apsw.Connection, suspect: bool) -> None:
        if suspect:
            found = connection.execute("PRAGMA quick_check(1)").fetchall()
            if found != [("ok",)]:
                raise self.damage(path, found[0][0])
        stamps = _stamps(connection)
        if stamps[1] == 0:
            # These take effect only without tables.
            connection.execute(self.first)
        connection.execute(self.settings)
        if stamps != (self.version, self.application_id):
            self._bring_up_to_date(path, connection)
        _enter_wal(connection)

    def _bring_up_to_date(self, path: str, connection: apsw.Connection) -> None:
        """Create or migrate inside one write transaction, so that one of several processes does it and the others see
        the result.
        """
        connection.execute("BEGIN IMMEDIATE")
        try:
            version, application_id = _stamps(connection)
            self.check(path, version, application_id)
            if application_id == 0:
                self._create(path, connection)
            elif version < self.version:
                self._migrate(path, connection, version)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _create(self, path: str, connection: apsw.Connection) -> None:
        # SQLite's own tables, such as sqlite_stat1, cannot be dropped: they remain in a file that is emptied.
        tables = "SELECT 1 FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' LIMIT 1"
        if connection.execute(tables).fetchall():
            self.check(path, 0, -1)
        connection.execute(_sql_in(self.schema) + _sql_in(self.views))
        connection.execute(f"PRAGMA application_id={self.application_id}; PRAGMA user_version={self.version}")

    def _migrate(self, path: str, connection: apsw.Connection, version: int) -> None:
        if self.before_migration is not None:
            self.before_migration(path, version)
        while version < self.version:
            if version not in self.migrations and self.restart is not None:
                self.restart(connection)
                self._create(path, connection)
                return
            step = self.migrations[version]
            if callable(step):
                step(connection)
            else:
                connection.execute(step)
            version += 1
            connection.execute(f"PRAGMA user_version={version}")
        connection.execute(_sql_in(self.views))


def _sql_in(name: str) -> str:
    """Return the SQL of a file next to this module; "" without a name."""
    return Path(__file__).with_name(name).read_text("utf-8") if name else ""


def move_damaged_aside(path: Path, now: float, damaged: Identity | None) -> Path | None:
    """Move the damaged file aside; return its new path, None where another process has replaced it already.

    Call it under ``rebuild_lock``, and open the new file before the lock is released: until then it may be empty.
    ``now`` (Unix seconds) becomes part of the new name. Raises OSError.
    """
    return _move_aside(path, now) if file_identity(os.fspath(path)) == damaged else None


def rebuild_lock(path: Path) -> AbstractContextManager[object]:
    """Return the lock between processes that replace the file at ``path``."""
    from filelock import FileLock

    return FileLock(f"{path}.rebuild", timeout=BUSY_TIMEOUT_MS / 1000, mode=0o600)


def file_identity(file: str) -> Identity | None:
    """Return the device and inode of the file at the path; None when it is missing or empty."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if status.st_size else None


def _stamps(connection: apsw.Connection) -> tuple[int, int]:
    """Return the version and the application id."""
    return int(connection.pragma("user_version")), int(connection.pragma("application_id"))


def _enter_wal(connection: apsw.Connection) -> None:
    """Switch to WAL with retries: the busy timeout does not apply to a change of the journal mode."""
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            if connection.pragma("journal_mode") == "wal" or connection.pragma("journal_mode", "wal") == "wal":
                return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.005)


def create_private(path: Path) -> bool:
    """Create a file with mode 0600, or close the user's own to others; follow no link, wait for no pipe.

    Return whether it is a regular file of the user's. Raises OSError, also where the user may not write it.
    """
    if not create_new(path):
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or not is_users(status):
            return False
        close_to_others(path, status)
    return True


def create_new(path: Path) -> bool:
    """Create a file with mode 0600; return False where one is, which is not even opened: see ``read_header``.

    Linux makes it without a descriptor, whose end would cost another thread that found the file the locks it has taken
    meanwhile. Some file systems, as vfat, refuse that.
    """
    with suppress(PermissionError):
        if sys.platform == "linux":
            return _made(lambda: os.mknod(path, stat.S_IFREG | 0o600))
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    return _made(lambda: os.close(os.open(path, flags, 0o600)))


def _made(make: Callable[[], None]) -> bool:
    try:
        make()
    except FileExistsError:
        return False
    return True


def close_to_others(path: Path, status: os.stat_result) -> None:
    """Take a file's rights from all but its owner. Raises OSError, also where this user may not read and write it."""
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if os.name == "posix" and status.st_mode & 0o077:
        os.chmod(path, 0o600)
    if not os.access(path, os.R_OK | os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def is_users(status: os.stat_result) -> bool:
    """Return whether the user owns a file; true where files have no owner."""
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()


def _move_aside(path: Path, now: float) -> Path:
    """Rename the file and what SQLite keeps next to it; delete only the shared-memory file."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    number = 1
    while os.path.lexists(aside):
        number += 1
        aside = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    # Move the WAL first: SQLite would replay a WAL left next to a new file into it.
    for suffix in ("-wal", "-journal", ""):
        with suppress(FileNotFoundError):
            os.replace(f"{path}{suffix}", f"{aside}{suffix}")
    with suppress(FileNotFoundError):
        os.unlink(f"{path}-shm")
    return aside
