"""Why a place has the verdict it has: ``helix.explain/1``, every observation in the order of the verdict table.

In: a place, looked at now just as an answer looks. Out: sentences, and which of them decided. Decides nothing itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from helix_core.engine.explain_words import Looked, Step, steps
from helix_core.engine.judge import unindexed
from helix_core.engine.observe import Sight
from helix_core.engine.overlay import line_on_disk
from helix_core.engine.weigher import Placed, Weigher, called, whole_file
from helix_core.model import Item, LineSpan, Ranked, Reason, RefreshTarget, Source, Status, TaskType, Verdict, Weighed
from helix_core.packet import target_object
from helix_core.packet.wire import document_flag
from helix_core.store.reader import Reader
from helix_core.weigh.refresh import priority, refresh_plan
from helix_core.weigh.verdict import TRUE_NOW, Observation, verdict
from helix_core.workspace.disk import DiskError
from helix_core.workspace.files import name_reason
from helix_core.workspace.paths import checked

EXPLAIN_SCHEMA = "helix.explain/1"


class Explanation:
    """Of one place. Use once."""

    def __init__(self, reader: Reader, weigher: Weigher) -> None:
        self._reader = reader
        self._weigher = weigher

    def of(
        self, source_id: str, lines: LineSpan, task: TaskType, *, confidence: float, in_buffer: bool, symbol: str = ""
    ) -> dict[str, Any]:
        """About the smallest item that holds these lines, else about the file as a whole.

        ``symbol`` is what an earlier answer called the lines, empty where none did. ``in_buffer`` says that they are
        lines of the open buffer and not the disk's. Raises UsageError for a path out of the workspace.
        """
        path = checked(source_id)
        before = self._reader.source(path)
        source = before or unindexed(path)
        if before is None and name_reason(path) == "private":
            return self._without_file(source, Reason.UNREADABLE, lines, task)
        if in_buffer:
            lines = self._lines_on_disk(source, lines)
        was = self._item_at(before, lines)
        sight = self._weigher.observer.look(source)
        if sight.file is None:
            return self._without_file(source, sight.reason, lines, task)
        placed = self._placed(source, sight, was, lines)
        item = placed.ranked.item
        if symbol and item.text_hash and placed.reason in TRUE_NOW and item.symbol != symbol:
            shown = self._weigher.relocated(Ranked(called(item, symbol), 1.0, ()), sight)
            placed = shown if shown.reason is not Reason.MOVED else placed
        (seen,), pairs = self._weigher.see([placed], confidence)
        weighed = self._weigher.weighed(seen, task)
        state = self._reader.state(path)
        looked = Looked(
            before=before,
            skipped=state.skipped if state is not None else "",
            was=was,
            file=sight.file,
            seen=seen,
            pairs=pairs,
            conflict=self._weigher.conflict(seen.ranked.item),
            is_open=self._weigher.facts.buffers.differs(path, sight.file),
            verdict=weighed.verdict,
        )
        item = seen.ranked.item
        answer = _answer(item.source.source_id, item.start_line, item.end_line, item.symbol, weighed.verdict)
        if seen.buffer is not None:
            answer["buffer"] = asdict(seen.buffer)
        if weighed.outdated:
            answer["outdated"] = [document_flag(flag) for flag in weighed.outdated]
        return _with(answer, steps(looked), weighed.verdict, refresh_plan([weighed], task))

    def _lines_on_disk(self, source: Source, lines: LineSpan) -> LineSpan:
        """Where lines of the open buffer stand on disk; the same where there is none, or no file."""
        buffer = self._weigher.facts.buffers.of(source.path)
        file = self._weigher.observer.look(source).file if buffer is not None else None
        if buffer is None or file is None:
            return lines
        first, last = (line_on_disk(buffer, file.data, line) for line in (lines.start_line, lines.end_line))
        return LineSpan(first, max(first, last))

    def _item_at(self, source: Source | None, lines: LineSpan) -> Item | None:
        if source is None:
            return None
        items = self._reader.items_of(source.id)
        return next(
            (one for one in items if one.start_line <= lines.start_line and lines.end_line <= one.end_line), None
        )

    def _placed(self, source: Source, sight: Sight, was: Item | None, lines: LineSpan) -> Placed:
        now = self._reader.source(source.path) if sight.reason is Reason.REINGESTED else None
        if now is not None:
            item = self._same_item(now, was) or self._item_at(now, lines)
            placed = self._weigher.place(Ranked(item, 1.0, ())) if item is not None else None
        else:
            placed = self._weigher.place(Ranked(was, 1.0, ())) if was is not None else None
        return placed or Placed(Ranked(_whole(now or source, sight), 1.0, ()), sight.reason)

    def _same_item(self, source: Source, was: Item | None) -> Item | None:
        """What was meant before the file was ingested again: the same text, else the same symbol."""
        if was is None:
            return None
        items = self._reader.items_of(source.id)
        same = [one for one in items if one.text_hash == was.text_hash]
        same = same or [one for one in items if was.symbol and one.symbol == was.symbol]
        return min(same, key=lambda one: abs(one.start_line - was.start_line), default=None)

    def _without_file(self, source: Source, reason: Reason, lines: LineSpan, task: TaskType) -> dict[str, Any]:
        judged = verdict(Observation(disk=reason), task)
        start_line, end_line = lines.start_line, lines.end_line
        seen = Step("file", f"{DiskError(source.path, reason)}.", reason)
        kind = source.source_kind.value
        target = RefreshTarget(kind, source.source_id, start_line, end_line, reason, priority(judged.status, task))
        return _with(_answer(source.source_id, start_line, end_line, "", judged), [seen], judged, [target])


def _whole(source: Source, sight: Sight) -> Item:
    """The file as one item."""
    assert sight.file is not None
    return whole_file(Item(0, source, "file", "", "", 0, 0, 1, 1, ""), sight.file.data)


def _answer(source_id: str, start_line: int, end_line: int, symbol: str, judged: Verdict) -> dict[str, Any]:
    return {
        "schema": EXPLAIN_SCHEMA,
        "source_id": source_id,
        "start_line": start_line,
        "end_line": end_line,
        "symbol": symbol,
        "status": judged.status.value,
        "reason": judged.reason.value,
        "detail": judged.detail,
        "also": [reason.value for reason in judged.also],
    }


def explained(one: Weighed, seen: Sequence[Step], plan: Sequence[RefreshTarget]) -> dict[str, Any]:
    """The ``helix.explain/1`` object of a weighed item, of which ``seen`` was observed."""
    item = one.ranked.item
    answer = _answer(item.source.source_id, item.start_line, item.end_line, item.symbol, one.verdict)
    return _with(answer, seen, one.verdict, plan)


def _with(
    answer: dict[str, Any], seen: Sequence[Step], judged: Verdict, plan: Sequence[RefreshTarget]
) -> dict[str, Any]:
    """One step decides: the first that found what the verdict says."""
    decides = next((number for number, step in enumerate(seen) if step.finding is judged.reason), -1)
    answer["observations"] = [
        {
            "step": step.step,
            "observation": step.observation,
            "finding": step.finding.value if step.finding is not None else "",
            "decides": number == decides,
        }
        for number, step in enumerate(seen)
    ]
    answer["refresh_targets"] = [target_object(one) for one in plan] if judged.status is not Status.VERIFIED else []
    return answer
