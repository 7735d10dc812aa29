"""Locate items in the current files and give each its verdict: shared by answers, judgements and explanations.

The quote, the hash and the verdict of an item come from one read of its file, so they are consistent whatever happens
to the file meanwhile.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from helix_core.engine.verdict.chains import ChainLookup, renaming
from helix_core.engine.verdict.contradictions import Disputes, contradicted_by, has_conflict_markers, settled
from helix_core.engine.verdict.observe import FileObservation, MaskedFiles, Observer, occurrences
from helix_core.engine.verdict.overlay import Buffers, Edits, InBuffer, edits
from helix_core.engine.verdict.spans import (
    declaring_line,
    first_line,
    is_document,
    line_like_definition,
    narrowed,
    telling,
)
from helix_core.engine.verdict.table import (
    TEXT_THERE,
    TRUE_NOW,
    Observation,
    live_truth,
    specificity,
    verdict,
)
from helix_core.errors import GitError
from helix_core.lines import line_breaks, line_count, without_line_end
from helix_core.model import (
    FUNCTIONS,
    HIGH_RISK,
    TYPES,
    Contradiction,
    DocumentFlag,
    GitState,
    Item,
    LastCommit,
    LineSpan,
    Preview,
    Ranked,
    Reason,
    SourceKind,
    TaskType,
    Weighed,
)
from helix_core.secrets import Masked
from helix_core.store import Reader
from helix_core.tuples import NamedTuple
from helix_core.workspace import BlamedLines, BlobReader, DiskFile, LineHistory, uri_of

if TYPE_CHECKING:
    from helix_core.engine.verdict.outdated import KeptLookups, OutdatedDocuments

SHALLOW = (
    "this clone is shallow: a file without a commit was last changed before its history begins, or never committed; "
    "git fetch --unshallow brings the rest"
)
QUOTE_LINES = 16
QUOTE_LINES_HIGH_RISK = 60
QUOTE_BYTES = 6_000
MOST_READ_FOR_A_NAME = 12
"""So many files are read for a line that reads like a definition of a name that the index has none of."""
_LFS_POINTER = b"version https://git-lfs"


class Placed(NamedTuple):
    """An item relocated in the current bytes, with the verdict table's reason; ``detail`` completes it."""

    ranked: Ranked
    reason: Reason
    detail: str = ""


class ObservedItem(NamedTuple):
    """An item with all observations about it. ``buffer`` as in ``Weighed``."""

    ranked: Ranked
    observation: Observation
    commit: LastCommit | None
    buffer: LineSpan | None


PREVIEW_BLAME_WAIT_S = 0.15
"""How long a list of places waits to know which of two values changed last; a packet waits longer."""


class VerdictContext(NamedTuple):
    """Inputs of weighing from outside the index: git's state and history, the editor's buffers, and a cancellation
    check.
    """

    folder: Path
    state: GitState
    committed: BlobReader | None
    commits_of: Callable[[Sequence[bytes]], Mapping[bytes, LastCommit]]
    masked: MaskedFiles
    buffers: Buffers
    chains: ChainLookup
    lookups: Callable[[], KeptLookups]
    check: Callable[[], None]
    lines: LineHistory | None = None

    def lines_of(self, file: DiskFile | None, path: bytes, wait_s: float = 0.0) -> tuple[LastCommit, ...]:
        """Return the commit of each line of a file if blame has finished; otherwise queue the blame for the next
        time.
        """
        if file is None or self.lines is None or not file.data:
            return ()
        lines = _all_lines(file, path)
        self.lines.ask(lines)
        found = self.lines.each(lines, wait_s)
        # For git a lone CR ends no line: then its lines are not ours.
        return found if len(found) == lines.end_line else ()

    def has_blamed(self, file: DiskFile, path: bytes) -> bool:
        """Return whether ``lines_of`` has said of a file what blame can say."""
        return self.lines is None or not file.data or self.lines.has_answered(_all_lines(file, path))


def _all_lines(file: DiskFile, path: bytes) -> BlamedLines:
    return BlamedLines(path, file.content_hash, 1, line_count(file.data), file.data)


class Weigher:
    """Weighs items for one answer; every file is read once."""

    def __init__(self, reader: Reader, observer: Observer, facts: VerdictContext) -> None:
        self.observer = observer
        self.facts = facts
        self._reader = reader
        self._disputes = Disputes(reader, observer, facts.lines, facts.check)
        self._outdated: OutdatedDocuments | None = None
        self._marked: dict[str, bool] = {}
        self._is_cut_off = False
        self._since_head: dict[bytes, Edits | bool] = {}
        self._git_note = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what could not be checked, and why."""
        shallow = (SHALLOW,) if self._is_cut_off else ()
        outdated = self._outdated.notes if self._outdated is not None else ()
        unread = (self._git_note,) if self._git_note else ()
        return (*self.observer.notes, *outdated, *self._disputes.notes, *shallow, *unread)

    def weigh(
        self, ranked: Sequence[Ranked], task: TaskType, confidence: float = 1.0
    ) -> tuple[list[Weighed], list[Contradiction]]:
        """Return each item with its verdict, in order, and the contradictions they are part of."""
        seen, pairs = self.see([self.place(one) for one in ranked], confidence)
        return [self.weighed(one, task) for one in seen], pairs

    def previews(self, ranked: Sequence[Ranked], task: TaskType, confidence: float) -> list[Preview]:
        """Compare items with the disk and return the line that declares each. Of documents the values are compared with
        those of other sources; what they say of code otherwise is not checked.
        """
        self.observer.expect(one.item.source.path for one in ranked if one.item.source.is_indexed)
        placed = [self.place(one) for one in ranked]
        denied = self._denied_documents(placed)
        return [self._preview(one, task, confidence, denied=denied.get(one.ranked.item.id, "")) for one in placed]

    def _denied_documents(self, placed: Sequence[Placed]) -> dict[int, str]:
        """Return what contradicts the values of documents, by item."""
        documents = [one.ranked.item for one in placed if one.reason in TRUE_NOW and is_document(one.ranked.item)]
        if not documents:
            return {}
        facts = self.facts
        disputes = Disputes(self._reader, self.observer, facts.lines, facts.check, PREVIEW_BLAME_WAIT_S)
        pairs = disputes.about(documents)
        return {item.id: contradicted_by(item, pairs) for item in documents} if pairs else {}

    def marks(self, ranked: Sequence[Ranked], task: TaskType) -> list[Preview | None]:
        """Compare items with the disk without reading their declaring lines; None for one whose file is gone."""
        self.observer.expect(one.item.source.path for one in ranked if one.item.source.is_indexed)
        placed = [self.place(one) for one in ranked]
        return [
            None if self.observer.look(one.ranked.item.source).file is None else self._preview(one, task, 1.0, "")
            for one in placed
        ]

    def _preview(
        self, placed: Placed, task: TaskType, confidence: float, line: str | None = None, *, denied: str = ""
    ) -> Preview:
        """Return the verdict of an item, with ``line``, or with the line that declares it where that is None.
        ``denied`` says what contradicts it.
        """
        self.facts.check()
        item, seen = placed.ranked.item, self._observed(placed, self._in_buffer(placed), confidence)
        seen = seen._replace(contradicted_by=denied) if denied else seen
        if line is None and placed.reason in TEXT_THERE:
            masked = self.mask(self.observer.look(item.source))
            text = masked.text(item.start_byte, min(item.end_byte, item.start_byte + QUOTE_BYTES))
            is_prose = item.source.source_kind in (SourceKind.DOC, SourceKind.NOTE, SourceKind.CHAT)
            line = first_line(text) if is_prose else declaring_line(text, item.name.rpartition(".")[2])
        return Preview(placed.ranked, verdict(seen, task), line or "")

    def place(self, one: Ranked) -> Placed:
        """Relocate the item in its current file."""
        observed = self.observer.look(one.item.source)
        if observed.file is None:
            return Placed(one, observed.reason)
        if not one.item.source.is_indexed:
            return Placed(one._replace(item=whole_file(one.item, observed.file.data)), observed.reason)
        if observed.file.content_hash == one.item.source.content_hash:
            reason = observed.reason_for(one.item)
            return Placed(focused(one, self.mask(observed).data) if one.focus is not None else one, reason)
        # The item is of an older version: its file was not mended, or only in the last round.
        return self.relocated(one, observed)

    def relocated(self, one: Ranked, observed: FileObservation) -> Placed:
        """Relocate the item's text in bytes of another version: under its symbol, if possible.

        ``renamed`` where only another symbol has it, unless that one had the same text before.
        """
        item, masked = one.item, self.mask(observed)
        other: Placed | None = None
        lost = ""
        for start in occurrences(item, masked):
            self.facts.check()
            moved = _moved(item, masked.data, start)
            naming = self.facts.chains.name(moved, observed, masked)
            if naming.symbol == item.symbol:
                found = Placed(_at(one, moved, masked.data), Reason.MOVED)
                return self.of_its_kind(found, item.source.content_hash)
            if naming.symbol is None:
                lost = lost or naming.why
            elif other is None and not self._had_copy(item, naming.symbol, observed):
                other = Placed(_at(one, moved, masked.data), Reason.RENAMED, renaming(item.symbol, naming.symbol))
        return other or Placed(one, Reason.CHANGED, lost)

    def of_its_kind(self, placed: Placed, was_hash: str) -> Placed:
        """Return what was placed, ``renamed`` where its definition, or one around it, was a type in the version
        ``was_hash`` and is a function now, or the reverse: its name is another's.

        Args:
            placed: Where the text is now, under its symbol.
            was_hash: SHA-256 (hex) of the version that the symbol is of; empty where none is known.
        """
        item = placed.ranked.item
        observed, path = self.observer.look(item.source), item.source.path
        if placed.reason not in TRUE_NOW or not item.symbol or not was_hash or observed.file is None:
            return placed
        if was_hash == observed.file.content_hash:
            return placed
        was = self._reader.names.kinds_in(path, was_hash)
        now = was and self._kinds_now(path, observed)
        chain = ""
        for name in item.symbol.split(".") if now else ():
            chain = f"{chain}.{name}" if chain else name
            before, after = ({kind for known, kind in kinds if known == chain} for kinds in (was, now))
            for one, other in ((TYPES, FUNCTIONS), (FUNCTIONS, TYPES)):
                if before and after and before <= one and after <= other:
                    names = renaming(f"{min(before)} {chain}", f"{min(after)} {chain}")
                    return placed._replace(reason=Reason.RENAMED, detail=names)
        return placed

    def _kinds_now(self, path: bytes, observed: FileObservation) -> list[tuple[str, str]]:
        """Return the symbol and the kind of each definition of a file as it is on disk; none if untold."""
        assert observed.file is not None
        known = self._reader.names.kinds_in(path, observed.file.content_hash)
        return known or self.facts.chains.kinds(path, observed, self.mask(observed))

    def _had_copy(self, item: Item, symbol: str, observed: FileObservation) -> bool:
        """Return whether the indexed version had the same text under this other symbol."""
        is_older = observed.file is not None and observed.file.content_hash != item.source.content_hash
        known = self._reader.files.items_of(item.source.id) if is_older and item.source.id else []
        return any(one.text_hash == item.text_hash and one.symbol == symbol for one in known)

    def see(self, placed: Sequence[Placed], confidence: float) -> tuple[list[ObservedItem], list[Contradiction]]:
        """Make all observations that the verdict table needs."""
        commits = self.facts.commits_of(list(dict.fromkeys(one.ranked.item.source.path for one in placed)))
        pairs = self._disputes.about([one.ranked.item for one in placed])
        outdated = self._left_behind(placed, commits)
        seen = []
        for one in placed:
            self.facts.check()
            item = one.ranked.item
            there = self._in_buffer(one)
            observation = self._observed(one, there, confidence)._replace(
                outdated=settled(outdated.get(item.id, ()), pairs),
                contradicted_by=contradicted_by(item, pairs),
            )
            if self.facts.state.boundaries and item.source.path not in commits:
                self._is_cut_off = True
            own = there.lines if there is not None else None
            shown = own if own is not None and (observation.unsaved or own.start_line != item.start_line) else None
            seen.append(ObservedItem(one.ranked, observation, commits.get(item.source.path), shown))
        return seen, pairs

    def weighed(self, seen: ObservedItem, task: TaskType) -> Weighed:
        """Return the verdict with everything that a packet shows of the item."""
        self.facts.check()
        item = seen.ranked.item
        source = item.source
        observed = self.observer.look(source)
        true_now, is_there = seen.observation.disk in TRUE_NOW, seen.observation.disk in TEXT_THERE
        return Weighed(
            ranked=seen.ranked,
            verdict=verdict(seen.observation, task),
            live_truth=live_truth(1.0 if true_now else 0.0, source.authority, specificity(source.source_kind)),
            content_hash=observed.file.content_hash if observed.file is not None else "",
            quote=self._quote(observed, item, task) if is_there else "",
            verified_at=time.time() if true_now else source.verified_at,
            uri=uri_of(self.facts.folder, source.path),
            commit=seen.commit,
            buffer=seen.buffer,
            outdated=seen.observation.outdated,
            uncommitted=is_there and self.is_uncommitted(item),
        )

    def weighed_in_buffer(self, ranked: Ranked, lines: LineSpan, content_hash: str, task: TaskType) -> Weighed:
        """Weigh an item that only an unsaved buffer contains: it cannot be read from the disk, so it has no quote.

        Args:
            ranked: The item with its score.
            lines: Its lines in the buffer.
            content_hash: Of its text in the buffer, SHA-256 (hex).
            task: What the answer is for; it decides how strict the verdict is.
        """
        source = ranked.item.source
        seen = Observation(disk=None, authority=source.authority, unsaved=True)
        return Weighed(
            ranked=ranked,
            verdict=verdict(seen, task),
            live_truth=0.0,
            content_hash=content_hash,
            quote="",
            verified_at=source.verified_at,
            uri=uri_of(self.facts.folder, source.path),
            commit=self.facts.commits_of([source.path]).get(source.path),
            buffer=lines,
        )

    def is_uncommitted(self, item: Item) -> bool:
        """Return whether HEAD does not have the text that is at an item's lines on disk: it was edited or added since.
        False where git cannot tell.
        """
        path, file = item.source.path, self.observer.look(item.source).file
        if file is None:
            return False
        if path not in self._since_head:
            self._since_head[path] = self._edited(path, file)
        found = self._since_head[path]
        return found if isinstance(found, bool) else found.place(item.start_byte, item.end_byte).touched

    def _edited(self, path: bytes, file: DiskFile) -> Edits | bool:
        """Return what was edited in a file since HEAD; True where HEAD does not have it, False where nothing was."""
        committed, head = self.facts.committed, self.facts.state.head
        if committed is None or not head:
            return False
        try:
            (data,) = committed.read([(head, path)])
        except GitError as error:
            self._git_note = f"whether lines are committed was not compared: {error}"
            return False
        if data is None:
            return not self._is_of_inner_repository(path)
        # What a filter of git stores in place of the text is no version of it.
        if data.startswith(_LFS_POINTER) or b"\0" in data:
            return False
        return edits(file.data, data) or False

    def _is_of_inner_repository(self, path: bytes) -> bool:
        parts = path.split(b"/")[:-1]
        folders = (b"/".join((*parts[:depth], b".git")) for depth in range(1, len(parts) + 1))
        return any(self.observer.is_there(folder) or self.observer.is_folder(folder) for folder in folders)

    def conflict(self, item: Item) -> str:
        """Describe why the item's text may be half merged, or return ""."""
        path, state = item.source.path, self.facts.state
        if path in state.conflicted:
            return "git has it as unmerged"
        if path in state.touched:
            return f"the {state.operation or 'operation'} under way touches it"
        # Documents show the markers to explain them.
        file = self.observer.look(item.source).file
        marked = file is not None and not is_document(item) and self._is_marked(file)
        return "its text has the markers of an unresolved conflict" if marked else ""

    def _is_marked(self, file: DiskFile) -> bool:
        """Return whether the file has conflict markers, cached for all its items."""
        if file.content_hash not in self._marked:
            self._marked[file.content_hash] = has_conflict_markers(file.data)
        return self._marked[file.content_hash]

    def reads_like_definition(self, name: str) -> str:
        """Return ``path:line`` of a line that reads like a definition of the name, which no parser has seen; "" where
        there is none in the first ``MOST_READ_FOR_A_NAME`` code files with the name.
        """
        for path in self._reader.uses.code_mentioning(name, MOST_READ_FOR_A_NAME):
            source = self._reader.files.source(path)
            if source is None or self.observer.look(source).file is None:
                continue
            line = line_like_definition(self.mask(self.observer.look(source)).text(), name)
            if line:
                return f"{source.source_id}:{line}"
        return ""

    def mask(self, observed: FileObservation) -> Masked:
        """Return the file's bytes with secrets masked."""
        assert observed.file is not None
        return observed.masked or self.facts.masked.of(observed.file)

    def _observed(self, placed: Placed, there: InBuffer | None, confidence: float) -> Observation:
        """Return what is observed of the item itself, without what other texts say of it."""
        item = placed.ranked.item
        return Observation(
            disk=placed.reason,
            disk_detail=placed.detail,
            authority=item.source.authority,
            unsaved=there is not None and there.touched,
            conflicted=bool(self.conflict(item)),
            confidence=confidence,
        )

    def _in_buffer(self, one: Placed) -> InBuffer | None:
        file = self.observer.look(one.ranked.item.source).file
        if file is None or one.reason not in TEXT_THERE:
            return None
        return self.facts.buffers.place(one.ranked.item, file)

    def _left_behind(
        self, placed: Sequence[Placed], commits: Mapping[bytes, LastCommit]
    ) -> dict[int, tuple[DocumentFlag, ...]]:
        # The check of documents costs a search more than its verdicts; one that shows lines makes none.
        from helix_core.engine.verdict.outdated import CommittedText, OutdatedDocuments

        documents, texts = [], dict[bytes, str]()
        for one in placed:
            item, commit = one.ranked.item, commits.get(one.ranked.item.source.path)
            if one.reason in TRUE_NOW and commit is not None and is_document(item):
                if item.source.path not in texts:
                    texts[item.source.path] = self.mask(self.observer.look(item.source)).text()
                text = texts[item.source.path]
                lines = self.facts.lines_of(self.observer.look(item.source).file, item.source.path)
                documents.append(CommittedText(item, text, commit.commit, lines))
        if self._outdated is None:
            facts = self.facts
            self._outdated = OutdatedDocuments(
                facts.committed, self._reader, self.observer, facts.state.head, facts.lookups()
            )
        return self._outdated.flags(documents)

    def _quote(self, observed: FileObservation, item: Item, task: TaskType) -> str:
        """Return whole lines on disk from the item's first line on, without the last line end."""
        masked = self.mask(observed)
        most = QUOTE_LINES_HIGH_RISK if task in HIGH_RISK else QUOTE_LINES
        end = item.start_byte
        for line in masked.data[item.start_byte : item.end_byte].splitlines(keepends=True)[:most]:
            if end + len(line) > item.start_byte + QUOTE_BYTES:
                break
            end += len(line)
        return without_line_end(masked.text(item.start_byte, end))


def focused(one: Ranked, data: bytes) -> Ranked:
    """Return the focus lines as an item of their own, with the hash of their text; ``data`` is its file."""
    assert one.focus is not None
    lines = telling(one.item, data, one.focus.start_line, one.focus.end_line)
    item = narrowed(one.item, data, lines.start_line, lines.end_line)
    own = hashlib.sha256(data[item.start_byte : item.end_byte]).hexdigest()[:16]
    return one._replace(item=item._replace(text_hash=own), focus=None)


def called(item: Item, symbol: str) -> Item:
    """Return the item under the symbol it was shown with."""
    return item._replace(name=symbol, breadcrumb="", is_claimed=True)


def whole_file(item: Item, data: bytes) -> Item:
    """Return the item extended to all lines of its file."""
    return item._replace(start_byte=0, end_byte=len(data), start_line=1, end_line=max(line_count(data), 1))


def _at(one: Ranked, moved: Item, data: bytes) -> Ranked:
    """The ranked item with ``moved`` for its item; lines that are meant move with it."""
    if one.focus is None:
        return one._replace(item=moved)
    down = moved.start_line - one.item.start_line
    focus = LineSpan(one.focus.start_line + down, one.focus.end_line + down)
    return focused(one._replace(item=moved, focus=focus), data)


def _moved(item: Item, data: bytes, start: int) -> Item:
    lines_before = line_breaks(data[:start])
    return item._replace(
        start_byte=start,
        end_byte=start + item.end_byte - item.start_byte,
        start_line=lines_before + 1,
        end_line=lines_before + 1 + item.end_line - item.start_line,
    )
