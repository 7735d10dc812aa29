"""Serve one client over a pair of streams, and ``helix lsp --solo``: the whole host in this process, on stdio."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from helix_ls.host.framing import Frames, TooLarge, framed
from helix_ls.host.host import Chats, Host
from helix_ls.host.log import LOG
from helix_ls.host.telemetry import users_telemetry
from helix_ls.lsp.frames import INVALID_REQUEST, Refused
from helix_ls.lsp.protocol import HelixProtocol
from helix_ls.lsp.server import HelixServer

if TYPE_CHECKING:
    from helix_ls.host.host import Host

MOST_UNSENT_BYTES = 64 * 1024 * 1024

log = LOG.getChild("session")


class Unsent(Protocol):
    """A transport that knows its unsent bytes, as ``asyncio.WriteTransport`` does."""

    def get_write_buffer_size(self) -> int:
        """Return the size of the unsent data, in bytes."""
        ...


class Sink(Protocol):
    """A message writer, such as ``asyncio.StreamWriter``. ``write`` never blocks."""

    @property
    def transport(self) -> Unsent:
        """Return the underlying transport."""
        ...

    def write(self, data: bytes) -> Any:
        """Queue bytes to be sent in order."""
        ...

    def close(self) -> Any:
        """Close the stream after the queued bytes."""
        ...


async def serve(host: Host, frames: Frames, writer: Sink, *, resumed: bool = False, mode: str = "daemon") -> int:
    """Serve a client until it exits or its stream ends; return the exit code that LSP asks of the process.

    ``resumed``: another daemon served this client before, so no capability is registered again. In ``mode`` solo the
    client's process is watched, which in a daemon the shim does. Invalid messages never raise.
    """
    # pygls logs the content of messages.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    server = HelixServer(host, resumed=resumed, follows_client=mode == "solo")
    server.protocol.set_writer(_Bounded(writer, server.protocol))
    reading = asyncio.create_task(_read(frames, server.protocol), name="reading frames")
    ended = asyncio.create_task(server.protocol.ended.wait(), name="waiting for the end")
    log.info("a %s session begins", mode)
    try:
        await asyncio.wait([reading, ended], return_when=asyncio.FIRST_COMPLETED)
    finally:
        server.protocol.end(1)
        for task in (reading, ended):
            task.cancel()
        await asyncio.gather(reading, ended, return_exceptions=True)
        await server.close()
    return server.protocol.exit_code or 0


class _Bounded:
    """A sink with a limit on its write buffer: a client that stopped reading is disconnected (backpressure)."""

    def __init__(self, sink: Sink, protocol: HelixProtocol) -> None:
        self._sink, self._protocol = sink, protocol

    def write(self, data: bytes) -> None:
        """Write, or end the connection if more than ``MOST_UNSENT_BYTES`` bytes are unsent."""
        unsent = self._sink.transport.get_write_buffer_size()
        if unsent > MOST_UNSENT_BYTES:
            log.error("the client left %d bytes unread and is disconnected", unsent)
            self._protocol.end(1)
            return
        self._sink.write(data)

    def close(self) -> None:
        """Close the underlying sink."""
        self._sink.close()


async def _read(frames: Frames, protocol: HelixProtocol) -> None:
    """Dispatch every frame, yielding to the event loop after each, so that a flood does not starve others."""
    while (frame := await frames.next()) is not None:
        if isinstance(frame, TooLarge):
            protocol.refuse(Refused(INVALID_REQUEST, f"a message of {frame:,} bytes is too large"))
        elif rest := protocol.receive(frame):
            frames.put_back(rest)
        await asyncio.sleep(0)


_READ_BYTES = 64 * 1024
_UNREAD_BYTES = 1024 * 1024


def take_stdio() -> tuple[int, int]:
    """Duplicate stdin and stdout for the protocol; redirect 0 to the null device and 1 to stderr for the rest."""
    source, sink = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return source, sink


class Input(asyncio.Transport):
    """Feed a StreamReader from a file descriptor in a reader thread, with flow control."""

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
        """Pause the reader thread (flow control of ``asyncio.ReadTransport``)."""
        self._may_read.clear()

    def resume_reading(self) -> None:
        """Resume the reader thread (flow control of ``asyncio.ReadTransport``)."""
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
            # The event loop is closed.
            return False
        return True


class Output:
    """Write to a file descriptor from a queue in a writer thread; ``broken`` is called on the loop if a write fails."""

    def __init__(self, descriptor: int, broken: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._broken = broken
        self._loop = asyncio.get_running_loop()
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._given = self._sent = 0
        self._thread = threading.Thread(target=self._run, name="helix-stdout", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue bytes for the writer thread."""
        self._given += len(data)
        self._waiting.put(data)

    @property
    def transport(self) -> Output:
        """Return itself; there is no lower transport."""
        return self

    def get_write_buffer_size(self) -> int:
        """Return the size of the unsent data, in bytes."""
        return self._given - self._sent

    def close(self) -> None:
        """Stop the writer thread after the queued bytes."""
        self._waiting.put(None)

    def finish(self, timeout_s: float) -> None:
        """Flush the queue, waiting at most ``timeout_s`` seconds for a client that stopped reading."""
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
                self._report_broken()
                return

    def _report_broken(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._broken)
        except RuntimeError:
            return


FLUSH_S = 1.0
CLOSE_S = 2.0


def run(*, notice: str = "", chats: Callable[[Host], Chats] | None = None) -> int:
    """Serve one client on stdio and exit; ``notice`` is sent as ``window/logMessage`` after the first message.

    ``chats`` makes the chat proxy.
    """
    source, sink = take_stdio()
    sys.stdout = sys.stderr
    _log_to_stderr()
    from helix_ls.host.loop import LoopLag, new_loop

    lag = LoopLag()
    with asyncio.Runner(loop_factory=lambda: new_loop(lag)) as runner:
        status = runner.run(_serve(source, sink, lag, notice, chats))
    # Running threads were told to stop and are not joined.
    sys.stderr.flush()
    os._exit(status)


def _log_to_stderr() -> None:
    from helix_ls.host.log import ContentFree

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ContentFree("helix: %(levelname)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


class _Telling:
    """A sink that adds the notice after the first message: LSP allows no notification before it."""

    def __init__(self, output: Output, notice: str) -> None:
        self._output, self._notice = output, notice

    def write(self, data: bytes) -> None:
        """Write in order, with the notice after the first message."""
        self._output.write(data)
        if self._notice:
            notice, self._notice = self._notice, ""
            params = {"type": 2, "message": notice}
            message = {"jsonrpc": "2.0", "method": "window/logMessage", "params": params}
            self._output.write(framed(json.dumps(message).encode()))

    @property
    def transport(self) -> Output:
        """Return the transport that knows the unsent bytes."""
        return self._output.transport

    def close(self) -> None:
        """Close the underlying output."""
        self._output.close()


async def _serve(source: int, sink: int, lag: object, notice: str, chats: Callable[[Host], Chats] | None) -> int:
    from helix_ls.host.host import Host
    from helix_ls.host.loop import LoopLag

    assert isinstance(lag, LoopLag)
    host = Host(mode="solo", lag=lag, linger_s=0.0, telemetry=users_telemetry(os.environ))
    host.chats = chats(host) if chats is not None else None
    incoming = Input(source)
    output = Output(sink, incoming.reader.feed_eof)
    status = await serve(host, Frames(incoming.reader), _Telling(output, notice), mode="solo")
    await asyncio.to_thread(output.finish, FLUSH_S)
    try:
        await asyncio.wait_for(host.close(), CLOSE_S)
    except TimeoutError:
        logging.getLogger(__name__).warning("a question was still being answered at the end")
    return status
