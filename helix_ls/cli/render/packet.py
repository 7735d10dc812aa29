"""A context packet for a person: verdicts first, then each pointer with why it may be trusted and what it says."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from rich.text import Text

from helix_core.model import NOTE_SCHEME
from helix_core.printable import one_line
from helix_core.workspace.paths import path_of, uri_of
from helix_ls.cli.render.page import Page, dim, grid, mark
from helix_ls.cli.render.quote import quoted
from helix_ls.cli.render.words import ago, count, duration, reason

_GROUPS = {"verified": "verified", "stale_risk": "stale risk", "needs_refresh": "needs refresh"}
_LINES_OF_BEST, _LINES_OF_OTHERS = 12, 5
_GOOD = frozenset({"used", "empty", "ok", "off"})


def draw(packet: dict[str, Any]) -> None:
    """Print the packet."""
    _page(packet).show()


def printed(packet: dict[str, Any]) -> str:
    """The packet as ``draw`` prints it."""
    return _page(packet).text()


def _page(packet: dict[str, Any]) -> Page:
    page = Page()
    now_s = time.time()
    _headline(page, packet)
    page.near(packet["nearest"])
    items = [(status, item) for status in _GROUPS for item in packet[status]]
    best = max((item.get("relevance_score", 0.0) for _, item in items), default=0.0)
    workspace = Path(packet["workspace"])
    for status, item in items:
        page.space()
        most = _LINES_OF_BEST if item.get("relevance_score", 0.0) == best else _LINES_OF_OTHERS
        _item(page, {"uri": _uri(workspace, item)} | item, status, now_s, most)
    _contradictions(page, packet["contradictions"], workspace)
    _plan(page, packet["refresh_targets"], workspace)
    page.notes(packet["notes"])
    page.space()
    page.line(dim(_footer(packet["accounting"])))
    return page


def _headline(page: Page, packet: dict[str, Any]) -> None:
    if packet["known_empty"]:
        page.line(Text("Nothing here answers that.", style="bold"), dim("  What was searched and what comes near:"))
        return
    parts: list[Text | str] = []
    for status, name in _GROUPS.items():
        if packet[status]:
            parts += [mark(status), f" {len(packet[status])} {name}   "]
    facts = [f"for {packet['task_type']}", f"confidence {packet['coordinate_confidence']:.2f}"]
    if packet["head"]:
        facts.append(f"HEAD {packet['head'][:8]}")
    page.line(*parts, dim(" · ".join(facts)))


def _item(page: Page, item: dict[str, Any], status: str, now_s: float, most_lines: int) -> None:
    place = page.place(item["source_id"], item["start_line"], item["end_line"], item["uri"])
    page.line(mark(status), " ", place, Text(f"  {one_line(item['symbol'])}", style="cyan"))
    said = reason(item["reason"]) + (f" ({one_line(item['detail'])})" if item.get("detail") else "")
    facts = [item["kind"]] if "kind" in item else []
    if item.get("commit"):
        when = ago(item["committed_at"], now_s)
        facts.append(f"file last changed {when} by {item['author']} in {item['commit'][:8]}")
    style = "" if status == "verified" else {"stale_risk": "yellow", "needs_refresh": "red"}[status]
    page.line("  ", Text(said, style=style), dim("".join(f" · {fact}" for fact in facts)))
    span = (item["start_line"], item["end_line"], item.get("language", ""))
    lines = quoted(item["quote"] or "", *span, most=most_lines, colour=page.is_terminal)
    for line in lines:
        page.cut(line)


def _contradictions(page: Page, pairs: list[dict[str, Any]], workspace: Path) -> None:
    if not pairs:
        return
    page.space()
    page.line(Text("Sources that contradict each other", style="bold yellow"))
    for pair in pairs:
        rows = grid()
        for label, side in (("fresher", pair["fresher"]), ("older", pair["older"])):
            place = page.place(side["source_id"], side["line"], side["line"], _uri(workspace, side))
            rows.add_row("  " + one_line(pair["key"]), Text(one_line(str(side["value"]))), place, dim(label))
        page.table(rows)


def _plan(page: Page, targets: list[dict[str, Any]], workspace: Path) -> None:
    if not targets:
        return
    page.space()
    page.line(Text("Read again before relying on it", style="bold red"))
    rows = grid()
    for number, target in enumerate(targets, start=1):
        place = page.place(target["source_id"], target["start_line"], target["end_line"], _uri(workspace, target))
        rows.add_row(f"  {number}", place, dim(reason(target["reason"])))
    page.table(rows)


def _uri(workspace: Path, pointer: dict[str, Any]) -> str:
    source_id: str = pointer["source_id"]
    return source_id if source_id.startswith(NOTE_SCHEME) else uri_of(workspace, path_of(source_id))


def _footer(accounting: dict[str, Any]) -> str:
    searched = count(accounting["searched"], "item")
    if "sources" in accounting:
        searched += f" of {count(accounting['sources'], 'file')}"
    facts = [f"searched {searched}", f"{accounting['returned']} returned", f"about {accounting['tokens']:,} tokens"]
    facts += [f"{ranker} {state}" for ranker, state in accounting["signals"].items() if state not in _GOOD]
    return " · ".join([*facts, duration(accounting["elapsed_ms"])])
