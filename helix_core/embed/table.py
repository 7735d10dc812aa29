"""The built-in table of token vectors: one memory-mapped file, so that a question reads only the rows it needs.

Distilled from all-MiniLM-L6-v2 (Apache-2.0, see NOTICE and static.LICENSE) by ``benchmarks/distil_static.py``. Layout,
little-endian: magic, rows, dimensions, bytes of text (16 bytes in all); a float32 scale for each row, with the token's
weight in it; the end of each token in the text as uint32; the text: all tokens, sorted, without a separator; the rows
as int8.
"""

from __future__ import annotations

import mmap
import struct
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("static.bin")
TABLE_ID = "a8c58453"
"""The first eight digits of the table's SHA-256: vectors of one table cannot be compared with those of another."""
MAGIC = b"HLX1"
HEADER = struct.Struct("<4sIII")
CONTINUED = b"##"
LONGEST_WORD = 100


class StaticTable:
    """Tokens and their vectors. Immutable and thread-safe."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, self.rows, self.dimensions, text_bytes = HEADER.unpack_from(self._map)
        if magic != MAGIC:
            raise ValueError(f"{path} is not a table of token vectors; reinstall Helix.")
        scales_end = HEADER.size + 4 * self.rows
        ends_end = scales_end + 4 * self.rows
        view = memoryview(self._map)
        self._scales = view[HEADER.size : scales_end].cast("f")
        self._ends = view[scales_end:ends_end].cast("I")
        self._text = view[ends_end : ends_end + text_bytes]
        self._values = view[ends_end + text_bytes :].cast("b")
        self._tokens = _Tokens(self._text, self._ends)
        self._by_token: dict[bytes, int] = {}

    def tokens(self) -> Sequence[bytes]:
        """Return all tokens, sorted; a token's index is its row."""
        return self._tokens

    def scales(self) -> memoryview[float]:
        """Return the float32 scale of each row."""
        return self._scales

    def values(self) -> memoryview:
        """Return the int8 values, row by row."""
        return self._values

    def load_all_tokens(self) -> None:
        """Load all tokens into memory: 10 ms once, which pays off for documents, not for a question."""
        if not self._by_token:
            self._by_token = {token: row for row, token in enumerate(self._tokens)}

    def row(self, token: bytes) -> int:
        """Return the row of a token, or -1."""
        if self._by_token:
            return self._by_token.get(token, -1)
        place = bisect_left(self._tokens, token)
        return place if place < self.rows and self._tokens[place] == token else -1

    def pieces(self, word: str) -> tuple[int, ...]:
        """Return the rows of a lower-case word's pieces, longest match first (WordPiece, Schuster & Nakajima 2012).

        Empty when some part of it is not a token.
        """
        data = word.encode("utf-8", "replace")
        if len(data) > LONGEST_WORD:
            return ()
        rows: list[int] = []
        start = 0
        while start < len(data):
            prefix = CONTINUED if start else b""
            for end in range(len(data), start, -1):
                row = self.row(prefix + data[start:end])
                if row >= 0:
                    rows.append(row)
                    start = end
                    break
            else:
                return ()
        return tuple(rows)


class _Tokens(Sequence[bytes]):
    """A sequence view of the tokens in the mapped file."""

    def __init__(self, text: memoryview, ends: memoryview[int]) -> None:
        self._text, self._ends = text, ends

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, place: int) -> bytes:  # type: ignore[override]
        return bytes(self._text[self._ends[place - 1] if place else 0 : self._ends[place]])

    def __iter__(self) -> Iterator[bytes]:
        return (self[place] for place in range(len(self)))


@cache
def static_table() -> StaticTable:
    """Return the table that ships with Helix, mapped once a process."""
    return StaticTable(TABLE)
