"""What is known of the grammar of a language: its wheel, and queries over its trees. Data only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grammar:
    """``module`` and ``entry`` name the function of a grammar wheel that returns its language.

    ``definitions``: a ``@hoisted`` one belongs to the namespace around, whatever function it stands in, unless what it
    is named with is a local there.
    ``bases``: what a ``@class`` extends or implements is its ``@base``; the node of a class is that of its definition.
    ``scopes``: what has members, or locals of its own, and is no definition: a ``@part`` gives them its ``@name``,
    behind its ``@owner``; in an ``@anonymous`` one, unless it is also ``@held`` by a name, nothing has a sure chain.
    ``headings``: its definitions are headings, nested by level. ``deepest``: the maximum number of open block levels of
    its scanner (0: unlimited). ``unended``: a pattern whose group 1 is the blank before what the scanner takes for a
    continuation of the line above, which has ended.
    """

    module: str
    definitions: str = ""
    text: str = ""
    bases: str = ""
    scopes: str = ""
    entry: str = "language"
    headings: bool = False
    deepest: int = 0
    unended: str = ""

    @property
    def distribution(self) -> str:
        """Return the wheel's distribution name, for its version."""
        return self.module.replace("_", "-")
