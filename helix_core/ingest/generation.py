"""Which chunker, table of vectors and grammars are installed: one cheap line that changes whenever any of them does."""

from __future__ import annotations

import os
import sys
from functools import cache

from helix_core.embed.table import TABLE_ID

CHUNKER = "7"
"""Rises with every change of what a chunk is, and of which secrets are masked in it."""
MADE_BY = f"chunker/{CHUNKER} table/{TABLE_ID}"
"""What makes chunks and their vectors, whatever the language."""


def is_made_today(parser: str) -> bool:
    """Was what ``parser`` names made with the chunks, and the rules for secrets, of today?"""
    return parser.startswith(f"{MADE_BY} ")


@cache
def parser_generation() -> str:
    """Chunker and table versions and the installed grammars, read off the names of their metadata folders.

    Asking the metadata of every grammar costs 40 ms; a folder's name says the same in one.
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
