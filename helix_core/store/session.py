"""One SQLite connection: how it is set up, how its failures become Helix's errors, how long a query may take."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any, TypeAlias

import apsw

from helix_core.errors import BusyStoreError, CorruptStoreError, StoreError

BUSY_TIMEOUT_MS = 5_000
_PROGRESS_STEPS = 2_000

Value: TypeAlias = int | float | str | bytes | None
Row: TypeAlias = tuple[Any, ...]


class QueryTimeoutError(StoreError):
    """A query used up its time budget and was stopped; nothing is wrong with the index."""


def connect(path: str, flags: int) -> apsw.Connection:
    """A connection that waits for others, trusts nothing a schema names, and notices damaged pages early."""
    connection = apsw.Connection(path, flags=flags)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.execute("PRAGMA cell_size_check=1; PRAGMA temp_store=MEMORY")
    return connection


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn SQLite's failures into a ``StoreError`` that says what to do next.

    Raises: CorruptStoreError for a damaged or foreign file, QueryTimeoutError for a query stopped by its budget,
    BusyStoreError when another connection writes for longer than this one waits, StoreError for everything else
    SQLite reports.
    """
    try:
        yield
    except apsw.InterruptError as error:
        raise QueryTimeoutError("The query ran out of its time budget; ask with fewer or rarer words.") from error
    except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, UnicodeDecodeError) as error:
        raise CorruptStoreError(
            f"The index {path} is damaged ({error}); it will be moved aside and rebuilt."
        ) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise BusyStoreError(f"Another process is writing the index {path} and does not end; try again.") from error
    except apsw.Error as error:
        raise StoreError(_explain(error, path)) from error


def _explain(error: apsw.Error, path: str) -> str:
    folder = os.path.dirname(path) or "."
    match error:
        case apsw.FullError():
            return f"No room to write the index {path}; free space on its disk, what was committed before is kept."
        case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.CantOpenError() | apsw.AuthError():
            return (
                f"The index {path} cannot be opened for writing; make {folder} writable or choose another cache folder."
            )
        case apsw.IOError():
            return f"Reading or writing the index {path} failed ({error}); check the disk that holds {folder}."
        case apsw.NoMemError():
            return f"Not enough memory for the index {path}; close other programs and try again."
    return f"The index {path} refused a statement ({error}); delete the file to have it rebuilt."


def rows_of(connection: apsw.Connection, sql: str, bindings: Sequence[Value] = ()) -> list[Row]:
    """All rows of a statement."""
    return connection.execute(sql, tuple(bindings)).fetchall()


class Session:
    """What every group of queries stands on: one read connection, used by the thread that made it."""

    def __init__(self, path: str, connection: apsw.Connection, budget_ms: float) -> None:
        self._path = path
        self._connection = connection
        self._budget_ms = budget_ms
        self._thread = get_ident()

    def _rows(self, sql: str, bindings: Sequence[Value] = ()) -> list[Row]:
        if get_ident() != self._thread:
            raise RuntimeError("A Reader belongs to the thread that made it; ask the Index for another.")
        with translated(self._path):
            return rows_of(self._connection, sql, bindings)

    def _timed_rows(self, sql: str, bindings: Sequence[Value] = ()) -> list[Row]:
        """The same, stopped with QueryTimeoutError when the budget is used up."""
        deadline = time.perf_counter() + self._budget_ms / 1000

        def late() -> bool:
            return time.perf_counter() > deadline

        self._connection.set_progress_handler(late, _PROGRESS_STEPS, id="budget")
        try:
            return self._rows(sql, bindings)
        finally:
            self._connection.set_progress_handler(None, id="budget")


def id_list(ids: Iterable[int]) -> str:
    """Ids as one binding, read in SQL by ``json_each``."""
    return json.dumps([*ids])


def text_list(texts: Iterable[str]) -> str:
    """Texts as one binding, read in SQL by ``json_each``."""
    return json.dumps([*texts])
