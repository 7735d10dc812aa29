"""One client's session over a pair of streams, from its first frame to its last."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Protocol

from helix_ls.host.host import Host
from helix_ls.host.log import LOG
from helix_ls.lsp.frames import Frames, Source, TooLarge
from helix_ls.lsp.incoming import INVALID_REQUEST, Refused
from helix_ls.lsp.protocol import HelixProtocol
from helix_ls.lsp.server import HelixServer

MOST_UNSENT_BYTES = 64 * 1024 * 1024

log = LOG.getChild("session")


class Unsent(Protocol):
    """Knows how much waits to be sent: ``asyncio.WriteTransport`` does."""

    def get_write_buffer_size(self) -> int:
        """In bytes."""
        ...


class Sink(Protocol):
    """What messages are written to: ``asyncio.StreamWriter`` is one. ``write`` never blocks."""

    @property
    def transport(self) -> Unsent:
        """What is below it."""
        ...

    def write(self, data: bytes) -> Any:
        """Send, in order."""
        ...

    def close(self) -> Any:
        """Send nothing more."""
        ...


async def serve(host: Host, reader: Source, writer: Sink, *, resumed: bool = False, mode: str = "daemon") -> int:
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
    """A sink that gives up a client which does not read: what it is owed would fill our memory."""

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
        """Send nothing more."""
        self._sink.close()


async def _read(frames: Frames, protocol: HelixProtocol) -> None:
    """Hand every frame on. One turn of the loop each, so that a flood of them keeps nobody else waiting."""
    while (frame := await frames.next()) is not None:
        if isinstance(frame, TooLarge):
            protocol.refuse(Refused(INVALID_REQUEST, f"a message of {frame.size_bytes:,} bytes is too large"))
        elif rest := protocol.receive(frame):
            frames.put_back(rest)
        await asyncio.sleep(0)
