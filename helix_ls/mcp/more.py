"""What the further tools answer: the engine's objects seen another way, and what a session knows of itself. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

_PLACE = ("source_id", "start_line", "end_line", "symbol")


def preview(window: Mapping[str, Any]) -> dict[str, Any]:
    """``helix.context/1`` without its text, as ``helix.preview/1``."""
    kept = ("query", "workspace", "tokens", "budget", "budget_tier", "known_empty", "nearest", "left_out", "notes")
    return {
        "schema": "helix.preview/1",
        **{name: window[name] for name in kept},
        "blocks": [
            {name: block[name] for name in (*_PLACE, "gene_id", "status", "reason", "tokens", "hidden_lines")}
            for block in window["blocks"]
        ],
        "facts": len(window["facts"]),
        "context_health": window["context_health"],
    }


def resonance(found: Mapping[str, Any]) -> dict[str, Any]:
    """``helix.search/1`` by ranker, as ``helix.resonance/1``: ``share`` is its mean share of a place's score."""
    shares: Counter[str] = Counter()
    heard: dict[str, list[tuple[int, int]]] = {}
    for number, item in enumerate(found["items"]):
        for signal in item["signals"]:
            shares[signal["ranker"]] += signal["share"]
            heard.setdefault(signal["ranker"], []).append((signal["rank"], number))
    count = max(1, len(found["items"]))
    return {
        "schema": "helix.resonance/1",
        "query": found["query"],
        "rankers": [
            {
                "ranker": ranker,
                "share": round(share / count, 4),
                "places": len(heard[ranker]),
                "best_rank": min(heard[ranker])[0],
                "strongest": {name: found["items"][min(heard[ranker])[1]][name] for name in _PLACE},
            }
            for ranker, share in shares.most_common()
        ],
        "items": [{name: item[name] for name in (*_PLACE, "score", "signals")} for item in found["items"]],
        "known_empty": found["known_empty"],
        "confidence": found["confidence"],
        "notes": found["notes"],
    }


def tokens(answers: Mapping[str, int], given: Mapping[str, int]) -> dict[str, Any]:
    """``helix.tokens/1``: answers and their estimated tokens, by tool."""
    return {
        "schema": "helix.tokens/1",
        "is_estimate": True,
        "answers": sum(answers.values()),
        "tokens": sum(given.values()),
        "by_tool": [{"tool": tool, "answers": answers[tool], "tokens": given[tool]} for tool in sorted(answers)],
    }
