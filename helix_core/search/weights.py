"""Weights of the rankers, factors of file roles, and feature weights of the second stage. Data, nearly all fitted.

Refit, with the figures of every project left out once:

    python benchmarks/fit.py CORPORA:QUESTIONS.jsonl... [--model FOLDER] --write
    python benchmarks/fit_lines.py CORPORA:QUESTIONS.jsonl... [--model FOLDER] --write

Rankers have two columns: with the built-in vectors (or none), and with those of a sentence embedding model.
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


# fitted lines: begin
LINES_BY_WORDS: Mapping[str, float] = {
    "file_score": 0.812,
    "file_rank": 0.767,
    "file_small": 0.521,
    "document": -0.027,
    "length": 0.645,
    "short": -1.086,
    "head": 0.365,
    "top_level": 0.801,
    "nested": 0.067,
    "test": -3.189,
    "dunder": -0.613,
    "imports": -1.12,
    "macro": -1.516,
    "value": -0.568,
    "text": 2.336,
    "covered": 2.275,
    "name": 2.24,
    "members": 2.496,
    "owner": 2.759,
    "phrase": 1.401,
    "chunk": 1.797,
    "named": 0.269,
    "value_asked": 3.095,
}
LINES_WITH_VECTORS: Mapping[str, float] = {
    "file_score": 0.771,
    "file_rank": 0.743,
    "file_small": 0.505,
    "document": -0.091,
    "length": 0.532,
    "short": -1.235,
    "head": 0.387,
    "top_level": 0.812,
    "nested": 0.029,
    "test": -2.904,
    "dunder": -0.43,
    "imports": -0.659,
    "macro": -1.622,
    "value": -0.533,
    "text": 1.607,
    "covered": 2.142,
    "name": 2.427,
    "members": 2.364,
    "owner": 2.763,
    "phrase": 1.277,
    "chunk": 1.778,
    "named": 0.317,
    "value_asked": 3.029,
    "similar": 0.456,
}
LINES_WITH_MODEL: Mapping[str, float] = {
    "file_score": 0.855,
    "file_rank": 0.613,
    "file_small": 0.443,
    "document": 0.02,
    "length": 0.746,
    "short": -1.173,
    "head": 0.544,
    "top_level": 1.038,
    "nested": -0.287,
    "test": -3.288,
    "dunder": -0.562,
    "imports": -0.476,
    "macro": -1.611,
    "value": -0.616,
    "text": 1.125,
    "covered": 2.888,
    "name": 1.475,
    "members": 2.421,
    "owner": 2.382,
    "phrase": 1.564,
    "chunk": 0.988,
    "named": 0.457,
    "value_asked": 3.364,
    "similar": 0.749,
}
# fitted lines: end
"""Weights of a place's features: of chunks without vectors, with the built-in vectors, with those of a model."""
