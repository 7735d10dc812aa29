"""Result types of the store's queries, beyond the shared types of ``helix_core.model``."""

from __future__ import annotations

from helix_core.tuples import NamedTuple


class Weights(NamedTuple):
    """Column weights of BM25 (Robertson & Zaragoza 2009, "BM25 and Beyond").

    ``length_counts`` (0..1, b of BM25F) is the strength of length normalization: it divides the counts of a column by
    the column's length relative to its average, ``extra`` together with ``body``; 0 leaves the counts unchanged.
    """

    path: float = 1.0
    names: float = 1.0
    doc: float = 1.0
    body: float = 1.0
    extra: float = 1.0
    length_counts: float = 0.0

    @property
    def by_column(self) -> tuple[float, ...]:
        """Return the weights in the order of the table's columns."""
        return (self.body, self.doc, self.names, self.extra, self.path)

    @property
    def rank(self) -> str:
        """Return the ranking expression for FTS5."""
        return f"bm25({', '.join(f'{float(weight):.6f}' for weight in self.by_column)})"


class DefinitionHit(NamedTuple):
    """A live definition: ``name`` as written, the item that contains it, and its own lines."""

    item_id: int
    source_id: int
    name: str
    kind: str
    start_line: int
    end_line: int


class ClaimHit(NamedTuple):
    """A live claim and the item it was found in; ``key`` is dotted and as written."""

    item_id: int
    source_id: int
    key: str
    value: str
    value_type: str
    line: int


class SimilarName(NamedTuple):
    """A known name that shares trigrams with the query; ``similarity`` is Dice's coefficient, 0..1.

    ``is_path`` is true for a file name's stem that no symbol is named after.
    """

    name: str
    similarity: float
    is_path: bool


class SourceTotals(NamedTuple):
    """Number of sources in one state, and of their items."""

    sources: int
    items: int


class Pending(NamedTuple):
    """Files on disk that the index does not contain in their current version: ``new`` in no version (raw paths, in byte
    order), ``changed`` in an older one. ``is_listed`` is False until a refresh has listed the disk.
    """

    new: tuple[bytes, ...] = ()
    changed: int = 0
    is_listed: bool = True


class Counts(NamedTuple):
    """Size of the index: live searchable sources, skipped ones by reason, and parked versions."""

    live: SourceTotals
    skipped: int
    parked: SourceTotals
