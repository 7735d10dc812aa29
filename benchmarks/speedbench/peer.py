"""helix-context 0.4.0b1 beside us: its own HTTP server, each file posted to ``/ingest`` as its examples do it.

The peer runs with its own Python (``--peer-python``), in a virtual environment made by
``pip install "helix-context[accel,cpu,ast]==0.4.0b1"``. It is slow, so it gets a sample of the files; its throughput
falls as its database grows, so a sample flatters it.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

START_S = 180.0
CALL_S = 600.0
_CODE = frozenset({".py", ".js", ".jsx", ".ts", ".tsx", ".rs", ".go", ".java", ".c", ".h", ".cpp", ".hpp"})
_SETTINGS = """
[ribosome]
enabled = false
backend = "ollama"
warmup = false
query_expansion_enabled = false
[genome]
path = "{database}"
[server]
host = "127.0.0.1"
port = {port}
upstream = "http://127.0.0.1:9"
[headroom]
enabled = false
[ingestion]
backend = "cpu"
splade_enabled = false
dense_embed_on_ingest = false
[retrieval]
dense_embedding_enabled = false
"""


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
    scratch.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    settings = scratch / "helix.toml"
    settings.write_text(_SETTINGS.format(database=scratch / "genome.db", port=port), encoding="utf-8")
    env = {
        **os.environ,
        "HELIX_CONFIG": str(settings),
        "HOME": str(scratch),
        "HELIX_DISABLE_HEADROOM": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
    }
    with open(scratch / "server.log", "w+", encoding="utf-8") as log:
        command = [python, str(Path(__file__).with_name("peer_server.py")), str(port)]
        server = subprocess.Popen(command, env=env, cwd=scratch, stdout=log, stderr=log)
        try:
            _wait_for(port, server, scratch / "server.log")
            size_bytes, wall_s, cpu_s, failed = _post_all(port, server.pid, folder, paths)
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    said = (scratch / "server.log").read_text(encoding="utf-8", errors="replace").splitlines()
    tagger = next((line for line in said if line.startswith("tagger: ")), "")
    return PeerCost(len(paths) - failed, size_bytes, wall_s, cpu_s, failed, tagger.removeprefix("tagger: "))


def _post_all(port: int, pid: int, folder: Path, paths: Sequence[bytes]) -> tuple[int, float, float, int]:
    size_bytes = failed = 0
    cpu = _cpu_seconds(pid)
    started = time.perf_counter()
    for path in paths:
        file = folder / path.decode("utf-8", "surrogateescape")
        data = file.read_bytes()
        body = {
            "content": data.decode("utf-8", "replace"),
            "content_type": "code" if file.suffix.lower() in _CODE else "text",
            "metadata": {"path": str(file), "source_id": str(file)},
        }
        if _call(port, "/ingest", body):
            size_bytes += len(data)
        else:
            failed += 1
    return size_bytes, time.perf_counter() - started, _cpu_seconds(pid) - cpu, failed


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_S
    while not _call(port, "/stats", None):
        if server.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"the peer did not start: {log.read_text(errors='replace')[-1500:]}")
        time.sleep(0.3)


def _call(port: int, path: str, body: dict[str, Any] | None) -> bool:
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=data)
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=CALL_S) as answer:
            answer.read()
    except (urllib.error.URLError, OSError):
        return False
    return True


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
