"""The figures, each beside the bar it has to keep."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.request import Request, urlopen

import psutil

from proxybench.client import Way, ask, ask_with_evidence, opened


def p95(values: Sequence[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(values, n=20)[-1]


@dataclass
class Figures:
    """Prints each line as it is measured, and remembers which bar was missed."""

    missed: list[str] = field(default_factory=list)

    def line(self, name: str, *values: float) -> None:
        """A measured line."""
        print(f"  {name:46}" + "".join(f"{value:11.2f}" for value in values), flush=True)

    def bar(self, name: str, value: float, most: float, unit: str = "", *, least: bool = False) -> None:
        """A line with the bar it has to keep."""
        kept = value >= most if least else value <= most
        sign = "≥" if least else "≤"
        print(f"  {name:46}{value:11.2f} {unit:3} {sign} {most:g} {'kept' if kept else 'MISSED'}", flush=True)
        if not kept:
            self.missed.append(name)


async def one_at_a_time(figures: Figures, ways: dict[str, Way], questions: Sequence[str], requests: int) -> None:
    """Milliseconds to the first byte, each way in turn so that all see the same machine."""
    print("one at a time: ms to the first byte, median and p95")
    took: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(-10, requests):
        for name, way in ways.items():
            first, _, _ = await ask(way, "3x0", questions[number % len(questions)])
            if number >= 0:
                took[name].append(first)
    for name, values in took.items():
        figures.line(name, statistics.median(values), p95(values))
    medians = {name: statistics.median(values) for name, values in took.items()}
    figures.bar("added by passing through, median", medians["passed through"] - medians["direct"], 2, "ms")
    figures.bar("added with context, p95", p95(took["with context"]) - p95(took["direct"]), 40, "ms")


async def at_once(figures: Figures, way: Way, pid: int, questions: Sequence[str], chats: int) -> None:
    """Chats with evidence, all at the same moment, every question another; and their processor time."""
    print(f"{chats} chats with evidence at once: ms to the first byte, median, p95 and worst")
    process, firsts, cost_ms = psutil.Process(pid), [], []
    outcomes: Counter[str] = Counter()
    for number in range(3):
        asked = [f"{questions[at % len(questions)]} ({number})" for at in range(chats)]
        used = sum(process.cpu_times()[:2])
        each = await asyncio.gather(*(ask_with_evidence(way, "3x0", one) for one in asked))
        cost_ms.append((sum(process.cpu_times()[:2]) - used) / chats * 1e3)
        firsts += [one[0] for one in each]
        outcomes.update(one[3] for one in each)
    figures.line(", ".join(f"{name} {count}" for name, count in outcomes.items()))
    figures.line("first byte", statistics.median(firsts), p95(firsts), max(firsts))
    figures.bar("late", outcomes["late"] + outcomes["failed"], 0)
    figures.bar("processor time of a chat, best round", min(cost_ms), 25, "ms")


async def paced(figures: Figures, ways: dict[str, Way], streams: int, pid: int) -> None:
    """Streams side by side, 100 chunks, one every 20 ms."""
    print(f"{streams} paced streams: ms to the first byte, median and p95, and to the end, median")
    firsts: dict[str, list[float]] = {}
    wholes: dict[str, list[float]] = {}
    process, cost_us = psutil.Process(pid), 0.0
    for _ in range(3):
        for name in ("direct", "passed through"):
            used = sum(process.cpu_times()[:2])
            each = await asyncio.gather(*(ask(ways[name], "100x20", "word") for _ in range(streams)))
            firsts.setdefault(name, []).extend(one[0] for one in each)
            wholes.setdefault(name, []).extend(one[1] for one in each)
            cost_us = (sum(process.cpu_times()[:2]) - used) / streams / 100 * 1e6
    for name, values in firsts.items():
        figures.line(name, statistics.median(values), p95(values), statistics.median(wholes[name]))
    figures.line("processor time of the server, µs a chunk", cost_us)
    figures.bar("added, p95", p95(firsts["passed through"]) - p95(firsts["direct"]), 60, "ms")
    ratio = statistics.median(wholes["passed through"]) / statistics.median(wholes["direct"])
    figures.bar("the whole stream", ratio, 1.03, "x")


async def unpaced(figures: Figures, ways: dict[str, Way], pid: int) -> None:
    """Chunks a second without a pace, the best of three rounds; and what one costs the server's process."""
    print("16 streams without a pace: chunks a second")
    process = psutil.Process(pid)
    rates = {"direct": 0.0, "passed through": 0.0}
    cost_us = 0.0
    for _ in range(3):
        for name, best in rates.items():
            began, used = time.perf_counter(), sum(process.cpu_times()[:2])
            got = await asyncio.gather(*(ask(ways[name], "2000x0", "word") for _ in range(16)))
            chunks = sum(each[2] for each in got)
            rates[name] = max(best, chunks / (time.perf_counter() - began))
            cost_us = (sum(process.cpu_times()[:2]) - used) / chunks * 1e6
    for name, rate in rates.items():
        figures.line(name, rate)
    figures.line("processor time of the server, µs a chunk", cost_us)
    figures.bar("share of a direct connection's", rates["passed through"] / rates["direct"], 0.5, "x", least=True)


async def leaving(figures: Figures, way: Way, pipe: Connection, times: int) -> None:
    """How long after its client an upstream is left."""
    print(f"a client that leaves in the middle, {times} times: ms until the upstream is left")
    took: list[float] = []
    for _ in range(times):
        reader, writer = await opened(way, "hold", "word")
        await reader.readuntil(b"data:")
        left = time.monotonic()
        writer.transport.abort()
        heard = await asyncio.to_thread(lambda: pipe.recv() if pipe.poll(30) else None)
        took.append((heard - left) * 1e3 if heard is not None else 30_000.0)
    figures.line("median, p95 and worst", statistics.median(took), p95(took), max(took))
    figures.bar(f"left within 200 ms, of {times}", sum(each <= 200 for each in took), times, "", least=True)


async def memory(figures: Figures, way: Way, pid: int, streams: int) -> None:
    """What a stream holds whose client does not read, while the upstream has 64 MB to say."""
    process = psutil.Process(pid)
    await asyncio.gather(*(ask(way, "100x0", "word") for _ in range(streams)))
    before = process.memory_info().rss
    held = [await opened(way, "flood", "word") for _ in range(streams)]
    # This client's own reading stops when its buffer is full.
    await asyncio.sleep(5)
    grown = (process.memory_info().rss - before) / streams / (1 << 20)
    for _, writer in held:
        writer.transport.abort()
    print(f"{streams} clients that do not read: MB a stream in the server")
    figures.bar("memory of a stream", grown, 1, "MB")


async def while_indexing(figures: Figures, way: Way, folder: Path, files: int) -> None:
    """Time to the first byte at rest, and while as many files have come and are being indexed."""
    print(f"while {files} files are indexed: ms to the first byte, median and p95")
    idle = [(await _paused(way))[0] for _ in range(150)]
    figures.line("at rest", statistics.median(idle), p95(idle))
    known = await asyncio.to_thread(_known, way)
    await asyncio.to_thread(_write, folder / "many", files)
    busy: list[float] = []
    began = time.monotonic()
    indexed = 0
    while time.monotonic() - began < 600:
        busy.append((await _paused(way))[0])
        if len(busy) % 25 == 0:
            indexed = await asyncio.to_thread(_known, way) - known
            if indexed >= files:
                break
    figures.line("while they are indexed", statistics.median(busy), p95(busy))
    figures.line("files indexed, and seconds", indexed, time.monotonic() - began)
    figures.bar("p95 beside that at rest", p95(busy) / p95(idle), 3, "x")
    figures.bar("files indexed meanwhile", indexed, files, "", least=True)


async def _paused(way: Way) -> tuple[float, float, int]:
    await asyncio.sleep(0.02)
    return await ask(way, "3x0", "word")


def _known(way: Way) -> int:
    with urlopen(Request(f"{way.url}/health", headers={"Authorization": f"Bearer {way.key}"})) as answer:
        return int(json.load(answer)["files"])


def _write(folder: Path, files: int) -> None:
    """Small modules, no two alike."""
    for number in range(files):
        place = folder / f"part{number // 100}"
        place.mkdir(parents=True, exist_ok=True)
        lines = [f'"""Module {number} of many."""', "", ""]
        for each in range(6):
            lines += [f"def act_{number}_{each}(value):", f'    """Give {each} times {number}."""']
            lines += [f"    total_{each} = value * {number + each}", f"    return total_{each}", "", ""]
        (place / f"module_{number}.py").write_text("\n".join(lines))
