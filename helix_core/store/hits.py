"""What the store's queries return beyond the shared nouns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """How much a match in each column counts in BM25 (Robertson & Zaragoza 2009, "BM25 and Beyond").

    ``length_counts`` (0..1, b of BM25F) divides what is counted in a column by how long that column is beside its
    average, ``extra`` with ``body``; 0 leaves the counts as they are.
    """

    path: float = 1.0
    names: float = 1.0
    doc: float = 1.0
    body: float = 1.0
    extra: float = 1.0
    length_counts: float = 0.0

    @property
    def by_column(self) -> tuple[float, ...]:
        """The weights in the order of the tables' columns."""
        return (self.body, self.doc, self.names, self.extra, self.path)

    @property
    def rank(self) -> str:
        """The ranking expression FTS5 takes."""
        return f"bm25({', '.join(f'{float(weight):.6f}' for weight in self.by_column)})"


@dataclass(frozen=True, slots=True)
class DefinitionHit:
    """A live definition: ``name`` as written, the item that holds it, and its own lines."""

    item_id: int
    source_id: int
    name: str
    kind: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class ClaimHit:
    """A live claim and the item it was found in; ``key`` is dotted and as written."""

    item_id: int
    source_id: int
    key: str
    value: str
    value_type: str
    line: int


@dataclass(frozen=True, slots=True)
class SimilarName:
    """A known name that shares trigrams with what was asked; ``similarity`` is Dice's coefficient, 0..1.

    ``is_path`` is true for the stem of a file's name that no symbol bears.
    """

    name: str
    similarity: float
    is_path: bool


@dataclass(frozen=True, slots=True)
class SourceTotals:
    """Sources and their items in one state."""

    sources: int
    items: int


@dataclass(frozen=True, slots=True)
class Pending:
    """Files that are on the disk and not in the index as they are there: ``new`` in no version (raw paths, in byte
    order), ``changed`` in an older one. ``is_listed`` is False while no refresh has listed the disk yet.
    """

    new: tuple[bytes, ...] = ()
    changed: int = 0
    is_listed: bool = True


@dataclass(frozen=True, slots=True)
class Counts:
    """How much the index holds: live and searchable, skipped with a reason, and parked versions."""

    live: SourceTotals
    skipped: int
    parked: SourceTotals
