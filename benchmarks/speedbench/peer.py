"""helix-context 0.4.0b1 beside us: its own HTTP server, each file posted to ``/ingest`` as its examples do it.

The peer runs with its own Python (``--peer-python``), in a virtual environment made by
``pip install "helix-context[accel,cpu,ast]==0.4.0b1"``. It is slow, so it gets a sample of the files; its throughput
falls as its database grows, so a sample flatters it.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from speedbench.peer_process import PeerProcess

_CODE = frozenset({".py", ".js", ".jsx", ".ts", ".tsx", ".rs", ".go", ".java", ".c", ".h", ".cpp", ".hpp"})


@dataclass(frozen=True, slots=True)
class PeerCost:
    """What the sample cost the peer."""

    files: int
    size_bytes: int
    wall_s: float
    cpu_s: float
    failed: int
    tagger: str

    @property
    def bytes_per_s(self) -> float:
        """Its throughput."""
        return self.size_bytes / self.wall_s


def sample_of(folder: Path, paths: Sequence[bytes], count: int, seed: int) -> list[bytes]:
    """Some of the files we index ourselves; the peer refuses blank ones."""
    shuffled = sorted(paths)
    random.Random(seed).shuffle(shuffled)
    written = (path for path in shuffled if (folder / path.decode("utf-8", "surrogateescape")).read_bytes().strip())
    return list(islice(written, count))


def ingest_with_peer(python: str, folder: Path, paths: Sequence[bytes], scratch: Path) -> PeerCost:
    """Post the files one after the other to a fresh server. The server's start is not counted."""
    with PeerProcess(python, scratch) as peer:
        size_bytes, wall_s, cpu_s, failed = _post_all(peer, folder, paths)
        tagger = next((line for line in peer.said().splitlines() if line.startswith("tagger: ")), "")
    return PeerCost(len(paths) - failed, size_bytes, wall_s, cpu_s, failed, tagger.removeprefix("tagger: "))


def _post_all(peer: PeerProcess, folder: Path, paths: Sequence[bytes]) -> tuple[int, float, float, int]:
    size_bytes = failed = 0
    cpu = _cpu_seconds(peer.pid)
    started = time.perf_counter()
    for path in paths:
        file = folder / path.decode("utf-8", "surrogateescape")
        data = file.read_bytes()
        body = {
            "content": data.decode("utf-8", "replace"),
            "content_type": "code" if file.suffix.lower() in _CODE else "text",
            "metadata": {"path": str(file), "source_id": str(file)},
        }
        if peer.post("/ingest", body) is not None:
            size_bytes += len(data)
        else:
            failed += 1
    return size_bytes, time.perf_counter() - started, _cpu_seconds(peer.pid) - cpu, failed


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
