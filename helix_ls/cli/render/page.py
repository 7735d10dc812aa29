"""One page on stdout: a console that measures the terminal, links where links work, and plain text when piped."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from helix_core.printable import one_line
from helix_ls.cli.output import print_text

MARKS = {"verified": ("✓", "green"), "stale_risk": ("~", "yellow"), "needs_refresh": ("!", "red")}
_NO_LINKS = ("dumb", "linux", "eterm", "unknown")
_PIPED_WIDTH = 10_000


class Page:
    """Collects what is drawn and writes it at once, so that a page is never torn by an error half-way."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self.is_terminal = sys.stdout.isatty()
        self._links = self.is_terminal and links_work(environ)
        self._console = Console(
            file=io.StringIO(),
            force_terminal=True if self.is_terminal else None,
            width=None if self.is_terminal else _PIPED_WIDTH,
            markup=False,
            emoji=False,
            highlight=False,
        )

    @property
    def width(self) -> int:
        """Columns of the terminal; very many when there is none."""
        return self._console.width

    def line(self, *parts: Text | str) -> None:
        """One logical line; a terminal may wrap it, a pipe gets it whole."""
        self._console.print(Text.assemble(*parts), soft_wrap=True)

    def cut(self, *parts: Text | str) -> None:
        """One line, cut at the edge of a terminal."""
        text = Text.assemble(*parts)
        if self.is_terminal:
            text.truncate(self.width, overflow="ellipsis")
        self._console.print(text, soft_wrap=True)

    def table(self, rows: Table) -> None:
        """An aligned table."""
        self._console.print(rows)

    def space(self) -> None:
        """An empty line."""
        self._console.print()

    def place(self, source_id: str, start_line: int, end_line: int, uri: str) -> Text:
        """``path:start-end`` as a link to the file."""
        lines = f"{start_line}" if start_line == end_line else f"{start_line}-{end_line}"
        style = f"bold link {uri}" if self._links and uri else "bold"
        return Text(f"{one_line(source_id)}:{lines}", style=style)

    def near(self, names: Sequence[str]) -> None:
        """Names worth asking for instead, when there are any."""
        if names:
            self.line("Names that come near: ", Text(one_line(", ".join(names)), style="cyan"))

    def notes(self, notes: Sequence[str]) -> None:
        """What an answer says of itself, one line each, set apart."""
        if notes:
            self.space()
        for note in notes:
            self.line(dim("· "), dim(note))

    def text(self) -> str:
        """The page as it is written."""
        assert isinstance(self._console.file, io.StringIO)
        text = self._console.file.getvalue()
        return text if self.is_terminal else "\n".join(line.rstrip() for line in text.split("\n"))

    def show(self) -> None:
        """Write the page."""
        print_text(self.text())


def grid() -> Table:
    """A table of aligned columns without lines."""
    return Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))


def mark(status: str) -> Text:
    """The sign of a verdict."""
    sign, colour = MARKS[status]
    return Text(sign, style=f"bold {colour}")


def dim(text: str) -> Text:
    """Text that stands back."""
    return Text(one_line(text), style="dim")


def links_work(environ: Mapping[str, str]) -> bool:
    """Does this terminal know hyperlinks (OSC 8)? Most do or ignore them; these few print them as rubbish."""
    if forced := environ.get("FORCE_HYPERLINK"):
        return forced != "0"
    if environ.get("TERM", "dumb").startswith(_NO_LINKS):
        return False
    vte = environ.get("VTE_VERSION", "")
    return not (vte.isdigit() and int(vte) < 5000)
