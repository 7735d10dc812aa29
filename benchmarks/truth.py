"""Is every ``verified`` true? Thousands of mutations of real repositories, each followed by a packet, each judged.

    python benchmarks/truth.py FOLDER... [--mutations 5000] [--seed 1] [--peer-python PATH] [--json FILE]

Folders are copied first; nothing is written into them. Ends with status 1 when a verdict was falsely verified, a quote
differed from the disk, a packet failed, an index ended unlike a cold one, or needless doubt passed 0.5 %.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

from truth_bench.peer import Peer, peer_table
from truth_bench.privilege import can_be_denied, give_up_powers
from truth_bench.report import summary, table
from truth_bench.run import KINDS, Bench, Outcome

SHOWN = 40


def main() -> int:
    arguments = _arguments()
    give_up_powers()
    can_deny = can_be_denied()
    kinds = arguments.kind or sorted(KINDS)
    work = Path(tempfile.mkdtemp(prefix="helix-truth-"))
    peer_rows = []
    outcomes = []
    try:
        share = -(-arguments.mutations // len(arguments.folders))
        for folder in arguments.folders:
            bench = Bench(
                folder.resolve(), work, seed=arguments.seed, can_deny=can_deny, kinds=kinds, echo=arguments.echo
            )
            outcomes.append(bench.run(share, compare_every=arguments.compare_every))
        if arguments.peer_python:
            peer = Peer(arguments.peer_python, work / "peer")
            peer_rows = peer.measure(arguments.folders[0].resolve(), seed=arguments.seed, trials=arguments.peer_trials)
    finally:
        if arguments.keep:
            print(f"kept in {work}")
        else:
            shutil.rmtree(work, ignore_errors=True)
    figures = summary(outcomes)
    if peer_rows:
        figures["peer"] = peer_rows
    print(table(outcomes))
    if not can_deny:
        print("\nskipped: permission_removed, folder_permission_removed (this user may read everything)")
    _lists(outcomes, arguments.show)
    if peer_rows:
        print("\nThe earlier system on the same sources, after one change each, asked the same question again:")
        print(peer_table(peer_rows))
    print("\n" + json.dumps(figures, indent=1))
    if arguments.json:
        faults = {outcome.folder: outcome.faults + outcome.crashes + outcome.needless for outcome in outcomes}
        arguments.json.write_text(json.dumps({**figures, "faults": faults}, indent=1))
    return 0 if figures["passed"] else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Is every verified pointer true?")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--mutations", type=int, default=5000, help="in all, shared between the folders")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", choices=sorted(KINDS), help="only this kind (repeatable)")
    parser.add_argument(
        "--compare-every", type=int, default=1000, help="mutations between comparisons with a cold index"
    )
    parser.add_argument("--peer-python", type=Path, help="a Python that has the earlier system installed")
    parser.add_argument("--peer-trials", type=int, default=30)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--show", type=int, default=SHOWN, help="how many faults to print")
    parser.add_argument("--echo", action="store_true", help="print faults as they are found")
    parser.add_argument("--keep", action="store_true", help="keep the copies")
    return parser.parse_args()


def _lists(outcomes: list[Outcome], show: int) -> None:
    for title in ("faults", "crashes", "needless"):
        lines = [line for outcome in outcomes for line in getattr(outcome, title)]
        if lines:
            print(f"\n{title} ({len(lines)}):")
            print("\n".join(lines[:show]))


if __name__ == "__main__":
    sys.exit(main())
