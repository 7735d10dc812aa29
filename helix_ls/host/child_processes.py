"""Run the child processes of a workspace, the indexer and the embedder: start, read, restart with backoff, stop."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from helix_core.embed import LoadedReranker, ModelEncoder
from helix_core.engine import index_folder
from helix_core.errors import HelixError
from helix_ls.host.endpoint import process_environment
from helix_ls.host.indexer import forgive
from helix_ls.host.settings import Settings

STOP_WAIT_S = 5.0
FIRST_RETRY_S = 0.5
LONGEST_RETRY_S = 30.0
MOST_DEATHS = 3


@dataclass(frozen=True, slots=True)
class Order:
    """What to index: ``paths``, or everything when there are none; ``rebuild`` throws the index away first."""

    rebuild: bool = False
    paths: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended. ``report`` is ``helix.index/1`` when it is done; ``message`` is why it is not."""

    end: Literal["done", "cancelled", "failed", "died"]
    report: dict[str, Any] | None = None
    message: str = ""
    notices: tuple[str, ...] = ()
    progressed: bool = False


@dataclass(frozen=True, slots=True)
class Setbacks:
    """What went wrong since a whole refresh last succeeded: all ``tries``, and ``deaths`` without progress between."""

    deaths: int = 0
    tries: int = 0

    def after(self, outcome: Outcome) -> Setbacks:
        """The count after one more run."""
        if outcome.end in ("done", "cancelled"):
            return Setbacks()
        deaths = 0 if outcome.end == "failed" else 1 if outcome.progressed else self.deaths + 1
        return Setbacks(deaths, self.tries + 1)

    @property
    def is_hopeless(self) -> bool:
        """Has the indexer died so often in the same place that only the user can help?"""
        return self.deaths >= MOST_DEATHS

    def retry_s(self) -> float:
        """Seconds until the next attempt: 0.5, 1, 2 … 30."""
        return float(min(LONGEST_RETRY_S, FIRST_RETRY_S * 2 ** min(max(0, self.tries - 1), 16)))


class Indexing:
    """The indexer of one workspace: none or one process at a time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    @property
    def pid(self) -> int:
        """The process that runs now, or 0."""
        process = self._process
        return process.pid if process is not None else 0

    def run(self, order: Order, settings: Settings, tell: Callable[[str, int, int], None]) -> Outcome:
        """Run it to its end; ``tell`` gets phase, files done, files in all."""
        with self._lock:
            self._stopped = False
            try:
                process = self._process = self._started()
            except OSError as error:
                why = f"The indexer could not be started ({error.strerror}); free memory or raise the process limit."
                return Outcome("failed", message=why)
        try:
            self._send(process, order, settings)
            return self._heard(process, tell)
        finally:
            with self._lock:
                self._process = None
            end_process(process)
            if self._stopped:
                forgive(index_folder(settings.config(self._root).cache_dir, self._root))

    def _started(self) -> subprocess.Popen[bytes]:
        # Never in the workspace: what lies there must not be imported.
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "helix_ls.host.indexer", str(self._root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.path.abspath(os.sep),
            env=process_environment(os.environ),
            start_new_session=True,
        )

    def _send(self, process: subprocess.Popen[bytes], order: Order, settings: Settings) -> None:
        line = {
            "rebuild": order.rebuild,
            "paths": [os.fsdecode(path) for path in order.paths],
            "restricted": settings.restricted,
            "exclude": settings.exclude,
            "max_file_bytes": settings.max_file_bytes,
        }
        with self._lock:
            if process.stdin is not None and not process.stdin.closed:
                try:
                    process.stdin.write(json.dumps(line).encode() + b"\n")
                    process.stdin.flush()
                except BrokenPipeError:
                    return

    def _heard(self, process: subprocess.Popen[bytes], tell: Callable[[str, int, int], None]) -> Outcome:
        progressed = False
        assert process.stdout is not None
        for line in process.stdout:
            if not line.endswith(b"\n"):
                break
            said = json.loads(line)
            if "report" in said:
                return Outcome("done", report=said["report"], notices=tuple(said["notices"]))
            if "failed" in said:
                return Outcome("failed", message=said["failed"])
            if "cancelled" in said:
                return Outcome("cancelled")
            progressed = progressed or said["done"] > 0
            tell(said["phase"], said["done"], said["total"])
        if self._stopped:
            return Outcome("cancelled")
        status = process.wait()
        why = f"The indexer ended unexpectedly ({_ending(status)}); it is started again."
        return Outcome("died", message=why, progressed=progressed)

    def stop(self) -> None:
        """Let the process that runs keep what it has finished and end; one that does not is killed."""
        with self._lock:
            self._stopped = True
            process = self._process
            if process is None or process.stdin is None or process.stdin.closed:
                return
            process.stdin.close()
        timer = threading.Timer(STOP_WAIT_S, process.kill)
        timer.daemon = True
        timer.start()


class Run:
    """One run in a thread of its own. ``woken`` is called, from that thread, when there is progress or an end."""

    def __init__(self, indexing: Indexing, order: Order, settings: Settings, woken: Callable[[], None]) -> None:
        self._woken = woken
        self._progress: tuple[str, int, int] | None = None
        self._outcome: Outcome | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(
            target=self._live, args=(indexing, order, settings), name="helix-index-run", daemon=True
        )
        self._thread.start()

    @property
    def has_news(self) -> bool:
        """Is there progress nobody has taken, or an end?"""
        return self._progress is not None or not self._is_running

    @property
    def _is_running(self) -> bool:
        return self._outcome is None and self._error is None

    def take_progress(self) -> tuple[str, int, int] | None:
        """Phase, files done and files in all, where they are others than when this was last called."""
        progress, self._progress = self._progress, None
        return progress

    def outcome(self) -> Outcome | None:
        """How it ended; None while it runs. Raises what a defect raised."""
        if self._is_running:
            return None
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._outcome

    def _live(self, indexing: Indexing, order: Order, settings: Settings) -> None:
        try:
            self._outcome = indexing.run(order, settings, self._heard)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that asks for the outcome
            self._error = error
        self._woken()

    def _heard(self, phase: str, done: int, total: int) -> None:
        self._progress = (phase, done, total)
        self._woken()


def end_process(process: subprocess.Popen[bytes]) -> None:
    """Whatever happened, no process, no pipe and no zombie is left."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None and not pipe.closed:
            try:
                pipe.close()
            except BrokenPipeError:
                continue
    try:
        process.wait(STOP_WAIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _ending(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit status {status}"


def paths_fit_here(root: Path, paths: Sequence[bytes], *, most: int, most_bytes: int) -> bool:
    """Are these few and small enough to be parsed beside the questions, in the daemon itself?"""
    if len(paths) > most:
        return False
    total = 0
    for path in paths:
        try:
            status = os.lstat(os.path.join(os.fsencode(root), path))
        except OSError:
            continue
        if stat.S_ISDIR(status.st_mode):
            return False
        total += status.st_size
    return total <= most_bytes


def newest_that_fit(
    root: Path, paths: Sequence[bytes], hinted: Collection[bytes], *, most: int, most_bytes: int
) -> tuple[bytes, ...]:
    """Of many paths the files to be taken in at once, in this order: those an editor saved, then the newest."""
    top = os.fsencode(root)
    found: list[tuple[bool, int, int, bytes]] = []
    for path in paths:
        try:
            status = os.lstat(os.path.join(top, path))
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode):
            found.append((path in hinted, status.st_mtime_ns, status.st_size, path))
    chosen: list[bytes] = []
    for _, _, size, path in sorted(found, reverse=True):
        if len(chosen) < most and size <= most_bytes:
            chosen.append(path)
            most_bytes -= size
    return tuple(chosen)


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
