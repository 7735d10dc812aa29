"""Bytes that a regular expression matches, drawn from its parse tree.

Hypothesis draws each byte of such a text by itself and keeps what it needs to shrink it: a hundred times the work.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable, Iterator
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

MOST_REPEATS = 12
"""So many repetitions beyond the least; where more are allowed, the most are drawn now and then, too."""
ANY_BYTE = frozenset(range(256))
CATEGORIES = {
    codes.CATEGORY_DIGIT: frozenset(string.digits.encode()),
    codes.CATEGORY_SPACE: frozenset(string.whitespace.encode()),
    codes.CATEGORY_WORD: frozenset((string.ascii_letters + string.digits + "_").encode()),
}
CATEGORIES |= {
    codes.CATEGORY_NOT_DIGIT: ANY_BYTE - CATEGORIES[codes.CATEGORY_DIGIT],
    codes.CATEGORY_NOT_SPACE: ANY_BYTE - CATEGORIES[codes.CATEGORY_SPACE],
    codes.CATEGORY_NOT_WORD: ANY_BYTE - CATEGORIES[codes.CATEGORY_WORD],
}


def samples(source: bytes, count: int, seed: int = 7) -> list[bytes]:
    """Draw ``count`` texts that the whole of a pattern matches, the same for the same pattern and seed."""
    whole, tree, chance = re.compile(source), parser.parse(source), random.Random(seed)
    drawn: list[bytes] = []
    for _ in range(100 * count):
        text = bytes(Draw(chance).of(tree, tree.state.flags))
        # What the tree only looks at, as a border of a word, a draw may miss.
        if whole.fullmatch(text):
            drawn.append(text)
        if len(drawn) == count:
            return drawn
    raise AssertionError(f"less than one draw of a hundred fits {source!r}")


class Draw:
    """One text."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.groups: dict[int, list[int]] = {}

    def of(self, tree: Any, flags: int) -> list[int]:
        """Draw for each part of a pattern, in order."""
        return [byte for code, argument in tree for byte in PARTS[code](self, argument, flags)]

    def one_of(self, allowed: frozenset[int], flags: int) -> Iterator[int]:
        """Draw a byte, plain text four times of five, in either case where case does not count."""
        plain = sorted(allowed & PRINTABLE)
        byte = self.chance.choice(plain if plain and self.chance.random() < 0.8 else sorted(allowed))
        yield from self.either_case(byte, flags)

    def either_case(self, byte: int, flags: int) -> Iterator[int]:
        yield ord(chr(byte).swapcase()) if flags & re.I and byte < 128 and self.chance.random() < 0.5 else byte

    def repeated(self, least: int, most: int, tree: Any, flags: int) -> Iterator[int]:
        some = min(most, least + MOST_REPEATS)
        highest = most if most <= 100 and self.chance.random() < 0.1 else some
        for _ in range(self.chance.choice((least, self.chance.randint(least, highest), highest))):
            yield from self.of(tree, flags)

    def group(self, argument: Any, flags: int) -> list[int]:
        number, added, removed, tree = argument
        drawn = self.of(tree, (flags | added) & ~removed)
        if number is not None:
            self.groups[number] = drawn
        return drawn


PRINTABLE = frozenset(range(32, 127))


def members(argument: Any) -> frozenset[int]:
    """The bytes of a class."""
    allowed: set[int] = set()
    for code, value in argument:
        if code is codes.LITERAL:
            allowed.add(value)
        elif code is codes.RANGE:
            allowed.update(range(value[0], value[1] + 1))
        elif code is codes.CATEGORY:
            allowed |= CATEGORIES[value]
    return ANY_BYTE - allowed if argument and argument[0][0] is codes.NEGATE else frozenset(allowed)


PARTS: dict[Any, Callable[[Draw, Any, int], Any]] = {
    codes.LITERAL: lambda draw, byte, flags: draw.either_case(byte, flags),
    codes.NOT_LITERAL: lambda draw, byte, flags: draw.one_of(ANY_BYTE - {byte}, flags),
    codes.ANY: lambda draw, _, flags: draw.one_of(ANY_BYTE if flags & re.S else ANY_BYTE - {10}, flags),
    codes.IN: lambda draw, argument, flags: draw.one_of(members(argument), flags),
    codes.BRANCH: lambda draw, argument, flags: draw.of(draw.chance.choice(argument[1]), flags),
    codes.SUBPATTERN: Draw.group,
    codes.GROUPREF: lambda draw, number, _: draw.groups.get(number, []),
    codes.MAX_REPEAT: lambda draw, argument, flags: draw.repeated(*argument, flags),
    codes.MIN_REPEAT: lambda draw, argument, flags: draw.repeated(*argument, flags),
    codes.AT: lambda *_: (),
    codes.ASSERT: lambda *_: (),
    codes.ASSERT_NOT: lambda *_: (),
}
