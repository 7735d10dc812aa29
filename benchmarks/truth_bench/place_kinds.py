"""Mutations of what stands at a path: nothing, a link, a pipe, a folder, something that may not be read.

Each takes the world and a target that is a regular file now, and returns the place to ask for next, or None where
it does not apply.
"""

from __future__ import annotations

import os
import socket

from truth_bench.repository import remove
from truth_bench.world import Mutation, Target, World

PLACE_KINDS: dict[str, Mutation] = {}


def place_kind(mutation: Mutation) -> Mutation:
    PLACE_KINDS[mutation.__name__] = mutation
    return mutation


@place_kind
def delete(world: World, target: Target) -> Target | None:
    world.remember(target)
    os.unlink(world.absolute(target.path))
    return target


@place_kind
def rename(world: World, target: Target) -> Target | None:
    world.remember(target)
    place = world.absolute(target.path)
    stem, extension = os.path.splitext(place)
    new = stem + world.rng.choice((b"_renamed", b" with space", "_ümlaut".encode(), b"_\xff")) + extension
    os.rename(place, new)
    world.scars.append(new)
    return target


@place_kind
def case_rename(world: World, target: Target) -> Target | None:
    place = world.absolute(target.path)
    folder, _, name = place.rpartition(b"/")
    if name == name.swapcase() or os.path.lexists(folder + b"/" + name.swapcase()):
        return None
    world.remember(target)
    os.rename(place, folder + b"/" + name.swapcase())
    world.scars.append(folder + b"/" + name.swapcase())
    return target


@place_kind
def directory_in_its_place(world: World, target: Target) -> Target | None:
    data = world.remember(target)
    place = world.absolute(target.path)
    os.unlink(place)
    os.mkdir(place)
    with open(place + b"/" + target.path.rpartition(b"/")[2], "wb") as file:
        file.write(data)
    return target


@place_kind
def symlink_in_its_place(world: World, target: Target) -> Target | None:
    """A link to the very same bytes, beside the file or outside the root."""
    data = world.remember(target)
    place = world.absolute(target.path)
    there = place + b".target" if world.rng.random() < 0.5 else os.fsencode(world.outside / "outside.py")
    with open(there, "wb") as file:
        file.write(data)
    world.scars.append(there)
    os.unlink(place)
    os.symlink(there if world.rng.random() < 0.5 else os.path.relpath(there, os.path.dirname(place)), place)
    return target


@place_kind
def dangling_symlink_in_its_place(world: World, target: Target) -> Target | None:
    world.remember(target)
    os.unlink(world.absolute(target.path))
    os.symlink(world.rng.choice((b"nowhere", b".", b"/dev/zero")), world.absolute(target.path))
    return target


@place_kind
def fifo_in_its_place(world: World, target: Target) -> Target | None:
    world.remember(target)
    os.unlink(world.absolute(target.path))
    os.mkfifo(world.absolute(target.path))
    return target


@place_kind
def socket_in_its_place(world: World, target: Target) -> Target | None:
    world.remember(target)
    place = world.absolute(target.path)
    os.unlink(place)
    short = os.fsencode(world.outside / "s")
    remove(short)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(short)
    os.rename(short, place)
    return target


@place_kind
def permission_removed(world: World, target: Target) -> Target | None:
    if not world.can_deny:
        return None
    world.remember(target)
    os.chmod(world.absolute(target.path), 0)
    return target


@place_kind
def folder_permission_removed(world: World, target: Target) -> Target | None:
    """Nothing below the folder can be reached; given back before the next mutation."""
    folder = os.path.dirname(world.absolute(target.path))
    if not world.can_deny or b"/" not in target.path:
        return None
    os.chmod(folder, 0)
    world.undo = lambda: os.chmod(folder, 0o755)
    return target


@place_kind
def mode_changed(world: World, target: Target) -> Target | None:
    world.remember(target)
    os.chmod(world.absolute(target.path), 0o600)
    return target


@place_kind
def parent_replaced_by_symlink(world: World, target: Target) -> Target | None:
    """The folder is moved aside and a link to it put in its place: every byte can still be reached."""
    parent = os.path.dirname(world.absolute(target.path))
    if b"/" not in target.path:
        return None
    aside = os.fsencode(world.outside / "moved-folder") if world.rng.random() < 0.5 else parent + b".aside"
    remove(aside)
    os.rename(parent, aside)
    os.symlink(aside, parent)

    def undo() -> None:
        os.unlink(parent)
        os.rename(aside, parent)

    world.undo = undo
    return target


@place_kind
def parent_renamed(world: World, target: Target) -> Target | None:
    parent = os.path.dirname(world.absolute(target.path))
    if b"/" not in target.path:
        return None
    aside = parent + b"_renamed"
    os.rename(parent, aside)
    world.undo = lambda: os.rename(aside, parent)
    return target


@place_kind
def parent_becomes_a_file(world: World, target: Target) -> Target | None:
    parent = os.path.dirname(world.absolute(target.path))
    if b"/" not in target.path:
        return None
    aside = os.fsencode(world.outside / "moved-folder")
    remove(aside)
    os.rename(parent, aside)
    with open(parent, "wb") as file:
        file.write(b"not a folder\n")

    def undo() -> None:
        os.unlink(parent)
        os.rename(aside, parent)

    world.undo = undo
    return target


@place_kind
def nested_ignore_added(world: World, target: Target) -> Target | None:
    """The file stays as it is, but does not count any more after the next refresh unless it is tracked."""
    folder = os.path.dirname(world.absolute(target.path))
    name = world.rng.choice((b".gitignore", b".helixignore"))
    if os.path.lexists(folder + b"/" + name):
        return None
    with open(folder + b"/" + name, "wb") as file:
        file.write(target.path.rpartition(b"/")[2] + b"\n")
    world.scars.append(folder + b"/" + name)
    return target


@place_kind
def root_renamed(world: World, target: Target) -> Target | None:
    """The workspace itself is somewhere else now: nothing is where its address says."""
    root = os.fsencode(world.repository.root)
    aside = os.fsencode(world.outside / "moved-root")
    os.rename(root, aside)
    world.undo = lambda: os.rename(aside, root)
    return target


@place_kind
def root_replaced(world: World, target: Target) -> Target | None:
    """Another folder stands where the workspace stood, with another version of one file."""
    root = os.fsencode(world.repository.root)
    aside = os.fsencode(world.outside / "moved-root")
    data = world.repository.read(target.path)
    os.rename(root, aside)
    os.makedirs(os.path.dirname(world.absolute(target.path)))
    with open(world.absolute(target.path), "wb") as file:
        file.write(b"# another root\n" + data)

    def undo() -> None:
        remove(root)
        os.rename(aside, root)

    world.undo = undo
    return target
