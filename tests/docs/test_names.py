"""The table of the earlier system's names is whole, and each of its rows is true of the running code."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "names.md"
FACTS = ROOT / "fixtures" / "names.txt"
KINDS = {
    "Routes": "route",
    "Tools": "tool",
    "Commands": "command",
    "Environment variables": "variable",
    "Settings": "setting",
    "Python": "python",
    "Extras": "extra",
}
SAME, NONE = "same", "none"
CODE = re.compile(r"`([^`]+)`")
ROUTE = re.compile(r"(?:GET|POST|DELETE|PUT|PATCH) /\S+")


@dataclass(frozen=True, slots=True)
class NamedRow:
    """One row: a name of the earlier system, and what the page says of it."""

    kind: str
    name: str
    here: str
    said: str


def rows_of(text: str) -> Iterator[NamedRow]:
    kind = ""
    for line in text.splitlines():
        if line.startswith("## "):
            kind = KINDS[line[3:]]
        elif line.startswith("| `"):
            name, here, said = (cell.strip() for cell in line.strip("|").split(" | "))
            yield NamedRow(kind, name.strip("` "), here, said.rstrip("| "))


ROWS = tuple(rows_of(PAGE.read_text(encoding="utf-8")))


@cache
def routes() -> frozenset[str]:
    """The methods and paths of the OpenAPI document."""
    from helix_ls.proxy.openapi import document

    return frozenset(f"{method.upper()} {path}" for path, of in document()["paths"].items() for method in of)


@cache
def tools() -> frozenset[str]:
    """The names in the lists that an agent is given."""
    from helix_ls.mcp.tools import tools_of

    return frozenset(each.name for each in tools_of("full", writes=True))


@cache
def variables() -> frozenset[str]:
    """The variables that the code reads, those of settings included."""
    from helix_core.config import SETTINGS

    sys.path.insert(0, str(ROOT / "docs"))
    try:
        reference = importlib.import_module("reference")
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return frozenset(reference.variables_in_the_code() | {one.variable for one in SETTINGS.values()})


def is_command(typed: str) -> bool:
    """Whether the command line's parser accepts each word of ``helix VERB …`` as a verb, a choice or an option."""
    from helix_ls.cli.verbs import command

    program, *words = typed.split()
    group = command()
    if program != "helix" or not words or not isinstance(group, click.Group):
        return False
    verb = group.get_command(click.Context(group), words[0])
    if verb is None:
        return False
    known: set[str] = set()
    for each in verb.params:
        known |= set(each.opts)
        known |= {str(getattr(one, "value", one)) for one in getattr(each.type, "choices", ())}
    return known.issuperset(words[1:])


def is_python(dotted: str) -> bool:
    """Whether a dotted name leads from a package to something in it."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def is_in_the_api(name: str) -> bool:
    """Whether a room of the Python API exports the name, or the class that answers has it as a verb."""
    from helix_core.engine import Helix

    last = name.rpartition(".")[2]
    rooms = [f"helix_core.{file.parent.name}" for file in (ROOT / "helix_core").glob("*/__init__.py")]
    assert len(rooms) > 10
    exported = {one for room in rooms for one in getattr(importlib.import_module(room), "__all__", ())}
    return last in exported or hasattr(Helix, last)


@cache
def extras() -> frozenset[str]:
    """The optional dependencies of the package."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return frozenset(tomllib.load(file)["project"]["optional-dependencies"])


def is_setting(name: str) -> bool:
    """Whether the table of settings has the key."""
    from helix_core.config import SETTINGS

    return name in SETTINGS


def is_here(name: str, kind: str = "") -> bool:
    """Whether the running code has what a name of this kind, else of the kind it looks like, stands for."""
    if ROUTE.fullmatch(name):
        return name in routes()
    if name.startswith("helix "):
        return is_command(name)
    if kind == "variable" or name.startswith("HELIX_"):
        return any(one.startswith(name[:-1]) for one in variables()) if name.endswith("*") else name in variables()
    if kind == "tool":
        return name in tools()
    if name.startswith(("helix_core.", "helix_ls.")):
        return is_python(name)
    if kind == "extra":
        return name in extras()
    if kind == "command":
        return is_command(name)
    if kind == "python":
        return is_in_the_api(name)
    return is_setting(name) or name in tools() or name in extras()


def test_every_name_of_the_list_of_facts_has_one_row_and_no_row_is_without_a_fact() -> None:
    facts = [line for line in FACTS.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    rows = [f"{row.kind} {row.name}" for row in ROWS]
    assert len(set(facts)) == len(facts)
    assert sorted(rows) == sorted(facts)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.kind} {row.name}")
def test_a_name_is_here_where_the_table_says_so_and_nowhere_else(row: NamedRow) -> None:
    if row.here == NONE:
        assert not is_here(row.name, row.kind)
        assert len(row.said) > 8, "a name that is not here has a reason"
        return
    if row.here == SAME:
        assert is_here(row.name, row.kind)
        return
    ours = CODE.findall(row.here)
    assert ours, f"the cell is same, none or a name of ours, not {row.here}"
    assert [each for each in ours if not is_here(each)] == []
    # A row that names another thing of ours must not hide one of the same name.
    assert row.kind in ("command", "python") or not is_here(row.name, row.kind)


@pytest.mark.parametrize("row", [row for row in ROWS if row.said], ids=lambda row: f"{row.kind} {row.name}")
def test_what_the_third_column_points_at_is_here(row: NamedRow) -> None:
    shaped = [
        each
        for each in CODE.findall(row.said)
        if ROUTE.fullmatch(each) or re.fullmatch(r"helix .+|helix_\w+|HELIX_\w+|helix_core\.[\w.]+", each)
    ]
    assert [each for each in shaped if not is_here(each)] == []


@pytest.mark.parametrize(
    "name",
    ["GET /context", "helix frobnicate", "helix bench unknown", "HELIX_NO_SUCH_THING", "helix_core.engine.Nothing"],
)
def test_what_is_not_in_the_code_is_not_found_in_it(name: str) -> None:
    assert not is_here(name)
