"""The index: what Helix knows about a workspace, in one SQLite file that can be deleted at any time.

In: ingested ``Document`` values, stat signatures, commit facts. Out: rows and postings as frozen values.
Only this package contains SQL. It never parses, never merges rankings of several lists, never reads a workspace file,
stores no copy of the source (spans and postings only), and accepts text only as ``Clean``.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.store.hits import ClaimHit, Counts, DefinitionHit, SimilarName, SourceTotals, Weights
    from helix_core.store.index import SCHEMA_VERSION, Index, open_index, open_or_rebuild, rebuild
    from helix_core.store.lexical import FileChunk, MatchCounts, PhraseOffsets, phrase
    from helix_core.store.lifecycle import Identity
    from helix_core.store.memory import Memory
    from helix_core.store.memory_items import WrittenMemory, scopes_of, written_args
    from helix_core.store.memory_transfer import CarriedRecord, ForeignMemories
    from helix_core.store.names import DefinedAt, UseTotals
    from helix_core.store.reader import Reader
    from helix_core.store.sources import SourceProfile
    from helix_core.store.sqlite_file import BUSY_TIMEOUT_MS, QueryBudgetError
    from helix_core.store.trail_file import TrailChange, TrailFile
    from helix_core.store.vectors import UnembeddedFile, VectorHit
    from helix_core.store.writer import NOT_INCLUDED_FILES, OVER_LIMIT_FILES, RULES, Writer

__all__ = [
    "BUSY_TIMEOUT_MS",
    "NOT_INCLUDED_FILES",
    "OVER_LIMIT_FILES",
    "RULES",
    "SCHEMA_VERSION",
    "CarriedRecord",
    "ClaimHit",
    "Counts",
    "DefinedAt",
    "DefinitionHit",
    "FileChunk",
    "ForeignMemories",
    "Identity",
    "Index",
    "MatchCounts",
    "Memory",
    "PhraseOffsets",
    "QueryBudgetError",
    "Reader",
    "SimilarName",
    "SourceProfile",
    "SourceTotals",
    "TrailChange",
    "TrailFile",
    "UnembeddedFile",
    "UseTotals",
    "VectorHit",
    "Weights",
    "Writer",
    "WrittenMemory",
    "open_index",
    "open_or_rebuild",
    "phrase",
    "rebuild",
    "scopes_of",
    "written_args",
]

__getattr__ = lazy_face(
    __name__,
    {
        "hits": ("ClaimHit", "Counts", "DefinitionHit", "SimilarName", "SourceTotals", "Weights"),
        "index": ("Index", "SCHEMA_VERSION", "open_index", "open_or_rebuild", "rebuild"),
        "lexical": ("FileChunk", "MatchCounts", "PhraseOffsets", "phrase"),
        "lifecycle": ("Identity",),
        "memory": ("Memory",),
        "memory_items": ("WrittenMemory", "scopes_of", "written_args"),
        "memory_transfer": ("CarriedRecord", "ForeignMemories"),
        "names": ("DefinedAt", "UseTotals"),
        "reader": ("Reader",),
        "sources": ("SourceProfile",),
        "sqlite_file": ("BUSY_TIMEOUT_MS", "QueryBudgetError"),
        "trail_file": ("TrailChange", "TrailFile"),
        "vectors": ("UnembeddedFile", "VectorHit"),
        "writer": ("NOT_INCLUDED_FILES", "OVER_LIMIT_FILES", "RULES", "Writer"),
    },
)
