"""Convert the engine's objects to formats of other clients; additive, with no invented values. Pure."""

from __future__ import annotations

from typing import Any

from helix_core.printable import count

_ADVICE = {"aligned": "trust", "sparse": "verify", "stale": "refresh", "denatured": "reread_raw"}
_HINTS = {
    "trust": "The evidence answers the question and was compared with the files just now.",
    "verify": "The evidence is thin: look at the places themselves before you rely on it.",
    "refresh": "Some of the evidence may be out of date: read the places again first.",
    "reread_raw": "The evidence hardly answers the question: search the files yourself.",
}


def continued(found: dict[str, Any]) -> dict[str, Any]:
    """Return ``helix.context/1`` as an item of Continue's http context provider, with its account beside it."""
    health = found["context_health"]
    recommendation = _ADVICE.get(health["status"], "verify")
    return {
        "name": "Helix",
        "description": f"{count(len(found['blocks']), 'place')} for: {found['query'][:80]}",
        "content": found["text"],
        "context_health": health,
        "agent": {
            "recommendation": recommendation,
            "hint": _HINTS[recommendation],
            "citations": [
                {
                    "gene_id": block["gene_id"],
                    "source": block["source_id"],
                    "start_line": block["start_line"],
                    "end_line": block["end_line"],
                    "status": block["status"],
                    "reason": block["reason"],
                }
                for block in found["blocks"]
            ],
            "latency_ms": found["elapsed_ms"],
            "total_tokens_est": found["tokens"],
            "budget_tier": found["budget_tier"],
            "budget_tokens_est": found["budget"],
        },
        "verdicts": found["verdicts"],
        "known_empty": found["known_empty"],
        "nearest": found["nearest"],
        "notes": found["notes"],
    }
