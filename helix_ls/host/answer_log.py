"""The last answers of an open workspace, as numbers: which verdicts they had, how large and how slow they were.

Made of the spans that the engine begins, so that answers to editors, agents and chats are all in it. Kept in memory
only, and never with a question, a path or a line.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from helix_core.telemetry import COUNTS, WORDS, Spans, TraceSpan, Value
from helix_ls.operations.hosting import MOST_KEPT

_WINDOW = "helix.window"


class AnswerLog:
    """The answers of one workspace, the newest last; written by its query threads, read by any."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans
        self._entries: deque[dict[str, Any]] = deque(maxlen=MOST_KEPT)

    def latest(self, limit: int) -> list[dict[str, Any]]:
        """Return the last answers, the newest first."""
        return list(self._entries)[::-1][:limit]

    @contextmanager
    def span(self, name: str, /, **attributes: Value | None) -> Iterator[TraceSpan]:
        """Begin the span as the process would, and keep the numbers of one that is a packet or a window."""
        with self._spans(name, **attributes) as span:
            is_kept = name == _WINDOW or attributes.get("verb") == "packet"
            if not is_kept:
                yield span
                return
            kept = _LoggedSpan(span)
            kept.set(**attributes)
            at, began = time.time(), time.monotonic()
            yield kept
            elapsed_ms = round((time.monotonic() - began) * 1e3, 1)
            verb = "window" if name == _WINDOW else "packet"
            self._entries.append({"at": at, "elapsed_ms": elapsed_ms, **kept.numbers, "verb": verb})


class _LoggedSpan:
    """A span whose numbers and words are kept as well; an answer that failed is not."""

    def __init__(self, span: TraceSpan) -> None:
        self._span = span
        self.numbers: dict[str, Value] = {}

    def set(self, **attributes: Value | None) -> None:
        """Set attributes; None sets nothing."""
        self._span.set(**attributes)
        for name, value in attributes.items():
            if value is not None and (name in COUNTS or name in WORDS):
                self.numbers[name] = value
