"""What a window measures of the server, each figure with its target.

Answers are timed from the client's side of the pipe, so they hold the shim, the socket and the JSON of both ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from editing import git, hover_at, in_thread, is_fresh, is_indexing, name_at, open_documents, symbols
from figures import Figure, median, percentile, spread_of
from heard import timed, write
from wire import Client

QUESTION = "how does deleting a row find everything that points at it?"


@dataclass(slots=True)
class Desk:
    """A workspace to work on, and the environment that keeps its servers apart from the user's own."""

    folder: Path
    environment: Mapping[str, str]
    seed: int


async def opened(desk: Desk) -> Client:
    """A window on the workspace whose index is level with the disk."""
    client = await Client.start(desk.environment)
    await client.initialize(desk.folder)
    await client.until(is_fresh)
    return client


async def level(client: Client) -> None:
    """Wait until nothing on disk is unknown to the index."""
    while not (await client.command("helix.status"))["fresh"]:
        await asyncio.sleep(0.05)


async def first_window(desk: Desk) -> list[Figure]:
    """The first window of the day: no daemon, no index; hovers while everything is indexed."""
    client = await Client.start(desk.environment)
    elapsed_ms = await client.initialize(desk.folder)
    started = time.perf_counter()
    await client.until(is_indexing)
    places = symbols(desk.folder, desk.seed)
    open_documents(client, places)
    times, shown = [], 0
    number = 0
    while not any(is_fresh(method, params) for _, method, params in client.heard):
        took, something = await hover_at(client, places[number % len(places)])
        times.append(took)
        shown += something
        number += 1
    whole_s = time.perf_counter() - started
    await client.stop()
    return [
        Figure("initialize, no daemon and no index yet", elapsed_ms, "ms", target=500.0),
        Figure(
            "hover p95 during the first index",
            percentile(times, 0.95),
            "ms",
            target=50.0,
            note=f"{len(times)} hovers, {shown} with content",
        ),
        Figure("hover, longest during the first index", max(times), "ms", target=250.0),
        Figure("first index through the window", whole_s, "s"),
        await loop_lag(desk, "during the first index"),
    ]


async def later_windows(desk: Desk, times: int) -> list[Figure]:
    """Windows on a running daemon: from the process's start, and beside the same process doing nothing."""
    whole, answers, bare = [], [], []
    for _ in range(times):
        started = time.perf_counter()
        client = await Client.start(desk.environment)
        answers.append(await client.initialize(desk.folder))
        whole.append((time.perf_counter() - started) * 1e3)
        await client.stop()
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", "import helix_ls.host.shim"], check=True, env={**os.environ, **desk.environment}
        )
        bare.append((time.perf_counter() - started) * 1e3)
    attach = median(whole) - median(bare)
    return [
        Figure(
            "warm attach, after the shim's own start",
            attach,
            "ms",
            target=150.0,
            note=f"whole {median(whole):.0f} ms, {spread_of(whole)}",
        ),
        Figure("initialize on a running daemon", median(answers), "ms", target=500.0, note=spread_of(answers)),
    ]


async def hovers(desk: Desk, times: int) -> list[Figure]:
    """Hovers over definitions with nothing else going on."""
    client = await opened(desk)
    places = symbols(desk.folder, desk.seed)
    open_documents(client, places)
    for place in places[:20]:
        await hover_at(client, place)
    took = [await hover_at(client, places[number % len(places)]) for number in range(times)]
    await client.stop()
    elapsed = [each for each, _ in took]
    share = sum(something for _, something in took) / times
    return [
        Figure("hover p50", percentile(elapsed, 0.5), "ms"),
        Figure(
            "hover p95", percentile(elapsed, 0.95), "ms", target=30.0, note=f"{times} hovers, {share:.0%} with content"
        ),
    ]


async def keystrokes(desk: Desk, times: int) -> list[Figure]:
    """Names typed key by key, as *Where Is…* asks for them: from the key to the list with its marks."""
    client = await opened(desk)
    places = symbols(desk.folder, desk.seed)[:times]
    typed = [name_at(place) for place in places]
    await client.command("helix.names", {"text": ""})
    elapsed, found = [], 0
    for name in typed:
        shown: list[str] = []
        for end in range(1, len(name) + 1):
            started = time.perf_counter()
            answer = await client.command("helix.names", {"text": name[:end]})
            elapsed.append((time.perf_counter() - started) * 1e3)
            shown = [item["symbol"].rpartition(".")[2] for item in answer["items"]]
        found += name in shown
    await client.stop()
    note = f"{len(elapsed)} keys of {len(typed)} names, {found} found by their whole name"
    return [
        Figure("key → list of names p50", percentile(elapsed, 0.5), "ms"),
        Figure("key → list of names p95", percentile(elapsed, 0.95), "ms", target=50.0, note=note),
    ]


async def verdicts(desk: Desk, times: int, busy: int) -> list[Figure]:
    """A packet is open; another program saves a file it cites: until the window is told of the changed verdict.

    Once with nothing else to do, and once beside ``busy`` endless loops of the same priority.
    """
    idle = await _until_told(desk, times)
    with _loops(busy):
        loaded = await _until_told(desk, times)
    beside = f"beside {busy} busy loops"
    return [
        Figure("save → changed verdict told, p50", median(idle), "ms"),
        Figure("save → changed verdict told, p95", percentile(idle, 0.95), "ms", target=300.0, note=f"{times} saves"),
        Figure(f"the same {beside}, p50", median(loaded), "ms", median(idle), "idle p50"),
        Figure(f"the same {beside}, p95", percentile(loaded, 0.95), "ms", percentile(idle, 0.95), "idle p95"),
    ]


@contextmanager
def _loops(count: int) -> Iterator[None]:
    """So many processes that never rest."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


async def _until_told(desk: Desk, times: int) -> list[float]:
    """Milliseconds from each of ``times`` saves to the notification."""
    client = await opened(desk)
    took = []
    for number in range(times):
        packet = await client.command("helix.packet", {"question": QUESTION, "task": "explain", "open": True})
        item = (packet["verified"] or packet["stale_risk"])[0]
        file = desk.folder / item["source_id"]
        before = file.read_bytes()
        lines = before.split(b"\n")
        lines[item["start_line"] - 1] += b" # bench %d" % number
        await asyncio.sleep(0.4)
        started = time.perf_counter()
        file.write_bytes(b"\n".join(lines))

        def changed(
            method: str, params: Any, gene: str = item["gene_id"], packet_id: str = packet["packet_id"]
        ) -> bool:
            return (
                method == "helix/verdicts"
                and params["packet_id"] == packet_id
                and any(each["gene_id"] == gene and each["status"] != "verified" for each in params["items"])
            )

        took.append((await client.until(changed, since=started) - started) * 1e3)
        file.write_bytes(before)
        await client.command("helix.packet.close", {"packet_id": packet["packet_id"]})
        await level(client)
    await client.stop()
    return took


async def switches(desk: Desk, files: int) -> list[Figure]:
    """Another branch with ``files`` files changed, and back: until the index is level with the disk."""
    chosen = sorted(desk.folder.rglob("*.py"))
    random.Random(desk.seed).shuffle(chosen)
    git(desk.folder, "checkout", "-q", "-b", "bench-switch")
    for number, file in enumerate(chosen[:files]):
        file.write_bytes(file.read_bytes() + b"\n\ndef bench_switched_%d():\n    return %d\n" % (number, number))
    git(desk.folder, "commit", "-q", "-a", "-m", "switch")
    git(desk.folder, "checkout", "-q", "-")
    client = await opened(desk)
    figures = []
    for name, target, wanted in (("there", 5.0, 1), ("back", 2.0, 0), ("there again", 2.0, 1)):
        await in_thread(git, desk.folder, "checkout", "-q", "bench-switch" if wanted else "-")
        started = time.perf_counter()
        while not await _is_level(client, wanted):
            await asyncio.sleep(0.05)
        figures.append(Figure(f"switch of {files} files, {name}", time.perf_counter() - started, "s", target=target))
    figures.append(await loop_lag(desk, "during the switches"))
    await in_thread(git, desk.folder, "checkout", "-q", "-")
    await client.stop()
    return figures


async def _is_level(client: Client, wanted: int) -> bool:
    """Nothing pending, and the functions of the other branch found, or not."""
    status = await client.command("helix.status")
    if not status["fresh"]:
        return False
    found = await client.command("helix.search", {"question": "bench_switched_7", "k": 1})
    items = found["items"]
    return bool(items and items[0]["symbol"] == "bench_switched_7") == bool(wanted)


async def events(desk: Desk, files: int) -> list[Figure]:
    """``files`` files saved by temporary file and rename, which the editor's server reads, ingests and stores."""
    folder = desk.folder / "bench_events"
    folder.mkdir()
    client = await opened(desk)

    write_s = await in_thread(timed, lambda: write(folder, files))
    started = time.perf_counter()
    await level(client)
    after_s = time.perf_counter() - started
    status = await client.command("helix.status")
    late = await loop_lag(desk, "during the saves")
    await client.stop()
    return [
        Figure(
            f"{files} atomic saves, from the first until all are indexed",
            write_s + after_s,
            "s",
            yardstick=write_s,
            beside="writing them",
            note=f"{after_s:.1f} s after the last; {status['index']['files']} files in the index",
        ),
        late,
    ]


async def at_rest(desk: Desk, seconds: float) -> list[Figure]:
    """The daemon with one window open and nothing to do."""
    client = await opened(desk)
    await client.command("helix.packet", {"question": QUESTION})
    await asyncio.sleep(5)
    said = await in_thread(_daemon_status, desk)
    daemon = psutil.Process(said["pid"])
    family = [daemon, *daemon.children(recursive=True)]
    before = sum(_cpu_s(process) for process in family)
    await asyncio.sleep(seconds)
    used = sum(_cpu_s(process) for process in family) - before
    memory = sum(process.memory_info().rss for process in family if process.is_running()) / 2**20
    await client.stop()
    return [
        Figure(
            "daemon at rest, CPU",
            100 * used / seconds,
            "%",
            target=0.2,
            note=f"over {seconds:.0f} s, with its children",
        ),
        Figure("daemon at rest, memory", memory, "MiB", target=200.0, note=f"{len(family)} processes"),
    ]


async def loop_lag(desk: Desk, when: str) -> Figure:
    """The longest the daemon's loop was kept from its next turn, of the last minute."""
    said = await in_thread(_daemon_status, desk)
    return Figure(f"longest the loop was late {when}, of the last minute", said["loop_lag_ms"], "ms", target=50.0)


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _daemon_status(desk: Desk) -> Any:
    command = [sys.executable, "-m", "helix_ls.cli", "daemon", "status", "--json"]
    done = subprocess.run(command, check=True, capture_output=True, env={**os.environ, **desk.environment})
    return json.loads(done.stdout)
