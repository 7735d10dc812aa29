"""What the proxy costs a chat, beside a direct connection in the same run; exit status 1 where a bar is missed.

    python benchmarks/proxy.py FOLDER [--requests 200] [--streams 64] [--files 5000] [--only PART ...]

FOLDER is the workspace whose evidence is added; a copy of its files is indexed first, and written to. The upstream is a
process of its own. Parts: one, at_once, paced, unpaced, leaving, memory, indexing, prefix. Every bar is a difference
or a ratio to what the same machine gives without the proxy, or at rest, in the same minute.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from proxybench.client import Way
from proxybench.figures import Figures, at_once, leaving, memory, one_at_a_time, paced, unpaced, while_indexing
from proxybench.prefix import prefix
from proxybench.upstream import upstream

PARTS = ("one", "at_once", "paced", "unpaced", "leaving", "memory", "indexing", "prefix")


def serve(folder: Path, address: str, apart: Path) -> tuple[subprocess.Popen[str], dict[str, Any], str]:
    """The server, what it says when it is ready, and the key."""
    places = {f"HELIX_{name}_DIR": str(apart / name.lower()) for name in ("CACHE", "RUNTIME", "STATE", "DATA")}
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


async def measure(
    figures: Figures, ways: dict[str, Way], pipe: Connection, pid: int, folder: Path, given: argparse.Namespace
) -> None:
    """Every part that was asked for."""
    through = ways["passed through"]
    if "one" in given.only:
        await one_at_a_time(figures, ways, names_in(folder), given.requests)
    if "at_once" in given.only:
        await at_once(figures, ways["with context"], pid, names_in(folder), given.streams)
    if "paced" in given.only:
        await paced(figures, ways, given.streams, pid)
    if "unpaced" in given.only:
        await unpaced(figures, ways, pid)
    if "leaving" in given.only:
        await leaving(figures, through, pipe, 100)
    if "memory" in given.only:
        await memory(figures, through, pid, given.streams)
    if "indexing" in given.only:
        await while_indexing(figures, through, folder, given.files)
    if "prefix" in given.only:
        await prefix(figures, ways["with context"], pipe, folder, names_in(folder))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path())
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--streams", type=int, default=64)
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    given = parser.parse_args(arguments)
    ours, theirs = get_context("spawn").Pipe()
    above = get_context("spawn").Process(target=upstream, args=(theirs,), daemon=True)
    above.start()
    address = f"http://127.0.0.1:{ours.recv()}"
    figures = Figures()
    with tempfile.TemporaryDirectory() as apart:
        folder = Path(apart) / "folder"
        left_out = shutil.ignore_patterns(".git", ".venv", "node_modules", ".*_cache", "__pycache__")
        shutil.copytree(given.folder, folder, symlinks=True, ignore=left_out)
        process, ready, key = serve(folder, address, Path(apart) / "helix")
        ways = {
            "direct": Way(address, "", True),
            "passed through": Way(ready["url"], key, True),
            "with context": Way(ready["url"], key, False),
        }
        try:
            asyncio.run(measure(figures, ways, ours, process.pid, folder, given))
        finally:
            process.terminate()
            process.wait(30)
            above.kill()
    if figures.missed:
        print(f"missed: {', '.join(figures.missed)}")
    return 1 if figures.missed else 0


if __name__ == "__main__":
    sys.exit(main())
