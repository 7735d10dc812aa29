"""Ingest functions that misbehave for files of certain names; worker processes import them by name."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from pathlib import Path

from helix_core.ingest.pool import ingest_file
from helix_core.model import Document


def misbehave(path: bytes, data: bytes, skipped: str) -> Document:
    """As the name of the file asks."""
    name = path.rpartition(b"/")[2]
    if name.startswith(b"sleep"):
        time.sleep(600)
    if name.startswith(b"spin"):
        burn(600)
    if name.startswith(b"crash"):
        os.kill(os.getpid(), signal.SIGSEGV)
    if name.startswith(b"exit"):
        os._exit(3)
    if name.startswith(b"raise"):
        raise RuntimeError("no")
    if name.startswith(b"allocate"):
        bytearray(2 << 30)
    if name.startswith(b"once"):
        marker = Path(os.fsdecode(data))
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return ingest_file(path, data, skipped)


def burn(cpu_s: float) -> None:
    """Use so much CPU time, inside C code that never returns to Python for long."""
    end = time.process_time() + cpu_s
    while time.process_time() < end:
        sum(range(100_000))


def steadily(path: bytes, data: bytes, skipped: str) -> Document:
    """A third of a second of CPU time a file."""
    burn(0.3)
    return ingest_file(path, data, skipped)


def slowly(path: bytes, data: bytes, skipped: str) -> Document:
    """Long enough for a test to end the worker meanwhile."""
    time.sleep(0.05)
    return ingest_file(path, data, skipped)


def write_modules(path: bytes, data: bytes, skipped: str) -> Document:
    """Ingest it, and write the names of the worker's modules to the file."""
    document = ingest_file(path, data, skipped)
    Path(os.fsdecode(path)).write_text("\n".join(sorted(sys.modules)))
    return document


def write_gc_threshold(path: bytes, data: bytes, skipped: str) -> Document:
    """Ingest it, and write after how many new objects the worker looks for cycles to the file."""
    Path(os.fsdecode(path)).write_text(str(gc.get_threshold()[0]))
    return ingest_file(path, data, skipped)
