"""What answers take from the memory and what is kept in it: memories, notes, exchanges, uses, related files.

Decides no verdict about files and reads no file itself.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.engine.memory.curating import only_a_person
    from helix_core.engine.memory.extracting import Extraction, ModelQuestion, ModelReply, TieBreak
    from helix_core.engine.memory.note_shown import explained_note, shown_note
    from helix_core.engine.memory.pauses import WorkspacePauses, pause_notes
    from helix_core.engine.memory.remembering import RememberRequest
    from helix_core.engine.memory.strands import ALL_WORKSPACES, ImportRequest, StrandSelection
    from helix_core.engine.memory.trail import DISMISSED, WorkspaceTrail, opened_trail, sealed_trail
    from helix_core.engine.memory.verbs import WorkspaceMemory

__all__ = [
    "ALL_WORKSPACES",
    "DISMISSED",
    "Extraction",
    "ImportRequest",
    "ModelQuestion",
    "ModelReply",
    "RememberRequest",
    "StrandSelection",
    "TieBreak",
    "WorkspaceMemory",
    "WorkspacePauses",
    "WorkspaceTrail",
    "explained_note",
    "only_a_person",
    "opened_trail",
    "pause_notes",
    "sealed_trail",
    "shown_note",
]

__getattr__ = lazy_face(
    __name__,
    {
        "curating": ("only_a_person",),
        "extracting": ("Extraction", "ModelQuestion", "ModelReply", "TieBreak"),
        "note_shown": ("explained_note", "shown_note"),
        "pauses": ("WorkspacePauses", "pause_notes"),
        "remembering": ("RememberRequest",),
        "strands": ("ALL_WORKSPACES", "ImportRequest", "StrandSelection"),
        "trail": ("DISMISSED", "WorkspaceTrail", "opened_trail", "sealed_trail"),
        "verbs": ("WorkspaceMemory",),
    },
)
