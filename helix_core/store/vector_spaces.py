"""Where vectors lie: one vec0 table for each model and level, its vectors keyed by the text that was embedded.

vec0 keeps vectors in blocks (``chunk_size`` of them in one blob), and the blocks are what questions read: comparing a
thousand vectors costs one row. Reading rows back through vec0 itself costs 50 µs each, so nothing here does.
The names and columns of its tables are those of sqlite-vec 0.1 (``vec0_init`` in its source), which is pinned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import apsw

from helix_core.embed.table import TABLE_ID
from helix_core.model import Level
from helix_core.store.session import rows_of

Precision = Literal["int8", "bit"]
STATIC = "static"
LEVELS: tuple[Level, ...] = ("outline", "chunk")
PRECISION: dict[Level, Precision] = {"outline": "int8", "chunk": "bit"}
LEVEL_NUMBER: dict[Level, int] = {"outline": 1, "chunk": 2}
_BLOCK = {"int8": 256, "bit": 1024}
_COLUMNS = "id, model, level, dimensions"
_STATIC_KEPT = f"{STATIC}@{TABLE_ID}"
"""How the built-in table is named in the file: with the table's own hash, so that another table's vectors are none."""


@dataclass(frozen=True, slots=True)
class Space:
    """Vectors of one model at one level; only vectors of one space can be compared."""

    id: int
    model: str
    level: Level
    dimensions: int

    @property
    def name(self) -> str:
        """``static/outline``."""
        return f"{self.model}/{self.level}"

    @property
    def precision(self) -> Precision:
        """How its vectors are kept."""
        return PRECISION[self.level]

    @property
    def table(self) -> str:
        """Its vec0 table."""
        return f"vectors_{self.id}"

    @property
    def bytes_each(self) -> int:
        """Size of one vector."""
        return self.dimensions if self.precision == "int8" else self.dimensions // 8


def spaces_of(connection: apsw.Connection) -> dict[str, Space]:
    """All spaces by name, but for those of a built-in table that is not the one of this Helix."""
    return {space.name: space for space in _spaces(connection, comparable=True)}


def spaces_of_other_tables(connection: apsw.Connection) -> list[Space]:
    """Those: what a Helix with another table has made."""
    return _spaces(connection, comparable=False)


def _spaces(connection: apsw.Connection, *, comparable: bool) -> list[Space]:
    found = []
    for row in rows_of(connection, f"SELECT {_COLUMNS} FROM space ORDER BY id"):
        model = STATIC if row[1] == _STATIC_KEPT else row[1]
        is_other = row[1] != _STATIC_KEPT and row[1].partition("@")[0] == STATIC
        if is_other is not comparable:
            found.append(Space(row[0], model, LEVELS[row[2] - 1], row[3]))
    return found


def create_space(connection: apsw.Connection, model: str, level: Level, dimensions: int) -> Space:
    """A new space, empty."""
    sql = f"INSERT INTO space (model, level, dimensions) VALUES (?, ?, ?) RETURNING {_COLUMNS}"
    row = rows_of(connection, sql, (_STATIC_KEPT if model == STATIC else model, LEVEL_NUMBER[level], dimensions))[0]
    space = Space(row[0], model, level, row[3])
    create_table(connection, space)
    return space


def create_table(connection: apsw.Connection, space: Space) -> None:
    """The space's vec0 table."""
    kind = (
        f"int8[{space.dimensions}] distance_metric=cosine" if space.precision == "int8" else f"bit[{space.dimensions}]"
    )
    connection.execute(
        f"CREATE VIRTUAL TABLE {space.table} USING vec0(vector {kind}, chunk_size={_BLOCK[space.precision]})"
    )


def drop_space(connection: apsw.Connection, space: Space) -> None:
    """The space and its vectors."""
    connection.execute(f"DROP TABLE {space.table}")
    connection.execute("DELETE FROM space WHERE id = ?", (space.id,))
