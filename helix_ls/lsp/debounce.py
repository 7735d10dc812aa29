"""Debounce: run an action once its calls pause, and at the latest a while after the first of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Debouncer:
    """Actions by key, each delayed until its calls pause, by at most ``longest_s`` seconds in all. For the loop.

    Where ``longest_s`` is no longer than the pause, this is a throttle: the first call sets when the action runs.
    """

    def __init__(self, longest_s: float) -> None:
        self._longest_s = longest_s
        self._due: dict[str, asyncio.TimerHandle] = {}
        self._since: dict[str, float] = {}

    def soon(self, key: str, quiet_s: float, act: Callable[[], None]) -> None:
        """Run ``act`` when ``quiet_s`` seconds pass without another call for the key; it replaces what is waiting."""
        loop = asyncio.get_running_loop()
        since = self._since.setdefault(key, loop.time())
        due = self._due.pop(key, None)
        if due is not None:
            due.cancel()
        wait = max(min(quiet_s, since + self._longest_s - loop.time()), 0.0)
        self._due[key] = loop.call_later(wait, self._run, key, act)

    def cancel(self, key: str) -> None:
        """Drop what waits for the key."""
        self._since.pop(key, None)
        due = self._due.pop(key, None)
        if due is not None:
            due.cancel()

    def close(self) -> None:
        """Cancel all pending calls."""
        for key in list(self._due):
            self.cancel(key)

    def _run(self, key: str, act: Callable[[], None]) -> None:
        self._due.pop(key, None)
        self._since.pop(key, None)
        act()
