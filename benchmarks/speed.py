"""How fast, how large, beside what: every figure with its yardstick measured in the same run, as a ratio.

    python benchmarks/speed.py [FOLDER] [--questions FILE] [--peer-python PATH] [--large] [--json FILE] [--gate]

FOLDER (this repository by default; the targets are meant for django's sources) is copied to a scratch folder first
and never written to. Ratios are what counts: the yardstick runs on the same
machine under the same load, in turn with ours. Absolute times are printed with ok or miss but never fail the run;
with ``--gate`` a ratio that misses its target ends it with 1.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "speedbench"))

from figures import Figure, missed_gates, table
from measures import Bench, answers, cold, grown, peer, restart, saved, waits

REPOSITORY = Path(__file__).resolve().parents[1]
LEFT_BEHIND = shutil.ignore_patterns(".venv", "node_modules", ".*_cache", ".hypothesis", "__pycache__")
ALL = ("cold", "restart", "save", "waits", "packet", "growth")


def copied(folder: Path, scratch: Path) -> Path:
    """A copy to work on, its git index refreshed so that git does not take every file for touched."""
    target = scratch / "sources" / folder.name
    shutil.copytree(folder, target, symlinks=True, ignore=LEFT_BEHIND)
    if (target / ".git").exists():
        subprocess.run(["git", "-C", str(target), "update-index", "-q", "--refresh"], check=False)
    return target


def run(options: argparse.Namespace, scratch: Path) -> list[Figure]:
    """All that was asked for, in an order in which each part finds what it needs."""
    bench = Bench(copied(options.folder, scratch), scratch, options.repeat, options.seed)
    figures: list[Figure] = []

    def keep(more: list[Figure]) -> None:
        figures.extend(more)
        for figure in more:
            print(f"  {figure.name}: {figure.ours:.4g} {figure.unit}", file=sys.stderr)

    keep(cold(bench))
    if options.peer_python and "cold" in options.only:
        keep(peer(bench, options.peer_python, options.peer_files))
    if "restart" in options.only:
        keep(restart(bench))
    if "packet" in options.only:
        keep(answers(bench, options.questions, options.made_questions))
    if "save" in options.only:
        keep(saved(bench, options.saves))
    if "waits" in options.only:
        keep(waits(bench, options.bulk, options.large))
    if "growth" in options.only:
        keep(grown(bench, options.large))
    return figures


def main() -> int:
    """Run, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=REPOSITORY)
    parser.add_argument("--questions", type=Path, help="JSON lines with a field question")
    parser.add_argument("--made-questions", type=int, default=200, help="how many to make from the sources")
    parser.add_argument("--peer-python", help="the Python of a virtual environment that has helix-context")
    parser.add_argument("--peer-files", type=int, default=300, help="how many files the peer gets")
    parser.add_argument("--repeat", type=int, default=3, help="times each pair is measured, in turn")
    parser.add_argument("--saves", type=int, default=200, help="files saved one by one")
    parser.add_argument("--bulk", type=int, default=3_000, help="new files that come in while others are saved")
    parser.add_argument("--large", action="store_true", help="check growth up to 50,000 files; takes minutes")
    parser.add_argument("--only", default=",".join(ALL), help=f"some of {','.join(ALL)}; cold always runs")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    parser.add_argument("--gate", action="store_true", help="end with 1 when a ratio misses its target")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    options.only = options.only.split(",")

    before, started = os.getloadavg(), time.time()
    scratch = Path(tempfile.mkdtemp(prefix="helix-speed-"))
    try:
        figures = run(options, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    load = f"{before[0]:.2f} before, {os.getloadavg()[0]:.2f} after"
    print(f"\n{options.folder.name} on {os.cpu_count()} cores, Python {sys.version.split()[0]}, load average {load}\n")
    print(table(figures))
    if options.json:
        machine = {"cpus": os.cpu_count(), "python": sys.version.split()[0], "load": [before[0], os.getloadavg()[0]]}
        said = {
            "folder": options.folder.name,
            "at": started,
            **machine,
            "figures": [each.as_json() for each in figures],
        }
        options.json.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    missed = missed_gates(figures)
    if missed:
        print(f"\nratios that miss their target: {', '.join(missed)}")
    return 1 if missed and options.gate else 0


if __name__ == "__main__":
    sys.exit(main())
