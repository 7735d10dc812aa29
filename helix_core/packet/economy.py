"""What of a packet is worth its tokens: which file comes next, how much of each place is quoted, what fits a budget.

In: weighed items, best first, with their whole quotes. Out: the same items, some later, some quoted in part; within a
budget the last ones are left out. Pure. Decides no verdict and moves no place.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from helix_core.lines import lines_with_ends, without_line_end
from helix_core.model import SourceKind, Weighed

FIRST = 5
"""These places are what an agent reads; search shares its lines out among them, so none of them gives way to another
(``benchmarks/search.py --packets``)."""
FILES_EARLY = 4
"""Where a budget holds few places, so many different files have one before any has more: the next file is likelier to
hold the answer than more of the same one."""
SURE = 0.5
"""From this confidence on the first place is quoted whole: below it more places are worth more than its text."""
SHORT_QUOTE = 150
"""Characters of a quote that is never shortened: naming its lines costs as much."""
HEAD_LINES = 4
_SAID = frozenset({SourceKind.NOTE, SourceKind.CHAT})


LEAST_TOKENS, MOST_TOKENS = 200, 200_000


class Quotes(StrEnum):
    """How much is quoted: what pays for a reader of tokens, or every place as far as it was read, for people."""

    CHOSEN = "chosen"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Spending:
    """What a reader wants to pay: ``whole`` for whole quotes; ``max_tokens`` bounds the packet, None does not."""

    whole: bool = False
    max_tokens: int | None = None


def files_first(weighed: Sequence[Weighed]) -> list[Weighed]:
    """The first ``FIRST`` places with each file's best before more of any, then all others; scores never rise."""
    head, tail = weighed[:FIRST], weighed[FIRST:]
    found: list[Weighed] = []
    for one in [*_by_files(head, FIRST), *tail]:
        score = min(one.ranked.score, found[-1].ranked.score) if found else one.ranked.score
        ranked = dataclasses.replace(one.ranked, score=score)
        found.append(dataclasses.replace(one, ranked=ranked) if score != one.ranked.score else one)
    return found


def _by_files(weighed: Sequence[Weighed], most: int) -> list[Weighed]:
    """The best places of the first ``most`` files, then all others in their order."""
    early: dict[str, Weighed] = {}
    for one in weighed:
        if len(early) < most:
            early.setdefault(one.ranked.item.source.source_id, one)
    chosen = list(early.values())
    return [*chosen, *(one for one in weighed if not any(one is first for first in chosen))]


def quoted(weighed: Sequence[Weighed], confidence: float, spending: Spending) -> list[Weighed]:
    """The items with as much of their quotes as pays: whole where it is surely the answer, else what names it."""
    if spending.whole:
        return list(weighed)
    whole = confidence >= SURE or len(weighed) == 1
    return [one if place == 0 and whole else with_quote(one, head(one)) for place, one in enumerate(weighed)]


def fitted(weighed: Sequence[Weighed], room: int, size: Callable[[Weighed], int]) -> list[Weighed]:
    """As many items as have ``room``, one at least, in their order; then what names each; then whole lines, the best
    place's first.

    ``size`` is what an item takes of ``room``, in the same unit.
    """
    chosen: list[Weighed] = []
    left = room
    for one in _by_files(weighed, FILES_EARLY):
        cost = size(with_quote(one, ""))
        if cost > left and chosen:
            break
        left -= cost
        chosen.append(one)
    whole = [one for one in weighed if any(one is other for other in chosen)]
    kept = [with_quote(one, "") for one in whole]
    for shortened in (head, _whole):
        for place, one in enumerate(kept):
            longer = _as_fits(one, shortened(whole[place]), left, size)
            left -= size(longer) - size(one)
            kept[place] = longer
    return kept


def head(one: Weighed) -> str:
    """The first lines of a quote, up to that which names the symbol; all of a short quote and of a note's."""
    if len(one.quote) <= SHORT_QUOTE or one.ranked.item.source.source_kind in _SAID:
        return one.quote
    lines = lines_with_ends(one.quote)
    name = one.ranked.item.name
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    named = (number for number, line in enumerate(lines[:HEAD_LINES]) if name and name in _words(line))
    return without_line_end("".join(lines[: max(first, next(named, first)) + 1]))


def _words(line: str) -> list[str]:
    return "".join(letter if letter.isalnum() or letter == "_" else " " for letter in line).split()


def with_quote(one: Weighed, quote: str) -> Weighed:
    """The item quoted otherwise."""
    return one if quote == one.quote else dataclasses.replace(one, quote=quote)


def _whole(one: Weighed) -> str:
    return one.quote


def _as_fits(one: Weighed, quote: str, left: int, size: Callable[[Weighed], int]) -> Weighed:
    """With the first lines of ``quote`` that there is room for, at least what it has."""
    lines = lines_with_ends(quote)
    taken = size(one)
    most = len(lines)
    while most:
        longer = with_quote(one, without_line_end("".join(lines[:most])))
        if len(longer.quote) <= len(one.quote):
            break
        if size(longer) - taken <= left:
            return longer
        most -= 1
    return one
