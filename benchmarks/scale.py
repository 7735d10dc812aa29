"""A monorepo of 50,000 files: does everything stay quick, small and linear?

    python benchmarks/scale.py CORPORA [--files 50000] [--seed 7] [--gate] [--keep FOLDER]

CORPORA holds source trees. The monorepo is made of up to 1,000 of their real sources, copied with every name they
define renamed, so that a copy is as different from its original as a neighbour package; it is committed to git. The
same --seed makes the same tree. A quarter of it is indexed first: four times the files should take four times the CPU
time. With --gate a figure that misses its target ends the run with 1; only the CPU ratio, sizes and memory are such.
"""

from __future__ import annotations

import argparse
import json
import os
import random
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
from processes import MIB, environment, helix_command, measured, resident_bytes
from questions import made, mixed

BASE_FILES = 1_000
QUESTIONS = 200
RESTARTS = 3


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


def monorepo(target: Path, base: Sequence[tuple[str, str]], count: int) -> int:
    """Make and commit it; returns its bytes."""
    size_bytes = grow(target, base, count)
    git = ["git", "-C", str(target), "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    for command in (
        ["add", "-A"],
        ["-c", "gc.auto=0", "commit", "-q", "-m", "all"],
        ["update-index", "-q", "--refresh"],
    ):
        subprocess.run([*git, *command], check=True)
    return size_bytes


def index_bytes(cache: Path) -> int:
    """What the index takes on disk."""
    return sum(file.stat().st_size for file in cache.rglob("index.db*"))


def asked(folder: Path, seed: int) -> dict[str, Any]:
    """In a process of its own: restarts, then questions in one warm process; times in ms, memory in bytes."""
    from helix_core.config import load_config
    from helix_core.engine import Helix

    restarts = []
    for _ in range(RESTARTS):
        started, cpu = time.perf_counter(), time.process_time()
        with Helix.open(folder, config=load_config(folder)) as helix:
            report = helix.refresh()
        restarts.append((time.perf_counter() - started, time.process_time() - cpu))
        if report.parsed or report.changed or report.added:
            raise SystemExit(f"nothing had changed, but the refresh says {report}")
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
    slowest = sorted(zip(taken, questions, strict=True), reverse=True)[:5]
    return {"restarts": restarts, "ms": taken, "cpu_ms": cpu_ms, "memory_bytes": memory, "slowest": slowest}


def run(options: argparse.Namespace, scratch: Path) -> list[Figure]:
    """Make the two sizes, index each cold, and ask the large one."""
    env = environment(scratch)
    base = base_of(options.corpora, options.seed)
    costs, sizes = [], []
    counts = (options.files // 4, options.files)
    for count in counts:
        folder = scratch / f"monorepo{count}"
        sizes.append(monorepo(folder, base, count))
        shutil.rmtree(scratch / "cache", ignore_errors=True)
        costs.append(measured([*helix_command(), "index", str(folder), "--json"], env))
        cost = costs[-1]
        told = f"{count:,} files, {sizes[-1] / MIB:.0f} MiB: {cost.wall_s:.1f} s, CPU {cost.cpu_s:.1f} s"
        print(f"  {told}, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
        if count != counts[-1]:
            shutil.rmtree(folder)
    inside = measured([sys.executable, __file__, "--inside", str(folder), str(options.seed)], env, sample_memory=False)
    told = json.loads(inside.output)
    print(f"  slowest questions: {told['slowest']}", file=sys.stderr)
    small, large = costs
    restart_s, restart_cpu_s = (median([each[place] for each in told["restarts"]]) for place in (0, 1))
    question_cpu = f"p50 {percentile(told['ms'], 0.5):.1f} ms; CPU p95 {percentile(told['cpu_ms'], 0.95):.1f} ms"
    apiece = f"{1e3 * large.cpu_s / options.files:.2f} ms a file"
    family = f"the process itself; {large.peak_bytes / MIB:.0f} MiB with its workers"
    disk, memory = index_bytes(scratch / "cache") / MIB, told["memory_bytes"] / MIB
    beside = f"{counts[0]:,} files"
    return [
        Figure(f"cold index, {counts[1]:,} files: wall", large.wall_s, "s", small.wall_s, beside, 4.8),
        Figure("the same: CPU", large.cpu_s, "s", small.cpu_s, beside, 4.4, gates=True, note=apiece),
        Figure("nothing changed: restart", restart_s, "s", target=1.5, note=f"CPU {restart_cpu_s:.2f} s, no imports"),
        Figure("a question, p95", percentile(told["ms"], 0.95), "ms", target=80.0, note=question_cpu),
        Figure("memory after the questions", memory, "MiB", target=500.0, gates=True),
        Figure("memory while indexing", large.main_peak_bytes / MIB, "MiB", target=500.0, gates=True, note=family),
        Figure("index on disk", disk, "MiB", sizes[1] / MIB, "sources", 1.6, gates=True),
    ]


def main() -> int:
    """Run, print, and judge."""
    if sys.argv[1:2] == ["--inside"]:
        print(json.dumps(asked(Path(sys.argv[2]), int(sys.argv[3]))))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--gate", action="store_true", help="end with 1 when a figure misses its target")
    parser.add_argument("--keep", type=Path, help="work there and leave it, instead of in a folder that is removed")
    options = parser.parse_args()
    scratch = options.keep or Path(tempfile.mkdtemp(prefix="helix-scale-"))
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        figures = run(options, scratch)
    finally:
        if not options.keep:
            shutil.rmtree(scratch, ignore_errors=True)
    print(f"\n{os.cpu_count()} cores, Python {sys.version.split()[0]}, load average now {os.getloadavg()[0]:.2f}\n")
    print(table(figures))
    alone = [each.name for each in figures if each.gates and each.yardstick is None and each.ok is False]
    missed = [*missed_gates(figures), *alone]
    if missed:
        print(f"\nmissed: {', '.join(dict.fromkeys(missed))}")
    return 1 if missed and options.gate else 0


if __name__ == "__main__":
    sys.exit(main())
