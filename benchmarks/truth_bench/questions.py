"""Questions aimed at a place: by its name, by the words of its name and path, as a person or an agent would ask."""

from __future__ import annotations

import os
import re
from random import Random

from truth_bench.repository import CODE, PROSE, Repository, definition_in
from truth_bench.world import Target

TASKS = ("plan", "explain", "review", "edit", "debug", "ops", "quote")
_HEADING = re.compile(rb"^#+ +(\w.*)$")


def places(repository: Repository, path: bytes) -> list[Target]:
    """The definitions or headings of a file, each with the lines it governs."""
    try:
        lines = repository.read(path).split(b"\n")
    except OSError:
        return []
    is_code = path.endswith(CODE)
    pattern = definition_in(path) if is_code else _HEADING
    found = []
    for index, line in enumerate(lines):
        match = pattern.match(line)
        if match is None:
            continue
        end = index + 1
        if is_code:
            while end < len(lines) and (not lines[end].strip() or _deeper(lines[end], len(match[1]))):
                end += 1
        name = match[2] if is_code else match[1]
        found.append(Target(path, index + 1, end, name.decode("utf-8", "replace")))
    return found


def _deeper(line: bytes, depth: int) -> bool:
    return len(line) - len(line.lstrip()) > depth


def random_place(repository: Repository, paths: list[bytes], rng: Random) -> Target:
    """A definition of a code file mostly, a heading or the top of another file sometimes."""
    wanted = CODE if rng.random() < 0.85 else PROSE
    some = [path for path in paths if path.endswith(wanted)] or paths
    for _ in range(30):
        found = places(repository, rng.choice(some))
        if found:
            return rng.choice(found)
    return Target(rng.choice(paths), 1, 10)


def named_in(repository: Repository, target: Target, rng: Random) -> Target:
    """The same file, with a name to ask for when there is one."""
    if target.symbol:
        return target
    found = places(repository, target.path)
    return rng.choice(found) if found else target


def question(target: Target, rng: Random) -> str:
    """One of several ways to ask for the place."""
    file = os.fsdecode(target.path).rpartition("/")[2]
    stem = file.partition(".")[0] or file
    names = re.findall(r"\w+", target.symbol)
    name = names[-1] if names else stem
    words = " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)) or name
    printable = target.path.decode("utf-8", "replace")
    return rng.choice(
        (
            name,
            f"where is {name} defined",
            f"{target.symbol or name} in {stem}",
            f"how does {words} work in {stem}",
            f"`{name}` {printable}",
            f"what does {words} {stem} do?",
            f"{printable} {words}",
        )
    )
