"""Open the memory file: create its private folder, refuse a newer format, move a damaged file aside, migrate.

Unlike the index, the memory cannot be rebuilt: nothing here deletes it, and a backup is made before a migration.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from helix_core.errors import BusyStoreError, CorruptMemoryError, CorruptStoreError, MemoryStoreError, NewerStoreError
from helix_core.store.sqlite_file import QueryBudgetError, connect, is_truncated, read_header

NAME = "memory.db"
APPLICATION_ID = 0x484C584D  # "HLXM"
SCHEMA_VERSION = 2
MIGRATIONS: dict[int, str] = {
    1: """
        CREATE TABLE used (
            id            INTEGER PRIMARY KEY AUTOINCREMENT,
            workspace_id  INTEGER NOT NULL REFERENCES workspace (id),
            session       TEXT    NOT NULL,
            path          BLOB    NOT NULL,
            at            REAL    NOT NULL
        ) STRICT;
        CREATE INDEX used_path ON used (workspace_id, path, at);
        CREATE INDEX used_session ON used (workspace_id, session, at);
    """,
}
"""SQL that migrates a file from the version that is its key to the next."""
_SIDECARS = ("-wal", "-journal")
_CACHE_KIB = 4 * 1024


@contextmanager
def memory_errors(path: str) -> Iterator[None]:
    """Translate SQLite's errors into errors that name the memory.

    Raises: CorruptMemoryError, QueryBudgetError, BusyStoreError, MemoryStoreError.
    """
    try:
        yield
    except apsw.InterruptError as error:
        raise QueryBudgetError from error
    except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, UnicodeDecodeError) as error:
        raise CorruptMemoryError(
            f"The memory {path} is damaged ({error}); it is set aside, whole, when it is used the next time."
        ) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise BusyStoreError(f"Another process is writing the memory {path} and does not end; try again.") from error
    except apsw.FullError as error:
        raise MemoryStoreError(f"No room to write the memory {path}; free space: nothing is lost.") from error
    except apsw.Error as error:
        raise MemoryStoreError(
            f"The memory {path} cannot be used ({error}); see that its folder is yours and can be written, or set "
            "HELIX_DATA_DIR to another."
        ) from error


def open_file(folder: Path, now: float, *, suspect: bool = False) -> tuple[apsw.Connection, str]:
    """Open or create the memory in ``folder``; return its connection and a notice for the user ("" for none).

    ``now`` (Unix seconds) becomes part of a damaged file's new name; ``suspect`` (it failed before) runs ``PRAGMA
    quick_check`` first. Raises: NewerStoreError (the file is untouched), MemoryStoreError (the folder or file is not
    the user's, cannot be written, or belongs to another application).
    """
    file = os.fspath(folder / NAME)
    prepare(folder)
    try:
        return _opened(file, suspect), ""
    except CorruptMemoryError as error:
        aside = _set_aside(file, now, suspect)
        return _opened(file), f"{_cause(error)} It was set aside as {aside}, whole; a new one was begun."


def prepare(folder: Path) -> None:
    """Create the folder (mode 0700, the user's own, no symlink) and a regular file in it (mode 0600)."""
    try:
        if not os.path.lexists(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            os.chmod(folder, 0o700)
        _own(os.lstat(folder), folder, stat.S_ISDIR, "folder")
        if os.name == "posix" and os.lstat(folder).st_mode & 0o077:
            os.chmod(folder, 0o700)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(folder / NAME, flags | getattr(os, "O_NONBLOCK", 0), 0o600)
    except OSError as error:
        raise MemoryStoreError(
            f"The memory {folder / NAME} cannot be written ({error.strerror}); make {folder} a folder of yours, "
            "or set HELIX_DATA_DIR to another."
        ) from error
    try:
        status = os.fstat(descriptor)
        _own(status, folder / NAME, stat.S_ISREG, "file")
        if os.name == "posix" and status.st_mode & 0o077:
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def _own(status: os.stat_result, path: Path, is_right: object, word: str) -> None:
    """Raise MemoryStoreError unless ``is_right`` and the user owns the path."""
    assert callable(is_right)
    if not is_right(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
        raise MemoryStoreError(f"{path} is no {word} of yours; remove it, or set HELIX_DATA_DIR to another folder.")


def _opened(file: str, suspect: bool = False) -> apsw.Connection:
    suspect = _look(file) or suspect
    with memory_errors(file):
        connection = connect(file, apsw.SQLITE_OPEN_READWRITE)
        try:
            _set_up(file, connection, suspect)
        except BaseException:
            connection.close()
            raise
    return connection


def _look(file: str) -> bool:
    """Return whether the header is odd enough for a check of every page. Raises for another application's file."""
    if os.path.exists(f"{file}-journal"):
        return True
    try:
        header = read_header(file)
    except CorruptStoreError as error:
        raise CorruptMemoryError(f"The memory {file} is damaged (no SQLite header).") from error
    if header is None:
        return False
    _check(file, header.user_version, header.application_id)
    return is_truncated(file, header)


def _check(file: str, version: int, application: int) -> None:
    if application not in (APPLICATION_ID, 0):
        raise MemoryStoreError(
            f"The file {file} is another application's database; move it, or set HELIX_DATA_DIR to another folder."
        )
    if version > SCHEMA_VERSION:
        raise NewerStoreError(
            f"The memory {file} was written by a newer Helix (format {version}, this one knows {SCHEMA_VERSION}); "
            "upgrade Helix. It is left as it is."
        )


def _set_up(file: str, connection: apsw.Connection, suspect: bool) -> None:
    if suspect:
        found = connection.execute("PRAGMA quick_check(1)").fetchall()
        if found != [("ok",)]:
            raise CorruptMemoryError(f"The memory {file} is damaged ({found[0][0]}).")
    connection.execute("PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON")
    connection.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
    if (connection.pragma("user_version"), connection.pragma("application_id")) != (SCHEMA_VERSION, APPLICATION_ID):
        _bring_up_to_date(file, connection)
    if connection.pragma("journal_mode") != "wal":
        connection.pragma("journal_mode", "wal")


def _bring_up_to_date(file: str, connection: apsw.Connection) -> None:
    """Create or migrate inside one write transaction, so that one of several processes does it and the others see the
    result.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        version, application = int(connection.pragma("user_version")), int(connection.pragma("application_id"))
        _check(file, version, application)
        if application == 0:
            if connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall():
                _check(file, 0, -1)
            connection.execute(Path(__file__).with_name("memory.sql").read_text("utf-8"))
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION}")
        elif version < SCHEMA_VERSION:
            _keep_copy(file, version)
            for step in range(version, SCHEMA_VERSION):
                connection.execute(MIGRATIONS[step])
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _keep_copy(file: str, version: int) -> None:
    """Back up the whole memory beside it before its format changes; read through SQLite, so the WAL is included.

    Raises MemoryStoreError.
    """
    copy = f"{file}.format-{version}"
    if os.path.exists(copy):
        return
    # Rename only a complete copy: an interrupted process starts over.
    making = f"{copy}.making"
    reader = connect(file, apsw.SQLITE_OPEN_READONLY)
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(making)
        os.close(os.open(making, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        reader.execute("VACUUM INTO ?", (making,))
        os.rename(making, copy)
    except OSError as error:
        raise MemoryStoreError(
            f"The memory {file} cannot be copied before its format changes ({error.strerror}); free space there."
        ) from error
    finally:
        reader.close()


def _set_aside(file: str, now: float, suspect: bool) -> str:
    """Rename the damaged file and its WAL; one of several processes does so, the others find it renamed."""
    from filelock import FileLock

    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    aside = f"{file}.damaged-{stamp}"
    try:
        with FileLock(f"{file}.lock", timeout=5, mode=0o600):
            try:
                _opened(file, suspect).close()
            except CorruptMemoryError:
                number = 1
                while os.path.lexists(aside):
                    number += 1
                    aside = f"{file}.damaged-{stamp}-{number}"
                os.rename(file, aside)
                for sidecar in _SIDECARS:
                    if os.path.lexists(file + sidecar):
                        os.rename(file + sidecar, aside + sidecar)
            prepare(Path(file).parent)
    except OSError as error:
        raise MemoryStoreError(f"The damaged memory {file} cannot be set aside ({error}); move it yourself.") from error
    return aside


def _cause(error: CorruptMemoryError) -> str:
    return str(error).partition("; it is set aside")[0].rstrip(".") + "."
