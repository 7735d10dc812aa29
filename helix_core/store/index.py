"""The index file: its format, its writer and readers, and the rebuild of a damaged one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import apsw

from helix_core.errors import CorruptStoreError, RefusedStatementError, StoreError
from helix_core.store.lifecycle import (
    FileFormat,
    Identity,
    close_to_others,
    create_new,
    file_identity,
    move_damaged_aside,
    rebuild_lock,
)
from helix_core.store.reader import Reader
from helix_core.store.sqlite_file import allow_narrowing, connect, load_vectors, rows_of
from helix_core.store.writer import Writer

SCHEMA_VERSION = 12
MIGRATIONS: dict[int, str] = {
    # Without the stored HEAD, the next refresh reads the whole history again.
    5: """
        CREATE TABLE co_change (
            path BLOB NOT NULL, place INTEGER NOT NULL, other BLOB NOT NULL,
            together INTEGER NOT NULL, lift REAL NOT NULL, PRIMARY KEY (path, place)
        ) STRICT, WITHOUT ROWID;
        DELETE FROM meta WHERE key = 'commits_head';
    """,
    # Files quarantined earlier have no attempt count here, so they are retried at once.
    6: """
        CREATE TABLE set_aside (
            path BLOB PRIMARY KEY, content_hash BLOB NOT NULL, reason TEXT NOT NULL,
            attempts INTEGER NOT NULL, tried_at REAL NOT NULL, limits TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX source_set_aside ON source (path) WHERE live = 1 AND skipped = 'quarantined';
    """,
    7: "CREATE TABLE IF NOT EXISTS pending (path BLOB PRIMARY KEY, is_new INTEGER NOT NULL) STRICT, WITHOUT ROWID;",
    # A file with secrets has no spans here until it is indexed again; until then each answer looks for them.
    8: """
        CREATE TABLE IF NOT EXISTS secret (
            source_id INTEGER NOT NULL, start_byte INTEGER NOT NULL, end_byte INTEGER NOT NULL, kind TEXT NOT NULL,
            PRIMARY KEY (source_id, start_byte)
        ) STRICT, WITHOUT ROWID;
    """,
    # Whether a name was guessed is not known here: until a file is indexed again, its places claim none.
    9: "ALTER TABLE item ADD COLUMN claimed INTEGER NOT NULL DEFAULT 0;",
    # Until a file is indexed again, its definitions are taken for those that their item is named after.
    10: "ALTER TABLE definition ADD COLUMN trail TEXT;",
    11: "CREATE INDEX IF NOT EXISTS source_unreadable ON source (path) WHERE live = 1 AND skipped = 'unreadable';",
}
"""SQL that migrates a file from the version that is its key to the next; without one the index is rebuilt."""


def create_private_file(path: Path) -> None:
    """Create the folder (mode 0700) and the file (mode 0600) before SQLite opens it."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not create_new(path):
            close_to_others(path, os.stat(path))
    except OSError as error:
        raise StoreError(
            f"The index {path} cannot be written ({error.strerror}); "
            f"make {path.parent} writable or choose another cache folder."
        ) from error


def _drop_all(connection: apsw.Connection) -> None:
    """Drop every table, virtual tables first: they drop their shadow tables with them."""
    load_vectors(connection)
    for kind in ("CREATE VIRTUAL TABLE%", "CREATE TABLE%"):
        own = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql LIKE ?"
        for (name,) in rows_of(connection, own, (kind,)):
            connection.execute(f"DROP TABLE {name}")


INDEX = FileFormat(
    noun="index",
    application_id=0x48454C58,  # "HELX"
    version=SCHEMA_VERSION,
    schema="schema.sql",
    migrations=MIGRATIONS,
    damaged=CorruptStoreError,
    refused=RefusedStatementError,
    failed=StoreError,
    not_ours=CorruptStoreError,
    remedy="it will be moved aside and rebuilt",
    elsewhere="choose another cache folder",
    otherwise="delete the file to have it rebuilt",
    newer="upgrade Helix, or delete the file to have it rebuilt",
    foreign="it will be moved aside and the index rebuilt",
    first="PRAGMA page_size=4096; PRAGMA auto_vacuum=INCREMENTAL",
    # Deleted text is overwritten where its page is written anyway; incremental_vacuum returns free pages to the disk.
    settings="PRAGMA synchronous=NORMAL; PRAGMA secure_delete=FAST; PRAGMA cache_size=-32768;"
    "PRAGMA journal_size_limit=4194304; PRAGMA wal_autocheckpoint=4000",
    restart=_drop_all,
)

READ_BUDGET_MS = 50.0
_READER_CACHE_KIB = 8 * 1024
_BEING_MADE_S = 5.0


def printable(path: bytes) -> str:
    r"""Decode a path as UTF-8, with invalid bytes as ``\xNN``."""
    return path.decode("utf-8", "backslashreplace")


class Index:
    """An open index file. Its writer is the only connection that writes and checkpoints; each thread has its own
    reader.
    """

    def __init__(self, path: Path, connection: apsw.Connection, source_id_of: Callable[[bytes], str]) -> None:
        self.path = path
        self._file = os.fspath(path)
        self._connection = connection
        self._source_id_of = source_id_of
        self.identity = file_identity(self._file)
        self.is_open = True
        self._writer = Writer(self._file, connection, self._check_present, INDEX.errors)

    def writer(self) -> Writer:
        """The writer connection; use it from one thread at a time."""
        return self._writer

    def reader(self, *, budget_ms: float = READ_BUDGET_MS) -> Reader:
        """Return a new reader for the calling thread.

        ``budget_ms`` limits the work of each full-text query, in SQLite instructions: as many as an idle machine
        executes in about that many milliseconds. Instructions are counted, not timed, so load never changes an answer.
        """
        with INDEX.errors(self._file):
            connection = connect(self._file, apsw.SQLITE_OPEN_READONLY)
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.wal_autocheckpoint(0)
            allow_narrowing(connection)
            connection.execute(f"PRAGMA query_only=1; PRAGMA cache_size=-{_READER_CACHE_KIB}")
        return Reader(self._file, connection, budget_ms, self._source_id_of, INDEX.errors)

    def is_present(self) -> bool:
        """Check with one stat that the path still holds the file that was opened, and that it is not empty; cheap
        enough to call every few seconds. False once it is closed: the path may hold the same inode again.
        """
        return self.is_open and file_identity(self._file) == self.identity is not None

    def _check_present(self) -> None:
        if not self.is_present():
            raise CorruptStoreError(f"The index {self._file} was removed or replaced while open; it will be rebuilt.")

    def damage(self) -> str:
        """Run SQLite's integrity check on the whole file and describe the damage, or return "". Takes seconds on a
        large index.
        """
        return integrity_errors(self._connection)

    def close(self) -> None:
        """Checkpoint and close the writer. Open readers keep working; their owners must close them."""
        self.is_open = False
        with INDEX.errors(self._file):
            self._connection.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_index(path: Path, *, source_id_of: Callable[[bytes], str] = printable) -> Index:
    """Open the index at ``path``; create it, and its folder (mode 0700), when there is none.

    ``source_id_of`` returns the printable form of a path. Several processes may call this at the same time.

    Raises: NewerStoreError (the file is untouched), CorruptStoreError (damaged, or not Helix's), StoreError (the folder
    or file cannot be written, the disk is full).
    """
    file = os.fspath(path)
    create_private_file(path)
    return Index(path, INDEX.open(file), source_id_of)


def open_or_rebuild(path: Path, now: float, *, source_id_of: Callable[[bytes], str] = printable) -> tuple[Index, str]:
    """Open the index, or move a damaged or foreign file aside and create an empty one.

    ``now`` (Unix seconds) becomes part of the moved file's name. Returns the index and a notice for the user, or "" for
    none. Raises the errors of ``open_index`` except CorruptStoreError.
    """
    file = os.fspath(path)
    damaged = file_identity(file)
    emptied = damaged is None and os.path.exists(file) and now - os.path.getmtime(file) > _BEING_MADE_S
    try:
        index = open_index(path, source_id_of=source_id_of)
    except CorruptStoreError as error:
        return rebuild(path, now, str(error), damaged=damaged, source_id_of=source_id_of)
    return index, f"The index {file} had been emptied; it is built again from the files." if emptied else ""


def rebuild(
    path: Path,
    now: float,
    cause: str,
    *,
    damaged: Identity | None,
    source_id_of: Callable[[bytes], str] = printable,
) -> tuple[Index, str]:
    """Move the damaged file aside and create an empty index: the recovery from any CorruptStoreError.

    Close the damaged index and its readers first, and pass its ``identity``: when another process has already replaced
    the file, the new one is opened and kept. Returns the index and a notice that begins with ``cause``.

    Args:
        path: The index file.
        now: Unix seconds, for the name of the file that is moved aside.
        cause: What is damaged, as a sentence for the notice.
        damaged: The identity of the damaged file.
        source_id_of: The name of a path in the new index.

    Raises: StoreError when the file cannot be moved or a new one cannot be created.
    """
    from filelock import Timeout

    file = os.fspath(path)
    try:
        with rebuild_lock(path):
            aside = move_damaged_aside(path, now, damaged)
            index = open_index(path, source_id_of=source_id_of)
    except Timeout as error:
        raise StoreError(f"Another process is rebuilding the index {file}; try again.") from error
    except OSError as error:
        raise StoreError(
            f"The damaged index {file} cannot be moved aside ({error.strerror}); delete it or make its folder writable."
        ) from error
    return index, f"{cause} The old file is {aside}." if aside else cause


def integrity_errors(connection: apsw.Connection) -> str:
    """Run SQLite's integrity check; return up to three findings as one line, or "" for an intact file."""
    try:
        rows = connection.execute("PRAGMA integrity_check(3)").fetchall()
    except (apsw.CorruptError, apsw.NotADBError) as error:
        return str(error)
    return "; ".join(str(row[0]) for row in rows if row[0] != "ok")
