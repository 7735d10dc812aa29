"""Plain arguments are read without the parser of the command line as the parser reads them, by one declaration."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.model import Kept, TaskType
from helix_ls.cli.direct import VERBS, plain_arguments
from helix_ls.cli.verbs import verb

pytestmark = pytest.mark.unit
FLAGS = ("--path", "--limit", "-k", "--explain", "--glob", "-g", "--language", "--tests", "--docs", "--since", "--json")
MORE_FLAGS = ("--author", "--page", "--task", "--max-tokens", "--budget", "--decoder", "--model", "--help", "--", "-")
VALUES = (
    "where is it?",
    "src/",
    "3",
    "-3",
    "0x3",
    "1_0",
    " 7",
    "with",
    "without",
    "Only",
    "edit",
    "~",
    "~nobody/x",
    "",
)
WORDS = st.sampled_from(
    [*FLAGS, *MORE_FLAGS, *VALUES, "--limit=4", "--path=~/src", "--json=1", "-k5", "--glob=", "-gh"]
)


def directly(name: str, arguments: list[str]) -> dict[str, Any] | None:
    return plain_arguments(getattr(import_module(f"helix_ls.cli.{name}"), name), arguments)


def by_the_parser(name: str, arguments: list[str]) -> dict[str, Any] | None:
    """What the parser calls the verb with; None where it reports a misuse or shows help instead."""
    command, called = verb(name), {}
    callback, command.callback = command.callback, called.update
    try:
        with command.make_context(f"helix {name}", list(arguments)) as context:
            return dict(context.params)
    except (click.ClickException, click.exceptions.Exit):
        return None
    finally:
        command.callback = callback


def plain(value: Any) -> Any:
    """A value without what typer converts when it calls the verb: a choice is text until then, a list a tuple."""
    if isinstance(value, tuple):
        return list(value) or None
    return value.value if isinstance(value, Kept | TaskType) else value


@pytest.mark.parametrize("name", VERBS)
@given(arguments=st.lists(WORDS, max_size=7))
def test_arguments_are_read_as_the_parser_reads_them_or_left_to_it(name: str, arguments: list[str]) -> None:
    read = directly(name, arguments)
    if read is not None:
        parsed = by_the_parser(name, arguments)
        assert parsed is not None
        assert {each: plain(value) for each, value in read.items()} == {
            each: plain(value) for each, value in parsed.items()
        }


@pytest.mark.parametrize(
    ("name", "arguments", "read"),
    [
        ("search", ["where?"], {"question": "where?", "path": Path(), "k": 10}),
        ("search", ["--limit=3", "-g", "src/", "-", "--glob", "*.py"], {"k": 3, "glob": ["src/", "*.py"]}),
        ("search", ["x", "--tests", "without", "--json"], {"tests": Kept.WITHOUT, "as_json": True, "explained": False}),
        ("packet", ["x", "--task", "edit", "--path", "a b"], {"task": TaskType.EDIT, "path": Path("a b"), "k": None}),
        ("context", ["x", "--budget", "900"], {"budget": 900, "decoder": "condensed"}),
    ],
)
def test_plain_arguments_need_no_parser(name: str, arguments: list[str], read: dict[str, Any]) -> None:
    whole = directly(name, arguments)
    assert whole is not None and {each: whole[each] for each in read} == read


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["two", "words"],
        ["x", "--help"],
        ["x", "--limit"],
        ["x", "--limit", "many"],
        ["x", "--limit", "3", "-k", "4"],
        ["x", "--no-such"],
        ["x", "--path", ""],
        ["x", "--tests", "never"],
        ["--", "-x"],
    ],
)
def test_what_is_not_plain_is_left_to_the_parser(arguments: list[str]) -> None:
    assert directly("search", arguments) is None
