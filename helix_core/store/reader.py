"""The read side of the index: one connection a thread, with its queries grouped by subject."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from threading import get_ident
from types import TracebackType

import apsw

from helix_core.store.lexical import TextQueries, WordQueries
from helix_core.store.names import NameQueries, UseQueries
from helix_core.store.sources import ClaimQueries, RelatedQueries, SourceQueries, digest_of
from helix_core.store.sqlite_file import QuerySession
from helix_core.store.vectors import MissingVectors, VectorQueries


class Reader:
    """Queries over live versions, for one thread. Close it when the thread ends.

    Each query sees the last committed state; inside ``snapshot()`` all of them see the same one. Queries raise
    QueryBudgetError, CorruptStoreError (rebuild the index) or StoreError.

    Attributes:
        files: States, sources, items and commits.
        words: Tokens, stems and frequencies.
        text: Full-text matches and chunks of files.
        names: Definitions, similar names, imports, tests.
        uses: References, importers and documents of a name.
        claims: Claims by key or item.
        related: Related files, by name, import and commits.
        vectors: Nearest items by cosine.
        missing_vectors: Texts that a model has no vector for.
    """

    def __init__(
        self,
        path: str,
        connection: apsw.Connection,
        budget_ms: float,
        source_id_of: Callable[[bytes], str],
        errors: Callable[[str], AbstractContextManager[None]],
    ) -> None:
        self._session = session = QuerySession(path, connection, budget_ms, errors, thread=get_ident())
        self.files = SourceQueries(session, source_id_of)
        self.words = WordQueries(session)
        self.text = TextQueries(session, self.words)
        self.names = NameQueries(session)
        self.uses = UseQueries(session)
        self.claims = ClaimQueries(session)
        self.related = RelatedQueries(session)
        self.vectors = VectorQueries(session)
        self.missing_vectors = MissingVectors(session, self.vectors)

    def snapshot(self) -> AbstractContextManager[None]:
        """Hold one read transaction for several queries. Keep it short: the WAL cannot shrink past an open snapshot."""
        return self._session.snapshot()

    @contextmanager
    def narrowed(self, source_ids: Sequence[int]) -> Iterator[None]:
        """Let every query that finds candidates, by text, name, path, claim, link or vector, see these sources only.

        What is looked up by id, and the frequencies of words, stay those of the whole index.
        """
        try:
            self._session.narrow(source_ids)
            yield
        finally:
            self._session.widen()

    @property
    def is_narrowed(self) -> bool:
        """Return whether queries see only the sources of ``narrowed``."""
        return self._session.scope is not None

    def version(self) -> int:
        """Return SQLite's ``data_version``, which changes whenever another connection, the writer's included, has
        written.
        """
        return self._session.version()

    def meta(self, key: str) -> str:
        """Return a value stored with ``Writer.set_meta``, or ""."""
        rows = self._session.rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else ""

    def digest(self) -> str:
        """Return the SHA-256 (hex) over all live content in path order: equal for equal files, whatever the history."""
        with self.snapshot(), self._session.errors():
            return digest_of(self._session.connection)

    def close(self) -> None:
        """Close the connection. It never checkpoints."""
        self._session.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
