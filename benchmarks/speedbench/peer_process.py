"""The other system, helix-context, as a process: its own HTTP server on a fresh store, started, asked, stopped."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

START_S = 180.0
CALL_S = 600.0
STOP_S = 20.0
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


class PeerProcess:
    """Runs inside ``with``; ``python`` is the interpreter that has the package, ``work`` a folder of its own."""

    def __init__(self, python: str | Path, work: Path) -> None:
        self._python, self._work = python, work
        self._port = _free_port()
        self._log = work / "server.log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> PeerProcess:
        self._work.mkdir(parents=True, exist_ok=True)
        settings = self._work / "helix.toml"
        settings.write_text(_SETTINGS.format(database=self._work / "genome.db", port=self._port), encoding="utf-8")
        environment = {
            **os.environ,
            "HELIX_CONFIG": str(settings),
            "HOME": str(self._work),
            "HELIX_DISABLE_HEADROOM": "1",
            "HF_HUB_OFFLINE": "1",
            "TRANSFORMERS_OFFLINE": "1",
        }
        command = [self._python, Path(__file__).with_name("peer_server.py"), str(self._port)]
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(command, env=environment, cwd=self._work, stdout=log, stderr=log)
        deadline = time.monotonic() + START_S
        while self.post("/stats", None) is None:
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._stop()
                raise SystemExit(f"the peer did not start: {self.said()[-1500:]}")
            time.sleep(0.3)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    @property
    def pid(self) -> int:
        """The server's process id."""
        assert self._process is not None
        return self._process.pid

    def said(self) -> str:
        """What the server has written so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def post(self, path: str, body: dict[str, Any] | None) -> dict[str, Any] | None:
        """The answer to a POST (a GET without a body), or None where the peer failed."""
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}{path}", data=data)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=CALL_S) as answer:
                said: dict[str, Any] = json.loads(answer.read())
                return said
        except (urllib.error.URLError, OSError, ValueError):
            return None

    def _stop(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
