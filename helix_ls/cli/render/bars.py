"""Shares as bars of characters: one bar of one share, or several shares stacked. Pure but for the question whether this
terminal draws blocks."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping, Sequence

from rich.text import Text

_BLOCKS, _ASCII = ("█", "·"), ("#", ".")
_TEXTURES = (("█", "▓", "▒", "░"), ("#", "=", "+", "-"))
_COLOURS: Mapping[str, str] = {
    "chunks": "blue",
    "files": "bright_blue",
    "phrases": "cyan",
    "outlines": "magenta",
    "passages": "bright_magenta",
    "names": "green",
    "similar": "bright_green",
    "exact": "yellow",
    "paths": "bright_yellow",
    "claims": "red",
    "tests": "bright_cyan",
    "tested": "bright_red",
}


def draws_blocks(environ: Mapping[str, str] = os.environ) -> bool:
    """Does what reads our output show block characters? It says so by its locale; without one only some systems do."""
    locale = next((environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(name)), "")
    return "utf" in locale.lower() if locale else sys.platform in {"darwin", "win32"}


def bar(share: float, width: int, *, blocks: bool) -> str:
    """A share (0..1) as a bar; what counts at all is at least one wide."""
    full, empty = _BLOCKS if blocks else _ASCII
    filled = max(1, min(width, round(share * width)))
    return full * filled + empty * (width - filled)


def stacked(shares: Sequence[tuple[str, float]], width: int, *, blocks: bool) -> Text:
    """The shares of rankers, which add up to 1 at most, one after the other; ``width`` is that of a share of 1."""
    bars = Text()
    for at, ((ranker, _), cells) in enumerate(
        zip(shares, cells_of([share for _, share in shares], width), strict=True)
    ):
        bars.append(texture(at, blocks=blocks) * cells, style=colour(ranker))
    return bars


def texture(at: int, *, blocks: bool) -> str:
    """What the part of that number is drawn with, so that neighbours differ where there are no colours."""
    textures = _TEXTURES[0 if blocks else 1]
    return textures[at % len(textures)]


def colour(ranker: str) -> str:
    """A ranker's own colour."""
    return _COLOURS.get(ranker, "white")


def cells_of(shares: Sequence[float], width: int) -> list[int]:
    """Whole cells for each share, together as many as their sum is worth: the largest remainders are rounded up."""
    exact = [share * width for share in shares]
    cells = [math.floor(one) for one in exact]
    left = round(sum(exact)) - sum(cells)
    for at in sorted(range(len(exact)), key=lambda at: (cells[at] - exact[at], at))[:left]:
        cells[at] += 1
    return cells
