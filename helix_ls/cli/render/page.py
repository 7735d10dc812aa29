"""One page on stdout: the console, and human-readable numbers, times, verdicts and bars."""

from __future__ import annotations

import io
import math
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from helix_core.engine.verdict import reason_words
from helix_core.printable import count, inert_line, one_line
from helix_core.workspace import MAX_LINES
from helix_ls.cli.output import columns, environment, is_at_terminal, print_text
from helix_ls.cli.render.styled import Styled, cell_len

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MARKS = {"verified": ("✓", "green"), "stale_risk": ("~", "yellow"), "needs_refresh": ("!", "red")}
SURE = 0.5
"""Least confidence at which unchanged text is marked in green."""
UNCHANGED = frozenset({"unchanged", "touched"})
"""Reasons that say nothing beyond the mark."""
LEAST_WIDTH = 20
LAST_PART = 24
"""Columns that a long path leaves to a symbol, if a third of the row is not less."""
_FOLDERS, _PARTS = re.compile("/"), re.compile(r" > |::|\.")
_NO_LINKS = ("dumb", "linux", "eterm", "unknown")
_PIPED_WIDTH = 10_000


class Page:
    """Buffers a page and writes it at once, so that an error never leaves half a page."""

    def __init__(self) -> None:
        self.is_terminal = is_at_terminal()
        self._links = self.is_terminal and links_work(environment())
        self._out = io.StringIO()
        # rich takes these for a terminal's wish.
        self._is_plain = not self.is_terminal and not any(map(environment().get, ("FORCE_COLOR", "TTY_COMPATIBLE")))

    @cached_property
    def _console(self) -> Console:
        from rich.console import Console

        return Console(
            file=self._out,
            force_terminal=True if self.is_terminal else None,
            width=columns() if self.is_terminal else _PIPED_WIDTH,
            _environ=environment(),
            markup=False,
            emoji=False,
            highlight=False,
        )

    @property
    def width(self) -> int:
        """Return the columns of the terminal; a very large number without one."""
        return self._console.width if self.is_terminal else _PIPED_WIDTH

    def line(self, *parts: Styled | str, indent: int = 0) -> None:
        """Add one logical line. A terminal wraps it between words and indents further rows; a pipe gets one row."""
        text = Styled.assemble(*parts)
        if not self.is_terminal:
            self._print(text)
            return
        from rich.text import Text

        for number, row in enumerate(text.__rich__().wrap(self._console, max(self.width - indent, LEAST_WIDTH))):
            self._console.print(Text(" " * indent if number else "").append_text(row), soft_wrap=True)

    def _print(self, text: Styled) -> None:
        """Add a text as it is. Only rich knows the width of a tab, and what of control characters may be shown."""
        if self._is_plain and (plain := text.plain).isprintable():
            self._out.write(plain + "\n")
        else:
            self._console.print(text, soft_wrap=True)

    def cut(self, *parts: Styled | str) -> None:
        """Add one line, truncated at the edge of a terminal."""
        text = Styled.assemble(*parts)
        if not self.is_terminal:
            self._print(text)
            return
        row = text.__rich__()
        row.truncate(self.width, overflow="ellipsis")
        self._console.print(row, soft_wrap=True)

    def table(self, rows: Table) -> None:
        """Add an aligned table."""
        self._console.print(rows)

    def space(self) -> None:
        """Add an empty line."""
        self._out.write("\n")

    def place(self, source_id: str, start_line: int, end_line: int, uri: str, room: int = 0) -> Styled:
        """Return ``path:start-end`` as a link to the file, shortened at its folders to ``room`` columns if not 0."""
        lines = f":{start_line}" if start_line == end_line else f":{start_line}-{end_line}"
        path = inert_line(source_id)
        if room:
            path = end_of(path, room - len(lines))
        style = f"bold link {uri}" if self._links and uri else "bold"
        return Styled(f"{path}{lines}", style=style)

    def pointer(self, sign: Styled, pointer: Mapping[str, Any], uri: str) -> None:
        """Add the line of a pointer: its mark, its place and its symbol. On a terminal it is one row: names lose what
        is before the last part, and paths lose folders.
        """
        symbol = inert_line(pointer["symbol"])
        room = self.width - sign.cell_len - 1 if self.is_terminal else 0
        last = min(cell_len(end_of(symbol, LAST_PART, _PARTS)), room // 3)
        span = pointer["start_line"], pointer["end_line"]
        place = self.place(pointer["source_id"], *span, uri, room - last - 2 if last else room)
        if room:
            symbol = end_of(symbol, room - place.cell_len - 2, _PARTS)
        self._print(Styled.assemble(sign, " ", place, Styled(f"  {symbol}" if symbol else "", style="cyan")))

    def unsearched(self, answer: Mapping[str, Any]) -> str:
        """Add why no file was searched, as the headline of an answer, and return it; empty where one was."""
        why: str = answer.get("unsearched", "")
        if why:
            self.line(Styled(f"{why[0].upper()}{one_line(why[1:])}.", style="bold"))
        return why

    def near(self, names: Sequence[str]) -> None:
        """Add suggested names, if any."""
        if names:
            self.line("Names that come near: ", Styled(inert_line(", ".join(names)), style="cyan"))

    def notes(self, notes: Iterable[str], shown: Collection[str] = ()) -> None:
        """Add the notes of an answer that were not ``shown`` before, one line each, set apart."""
        new = [note for note in dict.fromkeys(notes) if note not in shown]
        if new:
            self.space()
        for note in new:
            self.line(dim("· "), dim(note), indent=2)

    def following(self, answer: Mapping[str, Any]) -> None:
        """Add the option that asks for the next page of an answer; nothing where there is none."""
        if answer.get("next_page"):
            self.line(dim(f"more: --page {answer['next_page']}"))

    def text(self) -> str:
        """Return the page as it is written."""
        text = self._out.getvalue()
        return text if self.is_terminal else "\n".join(line.rstrip() for line in text.split("\n"))

    def plain_text(self) -> str:
        """Return the page as it is read: without the colors and links of a terminal."""
        if not self.is_terminal:
            return self.text()
        from rich.text import Text

        return Text.from_ansi(self.text()).plain

    def show(self) -> None:
        """Write the page to standard output."""
        print_text(self.text())


def grid() -> Table:
    """Return a table of aligned columns without lines."""
    from rich.table import Table

    return Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))


def mark(status: str, *, is_sure: bool = True) -> Styled:
    """Return the symbol of a verdict. Where the answer is not sure of its place, the symbol of unchanged text is dim
    instead of green.
    """
    sign, colour = MARKS[status]
    return Styled(sign, style=f"bold {colour}" if is_sure or status != "verified" else "dim")


def dim(text: str) -> Styled:
    """Return the text as one dimmed line, safe for a terminal."""
    return Styled(inert_line(text), style="dim")


def end_of(name: str, room: int, separators: re.Pattern[str] = _FOLDERS) -> str:
    """Return the end of a path or of a symbol in at most ``room`` columns, from a separator on if possible.

    The last part says most: the file of a path, the name of a symbol.
    """
    if cell_len(name) <= room:
        return name
    at = [match.end() for match in separators.finditer(name)]
    kept = next((name[start:] for start in at if cell_len(name[start:]) < room), "")
    if kept:
        return "…" + kept
    while name and cell_len(name) >= room:
        name = name[1:]
    return "…" + name if room > 0 else ""


def confidence_words(confidence: float) -> str:
    """Return in words how likely the first place is the right one."""
    words = ((0.8, "Very likely the right place"), (0.6, "Likely the right place"), (0.3, "Perhaps the right place"))
    return next((phrase for least, phrase in words if confidence >= least), "Probably not the right place")


def indexed_part(share: float) -> list[str]:
    """Return what a headline says of an index that is not whole, by its share of the files; of a whole one nothing."""
    return [f"{int(share * 100)} % of the files indexed"] if share < 1 else []


def links_work(environ: Mapping[str, str]) -> bool:
    """Return whether this terminal supports hyperlinks (OSC 8). Most do or ignore them; these few print them as
    garbage.
    """
    if forced := environ.get("FORCE_HYPERLINK"):
        return forced != "0"
    if environ.get("TERM", "dumb").startswith(_NO_LINKS):
        return False
    vte = environ.get("VTE_VERSION", "")
    return not (vte.isdigit() and int(vte) < 5000)


_LIMITS = {
    "too_large": f"over index.max_file_size or {MAX_LINES:,} lines",
    "over_limit": "more files than index.max_files",
    "not_included": "none of index.include",
}
_STEPS = ((60, "minute"), (3600, "hour"), (86_400, "day"), (7 * 86_400, "week"), (30 * 86_400, "month"))
_YEAR_S = 365 * 86_400


def reason_of(item: Mapping[str, Any], since: str = "indexed", *, is_users: bool = True) -> str:
    """Return the reason of an item's verdict in words, with its detail; ``since`` says what was done to it last, and
    ``is_users`` whether the user says it, where it is a memory.
    """
    detail = item.get("detail")
    return reason_words(item["reason"], since, is_users=is_users) + (f" ({inert_line(detail)})" if detail else "")


def left_out(word: str) -> str:
    """Return the reason why a file is left out in words, with the limits where there are some."""
    words = word.replace("_", " ")
    limit = _LIMITS.get(word)
    return f"{words} ({limit})" if limit else words


def ago(then_s: float, now_s: float) -> str:
    """Format an age in the largest unit that fits: ``3 weeks ago``."""
    seconds = now_s - then_s
    if seconds < 60:
        return "just now"
    if seconds >= _YEAR_S:
        return f"{count(int(seconds // _YEAR_S), 'year')} ago"
    size, unit = next((size, unit) for size, unit in reversed(_STEPS) if seconds >= size)
    return f"{count(int(seconds // size), unit)} ago"


def size(size_bytes: int) -> str:
    """Format bytes: ``4.2 MB``."""
    amount = float(size_bytes)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def duration(elapsed_ms: float) -> str:
    """Format milliseconds: ``41 ms`` or ``3.2 s``."""
    return f"{elapsed_ms:.0f} ms" if elapsed_ms < 1000 else f"{elapsed_ms / 1000:.1f} s"


_BLOCKS, _ASCII = ("█", "·"), ("#", ".")
_TEXTURES = (("█", "▓", "▒", "░"), ("#", "=", "+", "-"))
_COLOURS: Mapping[str, str] = {
    "chunks": "blue",
    "files": "bright_blue",
    "phrases": "cyan",
    "outlines": "magenta",
    "passages": "bright_magenta",
    "names": "green",
    "similar": "bright_green",
    "exact": "yellow",
    "paths": "bright_yellow",
    "claims": "red",
    "tests": "bright_cyan",
    "tested": "bright_red",
}


def draws_blocks(environ: Mapping[str, str] | None = None) -> bool:
    """Return whether the output can show block characters, by its locale; without one, by the platform."""
    environ = environment() if environ is None else environ
    locale = next((environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(name)), "")
    return "utf" in locale.lower() if locale else sys.platform in {"darwin", "win32"}


def bar(share: float, width: int, *, blocks: bool) -> str:
    """Draw a share (0..1) as a bar; a share above 0 is at least one cell wide."""
    full, empty = _BLOCKS if blocks else _ASCII
    filled = max(1, min(width, round(share * width)))
    return full * filled + empty * (width - filled)


def stacked(shares: Sequence[tuple[str, float]], width: int, *, blocks: bool) -> Styled:
    """Draw the shares of rankers, at most 1 in sum, side by side; ``width`` is that of a share of 1."""
    bars = Styled()
    for at, ((ranker, _), cells) in enumerate(
        zip(shares, cells_of([share for _, share in shares], width), strict=True)
    ):
        bars.append(texture(at, blocks=blocks) * cells, style=colour(ranker))
    return bars


def texture(at: int, *, blocks: bool) -> str:
    """Return the fill character of a part by its index, so that neighbors differ without colors."""
    textures = _TEXTURES[0 if blocks else 1]
    return textures[at % len(textures)]


def colour(ranker: str) -> str:
    """Return a ranker's color."""
    return _COLOURS.get(ranker, "white")


def cells_of(shares: Sequence[float], width: int) -> list[int]:
    """Return whole cells for each share by the largest remainder method."""
    exact = [share * width for share in shares]
    cells = [math.floor(width) for width in exact]
    left = round(sum(exact)) - sum(cells)
    for at in sorted(range(len(exact)), key=lambda at: (cells[at] - exact[at], at))[:left]:
        cells[at] += 1
    return cells
