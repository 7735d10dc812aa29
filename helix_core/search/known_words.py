"""What of a question's words the index has: how often each occurs, and where a short text stands word for word."""

from __future__ import annotations

import re
from collections.abc import Iterable

from helix_core.search.question import LONGEST_SUBJECT, QUESTION_WORDS, any_of
from helix_core.store import QueryBudgetError, Reader
from helix_core.tuples import NamedTuple
from helix_core.words import lazy_pattern

_WORD = re.compile(r"\w+")
_IN_PARTS = lazy_pattern(r"(?<=\w)[_./](?=\w)", cues="_|.|/")
MAX_POSTINGS = 6_000
"""A look-up costs the posting list of a name's rarest word; a name of common words only is assumed to be known."""


class Known(NamedTuple):
    """``frequency`` is each word's document frequency in chunks; for a known compound name, that of its rarest word.

    ``uncounted`` are words whose count exceeded its budget: they are treated as occurring in every chunk, so that they
    decide nothing.
    """

    frequency: dict[str, int]
    uncounted: tuple[str, ...] = ()


def known_words(words: Iterable[str], items: int, reader: Reader) -> Known:
    """Look up each word's document frequency; ``items`` is the number of chunks."""
    uncounted: dict[str, None] = {}
    frequency = {word: _count(word, items, reader, uncounted) for word in dict.fromkeys(words)}
    for word, count in frequency.items():
        if _IN_PARTS.search(word) and 0 < count <= MAX_POSTINGS and not _has_phrase(word, reader, uncounted):
            frequency[word] = 0
    return Known(frequency, tuple(uncounted))


def _count(word: str, items: int, reader: Reader, uncounted: dict[str, None]) -> int:
    try:
        return reader.words.frequency([word])[word]
    except QueryBudgetError:
        uncounted[word] = None
        return items


def _has_phrase(name: str, reader: Reader, uncounted: dict[str, None]) -> bool:
    """Return whether the words of the name occur in sequence. Assumed, and noted, where the query exceeds its
    budget.
    """
    try:
        return reader.text.occurs(any_of([name]), in_scope=True)
    except QueryBudgetError:
        uncounted[name] = None
        return True


MOST_VERBATIM, VERBATIM_HITS = 4, 40
"""A longer text is a sentence: that it is not here word for word says nothing, and that it is says no more."""


def verbatim_chunks(text: str, reader: Reader) -> frozenset[int]:
    """Return chunks that have a short text word for word, but for the words around it that only ask: of "where are
    splat params" the last two. Such a text is here, wherever that is. None where a filter narrows what is searched.
    """
    words = _WORD.findall(text.lower()) if len(text) <= LONGEST_SUBJECT else []
    while words and words[0] in QUESTION_WORDS:
        words.pop(0)
    while words and words[-1] in QUESTION_WORDS:
        words.pop()
    is_told = len(words) > 1 or any(map(str.isdigit, words))
    if not is_told or len(words) > MOST_VERBATIM or reader.is_narrowed:
        return frozenset()
    _, items = reader.text.size()
    if not 0 < min(known_words(words, items, reader).frequency.values()) <= MAX_POSTINGS:
        return frozenset()
    try:
        found = reader.text.chunk_matches(any_of([" ".join(words)]), VERBATIM_HITS)
    except QueryBudgetError:
        return frozenset()
    return frozenset(item for item, _, _ in found)
