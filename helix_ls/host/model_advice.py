"""What embedding a folder with a model would cost here, and which model fits this machine.

In: the machine, the folder's number of texts, a model's size. Out: an estimate, a recommendation. Recommends only what
the project's own benchmarks found better. Downloads nothing; loads a model only to time one that is here already and
small.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from helix_core.embed import minilm
from helix_core.errors import ModelError
from helix_core.extras import why_missing
from helix_core.printable import count
from helix_core.search import MOST_CHARS, MOST_PLACES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from helix_core.embed import Model, Scorer

RECOMMEND_SCHEMA = "helix.models/1"

# CPU milliseconds for a text of 64 tokens (docs/EMBED.md): the quantized MiniLM, float32 graphs by the size of theirs,
# and static models.
MINILM_MS = 4.3
GRAPH_MS, GRAPH_MB = 12.3, 90
ROWS_MS = 0.1
BUILT_IN_MS = 0.08
PROBE_TEXTS = 16
PROBE_TOKENS = 64
PROBE_CPU_S = 2.0
"""No further text is timed after that."""
MOST_TIMED_BYTES = 256 * 1024 * 1024
"""A larger model is estimated: loading it would take seconds and its size in memory."""
MOST_CPU_S = 24 * 3600.0
"""A model that would take longer than a day of one core is not recommended."""
_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Expected:
    """The CPU time that embedding ``texts`` texts takes, in seconds; ``timed_texts`` of them were timed for it."""

    texts: int
    cpu_s: float
    timed_texts: int = 0

    @property
    def as_clause(self) -> str:
        """Return it as a clause."""
        if not self.texts:
            return "no text of this folder is indexed yet, so how long it takes cannot be estimated"
        timed_on = f"timed on {count(self.timed_texts, 'text')}"
        how = timed_on if self.timed_texts else "an estimate by size, not timed here"
        takes = "takes" if self.texts == 1 else "take"
        return f"{count(self.texts, 'text')} of this folder {takes} about {_time(self.cpu_s)} of one core ({how})"


def expected(texts: int, size_mb: float, *, has_rows: bool = False) -> Expected:
    """Estimate by size: a graph's time grows with its weights, a static model only looks rows up."""
    return Expected(texts, texts * (ROWS_MS if has_rows else GRAPH_MS * size_mb / GRAPH_MB) / 1000)


def expected_minilm(texts: int) -> Expected:
    """Estimate the pinned MiniLM, which is quantized."""
    return Expected(texts, texts * MINILM_MS / 1000)


def timed(texts: int, model: Model) -> Expected:
    """Time a model that is on this machine for at most about ``PROBE_CPU_S``. Raises ModelError when it cannot be
    loaded, or is larger than ``MOST_TIMED_BYTES``.
    """
    if model.size_bytes() > MOST_TIMED_BYTES:
        raise ModelError(f"The model {model.name} is too large to be timed; estimate it by its size.")
    from helix_core.embed import FastModel

    loaded = FastModel(model)
    start, done, cpu_s = time.process_time(), 0, 0.0
    while not done or (done < PROBE_TEXTS and cpu_s < PROBE_CPU_S):
        sample = [
            f"number {done + number} read the header of a message and parse its fields " * 5 for number in range(4)
        ]
        loaded.documents(sample, PROBE_TOKENS)
        done, cpu_s = done + len(sample), time.process_time() - start
    return Expected(texts, texts * cpu_s / done, timed_texts=done)


def rerank_ms(scorer: Scorer) -> float:
    """Time a reranker with as many and as long places as it may have to read for one answer, in CPU milliseconds.

    Raises what the model raises.
    """
    place = "def parse_header(message):  # read the fields of a header, and stop at the first empty line\n"
    texts = [(place * (MOST_CHARS // len(place) + 1))[:MOST_CHARS]] * MOST_PLACES
    start = time.process_time()
    scorer.scores("where are the fields of a header parsed?", texts, lambda: False)
    return (time.process_time() - start) * 1000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that could be set up.

    ``estimated`` names the figures that were not measured here: a ``download_mb`` that a card or a list says, a
    ``memory_mb`` of another machine or of a model that was never loaded.
    """

    name: str
    setup: str
    license: str
    dimensions: int
    download_mb: int
    memory_mb: int
    cpu_s: float
    why: str
    estimated: tuple[str, ...] = ("download_mb", "memory_mb", "cpu_s")
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
            estimated=("cpu_s",),
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
            estimated=("memory_mb", "cpu_s"),
            is_measured=True,
        ),
        Candidate(
            "potion-code-16M-v2",
            "helix embed setup potion-code-16M-v2",
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


def recommendation(
    machine: Mapping[str, Any],
    files: int,
    texts: int,
    *,
    missing: str | None = None,
    set_up: Model | None = None,
    is_indexed: bool = True,
) -> dict[str, Any]:
    """Return which model fits a machine (``bench.measure.described``) and a folder of so many files and texts.

    ``missing`` says why models cannot be loaded; it is asked of this Python where it is not given. ``set_up`` is the
    model that is selected, if any. Without an index nothing is known of the texts, and that is the first step.
    """
    missing = why_missing("models") if missing is None else missing
    described = [_described(each, machine, texts, set_up) for each in candidates(texts)]
    fitting = next(each for each in described if each["name"] == "minilm")
    recommended = "minilm" if fitting["fits"] else "built-in"
    why = (
        f"{fitting['why']}, and fits this machine" if fitting["fits"] else f"MiniLM does not fit: {fitting['problem']}"
    )
    steps = [] if is_indexed else ["helix index"]
    install = ['pip install "helix-context-engine[models]"'] if missing else []
    if set_up is not None and fitting["set_up"] and not fitting["fits"]:
        why += "; it is set up now, and is to be switched off"
        steps.append("helix embed off")
    elif set_up is not None and fitting["set_up"]:
        why += "; it is set up already" + (", and what loads it is not installed" if missing else "")
        steps += install
    elif set_up is not None:
        why += f"; {set_up.name} is set up now, and which of them finds more here `helix bench compare` tells"
        steps += install
    elif fitting["fits"]:
        steps += [*install, "helix embed setup"]
    return {
        "schema": RECOMMEND_SCHEMA,
        "cores": machine["cores"],
        "memory_bytes": machine["memory_bytes"],
        "extra_installed": not missing,
        "indexed": is_indexed,
        "files": files,
        "texts": texts,
        "set_up": set_up.name if set_up is not None else "built-in",
        "recommended": recommended,
        "why": why,
        "next": " && ".join(steps),
        "candidates": described,
    }


def _described(candidate: Candidate, machine: Mapping[str, Any], texts: int, set_up: Model | None) -> dict[str, Any]:
    memory_mb = machine["memory_bytes"] / _MB
    problem = ""
    # An unknown memory, 0, rules nothing out.
    if 0 < memory_mb < 4 * candidate.memory_mb:
        problem = f"it takes about {candidate.memory_mb:,} MB, a quarter of this machine's memory or more"
    elif candidate.cpu_s > MOST_CPU_S:
        problem = f"{count(texts, 'text')} would take about {_time(candidate.cpu_s)} of one core"
    return {
        "name": candidate.name,
        "setup": candidate.setup,
        "set_up": _is_of(candidate, set_up),
        "fits": not problem,
        "problem": problem,
        "measured": candidate.is_measured,
        "why": candidate.why,
        "license": candidate.license,
        "dimensions": candidate.dimensions,
        "download_mb": candidate.download_mb,
        "memory_mb": candidate.memory_mb,
        "cpu_s": round(candidate.cpu_s, 1),
        "estimated": list(candidate.estimated),
        "said": f"about {_time(candidate.cpu_s)} of one core for {count(texts, 'text')}, an estimate" if texts else "",
    }


def _is_of(candidate: Candidate, model: Model | None) -> bool:
    """Return whether the model is the candidate. A folder of the user's is known by its title alone."""
    if model is None:
        return candidate.name == "built-in"
    if candidate.name == "minilm":
        return model.source == minilm.SOURCE
    return candidate.name in (model.fastembed, model.name.rpartition("@")[0])


def _time(seconds: float) -> str:
    """Return CPU time in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
