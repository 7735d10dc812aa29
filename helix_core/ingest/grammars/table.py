"""What one language's table says: which grammar, and two queries over its trees.

``definitions`` captures the whole node under its kind, ``@name`` inside it, and optionally ``@owner`` (a receiver or
scope that belongs in the breadcrumb) or ``@call`` (the function whose first string argument names a test).
``text`` captures ``@comment``, ``@docstring``, ``@string``, ``@lead`` (decorators and attributes that stand before a
definition), ``@import`` (a whole import statement) and ``@module`` (the path in it, as written).
Queries use no text predicates: trees are parsed through a reader, and the tables stay language data.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grammar:
    """``module`` and ``entry`` name the function of a grammar wheel that gives its language."""

    module: str
    definitions: str = ""
    text: str = ""
    entry: str = "language"
    headings: bool = False

    @property
    def distribution(self) -> str:
        """The wheel's name, for its version."""
        return self.module.replace("_", "-")
