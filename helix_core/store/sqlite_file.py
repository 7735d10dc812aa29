"""One SQLite connection: its settings, limits and errors, and the header of a file before it is opened.

Header layout: SQLite, "Database File Format", section 1.3.
"""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from importlib.util import find_spec
from threading import get_ident
from typing import Any, TypeAlias

import apsw

from helix_core.errors import StoreError
from helix_core.tuples import NamedTuple

BUSY_TIMEOUT_MS = 5_000
STATEMENTS_KEPT = 512
"""How many executions ago a statement may have run to be still prepared: apsw keeps them in a ring, and a question runs
some sixty.
"""
BUSY_LOOK_S = 0.002
RANKING_STEPS_PER_MS = 8_000
"""SQLite instructions per millisecond, on an idle machine, of a query that ranks chunks by BM25."""
LONG_TEXT_STEPS_PER_MS = 4_000
"""The same for whole files, whose rows have many more postings."""
ROW_STEPS_PER_MS = 25_000
"""The same for plain rows and joins."""
_STEPS_PER_LOOK = 1_000
IN_SCOPE = "s.live = 1 AND s.id NOT IN temp.out_of_scope"
"""The condition on ``source s`` of every query that finds candidates: live, and not filtered out by ``narrowed``."""
_SCOPE = "CREATE TEMP TABLE out_of_scope (id INTEGER PRIMARY KEY)"
_LEAVE_OUT = """
    INSERT INTO temp.out_of_scope
    SELECT id FROM source WHERE live = 1 AND id NOT IN (SELECT value FROM json_each(?))
"""
Value: TypeAlias = int | float | str | bytes | None
Row: TypeAlias = tuple[Any, ...]


class QueryBudgetError(StoreError):
    """A query used up its instruction budget and was interrupted; the index itself is intact."""

    def __init__(self) -> None:
        super().__init__("The query ran out of its budget of work; ask with fewer or rarer words.")


def connect(path: str, flags: int) -> apsw.Connection:
    """Open a connection with a busy timeout, an untrusted schema, and cell size checks that find damaged pages."""
    connection = apsw.Connection(path, flags=flags, statementcachesize=STATEMENTS_KEPT)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.execute("PRAGMA cell_size_check=1; PRAGMA temp_store=MEMORY")
    return connection


def wait_when_busy(connection: apsw.Connection, wait_ms: int) -> None:
    """Let each statement of a writer wait at most ``wait_ms`` for a lock that another connection holds.

    It looks every ``BUSY_LOOK_S`` seconds. SQLite's own busy timeout sleeps longer at each look, up to 100 ms, so that
    a save could wait for as long again after the other transaction had ended.
    """
    until = 0.0

    def look_again(looks: int) -> bool:
        nonlocal until
        now = time.monotonic()
        if looks == 0:
            until = now + wait_ms / 1e3
        if now >= until:
            return False
        time.sleep(BUSY_LOOK_S)
        return True

    connection.set_busy_handler(look_again)


def allow_narrowing(connection: apsw.Connection) -> None:
    """Create what ``QuerySession.narrow`` needs; in memory, and of this connection alone."""
    connection.execute(_SCOPE)


def rows_of(connection: apsw.Connection, sql: str, bindings: Sequence[Value] = ()) -> list[Row]:
    """Execute a statement and return all rows."""
    return connection.execute(sql, tuple(bindings)).fetchall()


class QuerySession:
    """One connection shared by query objects: it bounds their work and translates their errors.

    ``translate`` returns the context manager that turns SQLite's errors into the errors of this file. With ``thread``
    set, queries from another thread raise RuntimeError. ``scope`` are the sources that ``narrow`` left, None for all.
    """

    def __init__(
        self,
        path: str,
        connection: apsw.Connection,
        budget_ms: float,
        translate: Callable[[str], AbstractContextManager[None]],
        *,
        thread: int | None = None,
    ) -> None:
        self.path = path
        self.connection = connection
        self.scope: Sequence[int] | None = None
        self._is_snapshot = False
        self._snapshot_version: int | None = None
        self._budget_ms = budget_ms
        self._translate = translate
        self._thread = thread

    def rows(self, sql: str, bindings: Sequence[Value] = ()) -> list[Row]:
        """Execute a statement and return all rows."""
        if self._thread is not None and get_ident() != self._thread:
            raise RuntimeError("A Reader belongs to the thread that made it; ask the Index for another.")
        try:
            return rows_of(self.connection, sql, bindings)
        except (apsw.Error, UnicodeDecodeError):
            # Entered only on an error: a question runs some eighty statements.
            with self.errors():
                raise

    def bounded_rows(
        self, sql: str, bindings: Sequence[Value] = (), steps_per_ms: int = RANKING_STEPS_PER_MS
    ) -> list[Row]:
        """Like ``rows``, but raise QueryBudgetError when the budget is used up.

        ``steps_per_ms`` converts the budget's milliseconds into instructions; it is a property of the query, so that
        neither the machine nor its load decides.
        """
        left = int(self._budget_ms * steps_per_ms / _STEPS_PER_LOOK)

        def is_spent() -> bool:
            nonlocal left
            left -= 1
            return left < 0

        self.connection.set_progress_handler(is_spent, _STEPS_PER_LOOK, id="budget")
        try:
            return self.rows(sql, bindings)
        finally:
            self.connection.set_progress_handler(None, id="budget")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block in one ``BEGIN IMMEDIATE`` transaction; roll back when it raises."""
        self.rows("BEGIN IMMEDIATE")
        try:
            yield
            self.rows("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.rows("ROLLBACK")
            raise

    def narrow(self, source_ids: Sequence[int]) -> None:
        """Restrict the queries with ``IN_SCOPE`` to these live sources, until ``widen``."""
        self.rows("PRAGMA query_only=0")
        self.rows(_LEAVE_OUT, (id_list(source_ids),))
        self.scope = tuple(source_ids)

    def widen(self) -> None:
        """Lift the restriction of ``narrow``."""
        self.scope = None
        self.rows("DELETE FROM temp.out_of_scope")
        self.rows("PRAGMA query_only=1")

    def errors(self) -> AbstractContextManager[None]:
        """Return a context manager that translates SQLite's errors."""
        return self._translate(self.path)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Run the block in one read transaction; within another one, in that."""
        if self.connection.in_transaction:
            yield
            return
        self.rows("BEGIN")
        self._is_snapshot = True
        try:
            yield
        finally:
            self._is_snapshot, self._snapshot_version = False, None
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

    def version(self) -> int:
        """Return SQLite's ``data_version``, which changes when another connection has written. It is asked for often,
        and stays the same while a snapshot lasts.
        """
        # An error may have ended the transaction.
        is_snapshot = self._is_snapshot and self.connection.in_transaction
        if is_snapshot and self._snapshot_version is not None:
            return self._snapshot_version
        version = int(self.rows("PRAGMA data_version")[0][0])
        if is_snapshot:
            self._snapshot_version = version
        return version

    def close(self) -> None:
        """Close the connection; the session cannot query afterwards."""
        with self.errors():
            self.connection.close()


def id_list(ids: Iterable[int]) -> str:
    """Encode ids as one JSON binding for ``json_each``."""
    # A list of whole numbers reads the same in JSON, and takes half as long to write.
    return str([*ids])


def text_list(texts: Iterable[str]) -> str:
    """Encode texts as one JSON binding for ``json_each``."""
    return json.dumps([*texts])


HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\0"


class Header(NamedTuple):
    """The SQLite header fields that identify the application and the expected file size."""

    page_size: int
    page_count: int
    user_version: int
    application_id: int


def read_header(path: str) -> Header | None:
    """Return the header of the file at ``path``, or None when the file is missing or empty.

    It is read through SQLite, whose close waits for the locks of this process: closing any other descriptor of the file
    ends the POSIX locks of every connection that the process has to it, and another process then takes a transaction
    that is being written for one that was cut off ("How To Corrupt An SQLite Database File", section 2.2).

    Raises: ValueError when the bytes are not an SQLite header; apsw.Error when they cannot be read.
    """
    if not os.path.exists(path):
        return None
    file = apsw.VFSFile("", path, [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        data = file.xRead(HEADER_BYTES, 0)
    finally:
        file.xClose()
    if not data:
        return None
    if len(data) < HEADER_BYTES or not data.startswith(_MAGIC):
        raise ValueError("no SQLite header")
    (page_size,) = struct.unpack_from(">H", data, 16)
    (page_count,) = struct.unpack_from(">I", data, 28)
    (user_version,) = struct.unpack_from(">I", data, 60)
    (application_id,) = struct.unpack_from(">I", data, 68)
    return Header(65536 if page_size == 1 else page_size, page_count, user_version, application_id)


def is_truncated(path: str, header: Header) -> bool:
    """Return whether the file is smaller than its header's page count: after a truncation, and during a checkpoint."""
    return os.path.getsize(path) < header.page_count * header.page_size


@cache
def _path() -> str:
    """Return the extension's shared library. Importing the package instead would import numpy, which a one-shot command
    cannot afford.
    """
    spec = find_spec("sqlite_vec")
    return os.path.join(os.path.dirname(spec.origin), "vec0") if spec is not None and spec.origin else ""


def load_vectors(connection: apsw.Connection) -> bool:
    """Load the sqlite-vec extension; return False when its library is missing or does not fit this machine."""
    path = _path()
    if not path:
        return False
    connection.enable_load_extension(True)
    try:
        connection.load_extension(path)
    except apsw.ExtensionLoadingError:
        return False
    finally:
        connection.enable_load_extension(False)
    return True
