"""Run the embedder process of one folder whenever its index has come to rest, and hold the models for its questions.

``wake`` and ``close`` may be called from any thread and return at once, but for ``close``. Nothing happens where no
model is set up, or the setting says no.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

from helix_core.embed.model import ModelEncoder
from helix_core.embed.reranker import LoadedReranker
from helix_core.engine.opened import index_folder
from helix_core.errors import HelixError
from helix_ls.host.indexer import forgive
from helix_ls.host.indexing import end_process
from helix_ls.host.place import process_environment
from helix_ls.host.settings import Settings

REST_S = 3.0
MOST_FAILURES = 3


@cache
def encoder_for(cache_dir: Path, setting: str) -> ModelEncoder:
    """One loaded model a process, whatever number of folders is open."""
    return ModelEncoder(cache_dir, setting)


@cache
def reranker_for(cache_dir: Path) -> LoadedReranker:
    """One loaded reranker a process; loaded only where a folder's settings want it."""
    return LoadedReranker(cache_dir)


class BackgroundEmbedding:
    """Of one workspace: none or one embedder at a time. ``problem`` is how the last one failed, or empty."""

    def __init__(self, folder: Path, settings: Settings, *, rest_s: float = REST_S) -> None:
        self._folder, self._settings, self._rest_s = folder, settings, rest_s
        self._wake = threading.Condition()
        self._is_due = self._closing = False
        self._process: subprocess.Popen[bytes] | None = None
        self._failures = 0
        self.problem = ""
        self._thread = threading.Thread(target=self._live, name="helix-embed", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        """The process that runs now, or 0."""
        process = self._process
        return process.pid if process is not None else 0

    def wake(self) -> None:
        """The index is level with the disk: embed what has come."""
        with self._wake:
            self._is_due = True
            self._wake.notify_all()

    def configure(self, settings: Settings) -> None:
        """Other settings from the next run on."""
        with self._wake:
            self._settings, self._failures = settings, 0
            self._is_due = True
            self._wake.notify_all()

    def close(self) -> None:
        """Stop at once, keeping what is finished, and wait for the end. Blocks: not for the loop."""
        with self._wake:
            self._closing = True
            self._stop()
            self._wake.notify_all()
        self._thread.join()

    def _live(self) -> None:
        while self._await_rest():
            try:
                self._run_once()
            except (HelixError, OSError) as error:
                self._failed(str(error))

    def _await_rest(self) -> bool:
        """Until something is to be done and nothing new came for a while; False at the end."""
        with self._wake:
            while not self._closing:
                if not self._is_due or self._failures >= MOST_FAILURES:
                    self._is_due = False
                    self._wake.wait()
                    continue
                self._is_due = False
                if not self._wake.wait(self._rest_s):
                    return True
            return False

    def _run_once(self) -> None:
        config = self._settings.config(self._folder)
        encoder = encoder_for(config.cache_dir, config.embed_model)
        encoder.follow()
        if config.rerank:
            reranker_for(config.cache_dir).follow()
        if encoder.wanted and config.embed_background:
            said = self._heard(index_folder(config.cache_dir, self._folder))
            if "failed" in said:
                self._failed(said["failed"])
            elif not said and not self._closing:
                self._failed("The embedder ended unexpectedly; the built-in vectors serve.")
            else:
                self._failures, self.problem = 0, ""

    def _failed(self, message: str) -> None:
        self._failures += 1
        self.problem = message

    def _heard(self, index: Path) -> dict[str, Any]:
        """Run the process to its end; its last word, empty when it died without one. ``index`` is the folder's."""
        with self._wake:
            if self._closing:
                return {"cancelled": True}
            process = self._process = self._started()
        said: dict[str, Any] = {}
        try:
            assert process.stdin is not None and process.stdout is not None
            settings = self._settings
            order = {"exclude": settings.exclude, "max_file_bytes": settings.max_file_bytes}
            process.stdin.write(json.dumps({"restricted": settings.restricted, **order}).encode() + b"\n")
            process.stdin.flush()
            for line in process.stdout:
                said = json.loads(line) if line.endswith(b"\n") else {}
        except BrokenPipeError:
            said = {}
        finally:
            with self._wake:
                self._process = None
            end_process(process)
            if self._closing:
                forgive(index, "embedder")
        return {} if "phase" in said else said

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "helix_ls.host.embedder", str(self._folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.path.abspath(os.sep),
            env=process_environment(os.environ),
            start_new_session=True,
        )

    def _stop(self) -> None:
        process = self._process
        if process is not None:
            # Between batches it ends by itself; in one, the batch is all that is lost.
            process.terminate()
