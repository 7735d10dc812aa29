"""A process with the engine imported that forks a child for each refresh asked for, and may kill it at any moment.

Forking a warm process makes a child start in a millisecond, so that a kill can fall into its very first steps.
One JSON line in: ``{"folder", "cache", "kill_after_s"}``; one out: ``{"killed", "elapsed_s"}``.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.ingest.document import ingest


def refresh(folder: str, cache: str) -> None:
    """As the command line does it."""
    config = load_config(Path(folder), environ={"HELIX_CACHE_DIR": cache}, user=Path(cache) / "no-user-file.toml")
    with Helix.open(Path(folder), config=config) as helix:
        helix.refresh()


def serve() -> None:
    """Until end of file."""
    for name in (b"warm.py", b"warm.md", b"warm.toml"):
        ingest(name, b"# Warm\n\nport = 80\n")
    for line in sys.stdin:
        asked = json.loads(line)
        started = time.monotonic()
        child = os.fork()
        if child == 0:
            refresh(asked["folder"], asked["cache"])
            os._exit(0)
        if asked["kill_after_s"] is not None:
            time.sleep(asked["kill_after_s"])
            os.kill(child, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status not in (0, -signal.SIGKILL):
            sys.exit(f"the refresh ended with {status}")
        sys.stdout.write(json.dumps({"killed": status != 0, "elapsed_s": time.monotonic() - started}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
