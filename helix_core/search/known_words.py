"""How often each word of a question occurs. A compound name occurs where its words stand in a row, not where each of
them stands somewhere: that ``session`` and ``rotate`` are known does not make ``rotate_session`` a known name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from helix_core.search.terms import any_of
from helix_core.store.reader import Reader
from helix_core.store.sqlite_file import QueryBudgetError

MAX_POSTINGS = 6_000
"""Looking a name up costs about the postings of its rarest word; one of common words only is taken to be known."""


@dataclass(frozen=True, slots=True)
class Known:
    """``frequency`` is in how many chunks each word occurs; for a known compound name, the count of its rarest word.

    ``uncounted`` are the words whose count ran out of its budget: each is taken to occur in every chunk, so that it
    decides nothing.
    """

    frequency: dict[str, int]
    uncounted: tuple[str, ...] = ()


def known_words(words: Iterable[str], items: int, reader: Reader) -> Known:
    """What the index knows of each word; ``items`` is the number of its chunks."""
    uncounted: dict[str, None] = {}
    frequency = {word: _count(word, items, reader, uncounted) for word in dict.fromkeys(words)}
    for word, count in frequency.items():
        if "_" in word and 0 < count <= MAX_POSTINGS and not _stands(word, reader, uncounted):
            frequency[word] = 0
    return Known(frequency, tuple(uncounted))


def _count(word: str, items: int, reader: Reader, uncounted: dict[str, None]) -> int:
    try:
        return reader.frequency([word])[word]
    except QueryBudgetError:
        uncounted[word] = None
        return items


def _stands(name: str, reader: Reader, uncounted: dict[str, None]) -> bool:
    """Do the words of the name stand in a row somewhere? Assumed where finding out is over budget, and noted."""
    try:
        return bool(reader.chunk_matches(any_of([name]), 1))
    except QueryBudgetError:
        uncounted[name] = None
        return True
