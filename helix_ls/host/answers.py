"""What can be asked of a workspace in a call: each method's arguments, read once, become an act on its engine.

Knows no socket and no loop; an act runs in a question thread.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from helix_core.engine import Helix
from helix_core.model import Hints
from helix_core.packet import Quotes
from helix_ls.host.arguments import confidence, count, count_if_any, pointers, text

if TYPE_CHECKING:
    from helix_core.model import Judged, RefreshTarget

Cancelled = Callable[[], bool]
Act = Callable[[Helix], dict[str, Any] | None]
PLAN_SCHEMA = "helix.refreshPlan/1"
MOST_LINES = 400


def _hints(params: dict[str, Any]) -> Hints:
    """``asker`` names the session of whoever asks: what it opened lately counts as open."""
    return Hints(session=text(params, "asker", ""))


def _packet(params: dict[str, Any], cancelled: Cancelled) -> Act:
    question, task, k = text(params, "question"), text(params, "task", "explain"), count_if_any(params, "k")
    quotes, most = text(params, "quotes", Quotes.CHOSEN.value), count_if_any(params, "max_tokens")
    hints = _hints(params)
    return lambda helix: helix.packet(
        question, task=task, k=k, hints=hints, quotes=quotes, max_tokens=most, cancelled=cancelled
    )


def _search(params: dict[str, Any], cancelled: Cancelled) -> Act:
    question, k = text(params, "question"), count(params, "k", 10)
    hints = _hints(params)
    return lambda helix: helix.search(question, k=k, hints=hints, cancelled=cancelled)


def _context(params: dict[str, Any], cancelled: Cancelled) -> Act:
    from helix_core.engine.answer.window import ContextRequest, checked_decoder

    question = text(params, "question")
    request = ContextRequest(
        budget_tokens=count(params, "budget", 6_000),
        decoder=checked_decoder(text(params, "decoder", "condensed")),
        model=text(params, "model", ""),
    ).checked()
    hints = _hints(params)
    return lambda helix: helix.context(question, request, hints=hints, cancelled=cancelled)


def _open(params: dict[str, Any], cancelled: Cancelled) -> Act:
    source_id, task = text(params, "source_id"), text(params, "task", "explain")
    first = count(params, "start_line", 1)
    last = count(params, "end_line", first + MOST_LINES - 1)
    most = count(params, "most_bytes", 200_000)
    asker = text(params, "asker", "")

    def show(helix: Helix) -> dict[str, Any]:
        shown = helix.show(source_id, first, last, task=task, most_bytes=most, cancelled=cancelled)
        helix.note_use(asker, [source_id])
        return shown

    return show


def _explain(params: dict[str, Any], cancelled: Cancelled) -> Act:
    """Of a place; or, with ``question``, of how its answer comes about."""
    if "question" in params:
        question, about, k = text(params, "question"), text(params, "task", "explain"), count(params, "k", 8)
        return lambda helix: helix.explain_answer(question, task=about, k=k, cancelled=cancelled)
    source_id, task = text(params, "source_id"), text(params, "task", "explain")
    first, last = count(params, "start_line"), count(params, "end_line")
    return lambda helix: helix.explain(source_id, first, last, task=task, cancelled=cancelled)


def _symbol(params: dict[str, Any], cancelled: Cancelled) -> Act:
    name = text(params, "name")
    return lambda helix: helix.symbol(name, cancelled=cancelled)


def _judge(params: dict[str, Any], cancelled: Cancelled) -> Act:
    """The verdicts of a packet's items as they are now, and what to read again."""
    shown, task, sure = pointers(params), text(params, "task", "explain"), confidence(params)

    def judge(helix: Helix) -> dict[str, Any]:
        judged, targets = helix.judge(shown, task=task, confidence=sure, cancelled=cancelled)
        return _plan(judged, targets)

    return judge


def _ingest(params: dict[str, Any], cancelled: Cancelled) -> Act:  # noqa: ARG001
    from helix_core.memory.notes import NoteInput
    from helix_ls.host.attribution import attribution

    layers = params.get("layers")
    named = (
        {name: value for name, value in layers.items() if isinstance(value, str)} if isinstance(layers, dict) else {}
    )
    metadata = {"title": title} if (title := text(params, "title", "")) else {}
    given = NoteInput(text(params, "content"), text(params, "content_type", "text"), metadata)
    return lambda helix: helix.ingest(given, attribution(named, os.environ))


def _consolidate(params: dict[str, Any], cancelled: Cancelled) -> Act:  # noqa: ARG001
    session = text(params, "session", "")
    return lambda helix: helix.consolidate(session)


def _forget(params: dict[str, Any], cancelled: Cancelled) -> Act:  # noqa: ARG001
    gene_id = text(params, "gene_id")
    return lambda helix: helix.forget(gene_id)


def _plan(judged: list[Judged], targets: list[RefreshTarget]) -> dict[str, Any]:
    from helix_core.packet import target_object

    return {
        "schema": PLAN_SCHEMA,
        "items": [
            {
                "source_id": one.pointer.source_id,
                "gene_id": one.pointer.gene_id,
                "start_line": one.pointer.start_line,
                "end_line": one.pointer.end_line,
                "status": one.verdict.status.value,
                "reason": one.verdict.reason.value,
                "detail": one.verdict.detail,
                "now": {"start_line": one.start_line, "end_line": one.end_line} if one.start_line else None,
            }
            for one in judged
        ],
        "refresh_targets": [target_object(target) for target in targets],
    }


ACTS: dict[str, Callable[[dict[str, Any], Cancelled], Act]] = {
    "helix.packet": _packet,
    "helix.search": _search,
    "helix.context": _context,
    "helix.open": _open,
    "helix.explain": _explain,
    "helix.symbol": _symbol,
    "helix.judge": _judge,
    "helix.ingest": _ingest,
    "helix.consolidate": _consolidate,
    "helix.forget": _forget,
}
