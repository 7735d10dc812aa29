"""Choose the items that a window quotes, how much of each, and which it only names: share out a budget, best first.
Pure.

Each quoted item gets at most a share of the remaining budget, so that several are quoted, and a part is reserved for
naming other files, a line each. The rest goes to the quotes again, the best item's first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from helix_core.model import Reason, Status
from helix_core.printable import inert_text
from helix_core.tokens import Count
from helix_core.window.envelope import KNOWN_HEAD, NAMED_HEAD, legend, mention, stub
from helix_core.window.evidence import Block, Evidence, LeftOut, WindowRequest
from helix_core.window.fit import STAND_IN, fit
from helix_core.window.prose import Condense

LEAST_BLOCK_TOKENS = 48
FIRST_SHARE = 0.45
NAMED_SHARE = 0.3
"""Maximum share of the budget for names: more of them would cost lines of evidence (``benchmarks/search.py --packets``,
``benchmarks/window.py``)."""
JOINT_TOKENS = 3
"""Upper bound of the tokens of a line end between two texts, because token counts are not additive."""
OVER_BUDGET = "over the budget"

Means = tuple[Count, Condense | None]


@dataclass(frozen=True, slots=True)
class Room:
    """The budget: ``tokens`` for at most ``blocks`` quoted items and ``places`` items in all."""

    tokens: int
    blocks: int
    places: int


@dataclass(frozen=True, slots=True)
class QuotedPlace:
    """A quoted item: its lines in the window, and its account."""

    evidence: Evidence
    lines: tuple[str, ...]
    block: Block


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """An item that is not quoted, as the line that names it."""

    evidence: Evidence
    line: str
    is_known: bool = False


@dataclass(slots=True)
class WindowSelection:
    """The selected items. ``left_out`` holds what is not quoted, whether it is named or not."""

    chosen: list[QuotedPlace] = field(default_factory=list)
    named: list[NamedPlace] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Return whether nothing is quoted or named."""
        return not self.chosen and not self.named

    def lines(self) -> list[str]:
        """Return the lines inside the envelope, except facts."""
        quoted = [line for one in self.chosen for line in one.lines]
        for head, is_known in ((NAMED_HEAD, False), (KNOWN_HEAD, True)):
            lines = [one.line for one in self.named if one.is_known is is_known]
            quoted += [head, *lines] if lines else []
        return quoted

    def drop_last(self) -> None:
        """Drop the last item: named ones first, then quoted ones."""
        if self.named:
            dropped = self.named.pop().evidence
            place = left_out(dropped, OVER_BUDGET)
            self.left_out = [replace(one, named=False) if _is_at(one, place) else one for one in self.left_out]
        else:
            self.left_out.append(left_out(self.chosen.pop().evidence, OVER_BUDGET))


def choose(evidence: Sequence[Evidence], asked: WindowRequest, room: Room, means: Means) -> WindowSelection:
    """Return the items of ``evidence``, best first, that fit ``room``.

    Items without text are left out with their verdict's reason, and so are items inside a quoted one; neither is named.
    A file that is not indexed is named where possible, because the answer may be in it.
    """
    count, _ = means
    limit = int(room.tokens * NAMED_SHARE)
    kept = min(limit, _cost_of_names(evidence, room.places, count))
    choice, waiting, left = _quoted(evidence, asked, room.tokens - kept, room.blocks, means)
    if kept and not choice.chosen:
        choice, waiting, left = _quoted(evidence, asked, room.tokens, room.blocks, means)
        kept = 0
    left += kept
    most = min(limit, left) if choice.chosen else left
    choice.named = _named(waiting, choice.chosen, room.places - len(choice.chosen), most, (asked, count))
    if choice.named:
        quoted = len([line for one in choice.chosen for line in one.lines])
        left -= _cost(choice.lines()[quoted:], count)
    named = {id(one.evidence) for one in choice.named}
    choice.left_out += [replace(left_out(one, why), named=id(one) in named) for one, why in waiting]
    _grow(choice.chosen, asked, left, means)
    return choice


def left_out(one: Evidence, reason: str) -> LeftOut:
    """Return the account of an item that is not quoted."""
    item = one.weighed.ranked.item
    return LeftOut(item.source.source_id, item.start_line, item.end_line, reason)


def _quoted(
    evidence: Sequence[Evidence], asked: WindowRequest, budget: int, most_blocks: int, means: Means
) -> tuple[WindowSelection, list[tuple[Evidence, str]], int]:
    """Quote items, best first, each with at most its share of the remaining budget while others wait; return the
    waiting ones with reasons, and the remaining tokens.
    """
    choice = WindowSelection()
    waiting: list[tuple[Evidence, str]] = []
    spans: dict[str, list[tuple[int, int]]] = {}
    left = budget
    for one in evidence:
        item = one.weighed.ranked.item
        if one.weighed.verdict.reason is Reason.NOT_INDEXED:
            waiting.append((one, Reason.NOT_INDEXED.value))
        elif not one.text:
            choice.left_out.append(left_out(one, one.weighed.verdict.reason.value))
        elif _is_held(spans.get(item.source.source_id, []), item.start_line, item.end_line):
            choice.left_out.append(left_out(one, "contained in another block"))
        elif len(choice.chosen) >= most_blocks or left < LEAST_BLOCK_TOKENS:
            waiting.append((one, OVER_BUDGET))
        else:
            rest = len(evidence) > len(choice.chosen) + 1
            most = int(left * FIRST_SHARE) if rest and left > 4 * LEAST_BLOCK_TOKENS else left
            made = _block(one, len(choice.chosen) + 1, asked, most, means)
            if made is None or (choice.chosen and _shows_nothing(made)):
                waiting.append((one, "nothing of it fits the budget"))
                continue
            choice.chosen.append(made)
            left -= made.block.tokens + JOINT_TOKENS
            spans.setdefault(item.source.source_id, []).append((item.start_line, item.end_line))
    return choice, waiting, left


def _named(
    waiting: Sequence[tuple[Evidence, str]],
    chosen: Sequence[QuotedPlace],
    most: int,
    budget: int,
    means: tuple[WindowRequest, Count],
) -> list[NamedPlace]:
    """Name items while there is room: the best item of each file without a quote first, then others."""
    asked, count = means
    known = {_file(one.evidence) for one in chosen}
    others: list[Evidence] = []
    more: list[Evidence] = []
    for one, _ in waiting:
        (more if _file(one) in known else others).append(one)
        known.add(_file(one))
    named: list[NamedPlace] = []
    left = budget
    headed: set[bool] = set()
    for one in [*others, *more]:
        line, is_known = mention(one), _may_refer(one, asked) and one.weighed.ranked.item.text_hash in asked.delivered
        head = [] if is_known in headed else [KNOWN_HEAD if is_known else NAMED_HEAD]
        cost = _cost([*head, line], count)
        if len(named) < most and cost <= left:
            named.append(NamedPlace(one, line, is_known))
            headed.add(is_known)
            left -= cost
    return named


def _grow(chosen: list[QuotedPlace], asked: WindowRequest, left: int, means: Means) -> None:
    """Extend truncated quotes with the remaining budget, the best item's first."""
    for place, one in enumerate(chosen):
        if not one.block.hidden_lines or left < LEAST_BLOCK_TOKENS:
            continue
        longer = _block(one.evidence, place + 1, asked, one.block.tokens + left, means)
        if longer is not None and longer.block.hidden_lines < one.block.hidden_lines:
            left -= longer.block.tokens - one.block.tokens
            chosen[place] = longer


def _block(one: Evidence, number: int, asked: WindowRequest, most: int, means: Means) -> QuotedPlace | None:
    """Return the item quoted in at most ``most`` tokens; None where nothing of it fits."""
    count, condense = means
    item, verdict = one.weighed.ranked.item, one.weighed.verdict
    head = legend(number, one)
    may_refer = _may_refer(one, asked)
    is_known = may_refer and item.text_hash in asked.delivered
    hidden, body = 0, ""
    if is_known:
        head = stub(head)
    else:
        room = most - count(head) - 2 * JOINT_TOKENS
        cut = fit(
            inert_text(one.text),
            item.source.language,
            name=item.source.source_id,
            start_line=item.start_line,
            terms=asked.terms,
            most_tokens=room,
            count=count,
            condense=condense,
        )
        if cut is None:
            return None
        hidden, body = cut.hidden_lines, cut.text.rstrip("\n")
        if may_refer and body and body in asked.prompt:
            is_known, head, hidden, body = True, stub(head), 0, ""
    lines = (head, body, "") if body else (head,)
    block = Block(
        gene_id=item.text_hash,
        source_id=item.source.source_id,
        start_line=item.start_line,
        end_line=item.end_line,
        symbol=item.symbol,
        status=verdict.status,
        reason=verdict.reason,
        tokens=count("\n".join(lines)),
        hidden_lines=hidden,
        repeated=is_known,
    )
    return QuotedPlace(one, lines, block)


def _shows_nothing(place: QuotedPlace) -> bool:
    """Return whether a cut quote has no line that its name does not say: only what was left out, and how it begins."""
    if not place.block.hidden_lines or len(place.lines) < 2:
        return False
    shown = [line for line in place.lines[1].splitlines() if line.strip() and not STAND_IN.search(line)]
    # A signature says what the name does not.
    return not shown or (len(shown) == 1 and "(" not in shown[0] and place.block.symbol.rpartition(".")[2] in shown[0])


def _may_refer(one: Evidence, asked: WindowRequest) -> bool:
    """Return whether a text that an earlier window gave may be referred to: it still holds."""
    item = one.weighed.ranked.item
    return one.weighed.verdict.status is Status.VERIFIED and item.text_hash not in asked.superseded


def _cost_of_names(evidence: Sequence[Evidence], places: int, count: Count) -> int:
    """Return the tokens for naming each file but the first, for at most ``places`` items."""
    best: dict[str, Evidence] = {}
    for one in evidence:
        if one.text and len(best) < places:
            best.setdefault(_file(one), one)
    lines = [mention(one) for one in best.values()][1:]
    return _cost([NAMED_HEAD, *lines], count) if lines else 0


def _cost(lines: Sequence[str], count: Callable[[str], int]) -> int:
    return sum(count(line) + 1 for line in lines)


def _file(one: Evidence) -> str:
    return one.weighed.ranked.item.source.source_id


def _is_held(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    return any(first <= start and end <= last for first, last in spans)


def _is_at(one: LeftOut, other: LeftOut) -> bool:
    return (one.source_id, one.start_line, one.end_line) == (other.source_id, other.start_line, other.end_line)
