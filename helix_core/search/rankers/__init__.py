"""The rankers: each reads the index in its own way and returns files, best first, with the chunks it means.

A ranker that has nothing to go by returns no votes. None knows of the others, but for those in ``DERIVED``, which are
asked afterwards and hear what the first ones said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from helix_core.search.meaning import OUTLINES, PASSAGES
from helix_core.search.rankers.named import claims, exact, names, paths, similar, tests
from helix_core.search.rankers.near import outlines, passages, tested
from helix_core.search.rankers.votes import NOTHING, Asked, Vote, Votes, damped_sum
from helix_core.search.rankers.words import PHRASE_POSTINGS, affordable, chunks, files, phrases

__all__ = [
    "DERIVED",
    "FIRST",
    "LEVEL_OF",
    "NOTHING",
    "PHRASE_POSTINGS",
    "RANKERS",
    "Asked",
    "Vote",
    "Votes",
    "affordable",
    "damped_sum",
]

FIRST: Mapping[str, Callable[[Asked], Votes]] = {
    "chunks": chunks,
    "files": files,
    "outlines": outlines,
    "passages": passages,
    "phrases": phrases,
    "names": names,
    "similar": similar,
    "claims": claims,
    "paths": paths,
    "tests": tests,
    "exact": exact,
}
DERIVED: Mapping[str, Callable[[Asked, Mapping[str, Votes]], Votes]] = {"tested": tested}
LEVEL_OF: Mapping[str, str] = {"outlines": OUTLINES, "passages": PASSAGES}
"""The rankers that go by vectors, and whose."""
RANKERS: tuple[str, ...] = (*FIRST, *DERIVED)
"""The names of all rankers, in the order in which they are asked."""
