"""The verdict table: one pure function for everything that can be pointed at."""

from __future__ import annotations

from dataclasses import dataclass

from helix_core.model import Authority, DocumentFlag, Reason, Status, TaskType, Verdict
from helix_core.weigh.truth import AUTHORITY, HIGH_RISK, THRESHOLD

CONFIDENCE_FLOOR = 0.30
AUTHORITY_FLOOR = 0.55
MOST_SAID = 3
TRUE_NOW = frozenset({Reason.UNCHANGED, Reason.TOUCHED, Reason.REINGESTED, Reason.MOVED})
"""The whole claim holds: text, lines, symbol, file."""
TEXT_THERE = TRUE_NOW | {Reason.RENAMED}
"""The text is on the item's lines, under its symbol or another one."""
_SEVERITY = {Status.VERIFIED: 0, Status.STALE_RISK: 1, Status.NEEDS_REFRESH: 2}


@dataclass(frozen=True, slots=True)
class Observation:
    """What was found about an item at the moment of the answer.

    ``disk`` is the word of the verdict table for what reading the source gave, ``disk_detail`` what completes it; None
    where nothing can be read again (chat, notes, remote pages): then ``freshness`` decides. ``outdated`` is what of a
    document the code has left behind; ``contradicted_by`` says what a fresher source claims.
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


def verdict(seen: Observation, task: TaskType) -> Verdict:
    """The most severe line of the table that applies; the table's order decides between equals."""
    findings = _findings(seen, task)
    if not findings:
        return Verdict(Status.VERIFIED, seen.disk if seen.disk is not None else Reason.UNCHANGED)
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
        said = dict.fromkeys(flag.sentence for flag in seen.outdated)
        findings.append((Status.STALE_RISK, Reason.OUTDATED_DOC, "; ".join(list(said)[:MOST_SAID])))
    if seen.contradicted_by:
        findings.append((Status.STALE_RISK, Reason.CONTRADICTED, seen.contradicted_by))
    if seen.disk is None and seen.freshness < THRESHOLD[task]:
        faded = seen.freshness < THRESHOLD[task] / 2
        findings.append((Status.NEEDS_REFRESH if faded else Status.STALE_RISK, Reason.AGED, ""))
    if AUTHORITY[seen.authority] < AUTHORITY_FLOOR and (risky or seen.disk is None):
        findings.append((doubt, Reason.WEAK_AUTHORITY, ""))
    if seen.confidence < CONFIDENCE_FLOOR:
        findings.append((doubt, Reason.UNLOCATED, ""))
    return findings
