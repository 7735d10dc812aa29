"""A process that outlives who started it, and is nobody's child to bury."""

from __future__ import annotations

import os
from collections.abc import Callable


def detach() -> Callable[[], None]:
    """Go on in a child process of its own session; the result is to be called when it is ready.

    The parent stays until then and ends with 0, or with 1 when the child ends first. Call it before there are threads.
    Where there is no fork the process goes on as it is.
    """
    if not hasattr(os, "fork"):
        return lambda: None
    is_ready, tell = os.pipe()
    if os.fork():
        os.close(tell)
        os._exit(0 if os.read(is_ready, 1) else 1)
    os.close(is_ready)
    os.setsid()

    def ready() -> None:
        os.write(tell, b"!")
        os.close(tell)

    return ready
