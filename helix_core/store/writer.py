"""All writes to the index: one connection, one transaction a batch, each file replaced whole."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

import apsw

from helix_core.model import (
    Authority,
    Document,
    LastCommit,
    Level,
    Role,
    SetAside,
    SourceKind,
    StatSignature,
    Volatility,
)
from helix_core.store.rows import (
    Ids,
    check_clean,
    claim_rows,
    definition_rows,
    delete_version,
    file_text,
    item_rows,
    link_rows,
    parked_to_prune,
    path_words,
    profile_of,
    signature_values,
    stem_of,
)
from helix_core.store.sources import replace_co_changes
from helix_core.store.sqlite_file import BUSY_TIMEOUT_MS, Row, rows_of, wait_when_busy
from helix_core.store.vector_rows import VectorRows

RULES = "rules"
"""Meta key of the record of the ignore rules at the last listing of the files; empty when unknown."""
OVER_LIMIT_FILES = "over_limit_files"
"""The key of how many files the last listing left out for being more than the settings allow; empty for none."""
NOT_INCLUDED_FILES = "not_included_files"
"""The key of how many files the last listing left out for being none of those to include; empty for none."""
TABLES = ("chunk_fts", "file_fts", "ref_fts", "name_fts")
_BULK_SETTINGS = {"automerge": 0, "crisismerge": 256}
_NORMAL_SETTINGS = {"automerge": 4, "crisismerge": 16}
_BULK_LOAD = "filling"
_PAGES_PER_STEP = 500


def is_bulk_loading(connection: apsw.Connection) -> bool:
    """Return whether a first build has started and not finished."""
    return bool(rows_of(connection, "SELECT 1 FROM meta WHERE key = ?", (_BULK_LOAD,)))


def is_empty(connection: apsw.Connection) -> bool:
    """Return whether the index has no source."""
    return not rows_of(connection, "SELECT 1 FROM source LIMIT 1")


def disable_automerge(connection: apsw.Connection) -> None:
    """Disable FTS5 automerge during a bulk load; ``optimize()`` merges once at the end."""
    _configure(connection, _BULK_SETTINGS)
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, '1')", (_BULK_LOAD,))


def enable_automerge(connection: apsw.Connection) -> None:
    """Enable FTS5 automerge: each write merges a little."""
    _configure(connection, _NORMAL_SETTINGS)
    connection.execute("DELETE FROM meta WHERE key = ?", (_BULK_LOAD,))


def merge_step(connection: apsw.Connection, table: str, *, is_first: bool) -> bool:
    """Run one bounded FTS5 ``merge`` step towards a single segment; return False when nothing is left to merge.

    The first step, with a negative page count, puts all segments into one merge; a step that changes fewer than two
    rows had nothing to merge ("FTS5", section 6.6; sqlite.org/fts5.html).
    """
    before = connection.total_changes()
    pages = -_PAGES_PER_STEP if is_first else _PAGES_PER_STEP
    connection.execute(f"INSERT INTO {table}({table}, rank) VALUES ('merge', ?)", (pages,))
    return connection.total_changes() - before >= 2


def delete_all_postings(connection: apsw.Connection) -> None:
    """Delete all postings of every full-text table."""
    for table in TABLES:
        connection.execute(f"INSERT INTO {table}({table}) VALUES ('delete-all')")


def _configure(connection: apsw.Connection, settings: dict[str, int]) -> None:
    for table in TABLES:
        for name, value in settings.items():
            connection.execute(f"INSERT INTO {table}({table}, rank) VALUES (?, ?)", (name, value))


_POLL_S = 0.003
# A writer that only looks whether anybody waits holds the lock file for some microseconds.
_RESERVE_WAIT_S = 0.01


class WriteQueue:
    """A fair queue for the write lock of one index file, as seen by one writing connection: several processes write in
    turn, each waits for at most one transaction.

    SQLite's own lock is not fair: a process that commits and begins again at once starves all that poll for it. So a
    waiter holds a lock file next to the index until it gets SQLite's lock. A writer that begins again takes the lock
    file first, and a long transaction can check for a waiter and commit early.
    """

    def __init__(self, path: str) -> None:
        self._file = f"{os.path.splitext(path)[0]}.queue"
        self._reserved: int | None = None

    @contextmanager
    def ticket(self, wait_ms: int) -> Iterator[None]:
        """Hold the lock file during the block, which begins the transaction.

        A writer with a short busy timeout does not queue. The same holds when the lock file cannot be locked in time or
        at all: the write itself reports what is wrong with the folder.
        """
        if self._reserved is not None:
            try:
                yield
            finally:
                self._give_up()
            return
        held = self._acquired(wait_ms / 1e3) if wait_ms >= BUSY_TIMEOUT_MS else None
        try:
            yield
        finally:
            if held is not None:
                os.close(held)

    @contextmanager
    def reserved(self, wait_ms: int) -> Iterator[None]:
        """Hold the lock file until the first ``ticket`` of the block has ended, or else to the end of the block.

        Where another writer holds it, that one goes first, and the ticket queues as usual.
        """
        self._reserved = self._acquired(_RESERVE_WAIT_S) if wait_ms >= BUSY_TIMEOUT_MS else None
        try:
            yield
        finally:
            self._give_up()

    def _give_up(self) -> None:
        if self._reserved is not None:
            held, self._reserved = self._reserved, None
            os.close(held)

    def has_waiter(self) -> bool:
        """Return whether another connection holds the lock file. A bulk run asks after each file."""
        try:
            descriptor = os.open(self._file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            # Nobody has waited yet.
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        return False

    def _acquired(self, wait_s: float) -> int | None:
        """Return a descriptor whose lock ends when it is closed; None after ``wait_s``, or when no lock can be had.

        By flock(2), as ``FileLock`` does, which takes twenty times as long: a refresh of five files locks 25 times.
        """
        try:
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError:
            return None
        is_locked = False
        try:
            is_locked = _lock(descriptor, time.monotonic() + wait_s)
        finally:
            if not is_locked:
                os.close(descriptor)
        return descriptor if is_locked else None


def _lock(descriptor: int, until: float) -> bool:
    """Lock a file; False where another holds it ``until`` then, and where the file system locks none."""
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(_POLL_S)
        except OSError:
            return False
        else:
            return True


_CHECKPOINT_WAIT_MS = 100
_ROWS = ["source", "profile", "item", "kind", "name", "definition", "claim", "link", "target", "last_commit", "meta"]
_ROWS += ["embedded", "stands_in", "co_change", "set_aside", "pending"]
_SOURCES = "source s JOIN profile p ON p.id = s.profile_id"
_INSERT_SOURCE = f"INSERT INTO source VALUES ({', '.join('?' * 19)})"
_INSERT_ITEM = f"INSERT INTO item VALUES ({', '.join('?' * 11)})"
_INSERT_CHUNK = "INSERT INTO chunk_fts(rowid, path, names, doc, body, extra) VALUES (?, ?, ?, ?, ?, ?)"
_INSERT_FILE = "INSERT INTO file_fts(rowid, path, names, doc, body, extra) VALUES (?, ?, ?, ?, ?, ?)"
_INSERT_REFS = "INSERT INTO ref_fts(rowid, refs) VALUES (?, ?)"
_INSERT_DEFINITION = "INSERT INTO definition VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_CLAIM = "INSERT INTO claim VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_SECRET = "INSERT INTO secret VALUES (?, ?, ?, ?)"
_INSERT_LINK = "INSERT INTO link VALUES (?, ?, ?)"
_REVIVE = """
    UPDATE source SET live = 1, parked_order = 0, size_bytes = ?,
        mtime_ns = ?, ctime_ns = ?, inode = ?, observed_ns = ?, verified_ns = ?
    WHERE id = ?
"""
_TOUCH = """
    UPDATE source SET size_bytes = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, verified_ns = ?
    WHERE path = ? AND live = 1
"""
_SET_COMMIT = """
    INSERT INTO last_commit VALUES (?1, ?2, ?3, ?4) ON CONFLICT (path) DO UPDATE
    SET commit_id = excluded.commit_id, author = excluded.author, committed_at = excluded.committed_at
    WHERE commit_id <> excluded.commit_id
"""


class Writer:
    """Writes documents and facts. Each method is a transaction of its own, or part of the ``batch()`` around it.

    All methods raise StoreError (a full disk), BusyStoreError (another connection writes for longer than the busy
    timeout: five seconds, or ``wait_at_most``) and CorruptStoreError; the transaction is then rolled back, and every
    file committed before stays.
    """

    def __init__(
        self,
        path: str,
        connection: apsw.Connection,
        check_present: Callable[[], None],
        errors: Callable[[str], AbstractContextManager[None]],
    ) -> None:
        self._path = path
        self._errors = errors
        self._connection = connection
        self._check_present = check_present
        self._ids = Ids(connection)
        self._vectors = VectorRows(connection)
        self._depth = 0
        self._is_bulk_loading: bool | None = None
        self._is_secondary = False
        self._queue = WriteQueue(path)
        self._wait_ms = BUSY_TIMEOUT_MS
        wait_when_busy(connection, BUSY_TIMEOUT_MS)

    def wait_at_most(self, wait_ms: int) -> None:
        """Set the busy timeout, in milliseconds; a connection with a short one leaves checkpoints to the others."""
        if wait_ms != self._wait_ms:
            self._wait_ms = wait_ms
            wait_when_busy(self._connection, wait_ms)
        if wait_ms < BUSY_TIMEOUT_MS:
            self._connection.wal_autocheckpoint(0)

    @contextmanager
    def as_secondary_writer(self) -> Iterator[None]:
        """Write between the transactions of a process that builds the index, which alone changes the merge settings."""
        self._is_secondary = True
        try:
            yield
        finally:
            self._is_secondary = False

    @contextmanager
    def first_in_line(self) -> Iterator[None]:
        """Queue for the write lock now, before the work in the block that leads to the first write.

        A process in the middle of a long batch commits meanwhile, and begins no other until that write has begun.
        """
        with self._queue.reserved(self._wait_ms):
            yield

    def should_yield(self) -> bool:
        """Return whether another process waits to write; a long batch then commits after the current file."""
        return self._queue.has_waiter()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Run the block in one transaction; roll back when it raises. Nested batches join the outer one."""
        if self._depth:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
            return
        self._check_present()
        with self._errors(self._path):
            with self._queue.ticket(self._wait_ms):
                self._connection.execute("BEGIN IMMEDIATE")
            self._depth = 1
            try:
                self._ids.load()
                self._vectors.forget()
                self._start_bulk_load()
                yield
                self._ids.save()
                self._connection.execute("COMMIT")
            except BaseException:
                self._ids.clear_cache()
                # SQLite rolls back by itself when the disk is full.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._depth = 0

    def replace(self, document: Document, signature: StatSignature, observed_ns: int) -> int:
        """Make ``document`` the live version of its path and park the previous one. Returns its source row id.

        ``signature`` and ``observed_ns`` come from the read that gave the bytes. Raises TypeError for text that is not
        Clean, before anything is written.
        """
        check_clean(document)
        with self.batch():
            content = bytes.fromhex(document.content_hash)
            for (version,) in self._versions(document.path, content, document.parser):
                delete_version(self._connection, version, self._vectors)
            self._park(document.path, document.parser)
            self._arrived(document.path)
            return self._insert(document, content, signature, observed_ns)

    def skip(
        self,
        path: bytes,
        reason: str,
        signature: StatSignature,
        observed_ns: int,
        *,
        content_hash: str = "",
        parser: str = "",
    ) -> int:
        """Record a file that is skipped or that crashed its parser; park its last version. Returns the source row id.

        Args:
            path: Relative to the root.
            reason: Why it is skipped.
            signature: Its stat.
            observed_ns: When it was read, in Unix nanoseconds.
            content_hash: SHA-256 (hex); empty when the bytes were not read.
            parser: What was to parse it; empty when nothing was.
        """
        empty = Document(
            path=path,
            content_hash=content_hash,
            size_bytes=signature.size_bytes,
            line_count=0,
            language="",
            parser=parser,
            source_kind=SourceKind.CODE,
            volatility=Volatility.STABLE,
            authority=Authority.PRIMARY,
            role=Role.IMPLEMENTATION,
            chunks=(),
            skipped=reason,
        )
        return self.replace(empty, signature, observed_ns)

    def set_aside(self, one: SetAside, content_hash: str) -> None:
        """Quarantine these bytes because they crashed their parser; call it with ``skip``. The record lasts as long as
        they are the live version.
        """
        with self.batch():
            values = (one.path, bytes.fromhex(content_hash), one.reason, one.attempts, one.tried_at, one.limits)
            self._connection.execute("INSERT OR REPLACE INTO set_aside VALUES (?, ?, ?, ?, ?, ?)", values)

    def activate(self, path: bytes, content_hash: str, parser: str, signature: StatSignature, observed_ns: int) -> bool:
        """Make a parked version live without parsing. Returns False when no version has these bytes and parser.

        Args:
            path: Relative to the root.
            content_hash: SHA-256 (hex) of the bytes.
            parser: The generation that parsed them.
            signature: The file's stat.
            observed_ns: When it was read, in Unix nanoseconds.
        """
        with self.batch():
            found = self._versions(path, bytes.fromhex(content_hash), parser)
            if not found:
                return False
            version = found[0][0]
            self._park(path, parser, but=version)
            values = (*signature_values(signature), observed_ns, observed_ns, version)
            self._connection.execute(_REVIVE, values)
            self._arrived(path)
            return True

    def has_version(self, path: bytes, content_hash: str, parser: str) -> bool:
        """Return whether ``activate`` can make a version with these bytes live."""
        with self._errors(self._path):
            return bool(self._versions(path, bytes.fromhex(content_hash), parser))

    def touch(self, path: bytes, signature: StatSignature, observed_ns: int) -> None:
        """Update the stat signature of a file whose bytes are unchanged."""
        with self.batch():
            self._connection.execute(_TOUCH, (*signature_values(signature), observed_ns, path))
            self._arrived(path)

    def remove(self, path: bytes) -> bool:
        """Park the live version of a deleted path; return False when there was none."""
        with self.batch():
            self._arrived(path)
            return self._park(path, None) > 0

    def leave_out(self, path: bytes) -> None:
        """Park the live version of a path that an ignore rule excludes, and clear the ``RULES`` key.

        The rule may be removed before the next listing, and only the cleared key shows that a file is missing.
        """
        with self.batch():
            self.remove(path)
            self.set_meta(RULES, "")

    def set_pending(self, new: Iterable[bytes], changed: Iterable[bytes] = ()) -> None:
        """Replace the list of files that are on disk and not indexed yet.

        Each leaves the list in the transaction that indexes or removes it.
        """
        with self.batch():
            self._connection.execute("DELETE FROM pending")
            rows_ = [*((path, 1) for path in new), *((path, 0) for path in changed)]
            self._connection.executemany("INSERT OR REPLACE INTO pending VALUES (?, ?)", rows_)
            self.set_meta("listed", "1")

    def _arrived(self, path: bytes) -> None:
        self._connection.execute("DELETE FROM pending WHERE path = ?", (path,))

    def set_commits(self, commits: Mapping[bytes, LastCommit], *, whole: bool = False) -> None:
        """Store the last commit of each path; with ``whole``, delete paths that are not in the mapping."""
        with self.batch():
            values = [
                (path, bytes.fromhex(fact.commit), fact.author, fact.committed_at) for path, fact in commits.items()
            ]
            self._connection.executemany(_SET_COMMIT, values)
            if whole:
                known = rows_of(self._connection, "SELECT path FROM last_commit")
                gone = [row for row in known if row[0] not in commits]
                self._connection.executemany("DELETE FROM last_commit WHERE path = ?", gone)

    def set_co_changes(self, changes: Iterable[tuple[bytes, bytes, int, float]]) -> None:
        """Replace the files that change together: ``(path, other, commits, lift)``, highest lift first."""
        with self.batch():
            replace_co_changes(self._connection, changes)

    def add_vectors(self, model: str, level: Level, vectors: Sequence[tuple[bytes, bytes]]) -> int:
        """Insert vectors computed later, as pairs of text hash and vector (int8 for outlines, bits for chunks).

        Skips texts that were deleted meanwhile or have one already. Returns the number of new vectors.
        """
        with self.batch():
            return self._vectors.add_vectors(model, level, vectors)

    def drop_models(self, kept: Iterable[str]) -> None:
        """Delete the vectors of every model except ``kept`` and the built-in one."""
        with self.batch():
            self._vectors.drop_models(kept)

    def set_meta(self, key: str, value: str) -> None:
        """Store a key and value about the index itself."""
        with self.batch():
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def prune(self) -> int:
        """Delete parked versions, oldest first, while they hold over 30 % of the live items and over 2,000.

        Returns the number of versions deleted.
        """
        with self.batch():
            doomed = parked_to_prune(self._connection)
            for version in doomed:
                delete_version(self._connection, version, self._vectors)
            if doomed:
                self._ids.drop_unused()
                self._vectors.compact()
        if doomed:
            self._incremental_vacuum()
        return len(doomed)

    def clear(self) -> None:
        """Delete everything, so that the next refresh builds the index from scratch."""
        with self.batch():
            for table in _ROWS:
                self._connection.execute(f"DELETE FROM {table}")
            self._vectors.clear()
            delete_all_postings(self._connection)
            disable_automerge(self._connection)
            self._ids.clear_cache()
        self._is_bulk_loading = True

    def optimize(self) -> None:
        """Finish a first build: merge the postings, checkpoint the WAL and vacuum free pages.

        Names that nothing uses any more are deleted. Each step is a transaction of its own, so that a saved file waits
        for one of them at most.
        """
        with self.batch():
            self._ids.drop_unused()
            enable_automerge(self._connection)
        self._is_bulk_loading = False
        for table in TABLES:
            with self.batch():
                self._connection.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")
        for (table,) in self._indexed_tables():
            with self.batch():
                self._connection.execute(f"REINDEX {table}")
        self._incremental_vacuum()
        self.checkpoint()

    def _indexed_tables(self) -> list[Row]:
        own = "type = 'index' AND tbl_name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        sql = f"SELECT DISTINCT tbl_name FROM sqlite_schema WHERE {own}"
        with self._errors(self._path):
            return rows_of(self._connection, sql)

    def merge(self, check: Callable[[], None]) -> int:
        """Merge the postings into as few segments as possible, in small transactions; ``check`` is called before each.

        Returns the number of merge steps.
        """
        steps = 0
        for table in TABLES:
            is_first, is_more = True, True
            while is_more:
                check()
                with self.batch():
                    is_more = merge_step(self._connection, table, is_first=is_first)
                is_first = False
                steps += 1
        return steps

    def vacuum(self) -> None:
        """Return free pages to the file system (incremental vacuum) and checkpoint the WAL."""
        self._incremental_vacuum()
        self.checkpoint()

    def checkpoint(self) -> None:
        """Checkpoint the WAL into the file and truncate it, as far as open snapshots allow."""
        with self._errors(self._path):
            wait_when_busy(self._connection, _CHECKPOINT_WAIT_MS)
            try:
                self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            except apsw.BusyError:
                # An open snapshot needs the WAL: the next checkpoint does the rest.
                return
            finally:
                wait_when_busy(self._connection, self._wait_ms)

    def _incremental_vacuum(self) -> None:
        with self._errors(self._path):
            rows_of(self._connection, "PRAGMA incremental_vacuum")

    def _start_bulk_load(self) -> None:
        """Disable automerge for an index that is still empty; enable it again where a first build was interrupted."""
        if self._is_bulk_loading is not None or self._is_secondary or self._wait_ms < BUSY_TIMEOUT_MS:
            return
        if is_empty(self._connection):
            disable_automerge(self._connection)
            self._is_bulk_loading = True
        else:
            if is_bulk_loading(self._connection):
                enable_automerge(self._connection)
            self._is_bulk_loading = False

    def _versions(self, path: bytes, content: bytes, parser: str) -> list[Row]:
        sql = f"SELECT s.id FROM {_SOURCES} WHERE path = ? AND live = {{}} AND content_hash = ? AND parser = ?"
        sql = f"{sql.format(1)} UNION ALL {sql.format(0)}"
        return rows_of(self._connection, sql, (path, content, parser) * 2)

    def _park(self, path: bytes, parser: str | None, *, but: int = 0) -> int:
        """Park the live version; delete one by another parser than ``parser``, which can never be live again."""
        self._connection.execute("DELETE FROM set_aside WHERE path = ?", (path,))
        live = f"SELECT s.id, parser FROM {_SOURCES} WHERE path = ? AND live = 1 AND s.id <> ?"
        found = rows_of(self._connection, live, (path, but))
        for version, its_parser in found:
            if parser is not None and its_parser != parser:
                delete_version(self._connection, version, self._vectors)
            else:
                parked = (self._ids.next_parked(), version)
                self._connection.execute("UPDATE source SET live = 0, parked_order = ? WHERE id = ?", parked)
        return len(found)

    def _insert(self, document: Document, content: bytes, signature: StatSignature, observed_ns: int) -> int:
        run = self._connection.executemany
        chunks = document.chunks
        source_id = self._ids.next_source()
        first = self._ids.next_items(len(chunks))
        stem_id = None if document.skipped else self._ids.name(stem_of(document.path))
        self._connection.execute(
            _INSERT_SOURCE,
            (
                source_id,
                document.path,
                1,
                0,
                content,
                *signature_values(signature),
                observed_ns,
                observed_ns,
                self._ids.profile(profile_of(document)),
                document.line_count,
                int(document.has_errors),
                document.masked_count,
                document.skipped,
                stem_id,
                first,
                len(chunks),
            ),
        )
        run(_INSERT_SECRET, [(source_id, span.start, span.end, span.kind) for span in document.secrets])
        if not chunks:
            return source_id
        path = path_words(document.path)
        run(_INSERT_ITEM, item_rows(document, source_id, first, self._ids))
        texts = [(number, chunk.text) for number, chunk in enumerate(chunks, first)]
        run(_INSERT_CHUNK, [(number, path, text.names, text.doc, text.body, text.extra) for number, text in texts])
        run(_INSERT_REFS, [(number, text.refs) for number, text in texts if text.refs])
        self._connection.execute(_INSERT_FILE, (source_id, path, *file_text(chunks)))
        run(_INSERT_DEFINITION, definition_rows(document, first, self._ids))
        run(_INSERT_CLAIM, claim_rows(document, first))
        run(_INSERT_LINK, link_rows(document, first, self._ids))
        self._vectors.add_texts(source_id, first, document.embedded)
        return source_id
