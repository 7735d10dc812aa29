"""Evidence → window: choose, trim, order and seal, within the budget. The one entry of the room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from helix_core.model import Status
from helix_core.window.envelope import fact_lines, legend, safe_text, sealed, stub
from helix_core.window.evidence import Asked, Block, Evidence, Fact, LeftOut, Window
from helix_core.window.fit import fit
from helix_core.window.health import health
from helix_core.window.prose import Condense
from helix_core.window.small_models import is_small
from helix_core.window.tiers import blocks_of, tier, tokens_of, zone_blocks
from helix_core.window.tokens import Count

MOST_FACTS = 20
LEAST_BLOCK_TOKENS = 48
FIRST_SHARE = 0.35
JOINT_TOKENS = 3
"""What a line end between two texts costs at most: tokens of parts do not add up to those of the whole."""
_SLATE_SHARE = 0.15


_Means = tuple[Count, Condense | None]


@dataclass(slots=True)
class _Chosen:
    evidence: Evidence
    lines: list[str]
    block: Block


def make_window(
    evidence: Sequence[Evidence],
    facts: Sequence[Fact],
    asked: Asked,
    *,
    confidence: float,
    count: Count,
    boundary: Callable[[], str],
    condense: Condense | None = None,
) -> Window:
    """The window for ``evidence``, best first. ``count`` gives tokens, ``boundary`` a random word, ``condense``
    shorter prose, where there is anything that can.

    Evidence without text (gone, changed and not read again, unreadable) is left out and named. Where nothing has any
    text, the window is empty. Never over ``asked.budget_tokens``.
    """
    level = tier([one.weighed.ranked.score for one in evidence], confidence)
    zone = zone_blocks(asked.prompt_tokens, asked.context_tokens)
    most_blocks = blocks_of(level, zone, asked.budget_tokens)
    slate = _slate(facts, asked, count)
    frame = count(sealed(["", *fact_lines(slate)], asked.decoder, lambda: "0" * 16))
    budget = tokens_of(level, asked.budget_tokens) - frame - JOINT_TOKENS
    chosen, left_out = _choose(evidence, asked, budget, most_blocks, (count, condense))
    while chosen and count(text := _text(slate, chosen, asked, boundary)) > asked.budget_tokens:
        dropped = chosen.pop()
        left_out.append(_left_out(dropped.evidence, "over the budget"))
    if not chosen:
        return Window("", 0, level.name, (), tuple(left_out), (), health((), "", (), 0, confidence))
    blocks = tuple(one.block for one in chosen)
    shown = "\n".join(line for one in chosen for line in one.lines)
    whole = sum(count(one.evidence.text) for one in chosen if not one.block.repeated)
    whole += sum(one.block.tokens for one in chosen if one.block.repeated)
    measured = health(asked.terms, shown, blocks, whole, confidence)
    return Window(text, count(text), level.name, blocks, tuple(left_out), slate, measured)


def _text(slate: Sequence[Fact], chosen: Sequence[_Chosen], asked: Asked, boundary: Callable[[], str]) -> str:
    lines = fact_lines(slate)
    for one in chosen:
        lines += one.lines
    return sealed(lines, asked.decoder, boundary)


def _choose(
    evidence: Sequence[Evidence], asked: Asked, budget: int, most_blocks: int, means: _Means
) -> tuple[list[_Chosen], list[LeftOut]]:
    """Best first: each place gets what it needs, none more than a third of what is left if others wait."""
    chosen: list[_Chosen] = []
    left_out: list[LeftOut] = []
    spans: dict[str, list[tuple[int, int]]] = {}
    left = budget
    for one in evidence:
        item = one.weighed.ranked.item
        if not one.text:
            left_out.append(_left_out(one, one.weighed.verdict.reason.value))
        elif _is_held(spans.get(item.source.source_id, []), item.start_line, item.end_line):
            left_out.append(_left_out(one, "contained in another block"))
        elif len(chosen) >= most_blocks or left < LEAST_BLOCK_TOKENS:
            left_out.append(_left_out(one, "over the budget"))
        else:
            rest = len(evidence) > len(chosen) + 1
            most = int(left * FIRST_SHARE) if rest and left > 4 * LEAST_BLOCK_TOKENS else left
            made = _block(one, len(chosen) + 1, asked, most, means)
            if made is None:
                left_out.append(_left_out(one, "nothing of it fits the budget"))
                continue
            chosen.append(made)
            left -= made.block.tokens + JOINT_TOKENS
            spans.setdefault(item.source.source_id, []).append((item.start_line, item.end_line))
    return chosen, left_out


def _block(one: Evidence, number: int, asked: Asked, most: int, means: _Means) -> _Chosen | None:
    count, condense = means
    item, verdict = one.weighed.ranked.item, one.weighed.verdict
    head = legend(number, one)
    is_known = item.text_hash in asked.delivered and verdict.status is Status.VERIFIED
    hidden, body = 0, ""
    if is_known:
        head = stub(head)
    else:
        room = most - count(head) - 2 * JOINT_TOKENS
        cut = fit(
            safe_text(one.text),
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
        hidden, body = cut.hidden_lines, cut.text
    lines = [head, body.rstrip("\n"), ""] if body else [head]
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
    return _Chosen(one, lines, block)


def _is_held(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    return any(first <= start and end <= last for first, last in spans)


def _left_out(one: Evidence, reason: str) -> LeftOut:
    item = one.weighed.ranked.item
    return LeftOut(item.source.source_id, item.start_line, item.end_line, reason)


def _slate(facts: Sequence[Fact], asked: Asked, count: Count) -> tuple[Fact, ...]:
    """Facts come first for models that cannot look back far; distinct, few, in a small part of the budget."""
    if not is_small(asked.model, asked.small_models):
        return ()
    kept: list[Fact] = []
    left = int(asked.budget_tokens * _SLATE_SHARE)
    for fact in dict.fromkeys(facts):
        left -= count(fact_lines([fact])[0])
        if left < 0 or len(kept) == MOST_FACTS:
            break
        kept.append(fact)
    return tuple(kept)
