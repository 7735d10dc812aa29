"""The upstream: a body's ``model`` says what it does.

``<chunks>x<ms between>`` streams; ``hold`` sends one chunk and waits until it is left, and tells the pipe when that was
(monotonic seconds, the same clock in every process); ``flood`` sends 64 MB as fast as they are taken; ``keep`` tells
the pipe the body.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from multiprocessing.connection import Connection

CHUNK = b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"word "}}]}\n\n'
LAST = b'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


def upstream(pipe: Connection) -> None:
    """Serve until killed; the first thing the pipe says is the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await play(reader, writer)
        writer.close()

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        body = await reader.readexactly(length)
        model = json.loads(body)["model"]
        writer.write(HEAD)
        if model == "keep":
            pipe.send(body)
            model = "1x0"
        if model == "hold":
            writer.write(CHUNK)
            await reader.read()
            pipe.send(time.monotonic())
            return
        chunks, _, pace_ms = ("1000", "", "0") if model == "flood" else model.partition("x")
        piece = CHUNK.replace(b"word ", b"w" * 64_000) if model == "flood" else CHUNK
        for _ in range(int(chunks)):
            writer.write(piece)
            await writer.drain()
            # Each chunk is a send of its own, as from a server of models: a token is sent when it is there.
            await asyncio.sleep(int(pace_ms) / 1e3)
        writer.write(LAST)
        await writer.drain()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=512)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())
