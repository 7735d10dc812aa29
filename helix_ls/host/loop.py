"""An event loop that measures its lag, the time between two calls of its selector, at no cost while it is idle."""

from __future__ import annotations

import asyncio
import selectors
import time
from collections import deque
from collections.abc import Callable
from typing import Any

WINDOW_S = 60.0
WORTH_NOTING_S = 0.001


class LoopLag:
    """Hold the longest turns of the loop in a sliding window of a minute; ``clock`` returns monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # A monotonic queue, descending by length and ascending by time: the first is the maximum of the window.
        self._turns: deque[tuple[float, float]] = deque()
        self.worst_ever_s = 0.0

    def note(self, length_s: float) -> None:
        """Add a turn of ``length_s`` seconds; turns shorter than a millisecond are ignored."""
        if length_s < WORTH_NOTING_S:
            return
        self.worst_ever_s = max(self.worst_ever_s, length_s)
        while self._turns and self._turns[-1][1] <= length_s:
            self._turns.pop()
        self._turns.append((self._clock(), length_s))

    def worst_ms(self) -> float:
        """Return the longest turn of the last minute, in milliseconds."""
        oldest = self._clock() - WINDOW_S
        while self._turns and self._turns[0][0] < oldest:
            self._turns.popleft()
        return round(self._turns[0][1] * 1e3, 3) if self._turns else 0.0


class _TimedSelector(selectors.DefaultSelector):
    """A selector that measures the time between its calls, which is the duration of a turn of the loop."""

    def __init__(self, lag: LoopLag, clock: Callable[[], float]) -> None:
        super().__init__()
        self._lag, self._clock = lag, clock
        self._left: float | None = None

    def select(self, timeout: float | None = None) -> Any:
        """Note the turn that has just ended, then wait as the base class does."""
        if self._left is not None:
            self._lag.note(self._clock() - self._left)
        try:
            return super().select(timeout)
        finally:
            self._left = self._clock()


def new_loop(lag: LoopLag, clock: Callable[[], float] = time.monotonic) -> asyncio.AbstractEventLoop:
    """Return a loop for ``asyncio.Runner`` that reports its turns to ``lag``; Windows' proactor loop does not.

    ``clock`` returns the seconds that a turn is measured in; it is called by the loop's thread.
    """
    if hasattr(asyncio, "ProactorEventLoop"):
        return asyncio.new_event_loop()
    return asyncio.SelectorEventLoop(_TimedSelector(lag, clock))
