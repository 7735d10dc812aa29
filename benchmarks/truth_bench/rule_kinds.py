"""Mutations of what counts: a rule excludes a file at the moment of the answer, and the file stays as it is.

Each begins with a file that nobody tracks and that the index knows. From the rule on the file must be neither verified
nor quoted. Also settings of a repository that no command may stumble over.
"""

from __future__ import annotations

import os

from truth_bench.repository import remove
from truth_bench.world import Mutation, Target, World

RULE_KINDS: dict[str, Mutation] = {}


def rule_kind(mutation: Mutation) -> Mutation:
    RULE_KINDS[mutation.__name__] = mutation
    return mutation


def untracked(world: World, target: Target, suffix: bytes = b".py") -> Target:
    """A copy of the target's file under a name of its own, with a definition of its own, known to the index."""
    number = world.rng.randrange(10**6)
    name = b"bench_untracked_%d" % number
    folder = target.path.rpartition(b"/")[0]
    path = (folder + b"/" if folder else b"") + name + suffix
    definition = b'def %s(value):\n    """Rules may exclude it."""\n    return value + %d\n\n\n' % (name, number)
    with open(world.absolute(path), "wb") as file:
        file.write(definition + world.text_to_copy(target.path))
    world.scars.append(world.absolute(path))
    world.level()
    return Target(path, 1, 3, os.fsdecode(name))


def _ruled(world: World, target: Target, place: bytes, rule: bytes) -> Target:
    """Add a line to a file of rules until the next question; the target does not count meanwhile."""
    before = None
    if os.path.lexists(place):
        with open(place, "rb") as file:
            before = file.read()
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "wb") as file:
        file.write((before or b"") + b"\n" + rule + b"\n")

    def undo() -> None:
        if before is None:
            remove(place)
        else:
            with open(place, "wb") as file:
                file.write(before)

    world.undo = undo
    world.uncounted = frozenset({target.path})
    return target


@rule_kind
def excluded_by_gitignore(world: World, target: Target) -> Target | None:
    new = untracked(world, target)
    folder, _, name = new.path.rpartition(b"/")
    where = world.rng.choice((b"", folder))
    return _ruled(world, new, world.absolute(where + b"/.gitignore" if where else b".gitignore"), name)


@rule_kind
def excluded_by_helixignore(world: World, target: Target) -> Target | None:
    new = untracked(world, target)
    return _ruled(world, new, world.absolute(b".helixignore"), new.path.rpartition(b"/")[2])


@rule_kind
def excluded_by_info_exclude(world: World, target: Target) -> Target | None:
    new = untracked(world, target)
    return _ruled(world, new, os.fsencode(world.repository.git_dir) + b"/info/exclude", new.path.rpartition(b"/")[2])


@rule_kind
def excluded_by_the_global_ignore(world: World, target: Target) -> Target | None:
    """``~/.config/git/ignore``, which lies outside everything that is watched."""
    new = untracked(world, target)
    return _ruled(world, new, os.fsencode(world.home) + b"/.config/git/ignore", new.path.rpartition(b"/")[2])


@rule_kind
def excluded_by_a_new_excludesfile(world: World, target: Target) -> Target | None:
    """``core.excludesFile`` is set now, in the repository or for the user."""
    new = untracked(world, target)
    rules = os.fsencode(world.outside) + b"/rules"
    with open(rules, "wb") as file:
        file.write(new.path.rpartition(b"/")[2] + b"\n")
    setting = b"[core]\n\texcludesFile = " + rules
    config = os.fsencode(world.repository.git_dir) + b"/config"
    return _ruled(world, new, world.rng.choice((config, os.fsencode(world.home) + b"/.gitconfig")), setting)


@rule_kind
def excluded_by_helix_toml(world: World, target: Target) -> Target | None:
    """An open ``Helix`` was given its settings; everything else reads them again."""
    if world.surface == "api":
        return None
    new = untracked(world, target)
    rule = b'[index]\nexclude = ["/%s"]' % new.path
    return _ruled(world, new, world.absolute(b"helix.toml"), rule)


HOSTILE = (
    b"[index]\nworkers = 64\n",
    b"[index]\nworkers = -1\nmax_file_bytes = 1e400\n",
    b'[index]\nexclude = "not a list"\n',
    b"[packet]\nreingest_budget_ms = nan\n",
    b'cache_dir = "/proc/self"\n[proxy]\nupstream = "http://example.invalid"\n',
    b"[search]\n[search]\n",
    b"\xff\xfe\x00\x01 = [",
    b"a" * 300_000,
    b"[index]\n" + b"x.y = {" * 3000,
    b"[[index]]\nworkers = 2\n",
)


@rule_kind
def hostile_helix_toml(world: World, target: Target) -> Target | None:
    """A cloned repository brings settings that no command may stumble over."""
    place = world.absolute(b"helix.toml")
    if os.path.lexists(place):
        return None
    shape = world.rng.randrange(len(HOSTILE) + 3)
    if shape == len(HOSTILE):
        os.mkdir(place)
    elif shape == len(HOSTILE) + 1:
        os.symlink(b"/dev/zero", place)
    elif shape == len(HOSTILE) + 2:
        os.mkfifo(place)
    else:
        with open(place, "wb") as file:
            file.write(HOSTILE[shape])
    world.undo = lambda: remove(place)
    return target
