"""Score the health of an index by its own verdicts, and compare such a score with a person's: the divergence bridge.

In: an open workspace and questions to probe it with. Out: scores from 0 to 1, and how far two scores of one thing are
apart. The names are those of Helix Context's bridge to ScoreRift, which is used where it is installed and never needed.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from helix_core.engine.memory import RememberRequest
from helix_core.errors import UsageError
from helix_core.model import Attribution, MemoryOrigin, Status

if TYPE_CHECKING:
    from helix_core.engine import Helix

HEALTH_SCHEMA = "helix.health/1"
DIVERGED, DENATURED = 0.15, 0.40
"""Differences of two scores from which on they diverge, and from which on nothing is left of their agreement."""
STEEPNESS = 3.0
PROBES = ("How does the system work?",)
BRIDGE = "scorerift"
KIND = "resolution"
_WORTH = {Status.VERIFIED: 1.0, Status.STALE_RISK: 0.5, Status.NEEDS_REFRESH: 0.0}
Scored = tuple[float, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class DivergenceSignal:
    """Two scores of one dimension: ``epsilon_l`` is the automatic one, ``epsilon_r`` the person's, None without any.

    ``delta_epsilon`` is their difference, ``ellipticity`` 1 where they agree and falling to 0. ``status`` is aligned,
    diverged, denatured, or unmeasured without a person's score.
    """

    dimension: str
    epsilon_l: float
    epsilon_r: float | None
    delta_epsilon: float
    ellipticity: float
    status: str


def cd_signal(
    auto_score: float,
    manual_score: float | None,
    divergence_threshold: float = DIVERGED,
    denaturation_threshold: float = DENATURED,
    *,
    dimension: str = "",
) -> DivergenceSignal:
    """Compare an automatic score with a person's, both from 0 to 1. Raises UsageError for others."""
    if manual_score is None:
        _checked(auto_score)
        return DivergenceSignal(dimension, auto_score, None, 0.0, 1.0, "unmeasured")
    # Scores have a few decimals: 0.85 and 1.0 are 0.15 apart, not a little more or less.
    delta = round(abs(_checked(auto_score) - _checked(manual_score)), 9)
    status = "aligned"
    if delta >= denaturation_threshold:
        status = "denatured"
    elif delta >= divergence_threshold:
        status = "diverged"
    return DivergenceSignal(dimension, auto_score, manual_score, delta, math.exp(-STEEPNESS * delta * delta), status)


def _checked(score: float) -> float:
    if not 0.0 <= score <= 1.0:
        raise UsageError(f"the score {score} is not from 0 to 1; give a share")
    return score


class GenomeHealthProbe:
    """Score an open workspace by the packets of some questions. Nothing is kept between two scans."""

    def __init__(self, helix: Helix, questions: Sequence[str] = PROBES) -> None:
        if not questions:
            raise UsageError("no question to probe with; give at least one")
        self._helix = helix
        self._questions = tuple(questions)

    def check_freshness(self) -> Scored:
        """Return how many of the answers' places are still true on disk: verified 1, stale_risk a half."""
        return _freshness(self._packets())

    def check_coverage(self) -> Scored:
        """Return the share of the files that count which the index holds."""
        return _coverage(self._packets())

    def check_relevance(self) -> Scored:
        """Return the mean calibrated confidence that an answer has found the right places."""
        return _relevance(self._packets())

    def full_scan(self, manual: Mapping[str, float] | None = None) -> dict[str, Any]:
        """Return the ``helix.health/1`` object: each dimension's score, its detail, and its signal against the person's
        score in ``manual``, if any. ``ellipticity`` is the least of the dimensions'.
        """
        packets, given = self._packets(), manual or {}
        if unknown := sorted(set(given) - set(_DIMENSIONS)):
            raise UsageError(f"there is no dimension {unknown[0]}; the dimensions are {', '.join(_DIMENSIONS)}")
        scored = {name: score_of(packets) for name, (score_of, _, _) in _DIMENSIONS.items()}
        signals = {name: cd_signal(score, given.get(name), dimension=name) for name, (score, _) in scored.items()}
        return {
            "schema": HEALTH_SCHEMA,
            "workspace": str(self._helix.workspace),
            "dimensions": [
                {"name": name, "score": score, "detail": detail, "signal": asdict(signals[name])}
                for name, (score, detail) in scored.items()
            ],
            "ellipticity": min(one.ellipticity for one in signals.values()),
            "diverged": [name for name, one in signals.items() if one.status in ("diverged", "denatured")],
        }

    def _packets(self) -> list[dict[str, Any]]:
        return [self._helix.packet(question) for question in self._questions]


def _freshness(packets: Sequence[Mapping[str, Any]]) -> Scored:
    counts = {status: sum(len(packet[status.value]) for packet in packets) for status in Status}
    items = sum(counts.values())
    score = sum(_WORTH[status] * count for status, count in counts.items()) / items if items else 0.0
    return score, {"items": items} | {status.value: count for status, count in counts.items()}


def _coverage(packets: Sequence[Mapping[str, Any]]) -> Scored:
    counted = packets[-1]["accounting"]
    has_any = counted["sources"] > 0
    return (counted["indexed_share"] if has_any else 0.0), {"files": counted["sources"]}


def _relevance(packets: Sequence[Mapping[str, Any]]) -> Scored:
    confidences = [packet["coordinate_confidence"] for packet in packets]
    unanswered = sum(packet["known_empty"] for packet in packets)
    return sum(confidences) / len(confidences), {"questions": len(packets), "unanswered": unanswered}


_DIMENSIONS: dict[str, tuple[Callable[[Sequence[Mapping[str, Any]]], Scored], float, str]] = {
    "genome_freshness": (_freshness, 0.95, "places of answers that are still true on disk"),
    "genome_coverage": (_coverage, 0.95, "files that count and that the index holds"),
    "genome_relevance": (_relevance, 0.75, "calibrated confidence that answers have the right places"),
}
"""By name: the score, how far it is to be trusted, and what it says."""


@dataclass(frozen=True, slots=True)
class HealthDimension:
    """A dimension where ScoreRift is not installed; the members are those of its ``Dimension``."""

    name: str
    check: Callable[[], Scored]
    confidence: float = 0.75
    tier: str = "light"
    description: str = ""


def make_genome_dimensions(helix: Helix, questions: Sequence[str] = PROBES) -> list[Any]:
    """Return the dimensions of an open workspace for ``AuditEngine.register_many``: ScoreRift's own type where that is
    installed, else ``HealthDimension``.
    """
    probe = GenomeHealthProbe(helix, questions)
    checks = (probe.check_freshness, probe.check_coverage, probe.check_relevance)
    make: Callable[..., Any] = HealthDimension
    tier: Any = "light"
    if find_spec(BRIDGE) is not None:
        package = import_module(BRIDGE)
        make, tier = package.Dimension, package.Tier.LIGHT
    return [
        make(name=name, check=check, confidence=confidence, tier=tier, description=description)
        for (name, (_, confidence, description)), check in zip(_DIMENSIONS.items(), checks, strict=True)
    ]


def resolution_to_gene(
    helix: Helix,
    dimension: str,
    *,
    auto_score: float,
    manual_score: float,
    resolution: str,
    cites: Sequence[str] = (),
) -> str:
    """Keep how a divergence was resolved as a memory, and return its handle; the same resolution is the same memory.

    The memory says both scores, and that it came from an audit. A program writes it, so it waits for review. ``cites``
    are places in the code, ``path:first-last``.
    Raises UsageError, StoreError.
    """
    signal = cd_signal(auto_score, manual_score, dimension=dimension)
    scores = f"automatic {auto_score:.2f}, manual {manual_score:.2f}, {signal.status}"
    text = f"{dimension}: {resolution.strip()} ({scores})"
    key = f"{BRIDGE}/{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:16]}"
    request = RememberRequest(text, cites, kind=KIND, origin=MemoryOrigin.AGENT, key=key, session=BRIDGE, force=True)
    (kept,) = helix.memory.remember(request, Attribution(agent=BRIDGE))["items"]
    return str(kept["id"])
