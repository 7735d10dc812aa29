"""The file of a trail: its entries in order and its flags. One a workspace, removed whole when it is forgotten."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from helix_core.errors import TrailStoreError
from helix_core.store.lifecycle import FileFormat, create_private
from helix_core.store.sqlite_file import QuerySession
from helix_core.tuples import NamedTuple

QUERY_BUDGET_MS = 200.0
_SUFFIXES = ("-wal", "-journal", "-shm", "")

TRAIL = FileFormat(
    noun="trail",
    application_id=0x484C5854,  # "HLXT"
    version=1,
    schema="trail.sql",
    migrations={},
    damaged=TrailStoreError,
    refused=TrailStoreError,
    failed=TrailStoreError,
    not_ours=TrailStoreError,
    remedy="helix where --forget removes it, and a new one begins",
    elsewhere="choose another cache folder",
    otherwise="helix where --forget removes it",
    newer="upgrade Helix, or forget the trail with helix where --forget",
    foreign="move it away",
    # What has left the ring is overwritten.
    settings="PRAGMA secure_delete=ON",
)


class TrailChange(NamedTuple):
    """Entries to add, each a step (None for what is not a look) and a body; they replace all where it ``replaces``."""

    entries: Sequence[tuple[int | None, str]] = ()
    flags: Collection[str] = ()
    replaces: bool = False


class TrailFile:
    """The trail's file at ``path``. It is open only while a method runs, so that it can be removed at any time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def state(self) -> object:
        """Return a value that changes when the file does; None where there is none."""
        found = []
        for suffix in ("", "-wal"):
            with suppress(OSError):
                status = os.lstat(f"{self._path}{suffix}")
                found.append((suffix, status.st_ino, status.st_size, status.st_mtime_ns))
        return found or None

    def exists(self) -> bool:
        """Return whether there is a file."""
        return os.path.lexists(self._path)

    def read(self, most: int = -1) -> tuple[list[str], list[str]]:
        """Return the bodies of the newest ``most`` entries (-1: all), oldest first, and the flags; nothing where there
        is not a file.

        Raises: TrailStoreError, NewerStoreError.
        """
        if not self.exists():
            return [], []
        with self._opened() as session:
            newest = session.rows("SELECT body FROM entry ORDER BY seq DESC LIMIT ?", (most,))
            return [row[0] for row in reversed(newest)], [
                row[0] for row in session.rows("SELECT name FROM flag ORDER BY name")
            ]

    def append(self, make: Callable[[int, str | None], tuple[int | None, str]], most: int) -> None:
        """Add an entry in one transaction, and delete the oldest where there are more than ``most``.

        ``make`` gets the newest step (-1 for none) and the body of the last entry, and returns the step of the new
        one, None for an entry that is not a look, and its body. A missing folder or file is made.

        Raises: TrailStoreError, NewerStoreError, BusyStoreError.
        """
        self._create()
        with self._opened() as session, session.transaction():
            newest = session.rows("SELECT coalesce(max(step), -1) FROM entry")[0][0]
            last = session.rows("SELECT body FROM entry ORDER BY seq DESC LIMIT 1")
            session.rows("INSERT INTO entry (step, body) VALUES (?, ?)", make(newest, last[0][0] if last else None))
            session.rows("DELETE FROM entry WHERE seq <= (SELECT max(seq) FROM entry) - ?", (most,))

    def change(self, decide: Callable[[list[str], list[str]], TrailChange], most: int) -> None:
        """Apply what ``decide`` makes of the bodies and the flags, in one transaction that no other writer enters.

        The newest ``most`` entries are kept. Whatever ``decide`` raises leaves the file as it was.

        Raises: TrailStoreError, NewerStoreError, BusyStoreError.
        """
        self._create()
        with self._opened() as session, session.transaction():
            bodies = [row[0] for row in session.rows("SELECT body FROM entry ORDER BY seq")]
            made = decide(bodies, [row[0] for row in session.rows("SELECT name FROM flag ORDER BY name")])
            if made.replaces:
                session.rows("DELETE FROM entry")
            for step, body in made.entries:
                session.rows("INSERT INTO entry (step, body) VALUES (?, ?)", (step, body))
            session.rows("DELETE FROM entry WHERE seq <= (SELECT coalesce(max(seq), 0) FROM entry) - ?", (most,))
            for flag in made.flags:
                session.rows("INSERT OR IGNORE INTO flag VALUES (?)", (flag,))

    def set_flag(self, name: str) -> None:
        """Set a flag for good. Raises: TrailStoreError, NewerStoreError, BusyStoreError."""
        self._create()
        with self._opened() as session:
            session.rows("INSERT OR IGNORE INTO flag VALUES (?)", (name,))

    def forget(self) -> bool:
        """Remove the file and all that SQLite keeps next to it; return whether there was one. Raises: OSError."""
        found = False
        for suffix in _SUFFIXES:
            with suppress(FileNotFoundError):
                os.unlink(f"{self._path}{suffix}")
                found = True
        return found

    def _create(self) -> None:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            is_own = create_private(self._path)
        except OSError as error:
            raise TrailStoreError(
                f"The trail {self._path} cannot be written ({error.strerror}); make {self._path.parent} writable."
            ) from error
        if not is_own:
            raise TrailStoreError(f"The trail {self._path} is not a file of yours; remove it.")

    @contextmanager
    def _opened(self) -> Iterator[QuerySession]:
        if self._path.is_symlink():
            raise TrailStoreError(f"The trail {self._path} is a link and is not followed; remove it.")
        path = os.fspath(self._path)
        session = QuerySession(path, TRAIL.open(path), QUERY_BUDGET_MS, TRAIL.errors)
        try:
            yield session
        finally:
            session.close()
