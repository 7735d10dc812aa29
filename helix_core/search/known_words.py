"""How often each word of a question occurs. A compound name occurs where its words stand in a row, not where each of
them stands somewhere: that ``session`` and ``rotate`` are known does not make ``rotate_session`` a known name."""

from __future__ import annotations

from collections.abc import Iterable

from helix_core.search.terms import any_of
from helix_core.store.reader import Reader
from helix_core.store.session import QueryTimeoutError

MAX_POSTINGS = 6_000
"""Looking a name up costs about the postings of its rarest word; one of common words only is taken to be known."""


def word_frequency(words: Iterable[str], reader: Reader) -> dict[str, int]:
    """In how many chunks each word occurs; for a known compound name, the count of its rarest word.

    Raises QueryTimeoutError when the index takes too long to count them.
    """
    frequency = reader.frequency(words)
    for word, count in frequency.items():
        if "_" in word and 0 < count <= MAX_POSTINGS and not _stands(word, reader):
            frequency[word] = 0
    return frequency


def _stands(name: str, reader: Reader) -> bool:
    """Do the words of the name stand in a row somewhere? Yes, too, where that takes too long to say."""
    try:
        return bool(reader.chunk_matches(any_of([name]), 1))
    except QueryTimeoutError:
        return True
