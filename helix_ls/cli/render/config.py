"""The settings explained: value, where it came from, what it means."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from helix_core.printable import one_line
from helix_ls.cli.render.page import Page, dim


def draw(answer: dict[str, Any]) -> None:
    """Print every setting with its origin and meaning, then the files that are read."""
    page = Page()
    for each in answer["settings"]:
        changed = each["origin"] != "default"
        value = ", ".join(each["value"]) if isinstance(each["value"], list | tuple) else str(each["value"])
        came_from = f"{each['origin']} {each['place']}".strip()
        page.line(
            Text(each["key"], style="bold"),
            " = ",
            Text(one_line(value) or "(none)", style="green" if changed else ""),
            dim(f"   from {came_from}" if changed else "   default"),
        )
        page.line("    ", dim(f"{each['meaning']} · {each['variable']}"))
    page.space()
    for file in answer["files"]:
        page.line(dim(f"{file['role']} file  "), one_line(file["path"]), dim("" if file["exists"] else "  (none)"))
    page.show()
