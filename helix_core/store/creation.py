"""How an index file comes to be what this Helix expects: made, migrated, tuned.

Of several processes that open a new path at the same moment one makes the schema, inside one write transaction, and the
others wait for it and find it made.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import apsw

from helix_core.errors import CorruptStoreError, StoreError
from helix_core.store.header import APPLICATION_ID, check_owner, check_version
from helix_core.store.session import BUSY_TIMEOUT_MS, rows_of
from helix_core.store.vector_extension import load_vectors

SCHEMA_VERSION = 8
MIGRATIONS: dict[int, str] = {
    # Without the head it was read at, the history is read anew.
    5: """
        CREATE TABLE co_change (
            path BLOB NOT NULL, place INTEGER NOT NULL, other BLOB NOT NULL,
            together INTEGER NOT NULL, lift REAL NOT NULL, PRIMARY KEY (path, place)
        ) STRICT, WITHOUT ROWID;
        DELETE FROM meta WHERE key = 'commits_head';
    """,
    # What was set aside before has no attempts here, so it is tried again at once.
    6: """
        CREATE TABLE set_aside (
            path BLOB PRIMARY KEY, content_hash BLOB NOT NULL, reason TEXT NOT NULL,
            attempts INTEGER NOT NULL, tried_at REAL NOT NULL, limits TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX source_set_aside ON source (path) WHERE live = 1 AND skipped = 'quarantined';
    """,
    7: "CREATE TABLE IF NOT EXISTS pending (path BLOB PRIMARY KEY, is_new INTEGER NOT NULL) STRICT, WITHOUT ROWID;",
}
"""SQL that takes a file from the version that is its key to the next one; without one the index starts over, empty."""

_PAGE_SIZE = 4096
_WRITER_CACHE_KIB = 32 * 1024
_CHECKPOINT_PAGES = 4000
_WAL_KEPT_BYTES = 4 * 1024 * 1024


def prepare_file(path: Path) -> None:
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


def set_up(file: str, connection: apsw.Connection, suspect: bool) -> None:
    """Bring the file to this version and the connection to the writer's settings.

    ``suspect`` has every page looked at first. Raises CorruptStoreError, NewerStoreError, and what SQLite raises.
    """
    connection.execute("PRAGMA synchronous=NORMAL")
    if suspect:
        found = connection.execute("PRAGMA quick_check(1)").fetchall()
        if found != [("ok",)]:
            raise CorruptStoreError(f"The index {file} is damaged ({found[0][0]}); it will be moved aside and rebuilt.")
    version, application_id = _stamp(connection)
    if application_id == 0:
        # Only a file without tables takes these, and on one with tables the second waits for whoever writes.
        connection.execute(f"PRAGMA page_size={_PAGE_SIZE}; PRAGMA auto_vacuum=INCREMENTAL")
    if (version, application_id) != (SCHEMA_VERSION, APPLICATION_ID):
        _bring_up_to_date(file, connection)
    _enter_wal(connection)
    connection.execute(f"PRAGMA cache_size=-{_WRITER_CACHE_KIB}; PRAGMA journal_size_limit={_WAL_KEPT_BYTES}")
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
    # SQLite's own tables, like the one that counts rows, cannot be dropped: they stay in a file that starts over.
    foreign = "SELECT 1 FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' LIMIT 1"
    if connection.execute(foreign).fetchall():
        raise CorruptStoreError(
            f"The file {file} is another application's database; it will be moved aside and the index rebuilt."
        )
    connection.execute(Path(__file__).with_name("schema.sql").read_text("utf-8"))
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION}")


def _migrate(file: str, connection: apsw.Connection, version: int) -> None:
    while version < SCHEMA_VERSION:
        if version not in MIGRATIONS:
            _drop_all(connection)
            _create(file, connection)
            return
        connection.execute(MIGRATIONS[version])
        version += 1
        connection.execute(f"PRAGMA user_version={version}")


def _drop_all(connection: apsw.Connection) -> None:
    """The virtual tables first: they take the tables they are made of with them."""
    load_vectors(connection)
    for kind in ("CREATE VIRTUAL TABLE%", "CREATE TABLE%"):
        own = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql LIKE ?"
        for (name,) in rows_of(connection, own, (kind,)):
            connection.execute(f"DROP TABLE {name}")


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
