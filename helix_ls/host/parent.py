"""Signal dispositions inherited from the parent process, and a watchdog that notices when the parent has exited."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable

LOOK_S = 3.0


def own_signals() -> None:
    """Set the signal handlers and unblock the signals that this process relies on. Call it first, in the main thread.

    Dispositions and masks are inherited: below ``nohup … &`` or a script's background job SIGINT is ignored, and some
    launchers block or ignore more. SIGINT raises KeyboardInterrupt, SIGTERM ends the process, and SIGCHLD is reset so
    that children can be waited for. SIGHUP is left alone: a process that ignores it is meant to outlive the terminal.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGCHLD})


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
