"""The outcome as a table for people and as an object for programs."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import Any

from truth_bench.oracle import FATAL
from truth_bench.run import Outcome, Tally

NEEDLESS_LIMIT = 0.005


def merged(outcomes: list[Outcome]) -> dict[str, Tally]:
    """The tallies of all folders, by kind."""
    total: dict[str, Tally] = {}
    for outcome in outcomes:
        for kind, tally in outcome.tallies.items():
            into = total.setdefault(kind, Tally())
            for name in ("packets", "refused", "items", "verified", "shown", "unlocated", "needless"):
                setattr(into, name, getattr(into, name) + getattr(tally, name))
            into.wrong.update(tally.wrong)
            into.reasons.update(tally.reasons)
            into.elapsed_ms += tally.elapsed_ms
    return total


def summary(outcomes: list[Outcome]) -> dict[str, Any]:
    """The figures that decide: counts over all kinds, and ``passed``."""
    tallies = merged(outcomes).values()
    wrong: Counter[str] = sum((tally.wrong for tally in tallies), Counter())
    verified = sum(tally.verified for tally in tallies)
    needless = sum(tally.needless for tally in tallies)
    share = needless / max(verified + needless, 1)
    crashes = sum(len(outcome.crashes) for outcome in outcomes)
    unequal = sum(outcome.unequal for outcome in outcomes)
    fatal = sum(wrong[kind] for kind in FATAL)
    times = [value for tally in tallies for value in tally.elapsed_ms]
    return {
        "seeds": {outcome.folder: outcome.seed for outcome in outcomes},
        "mutations": sum(outcome.mutations for outcome in outcomes),
        "kinds": len([kind for kind in merged(outcomes) if not kind.startswith("(")]),
        "packets": sum(tally.packets for tally in tallies),
        "items": sum(tally.items for tally in tallies),
        "verified": verified,
        **{kind: wrong[kind] for kind in FATAL},
        "needless": needless,
        "needless_share": round(share, 5),
        "unlocated": sum(tally.unlocated for tally in tallies),
        "reasons": dict(sum((tally.reasons for tally in tallies), Counter()).most_common()),
        "crashes": crashes,
        "cold_builds_compared": sum(outcome.compared for outcome in outcomes),
        "cold_builds_unequal": unequal,
        "refreshes": sum(outcome.refreshes for outcome in outcomes),
        "packet_ms_p50": round(statistics.median(times), 1) if times else None,
        "packet_ms_p95": round(sorted(times)[int(len(times) * 0.95)], 1) if times else None,
        "passed": not fatal and not crashes and not unequal and share <= NEEDLESS_LIMIT,
    }


def table(outcomes: list[Outcome]) -> str:
    """One line a kind of mutation."""
    columns = ("packets", "items", "verified", "false", "quote", "needless", "unloc.", "shown", "ms")
    head = f"{'kind':40} " + " ".join(f"{column:>8}" for column in columns) + "  other verdicts"
    lines = [head, "-" * len(head)]
    for kind, tally in sorted(merged(outcomes).items()):
        false = tally.wrong["false_verified"] + tally.wrong["wrong_hash"] + tally.wrong["malformed"]
        quote = tally.wrong["wrong_quote"] + tally.wrong["leaked_secret"]
        others = tally.reasons + Counter({"no folder": tally.refused})
        reasons = " ".join(f"{reason}:{count}" for reason, count in others.most_common())
        lines.append(
            f"{kind:40} {tally.packets:8} {tally.items:8} {tally.verified:8} {false:8} {quote:8} {tally.needless:8} "
            f"{tally.unlocated:8} {tally.shown / max(tally.packets, 1):8.0%} {_median(tally):8.1f}  {reasons}"
        )
    return "\n".join(lines)


def _median(tally: Tally) -> float:
    return statistics.median(tally.elapsed_ms) if tally.elapsed_ms else 0.0
