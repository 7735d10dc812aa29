"""Metrics of the proxy: numbers only, never a question, a path or a name."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Metric, disable_created_metrics, generate_latest

from helix_ls.operations.hosting import MOST_KEPT
from helix_ls.proxy.caching import PromptUsage
from helix_ls.proxy.turns import DecidedTurns

_COUNTERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "helix_requests_total": ("requests that passed the guard, by route and status", ("route", "status")),
    "helix_refused_total": ("requests the guard refused, by cause", ("cause",)),
    "helix_context_total": ("chats by what became of their context", ("became",)),
    "helix_context_seconds_total": ("seconds spent on finding context", ()),
    "helix_answers_total": ("answers of the upstream by how they ended", ("ended",)),
    "helix_first_byte_seconds_total": ("seconds until the first byte of the upstream's answers", ()),
    "helix_first_bytes_total": ("answers whose first byte came", ()),
    "helix_turns_total": ("questions by whether their evidence was decided now or repeated", ("became",)),
    "helix_usages_total": ("answers that say how many tokens their prompt had", ("evidence",)),
    "helix_prompt_tokens_total": ("tokens of prompts, as the upstream counts them", ("evidence",)),
    "helix_cached_tokens_total": ("of these, tokens that the upstream read from its cache", ("evidence",)),
    "helix_extractions_total": ("questions to the model that draws facts, by whether it answered", ("became",)),
    "helix_extraction_tokens_total": ("tokens that these cost", ()),
    "helix_learned_total": ("answered chats by what became of keeping them", ("became",)),
}
"""The help text and the labels of each counter."""


@dataclass(slots=True)
class LastChat:
    """The chat that started last, for the user only: ``at`` in Unix time, ``status`` 0 while there is no answer.

    ``ttft_ms`` is the time to the answer's first byte, from the request to the upstream; None before that. The tokens
    are what the upstream counted, and of them what it read from its cache; None where it says nothing.
    """

    at: float
    model: str
    upstream: str
    context: str
    status: int = 0
    ttft_ms: float | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None

    def wire(self) -> dict[str, Any]:
        """Return the wire object."""
        return asdict(self)


class Measures:
    """Bound to one event loop. ``chats`` are the last ones, the newest last: shown to key holders, and never among the
    metrics.
    """

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry()
        self._counters = {
            name: Counter(name, meaning, labels, registry=self._registry)
            for name, (meaning, labels) in _COUNTERS.items()
        }
        self._open = Gauge("helix_chats_open", "chats under way", registry=self._registry)
        self._open.set_function(lambda: self.chats_open)
        self.chats_open = 0
        self.last_first_byte_ms = 0.0
        self.chats: deque[LastChat] = deque(maxlen=MOST_KEPT)
        self.chats_ever = 0
        self._active_at = time.monotonic()

    @property
    def last(self) -> LastChat | None:
        """Return the chat that started last."""
        return self.chats[-1] if self.chats else None

    def prompt_used(self, usage: PromptUsage | None, last: LastChat, *, with_evidence: bool) -> None:
        """Count what an answer says about its prompt; None counts nothing."""
        if usage is None:
            return
        last.prompt_tokens, last.cached_tokens = usage.prompt, usage.cached
        evidence = "with" if with_evidence else "without"
        self.add("helix_usages_total", evidence=evidence)
        self.add("helix_prompt_tokens_total", usage.prompt, evidence=evidence)
        self.add("helix_cached_tokens_total", usage.cached, evidence=evidence)

    def prompt_cache(self) -> dict[str, Any]:
        """Return the counts of ``prompt_used``, with evidence and without."""
        return {
            f"{evidence}_evidence": {
                name: int(self.total(f"helix_{counted}_total", evidence=evidence))
                for name, counted in (
                    ("answers", "usages"),
                    ("prompt_tokens", "prompt_tokens"),
                    ("cached_tokens", "cached_tokens"),
                )
            }
            for evidence in ("with", "without")
        }

    def watch_turns(self, turns: DecidedTurns) -> None:
        """Show how many decisions about evidence are kept, and their size."""
        for name, meaning, value in (
            ("helix_turns_kept", "decisions about evidence that are kept", lambda: len(turns)),
            ("helix_turns_kept_bytes", "their size in memory", lambda: turns.size),
            ("helix_turns_dropped", "decisions dropped because others were used later", lambda: turns.dropped),
        ):
            Gauge(name, meaning, registry=self._registry).set_function(value)

    def chat_begins(self) -> None:
        """Count a chat as open."""
        self.chats_open += 1
        self.chats_ever += 1
        self._active_at = time.monotonic()

    def chat_ends(self) -> None:
        """Count a chat as closed."""
        self.chats_open -= 1
        self._active_at = time.monotonic()

    def active_at(self) -> float:
        """Return the monotonic time when a chat was last open."""
        return time.monotonic() if self.chats_open else self._active_at

    def add(self, name: str, by: float = 1, **labels: str) -> None:
        """Add to a counter of ``_COUNTERS``; ``labels`` are exactly its labels."""
        counter = self._counters[name]
        (counter.labels(**labels) if labels else counter).inc(by)

    def total(self, name: str, **labels: str) -> float:
        """Sum what was counted under a name and these labels."""
        samples = (sample for family in self._counters[name].collect() for sample in family.samples)
        return sum(sample.value for sample in samples if labels.items() <= sample.labels.items())

    def families(self) -> Iterable[Metric]:
        """Return what ``text`` shows, as values."""
        return self._registry.collect()

    def text(self) -> str:
        """Return every metric in Prometheus' text format 0.0.4."""
        return generate_latest(self._registry).decode()
