"""The plan of what to read again, most pressing first."""

from __future__ import annotations

from collections.abc import Sequence

from helix_core.model import RefreshTarget, Status, TaskType, Weighed

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
    """How pressing (0..1): task risk × verdict urgency × (½ + ½ × ``share`` of the best score)."""
    return round(RISK[task] * _URGENCY[status] * (0.5 + 0.5 * share), 4)


def refresh_plan(weighed: Sequence[Weighed], task: TaskType) -> list[RefreshTarget]:
    """Everything not verified, most pressing first."""
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
