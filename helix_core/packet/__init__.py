"""Serialize weighed items as a context packet, and ranked items as a search answer, within a token budget.

In: weighed items with whole quotes, the reader's budget. Out: plain objects. Pure functions of values; never ranks,
never decides a verdict, never reads anything.
"""

from helix_core.packet.compact import TEXT_CANDIDATES, fenced, more_line, packet_text, place_line, search_text
from helix_core.packet.economy import LEAST_TOKENS, MOST_TOKENS, Quotes, Spending, files_first_order
from helix_core.packet.remembered import (
    MEMORY_SHARE,
    MOST_RECALLED,
    ONLY_ASSERTED,
    affordable,
    memory_entry,
    memory_line,
)
from helix_core.packet.wire import (
    PACKET_SCHEMA,
    SEARCH_SCHEMA,
    PacketFacts,
    document_flag,
    estimated_tokens,
    item_object,
    packet,
    pointer_object,
    round_share,
    search_answer,
    search_item,
    target_object,
    why_unsearched,
)

__all__ = [
    "LEAST_TOKENS",
    "MEMORY_SHARE",
    "MOST_RECALLED",
    "MOST_TOKENS",
    "ONLY_ASSERTED",
    "PACKET_SCHEMA",
    "SEARCH_SCHEMA",
    "TEXT_CANDIDATES",
    "PacketFacts",
    "Quotes",
    "Spending",
    "affordable",
    "document_flag",
    "estimated_tokens",
    "fenced",
    "files_first_order",
    "item_object",
    "memory_entry",
    "memory_line",
    "more_line",
    "packet",
    "packet_text",
    "place_line",
    "pointer_object",
    "round_share",
    "search_answer",
    "search_item",
    "search_text",
    "target_object",
    "why_unsearched",
]
