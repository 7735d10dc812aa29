"""Vector storage: one vec0 table for each model and level, keyed by the hash of the embedded text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import apsw

from helix_core.embed import TABLE_ID
from helix_core.model import EmbeddedText, Level
from helix_core.store.sqlite_file import Row, load_vectors, rows_of, text_list
from helix_core.tuples import NamedTuple

Precision = Literal["int8", "bit"]
STATIC = "static"
PRECISION: dict[Level, Precision] = {"outline": "int8", "chunk": "bit"}
LEVEL_NUMBER: dict[Level, int] = {"outline": 1, "chunk": 2}
_OF_CARDS = 3
"""The number of a model's vectors of chunks in the file: they are of the chunks' cards. 2 were of their whole text."""
_BLOCK = {"int8": 256, "bit": 1024}
_COLUMNS = "id, model, level, dimensions"
_STATIC_KEPT = f"{STATIC}@{TABLE_ID}"
"""Model name of the built-in table in the file; its hash makes vectors of another table invisible."""


class Space(NamedTuple):
    """Vectors of one model at one level; only vectors of one space can be compared."""

    id: int
    model: str
    level: Level
    dimensions: int

    @property
    def name(self) -> str:
        """Return ``model/level``, such as ``static/outline``."""
        return f"{self.model}/{self.level}"

    @property
    def precision(self) -> Precision:
        """Return the quantization of the stored vectors."""
        return PRECISION[self.level]

    @property
    def table(self) -> str:
        """Return the name of the space's vec0 table."""
        return f"vectors_{self.id}"

    @property
    def bytes_each(self) -> int:
        """Return the size of one stored vector, in bytes."""
        return self.dimensions if self.precision == "int8" else self.dimensions // 8


def spaces_of(connection: apsw.Connection) -> dict[str, Space]:
    """Return all spaces by name, except those that nothing made today can be compared with."""
    return {space.name: space for space in _spaces(connection, comparable=True)}


def outdated_spaces(connection: apsw.Connection) -> list[Space]:
    """Return the spaces that another version of the built-in word table made, or a model of other texts."""
    return _spaces(connection, comparable=False)


def _spaces(connection: apsw.Connection, *, comparable: bool) -> list[Space]:
    found = []
    for row in rows_of(connection, f"SELECT {_COLUMNS} FROM space ORDER BY id"):
        id_, kept, number, dimensions = row
        model = STATIC if kept == _STATIC_KEPT else kept
        level: Level = "outline" if number == LEVEL_NUMBER["outline"] else "chunk"
        is_current = kept.partition("@")[0] != STATIC or model == STATIC
        if (is_current and number == _number(model, level)) is comparable:
            found.append(Space(id_, model, level, dimensions))
    return found


def _number(model: str, level: Level) -> int:
    return _OF_CARDS if level == "chunk" and model != STATIC else LEVEL_NUMBER[level]


def create_space(connection: apsw.Connection, model: str, level: Level, dimensions: int) -> Space:
    """Insert an empty space and create its table."""
    sql = f"INSERT INTO space (model, level, dimensions) VALUES (?, ?, ?) RETURNING {_COLUMNS}"
    row = rows_of(connection, sql, (_STATIC_KEPT if model == STATIC else model, _number(model, level), dimensions))[0]
    space = Space(row[0], model, level, row[3])
    create_table(connection, space)
    return space


def create_table(connection: apsw.Connection, space: Space) -> None:
    """Create the vec0 table of a space."""
    kind = (
        f"int8[{space.dimensions}] distance_metric=cosine" if space.precision == "int8" else f"bit[{space.dimensions}]"
    )
    connection.execute(
        f"CREATE VIRTUAL TABLE {space.table} USING vec0(vector {kind}, chunk_size={_BLOCK[space.precision]})"
    )


def drop_space(connection: apsw.Connection, space: Space) -> None:
    """Delete the space and its vectors. Raises apsw.CorruptError where its tables are not whole, of which sqlite-vec
    says nothing but that there is an error.
    """
    try:
        connection.execute(f"DROP TABLE {space.table}")
    except apsw.SQLError as error:
        raise apsw.CorruptError(f"the table {space.table} of vectors cannot be dropped: {error}") from error
    connection.execute("DELETE FROM space WHERE id = ?", (space.id,))


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
    """Writes texts and vectors inside the writer's transactions. Without sqlite-vec it stores the texts only."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self.is_loaded = load_vectors(connection)
        self._spaces: dict[str, Space] = {}

    def forget(self) -> None:
        """Clear the cache of spaces: another process may have written, or a transaction was rolled back."""
        self._spaces = {}

    def add_texts(self, source_id: int, first_item: int, texts: Iterable[EmbeddedText]) -> None:
        """Insert the texts of a version just inserted, each with its static vector unless the current table's is stored
        already.
        """
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
        """Return the ids of the texts that are stored already."""
        return dict(rows_of(self._connection, _KNOWN_OF, (text_list(text.input_hash.hex() for text in texts),)))

    def add_vectors(self, model: str, level: Level, vectors: Sequence[tuple[bytes, bytes]]) -> int:
        """Insert vectors computed later, as pairs of text hash and vector; skip texts deleted meanwhile.

        Returns the number of new vectors.
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
        """Delete the texts of a version, and every vector of texts that no other version contains."""
        orphans = rows_of(self._connection, _ORPHANS, (version,))
        if self.is_loaded:
            for space in self._known().values():
                self._connection.executemany(f"DELETE FROM {space.table} WHERE rowid = ?", orphans)
        self._connection.executemany("DELETE FROM embedded WHERE id = ?", orphans)
        self._connection.execute("DELETE FROM stands_in WHERE source_id = ?", (version,))

    def drop_models(self, kept: Iterable[str]) -> None:
        """Delete the vectors of every model except ``kept`` and the built-in one."""
        stay = {*kept, STATIC}
        for space in spaces_of(self._connection).values():
            if space.model not in stay:
                drop_space(self._connection, space)
        self.forget()

    def clear(self) -> None:
        """Delete all texts and vectors."""
        for space in spaces_of(self._connection).values():
            drop_space(self._connection, space)
        self._drop_outdated()
        self.forget()

    def compact(self) -> None:
        """Rewrite a table when less than half of its blocks' slots are used: vec0 never reuses slots."""
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
        """Insert pairs of text id and vector."""
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
            self._drop_outdated()
            self._spaces = spaces_of(self._connection)
        return self._spaces

    def _drop_outdated(self) -> None:
        """Delete the vectors that nothing made today can be compared with."""
        for space in outdated_spaces(self._connection) if self.is_loaded else ():
            drop_space(self._connection, space)
