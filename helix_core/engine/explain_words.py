"""The observations behind a verdict, in words a person reads. Pure: what was seen, in; sentences, out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from helix_core.engine.outdated import is_document
from helix_core.engine.weigher import Seen
from helix_core.model import Authority, Contradiction, Item, Reason, Source, StatSignature, Verdict
from helix_core.weigh.verdict import CONFIDENCE_FLOOR
from helix_core.workspace.disk import DiskFile

_AUTHORITY = {
    Authority.PRIMARY: "The source is primary: it is the thing itself.",
    Authority.DERIVED: "The source is derived: something else is the original.",
    Authority.INFERRED: "The source is inferred: made by a program or taken from elsewhere.",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One look: what was looked at, what was seen, and the verdict table's word for it, if it has one."""

    step: str
    observation: str
    finding: Reason | None = None


@dataclass(frozen=True, slots=True)
class Looked:
    """Everything seen of one place.

    ``before`` is what the index had of the file (None: nothing, for the reason ``skipped`` or for none it knows), and
    ``was`` the item it had at the lines that were asked about. ``conflict`` as ``Weigher.conflict`` says it;
    ``is_open`` says that an editor has the file open.
    """

    before: Source | None
    skipped: str
    was: Item | None
    file: DiskFile
    seen: Seen
    pairs: Sequence[Contradiction]
    conflict: str
    is_open: bool
    verdict: Verdict


def steps(looked: Looked) -> list[Step]:
    """All observations, in the order of the verdict table."""
    return [
        *_disk(looked),
        _buffer(looked),
        _conflict(looked),
        _document(looked),
        _claims(looked),
        Step("age", "It can be read again, so its age decides nothing."),
        _if(looked, Reason.WEAK_AUTHORITY, "authority", _AUTHORITY[looked.seen.observation.authority]),
        _confidence(looked),
    ]


def _disk(looked: Looked) -> list[Step]:
    before, now, reason = looked.before, looked.file, looked.seen.observation.disk
    if before is None:
        why = f" ({looked.skipped})" if looked.skipped else ""
        return [Step("index", f"The file is there, and the index does not know it{why}.", reason)]
    same_stat, same_bytes = before.signature == now.signature, before.content_hash == now.content_hash
    stat = f"The file has {_stat(now.signature)}"
    stat += ", as when it was indexed." if same_stat else f"; when it was indexed it had {_stat(before.signature)}."
    digest = f"Its SHA-256 is {now.content_hash[:12]}…"
    digest += ", as when it was indexed" if same_bytes else f"; when it was indexed it was {before.content_hash[:12]}…"
    ingested = not same_bytes and reason in (Reason.REINGESTED, Reason.MOVED)
    return [
        Step("signature", stat, reason if reason is Reason.UNCHANGED else None),
        Step("hash", f"{digest}.", reason if reason in (Reason.TOUCHED, Reason.REINGESTED) else None),
        _place(looked, ingested),
    ]


def _place(looked: Looked, ingested: bool) -> Step:
    item, was, reason = looked.seen.ranked.item, looked.was, looked.seen.observation.disk
    if reason is Reason.MOVED:
        before = f"at {_lines(was)}" if was is not None else "elsewhere"
        return Step("place", f"The text that was {before} is at {_lines(item)} now.", reason)
    detail = looked.seen.observation.disk_detail
    if reason is Reason.RENAMED:
        before = f"at {_lines(was)}" if was is not None else "elsewhere"
        said = f"The text that was {before} is at {_lines(item)} now, under another name: {detail}."
        return Step("place", said, reason)
    if reason is Reason.CHANGED and detail:
        return Step("place", f"Of the text that was at {_lines(item)}: {detail}.", reason)
    if reason is Reason.CHANGED:
        return Step("place", f"The text that was at {_lines(item)} is nowhere in the file now.", reason)
    if ingested:
        said = f"The file was read again just now: this is {_lines(item)} as they are"
        renamed = was is not None and was.text_hash == item.text_hash and was.symbol != item.symbol
        known_as = f"; the text was known as {was.symbol}" if was is not None and renamed and was.symbol else ""
        return Step("place", f"{said}{known_as}.")
    return Step("place", f"The text is at {_lines(item)}, as it was indexed.")


def _buffer(looked: Looked) -> Step:
    buffer = looked.seen.buffer
    where = f"lines {buffer.start_line} to {buffer.end_line}" if buffer is not None else ""
    if looked.seen.observation.unsaved:
        return Step("buffer", f"Unsaved edits touch it; in the editor it is {where}.", Reason.UNSAVED)
    if not looked.is_open:
        return Step("buffer", "No editor has the file open with unsaved edits.")
    moved = f"; in the editor it is {where}" if where else ""
    return Step("buffer", f"The file is open in the editor, and no unsaved edit touches the text{moved}.")


def _conflict(looked: Looked) -> Step:
    if looked.seen.observation.conflicted:
        return Step("conflict", f"It may be half merged: {looked.conflict}.", Reason.CONFLICTED)
    return Step("conflict", "No merge or rebase touches the file, and no conflict markers are in it.")


def _document(looked: Looked) -> Step:
    item, commit, flags = looked.seen.ranked.item, looked.seen.commit, looked.seen.observation.outdated
    if not is_document(item):
        return Step("document", "It is no document about the code that the code could outdate.")
    if commit is None:
        return Step("document", "No commit of it is known, so nothing says whether the code has left it behind.")
    since = f"commit {commit.commit[:7]} of {_day(commit.committed_at)}"
    if flags:
        said = "; ".join(f"line {flag.line}: {flag.sentence}" for flag in flags)
        return Step(
            "document", f"The code has left it behind since its own last change, {since}: {said}.", Reason.OUTDATED_DOC
        )
    return Step(
        "document", f"Nothing that it says of the code is known to be wrong since its own last change, {since}."
    )


def _claims(looked: Looked) -> Step:
    own = looked.seen.ranked.item.id
    against = [pair for pair in looked.pairs if pair.older.item_id == own]
    if against:
        said = "; ".join(
            f"{pair.key} is {pair.older.value} here and {pair.fresher.value} in "
            f"{pair.fresher.source.source_id}:{pair.fresher.line}, which changed later"
            for pair in against[:3]
        )
        return Step("claims", f"{said}.", Reason.CONTRADICTED)
    for pair in looked.pairs:
        if pair.fresher.item_id == own:
            other = f"{pair.older.source.source_id}:{pair.older.line}"
            said = f"{pair.key} is {pair.older.value} in {other} and {pair.fresher.value} here, which changed later."
            return Step("claims", said)
    return Step("claims", "Nothing in the workspace claims otherwise.")


def _confidence(looked: Looked) -> Step:
    confidence = looked.seen.observation.confidence
    if confidence >= 1.0:
        return Step("confidence", "A place was asked about, so it is the right one.")
    said = f"The answer it was in is in the right place with a confidence of {confidence:.2f} (trusted from "
    return _if(looked, Reason.UNLOCATED, "confidence", f"{said}{CONFIDENCE_FLOOR:.2f} on).")


def _if(looked: Looked, reason: Reason, step: str, observation: str) -> Step:
    """The finding only where the task at hand minds it."""
    found = reason in (looked.verdict.reason, *looked.verdict.also)
    return Step(step, observation, reason if found else None)


def _stat(signature: StatSignature) -> str:
    when = datetime.fromtimestamp(signature.mtime_ns / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    return f"{signature.size_bytes:,} bytes, changed {when} UTC, inode {signature.inode}"


def _day(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _lines(item: Item) -> str:
    return f"lines {item.start_line} to {item.end_line}"
