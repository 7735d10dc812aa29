"""A run cut into units: one folder, seed, surface and load each, in a process of its own, its outcome in a file.

A run that was cut short goes on with the units that have no file yet. Units at rest come first. Then, one at a time,
come those beside busy loops: such a unit prepares itself in peace, then the loops start, in the same session, so that
its niceness counts where the kernel groups processes by session. Eight loops on two cores leave a unit at nice 19 a
three-hundredth of a core, at nice 5 an eightieth; one loop a core leaves it a twentieth at nice 19.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from truth_bench.privilege import can_be_denied
from truth_bench.run import KINDS, Bench, Outcome, Tally
from truth_bench.surfaces import SHARES, environment

SIZES = {"api": 500, "lsp": 200, "mcp": 200, "daemon": 200, "cli": 80, "cli_daemon": 200}
BUSY_SIZE = 50
ANSWER_S, BUSY_ANSWER_S = 180, 1800
SETTLE_S, BUSY_SETTLE_S = 15, 300
HOOK = Path(__file__).parent / "hook"
_LOOP = "while True: pass"


@dataclass(frozen=True, slots=True)
class Unit:
    """``load`` busy loops run beside it; ``kinds`` empty means all."""

    folder: str
    surface: str
    seed: int
    number: int
    mutations: int
    load: int = 0
    nice: int = 0
    kinds: tuple[str, ...] = ()
    compare_every: int = 1000
    limit_s: float = 7200.0

    @property
    def name(self) -> str:
        load = f"busy{self.load}-nice{self.nice}" if self.load else "idle"
        return f"{load}-{Path(self.folder).name}-{self.surface}-seed{self.seed}-{self.number}-{self.mutations}"


def planned(
    folders: Sequence[Path], surfaces: Sequence[str], seeds: Sequence[int], mutations: int, **more: Any
) -> list[Unit]:
    """``mutations`` in all, shared between seeds and folders, and between surfaces by what each costs."""
    whole = sum(SHARES[surface] for surface in surfaces)
    size = {name: min(each, BUSY_SIZE) if more.get("load") else each for name, each in SIZES.items()}
    units = []
    for seed in seeds:
        for surface in surfaces:
            for folder in folders:
                share = mutations * SHARES[surface] / whole / len(seeds) / len(folders)
                left, number = max(round(share), 1), 0
                while left > 0:
                    count = min(left, size[surface])
                    units.append(Unit(str(folder), surface, seed, number, count, **more))
                    left, number = left - count, number + 1
    return units


def run_here(unit: Unit, state: Path, *, echo: bool, keep: bool) -> None:
    """In a process of its own: one unit; its outcome is written when it is whole."""
    work = Path(tempfile.mkdtemp(prefix=f"helix-truth-{unit.surface}-"))
    os.environ.update(environment(work))
    # Ended by a signal, it still closes what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    kinds = list(unit.kinds) or sorted(KINDS)
    try:
        seed = f"{unit.seed} {unit.surface} {unit.load} {unit.number}"
        bench = Bench(
            Path(unit.folder),
            work,
            seed=seed,
            can_deny=can_be_denied(),
            kinds=kinds,
            surface=unit.surface,
            is_busy=unit.load > 0,
            echo=echo,
        )
        outcome = bench.run(unit.mutations, compare_every=unit.compare_every, ready=_ready(state, unit).touch)
        outcome.load = unit.load
    finally:
        if keep:
            print(f"kept in {work}", flush=True)
        else:
            shutil.rmtree(work, ignore_errors=True)
    _write(state, unit, outcome)


class Run:
    """Runs what has no outcome yet, ``jobs`` units at a time, and says a line for each."""

    def __init__(self, state: Path, jobs: int, options: Sequence[str]) -> None:
        self._state, self._jobs, self._options = state, jobs, options
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._is_stopped = False
        self._done = self._all = 0

    def outcomes(self, units: Sequence[Unit]) -> list[Outcome]:
        """The outcomes of all units; an interrupt ends what runs and gives those that are whole."""
        self._all = len(units)
        waiting = [unit for unit in units if not self._file(unit).exists()]
        self._done = self._all - len(waiting)
        if self._done:
            print(f"{self._done} of {self._all} units have an outcome already", flush=True)
        try:
            for load in sorted({unit.load for unit in waiting}):
                with ThreadPoolExecutor(1 if load else self._jobs) as pool:
                    try:
                        list(pool.map(self._one, [unit for unit in waiting if unit.load == load]))
                    except KeyboardInterrupt:
                        self._stop()
                        raise
        except KeyboardInterrupt:
            print("interrupted; the same command goes on where it was", flush=True)
        return [self._read(unit) for unit in units if self._file(unit).exists()]

    def _one(self, unit: Unit) -> None:
        if self._is_stopped:
            return
        started = time.monotonic()
        command = [sys.executable, str(Path(__file__).parents[1] / "truth.py"), "--unit", json.dumps(asdict(unit))]
        if unit.load:
            command = ["nice", "-n", str(unit.nice), *command]
        wait = (BUSY_ANSWER_S, BUSY_SETTLE_S) if unit.load else (ANSWER_S, SETTLE_S)
        paths = os.pathsep.join(filter(None, (str(HOOK), os.environ.get("PYTHONPATH", ""))))
        environ = {
            **os.environ,
            "PYTHONPATH": paths,
            "TRUTH_BENCH_COMPILERS": "1",
            "TRUTH_BENCH_ANSWER_S": str(wait[0]),
            "TRUTH_BENCH_SETTLE_S": str(wait[1]),
        }
        self._state.mkdir(parents=True, exist_ok=True)
        _ready(self._state, unit).unlink(missing_ok=True)
        process = subprocess.Popen(
            [*command, "--state", str(self._state), *self._options], env=environ, process_group=0
        )
        with self._lock:
            self._running.add(process)
        try:
            while unit.load and process.poll() is None and not _ready(self._state, unit).exists():
                time.sleep(0.1)
            with busy(unit.load):
                code = process.wait(unit.limit_s)
            end = f"ended with {code}"
        except subprocess.TimeoutExpired:
            end = f"did not end in {unit.limit_s:.0f} s"
        finally:
            _end(process)
            self._running.discard(process)
            _ready(self._state, unit).unlink(missing_ok=True)
        if not self._file(unit).exists() and not self._is_stopped:
            lost = Outcome(Path(unit.folder).name, unit.seed, unit.surface, unit.load)
            lost.crashes.append(f"the unit {unit.name} {end}")
            _write(self._state, unit, lost)
        with self._lock:
            self._done += 1
            if self._file(unit).exists():
                print(f"[{self._done}/{self._all}] {unit.name}: {_line(self._read(unit))}", flush=True)
            print(f"    {time.monotonic() - started:.0f} s, load average {os.getloadavg()[0]:.1f}", flush=True)

    def _stop(self) -> None:
        self._is_stopped = True
        for process in list(self._running):
            _end(process)

    def _file(self, unit: Unit) -> Path:
        return self._state / f"{unit.name}.json"

    def _read(self, unit: Unit) -> Outcome:
        return read_outcome(json.loads(self._file(unit).read_text()))


def read_outcome(told: Mapping[str, Any]) -> Outcome:
    """An outcome as it was written."""
    tallies = {
        kind: Tally(**{**tally, "wrong": Counter(tally["wrong"]), "reasons": Counter(tally["reasons"])})
        for kind, tally in told["tallies"].items()
    }
    return Outcome(**{**told, "tallies": tallies})


@contextlib.contextmanager
def busy(loops: int) -> Iterator[None]:
    """So many processes that do nothing but compute, while the block runs."""
    processes = [subprocess.Popen([sys.executable, "-c", _LOOP]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _ready(state: Path, unit: Unit) -> Path:
    """Stands while a unit is prepared and at work."""
    return state / f"{unit.name}.ready"


def _write(state: Path, unit: Unit, outcome: Outcome) -> None:
    state.mkdir(parents=True, exist_ok=True)
    file = state / f"{unit.name}.json"
    part = file.with_suffix(".part")
    part.write_text(json.dumps(plain(outcome), indent=1))
    part.replace(file)


def plain(value: Any) -> Any:
    """Dataclasses and counters as plain dictionaries."""
    if dataclasses.is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    return {key: plain(one) for key, one in value.items()} if isinstance(value, dict) else value


def _line(outcome: Outcome) -> str:
    wrong: Counter[str] = sum((tally.wrong for tally in outcome.tallies.values()), Counter())
    packets = sum(tally.packets for tally in outcome.tallies.values())
    verified = sum(tally.verified for tally in outcome.tallies.values())
    faults = ", ".join(f"{count} {kind}" for kind, count in wrong.most_common()) or "nothing wrong"
    return (
        f"{outcome.mutations} mutations, {packets} answers, {verified} verified, {faults}, "
        f"{len(outcome.needless)} needless, {len(outcome.crashes)} errors, {outcome.unequal} unequal"
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the unit; whatever of its process group is left goes with it."""
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(30)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
