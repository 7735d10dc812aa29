"""Fixtures of pytest: a test, or another fixture, asks for one by the name of a parameter, which no import says.

In: definitions and code as it is on disk. Out: which fixture a function asks for. Pure. See "Fixture availability" in
pytest's documentation: of several of a name the one nearest to the test counts, in its class, its file, or the
``conftest.py`` of its folder and of those above.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from helix_core.engine.symbols.receivers import CodeText, head_of
from helix_core.model import FUNCTIONS
from helix_core.store import DefinedAt, DefinitionHit

MOST_DECORATOR_LINES = 12
_FIXTURE = re.compile(r"^\s*@(?:\w+\.)*(?:yield_)?fixture\b", re.M)
_ABOVE = re.compile(r"\s*(?:$|(?:async\s+)?def\b|class\b|return\b)")
_CONFTEST = b"conftest.py"


def is_fixture(file: CodeText, hit: DefinitionHit) -> bool:
    """Return whether a definition of a file has the decorator of a fixture."""
    above: list[str] = []
    for line in reversed(file.lines[max(hit.start_line - 1 - MOST_DECORATOR_LINES, 0) : hit.start_line - 1]):
        if _ABOVE.match(line):
            break
        above.append(line)
    own = file.lines[hit.start_line - 1 : hit.start_line - 1 + MOST_DECORATOR_LINES]
    head = own[: next((at for at, line in enumerate(own) if _ABOVE.match(line)), len(own))]
    return hit.kind in FUNCTIONS and _FIXTURE.search("\n".join((*reversed(above), *head))) is not None


def is_asked_for(name: str, file: CodeText, line: int) -> bool:
    """Return whether a line is part of a test, or of a fixture, that has the name as a parameter, or of
    ``usefixtures("name")``.
    """
    if _is_marked(name, file.text.split("\n"), line):
        return True
    parameter = re.compile(rf"[(,]\s*{re.escape(name)}\s*[,:)=]")
    for hit in file.around(line):
        if hit.kind in FUNCTIONS and parameter.search(head_of(file.lines[hit.start_line - 1 : hit.end_line])):
            return hit.name.startswith("test") or is_fixture(file, hit)
    return False


def _is_marked(name: str, lines: Sequence[str], line: int) -> bool:
    """Return whether a line has the name as a string of a ``usefixtures`` that is open there."""
    named = re.search(rf"[\"']{re.escape(name)}[\"']", lines[line - 1])
    if named is None:
        return False
    above = lines[max(line - MOST_DECORATOR_LINES, 1) - 1 : line - 1]
    _, opening, inside = "\n".join((*above, lines[line - 1][: named.start()])).rpartition("usefixtures(")
    return bool(opening) and ")" not in inside


def nearest_fixture(fixtures: Sequence[DefinedAt], file: CodeText, line: int) -> DefinedAt | None:
    """Return the fixture of several of one name that a line of a file gets; None where it sees none of them."""
    seen = [(near, one) for one in fixtures if (near := _nearness(one, file, line))]
    return max(seen, key=lambda pair: pair[0])[1] if seen else None


def _nearness(one: DefinedAt, file: CodeText, line: int) -> int:
    """Return how near a fixture is to a line, 0 where it is not visible there."""
    if one.path == file.path:
        if not one.trail:
            return len(file.path) + 1
        return len(file.path) + 2 if file.is_within(one.trail[-1], line) else 0
    folder = one.path.removesuffix(_CONFTEST)
    is_above = folder != one.path and not one.trail and (not folder or folder.endswith(b"/"))
    return len(folder) + 1 if is_above and file.path.startswith(folder) else 0
