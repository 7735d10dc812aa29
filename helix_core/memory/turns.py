"""Judge how much of a question a turn of a conversation answers: by its words, who says it, and what it replies to.

Pure. A turn rarely repeats what it is about: a reply is about what was asked just before, and what somebody says is
about that person. What only asks answers nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from helix_core.memory.ranking import AskedTerm

REPLIED = 0.9
"""What a word of the question counts for a turn that replies to a turn with it which asks."""
BEFORE = 0.5
"""The same for a turn that follows any other turn with it, and ``AFTER`` for one that comes before it."""
AFTER = 0.35
FARTHER = 0.8
"""Factor of these for each turn farther away."""
MENTIONED = 0.6
"""What the name of a speaker counts for a turn of somebody else that has it."""
ONLY_ASKS = 0.6
"""Factor of a turn that only asks."""
LEAST_TURNS = 2
"""Turns with the same label from which on it is that of a speaker."""
_LABEL = re.compile(r"\s*([^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30})?):\s")
_ASKS = re.compile(r"\?[\s)\"”]*\Z")
_TELL = re.compile(r"(?i)(?:tell me|let me know|do tell|any news)\b[^.]*[.!?]?\s*\Z")


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """What was said in one turn: its tokens, those of who said it (none where that is unknown), and if it only asks."""

    held: frozenset[str]
    speaker: frozenset[str] = frozenset()
    is_asking: bool = False


def said_turns(
    texts: Mapping[str, str], held: Mapping[str, frozenset[str]], tokens: Callable[[str], Iterable[str]]
) -> dict[str, SaidTurn]:
    """Return turns by the keys of their texts. ``held`` are the tokens that each is found by; ``tokens`` tokenizes."""
    labels = {key: found.group(1) for key, text in texts.items() if (found := _LABEL.match(text))}
    count = Counter(labels.values())
    speakers = {label: frozenset(tokens(label)) for label, times in count.items() if times >= LEAST_TURNS}
    return {
        key: SaidTurn(held[key], speakers.get(labels.get(key, ""), frozenset()), is_asking(text))
        for key, text in texts.items()
    }


def is_asking(text: str) -> bool:
    """Return whether a turn ends with a question, so that what follows it is a reply."""
    said = text[found.end() :] if (found := _LABEL.match(text)) else text
    return _ASKS.search(said) is not None or _TELL.match(said.lstrip()) is not None


def covered_in_turn(
    terms: Sequence[AskedTerm],
    turn: SaidTurn,
    around: Sequence[tuple[int, SaidTurn]],
    speakers: Collection[frozenset[str]],
) -> float:
    """Return the share, 0..1, of the question's weight that a turn has, by itself or by what it stands next to.

    Args:
        terms: The terms of the question.
        turn: What was said, and by whom.
        around: Turns of the same session, each with how many turns later it was said (below 0: earlier).
        speakers: The tokens of all who speak there: what somebody says is not about another one who speaks next.
    """
    total = sum(term.weight for term in terms)
    if not total:
        return 0.0
    own = sum(term.weight * _own(term, turn, around, speakers) for term in terms)
    return own / total * (ONLY_ASKS if turn.is_asking else 1.0)


def _own(
    term: AskedTerm, turn: SaidTurn, around: Sequence[tuple[int, SaidTurn]], speakers: Collection[frozenset[str]]
) -> float:
    if turn.speaker and any(term.is_in(one) for one in speakers):
        return 1.0 if term.is_in(turn.speaker) else MENTIONED * term.is_in(turn.held)
    if term.is_in(turn.held):
        return 1.0
    places = dict(around)
    return max((_share(place, turn, places) for place, one in around if term.is_in(one.held)), default=0.0)


def _share(place: int, turn: SaidTurn, places: Mapping[int, SaidTurn]) -> float:
    """Return what a word of a turn so many turns later counts for a turn."""
    if place > 0:
        return AFTER * FARTHER ** (place - 1)
    before = places.get(-1)
    is_reply = before is not None and before.is_asking and (not turn.speaker or before.speaker != turn.speaker)
    return (REPLIED if is_reply else BEFORE) * FARTHER ** (-place - 1)
