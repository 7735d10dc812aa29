"""Debounce: run an action once its calls pause, and at the latest a while after the first of them; or one at a time."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar


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


K = TypeVar("K", bound=Hashable)
MOST_WAITING = 8


class OneAtATime(Generic[K]):
    """Handles keys one after the other; of those that wait each is kept once, as of its last call, and the oldest are
    dropped beyond ``MOST_WAITING``. So a flood of calls costs others at most the one that runs. For the loop.
    """

    def __init__(
        self, handle: Callable[[K, float], Awaitable[None]], spawn: Callable[[Coroutine[Any, Any, None]], None]
    ) -> None:
        self._handle, self._spawn = handle, spawn
        self._waiting: OrderedDict[K, float] = OrderedDict()
        self._is_running = False

    def add(self, key: K, at: float) -> None:
        """Have the key handled, with the time of the call."""
        self._waiting.pop(key, None)
        self._waiting[key] = at
        while len(self._waiting) > MOST_WAITING:
            self._waiting.popitem(last=False)
        if not self._is_running:
            self._next()

    def _next(self) -> None:
        self._is_running = bool(self._waiting)
        if self._waiting:
            self._spawn(self._run(*self._waiting.popitem(last=False)))

    async def _run(self, key: K, at: float) -> None:
        try:
            await self._handle(key, at)
        except asyncio.CancelledError:
            self._waiting.clear()
            raise
        finally:
            self._next()
