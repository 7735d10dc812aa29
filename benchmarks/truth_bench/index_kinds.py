"""Mutations around the index rather than of the files: it is locked, damaged, half built, busy, or lacks a file.

Whatever its state, a question is answered, what is missing is said, and nothing untrue is verified.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil

from truth_bench.hook.sitecustomize import MARK
from truth_bench.repository import remove
from truth_bench.rule_kinds import untracked
from truth_bench.surfaces import environment, helix_command
from truth_bench.world import Check, Mutation, Target, World

INDEX_KINDS: dict[str, Mutation] = {}
SERVERS = ("mcp", "lsp", "daemon")
BULK_FILES, BULK_BYTES = 300, 6000
# An answer beside a process that holds the index; the command itself starts in a third of a second.
WAITED_MS = 30_000.0
_DAMAGE = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1], timeout=60) as database:
    version = database.execute("PRAGMA schema_version").fetchone()[0]
    database.execute("PRAGMA writable_schema = ON")
    database.execute(f"UPDATE sqlite_schema SET sql = {sys.argv[2]}")
    database.execute(f"PRAGMA schema_version = {version + 1}")
"""
_OVERWRITE = """
import os, random, sys
chance = random.Random(int(sys.argv[2]))
with open(sys.argv[1], "r+b") as file:
    file.seek(4096 * chance.randrange(os.fstat(file.fileno()).st_size // 4096))
    file.write(chance.randbytes(4096))
"""
_IGNORING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])
"""
_HOLD = """
import sys
from filelock import FileLock
lock = FileLock(sys.argv[1])
lock.acquire()
print("held", flush=True)
sys.stdin.read()
"""


def index_kind(mutation: Mutation) -> Mutation:
    INDEX_KINDS[mutation.__name__] = mutation
    return mutation


def index_files(world: World) -> list[Path]:
    """The databases of this run, those of cold builds aside."""
    return sorted((world.home.parent / "cache").rglob("index.db"))


def _edited(world: World, target: Target) -> Target | None:
    if not world.is_file(target.path):
        return None
    data = world.remember(target)
    world.write(target.path, b"# edited beside a locked index\n" + data)
    return target


@index_kind
def another_process_holds_the_index(world: World, target: Target) -> Target | None:
    """Somebody writes much and holds the lock; a file changes, and the question is asked meanwhile."""
    locks = [path.with_suffix(".lock") for path in index_files(world)]
    if not locks:
        return None
    holder = subprocess.Popen([sys.executable, "-c", _HOLD, locks[0]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    world.is_locked = True

    def undo() -> None:
        world.is_locked = False
        holder.communicate(timeout=60)

    world.undo = undo
    world.longest_ms = WAITED_MS
    return _edited(world, target)


@index_kind
def schema_row_damaged(world: World, target: Target) -> Target | None:
    """A row of the schema names a column that is not there; the next question finds it so, and heals the index."""
    return _damaged(world, target, "REPLACE(sql, 'breadcrumb ', 'breadcrumx ') WHERE name = 'item'")


@index_kind
def schema_table_renamed(world: World, target: Target) -> Target | None:
    return _damaged(world, target, "REPLACE(sql, 'TABLE profile', 'TABLE profilx') WHERE name = 'profile'")


def _damaged(world: World, target: Target, change: str) -> Target | None:
    return _done_to_the_index(world, target, _DAMAGE, change)


def _done_to_the_index(world: World, target: Target, program: str, *arguments: str) -> Target | None:
    """Run a program on the database, whoever has it open; it does not apply to one that is damaged already.

    Not in this process: two SQLite libraries in one take each other's locks away, and so does closing the file.
    """
    world.level(0.7)
    if not index_files(world):
        return None
    command = [sys.executable, "-c", program, str(index_files(world)[0]), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and not re.search(r"malformed|not a database|locked|no such table", done.stderr):
        raise RuntimeError(done.stderr[-600:])
    world.is_damaged = world.is_damaged or not done.returncode
    return None if done.returncode else target


@index_kind
def page_damaged(world: World, target: Target) -> Target | None:
    """A page of the database is overwritten, by another process, whether or not somebody has it open."""
    return _done_to_the_index(world, target, _OVERWRITE, str(world.rng.randrange(2**31)))


@index_kind
def index_half_built(world: World, target: Target) -> Target | None:
    """The index is gone and is built anew, by another process or by the server that had it open, while the question is
    asked: what lacks must be said.
    """
    if world.surface not in {"cli", *SERVERS} or not _removed(world):
        return None
    world.longest_ms = WAITED_MS
    if world.surface in SERVERS:
        world.check = _once(_says_it_was_removed)
        return target
    builder = subprocess.Popen(
        helix_command("index", "--json", str(world.repository.root)),
        env=environment(world.home.parent),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        builder.wait(world.rng.random() * 1.5)
    except subprocess.TimeoutExpired:
        world.check = _says_it_is_not_whole(builder)
    world.undo = lambda: _finished(builder)
    return target


def _removed(world: World) -> bool:
    """Remove the index; False where there is none."""
    files = index_files(world)
    for path in files:
        for suffix in ("", "-wal", "-shm"):
            remove(f"{path}{suffix}".encode())
    return bool(files)


def _once(check: Check) -> Check:
    """The check of the next packet alone: by the one after it, the server may have built the index."""
    left = [check]
    return lambda packet: left.pop()(packet) if left else []


def _says_it_was_removed(packet: Mapping[str, Any]) -> list[tuple[str, str]]:
    if says_what_lacks(packet) or any(re.search(r"built again|rebuilt", note) for note in packet["notes"]):
        return []
    return [("unsaid", f"the index was removed, and the notes say {packet['notes']}")]


@index_kind
def index_interrupted_where_interrupts_are_ignored(world: World, target: Target) -> Target | None:
    """``helix index``, started as in a script's background, is interrupted: it ends with 130, and the next packet is
    right.
    """
    if world.surface != "cli" or not _removed(world):
        return None
    builder = subprocess.Popen(
        [sys.executable, "-c", _IGNORING, *helix_command("index", "--json", str(world.repository.root))],
        env=environment(world.home.parent),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    time.sleep(world.rng.uniform(0.3, 4.0))
    is_running = builder.poll() is None
    builder.send_signal(signal.SIGINT)
    _, errors = builder.communicate(timeout=300)
    ended = builder.returncode

    def check(_: Mapping[str, Any]) -> list[tuple[str, str]]:
        # A shell shows an end by the signal itself as 130, too; one that is not up yet still ignores it, and goes on.
        is_right = ended in {0, 130, -signal.SIGINT} if is_running else ended == 0
        said = f"helix index ended with {ended} after an interrupt: {errors[-300:]!r}"
        return [] if is_right else [("not_interrupted", said)]

    world.check = check
    return target


@index_kind
def server_stopped_again_and_again(world: World, target: Target) -> Target | None:
    """The server loses the processor for longer than any budget, again and again, while it answers."""
    if world.surface not in SERVERS:
        return None
    world.level()
    cache = str(world.home.parent / "cache")

    def meanwhile(stop: threading.Event) -> None:
        processes = _processes(cache)
        while not stop.wait(0.004):
            for process in processes:
                _signal(process, signal.SIGSTOP)
            time.sleep(0.08)
            for process in processes:
                _signal(process, signal.SIGCONT)

    # What an earlier kind of the same step expects of the first answer is not for this one, which is asked later.
    world.meanwhile, world.is_hurried, world.check = meanwhile, True, None
    return target


def _processes(cache: str) -> list[psutil.Process]:
    """The processes of this run other than this one."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.pid != os.getpid() and process.environ().get("HELIX_CACHE_DIR") == cache:
                found.append(process)
    return found


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    with contextlib.suppress(psutil.Error):
        process.send_signal(number)


def _says_it_is_not_whole(builder: subprocess.Popen[bytes]) -> Callable[[Mapping[str, Any]], list[tuple[str, str]]]:
    def check(packet: Mapping[str, Any]) -> list[tuple[str, str]]:
        if builder.poll() is not None or says_what_lacks(packet):
            return []
        return [("unsaid", "another process still builds the index, and nothing says so")]

    return check


def says_what_lacks(packet: Mapping[str, Any]) -> bool:
    """Does a packet say that the index is not whole?"""
    share = packet.get("accounting", {}).get("indexed_share", 1.0)
    lacks = re.compile(r"not (?:yet )?(?:whole|complete|indexed|in the index)|behind the disk|only just been begun")
    return share < 1.0 or any(lacks.search(one) for one in packet["notes"])


def _finished(builder: subprocess.Popen[bytes]) -> None:
    builder.wait(1800)


@index_kind
def file_set_aside(world: World, target: Target) -> Target | None:
    """A file breaks its parser: no answer may pass over it in silence."""
    new = untracked(world, target)
    data = world.repository.read(new.path)
    with open(world.absolute(new.path), "wb") as file:
        file.write(b"# " + MARK + b"\n" + data)
    world.level()
    name = new.path.decode("utf-8", "backslashreplace")

    def check(packet: Mapping[str, Any]) -> list[tuple[str, str]]:
        found = []
        if not any(re.search(r"set aside|not indexed|could not be (?:read|parsed)", note) for note in packet["notes"]):
            found.append(("unsaid", f"{name} is set aside, and the notes say {packet['notes']}"))
        if any(item["source_id"] == name for item in packet["verified"]):
            found.append(("false_verified", f"{name} is set aside, but verified"))
        return found

    world.check = check
    world.undo = lambda: remove(world.absolute(new.path))
    return new


@index_kind
def file_made_just_before(world: World, target: Target) -> Target | None:
    """A new file, asked for by the name that it defines before anything can have taken it in."""
    if not world.is_file(target.path):
        return None
    world.level(0.5)
    number = world.rng.randrange(10**6)
    folder = target.path.rpartition(b"/")[0]
    made = Target((folder + b"/" if folder else b"") + b"bench_made_%d.py" % number, 1, 2, f"bench_made_{number}")
    if world.repository.git("check-ignore", made.path, check=False):
        # Where git ignores it, no answer has it.
        return None
    definition = b"def bench_made_%d(value):\n    return value + %d\n" % (number, number)
    with open(world.absolute(made.path), "wb") as file:
        file.write(definition + (b"\n\n" + world.text_to_copy(target.path)) * (world.rng.random() < 0.5))
    world.undo = lambda: remove(world.absolute(made.path))
    return _asked_at_once(world, made)


@index_kind
def file_renamed_just_before(world: World, target: Target) -> Target | None:
    """A file that the index knows has another name, and sometimes another folder, when its definition is asked for."""
    if not world.is_file(target.path):
        return None
    old = untracked(world, target)
    if world.surface in SERVERS:
        world.level()
    folder = world.rng.choice((b"", b"bench_renamed/"))
    new = Target(folder + old.path.rpartition(b"/")[2].replace(b"untracked", b"renamed"), 1, 3, old.symbol)
    os.makedirs(os.path.dirname(world.absolute(new.path)), exist_ok=True)
    os.rename(world.absolute(old.path), world.absolute(new.path))

    def undo() -> None:
        remove(world.absolute(new.path))
        if folder:
            remove(world.absolute(folder.rstrip(b"/")))

    world.undo = undo
    return _asked_at_once(world, new)


def _asked_at_once(world: World, new: Target) -> Target:
    """The next answer shows the file, or says that the index may lack it; it never says that nothing is known.

    A library that is told of nothing refreshes when it is told to.
    """
    if world.surface == "api":
        world.level()
    name, asked = new.path.decode("utf-8", "backslashreplace"), f"where is {new.symbol} defined"

    def check(packet: Mapping[str, Any]) -> list[tuple[str, str]]:
        if packet["query"] != asked:
            return []
        groups = ("verified", "stale_risk", "needs_refresh")
        is_shown = any(item["source_id"] == name for group in groups for item in packet[group])
        if packet["known_empty"] or not (is_shown or says_what_lacks(packet)):
            said = f"known_empty {packet['known_empty']}, notes {packet['notes']}"
            return [("unsaid", f"{name} was there before the question, and is not in the answer: {said}")]
        return []

    world.check, world.asked = check, asked
    return new


@index_kind
def save_during_a_bulk_refresh(world: World, target: Target) -> Target | None:
    """Hundreds of files appear, and one is saved after them: it is found long before all the others are in."""
    if world.surface not in SERVERS or not world.is_file(target.path):
        return None
    number = world.rng.randrange(10**6)
    folder = b"bench_bulk_%d" % number
    os.mkdir(world.absolute(folder))
    text = world.repository.read(target.path)[:BULK_BYTES]
    for each in range(BULK_FILES):
        with open(world.absolute(folder + b"/part_%d.py" % each), "wb") as file:
            file.write(b"def bench_part_%d_%d():\n    return %d\n\n\n" % (number, each, each) + text)
    saved = Target(folder + b"/saved.py", 1, 2, f"bench_saved_{number}")
    with open(world.absolute(saved.path), "wb") as file:
        file.write(b"def bench_saved_%d(value):\n    return value\n" % number)
    world.scars.append(world.absolute(folder))
    world.awaited = saved
    world.asked_again = 2
    return saved
