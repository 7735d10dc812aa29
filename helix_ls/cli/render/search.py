"""Search results for a person: one line a place, best first, with the rankers that found it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.text import Text

from helix_core.printable import one_line
from helix_core.workspace.paths import path_of, uri_of
from helix_ls.cli.render.explained import explain, why_here
from helix_ls.cli.render.page import Page, dim
from helix_ls.cli.render.words import count, duration, reason


def draw(answer: dict[str, Any], workspace: Path) -> None:
    """Print the results; ``workspace`` makes the links."""
    page = Page()
    if answer["known_empty"]:
        page.line(Text("Nothing here answers that.", style="bold"))
    width, explained = len(str(len(answer["items"]))), "lists" in answer
    best = max((item["score"] for item in answer["items"]), default=0.0)
    for number, item in enumerate(answer["items"], start=1):
        uri = uri_of(workspace, path_of(item["source_id"]))
        place = page.place(item["source_id"], item["start_line"], item["end_line"], uri)
        found_by = ", ".join(f"{signal['ranker']} {signal['rank']}" for signal in item["signals"])
        page.line(
            dim(f"{number:>{width}}  "),
            place,
            Text(f"  {one_line(item['symbol'])}" if item["symbol"] else "", style="cyan"),
            dim(f"  {item['kind']}" + ("" if explained else f"  {found_by}")),
            Text(f"  {reason(item['reason'])}" if "reason" in item else "", style="yellow"),
        )
        if explained:
            why_here(page, item, best)
    page.near(answer["nearest"])
    if explained:
        explain(page, answer)
    page.notes(answer["notes"])
    page.space()
    page.line(
        dim(
            f"{count(len(answer['items']), 'place')} · confidence {answer['confidence']:.2f}"
            f" · {duration(answer['elapsed_ms'])}"
        )
    )
    page.show()
