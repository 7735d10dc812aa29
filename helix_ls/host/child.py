"""A child process, which runs one job on one folder and exits: ``python -m helix_ls.host.child JOB ROOT``.

In: the request as one JSON line on stdin. Out: JSON lines on stdout, progress first and then how it ended. EOF on stdin
means stop, keeping what is committed; so a child also ends when its parent is killed. Jobs are ``index``, one refresh,
and ``embed``, which computes missing vectors and waits while the machine's load is high.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO

from helix_ls.host.parent import interrupts_first, lower_priority, lower_session_priority, set_up_process
from helix_ls.host.parse_journal import parse_journal_of

if TYPE_CHECKING:
    from helix_core.config import Config

Request = dict[str, Any]
Send = Callable[[dict[str, Any]], None]
Job = Callable[[Path, Request, Send], None]
INSIST_S = 2.0
INDEX_PROGRESS_S, EMBED_PROGRESS_S = 0.1, 1.0
INDEX_NICE, EMBED_NICE = 5, 15
LOOK_S = 10.0
WAIT_S = 2.0
LONGEST_WAIT_S = 10.0


def main() -> int:
    """Run the request read from stdin; EOF there cancels it. Return the exit status, 0 if the outcome was reported."""
    job, nice = JOBS[sys.argv[1]]
    set_up_process()
    stdin, send = _streams()
    sys.excepthook = lambda kind, _, trace: _report_defect(send, kind, trace)
    request = stdin.readline()
    if not request:
        return 0
    try:
        threading.Thread(target=_stop_at_end_of, args=(stdin,), name="helix-order", daemon=True).start()
        lower_priority(nice)
        _run_and_report(job, Path(sys.argv[2]), json.loads(request), send)
    except KeyboardInterrupt:
        send({"cancelled": True})
    return 0


def _run_and_report(job: Job, root: Path, request: Request, send: Send) -> None:
    from helix_core.errors import HelixError

    try:
        with interrupts_first():
            job(root, request, send)
    except HelixError as error:
        send({"failed": str(error)})
    except OSError as error:
        send(
            {"failed": f"{error.strerror or type(error).__name__}; check that the disk is writable and has free space"}
        )


def _requested_config(root: Path, request: Request) -> Config:
    """Return the settings of a folder with those of the request applied. Raises ConfigError if they are invalid."""
    from helix_ls.host.settings import Settings

    return Settings.of(request).config(root)


def _index(root: Path, request: Request, send: Send) -> None:
    from helix_core.engine import Helix, index_folder
    from helix_ls.host.index_answer import index_answer

    progress = ProgressLines(send, INDEX_PROGRESS_S)
    config = _requested_config(root, request)
    with (
        parse_journal_of(index_folder(config.cache_dir, root)) as parse_guard,
        Helix.open(root, config=config, parse_guard=parse_guard) as helix,
    ):
        helix.session.process_name = "the server of an editor, an agent or a proxy"
        if helix.is_indexed():
            # A first index is what everybody waits for, any other work of this process nobody.
            lower_session_priority(INDEX_NICE)
        if request["paths"]:
            report = helix.refresh_paths([os.fsencode(path) for path in request["paths"]])
        elif request["rebuild"]:
            report = helix.rebuild(progress.show)
        else:
            report = helix.refresh(progress.show)
        send({"report": index_answer(str(helix.workspace), report), "notices": helix.notices})


def _embed(root: Path, request: Request, send: Send) -> None:
    from helix_core.embed import chosen_model
    from helix_core.engine import Embedding, index_folder

    lower_session_priority(EMBED_NICE)
    config = _requested_config(root, request)
    model = chosen_model(config.cache_dir, config.embed_model)
    with (
        parse_journal_of(index_folder(config.cache_dir, root), "embedder") as parse_guard,
        Embedding.open(root, config, parse_guard) as embedding,
    ):
        if model is None or parse_guard is None or not embedding.is_waiting(model.name):
            send({"done": 0})
            return
        from helix_core.embed import FastModel

        report = embedding.run(
            FastModel(model), progress=ProgressLines(send, EMBED_PROGRESS_S).show, check=LoadThrottle().wait
        )
        send({"done": report.embedded})


class ProgressLines:
    """Write a child's progress as JSON lines, throttled to one in ``interval_s`` seconds and one at each new phase."""

    def __init__(self, send: Send, interval_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._send = send
        self._interval_s = interval_s
        self._clock = clock
        self._phase = ""
        self._next = 0.0

    def show(self, progress: Any) -> None:
        """Write a line if the phase changed or the interval is over."""
        now = self._clock()
        if progress.phase == self._phase and now < self._next:
            return
        self._phase, self._next = progress.phase, now + self._interval_s
        self._send({"phase": progress.phase, "done": progress.done, "total": progress.total})


class LoadThrottle:
    """Throttle by load: wait while the load average, less this process, exceeds the number of processors."""

    def __init__(self, load: Callable[[], float] | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._load = load or _load
        self._clock = clock
        self._next_look = 0.0

    def wait(self, sleep: Callable[[float], None] = time.sleep) -> None:
        """Return at once, or when the load has dropped, or after ``LONGEST_WAIT_S`` seconds: embedding never starves.

        The load is sampled at most every ``LOOK_S`` seconds.
        """
        now = self._clock()
        if now < self._next_look:
            return
        until = now + LONGEST_WAIT_S
        while self._load() - 1 > (os.cpu_count() or 1) and self._clock() < until:
            sleep(WAIT_S)
        self._next_look = self._clock() + LOOK_S


def _load() -> float:
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def _streams() -> tuple[BinaryIO, Send]:
    """Return stdin and a function that writes a JSON line to stdout; redirect stdout to stderr for everything else."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    os.set_inheritable(out.fileno(), False)

    def send(line: dict[str, Any]) -> None:
        try:
            out.write(json.dumps(line).encode() + b"\n")
        except BrokenPipeError:
            raise KeyboardInterrupt from None

    return os.fdopen(os.dup(0), "rb", buffering=0), send


def _stop_at_end_of(stdin: BinaryIO) -> None:
    """Wait for EOF on stdin, then interrupt the main thread with SIGINT every ``INSIST_S`` seconds."""
    while stdin.read(4096):
        pass
    while True:
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            import _thread

            _thread.interrupt_main()
        # A KeyboardInterrupt raised in a callback of the garbage collector is discarded: send it again.
        time.sleep(INSIST_S)


def _report_defect(send: Send, kind: type[BaseException], trace: TracebackType | None) -> None:
    """Report an unexpected exception by type and place only, as its message could quote a file's content."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace is not None else ""
    send({"failed": f"an internal error: {kind.__name__}{where}; report it, and rebuild the index"})


JOBS: Mapping[str, tuple[Job, int]] = {"index": (_index, INDEX_NICE), "embed": (_embed, EMBED_NICE)}
"""What runs, and at which niceness."""


if __name__ == "__main__":
    sys.exit(main())
