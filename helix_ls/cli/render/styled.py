"""Text with styles, without rich until a terminal needs it: a pipe gets the characters alone, and rich takes 20 ms to
import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.text import Text


class Styled:
    """A line in parts, each with a style as rich words it. rich takes it where it takes its own ``Text``."""

    __slots__ = ("_is_joined", "_marked", "_parts")

    def __init__(self, text: str = "", style: str = "") -> None:
        self._parts = [(text, style)]
        self._marked: list[tuple[str, int, int]] = []
        # Only a text that is one piece lends its style to what rich adds, as an ellipsis.
        self._is_joined = False

    @classmethod
    def assemble(cls, *parts: Styled | str | tuple[str, str]) -> Self:
        """Join texts, strings, and strings with a style."""
        made = cls()
        made._is_joined = True
        for part in parts:
            if isinstance(part, Styled):
                made.append_text(part)
            elif isinstance(part, str):
                made.append(part)
            else:
                made.append(*part)
        return made

    def append(self, text: str, style: str = "") -> None:
        """Add a string at the end."""
        self._is_joined = True
        self._parts.append((text, style))

    def append_text(self, text: Styled) -> None:
        """Add a text at the end."""
        self._is_joined = True
        before = len(self.plain) if text._marked else 0
        self._marked += [(style, start + before, end + before) for style, start, end in text._marked]
        self._parts += text._parts

    def stylize(self, style: str, start: int, end: int) -> None:
        """Give the characters from ``start`` to ``end`` a style on top of their own."""
        self._marked.append((style, start, end))

    @property
    def plain(self) -> str:
        """The characters without styles."""
        return "".join([text for text, _ in self._parts])

    @property
    def cell_len(self) -> int:
        """The columns that a terminal shows it in."""
        return cell_len(self.plain)

    def __rich__(self) -> Text:
        """Return the same as rich draws it."""
        from rich.text import Text

        made = Text.assemble(*self._parts) if self._is_joined else Text(*self._parts[0])
        for style, start, end in self._marked:
            made.stylize(style, start, end)
        return made


def cell_len(text: str) -> int:
    """Return the columns that a terminal shows a text in."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich import cells

    return cells.cell_len(text)
