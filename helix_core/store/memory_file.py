"""The memory file: its format, its private folder, and the copy that is kept before its format changes.

Unlike the index, the memory cannot be rebuilt: nothing here deletes it, and a backup is made before a migration.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import apsw

from helix_core.errors import CorruptMemoryError, MemoryStoreError
from helix_core.store.lifecycle import (
    FileFormat,
    create_private,
    file_identity,
    is_users,
    move_damaged_aside,
    rebuild_lock,
)
from helix_core.store.memory_marks import begin_sums, marks_of
from helix_core.store.sqlite_file import connect

NAME = "memory.db"
SCHEMA_VERSION = 8


def _begin_chain(connection: apsw.Connection) -> None:
    """Keep the end of the log apart from it, and a sum over the rows: the step from format 4 to 5."""
    connection.execute("""
        CREATE TABLE chain (
            one    INTEGER PRIMARY KEY CHECK (one = 1),
            seq    INTEGER NOT NULL,
            head   TEXT    NOT NULL,
            marks  INTEGER NOT NULL
        ) STRICT
    """)
    connection.execute("""
        INSERT INTO chain
        SELECT 1, coalesce(max(seq), 0), coalesce((SELECT head FROM op ORDER BY seq DESC LIMIT 1), ''), 0 FROM op
    """)
    connection.execute("UPDATE chain SET marks = ?", (marks_of(connection.execute),))


MIGRATIONS: dict[int, str | Callable[[apsw.Connection], None]] = {
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
    2: Path(__file__).with_name("memory_3.sql").read_text("utf-8"),
    3: """
        CREATE TABLE pause (
            id                         INTEGER PRIMARY KEY AUTOINCREMENT,
            event_id                   TEXT    NOT NULL UNIQUE,
            workspace_id               INTEGER NOT NULL REFERENCES workspace (id),
            session                    TEXT    NOT NULL,
            pause_type                 TEXT    NOT NULL,
            participant                TEXT    NOT NULL,
            party                      TEXT    NOT NULL,
            task_context               TEXT    NOT NULL,
            resolved_without_operator  INTEGER NOT NULL,
            signals                    TEXT    NOT NULL,
            about                      TEXT    NOT NULL,
            files                      TEXT    NOT NULL,
            snapshot                   BLOB    NOT NULL,
            at                         REAL    NOT NULL,
            resolved_at                REAL
        ) STRICT;
        CREATE INDEX pause_workspace ON pause (workspace_id, id);
    """,
    4: _begin_chain,
    # What was kept before stays in force.
    5: "ALTER TABLE note ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;",
    6: begin_sums,
    # The vectors themselves are written when the memory is opened.
    7: """
        CREATE TABLE vector_space (
            id          INTEGER PRIMARY KEY,
            model       TEXT    NOT NULL UNIQUE,
            dimensions  INTEGER NOT NULL,
            next        INTEGER NOT NULL,
            removals    INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE item_vector (
            space   INTEGER NOT NULL REFERENCES vector_space (id),
            row     INTEGER NOT NULL,
            vector  BLOB    NOT NULL,
            PRIMARY KEY (space, row)
        ) STRICT, WITHOUT ROWID;
    """,
}
"""What takes a file from the version that is its key to the next one."""


def has_own_views(rows: Callable[[str], Iterable[Sequence[Any]]]) -> bool:
    """Return whether the file has the views that Helix makes, each as written, and no trigger; ``rows`` queries."""
    made = apsw.Connection(":memory:")
    try:
        made.execute(Path(__file__).with_name(MEMORY.views).read_text("utf-8"))
        sql = "SELECT type, name, sql FROM sqlite_master WHERE type IN ('view', 'trigger') ORDER BY name"
        return [tuple(row) for row in rows(sql)] == [tuple(row) for row in made.execute(sql)]
    finally:
        made.close()


def open_file(folder: Path, now: float, *, suspect: bool = False) -> tuple[apsw.Connection, str]:
    """Open or create the memory in ``folder``; return its connection and a notice for the user ("" for none).

    ``now`` (Unix seconds) becomes part of a damaged file's new name; ``suspect`` (it failed before) runs ``PRAGMA
    quick_check`` first. Raises: NewerStoreError (the file is untouched), MemoryStoreError (the folder or file is not
    the user's, cannot be written, or belongs to another application).
    """
    file = os.fspath(folder / NAME)
    prepare(folder)
    path, damaged = folder / NAME, file_identity(file)
    try:
        return MEMORY.open(file, suspect=suspect), ""
    except CorruptMemoryError as error:
        try:
            with rebuild_lock(path):
                aside = move_damaged_aside(path, now, damaged)
                prepare(folder)
                connection = MEMORY.open(file)
        except OSError as cause:
            raise MemoryStoreError(
                f"The damaged memory {file} cannot be moved aside ({cause}); move it yourself."
            ) from error
        moved = f"It was set aside as {aside}, whole; a new one was begun." if aside else "A new one was begun."
        return connection, f"{_cause(error)} {moved}"


def prepare(folder: Path) -> None:
    """Create the folder (mode 0700, the user's own, no symlink) and a regular file in it (mode 0600)."""
    try:
        if not os.path.lexists(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            os.chmod(folder, 0o700)
        status = os.lstat(folder)
        if not stat.S_ISDIR(status.st_mode) or not is_users(status):
            raise _not_yours(folder, "folder")
        if os.name == "posix" and os.lstat(folder).st_mode & 0o077:
            os.chmod(folder, 0o700)
        is_own = create_private(folder / NAME)
    except OSError as error:
        raise MemoryStoreError(
            f"The memory {folder / NAME} cannot be written ({error.strerror}); make {folder} a folder of yours, "
            "or set HELIX_DATA_DIR to another."
        ) from error
    if not is_own:
        raise _not_yours(folder / NAME, "file")


def _not_yours(path: Path, word: str) -> MemoryStoreError:
    return MemoryStoreError(f"{path} is not a {word} of yours; remove it, or set HELIX_DATA_DIR to another folder.")


def _keep_copy(file: str, version: int) -> None:
    """Back up the whole memory next to its file before its format changes; read through SQLite, so the WAL is included.

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


def _cause(error: CorruptMemoryError) -> str:
    return str(error).partition("; it is set aside")[0].rstrip(".") + "."


MEMORY = FileFormat(
    noun="memory",
    application_id=0x484C584D,  # "HLXM"
    version=SCHEMA_VERSION,
    schema="memory.sql",
    views="memory_views.sql",
    migrations=MIGRATIONS,
    damaged=CorruptMemoryError,
    refused=MemoryStoreError,
    failed=MemoryStoreError,
    not_ours=MemoryStoreError,
    remedy="it is set aside, whole, when it is used the next time",
    elsewhere="set HELIX_DATA_DIR to another folder",
    otherwise="see that its folder is yours and can be written, or set HELIX_DATA_DIR to another",
    newer="upgrade Helix. It is left as it is",
    foreign="move it, or set HELIX_DATA_DIR to another folder",
    settings="PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON; PRAGMA cache_size=-4096",
    before_migration=_keep_copy,
)
