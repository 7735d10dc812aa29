"""How text becomes words, the same on both sides: when a chunk is indexed and when a question is asked.

Pure. The patterns here are single runs of one character class, so they cannot backtrack on hostile text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

IDENTIFIER = re.compile(r"[^\W\d]\w*")
_RUN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")


def split_identifier(identifier: str) -> list[str]:
    """Split at ``_``, case and digits, lower-cased: ``parseHTTPHeader2`` gives ``parse http header 2``."""
    return [part.lower() for part in _RUN.findall(identifier)]


def is_compound(identifier: str) -> bool:
    """Does the identifier consist of more than one word, so that it is worth a match of its own?"""
    return len(split_identifier(identifier)) > 1


def camel_parts(text: str) -> Iterator[str]:
    """The parts of each distinct camel-case identifier of ``text``; snake case is split by the tokenizer itself."""
    for identifier in dict.fromkeys(IDENTIFIER.findall(text)):
        if not identifier.islower() and not identifier.isupper():
            parts = split_identifier(identifier)
            if len(parts) > 1:
                yield from parts


def spread(names: Iterable[str]) -> str:
    """Names as a searchable field: each one whole, followed by its parts."""
    words: list[str] = []
    for name in names:
        words.append(name)
        parts = split_identifier(name)
        if len(parts) > 1:
            words.extend(parts)
    return " ".join(words)
