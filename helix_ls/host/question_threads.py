"""Questions to one workspace: two threads, each with a ``Helix`` of its own that never waits for indexing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from helix_core.engine import Helix

THREADS = 2
T = TypeVar("T")


class QuestionThreads:
    """``open_helix`` is called in a thread when it is first asked something, and again after ``renew``."""

    def __init__(self, open_helix: Callable[[], Helix], *, threads: int = THREADS) -> None:
        self._open_helix = open_helix
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="helix-question")
        self._own = threading.local()
        self._lock = threading.Lock()
        self._opened: list[Helix] = []
        self._generation = 0

    async def ask(self, act: Callable[[Helix], T]) -> T:
        """What ``act`` gives, or raises, in a question thread."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, lambda: act(self._helix()))

    def renew(self) -> None:
        """From the next question on, ask a ``Helix`` opened after this moment: settings have changed."""
        with self._lock:
            self._generation += 1

    def _helix(self) -> Helix:
        generation = self._generation
        helix: Helix | None = getattr(self._own, "helix", None)
        if helix is not None and self._own.generation != generation:
            self._own.helix = None
            with self._lock:
                self._opened.remove(helix)
            helix.close()
            helix = None
        if helix is None:
            helix = self._open_helix()
            self._own.helix, self._own.generation = helix, generation
            with self._lock:
                self._opened.append(helix)
        return helix

    def close(self) -> None:
        """Wait for what is being answered, drop what is not begun, close every ``Helix``. Blocks: not for the loop."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        with self._lock:
            opened, self._opened = self._opened, []
        for helix in opened:
            helix.close()
