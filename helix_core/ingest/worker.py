"""The far end of the pool: one process that ingests what it is sent, under limits, and leaves when its pipe closes."""

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
FAILURES = (ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)


def serve(channel: Connection, ingest: Ingest, memory_bytes: int, nice: int) -> None:
    """Say ready, then answer each batch of ``(path, data, skipped)`` with the packed documents, until end of file."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit(memory_bytes, nice)
    with contextlib.suppress(EOFError, OSError):
        channel.send_bytes(READY)
        while True:
            channel.send_bytes(_answer(marshal.loads(channel.recv_bytes()), ingest))


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
