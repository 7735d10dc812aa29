"""Models that do better with facts first: few parameters, or a mixture of experts. Recognised by name alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

SMALL_BILLIONS = 10.0
# "e" counts effective parameters (gemma 3n's e4b).
_SIZE = re.compile(r"(?:^|[-_:/ ])(?:e|a)?(\d{1,4}(?:\.\d{1,2})?)b(?![a-z0-9])", re.IGNORECASE)
_MIXTURE = re.compile(r"\d+x\d+b|-a\d+(?:\.\d+)?b", re.IGNORECASE)


def is_small(model: str, table: Sequence[str] = ()) -> bool:
    """Does the table name it, or its own name say at most ten billion parameters or a mixture of experts?

    ``table`` holds patterns as of a shell, whatever the case; one that begins with ``!`` says of a model that it is
    not small, and goes before all others. Unknown names are not small.
    """
    low = model.lower()
    bare = low.rpartition("/")[2]
    if not model or any(_fits(low, bare, entry[1:]) for entry in table if entry.startswith("!")):
        return False
    if _MIXTURE.search(model) or any(_fits(low, bare, entry) for entry in table):
        return True
    sizes = [float(size) for size in _SIZE.findall(model)]
    return bool(sizes) and min(sizes) <= SMALL_BILLIONS


def _fits(low: str, bare: str, entry: str) -> bool:
    pattern = entry.lower()
    return fnmatchcase(low, pattern) or fnmatchcase(bare, pattern)
