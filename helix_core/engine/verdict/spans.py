"""Where a name stands in the text of an item: the line that uses it, the line of a document that means it.

Pure: bytes and a name in, a line out. What is asked for is compared as it is written; postings fold the case.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection

from helix_core.lines import LineTable, with_line_feeds
from helix_core.model import Item
from helix_core.words import is_compound

_COMMENT = ("#", "//", "/*", "*", "--", ";", '"""', "'''")
_IMPORT = ("import ", "from ", "use ", "#include", "require ", "export * from")
_CHAIN = re.compile(r"(?:[^\W\d]\w*(?:::|->|\?\.|\.))+$")
_JOINTS = re.compile(r"::|->|\?\.|\.")
_JOINED = re.compile(r"(?:::|->|\.)$")
LONGEST_LINE = 2_000
LONGEST_OWNER = 200
_FENCE = re.compile(r"\s*(?:```|~~~)")
_LITERAL = re.compile(r"`+([^`\n]{1,200})`+")


def whole_word(name: str) -> re.Pattern[str]:
    """The name with no letter, digit or underscore beside it."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def owners_in(line: str, name: str) -> tuple[str, ...]:
    """What stands before the name on a line (``a.b`` of ``a.b.name``), outermost first, when all its places agree.

    ``("()",)`` is said of what no name tells, like the value of a call.
    """
    if len(line) > LONGEST_LINE:
        return ()
    found = {
        _owners(line[max(0, match.start() - LONGEST_OWNER) : match.start()])
        for match in whole_word(name).finditer(line)
    }
    return found.pop() if len(found) == 1 else ()


def _owners(before: str) -> tuple[str, ...]:
    chain = _CHAIN.search(before)
    if chain is not None:
        return tuple(_JOINTS.split(chain[0])[:-1])
    return ("()",) if _JOINED.search(before) else ()


def line_of_use(data: bytes, item: Item, name: str, without: Collection[int] = ()) -> int:
    """The first line of code in the item that uses the name, 1-based; 0 where none does.

    ``without`` are lines that do not count: those of the definition. Comments and imports do not count either.
    """
    pattern = whole_word(name)
    text = data[item.start_byte : item.end_byte].decode("utf-8", "replace")
    if pattern.search(text) is None:
        return 0
    for number, line in enumerate(with_line_feeds(text).split("\n"), item.start_line):
        if number not in without and pattern.search(line) and not line.lstrip().startswith((*_COMMENT, *_IMPORT)):
            return number
    return 0


def line_of_mention(data: bytes, item: Item, name: str) -> int:
    """The first line of a document's item that writes the name as code, 1-based; 0 where none does.

    As code is what stands in backticks or in a fenced block, and any name of several words: ``parse_header``,
    ``Model.save``.
    """
    pattern = whole_word(name)
    text = data[item.start_byte : item.end_byte].decode("utf-8", "replace")
    is_telling, fenced = "." in name or is_compound(name), False
    for number, line in enumerate(with_line_feeds(text).split("\n"), item.start_line):
        if _FENCE.match(line):
            fenced = not fenced
        elif pattern.search(line) and (
            is_telling or fenced or any(pattern.search(literal) for literal in _LITERAL.findall(line))
        ):
            return number
    return 0


def narrowed(item: Item, data: bytes, start_line: int, end_line: int) -> Item:
    """The item cut down to some of its lines; ``data`` is the file it stands in."""
    start, end = max(start_line, item.start_line), min(end_line, item.end_line)
    lines = LineTable(data[item.start_byte : item.end_byte])
    first, last = lines.span(start - item.start_line + 1, end - item.start_line + 1)
    return dataclasses.replace(
        item,
        start_byte=item.start_byte + first,
        end_byte=item.start_byte + last,
        start_line=start,
        end_line=max(end, start),
    )
