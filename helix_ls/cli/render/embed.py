"""Which vectors there are, for a person."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from helix_core.printable import one_line
from helix_ls.cli.render.page import Page, dim, grid


def draw(answer: dict[str, Any]) -> None:
    """Print the answer of ``helix embed``."""
    page = Page()
    built_in = answer["model"] == "static"
    page.line(Text("built-in vectors" if built_in else one_line(answer["model"]), style="bold"))
    rows = grid()
    if not built_in:
        rows.add_row(dim("  from"), f"{one_line(answer['source'])}, {answer['dimensions']} dimensions")
        rows.add_row(dim("  stored in"), one_line(answer["folder"]))
    if "reranker" in answer:
        use = "used by hosts" if answer["rerank"] else "not used: search.rerank is off"
        rows.add_row(dim("  reranker"), f"{one_line(answer['reranker'])}, {use}")
    for name, share in sorted(answer["shares"].items()):
        rows.add_row(dim(f"  {one_line(name)}"), f"{share:.0%}")
    page.table(rows)
    if answer["problem"]:
        page.line("  ", Text(one_line(answer["problem"]), style="yellow"))
    page.show()
