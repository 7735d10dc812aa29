"""What one language's table says: which grammar, and two queries over its trees.

``definitions`` captures the whole node under its kind, ``@name`` inside it, and optionally ``@owner`` (a receiver or
scope that belongs in the breadcrumb), ``@call`` (the function whose first string argument names a test), ``@word`` (the
source word that is the kind) or, in place of the name, ``@declarator`` (C's way of wrapping names). Without a
``@name`` it is looked for in the node: in large grammars that compiles ten times faster than a pattern for it.
``text`` captures ``@comment``, ``@docstring``, ``@string``, ``@lead`` (decorators and attributes that stand before a
definition), ``@import`` (a whole import statement) and ``@module`` (the path in it, as written).
Queries use no text predicates: trees are parsed through a reader, and the tables stay language data.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grammar:
    """``module`` and ``entry`` name the function of a grammar wheel that gives its language.

    ``headings``: its definitions are headings, nested by level. ``deepest``: how many open block levels its scanner
    survives (0: any number).
    """

    module: str
    definitions: str = ""
    text: str = ""
    entry: str = "language"
    headings: bool = False
    deepest: int = 0

    @property
    def distribution(self) -> str:
        """The wheel's name, for its version."""
        return self.module.replace("_", "-")
