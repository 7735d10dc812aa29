"""Render a context packet for a terminal: verdicts first, then each pointer with its quote."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from helix_core.engine.verdict import reason_words
from helix_core.lines import lines_with_ends, without_line_end
from helix_core.model import NOTE_SCHEME, Reason
from helix_core.packet import MEMORY_SHARE, affordable
from helix_core.printable import count, inert_line, lines_of, without_control_tokens
from helix_core.tokens import estimate
from helix_core.workspace import path_of, uri_of
from helix_ls.cli.render.page import (
    SURE,
    UNCHANGED,
    Page,
    ago,
    confidence_words,
    dim,
    duration,
    grid,
    indexed_part,
    mark,
    reason_of,
)
from helix_ls.cli.render.styled import Styled

_MOST_BYTES = 20_000
# Green is for marks alone.
_COLOURS = {"comment": "bright_black", "string": "cyan", "number": "blue", "keyword": "magenta"}
_NUMBERS = ("integer", "float", "number", "int_literal", "decimal")


def quoted(quote: str, start_line: int, end_line: int, language: str, *, most: int, colour: bool) -> Iterator[Styled]:
    """Yield at most ``most`` lines of a quote with their numbers, then the number of further lines of the span."""
    lines = list(map(without_control_tokens, lines_of("".join(lines_with_ends(quote)[:most])))) if quote else []
    while lines and not lines[-1].strip():
        lines.pop()
    width = len(str(start_line + len(lines)))
    for number, line in enumerate(_coloured(lines, language) if colour else map(Styled, lines), start=start_line):
        yield Styled.assemble((f"  {number:>{width}} │ ", "dim"), line)
    more = end_line - start_line + 1 - len(lines)
    if lines and more > 0:
        yield Styled(f"  {'⋮':>{width}}   {count(more, 'more line')}", style="dim")


def _coloured(lines: list[str], language: str) -> list[Styled]:
    # The parsers take a while to load, and color the lines of a terminal only.
    from tree_sitter import Parser

    from helix_core.ingest import load
    from helix_core.ingest.languages import LANGUAGES

    known = LANGUAGES.get(language)
    texts = [Styled(line) for line in lines]
    data = [line.encode() for line in lines]
    if known is None or known.grammar is None or sum(map(len, data)) > _MOST_BYTES:
        return texts
    loaded = load(known.grammar)
    tree = Parser(loaded.language).parse(b"\n".join(data))
    pending = [tree.root_node]
    while pending:
        node = pending.pop()
        style = _style(node.type, named=node.is_named, keywords=loaded.keywords)
        if style is None:
            pending.extend(node.children)
            continue
        (first, start), (last, end) = node.start_point, node.end_point
        for row in range(first, min(last, len(texts) - 1) + 1):
            left = _column(data[row], start) if row == first else 0
            right = _column(data[row], end) if row == last else len(lines[row])
            texts[row].stylize(style, left, right)
    return texts


def _style(kind: str, *, named: bool, keywords: frozenset[str]) -> str | None:
    if not named:
        return _COLOURS["keyword"] if kind in keywords else None
    if "comment" in kind:
        return _COLOURS["comment"]
    if "string" in kind and "interpolat" not in kind and "template" not in kind:
        return _COLOURS["string"]
    return _COLOURS["number"] if kind.startswith(_NUMBERS) else None


def _column(line: bytes, byte: int) -> int:
    return len(line[:byte].decode("utf-8", "replace"))


_GROUPS = {"verified": "unchanged on disk", "stale_risk": "may mislead", "needs_refresh": "to read again"}
_LINES_OF_BEST, _LINES_OF_OTHERS = 12, 5
_HARDLY = 0.05
"""Below this confidence places in files are named without their lines. It says nothing about notes."""
_GOOD = frozenset({"used", "empty", "ok", "off"})


def draw(packet: dict[str, Any], shown: Collection[str] = ()) -> None:
    """Print the packet. ``shown`` are notes that stderr has."""
    _page(packet, shown).show()


def printed(packet: dict[str, Any]) -> str:
    """Return the packet as ``draw`` prints it."""
    return _page(packet).text()


def _page(packet: dict[str, Any], shown: Collection[str] = ()) -> Page:
    page = Page()
    now_s = time.time()
    _headline(page, packet)
    notes = {*shown, packet.get("unsearched", "")}
    if not _is_sure(packet):
        # They say why nothing better was found.
        page.notes(packet["notes"], notes)
        notes.update(packet["notes"])
    page.near(packet["nearest"])
    items = [(status, item) for status in _GROUPS for item in packet[status]]
    best = max((item.get("relevance_score", 0.0) for _, item in items), default=0.0)
    workspace = Path(packet["workspace"])
    is_hardly = packet["known_empty"] or packet["coordinate_confidence"] < _HARDLY
    for status, item in items:
        page.space()
        most = _LINES_OF_BEST if item.get("relevance_score", 0.0) == best else _LINES_OF_OTHERS
        if "left_out" in packet["accounting"]:
            most = _QUOTED_LINES[0][0]
        elif is_hardly and not item["source_id"].startswith(NOTE_SCHEME):
            most = 0
        sign = mark(status, is_sure=_is_sure(packet))
        _item(page, {"uri": _uri(workspace, item)} | item, sign, now_s, most)
    _remembered(page, packet.get("memories", []), workspace)
    _contradictions(page, packet["contradictions"], workspace)
    _plan(page, _worth_reading(packet), workspace)
    page.notes(packet["notes"], notes)
    # Where nothing was searched, the size of the index says nothing about the answer.
    if not packet.get("unsearched"):
        page.space()
        accounting, above = packet["accounting"], page.plain_text()
        # The line counts itself, but for the digits of its own number.
        printed_tokens = estimate(above + _footer(accounting, estimate(above)))
        page.line(dim(_footer(accounting, printed_tokens)))
    return page


def _is_sure(packet: dict[str, Any]) -> bool:
    return packet["coordinate_confidence"] >= SURE and not packet["known_empty"]


def _best_source(packet: dict[str, Any]) -> str:
    """Return the source id of the item that answers best, empty for none."""
    items = [item for status in _GROUPS for item in packet[status]]
    best: dict[str, Any] = max(items, key=lambda item: item.get("relevance_score", 0.0), default={})
    return str(best.get("source_id", ""))


def _headline(page: Page, packet: dict[str, Any]) -> None:
    confidence = packet["coordinate_confidence"]
    if page.unsearched(packet):
        return
    if packet["known_empty"]:
        comes_near = any(packet[status] for status in _GROUPS) or packet["nearest"]
        rest = dim("  What was searched and what comes near:") if comes_near else ""
        page.line(Styled("Nothing here answers that.", style="bold"), rest)
        return
    facts = [f"confidence {confidence:.2f}", f"for {packet['task_type']}"]
    if packet["head"]:
        facts.append(f"HEAD {packet['head'][:8]}")
    facts += indexed_part(packet["accounting"].get("indexed_share", 1.0))
    # The confidence is of places in files: where a note comes first it says nothing about the note.
    is_note = not _is_sure(packet) and _best_source(packet).startswith(NOTE_SCHEME)
    if is_note:
        facts[0] = f"confidence {confidence:.2f} that a file answers"
    said = "From a note, not from a file" if is_note else confidence_words(confidence)
    page.line(Styled(said, style="bold"), dim(" · " + " · ".join(facts)))
    parts: list[Styled | str] = []
    for status, name in _GROUPS.items():
        if packet[status]:
            parts += [mark(status, is_sure=_is_sure(packet)), f" {len(packet[status])} {name}   "]
    page.line(*parts)


def _item(page: Page, item: dict[str, Any], sign: Styled, now_s: float, most_lines: int) -> None:
    page.pointer(sign, item, item["uri"])
    facts = [item["kind"]] if "kind" in item else []
    if item.get("uncommitted"):
        facts.append("edited and not committed")
    if item.get("commit"):
        when, what = ago(item["committed_at"], now_s), "committed" if item.get("uncommitted") else "changed"
        facts.append(f"file last {what} {when} by {item['author']} in {item['commit'][:8]}")
    if item["reason"] not in UNCHANGED:
        style = "red" if item["status"] == "needs_refresh" else "yellow" if item["status"] == "stale_risk" else ""
        page.line("  ", Styled(reason_of(item), style=style), indent=2)
    if facts:
        page.line("  ", dim(" · ".join(facts)), indent=2)
    span = (item["start_line"], item["end_line"], item.get("language", ""))
    lines = quoted(item["quote"] or "", *span, most=most_lines, colour=page.is_terminal)
    for line in lines:
        page.cut(line)


def _remembered(page: Page, memories: list[dict[str, Any]], workspace: Path) -> None:
    if not memories:
        return
    from helix_ls.cli.render.memory import draw_memory

    page.space()
    page.line(Styled("Remembered", style="bold"), dim(" · as somebody said it before"))
    for memory in memories:
        draw_memory(page, memory, workspace)


def _contradictions(page: Page, pairs: list[dict[str, Any]], workspace: Path) -> None:
    if not pairs:
        return
    page.space()
    page.line(Styled("Sources that contradict each other", style="bold yellow"))
    for pair in pairs:
        rows = grid()
        labels = ("fresher", "older") if pair.get("order_known", True) else ("order unknown", "order unknown")
        for label, side in zip(labels, (pair["fresher"], pair["older"]), strict=True):
            place = page.place(side["source_id"], side["line"], side["line"], _uri(workspace, side))
            rows.add_row("  " + inert_line(pair["key"]), Styled(inert_line(str(side["value"]))), place, dim(label))
        page.table(rows)


def _worth_reading(packet: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what to read again: no place that is only doubted to be the right one, which its mark says already."""
    return [target for target in packet["refresh_targets"] if target["reason"] != Reason.UNLOCATED]


def _plan(page: Page, targets: list[dict[str, Any]], workspace: Path) -> None:
    if not targets:
        return
    page.space()
    page.line(Styled("Read again before relying on it", style="bold red"))
    rows = grid()
    for number, target in enumerate(targets, start=1):
        place = page.place(target["source_id"], target["start_line"], target["end_line"], _uri(workspace, target))
        rows.add_row(f"  {number}", place, dim(reason_words(target["reason"])))
    page.table(rows)


def _uri(workspace: Path, pointer: dict[str, Any]) -> str:
    source_id: str = pointer["source_id"]
    return source_id if source_id.startswith(NOTE_SCHEME) else uri_of(workspace, path_of(source_id))


def _footer(accounting: dict[str, Any], printed_tokens: int) -> str:
    searched = count(accounting["searched"], "item")
    if "sources" in accounting:
        searched += f" of {count(accounting['sources'], 'file')}"
    facts = [f"searched {searched}", f"{accounting['returned']} returned", f"about {printed_tokens:,} tokens"]
    if accounting.get("memories_left_out"):
        facts.append(f"{count(accounting['memories_left_out'], 'memory', 'memories')} left out")
    facts += [f"{ranker} {state}" for ranker, state in accounting["signals"].items() if state not in _GOOD]
    return " · ".join([*facts, duration(accounting["elapsed_ms"])])


GROUPS = ("verified", "stale_risk", "needs_refresh")
# Lines of the best quote and of every other one, from the maximum down to none.
_QUOTED_LINES = (
    *((60, 60), (60, 24), (60, 12), (24, 12), (24, 8)),
    *((12, 5), (12, 3), (12, 2), (12, 1), (5, 1), (2, 1), (1, 1), (1, 0), (0, 0)),
)
_SAYS_LESS = frozenset({"kind", "commit", "author", "committed_at", "commit_of"})
_PRESSING = 3

Packet = dict[str, Any]


def within(packet: Mapping[str, Any], most_tokens: int, printed: Callable[[Packet], str]) -> Packet:
    """Shorten the packet's quotes, then drop items, until its printed form fits ``most_tokens``.

    At least one item remains, and memories have at most ``MEMORY_SHARE`` of it. ``printed`` draws a packet; the
    estimated tokens of that text count.
    """
    packet = _with_memories(packet, int(most_tokens * MEMORY_SHARE))
    ranked = sorted((item for group in GROUPS for item in packet[group]), key=lambda item: -item["relevance_score"])
    made = _cut(packet, ranked, (0, 0))
    for made in _shorter(packet, ranked):
        text = printed(made)
        made["accounting"]["tokens"] = estimate(text)
        if made["accounting"]["tokens"] <= most_tokens:
            break
    return made


def _printed_tokens(memory: Mapping[str, Any], workspace: Path) -> int:
    page = Page()
    _remembered(page, [dict(memory)], workspace)
    return estimate(page.text())


def _shorter(packet: Mapping[str, Any], ranked: list[dict[str, Any]]) -> Iterator[Packet]:
    """Yield ever smaller packets: shorter quotes first, then fewer items, then fewer other members."""
    for lines in _QUOTED_LINES:
        yield _cut(packet, ranked, lines)
    for kept in range(len(ranked) - 1, 0, -1):
        yield _cut(packet, ranked[:kept], (0, 0))
    bare = {**packet, "refresh_targets": [], "nearest": []}
    yield _cut(bare, ranked[:1], (0, 0))
    if packet.get("memories"):
        yield _cut(_with_memories(bare, 0), ranked[:1], (0, 0))


def _with_memories(packet: Mapping[str, Any], most_tokens: int) -> Packet:
    """Return the packet with the memories that fit as they are printed."""
    memories = packet.get("memories")
    if not memories:
        return dict(packet)
    workspace = Path(packet["workspace"])
    kept = affordable(memories, most_tokens, lambda one: _printed_tokens(one, workspace))
    left_out = len(memories) - len(kept)
    accounting = packet["accounting"]
    left_out += accounting.get("memories_left_out", 0)
    counts = {**accounting, **({"memories_left_out": left_out} if left_out else {})}
    others = {name: value for name, value in packet.items() if name != "memories"}
    return {**others, **({"memories": list(kept)} if kept else {}), "accounting": counts}


def _cut(packet: Mapping[str, Any], ranked: list[dict[str, Any]], lines: tuple[int, int]) -> Packet:
    best, others = lines
    items = {
        id(item): {name: value for name, value in item.items() if name not in _SAYS_LESS}
        | {"quote": without_line_end("".join(lines_with_ends(item["quote"] or "")[: others if place else best]))}
        for place, item in enumerate(ranked)
    }
    groups = {group: [items[id(item)] for item in packet[group] if id(item) in items] for group in GROUPS}
    left_out = sum(len(packet[group]) for group in GROUPS) - len(ranked)
    accounting = {**packet["accounting"], "returned": len(ranked), "left_out": left_out}
    return {
        **packet,
        **groups,
        "refresh_targets": packet["refresh_targets"][:_PRESSING],
        "accounting": accounting,
    }
