"""The engine's objects in the shapes that older clients read; additive, and nothing in them is made up. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helix_core.engine.requests import MAX_K

PLAN_SCHEMA = "helix.refreshPlan/1"
FINGERPRINT_SCHEMA = "helix.fingerprint/1"
# Places looked at for one that is returned.
PROFILES = {"fast": 1, "balanced": 2, "quality": 3}
MOST_RESULTS = 200
_ADVICE = {"aligned": "trust", "sparse": "verify", "stale": "refresh", "denatured": "reread_raw"}
_HINTS = {
    "trust": "The evidence answers the question and was compared with the files just now.",
    "verify": "The evidence is thin: look at the places themselves before you rely on it.",
    "refresh": "Some of the evidence may be out of date: read the places again first.",
    "reread_raw": "The evidence hardly answers the question: search the files yourself.",
}


def continued(found: dict[str, Any]) -> dict[str, Any]:
    """``helix.context/1`` as an item of Continue's http context provider, with its account beside it."""
    health = found["context_health"]
    recommendation = _ADVICE.get(health["status"], "verify")
    return {
        "name": "Helix",
        "description": f"{len(found['blocks'])} places for: {found['query'][:80]}",
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


def plan(packet: dict[str, Any]) -> dict[str, Any]:
    """The part of a packet that says what to read again."""
    kept = ("query", "task_type", "workspace", "head", "refresh_targets", "known_empty", "notes")
    return {"schema": PLAN_SCHEMA, **{name: packet[name] for name in kept}}


@dataclass(frozen=True, slots=True)
class FingerprintRequest:
    """What a fingerprint was asked for: at most ``most`` places with at least ``floor`` as score."""

    profile: str
    most: int
    floor: float

    @property
    def evaluated(self) -> int:
        """Places to look at: with a floor more than are returned, for some may be below it."""
        return min(max(self.most * PROFILES[self.profile], 50 if self.floor else 1), MAX_K)


def fingerprint(found: dict[str, Any], wanted: FingerprintRequest) -> dict[str, Any]:
    """``helix.search/1`` as places to go to, with what was looked at, passed, returned and left out, each counted."""
    above = [item for item in found["items"] if item["score"] >= wanted.floor]
    returned = above[: wanted.most]
    return {
        "schema": FINGERPRINT_SCHEMA,
        "mode": "fingerprint",
        "query": found["query"],
        "profile": wanted.profile,
        "fingerprints": [
            {
                "rank": rank,
                "score": item["score"],
                "source": item["source_id"],
                "path": item["source_id"],
                **{name: item[name] for name in ("source_id", "start_line", "end_line", "symbol", "kind")},
                "tier_contributions": item["signals"],
            }
            for rank, item in enumerate(returned, 1)
        ],
        "count": len(returned),
        "max_results": wanted.most,
        "score_floor": wanted.floor,
        "evaluated_total": len(found["items"]),
        "above_floor_total": len(above),
        "returned": len(returned),
        "filtered_by_floor": len(found["items"]) - len(above),
        "truncated_by_cap": len(above) - len(returned),
        "known_empty": found["known_empty"],
        "confidence": found["confidence"],
        "notes": found["notes"],
        "elapsed_ms": found["elapsed_ms"],
    }
