"""The daemon, and its log, for a person."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from helix_core.printable import one_line
from helix_ls.cli.render.page import Page, dim, grid
from helix_ls.cli.render.words import count


def draw(answer: dict[str, Any]) -> None:
    """Print what there is to say of it."""
    page = Page()
    if "lines" in answer:
        for line in answer["lines"]:
            page.line(one_line(line))
    elif answer["running"]:
        _draw_running(page, answer)
    elif answer.get("stopped"):
        page.line(Text(f"✓ stopped {answer['pid']}", style="bold green"))
    else:
        page.line("no daemon runs; an editor starts it when it needs it")
    page.show()


def _draw_running(page: Page, answer: dict[str, Any]) -> None:
    clients = count(answer["clients"] - 1, "other client")
    page.line(Text(f"✓ running as {answer['pid']}", style="bold green"), f"  version {answer['version']}, {clients}")
    rows = grid()
    for one in answer["workspaces"]:
        rows.add_row(dim(f"  {one['state']}"), one_line(one["workspace"]), dim(f"watching: {one['watching']}"))
    rows.add_row(dim("  loop"), f"kept waiting {answer['loop_lag_ms']:.1f} ms at most in the last minute")
    rows.add_row(dim("  log"), one_line(answer["log"]))
    page.table(rows)
