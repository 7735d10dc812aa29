# ruff: noqa: ARG001 - every kind is called alike
"""Mutations of how bytes get to the disk, of several files at once, and of files written while a packet is made.

Each takes the world and a target that is a regular file now, and returns the place to ask for next, or None where
it does not apply.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from random import Random

from truth_bench.content_kinds import CONTENT_KINDS
from truth_bench.repository import CODE, remove
from truth_bench.surfaces import environment
from truth_bench.symbol_kinds import SYMBOL_EDITS
from truth_bench.world import Mutation, Target, World

DISK_KINDS: dict[str, Mutation] = {}


def disk_kind(mutation: Mutation) -> Mutation:
    DISK_KINDS[mutation.__name__] = mutation
    return mutation


def edited(world: World, target: Target, kind: str) -> bytes | None:
    """The file's bytes after a content mutation; the file itself is saved, not yet written.

    None for a file with a planted secret too: an edit may remove the word that tells a reader that it is one.
    """
    data = world.repository.read(target.path)
    if not data or any(secret.encode() in data for secret in world.secrets):
        return None
    count = data.count(b"\n") + 1
    first = min(target.start_line, count) - 1
    last = min(max(target.end_line, target.start_line), count) - 1
    new = {**CONTENT_KINDS, **SYMBOL_EDITS}[kind](data, first, last, world.rng)
    if new is None or new == data:
        return None
    world.remember(target)
    return new


@disk_kind
def edit_with_mtime_restored(world: World, target: Target) -> Target | None:
    new = edited(world, target, "edit_inside")
    return None if new is None else _written_quietly(world, target, new)


@disk_kind
def same_size_with_mtime_restored(world: World, target: Target) -> Target | None:
    new = edited(world, target, "same_size_edit")
    return None if new is None else _written_quietly(world, target, new)


def _written_quietly(world: World, target: Target, new: bytes) -> Target:
    with open(world.absolute(target.path), "r+b") as file:
        file.write(new)
        file.truncate()
    os.utime(world.absolute(target.path), ns=world.saved[-1].times_ns)
    return target


@disk_kind
def mmap_write(world: World, target: Target) -> Target | None:
    new = edited(world, target, "same_size_edit")
    if new is None:
        return None
    with open(world.absolute(target.path), "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[:] = new
    return target


@disk_kind
def atomic_rename_over(world: World, target: Target) -> Target | None:
    new = edited(world, target, world.rng.choice(("edit_inside", "edit_before", "same_size_edit")))
    if new is None:
        return None
    world.replace(target.path, new)
    return target


@disk_kind
def rename_over_with_mtime_restored(world: World, target: Target) -> Target | None:
    new = edited(world, target, "same_size_edit")
    if new is None:
        return None
    world.replace(target.path, new)
    os.utime(world.absolute(target.path), ns=world.saved[-1].times_ns)
    return target


@disk_kind
def rename_over_with_equal_bytes(world: World, target: Target) -> Target | None:
    world.replace(target.path, world.remember(target))
    return target


@disk_kind
def backup_rename(world: World, target: Target) -> Target | None:
    new = edited(world, target, world.rng.choice(("edit_inside", "edit_before")))
    if new is None:
        return None
    place = world.absolute(target.path)
    os.rename(place, place + b"~")
    world.scars.append(place + b"~")
    with open(place, "wb") as file:
        file.write(new)
    return target


@disk_kind
def touch_only(world: World, target: Target) -> Target | None:
    world.remember(target)
    moment = world.rng.choice((None, (0, 0), (4_000_000_000, 4_000_000_000)))
    os.utime(world.absolute(target.path), moment)
    return target


@disk_kind
def revert(world: World, target: Target) -> Target | None:
    """An earlier damage is taken back, half of the time with the old modification time."""
    if not world.saved:
        return None
    saved = world.saved.pop(world.rng.randrange(len(world.saved)))
    earlier = [other for other in world.saved if other.target.path == saved.target.path]
    for other in earlier:
        world.saved.remove(other)
    saved = earlier[0] if earlier else saved
    world.revert(saved)
    if world.rng.random() < 0.5:
        os.utime(world.absolute(saved.target.path), ns=saved.times_ns)
    return saved.target


@disk_kind
def grow_over_the_limit(world: World, target: Target) -> Target | None:
    data = world.remember(target)
    filler = b"# filler line\n" * ((world.max_bytes - len(data)) // 14 + 2)
    world.write(target.path, data + b"\n" + filler)
    return target


@disk_kind
def duplicate_text_in_two_files(world: World, target: Target) -> Target | None:
    """The span's text is put into another file as well; the question could mean either."""
    other = another_file(world, target)
    if other is None:
        return None
    lines = world.repository.read(target.path).split(b"\n")
    block = b"\n".join(lines[target.start_line - 1 : target.end_line])
    world.write(other.path, block + b"\n\n" + world.remember(other))
    return target


@disk_kind
def move_symbol_to_another_file(world: World, target: Target) -> Target | None:
    other = another_file(world, target)
    if other is None:
        return None
    lines = world.remember(target).split(b"\n")
    block = b"\n".join(lines[target.start_line - 1 : target.end_line])
    world.write(other.path, world.remember(other) + b"\n\n" + block + b"\n")
    world.write(target.path, b"\n".join(lines[: target.start_line - 1] + lines[target.end_line :]))
    return target


@disk_kind
def replaced_by_another_of_equal_size(world: World, target: Target) -> Target | None:
    other = another_file(world, target)
    if other is None:
        return None
    data = world.remember(target)
    foreign = world.repository.read(other.path)
    world.write(target.path, foreign[: len(data)].ljust(len(data), b"\n"))
    return target


@disk_kind
def two_files_swapped(world: World, target: Target) -> Target | None:
    other = another_file(world, target)
    if other is None:
        return None
    world.remember(target)
    world.remember(other)
    one, two = world.absolute(target.path), world.absolute(other.path)
    os.rename(one, one + b".swap")
    os.rename(two, one)
    os.rename(one + b".swap", two)
    return target


@disk_kind
def hard_link_swap(world: World, target: Target) -> Target | None:
    """The file becomes a second name of another one, which is then written through the other name."""
    other = another_file(world, target)
    if other is None:
        return None
    world.remember(target)
    data = world.remember(other)
    os.unlink(world.absolute(target.path))
    os.link(world.absolute(other.path), world.absolute(target.path))
    with open(world.absolute(other.path), "r+b") as file:
        file.write(data.swapcase() if world.rng.random() < 0.5 else data)
    return target


@disk_kind
def secret_written_inside(world: World, target: Target) -> Target | None:
    data = world.remember(target)
    secret = "ghp_" + "".join(world.rng.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789", k=36))
    world.secrets[secret] = "token"
    lines = data.split(b"\n")
    at = min(target.start_line, len(lines) - 1)
    lines.insert(at, b'    token = "' + secret.encode() + b'"')
    world.write(target.path, b"\n".join(lines))
    return target


@disk_kind
def replaced_while_answering(world: World, target: Target) -> Target | None:
    """Two versions take turns by rename while the packet is made; either may be told, never a mixture."""
    return _while_answering(world, target, lambda data: world.replace(target.path, data))


@disk_kind
def rewritten_while_answering(world: World, target: Target) -> Target | None:
    """Two versions of equal size take turns in place; a mixture must never be told."""

    def write(data: bytes) -> None:
        with open(world.absolute(target.path), "r+b") as file:
            file.write(data)

    return _while_answering(world, target, write)


@disk_kind
def stored_by_another_while_answering(world: World, target: Target) -> Target | None:
    """Two versions take turns by rename, lines apart, and another Helix stores each while the packet is made."""
    new = edited(world, target, "insert_at_top")
    if new is None:
        return None
    old = world.saved[-1].data
    world.versions[target.path] = {old, new}

    def started() -> subprocess.Popen[bytes]:
        storer = subprocess.Popen(
            [sys.executable, "-c", _STORER, world.repository.root, os.fsdecode(target.path)],
            env=environment(world.home.parent),
            stdout=subprocess.PIPE,
        )
        assert storer.stdout is not None
        storer.stdout.readline()
        return storer

    storers = [started()]

    def turns(stop: threading.Event) -> None:
        # A question that is asked again has taken turns before.
        storer = storers.pop() if storers else started()
        try:
            while not stop.is_set():
                for data in (new, old):
                    world.replace(target.path, data)
                    stop.wait(0.01)
        finally:
            storer.kill()
            storer.communicate()

    world.meanwhile = turns
    return target


def _while_answering(world: World, target: Target, write: Callable[[bytes], object]) -> Target | None:
    new = edited(world, target, "same_size_edit")
    if new is None:
        return None
    old = world.saved[-1].data
    world.versions[target.path] = {old, new}

    def turns(stop: threading.Event) -> None:
        pauses = Random(len(old))
        while not stop.is_set():
            for data in (new, old):
                write(data)
                stop.wait(pauses.random() * 0.004)

    world.meanwhile = turns
    return target


_STORER = """
import os, sys
from pathlib import Path
from helix_core.engine import Helix
with Helix.open(Path(sys.argv[1])) as helix:
    print("storing", flush=True)
    while True:
        helix.refresh_paths([os.fsencode(sys.argv[2])])
"""
_WRITER = """
import mmap, os, random, sys
folder, place, how = sys.argv[1:]
texts = [open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))]
file = os.open(place, os.O_RDWR)
memory = mmap.mmap(file, 0) if how == "mmap" else None
pauses = random.Random(len(texts[0]))
print("writing", flush=True)
while True:
    for text in texts:
        if memory is not None:
            memory[:] = text
        elif how == "blocks":
            for at in range(0, len(text), 1024):
                os.pwrite(file, text[at : at + 1024], at)
        else:
            half = len(text) // 2
            os.pwrite(file, text[:half], 0)
            os.pwrite(file, text[half:], half)
        if pauses.random() < 0.3:
            os.sched_yield()
"""
GENERATIONS = 6
_STEPS = {"mmap": 64, "blocks": 1024, "halves": 0}


@disk_kind
def torn_by_a_pwrite_loop(world: World, target: Target) -> Target | None:
    """Another process writes block after block without a pause; only whole generations may be told."""
    return _torn(world, target, "blocks")


@disk_kind
def torn_by_two_pwrites(world: World, target: Target) -> Target | None:
    return _torn(world, target, "halves")


@disk_kind
def torn_by_mmap(world: World, target: Target) -> Target | None:
    return _torn(world, target, "mmap")


def _torn(world: World, target: Target, how: str) -> Target | None:
    """Generations of equal size take turns; each bears its number wherever a blank line was."""
    data = world.repository.read(target.path)
    if data.count(b"\n\n") < 4:
        return None
    world.remember(target)
    texts = [data.replace(b"\n\n", b"\n# generation %03d\n" % number) for number in range(GENERATIONS)]
    folder = world.outside / "generations"
    remove(os.fsencode(folder))
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / str(number)).write_bytes(text)
    with open(world.absolute(target.path), "wb") as file:
        file.write(texts[0])
    world.level()
    world.versions[target.path] = set(texts)
    world.halves = _mixtures(texts, _STEPS[how] or len(texts[0]) // 2)

    def write(stop: threading.Event) -> None:
        arguments = [str(folder), os.fsdecode(world.absolute(target.path)), how]
        with subprocess.Popen([sys.executable, "-c", _WRITER, *arguments], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            stop.wait()
            writer.kill()

    world.meanwhile = write
    return target


def _mixtures(texts: list[bytes], step: int) -> frozenset[str]:
    """Hashes of what the file holds while one generation is written over the one before: such a state does exist."""
    hashes = set()
    for number, new in enumerate(texts):
        old, head = texts[number - 1], hashlib.sha256()
        for at in range(0, len(new), step):
            whole = head.copy()
            whole.update(old[at:])
            hashes.add(whole.hexdigest())
            head.update(new[at : at + step])
    return frozenset(hashes)


def another_file(world: World, target: Target) -> Target | None:
    """Another regular file, mostly of the same folder or kind."""
    folder = os.path.dirname(world.absolute(target.path))
    try:
        names = [name for name in sorted(os.listdir(folder)) if name.endswith(CODE)]
    except OSError:
        return None
    world.rng.shuffle(names)
    prefix = target.path.rpartition(b"/")[0]
    for name in names:
        path = prefix + b"/" + name if prefix else name
        if path != target.path and world.is_file(path):
            return Target(path, 1, 1)
    return None


def content_mutation(kind: str) -> Mutation:
    """A content kind, written as an editor would."""

    def mutate(world: World, target: Target) -> Target | None:
        new = edited(world, target, kind)
        if new is None:
            return None
        world.write(target.path, new)
        return target

    return mutate
