"""Text of others inside Markdown: nothing in a name may become markup, move the cursor or hide characters. Pure."""

from __future__ import annotations

from urllib.parse import quote

from helix_core.printable import one_line

_MARKUP = frozenset("\\`*_{}[]()<>#+-.!|~$&:@^=\"'")


def escaped(text: str) -> str:
    """The text as Markdown that shows it literally."""
    return "".join("\\" + character if character in _MARKUP else character for character in one_line(text))


def code(text: str) -> str:
    """The text as a code span (CommonMark §6.1: fenced by more backticks than it holds)."""
    shown = one_line(text)
    longest = run = 0
    for character in shown:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * (longest + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def link(text: str, address: str) -> str:
    """A link that shows ``text``."""
    target = quote(address, safe="/:#%?&=,;@!$'*+~")
    return f"[{escaped(text)}]({target})"
