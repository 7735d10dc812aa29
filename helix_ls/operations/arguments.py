"""Declare an operation: a named tuple or frozen dataclass of arguments, each annotated with its wording and bounds.

Pure, and cheap to import: the JSON Schemas, help texts and error sentences of every surface are generated from it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType, UnionType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from helix_core.errors import UsageError
from helix_core.model import Hints, Overlays
from helix_core.tuples import NamedTuple
from helix_ls.operations.persons import PersonCommand

if TYPE_CHECKING:
    from helix_core.engine import Helix

Surface = Literal["mcp", "http", "lsp", "daemon"]
EVERYWHERE: frozenset[Surface] = frozenset(("mcp", "http", "lsp", "daemon"))
MCP: frozenset[Surface] = frozenset(("mcp",))
HTTP: frozenset[Surface] = frozenset(("http",))
LSP: frozenset[Surface] = frozenset(("lsp",))
DAEMON: frozenset[Surface] = frozenset(("daemon",))

Kind = Literal["string", "integer", "number", "boolean", "object", "array"]
_KINDS: dict[Any, Kind] = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object"}
LARGEST = 1_000_000_000
LAST_LINE = 10_000_000
A = TypeVar("A")


class Argument(NamedTuple):
    """Wording and bounds of one argument, as metadata of ``Annotated``.

    ``least`` and ``most`` bound a number; ``most`` of a string, or of each string of a list, is its maximum length in
    characters, 0 for none. A string is truncated to ``reads`` characters. ``also`` are older names that are accepted
    besides the field's own. ``on`` are the surfaces that accept the argument. A list of strings with ``takes_one`` may
    be given as one string.
    """

    description: str
    least: float = 0
    most: float = 0
    choices: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    reads: int = 0
    on: frozenset[Surface] = EVERYWHERE
    takes_one: bool = False


class DeclaredArgument(NamedTuple):
    """One field of a class of arguments. ``item`` is the class of an object, or of an array's objects; an array
    without one has strings.
    """

    name: str
    kind: Kind
    about: Argument
    is_required: bool
    default: Any = None
    item: type[Any] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The accepted names, the field's own first."""
        return (self.name, *self.about.also)

    @property
    def least(self) -> int | float:
        """The minimum of a number."""
        return int(self.about.least) if self.kind == "integer" else self.about.least

    @property
    def most(self) -> int:
        """The maximum of a number, or the maximum length of a string; 0 for an unbounded string."""
        return int(self.about.most) or (LARGEST if self.kind in ("integer", "number") else 0)

    @property
    def wanted(self) -> str:
        """The description of a valid value, to follow "must be"."""
        if self.about.choices:
            return f"one of {', '.join(filter(None, self.about.choices))}"
        if self.kind in ("integer", "number"):
            number = "a whole number" if self.kind == "integer" else "a number"
            return f"{number} from {self.least:,} to {self.most:,}"
        if self.kind == "array":
            of_strings = "a list of strings, or one string" if self.about.takes_one else "a list of strings"
            return "a list of objects" if self.item is not None else of_strings
        return {"string": "a string", "boolean": "true or false", "object": "an object"}[self.kind]

    def check(self, value: Any, option: str) -> None:
        """Check the bounds and choices of the value of an ``option`` of the command line, without pydantic. Raises
        UsageError.
        """
        is_out = isinstance(value, int | float) and not self.least <= value <= self.most
        if is_out or (self.about.choices and value is not None and value not in self.about.choices):
            raise UsageError(f"{option} must be {self.wanted}, not {value}")

    def as_member(self) -> dict[str, Any]:
        """Return the JSON Schema of a member of an object, where ``null`` counts as missing."""
        return {"anyOf": [self.schema(), {"type": "null"}], "description": self.about.description}

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema 2020-12 of the value, without ``null`` and without the description."""
        about: dict[str, Any] = {"type": self.kind}
        if self.kind in ("integer", "number"):
            about |= {"minimum": self.least, "maximum": self.most}
        elif self.about.choices:
            about |= {"enum": list(self.about.choices)}
        elif self.most and self.kind == "string":
            about |= {"maxLength": self.most}
        elif self.kind == "array" and self.item is None:
            about |= {"items": {"type": "string"} | ({"maxLength": self.most} if self.most else {})}
        elif self.kind == "object" and self.item is not None:
            members = parameters_of(self.item)
            about |= {
                "properties": {member.name: member.as_member() for member in members},
                "additionalProperties": False,
            }
        return about


def _parameter(name: str, hint: Any, *, default: Any, is_required: bool) -> DeclaredArgument:
    about = next(each for each in get_args(hint)[1:] if isinstance(each, Argument))
    wanted = get_args(hint)[0]
    if get_origin(wanted) in (Union, UnionType):
        wanted = next(each for each in get_args(wanted) if each is not type(None))
    origin: Any = get_origin(wanted) or wanted
    if origin in (list, tuple):
        item = get_args(wanted)[0]
        return DeclaredArgument(name, "array", about, is_required, default, None if item is str else item)
    if isinstance(origin, type) and (issubclass(origin, tuple) or dataclasses.is_dataclass(origin)):
        return DeclaredArgument(name, "object", about, is_required, default, origin)
    return DeclaredArgument(name, _KINDS[origin], about, is_required, default)


def parameters_of(arguments: Any) -> tuple[DeclaredArgument, ...]:
    """Return the parameters that a class of arguments declares, in its order."""
    return _declared(arguments)


def as_json(value: Any, item: type | None) -> Any:
    """Return the value of an argument as JSON has it; ``item`` is that of its ``DeclaredArgument``."""
    if item is None or value is None:
        return value
    if isinstance(value, list):
        return [as_json(each, item) for each in value]
    return {each.name: as_json(getattr(value, each.name), each.item) for each in parameters_of(item)}


@cache
def _declared(arguments: Any) -> tuple[DeclaredArgument, ...]:
    hints = get_type_hints(arguments, include_extras=True)
    if issubclass(arguments, tuple):
        names, defaults = arguments._fields, arguments._field_defaults
    else:
        names = [field.name for field in dataclasses.fields(arguments)]
        defaults = {
            field.name: None if field.default is dataclasses.MISSING else field.default
            for field in dataclasses.fields(arguments)
            if (field.default, field.default_factory) != (dataclasses.MISSING, dataclasses.MISSING)
        }
    return tuple(
        _parameter(name, hints[name], default=defaults.get(name), is_required=name not in defaults) for name in names
    )


NO_HINTS = Hints()


def _never() -> bool:
    return False


class AskContext(NamedTuple):
    """What a surface passes to an operation besides the arguments.

    ``asker`` is the id of the session whose opened files are recorded, empty for none; ``live`` is the ``helix.live/1``
    object of the open workspace; ``hints`` and ``overlays`` are those of the engine.
    """

    cancelled: Callable[[], bool] = _never
    hints: Hints = NO_HINTS
    overlays: Overlays = MappingProxyType({})
    asker: str = ""
    live: dict[str, Any] | None = None


Access = Literal["ask", "admin"]
Changes = Literal["nothing", "index", "memory", "server", "window"]


@dataclass(frozen=True, slots=True)
class Operation(Generic[A]):
    """One operation of the table.

    Attributes:
        arguments: The class of its arguments.
        act: Runs it on the engine; None where a surface answers from its own state.
        answer: The ``schema`` of the answer, empty if it returns nothing.
        access: Who may call it over HTTP: holders of the ask key, or only of the admin key.
        changes: What it may change; ``destroys`` if something is deleted.
        needs: Alternatives of which a call gives one; with ``is_exclusive`` exactly one.
        person: Where only a person may ask for it, the command that this person gives; None where an agent may, too.
    """

    name: str
    title: str
    description: str
    arguments: type[A]
    act: Callable[[Helix, A, AskContext], Any] | None = None
    answer: str = ""
    access: Access = "ask"
    changes: Changes = "nothing"
    destroys: bool = False
    needs: tuple[tuple[str, ...], ...] = ()
    is_exclusive: bool = False
    person: PersonCommand | None = None

    def parameters(self, surface: Surface) -> tuple[DeclaredArgument, ...]:
        """Return the arguments that a surface accepts."""
        return tuple(each for each in parameters_of(self.arguments) if surface in each.about.on)

    def parameter(self, name: str) -> DeclaredArgument:
        """Return one argument by its name. Raises StopIteration if there is none."""
        return next(each for each in parameters_of(self.arguments) if each.name == name)

    def alternatives(self, surface: Surface) -> tuple[tuple[str, ...], ...]:
        """Return those of ``needs`` that a surface accepts."""
        known = {each.name for each in self.parameters(surface)}
        return tuple(names for names in self.needs if known.issuperset(names))

    def required(self, surface: Surface) -> tuple[str, ...]:
        """Return the arguments that are required on a surface."""
        only = self.alternatives(surface)
        known = set(only[0]) if len(only) == 1 else set()
        return tuple(each.name for each in self.parameters(surface) if each.is_required or each.name in known)

    def run(self, helix: Helix, given: A, context: AskContext) -> Any:
        """Run the operation on the engine and return its answer. Raises UsageError as ``require_asker`` does."""
        assert self.act is not None, f"{self.name} is answered by its surface"
        self.require_asker(given)
        return self.act(helix, given, context)

    def require_asker(self, given: A) -> None:
        """Raise UsageError where an agent asks for what only a person may; who answers without ``run`` calls it.

        An agent is who names itself one, in the request or by the environment, and where the request has an ``origin``
        whoever does not relay a person.
        """
        if self.person is None:
            return
        from helix_core.engine.memory import only_a_person
        from helix_ls.operations.attribution import by_of

        values = {each.name: getattr(given, each.name) for each in parameters_of(self.arguments)}
        if by_of(values.get("agent", ""), *((values["origin"],) if "origin" in values else ())).agent:
            raise only_a_person(f"helix {self.person.typed.format_map(values)}")
