"""The writer's side of vectors: they come with a file's items and go with the last version that has their text.

``embedded`` holds each distinct text that was embedded, by hash; ``stands_in`` says in which version, at which item, it
stands. A vector belongs to the text, so a file that comes back, or is copied, brings its vectors along.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw

from helix_core.model import EmbeddedText, Level
from helix_core.store.session import Row, rows_of, text_list
from helix_core.store.vector_extension import load_vectors
from helix_core.store.vector_spaces import (
    LEVEL_NUMBER,
    PRECISION,
    STATIC,
    Space,
    create_space,
    create_table,
    drop_space,
    spaces_of,
    spaces_of_other_tables,
)

_KNOWN = "SELECT id FROM embedded WHERE hash = ?"
_KNOWN_OF = "SELECT e.hash, e.id FROM json_each(?) wanted JOIN embedded e ON e.hash = unhex(wanted.value)"
_LAST = "SELECT coalesce(max(id), 0) FROM embedded"
_ADD = "INSERT INTO embedded VALUES (?, ?, ?)"
_STANDS = "INSERT OR IGNORE INTO stands_in VALUES (?, ?, ?)"
_ORPHANS = """
    SELECT DISTINCT text_id FROM stands_in doomed WHERE source_id = ?1
      AND NOT EXISTS (SELECT 1 FROM stands_in other WHERE other.text_id = doomed.text_id AND other.source_id <> ?1)
"""
SPARSE = 0.5
SPARSE_BLOCKS = 8


class VectorRows:
    """Inside the writer's transactions. Without the extension texts are kept and vectors are not."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self.is_loaded = load_vectors(connection)
        self._spaces: dict[str, Space] = {}

    def forget(self) -> None:
        """Look the spaces up again: another process may have written, or a transaction was rolled back."""
        self._spaces = {}

    def add_texts(self, source_id: int, first_item: int, texts: Iterable[EmbeddedText]) -> None:
        """The texts of a version just inserted, each with its static vector where it has none of this table yet."""
        texts = list(texts)
        known = self._known_hashes(texts)
        last = rows_of(self._connection, _LAST)[0][0] if len(known) < len(texts) else 0
        added: dict[bytes, Row] = {}
        vectors: dict[Level, dict[int, bytes]] = {}
        stands = []
        for text in texts:
            text_id = known.get(text.input_hash)
            is_new = text_id is None
            if text_id is None:
                text_id = known[text.input_hash] = last + len(added) + 1
                added[text.input_hash] = (text_id, text.input_hash, LEVEL_NUMBER[text.level])
            if is_new or (text.input_hash not in added and not self._has_vector(text_id, STATIC, text.level)):
                vectors.setdefault(text.level, {})[text_id] = text.vector
            stands.append((source_id, first_item + text.chunk, text_id))
        self._connection.executemany(_ADD, added.values())
        self._connection.executemany(_STANDS, stands)
        for level, by_text in vectors.items():
            rows = list(by_text.items())
            self._insert(self._space(STATIC, level, rows[0][1]), rows)

    def _known_hashes(self, texts: Iterable[EmbeddedText]) -> dict[bytes, int]:
        """The ids of those texts that are kept already."""
        return dict(rows_of(self._connection, _KNOWN_OF, (text_list(text.input_hash.hex() for text in texts),)))

    def add_vectors(self, model: str, level: Level, vectors: Sequence[tuple[bytes, bytes]]) -> int:
        """Vectors made later, as pairs of text hash and vector; texts that are gone since are left out.

        Returns how many were new.
        """
        added = 0
        for text_hash, vector in vectors:
            known = rows_of(self._connection, _KNOWN, (text_hash,))
            space = self._space(model, level, vector) if known else None
            if space is None:
                continue
            if space.bytes_each == len(vector) and not self._has_vector(known[0][0], model, level):
                self._insert(space, [(known[0][0], vector)])
                added += 1
        return added

    def delete_of(self, version: int) -> None:
        """The texts of a version about to be deleted, with every vector of those that stand nowhere else."""
        orphans = rows_of(self._connection, _ORPHANS, (version,))
        if self.is_loaded:
            for space in self._known().values():
                self._connection.executemany(f"DELETE FROM {space.table} WHERE rowid = ?", orphans)
        self._connection.executemany("DELETE FROM embedded WHERE id = ?", orphans)
        self._connection.execute("DELETE FROM stands_in WHERE source_id = ?", (version,))

    def drop_models(self, kept: Iterable[str]) -> None:
        """Forget the vectors of every model but ``kept`` and the built-in one."""
        stay = {*kept, STATIC}
        for space in spaces_of(self._connection).values():
            if space.model not in stay:
                drop_space(self._connection, space)
        self.forget()

    def clear(self) -> None:
        """No vectors at all."""
        for space in spaces_of(self._connection).values():
            drop_space(self._connection, space)
        self._drop_other_tables()
        self.forget()

    def close_gaps(self) -> None:
        """Write a table anew when less than half of its blocks' places are taken: vec0 fills no gaps."""
        for space in self._known().values() if self.is_loaded else ():
            blocks, places = rows_of(
                self._connection, f"SELECT count(*), coalesce(sum(size), 0) FROM {space.table}_chunks"
            )[0]
            taken = rows_of(self._connection, f"SELECT count(*) FROM {space.table}_rowids")[0][0]
            if blocks >= SPARSE_BLOCKS and taken < SPARSE * places:
                kept = rows_of(self._connection, f"SELECT rowid, vector FROM {space.table}")
                self._connection.execute(f"DROP TABLE {space.table}")
                create_table(self._connection, space)
                self._insert(space, kept)

    def _insert(self, space: Space | None, vectors: Sequence[Row]) -> None:
        """Pairs of text id and vector."""
        if space is not None:
            sql = f"INSERT INTO {space.table}(rowid, vector) VALUES (?, vec_{space.precision}(?))"
            self._connection.executemany(sql, vectors)

    def _has_vector(self, text_id: int, model: str, level: Level) -> bool:
        space = self._known().get(f"{model}/{level}") if self.is_loaded else None
        has = f"SELECT 1 FROM {space.table}_rowids WHERE rowid = ?" if space is not None else ""
        return bool(has and rows_of(self._connection, has, (text_id,)))

    def _space(self, model: str, level: Level, vector: bytes) -> Space | None:
        if not self.is_loaded:
            return None
        space = self._known().get(f"{model}/{level}")
        if space is None:
            dimensions = len(vector) * (1 if PRECISION[level] == "int8" else 8)
            space = create_space(self._connection, model, level, dimensions)
            self._spaces[space.name] = space
        return space

    def _known(self) -> dict[str, Space]:
        if not self._spaces:
            self._drop_other_tables()
            self._spaces = spaces_of(self._connection)
        return self._spaces

    def _drop_other_tables(self) -> None:
        """Forget what was made with another built-in table than this Helix has."""
        for space in spaces_of_other_tables(self._connection) if self.is_loaded else ():
            drop_space(self._connection, space)
