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
    for one in report["quarantined"]:
        page.line("  ", Text(f"set aside: {one_line(one['source_id'])} ({one_line(one['reason'])})", style="yellow"))
    for note in report["notes"]:
        page.line("  ", dim(f"· {note}"))
    page.show()
