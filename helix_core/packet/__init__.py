"""Serialize weighed items as a context packet, and ranked items as a search answer, within a token budget.

In: weighed items with whole quotes, the reader's budget. Out: plain objects. Pure functions of values; never ranks,
never decides a verdict, never reads anything.
"""

from helix_core.packet.economy import LEAST_TOKENS, MOST_TOKENS, Quotes, Spending, files_first_order
from helix_core.packet.wire import (
    CHARACTERS_PER_TOKEN,
    PACKET_SCHEMA,
    SEARCH_SCHEMA,
    PacketFacts,
    document_flag,
    estimated_tokens,
    item_object,
    packet,
    round_share,
    search_answer,
    search_item,
    target_object,
)

__all__ = [
    "CHARACTERS_PER_TOKEN",
    "LEAST_TOKENS",
    "MOST_TOKENS",
    "PACKET_SCHEMA",
    "SEARCH_SCHEMA",
    "PacketFacts",
    "Quotes",
    "Spending",
    "document_flag",
    "estimated_tokens",
    "files_first_order",
    "item_object",
    "packet",
    "round_share",
    "search_answer",
    "search_item",
    "target_object",
]
