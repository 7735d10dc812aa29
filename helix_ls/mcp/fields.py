"""The arguments of a tool: one table from which both the schema a model reads and the check of a call are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from helix_core.errors import UsageError

MOST_CHARACTERS = 4_000
_REQUIRED = object()


@dataclass(frozen=True, slots=True)
class Field:
    """One argument. ``also`` are names it is accepted under besides its own; ``least`` and ``most`` bound a number,
    ``longest`` the characters of a text."""

    name: str
    kind: type[str] | type[int]
    description: str
    default: Any = _REQUIRED
    least: int = 0
    most: int = 0
    choices: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    longest: int = MOST_CHARACTERS

    @property
    def is_required(self) -> bool:
        """Must a call give it?"""
        return self.default is _REQUIRED

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        about: dict[str, Any] = {"type": "string" if self.kind is str else "integer", "description": self.description}
        if self.kind is int:
            about |= {"minimum": self.least, "maximum": self.most}
        elif self.choices:
            about |= {"enum": list(self.choices)}
        else:
            about |= {"maxLength": self.longest}
        if not self.is_required and self.default is not None:
            about |= {"default": self.default}
        return about

    def checked(self, value: Any) -> Any:
        """The value, or UsageError saying what it must be."""
        if self.kind is int:
            if not isinstance(value, int) or isinstance(value, bool) or not self.least <= value <= self.most:
                said = f"{self.name} must be a whole number from {self.least} to {self.most:,}; call the tool again"
                raise UsageError(said)
            return value
        if not isinstance(value, str):
            raise UsageError(f"{self.name} must be a string; call the tool again with one")
        if self.choices and value not in self.choices:
            raise UsageError(
                f"{self.name} must be one of {', '.join(self.choices)}; call the tool again with one of them"
            )
        if len(value) > self.longest:
            raise UsageError(f"{self.name} is longer than {self.longest:,} characters; give its essence")
        return value


def input_schema(fields: Sequence[Field]) -> dict[str, Any]:
    """The schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": {field.name: field.schema() for field in fields},
        "required": [field.name for field in fields if field.is_required],
        "additionalProperties": False,
    }


def checked(fields: Sequence[Field], given: dict[str, Any]) -> dict[str, Any]:
    """All arguments by their own names, defaults filled in; None where one was left out that has no default.

    Raises UsageError, one sentence with the next action, for an argument that is missing, unknown or wrong.
    """
    named = {name: field for field in fields for name in (*field.also, field.name)}
    found: dict[str, Any] = {}
    for name, value in given.items():
        field = named.get(name)
        if field is None:
            raise UsageError(_unknown(name, fields))
        if field.name in found:
            raise UsageError(f"{field.name} is given twice; give it once")
        # Models write null for what they leave out.
        if value is not None or field.is_required:
            found[field.name] = field.checked(value)
    for field in fields:
        if field.name not in found and field.is_required:
            raise UsageError(f"{field.name} is missing: {field.description[0].lower()}{field.description[1:]}")
    return {field.name: found.get(field.name, field.default) for field in fields}


def _unknown(name: str, fields: Sequence[Field]) -> str:
    names = [field.name for field in fields]
    close = get_close_matches(name, names, n=1)
    if close:
        return f"there is no argument {name[:80]!a}; did you mean {close[0]}?"
    return f"there is no argument {name[:80]!a}; this tool takes {', '.join(names) or 'none'}"
