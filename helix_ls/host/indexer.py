"""The indexer, a child process that runs one refresh and exits: ``python -m helix_ls.host.indexer ROOT``.

In: the request as one JSON line on stdin. Out: JSON lines on stdout, progress at most ten times a second and then how
it ended. EOF on stdin means stop, keeping what is committed; so the indexer also ends when its parent is killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO

from helix_ls.host.parent import own_signals

if TYPE_CHECKING:
    from helix_core.config import Config
    from helix_core.ingest import ParseGuard

Order = dict[str, Any]
Say = Callable[[dict[str, Any]], None]
PROGRESS_S = 0.1
NICE = 5
INSIST_S = 2.0
DEATHS = 2


def main() -> int:
    """Run the request read from stdin; return the exit status, 0 if the outcome was reported."""
    return obey_order(NICE, _obey)


def obey_order(nice: int, obey: Callable[[Path, Order, Say], None]) -> int:
    """Read one request from stdin, run it at niceness ``nice`` and report how it ended; EOF on stdin cancels it.

    The common main function of the daemon's child processes. Returns the exit status.
    """
    own_signals()
    stdin, say = _streams()
    sys.excepthook = lambda kind, _, trace: _defect(say, kind, trace)
    order = stdin.readline()
    if not order:
        return 0
    try:
        threading.Thread(target=_stop_at_end_of, args=(stdin,), name="helix-order", daemon=True).start()
        if hasattr(os, "nice"):
            os.nice(nice)
        _said(obey, Path(sys.argv[1]), json.loads(order), say)
    except KeyboardInterrupt:
        say({"cancelled": True})
    return 0


def _said(obey: Callable[[Path, Order, Say], None], root: Path, order: Order, say: Say) -> None:
    from helix_core.errors import HelixError

    try:
        obey(root, order, say)
    except HelixError as error:
        say({"failed": str(error)})
    except OSError as error:
        say({"failed": f"{error.strerror or type(error).__name__}; check that the disk is writable and has free space"})


def ordered_config(root: Path, order: Order) -> Config:
    """Return the settings of a folder with those of the request applied. Raises ConfigError if they are invalid."""
    from helix_ls.host.settings import Settings

    exclude = order["exclude"]
    settings = Settings(order["restricted"], None if exclude is None else tuple(exclude), order["max_file_bytes"])
    return settings.config(root)


def _obey(root: Path, order: Order, say: Say) -> None:
    from helix_core.engine import Helix, index_folder
    from helix_ls.host.index_answer import index_answer

    progress = _Progress(say)
    config = ordered_config(root, order)
    with (
        in_hand_of(index_folder(config.cache_dir, root)) as in_hand,
        Helix.open(root, config=config, in_hand=in_hand) as helix,
    ):
        if order["paths"]:
            report = helix.refresh_paths([os.fsencode(path) for path in order["paths"]])
        elif order["rebuild"]:
            report = helix.rebuild(progress.show)
        else:
            report = helix.refresh(progress.show)
        say({"report": index_answer(str(helix.workspace), report), "notices": helix.notices})


@contextmanager
def in_hand_of(folder: Path, name: str = "indexer") -> Iterator[ParseGuard | None]:
    """Lock the folder for one process of that ``name`` and yield its parse journal as a guard.

    A file that killed the process ``DEATHS`` times is quarantined. Yields None while another process holds the lock.
    """
    from filelock import FileLock, Timeout

    from helix_ls.host.parse_journal import InHandFile

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(folder / f"{name}.lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield None
        return
    with lock:
        yield InHandFile(folder / f"{name}.in-hand", deaths=DEATHS).hold


def forgive(folder: Path, name: str = "indexer") -> None:
    """Remove the deaths noted in the parse journal after the process of that ``name`` was stopped on purpose.

    Does nothing while another process holds the folder's lock.
    """
    from filelock import FileLock, Timeout

    from helix_ls.host.parse_journal import InHandFile

    file = folder / f"{name}.in-hand"
    if not file.exists():
        return
    try:
        with FileLock(folder / f"{name}.lock", timeout=0, mode=0o600):
            in_hand = InHandFile(file, deaths=DEATHS)
            in_hand.forgive()
            in_hand.close()
    except Timeout:
        return


class _Progress:
    """Report progress, throttled to ten lines a second, and at every change of the phase."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._phase = ""
        self._next = 0.0

    def show(self, progress: Any) -> None:
        """Write a progress line if the phase changed or the throttle interval of ``PROGRESS_S`` seconds is over."""
        now = time.monotonic()
        if progress.phase == self._phase and now < self._next:
            return
        self._phase, self._next = progress.phase, now + PROGRESS_S
        self._say({"phase": progress.phase, "done": progress.done, "total": progress.total})


def _streams() -> tuple[BinaryIO, Say]:
    """Return stdin and a function that writes a JSON line to stdout; redirect stdout to stderr for everything else."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    os.set_inheritable(out.fileno(), False)

    def say(line: dict[str, Any]) -> None:
        try:
            out.write(json.dumps(line).encode() + b"\n")
        except BrokenPipeError:
            raise KeyboardInterrupt from None

    return os.fdopen(os.dup(0), "rb", buffering=0), say


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


def _defect(say: Say, kind: type[BaseException], trace: TracebackType | None) -> None:
    """Report an unexpected exception by type and place only, as its message could quote a file's content."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace is not None else ""
    say({"failed": f"an internal error: {kind.__name__}{where}; report it, and rebuild the index"})


if __name__ == "__main__":
    sys.exit(main())
