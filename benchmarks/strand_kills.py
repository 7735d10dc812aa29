"""Kill -9 while memories are written, rolled back, purged, taken in, synced and merged: is the store whole after it?

    python benchmarks/strand_kills.py [--points 200] [--seed 1] [--json FILE]

Two people share a project. Each point begins from copies of the same store and the same shared folder, and one
process writes a memory, rolls back, purges, takes in a strand, syncs through the folder, or merges two files. Every
other point it is killed before its n-th
step (an SQL statement or a change of a file), for n over all of them; the other points at a random moment. Then the
store must be whole and in a state before or after the whole command, every file of the folder must be whole or as it
was, and the same command must end as if nobody had been killed. Where a memory is purged after the kill, no word of it
may be left once the store was opened and closed. Ends with status 1 on any miss.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.engine.memory import ImportRequest, RememberRequest
from helix_core.model import MemoryStatus
from helix_core.store.sqlite_file import QuerySession
from helix_core.strand import (
    ClashPolicy,
    Manifest,
    Pin,
    RecoveryCode,
    StrandKeys,
    content_root,
    inspect,
    merged,
    open_strand,
    seal,
)
from helix_ls.host.strand_files import StrandAccess, write_strand
from helix_ls.host.strand_sync import SyncRequest, synced

SCHEMA = 1
SECRET_WORD = "zebrafish"
ADA, BOB = StrandKeys.made(os.urandom), StrandKeys.made(os.urandom)
CODE = RecoveryCode.made(os.urandom)
CHANGES = frozenset({"open", "os.rename", "os.remove", "os.chmod", "os.link"})
ACTIONS = ("import", "sync", "merge", "write", "rollback", "purge")
LOCAL = frozenset({"write", "rollback", "purge"})
"""Actions whose operations have random ids: their states are compared by texts and statuses, not by content root."""
WRITTEN, SUPERSEDING = "The queue is RabbitMQ", 4


def in_child(act: Callable[[], Any], *, killed_after_s: float | None = None) -> tuple[int, Any]:
    """Run a function in a process of its own; return the signal that ended it, and what the function returned."""
    with tempfile.NamedTemporaryFile() as answer:
        process = os.fork()
        if not process:
            status = 1
            try:
                Path(answer.name).write_text(json.dumps(act()))
                status = 0
            except Exception:  # noqa: BLE001 - the parent says that it failed
                traceback.print_exc()
            finally:
                os._exit(status)
        if killed_after_s is not None:
            time.sleep(killed_after_s)
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        if os.WIFSIGNALED(status):
            return os.WTERMSIG(status), None
        if os.WEXITSTATUS(status):
            raise RuntimeError("the process failed by itself; see its traceback")
        return 0, json.loads(Path(answer.name).read_text())


class Steps:
    """Counts what a process does to its store and to files, and kills it before one of its steps."""

    def __init__(self, below: Path, last: int | None = None) -> None:
        self.count, self._below, self._last = 0, os.fspath(below), last
        self.of_files: list[int] = []
        rows = QuerySession.rows

        def counted(session: QuerySession, *arguments: Any, **named: Any) -> Any:
            self._step()
            return rows(session, *arguments, **named)

        QuerySession.rows = counted  # type: ignore[method-assign]
        sys.addaudithook(self._heard)

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in CHANGES or str(arguments[0]).partition(self._below)[0]:
            return
        if event != "open" or arguments[2] & (os.O_WRONLY | os.O_RDWR):
            self.of_files.append(self.count + 1)
            self._step()

    def _step(self) -> None:
        self.count += 1
        if self.count == self._last:
            os.kill(os.getpid(), signal.SIGKILL)


class Person:
    """A folder, a store and a shared folder; all of it in ``place``."""

    def __init__(self, place: Path, project: Path) -> None:
        self.place, self.project = place, project
        self.shared = place / "shared"

    def opened(self) -> Helix:
        environ = {"HELIX_CACHE_DIR": str(self.place / "cache"), "HELIX_DATA_DIR": str(self.place / "data")}
        return Helix.open(self.project, config=load_config(self.project, environ=environ, user=self.place / "none"))

    def synced(self, helix: Helix, keys: StrandKeys, other: StrandKeys) -> dict[str, Any]:
        access = StrandAccess([keys], keys.signer, {other.signer: Pin("", 1)})
        wanted = SyncRequest(self.shared, access, keys, [other.recipient, CODE], prunes=True)
        return synced(helix.memory, wanted, os.urandom)


def prepared(scratch: Path) -> None:
    """Make Ada's store and a shared folder with what Ada and Bob synced: Bob has purged a memory of Ada's."""
    project = scratch / "project"
    project.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    ada, bob = Person(scratch / "template", project), Person(scratch / "bob", project)
    ada.shared.mkdir(parents=True)
    bob.shared = ada.shared
    with ada.opened() as of_ada, bob.opened() as of_bob:
        for number in range(4):
            of_ada.memory.remember(RememberRequest(f"The port of ada{number} is 80{number}0", is_global=True))
        of_ada.memory.remember(RememberRequest("The timeout is 300 ms", is_global=True, valid_from=1))
        given = RememberRequest(f"The {SECRET_WORD} password rule of Mars", is_global=True)
        (gone,) = of_ada.memory.remember(given)["items"]
        ada.synced(of_ada, ADA, BOB)
        bob.synced(of_bob, BOB, ADA)
        of_bob.memory.purge(gone["id"], f"purge {gone['id']}")
        for number in range(4):
            of_bob.memory.remember(RememberRequest(f"The port of bob{number} is 90{number}0", is_global=True))
        of_bob.memory.remember(RememberRequest("The timeout is 500 ms", is_global=True, valid_from=2))
        bob.synced(of_bob, BOB, ADA)
        of_ada.memory.remember(RememberRequest("The queue is NATS", is_global=True))
        (scratch / "bob.dna").write_bytes(
            seal(Manifest(SCHEMA, 1), of_bob.memory.exported(), keys=BOB, locks=[CODE], random=os.urandom)
        )


def acted(scratch: Path, action: str) -> dict[str, Any]:
    """Do one thing once, as a command does it; return what it changed."""
    person = Person(scratch / "point", scratch / "project")
    if action == "merge":
        files = [scratch / "bob.dna", *sorted(person.shared.glob("*.dna"))]
        strands = [open_strand(file.read_bytes(), CODE, newest_schema=SCHEMA) for file in files]
        manifest, records = merged(strands, now=1)
        made = seal(manifest, records, keys=ADA, locks=[CODE], random=os.urandom)
        write_strand(person.place / "merged.dna", "merged.dna", made, replaces=True)
        return {"changes": 0}
    with person.opened() as helix:
        if action in LOCAL:
            return {"changes": acted_here(helix, action)}
        if action == "import":
            strand = open_strand((scratch / "bob.dna").read_bytes(), CODE, newest_schema=SCHEMA)
            told = helix.memory.imported(ImportRequest(strand, True, ClashPolicy.NEWEST))
            return {"changes": sum(told["added"].values()) + told["removed"]}
        told = person.synced(helix, ADA, BOB)
        return {"changes": len(told["taken"]) + told["writes"] + len(told["pruned"])}


def acted_here(helix: Helix, action: str) -> int:
    """Write, roll back or purge in the store; return how many memories that changed."""
    memory = helix.memory
    if action == "write":
        wanted = RememberRequest(WRITTEN, is_global=True, supersedes=[of_text(helix, "NATS")], key="written")
        return sum(one["is_new"] for one in memory.remember(wanted)["items"])
    if action == "rollback":
        return len(memory.rollback(SUPERSEDING)["items"])
    try:
        gone = of_text(helix, SECRET_WORD)
    except LookupError:
        return 0
    return len(memory.purge(gone, f"purge {gone}")["items"])


def of_text(helix: Helix, word: str) -> str:
    """The id of the memory with a word, of any status. Raises LookupError."""
    statuses = [one.value for one in MemoryStatus]
    items = helix.memory.listed(statuses=statuses, limit=500)["items"]
    found = [one["id"] for one in items if word in one["text"]]
    if not found:
        raise LookupError(word)
    return str(found[0])


def state(scratch: Path, action: str) -> str:
    """The content root of the store, of a log without a gap; for what is done here alone, texts and statuses.

    Raises where the store is not whole.
    """
    place = scratch / "point"
    with Person(place, scratch / "project").opened() as helix:
        broken = helix.memory.log(verify=True)["first_broken"]
        if action in LOCAL:
            items = helix.memory.listed(statuses=[one.value for one in MemoryStatus], limit=500)["items"]
            root = json.dumps(sorted((one["text"], one["status"]) for one in items))
        else:
            root = content_root(helix.memory.exported()).hex()
    with sqlite3.connect(place / "data" / "memory.db") as connection:
        (check,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    if check != "ok" or broken is not None:
        raise AssertionError(f"the store is not whole: {check}, first broken {broken}")
    return root


def files(folder: Path) -> dict[str, str]:
    """The visible files of a folder with their hashes."""
    found = sorted(file for file in folder.iterdir() if not file.name.startswith("."))
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in found}


def faults_after(scratch: Path, action: str, allowed: frozenset[str], end: str) -> list[str]:
    """What is wrong after a kill, and after the same command ran again; in words."""
    place, template, found = scratch / "point", scratch / "template", []
    if (root := state(scratch, action)) not in allowed:
        found.append(f"the store is between two states: {root}")
    if action == "purge" and SECRET_WORD not in root:
        found += words_left(place)
    had = files(template / "shared")
    for name, digest in files(place / "shared").items():
        inspect((place / "shared" / name).read_bytes())
        if had.get(name, digest) != digest:
            found.append(f"{name} was written again")
    lost = had.keys() - files(place / "shared").keys()
    found += [f"{name} of Bob is gone" for name in lost if not name.startswith(ADA.signer[:8].hex())]
    merged_file = place / "merged.dna"
    if merged_file.exists():
        open_strand(merged_file.read_bytes(), CODE, newest_schema=SCHEMA)
    acted(scratch, action)
    if (root := state(scratch, action)) != end:
        found.append(f"the next run ends otherwise: {root}")
    before = files(place / "shared")
    if action != "merge" and (acted(scratch, action)["changes"] or files(place / "shared") != before):
        found.append("a run after that changes something again")
    if action == "merge" and not merged_file.exists():
        found.append("the next run wrote no file")
    if action in ("import", "sync", "purge"):
        found += words_left(place)
    return found


def words_left(place: Path) -> list[str]:
    """Which files of the store hold a word of what was purged."""
    files_ = sorted((place / "data").iterdir())
    held = [file.name for file in files_ if SECRET_WORD.encode() in file.read_bytes().lower()]
    return [f"{name} holds a word of what was purged" for name in held]


def fresh(scratch: Path) -> None:
    """Put the template in place of what the last point left."""
    shutil.rmtree(scratch / "point", ignore_errors=True)
    shutil.copytree(scratch / "template", scratch / "point")


@dataclass(frozen=True, slots=True)
class Whole:
    """A run that nobody kills: its steps, which of them change files, its seconds, and the states of the store."""

    steps: int
    of_files: tuple[int, ...]
    seconds: float
    states: frozenset[str]
    end: str

    def order(self, draw: random.Random) -> list[int]:
        """Return all steps in the order to try them: in turn one that changes a file, and one of SQL."""
        of_files = draw.sample(self.of_files, len(self.of_files))
        others = [step for step in range(1, self.steps + 1) if step not in self.of_files]
        return [step for pair in zip_longest(of_files, draw.sample(others, len(others))) for step in pair if step]


def measured(scratch: Path, action: str) -> Whole:
    """Run once, and let nobody kill it."""

    def begin() -> list[str]:
        return [state(scratch, action)]

    def run() -> tuple[int, list[int], float, str]:
        steps, started = Steps(scratch / "point"), time.monotonic()
        acted(scratch, action)
        count, of_files, took = steps.count, list(steps.of_files), time.monotonic() - started
        return count, of_files, took, state(scratch, action)

    fresh(scratch)
    stored = b"".join(file.read_bytes() for file in (scratch / "point" / "data").iterdir())
    assert SECRET_WORD.encode() in stored.lower()
    (_, (first,)) = in_child(begin)
    (_, (count, of_files, took, last)) = in_child(run)
    assert action == "merge" or first != last, f"{action} changed nothing"
    return Whole(count, tuple(of_files), took, frozenset({first, last}), last)


def faults_at(scratch: Path, action: str, whole: Whole, step: int | None, wait_s: float) -> tuple[bool, list[str]]:
    """Kill one run before a step, or after a time where there is none; return whether it died, and what is wrong."""

    def run() -> None:
        if step is not None:
            Steps(scratch / "point", step)
        acted(scratch, action)

    fresh(scratch)
    died, _ = in_child(run, killed_after_s=wait_s if step is None else None)
    by = f"after {wait_s * 1e3:.0f} ms" if step is None else f"before step {step} of {whole.steps}"
    try:
        _, faults = in_child(lambda: faults_after(scratch, action, whole.states, whole.end))
    except RuntimeError as error:
        faults = [str(error)]
    return died == signal.SIGKILL, [f"{action}, killed {by}: {fault}" for fault in faults]


def main() -> int:
    """Kill, look, and say what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    draw, killed, wrong = random.Random(given.seed), Counter[str](), []
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        in_child(lambda: prepared(scratch))
        known = {action: measured(scratch, action) for action in ACTIONS}
        orders = {action: whole.order(draw) for action, whole in known.items()}
        for point in range(given.points):
            action = ACTIONS[point % len(ACTIONS)]
            whole, turn = known[action], point // len(ACTIONS)
            step = None if turn % 2 else orders[action][turn // 2 % whole.steps]
            died, faults = faults_at(scratch, action, whole, step, draw.random() * whole.seconds)
            killed[action] += died
            wrong += faults
    steps = {action: whole.steps for action, whole in known.items()}
    if given.json:
        answer = {"points": given.points, "killed": dict(killed), "steps": steps, "wrong": wrong}
        given.json.write_text(json.dumps(answer) + "\n")
    print(f"{killed.total()} of {given.points} killed {dict(killed)}; steps {steps}; {len(wrong)} wrong")
    print("\n".join(wrong[:40]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
