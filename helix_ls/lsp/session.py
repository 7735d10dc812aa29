"""One client's session over a pair of streams, and ``helix lsp --solo``: the whole host in this process, on stdio."""

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

from helix_ls.host.framing import TooLarge, framed
from helix_ls.host.host import Chats, Host
from helix_ls.host.log import LOG
from helix_ls.lsp.frames import INVALID_REQUEST, ByteSource, Frames, Refused
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


async def serve(host: Host, reader: ByteSource, writer: Sink, *, resumed: bool = False, mode: str = "daemon") -> int:
    """Serve a client until it exits or its stream ends; returns the exit code the protocol asks of its process.

    ``resumed``: another server had this client before, so nothing is registered with it again. In ``mode`` solo the
    process the client names is followed, which in a daemon the shim does. Never raises for what the client sends.
    """
    # pygls tells its log what it is sent and what it sends.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    server = HelixServer(host, resumed=resumed, follows_client=mode == "solo")
    server.protocol.set_writer(_Bounded(writer, server.protocol))
    reading = asyncio.create_task(_read(Frames(reader), server.protocol), name="reading frames")
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
    """A sink that drops a client which stopped reading: its unsent messages would fill the memory."""

    def __init__(self, sink: Sink, protocol: HelixProtocol) -> None:
        self._sink, self._protocol = sink, protocol

    def write(self, data: bytes) -> None:
        """Send, unless the client has stopped reading."""
        unsent = self._sink.transport.get_write_buffer_size()
        if unsent > MOST_UNSENT_BYTES:
            log.error("the client has not read %d bytes; it is let go", unsent)
            self._protocol.end(1)
            return
        self._sink.write(data)

    def close(self) -> None:
        """Close the underlying sink."""
        self._sink.close()


async def _read(frames: Frames, protocol: HelixProtocol) -> None:
    """Hand every frame on. One turn of the loop each, so that a flood of them keeps nobody else waiting."""
    while (frame := await frames.next()) is not None:
        if isinstance(frame, TooLarge):
            protocol.refuse(Refused(INVALID_REQUEST, f"a message of {frame.size_bytes:,} bytes is too large"))
        elif rest := protocol.receive(frame):
            frames.put_back(rest)
        await asyncio.sleep(0)


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
    """Feeds a StreamReader from a descriptor, in a reader thread."""

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
            # The loop has closed: nobody listens any more.
            return False
        return True


class Output:
    """Writes to a descriptor in order; ``broken`` is called on the loop when the pipe is broken."""

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
        """Accept no more bytes."""
        self._waiting.put(None)

    def finish(self, timeout_s: float) -> None:
        """Wait until everything is sent, but at most ``timeout_s`` seconds for a client that stopped reading."""
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


FLUSH_S = 1.0
CLOSE_S = 2.0


def run(*, notice: str = "", chats: Callable[[Host], Chats] | None = None) -> int:
    """Serve one client; returns the exit status. ``notice`` is logged at the client behind its first answer.

    ``chats`` makes the chat proxy.
    """
    source, sink = take_stdio()
    sys.stdout = sys.stderr
    _log_to_stderr()
    from helix_ls.host.loop import LoopLag, new_loop

    lag = LoopLag()
    with asyncio.Runner(loop_factory=lambda: new_loop(lag)) as runner:
        status = runner.run(_serve(source, sink, lag, notice, chats))
    # Threads that still read or compute are told to stop, and are not waited for.
    sys.stderr.flush()
    os._exit(status)


def _log_to_stderr() -> None:
    from helix_ls.host.log import ContentFree

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ContentFree("helix: %(levelname)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


class _Telling:
    """A sink that sends the notice after the first message: LSP allows no notification before it."""

    def __init__(self, output: Output, notice: str) -> None:
        self._output, self._notice = output, notice

    def write(self, data: bytes) -> None:
        """Send in order, the notice after the first message."""
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
    host = Host(mode="solo", lag=lag, linger_s=0.0)
    host.chats = chats(host) if chats is not None else None
    incoming = Input(source)
    output = Output(sink, incoming.reader.feed_eof)
    status = await serve(host, incoming.reader, _Telling(output, notice), mode="solo")
    await asyncio.to_thread(output.finish, FLUSH_S)
    try:
        await asyncio.wait_for(host.close(), CLOSE_S)
    except TimeoutError:
        logging.getLogger(__name__).warning("a question was still being answered at the end")
    return status
