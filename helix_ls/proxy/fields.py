"""The members of a request: one table from which both the OpenAPI document and the check of a body are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from helix_core.errors import UsageError

Kind = Literal["text", "whole number", "number", "object"]
MOST_CHARACTERS = 100_000
_REQUIRED = object()
_TYPES = {"text": "string", "whole number": "integer", "number": "number", "object": "object"}
_ARTICLES = {"text": "a string", "object": "an object"}


@dataclass(frozen=True, slots=True)
class Field:
    """One member. ``also`` are names it had before, looked at in this order; ``least`` and ``most`` are inclusive.

    ``null`` is as if it were not there. A required text must say something. ``most`` bounds a text's characters too.
    """

    name: str
    kind: Kind
    description: str
    default: Any = _REQUIRED
    least: float = 0
    most: float = 1_000_000_000
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

    @property
    def _most_characters(self) -> int:
        return int(min(self.most, MOST_CHARACTERS))

    def schema(self) -> dict[str, Any]:
        """As JSON Schema 2020-12, without ``null``."""
        about: dict[str, Any] = {"type": _TYPES[self.kind]}
        if self.kind in ("whole number", "number"):
            whole = self.kind == "whole number"
            about |= {"minimum": int(self.least) if whole else self.least, "maximum": int(self.most)}
        elif self.kind == "text":
            about |= {"enum": list(self.choices)} if self.choices else {"maxLength": self._most_characters}
        return about

    def checked(self, name: str, value: Any) -> Any:
        """The value given under one of its names, or UsageError saying what it must be."""
        if self.kind == "text":
            return self._text(name, value)
        if self.kind == "object":
            if not isinstance(value, dict):
                raise UsageError(f"{name} is no object; give it as one")
            return value
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if self.kind == "whole number" and not (is_number and float(value).is_integer()):
            raise UsageError(f"{name} is no whole number; give one from {self.least:.0f} to {self.most:,.0f}")
        if not is_number:
            raise UsageError(f"{name} is no number; give one from {self.least:g} to {self.most:,.0f}")
        if not self.least <= value <= self.most:
            raise UsageError(f"{name} is {value:g}; it must be from {self.least:g} to {self.most:,.0f}")
        return int(value) if self.kind == "whole number" else float(value)

    def _text(self, name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise UsageError(f"{name} is no text; give it as a string")
        if self.choices and value not in self.choices:
            raise UsageError(f"unknown {name} {value[:80]!a}; use one of {', '.join(self.choices)}")
        if len(value) > self._most_characters:
            raise UsageError(f"{name} is longer than {self._most_characters:,} characters; give its essence")
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
            stated = field.schema() | ({"pattern": r"\S"} if field.kind == "text" else {})
            needed.append({"anyOf": [{"required": [name], "properties": {name: stated}} for name in field.names]})
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": True}
    return schema | ({"allOf": needed} if needed else {})
