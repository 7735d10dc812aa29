"""The outcome as tables for people and as an object for programs."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable
from typing import Any

from truth_bench.oracle import FATAL
from truth_bench.run import OPEN, Outcome, Tally

NEEDLESS_LIMIT = 0.005
_FALSE = ("false_verified", "wrong_hash", "malformed", "uncounted")
_QUOTES = ("wrong_quote", "leaked_secret", "stored_secret")
_OTHERS = ("wrong_commit", "unsaid", "waited", "hurried", "not_interrupted", "wrong_flag")
_COUNTS = (
    "packets",
    "refused",
    "items",
    "verified",
    "shown",
    "unlocated",
    "told",
    "untold",
    "half_written",
    "needless",
)


def merged(outcomes: Iterable[Outcome]) -> dict[str, Tally]:
    """The tallies of all folders, by kind."""
    total: dict[str, Tally] = {}
    for outcome in outcomes:
        for kind, tally in outcome.tallies.items():
            into = total.setdefault(kind, Tally())
            for name in _COUNTS:
                setattr(into, name, getattr(into, name) + getattr(tally, name))
            into.wrong.update(tally.wrong)
            into.reasons.update(tally.reasons)
            into.elapsed_ms += tally.elapsed_ms
    return total


def summary(outcomes: list[Outcome]) -> dict[str, Any]:
    """The figures that decide: counts over all kinds, and ``passed``."""
    kinds = merged(outcomes)
    tallies = kinds.values()
    wrong: Counter[str] = sum((tally.wrong for tally in tallies), Counter())
    verified = sum(tally.verified for tally in tallies)
    needless = sum(tally.needless for tally in tallies)
    share = needless / max(verified + needless, 1)
    crashes = sum(len(outcome.crashes) for outcome in outcomes)
    unequal = sum(outcome.unequal for outcome in outcomes)
    fatal = sum(wrong[kind] for kind in FATAL)
    saved = [value for outcome in outcomes for value in outcome.saved_ms]
    packets = [tally for kind, tally in kinds.items() if not kind.endswith(OPEN)]
    times = [value for tally in packets for value in tally.elapsed_ms]
    return {
        "seeds": sorted({outcome.seed for outcome in outcomes}),
        "mutations": sum(outcome.mutations for outcome in outcomes),
        "kinds": len({kind.removesuffix(OPEN) for kind in kinds if not kind.startswith("(")}),
        "packets": sum(tally.packets for tally in packets),
        "open_judged": sum(tally.packets for kind, tally in kinds.items() if kind.endswith(OPEN)),
        "items": sum(tally.items for tally in tallies),
        "verified": verified,
        "symbols_told": sum(tally.told for tally in tallies),
        "symbols_untold": sum(tally.untold for tally in tallies),
        "half_written": sum(tally.half_written for tally in tallies),
        "saves_found_ms_p50": percentile(saved, 0.5),
        "saves_found_ms_p95": percentile(saved, 0.95),
        **{kind: wrong[kind] for kind in FATAL},
        "needless": needless,
        "needless_share": round(share, 5),
        "unlocated": sum(tally.unlocated for tally in tallies),
        "reasons": dict(sum((tally.reasons for tally in tallies), Counter()).most_common()),
        "crashes": crashes,
        "cold_builds_compared": sum(outcome.compared for outcome in outcomes),
        "cold_builds_unequal": unequal,
        "refreshes": sum(outcome.refreshes for outcome in outcomes),
        "packet_ms_p50": percentile(times, 0.5),
        "packet_ms_p95": percentile(times, 0.95),
        "passed": bool(outcomes) and not fatal and not crashes and not unequal and share <= NEEDLESS_LIMIT,
    }


def by_surface(outcomes: list[Outcome]) -> dict[str, dict[str, Any]]:
    """A summary for each surface and load that was run: ``api idle``, ``api beside 8 loops``, …"""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        load = f"beside {outcome.load} loops" if outcome.load else "idle"
        groups.setdefault(f"{outcome.surface} {load}", []).append(outcome)
    return {name: summary(group) for name, group in sorted(groups.items())}


def surface_table(outcomes: list[Outcome]) -> str:
    """One line for each surface and load."""
    columns = (
        "mutations",
        "packets",
        "open",
        "verified",
        "false",
        "symbol",
        "quote",
        "needless",
        "errors",
        "p50",
        "p95",
    )
    head = f"{'surface':24} " + " ".join(f"{column:>9}" for column in columns)
    lines = [head, "-" * len(head)]
    for name, said in [*by_surface(outcomes).items(), ("all", summary(outcomes))]:
        cells = (
            said["mutations"],
            said["packets"],
            said["open_judged"],
            said["verified"],
            sum(said[kind] for kind in _FALSE),
            said["wrong_symbol"],
            sum(said[kind] for kind in _QUOTES),
            sum(said[kind] for kind in _OTHERS),
            f"{said['needless_share']:.2%}",
            said["crashes"] + said["cold_builds_unequal"],
            said["packet_ms_p50"],
            said["packet_ms_p95"],
        )
        lines.append(f"{name:24} " + " ".join(f"{cell!s:>9}" for cell in cells))
    return "\n".join(lines)


def table(outcomes: list[Outcome]) -> str:
    """One line a kind of mutation."""
    columns = ("packets", "items", "verified", "false", "symbol", "quote", "other", "needless", "unloc.")
    columns += ("shown", "ms")
    head = f"{'kind':46} " + " ".join(f"{column:>8}" for column in columns) + "  other verdicts"
    lines = [head, "-" * len(head)]
    for kind, tally in sorted(merged(outcomes).items()):
        false = sum(tally.wrong[one] for one in _FALSE)
        quote, other = (sum(tally.wrong[one] for one in group) for group in (_QUOTES, _OTHERS))
        others = tally.reasons + Counter({"no folder": tally.refused})
        reasons = " ".join(f"{reason}:{count}" for reason, count in others.most_common())
        lines.append(
            f"{kind:46} {tally.packets:8} {tally.items:8} {tally.verified:8} {false:8} {tally.wrong['wrong_symbol']:8} "
            f"{quote:8} {other:8} {tally.needless:8} {tally.unlocated:8} {tally.shown / max(tally.packets, 1):8.0%} "
            f"{_median(tally):8.1f}  {reasons}"
        )
    return "\n".join(lines)


def percentile(values: list[float], share: float) -> float | None:
    """The value below which so large a share lies; None of no values."""
    return round(sorted(values)[int(len(values) * share)], 1) if values else None


def _median(tally: Tally) -> float:
    return statistics.median(tally.elapsed_ms) if tally.elapsed_ms else 0.0
