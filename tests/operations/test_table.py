"""The table of operations: what it declares is what every surface shows, and every fault has one sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from helix_core.errors import UsageError
from helix_ls.cli.verbs import command
from helix_ls.host.calls import QUESTIONS
from helix_ls.mcp.tools import FULL_TOOLS, WRITE_TOOLS, ToolWords
from helix_ls.operations.arguments import EVERYWHERE, DeclaredArgument, Operation, Surface
from helix_ls.operations.table import OPERATIONS
from helix_ls.operations.validation import validated

EVERY = sorted(OPERATIONS.values(), key=lambda one: one.name)


def outside(parameter: DeclaredArgument) -> list[Any]:
    """Values next to what a parameter takes, and of other types."""
    wrong: list[Any] = [object()]
    if parameter.kind in ("integer", "number"):
        wrong += [parameter.least - 1, parameter.most + 1, True, "7", float("nan"), 10**400]
    elif parameter.about.choices:
        wrong += ["no such choice", 7, True]
    elif parameter.kind == "string":
        wrong += [7, True, ["a"], {}] + (["x" * (parameter.most + 1)] if parameter.most else [])
    elif parameter.kind == "boolean":
        wrong += [0, 1, "true", "yes"]
    else:
        wrong += [7, [7]] + ([] if parameter.about.takes_one else ["text"])
    return wrong


def filled(operation: Operation[Any], surface: Surface) -> dict[str, Any]:
    """The least that a call on a surface must give, under the arguments' own names."""
    values: dict[str, Any] = {"string": "x", "integer": 1, "number": 1, "boolean": True, "array": []}
    names = [*operation.required(surface), *next(iter(operation.alternatives(surface)), ())]
    return {
        each.name: {"line": 0} if each.kind == "object" else next(iter(each.about.choices), values[each.kind])
        for each in operation.parameters(surface)
        if each.name in names
    }


@pytest.mark.parametrize("operation", EVERY, ids=lambda one: one.name)
def test_each_argument_out_of_its_bounds_is_refused_in_the_same_sentence_everywhere(operation: Operation[Any]) -> None:
    said: dict[tuple[str, int], set[str]] = {}
    for surface in sorted(EVERYWHERE):
        for parameter in operation.parameters(surface):
            for number, value in enumerate(outside(parameter)):
                with pytest.raises(UsageError) as refused:
                    validated(operation, filled(operation, surface) | {parameter.name: value}, surface)
                said.setdefault((parameter.name, number), set()).add(str(refused.value))
    assert all(len(sentences) == 1 for sentences in said.values()), said
    assert all(sentence.startswith(name) for (name, _), [sentence] in said.items())


@pytest.mark.parametrize("operation", EVERY, ids=lambda one: one.name)
def test_what_is_at_the_bounds_is_taken(operation: Operation[Any]) -> None:
    for surface in sorted(EVERYWHERE):
        for parameter in operation.parameters(surface):
            taken: list[Any] = list(parameter.about.choices)
            if parameter.kind in ("integer", "number"):
                taken = [parameter.least, parameter.most, float(parameter.most)]
            elif parameter.kind == "string" and parameter.most:
                taken = ["x" * parameter.most]
            needed = [name for names in operation.needs for name in names]
            others = needed if operation.is_exclusive and parameter.name in needed else []
            least = {name: value for name, value in filled(operation, surface).items() if name not in others}
            for value in taken:
                given = validated(operation, least | {parameter.name: value}, surface)
                assert getattr(given, parameter.name) == value


@pytest.mark.parametrize("tool", FULL_TOOLS + WRITE_TOOLS, ids=lambda one: one.name)
def test_a_tool_shows_the_arguments_choices_and_defaults_of_the_table(tool: ToolWords) -> None:
    operation, schema = tool.operation, tool.input_schema()
    assert OPERATIONS[operation.name] is operation
    listed = [each for each in operation.parameters("mcp") if each.name not in tool.unlisted]
    shown = [tool.shown.get(each.name, each.name) for each in listed]
    assert list(schema["properties"]) == shown
    assert schema.get("required", []) == [tool.shown.get(name, name) for name in operation.required("mcp")]
    assert not tool.unlisted & set(operation.required("mcp"))
    for each, name in zip(listed, shown, strict=True):
        about = schema["properties"][name]
        assert name in each.names
        assert about.get("default", None) == (each.default or None) or name in schema["required"]
        assert about["type"] == each.kind
        assert about.get("enum") == each.schema().get("enum")


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_what_only_a_person_may_is_refused_to_an_agent_by_the_table(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    persons = {"decide", "export_memories", "forget_trail", "purge", "rollback", "trust_signer"}
    operation = OPERATIONS[name]
    assert (operation.person is not None) is (name in persons)
    if operation.person is None:
        return
    least = filled(operation, "lsp")
    says_who = any(each.name == "origin" for each in operation.parameters("lsp"))
    persons_own = validated(operation, least | ({"origin": "user"} if says_who else {}), "lsp")
    monkeypatch.delenv("HELIX_AGENT", raising=False)
    operation.require_asker(persons_own)
    if says_who:
        with pytest.raises(UsageError, match="only a person decides that"):
            operation.require_asker(validated(operation, least | {"origin": "agent"}, "lsp"))
    monkeypatch.setenv("HELIX_AGENT", "bot")
    with pytest.raises(UsageError, match=f"without HELIX_AGENT: helix {operation.person.verb}"):
        operation.require_asker(persons_own)


def test_a_call_to_the_daemon_is_an_operation_of_the_table_that_the_engine_answers() -> None:
    for name, operation in QUESTIONS.items():
        assert OPERATIONS[name.removeprefix("helix.")] is operation
        assert operation.act is not None


def test_every_operation_says_what_it_is_and_every_argument_what_it_means() -> None:
    for operation in EVERY:
        assert operation.title[0].isupper()
        assert operation.description.endswith(".")
        for surface in EVERYWHERE:
            names = [name for each in operation.parameters(surface) for name in each.names]
            assert len(names) == len(set(names)), "a name stands for one argument"
            assert all(each.about.description for each in operation.parameters(surface))


def test_an_argument_that_nobody_knows_is_refused_but_over_http_where_older_clients_send_such() -> None:
    for surface in ("mcp", "lsp", "daemon"):
        with pytest.raises(UsageError, match="there is no argument 'sing'; the arguments are question"):
            validated(OPERATIONS["search"], {"question": "x", "sing": 1}, surface)
    assert validated(OPERATIONS["search"], {"query": "x", "fullInput": "y", "sing": 1}, "http").question == "x"
    with pytest.raises(UsageError, match="question is given twice"):
        validated(OPERATIONS["search"], {"query": "x", "question": "y"}, "mcp")


@pytest.mark.parametrize(
    ("verb", "option", "argument"),
    [
        ("search", "k", "k"),
        ("packet", "task", "task_type"),
        ("packet", "k", "k"),
        ("packet", "max_tokens", "max_tokens"),
        ("context", "budget", "budget"),
        ("context", "decoder", "decoder_mode"),
        ("context", "model", "downstream_model"),
    ],
)
def test_an_option_of_the_command_line_has_the_wording_and_default_of_the_table(
    verb: str, option: str, argument: str
) -> None:
    group = command()
    found = group.get_command(click.Context(group), verb)
    [shown] = [each for each in found.params if each.name == option]
    declared = OPERATIONS[verb].parameter(argument)
    assert shown.help.startswith(declared.about.description)
    assert shown.default == declared.default


def test_the_command_line_refuses_what_is_out_of_bounds_in_the_words_of_the_table(tmp_path: Path) -> None:
    for verb, argument, value in (("search", "k", 0), ("packet", "max_tokens", 1), ("context", "budget", 10**7)):
        with pytest.raises(UsageError) as refused:
            validated(OPERATIONS[verb], {"question": "x", argument: value}, "daemon")
        words = ["-k" if argument == "k" else f"--{argument.replace('_', '-')}", str(value), "--path", str(tmp_path)]
        option = "--limit" if argument == "k" else words[0]
        said = str(refused.value).replace(argument, option, 1)
        with pytest.raises(UsageError, match=f"^{said}, not {value}$"):
            command().main([verb, "x", *words], standalone_mode=False)


def test_the_table_loads_no_pydantic(starts_processes: None) -> None:
    code = "import sys, helix_ls.operations.table; raise SystemExit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
