"""A run of the bench, and two compared, for a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.text import Text

from helix_core.printable import one_line
from helix_ls.cli.render.page import Page, dim, grid
from helix_ls.cli.render.words import count

_STYLES = {"ship": "bold green", "slower": "yellow", "no_gain": "yellow", "worse": "bold red", "undecided": "yellow"}


def draw_run(run: dict[str, Any], kept: Path) -> None:
    """Print the figures that may be told."""
    page = Page()
    rows = grid()
    for name, one in (run["figures"] or {}).items():
        rows.add_row(f"  {name}", f"{one['mean']:.3f}", dim(f"{one['low']:.3f} to {one['high']:.3f}"))
    for name, share in (run["abstention"] or {}).items():
        rows.add_row(f"  {name.replace('_', ' ')}", f"{share:.3f}", "")
    if latency := run["latency_ms"]:
        rows.add_row(
            "  latency", f"{latency['p50']:.1f} ms", dim(f"p95 {latency['p95']:.1f}, max {latency['max']:.1f} ms")
        )
    head = run["code"]["head"][:8]
    where = f" · HEAD {head}{' with changes' if run['code']['dirty'] else ''}" if head else ""
    asked = count(run["questions"]["count"], "question")
    page.line(
        Text("✓ " if run["figures"] else "! ", style="bold green" if run["figures"] else "bold red"),
        f"{asked} asked",
        dim(f" · {count(run['index']['files'], 'file')}{where} · CPU {run['cpu_s']:.1f} s of {run['elapsed_s']:.1f} s"),
    )
    page.table(rows)
    page.line(dim(f"  {one_line(str(kept))}"))
    page.show()


def draw_comparison(found: dict[str, Any]) -> None:
    """Print the decision and what it stands on."""
    page = Page()
    page.line(Text(found["decision"].replace("_", " "), style=_STYLES[found["decision"]]), f"  {found['why']}")
    rows = grid()
    for name, one in found["differences"].items():
        rows.add_row(f"  {name}", f"{one['mean']:+.3f}", dim(f"{one['low']:+.3f} to {one['high']:+.3f}"))
    if ratio := found["latency_ratio"]:
        rows.add_row("  latency", f"× {ratio['mean']:.2f}", dim(f"{ratio['low']:.2f} to {ratio['high']:.2f}"))
    page.table(rows)
    for note in found["notes"]:
        page.line("  ", dim(f"· {note}"))
    page.show()
