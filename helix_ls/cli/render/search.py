"""Render search results, each with the line that declares it, and the explanation of a ranking."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from helix_core.printable import count, inert_line, one_line
from helix_core.workspace import path_of, uri_of
from helix_ls.cli.render.page import (
    SURE,
    UNCHANGED,
    Page,
    bar,
    colour,
    confidence_words,
    dim,
    draws_blocks,
    duration,
    end_of,
    indexed_part,
    mark,
    reason_of,
    stacked,
    texture,
)
from helix_ls.cli.render.styled import Styled

_BAR = 10
_STACKED = 40
_LIST_SHOWN = 8
_SIGNS_SHOWN = 4
_INDENT = 4
_LEAST_EFFECT = 0.05
_BUILT_IN = "static"


def why_here(page: Page, item: dict[str, Any], best_score: float) -> None:
    """Add the explanation of a result: its rankers' shares as a bar and in numbers, its role's factor, and the
    reasons of its lines.
    """
    blocks = draws_blocks()
    shares = [(signal["ranker"], signal["share"]) for signal in item["signals"]]
    score = f"  score {item['score']:.3g}"
    if 0 < item["score"] < best_score:
        score += f", {_percent(item['score'] / best_score)} of the best"
    page.line(" " * _INDENT, stacked(shares, _STACKED, blocks=blocks), dim(score))
    _flow(page, (_signal(at, signal, blocks=blocks) for at, signal in enumerate(item["signals"])))
    if item.get("related"):
        page.line(" " * _INDENT, dim("no ranker found it: it is linked to a place above"))
    if item.get("priors"):
        page.line(" " * _INDENT, dim(f"times {', '.join(item['priors'])}"))
    told = [sign for sign in item.get("place", ()) if abs(sign["effect"]) >= _LEAST_EFFECT][:_SIGNS_SHOWN]
    if told:
        _flow(
            page, [dim("these lines, beside others:"), *(dim(f"{sign['says']} {sign['effect']:+.1f}") for sign in told)]
        )


def explain(page: Page, answer: dict[str, Any]) -> None:
    """Add the rankers' lists, the reasons of silent rankers, the vectors and the confidence to the page."""
    blocks, silent = draws_blocks(), []
    page.space()
    if "asked" in answer:
        asked = answer["asked"]
        _flow(
            page,
            [dim("Searched:"), Styled(one_line(asked["searched"][:400])), dim(f"({one_line(asked['why'])})")],
            indent=0,
        )
        page.space()
    page.cut(dim("Each ranker's list: the file's rank in it, and how much of its score that gave"))
    for ranker, entries in answer["lists"].items():
        if not entries:
            state = answer["rankers"].get(ranker, "empty")
            # Rankers without a list are shown apart from the files, unordered.
            silent += [f"{ranker} {state}"] if state != "used" else []
            continue
        told = answer["weights"][ranker]
        page.space()
        page.cut(
            Styled(ranker, style=f"bold {colour(ranker)}"),
            dim(f"  {told['says']} · {count(told['files'], 'file')} · weight {told['weight']:g}"),
        )
        for entry in _worth_showing(entries):
            _entry(page, entry, ranker, blocks=blocks)
    page.space()
    if silent:
        _flow(page, [dim("Silent:"), *(dim(one_line(ranker)) for ranker in silent)], indent=0)
    for typed, read in answer.get("read_as", {}).items():
        page.line(dim(one_line(f'"{typed}" was read as "{read}"')))
    page.line(dim(one_line(_vectors(answer["vectors"]))))
    page.space()
    _certainty(page, answer, blocks=blocks)


def _signal(at: int, signal: dict[str, Any], *, blocks: bool) -> Styled:
    return Styled.assemble(
        (texture(at, blocks=blocks), colour(signal["ranker"])),
        f" {signal['ranker']} ",
        (f"#{signal['rank']} {_percent(signal['share'])}", "dim"),
    )


def _worth_showing(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first entries, and those further down that are in the answer."""
    return entries[:_LIST_SHOWN] + [entry for entry in entries[_LIST_SHOWN:] if entry["shown"]]


def _entry(page: Page, entry: dict[str, Any], ranker: str, *, blocks: bool) -> None:
    head = f"{entry['rank']:>4}  "
    share = f" {_percent(entry['share']):>4}  "
    room = page.width - len(head) - _BAR - len(share)
    page.line(
        dim(head),
        Styled(bar(entry["share"], _BAR, blocks=blocks), style=colour(ranker)),
        dim(share),
        Styled(end_of(one_line(entry["source_id"]), room), style="" if entry["shown"] else "dim"),
    )


def _vectors(vectors: dict[str, Any]) -> str:
    if not vectors["model"]:
        return "Vectors: none served"
    name = "built in" if vectors["model"] == _BUILT_IN else vectors["model"]
    line = f"Vectors: {name} ({', '.join(vectors['levels'])})"
    return line + (f"; not ready yet: {', '.join(vectors['unready'])}" if vectors["unready"] else "")


def _certainty(page: Page, answer: dict[str, Any], *, blocks: bool) -> None:
    told = answer["certainty"]
    page.line(
        Styled(f"Confidence {answer['confidence']:.2f}", style="bold"),
        dim(f"  here at all {told['presence']:.2f}, the right place {told['place']:.2f}"),
    )
    for title, signs in (
        (f"Is it here at all? Below {told['floor']:.2f} the answer is that it is not.", told["presence_signs"]),
        ("Is the first place the one?", told["place_signs"]),
    ):
        page.line("  ", dim(title))
        for sign in signs:
            filled = bar(sign["value"], _BAR, blocks=blocks) if sign["value"] else " " * _BAR
            page.cut(
                "  ",
                Styled(filled, style="cyan" if sign["effect"] >= 0 else "red"),
                dim(f" {_percent(sign['value']):>4} {_effect(sign['effect']):>5}  "),
                sign["says"],
            )


def _flow(page: Page, parts: Iterable[Styled], indent: int = _INDENT) -> None:
    """Lay out parts side by side, wrapped by the terminal."""
    row = Styled(" " * indent)
    for part in parts:
        if row.cell_len > indent and row.cell_len + 2 + part.cell_len > page.width:
            page.line(row)
            row = Styled(" " * indent)
        row.append("  " if row.cell_len > indent else "")
        row.append_text(part)
    page.line(row)


def _percent(share: float) -> str:
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def _effect(effect: float) -> str:
    """Format with a sign and one decimal; no sign for a rounded zero."""
    return f"{effect:+.1f}" if abs(effect) >= _LEAST_EFFECT else "0.0"


def draw(answer: dict[str, Any], workspace: Path, shown: Collection[str] = ()) -> None:
    """Print the results; ``workspace`` makes the links. ``shown`` are notes that stderr has."""
    page = Page()
    items, confidence, explained = answer["items"], answer["confidence"], "lists" in answer
    if unsearched := page.unsearched(answer):
        shown = {*shown, unsearched}
    elif answer["known_empty"]:
        page.line(Styled("Nothing here answers that.", style="bold"))
    if items and not answer["known_empty"]:
        facts = [f"confidence {confidence:.2f}", *indexed_part(answer["indexed_share"])]
        page.line(Styled(confidence_words(confidence), style="bold"), dim(" · " + " · ".join(facts)))
    if items:
        page.space()
    best = max((item["score"] for item in items), default=0.0)
    is_sure = confidence >= SURE and not answer["known_empty"]
    for item in items:
        sign = mark(item["status"], is_sure=is_sure) if "status" in item else dim("·")
        page.pointer(sign, item, uri_of(workspace, path_of(item["source_id"])))
        if item.get("reason", "unchanged") not in UNCHANGED:
            page.line(" " * _INDENT, Styled(reason_of(item), style="yellow"), indent=_INDENT)
        if item.get("signature"):
            page.cut(" " * _INDENT, inert_line(item["signature"]))
        if explained:
            why_here(page, item, best)
    page.near(answer["nearest"])
    if explained:
        explain(page, answer)
    page.notes(answer["notes"], shown)
    page.space()
    facts = [count(len(items), "place")]
    facts += ["✓ unchanged on disk"] if any(item.get("status") == "verified" for item in items) else []
    page.line(dim(" · ".join([*facts, duration(answer["elapsed_ms"])])))
    page.following(answer)
    page.show()
