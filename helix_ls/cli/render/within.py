"""A packet as it is printed for whoever pays for what is read: within a budget of characters. Pure but for drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from helix_core.lines import lines_with_ends, without_line_end
from helix_core.packet.wire import CHARACTERS_PER_TOKEN

GROUPS = ("verified", "stale_risk", "needs_refresh")
# Lines of the best quote and of every other, from all that is ever printed down to none.
_QUOTED_LINES = ((12, 5), (12, 1), (5, 1), (2, 1), (1, 1), (1, 0), (0, 0))
_SAYS_LESS = frozenset({"kind", "commit", "author", "committed_at", "commit_of"})
_PRESSING = 3

Packet = dict[str, Any]


def within(packet: Mapping[str, Any], most_tokens: int, printed: Callable[[Packet], str]) -> Packet:
    """The packet with as much of its quotes, then as many of its places as fit ``most_tokens`` when it is printed.

    One place at least stays. ``printed`` draws a packet; its length counts, at 3.6 characters a token.
    """
    room = int(most_tokens * CHARACTERS_PER_TOKEN)
    ranked = sorted((item for group in GROUPS for item in packet[group]), key=lambda item: -item["relevance_score"])
    made = _cut(packet, ranked, (0, 0))
    for made in _shorter(packet, ranked):
        text = printed(made)
        made["accounting"]["tokens"] = round(len(text) / CHARACTERS_PER_TOKEN)
        if len(text) <= room:
            break
    return made


def _shorter(packet: Mapping[str, Any], ranked: list[dict[str, Any]]) -> Iterator[Packet]:
    """Less and less of the packet: its quotes go first, then its last places, then what stands beside them."""
    for lines in _QUOTED_LINES:
        yield _cut(packet, ranked, lines)
    for kept in range(len(ranked) - 1, 0, -1):
        yield _cut(packet, ranked[:kept], (0, 0))
    yield _cut({**packet, "refresh_targets": [], "nearest": []}, ranked[:1], (0, 0))


def _cut(packet: Mapping[str, Any], ranked: list[dict[str, Any]], lines: tuple[int, int]) -> Packet:
    best, others = lines
    items = {
        id(item): {name: value for name, value in item.items() if name not in _SAYS_LESS}
        | {"quote": without_line_end("".join(lines_with_ends(item["quote"] or "")[: others if place else best]))}
        for place, item in enumerate(ranked)
    }
    groups = {group: [items[id(item)] for item in packet[group] if id(item) in items] for group in GROUPS}
    left_out = sum(len(packet[group]) for group in GROUPS) - len(ranked)
    accounting = {**packet["accounting"], "returned": len(ranked), "left_out": left_out}
    return {
        **packet,
        **groups,
        "refresh_targets": packet["refresh_targets"][:_PRESSING],
        "accounting": accounting,
    }
