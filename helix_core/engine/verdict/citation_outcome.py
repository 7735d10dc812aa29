"""What became of a reference of a text: right, wrong, or not compared for a reason, which has its plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from helix_core.model import Reason
from helix_core.printable import inert_line
from helix_core.workspace import source_id_of

MOST_NAMED = 3


class Unjudged(StrEnum):
    """Why a reference is neither right nor wrong here."""

    NO_CLAIM = "no_claim"
    NOT_HERE = "not_here"
    NAME_BESIDE = "name_beside"
    OPEN = "open"
    AMBIGUOUS = "ambiguous"
    COMMON_WORD = "common_word"
    ARGUMENTS = "arguments"
    OF_LANGUAGE = "of_language"
    OUTSIDE = "outside"
    READERS_OWN = "readers_own"
    NOT_INDEXED = "not_indexed"
    NOT_A_QUOTE = "not_a_quote"


WORDS: dict[Unjudged, str] = {
    Unjudged.NO_CLAIM: "its sentence is about a plan, the past, another version or what is not there",
    Unjudged.NOT_HERE: "no file or definition of the name was recognized; it may be of a library or another project",
    Unjudged.NAME_BESIDE: "the lines are there, and the name beside them was not found at them nor elsewhere for sure",
    Unjudged.OPEN: "it may be inherited, set from elsewhere or made as the program runs",
    Unjudged.AMBIGUOUS: "it may mean several files or definitions here",
    Unjudged.COMMON_WORD: "it may be a common word",
    Unjudged.ARGUMENTS: "what has this name here takes other arguments; the name is a common word",
    Unjudged.OF_LANGUAGE: "it may be of a language or its standard library",
    Unjudged.OUTSIDE: "it is outside of the folder",
    Unjudged.READERS_OWN: "it may be of the reader's own project",
    Unjudged.NOT_INDEXED: "what it means is not indexed, or changed a moment ago",
    Unjudged.NOT_A_QUOTE: "the text is too different from the file to be a quote of it",
}
"""What a reason means: it follows the reference, or a count of them."""


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """Where a citation is right today."""

    path: bytes
    start_line: int
    symbol: str = ""

    def wire(self) -> dict[str, Any]:
        """Return it as ``now`` of a finding."""
        return {"source_id": source_id_of(self.path), "start_line": self.start_line, "symbol": self.symbol}


@dataclass(frozen=True, slots=True)
class CitationOutcome:
    """What became of one citation. ``message`` completes the citation to a sentence; ``rule`` is empty unless wrong.

    ``is_known`` is False where nothing could be compared, and ``why`` then says for what reason.
    """

    is_known: bool
    rule: str = ""
    reason: Reason = Reason.UNCHANGED
    message: str = ""
    now: CitedPlace | None = None
    why: Unjudged | None = None


RIGHT = CitationOutcome(True)


def uncompared(why: Unjudged) -> CitationOutcome:
    """Return the outcome of a citation that could not be compared."""
    return CitationOutcome(False, why=why)


def wrong_citation(rule: str, reason: Reason, message: str, now: CitedPlace | None = None) -> CitationOutcome:
    """Return the outcome of a citation that is wrong."""
    return CitationOutcome(True, rule, reason, message, now)


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
