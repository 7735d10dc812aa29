"""The index file: create it, open it, refuse it, move it aside.

Opening is cheap: the header is read, and the whole file is checked only when something looks wrong. Damage that shows
later comes out of the queries as CorruptStoreError, and ``rebuild`` is the answer to both.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import resources
from pathlib import Path
from types import TracebackType

import apsw

from helix_core.errors import CorruptStoreError, StoreError
from helix_core.store.header import (
    APPLICATION_ID,
    check_owner,
    check_version,
    is_shorter_than_it_says,
    read_header,
)
from helix_core.store.reader import Reader
from helix_core.store.session import BUSY_TIMEOUT_MS, connect, translated
from helix_core.store.writer import Writer

SCHEMA_VERSION = 1
MIGRATIONS: dict[int, str] = {}
"""SQL that takes a file from the version that is its key to the next one."""

READ_BUDGET_MS = 50.0
_PAGE_SIZE = 4096
_WRITER_CACHE_KIB = 32 * 1024
_READER_CACHE_KIB = 16 * 1024
_CHECKPOINT_PAGES = 4000
_WAL_LIMIT_BYTES = 64 * 1024 * 1024


def printable(path: bytes) -> str:
    """A path as text: UTF-8, bytes that are not as ``\\xNN``."""
    return path.decode("utf-8", "backslashreplace")


class Index:
    """An open index file. Its writer is the only connection that writes and checkpoints; readers are one a thread."""

    def __init__(self, path: Path, connection: apsw.Connection, source_id_of: Callable[[bytes], str]) -> None:
        self.path = path
        self._file = os.fspath(path)
        self._connection = connection
        self._source_id_of = source_id_of
        self._identity = _identity(self._file)
        self._writer = Writer(self._file, connection, self._check_present)

    def writer(self) -> Writer:
        """The one writer; use it from one thread at a time."""
        return self._writer

    def reader(self, *, budget_ms: float = READ_BUDGET_MS) -> Reader:
        """A new reader for the calling thread. ``budget_ms`` bounds each full-text query (wall time)."""
        with translated(self._file):
            connection = connect(self._file, apsw.SQLITE_OPEN_READONLY)
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.wal_autocheckpoint(0)
            connection.execute(f"PRAGMA query_only=1; PRAGMA cache_size=-{_READER_CACHE_KIB}")
        return Reader(self._file, connection, budget_ms, self._source_id_of)

    def is_present(self) -> bool:
        """Is the file at the path still the one that was opened, and not emptied? One stat; ask every few seconds."""
        return _identity(self._file) == self._identity is not None

    def _check_present(self) -> None:
        if not self.is_present():
            raise CorruptStoreError(f"The index {self._file} was removed or replaced while open; it will be rebuilt.")

    def damage(self) -> str:
        """Read the whole file and say what is wrong with it; empty when nothing is. Takes seconds on a large index."""
        return damage_of(self._connection)

    def close(self) -> None:
        """Checkpoint and close. Readers that are still open go on and must be closed by their owners."""
        with translated(self._file):
            self._connection.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_index(path: Path, *, source_id_of: Callable[[bytes], str] = printable) -> Index:
    """Open the index at ``path``; create it, and its folder (mode 0700), when there is none.

    ``source_id_of`` gives the printable form of a path. Several processes may do this at the same moment.

    Raises: NewerStoreError (the file is untouched), CorruptStoreError (damaged, or not Helix's),
    StoreError (the folder or file cannot be written, the disk is full).
    """
    file = os.fspath(path)
    _prepare_file(path)
    header = read_header(file)
    suspect = False
    if header is not None:
        check_version(file, header.user_version, SCHEMA_VERSION)
        check_owner(file, header.application_id)
        suspect = is_shorter_than_it_says(file, header)
    with translated(file):
        connection = connect(file, apsw.SQLITE_OPEN_READWRITE)
        try:
            _set_up(file, connection, suspect)
        except BaseException:
            connection.close()
            raise
    return Index(path, connection, source_id_of)


def open_or_rebuild(path: Path, now: float, *, source_id_of: Callable[[bytes], str] = printable) -> tuple[Index, str]:
    """Open the index, or move a damaged or foreign file aside and start another.

    ``now`` (Unix seconds) names the file moved aside. Returns the index and a notice for the user, empty when there is
    nothing to say. Raises: as ``open_index``, but for CorruptStoreError.
    """
    emptied = os.path.exists(path) and os.path.getsize(path) == 0
    try:
        index = open_index(path, source_id_of=source_id_of)
    except CorruptStoreError as error:
        return rebuild(path, now, str(error), source_id_of=source_id_of)
    return index, f"The index {path} had been emptied; it is built again from the files." if emptied else ""


def rebuild(
    path: Path, now: float, cause: str, *, source_id_of: Callable[[bytes], str] = printable
) -> tuple[Index, str]:
    """Move the file at ``path`` aside and start an empty index; the answer to CorruptStoreError from a query.

    Returns the index and a notice. When another process has already done so, its new file is opened and kept.
    """
    from filelock import FileLock

    lock = FileLock(f"{os.fspath(path)}.lock", timeout=BUSY_TIMEOUT_MS / 1000)
    with lock:
        aside = _move_aside(path, now)
        index = open_index(path, source_id_of=source_id_of)
    return index, f"{cause} The old file is {aside}."


def damage_of(connection: apsw.Connection) -> str:
    """What SQLite's own checks find wrong, in one line; empty when nothing is."""
    try:
        rows = connection.execute("PRAGMA integrity_check(3)").fetchall()
    except (apsw.CorruptError, apsw.NotADBError) as error:
        return str(error)
    return "; ".join(str(row[0]) for row in rows if row[0] != "ok")


def _prepare_file(path: Path) -> None:
    """The folder is made for the user alone, and the file exists with mode 0600 before SQLite opens it."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as error:
        raise StoreError(
            f"The index {path} cannot be written ({error.strerror}); "
            f"make {path.parent} writable or choose another cache folder."
        ) from error
    try:
        if os.name == "posix" and os.fstat(descriptor).st_mode & 0o077:
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def _set_up(file: str, connection: apsw.Connection, suspect: bool) -> None:
    connection.execute(f"PRAGMA page_size={_PAGE_SIZE}; PRAGMA synchronous=NORMAL")
    if suspect:
        found = connection.execute("PRAGMA quick_check(1)").fetchall()
        if found != [("ok",)]:
            raise CorruptStoreError(f"The index {file} is damaged ({found[0][0]}); it will be moved aside and rebuilt.")
    version, application_id = _stamp(connection)
    if (version, application_id) != (SCHEMA_VERSION, APPLICATION_ID):
        _bring_up_to_date(file, connection)
    _enter_wal(connection)
    connection.execute(f"PRAGMA cache_size=-{_WRITER_CACHE_KIB}; PRAGMA journal_size_limit={_WAL_LIMIT_BYTES}")
    connection.wal_autocheckpoint(_CHECKPOINT_PAGES)


def _stamp(connection: apsw.Connection) -> tuple[int, int]:
    return int(connection.pragma("user_version")), int(connection.pragma("application_id"))


def _bring_up_to_date(file: str, connection: apsw.Connection) -> None:
    """Create or migrate inside one write transaction, so that of several processes one does it and the rest see it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version, application_id = _stamp(connection)
        check_version(file, version, SCHEMA_VERSION)
        check_owner(file, application_id)
        if application_id == 0:
            _create(file, connection)
        else:
            _migrate(file, connection, version)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _create(file: str, connection: apsw.Connection) -> None:
    if connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall():
        raise CorruptStoreError(
            f"The file {file} is another application's database; it will be moved aside and the index rebuilt."
        )
    connection.execute((resources.files("helix_core.store") / "schema.sql").read_text("utf-8"))
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION}")


def _migrate(file: str, connection: apsw.Connection, version: int) -> None:
    while version < SCHEMA_VERSION:
        if version not in MIGRATIONS:
            raise CorruptStoreError(
                f"The index {file} has the unknown format {version}; it will be moved aside and rebuilt."
            )
        connection.execute(MIGRATIONS[version])
        version += 1
        connection.execute(f"PRAGMA user_version={version}")


def _enter_wal(connection: apsw.Connection) -> None:
    """Changing the journal mode does not wait for others as a transaction does, so wait here."""
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            if connection.pragma("journal_mode") == "wal" or connection.pragma("journal_mode", "wal") == "wal":
                return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.005)


def _identity(file: str) -> tuple[int, int] | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if status.st_size else None


def _move_aside(path: Path, now: float) -> Path:
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    # The log goes first: left beside a new file it would be taken for that file's own.
    for suffix in ("-wal", ""):
        with suppress(FileNotFoundError):
            os.replace(f"{path}{suffix}", f"{aside}{suffix}")
    with suppress(FileNotFoundError):
        os.unlink(f"{path}-shm")
    return aside
