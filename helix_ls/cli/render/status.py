"""The state of a folder and its index for a person."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from helix_core.printable import one_line
from helix_ls.cli.render.page import Page, dim, grid
from helix_ls.cli.render.words import count, size

MOST_SHOWN = 20


def draw(status: dict[str, Any]) -> None:
    """Print the status."""
    page = Page()
    page.line(_freshness(status), "  ", Text(one_line(status["workspace"]), style="bold"))
    rows = grid()
    index = status["index"]
    rows.add_row(
        dim("  index"),
        f"{count(index['files'], 'file')}, {count(index['items'], 'item')}, {size(index['size_bytes'])}",
    )
    rows.add_row(dim("  stored in"), one_line(index["path"]))
    if git := status["git"]:
        under_way = f", {git['operation']} under way" if git["operation"] else ""
        rows.add_row(
            dim("  git"), f"{one_line(git['branch']) or 'detached'} {git['head'][:8] or 'no commit yet'}{under_way}"
        )
    if languages := status.get("languages"):
        most = sorted(languages.items(), key=lambda pair: (-pair[1], pair[0]))
        rows.add_row(dim("  languages"), ", ".join(f"{name} {number:,}" for name, number in most[:8]))
    if unready := [f"{name} {share:.0%}" for name, share in sorted(status["vectors"].items()) if share < 1]:
        rows.add_row(dim("  vectors"), one_line(", ".join(unready)))
    if skipped := status["skipped"]:
        said = ", ".join(f"{reason.replace('_', ' ')} {number:,}" for reason, number in sorted(skipped.items()))
        rows.add_row(dim("  left out"), said)
    page.table(rows)
    for note in status["notes"]:
        page.line("  ", dim(f"· {note}"))
    for one in status["set_aside"][:MOST_SHOWN]:
        tries = count(one["attempts"], "try", "tries")
        page.line("  ", Text(f"set aside: {one_line(one['source_id'])} ({one_line(one['reason'])}, {tries})", "yellow"))
    if "skipped_files" in status:
        page.space()
        listed = grid()
        for one in status["skipped_files"]:
            listed.add_row(dim(f"  {one['reason'].replace('_', ' ')}"), one_line(one["source_id"]))
        page.table(listed)
    page.show()


def _freshness(status: dict[str, Any]) -> Text:
    if not status["indexed"]:
        return Text("! not indexed yet: helix index", style="bold red")
    if status["fresh"]:
        return Text("✓ fresh", style="bold green")
    pending = status["pending"]
    said = f"{pending['changed_or_new']:,} changed or new, {pending['gone']:,} gone"
    if status["set_aside"]:
        said += f", {len(status['set_aside']):,} set aside"
    return Text(f"~ {said}", style="bold yellow")
