"""What the proxy costs a chat, beside a direct connection in the same run.

    python benchmarks/proxy.py FOLDER [--requests 200] [--streams 64]

FOLDER is the workspace whose evidence is added; it is indexed first. The upstream is a process of its own that answers
at once, then paced. Milliseconds to the first byte of the body: direct, passed through (context off), and with context
for questions made of the names in the folder. Then paced streams side by side, and chunks a second without a pace.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

CHUNK = b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"word "}}]}\n\n'
LAST = b'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def upstream(pipe: Connection) -> None:
    """Serve until killed: the body's ``model`` is ``<chunks>x<milliseconds between>``."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        chunks, _, pace_ms = json.loads(await reader.readexactly(length))["model"].partition("x")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        for _ in range(int(chunks)):
            writer.write(CHUNK)
            await writer.drain()
            if pace_ms != "0":
                await asyncio.sleep(int(pace_ms) / 1e3)
        writer.write(LAST)
        await writer.drain()
        writer.close()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=512)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


async def ask(url: str, key: str, model: str, question: str, off: bool) -> tuple[float, float, int]:
    """Milliseconds to the first byte of the body and to the end, and the chunks that came."""
    to = urlsplit(url)
    asked = {"model": model, "messages": [{"role": "user", "content": question}], "stream": True}
    body = json.dumps(asked).encode()
    more = "x-helix-context: off\r\n" if off else ""
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: {to.netloc}\r\nAuthorization: Bearer {key}\r\n{more}"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    began = time.perf_counter()
    reader, writer = await asyncio.open_connection(to.hostname, to.port)
    writer.write(head.encode() + body)
    answered = await reader.readuntil(b"\r\n\r\n")
    assert b" 200 " in answered.partition(b"\r\n")[0], answered
    data = await reader.read(65536)
    first_ms = (time.perf_counter() - began) * 1e3
    chunks, tail = data.count(b'"delta"'), data[-32:]
    while data := await reader.read(1 << 20):
        chunks += data.count(b'"delta"')
        tail = (tail + data)[-32:]
    assert b"[DONE]" in tail, tail
    writer.close()
    return first_ms, (time.perf_counter() - began) * 1e3, chunks


def spread(values: Sequence[float]) -> str:
    """Median and 95th percentile."""
    return f"{statistics.median(values):8.2f} {statistics.quantiles(values, n=20)[-1]:8.2f}"


async def measure(direct: str, proxied: str, key: str, questions: Sequence[str], requests: int, streams: int) -> None:
    """Print the table."""
    ways = {"direct": (direct, True), "passed through": (proxied, True), "with context": (proxied, False)}
    print(f"{'one at a time, ms to the first byte':40}  median      p95")
    for name, (url, off) in ways.items():
        for question in questions[:10]:
            await ask(url, key, "3x0", question, off)
        took = [(await ask(url, key, "3x0", questions[n % len(questions)], off))[0] for n in range(requests)]
        print(f"{name:40}{spread(took)}")
    print(f"\n{f'{streams} paced streams, 100 chunks, 20 ms':40}  median      p95    whole ms")
    for name, (url, off) in list(ways.items())[:2]:
        rounds = [
            await asyncio.gather(*(ask(url, key, "100x20", "word", off) for _ in range(streams))) for _ in range(3)
        ]
        firsts = [each[0] for one in rounds for each in one]
        print(f"{name:40}{spread(firsts)} {statistics.median(each[1] for one in rounds for each in one):11.1f}")
    print(f"\n{'without a pace':40}  chunks/s")
    for name, (url, off) in list(ways.items())[:2]:
        began = time.perf_counter()
        got = await asyncio.gather(*(ask(url, key, "2000x0", "word", off) for _ in range(16)))
        print(f"{name:40}{sum(each[2] for each in got) / (time.perf_counter() - began):10.0f}")


def serve(folder: Path, address: str, apart: Path) -> tuple[subprocess.Popen[str], dict[str, Any], str]:
    """The server, what it says when it is ready, and the key."""
    places = {f"HELIX_{name}_DIR": str(apart / name.lower()) for name in ("CACHE", "RUNTIME", "STATE")}
    environ = {**os.environ, **places, "HELIX_UPSTREAM": address}
    command = [sys.executable, "-m", "helix_ls.cli", "serve", str(folder), "--port", "0", "--json"]
    process = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    ready = json.loads(process.stdout.readline())
    key = (apart / "state" / "api-key").read_text().strip()
    health = Request(f"{ready['url']}/health", headers={"Authorization": f"Bearer {key}"})
    while True:
        with urlopen(health) as answer:
            if json.load(answer)["state"] not in ("starting", "indexing"):
                return process, ready, key
        time.sleep(1)


def names_in(folder: Path) -> list[str]:
    """Questions: the names of the folder's Python files, in words."""
    stems = sorted({path.stem for path in folder.rglob("*.py") if not path.stem.startswith("_")})
    return [f"how does {stem.replace('_', ' ')} work?" for stem in stems[:: max(1, len(stems) // 100)]] or [
        "what is it?"
    ]


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path())
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--streams", type=int, default=64)
    given = parser.parse_args()
    ours, theirs = get_context("spawn").Pipe()
    above = get_context("spawn").Process(target=upstream, args=(theirs,), daemon=True)
    above.start()
    address = f"http://127.0.0.1:{ours.recv()}"
    with tempfile.TemporaryDirectory() as apart:
        process, ready, key = serve(given.folder, address, Path(apart))
        try:
            questions = names_in(given.folder)
            asyncio.run(measure(address, ready["url"], key, questions, given.requests, given.streams))
        finally:
            process.terminate()
            process.wait(30)
            above.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
