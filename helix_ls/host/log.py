"""The daemon's log: events and their times, without content.

It holds no question, no path and no text of a file. Of an exception it holds the type and the traceback's places, as a
message could quote any of them. It rotates at ``MAX_BYTES`` bytes and keeps ``KEPT`` old files.
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
    """Format log records with the type and traceback places of an exception, without its message."""

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """Return the type and the frames of an exception, without its message."""
        kind, _, trace = ei
        return raised(kind, trace)


def raised(kind: type[BaseException] | None, trace: TracebackType | None) -> str:
    """Return an exception's type and traceback places, innermost first, on one line."""
    frames = traceback.extract_tb(trace)
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in reversed(frames))
    return f"{kind.__name__ if kind is not None else 'nothing'} at {places or 'an unknown place'}"


def open_log(path: Path) -> None:
    """Log to this rotating file from now on, uncaught exceptions included, and silence the loggers of libraries."""
    # Imported here because it loads socket and queue, which a process that only formats does not need.
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
    """Log an exception that the event loop did not handle (``loop.set_exception_handler``)."""
    error = context.get("exception")
    cause = raised(type(error), error.__traceback__) if error is not None else "no exception"
    LOG.error("on the loop: %s", cause)


def last_lines(path: Path, most: int) -> list[str]:
    """Return at most ``most`` last lines of the log, oldest first, including the file before the last rotation."""
    lines: list[str] = []
    for file in (path.with_name(f"{path.name}.1"), path):
        if file.is_file():
            lines += file.read_text("utf-8", "replace").splitlines()
    return lines[-most:] if most else []
