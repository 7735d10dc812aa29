"""Kill -9 while the index is built or brought up to date: does the next packet come, and is it right?

    python benchmarks/kills.py FOLDER [--points 200] [--busy 8] [--nice 5] [--seed 1] [--json FILE]

FOLDER is copied. At each point files change, or the index is gone, and `helix index` or `helix packet` is killed at a
random moment, the process itself or one of its workers. Then a packet is asked for as the index is, without a refresh,
and another through the command; both are judged by the truth bench's oracle. What lacks must be said, no process may
be left over, the index must be whole as a file, and in the end it must equal one built from nothing. Ends with status 1
on any miss.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import psutil
from truth_bench.index_kinds import says_what_lacks
from truth_bench.oracle import Oracle
from truth_bench.questions import question, random_place
from truth_bench.report import percentile
from truth_bench.repository import CONFLICTING, MAIN, RENAMING, SIDE, copy_of
from truth_bench.run import MAX_FILE_BYTES, digest
from truth_bench.surfaces import AskError, Cli, Packet, environment, helix_command
from truth_bench.units import busy, plain

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.store.index import open_index
from helix_core.workspace.paths import source_id_of

COLD, WORKER, COMMAND = 0.25, 0.2, 0.3
CHANGED_AT_ONCE = 12
GONE_S = 60.0
MOST_ATTEMPTS = 5


@dataclass(slots=True)
class Found:
    """``points`` are kills that hit a process; what was wrong after them in words; answers in milliseconds."""

    points: int = 0
    attempts: int = 0
    cold: int = 0
    of_workers: int = 0
    items: int = 0
    verified: int = 0
    said_to_lack: int = 0
    compared: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    answer_ms: list[float] = field(default_factory=list)

    def miss(self, kind: str, text: str) -> None:
        self.wrong[kind] += 1
        self.faults.append(f"[{self.points}] {kind}: {text}")


class Kills:
    """One folder and its index, killed again and again."""

    def __init__(self, source: Path, scratch: Path, seed: int, nice: int) -> None:
        self._rng, self._scratch, self._nice = Random(seed), scratch, nice
        (scratch / "home").mkdir()
        self._repository = copy_of(source, scratch / source.name, scratch / "home", self._rng)
        self._environment = environment(scratch)
        self._config = load_config(environ=self._environment, user=scratch / "no-such-file.toml")
        self._oracle = Oracle(self._repository, MAX_FILE_BYTES)
        self._paths = self._repository.tracked()
        self._cli = Cli(self._repository.root, scratch)
        self._whole_s = {True: 1.0, False: 1.0}
        self.found = Found()

    def measure(self) -> None:
        """How long a command takes that nobody kills, from nothing and after changes."""
        for is_cold in (True, False):
            self._disturb(is_cold=is_cold)
            started = time.monotonic()
            self._started().wait()
            self._whole_s[is_cold] = time.monotonic() - started
        print(f"from nothing {self._whole_s[True]:.1f} s, after changes {self._whole_s[False]:.1f} s", flush=True)

    def run(self, points: int) -> Found:
        while self.found.points < points and self.found.attempts < MOST_ATTEMPTS * points:
            self.found.attempts += 1
            is_cold = self._rng.random() < COLD
            self._disturb(is_cold=is_cold)
            if not self._kill(is_cold=is_cold):
                continue
            self.found.points += 1
            self.found.cold += is_cold
            self._look()
            if self.found.points % 10 == 0:
                print(f"{self.found.points} of {points}: {dict(self.found.wrong) or 'nothing wrong'}", flush=True)
            if self.found.points % 50 == 0:
                self._compare()
        self._compare()
        return self.found

    def _disturb(self, *, is_cold: bool) -> None:
        """The tree is another one than the index knows, or there is no index."""
        repository, rng = self._repository, self._rng
        if is_cold:
            shutil.rmtree(self._scratch / "cache", ignore_errors=True)
        if rng.random() < 0.4:
            repository.restore()
            repository.git("checkout", "-q", rng.choice((MAIN, SIDE, CONFLICTING, RENAMING)))
        there = [path for path in self._paths if os.path.isfile(repository.path(path))]
        for path in rng.sample(there, min(CHANGED_AT_ONCE, len(there))):
            place = repository.path(path)
            if rng.random() < 0.15:
                os.unlink(place)
            else:
                with open(place, "ab") as file:
                    file.write(b"\n# killed while this came in: %d\n" % rng.randrange(10**6))

    def _started(self) -> subprocess.Popen[bytes]:
        root = str(self._repository.root)
        command = helix_command("index", "--json", root)
        if self._rng.random() < COMMAND:
            command = helix_command("packet", "--json", "--path", root, "how are errors handled")
        return subprocess.Popen(
            ["nice", "-n", str(self._nice), *command],
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _kill(self, *, is_cold: bool) -> bool:
        """Was a process hit? The earlier a moment, the likelier: most happens then."""
        process = self._started()
        try:
            process.wait(self._rng.random() ** 1.5 * self._whole_s[is_cold])
        except subprocess.TimeoutExpired:
            workers = psutil.Process(process.pid).children(recursive=True) if self._rng.random() < WORKER else []
            if workers:
                self.found.of_workers += 1
                try:
                    self._rng.choice(workers).kill()
                except psutil.NoSuchProcess:
                    self.found.of_workers -= 1
                process.wait()
                return True
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True
        return False

    def _look(self) -> None:
        self._judge("as it is", self._asked_as_it_is)
        self._left_over()
        self._whole_file()
        self._judge("through the command", self._cli.ask)

    def _asked_as_it_is(self, asked: str, task: str, k: int) -> Packet:
        with Helix.open(self._repository.root, config=self._config) as helix:
            packet: Packet = helix.packet(asked, task=task, k=k)
            pending = helix.status()["pending"]["changed_or_new"]
            known = len(self._paths) // 2
            is_half = helix.status()["index"]["files"] < known and pending > known
        self.found.said_to_lack += bool(packet["notes"])
        if is_half and not says_what_lacks(packet):
            self.found.miss("unsaid", f"{pending} files are not in the index, and the packet says nothing")
        return packet

    def _judge(self, how: str, ask: Any) -> None:
        place = random_place(self._repository, self._existing(), self._rng)
        asked, task = question(place, self._rng), self._rng.choice(("explain", "edit"))
        started = time.perf_counter()
        try:
            packet = ask(asked, task, 8)
        except Exception as error:  # noqa: BLE001 - whatever keeps an answer away is a miss
            self.found.miss("no_answer" if isinstance(error, AskError) else "error", f"{how}: {asked!r}: {error!r}")
            return
        self.found.answer_ms.append((time.perf_counter() - started) * 1e3)
        said = self._oracle.judge(packet, versions={}, secrets={}, expected=None, task=task)
        self.found.items += said.items
        self.found.verified += said.verified
        for kind, text in said.wrong:
            self.found.miss(kind, f"{how}: {asked!r}: {text}")

    def _existing(self) -> list[bytes]:
        return [path for path in self._paths if os.path.isfile(self._repository.path(path))]

    def _left_over(self) -> None:
        """Nothing that the killed command started may outlive it for long."""
        deadline = time.monotonic() + GONE_S
        while left := self._processes():
            if time.monotonic() > deadline:
                self.found.miss("left_over", f"after {GONE_S:.0f} s: {left}")
                for process in left:
                    process.kill()
                return
            time.sleep(0.1)

    def _processes(self) -> list[psutil.Process]:
        cache, found = self._environment["HELIX_CACHE_DIR"], []
        for process in psutil.process_iter():
            try:
                if process.environ().get("HELIX_CACHE_DIR") == cache and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        return found

    def _whole_file(self) -> None:
        for path in (self._scratch / "cache").rglob("index.db"):
            with open_index(path, source_id_of=source_id_of) as index:
                if damage := index.damage():
                    self.found.miss("damaged", f"{path.name}: {damage}")
        if aside := list((self._scratch / "cache").rglob("*.damaged-*")):
            self.found.miss("damaged", f"set aside as damaged: {aside[0].name}")

    def _compare(self) -> None:
        """Brought up to date by a command that nobody kills, the index equals one built from nothing."""
        self.found.compared += 1
        try:
            self._cli.refresh()
        except AskError as error:
            self.found.miss("no_answer", f"helix index: {error}")
            return
        digests = []
        cold = {**self._environment, "HELIX_CACHE_DIR": str(self._scratch / f"cold{self.found.compared}")}
        for environ in (self._environment, cold):
            config = load_config(environ=environ, user=self._scratch / "no-such-file.toml")
            with Helix.open(self._repository.root, config=config) as helix:
                helix.refresh()
                digests.append(digest(helix.index_path))
        shutil.rmtree(cold["HELIX_CACHE_DIR"], ignore_errors=True)
        if digests[0] != digests[1]:
            self.found.miss("unequal", "the index differs from one built from nothing")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--busy", type=int, default=0, help="so many busy loops beside it")
    parser.add_argument("--nice", type=int, default=0, help="of the commands that are killed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--show", type=int, default=40)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    scratch = Path(tempfile.mkdtemp(prefix="helix-kills-"))
    started = time.monotonic()
    kills = Kills(options.folder.resolve(), scratch, options.seed, options.nice)
    try:
        with busy(options.busy):
            kills.measure()
            found = kills.run(options.points)
    except KeyboardInterrupt:
        found = kills.found
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    load = f"beside {options.busy} loops, nice {options.nice}" if options.busy else "idle"
    print("\n".join(found.faults[: options.show]))
    p50, p95 = (percentile(found.answer_ms, share) for share in (0.5, 0.95))
    points = f"{found.points} kills of {found.attempts} tries"
    print(f"\n{points}: {found.cold} of a first build, {found.of_workers} of a worker")
    print(f"{load}, seed {options.seed}, {time.monotonic() - started:.0f} s, answers p50 {p50} ms, p95 {p95} ms")
    print(f"{found.items} items, {found.verified} verified; {found.said_to_lack} answers with a note")
    print(f"{found.compared} comparisons with a cold index; {dict(found.wrong) or 'nothing wrong'}")
    if options.json:
        options.json.write_text(json.dumps(plain(found), indent=1))
    return 1 if found.wrong or found.points < options.points else 0


if __name__ == "__main__":
    sys.exit(main())
