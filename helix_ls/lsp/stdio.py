"""Standard input and output as streams of one event loop, out of reach of whatever else prints.

Threads read and write, because a pipe, a file and a terminal all do that and no loop waits for all three. Never blocks
the loop; never holds more than a little unread input.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable

_READ_BYTES = 64 * 1024
_UNREAD_BYTES = 1024 * 1024


def take_stdio() -> tuple[int, int]:
    """Descriptors of our own for input and output. From now on 0 is empty and 1 is standard error, for everybody."""
    source, sink = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return source, sink


class Input(asyncio.Transport):
    """Feeds a StreamReader from a descriptor."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._may_read = threading.Event()
        self._may_read.set()
        self.reader = asyncio.StreamReader(limit=_UNREAD_BYTES)
        self.reader.set_transport(self)
        threading.Thread(target=self._run, name="helix-stdin", daemon=True).start()

    def pause_reading(self) -> None:
        """Enough for now."""
        self._may_read.clear()

    def resume_reading(self) -> None:
        """More, please."""
        self._may_read.set()

    def _run(self) -> None:
        data = b"begin"
        while data:
            self._may_read.wait()
            try:
                data = os.read(self._descriptor, _READ_BYTES)
            except OSError:
                data = b""
            if not self._call(self.reader.feed_data, data) if data else not self._call(self.reader.feed_eof):
                return

    def _call(self, act: Callable[..., None], *arguments: bytes) -> bool:
        try:
            self._loop.call_soon_threadsafe(act, *arguments)
        except RuntimeError:
            # The loop has closed: nobody listens any more.
            return False
        return True


class Output:
    """Writes to a descriptor in order; ``broken`` is called on the loop when nobody reads it any more."""

    def __init__(self, descriptor: int, broken: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._broken = broken
        self._loop = asyncio.get_running_loop()
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._given = self._sent = 0
        self._thread = threading.Thread(target=self._run, name="helix-stdout", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Send, soon."""
        self._given += len(data)
        self._waiting.put(data)

    @property
    def transport(self) -> Output:
        """There is nothing below."""
        return self

    def get_write_buffer_size(self) -> int:
        """How many bytes wait to be sent."""
        return self._given - self._sent

    def close(self) -> None:
        """Send nothing more."""
        self._waiting.put(None)

    def finish(self, timeout_s: float) -> None:
        """Wait until everything is sent, but not for a reader that has stopped reading."""
        self.close()
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while (data := self._waiting.get()) is not None:
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(self._descriptor, view) :]
                self._sent += len(data)
            except OSError:
                self._tell_broken()
                return

    def _tell_broken(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._broken)
        except RuntimeError:
            return
