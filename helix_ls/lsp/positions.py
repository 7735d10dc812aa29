"""Places in a line: the client counts in UTF-8, UTF-16 or UTF-32 units, we in characters.

Pure. pygls' own codec steps through a line character by character, and puts a place behind the end of a last line one
character too far to the left; the protocol says it stands at the end (LSP 3.17, Position).
"""

from __future__ import annotations

_LONGEST_NAME = 200


def to_column(line: str, units: int, encoding: str) -> int:
    """The character that ``units`` of the client's stand before.

    Inside a character is before it, past the end is the end. ``line`` is without its line end.
    """
    units = max(units, 0)
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    if encoding == "utf-8":
        return len(line.encode("utf-8", "surrogatepass")[:units].decode("utf-8", "ignore"))
    return len(line.encode("utf-16-le", "surrogatepass")[: units * 2].decode("utf-16-le", "ignore"))


def to_units(line: str, column: int, encoding: str) -> int:
    """How many of the client's units the first ``column`` characters are."""
    before = line[: max(column, 0)]
    if encoding == "utf-32" or before.isascii():
        return len(before)
    if encoding == "utf-8":
        return len(before.encode("utf-8", "surrogatepass"))
    return len(before.encode("utf-16-le", "surrogatepass")) // 2


def name_at(line: str, column: int) -> tuple[str, int, int]:
    """The identifier that touches ``column``, its first column and the one behind it; empty where there is none."""
    start = end = min(max(column, 0), len(line))
    while start > 0 and _is_part(line[start - 1]) and column - start < _LONGEST_NAME:
        start -= 1
    while end < len(line) and _is_part(line[end]) and end - column < _LONGEST_NAME:
        end += 1
    name = line[start:end]
    return (name, start, end) if name and not name[0].isdigit() else ("", column, column)


def _is_part(character: str) -> bool:
    return character in "_$" or character.isalnum() or ("a" + character).isidentifier()
