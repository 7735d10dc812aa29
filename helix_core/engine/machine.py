"""What this machine is and does now, for whoever measures on it. Linux tells all of it, other systems their load."""

from __future__ import annotations

import os
import platform
import time
from typing import Any

from helix_core.bench.watch import Sample

_IDLE, _WAITING = 3, 4


def sample() -> Sample:
    """The machine at this moment."""
    return Sample(time.monotonic(), time.process_time(), _all_cpu_s(), _load())


def cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def described() -> dict[str, Any]:
    """Processor, cores, memory in bytes (0: not known), load of the last minute, system and Python."""
    return {
        "cpu": _processor(),
        "cores": cores(),
        "memory_bytes": _memory("MemTotal"),
        "available_bytes": _memory("MemAvailable"),
        "load": round(_load(), 2),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def _all_cpu_s() -> float | None:
    """The seconds all cores have worked, the stolen ones too; of all the machine's cores, whoever may use them."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
    except (OSError, ValueError):
        return None
    return sum(tick for place, tick in enumerate(ticks) if place not in (_IDLE, _WAITING)) / os.sysconf("SC_CLK_TCK")


def _load() -> float:
    try:
        return os.getloadavg()[0]
    except (OSError, AttributeError):
        return 0.0


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory(name: str) -> int:
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith(f"{name}:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return 0
    return 0
