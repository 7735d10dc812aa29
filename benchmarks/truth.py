"""Is every ``verified`` true? Thousands of mutations of real repositories, each followed by a packet, each judged.

    python benchmarks/truth.py FOLDER... [--mutations 5000] [--seeds 1,2,3]
                                         [--through api,cli,cli_daemon,mcp,lsp,daemon] [--busy 8] [--jobs 2]
                                         [--state FOLDER] [--peer-python PATH] [--json FILE]

Folders are copied first; nothing is written into them. Surfaces share the mutations by what each costs. With --busy N
as many as --busy-mutations says run at nice 19 (--nice) beside N busy loops, and the figures stand side by side. With
--state a run that was cut short goes on where it was. Ends with status 1 when a verdict was falsely verified, a symbol
was not what stands there, a quote differed from the disk, a packet failed, an index ended unlike a cold one, or
needless doubt passed 0.5 %.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from truth_bench.compiler_oracle import missing
from truth_bench.peer import Peer, peer_table
from truth_bench.privilege import can_be_denied, give_up_powers
from truth_bench.report import by_surface, summary, surface_table, table
from truth_bench.run import KINDS, Outcome
from truth_bench.surfaces import SHARES
from truth_bench.units import Run, Unit, planned, run_here

SHOWN = 40


def main() -> int:
    arguments = _arguments()
    give_up_powers()
    if arguments.unit:
        unit = Unit(**{**json.loads(arguments.unit), "kinds": tuple(json.loads(arguments.unit)["kinds"])})
        run_here(unit, arguments.state, echo=arguments.echo, keep=arguments.keep)
        return 0
    # Ended by a signal, it ends its units and says what is whole, as after an interrupt.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    units = _units(arguments)
    for one in missing():
        print(f"not at hand, so that its symbols are not checked: {one}", flush=True)
    state = arguments.state or Path(tempfile.mkdtemp(prefix="helix-truth-state-"))
    print(f"{len(units)} units, {sum(unit.mutations for unit in units)} mutations, outcomes in {state}", flush=True)
    passed_on = [name for name in ("echo", "keep") if getattr(arguments, name)]
    outcomes = Run(state, arguments.jobs, [f"--{name}" for name in passed_on]).outcomes(units)
    is_whole = len(outcomes) == len(units)
    figures = {**summary(outcomes), "surfaces": by_surface(outcomes)}
    peer_rows = []
    if arguments.peer_python:
        peer = Peer(arguments.peer_python, state / "peer")
        peer_rows = peer.measure(arguments.folders[0].resolve(), seed=arguments.seeds[0], trials=arguments.peer_trials)
        figures["peer"] = peer_rows
    print(table(outcomes))
    if not can_be_denied():
        print("\nskipped: permission_removed, folder_permission_removed (this user may read everything)")
    _lists(outcomes, arguments.show)
    if peer_rows:
        print("\nThe earlier system on the same sources, after one change each, asked the same question again:")
        print(peer_table(peer_rows))
    print("\n" + json.dumps(figures, indent=1))
    print("\n" + surface_table(outcomes) + ("" if is_whole else f"\n{len(outcomes)} of {len(units)} units only"))
    if arguments.json:
        faults: dict[str, list[str]] = {}
        for outcome in outcomes:
            faults.setdefault(outcome.folder, []).extend(outcome.faults + outcome.crashes + outcome.needless)
        arguments.json.write_text(json.dumps({**figures, "faults": faults}, indent=1))
    if not arguments.state and is_whole:
        shutil.rmtree(state, ignore_errors=True)
    return 0 if figures["passed"] and is_whole else 1


def _units(arguments: argparse.Namespace) -> list[Unit]:
    folders = [folder.resolve() for folder in arguments.folders]
    common = {
        "kinds": tuple(arguments.kind or ()),
        "compare_every": arguments.compare_every,
        "limit_s": arguments.limit_s,
    }
    units = planned(folders, arguments.through, arguments.seeds, arguments.mutations, **common)
    if arguments.busy:
        count = arguments.busy_mutations or max(arguments.mutations // 20, 1)
        load = {"load": arguments.busy, "nice": arguments.nice}
        units += planned(folders, arguments.through, arguments.seeds, count, **load, **common)
    return units


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Is every verified pointer true?")
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument(
        "--mutations", type=int, default=5000, help="in all, shared between seeds, surfaces and folders"
    )
    parser.add_argument("--seeds", type=_numbers, default=[1], help="such as 1,2,3")
    parser.add_argument("--seed", type=_numbers, dest="seeds", help=argparse.SUPPRESS)
    parser.add_argument("--through", type=_surfaces, default=["api"], help=f"some of {','.join(SHARES)}")
    parser.add_argument("--kind", action="append", choices=sorted(KINDS), help="only this kind (repeatable)")
    parser.add_argument("--busy", type=int, default=0, help="so many busy loops beside a part of the mutations")
    parser.add_argument("--nice", type=int, default=19, help="of what runs beside them")
    parser.add_argument("--busy-mutations", type=int, default=0, help="how many run beside them: a twentieth")
    parser.add_argument("--jobs", type=int, default=1, help="units that run at a time")
    parser.add_argument("--state", type=Path, help="where outcomes of units are kept; a second run goes on from there")
    parser.add_argument("--limit-s", type=float, default=7200.0, help="a unit that takes longer counts as an error")
    parser.add_argument(
        "--compare-every", type=int, default=1000, help="mutations between comparisons with a cold index"
    )
    parser.add_argument("--peer-python", type=Path, help="a Python that has the earlier system installed")
    parser.add_argument("--peer-trials", type=int, default=30)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--show", type=int, default=SHOWN, help="how many faults to print")
    parser.add_argument("--echo", action="store_true", help="print faults as they are found")
    parser.add_argument("--keep", action="store_true", help="keep the copies")
    parser.add_argument("--unit", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.folders and not arguments.unit:
        parser.error("name the folders to mutate copies of")
    return arguments


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _surfaces(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in SHARES]:
        raise argparse.ArgumentTypeError(f"no surface {', '.join(unknown)}; there are {', '.join(SHARES)}")
    return names


def _lists(outcomes: list[Outcome], show: int) -> None:
    for title in ("faults", "crashes", "needless"):
        lines = [f"{outcome.surface} {line}" for outcome in outcomes for line in getattr(outcome, title)]
        if lines:
            print(f"\n{title} ({len(lines)}):")
            print("\n".join(lines[:show]))


if __name__ == "__main__":
    sys.exit(main())
