"""Which claims about the same key disagree, anywhere in the index, and whether a text holds merge conflict markers."""

from __future__ import annotations

import math
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from helix_core.engine.verdict.observe import Observer
from helix_core.model import (
    Authority,
    Contradiction,
    DocumentChange,
    DocumentFlag,
    Item,
    Role,
    Source,
    SourcedClaim,
    SourceKind,
)
from helix_core.store import ClaimHit, Reader
from helix_core.words import is_compound
from helix_core.workspace import BlamedLines, LineHistory

BLAME_WAIT_S = 1.0
"""How long one answer waits for git to date the lines of claims that disagree."""
_CHECK_EVERY_S = 0.05
UNCOMMITTED = math.inf
"""When a line changed that no commit has: after every commit, and no file says when."""
_NOT_IN_TIME = "which side of a contradiction changed last is not known: git did not date the lines in time; ask again"
_NOT_DATED = "which side of a contradiction changed last is not known: git could not date the lines"
MOST_FILES = 24
MOST_VALUES = 2
_PLACE_IN_A_LIST = re.compile(r"\[\d+\]")
_SUFFIX = re.compile(r"(?<=[0-9a-f])(?:u?l{1,2}|u|n|[iu](?:8|16|32|64|128|size))$")
_COMPARABLE_ROLES = frozenset({Role.IMPLEMENTATION, Role.CONFIG, Role.DOC})


def contradictions(
    claims: Iterable[SourcedClaim], changed_at: Mapping[tuple[bytes, int], float]
) -> list[Contradiction]:
    """Return pairs of claims with one key, one scope and two values, the fresher side first, in a stable order.

    ``changed_at`` maps the path and line of a claim to when that line last changed: the time of its commit, or
    ``UNCOMMITTED``. Where one of two lines is missing, or neither is committed, their order is not known.

    A key to which one file itself gives several values is skipped (overloads, platforms), and so is one that very many
    files set, which is generic (``app_label``) and no fact about one thing. Sources that give it more than
    ``MOST_VALUES`` values do not contradict each other: each has its own (``DEFAULT_PORT`` of every transport). A
    constant of one word (``MAX``) is one thing where one file of code has it, and a document says its value.
    """
    by_key: dict[str, list[SourcedClaim]] = defaultdict(list)
    for claim in claims:
        if _comparable(claim):
            by_key[claim.key].append(claim)
    found: list[Contradiction] = []
    for key, group in sorted(by_key.items()):
        settled = _one_value_per_file(group)
        is_telling = "." in key or is_compound(key)
        in_code = {claim.source.path for claim in group if claim.source.source_kind is SourceKind.CODE}
        if len(settled) > MOST_FILES or not (is_telling or len(in_code) == 1):
            continue
        is_of_each = (
            len({_normal(claim) for claim in settled if claim.source.source_kind is SourceKind.CODE}) > MOST_VALUES
        )
        for index, one in enumerate(settled):
            for other in settled[index + 1 :]:
                if is_of_each and _are_code(one, other):
                    continue
                if not is_telling and not _is_said_of_code(one, other):
                    continue
                if _disagree(one, other) and _same_scope(one, other):
                    found.append(_in_order(key, one, other, changed_at))
    return found


def _in_order(
    key: str, one: SourcedClaim, other: SourcedClaim, changed_at: Mapping[tuple[bytes, int], float]
) -> Contradiction:
    """Order two claims by the last change of their lines; of two lines of one commit, the document's is left behind.

    Where the order is not known the document is named second, too.
    """
    times = [changed_at.get(_place(claim)) for claim in (one, other)]
    first, second = times
    if first is None or second is None or (first == UNCOMMITTED and second == UNCOMMITTED):
        older, fresher = sorted((one, other), key=_left_behind)
        return Contradiction(key, fresher, older, order_known=False)
    dated = sorted(((first, *_left_behind(one), one), (second, *_left_behind(other), other)), key=lambda each: each[:3])
    return Contradiction(key, dated[1][3], dated[0][3])


def _left_behind(sourced: SourcedClaim) -> tuple[bool, bytes]:
    return not _is_prose(sourced.source), sourced.source.path


def _place(sourced: SourcedClaim) -> tuple[bytes, int]:
    return sourced.source.path, sourced.line


def _comparable(sourced: SourcedClaim) -> bool:
    source, key = sourced.source, sourced.key
    is_made = source.authority is Authority.INFERRED and source.source_kind is not SourceKind.NOTE
    if source.role not in _COMPARABLE_ROLES or is_made:
        return False
    # The tenth entry of one list is another thing than the tenth of another.
    is_named = "." in key or is_compound(key) or (key.isupper() and len(key) > 1)
    return is_named and not _PLACE_IN_A_LIST.search(key)


def _one_value_per_file(group: list[SourcedClaim]) -> list[SourcedClaim]:
    values: dict[bytes, dict[str, SourcedClaim]] = defaultdict(dict)
    for sourced in group:
        values[sourced.source.path].setdefault(_normal(sourced), sourced)
    return [next(iter(seen.values())) for _, seen in sorted(values.items()) if len(seen) == 1]


def _is_said_of_code(one: SourcedClaim, other: SourcedClaim) -> bool:
    kinds = {one.source.source_kind, other.source.source_kind}
    return SourceKind.CODE in kinds and (_is_prose(one.source) or _is_prose(other.source))


def _are_code(one: SourcedClaim, other: SourcedClaim) -> bool:
    return {one.source.source_kind, other.source.source_kind} == {SourceKind.CODE}


def _disagree(one: SourcedClaim, other: SourcedClaim) -> bool:
    return one.value_type == other.value_type and _normal(one) != _normal(other)


def _normal(sourced: SourcedClaim) -> str:
    """Return a value without quotes and letter case; a whole number as it counts, whatever its base and its type."""
    value = sourced.value.strip().strip("\"'`").casefold()
    if sourced.value_type != "int":
        return value
    number = 1
    for factor in value.split("*"):
        digits = _SUFFIX.sub("", factor.strip())
        try:
            # A leading zero is octal in C and nothing in a document.
            number *= int(digits, 0 if digits[:2].lstrip("+-") in ("0x", "0o", "0b") else 10)
        except ValueError:
            return value
    return str(number)


def _same_scope(one: SourcedClaim, other: SourcedClaim) -> bool:
    """Return whether both claims apply to the same scope: a document covers its folder; two files of one kind cover
    only their own folder.
    """
    first, second = (_folder(c.source.path) for c in (one, other))
    prose = [_is_prose(one.source), _is_prose(other.source)]
    if all(prose):
        return False
    if _are_code(one, other) and "." in one.key:
        # `Command.help` of one file is another class than `Command` of the file next to it.
        return False
    if first == second:
        return True
    if not any(prose):
        return False
    document = first if prose[0] else second
    rest = second if document is first else first
    return _covers(document, rest)


def _is_prose(source: Source) -> bool:
    """Return whether the source is a document; notes are documents of their author."""
    return source.source_kind in (SourceKind.DOC, SourceKind.NOTE)


def _folder(path: bytes) -> bytes:
    return path.rpartition(b"/")[0]


def _covers(folder: bytes, path: bytes) -> bool:
    """Return whether the path is below the folder; a documentation folder (``docs``) covers its parent."""
    if folder.rpartition(b"/")[2].lower() in {b"doc", b"docs", b"documentation"}:
        folder = _folder(folder)
    return not folder or path == folder or path.startswith(folder + b"/")


@dataclass(slots=True)
class Disputes:
    """Finds contradictions for one answer. ``check`` is called between files and may raise Cancelled.

    ``lines`` is the blame of HEAD, None where nothing is committed; the answer waits for it ``wait_s`` seconds at most.
    ``is_partial`` once that was not enough: the lines stay queued, and a later answer has them.
    """

    reader: Reader
    observer: Observer
    lines: LineHistory | None
    check: Callable[[], None]
    wait_s: float = BLAME_WAIT_S
    notes: list[str] = field(default_factory=list)
    is_partial: bool = False

    def about(self, items: Sequence[Item]) -> list[Contradiction]:
        """Return contradictions between the items' claims and claims anywhere in the index."""
        ids = [item.id for item in items]
        keys = {hit.key for hits in self.reader.claims.of_items(ids).values() for hit in hits}
        if not keys:
            return []
        same = [hit for hits in self.reader.claims.with_same_key(sorted(keys)).values() for hit in hits]
        cited = set(ids)
        claims = self._sourced(same)
        # Most keys are at peace, and many files set some of them: only the files of a dispute are looked at.
        at_odds = {pair.key for pair in _citing(contradictions(claims, {}), cited)}
        claims = [claim for claim in claims if claim.key in at_odds and self._is_current(claim)]
        disputed = [side for pair in _citing(contradictions(claims, {}), cited) for side in _sides(pair)]
        return _citing(contradictions(claims, self._changed_at(disputed)), cited)

    def _changed_at(self, disputed: Sequence[SourcedClaim]) -> dict[tuple[bytes, int], float]:
        """Return when the line of each claim last changed, where git knows it and says so in time.

        The last change of a file says nothing of its other lines, and a time of the disk says only that something in
        the file was written.
        """
        changed_at: dict[tuple[bytes, int], float] = {}
        if self.lines is None:
            return changed_at
        left_s = self.wait_s
        for sourced in {_place(claim): claim for claim in disputed}.values():
            started = time.monotonic()
            changed = self._line_changed_at(sourced, self.lines, left_s)
            left_s -= time.monotonic() - started
            if changed is not None:
                changed_at[_place(sourced)] = changed
        return changed_at

    def _line_changed_at(self, sourced: SourcedClaim, history: LineHistory, wait_s: float) -> float | None:
        file = self.observer.look(sourced.source).file
        if file is None:
            return None
        line = BlamedLines(sourced.source.path, file.content_hash, sourced.line, sourced.line, file.data)
        history.ask(line)
        until = time.monotonic() + max(wait_s, 0.0)
        found = history.of(line)
        while found is None and not history.has_answered(line) and (left_s := until - time.monotonic()) > 0:
            self.check()
            found = history.of(line, min(left_s, _CHECK_EVERY_S))
        if found is None:
            has_failed = history.has_answered(line)
            self.is_partial = self.is_partial or not has_failed
            self._note(_NOT_DATED if has_failed else _NOT_IN_TIME)
            return None
        if found.uncommitted:
            return UNCOMMITTED
        # A line that is older than a shallow clone reaches has no commit.
        return float(found.newest[0].committed_at) if found.newest else None

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _sourced(self, hits: Sequence[ClaimHit]) -> list[SourcedClaim]:
        items = self.reader.files.items([hit.item_id for hit in hits])
        return [
            SourcedClaim(hit.item_id, item.source, hit.key, hit.value, hit.value_type, hit.line)
            for hit in hits
            if (item := items.get(hit.item_id)) is not None
        ]

    def _is_current(self, sourced: SourcedClaim) -> bool:
        self.check()
        observed = self.observer.look(sourced.source)
        return observed.file is not None and observed.file.content_hash == sourced.source.content_hash


def opposed(pair: Contradiction, item_id: int) -> tuple[SourcedClaim, SourcedClaim] | None:
    """Return the item's own claim and the one against it; None where the item has no part or changed last.

    Each side opposes the other while nobody knows which changed last.
    """
    if pair.older.item_id == item_id:
        return pair.older, pair.fresher
    if pair.fresher.item_id == item_id and not pair.order_known:
        return pair.fresher, pair.older
    return None


def contradicted_by(item: Item, pairs: Sequence[Contradiction]) -> str:
    """Describe what at most three sources that changed later, or may have, claim against the item, or ""."""
    claims = [
        f"{pair.key} is {sides[1].value} in {sides[1].source.source_id}:{sides[1].line}"
        + ("" if pair.order_known else " (which changed last is not known)")
        for pair in pairs
        if (sides := opposed(pair, item.id)) is not None
    ]
    return "; ".join(claims[:3])


def settled(flags: Sequence[DocumentFlag], pairs: Iterable[Contradiction]) -> tuple[DocumentFlag, ...]:
    """Return the flags without values that a contradiction reports already."""
    reported = {
        (pair.key.rpartition(".")[2], side.line)
        for pair in pairs
        for side in (_sides(pair) if not pair.order_known else (pair.older,))
    }
    return tuple(
        flag
        for flag in flags
        if flag.change is not DocumentChange.VALUE or (flag.symbol.rpartition(".")[2], flag.line) not in reported
    )


def _citing(pairs: Sequence[Contradiction], cited: Set[int]) -> list[Contradiction]:
    return [pair for pair in pairs if pair.older.item_id in cited or pair.fresher.item_id in cited]


def _sides(pair: Contradiction) -> tuple[SourcedClaim, SourcedClaim]:
    return pair.fresher, pair.older


_MARKERS = (b"<<<<<<< ", b"=======", b">>>>>>> ")


def has_conflict_markers(data: bytes) -> bool:
    """All three markers of an unresolved conflict at line starts, in their order (git-merge(1), "How conflicts are
    presented"): true where git is not asked, cannot answer, or forgot."""
    position = 0
    for marker in _MARKERS:
        if not position and data.startswith(marker):
            position = len(marker)
            continue
        found = data.find(b"\n" + marker, max(position - 1, 0))
        if found < 0:
            return False
        position = found + 1 + len(marker)
    return True
