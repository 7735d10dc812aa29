"""Make one answer: search, look at what was found, search again where looking mended the index, weigh the rest.

The quote, the hash and the verdict of an item come from one read of its file, so they agree with each other whatever
happens to the file meanwhile.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from helix_core.engine.masked import MaskedFiles
from helix_core.engine.observe import Observer, Sight, relocate
from helix_core.engine.outdated import CommittedText, OutdatedDocuments, is_document, same_text
from helix_core.errors import GitError
from helix_core.ingest.secrets import Masked
from helix_core.model import (
    Contradiction,
    Found,
    GitState,
    Hints,
    Item,
    LastCommit,
    Ranked,
    Reason,
    Source,
    SourcedClaim,
    TaskType,
    Weighed,
)
from helix_core.search.search import search
from helix_core.store.hits import ClaimHit
from helix_core.store.reader import Reader
from helix_core.store.writer import Writer
from helix_core.weigh.conflicts import has_conflict_markers
from helix_core.weigh.contradictions import contradictions
from helix_core.weigh.truth import HIGH_RISK, live_truth, specificity
from helix_core.weigh.verdict import TRUE_NOW, Observation, verdict
from helix_core.workspace.blobs import BlobReader
from helix_core.workspace.disk import Root
from helix_core.workspace.paths import uri_of

ROUNDS = 3
GONE_SHOWN = 2
QUOTE_LINES = 16
QUOTE_LINES_HIGH_RISK = 60
QUOTE_BYTES = 6_000


@dataclass(frozen=True, slots=True)
class Answered:
    """Everything a packet is made from."""

    weighed: tuple[Weighed, ...]
    contradictions: tuple[Contradiction, ...]
    found: Found
    state: GitState
    notes: tuple[str, ...]


class Answer:
    """One question answered. Use once."""

    def __init__(
        self,
        root: Root,
        reader: Reader,
        writer: Writer,
        *,
        committed: BlobReader | None,
        commits_of: Callable[[Sequence[bytes]], Mapping[bytes, LastCommit]],
        masked: MaskedFiles,
        state: GitState,
        max_bytes: int,
        reingest_budget_ms: float,
        prefer_implementation: bool,
    ) -> None:
        self._root = root
        self._prefer_implementation = prefer_implementation
        self._reader = reader
        self._commits_of = commits_of
        self._state = state
        self._observer = Observer(root, reader, writer, max_bytes=max_bytes, budget_ms=reingest_budget_ms)
        self._committed = committed
        self._outdated = OutdatedDocuments(committed, self._reader, self._observer)
        self._notes: list[str] = []
        self._masked = masked

    def make(self, question: str, task: TaskType, k: int, hints: Hints) -> Answered:
        """Search and look until looking changes nothing more, then weigh at most ``k`` items, best first."""
        found, gone = self._settle(question, k, hints)
        ranked = _with_gone(found.ranked, gone, k)
        placed = [self._placed(one) for one in ranked]
        commits = self._commits_of([one.item.source.path for one, _ in placed])
        pairs = self._contradictions([one.item for one, _ in placed], commits)
        outdated = self._outdated_names(placed, commits)
        weighed = []
        for one, reason in placed:
            seen = self._observation(one.item, reason, found, pairs, outdated)
            weighed.append(self._weighed(one, seen, task, commits.get(one.item.source.path)))
        notes = (*self._observer.notes, *self._outdated.notes, *self._notes)
        return Answered(tuple(weighed), tuple(pairs), found, self._state, notes)

    def _settle(self, question: str, k: int, hints: Hints) -> tuple[Found, list[Ranked]]:
        gone: dict[bytes, Ranked] = {}
        for _ in range(ROUNDS):
            found = search(question, self._reader, hints, k, prefer_implementation=self._prefer_implementation)
            mended = False
            for one in found.ranked:
                path = one.item.source.path
                known = self._observer.sights.get(path)
                sight = self._observer.look(one.item.source)
                if sight is known:
                    continue
                mended = mended or sight.mended
                if sight.file is None:
                    gone.setdefault(path, one)
            if not mended:
                break
        live = tuple(one for one in found.ranked if one.item.source.path not in gone)
        return dataclasses.replace(found, ranked=live), list(gone.values())

    def _placed(self, one: Ranked) -> tuple[Ranked, Reason]:
        """The item where it stands now, and the word of the verdict table for it."""
        sight = self._observer.look(one.item.source)
        if sight.file is None or sight.file.content_hash == one.item.source.content_hash:
            return one, sight.reason_for(one.item)
        # The item is of an older version: its file was not mended, or only in the last round.
        masked = self._mask(sight)
        start = relocate(one.item, masked)
        if start is None:
            return one, Reason.CHANGED
        item = one.item
        lines_before = masked.data.count(b"\n", 0, start)
        moved = dataclasses.replace(
            item,
            start_byte=start,
            end_byte=start + item.end_byte - item.start_byte,
            start_line=lines_before + 1,
            end_line=lines_before + 1 + item.end_line - item.start_line,
        )
        return dataclasses.replace(one, item=moved), Reason.MOVED

    def _observation(
        self,
        item: Item,
        reason: Reason,
        found: Found,
        pairs: Sequence[Contradiction],
        outdated: dict[int, tuple[str, ...]],
    ) -> Observation:
        path = item.source.path
        return Observation(
            disk=reason,
            authority=item.source.authority,
            conflicted=path in self._state.conflicted or path in self._state.touched or self._is_marked(item),
            outdated_names=outdated.get(item.id, ()),
            contradicted_by=_contradicted_by(item, pairs),
            confidence=found.confidence,
        )

    def _is_marked(self, item: Item) -> bool:
        """Does the text say that a merge stopped in it? Documents show the markers to explain them."""
        file = self._observer.look(item.source).file
        return file is not None and not is_document(item) and has_conflict_markers(file.data)

    def _weighed(self, one: Ranked, seen: Observation, task: TaskType, commit: LastCommit | None) -> Weighed:
        source = one.item.source
        sight = self._observer.look(source)
        true_now = seen.disk in TRUE_NOW
        return Weighed(
            ranked=one,
            verdict=verdict(seen, task),
            live_truth=live_truth(1.0 if true_now else 0.0, source.authority, specificity(source.source_kind)),
            content_hash=sight.file.content_hash if sight.file is not None else "",
            quote=self._quote(sight, one.item, task) if true_now else "",
            verified_at=time.time() if true_now else source.verified_at,
            uri=uri_of(self._root.path, source.path),
            commit=commit,
        )

    def _outdated_names(
        self, placed: Sequence[tuple[Ranked, Reason]], commits: Mapping[bytes, LastCommit]
    ) -> dict[int, tuple[str, ...]]:
        documents = []
        for one, reason in placed:
            item, commit = one.item, commits.get(one.item.source.path)
            if reason in TRUE_NOW and commit is not None and is_document(item):
                masked = self._mask(self._observer.look(item.source))
                documents.append(CommittedText(item, masked.text(item.start_byte, item.end_byte), commit.commit))
        return self._outdated.names(documents)

    def _mask(self, sight: Sight) -> Masked:
        assert sight.file is not None
        return self._masked.of(sight.file)

    def _quote(self, sight: Sight, item: Item, task: TaskType) -> str:
        """Whole lines from the item's first line on, as they are on disk, without the last line's newline."""
        masked = self._mask(sight)
        most = QUOTE_LINES_HIGH_RISK if task in HIGH_RISK else QUOTE_LINES
        end = item.start_byte
        for line in masked.data[item.start_byte : item.end_byte].split(b"\n", most)[:most]:
            if end + len(line) + 1 > item.start_byte + QUOTE_BYTES:
                break
            end += len(line) + 1
        return masked.text(item.start_byte, min(end, item.end_byte)).removesuffix("\n")

    def _contradictions(self, items: Sequence[Item], commits: Mapping[bytes, LastCommit]) -> list[Contradiction]:
        """Contradictions between claims of the items and the same claims anywhere, both sides unmoved on disk."""
        ids = [item.id for item in items]
        keys = {hit.key for hits in self._reader.claims_of(ids).values() for hit in hits}
        if not keys:
            return []
        same = [hit for hits in self._reader.claims_with_same_key(sorted(keys)).values() for hit in hits]
        claims = [claim for claim in self._sourced(same) if self._stands(claim)]
        others = {claim.source.path for claim in claims} - {item.source.path for item in items}
        known = {**self._commits_of(sorted(others)), **commits}
        disputed = {side.source.path: side.source for pair in contradictions(claims, {}) for side in _sides(pair)}
        pairs = contradictions(claims, self._changed_at(list(disputed.values()), known))
        cited = set(ids)
        return [pair for pair in pairs if pair.older.item_id in cited or pair.fresher.item_id in cited]

    def _changed_at(self, sources: Sequence[Source], commits: Mapping[bytes, LastCommit]) -> dict[bytes, float]:
        """When each file last changed: its commit, or its writing where it does not read as it was committed."""
        changed_at = {source.path: source.signature.mtime_ns / 1e9 for source in sources}
        committed = [source for source in sources if source.path in commits]
        for source, then in zip(committed, self._then(committed, commits), strict=True):
            now = self._observer.look(source).file
            if then is None or now is None or same_text(now.data, then):
                changed_at[source.path] = float(commits[source.path].committed_at)
        return changed_at

    def _then(self, sources: Sequence[Source], commits: Mapping[bytes, LastCommit]) -> list[bytes | None]:
        """The files as they were last committed, None where git does not say."""
        if self._committed is not None and sources:
            try:
                return self._committed.read([(commits[source.path].commit, source.path) for source in sources])
            except GitError as error:
                self._notes.append(f"edits since the last commit do not count in contradictions: {error}")
        return [None] * len(sources)

    def _sourced(self, hits: Sequence[ClaimHit]) -> list[SourcedClaim]:
        items = self._reader.items([hit.item_id for hit in hits])
        return [
            SourcedClaim(hit.item_id, item.source, hit.key, hit.value, hit.value_type, hit.line)
            for hit in hits
            if (item := items.get(hit.item_id)) is not None
        ]

    def _stands(self, sourced: SourcedClaim) -> bool:
        sight = self._observer.look(sourced.source)
        return sight.file is not None and sight.file.content_hash == sourced.source.content_hash


def _with_gone(live: Sequence[Ranked], gone: Sequence[Ranked], k: int) -> list[Ranked]:
    """Places that are gone are shown where they ranked, but never push out more than two that are there."""
    shown = sorted(gone, key=lambda one: -one.score)[: max(GONE_SHOWN, k - len(live))]
    kept = [*live[: max(k - len(shown), 0)], *shown][:k]
    return sorted(kept, key=lambda one: -one.score)


def _sides(pair: Contradiction) -> tuple[SourcedClaim, SourcedClaim]:
    return pair.fresher, pair.older


def _contradicted_by(item: Item, pairs: Sequence[Contradiction]) -> str:
    said = [
        f"{pair.key} is {pair.fresher.value} in {pair.fresher.source.source_id}:{pair.fresher.line}"
        for pair in pairs
        if pair.older.item_id == item.id
    ]
    return "; ".join(said[:3])
