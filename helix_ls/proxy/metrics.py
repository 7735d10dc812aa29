"""What the proxy counts: numbers only, never a question, a path or a name. Prometheus' text format 0.0.4.

https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

_MEANINGS = {
    "helix_requests_total": ("counter", "requests that passed the guard, by route and status"),
    "helix_refused_total": ("counter", "requests the guard refused, by cause"),
    "helix_context_total": ("counter", "chats by what became of their context"),
    "helix_context_seconds_total": ("counter", "seconds spent on finding context"),
    "helix_answers_total": ("counter", "answers of the upstream by how they ended"),
    "helix_first_byte_seconds_total": ("counter", "seconds until the first byte of the upstream's answers"),
    "helix_first_bytes_total": ("counter", "answers whose first byte came"),
    "helix_learned_total": ("counter", "answered chats by what became of keeping them"),
    "helix_chats_open": ("gauge", "chats under way"),
}


@dataclass(slots=True)
class LastChat:
    """The chat that began last, for the user's own eyes: ``at`` in Unix time, ``status`` 0 while there is no answer.

    ``ttft_ms`` is the time to the answer's first byte, from the moment the upstream was asked; None before that.
    """

    at: float
    model: str
    upstream: str
    context: str
    status: int = 0
    ttft_ms: float | None = None

    def wire(self) -> dict[str, Any]:
        """As it is told."""
        return asdict(self)


class Measures:
    """Belongs to one loop. ``last`` is told to who has the key, and never among the numbers."""

    def __init__(self) -> None:
        self._values: Counter[tuple[str, tuple[tuple[str, str], ...]]] = Counter()
        self.chats_open = 0
        self.last_first_byte_ms = 0.0
        self.last: LastChat | None = None
        self.chats_ever = 0
        self._active_at = time.monotonic()

    def chat_begins(self) -> None:
        """One more is under way."""
        self.chats_open += 1
        self.chats_ever += 1
        self._active_at = time.monotonic()

    def chat_ends(self) -> None:
        """One less."""
        self.chats_open -= 1
        self._active_at = time.monotonic()

    def active_at(self) -> float:
        """When there was last a chat under way, monotonic."""
        return time.monotonic() if self.chats_open else self._active_at

    def add(self, name: str, by: float = 1, **labels: str) -> None:
        """Count."""
        self._values[(name, tuple(sorted(labels.items())))] += by  # type: ignore[assignment]

    def total(self, name: str, **labels: str) -> float:
        """The sum of everything counted under a name and these labels."""
        wanted = set(labels.items())
        return sum(value for (each, having), value in self._values.items() if each == name and wanted <= set(having))

    def text(self) -> str:
        """Everything, as Prometheus reads it."""
        lines: list[str] = []
        values = {**self._values, ("helix_chats_open", ()): self.chats_open}
        for name, (kind, meaning) in _MEANINGS.items():
            found = sorted((labels, value) for (each, labels), value in values.items() if each == name)
            if found:
                lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
            lines += [f"{name}{_labels(labels)} {value:.10g}" for labels, value in found]
        return "\n".join(lines) + "\n"


def _labels(labels: tuple[tuple[str, str], ...]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels) + "}" if labels else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
