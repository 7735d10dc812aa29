"""Find what contradicts the items of an answer: the same keys, anywhere in the index, with other values.

In: items and the last commits of their files. Out: contradictions whose both sides stand unmoved on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from helix_core.engine.observe import Observer
from helix_core.engine.outdated import same_text
from helix_core.errors import GitError
from helix_core.model import Contradiction, DocumentChange, DocumentFlag, Item, LastCommit, Source, SourcedClaim
from helix_core.store.hits import ClaimHit
from helix_core.store.reader import Reader
from helix_core.weigh.contradictions import contradictions
from helix_core.workspace.blobs import BlobReader


@dataclass(slots=True)
class Disputes:
    """Asks for one answer. ``check`` is called between files and may raise Cancelled."""

    committed: BlobReader | None
    reader: Reader
    observer: Observer
    commits_of: Callable[[Sequence[bytes]], Mapping[bytes, LastCommit]]
    check: Callable[[], None]
    notes: list[str] = field(default_factory=list)

    def about(self, items: Sequence[Item], commits: Mapping[bytes, LastCommit]) -> list[Contradiction]:
        """Contradictions between claims of the items and the same claims anywhere."""
        ids = [item.id for item in items]
        keys = {hit.key for hits in self.reader.claims_of(ids).values() for hit in hits}
        if not keys:
            return []
        same = [hit for hits in self.reader.claims_with_same_key(sorted(keys)).values() for hit in hits]
        cited = set(ids)
        claims = self._sourced(same)
        # Most keys are at peace, and many files set some of them: only the files of a dispute are looked at.
        at_odds = {pair.key for pair in _citing(contradictions(claims, {}), cited)}
        claims = [claim for claim in claims if claim.key in at_odds and self._stands(claim)]
        others = {claim.source.path for claim in claims} - {item.source.path for item in items}
        known = {**self.commits_of(sorted(others)), **commits} if others else commits
        disputed = {side.source.path: side.source for pair in contradictions(claims, {}) for side in _sides(pair)}
        return _citing(contradictions(claims, self._changed_at(list(disputed.values()), known)), cited)

    def _changed_at(self, sources: Sequence[Source], commits: Mapping[bytes, LastCommit]) -> dict[bytes, float]:
        """When each file last changed: its commit, or its writing where it does not read as it was committed."""
        changed_at = {source.path: source.signature.mtime_ns / 1e9 for source in sources}
        committed = [source for source in sources if source.path in commits]
        for source, then in zip(committed, self._then(committed, commits), strict=True):
            now = self.observer.look(source).file
            if then is None or now is None or same_text(now.data, then):
                changed_at[source.path] = float(commits[source.path].committed_at)
        return changed_at

    def _then(self, sources: Sequence[Source], commits: Mapping[bytes, LastCommit]) -> list[bytes | None]:
        """The files as they were last committed, None where git does not say."""
        if self.committed is not None and sources:
            try:
                return self.committed.read([(commits[source.path].commit, source.path) for source in sources])
            except GitError as error:
                self.notes.append(f"edits since the last commit do not count in contradictions: {error}")
        return [None] * len(sources)

    def _sourced(self, hits: Sequence[ClaimHit]) -> list[SourcedClaim]:
        items = self.reader.items([hit.item_id for hit in hits])
        return [
            SourcedClaim(hit.item_id, item.source, hit.key, hit.value, hit.value_type, hit.line)
            for hit in hits
            if (item := items.get(hit.item_id)) is not None
        ]

    def _stands(self, sourced: SourcedClaim) -> bool:
        self.check()
        sight = self.observer.look(sourced.source)
        return sight.file is not None and sight.file.content_hash == sourced.source.content_hash


def contradicted_by(item: Item, pairs: Sequence[Contradiction]) -> str:
    """What fresher sources claim against the item, at most three of them, in words; empty when nothing does."""
    said = [
        f"{pair.key} is {pair.fresher.value} in {pair.fresher.source.source_id}:{pair.fresher.line}"
        for pair in pairs
        if pair.older.item_id == item.id
    ]
    return "; ".join(said[:3])


def settled(flags: Sequence[DocumentFlag], pairs: Iterable[Contradiction]) -> tuple[DocumentFlag, ...]:
    """The flags without the values that a contradiction tells already."""
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
