"""The verdict table, the live-truth score and the refresh plan: pure functions of observations.

``verified`` is only given to bytes that were compared. Freshness is 2^(-age / half-life).
"""

from __future__ import annotations

from collections.abc import Sequence

from helix_core.model import (
    HIGH_RISK,
    Authority,
    DocumentFlag,
    MemoryOrigin,
    Reason,
    RefreshTarget,
    SourceKind,
    Status,
    TaskType,
    Verdict,
    Volatility,
    Weighed,
)
from helix_core.tuples import NamedTuple

HALF_LIFE_S = {Volatility.STABLE: 7 * 86_400.0, Volatility.MEDIUM: 12 * 3_600.0, Volatility.HOT: 15 * 60.0}
AUTHORITY = {Authority.PRIMARY: 1.0, Authority.DERIVED: 0.75, Authority.INFERRED: 0.45}
LITERAL, SPAN, DOC, ASSERTION = 1.0, 0.9, 0.75, 0.45
_SPECIFICITY = {
    SourceKind.CODE: LITERAL,
    SourceKind.CONFIG: LITERAL,
    SourceKind.DB: LITERAL,
    SourceKind.DOC: DOC,
    SourceKind.LOG: DOC,
    SourceKind.NOTE: ASSERTION,
    SourceKind.CHAT: ASSERTION,
}
THRESHOLD = {
    TaskType.PLAN: 0.35,
    TaskType.EXPLAIN: 0.35,
    TaskType.REVIEW: 0.55,
    TaskType.EDIT: 0.70,
    TaskType.DEBUG: 0.70,
    TaskType.OPS: 0.70,
    TaskType.QUOTE: 0.70,
}


def freshness(age_s: float, volatility: Volatility) -> float:
    """2^(−age / half-life), for what cannot be read again; a negative age (a clock set back) counts as zero."""
    return float(2.0 ** (-max(age_s, 0.0) / HALF_LIFE_S[volatility]))


def specificity(kind: SourceKind, whole_span: bool = True) -> float:
    """Return how literal the evidence is: the thing itself 1.0, a part of its span 0.9, prose 0.75, an assertion
    0.45.
    """
    value = _SPECIFICITY[kind]
    return SPAN if value == LITERAL and not whole_span else value


def live_truth(fresh: float, authority: Authority, specific: float) -> float:
    """freshness × authority × specificity, each 0..1."""
    return fresh * AUTHORITY[authority] * specific


CONFIDENCE_FLOOR = 0.30
AUTHORITY_FLOOR = 0.55
MOST_SAID = 3
TRUE_NOW = frozenset({Reason.UNCHANGED, Reason.TOUCHED, Reason.REINGESTED, Reason.MOVED})
"""The whole claim holds: text, lines, symbol, file."""
TEXT_THERE = TRUE_NOW | {Reason.RENAMED}
"""The text is on the item's lines, under its symbol or another one."""
_SEVERITY = {Status.VERIFIED: 0, Status.STALE_RISK: 1, Status.NEEDS_REFRESH: 2}


class Observation(NamedTuple):
    """What was observed about an item at the moment of the answer.

    ``disk`` is the verdict table's reason from reading the source, ``disk_detail`` completes it; None where nothing can
    be read again (chat, notes, remote pages): then ``freshness`` decides. ``outdated`` are the statements of a document
    that the code no longer supports; ``contradicted_by`` describes the claims of fresher sources.
    """

    disk: Reason | None
    disk_detail: str = ""
    freshness: float = 1.0
    authority: Authority = Authority.PRIMARY
    unsaved: bool = False
    conflicted: bool = False
    outdated: tuple[DocumentFlag, ...] = ()
    contradicted_by: str = ""
    confidence: float = 1.0
    asserted_by: MemoryOrigin | None = None
    superseded: str = ""


def verdict(seen: Observation, task: TaskType) -> Verdict:
    """Return the most severe line of the table that applies; among equals the table's order decides."""
    findings = _findings(seen, task)
    if not findings:
        found = seen.disk or (Reason.ASSERTED if seen.asserted_by is not None else Reason.UNCHANGED)
        return Verdict(Status.VERIFIED, found)
    worst = max(findings, key=lambda finding: _SEVERITY[finding[0]])
    also = tuple(reason for _, reason, _ in findings if reason is not worst[1])
    return Verdict(worst[0], worst[1], worst[2], also)


def _findings(seen: Observation, task: TaskType) -> list[tuple[Status, Reason, str]]:
    risky = task in HIGH_RISK
    doubt = Status.NEEDS_REFRESH if risky else Status.STALE_RISK
    findings: list[tuple[Status, Reason, str]] = []
    if seen.disk is not None and seen.disk not in TRUE_NOW:
        status = Status.STALE_RISK if seen.disk is Reason.RENAMED else Status.NEEDS_REFRESH
        findings.append((status, seen.disk, seen.disk_detail))
    if seen.unsaved:
        findings.append((Status.STALE_RISK, Reason.UNSAVED, ""))
    if seen.conflicted:
        findings.append((Status.STALE_RISK, Reason.CONFLICTED, ""))
    if seen.outdated:
        sentences = dict.fromkeys(flag.sentence for flag in seen.outdated)
        findings.append((Status.STALE_RISK, Reason.OUTDATED_DOC, "; ".join(list(sentences)[:MOST_SAID])))
    if seen.contradicted_by:
        findings.append((Status.STALE_RISK, Reason.CONTRADICTED, seen.contradicted_by))
    if seen.disk is None and seen.freshness < THRESHOLD[task]:
        faded = seen.freshness < THRESHOLD[task] / 2
        findings.append((Status.NEEDS_REFRESH if faded else Status.STALE_RISK, Reason.AGED, ""))
    if seen.superseded:
        findings.append((Status.STALE_RISK, Reason.SUPERSEDED, seen.superseded))
    if seen.disk is None and seen.asserted_by is not None and (risky or seen.asserted_by is not MemoryOrigin.USER):
        findings.append((Status.STALE_RISK, Reason.WEAK_AUTHORITY, ""))
    if AUTHORITY[seen.authority] < AUTHORITY_FLOOR and (risky or seen.disk is None):
        findings.append((doubt, Reason.WEAK_AUTHORITY, ""))
    if seen.confidence < CONFIDENCE_FLOOR:
        findings.append((doubt, Reason.UNLOCATED, ""))
    return findings


def memory_verdict(
    cited: Sequence[Verdict],
    parents: Sequence[Verdict],
    seen: Observation,
    task: TaskType,
    *,
    disproved_by: str = "",
    uncompared: str = "",
) -> Verdict:
    """Return the verdict of a memory: the worst of what it cites, of what it depends on, and of itself.

    Args:
        cited: The verdicts of its citations.
        parents: The verdicts of the memories that it depends on or is derived from.
        seen: Observed of the memory itself; its ``disk`` is None exactly where it cites nothing.
        task: What the answer is for; it decides how strict the verdict is.
        disproved_by: What a file that its text names gives otherwise than it states: the reason then, whatever else is.
        uncompared: Which of its values a file gives in a way that cannot be compared: then nothing but who says it
            stands for them, whatever lines are as they were.
    """
    own = verdict(seen, task)
    worst = max((own, *cited, *parents), key=lambda one: _SEVERITY[one.status])
    if disproved_by:
        is_doubted = worst.status is not Status.VERIFIED
        status = worst.status if is_doubted else Status.STALE_RISK
        return Verdict(status, Reason.CONTRADICTED, disproved_by, (worst.reason,) if is_doubted else ())
    if worst.status is Status.VERIFIED and uncompared:
        return Verdict(Status.VERIFIED, Reason.ASSERTED, uncompared)
    if worst.status is Status.VERIFIED:
        return cited[0] if cited else own
    return worst


RISK = {
    TaskType.PLAN: 0.30,
    TaskType.EXPLAIN: 0.45,
    TaskType.REVIEW: 0.60,
    TaskType.EDIT: 0.85,
    TaskType.DEBUG: 0.90,
    TaskType.QUOTE: 0.95,
    TaskType.OPS: 1.0,
}
_URGENCY = {Status.NEEDS_REFRESH: 1.0, Status.STALE_RISK: 0.6, Status.VERIFIED: 0.0}


def priority(status: Status, task: TaskType, share: float = 1.0) -> float:
    """Return the urgency (0..1): task risk × verdict urgency × (½ + ½ × ``share`` of the best score)."""
    return round(RISK[task] * _URGENCY[status] * (0.5 + 0.5 * share), 4)


def refresh_plan(weighed: Sequence[Weighed], task: TaskType) -> list[RefreshTarget]:
    """Return everything not verified, most urgent first."""
    best = max((one.ranked.score for one in weighed), default=0.0) or 1.0
    plan = [
        RefreshTarget(
            target_kind=item.source.source_kind.value,
            source_id=item.source.source_id,
            start_line=item.start_line,
            end_line=item.end_line,
            reason=one.verdict.reason,
            priority=priority(one.verdict.status, task, one.ranked.score / best),
        )
        for one in weighed
        if one.verdict.status is not Status.VERIFIED
        for item in (one.ranked.item,)
    ]
    return sorted(plan, key=lambda target: -target.priority)
