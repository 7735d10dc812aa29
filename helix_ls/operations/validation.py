"""Validate the arguments of an operation with pydantic; a fault has the same sentence on every surface.

For long-lived processes: importing this loads pydantic. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError, create_model
from pydantic_core import PydanticCustomError

from helix_core.errors import UsageError
from helix_ls.operations.arguments import DeclaredArgument, Operation, Surface, parameters_of

A = TypeVar("A")
_LENIENT: Surface = "http"
_AS_DECLARED: Mapping[str, str] = MappingProxyType({})


def validated(
    operation: Operation[A],
    given: Mapping[str, Any],
    surface: Surface,
    shown: Mapping[str, str] = _AS_DECLARED,
    unlisted: Collection[str] = (),
) -> A:
    """Return the validated arguments of a call, with defaults. ``null`` counts as missing.

    Over HTTP an unknown member is ignored, and of several names of one argument the first is used, as older clients
    send such bodies. Elsewhere both are errors. Raises UsageError with one sentence, in the names under which the
    surface shows its arguments: ``shown`` maps those that differ, and ``unlisted`` are not named.
    """
    arguments: Any = operation.arguments
    parameters = operation.parameters(surface)
    if surface == _LENIENT:
        named = {each.name: name for each in parameters if (name := _first_name(each, given))}
    else:
        named = _names(parameters, given, shown, unlisted)
    for name in operation.required(surface):
        if name not in named:
            about = operation.parameter(name).about.description.partition(";")[0].rstrip(".")
            raise UsageError(f"{shown.get(name, name)} is missing: {about[0].lower()}{about[1:]}")
    values = _typed(arguments, given, named)
    if surface == _LENIENT:
        for each in parameters:
            for name in each.about.also:
                if given.get(name) is not None:
                    _typed(arguments, given, {each.name: name})
    _check_alternatives(operation, values, surface, shown)
    for each in parameters:
        if each.about.reads and len(value := values.get(each.name) or "") > each.about.reads:
            values[each.name] = value.strip()[: each.about.reads]
    made: A = arguments(**values)
    return made


def _typed(arguments: Any, given: Mapping[str, Any], named: Mapping[str, str]) -> dict[str, Any]:
    """Return the values by the arguments' own names, converted to their types. Raises UsageError."""
    members = {each.name: each for each in parameters_of(arguments) if each.kind == "object" and each.item is not None}
    sent = {name: given[as_sent] for name, as_sent in named.items()}
    for name in sent.keys() & members.keys():
        if isinstance(sent[name], Mapping):
            sent[name] = _known_members(members[name], sent[name])
    try:
        return _values(arguments, _model(arguments, is_call=True).model_validate(sent))
    except ValidationError as error:
        raise UsageError(_sentence(arguments, error, named)) from None


def _known_members(parameter: DeclaredArgument, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of an object without those that are null. Raises UsageError for an unknown one, on
    every surface: an ignored filter would answer another question.
    """
    known = [each.name for each in parameters_of(parameter.item)]
    for name in value:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            next_step = f"did you mean {close[0]}?" if close else f"its members are {', '.join(known)}"
            raise UsageError(f"{parameter.name} has no member {name[:80]!a}; {next_step}")
    return {name: one for name, one in value.items() if one is not None}


def _first_name(parameter: DeclaredArgument, given: Mapping[str, Any]) -> str:
    """Return the first name with a value, preferring one that is not blank."""
    names = [name for name in parameter.names if given.get(name) is not None]
    speaking = [name for name in names if not isinstance(given[name], str) or given[name].strip()]
    return next(iter(speaking or names), "")


def _names(
    parameters: tuple[DeclaredArgument, ...],
    given: Mapping[str, Any],
    shown: Mapping[str, str],
    unlisted: Collection[str],
) -> dict[str, str]:
    """Map each argument to the name it was sent under. Raises UsageError for unknown and duplicate names."""
    known = {name: each for each in parameters for name in each.names}
    named: dict[str, str] = {}
    for name, value in given.items():
        parameter = known.get(name)
        if parameter is None:
            close = get_close_matches(name, known, n=1)
            names = [shown.get(each.name, each.name) for each in parameters if each.name not in unlisted]
            listed = ", ".join(names) or "none"
            meant = known[close[0]].name if close else ""
            next_step = f"did you mean {shown.get(meant, meant)}?" if close else f"the arguments are {listed}"
            raise UsageError(f"there is no argument {name[:80]!a}; {next_step}")
        if parameter.name in named:
            raise UsageError(f"{shown.get(parameter.name, parameter.name)} is given twice; give it once")
        if value is not None:
            named[parameter.name] = name
    return named


def _check_alternatives(
    operation: Operation[Any], values: Mapping[str, Any], surface: Surface, shown: Mapping[str, str]
) -> None:
    alternatives = operation.alternatives(surface)
    nothing = (None, "") if operation.is_exclusive else (None,)
    whole = [names for names in alternatives if all(values.get(name) not in nothing for name in names)]
    if len(alternatives) < 2 or len(whole) == 1 or (whole and not operation.is_exclusive):
        return
    whole = [tuple(shown.get(name, name) for name in names) for names in alternatives]
    listed = [" with ".join((names[0], " and ".join(names[1:]))) if names[1:] else names[0] for names in whole]
    raise UsageError(f"give {'either ' if operation.is_exclusive else ''}{', or '.join(listed)}")


def _sentence(arguments: Any, error: ValidationError, named: Mapping[str, str]) -> str:
    """Return the first error as one sentence, under the name that the argument was sent under."""
    first = error.errors(include_url=False, include_context=False)[0]
    top, *inner = first["loc"]
    parameter = next(each for each in parameters_of(arguments) if each.name == top)
    name = named[str(top)]
    for part in inner:
        if isinstance(part, int):
            name = f"{name}[{part}]"
        elif parameter.item is not None and (within := _within(parameter.item, str(part))):
            parameter, name = within, f"{name}.{part}"
    if first["type"] == "string_too_long":
        return f"{name} is longer than {parameter.most:,} characters; shorten it"
    if first["type"] == "string_unicode":
        return f"{name} contains a lone surrogate; give valid Unicode text"
    is_item = inner and isinstance(inner[-1], int)
    of_list = "an object" if parameter.item is not None else "a string"
    return f"{name} must be {of_list if is_item else parameter.wanted}"


def _within(item: Any, name: str) -> DeclaredArgument | None:
    return next((each for each in parameters_of(item) if each.name == name), None)


def _whole(value: Any) -> Any:
    """Convert an integral float to an integer: 8.0 is an integer of JSON Schema."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _list(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise PydanticCustomError("list_type", "no list")
    return value


def _list_or_one(value: Any) -> Any:
    return (value,) if isinstance(value, str) else _list(value)


def _text(value: str) -> str:
    if not value.isascii() and any("\ud800" <= each <= "\udfff" for each in value):
        raise PydanticCustomError("string_unicode", "a lone surrogate")
    return value


def _type(parameter: DeclaredArgument) -> Any:
    item: Any = parameter.item
    if parameter.about.choices:
        return Literal[parameter.about.choices]
    match parameter.kind:
        case "string":
            return Annotated[str, Field(strict=True, max_length=parameter.most or None), AfterValidator(_text)]
        case "integer":
            bounds = Field(strict=True, ge=parameter.least, le=parameter.most)
            return Annotated[int, BeforeValidator(_whole), bounds]
        case "number":
            return Annotated[float, Field(strict=True, ge=parameter.least, le=parameter.most, allow_inf_nan=False)]
        case "boolean":
            return Annotated[bool, Field(strict=True)]
        case "object":
            return dict[str, Any] if item is None else _model(item)
        case "array":
            if item is None:
                text = Annotated[str, Field(strict=True, max_length=parameter.most or None), AfterValidator(_text)]
                listed = _list_or_one if parameter.about.takes_one else _list
                return Annotated[tuple[text, ...], BeforeValidator(listed)]
            return list[_model(item)]  # type: ignore[misc]


@cache
def _model(arguments: Any, *, is_call: bool = False) -> type[BaseModel]:
    """Return a pydantic model of the arguments; for a call all are optional, as missing ones are found before."""
    fields: dict[str, Any] = {
        each.name: (_type(each), ... if each.is_required and not is_call else None) for each in parameters_of(arguments)
    }
    return create_model(arguments.__name__, **fields)


def _values(arguments: Any, model: BaseModel) -> dict[str, Any]:
    """Return the validated values, with objects as their classes."""
    items = {each.name: each.item for each in parameters_of(arguments) if each.item is not None}
    values = {name: getattr(model, name) for name in model.model_fields_set}
    for name in values.keys() & items.keys():
        item: Any = items[name]
        value = values[name]
        made = [item(**_values(item, entry)) for entry in (value if isinstance(value, list) else [value])]
        values[name] = made if isinstance(value, list) else made[0]
    return values
