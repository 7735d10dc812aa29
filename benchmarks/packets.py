"""What an answer costs until its reader has the right file: asked by benchmarks/search.py.

A row is a form in which answers are read, a column a budget of tokens: the share of questions whose right file is named
within it. Of what has no budget of its own the beginning is read. ``pointers`` counts the items of a packet's JSON
alone, in order of relevance; the other forms are read as they leave, with all that stands around the items.

Tokens are true ones, the larger count of cl100k and o200k, where the package ``bpe-openai`` is installed (its tables
come with it, and the development requirements bring it), else estimated, which is a fifth more; the report says which.
Every packet with a budget is checked against it.

Beside it: how good the order of a packet's own places is, the first five ranges (at most 120 lines in all) and the
files as they come, against that of search itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helix_core.engine import Helix
from helix_core.engine.answer.window import ContextRequest
from helix_core.engine.requests import checked_places
from helix_core.model import Status
from helix_core.packet import estimated_tokens
from helix_core.tokens import estimate
from helix_ls.cli.render.packet import printed, within
from helix_ls.mcp.outgoing import as_text, cleaned
from helix_ls.mcp.text import rendered

try:
    from bpe_openai import get_encoding
except ImportError:
    COUNTED_BY, _ENCODINGS = "the estimate, about a fifth too high: install bpe-openai for true counts", []
else:
    COUNTED_BY, _ENCODINGS = "cl100k and o200k", [get_encoding("cl100k_base"), get_encoding("o200k_base")]

BUDGETS = (300, 500, 1000, 2000)
BUDGET, TARGET, LINES_TARGET, QUOTES_TARGET = 1000, 0.92, 0.60, 0.60
PARTS_SHOWN = 6
SEARCHED = 20
NEVER = 1_000_000_000

Packet = dict[str, Any]


@dataclass
class Costs:
    """What was met: for each form and budget, whether the right file came in time; the tokens of parts of pointers; for
    each order of places its figures, by ``score`` of a question and an answer with ``files`` and ``spans``; ``holds``
    says whether a span has a question's evidence."""

    score: Callable[[dict[str, Any], dict[str, Any]], dict[str, float]]
    holds: Callable[[dict[str, Any], dict[str, Any]], bool]
    orders: dict[str, list[dict[str, float]]] = field(default_factory=dict)
    in_time: dict[str, dict[int, list[bool]]] = field(default_factory=dict)
    pointers: list[int] = field(default_factory=list)
    parts: dict[str, int] = field(default_factory=dict)
    packets: list[int] = field(default_factory=list)
    counts: list[tuple[str, int, int]] = field(default_factory=list)
    """Form, budget, tokens of every packet with a budget."""
    searches: list[int] = field(default_factory=list)
    lines: list[bool] = field(default_factory=list)
    quotes: list[float] = field(default_factory=list)

    def ask(self, helix: Helix, question: dict[str, Any]) -> None:
        """One question that has an answer, of an index brought up to date."""
        asked, expected = question["question"], question["expect_files"]
        packet = helix.packet(asked)
        self._count(packet)
        self._order("search", question, helix.search(asked, k=SEARCHED)["items"])
        self._order("packet", question, _items(packet))
        named = pointers_until(_items(packet), expected)
        self._read("packet: pointers", {budget: named <= budget for budget in BUDGETS})
        for form, text in _texts(packet):
            self._read(form, {budget: _names(beginning(text, budget), expected) for budget in BUDGETS})
        self.searches.append(tokens(rendered(helix.search(asked, k=10))))
        bounded = {budget: helix.packet(asked, max_tokens=budget, as_text=True) for budget in BUDGETS}
        whole = helix.packet(asked, k=checked_places(None, max(BUDGETS)))
        for budget, packet_ in bounded.items():
            text, items = packet_.pop("text"), packet_.pop("text_items")
            command = ("packet: the command's text", printed(within(whole, budget, printed)))
            for form, said in [*list(_texts(packet_))[:2], ("packet: an agent's text", text), command]:
                self.counts.append((form, budget, tokens(said)))
                self._read(f"{form}, max_tokens", {budget: _names(beginning(said, budget), expected)})
            self._order(f"packet, max_tokens {budget}", question, _items(packet_))
            if budget == BUDGET:
                self._read_lines(question, text, items)
        text = helix.packet(asked, as_text=True)["text"]
        self._read("packet: an agent's text", {budget: _names(beginning(text, budget), expected) for budget in BUDGETS})
        for budget in BUDGETS:
            window = helix.context(asked, ContextRequest(budget_tokens=budget))
            self._read("window for a chat, budget", {budget: _names(window["text"], expected)})

    def _read_lines(self, question: dict[str, Any], text: str, items: Sequence[dict[str, Any]]) -> None:
        """Is the evidence among the lines that the beginning of an agent's text names, and how much of it is quotes?"""
        places = [f"{one['source_id']}:{one['start_line']}" for one in items]
        read = beginning(text, BUDGET)
        named = [one for one, place in zip(items, places, strict=True) if f"\n{place}" in read]
        spans = ({"file": one["source_id"], "start": one["start_line"], "end": one["end_line"]} for one in named)
        self.lines.append(any(self.holds(question, span) for span in spans))
        quoted = [
            line for line in text.split("\n")[1:] if not line.startswith((*places, "```", "less likely:", "note:"))
        ]
        self.quotes.append(tokens("\n".join(quoted)) / tokens(text))

    def report(self) -> None:
        """Prints the shares, and what of a pointer costs most."""
        asked = len(self.packets)
        print(f"\ntokens counted by {COUNTED_BY}")
        over = [(form, budget, count) for form, budget, count in self.counts if count > budget]
        print(f"packets over their budget: {len(over)} of {len(self.counts)} {over[:PARTS_SHOWN]}")
        shares = {budget: [count / budget for _, most, count in self.counts if most == budget] for budget in BUDGETS}
        print("most of a budget used: " + ", ".join(f"{max(share):.2f} of {most}" for most, share in shares.items()))
        print(f"ten results of a search: mean {sum(self.searches) / asked:.0f}, most {max(self.searches)}")
        print(
            f"an agent's text with max_tokens {BUDGET}: right lines {sum(self.lines) / asked:.3f} (wanted "
            f"{LINES_TARGET}), quotes {sum(self.quotes) / asked:.2f} of its tokens (wanted {QUOTES_TARGET})"
        )
        print(f"\nright file named within so many tokens, {asked} questions (wanted {TARGET} within {BUDGET})")
        print(f"{'':28s} " + " ".join(f"{budget:>6d}" for budget in BUDGETS))
        for form, budgets in self.in_time.items():
            print(f"{form:28s} " + " ".join(f"{sum(budgets[budget]) / asked:6.3f}" for budget in BUDGETS))
        mean = sum(self.pointers) / max(len(self.pointers), 1)
        costliest = sorted(self.parts.items(), key=lambda part: -part[1])[:PARTS_SHOWN]
        parts = ", ".join(f"{key} {tokens / max(len(self.pointers), 1):.0f}" for key, tokens in costliest)
        print(f"tokens of a packet without a budget: mean {sum(self.packets) / max(asked, 1):.0f}")
        print(f"tokens of a pointer in it: mean {mean:.0f}; {parts}")

        print(f"\n{'the order of places':28s} " + " ".join(f"{name:>7s}" for name in self.orders["search"][0]))
        for name, rows in self.orders.items():
            print(f"{name:28s} " + " ".join(f"{sum(row[key] for row in rows) / asked:7.3f}" for key in rows[0]))

    def _order(self, name: str, question: dict[str, Any], items: Sequence[dict[str, Any]]) -> None:
        spans = [{"file": one["source_id"], "start": one["start_line"], "end": one["end_line"]} for one in items]
        answer = {"files": [span["file"] for span in spans], "spans": spans}
        self.orders.setdefault(name, []).append(self.score(question, answer))

    def _read(self, form: str, named: dict[int, bool]) -> None:
        for budget, is_named in named.items():
            self.in_time.setdefault(form, {}).setdefault(budget, []).append(is_named)

    def _count(self, packet: Packet) -> None:
        self.packets.append(estimated_tokens(packet))
        for item in _items(packet):
            self.pointers.append(estimated_tokens(item))
            for key, value in item.items():
                self.parts[key] = self.parts.get(key, 0) + estimated_tokens({key: value})


def pointers_until(items: Sequence[dict[str, Any]], expected: Sequence[str]) -> int:
    """Tokens of pointers read until an expected file is named, its own pointer included."""
    read = 0
    for item in items:
        read += estimated_tokens(item)
        if item["source_id"] in expected:
            return read
    return NEVER


def _items(packet: Packet) -> list[dict[str, Any]]:
    """Best first; within a budget items say no score and come as they are, by verdict."""
    items = [item for status in Status for item in packet[status.value]]
    return sorted(items, key=lambda item: -item.get("relevance_score", 0.0))


def _texts(packet: Packet) -> Iterator[tuple[str, str]]:
    """A packet as it is read: the JSON on a pipe, the text of a tool's result, and what the command prints there."""
    yield "packet: JSON", json.dumps(packet, ensure_ascii=False, separators=(",", ":"))
    workspace = packet["workspace"]
    given = cleaned(packet | {"packet_id": "1"}, {workspace: Path(workspace).name})
    yield "packet: MCP's text", as_text(given | {"workspace": Path(workspace).name})
    yield "packet: the command's text", printed(packet)


def _names(text: str, expected: Sequence[str]) -> bool:
    """Is an expected file named as the place of something?"""
    said = f"\n{text} "
    return any(
        f'"source_id":"{file}"' in said or any(f"{before}{file}{after}" in said for before in " \n" for after in ": \n")
        for file in expected
    )


def tokens(text: str) -> int:
    """The larger true count, or the estimate."""
    return max((len(each.encode(text)) for each in _ENCODINGS), default=0) if _ENCODINGS else estimate(text)


def beginning(text: str, most: int) -> str:
    """As much of the text as fits so many tokens."""
    if not _ENCODINGS:
        return text[: int(len(text) * min(1.0, most / estimate(text)))]
    return min((each.decode(each.encode(text)[:most]) or "" for each in _ENCODINGS), key=len)
