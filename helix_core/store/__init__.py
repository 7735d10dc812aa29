"""The index: what Helix knows about a workspace, in one SQLite file that can be deleted at any time.

In: ingested ``Document`` values, stat signatures, commit facts. Out: rows and postings as frozen values.
Only this package contains SQL. It never parses, never merges rankings of several lists, never reads a workspace file,
stores no copy of the source (spans and postings only), and accepts text only as ``Clean``.
"""

from helix_core.store.hits import (
    ClaimHit,
    Counts,
    DefinitionHit,
    SimilarName,
    SourceTotals,
    Weights,
)
from helix_core.store.index import SCHEMA_VERSION, Index, open_index, open_or_rebuild, rebuild
from helix_core.store.lifecycle import Identity
from helix_core.store.reader import Reader
from helix_core.store.sqlite_file import QueryBudgetError
from helix_core.store.vectors import VectorHit
from helix_core.store.writer import Writer

__all__ = [
    "SCHEMA_VERSION",
    "ClaimHit",
    "Counts",
    "DefinitionHit",
    "Identity",
    "Index",
    "QueryBudgetError",
    "Reader",
    "SimilarName",
    "SourceTotals",
    "VectorHit",
    "Weights",
    "Writer",
    "open_index",
    "open_or_rebuild",
    "rebuild",
]
