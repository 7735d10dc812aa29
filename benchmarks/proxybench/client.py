"""A client of the proxy, or of the upstream itself, on plain sockets: nothing of its own to be slow."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Way:
    """Where to ask; ``off`` sends the header by which no context is added."""

    url: str
    key: str
    off: bool


async def opened(way: Way, model: str, question: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A request that was sent."""
    return await _opened(way, {"model": model, "messages": [{"role": "user", "content": question}], "stream": True})


async def send_body(way: Way, asked: dict[str, Any], pipe: Connection) -> dict[str, Any]:
    """Send a request to the model ``keep``; return what reached the upstream."""
    reader, writer = await _opened(way, asked)
    answered = await reader.read()
    assert b" 200 " in answered.partition(b"\r\n")[0], answered
    writer.close()
    return dict(json.loads(pipe.recv()))


async def _opened(way: Way, asked: dict[str, Any]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    to = urlsplit(way.url)
    body = json.dumps(asked).encode()
    more = "x-helix-context: off\r\n" if way.off else ""
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: {to.netloc}\r\nAuthorization: Bearer {way.key}\r\n{more}"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    reader, writer = await asyncio.open_connection(to.hostname, to.port)
    writer.write(head.encode() + body)
    return reader, writer


async def ask(way: Way, model: str, question: str) -> tuple[float, float, int]:
    """Milliseconds to the first byte of the body and to the end, and the chunks that came."""
    return (await ask_with_evidence(way, model, question))[:3]


async def ask_with_evidence(way: Way, model: str, question: str) -> tuple[float, float, int, str]:
    """As ``ask``, and what became of the evidence."""
    began = time.perf_counter()
    reader, writer = await opened(way, model, question)
    answered = await reader.readuntil(b"\r\n\r\n")
    assert b" 200 " in answered.partition(b"\r\n")[0], answered
    became = next((line[17:] for line in answered.decode().split("\r\n") if line.startswith("x-helix-context: ")), "")
    data = await reader.read(65536)
    first_ms = (time.perf_counter() - began) * 1e3
    chunks, tail = data.count(b'"delta"'), data[-32:]
    while data := await reader.read(1 << 20):
        chunks += data.count(b'"delta"')
        tail = (tail + data)[-32:]
    assert b"[DONE]" in tail, tail
    writer.close()
    return first_ms, (time.perf_counter() - began) * 1e3, chunks, became
