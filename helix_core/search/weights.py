"""Weights of the rankers and factors of file roles. Data, nearly all of it fitted.

Refit, with the figures of every project left out once:

    python benchmarks/fit.py CORPORA:QUESTIONS.jsonl... [--model FOLDER] --write

Two columns: with the built-in vectors (or none), and with those of a sentence embedding model.
"""

from __future__ import annotations

from collections.abc import Mapping

# fitted: begin
_FITTED: Mapping[str, tuple[float, float]] = {
    "chunks": (0.54, 0.2),
    "files": (1.84, 1.67),
    "outlines": (1.21, 1.26),
    "passages": (0.51, 0.78),
    "phrases": (0.31, 0.24),
    "names": (0.15, 0.12),
    "similar": (0.36, 0.29),
    "claims": (0.18, 0.24),
    "tested": (0.36, 0.42),
}
_ROLES: Mapping[str, float] = {"test": 0.5, "example": 0.5, "history": 0.7, "config": 0.8, "doc": 0.8}
# fitted: end

ROLE_FACTORS: Mapping[str, float] = {"implementation": 1.0, "vendored": 0.3, **_ROLES}
"""Factor of a file's role, unless the question asks for that role; the public test set has no vendored code."""

_FIXED: Mapping[str, float] = {"paths": 2.0, "tests": 1.0, "exact": 36.0}
"""Exact names are not fitted: ``exact`` outweighs all other rankers, whatever the role."""


def weight(ranker: str, *, with_model: bool) -> float:
    """Return the weight of a ranker's list."""
    return _FITTED[ranker][with_model] if ranker in _FITTED else _FIXED[ranker]
