"""The embedder, a child process of low priority that embeds one workspace: ``python -m helix_ls.host.embedder ROOT``.

In: the settings as one JSON line on stdin. Out: JSON lines on stdout, progress first and then how it ended. EOF on
stdin means stop; finished batches are kept. It throttles itself while the machine's load is high.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from helix_ls.host.indexer import ProgressLines, Request, Send, requested_config, run_request
from helix_ls.host.parse_journal import parse_journal_of

NICE = 15
PROGRESS_S = 1.0
LOOK_S = 10.0
WAIT_S = 2.0
LONGEST_WAIT_S = 10.0


def main() -> int:
    """Run the request read from stdin; return the exit status, 0 if the outcome was reported."""
    return run_request(NICE, _run_request)


def _run_request(root: Path, request: Request, send: Send) -> None:
    from helix_core.embed import chosen_model
    from helix_core.engine import Embedding, index_folder

    config = requested_config(root, request)
    model = chosen_model(config.cache_dir, config.embed_model)
    with (
        parse_journal_of(index_folder(config.cache_dir, root), "embedder") as parse_guard,
        Embedding.open(root, config, parse_guard) as embedding,
    ):
        if model is None or parse_guard is None or not embedding.is_waiting(model.name):
            send({"done": 0})
            return
        from helix_core.embed import FastModel

        report = embedding.run(
            FastModel(model), progress=ProgressLines(send, PROGRESS_S).show, check=LoadThrottle().wait
        )
        send({"done": report.embedded})


class LoadThrottle:
    """Throttle by load: wait while the load average, less this process, exceeds the number of processors."""

    def __init__(self, load: Callable[[], float] | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._load = load or _load
        self._clock = clock
        self._next_look = 0.0

    def wait(self, sleep: Callable[[float], None] = time.sleep) -> None:
        """Return at once, or when the load has dropped, or after ``LONGEST_WAIT_S`` seconds: embedding never starves.

        The load is sampled at most every ``LOOK_S`` seconds.
        """
        now = self._clock()
        if now < self._next_look:
            return
        until = now + LONGEST_WAIT_S
        while self._load() - 1 > (os.cpu_count() or 1) and self._clock() < until:
            sleep(WAIT_S)
        self._next_look = self._clock() + LOOK_S


def _load() -> float:
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


if __name__ == "__main__":
    sys.exit(main())
