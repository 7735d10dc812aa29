"""Answer a question: judged items, a window, or an explanation of the ranking.

Combines search, verdict, packet and window. Ranks nothing and judges nothing itself.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.engine.answer.verbs import Answers
    from helix_core.engine.answer.window import ContextRequest, checked_decoder, window_places

__all__ = ["Answers", "ContextRequest", "checked_decoder", "window_places"]

__getattr__ = lazy_face(
    __name__,
    {
        "verbs": ("Answers",),
        "window": ("ContextRequest", "checked_decoder", "window_places"),
    },
)
