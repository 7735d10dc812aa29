"""Show and explain a note: its masked text, and why it is not verified as a file can be.

In: the items of one note. Out: the same objects as for a file, ``helix.open/1`` and ``helix.explain/1``.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from helix_core.engine.memory.notes import Recalled, item_of, weighed
from helix_core.engine.verdict import OPEN_SCHEMA, ExplainStep, explained, lines_shown, refresh_plan
from helix_core.errors import UsageError
from helix_core.model import LineSpan, NoteItem, Ranked, TaskType, Weighed
from helix_core.packet import target_object


def shown_note(
    items: Sequence[NoteItem], source_id: str, lines: LineSpan, task: TaskType, most_bytes: int
) -> dict[str, Any]:
    """Return the ``helix.open/1`` object of whole lines of a note.

    Args:
        items: All items of the note.
        source_id: The note's name.
        lines: The lines, 1-based, first to last.
        task: What the lines are for; it decides how strict the verdict is.
        most_bytes: How much is shown.

    Raises:
        UsageError: The note was forgotten, or has no such lines.
    """
    one, item = _weighed(items, source_id, lines, task)
    text = lines_shown(source_id, "".join(each.text for each in items).encode("utf-8", "replace"), lines, most_bytes)
    return {
        "schema": OPEN_SCHEMA,
        "source_id": source_id,
        "start_line": lines.start_line,
        "symbol": one.ranked.item.symbol,
        "language": item.language,
        "content_hash": item.content_hash,
        "status": one.verdict.status.value,
        "reason": one.verdict.reason.value,
        "detail": one.verdict.detail,
        "indexed": True,
        "refresh_targets": [target_object(target) for target in refresh_plan([one], task)],
        **text,
    }


def explained_note(items: Sequence[NoteItem], source_id: str, lines: LineSpan, task: TaskType) -> dict[str, Any]:
    """Return the ``helix.explain/1`` object of a note.

    Args:
        items: All items of the note.
        source_id: The note's name.
        lines: The lines, 1-based, first to last.
        task: What the lines are for; it decides how strict the verdict is.

    Raises:
        UsageError: The note was forgotten, or has no such lines.
    """
    one, item = _weighed(items, source_id, lines, task)
    days = max(time.time() - item.at, 0.0) / 86_400
    sentence = (
        f"It is a {item.content_type} that was given {days:.1f} days ago: nothing on disk says whether it is still so."
    )
    return explained(one, [ExplainStep("note", sentence, one.verdict.reason)], refresh_plan([one], task))


def _weighed(items: Sequence[NoteItem], source_id: str, lines: LineSpan, task: TaskType) -> tuple[Weighed, NoteItem]:
    if lines.start_line < 1 or lines.end_line < lines.start_line:
        raise UsageError(f"lines {lines.start_line}-{lines.end_line} are not a span; lines count from 1, first to last")
    item = next((each for each in items if each.start_line <= lines.start_line <= each.end_line), None)
    if item is None:
        raise UsageError(f"{source_id[:80]!a} has no such lines, or was forgotten; take it from a fresh answer")
    return weighed(Recalled(item, 1.0), Ranked(item_of(item), 1.0, ()), task, time.time()), item
