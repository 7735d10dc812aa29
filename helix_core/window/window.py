"""Assemble a context window: choose, trim, order and seal the evidence within a token budget. The entry point."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache

from helix_core.model import Decoder, Status
from helix_core.tokens import Count
from helix_core.window.choose import JOINT_TOKENS, Room, WindowSelection, choose
from helix_core.window.envelope import (
    REMEMBERED_HEAD,
    SAMPLE_BOUNDARY,
    bounded_boundary,
    fact_lines,
    note_lines,
    sealed,
    written,
)
from helix_core.window.evidence import Block, Evidence, Health, Window, WindowFact, WindowRequest
from helix_core.window.prose import Condense
from helix_core.words import split_identifier

FLOOR = 0.01
STALE_BELOW = 0.4
ALIGNED = 0.7
SPARSE = 0.3
_TRUST = {Status.VERIFIED: 1.0, Status.STALE_RISK: 0.5, Status.NEEDS_REFRESH: 0.0}
_STEM = 4


def health(terms: Sequence[str], shown: str, blocks: Sequence[Block], whole_tokens: int, confidence: float) -> Health:
    """The health of a window.

    coverage = share of the question's words (as stems) that occur in the text shown, and 1 for a question without any;
    density = tokens shown / tokens that the chosen spans have whole, so a short answer that is complete counts 1;
    freshness = mean over the blocks of 1 verified, 0.5 stale_risk, 0 needs_refresh;
    ellipticity = cube root of the three, none below 0.01, times the confidence that the place is right where that is
    under one half (twice the confidence).
    stale below a freshness of 0.4; else aligned from 0.7, sparse from 0.3, denatured below.
    """
    if not blocks:
        return Health(0.0, 0.0, 0.0, 0.0, "denatured")
    coverage = _coverage(terms, shown)
    density = min(1.0, sum(block.tokens for block in blocks) / max(whole_tokens, 1))
    freshness = sum(_TRUST[block.status] for block in blocks) / len(blocks)
    product = max(coverage, FLOOR) * max(density, FLOOR) * max(freshness, FLOOR)
    ellipticity = product ** (1 / 3) * min(1.0, 2 * confidence)
    return Health(
        round(coverage, 4),
        round(density, 4),
        round(freshness, 4),
        round(ellipticity, 4),
        _status(freshness, ellipticity),
    )


def _status(freshness: float, ellipticity: float) -> str:
    if freshness < STALE_BELOW:
        return "stale"
    if ellipticity >= ALIGNED:
        return "aligned"
    return "sparse" if ellipticity >= SPARSE else "denatured"


def _coverage(terms: Sequence[str], shown: str) -> float:
    stems = {term.lower()[: max(_STEM, len(term) - 2)] for term in terms}
    if not stems:
        return 1.0
    parts = set(split_identifier(shown))
    return sum(any(part.startswith(stem) for part in parts) for stem in stems) / len(stems)


SMALL_BILLIONS = 10.0
# "e" counts effective parameters (gemma 3n's e4b).
_SIZE = re.compile(r"(?:^|[-_:/ ])(?:e|a)?(\d{1,4}(?:\.\d{1,2})?)b(?![a-z0-9])", re.IGNORECASE)
_MIXTURE = re.compile(r"\d+x\d+b|-a\d+(?:\.\d+)?b", re.IGNORECASE)


def is_small(model: str, table: Sequence[str] = ()) -> bool:
    """Return whether the table names the model, or its own name has at most ten billion parameters or a mixture of
    experts.

    ``table`` holds case-insensitive shell patterns; one that begins with ``!`` excludes a model, and precedes all
    others. Unknown names are not small.
    """
    low = model.lower()
    bare = low.rpartition("/")[2]
    if not model or any(_fits(low, bare, entry[1:]) for entry in table if entry.startswith("!")):
        return False
    if _MIXTURE.search(model) or any(_fits(low, bare, entry) for entry in table):
        return True
    sizes = [float(size) for size in _SIZE.findall(model)]
    return bool(sizes) and min(sizes) <= SMALL_BILLIONS


def _fits(low: str, bare: str, entry: str) -> bool:
    pattern = entry.lower()
    return fnmatchcase(low, pattern) or fnmatchcase(bare, pattern)


MOST_BLOCKS = 12
BLOCK_TOKENS = 300
"""Tokens of budget for each additional block of a broad window."""
SMALL_BUDGET = 2_000
"""Budgets up to this size, in tokens, are used in full by every tier."""
# Share of the model's context that the caller's prompt uses, and the maximum of blocks.
_ZONES = ((0.25, MOST_BLOCKS), (0.40, 12), (0.60, 6), (0.80, 3))
_FULLEST = 1


@dataclass(frozen=True, slots=True)
class Tier:
    """At most ``blocks`` blocks, in at most ``share`` of the budget."""

    name: str
    blocks: int
    share: float


TIGHT = Tier("tight", 3, 0.5)
FOCUSED = Tier("focused", 6, 0.75)
BROAD = Tier("broad", MOST_BLOCKS, 1.0)


def tier(scores: Sequence[float], confidence: float) -> Tier:
    """Return tight when one item stands out and is likely right, broad when many score alike.

    ``scores`` best first, comparable inside one answer. The measure is the best score over the mean of the first eight:
    1 when all are equal, 8 when the first has it all.
    """
    best = [score for score in scores[:8] if score > 0]
    if not best:
        return BROAD
    lead = best[0] * len(best) / sum(best)
    if lead >= 2.2 and confidence >= 0.8:
        return TIGHT
    return FOCUSED if lead >= 1.5 and confidence >= 0.5 else BROAD


def blocks_of(level: Tier, zone: int, budget_tokens: int) -> int:
    """Return the number of blocks: the limits of tier and zone, and more in a large budget where neither limits it."""
    most = min(level.blocks, zone)
    return max(most, budget_tokens // BLOCK_TOKENS) if most == MOST_BLOCKS else most


def tokens_of(level: Tier, budget_tokens: int) -> int:
    """Return how much of a budget a tier uses, in tokens."""
    return max(int(budget_tokens * level.share), min(budget_tokens, SMALL_BUDGET))


def candidates(budget_tokens: int) -> int:
    """Return the number of items to search for: twice as many as can be shown, because some have no text or overlap."""
    return min(60, max(2 * MOST_BLOCKS, 2 * (budget_tokens // BLOCK_TOKENS)))


def zone_blocks(prompt_tokens: int, context_tokens: int) -> int:
    """Limit the blocks by how full the caller's own prompt makes the model's context."""
    share = prompt_tokens / context_tokens if context_tokens > 0 else 1.0
    return next((blocks for most, blocks in _ZONES if share < most), _FULLEST)


def most_places(
    scores: Sequence[float], confidence: float, budget_tokens: int, prompt_tokens: int, context_tokens: int
) -> int:
    """Return how many items a window can quote and name.

    Args:
        scores: Those of the items, best first.
        confidence: Of the answer, 0 to 1.
        budget_tokens: Of the window.
        prompt_tokens: Those of the caller's own prompt.
        context_tokens: What the model can read.
    """
    blocks = blocks_of(tier(scores, confidence), zone_blocks(prompt_tokens, context_tokens), budget_tokens)
    return PLACES_PER_BLOCK * blocks


MOST_FACTS = 20
PLACES_PER_BLOCK = 2
"""Maximum of named and quoted items together, as a multiple of the tier's quoted ones."""
_SLATE_SHARE = 0.15
REMEMBERED_SHARE = 0.15
"""Maximum share of the budget for lines of memories."""


def make_window(
    evidence: Sequence[Evidence],
    facts: Sequence[WindowFact],
    asked: WindowRequest,
    *,
    confidence: float,
    count: Count,
    boundary: Callable[[], str],
    condense: Condense | None = None,
    notes: Sequence[str] = (),
    remembered: Sequence[str] = (),
) -> Window:
    """Return the window for the evidence.

    Evidence without text (gone, changed and not read again, unreadable) is left out and named. Where nothing has any
    text and nothing is remembered, the window is empty. Never over ``asked.budget_tokens``.

    Args:
        evidence: Judged items with their text, best first.
        facts: Literal values of the items.
        asked: Budget, decoder and what the session has.
        confidence: Of the answer, 0 to 1.
        count: Counts tokens.
        boundary: Returns a random word.
        condense: Shortens prose, if available.
        notes: Notes on what the evidence lacks; they precede it.
        remembered: Inert lines of memories, best first; those that fit their share precede the evidence.
    """
    # Most texts are counted two or three times: alone, within their block, and at the end for the account.
    count = cache(count)
    level = tier([one.weighed.ranked.score for one in evidence], confidence)
    blocks = blocks_of(level, zone_blocks(asked.prompt_tokens, asked.context_tokens), asked.budget_tokens)
    slate = _choose_facts(facts, asked, count)
    kept = _remembered_lines(remembered, int(asked.budget_tokens * REMEMBERED_SHARE), count)
    head = [*note_lines(notes), *_section(kept), *fact_lines(slate)]
    frame = count(written("\n".join(["", *head]), asked.decoder, SAMPLE_BOUNDARY))
    room = Room(tokens_of(level, asked.budget_tokens) - frame - JOINT_TOKENS, blocks, PLACES_PER_BLOCK * blocks)
    choice = choose(evidence, asked, room, (count, condense))
    over = _counted_tokens(head, choice, asked, count) - asked.budget_tokens
    if over > 0:
        choice = choose(evidence, asked, replace(room, tokens=room.tokens - over - JOINT_TOKENS), (count, condense))
    draw = bounded_boundary(boundary, count)
    text = _text(head, choice, asked, draw)
    while not choice.is_empty and max(count(text), _counted_tokens(head, choice, asked, count)) > asked.budget_tokens:
        choice.drop_last()
        text = _text(head, choice, asked, draw)
    chosen, left_out = choice.chosen, tuple(choice.left_out)
    if choice.is_empty:
        nothing = Window("", 0, level.name, (), left_out, (), health((), "", (), 0, confidence))
        return _only_remembered(nothing, kept, notes, asked, (count, draw))
    shown = "\n".join(line for one in chosen for line in one.lines)
    whole = sum(count(one.evidence.text) for one in chosen if not one.block.repeated)
    whole += sum(one.block.tokens for one in chosen if one.block.repeated)
    quoted = tuple(one.block for one in chosen)
    measured = health(asked.terms, shown, quoted, whole, confidence)
    return Window(text, count(text), level.name, quoted, left_out, slate, measured, tuple(kept))


def _remembered_lines(lines: Sequence[str], most_tokens: int, count: Count) -> list[str]:
    """Return the lines that fit, in order; one that is too long is skipped."""
    kept: list[str] = []
    left = most_tokens - (count(REMEMBERED_HEAD) + JOINT_TOKENS if lines else 0)
    for line in lines:
        cost = count(line) + JOINT_TOKENS
        if cost <= left:
            kept.append(line)
            left -= cost
    return kept


def _section(remembered: Sequence[str]) -> list[str]:
    return [REMEMBERED_HEAD, *remembered] if remembered else []


def _only_remembered(
    nothing: Window,
    remembered: Sequence[str],
    notes: Sequence[str],
    asked: WindowRequest,
    means: tuple[Count, Callable[[], str]],
) -> Window:
    """Return a window of memories and notes, where there is no evidence to quote; ``nothing`` where none fit."""
    lines, (count, draw) = list(remembered), means
    while lines:
        text = sealed([*note_lines(notes), *_section(lines)], asked.decoder, draw)
        if count(text) <= asked.budget_tokens:
            return replace(nothing, text=text, tokens=count(text), remembered=tuple(lines))
        lines.pop()
    return nothing


def note_window(notes: Sequence[str], decoder: Decoder, boundary: Callable[[], str], count: Count) -> str:
    """Return the text of a window that has notes only.

    Args:
        notes: The notes, one line each.
        decoder: How the window is written.
        boundary: Returns a random word.
        count: Counts tokens.
    """
    return sealed(note_lines(notes), decoder, bounded_boundary(boundary, count))


def _text(head: Sequence[str], choice: WindowSelection, asked: WindowRequest, boundary: Callable[[], str]) -> str:
    return sealed([*head, *choice.lines()], asked.decoder, boundary)


def _counted_tokens(head: Sequence[str], choice: WindowSelection, asked: WindowRequest, count: Count) -> int:
    """Count the tokens of the text with any boundary."""
    body = "\n".join([*head, *choice.lines()])
    return count(written(body, asked.decoder, SAMPLE_BOUNDARY))


def _choose_facts(facts: Sequence[WindowFact], asked: WindowRequest, count: Count) -> tuple[WindowFact, ...]:
    """Choose the facts: distinct, few, in a small part of the budget; first, for models with a short attention span."""
    if not is_small(asked.model, asked.small_models):
        return ()
    kept: list[WindowFact] = []
    left = int(asked.budget_tokens * _SLATE_SHARE)
    for fact in dict.fromkeys(facts):
        left -= count(fact_lines([fact])[0])
        if left < 0 or len(kept) == MOST_FACTS:
            break
        kept.append(fact)
    return tuple(kept)
