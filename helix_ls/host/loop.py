"""An event loop that knows how long it is kept from its next turn, at no cost while it sleeps."""

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
    """The worst turns of the last minute; ``clock`` gives monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # Falling in length, rising in time: the first is always the worst of the window.
        self._turns: deque[tuple[float, float]] = deque()
        self.worst_ever_s = 0.0

    def note(self, length_s: float) -> None:
        """One turn took so long."""
        if length_s < WORTH_NOTING_S:
            return
        self.worst_ever_s = max(self.worst_ever_s, length_s)
        while self._turns and self._turns[-1][1] <= length_s:
            self._turns.pop()
        self._turns.append((self._clock(), length_s))

    def worst_ms(self) -> float:
        """The longest turn of the last minute, in milliseconds."""
        oldest = self._clock() - WINDOW_S
        while self._turns and self._turns[0][0] < oldest:
            self._turns.popleft()
        return round(self._turns[0][1] * 1e3, 3) if self._turns else 0.0


class _TimedSelector(selectors.DefaultSelector):
    """The loop is in its selector whenever it has nothing to do: the time outside it is a turn."""

    def __init__(self, lag: LoopLag) -> None:
        super().__init__()
        self._lag = lag
        self._left: float | None = None

    def select(self, timeout: float | None = None) -> Any:
        """As the selector's own, with the turn before it measured."""
        if self._left is not None:
            self._lag.note(time.monotonic() - self._left)
        try:
            return super().select(timeout)
        finally:
            self._left = time.monotonic()


def new_loop(lag: LoopLag) -> asyncio.AbstractEventLoop:
    """A loop for ``asyncio.Runner`` that tells ``lag`` of its turns (on Windows its own kind, which cannot)."""
    if hasattr(asyncio, "ProactorEventLoop"):
        return asyncio.new_event_loop()
    return asyncio.SelectorEventLoop(_TimedSelector(lag))
