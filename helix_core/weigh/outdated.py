"""Which of the symbols a document names changed after the document was last committed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from helix_core.words import IDENTIFIER, is_compound

_MARKED = re.compile(r"`([^`\n]{3,80})`")
MAX_NAMES = 24


@dataclass(frozen=True, slots=True)
class NamedSymbol:
    """A symbol a document names: its text now, and its whole file as it stood when the document was last committed.

    ``file_then`` is None when the file was not there under this path; then nothing can be said.
    """

    name: str
    text_now: bytes
    file_then: bytes | None


def names_in(text: str) -> tuple[str, ...]:
    """Names a document writes as code: the last part of what stands in backticks, when it is a name of its own.

    At most 24, in order of first appearance. Single plain words are left out: they are mostly prose.
    """
    names: dict[str, None] = {}
    for marked in _MARKED.findall(text):
        identifiers = IDENTIFIER.findall(marked.split("(")[0])
        if identifiers and (is_compound(identifiers[-1]) or len(identifiers) > 1):
            names[identifiers[-1]] = None
    return tuple(names)[:MAX_NAMES]


def outdated(symbols: Sequence[NamedSymbol]) -> tuple[str, ...]:
    """The names whose text, as it reads now, did not stand in their file then, although the name did."""
    return tuple(dict.fromkeys(symbol.name for symbol in symbols if _changed(symbol)))


def _changed(symbol: NamedSymbol) -> bool:
    if symbol.file_then is None or symbol.name.encode() not in symbol.file_then:
        return False
    return _normal(symbol.text_now) not in _normal(symbol.file_then)


def _normal(text: bytes) -> bytes:
    return b"\n".join(line.rstrip() for line in text.strip().splitlines())
