"""The loop: mutate, ask, judge; now and then refresh, and at the end compare the index with one built from nothing."""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from helix_core.config import Config, load_config
from helix_core.engine import Helix
from helix_core.errors import HelixError, WorkspaceError
from helix_core.store.index import open_index
from truth_bench.content_kinds import CONTENT_KINDS
from truth_bench.disk_kinds import DISK_KINDS, content_mutation
from truth_bench.git_kinds import GIT_KINDS
from truth_bench.oracle import Judgement, Oracle
from truth_bench.place_kinds import PLACE_KINDS
from truth_bench.questions import TASKS, named_in, question, random_place
from truth_bench.repository import copy_of
from truth_bench.world import Mutation, Target, World

KINDS: dict[str, Mutation] = {
    **{name: content_mutation(name) for name in CONTENT_KINDS},
    **DISK_KINDS,
    **PLACE_KINDS,
    **GIT_KINDS,
}
REFRESH, SEVERAL, AGAIN = 0.06, 0.12, 0.10
MOST_SCARS = 80
PROGRESS = 100


@dataclass(slots=True)
class Tally:
    """What happened to one kind of mutation. ``shown``: packets that hold an item of the mutated file; ``refused``: no
    packet, since there is no folder."""

    packets: int = 0
    refused: int = 0
    items: int = 0
    verified: int = 0
    shown: int = 0
    unlocated: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    needless: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    elapsed_ms: list[float] = field(default_factory=list)

    def add(self, said: Judgement, elapsed_ms: float, shown: bool) -> None:
        self.packets += 1
        self.items += said.items
        self.verified += said.verified
        self.shown += shown
        self.unlocated += said.unlocated
        self.wrong.update(kind for kind, _ in said.wrong)
        self.needless += len(said.needless)
        self.reasons.update(said.reasons)
        self.elapsed_ms.append(elapsed_ms)


@dataclass(slots=True)
class Outcome:
    """All tallies of a folder, what went wrong in words, and whether the index ended equal to a cold one."""

    folder: str
    seed: int
    mutations: int = 0
    tallies: dict[str, Tally] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    needless: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    unequal: int = 0
    compared: int = 0
    refreshes: int = 0
    elapsed_s: float = 0.0


class Bench:
    """One folder, one seed."""

    def __init__(
        self, source: Path, work: Path, *, seed: int, can_deny: bool, kinds: list[str], echo: bool = False
    ) -> None:
        self._rng = Random(f"{seed} {source.name}")
        self._work = work
        outside, home = work / f"{source.name}-outside", work / "home"
        outside.mkdir()
        home.mkdir(exist_ok=True)
        self._repository = copy_of(source, work / source.name, home, self._rng)
        self._config = self._configured(work / f"{source.name}-cache")
        self._world = World(self._repository, outside, self._rng, self._config.max_file_bytes, can_deny)
        self._oracle = Oracle(self._repository, self._config.max_file_bytes)
        self._paths = self._repository.tracked()
        self._kinds = kinds
        self._deck: list[str] = []
        self._echo = echo
        self._told = 0
        self.outcome = Outcome(source.name, seed)

    def run(self, mutations: int, *, compare_every: int) -> Outcome:
        """Mutate and ask until ``mutations`` were made."""
        started = time.monotonic()
        with Helix.open(self._repository.root, config=self._config) as helix:
            helix.refresh()
            last = 0
            while self.outcome.mutations < mutations:
                self._step(helix)
                if self._echo:
                    self._tell_progress(started)
                if self.outcome.mutations - last >= compare_every:
                    last = self.outcome.mutations
                    self._compare(helix)
            self._compare(helix)
            self._world.restore()
            self._compare(helix)
        self.outcome.elapsed_s = time.monotonic() - started
        return self.outcome

    def _tell_progress(self, started: float) -> None:
        """A line now and then, so that a run over thousands can be watched."""
        if self.outcome.mutations // PROGRESS > self._told:
            self._told = self.outcome.mutations // PROGRESS
            print(f"{self.outcome.folder}: {self.outcome.mutations} in {time.monotonic() - started:.0f} s", flush=True)

    def _configured(self, cache: Path) -> Config:
        return load_config(environ={"HELIX_CACHE_DIR": str(cache)}, user=self._work / "no-such-file.toml")

    def _step(self, helix: Helix) -> None:
        world, rng = self._world, self._rng
        world.versions, world.meanwhile = {}, None
        if world.undo is not None:
            world.undo()
            world.undo = None
            # What was seen gone has left the index, and comes back with a refresh only.
            if rng.random() < 0.5:
                self._refresh(helix)
        if len(world.scars) > MOST_SCARS:
            world.restore()
        asked, target = self._first_question(helix)
        if target is None:
            world.restore()
            return
        count = rng.randint(2, 4) if rng.random() < SEVERAL else 1
        kind, moved = "", None
        for _ in range(count):
            if world.undo is not None or world.meanwhile is not None:
                break
            kind, moved = self._mutate(moved or target)
            if moved is None:
                return
        assert moved is not None
        expected = None
        if not asked or moved.path != target.path or rng.random() < 0.3:
            place = named_in(self._repository, moved, rng) if world.is_file(moved.path) else moved
            asked = question(place, rng)
            expected = moved.path
        if rng.random() < REFRESH and not world.versions and os.path.isdir(self._repository.root):
            self._refresh(helix)
        task, k = rng.choice(TASKS), rng.choice((1, 3, 8, 8, 8, 20))
        self._ask(helix, kind, asked, task, k, moved, expected)
        if rng.random() < AGAIN:
            self._ask(helix, "(the same again)", asked, task, k, moved, None)

    def _first_question(self, helix: Helix) -> tuple[str, Target | None]:
        """Mostly a question that finds its place before the mutation; the target is one of the items found."""
        rng = self._rng
        place = random_place(self._repository, self._paths, rng) if rng.random() < 0.9 else None
        asked = question(place, rng) if place is not None else "how are errors handled"
        if rng.random() < 0.35 and place is not None:
            return "", place if self._world.is_file(place.path) else None
        packet = self._ask(helix, "(before)", asked, rng.choice(TASKS), 8, place or Target(b"", 1, 1), None)
        found = [
            Target(os.fsencode(item["source_id"]), item["start_line"], item["end_line"], item["symbol"])
            for item in (packet["verified"] if packet else [])
        ]
        found = [one for one in found if self._world.is_file(one.path)]
        return asked, rng.choice(found) if found else None

    def _mutate(self, target: Target) -> tuple[str, Target | None]:
        """The next kind of the deck that applies; the deck holds every kind once, shuffled."""
        for _ in range(12):
            if not self._deck:
                self._deck = self._rng.sample(self._kinds, len(self._kinds))
            kind = self._deck.pop()
            if not self._world.is_file(target.path):
                found = random_place(self._repository, self._paths, self._rng)
                if not self._world.is_file(found.path):
                    self._world.restore()
                    continue
                target = found
            moved = KINDS[kind](self._world, target)
            if moved is not None:
                self.outcome.mutations += 1
                return kind, moved
        return "", None

    def _refresh(self, helix: Helix) -> None:
        self.outcome.refreshes += 1
        try:
            helix.refresh()
        except (HelixError, OSError) as error:
            self.outcome.crashes.append(f"refresh: {error!r}")

    def _ask(
        self, helix: Helix, kind: str, asked: str, task: str, k: int, target: Target, expected: bytes | None
    ) -> dict[str, Any] | None:
        stop = threading.Event()
        writer = None
        if self._world.meanwhile is not None:
            writer = threading.Thread(target=self._world.meanwhile, args=(stop,))
            writer.start()
        started = time.perf_counter()
        try:
            packet = helix.packet(asked, task=task, k=k)
        except WorkspaceError as error:
            if os.path.isdir(self._repository.root):
                self.outcome.crashes.append(f"[{self.outcome.mutations}] {kind}: {asked!r}: {error!r}")
            self.outcome.tallies.setdefault(kind, Tally()).refused += 1
            return None
        except Exception:  # noqa: BLE001 - a bench for an engine that must never fail counts every failure
            trace = traceback.format_exc(limit=-8)
            self.outcome.crashes.append(f"[{self.outcome.mutations}] {kind}: {asked!r}: {trace}")
            return None
        finally:
            elapsed_ms = (time.perf_counter() - started) * 1e3
            stop.set()
            if writer is not None:
                writer.join()
        said = self._oracle.judge(
            packet, versions=self._world.versions, secrets=self._world.secrets, expected=expected, task=task
        )
        items = [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]
        name = target.path.decode("utf-8", "backslashreplace")
        shown = any(item["source_id"] == name for item in items)
        self.outcome.tallies.setdefault(kind, Tally()).add(said, elapsed_ms, shown)
        where = f"[{self.outcome.mutations}] {kind} on {name}, k={k} task={task} asked {asked!r}"
        self.outcome.faults += [f"{where}: {wrong}: {text}" for wrong, text in said.wrong]
        self.outcome.needless += [f"{where}: {text}" for text in said.needless]
        if self._echo and (said.wrong or said.needless):
            print(where, said.wrong, said.needless, flush=True)
        return packet

    def _compare(self, helix: Helix) -> None:
        """After a refresh the index must say what one built from nothing says."""
        if self._world.undo is not None:
            self._world.undo()
            self._world.undo = None
        self._refresh(helix)
        cold = self._work / f"cold-{self.outcome.folder}-{self.outcome.compared}"
        with Helix.open(self._repository.root, config=self._configured(cold)) as other:
            other.refresh()
            cold_path = other.index_path
        self.outcome.compared += 1
        if _digest(helix.index_path) != _digest(cold_path):
            self.outcome.unequal += 1
            difference = _difference(helix.index_path, cold_path)
            self.outcome.faults.append(f"[{self.outcome.mutations}] the index differs from a cold one: {difference}")


def _digest(path: Path) -> str:
    index = open_index(path)
    try:
        return index.reader().digest()
    finally:
        index.close()


def _difference(warm: Path, cold: Path) -> str:
    """The paths whose state is not the same in both."""
    known = []
    for path in (warm, cold):
        index = open_index(path)
        known.append({name: (one.content_hash, one.skipped) for name, one in index.reader().sources().items()})
        index.close()
    different = {name for name in known[0].keys() | known[1].keys() if known[0].get(name) != known[1].get(name)}
    shown = [(name, known[0].get(name), known[1].get(name)) for name in sorted(different)[:5]]
    return f"{len(different)} paths, such as {shown}" if different else "in something else than files and their hashes"


__all__ = ["KINDS", "Bench", "Outcome", "Tally"]
