"""What an index run did, in two or three lines."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from helix_core.printable import one_line
from helix_ls.cli.render.page import Page, dim
from helix_ls.cli.render.words import count, duration

_CHANGES = (
    ("added", "added"),
    ("changed", "changed"),
    ("removed", "removed"),
    ("reactivated", "known from before"),
)
MOST_SHOWN = 20


def draw(report: dict[str, Any]) -> None:
    """Print the report."""
    page = Page()
    said = [f"{report[key]:,} {word}" for key, word in _CHANGES if report.get(key)]
    page.line(
        Text("✓ ", style="bold green"),
        f"{count(report['files'], 'file')} in the index",
        dim(f" · {', '.join(said) or 'nothing had changed'} · {duration(report['elapsed_ms'])}"),
    )
    if skipped := report["skipped"]:
        by_reason = ", ".join(f"{number:,} {reason.replace('_', ' ')}" for reason, number in sorted(skipped.items()))
        page.line("  ", dim(f"{count(sum(skipped.values()), 'file')} left out: {by_reason}"))
    if report.get("masked"):
        page.line("  ", dim(f"{count(report['masked'], 'secret')} masked"))
    set_aside = report["set_aside"]
    if set_aside:
        how_many = count(len(set_aside), "file")
        page.line(Text(f"! {how_many} set aside and not searched; tried again later:", style="yellow"))
    for one in set_aside[:MOST_SHOWN]:
        page.line("  ", Text(f"{one_line(one['source_id'])} ({one_line(one['reason'])})", style="yellow"))
    if len(set_aside) > MOST_SHOWN:
        page.line("  ", dim(f"… and {len(set_aside) - MOST_SHOWN:,} more: helix status --skipped"))
    for note in report["notes"]:
        page.line("  ", dim(f"· {note}"))
    page.show()
