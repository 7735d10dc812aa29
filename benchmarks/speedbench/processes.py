"""Run one process and say what it cost: wall time, CPU time with that of its children, peak memory of the whole family.

Memory is the sum of the resident sets of the process and all its descendants, read from ``/proc`` every 20 ms; pages
they share are counted once for each, so the sum overstates. Elsewhere than on Linux it is not measured.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SAMPLE_S = 0.02
REPOSITORY = Path(__file__).resolve().parents[2]
MIB = 2**20
_LINES_KEPT = 200
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process cost. ``peak_bytes`` is the family's, ``main_peak_bytes`` of the process alone."""

    wall_s: float
    cpu_s: float
    peak_bytes: int
    main_peak_bytes: int
    output: str


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Keep so many processes running that do nothing but take the processor, at the priority of everybody."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()


class CommandFailedError(Exception):
    """A process that was to be measured failed; the message holds the end of its output."""


def environment(scratch: Path, **more: str) -> dict[str, str]:
    """The environment of a measured Helix: caches of its own, compiled modules kept as any installation keeps them."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HELIX_")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return {
        **kept,
        "PYTHONPATH": str(REPOSITORY),
        "HELIX_CACHE_DIR": str(scratch / "cache"),
        "HELIX_CONFIG": str(scratch / "no-settings.toml"),
        "PYTHONPYCACHEPREFIX": str(scratch / "compiled"),
        **more,
    }


def helix_command() -> list[str]:
    """The ``helix`` command of this repository."""
    return [sys.executable, "-m", "helix_ls.cli"]


def measured(
    command: Sequence[str],
    env: Mapping[str, str],
    *,
    sample_memory: bool = True,
    told: Callable[[str], None] = lambda _: None,
) -> Cost:
    """Run to the end and measure; ``told`` gets each line of its complaints as it comes.

    Raises CommandFailedError when the status is not 0.
    """
    started = time.perf_counter()
    with subprocess.Popen(
        command, env=dict(env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        family = Family(process.pid)
        if sample_memory:
            family.start()
        complaint: deque[str] = deque(maxlen=_LINES_KEPT)

        def listen() -> None:
            for line in process.stderr or ():
                complaint.append(line)
                told(line.rstrip())

        drain = threading.Thread(target=listen)
        drain.start()
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        family.stop()
        drain.join()
    if process.returncode:
        raise CommandFailedError(
            f"{' '.join(command[:4])} … ended with {process.returncode}: {''.join(complaint)[-2000:]}"
        )
    return Cost(wall_s, usage.ru_utime + usage.ru_stime, family.peak, family.main_peak, output)


class Family(threading.Thread):
    """Samples the memory of a process and its descendants until stopped."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._over = threading.Event()
        self.peak = 0
        self.main_peak = 0

    def run(self) -> None:
        """Sample."""
        while not self._over.wait(SAMPLE_S):
            sizes = [resident_bytes(pid) for pid in descendants(self._pid)]
            main = resident_bytes(self._pid)
            self.main_peak = max(self.main_peak, main)
            self.peak = max(self.peak, main + sum(sizes))

    def stop(self) -> None:
        """Stop sampling and wait for it."""
        self._over.set()
        if self.is_alive():
            self.join()


def resident_bytes(pid: int) -> int:
    """The resident set of a process; 0 when it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError):
        return 0


def descendants(pid: int) -> list[int]:
    """All processes below one."""
    found, waiting = [], [pid]
    while waiting:
        parent = waiting.pop()
        for thread in _listed(Path(f"/proc/{parent}/task")):
            try:
                children = (thread / "children").read_text().split()
            except OSError:
                continue
            found += map(int, children)
            waiting += map(int, children)
    return found


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
