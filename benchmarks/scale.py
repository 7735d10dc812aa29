"""A monorepo of 50,000 files: does everything stay quick, small and linear?

    python benchmarks/scale.py CORPORA [--files 50000] [--seed 7] [--gate] [--keep FOLDER [--again questions]]

CORPORA holds source trees. The monorepo is made of up to 1,000 of their real sources, copied with every name they
define renamed, so that a copy is as different from its original as a neighbour package; it is committed to git. The
same --seed makes the same tree. A quarter of it is indexed first: four times the files should take four times the CPU
time. With --gate a figure that misses its target ends the run with 1; only the CPU ratio, sizes and memory are such.

With --keep a run that was cut short goes on where it was, and --again does some steps anew: tree, index, restart,
questions. A figure of an earlier state of the code is named as such.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "speedbench"))

from figures import Figure, median, missed_gates, percentile, table
from growth import base_texts, grow
from processes import MIB, environment, measured, resident_bytes
from questions import made, mixed
from steps import Steps

BASE_FILES = 1_000
QUESTIONS = 200
RESTARTS = 3
PARTS_TOLD = 10


def base_of(corpora: Path, seed: int) -> list[tuple[str, str]]:
    """Real sources of every tree, equally many of each as far as they go, in an order the seed decides."""
    found: list[list[tuple[str, str]]] = []
    for folder in sorted(path for path in corpora.iterdir() if (path / ".git").exists()):
        listed = subprocess.run(["git", "-C", str(folder), "ls-files", "-z"], check=True, capture_output=True).stdout
        paths = [path for path in listed.split(b"\0") if path and (folder / os.fsdecode(path)).is_file()]
        found.append(base_texts(folder, paths, seed))
    chosen: list[tuple[str, str]] = []
    for place in range(max(map(len, found), default=0)):
        chosen += [texts[place] for texts in found if place < len(texts)]
    if not chosen:
        raise SystemExit(f"no git repository with sources in {corpora}; name the folder that holds them")
    return chosen[:BASE_FILES]


def monorepo(target: Path, base: Sequence[tuple[str, str]], count: int) -> dict[str, int]:
    """Make and commit it; returns its bytes."""
    shutil.rmtree(target, ignore_errors=True)
    size_bytes = grow(target, base, count)
    git = ["git", "-C", str(target), "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    for command in (
        ["add", "-A"],
        ["-c", "gc.auto=0", "commit", "-q", "-m", "all"],
        ["update-index", "-q", "--refresh"],
    ):
        subprocess.run([*git, *command], check=True)
    return {"size_bytes": size_bytes}


def index_bytes(cache: Path) -> int:
    """What the index takes on disk."""
    return sum(file.stat().st_size for file in cache.rglob("index.db*"))


def index_here(folder: Path) -> dict[str, Any]:
    """In a process of its own: build the index, and say on stderr after each tenth how far it is and what it took."""
    from helix_core.config import load_config
    from helix_core.engine import Helix
    from helix_core.engine.indexing.report import Progress

    started, reached = time.perf_counter(), 0
    course: list[tuple[str, float, float]] = []

    def tell(progress: Progress) -> None:
        nonlocal reached
        part = PARTS_TOLD * progress.done // progress.total if progress.total else 0
        if part > reached or progress.phase not in {"indexing", "looking"}:
            reached = part
            course.append((f"{progress.phase} {progress.done}", time.perf_counter() - started, time.process_time()))
            taken = f"{course[-1][1]:.0f} s, CPU without workers {course[-1][2]:.0f} s"
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(f"{course[-1][0]}: {taken}, peak {memory} MiB", file=sys.stderr, flush=True)

    with Helix.open(folder, config=load_config(folder)) as helix:
        report = helix.refresh(tell)
        course.append(("end", time.perf_counter() - started, time.process_time()))
    return {"course": course, "files": report.files, "parsed": report.parsed}


def restarts_here(folder: Path) -> dict[str, Any]:
    """In a process of its own: open and look, nothing having changed; seconds of wall and CPU time."""
    from helix_core.config import load_config
    from helix_core.engine import Helix

    taken = []
    for _ in range(RESTARTS):
        started, cpu = time.perf_counter(), time.process_time()
        with Helix.open(folder, config=load_config(folder)) as helix:
            report = helix.refresh()
        taken.append((time.perf_counter() - started, time.process_time() - cpu))
        if report.parsed or report.changed or report.added:
            raise SystemExit(f"nothing had changed, but the refresh says {report}")
    return {"restarts": taken, "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}


def questions_here(folder: Path, seed: int) -> dict[str, Any]:
    """In a process of its own: questions in one warm process; times in ms, memory in bytes."""
    from helix_core.config import load_config
    from helix_core.engine import Helix

    files = sorted(
        path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts
    )
    questions = list(mixed(made(folder, [os.fsencode(path) for path in files], QUESTIONS, seed), seed))
    taken, cpu_ms = [], []
    with Helix.open(folder, config=load_config(folder)) as helix:
        for question in random.Random(seed).sample(questions, 20):
            helix.search(question)
        for question in questions:
            started, cpu = time.perf_counter(), time.process_time()
            helix.search(question)
            taken.append((time.perf_counter() - started) * 1e3)
            cpu_ms.append((time.process_time() - cpu) * 1e3)
        memory = resident_bytes(os.getpid())
    slowest = sorted(zip(cpu_ms, questions, strict=True), reverse=True)[:5]
    return {"ms": taken, "cpu_ms": cpu_ms, "memory_bytes": memory, "slowest": slowest}


INSIDE = {"index": index_here, "restart": restarts_here}


def inside(what: str, folder: Path, seed: int) -> dict[str, Any]:
    """One of the measurements that need a process of their own."""
    return questions_here(folder, seed) if what == "questions" else INSIDE[what](folder)


class Monorepo:
    """One size of it: made, indexed cold, opened again and asked; each step once, whatever was cut short."""

    def __init__(self, options: argparse.Namespace, scratch: Path, steps: Steps, count: int) -> None:
        self._options, self._steps, self._count = options, steps, count
        self._folder, self._cache = scratch / f"monorepo{count}", scratch / f"cache{count}"
        self._env = environment(scratch, HELIX_CACHE_DIR=str(self._cache))

    def tree(self, base: Sequence[tuple[str, str]]) -> int:
        """Bytes of its sources."""
        made_now = self._steps.result(f"tree{self._count}", lambda: monorepo(self._folder, base, self._count))
        return int(made_now["size_bytes"])

    def index(self) -> dict[str, Any]:
        """What the cold index cost, and its size."""

        def make() -> dict[str, Any]:
            shutil.rmtree(self._cache, ignore_errors=True)
            cost = self._inside("index")
            size_bytes = index_bytes(self._cache)
            return {**cost, "index_bytes": size_bytes}

        return self._steps.result(f"index{self._count}", make)

    def asked(self, what: str) -> dict[str, Any]:
        """``restart`` or ``questions``."""
        return self._steps.result(f"{what}{self._count}", lambda: self._inside(what))

    def _inside(self, what: str) -> dict[str, Any]:
        print(f"  {what} of {self._count:,} files, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
        command = [sys.executable, __file__, "--inside", what, str(self._folder), str(self._options.seed)]
        cost = measured(command, self._env, told=lambda line: print(f"    {line}", file=sys.stderr, flush=True))
        return {**dataclasses.asdict(cost), "output": "", **json.loads(cost.output)}


def run(options: argparse.Namespace, scratch: Path, steps: Steps) -> list[Figure]:
    """Make the two sizes, index each cold, and ask the large one."""
    base = base_of(options.corpora, options.seed)
    counts = (options.files // 4, options.files)
    sizes = [Monorepo(options, scratch, steps, count) for count in counts]
    source_bytes = [size.tree(base) for size in sizes][-1]
    small, large = (size.index() for size in sizes)
    opened, told = (sizes[-1].asked(what) for what in ("restart", "questions"))
    print(f"  slowest questions by CPU ms: {told['slowest']}", file=sys.stderr)
    restart_s, restart_cpu_s = (median([each[place] for each in opened["restarts"]]) for place in (0, 1))
    question_cpu = f"p50 {percentile(told['ms'], 0.5):.1f} ms; CPU p50 {percentile(told['cpu_ms'], 0.5):.1f}, "
    question_cpu += f"p95 {percentile(told['cpu_ms'], 0.95):.1f} ms"
    apiece = f"{1e3 * large['cpu_s'] / options.files:.2f} ms a file"
    family = f"the process itself; {large['peak_bytes'] / MIB:.0f} MiB with its workers"
    disk, memory = large["index_bytes"] / MIB, told["memory_bytes"] / MIB
    beside = f"{counts[0]:,} files"
    restart_note = f"CPU {restart_cpu_s:.2f} s, no imports; peak {opened['peak_bytes'] / MIB:.0f} MiB"
    return [
        Figure(f"cold index, {counts[1]:,} files: wall", large["wall_s"], "s", small["wall_s"], beside, 4.8),
        Figure("the same: CPU", large["cpu_s"], "s", small["cpu_s"], beside, 4.4, gates=True, note=apiece),
        Figure("nothing changed: restart", restart_s, "s", target=1.5, note=restart_note),
        Figure("a question, p95", percentile(told["ms"], 0.95), "ms", target=80.0, note=question_cpu),
        Figure("memory after the questions", memory, "MiB", target=500.0, gates=True),
        Figure("memory while indexing", large["main_peak_bytes"] / MIB, "MiB", target=500.0, gates=True, note=family),
        Figure("index on disk", disk, "MiB", source_bytes / MIB, "sources", 1.6, gates=True),
    ]


def main() -> int:
    """Run, print, and judge."""
    if sys.argv[1:2] == ["--inside"]:
        print(json.dumps(inside(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--gate", action="store_true", help="end with 1 when a figure misses its target")
    parser.add_argument("--keep", type=Path, help="work there and leave it, instead of in a folder that is removed")
    parser.add_argument("--again", default="", help="with --keep: steps to do anew, as questions,restart")
    options = parser.parse_args()
    scratch = options.keep or Path(tempfile.mkdtemp(prefix="helix-scale-"))
    scratch.mkdir(parents=True, exist_ok=True)
    steps = Steps(scratch, tuple(filter(None, options.again.split(","))))
    try:
        figures = run(options, scratch, steps)
    finally:
        if not options.keep:
            shutil.rmtree(scratch, ignore_errors=True)
    load = f"load average now {os.getloadavg()[0]:.2f}"
    print(f"\n{os.cpu_count()} cores, Python {sys.version.split()[0]}, code {steps.code}, {load}\n")
    print(table(figures))
    for note in steps.notes:
        print(f"note: {note}")
    alone = [each.name for each in figures if each.gates and each.yardstick is None and each.ok is False]
    missed = [*missed_gates(figures), *alone]
    if missed:
        print(f"\nmissed: {', '.join(dict.fromkeys(missed))}")
    return 1 if missed and options.gate else 0


if __name__ == "__main__":
    sys.exit(main())
