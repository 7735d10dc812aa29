"""The installed versions of chunker, word table and grammars, as one line that changes whenever any of them does."""

from __future__ import annotations

import os
import sys
from functools import cache

from helix_core.embed import TABLE_ID

CHUNKER = "60"
"""Increment with every change of chunking, of roles, of the secrets that are masked, or of what is kept of a chunk."""
MADE_BY = f"chunker/{CHUNKER} table/{TABLE_ID}"
"""The versions that determine chunks and vectors of every language."""


def is_current_generation(parser: str) -> bool:
    """Return whether ``parser`` names the current versions of the chunker, the word table and the secret rules."""
    return parser.startswith(f"{MADE_BY} ")


@cache
def parser_generation() -> str:
    """Return chunker and table versions and the installed grammars, read from the names of their metadata folders.

    Reading the metadata of every grammar costs 40 ms; the folder names cost one.
    """
    grammars: set[str] = set()
    for folder in sys.path:
        if os.path.isdir(folder):
            grammars.update(
                name.removesuffix(".dist-info").removeprefix("tree_sitter_")
                for name in os.listdir(folder)
                if name.startswith("tree_sitter") and name.endswith(".dist-info")
            )
    return f"{MADE_BY} {' '.join(sorted(grammars))}"
