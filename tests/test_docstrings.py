"""The docstring of what a room exports names each of many arguments, and each error that its body raises."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any, get_type_hints

import pytest

from tests.test_architecture import OPEN_MODULES, ROOMS, ROOT, nodes

MANY = 4
"""With so many arguments a signature no longer explains itself."""
SECTION = re.compile(r"^Args:\n((?:(?: .*)?\n)*)", re.MULTILINE)
NAMED = re.compile(r"^ {4}(\w+):", re.MULTILINE)
NO_CAUSES = (AttributeError, NotImplementedError)
"""What Python itself asks a class for, and what no caller catches."""


def functions_of(value: Any) -> Iterator[FunctionType]:
    """A function, or the public methods that a class defines itself."""
    members = vars(value).items() if inspect.isclass(value) else [("", value)]
    for key, one in members:
        bare = one.fget if isinstance(one, property) else getattr(one, "__func__", one)
        if not key.startswith("_") and callable(bare) and isinstance(bare := inspect.unwrap(bare), FunctionType):
            yield bare


@cache
def exported() -> tuple[FunctionType, ...]:
    """The functions of ours that the faces of all rooms give, and the public methods of their classes, each once."""
    faces = [import_module(room) for room in (*ROOMS, *OPEN_MODULES)]
    found = (one for face in faces for each in face.__all__ for one in functions_of(getattr(face, each)))
    # A dataclass has methods that no line of ours defines.
    ours = (one for one in found if (ROOT / one.__code__.co_filename).is_file() and one.__module__.startswith("helix"))
    return tuple({(one.__module__, one.__qualname__): one for one in ours}.values())


def undocumented(function: FunctionType) -> list[str]:
    """The arguments that the ``Args:`` section lacks; none where the function has few."""
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    arguments = [one for one in code.co_varnames[:count] if one not in ("self", "cls")]
    section = SECTION.search(f"{inspect.getdoc(function)}\n")
    named = NAMED.findall(section[1]) if section else []
    return [one for one in arguments if one not in named] if len(arguments) >= MANY else []


def defined_at(function: FunctionType) -> ast.AST:
    """The syntax of a function."""
    (node,) = (
        each
        for each in nodes(ROOT / function.__code__.co_filename)
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        and min([each.lineno, *(one.lineno for one in each.decorator_list)]) == function.__code__.co_firstlineno
    )
    return node


def raised_in(node: ast.AST, caught: tuple[ast.expr, ...] = ()) -> Iterator[tuple[ast.expr, tuple[ast.expr, ...]]]:
    """What the statements below a node raise, with the classes that a ``try`` around them catches."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(each, ast.Raise) and each.exc is not None:
            yield each.exc, caught
        if isinstance(each, ast.Try):
            classes = tuple(one.type for one in each.handlers if one.type is not None)
            for one in each.body:
                yield from raised_in(ast.Module([one], []), (*caught, *classes))
            for below in (*each.handlers, *each.orelse, *each.finalbody):
                yield from raised_in(ast.Module([below], []) if isinstance(below, ast.stmt) else below, caught)
        else:
            yield from raised_in(each, caught)


def names_in(function: FunctionType) -> dict[str, Any]:
    """The names that the body of a function sees, those that it imports itself included."""
    seen = dict(function.__globals__)
    for each in ast.walk(defined_at(function)):
        if isinstance(each, ast.ImportFrom) and each.module:
            seen |= {one.asname or one.name: getattr(import_module(each.module), one.name) for one in each.names}
    return seen


def class_of(expression: ast.expr, seen: dict[str, Any]) -> type[BaseException] | None:
    """The class of what ``raise`` is given: a class, a call of one, or of a function that returns one."""
    called = expression.func if isinstance(expression, ast.Call) else expression
    try:
        value = eval(compile(ast.Expression(called), "", "eval"), seen)
    except (NameError, AttributeError):  # A variable of the body: what was caught goes on.
        return None
    if inspect.isfunction(value):
        value = get_type_hints(value).get("return")
    return value if inspect.isclass(value) and issubclass(value, BaseException) else None


def unnamed(function: FunctionType) -> list[str]:
    """The classes that the body raises, lets out, and does not name in the docstring."""
    seen, missing = names_in(function), set()
    for expression, around in raised_in(defined_at(function)):
        raised = class_of(expression, seen)
        caught = [
            one
            for each in around
            for part in (each.elts if isinstance(each, ast.Tuple) else [each])
            if (one := class_of(part, seen)) is not None
        ]
        if raised is not None and not issubclass(raised, (*NO_CAUSES, *caught)):
            missing.add(raised.__name__)
    return sorted(one for one in missing if one not in (inspect.getdoc(function) or ""))


def faults(check: Callable[[FunctionType], list[str]]) -> dict[str, list[str]]:
    """What a check says of each exported function, without those of which it says nothing."""
    return {f"{one.__module__}.{one.__qualname__}": said for one in exported() if (said := check(one))}


@pytest.mark.slow
def test_the_arguments_of_an_exported_function_of_many_are_each_explained() -> None:
    assert len(exported()) > 500
    assert faults(undocumented) == {}


@pytest.mark.slow
def test_an_exported_function_names_the_errors_that_its_body_raises() -> None:
    assert faults(unnamed) == {}


def few(one: int, two: int, three: int) -> None:
    """Too few to explain."""


def many(one: int, two: int, *, three: int, four: int) -> None:
    """Say what two of four are.

    Args:
        one: The first.
        three: The third.
    """


def failed(cause: str) -> OSError:
    return OSError(cause)


def raising(value: int) -> None:
    """Raise KeyError for 1."""
    try:
        if value == 1:
            raise KeyError(value)
        if value == 2:
            raise LookupError
        raise ValueError(value)
    except ValueError as error:
        raise failed("late") from error


def test_the_checks_find_what_a_docstring_lacks() -> None:
    assert undocumented(few) == []
    assert undocumented(many) == ["two", "four"]
    assert unnamed(few) == []
    assert unnamed(raising) == ["LookupError", "OSError"]
    assert [each.__name__ for each in functions_of(many)] == ["many"]
