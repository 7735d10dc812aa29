"""Leave when the editor has gone without a word: its process is looked for every few seconds."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable

LOOK_S = 3.0


def follow(pid: int, gone: Callable[[], None], *, look_s: float = LOOK_S) -> None:
    """Call ``gone`` when that process has ended. One that cannot be seen to begin with is not followed.

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
