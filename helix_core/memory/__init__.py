"""Rules of the memory: which exchanges and notes are kept, their attribution, and the facts derived from them.

In: untrusted text of clients and models. Out: values for the memory, masked and bounded. Pure: opens no file, knows no
SQL, calls no model, and never decides whether something is still true.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.memory.consolidation import (
        consolidated,
        exact_words,
        is_clash,
        same_words,
        template_key,
        text_key,
    )
    from helix_core.memory.exchanges import Fact, ObservedExchange, attributed, facts_in, kept, session_name
    from helix_core.memory.notes import CONTENT_TYPES, FACT, MOST_BYTES, EmptyError, NoteInput, UnfitError, note_of
    from helix_core.memory.pauses import (
        MOST_PAUSE_FILES,
        OPEN_S,
        ChangedFile,
        PauseInput,
        PausePlace,
        changed_since,
        files_snapshot,
    )
    from helix_core.memory.ranking import (
        FLOOR,
        HALF_LIFE_DAYS,
        AskedTerm,
        asked_words,
        covered,
        faded,
        is_due,
        salience,
        weigh,
    )
    from helix_core.memory.statements import Statement, is_order, left_out, plain, refusal, statement, statements_in
    from helix_core.memory.upkeep import leaving, undoing
    from helix_core.memory.uses import (
        SITTING_S,
        Together,
        cited_memories,
        cited_paths,
        companions,
        is_memory_id,
        kept_path,
        links,
        repeated,
    )

__all__ = [
    "CONTENT_TYPES",
    "FACT",
    "FLOOR",
    "HALF_LIFE_DAYS",
    "MOST_BYTES",
    "MOST_PAUSE_FILES",
    "OPEN_S",
    "SITTING_S",
    "AskedTerm",
    "ChangedFile",
    "EmptyError",
    "Fact",
    "NoteInput",
    "ObservedExchange",
    "PauseInput",
    "PausePlace",
    "Statement",
    "Together",
    "UnfitError",
    "asked_words",
    "attributed",
    "changed_since",
    "cited_memories",
    "cited_paths",
    "companions",
    "consolidated",
    "covered",
    "exact_words",
    "facts_in",
    "faded",
    "files_snapshot",
    "is_clash",
    "is_due",
    "is_memory_id",
    "is_order",
    "kept",
    "kept_path",
    "leaving",
    "left_out",
    "links",
    "note_of",
    "plain",
    "refusal",
    "repeated",
    "salience",
    "same_words",
    "session_name",
    "statement",
    "statements_in",
    "template_key",
    "text_key",
    "undoing",
    "weigh",
]

__getattr__ = lazy_face(
    __name__,
    {
        "consolidation": ("consolidated", "exact_words", "is_clash", "same_words", "template_key", "text_key"),
        "exchanges": ("Fact", "ObservedExchange", "attributed", "facts_in", "kept", "session_name"),
        "notes": ("CONTENT_TYPES", "EmptyError", "FACT", "MOST_BYTES", "NoteInput", "UnfitError", "note_of"),
        "pauses": (
            "ChangedFile",
            "MOST_PAUSE_FILES",
            "OPEN_S",
            "PauseInput",
            "PausePlace",
            "changed_since",
            "files_snapshot",
        ),
        "ranking": (
            "FLOOR",
            "HALF_LIFE_DAYS",
            "AskedTerm",
            "asked_words",
            "covered",
            "faded",
            "is_due",
            "salience",
            "weigh",
        ),
        "statements": ("Statement", "is_order", "left_out", "plain", "refusal", "statement", "statements_in"),
        "upkeep": ("leaving", "undoing"),
        "uses": (
            "SITTING_S",
            "Together",
            "cited_memories",
            "cited_paths",
            "companions",
            "is_memory_id",
            "kept_path",
            "links",
            "repeated",
        ),
    },
)
