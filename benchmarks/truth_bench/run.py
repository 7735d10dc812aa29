"""The loop: mutate, ask through a surface, judge, and judge what an open packet displays; now and then refresh.

Through the Python API the index is compared with one built from nothing at the end.
"""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.errors import HelixError
from helix_core.store.index import open_index
from truth_bench.content_kinds import CONTENT_KINDS
from truth_bench.disk_kinds import DISK_KINDS, content_mutation
from truth_bench.git_kinds import GIT_KINDS
from truth_bench.index_kinds import INDEX_KINDS, index_files
from truth_bench.oracle import Judgement, Oracle
from truth_bench.place_kinds import PLACE_KINDS
from truth_bench.questions import TASKS, named_in, question, random_place
from truth_bench.repository import LARGE_BYTES, copy_of
from truth_bench.rule_kinds import RULE_KINDS
from truth_bench.secret_kinds import SECRET_KINDS
from truth_bench.surfaces import SURFACES, Api, AskError, Opened, Packet, environment
from truth_bench.symbol_kinds import SYMBOL_EDITS
from truth_bench.world import Mutation, Target, World

KINDS: dict[str, Mutation] = {
    **{name: content_mutation(name) for name in {**CONTENT_KINDS, **SYMBOL_EDITS}},
    **DISK_KINDS,
    **PLACE_KINDS,
    **GIT_KINDS,
    **RULE_KINDS,
    **INDEX_KINDS,
    **SECRET_KINDS,
}
AWAITED = "(until a save is found)"
OPEN, LARGE, LARGE_SHARE = " (open)", " (large)", 0.12
REFRESH, SEVERAL, AGAIN = 0.06, 0.12, 0.10
MOST_SCARS = 80
PROGRESS = 100
# How long a client may display what is not true any more, before it counts.
SETTLE_S = float(os.environ.get("TRUTH_BENCH_SETTLE_S", "15"))
MAX_FILE_BYTES = 2 * 1024 * 1024


@dataclass(slots=True)
class Tally:
    """What happened to one kind of mutation. ``shown``: packets that hold an item of the mutated file; ``refused``: no
    packet, since there is no folder; ``told`` and ``untold``: verified items whose symbol was checked, or could not be.
    """

    packets: int = 0
    refused: int = 0
    items: int = 0
    verified: int = 0
    shown: int = 0
    unlocated: int = 0
    told: int = 0
    untold: int = 0
    half_written: int = 0
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
        self.told += said.told
        self.untold += said.untold
        self.half_written += said.half_written
        self.wrong.update(kind for kind, _ in said.wrong)
        self.needless += len(said.needless)
        self.reasons.update(said.reasons)
        self.elapsed_ms.append(elapsed_ms)


@dataclass(slots=True)
class Outcome:
    """All tallies of a folder through one surface, what went wrong in words, and whether the index ended equal to a
    cold one. ``load`` is the number of busy loops beside it; ``saved_ms`` how long saves took to be found while many
    other files were taken in."""

    folder: str
    seed: int
    surface: str = "api"
    load: int = 0
    mutations: int = 0
    tallies: dict[str, Tally] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    needless: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    unequal: int = 0
    compared: int = 0
    refreshes: int = 0
    elapsed_s: float = 0.0
    saved_ms: list[float] = field(default_factory=list)


class Bench:
    """One folder, one seed, one surface. ``work`` is an empty folder of its own."""

    def __init__(
        self,
        source: Path,
        work: Path,
        *,
        seed: int | str,
        can_deny: bool,
        kinds: list[str],
        surface: str = "api",
        is_busy: bool = False,
        echo: bool = False,
    ) -> None:
        self._rng = Random(f"{seed} {source.name}")
        self._work = work
        outside, home = work / "outside", work / "home"
        outside.mkdir()
        home.mkdir()
        self._repository = copy_of(source, work / source.name, home, self._rng)
        self._world = World(self._repository, outside, self._rng, MAX_FILE_BYTES, can_deny, home=home, surface=surface)
        self._oracle = Oracle(self._repository, MAX_FILE_BYTES)
        self._world.bring_level = self._refresh
        self._paths = self._repository.tracked()
        self._large = [path for path in self._paths if self._size(path) > LARGE_BYTES]
        self._kinds = kinds
        self._open: Opened | None = None
        self._is_busy = is_busy
        self._deck: list[str] = []
        self._echo = echo
        self._told = 0
        self.outcome = Outcome(source.name, int(str(seed).split()[0]), surface)

    def run(self, mutations: int, *, compare_every: int, ready: Callable[[], None] = lambda: None) -> Outcome:
        """Mutate and ask until ``mutations`` were made; ``ready`` is called when all is prepared."""
        self._surface = SURFACES[self.outcome.surface](self._repository.root, self._work)
        ready()
        started = time.monotonic()
        try:
            last = steps = 0
            while self.outcome.mutations < mutations and steps < 20 * mutations:
                steps += 1
                self._step()
                self._tell_progress(started)
                if self.outcome.mutations - last >= compare_every:
                    last = self.outcome.mutations
                    self._compare()
            self._compare()
            self._world.restore()
            self._compare()
        except Exception:  # noqa: BLE001 - what was found so far is worth having
            self.outcome.crashes.append(f"[{self.outcome.mutations}] the run: {traceback.format_exc(limit=-8)}")
            print(self.outcome.crashes[-1], flush=True)
        finally:
            self._world.restore()
            self._surface.close()
        self.outcome.elapsed_s = time.monotonic() - started
        return self.outcome

    def _tell_progress(self, started: float) -> None:
        """A line now and then, so that a run over thousands can be watched."""
        if self.outcome.mutations // PROGRESS > self._told:
            self._told = self.outcome.mutations // PROGRESS
            about = f"{self.outcome.folder} {self.outcome.surface}"
            print(f"{about}: {self.outcome.mutations} in {time.monotonic() - started:.0f} s", flush=True)

    def _size(self, path: bytes) -> int:
        place = self._repository.path(path)
        return os.path.getsize(place) if path.endswith(b".py") and os.path.isfile(place) else 0

    def _step(self) -> None:
        world, rng = self._world, self._rng
        world.begin()
        self._open = None
        if world.undo is not None:
            world.take_back()
            # What was seen gone has left the index, and comes back with a refresh only.
            if rng.random() < 0.5:
                self._refresh()
        if len(world.scars) > MOST_SCARS:
            world.restore()
        asked, target = self._first_question()
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
        if kind in SYMBOL_EDITS and self._size(moved.path) > LARGE_BYTES:
            kind += LARGE
        self._watch(kind)
        expected = None
        if not asked or moved.path != target.path or rng.random() < 0.3:
            place = named_in(self._repository, moved, rng) if world.is_file(moved.path) else moved
            asked = world.asked or question(place, rng)
            expected = moved.path
        if rng.random() < REFRESH and not world.versions and os.path.isdir(self._repository.root):
            self._refresh()
        task, k = rng.choice(TASKS), rng.choice((1, 3, 8, 8, 8, 20))
        packet = self._ask(kind, asked, task, k, moved, expected)
        if packet is None and kind in INDEX_KINDS:
            self._revive()
            return
        if world.awaited is not None:
            self._await(world.awaited)
        for _ in range(world.asked_again):
            place = random_place(self._repository, [moved.path, *self._paths], rng)
            self._ask(kind, question(place, rng), task, 8, place, None)
        if rng.random() < AGAIN:
            self._ask("(the same again)", asked, task, k, moved, None)

    def _watch(self, kind: str) -> None:
        """Judge what is displayed of the packet that was open while the mutation happened: either asked for now, or as
        the client is told unasked, which may take a while; then once more when the index is level with the disk."""
        opened, surface = self._open, self._surface
        if opened is None or self._world.meanwhile is not None or not os.path.isdir(self._repository.root):
            return
        is_asked = not surface.notices or self._rng.random() < 0.5
        self._judge_marks(f"{kind}{OPEN}", opened, is_asked=is_asked)
        if self._rng.random() < 0.4:
            self._refresh()
            self._judge_marks(f"{kind}{OPEN}", opened, is_asked=is_asked)

    def _judge_marks(self, kind: str, opened: Opened, *, is_asked: bool) -> None:
        started = time.perf_counter()
        while True:
            try:
                marks = self._surface.marks(opened, ask=is_asked)
            except (AskError, HelixError) as error:
                self.outcome.crashes.append(f"[{self.outcome.mutations}] {kind}: {error!r}")
                return
            said = self._oracle.judge_marks(
                marks, secrets=self._world.secrets, task=opened.task, uncounted=self._world.uncounted
            )
            elapsed_s = time.perf_counter() - started
            if is_asked or elapsed_s > SETTLE_S or not (said.wrong or said.needless):
                break
            time.sleep(0.02)
        self.outcome.tallies.setdefault(kind, Tally()).add(said, elapsed_s * 1e3, shown=True)
        how = "asked" if is_asked else f"unasked, after {elapsed_s:.1f} s"
        self._note(f"[{self.outcome.mutations}] {kind} ({how})", said)

    def _revive(self) -> None:
        """An index that nobody can ask any more was counted once; go on with a new one."""
        self._world.take_back()
        self._surface.close()
        for place in index_files(self._world):
            for suffix in ("", "-wal", "-shm"):
                place.with_name(place.name + suffix).unlink(missing_ok=True)
        self._surface = SURFACES[self.outcome.surface](self._repository.root, self._work)

    def _await(self, saved: Target) -> None:
        """Ask for a file that was just saved until it is found first, and note how long that took."""
        started = time.perf_counter()
        name = saved.path.decode()
        while (elapsed_s := time.perf_counter() - started) < SETTLE_S * 8:
            packet = self._ask(AWAITED, f"where is {saved.symbol} defined", "explain", 3, saved, None)
            if packet is not None and any(item["source_id"] == name for item in packet["verified"]):
                self.outcome.saved_ms.append((time.perf_counter() - started) * 1e3)
                return
            time.sleep(0.05)
        self.outcome.faults.append(f"[{self.outcome.mutations}] {name} was not found {elapsed_s:.0f} s after its save")
        self.outcome.tallies.setdefault(AWAITED, Tally()).wrong["waited"] += 1

    def _note(self, where: str, said: Judgement) -> None:
        self.outcome.faults += [f"{where}: {wrong}: {text}" for wrong, text in said.wrong]
        self.outcome.needless += [f"{where}: {text}" for text in said.needless]
        if self._echo and (said.wrong or said.needless):
            print(where, said.wrong, said.needless, flush=True)

    def _first_question(self) -> tuple[str, Target | None]:
        """Mostly a question that finds its place before the mutation; the target is one of the items found."""
        rng = self._rng
        paths = self._large if self._large and rng.random() < LARGE_SHARE else self._paths
        place = random_place(self._repository, paths, rng) if rng.random() < 0.9 else None
        asked = question(place, rng) if place is not None else "how are errors handled"
        if rng.random() < 0.35 and place is not None:
            return "", place if self._world.is_file(place.path) else None
        packet = self._ask("(before)", asked, rng.choice(TASKS), 8, place or Target(b"", 1, 1), None)
        if packet is not None and self._surface.keeps_open:
            self._open = Opened.of(packet)
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
            for other in self._others() if kind in SYMBOL_EDITS else ():
                if moved is None and self._world.is_file(other.path):
                    moved = KINDS[kind](self._world, other)
            if moved is not None:
                self.outcome.mutations += 1
                return kind, moved
            # The next kind may replace what undoes this one, and a ``.git`` put aside would never come back.
            self._world.take_back()
        return "", None

    def _others(self) -> list[Target]:
        """More places, those of the open packet first: to most of them a change of a class does not apply."""
        shown = [
            Target(os.fsencode(item["source_id"]), item["start_line"], item["end_line"], item["symbol"])
            for item in (self._open.items if self._open is not None else ())
        ]
        return shown + [random_place(self._repository, self._paths, self._rng) for _ in range(6)]

    def _refresh(self) -> None:
        if self._world.is_locked:
            return
        self.outcome.refreshes += 1
        try:
            self._surface.refresh()
        except (AskError, HelixError, OSError) as error:
            self.outcome.crashes.append(f"[{self.outcome.mutations}] refresh: {error!r}")

    def _ask(
        self, kind: str, asked: str, task: str, k: int, target: Target, expected: bytes | None
    ) -> dict[str, Any] | None:
        stop = threading.Event()
        writer, calm = None, None
        if self._world.is_hurried:
            calm = self._calmly(asked, task, k)
        if self._world.meanwhile is not None:
            writer = threading.Thread(target=self._world.meanwhile, args=(stop,))
            writer.start()
        started = time.perf_counter()
        try:
            packet: Packet = self._surface.ask(asked, task, k)
        except (AskError, HelixError) as error:
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
            packet,
            versions=self._world.versions,
            secrets=self._world.secrets,
            expected=expected,
            task=task,
            uncounted=self._world.uncounted,
            halves=self._world.halves,
        )
        self._world.forget_leaked(said.wrong)
        if calm is not None and (now := told_by(packet)) != calm:
            different = [name for name in calm if calm[name] != now[name]]
            said.wrong.append(("hurried", f"{', '.join(different)} other than in peace"))
        if self._world.check is not None:
            said.wrong += self._world.check(packet)
        if self._world.longest_ms and not self._is_busy and elapsed_ms > self._world.longest_ms:
            said.wrong.append(("waited", f"{elapsed_ms / 1e3:.0f} s for an answer"))
        items = [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]
        name = target.path.decode("utf-8", "backslashreplace")
        shown = any(item["source_id"] == name for item in items)
        self.outcome.tallies.setdefault(kind, Tally()).add(said, elapsed_ms, shown)
        where = f"[{self.outcome.mutations}] {kind} on {name}, k={k} task={task} asked {asked!r}"
        self._note(where, said)
        return packet

    def _calmly(self, asked: str, task: str, k: int) -> dict[str, Any] | None:
        """What is answered in peace, when the first answer has mended what it read; None where there is no answer."""
        try:
            return [told_by(self._surface.ask(asked, task, k)) for _ in range(2)][-1]
        except (AskError, HelixError):
            return None

    def _compare(self) -> None:
        """After a refresh the index must say what one built from nothing says."""
        if not isinstance(self._surface, Api):
            return
        helix = self._surface.helix
        self._world.take_back()
        self._refresh()
        if self._world.is_damaged:
            helix.rebuild()
            self._world.is_damaged = False
        cold = {**environment(self._work), "HELIX_CACHE_DIR": str(self._work / f"cold-{self.outcome.compared}")}
        config = load_config(environ=cold, user=self._work / "no-such-file.toml")
        with Helix.open(self._repository.root, config=config) as other:
            other.refresh()
            cold_path = other.index_path
        self.outcome.compared += 1
        if digest(helix.index_path) != digest(cold_path):
            self.outcome.unequal += 1
            difference = _difference(helix.index_path, cold_path)
            self.outcome.faults.append(f"[{self.outcome.mutations}] the index differs from a cold one: {difference}")


def told_by(packet: Packet) -> dict[str, Any]:
    """What a packet says of places, without times, ids and what git says of them later."""
    names = ("source_id", "start_line", "end_line", "symbol", "status", "reason", "quote", "content_hash")
    groups = ("verified", "stale_risk", "needs_refresh")
    said = {group: [[item.get(name) for name in names] for item in packet[group]] for group in groups}
    return said | {name: packet.get(name) for name in ("known_empty", "coordinate_confidence", "notes")}


def digest(path: Path) -> str:
    """What an index says of all its files, as one hash."""
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
        known.append({name: (one.content_hash, one.skipped) for name, one in index.reader().files.states().items()})
        index.close()
    different = {name for name in known[0].keys() | known[1].keys() if known[0].get(name) != known[1].get(name)}
    shown = [(name, known[0].get(name), known[1].get(name)) for name in sorted(different)[:5]]
    return f"{len(different)} paths, such as {shown}" if different else "in something else than files and their hashes"


__all__ = ["KINDS", "Bench", "Outcome", "Tally"]
