"""Run the child processes of a workspace, one that indexes and one that embeds: start, read, restart, stop."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from helix_core.embed import LoadedReranker, ModelEncoder
from helix_core.engine import index_folder
from helix_core.errors import HelixError
from helix_ls.host.endpoint import process_environment
from helix_ls.host.parse_journal import clear_crashes
from helix_ls.host.settings import Settings

if TYPE_CHECKING:
    from helix_core.config import Config
    from helix_core.engine import Helix

STOP_WAIT_S = 5.0
FIRST_RETRY_S = 0.5
LONGEST_RETRY_S = 30.0
MOST_DEATHS = 3
MOST_LISTED = 10_000


@dataclass(frozen=True, slots=True)
class RefreshRequest:
    """A request to the indexer: refresh ``paths``, or everything if empty; ``rebuild`` drops the index first."""

    rebuild: bool = False
    paths: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an indexer run.

    ``report`` is the ``helix.index/1`` object of a run that is done. ``message`` is why a run failed or died.
    ``progressed`` says whether at least one file was done before the process died.
    """

    end: Literal["done", "cancelled", "failed", "died"]
    report: dict[str, Any] | None = None
    message: str = ""
    notices: tuple[str, ...] = ()
    progressed: bool = False

    def counts(self) -> dict[str, int]:
        """Return the counts of the report; empty without one."""
        report = self.report or {}
        return {name: report[name] for name in ("files", "added", "changed", "removed", "parsed") if name in report}


@dataclass(frozen=True, slots=True)
class FailureCount:
    """Count the runs that failed since the last successful whole refresh, for the retry backoff.

    ``tries`` counts every failure, ``deaths`` the consecutive crashes without progress.
    """

    deaths: int = 0
    tries: int = 0

    def after(self, outcome: Outcome) -> FailureCount:
        """Return the counters after one more run; a run that is done or was cancelled resets them."""
        if outcome.end in ("done", "cancelled"):
            return FailureCount()
        deaths = 0 if outcome.end == "failed" else 1 if outcome.progressed else self.deaths + 1
        return FailureCount(deaths, self.tries + 1)

    @property
    def gives_up(self) -> bool:
        """Whether the indexer crashed ``MOST_DEATHS`` times in a row without progress, so that it is not retried."""
        return self.deaths >= MOST_DEATHS

    def retry_s(self) -> float:
        """Return the exponential backoff before the next attempt, in seconds: 0.5, 1, 2 … 30."""
        return float(min(LONGEST_RETRY_S, FIRST_RETRY_S * 2 ** min(max(0, self.tries - 1), 16)))


class ChildProcess:
    """A child process (``helix_ls.host.child``) that runs one ``job`` on a folder: start it, read its lines, end it.

    At most one runs at a time. It gets its request as a JSON line on stdin, and EOF there tells it to stop.
    """

    def __init__(self, job: str, root: Path) -> None:
        self._command = [sys.executable, "-P", "-m", "helix_ls.host.child", job, str(root)]
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        self.was_stopped = False
        """Whether the last run was told to stop."""

    @property
    def pid(self) -> int:
        """The process id of the running child, or 0."""
        process = self._process
        return process.pid if process is not None else 0

    def run(
        self, request: Mapping[str, Any], on_progress: Callable[[dict[str, Any]], None]
    ) -> tuple[dict[str, Any], int]:
        """Start the child, wait until it has reported how it ended, and reap it. Blocks.

        Args:
            request: What it is asked.
            on_progress: Called with each line that has a ``phase``.

        Returns:
            Its last line, empty if it died before that or was closed, and its exit status.

        Raises:
            OSError: It could not be started.
        """
        with self._lock:
            self.was_stopped = False
            if self._is_closed:
                return {}, 0
            # Not in the workspace as working directory: its files must not be importable.
            process = self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.path.abspath(os.sep),
                env=process_environment(os.environ),
                start_new_session=True,
            )
        try:
            self._send(process, request)
            last = _last_line(process, on_progress)
        finally:
            with self._lock:
                self._process = None
            end_process(process)
        return last, process.returncode

    def _send(self, process: subprocess.Popen[bytes], request: Mapping[str, Any]) -> None:
        with self._lock:
            if process.stdin is not None and not process.stdin.closed:
                try:
                    process.stdin.write(json.dumps(request).encode() + b"\n")
                    process.stdin.flush()
                except BrokenPipeError:
                    return

    def stop(self, *, at_once: bool = False) -> None:
        """Tell the running child to commit what is finished and exit; kill it after ``STOP_WAIT_S`` seconds.

        With ``at_once`` it is terminated instead, where at most a batch that is being computed is lost.
        """
        with self._lock:
            self._stop(at_once=at_once)

    def close(self) -> None:
        """Terminate the running child, and start none any more."""
        with self._lock:
            self._is_closed = True
            self._stop(at_once=True)

    def _stop(self, *, at_once: bool) -> None:
        process = self._process
        if process is None:
            return
        self.was_stopped = True
        if process.stdin is None or process.stdin.closed:
            return
        if at_once:
            process.terminate()
            return
        process.stdin.close()
        timer = threading.Timer(STOP_WAIT_S, process.kill)
        timer.daemon = True
        timer.start()


def _last_line(process: subprocess.Popen[bytes], on_progress: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Read a child's lines up to the one that says how it ended; return that, empty if none does."""
    assert process.stdout is not None
    for line in process.stdout:
        if not line.endswith(b"\n"):
            break
        read = json.loads(line)
        if "phase" not in read:
            return dict(read)
        on_progress(read)
    return {}


class Indexing:
    """Run the indexer of one workspace as a child process, at most one at a time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._child = ChildProcess("index", root)

    @property
    def pid(self) -> int:
        """The process id of the running indexer, or 0."""
        return self._child.pid

    def run(self, request: RefreshRequest, settings: Settings, on_progress: Callable[[str, int, int], None]) -> Outcome:
        """Start the indexer, wait until it ends and return its outcome.

        ``on_progress`` is called with the phase, the files done and the files in all. Blocks.
        """
        progressed = False

        def show(line: dict[str, Any]) -> None:
            nonlocal progressed
            progressed = progressed or line["done"] > 0
            on_progress(line["phase"], line["done"], line["total"])

        paths = [os.fsdecode(path) for path in request.paths]
        try:
            last, status = self._child.run({"rebuild": request.rebuild, "paths": paths} | settings.wire(), show)
        except OSError as error:
            why = f"The indexer could not be started ({error.strerror}); free memory or raise the process limit."
            return Outcome("failed", message=why)
        if self._child.was_stopped:
            clear_crashes(index_folder(settings.config(self._root).cache_dir, self._root))
        if "report" in last:
            return Outcome("done", report=last["report"], notices=tuple(last["notices"]))
        if "failed" in last:
            return Outcome("failed", message=last["failed"])
        if "cancelled" in last or self._child.was_stopped:
            return Outcome("cancelled")
        why = f"The indexer ended unexpectedly ({_ending(status)}); it is started again."
        return Outcome("died", message=why, progressed=progressed)

    def stop(self) -> None:
        """Ask the running indexer to commit what is finished and exit; kill it after ``STOP_WAIT_S`` seconds."""
        self._child.stop()


class Run:
    """Run the indexer in a thread of its own and hold its progress and outcome for polling.

    ``notify`` is called from that thread at every progress report and at the end.
    """

    def __init__(
        self, indexing: Indexing, request: RefreshRequest, settings: Settings, notify: Callable[[], None]
    ) -> None:
        self._notify = notify
        self._progress: tuple[str, int, int] | None = None
        self._outcome: Outcome | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(
            target=self._main, args=(indexing, request, settings), name="helix-index-run", daemon=True
        )
        self._thread.start()

    @property
    def has_news(self) -> bool:
        """Whether there is progress that was not taken yet, or the run has ended."""
        return self._progress is not None or not self._is_running

    @property
    def _is_running(self) -> bool:
        return self._outcome is None and self._error is None

    def take_progress(self) -> tuple[str, int, int] | None:
        """Return phase, files done and files in all once per report; None if there is no new report."""
        progress, self._progress = self._progress, None
        return progress

    def outcome(self) -> Outcome | None:
        """Return the outcome of the run, or None while it runs. Raises the exception that ended its thread."""
        if self._is_running:
            return None
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._outcome

    def _main(self, indexing: Indexing, request: RefreshRequest, settings: Settings) -> None:
        try:
            self._outcome = indexing.run(request, settings, self._on_progress)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that asks for the outcome
            self._error = error
        self._notify()

    def _on_progress(self, phase: str, done: int, total: int) -> None:
        self._progress = (phase, done, total)
        self._notify()


def end_process(process: subprocess.Popen[bytes]) -> None:
    """Close a child process's pipes and reap it, so that no zombie stays; kill it after ``STOP_WAIT_S`` seconds."""
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


def fit_in_process(root: Path, paths: Sequence[bytes], *, most: int, most_bytes: int) -> bool:
    """Return whether ``paths``, with all in them, are few and small enough, in bytes, to be parsed in the daemon."""
    top, total = os.fsencode(root), 0
    ahead = [os.path.join(top, path) for path in paths]
    for place in ahead:
        if len(ahead) > most or total > most_bytes:
            return False
        try:
            status = os.lstat(place)
            if stat.S_ISDIR(status.st_mode):
                ahead += [os.path.join(place, name) for name in os.listdir(place)]
            else:
                total += status.st_size
        except OSError:
            continue
    return total <= most_bytes


def newest_in_process(
    root: Path,
    paths: Iterable[bytes],
    hinted: Collection[bytes],
    *,
    most: int,
    most_bytes: int,
    keep: Callable[[bytes], bool] = lambda _path: True,
) -> tuple[bytes, ...]:
    """Select the files of a large batch to index at once: files that an editor saved first, then those that ``paths``
    names, then those below its folders, each by modification time, the newest first.

    Of a folder that was just created, the files written before it was watched are known by the folder alone; at most
    ``MOST_LISTED`` names below folders are looked at. At most ``most`` files that ``keep`` accepts, with ``most_bytes``
    in all, are selected; missing files are skipped.
    """
    top = os.fsencode(root)
    named = set(paths)
    found: list[tuple[bool, bool, int, int, bytes]] = []
    folders: list[bytes] = []
    for path in named:
        status = _status(top, path)
        if status is not None and stat.S_ISREG(status.st_mode):
            found.append((path in hinted, True, status.st_mtime_ns, status.st_size, path))
        elif status is not None and stat.S_ISDIR(status.st_mode) and named.isdisjoint(_above(path)):
            folders.append(path)
    for path, status in islice(_below(top, folders), MOST_LISTED):
        if stat.S_ISREG(status.st_mode) and path not in named:
            found.append((path in hinted, False, status.st_mtime_ns, status.st_size, path))
    chosen: list[bytes] = []
    for *_, size, path in sorted(found, reverse=True):
        if len(chosen) >= most:
            break
        if size <= most_bytes and keep(path):
            chosen.append(path)
            most_bytes -= size
    return tuple(chosen)


def _below(top: bytes, folders: list[bytes]) -> Iterator[tuple[bytes, os.stat_result]]:
    """Yield what is below ``folders``, which is used up; no link is followed, and nothing of git's is listed."""
    while folders:
        folder = folders.pop()
        try:
            names = os.listdir(os.path.join(top, folder))
        except OSError:
            continue
        for path in (os.path.join(folder, name) for name in names if name != b".git"):
            status = _status(top, path)
            if status is not None:
                yield path, status
                if stat.S_ISDIR(status.st_mode):
                    folders.append(path)


def _above(path: bytes) -> Iterator[bytes]:
    """Yield the folders that a path is below."""
    return (path[:at] for at, byte in enumerate(path) if byte == ord("/"))


def _status(top: bytes, path: bytes) -> os.stat_result | None:
    try:
        return os.lstat(os.path.join(top, path))
    except OSError:
        return None


REST_S = 3.0
MOST_FAILURES = 3


@cache
def encoder_for(cache_dir: Path, setting: str) -> ModelEncoder:
    """Return the embedding model of a cache folder and setting, loaded once per process for all workspaces."""
    return ModelEncoder(cache_dir, setting)


@cache
def reranker_for(cache_dir: Path) -> LoadedReranker:
    """Return the reranker of a cache folder, one per process; the model is loaded only where ``rerank`` is set."""
    return LoadedReranker(cache_dir)


def give_models(helix: Helix, config: Config) -> None:
    """Let a workspace's questions be answered by the models that this process shares; loads none."""
    helix.session.encoder = encoder_for(config.cache_dir, config.embed_model)
    if config.rerank:
        helix.session.reranker = reranker_for(config.cache_dir)


class BackgroundEmbedding:
    """Run the embedder of one workspace in the background, at most one child process at a time.

    A run starts ``rest_s`` seconds after the last ``wake`` (debounce). After ``MOST_FAILURES`` failures in a row no run
    starts until ``configure``. ``problem`` is the message of the last failure, or empty.
    """

    def __init__(self, folder: Path, settings: Settings, *, rest_s: float = REST_S) -> None:
        self._folder, self._settings, self._rest_s = folder, settings, rest_s
        self._wake = threading.Condition()
        self._is_due = self._closing = False
        self._child = ChildProcess("embed", folder)
        self._failures = 0
        self.problem = ""
        self._thread = threading.Thread(target=self._main, name="helix-embed", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        """The process id of the running embedder, or 0."""
        return self._child.pid

    def wake(self) -> None:
        """Schedule a run, because the index has caught up with the disk and new chunks may need vectors."""
        with self._wake:
            self._is_due = True
            self._wake.notify_all()

    def configure(self, settings: Settings) -> None:
        """Set the settings of the next run, schedule it, and reset the count of failures."""
        with self._wake:
            self._settings, self._failures = settings, 0
            self._is_due = True
            self._wake.notify_all()

    def close(self) -> None:
        """Terminate the embedder, keeping finished batches, and join the thread. Blocks: not for the event loop."""
        with self._wake:
            self._closing = True
            self._child.close()
            self._wake.notify_all()
        self._thread.join()

    def _main(self) -> None:
        while self._await_rest():
            try:
                self._run_once()
            except (HelixError, OSError) as error:
                self._failed(str(error))

    def _await_rest(self) -> bool:
        """Wait until a run is due and no ``wake`` came for ``rest_s`` seconds; return False at close."""
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
        if not (encoder.wanted and config.embed_background):
            return
        last, _ = self._child.run(self._settings.wire(), lambda _progress: None)
        if self._child.was_stopped:
            clear_crashes(index_folder(config.cache_dir, self._folder), "embedder")
        if "failed" in last:
            self._failed(last["failed"])
        elif not last and not self._closing:
            self._failed("The embedder ended unexpectedly; the built-in vectors serve.")
        else:
            self._failures, self.problem = 0, ""

    def _failed(self, message: str) -> None:
        self._failures += 1
        self.problem = message
