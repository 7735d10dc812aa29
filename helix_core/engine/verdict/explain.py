"""Explain a verdict: ``helix.explain/1``, every observation in the order of the verdict table, in words people read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from helix_core.engine.verdict.contradictions import opposed
from helix_core.engine.verdict.judge import unindexed
from helix_core.engine.verdict.observe import FileObservation
from helix_core.engine.verdict.overlay import line_on_disk
from helix_core.engine.verdict.spans import is_document
from helix_core.engine.verdict.table import CONFIDENCE_FLOOR, TRUE_NOW, Observation, priority, refresh_plan, verdict
from helix_core.engine.verdict.weigher import ObservedItem, Placed, Weigher, called, whole_file
from helix_core.model import (
    Authority,
    Contradiction,
    Item,
    LineSpan,
    Ranked,
    Reason,
    RefreshTarget,
    Source,
    StatSignature,
    Status,
    TaskType,
    Verdict,
    Weighed,
)
from helix_core.packet import document_flag, target_object
from helix_core.store import Reader
from helix_core.workspace import DiskError, DiskFile, checked, name_reason

_AUTHORITY = {
    Authority.PRIMARY: "The source is primary: it is the thing itself.",
    Authority.DERIVED: "The source is derived: something else is the original.",
    Authority.INFERRED: "The source is inferred: made by a program or taken from elsewhere.",
}


@dataclass(frozen=True, slots=True)
class ExplainStep:
    """One observation: what was examined, what was observed, and the verdict table's reason, if any."""

    step: str
    observation: str
    finding: Reason | None = None


@dataclass(frozen=True, slots=True)
class ExaminedPlace:
    """Everything seen of one place.

    ``before`` is what the index had of the file (None: nothing, for the reason ``skipped`` or for none it knows), and
    ``was`` the item it had at the lines that were asked about. ``conflict`` as ``Weigher.conflict`` says it;
    ``is_open`` says that an editor has the file open.
    """

    before: Source | None
    skipped: str
    was: Item | None
    file: DiskFile
    seen: ObservedItem
    pairs: Sequence[Contradiction]
    conflict: str
    is_open: bool
    verdict: Verdict


def steps(looked: ExaminedPlace) -> list[ExplainStep]:
    """All observations, in the order of the verdict table."""
    return [
        *_disk(looked),
        _buffer(looked),
        _conflict(looked),
        _document(looked),
        _claims(looked),
        ExplainStep("age", "It can be read again, so its age decides nothing."),
        _if(looked, Reason.WEAK_AUTHORITY, "authority", _AUTHORITY[looked.seen.observation.authority]),
        _confidence(looked),
    ]


def _disk(looked: ExaminedPlace) -> list[ExplainStep]:
    before, now, reason = looked.before, looked.file, looked.seen.observation.disk
    if before is None:
        why = f" ({looked.skipped})" if looked.skipped else ""
        return [ExplainStep("index", f"The file is there, and the index does not know it{why}.", reason)]
    same_stat, same_bytes = before.signature == now.signature, before.content_hash == now.content_hash
    stat = f"The file has {_stat(now.signature)}"
    stat += ", as when it was indexed." if same_stat else f"; when it was indexed it had {_stat(before.signature)}."
    digest = f"Its SHA-256 is {now.content_hash[:12]}…"
    digest += ", as when it was indexed" if same_bytes else f"; when it was indexed it was {before.content_hash[:12]}…"
    ingested = not same_bytes and reason in (Reason.REINGESTED, Reason.MOVED)
    return [
        ExplainStep("signature", stat, reason if reason is Reason.UNCHANGED else None),
        ExplainStep("hash", f"{digest}.", reason if reason in (Reason.TOUCHED, Reason.REINGESTED) else None),
        _place(looked, ingested),
    ]


def _place(looked: ExaminedPlace, ingested: bool) -> ExplainStep:
    item, was, reason = looked.seen.ranked.item, looked.was, looked.seen.observation.disk
    if reason is Reason.MOVED:
        before = f"at {_lines(was)}" if was is not None else "elsewhere"
        return ExplainStep("place", f"The text that was {before} is at {_lines(item)} now.", reason)
    detail = looked.seen.observation.disk_detail
    if reason is Reason.RENAMED:
        before = f"at {_lines(was)}" if was is not None else "elsewhere"
        sentence = f"The text that was {before} is at {_lines(item)} now, under another name: {detail}."
        return ExplainStep("place", sentence, reason)
    if reason is Reason.CHANGED and detail:
        return ExplainStep("place", f"Of the text that was at {_lines(item)}: {detail}.", reason)
    if reason is Reason.CHANGED:
        return ExplainStep("place", f"The text that was at {_lines(item)} is nowhere in the file now.", reason)
    if ingested:
        sentence = f"The file was read again just now: this is {_lines(item)} as they are"
        renamed = was is not None and was.text_hash == item.text_hash and was.symbol != item.symbol
        known_as = f"; the text was known as {was.symbol}" if was is not None and renamed and was.symbol else ""
        return ExplainStep("place", f"{sentence}{known_as}.")
    return ExplainStep("place", f"The text is at {_lines(item)}, as it was indexed.")


def _buffer(looked: ExaminedPlace) -> ExplainStep:
    buffer = looked.seen.buffer
    where = f"lines {buffer.start_line} to {buffer.end_line}" if buffer is not None else ""
    if looked.seen.observation.unsaved:
        return ExplainStep("buffer", f"Unsaved edits touch it; in the editor it is {where}.", Reason.UNSAVED)
    if not looked.is_open:
        return ExplainStep("buffer", "No editor has the file open with unsaved edits.")
    moved = f"; in the editor it is {where}" if where else ""
    return ExplainStep("buffer", f"The file is open in the editor, and no unsaved edit touches the text{moved}.")


def _conflict(looked: ExaminedPlace) -> ExplainStep:
    if looked.seen.observation.conflicted:
        return ExplainStep("conflict", f"It may be half merged: {looked.conflict}.", Reason.CONFLICTED)
    return ExplainStep("conflict", "No merge or rebase touches the file, and no conflict markers are in it.")


def _document(looked: ExaminedPlace) -> ExplainStep:
    item, commit, flags = looked.seen.ranked.item, looked.seen.commit, looked.seen.observation.outdated
    if not is_document(item):
        return ExplainStep("document", "It is not a document about the code that the code could outdate.")
    if commit is None:
        return ExplainStep("document", "No commit of it is known, so nothing says whether the code has left it behind.")
    since = f"commit {commit.commit[:7]} of {_day(commit.committed_at)}"
    if flags:
        sentences = "; ".join(f"line {flag.line}: {flag.sentence}" for flag in flags)
        return ExplainStep(
            "document",
            f"The code has left it behind since its own last change, {since}: {sentences}.",
            Reason.OUTDATED_DOC,
        )
    return ExplainStep(
        "document", f"Nothing that it says of the code is known to be wrong since its own last change, {since}."
    )


def _claims(looked: ExaminedPlace) -> ExplainStep:
    own = looked.seen.ranked.item.id
    against = [(pair, sides) for pair in looked.pairs if (sides := opposed(pair, own)) is not None]
    if against:
        sentence = "; ".join(
            f"{pair.key} is {here.value} here and {there.value} in {there.source.source_id}:{there.line}, "
            + ("which changed later" if pair.order_known else "and which of the two changed last is not known")
            for pair, (here, there) in against[:3]
        )
        return ExplainStep("claims", f"{sentence}.", Reason.CONTRADICTED)
    for pair in looked.pairs:
        if pair.fresher.item_id == own:
            other = f"{pair.older.source.source_id}:{pair.older.line}"
            sentence = (
                f"{pair.key} is {pair.older.value} in {other} and {pair.fresher.value} here, which changed later."
            )
            return ExplainStep("claims", sentence)
    return ExplainStep("claims", "Nothing in the workspace claims otherwise.")


def _confidence(looked: ExaminedPlace) -> ExplainStep:
    confidence = looked.seen.observation.confidence
    if confidence >= 1.0:
        return ExplainStep("confidence", "A place was asked about, so it is the right one.")
    sentence = f"The answer it was in is in the right place with a confidence of {confidence:.2f} (trusted from "
    return _if(looked, Reason.UNLOCATED, "confidence", f"{sentence}{CONFIDENCE_FLOOR:.2f} on).")


def _if(looked: ExaminedPlace, reason: Reason, step: str, observation: str) -> ExplainStep:
    """The finding only where the task at hand minds it."""
    found = reason in (looked.verdict.reason, *looked.verdict.also)
    return ExplainStep(step, observation, reason if found else None)


def _stat(signature: StatSignature) -> str:
    when = datetime.fromtimestamp(signature.mtime_ns / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    return f"{signature.size_bytes:,} bytes, changed {when} UTC, inode {signature.inode}"


def _day(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _lines(item: Item) -> str:
    return f"lines {item.start_line} to {item.end_line}"


EXPLAIN_SCHEMA = "helix.explain/1"


class Explanation:
    """The explanation of one place. Use it once."""

    def __init__(self, reader: Reader, weigher: Weigher) -> None:
        self._reader = reader
        self._weigher = weigher

    def of(
        self, source_id: str, lines: LineSpan, task: TaskType, *, confidence: float, in_buffer: bool, symbol: str = ""
    ) -> dict[str, Any]:
        """Explain the smallest item that holds these lines, else the file as a whole.

        Args:
            source_id: The file.
            lines: The lines, 1-based, first to last.
            task: What the lines are for; it decides how strict the verdict is.
            confidence: That of the answer the lines were in.
            in_buffer: They are lines of the open buffer and not the disk's.
            symbol: What an earlier answer called the lines, empty where none did.

        Raises:
            UsageError: The path leads out of the workspace.
        """
        path = checked(source_id)
        before = self._reader.files.source(path)
        source = before or unindexed(path)
        if before is None and name_reason(path) == "private":
            return self._without_file(source, Reason.UNREADABLE, lines, task)
        if in_buffer:
            lines = self._lines_on_disk(source, lines)
        was = self._item_at(before, lines)
        observed = self._weigher.observer.look(source)
        if observed.file is None:
            return self._without_file(source, observed.reason, lines, task)
        placed = self._placed(source, observed, was, lines)
        item = placed.ranked.item
        if symbol and item.text_hash and placed.reason in TRUE_NOW and item.symbol != symbol:
            shown = self._weigher.relocated(Ranked(called(item, symbol), 1.0, ()), observed)
            placed = shown if shown.reason is not Reason.MOVED else placed
        (seen,), pairs = self._weigher.see([placed], confidence)
        weighed = self._weigher.weighed(seen, task)
        state = self._reader.files.state(path)
        looked = ExaminedPlace(
            before=before,
            skipped=state.skipped if state is not None else "",
            was=was,
            file=observed.file,
            seen=seen,
            pairs=pairs,
            conflict=self._weigher.conflict(seen.ranked.item),
            is_open=self._weigher.facts.buffers.differs(path, observed.file),
            verdict=weighed.verdict,
        )
        item = seen.ranked.item
        answer = _answer(item.source.source_id, item.start_line, item.end_line, item.symbol, weighed.verdict)
        if seen.buffer is not None:
            answer["buffer"] = seen.buffer._asdict()
        if weighed.outdated:
            answer["outdated"] = [document_flag(flag) for flag in weighed.outdated]
        return _with(answer, steps(looked), weighed.verdict, refresh_plan([weighed], task))

    def _lines_on_disk(self, source: Source, lines: LineSpan) -> LineSpan:
        """Map lines of the open buffer to the disk; unchanged without a buffer or a file."""
        buffer = self._weigher.facts.buffers.of(source.path)
        file = self._weigher.observer.look(source).file if buffer is not None else None
        if buffer is None or file is None:
            return lines
        first, last = (line_on_disk(buffer, file.data, line) for line in (lines.start_line, lines.end_line))
        return LineSpan(first, max(first, last))

    def _item_at(self, source: Source | None, lines: LineSpan) -> Item | None:
        if source is None:
            return None
        items = self._reader.files.items_of(source.id)
        return next(
            (item for item in items if item.start_line <= lines.start_line and lines.end_line <= item.end_line), None
        )

    def _placed(self, source: Source, observed: FileObservation, was: Item | None, lines: LineSpan) -> Placed:
        now = self._reader.files.source(source.path) if observed.reason is Reason.REINGESTED else None
        if now is not None:
            item = self._same_item(now, was) or self._item_at(now, lines)
            placed = self._weigher.place(Ranked(item, 1.0, ())) if item is not None else None
        else:
            placed = self._weigher.place(Ranked(was, 1.0, ())) if was is not None else None
        return placed or Placed(Ranked(_whole(now or source, observed), 1.0, ()), observed.reason)

    def _same_item(self, source: Source, was: Item | None) -> Item | None:
        """Return the item meant before the file was ingested again: the same text, else the same symbol."""
        if was is None:
            return None
        items = self._reader.files.items_of(source.id)
        same = [item for item in items if item.text_hash == was.text_hash]
        same = same or [item for item in items if was.symbol and item.symbol == was.symbol]
        return min(same, key=lambda one: abs(one.start_line - was.start_line), default=None)

    def _without_file(self, source: Source, reason: Reason, lines: LineSpan, task: TaskType) -> dict[str, Any]:
        judged = verdict(Observation(disk=reason), task)
        start_line, end_line = lines.start_line, lines.end_line
        seen = ExplainStep("file", f"{DiskError(source.path, reason)}.", reason)
        kind = source.source_kind.value
        target = RefreshTarget(kind, source.source_id, start_line, end_line, reason, priority(judged.status, task))
        return _with(_answer(source.source_id, start_line, end_line, "", judged), [seen], judged, [target])


def _whole(source: Source, observed: FileObservation) -> Item:
    """Return the file as one item."""
    assert observed.file is not None
    return whole_file(Item(0, source, "file", "", "", 0, 0, 1, 1, ""), observed.file.data)


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


def explained(one: Weighed, seen: Sequence[ExplainStep], plan: Sequence[RefreshTarget]) -> dict[str, Any]:
    """Return the ``helix.explain/1`` object of a weighed item, given its observation ``seen``."""
    item = one.ranked.item
    answer = _answer(item.source.source_id, item.start_line, item.end_line, item.symbol, one.verdict)
    return _with(answer, seen, one.verdict, plan)


def _with(
    answer: dict[str, Any], seen: Sequence[ExplainStep], judged: Verdict, plan: Sequence[RefreshTarget]
) -> dict[str, Any]:
    """Mark the deciding step: the first whose reason is the verdict's."""
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
