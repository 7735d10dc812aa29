"""Saves while nothing happens, and while thousands of new files are taken in: until each can be searched.

python busy.py FOLDER COUNT SEED [--first-s SECONDS] [--loops N]    one JSON object

FOLDER is indexed by a host in this process, as the daemon does it; nothing but its watcher is told of the saves. With
--first-s saves are measured during that many seconds of the bulk run, which is then stopped: 50,000 files take minutes.
With --loops everything is measured beside that many busy loops at nice 0.

``files`` are in the index after the ``bulk_s`` seconds, of the ``wanted`` ones. ``idle_ms`` and ``busy_ms`` are the
times of the saves; ``idle_processor_ms`` and ``busy_processor_ms`` what part of each the thread at work on it was ready
and waited for a processor: the one that indexes the save, then the one that searches, then the loop (Linux: the run
delay in ``/proc/PID/task/*/schedstat``). The rest, ``in_helix``, is work and waiting inside of Helix; what git or the
indexer waited for a processor meanwhile counts as that, too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from figures import percentile
from processes import busy_loops

IDLE_SAVES = 20
PAUSE_S = 0.15
LOOK_S = 0.005
LONGEST_S = 60.0
INDEXING, QUESTION, LOOP = "helix-index", "helix-question", "MainThread"
Save = tuple[float, float]
"""How long a save took until it was found, and how much of that was waiting for a processor, in milliseconds."""


def _run_delay_ms(threads: str) -> float:
    """How long the threads of that name have been ready and waited for a processor; 0 where nobody counts."""
    delay_ns = 0
    for thread in threading.enumerate():
        if thread.name.partition("_")[0] == threads:
            with suppress(OSError):
                delay_ns += int(Path(f"/proc/self/task/{thread.native_id}/schedstat").read_text().split()[1])
    return delay_ns / 1e6


@dataclass(slots=True)
class _Look:
    """A search for a saved word: what the thread that indexes, and then the loop, waited for a processor."""

    word: str
    indexing_ms: float = field(default_factory=lambda: _run_delay_ms(INDEXING))
    loop_ms: float = 0.0

    def search(self, helix: Any) -> str:
        """The file that is found first; the question has waited for the save until now."""
        self.indexing_ms = _run_delay_ms(INDEXING) - self.indexing_ms
        items = helix.search(self.word, k=1)["items"]
        self.loop_ms = _run_delay_ms(LOOP)
        return str(items[0]["source_id"]) if items else ""

    def waited_ms(self) -> float:
        """Called by the loop when it has the answer."""
        return self.indexing_ms + _run_delay_ms(LOOP) - self.loop_ms


async def _until_found(workspace: Any, file: Path, word: str) -> Save:
    """Save the word into the file; wait until a search finds it there, or for the longest time."""
    with file.open("a", encoding="utf-8") as text:
        text.write(f"\n{word} = 1\n")
    waited_ms, started = -_run_delay_ms(QUESTION), time.perf_counter()
    while time.perf_counter() - started < LONGEST_S:
        look = _Look(word)
        found = await workspace.ask(look.search)
        waited_ms += look.waited_ms()
        if found == file.name:
            break
        await asyncio.sleep(LOOK_S)
    took_ms = (time.perf_counter() - started) * 1e3
    return took_ms, min(waited_ms + _run_delay_ms(QUESTION), took_ms)


async def _measured(folder: Path, count: int, seed: int, first_s: float) -> dict[str, Any]:
    from helix_ls.host.host import Host

    rng = random.Random(seed)
    saved = [folder / f"saved_{number}.py" for number in range(8)]
    # A run before may have left its saved files here: copies of them would be found in place of a save.
    others = (path for path in sorted(folder.rglob("*.py")) if path not in saved and path.stat().st_size < 60_000)
    texts = [path.read_bytes() for path in others] or [b"x = 1\n"]
    for file in saved:
        file.write_text("first = 1\n", encoding="utf-8")
    host = Host(mode="solo", linger_s=0)
    workspace = await host.attach(folder, trusted=True)
    while workspace.status.state != "fresh":
        await asyncio.sleep(0.05)

    async def save(number: int) -> Save:
        await asyncio.sleep(PAUSE_S * rng.random())
        return await _until_found(workspace, rng.choice(saved), f"saved_word_{seed}_{number}")

    idle = [await save(number) for number in range(IDLE_SAVES)]
    wanted = workspace.status.files + count
    bulk = folder / "bulk"
    for number in range(count):
        target = bulk / f"d{number % 40}" / f"f{number}.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(rng.choice(texts) + f"\nbulk_{seed}_{number} = 1\n".encode())
    started = time.perf_counter()
    busy: list[Save] = []
    while not workspace.indexer_pid and time.perf_counter() - started < LONGEST_S:
        await asyncio.sleep(LOOK_S)
    while workspace.status.files < wanted and time.perf_counter() - started < first_s:
        busy.append(await save(IDLE_SAVES + len(busy)))
    bulk_s = time.perf_counter() - started
    files = await workspace.ask(lambda helix: helix.summary().files)
    await host.close()
    return {"bulk_s": bulk_s, "files": files, "wanted": wanted, **_told("idle", idle), **_told("busy", busy)}


def _told(name: str, saves: Sequence[Save]) -> dict[str, Any]:
    """The times of the saves under that name, and what becomes of them: p50, p95 and the longest, of all and inside."""
    whole = [took_ms for took_ms, _ in saves]
    inside = [took_ms - delay_ms for took_ms, delay_ms in saves]
    spread = {
        what: {"p50": round(percentile(ms, 0.5)), "p95": round(percentile(ms, 0.95)), "longest": round(max(ms))}
        for what, ms in (("all", whole), ("in_helix", inside))
        if ms
    }
    return {f"{name}_ms": whole, f"{name}_processor_ms": [delay_ms for _, delay_ms in saves], name: spread}


def main() -> int:
    """Measure on a copy that the caller gives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--first-s", type=float, default=3600.0, help="seconds of the bulk run to measure")
    parser.add_argument("--loops", type=int, default=0, help="busy loops beside everything")
    args = parser.parse_args()
    try:
        with busy_loops(args.loops):
            print(json.dumps(asyncio.run(_measured(args.folder, args.count, args.seed, args.first_s))))
    finally:
        shutil.rmtree(args.folder / "bulk", ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
