"""Why a reference of a text was not compared: a typed reason, and what it means in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from helix_core.printable import inert_line

MOST_NAMED = 3


class Unjudged(StrEnum):
    """Why a reference is neither right nor wrong here."""

    NO_CLAIM = "no_claim"
    NOT_HERE = "not_here"
    OPEN = "open"
    AMBIGUOUS = "ambiguous"
    COMMON_WORD = "common_word"
    OF_LANGUAGE = "of_language"
    OUTSIDE = "outside"
    READERS_FILE = "readers_file"
    NOT_INDEXED = "not_indexed"
    NOT_A_QUOTE = "not_a_quote"


WORDS: dict[Unjudged, str] = {
    Unjudged.NO_CLAIM: "its sentence is about a plan, the past, another version or what is not there",
    Unjudged.NOT_HERE: "nothing here has the name or had it lately; it may be of a library or another project",
    Unjudged.OPEN: "it may be inherited, set from elsewhere or made as the program runs",
    Unjudged.AMBIGUOUS: "it may mean several files or definitions here",
    Unjudged.COMMON_WORD: "it may be a common word",
    Unjudged.OF_LANGUAGE: "it may be of a language or its standard library",
    Unjudged.OUTSIDE: "it is outside of the folder",
    Unjudged.READERS_FILE: "it may be a file of the reader's own project",
    Unjudged.NOT_INDEXED: "what it means is not indexed, or changed a moment ago",
    Unjudged.NOT_A_QUOTE: "the text is too different from the file to be a quote of it",
}
"""What a reason means: it follows the reference, or a count of them."""


def reasons_unjudged(left: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each reason why references were not compared: how many, the reason, and the first of them.

    ``left`` is ``unjudged`` of a ``helix.check/1`` object.
    """
    by_reason: dict[str, list[str]] = {}
    for one in left:
        by_reason.setdefault(one["message"], []).append(one["reference"])
    lines = []
    for message, references in sorted(by_reason.items(), key=lambda pair: -len(pair[1])):
        names = list(dict.fromkeys(references))
        more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
        lines.append(f"{len(references):,}: {message} ({', '.join(map(inert_line, names[:MOST_NAMED]))}{more})")
    return lines
