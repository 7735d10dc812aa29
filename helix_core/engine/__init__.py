"""The Python API of Helix: open a workspace and answer questions about it.

In: a folder, a question, a task. Out: the wire objects. The only place where workspace, ingest, store, search and
packet are combined; its room ``verdict`` judges what is found. Holds no SQL of its own. Every surface uses it.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.engine.embedding import Embedding
    from helix_core.engine.helix import Helix
    from helix_core.engine.opened import MemoryFile, WorkspaceSummary, index_folder

__all__ = ["Embedding", "Helix", "MemoryFile", "WorkspaceSummary", "index_folder"]

__getattr__ = lazy_face(
    __name__,
    {"embedding": ("Embedding",), "helix": ("Helix",), "opened": ("MemoryFile", "WorkspaceSummary", "index_folder")},
)
