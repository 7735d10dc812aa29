"""Give back what an index holds and does not need. Questions and indexing go on meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from helix_core.store.writer import Writer

SCHEMA = "helix.vacuum/1"
WRITE_WAIT_MS = 5_000


def vacuum(writer: Writer, index_path: Path, check: Callable[[], None]) -> dict[str, Any]:
    """The ``helix.vacuum/1`` object: parked versions are pruned, postings merged, free pages given back to the disk.

    In steps that are a transaction each, ``check`` is called between them. Raises StoreError.
    """
    started, before = time.monotonic(), _bytes_of(index_path)
    writer.wait_at_most(WRITE_WAIT_MS)
    pruned = writer.prune()
    steps = writer.merge(check)
    writer.give_back()
    after = _bytes_of(index_path)
    return {
        "schema": SCHEMA,
        "pruned": pruned,
        "merge_steps": steps,
        "before_bytes": before,
        "after_bytes": after,
        "freed_bytes": before - after,
        "elapsed_ms": round((time.monotonic() - started) * 1e3, 3),
    }


def _bytes_of(index_path: Path) -> int:
    """Of the file and its write-ahead log."""
    files = (index_path, index_path.with_name(f"{index_path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())
