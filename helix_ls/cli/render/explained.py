"""Why search results stand where they stand: each ranker's list, with the rank and the share it gave."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from helix_core.printable import one_line
from helix_ls.cli.render.page import Page, dim
from helix_ls.cli.render.words import count

_BAR = 10
_SHOWN = 8


def explain(page: Page, answer: dict[str, Any]) -> None:
    """Add the lists of ``answer`` to the page: the rankers that were heard first, then what kept the others silent."""
    silent = []
    for ranker, entries in answer["lists"].items():
        if not entries:
            silent.append(f"{ranker}: {answer['rankers'].get(ranker, 'empty')}")
            continue
        page.space()
        page.line(Text(ranker, style="bold"), dim(f"  {count(len(entries), 'file')} of those shown"))
        for entry in entries[:_SHOWN]:
            page.line(
                dim(f"{entry['rank']:>4}  "),
                Text(_bar(entry["share"]), style="cyan"),
                dim(f" {entry['share']:>4.0%}  "),
                Text(one_line(entry["source_id"])),
            )
    if silent:
        page.space()
        page.line(dim(one_line(", ".join(silent))))


def _bar(share: float) -> str:
    """A share as a bar of ten characters; what counts at all is at least one wide."""
    filled = max(1, min(_BAR, round(share * _BAR)))
    return "█" * filled + "·" * (_BAR - filled)
