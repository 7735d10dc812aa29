"""The far end of the pool: one process that ingests what it is sent, under limits, and leaves when its pipe closes.

The kernel counts its CPU time (``ITIMER_PROF``) and ends it when one message takes too much. That works inside a parser
that never returns to Python, and time in which the process does not run (a busy machine, a quota, a suspended laptop)
does not count.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection

from helix_core.ingest.wire import packed
from helix_core.model import Document

Ingest = Callable[[bytes, bytes, str], Document]
READY = b""
OUT_OF_TIME: signal.Signals | None = getattr(signal, "SIGPROF", None)
"""What the kernel ends a worker with that took too much CPU time; None where the platform cannot count it."""
FAILURES = (ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)


def serve(channel: Connection, ingest: Ingest, memory_bytes: int, nice: int, cpu_s: float) -> None:
    """Say ready, then answer each batch of ``(path, data, skipped)`` with the packed documents, until end of file.

    A batch that takes more than ``cpu_s`` of CPU time ends the process by ``OUT_OF_TIME``.
    """
    _set_signals()
    _limit(memory_bytes, nice)
    with contextlib.suppress(EOFError, OSError):
        channel.send_bytes(READY)
        while True:
            batch = marshal.loads(channel.recv_bytes())
            _allow_cpu(cpu_s)
            answer = _answer(batch, ingest)
            _allow_cpu(0)
            channel.send_bytes(answer)


def _set_signals() -> None:
    """Dispositions and masks are inherited: whoever started us may ignore what ends us, or block it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if OUT_OF_TIME is not None:
        signal.signal(OUT_OF_TIME, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {OUT_OF_TIME, signal.SIGTERM})


def _allow_cpu(cpu_s: float) -> None:
    """So much CPU time from now on; 0 for any amount."""
    if OUT_OF_TIME is not None:
        signal.setitimer(signal.ITIMER_PROF, cpu_s)


def _answer(batch: list[tuple[bytes, bytes, str]], ingest: Ingest) -> bytes:
    """Packed documents, or the failure's name as text when one of the batch cannot be ingested."""
    try:
        return marshal.dumps([packed(ingest(*file)) for file in batch])
    except MemoryError:
        return marshal.dumps("out of memory")
    except FAILURES as error:
        return marshal.dumps(f"raised {type(error).__name__}")


def _limit(memory_bytes: int, nice: int) -> None:
    """Where the platform has them: lower priority, a ceiling on memory, no core files."""
    if hasattr(os, "nice"):
        os.nice(nice)
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
