"""Symbols: definitions, users, tests and documents of a name; code lenses and findings of an open file.

Every place comes with the verdict that is true now. Never writes.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.engine.symbols.verbs import Symbols

__all__ = ["Symbols"]

__getattr__ = lazy_face(
    __name__,
    {
        "verbs": ("Symbols",),
    },
)
