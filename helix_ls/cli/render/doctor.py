"""The findings of the doctor for a person."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from helix_core.printable import one_line
from helix_ls.cli.render.page import Page, dim

_SIGNS = {"ok": ("✓", "green"), "warn": ("~", "yellow"), "fail": ("!", "red")}


def draw(answer: dict[str, Any]) -> None:
    """Print the checks, each that is not well with what to do."""
    page = Page()
    width = max(len(check["name"]) for check in answer["checks"])
    for check in answer["checks"]:
        sign, colour = _SIGNS[check["state"]]
        page.line(Text(f"{sign} ", style=f"bold {colour}"), f"{check['name']:<{width}}  ", dim(check["detail"]))
        if check["action"]:
            page.line(" " * (width + 4), Text(one_line(check["action"]), style=colour))
    page.show()
