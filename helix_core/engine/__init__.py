"""The Python API of Helix: open a workspace and answer questions about it.

In: a folder, a question, a task. Out: the wire objects. The only place where workspace, ingest, store, search and
packet are combined; its room ``verdict`` judges what is found. Holds no SQL of its own. Every surface uses it.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.engine.embedding import Embedding
    from helix_core.engine.helix import Helix
    from helix_core.engine.indexing import Progress, RefreshReport
    from helix_core.engine.memory import Extraction, ImportRequest, ModelQuestion, ModelReply, RememberRequest, TieBreak
    from helix_core.engine.opened import DISMISSED, MemoryFile, WorkspaceSummary, index_folder
    from helix_core.engine.requests import (
        DEEPEST,
        DIRECTIONS,
        HINT_FILES,
        LEAST_BUDGET,
        LONGEST_TEXT,
        MAX_K,
        MOST_BUDGET,
        MOST_HINT_FILES,
        MOST_NEIGHBOURS,
        MOST_TYPED,
        MOST_USES,
        NO_FILTERS,
        checked_places,
        checked_spending,
    )

__all__ = [
    "DEEPEST",
    "DIRECTIONS",
    "DISMISSED",
    "HINT_FILES",
    "LEAST_BUDGET",
    "LONGEST_TEXT",
    "MAX_K",
    "MOST_BUDGET",
    "MOST_HINT_FILES",
    "MOST_NEIGHBOURS",
    "MOST_TYPED",
    "MOST_USES",
    "NO_FILTERS",
    "Embedding",
    "Extraction",
    "Helix",
    "ImportRequest",
    "MemoryFile",
    "ModelQuestion",
    "ModelReply",
    "Progress",
    "RefreshReport",
    "RememberRequest",
    "TieBreak",
    "WorkspaceSummary",
    "checked_places",
    "checked_spending",
    "index_folder",
]

__getattr__ = lazy_face(
    __name__,
    {
        "embedding": ("Embedding",),
        "helix": ("Helix",),
        "indexing": ("Progress", "RefreshReport"),
        "memory": ("Extraction", "ImportRequest", "ModelQuestion", "ModelReply", "RememberRequest", "TieBreak"),
        "opened": ("DISMISSED", "MemoryFile", "WorkspaceSummary", "index_folder"),
        "requests": (
            "DEEPEST",
            "DIRECTIONS",
            "HINT_FILES",
            "LEAST_BUDGET",
            "LONGEST_TEXT",
            "MAX_K",
            "MOST_BUDGET",
            "MOST_HINT_FILES",
            "MOST_NEIGHBOURS",
            "MOST_TYPED",
            "MOST_USES",
            "NO_FILTERS",
            "checked_places",
            "checked_spending",
        ),
    },
)
