"""The daemon's log: what happened and when, never what was in it.

No question, no path, no text of a file, and of an error only its type and where in Helix it was raised: a message could
quote any of them. Rotates at a megabyte, two old files are kept.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

MAX_BYTES = 1 << 20
KEPT = 2
LOG = logging.getLogger("helix.daemon")


class ContentFree(logging.Formatter):
    """Of an exception: its type and the places it came through."""

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """Type and frames, no message."""
        kind, _, trace = ei
        return raised(kind, trace)


def raised(kind: type[BaseException] | None, trace: TracebackType | None) -> str:
    """An error as type and places, on one line."""
    frames = traceback.extract_tb(trace)
    places = " < ".join(f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in reversed(frames))
    return f"{kind.__name__ if kind is not None else 'nothing'} at {places or 'an unknown place'}"


def open_log(path: Path) -> None:
    """Write to this file from now on, and nothing of anybody else's logging anywhere."""
    # Loaded here: who only formats has no use for what brings sockets and queues along.
    import logging.handlers

    handler = logging.handlers.RotatingFileHandler(path, maxBytes=MAX_BYTES, backupCount=KEPT, encoding="utf-8")
    handler.setFormatter(ContentFree("%(asctime)s %(process)d %(levelname)s %(message)s"))
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    logging.getLogger().addHandler(logging.NullHandler())
    sys.excepthook = lambda kind, _, trace: LOG.error("ended by %s", raised(kind, trace))
    threading.excepthook = _thread_ended


def _thread_ended(arguments: threading.ExceptHookArgs) -> None:
    name = arguments.thread.name if arguments.thread is not None else "?"
    LOG.error("thread %s ended by %s", name, raised(arguments.exc_type, arguments.exc_traceback))


def loop_failed(_loop: Any, context: dict[str, Any]) -> None:
    """The event loop's handler for what nobody caught."""
    error = context.get("exception")
    cause = raised(type(error), error.__traceback__) if error is not None else "no exception"
    LOG.error("on the loop: %s", cause)


def last_lines(path: Path, most: int) -> list[str]:
    """The end of the log, oldest first, the file before the last rotation included."""
    lines: list[str] = []
    for file in (path.with_name(f"{path.name}.1"), path):
        if file.is_file():
            lines += file.read_text("utf-8", "replace").splitlines()
    return lines[-most:] if most else []
