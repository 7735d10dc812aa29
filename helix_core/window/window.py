"""Evidence → window: choose, trim, order and seal, within the budget. The one entry of the room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from helix_core.window.choose import JOINT_TOKENS, Choice, Room, choose
from helix_core.window.envelope import RECKONED_WORD, fact_lines, no_dearer, note_lines, sealed, written
from helix_core.window.evidence import Asked, Evidence, Fact, Window
from helix_core.window.health import health
from helix_core.window.prose import Condense
from helix_core.window.small_models import is_small
from helix_core.window.tiers import blocks_of, tier, tokens_of, zone_blocks
from helix_core.window.tokens import Count

MOST_FACTS = 20
PLACES_PER_BLOCK = 2
"""So many times the places that a tier quotes are named at most, those that it quotes counted."""
_SLATE_SHARE = 0.15


def make_window(
    evidence: Sequence[Evidence],
    facts: Sequence[Fact],
    asked: Asked,
    *,
    confidence: float,
    count: Count,
    boundary: Callable[[], str],
    condense: Condense | None = None,
    notes: Sequence[str] = (),
) -> Window:
    """The window for ``evidence``, best first. ``count`` gives tokens, ``boundary`` a random word, ``condense``
    shorter prose, where there is anything that can; ``notes`` say what the evidence lacks, and stand before it.

    Evidence without text (gone, changed and not read again, unreadable) is left out and named. Where nothing has any
    text, the window is empty. Never over ``asked.budget_tokens``.
    """
    level = tier([one.weighed.ranked.score for one in evidence], confidence)
    zone = zone_blocks(asked.prompt_tokens, asked.context_tokens)
    blocks = blocks_of(level, zone, asked.budget_tokens)
    slate = _slate(facts, asked, count)
    head = [*note_lines(notes), *fact_lines(slate)]
    frame = count(written("\n".join(["", *head]), asked.decoder, RECKONED_WORD))
    room = Room(tokens_of(level, asked.budget_tokens) - frame - JOINT_TOKENS, blocks, PLACES_PER_BLOCK * blocks)
    choice = choose(evidence, asked, room, (count, condense))
    over = _reckoned(head, choice, asked, count) - asked.budget_tokens
    if over > 0:
        choice = choose(evidence, asked, replace(room, tokens=room.tokens - over - JOINT_TOKENS), (count, condense))
    draw = no_dearer(boundary, count)
    text = _text(head, choice, asked, draw)
    while not choice.is_empty and max(count(text), _reckoned(head, choice, asked, count)) > asked.budget_tokens:
        choice.drop_last()
        text = _text(head, choice, asked, draw)
    chosen, left_out = choice.chosen, tuple(choice.left_out)
    if choice.is_empty:
        return Window("", 0, level.name, (), left_out, (), health((), "", (), 0, confidence))
    shown = "\n".join(line for one in chosen for line in one.lines)
    whole = sum(count(one.evidence.text) for one in chosen if not one.block.repeated)
    whole += sum(one.block.tokens for one in chosen if one.block.repeated)
    quoted = tuple(one.block for one in chosen)
    measured = health(asked.terms, shown, quoted, whole, confidence)
    return Window(text, count(text), level.name, quoted, left_out, slate, measured)


def _text(head: Sequence[str], choice: Choice, asked: Asked, boundary: Callable[[], str]) -> str:
    return sealed([*head, *choice.lines()], asked.decoder, boundary)


def _reckoned(head: Sequence[str], choice: Choice, asked: Asked, count: Count) -> int:
    """The tokens of the text, whichever boundary it will have."""
    body = "\n".join([*head, *choice.lines()])
    return count(written(body, asked.decoder, RECKONED_WORD))


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
