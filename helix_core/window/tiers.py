"""How many places a window shows, and how far the budget is used: from the scores, and from the caller's own prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_BLOCKS = 12
BLOCK_TOKENS = 300
"""A broad window of a large budget shows one place more for each of these."""
SMALL_BUDGET = 2_000
"""Up to here every tier may use all of it."""
# Share of the model's context that the caller's prompt takes → blocks at most.
_ZONES = ((0.25, MOST_BLOCKS), (0.40, 12), (0.60, 6), (0.80, 3))
_FULLEST = 1


@dataclass(frozen=True, slots=True)
class Tier:
    """``blocks`` at most, in at most ``share`` of the budget."""

    name: str
    blocks: int
    share: float


TIGHT = Tier("tight", 3, 0.5)
FOCUSED = Tier("focused", 6, 0.75)
BROAD = Tier("broad", MOST_BLOCKS, 1.0)


def tier(scores: Sequence[float], confidence: float) -> Tier:
    """Tight when one place stands out and is likely the right one, broad when many look alike.

    ``scores`` best first, comparable inside one answer. The measure is the best score over the mean of the first eight:
    1 when all are alike, 8 when the first has it all.
    """
    best = [score for score in scores[:8] if score > 0]
    if not best:
        return BROAD
    lead = best[0] * len(best) / sum(best)
    if lead >= 2.2 and confidence >= 0.8:
        return TIGHT
    return FOCUSED if lead >= 1.5 and confidence >= 0.5 else BROAD


def blocks_of(level: Tier, zone: int, budget_tokens: int) -> int:
    """How many places are shown: what tier and zone allow, and more in a large budget where neither holds back."""
    most = min(level.blocks, zone)
    return max(most, budget_tokens // BLOCK_TOKENS) if most == MOST_BLOCKS else most


def tokens_of(level: Tier, budget_tokens: int) -> int:
    """How much of a budget a tier uses."""
    return max(int(budget_tokens * level.share), min(budget_tokens, SMALL_BUDGET))


def candidates(budget_tokens: int) -> int:
    """How many places to ask for: twice as many as can be shown, for some have no text and some lie inside others."""
    return min(60, max(2 * MOST_BLOCKS, 2 * (budget_tokens // BLOCK_TOKENS)))


def zone_blocks(prompt_tokens: int, context_tokens: int) -> int:
    """The fuller the caller's own prompt already makes the model's context, the fewer blocks are added."""
    share = prompt_tokens / context_tokens if context_tokens > 0 else 1.0
    return next((blocks for most, blocks in _ZONES if share < most), _FULLEST)
