"""Context health: the older words for how well a window serves a question, each from what is in it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from helix_core.model import Status
from helix_core.window.evidence import Block, Health
from helix_core.words import split_identifier

FLOOR = 0.01
STALE_BELOW = 0.4
ALIGNED = 0.7
SPARSE = 0.3
_TRUST = {Status.VERIFIED: 1.0, Status.STALE_RISK: 0.5, Status.NEEDS_REFRESH: 0.0}
_STEM = 4


def health(terms: Sequence[str], shown: str, blocks: Sequence[Block], whole_tokens: int, confidence: float) -> Health:
    """The health of a window.

    coverage = share of the question's words (as stems) that occur in the text shown, and 1 for a question without any;
    density = tokens shown / tokens that the chosen spans have whole, so a short answer that is complete counts 1;
    freshness = mean over the blocks of 1 verified, 0.5 stale_risk, 0 needs_refresh;
    ellipticity = cube root of the three, none below 0.01, times the confidence that the place is right where that is
    under one half (twice the confidence).
    stale below a freshness of 0.4; else aligned from 0.7, sparse from 0.3, denatured below.
    """
    if not blocks:
        return Health(0.0, 0.0, 0.0, 0.0, "denatured")
    coverage = _coverage(terms, shown)
    density = min(1.0, sum(block.tokens for block in blocks) / max(whole_tokens, 1))
    freshness = sum(_TRUST[block.status] for block in blocks) / len(blocks)
    product = max(coverage, FLOOR) * max(density, FLOOR) * max(freshness, FLOOR)
    ellipticity = product ** (1 / 3) * min(1.0, 2 * confidence)
    return Health(
        round(coverage, 4),
        round(density, 4),
        round(freshness, 4),
        round(ellipticity, 4),
        _status(freshness, ellipticity),
    )


def _status(freshness: float, ellipticity: float) -> str:
    if freshness < STALE_BELOW:
        return "stale"
    if ellipticity >= ALIGNED:
        return "aligned"
    return "sparse" if ellipticity >= SPARSE else "denatured"


def _coverage(terms: Sequence[str], shown: str) -> float:
    stems = {term.lower()[: max(_STEM, len(term) - 2)] for term in terms}
    if not stems:
        return 1.0
    parts = set(split_identifier(shown))
    return sum(any(part.startswith(stem) for part in parts) for stem in stems) / len(stems)
