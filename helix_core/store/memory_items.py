"""Memories in the memory file: immutable rows, their evidence and links, and the log that gives them their status.

A write, what it is compared with, and its entry in the log are one transaction, so that of two processes that say the
same one finds the memory of the other. Decides nothing: what becomes of a draft is an argument.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import Any, TypeVar, cast

from helix_core.errors import MemoryStoreError
from helix_core.model import (
    CONFLICTS,
    GLOBAL_SCOPE,
    REFINES,
    SUPERSEDES,
    USABLE,
    Clean,
    Consolidation,
    DecidedFlags,
    MemoryDraft,
    MemoryEvidence,
    MemoryFact,
    MemoryLink,
    MemoryOp,
    MemoryOrigin,
    MemoryStatus,
    MemoryUse,
    Slot,
    StoredMemory,
    UseKind,
    record_hash,
)
from helix_core.store.lexical import phrase
from helix_core.store.memory_chain import OP, ChainCheck, MemoryChain, op_of
from helix_core.store.memory_connection import MemoryConnection
from helix_core.store.memory_marks import CARRIED, WORDS, WORKSPACES
from helix_core.store.memory_vectors import MemoryVectors
from helix_core.store.sqlite_file import RANKING_STEPS_PER_MS, Row, text_list

T = TypeVar("T")
WRITE_WAIT_MS = 30_000
"""Busy timeout of a write: losing a memory costs more than waiting."""
LOADED_AT_ONCE = 128
"""Memories of one transaction of a load, which take some 30 ms; of fewer, a third more time goes to commits."""
MOST_MEMORIES = 1_000_000
ALIKE = 12
MOST_KIN = 100
RAREST = 6
MOST_USES = 64
"""Uses that are kept of one memory, the last ones."""
MOST_POSTINGS = 500
"""Postings that a comparison reads at most: a common word makes no two texts alike, and costs much."""
_JUDGED = frozenset({SUPERSEDES, REFINES, CONFLICTS})
"""Relations that say how two memories agree."""
_LATEST = "9223372036854775807"
_ITEM = """
    i.id, i.handle, i.kind, i.scope, i.text, i.subject, i.attribute, i.value, i.origin, i.importance, i.confidence,
    i.valid_from, i.valid_to, i.salt, i.text_key, i.template_key, i.tx_from, s.tx_to, o.at, s.status
"""
_FROM = f"SELECT {_ITEM} FROM item i JOIN item_state s ON s.id = i.id JOIN op o ON o.seq = i.tx_from"
_IN_SCOPES = "i.scope IN (SELECT value FROM json_each(?1))"
_MATCHES = f"""
    SELECT i.id, -f.rank FROM item_fts f CROSS JOIN item i ON i.row = f.rowid
    WHERE f.item_fts MATCH ?2 AND {_IN_SCOPES} ORDER BY f.rank, i.row LIMIT ?3
"""
_KIN = """
    SELECT id FROM item WHERE text_key = ?1
    UNION SELECT id FROM (SELECT id FROM item WHERE template_key = ?2 ORDER BY row DESC LIMIT ?6)
    UNION SELECT id FROM (SELECT id FROM item WHERE subject = ?3 AND attribute = ?4 AND subject <> '' ORDER BY row DESC
        LIMIT ?7)
    UNION SELECT id FROM (SELECT id FROM item WHERE value <> '' AND value IN (SELECT value FROM json_each(?5))
        ORDER BY row DESC LIMIT ?7)
"""
_ELSEWHERE = "SELECT 1 FROM item i WHERE i.id = op.item_id AND i.scope NOT IN (SELECT value FROM json_each({}))"
_EVIDENCE = """
    SELECT e.id, e.item_id, e.text, e.actor, e.extractor, e.session, e.at, e.scope, e.path, e.start_line, e.end_line,
        e.span_hash, e.layout_hash, e.content_hash, e.symbol, e.commit_id, e.heals
    FROM json_each(?1) wanted JOIN evidence e ON e.item_id = wanted.value ORDER BY e.row
"""
_LINKS = """
    SELECT src, rel, dst FROM json_each(?1) wanted JOIN link ON src = wanted.value
    UNION SELECT src, rel, dst FROM json_each(?1) wanted JOIN link ON dst = wanted.value
"""
_BESIDE = """
    SELECT a.id, b.id, b.row - a.row FROM json_each(?1) wanted JOIN item a ON a.id = wanted.value
    JOIN item b ON b.row BETWEEN a.row - ?2 AND a.row + ?2 AND b.row <> a.row
    WHERE EXISTS (
        SELECT 1 FROM evidence x JOIN evidence y ON y.item_id = b.id AND y.session = x.session
        WHERE x.item_id = a.id AND x.session <> ''
    )
"""
_CITING = """
    SELECT DISTINCT item_id FROM evidence
    WHERE scope = ?1 AND path IN (SELECT value FROM json_each(?2)) AND path <> '' ORDER BY item_id DESC LIMIT ?3
"""
# Counting stops early: the exact count of a common word costs as much as reading all its postings.
_COUNTED = """
    SELECT w.value, (SELECT count(*) FROM (SELECT 1 FROM item_fts WHERE item_fts MATCH w.value LIMIT ?2))
    FROM json_each(?1) w
"""
_USES = """
    SELECT u.item_id, u.kind, u.at FROM json_each(?1) wanted JOIN item_use u ON u.item_id = wanted.value
    ORDER BY u.item_id, u.at
"""
_DROP_USES = """
    DELETE FROM item_use WHERE item_id = ?1 AND at < (
        SELECT min(at) FROM (SELECT at FROM item_use WHERE item_id = ?1 ORDER BY at DESC LIMIT ?2)
    )
"""
_USED_SCOPE = """
    SELECT EXISTS (SELECT 1 FROM item WHERE scope = ?1)
        OR EXISTS (SELECT 1 FROM evidence WHERE path <> '' AND scope = ?1)
"""
_REKEY = """
    UPDATE OR IGNORE workspace SET key = ?1
    WHERE id = ?2 AND key NOT IN (SELECT scope FROM item) AND key NOT IN (SELECT scope FROM evidence)
"""
# One step of the index for each scope rather than for each memory: it is asked with every question of a workspace
# without memories.
_UNCLAIMED = """
    WITH RECURSIVE of_item(scope) AS (
        SELECT min(scope) FROM item
        UNION ALL SELECT (SELECT min(scope) FROM item WHERE scope > of_item.scope)
        FROM of_item WHERE of_item.scope IS NOT NULL
    ), of_evidence(scope) AS (
        SELECT min(scope) FROM evidence WHERE path <> ''
        UNION ALL SELECT (SELECT min(scope) FROM evidence WHERE path <> '' AND scope > of_evidence.scope)
        FROM of_evidence WHERE of_evidence.scope IS NOT NULL
    )
    SELECT 1 FROM (SELECT scope FROM of_item UNION SELECT scope FROM of_evidence)
    WHERE scope <> 'global' AND scope NOT IN (SELECT key FROM workspace)
"""


@dataclass(frozen=True, slots=True)
class WrittenMemory:
    """What a write did: the memory that says it now, and whether it was added, and why it waits for review."""

    id: str
    is_new: bool
    needs_review: str
    links: tuple[MemoryLink, ...]


class _Undone(Exception):  # noqa: N818
    """Ends a transaction that is not kept."""


class MemoryItems:
    """Memories, by id, with their ``vectors``. Every query that finds candidates takes the scopes that are asked."""

    def __init__(self, file: MemoryConnection, project_key: Callable[[bytes], str]) -> None:
        """``project_key`` gives the key that a workspace's project has on every machine, empty for none."""
        self._file, self._project_key = file, project_key
        self._chain = MemoryChain(file)
        self.vectors = MemoryVectors(file)
        self._as_of = ""

    def scope(self, workspace: bytes, *, create: bool = False) -> str:
        """Return the key of a workspace, made with ``create``; else empty for one without.

        A workspace without memories of its own has those that came in for its project, at whatever path that was.
        """
        rows = self._file.rows("SELECT key FROM workspace WHERE path = ?", (workspace,))
        key = str(rows[0][0]) if rows else ""
        if key and self._file.rows(_USED_SCOPE, (key,))[0][0]:
            return key
        if create:
            return self._settled(workspace)
        return self._carried(workspace) or key

    def _carried(self, workspace: bytes) -> str:
        """Return the key of a workspace's project where memories came in for it that no workspace has, else empty."""
        if not self._file.rows(_UNCLAIMED):
            return ""
        key = self._project_key(workspace)
        return key if key and self._file.rows(f"{_UNCLAIMED} AND scope = ?", (key,)) else ""

    def _settled(self, workspace: bytes) -> str:
        """Return the key of a workspace without memories: that of its project, unless another workspace has it."""
        key = self._project_key(workspace)
        with self._file.busy_timeout(WRITE_WAIT_MS), self._file.transaction():
            row = self._file.workspace_id(workspace)
            if key:
                with self._file.remarked(WORKSPACES, row):
                    self._file.rows(_REKEY, (key, row))
            return str(self._file.rows("SELECT key FROM workspace WHERE id = ?", (row,))[0][0])

    def write(
        self,
        draft: MemoryDraft,
        decide: Callable[[MemoryDraft, Sequence[StoredMemory]], Consolidation],
        replaced: Iterable[str],
        actor: str,
        at: int,
    ) -> WrittenMemory:
        """Add the draft, or only its evidence where ``decide`` finds the same memory; all in one transaction.

        ``decide`` is given the memories of the scope that are alike: by words, by slot, by a value in ``replaced``, and
        by search. Raises MemoryStoreError.
        """
        with self._file.busy_timeout(WRITE_WAIT_MS), self._file.transaction():
            known = self._keyed(draft.key)
            if known:
                return WrittenMemory(known, is_new=False, needs_review="", links=())
            decided = decide(draft, self._alike_draft(draft, replaced))
            if decided.same_as:
                evidence = [one for one in draft.evidence if not (decided.words_only and one.path)]
                self._support(decided.same_as, evidence, actor, at)
                self._keep_key(draft.key, decided.same_as, at)
                return WrittenMemory(decided.same_as, is_new=False, needs_review="", links=())
            waits = decided.needs_review if not draft.is_proposal else decided.needs_review or "proposed"
            links = tuple(dict.fromkeys((*draft.links, *decided.links)))
            self._insert(draft, links, "propose" if waits else "remember", actor, at)
            self._keep_key(draft.key, draft.fact.id, at)
        return WrittenMemory(draft.fact.id, is_new=True, needs_review=waits, links=links)

    def load(self, drafts: Iterable[MemoryDraft], actor: str, at: int) -> int:
        """Add many drafts, compared with nothing, and return how many; for a store that is built.

        A transaction holds few of them, and none is drawn from ``drafts`` inside one: who writes meanwhile waits for
        one transaction, not for the load.
        """
        count, left = 0, iter(drafts)
        while batch := list(islice(left, LOADED_AT_ONCE)):
            with self._file.busy_timeout(WRITE_WAIT_MS), self._file.transaction(), self.vectors.together():
                for draft in batch:
                    self._insert(draft, draft.links, "propose" if draft.is_proposal else "remember", actor, at)
            count += len(batch)
        return count

    def preview(
        self,
        draft: MemoryDraft,
        decide: Callable[[MemoryDraft, Sequence[StoredMemory]], Consolidation],
        replaced: Iterable[str],
    ) -> Consolidation:
        """Return what ``write`` would decide; nothing is written."""
        known = self._keyed(draft.key)
        return Consolidation(same_as=known) if known else decide(draft, self._alike_draft(draft, replaced))

    def _alike_draft(self, draft: MemoryDraft, replaced: Iterable[str]) -> list[StoredMemory]:
        return self._alike(draft.fact, [link.dst for link in draft.links if link.rel == SUPERSEDES], replaced)

    def _alike(self, fact: MemoryFact, named: Sequence[str], replaced: Iterable[str]) -> list[StoredMemory]:
        """Return the memories of a fact's scope that may say something of the same, and those that are named."""
        slot = fact.slot
        values = text_list(value for value in replaced if value)
        keys = (fact.text_key, fact.template_key, slot.subject, slot.attribute, values, ALIKE, MOST_KIN)
        ids = [row[0] for row in self._file.rows(_KIN, keys)]
        ids += [id_ for id_, _ in self.matches(self._rarest(fact.text), [fact.scope], ALIKE)]
        alike = self.by_ids(dict.fromkeys((*named, *ids)))
        return [one for one in alike if one.fact.scope == fact.scope or one.id in named]

    def _rarest(self, text: str) -> list[str]:
        """Return the known words of a text that occur in the fewest memories."""
        words = {phrase(word): word for word in dict.fromkeys(text.split())}
        counted = self._file.bounded_rows(_COUNTED, (text_list(words), MOST_POSTINGS + 1))
        known = [(count, words[token]) for count, token in sorted((count, token) for token, count in counted) if count]
        known = known[:RAREST]
        read = accumulate(count for count, _ in known)
        return [word for (_, word), postings in zip(known, read, strict=True) if postings <= MOST_POSTINGS]

    def _insert(self, draft: MemoryDraft, links: Sequence[MemoryLink], kind: str, actor: str, at: int) -> None:
        fact = draft.fact
        self.require_room(1)
        args = written_args(fact, draft.evidence, links)
        seq = self.append(kind, fact.id, args, actor, at)
        self.add_fact(fact, seq)
        for one in draft.evidence:
            self.add_evidence(one)
        for link in links:
            self.add_link(link, seq)

    def require_room(self, more: int) -> None:
        """Raise MemoryStoreError where the file has no room for so many more memories."""
        held = int(self._file.rows("SELECT coalesce(max(row), 0) FROM item")[0][0])
        if held + more > MOST_MEMORIES:
            raise MemoryStoreError(f"The memory {self._file.path} holds {held:,} memories; purge some first.")

    def add_fact(self, fact: MemoryFact, seq: int) -> None:
        """Insert a memory with its postings, inside a transaction; the operation ``seq`` wrote it."""
        slot, posted = fact.slot, self._file.posted(text=fact.text, extra=fact.extra)
        self._file.rows(
            "INSERT INTO item VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(fact.id, fact.handle, fact.kind, fact.scope, fact.text, slot.subject, slot.attribute, slot.value),
                *(fact.origin.value, fact.importance, fact.confidence, fact.valid_from, fact.valid_to, fact.salt),
                *(fact.text_key, fact.template_key, seq, posted),
            ),
        )
        row = self._file.last_row()
        self._file.mark_row(WORDS, "item", (row, posted))
        self._chain.mark("item", row, fact.id, fact.text_key, fact.template_key, seq)
        self._file.rows("INSERT INTO item_fts (rowid, text, extra) VALUES (?, ?, ?)", (row, fact.text, fact.extra))
        self.vectors.add(row, fact.text)

    def add_link(self, link: MemoryLink, seq: int) -> None:
        """Insert a link unless it is there, inside a transaction; the operation ``seq`` wrote it."""
        self._file.rows("INSERT OR IGNORE INTO link VALUES (?, ?, ?, ?)", (link.src, link.rel, link.dst, seq))
        if self._file.changes():
            self._chain.mark("link", link.src, link.rel, link.dst, seq)

    def _support(self, item_id: str, evidence: Sequence[MemoryEvidence], actor: str, at: int) -> None:
        """Add the evidence that the memory does not have yet: the same words of the same speaker count once."""
        had = {_evidence_key(one) for one in self.evidence([item_id])}
        new = [_about(one, item_id) for one in evidence if _evidence_key(one) not in had]
        if new:
            self.append("support", item_id, {"evidence": [record_hash(one.record()) for one in new]}, actor, at)
            for one in new:
                self.add_evidence(one)

    def add_evidence(self, one: MemoryEvidence) -> None:
        """Insert one row of evidence, inside a transaction."""
        self._file.rows(
            "INSERT INTO evidence VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(one.id, one.item_id, one.text, one.actor, one.extractor, one.session, one.at, one.scope, one.path),
                *(one.start_line, one.end_line, one.span_hash, one.layout_hash, one.content_hash, one.symbol),
                *(one.commit, one.heals),
            ),
        )
        self._chain.mark("evidence", self._file.last_row(), one.id)

    def use(
        self,
        names: Iterable[str],
        use: MemoryUse,
        workspace: bytes,
        is_due: Callable[[StoredMemory, Sequence[MemoryUse], int], bool],
    ) -> int:
        """Record a use of the memories of these ids or handles and return how many; the log has none of it.

        Skipped are memories not in force, those about another workspace, and those not due by ``is_due(memory,
        its uses, time)``.
        """
        count, scopes = 0, scopes_of(self.scope(workspace))
        with self._file.transaction():
            for name in names:
                one = self.named(name)
                if one is None or one.status not in USABLE or one.fact.scope not in scopes:
                    continue
                if is_due(one, self.uses([one.id]).get(one.id, ()), use.at):
                    row = (one.id, use.kind.value, use.at)
                    self._file.rows("INSERT OR IGNORE INTO item_use VALUES (?, ?, ?)", row)
                    self._file.rows(_DROP_USES, (one.id, MOST_USES))
                    count += 1
        return count

    def uses(self, ids: Iterable[str]) -> dict[str, list[MemoryUse]]:
        """Return the uses of these memories, the oldest first."""
        found: dict[str, list[MemoryUse]] = {}
        for item_id, kind, at in self._file.rows(_USES, (text_list(ids),)):
            found.setdefault(item_id, []).append(MemoryUse(UseKind(kind), at))
        return found

    def heal(self, citations: Iterable[MemoryEvidence], actor: str, at: int) -> None:
        """Add citations that replace others (``heals``), unless another process has done so meanwhile."""
        with self._file.transaction():
            for one in citations:
                if not self._file.rows("SELECT 1 FROM evidence WHERE heals = ? LIMIT 1", (one.heals,)):
                    args = {"evidence": [record_hash(one.record())]}
                    self.append("heal", one.item_id, args, actor, at)
                    self.add_evidence(one)

    def change(self, kind: str, item_id: str, actor: str, at: int) -> int:
        """Append one decision on a memory to the log and return its number: forget, archive."""
        with self._file.busy_timeout(WRITE_WAIT_MS), self._file.transaction():
            return self.append(kind, item_id, {}, actor, at)

    def put_in_force(
        self,
        kind: str,
        item_id: str,
        judge: Callable[[MemoryFact, Sequence[StoredMemory]], Iterable[MemoryLink]],
        actor: str,
        at: int,
    ) -> int:
        """Append a decision that may put a memory in force, approve or restore, with the links that it brings; return
        its number.

        ``judge`` is given the memories of its scope that are alike and no link relates to it, and decides the links.
        """
        with self._file.busy_timeout(WRITE_WAIT_MS), self._file.transaction():
            links: list[MemoryLink] = []
            for one in self.by_ids([item_id]):
                judged = {end for link in self.links([item_id]) if link.rel in _JUDGED for end in (link.src, link.dst)}
                alike = self._alike(one.fact, (), ())
                links += judge(one.fact, [each for each in alike if each.id not in judged | {item_id}])
            args = {"links": [[link.src, link.rel, link.dst] for link in links]} if links else {}
            seq = self.append(kind, item_id, args, actor, at)
            for link in links:
                self.add_link(link, seq)
            return seq

    def relate(self, link: MemoryLink, actor: str, at: int) -> None:
        """Add a link between two memories that are there, with its entry in the log."""
        with self._file.busy_timeout(WRITE_WAIT_MS), self._file.transaction():
            seq = self.append("relate", link.src, {"links": [[link.src, link.rel, link.dst]]}, actor, at)
            self.add_link(link, seq)

    def purge(self, item_id: str, actor: str, at: int) -> bool:
        """Remove a memory with its evidence and postings, whole; return whether every copy is overwritten.

        The log keeps that something with this random id was there, without a word of it. A reader in another process
        may keep the old pages of the WAL until it ends; then this is False.
        """
        with self._file.busy_timeout(WRITE_WAIT_MS), self._file.transaction():
            self.append("purge", item_id, {}, actor, at)
            self.remove([item_id])
        return self.overwrite_removed()

    def remove(self, ids: Iterable[str]) -> None:
        """Remove memories with their evidence, postings and vectors, inside a transaction; call ``overwrite_removed``
        after.
        """
        removed: list[int] = []
        for item_id in ids:
            self._chain.unmark(item_id)
            for subject in (WORDS, CARRIED):
                self._file.unmark(subject, item_id)
            self._file.rows("DELETE FROM carried WHERE owner = ? AND owner <> ''", (item_id,))
            for (row,) in self._file.rows("SELECT row FROM item WHERE id = ?", (item_id,)):
                self._file.rows("DELETE FROM item_fts WHERE rowid = ?", (row,))
                removed.append(row)
            self._file.rows("DELETE FROM evidence WHERE item_id = ?", (item_id,))
            self._file.rows("DELETE FROM item_use WHERE item_id = ?", (item_id,))
            self._file.rows("DELETE FROM write_key WHERE item_id = ?", (item_id,))
            self._file.rows("DELETE FROM item WHERE id = ?", (item_id,))
        self.vectors.remove(removed)
        # FTS5 keeps a delete marker in the postings until segments are merged.
        self._file.rows("INSERT INTO item_fts (item_fts) VALUES ('optimize')")

    def overwrite_removed(self) -> bool:
        """Rewrite the file without free pages and slack; return whether every old copy is gone."""
        # Whatever SQLite was built with.
        self._file.rows("VACUUM")
        return not self._file.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]

    def named(self, name: str) -> StoredMemory | None:
        """Return the memory of this id or handle."""
        rows = self._file.rows(f"{_FROM} WHERE i.id = ?1 OR i.handle = ?1", (name,))
        return _stored(rows[0]) if rows else None

    def was_purged(self, item_id: str) -> bool:
        """Return whether a memory of this id was purged."""
        return bool(self._file.rows("SELECT 1 FROM op WHERE item_id = ? AND kind = 'purge' LIMIT 1", (item_id,)))

    def by_ids(self, ids: Iterable[str], as_of: int | None = None) -> list[StoredMemory]:
        """Return the memories of these ids in their order; as of an operation, those that it knew, as they were."""
        wanted = list(ids)
        where = "WHERE i.id IN (SELECT value FROM json_each(?))"
        rows = self._file.rows(f"{self._states(as_of)}{_FROM} {where}", (text_list(wanted),))
        found = {row[0]: _stored(row) for row in rows}
        return [found[id_] for id_ in wanted if id_ in found]

    def matches(self, words: Iterable[str], scopes: Iterable[str], limit: int) -> list[tuple[str, float]]:
        """Return ``(id, BM25)`` of memories of any status that contain some of the words, best first."""
        match = " OR ".join(phrase(word) for word in words)
        if not match:
            return []
        bindings = (text_list(scopes), match, limit)
        return [(row[0], row[1]) for row in self._file.bounded_rows(_MATCHES, bindings, RANKING_STEPS_PER_MS)]

    def listed(
        self, scopes: Iterable[str], statuses: Iterable[str], kinds: Iterable[str], limit: int, as_of: int | None = None
    ) -> list[StoredMemory]:
        """Return memories of these statuses, and of these kinds where any are named, the newest first."""
        chosen = list(kinds)
        sql = f"""
            {self._states(as_of)}{_FROM} WHERE {_IN_SCOPES} AND s.status IN (SELECT value FROM json_each(?2))
            AND (?3 = '[]' OR i.kind IN (SELECT value FROM json_each(?3))) ORDER BY i.row DESC LIMIT ?4
        """
        return [
            _stored(row)
            for row in self._file.rows(sql, (text_list(scopes), text_list(statuses), text_list(chosen), limit))
        ]

    def evidence(self, ids: Iterable[str]) -> list[MemoryEvidence]:
        """Return all evidence of these memories, the oldest first."""
        return [_evidence(row) for row in self._file.rows(_EVIDENCE, (text_list(ids),))]

    def beside(self, ids: Iterable[str], reach: int) -> dict[str, list[tuple[str, int]]]:
        """Return, by id, the memories that were written at most ``reach`` before or after one in the same session, each
        with how many rows later (below 0: earlier).
        """
        found: dict[str, list[tuple[str, int]]] = {}
        for id_, other, away in self._file.rows(_BESIDE, (text_list(ids), reach)):
            found.setdefault(id_, []).append((other, away))
        return found

    def citing(self, scope: str, paths: Iterable[str], limit: int) -> list[str]:
        """Return the ids of memories of any status that cite lines of these files of a workspace, the newest first."""
        return [row[0] for row in self._file.rows(_CITING, (scope, text_list(paths), limit))]

    def links(self, ids: Iterable[str]) -> list[MemoryLink]:
        """Return the links from and to these memories."""
        return [MemoryLink(*row) for row in self._file.rows(_LINKS, (text_list(ids),))]

    def frequency(self, tokens: Iterable[str]) -> dict[str, int]:
        """Return in how many memories each token occurs, purged ones not counted."""
        wanted = list(dict.fromkeys(tokens))
        sql = "SELECT w.value, v.doc FROM json_each(?1) w CROSS JOIN item_vocab v ON v.term = w.value"
        return dict.fromkeys(wanted, 0) | dict(self._file.bounded_rows(sql, (text_list(wanted),)))

    def tokens(self, text: str) -> list[str]:
        """Tokenize the text as the postings are: folded, split, stemmed."""
        return self._file.tokens(text)

    def has_any(self, scopes: Iterable[str]) -> bool:
        """Return whether these scopes have a memory of any status."""
        sql = f"SELECT EXISTS (SELECT 1 FROM item i WHERE {_IN_SCOPES})"
        return bool(self._file.rows(sql, (text_list(scopes),))[0][0])

    def waiting(self, scopes: Iterable[str]) -> int:
        """Return the number of memories of these scopes that wait for review."""
        sql = f"""
            SELECT count(*) FROM item i JOIN item_status s ON s.id = i.id
            WHERE i.id IN (SELECT item_id FROM op WHERE kind = 'propose') AND {_IN_SCOPES} AND s.status = 'quarantined'
            AND s.superseded_at IS NULL
        """
        return int(self._file.rows(sql, (text_list(scopes),))[0][0])

    def count(self) -> int:
        """Return the number of memories of any status."""
        return int(self._file.rows("SELECT count(*) FROM item")[0][0])

    def flags(self, ids: Iterable[str], as_of: int | None = None) -> dict[str, DecidedFlags]:
        """Return what the decisions say of these memories; as of an operation, of those that it knew."""
        sql = f"""
            {self._states(as_of)}SELECT id, is_forgotten, is_proposed, is_archived FROM item_status
            WHERE id IN (SELECT value FROM json_each(?))
        """
        return {row[0]: DecidedFlags(*map(bool, row[1:])) for row in self._file.rows(sql, (text_list(ids),))}

    def together(self, act: Callable[[], T], *, keep: bool) -> T:
        """Run ``act``, which reads and appends, as one write transaction; without ``keep`` all that it wrote is undone.

        Raises the errors of ``act``; then nothing has changed.
        """
        found: list[T] = []
        try:
            with self._file.busy_timeout(WRITE_WAIT_MS), self._file.transaction():
                found.append(act())
                if not keep:
                    raise _Undone
        except _Undone:
            pass
        return found[0]

    def last_op(self) -> int:
        """Return the number of the last operation, 0 for none."""
        return int(self._file.rows("SELECT coalesce(max(seq), 0) FROM op")[0][0])

    def times(self, seqs: Iterable[int]) -> dict[int, int]:
        """Return when these operations were done, in Unix milliseconds."""
        sql = "SELECT seq, at FROM op WHERE seq IN (SELECT value FROM json_each(?))"
        return dict(self._file.rows(sql, (json.dumps(list(seqs)),)))

    def log(self, limit: int, item_id: str = "", scopes: Iterable[str] = ()) -> list[MemoryOp]:
        """Return the last operations, or those on one memory, the newest first; with ``scopes`` without those on a
        memory of another scope.
        """
        sql = f"""
            {OP} WHERE (?1 = '' OR item_id = ?1) AND (?3 = '[]' OR NOT EXISTS ({_ELSEWHERE.format("?3")}))
            ORDER BY seq DESC LIMIT ?2
        """
        return [op_of(row) for row in self._file.rows(sql, (item_id, limit, text_list(scopes)))]

    def ops_elsewhere(self, scopes: Iterable[str]) -> int:
        """Return the number of operations on memories of other scopes than these."""
        sql = f"SELECT count(*) FROM op WHERE EXISTS ({_ELSEWHERE.format('?1')})"
        return int(self._file.rows(sql, (text_list(scopes),))[0][0])

    def changed(self, after: int, until: int) -> tuple[list[str], int, int]:
        """Return the ids of the memories that operations after one and up to another are about, how many operations
        these are, and how many of them purge.
        """
        where = "FROM op WHERE seq > ?1 AND seq <= ?2"
        ids = [row[0] for row in self._file.rows(f"SELECT DISTINCT item_id {where} AND item_id <> ''", (after, until))]
        counts = self._file.rows(f"SELECT count(*), coalesce(sum(kind = 'purge'), 0) {where}", (after, until))
        return ids, int(counts[0][0]), int(counts[0][1])

    def op_at(self, at: int) -> int:
        """Return the number of the last operation at or before a time in Unix milliseconds; 0 for none."""
        # What came in from another store has that store's times, and its mark in front has this one's.
        sql = f"""
            SELECT coalesce(min(
                (SELECT max(seq) FROM op WHERE at <= ?1),
                coalesce((SELECT min(seq) - 1 FROM op WHERE kind = 'merge' AND at > ?1), {_LATEST})
            ), 0)
        """
        return int(self._file.rows(sql, (at,))[0][0])

    def check(self) -> ChainCheck:
        """Compare the file with its log; see ``MemoryChain.check``."""
        return self._chain.check()

    def first_broken(self) -> int | None:
        """Return the first operation that does not fit what is here; see ``ChainCheck``."""
        return self.check().first_broken

    def _states(self, as_of: int | None) -> str:
        """Return the views of the status as common table expressions, as of an operation; "" for now."""
        if as_of is None:
            return ""
        if not self._as_of:
            names = "name IN ('item_superseding', 'item_status', 'item_state')"
            views = self._file.rows(f"SELECT name, sql FROM sqlite_schema WHERE {names} ORDER BY name DESC")
            parts = [f"{name} AS ({sql.partition(' AS')[2]})" for name, sql in views]
            self._as_of = f"WITH {', '.join(parts)} "
        return self._as_of.replace(_LATEST, str(int(as_of)))

    def append(
        self,
        kind: str,
        item_id: str,
        args: Mapping[str, Any],
        actor: str,
        at: int,
        *,
        own_id: str = "",
        lamport: int = 0,
    ) -> int:
        """Append an operation to the log, inside a transaction, and return its number.

        One of another store keeps its ``own_id`` and its ``lamport`` time; the chain of hashes is this file's own.
        """
        return self._chain.append(kind, item_id, args, actor, at, own_id=own_id, lamport=lamport)

    def _keyed(self, key: str) -> str:
        if not key:
            return ""
        rows = self._file.rows("SELECT item_id FROM write_key WHERE key = ?", (bytes.fromhex(key),))
        return str(rows[0][0]) if rows else ""

    def _keep_key(self, key: str, item_id: str, at: int) -> None:
        if key:
            self._file.rows("INSERT OR REPLACE INTO write_key VALUES (?, ?, ?)", (bytes.fromhex(key), item_id, at))


def written_args(fact: MemoryFact, evidence: Iterable[MemoryEvidence], links: Iterable[MemoryLink]) -> dict[str, Any]:
    """Return what the operation that writes a memory says of it: hashes, no text."""
    return {
        "memory": record_hash(fact.record()),
        "evidence": [record_hash(one.record()) for one in evidence],
        "links": [[link.src, link.rel, link.dst] for link in links],
    }


def superseding(links: Iterable[MemoryLink], item_id: str) -> list[str]:
    """Return the ids of the memories that supersede one."""
    return [link.src for link in links if link.rel == SUPERSEDES and link.dst == item_id]


def scopes_of(key: str) -> list[str]:
    """Return the scopes that a workspace's questions ask; ``key`` is empty for one without memories."""
    return [GLOBAL_SCOPE, key] if key else [GLOBAL_SCOPE]


def _evidence_key(one: MemoryEvidence) -> tuple[str, ...]:
    return (one.text, one.actor, one.path, one.span_hash, one.symbol)


def _about(one: MemoryEvidence, item_id: str) -> MemoryEvidence:
    return replace(one, item_id=item_id)


_ORIGINS = frozenset(MemoryOrigin)
"""An edited row may have another one; it counts as the least of them."""


def _stored(row: Row) -> StoredMemory:
    # Text that is read back was Clean when it was written.
    clean = cast("tuple[Clean, ...]", row[4:8])
    fact = MemoryFact(
        id=row[0],
        handle=row[1],
        kind=row[2],
        scope=row[3],
        text=clean[0],
        slot=Slot(*clean[1:]),
        origin=MemoryOrigin(row[8]) if row[8] in _ORIGINS else MemoryOrigin.IMPORTED,
        importance=row[9],
        confidence=row[10],
        valid_from=row[11],
        valid_to=row[12],
        salt=row[13],
        text_key=row[14],
        template_key=row[15],
        extra=cast("Clean", ""),
    )
    return StoredMemory(fact, tx_from=row[16], tx_to=row[17], at=row[18], status=MemoryStatus(row[19]))


def _evidence(row: Row) -> MemoryEvidence:
    return MemoryEvidence(*row)
