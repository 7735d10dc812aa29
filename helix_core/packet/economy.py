"""Spend a packet's tokens: the order of files, how much of each item is quoted, what fits the budget.

In: weighed items, best first, with their whole quotes. Out: the same items, some reordered, some quoted in part; within
a budget the last ones are dropped. Pure. Decides no verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from helix_core.lines import lines_with_ends, without_line_end
from helix_core.model import SourceKind, Weighed
from helix_core.tuples import NamedTuple

FIRST = 5
"""Number of items that an agent reads; search distributes its lines among them, so none displaces another
(``benchmarks/search.py --packets``)."""
FILES_EARLY = 4
"""Number of different files that get one item before any gets a second: in a small budget the next file is likelier to
hold the answer than more of the same one."""
SURE = 0.5
"""Least confidence to quote the first item whole; below it, more items are worth more than its text."""
SHORT_QUOTE = 150
"""Quotes up to this many characters are never shortened: naming their lines costs as much."""
HEAD_LINES = 4
_SAID = frozenset({SourceKind.NOTE, SourceKind.CHAT})


LEAST_TOKENS, MOST_TOKENS = 300, 200_000
"""Budgets of a packet: in fewer tokens an object has room only for the members that all packets have."""


class Quotes(StrEnum):
    """How much is quoted: what is worth its tokens, or every item as far as it was read, for people."""

    CHOSEN = "chosen"
    WHOLE = "whole"


class Spending(NamedTuple):
    """The reader's budget: ``whole`` for whole quotes; ``max_tokens`` limits the packet, None for no limit.

    With ``as_text`` the packet is also rendered as text, within ``max_tokens`` of its own; with ``names_more`` the text
    also names files beyond the items.
    """

    whole: bool = False
    max_tokens: int | None = None
    as_text: bool = False
    names_more: bool = False


def files_first_order(weighed: Sequence[Weighed]) -> list[Weighed]:
    """Order the first ``FIRST`` items by the best of each file, then all others; scores never rise."""
    head, tail = weighed[:FIRST], weighed[FIRST:]
    found: list[Weighed] = []
    for one in [*_by_files(head, FIRST), *tail]:
        score = min(one.ranked.score, found[-1].ranked.score) if found else one.ranked.score
        ranked = one.ranked._replace(score=score)
        found.append(one._replace(ranked=ranked) if score != one.ranked.score else one)
    return found


def _by_files(weighed: Sequence[Weighed], most: int) -> list[Weighed]:
    """Return the best items of the first ``most`` files, then all others in order."""
    early: dict[str, Weighed] = {}
    for one in weighed:
        if len(early) < most:
            early.setdefault(one.ranked.item.source.source_id, one)
    chosen = list(early.values())
    return [*chosen, *(one for one in weighed if not any(one is first for first in chosen))]


def quoted(weighed: Sequence[Weighed], confidence: float, spending: Spending) -> list[Weighed]:
    """Shorten quotes: the first one stays whole if it is likely the answer, the others keep what names them."""
    if spending.whole:
        return list(weighed)
    whole = confidence >= SURE or len(weighed) == 1
    return [one if place == 0 and whole else with_quote(one, head(one)) for place, one in enumerate(weighed)]


def fitted(weighed: Sequence[Weighed], room: int, size: Callable[[Weighed], int]) -> list[Weighed]:
    """Return as many items as fit ``room``, in order, one at least where any fits; then add what names each; then whole
    lines, best item first.

    ``size`` returns what an item takes of ``room``, in the same unit.
    """
    chosen: list[Weighed] = []
    left = room
    for one in _by_files(weighed, FILES_EARLY):
        cost = size(with_quote(one, ""))
        if cost <= left:
            left -= cost
            chosen.append(one)
        elif chosen:
            break
    whole = [one for one in weighed if any(one is other for other in chosen)]
    kept = [with_quote(one, "") for one in whole]
    for shortened in (head, _whole):
        for place, one in enumerate(kept):
            longer = _as_fits(one, shortened(whole[place]), left, size)
            left -= size(longer) - size(one)
            kept[place] = longer
    return kept


def head(one: Weighed) -> str:
    """Return the first lines of a quote, up to the one that names the symbol; all of a short quote and of a note's."""
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
    """Return the item with another quote."""
    return one if quote == one.quote else one._replace(quote=quote)


def _whole(one: Weighed) -> str:
    return one.quote


def _as_fits(one: Weighed, quote: str, left: int, size: Callable[[Weighed], int]) -> Weighed:
    """Return the item with as many first lines of ``quote`` as fit, at least what it has."""
    lines = lines_with_ends(quote)
    room = size(one) + left
    best, fewest, most = one, 1, len(lines)
    while fewest <= most:
        count = (fewest + most) // 2
        longer = with_quote(one, without_line_end("".join(lines[:count])))
        if size(longer) <= room:
            best, fewest = longer, count + 1
        else:
            most = count - 1
    return best if len(best.quote) > len(one.quote) else one
