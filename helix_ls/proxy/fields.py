"""The members of a request: one table from which both the OpenAPI document and the check of a body are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from helix_core.errors import UsageError

Kind = Literal["text", "whole number", "number", "true or false", "object"]
# Of a text that has no bound of its own so many characters are read: more is no question.
READ_CHARACTERS = 8_000
UNBOUNDED = 1_000_000_000
_REQUIRED = object()
_TYPES = {
    "text": "string",
    "whole number": "integer",
    "number": "number",
    "object": "object",
    "true or false": "boolean",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One member. ``also`` are names it had before, looked at in this order; ``least`` and ``most`` are inclusive.

    ``null`` is as if it were not there. A required text must say something; one longer than ``most`` characters is
    refused, and of one without that bound the first are read.
    """

    name: str
    kind: Kind
    description: str
    default: Any = _REQUIRED
    least: float = 0
    most: float = UNBOUNDED
    choices: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    example: Any = None

    @property
    def is_required(self) -> bool:
        """Must a request give it?"""
        return self.default is _REQUIRED

    @property
    def names(self) -> tuple[str, ...]:
        """Under which it is read."""
        return (self.name, *self.also)

    def schema(self) -> dict[str, Any]:
        """As JSON Schema 2020-12, without ``null``."""
        about: dict[str, Any] = {"type": _TYPES[self.kind]}
        if self.kind in ("whole number", "number"):
            whole = self.kind == "whole number"
            about |= {"minimum": int(self.least) if whole else self.least, "maximum": int(self.most)}
        elif self.kind == "text":
            about |= {"enum": list(self.choices)} if self.choices else {}
            about |= {"maxLength": int(self.most)} if self.most < UNBOUNDED else {}
        return about

    def checked(self, name: str, value: Any) -> Any:
        """The value given under one of its names, or UsageError saying what it must be."""
        if self.kind == "text":
            return self._text(name, value)
        if self.kind == "object":
            if not isinstance(value, dict):
                raise UsageError(f"{name} is no object; give it as one")
            return value
        if self.kind == "true or false":
            if not isinstance(value, bool):
                raise UsageError(f"{name} is neither true nor false; give one of them")
            return value
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_whole = is_number and (isinstance(value, int) or value.is_integer())
        if self.kind == "whole number" and not is_whole:
            raise UsageError(f"{name} is no whole number; give one from {self.least:.0f} to {self.most:,.0f}")
        if not is_number:
            raise UsageError(f"{name} is no number; give one from {self.least:g} to {self.most:,.0f}")
        if not self.least <= value <= self.most:
            raise UsageError(f"{name} is out of its range; it must be from {self.least:g} to {self.most:,.0f}")
        return int(value) if self.kind == "whole number" else float(value)

    def _text(self, name: str, given: Any) -> str:
        if not isinstance(given, str):
            raise UsageError(f"{name} is no text; give it as a string")
        value = given
        if self.choices and value not in self.choices:
            raise UsageError(f"unknown {name} {value[:80]!a}; use one of {', '.join(self.choices)}")
        if self.most == UNBOUNDED:
            value = value if len(value) <= READ_CHARACTERS else value.strip()[:READ_CHARACTERS]
        elif len(value) > self.most:
            raise UsageError(f"{name} is longer than {self.most:,.0f} characters; give its essence")
        if not value.isascii() and any("\ud800" <= each <= "\udfff" for each in value):
            raise UsageError(f"{name} holds half a character (a lone surrogate); give whole Unicode text")
        return value


def checked(fields: Sequence[Field], given: dict[str, Any]) -> dict[str, Any]:
    """All members by their own names, defaults filled in; what no field names is left alone. Raises UsageError."""
    found: dict[str, Any] = {}
    for field in fields:
        values = [field.checked(name, given[name]) for name in field.names if given.get(name) is not None]
        if field.is_required:
            values = [value for value in values if field.kind != "text" or value.strip()]
            if not values:
                raise UsageError(f"{field.name} is missing; {field.description[0].lower()}{field.description[1:]}")
        found[field.name] = values[0] if values else field.default
    return found


def body_schema(fields: Sequence[Field]) -> dict[str, Any]:
    """The schema of a body: an object that may hold more than this."""
    properties: dict[str, Any] = {}
    needed: list[dict[str, Any]] = []
    for field in fields:
        for name in field.names:
            about = field.schema()
            said = field.description if name == field.name else f"The same as {field.name}, under an older name."
            known = {"description": said} | ({"default": field.default} if not field.is_required else {})
            properties[name] = {"anyOf": [about, {"type": "null"}], **known}
        if field.is_required:
            stated = {"type": "string", "pattern": r"\S"} if field.kind == "text" else field.schema()
            needed.append({"anyOf": [{"required": [name], "properties": {name: stated}} for name in field.names]})
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": True}
    return schema | ({"allOf": needed} if needed else {})
