"""Where the values of a JSON text begin and end, so that something can be put between them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json.decoder import JSONDecoder
from typing import Any

_BLANK = re.compile(r"[ \t\r\n]*")


MOST_DIGITS = 400


def _integer(digits: str) -> int | float:
    """Return a number; one too long for Python to read exactly is infinite. The text passes on as it was sent."""
    return int(digits) if len(digits) <= MOST_DIGITS else float(digits)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


DECODER = JSONDecoder(parse_constant=_no_constant, parse_int=_integer)


def skip_blank(text: str, at: int) -> int:
    """Return the offset of what follows the blanks at ``at``."""
    blank = _BLANK.match(text, at)
    return blank.end() if blank is not None else at


def after(text: str, at: int, expected: str) -> int:
    """Return the offset of what follows an expected character. Raises ValueError."""
    at = skip_blank(text, at)
    if text[at : at + 1] != expected:
        raise ValueError(f"{expected} is missing")
    return skip_blank(text, at + 1)


def elements(text: str, at: int) -> Iterator[tuple[Any, int, int]]:
    """Yield each element of the array at ``at``: its value, and where it begins and ends. Raises ValueError."""
    at = after(text, at, "[")
    if text[at : at + 1] == "]":
        return
    while True:
        start = at
        value, at = DECODER.raw_decode(text, at)
        yield value, start, at
        at = skip_blank(text, at)
        if text[at : at + 1] == "]":
            return
        at = after(text, at, ",")


def members(text: str, at: int) -> Iterator[tuple[str, Any, int, int]]:
    """Yield each member of the object at ``at``: name, value, and where the value begins and ends. Raises ValueError.

    A repeated name is yielded each time.
    """
    at = after(text, at, "{")
    if text[at : at + 1] == "}":
        return
    while True:
        name, at = DECODER.raw_decode(text, at)
        start = after(text, at, ":")
        value, at = DECODER.raw_decode(text, start)
        yield name, value, start, at
        at = skip_blank(text, at)
        if text[at : at + 1] == "}":
            return
        at = after(text, at, ",")


def member(text: str, at: int, name: str) -> tuple[Any, int, int] | None:
    """Return the value of the last member of that name, which is the one JSON parsers keep, and its span."""
    found = None
    for each, value, start, end in members(text, at):
        if each == name:
            found = (value, start, end)
    return found
