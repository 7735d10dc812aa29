"""Rules of the memory: which exchanges and notes are kept, their attribution, and the facts derived from them.

In: untrusted text of clients and models. Out: values for the memory, masked and bounded. Pure: opens no file, knows no
SQL, calls no model, and never decides whether something is still true.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.memory.exchanges import Fact, ObservedExchange, attributed, facts_in, kept, session_name
    from helix_core.memory.notes import CONTENT_TYPES, FACT, MOST_BYTES, EmptyError, NoteInput, UnfitError, note_of
    from helix_core.memory.uses import SITTING_S, Together, cited_paths, companions, kept_path, links, repeated

__all__ = [
    "CONTENT_TYPES",
    "FACT",
    "MOST_BYTES",
    "SITTING_S",
    "EmptyError",
    "Fact",
    "NoteInput",
    "ObservedExchange",
    "Together",
    "UnfitError",
    "attributed",
    "cited_paths",
    "companions",
    "facts_in",
    "kept",
    "kept_path",
    "links",
    "note_of",
    "repeated",
    "session_name",
]

__getattr__ = lazy_face(
    __name__,
    {
        "exchanges": ("Fact", "ObservedExchange", "attributed", "facts_in", "kept", "session_name"),
        "notes": ("CONTENT_TYPES", "EmptyError", "FACT", "MOST_BYTES", "NoteInput", "UnfitError", "note_of"),
        "uses": ("SITTING_S", "Together", "cited_paths", "companions", "kept_path", "links", "repeated"),
    },
)
