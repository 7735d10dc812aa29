"""Code lenses and findings of one open file: uses and tests of each definition, outdated text, contradicted values."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from helix_core.engine.symbols.place import Spot, weigh_spots
from helix_core.engine.verdict import (
    CommittedText,
    Disputes,
    OutdatedDocuments,
    Weigher,
    is_document,
    narrowed,
    opposed,
    settled,
)
from helix_core.errors import HelixError
from helix_core.model import (
    Contradiction,
    DocumentFlag,
    Item,
    LastCommit,
    LineSpan,
    Reason,
    Source,
    SourcedClaim,
    SourceKind,
)
from helix_core.packet import document_flag
from helix_core.secrets import Masked
from helix_core.store import DefinitionHit, Reader, UseTotals
from helix_core.workspace import DiskFile, uri_of

MOST_LENSES = 300
_NONE = UseTotals(0, 0)
_NO_LENS = frozenset(
    {"constant", "entry", "field", "key", "property", "rule", "section", "suite", "table", "test", "variable"}
)


def lenses(path: bytes, reader: Reader, weigher: Weigher) -> list[dict[str, Any]]:
    """``{symbol, start_line, uses, tests, same_name, status, reason}`` of each function, class and method.

    ``start_line`` is the buffer's where one is open. Empty for what is not indexed, or is not there any more.
    """
    source = _source_of(path, reader, weigher)
    if source is None:
        return []
    shown = _shown(reader.names.defined_in(source.id))
    items = reader.files.items([hit.item_id for hit, _ in shown])
    spots = [
        Spot(items[hit.item_id], hit.start_line, hit.end_line, symbol) for hit, symbol in shown if hit.item_id in items
    ]
    totals = _totals({hit.name for hit, _ in shown}, reader)
    found = []
    for place in weigh_spots(weigher, spots):
        if place is not None:
            name = place.spot.symbol.rpartition(".")[2]
            used, defined = totals[name]
            found.append(
                {
                    "symbol": place.spot.symbol,
                    "start_line": place.buffer.start_line if place.buffer else place.spot.start_line,
                    "uses": max(used.users - defined.users, 0),
                    "tests": max(used.tests - defined.tests, 0),
                    "same_name": defined.users + defined.tests,
                    "status": place.verdict.status.value,
                    "reason": place.verdict.reason.value,
                }
            )
    return found


def _source_of(path: bytes, reader: Reader, weigher: Weigher) -> Source | None:
    """Return the source as indexed after its file was read, which may have updated the index."""
    source = reader.files.source(path)
    if source is None or source.source_kind is not SourceKind.CODE:
        return None
    return None if weigher.observer.look(source).file is None else reader.files.source(path)


def _shown(definitions: Iterable[DefinitionHit]) -> list[tuple[DefinitionHit, str]]:
    """Return top-level functions and classes, and methods one level below, each with its dotted name; no
    ``__dunder__``.
    """
    shown: list[tuple[DefinitionHit, str]] = []
    around: list[DefinitionHit] = []
    for hit in definitions:
        around = [outer for outer in around if outer.start_line <= hit.start_line and hit.end_line <= outer.end_line]
        if len(around) < 2 and hit.kind not in _NO_LENS and not _is_called_by_the_language(hit.name):
            shown.append((hit, ".".join([*(outer.name for outer in around), hit.name])))
        if hit.kind not in _NO_LENS:
            around.append(hit)
    return shown[:MOST_LENSES]


def _is_called_by_the_language(name: str) -> bool:
    """Return whether it is a dunder like ``__init__``, which is not called by name."""
    return name.startswith("__") and name.endswith("__")


def _totals(names: Iterable[str], reader: Reader) -> dict[str, tuple[UseTotals, UseTotals]]:
    """Count, by name, the items that use it and those of them that define it."""
    asked: Sequence[str] = sorted(names)
    defined = reader.names.definition_totals(asked)
    return {name: (reader.uses.totals(name), defined.get(name.lower(), _NONE)) for name in asked}


ITEMS_AT_ONCE = 8
ROUNDS = 2
LONGEST_VALUE = 80
# Time to wait for blame, as a share of a file's budget.
BLAME_SHARE = 0.3


class Findings(list[dict[str, Any]]):
    """``{code, message, start_line, end_line, text_hash, other, mention}`` each, ``flag`` too where a document is
    outdated; ``mention`` is what the line says of it. ``partial`` when time ran out before."""

    partial: bool = False


class _OutOfTimeError(HelixError):
    """The time budget is used up."""


class FileFindings:
    """The findings of one file, within ``budget_ms`` of this thread's CPU time. Use it once, in one thread."""

    def __init__(self, reader: Reader, weigher: Weigher, budget_ms: float) -> None:
        self._reader, self._weigher = reader, weigher
        self._budget_ms, self._end = budget_ms, time.thread_time() + budget_ms / 1e3
        self._is_undated = False

    def of(self, path: bytes) -> Findings:
        """Return the findings of a file; none for one that is not indexed or was deleted."""
        findings = Findings()
        for _ in range(ROUNDS):
            before = self._weigher.observer.mended
            findings = self._look(path)
            if findings.partial or self._weigher.observer.mended == before:
                break
        return findings

    def _look(self, path: bytes) -> Findings:
        findings, self._is_undated = Findings(), False
        source = self._reader.files.source(path)
        file = self._weigher.observer.look(source).file if source is not None else None
        source = self._reader.files.source(path)
        if source is None or file is None or file.content_hash != source.content_hash:
            return findings
        try:
            for finding in self._found(source, file):
                findings.append(finding)
                self._check()
        except _OutOfTimeError:
            findings.partial = True
        findings.partial = findings.partial or self._is_undated
        findings.sort(key=lambda finding: (finding["start_line"], finding["code"], finding["text_hash"]))
        return findings

    def _check(self) -> None:
        self._weigher.facts.check()
        if time.thread_time() > self._end:
            raise _OutOfTimeError("The time for looking at this file is over; ask again for the rest.")

    def _found(self, source: Source, file: DiskFile) -> Iterator[dict[str, Any]]:
        items = self._reader.files.items_of(source.id)
        commits = self._weigher.facts.commits_of([source.path])
        contradicted = list(self._contradicted(items))
        for pair, item, (here, there) in contradicted:
            at = _other(self._weigher.facts.folder, there.source, there.line, there.line)
            judged = (Reason.CONTRADICTED, _against(pair, here, there), at)
            for finding in self._finding(item, file, here.line, pair.key, judged):
                yield {**finding, "mention": pair.key.rpartition(".")[2]}
        commit = commits.get(source.path)
        if commit is not None:
            documents = [item for item in items if is_document(item)]
            pairs = [pair for pair, _, _ in contradicted]
            for item, flag in self._outdated(documents, commit, file, pairs):
                message, other = self._left_behind(flag, commit)
                about = f"{flag.change.value} {flag.symbol}"
                for finding in self._finding(item, file, flag.line, about, (Reason.OUTDATED_DOC, message, other)):
                    yield {**finding, "mention": flag.written or flag.symbol, "flag": document_flag(flag)}

    def _contradicted(
        self, items: Sequence[Item]
    ) -> Iterator[tuple[Contradiction, Item, tuple[SourcedClaim, SourcedClaim]]]:
        """Yield contradictions in which the file's line did not, or may not have, changed last, once for each claim,
        with the file's own claim and the other.
        """
        facts = self._weigher.facts
        wait_s = BLAME_SHARE * self._budget_ms / 1e3
        disputes = Disputes(self._reader, self._weigher.observer, facts.lines, self._check, wait_s)
        by_id = {item.id: item for item in items}
        reported: set[tuple[str, int]] = set()
        for pair in disputes.about(items):
            for item_id in {pair.older.item_id, pair.fresher.item_id} & by_id.keys():
                sides = opposed(pair, item_id)
                if sides is not None and (pair.key, sides[0].line) not in reported:
                    reported.add((pair.key, sides[0].line))
                    yield pair, by_id[item_id], sides
        self._is_undated = disputes.is_partial

    def _outdated(
        self, documents: Sequence[Item], commit: LastCommit, file: DiskFile, pairs: Sequence[Contradiction]
    ) -> Iterator[tuple[Item, DocumentFlag]]:
        """Yield the document's items with each statement that the code no longer supports."""
        if not documents:
            return
        facts = self._weigher.facts
        outdated = OutdatedDocuments(
            facts.committed, self._reader, self._weigher.observer, facts.state.head, facts.lookups()
        )
        path = documents[0].source.path
        lines = facts.lines_of(file, path, BLAME_SHARE * self._budget_ms / 1e3)
        self._is_undated = self._is_undated or not facts.has_blamed(file, path)
        text = self._masked(documents[0]).text()
        for start in range(0, len(documents), ITEMS_AT_ONCE):
            self._check()
            some = documents[start : start + ITEMS_AT_ONCE]
            texts = [CommittedText(item, text, commit.commit, lines) for item in some]
            flags = outdated.flags(texts)
            yield from ((item, flag) for item in some for flag in settled(flags.get(item.id, ()), pairs))

    def _masked(self, item: Item) -> Masked:
        return self._weigher.mask(self._weigher.observer.look(item.source))

    def _left_behind(self, flag: DocumentFlag, commit: LastCommit) -> tuple[str, dict[str, Any] | None]:
        """Return the flag as a sentence, and the location of its code."""
        last = flag.since or commit
        day = time.strftime("%Y-%m-%d", time.gmtime(last.committed_at))
        since = f"since this text was last committed ({last.commit[:8]}, {day})"
        source = self._reader.files.source(flag.path) if flag.code_line else None
        if source is None:
            return f"{flag.sentence}, {since}; bring the text up to date.", None
        where = f"{source.source_id}:{flag.code_line}"
        other = _other(self._weigher.facts.folder, source, flag.code_line, flag.code_line)
        return f"{flag.sentence} ({where}), {since}; bring the text up to date.", other

    def _finding(
        self, item: Item, file: DiskFile, line: int, about: str, judged: tuple[Reason, str, dict[str, Any] | None]
    ) -> Iterator[dict[str, Any]]:
        """Yield the finding at its line in the buffer; nothing where that line is being edited."""
        reason, message, other = judged
        own = narrowed(item, file.data, line, line)
        there = self._weigher.facts.buffers.place(own, file)
        if there is not None and there.touched:
            return
        lines = there.lines if there is not None else LineSpan(line, line)
        text = self._masked(item).data[own.start_byte : own.end_byte].strip()
        yield {
            "code": reason.value,
            "message": message,
            "start_line": lines.start_line,
            "end_line": lines.start_line,
            "text_hash": hashlib.sha256(about.encode() + b"\0" + text).hexdigest()[:16],
            "other": other,
        }


def _other(folder: Path, source: Source, start_line: int, end_line: int) -> dict[str, Any]:
    return {
        "uri": uri_of(folder, source.path),
        "source_id": source.source_id,
        "start_line": start_line,
        "end_line": end_line,
    }


def _against(pair: Contradiction, here: SourcedClaim, there: SourcedClaim) -> str:
    order = "which changed later" if pair.order_known else "and which of the two changed last is not known"
    return (
        f"{pair.key} is {_short(here.value)} here, but {_short(there.value)} in {there.source.source_id}:{there.line}, "
        f"{order}; open both and correct the one that is wrong."
    )


def _short(value: str) -> str:
    return value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"
