"""What a process inherits from its parent, set as ours need it, and a watchdog that notices when the parent exits."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

LOOK_S = 3.0
AUTOGROUP = "/proc/self/autogroup"
YOUNG_OBJECTS = 100_000

_interrupted = threading.Event()


def set_up_process() -> None:
    """Set signal handlers, unblock signals and limit threads as this process relies on. Call it first, in the main
    thread.

    Dispositions and masks are inherited: below ``nohup … &`` or a script's background job SIGINT is ignored, and some
    launchers block or ignore more. SIGINT raises KeyboardInterrupt, SIGTERM ends the process, and SIGCHLD is reset so
    that children can be waited for. SIGHUP is left alone: a process that ignores it is meant to outlive the terminal.

    OpenBLAS, below numpy, starts a thread per core on import, and its threads spin while they wait: products as small
    as ours take twice the time for it, and ten times on a busy machine. One thread, unless the user says otherwise.

    The garbage collector looks for cycles after ``YOUNG_OBJECTS`` new ones instead of 700: answers make thousands of
    small tuples and almost no cycle, so a tenth of a question's CPU time went to looking, and 25 ms of a command's
    imports.
    """
    gc.set_threshold(YOUNG_OBJECTS, 20, 50)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGCHLD})


def _interrupt(number: int, frame: FrameType | None) -> None:
    _interrupted.set()
    signal.default_int_handler(number, frame)


@contextlib.contextmanager
def interrupts_first(*passed: type[Exception]) -> Iterator[None]:
    """Raise KeyboardInterrupt for whatever fails in the block once the process was interrupted.

    Where the interrupt is raised in a callback of SQLite or while a class is made, the caller gets another exception,
    such as "user-defined function raised exception": that is no defect, and is not to be reported as one. Exceptions
    of the types ``passed`` stay what they are.

    After an interrupt in an ``exec`` of text, as a dataclass in the making uses, CPython ends itself by SIGINT where
    it runs a module (``-m``), although the interrupt was handled. The next ``exec`` makes it forget that.
    """
    try:
        yield
    except passed:
        raise
    except Exception as error:
        if _interrupted.is_set():
            raise KeyboardInterrupt from error
        raise
    finally:
        exec("")


def lower_priority(nice: int) -> None:
    """Lower the priority of this process and of those that it will start.

    SCHED_BATCH keeps them from preempting a process that has just begun to work on a saved file.
    """
    if hasattr(os, "nice"):
        os.nice(nice)
    with contextlib.suppress(OSError):
        if hasattr(os, "SCHED_BATCH"):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def lower_session_priority(nice: int) -> None:
    """Lower the priority of the session that this process leads; do nothing in somebody else's.

    Where Linux groups processes by session (sched(7), "The autogroup feature"), niceness counts within the session
    only: an indexer and its workers would take as much of the processor as an editor, its servers and a terminal's
    programs together.
    """
    if hasattr(os, "getsid") and os.getsid(0) == os.getpid():
        # Not every kernel has autogroups, and some containers refuse the file.
        with contextlib.suppress(OSError), open(AUTOGROUP, "r+", encoding="ascii") as group:
            group.write(str(nice))


def follow(pid: int, gone: Callable[[], None], *, look_s: float = LOOK_S) -> None:
    """Start a watchdog thread that calls ``gone`` when process ``pid`` has exited; it polls every ``look_s`` seconds.

    A process that does not exist at the start is not followed: the process id of an editor in another container means
    nothing here.
    """
    if not is_alive(pid):
        return

    def watch() -> None:
        while is_alive(pid):
            time.sleep(look_s)
        gone()

    threading.Thread(target=watch, name="helix-parent", daemon=True).start()


def is_alive(pid: int) -> bool:
    """Return whether a process with this id exists."""
    if sys.platform == "win32":
        import ctypes

        # SYNCHRONIZE; a process that has not ended is not signalled: WAIT_TIMEOUT is 258.
        handle = ctypes.windll.kernel32.OpenProcess(0x00100000, False, pid)
        if not handle:
            return False
        state = ctypes.windll.kernel32.WaitForSingleObject(handle, 0)
        ctypes.windll.kernel32.CloseHandle(handle)
        return bool(state == 258)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
