"""The verbs of the memory that ask and decide: recall, list, log, review; forget, restore, approve, archive, purge."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from helix_core.engine.memory.recalling import RECALL_SCHEMA, JudgedMemory, Recalling, recall_object, shown
from helix_core.engine.memory.remembering import MEMORY_SCHEMA, actor_of, found_memory, memory_object
from helix_core.engine.opened import WorkspaceSession
from helix_core.errors import UsageError
from helix_core.model import (
    SUPERSEDES,
    USABLE,
    Attribution,
    MemoryOrigin,
    MemoryStatus,
    Reason,
    Status,
    StoredMemory,
    TaskType,
    record_hash,
)
from helix_core.store import Memory

CHANGED_SCHEMA, LOG_SCHEMA, REVIEW_SCHEMA = "helix.changed/1", "helix.log/1", "helix.review/1"
MOST_REVIEWED = 500
_PURGED = "purged"
# What each decision asks of the memory it is about, and the state that it is in afterwards.
_FROM: dict[str, frozenset[MemoryStatus]] = {
    "forget": frozenset(MemoryStatus) - {MemoryStatus.FORGOTTEN},
    "restore": frozenset({MemoryStatus.FORGOTTEN, MemoryStatus.ARCHIVED}),
    "approve": frozenset({MemoryStatus.QUARANTINED}),
    "archive": USABLE,
}
_DONE = {"forget": "forgotten", "restore": "restored", "approve": "approved", "archive": "archived"}


class Curating:
    """Verbs on the memory of one open workspace. ``by`` is the person or agent who decides."""

    def __init__(self, session: WorkspaceSession, by: Attribution) -> None:
        self._session, self._by = session, by
        self._now = time.time()
        self._started = time.monotonic()

    def recall(
        self,
        memory: Memory,
        question: str,
        k: int,
        task: TaskType,
        kinds: Sequence[str] = (),
        *,
        as_of: float | None = None,
    ) -> dict[str, Any]:
        """Return the ``helix.recall/1`` object."""
        recalling = Recalling(self._session, memory, self._now)
        seq = None if as_of is None else memory.items.op_at(int(as_of * 1e3))
        found = recalling.found(question, k, kinds, seq)
        judged = recalling.judged(found, task, heals=as_of is None)
        return self.nothing(question, task) | {
            "items": [recall_object(one) for one in judged],
            "known_empty": not judged,
            "elapsed_ms": self._elapsed_ms(),
        }

    def nothing(self, question: str, task: TaskType) -> dict[str, Any]:
        """Return the answer of an empty memory."""
        return {
            "schema": RECALL_SCHEMA,
            "query": question,
            "task_type": task.value,
            "items": [],
            "known_empty": True,
            "elapsed_ms": self._elapsed_ms(),
        }

    def listed(
        self, memory: Memory, statuses: Sequence[str], kinds: Sequence[str], limit: int, *, verify: bool
    ) -> dict[str, Any]:
        """Return the ``helix.memory/1`` object; with ``verify`` each item has its verdict as ``verdict``."""
        recalling = Recalling(self._session, memory, self._now)
        named = [MemoryStatus(one).value for one in statuses] or [one.value for one in sorted(USABLE)]
        found = memory.items.listed(recalling.scopes, named, kinds, limit)
        items = [_shown(one) for one in found]
        if verify:
            judged = recalling.judged([(one, 0.0) for one in found], TaskType.EXPLAIN, heals=True)
            items = [_with_verdict(one) for one in judged]
        return {"schema": MEMORY_SCHEMA, "items": items, "elapsed_ms": self._elapsed_ms()}

    def nothing_listed(self) -> dict[str, Any]:
        """Return the list of an empty memory."""
        return {"schema": MEMORY_SCHEMA, "items": [], "elapsed_ms": self._elapsed_ms()}

    def change(self, memory: Memory, verb: str, name: str, *, dry_run: bool) -> dict[str, Any]:
        """Record a decision on a memory. Raises UsageError for one that is not in a state for it."""
        one = found_memory(memory, name)
        if one.status not in _FROM[verb]:
            raise UsageError(_not_now(verb, one))
        if not dry_run:
            memory.items.change(verb, one.id, self._actor(), int(self._now * 1e3))
        (after,) = memory.items.by_ids([one.id])
        return {"schema": CHANGED_SCHEMA, "change": _DONE[verb], "items": [_shown(after)], "dry_run": dry_run}

    def purge(self, memory: Memory, name: str, confirm: str, *, dry_run: bool) -> dict[str, Any]:
        """Remove a memory whole. Raises UsageError without the words that confirm it."""
        one = found_memory(memory, name)
        if dry_run:
            return {"schema": CHANGED_SCHEMA, "change": _PURGED, "items": [_shown(one)], "dry_run": True, "notes": []}
        wanted = f"purge {one.fact.handle}"
        if " ".join(confirm.split()) != wanted:
            raise UsageError(f"a purge cannot be undone; confirm it with the words: {wanted}")
        is_whole = memory.items.purge(one.id, self._actor(), int(self._now * 1e3))
        notes = (
            []
            if is_whole
            else ["another process reads the memory, so its write-ahead log holds the old pages until that ends"]
        )
        item = {"id": one.fact.handle, "uuid": one.id, "kind": one.fact.kind, "text": "", "status": _PURGED}
        return {"schema": CHANGED_SCHEMA, "change": _PURGED, "items": [item], "dry_run": False, "notes": notes}

    def log(self, memory: Memory, limit: int, name: str, *, verify: bool) -> dict[str, Any]:
        """Return the ``helix.log/1`` object; every memory that is not purged has its text, whatever its status."""
        id_ = found_memory(memory, name).id if name else ""
        ops = memory.items.log(limit, id_)
        known = {one.id: one for one in memory.items.by_ids(dict.fromkeys(op.item_id for op in ops))}
        texts = {record_hash(one.record()): one.text for one in memory.items.evidence(known) if one.text}
        told = []
        for op in ops:
            one = known.get(op.item_id)
            # What was said in this operation, where it is other words for a memory that was there.
            given = next((texts[each] for each in op.args.get("evidence", ()) if each in texts), "")
            told.append(
                {
                    "seq": op.seq,
                    "at": op.at / 1e3,
                    "actor": op.actor,
                    "kind": op.kind,
                    "id": one.fact.handle if one is not None else "",
                    "uuid": op.item_id,
                    "text": shown(given or one.fact.text) if one is not None else "",
                    "status": one.status.value if one is not None else _PURGED,
                    "links": [list(link) for link in op.args.get("links", [])],
                    "head": op.head,
                }
            )
        answer = {"schema": LOG_SCHEMA, "ops": told, "head": told[0]["head"] if told and not name else ""}
        return answer | ({"first_broken": memory.items.first_broken()} if verify else {})

    def no_log(self) -> dict[str, Any]:
        """Return the log of an empty memory."""
        return {"schema": LOG_SCHEMA, "ops": [], "head": ""}

    def review(self, memory: Memory, limit: int) -> dict[str, Any]:
        """Return the ``helix.review/1`` object: ``why`` is ``proposed``, ``contested``, ``superseded`` or ``stale``."""
        recalling, items = Recalling(self._session, memory, self._now), memory.items
        proposed = items.listed(recalling.scopes, [MemoryStatus.QUARANTINED.value], (), limit)
        usable = items.listed(recalling.scopes, [one.value for one in USABLE], (), MOST_REVIEWED)
        judged = recalling.judged([(one, 0.0) for one in (*proposed, *usable)], TaskType.EXPLAIN, heals=True)
        links = items.links(one.id for one in proposed)
        replaced = {link.src: link.dst for link in links if link.rel == SUPERSEDES}
        texts = {one.id: one.fact for one in items.by_ids(replaced.values())}
        queue: list[dict[str, Any]] = []
        for one in judged:
            why = _why(one)
            if why and len(queue) < limit:
                other = texts.get(replaced.get(one.stored.id, ""))
                replaces = {"id": other.handle, "text": shown(other.text)} if other is not None else None
                queue.append(_with_verdict(one) | {"why": why, "replaces": replaces})
        return {"schema": REVIEW_SCHEMA, "items": queue, "elapsed_ms": self._elapsed_ms()}

    def no_review(self) -> dict[str, Any]:
        """Return the queue of an empty memory."""
        return {"schema": REVIEW_SCHEMA, "items": [], "elapsed_ms": self._elapsed_ms()}

    def _actor(self) -> str:
        return actor_of(MemoryOrigin.AGENT if self._by.agent else MemoryOrigin.USER, self._by)

    def _elapsed_ms(self) -> float:
        return round((time.monotonic() - self._started) * 1e3, 1)


def no_memory(name: str) -> UsageError:
    """Return the error for an id where there is no memory file."""
    return UsageError(f"there is no memory {name[:80]!a}; nothing was remembered here yet: helix remember TEXT")


def _not_now(verb: str, one: StoredMemory) -> str:
    hint = {
        MemoryStatus.SUPERSEDED: "remember it again if it is true again",
        MemoryStatus.QUARANTINED: "approve or reject it: helix review",
        MemoryStatus.FORGOTTEN: "bring it back first: helix restore",
    }.get(one.status, "helix list shows what can be done")
    return f"{one.fact.handle} is {one.status.value}, so there is nothing to {verb}; {hint}"


def _why(one: JudgedMemory) -> str:
    if one.stored.status is MemoryStatus.QUARANTINED:
        return "proposed"
    if one.stored.status is MemoryStatus.CONTESTED:
        return "contested"
    if one.verdict.reason is Reason.SUPERSEDED:
        return "superseded"
    is_stale = one.verdict.status is Status.NEEDS_REFRESH or one.verdict.reason is Reason.RENAMED
    return "stale" if is_stale else ""


def _shown(one: StoredMemory) -> dict[str, Any]:
    said = memory_object(one)
    return said | {"text": shown(said["text"])}


def _with_verdict(one: JudgedMemory) -> dict[str, Any]:
    recalled = recall_object(one)
    verdict = {"status": recalled["status"], "reason": recalled["reason"], "detail": recalled["detail"]}
    return _shown(one.stored) | {"verdict": verdict, "evidence": recalled["evidence"]}
