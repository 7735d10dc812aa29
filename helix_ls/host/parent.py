"""What a process has of its parent: the signals it was started with, and whether the parent is still there."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable

LOOK_S = 3.0


def own_signals() -> None:
    """Set the signals this process relies on. Call it first, in the main thread.

    Dispositions and masks are inherited: below ``nohup … &`` or a script's background job SIGINT is ignored, and some
    launchers block or ignore more. SIGINT raises KeyboardInterrupt here, SIGTERM ends the process, and children can be
    waited for. SIGHUP stays as it is: who ignores it wants the process to outlive the terminal.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGCHLD})


def follow(pid: int, gone: Callable[[], None], *, look_s: float = LOOK_S) -> None:
    """Call ``gone`` when that process has ended; it is looked for every ``look_s``.

    One that cannot be seen to begin with is not followed.
    An editor in another container has a process id of its own there, which says nothing here.
    """
    if not is_alive(pid):
        return

    def watch() -> None:
        while is_alive(pid):
            time.sleep(look_s)
        gone()

    threading.Thread(target=watch, name="helix-parent", daemon=True).start()


def is_alive(pid: int) -> bool:
    """Is there such a process?"""
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
