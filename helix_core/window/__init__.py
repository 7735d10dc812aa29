"""Assemble a context window: evidence as text for a chat model, never over its token budget.

In: weighed items with the text of their spans, the caller's model and budget. Out: one text with a legend line for each
block, and an account of what it contains and what was left out. Pure except for the boundary it is given. Never ranks,
never reads anything, never lets retrieved text out of its envelope.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.window.choose import OVER_BUDGET
    from helix_core.window.evidence import Block, Evidence, LeftOut, Window, WindowFact, WindowRequest
    from helix_core.window.prose import Condense
    from helix_core.window.window import candidates, make_window, most_places, note_window

__all__ = [
    "OVER_BUDGET",
    "Block",
    "Condense",
    "Evidence",
    "LeftOut",
    "Window",
    "WindowFact",
    "WindowRequest",
    "candidates",
    "make_window",
    "most_places",
    "note_window",
]

__getattr__ = lazy_face(
    __name__,
    {
        "choose": ("OVER_BUDGET",),
        "evidence": ("Block", "Evidence", "LeftOut", "Window", "WindowFact", "WindowRequest"),
        "prose": ("Condense",),
        "window": ("candidates", "make_window", "most_places", "note_window"),
    },
)
