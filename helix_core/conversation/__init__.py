"""From what a person or an agent writes to what is searched for: parts of a message, coordinates of a paste, a gate.

In: messages as an OpenAI client sends them, or one text. Out: values. Pure and deterministic: knows no index, no
disk and no model, and does work in proportion to a bounded number of characters.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.conversation.asked import ConversationQuery, Need, read_conversation, read_question
    from helix_core.conversation.messages import MAX_QUESTION, own_words, shortened, text_of
    from helix_core.conversation.parts import MessagePart, PartKind
    from helix_core.conversation.pasted import Coordinate, coordinates

__all__ = [
    "MAX_QUESTION",
    "ConversationQuery",
    "Coordinate",
    "MessagePart",
    "Need",
    "PartKind",
    "coordinates",
    "own_words",
    "read_conversation",
    "read_question",
    "shortened",
    "text_of",
]

__getattr__ = lazy_face(
    __name__,
    {
        "asked": ("ConversationQuery", "Need", "read_conversation", "read_question"),
        "messages": ("MAX_QUESTION", "own_words", "shortened", "text_of"),
        "parts": ("MessagePart", "PartKind"),
        "pasted": ("Coordinate", "coordinates"),
    },
)
