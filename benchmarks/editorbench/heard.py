"""The watcher alone under a storm of saves: is every one heard, and how long after the last?"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from figures import Figure

from helix_core.workspace.disk import Root
from helix_core.workspace.files import FileOptions
from helix_core.workspace.git import Git
from helix_core.workspace.watch import Watch

EVENTS_A_SAVE = 8


def storm(folder: Path, saves: int) -> list[Figure]:
    """``saves`` files saved by temporary file and rename, which the kernel tells in eight events each."""
    target = folder / "bench_storm"
    target.mkdir()
    heard: set[bytes] = set()
    root = Root.open(folder)
    watch = Watch(root, Git.open(root.path), FileOptions(), on_change=lambda: None)
    watch.start()
    ended = threading.Event()

    def listen() -> None:
        while not ended.is_set():
            heard.update(watch.take().paths)
            time.sleep(0.01)

    listener = threading.Thread(target=listen)
    listener.start()
    write_s = timed(lambda: write(target, saves))
    sync_s = timed(lambda: watch.sync(60.0))
    ended.set()
    listener.join()
    heard.update(watch.take().paths)
    watch.stop()
    root.close()
    missed = {f"bench_storm/saved_{number}.txt".encode() for number in range(saves)} - heard
    return [
        Figure(
            f"{saves * EVENTS_A_SAVE:,} events, all heard by the watcher",
            write_s + sync_s,
            "s",
            yardstick=write_s,
            beside="writing them",
            target=2.0,
            note=f"{sync_s * 1e3:.0f} ms after the last, {len(missed)} lost",
        )
    ]


def write(folder: Path, saves: int) -> None:
    """Atomic saves, as editors make them."""
    for number in range(saves):
        target = folder / f"saved_{number}.txt"
        target.with_suffix(".tmp").write_text(f"event number{number}\n", encoding="utf-8")
        os.replace(target.with_suffix(".tmp"), target)


def timed(act: Callable[[], object]) -> float:
    """Seconds that ``act`` takes."""
    started = time.perf_counter()
    act()
    return time.perf_counter() - started
