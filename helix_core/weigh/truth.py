"""How much an item can be worth trusting: freshness × authority × specificity."""

from __future__ import annotations

from helix_core.model import Authority, SourceKind, TaskType, Volatility

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
HIGH_RISK = frozenset({TaskType.EDIT, TaskType.DEBUG, TaskType.OPS, TaskType.QUOTE})


def freshness(age_s: float, volatility: Volatility) -> float:
    """2^(−age / half-life), for what cannot be read again; a negative age (a clock set back) counts as zero."""
    return float(2.0 ** (-max(age_s, 0.0) / HALF_LIFE_S[volatility]))


def specificity(kind: SourceKind, whole_span: bool = True) -> float:
    """How literal the evidence is: the thing itself 1.0, a part of its span 0.9, prose 0.75, an assertion 0.45."""
    value = _SPECIFICITY[kind]
    return SPAN if value == LITERAL and not whole_span else value


def live_truth(fresh: float, authority: Authority, specific: float) -> float:
    """freshness × authority × specificity, each 0..1."""
    return fresh * AUTHORITY[authority] * specific
