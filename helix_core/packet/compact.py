"""Render answers as compact text for a language model: one line for each place, then its quote in a fence.

In: weighed items, or a search answer. Out: text. A packet with a budget stays within it by the estimate of
``helix_core.tokens``. Times and scores are left out, so equal evidence costs equal tokens. Nothing invisible and no
control token of a chat template is written (``helix_core.printable``). Pure. Decides no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from helix_core.lines import without_line_end
from helix_core.model import Contradiction, Reason, RecalledMemory, SourcedClaim, Status, Verdict, Weighed
from helix_core.packet.economy import fitted, with_quote
from helix_core.packet.remembered import MEMORY_SHARE, REMEMBERED_HEAD, affordable, memory_line
from helix_core.packet.wire import PacketFacts
from helix_core.printable import inert_line, inert_name, inert_text
from helix_core.tokens import estimate
from helix_core.tuples import NamedTuple

TEXT_TOKENS = 1_200
"""Budget of a packet as text where the caller gives none: about 1,000 true tokens."""
TEXT_PLACES = 11
TEXT_CANDIDATES = 32
"""Items shown with their lines, and items searched for: of those beyond the first, the files are named. More items
would leave less than three fifths of 1,000 tokens for quotes (``benchmarks/search.py --packets``)."""
_VERY_LIKELY = 0.8
_NAMES_SHARE, _NAMES_SHARE_VERY_LIKELY = 1 / 7, 1 / 16
"""Shares of the budget for the names of further files, below the confidence ``_VERY_LIKELY`` and from it on: there the
places themselves had the answer to 53 of 55 questions of two sets, and quotes are worth more."""
_RESERVED = 10
"""Tokens reserved for the line with the packet's id, which the agent's session adds: an id of up to six digits."""
_BARRED_LINES = 3
"""Lines of a quote up to which each is written after a bar: a fence takes more tokens."""
_LEAST_SHARING = 3
"""From so many items on, it is cheaper to say once which status their reason implies."""
_MOST_NEAREST, _MOST_NOTES, _MOST_NOTE = 5, 6, 240
_BACKTICKS = re.compile(r"`{3,}")


class CompactPacket(NamedTuple):
    """A packet as text, with the items that it shows and its estimated tokens."""

    text: str
    shown: tuple[Weighed, ...]
    tokens: int


def packet_text(
    weighed: Sequence[Weighed], contradictions: Sequence[Contradiction], facts: PacketFacts
) -> CompactPacket:
    """Render a packet within the budget of ``facts``, ``TEXT_TOKENS`` if it has none; at least one item is shown if
    there is one.

    Of items beyond ``TEXT_PLACES``, and of ``facts.others``, only the files are named.
    """
    budget = facts.spending.max_tokens
    whole = (TEXT_TOKENS if budget is None else budget) - _RESERVED
    items = list(weighed) if not facts.others else list(weighed[:TEXT_PLACES])
    shared = _shared_verdict(items)
    least = sum(estimate(_entry(with_quote(one, ""), shared)) for one in items[:1])
    unsearched = "" if weighed else facts.found.unsearched
    sure = f"confidence {facts.found.confidence:.2f}; verified unless marked"
    first, *opening = _opening_lines(sure, facts.found.known_empty, facts.found.nearest, facts.notes, unsearched)
    first += f"; {shared.reason.value}: {shared.status.value}" if shared is not None else ""
    opening += [
        f"contradiction: {inert_line(pair.key)}: {_claim(pair.fresher)} "
        f"{'(fresher)' if pair.order_known else '(order unknown)'}, {_claim(pair.older)}"
        for pair in contradictions
    ]
    after = _as_many(opening, whole - least - estimate(first))
    most_remembered = min(int(whole * MEMORY_SHARE), whole - least - estimate(f"{first}\n{after}"))
    after = _remembered(facts.memories, most_remembered) + after
    named = {one.ranked.item.source.source_id for one in items}
    files = [one.ranked.item.source.source_id for one in weighed[len(items) :]]
    others = [file for file in dict.fromkeys([*files, *facts.others]) if file not in named]
    share = _NAMES_SHARE if facts.found.confidence < _VERY_LIKELY else _NAMES_SHARE_VERY_LIKELY
    after = _more_files(others, min(int(whole * share), whole - least - estimate(f"{first}\n{after}"))) + after
    room = whole - estimate(f"{first}\n{after}")
    text, shown = f"{first}\n{after}", items[:0]
    # The estimates of parts add up to more than that of the whole: what is left goes into quotes.
    for _ in range(2 if items else 0):
        fit = fitted(items, room, lambda one: estimate(_entry(one, shared)))
        made = "".join([f"{first}\n", *(_entry(one, shared) for one in fit), after])
        left = whole - estimate(made)
        if shown and left < 0:
            break
        text, shown, room = made, fit, room + left
    text = text.rstrip("\n")
    return CompactPacket(text, tuple(shown), estimate(text))


def search_text(answer: Mapping[str, Any]) -> str:
    """Render a ``helix.search/1`` object: one line for each place, best first, without scores.

    Its places were not compared with the disk, so none is called verified.
    """
    lines = [place_line(item) for item in answer["items"]]
    unsearched = "" if lines else answer.get("unsearched", "")
    sure = f"confidence {answer['confidence']:.2f}{'; lines as indexed' if lines else ''}"
    opening = _opening_lines(sure, answer["known_empty"], answer["nearest"], answer["notes"], unsearched)
    return "\n".join([*lines, *opening, *more_line(answer)])


def more_line(answer: Mapping[str, Any]) -> list[str]:
    """Return the line that says how to ask for the next page of an answer; nothing where there is none."""
    return [f"more: page {answer['next_page']}"] if answer.get("next_page") else []


def place_line(item: Mapping[str, Any]) -> str:
    """Return ``path:start-end symbol``, followed by the verdict if the object has one other than verified."""
    line = f"{item['source_id']}:{_range(item['start_line'], item['end_line'])} {inert_line(item['symbol'])}".rstrip()
    status = item.get("status", Status.VERIFIED)
    detail = _detail(item.get("detail", ""), uncommitted=item.get("uncommitted", False))
    line += " (by name only)" if item.get("by_name") else ""
    is_marked = status != Status.VERIFIED or item.get("uncommitted", False)
    return f"{line} [{_why(status, item['reason'], detail)}]" if is_marked else line


def fenced(quote: str) -> str:
    """Return the lines in a fence of backticks that is longer than any run of backticks in them."""
    longest = max((len(run) for run in _BACKTICKS.findall(quote)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{quote}{'' if quote.endswith(chr(10)) else chr(10)}{fence}"


def _shared_verdict(items: Sequence[Weighed]) -> Verdict | None:
    """Return the verdict of every item, where all have the same status and reason, none is verified and none has a
    detail; else None.

    Each item is then marked with the reason alone, and the status is said once.
    """
    if len(items) < _LEAST_SHARING or len({(one.verdict.status, one.verdict.reason) for one in items}) > 1:
        return None
    verdict = items[0].verdict
    return None if verdict.status is Status.VERIFIED or any(one.verdict.detail for one in items) else verdict


def _entry(one: Weighed, shared: Verdict | None) -> str:
    item, verdict = one.ranked.item, one.verdict
    lines = _range(item.start_line, item.end_line)
    place = f"{inert_name(item.source.source_id)}:{lines} {inert_line(item.symbol)}".rstrip()
    detail = _detail(verdict.detail, uncommitted=one.uncommitted)
    if shared is not None:
        place += f" [{verdict.reason.value}{f', {detail}' if detail else ''}]"
    elif detail or verdict.status is not Status.VERIFIED or verdict.reason is not Reason.UNCHANGED:
        place += f" [{_why(verdict.status.value, verdict.reason.value, detail)}]"
    return f"{place}\n{_quoted(one.quote)}"


def _quoted(quote: str) -> str:
    """Return a few lines after a bar each, more in a fence: either way a quote cannot pass for a place."""
    text = without_line_end(inert_text(quote))
    lines = text.split("\n") if text else []
    return f"{fenced(text)}\n" if len(lines) > _BARRED_LINES else "".join(f"| {line}\n" for line in lines)


def _more_files(files: Sequence[str], most_tokens: int) -> str:
    """Return a line with the files, best first, as many as fit."""
    text = ""
    for file in files:
        longer = f"{text or 'less likely:'} {inert_name(file)}"
        if estimate(longer) <= most_tokens:
            text = longer
    return f"{text}\n" if text else ""


def _remembered(memories: Sequence[RecalledMemory], most_tokens: int) -> str:
    """Return the section of the memories, a line each, as many as fit; empty without any."""
    room = most_tokens - estimate(f"{REMEMBERED_HEAD}\n")
    lines = [memory_line(one) for one in affordable(memories, room, lambda one: estimate(f"{memory_line(one)}\n"))]
    return "".join(f"{line}\n" for line in (REMEMBERED_HEAD, *lines)) if lines else ""


def _detail(detail: str, *, uncommitted: bool) -> str:
    return ", ".join(filter(None, (detail, "not committed" if uncommitted else "")))


def _why(status: str, reason: str, detail: str) -> str:
    return f"{status}: {reason}{f', {inert_line(detail)}' if detail else ''}"


def _range(start_line: int, end_line: int) -> str:
    return f"{start_line}" if start_line == end_line else f"{start_line}-{end_line}"


def _as_many(lines: Sequence[str], room: int) -> str:
    """Return the first lines that fit ``room`` tokens, each with a line end."""
    text = ""
    for line in lines:
        if estimate(f"{text}{line}\n") > room:
            break
        text += f"{line}\n"
    return text


def _claim(sourced: SourcedClaim) -> str:
    return f"{inert_name(sourced.source.source_id)}:{sourced.line} = {inert_line(str(sourced.value))[:80]}"


def _opening_lines(
    sure: str, known_empty: bool, nearest: Sequence[str], notes: Sequence[str], unsearched: str
) -> list[str]:
    lines = [sure]
    if known_empty:
        near = ", ".join(inert_line(str(one)) for one in nearest[:_MOST_NEAREST])
        lines = ["known_empty: nothing in this workspace answers that; do not guess"]
        lines += [f"nearest names: {near}"] if near else []
    if unsearched:
        lines = [inert_line(unsearched)[:_MOST_NOTE]]
        notes = [note for note in notes if note != unsearched]
    return lines + [f"note: {inert_line(note)[:_MOST_NOTE]}" for note in notes[:_MOST_NOTES]]
