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
    from helix_core.memory.ranking import FLOOR, AskedTerm, asked_words, covered, faded, salience, weigh
    from helix_core.memory.statements import Statement, is_order, left_out, plain, refusal, statement, statements_in
    from helix_core.memory.uses import SITTING_S, Together, cited_paths, companions, kept_path, links, repeated

__all__ = [
    "CONTENT_TYPES",
    "FACT",
    "FLOOR",
    "MOST_BYTES",
    "SITTING_S",
    "AskedTerm",
    "EmptyError",
    "Fact",
    "NoteInput",
    "ObservedExchange",
    "Statement",
    "Together",
    "UnfitError",
    "asked_words",
    "attributed",
    "cited_paths",
    "companions",
    "consolidated",
    "covered",
    "exact_words",
    "facts_in",
    "faded",
    "is_clash",
    "is_order",
    "kept",
    "kept_path",
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
    "weigh",
]

__getattr__ = lazy_face(
    __name__,
    {
        "consolidation": ("consolidated", "exact_words", "is_clash", "same_words", "template_key", "text_key"),
        "exchanges": ("Fact", "ObservedExchange", "attributed", "facts_in", "kept", "session_name"),
        "notes": ("CONTENT_TYPES", "EmptyError", "FACT", "MOST_BYTES", "NoteInput", "UnfitError", "note_of"),
        "ranking": ("FLOOR", "AskedTerm", "asked_words", "covered", "faded", "salience", "weigh"),
        "statements": ("Statement", "is_order", "left_out", "plain", "refusal", "statement", "statements_in"),
        "uses": ("SITTING_S", "Together", "cited_paths", "companions", "kept_path", "links", "repeated"),
    },
)
