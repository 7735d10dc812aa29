"""Which claims about the same key disagree, anywhere in the index, and whether a text holds merge conflict markers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from helix_core.engine.verdict.observe import Observer
from helix_core.engine.verdict.spans import same_text
from helix_core.errors import GitError
from helix_core.model import (
    Authority,
    Contradiction,
    DocumentChange,
    DocumentFlag,
    Item,
    LastCommit,
    Role,
    Source,
    SourcedClaim,
    SourceKind,
)
from helix_core.store import ClaimHit, Reader
from helix_core.words import is_compound
from helix_core.workspace import BlobReader

MOST_FILES = 24
MOST_VALUES = 2
_PLACE_IN_A_LIST = re.compile(r"\[\d+\]")
_COMPARABLE_ROLES = frozenset({Role.IMPLEMENTATION, Role.CONFIG, Role.DOC})


def contradictions(claims: Iterable[SourcedClaim], changed_at: Mapping[bytes, float]) -> list[Contradiction]:
    """Return pairs of claims with one key, one scope and two values, the fresher side first, in a stable order.

    ``changed_at`` maps paths to when a source last changed (its commit, or its mtime while uncommitted). A key to which
    one file itself gives several values is skipped (overloads, platforms), and so is one that very many files set,
    which is generic (``app_label``) and no fact about one thing. Sources that give it more than ``MOST_VALUES`` values
    do not contradict each other: each has its own (``DEFAULT_PORT`` of every transport).
    """
    by_key: dict[str, list[SourcedClaim]] = defaultdict(list)
    for claim in claims:
        if _comparable(claim):
            by_key[claim.key].append(claim)
    found: list[Contradiction] = []
    for key, group in sorted(by_key.items()):
        settled = _one_value_per_file(group)
        if len(settled) > MOST_FILES:
            continue
        is_of_each = (
            len({_normal(claim) for claim in settled if claim.source.source_kind is SourceKind.CODE}) > MOST_VALUES
        )
        for index, one in enumerate(settled):
            for other in settled[index + 1 :]:
                if is_of_each and _are_code(one, other):
                    continue
                if _disagree(one, other) and _same_scope(one, other):
                    older, fresher = sorted((one, other), key=lambda claim: _age(claim, changed_at))
                    found.append(Contradiction(key, fresher, older))
    return found


def _age(sourced: SourcedClaim, changed_at: Mapping[bytes, float]) -> tuple[float, bool, bytes]:
    """Of two that changed at the same moment, as in one commit, the document is the one left behind."""
    source = sourced.source
    return changed_at.get(source.path, 0.0), not _is_prose(source), source.path


def _comparable(sourced: SourcedClaim) -> bool:
    source, key = sourced.source, sourced.key
    is_made = source.authority is Authority.INFERRED and source.source_kind is not SourceKind.NOTE
    if source.role not in _COMPARABLE_ROLES or is_made:
        return False
    # The tenth entry of one list is another thing than the tenth of another.
    return ("." in key or is_compound(key)) and not _PLACE_IN_A_LIST.search(key)


def _one_value_per_file(group: list[SourcedClaim]) -> list[SourcedClaim]:
    values: dict[bytes, dict[str, SourcedClaim]] = defaultdict(dict)
    for sourced in group:
        values[sourced.source.path].setdefault(_normal(sourced), sourced)
    return [next(iter(seen.values())) for _, seen in sorted(values.items()) if len(seen) == 1]


def _are_code(one: SourcedClaim, other: SourcedClaim) -> bool:
    return {one.source.source_kind, other.source.source_kind} == {SourceKind.CODE}


def _disagree(one: SourcedClaim, other: SourcedClaim) -> bool:
    return one.value_type == other.value_type and _normal(one) != _normal(other)


def _normal(sourced: SourcedClaim) -> str:
    return sourced.value.strip().strip("\"'`").casefold()


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
    """Finds contradictions for one answer. ``check`` is called between files and may raise Cancelled."""

    committed: BlobReader | None
    reader: Reader
    observer: Observer
    commits_of: Callable[[Sequence[bytes]], Mapping[bytes, LastCommit]]
    check: Callable[[], None]
    notes: list[str] = field(default_factory=list)

    def about(self, items: Sequence[Item], commits: Mapping[bytes, LastCommit]) -> list[Contradiction]:
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
        others = {claim.source.path for claim in claims} - {item.source.path for item in items}
        known = {**self.commits_of(sorted(others)), **commits} if others else commits
        disputed = {side.source.path: side.source for pair in contradictions(claims, {}) for side in _sides(pair)}
        return _citing(contradictions(claims, self._changed_at(list(disputed.values()), known)), cited)

    def _changed_at(self, sources: Sequence[Source], commits: Mapping[bytes, LastCommit]) -> dict[bytes, float]:
        """Return when each file last changed: its commit, or its mtime where it differs from the commit."""
        changed_at = {source.path: source.signature.mtime_ns / 1e9 for source in sources}
        committed = [source for source in sources if source.path in commits]
        for source, then in zip(committed, self._then(committed, commits), strict=True):
            now = self.observer.look(source).file
            if then is None or now is None or same_text(now.data, then):
                changed_at[source.path] = float(commits[source.path].committed_at)
        return changed_at

    def _then(self, sources: Sequence[Source], commits: Mapping[bytes, LastCommit]) -> list[bytes | None]:
        """Return the files as last committed, None where git does not have them."""
        if self.committed is not None and sources:
            try:
                return self.committed.read([(commits[source.path].commit, source.path) for source in sources])
            except GitError as error:
                self.notes.append(f"edits since the last commit do not count in contradictions: {error}")
        return [None] * len(sources)

    def _sourced(self, hits: Sequence[ClaimHit]) -> list[SourcedClaim]:
        items = self.reader.files.items([hit.item_id for hit in hits])
        return [
            SourcedClaim(hit.item_id, item.source, hit.key, hit.value, hit.value_type, hit.line)
            for hit in hits
            if (item := items.get(hit.item_id)) is not None
        ]

    def _is_current(self, sourced: SourcedClaim) -> bool:
        self.check()
        sight = self.observer.look(sourced.source)
        return sight.file is not None and sight.file.content_hash == sourced.source.content_hash


def contradicted_by(item: Item, pairs: Sequence[Contradiction]) -> str:
    """Describe what at most three fresher sources claim against the item, or ""."""
    said = [
        f"{pair.key} is {pair.fresher.value} in {pair.fresher.source.source_id}:{pair.fresher.line}"
        for pair in pairs
        if pair.older.item_id == item.id
    ]
    return "; ".join(said[:3])


def settled(flags: Sequence[DocumentFlag], pairs: Iterable[Contradiction]) -> tuple[DocumentFlag, ...]:
    """Return the flags without values that a contradiction reports already."""
    told = {(pair.key.rpartition(".")[2], pair.older.line) for pair in pairs}
    return tuple(
        flag
        for flag in flags
        if flag.change is not DocumentChange.VALUE or (flag.symbol.rpartition(".")[2], flag.line) not in told
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
