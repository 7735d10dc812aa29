"""Saves while nothing happens, and while thousands of new files are taken in: until each can be searched.

python busy.py FOLDER COUNT SEED    one JSON object: idle_ms, busy_ms, bulk_s, lost

FOLDER is indexed by a host in this process, as the daemon does it; nothing but its watcher is told of the saves.
"""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import sys
import time
from pathlib import Path
from typing import Any

IDLE_SAVES = 20
PAUSE_S = 0.15
LOOK_S = 0.005
LONGEST_S = 60.0


async def _until_found(workspace: Any, file: Path, word: str) -> float:
    """Save the word into the file; milliseconds until a search finds it there, or those of the longest wait."""
    with file.open("a", encoding="utf-8") as text:
        text.write(f"\n{word} = 1\n")
    started = time.perf_counter()
    while time.perf_counter() - started < LONGEST_S:
        items = await workspace.ask(lambda helix: helix.search(word, k=1)["items"])
        if items and items[0]["source_id"] == file.name:
            break
        await asyncio.sleep(LOOK_S)
    return (time.perf_counter() - started) * 1e3


async def _measured(folder: Path, count: int, seed: int) -> dict[str, Any]:
    from helix_ls.host.host import Host

    rng = random.Random(seed)
    texts = [path.read_bytes() for path in sorted(folder.rglob("*.py")) if path.stat().st_size < 60_000] or [b"x = 1\n"]
    saved = [folder / f"saved_{number}.py" for number in range(8)]
    for file in saved:
        file.write_text("first = 1\n", encoding="utf-8")
    host = Host(mode="solo", linger_s=0)
    workspace = await host.attach(folder, trusted=True)
    while workspace.status.state != "fresh":
        await asyncio.sleep(0.05)

    async def save(number: int) -> float:
        await asyncio.sleep(PAUSE_S * rng.random())
        return await _until_found(workspace, rng.choice(saved), f"saved_word_{seed}_{number}")

    idle = [await save(number) for number in range(IDLE_SAVES)]
    bulk = folder / "bulk"
    for number in range(count):
        target = bulk / f"d{number % 40}" / f"f{number}.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(rng.choice(texts) + f"\nbulk_{seed}_{number} = 1\n".encode())
    started = time.perf_counter()
    busy: list[float] = []
    while not workspace.indexer_pid and time.perf_counter() - started < LONGEST_S:
        await asyncio.sleep(LOOK_S)
    while workspace.indexer_pid:
        busy.append(await save(IDLE_SAVES + len(busy)))
    bulk_s = time.perf_counter() - started
    while workspace.status.state != "fresh":
        await asyncio.sleep(0.05)
    files = workspace.status.files
    await host.close()
    return {"idle_ms": idle, "busy_ms": busy, "bulk_s": bulk_s, "files": files}


def main() -> int:
    """Measure on a copy that the caller gives."""
    folder, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    try:
        print(json.dumps(asyncio.run(_measured(folder, count, seed))))
    finally:
        shutil.rmtree(folder / "bulk", ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
