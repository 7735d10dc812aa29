"""The verbs of the memory that ask and decide: recall, list, log, review; forget, restore, approve, archive, purge."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from helix_core.engine.memory.recalling import (
    RECALL_SCHEMA,
    RESERVED,
    JudgedMemory,
    Recalling,
    masked_now,
    nearest_object,
    recall_object,
    recalled_memory,
    shown,
)
from helix_core.engine.memory.remembering import (
    MEMORY_SCHEMA,
    RememberRequest,
    actor_of,
    found_memory,
    memory_object,
)
from helix_core.engine.opened import WorkspaceSession
from helix_core.errors import UsageError
from helix_core.memory import UNNAMED, contested_by, is_due
from helix_core.model import (
    CONFLICTS,
    DEPENDS_ON,
    DERIVED_FROM,
    GLOBAL_SCOPE,
    REFINES,
    RELATED,
    SUPERSEDES,
    USABLE,
    Attribution,
    MemoryFact,
    MemoryLink,
    MemoryOrigin,
    MemoryStatus,
    MemoryUse,
    NoteItem,
    Reason,
    RecalledCitation,
    Status,
    StoredMemory,
    TaskType,
    UseKind,
    record_hash,
)
from helix_core.packet import affordable, estimated_tokens
from helix_core.printable import one_line
from helix_core.secrets import quoted
from helix_core.store import Memory

CHANGED_SCHEMA, LOG_SCHEMA, REVIEW_SCHEMA = "helix.changed/1", "helix.log/1", "helix.review/1"
DIFF_SCHEMA, GRAPH_SCHEMA = "helix.memoryDiff/1", "helix.memoryGraph/1"
MOST_FOLLOWED = 1_000
MOST_REVIEWED = 500
MOST_GRAPH_CITES = 1_000
MOST_ECHOED = 200
"""Characters of a question that an answer within a budget repeats."""
HELD_BACK = "a proposal that nobody approved; helix review shows its text"
"""What graphs, differences and logs have in the place of a proposal's text."""
NOTHING_FORGOTTEN = "nothing was forgotten: give the confirm of the memory that is meant, with the same query"
MOST_CANDIDATES = 5
NOTE_KIND = "note"
MOST_NEAR = 8
"""Memories left out of an answer that its note names."""
MOST_SHOWN_OF_NOTE = 2_000
_PURGED = "purged"
# What each decision asks of the memory it is about, and the state that it is in afterwards.
_FROM: dict[str, frozenset[MemoryStatus]] = {
    "forget": frozenset(MemoryStatus) - {MemoryStatus.FORGOTTEN},
    "restore": frozenset({MemoryStatus.FORGOTTEN, MemoryStatus.ARCHIVED}),
    "approve": frozenset({MemoryStatus.QUARANTINED}),
    "archive": USABLE,
}
_TO_FORCE = frozenset({"restore", "approve"})
_DONE = {"forget": "forgotten", "restore": "restored", "approve": "approved", "archive": "archived"}
# What a person types for it.
_TYPED = {
    "forget": "helix forget {}",
    "restore": "helix restore {}",
    "approve": "helix review --approve {}",
    "archive": "helix review --archive {}",
}


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
        scope: str = "all",
        max_tokens: int | None = None,
    ) -> dict[str, Any]:
        """Return the ``helix.recall/1`` object; within ``max_tokens`` of JSON the best memories that fit."""
        recalling = Recalling(self._session, memory, self._now)
        seq = None if as_of is None else memory.items.op_at(int(as_of * 1e3))
        found = recalling.found(question, k, kinds, seq, scope, at=as_of)
        judged = recalling.judged(found, task, heals=as_of is None)
        waiting = 0 if judged else memory.items.waiting(recalling.within(scope))
        echoed = question if max_tokens is None else question[:MOST_ECHOED]
        answer = self.nothing(echoed, task) | {
            "known_empty": not judged,
            "nearest": [nearest_object(one) for one in recalling.nearest],
            "notes": [
                *([waiting_note(waiting)] if waiting else near_notes(recalling.near)),
                *over_notes(recalling.over),
            ],
            "elapsed_ms": self._elapsed_ms(),
        }
        items = [recall_object(one) for one in judged]
        if max_tokens is None:
            return answer | {"items": items}
        nearest, answer["nearest"] = answer["nearest"], []
        room = max_tokens - RESERVED - estimated_tokens(answer)
        answer["nearest"] = list(affordable(nearest, room, lambda one: estimated_tokens(one) + 1))
        kept = affordable(items, room, lambda one: estimated_tokens(one) + 1)
        return answer | {"items": list(kept), "left_out": len(items) - len(kept)}

    def nothing(self, question: str, task: TaskType) -> dict[str, Any]:
        """Return the answer of an empty memory."""
        return {
            "schema": RECALL_SCHEMA,
            "query": question,
            "task_type": task.value,
            "items": [],
            "known_empty": True,
            "nearest": [],
            "left_out": 0,
            "notes": [],
            "elapsed_ms": self._elapsed_ms(),
        }

    def listed(
        self,
        memory: Memory,
        statuses: Sequence[str],
        kinds: Sequence[str],
        limit: int,
        *,
        verify: bool,
        scope: str = "all",
    ) -> dict[str, Any]:
        """Return the ``helix.memory/1`` object; with ``verify`` each item has its verdict as ``verdict``."""
        recalling = Recalling(self._session, memory, self._now)
        named = [MemoryStatus(one).value for one in statuses] or [one.value for one in sorted(USABLE)]
        found = memory.items.listed(recalling.within(scope), named, kinds, limit)
        items = [memory_shown(one) for one in found]
        if verify:
            judged = recalling.judged([(one, 0.0) for one in found], TaskType.EXPLAIN, heals=True)
            items = [_with_verdict(one) for one in judged]
        return {"schema": MEMORY_SCHEMA, "items": items, "elapsed_ms": self._elapsed_ms()}

    def one(self, memory: Memory, name: str) -> dict[str, Any]:
        """Return the ``helix.memory/1`` object of one memory, of any status: its verdict, its uses, how it is related.

        A person or an agent asks for it by its id, so it counts as used.
        """
        recalling, items = Recalling(self._session, memory, self._now), memory.items
        stored = found_memory(memory, name)
        (judged,) = recalling.judged([(stored, 0.0)], TaskType.EXPLAIN, heals=True)
        uses = items.uses([stored.id]).get(stored.id, [])
        links = items.links([stored.id])
        others = {each.id: each.fact for each in items.by_ids({end for link in links for end in (link.src, link.dst)})}
        related = [
            {"relation": link.rel, "from": others[link.src].handle, "to": others[link.dst].handle}
            for link in links
            if link.src in others and link.dst in others
        ]
        item = _with_verdict(judged) | {
            "uses": [{"kind": each.kind.value, "at": each.at / 1e3} for each in uses],
            "related": related,
        }
        return {"schema": MEMORY_SCHEMA, "items": [item], "elapsed_ms": self._elapsed_ms()}

    def used(self, memory: Memory, names: Sequence[str], kind: UseKind) -> None:
        """Record that memories were used."""
        memory.items.use(names, MemoryUse(kind, int(self._now * 1e3)), self._session.place, is_due)

    def nothing_listed(self) -> dict[str, Any]:
        """Return the list of an empty memory."""
        return {"schema": MEMORY_SCHEMA, "items": [], "elapsed_ms": self._elapsed_ms()}

    def change(self, memory: Memory, verb: str, name: str, *, dry_run: bool) -> dict[str, Any]:
        """Record a decision on a memory. Raises UsageError for one that is not in a state for it."""
        one = found_memory(memory, name)
        if one.status not in _FROM[verb]:
            raise UsageError(_not_now(verb, one))
        if self._by.agent and not self._may_agent(memory, verb, one):
            raise only_a_person(_TYPED[verb].format(one.fact.handle))
        at = int(self._now * 1e3)
        if not dry_run and verb in _TO_FORCE:
            memory.items.put_in_force(verb, one.id, contested_by, self._actor(), at)
        elif not dry_run:
            memory.items.change(verb, one.id, self._actor(), at)
        (after,) = memory.items.by_ids([one.id])
        return {"schema": CHANGED_SCHEMA, "change": _DONE[verb], "items": [memory_shown(after)], "dry_run": dry_run}

    def forget_found(self, memory: Memory, query: str, confirm: str, *, dry_run: bool) -> dict[str, Any]:
        """Return the memories that a query finds, each with the token that confirms it; with the token of one of them
        forget that one, and no other. Raises UsageError for a token of none of them.
        """
        found = Recalling(self._session, memory, self._now).found(query, MOST_CANDIDATES, (), None)
        tokens = {_forget_token(one.fact, query): one for one, _ in found}
        if confirm and confirm not in tokens:
            raise UsageError("that confirms no memory that this query finds; ask without confirm for the candidates")
        if confirm:
            return self.change(memory, "forget", tokens[confirm].id, dry_run=dry_run) | {"candidates": []}
        candidates = [memory_shown(one) | {"confirm": token} for token, one in tokens.items()]
        return self.no_candidates(query) | {
            "candidates": candidates,
            "notes": [NOTHING_FORGOTTEN] if candidates else [],
        }

    def no_candidates(self, query: str) -> dict[str, Any]:
        """Return the answer of a memory where the query finds nothing."""
        return {"query": query[:MOST_ECHOED], "items": [], "candidates": [], "dry_run": True, "notes": []}

    def _may_agent(self, memory: Memory, verb: str, one: StoredMemory) -> bool:
        """Return whether an agent may decide this: only what leaves everything in force that a person put there.

        It may forget what it stated itself and is not approved, and bring back what then waits for review. Where agents
        are not reviewed it may forget and restore whatever agents said, unless that says otherwise than the user.
        """
        if verb not in ("forget", "restore"):
            return False
        if memory.items.flags([one.id])[one.id].is_proposed:
            return verb == "restore" or (one.fact.origin is MemoryOrigin.AGENT and self._is_own(memory, one))
        if self._session.config.review_agents or one.fact.origin is not MemoryOrigin.AGENT:
            return False
        replaced = [link.dst for link in memory.items.links([one.id]) if link.src == one.id and link.rel == SUPERSEDES]
        return all(each.fact.origin is MemoryOrigin.AGENT for each in memory.items.by_ids(replaced))

    def _is_own(self, memory: Memory, one: StoredMemory) -> bool:
        """Return whether the calling agent proposed a memory: each takes back its own alone."""
        said_by = {op.actor for op in memory.items.log(MOST_FOLLOWED, one.id) if op.kind in ("propose", "remember")}
        nameless = {MemoryOrigin.AGENT.value} if self._by.agent == UNNAMED else set()
        return said_by <= {self._actor()} | nameless

    def relate(self, memory: Memory, name: str, relation: str, other: str, *, dry_run: bool) -> dict[str, Any]:
        """Link one memory to another. Raises UsageError for a link that cannot be, or that only a person may make."""
        if relation not in RELATED:
            raise UsageError(f"{quoted(relation, 40)} is not a relation; use one of {', '.join(RELATED)}")
        one, two = found_memory(memory, name), found_memory(memory, other)
        for each in (one, two):
            if each.status is MemoryStatus.FORGOTTEN:
                raise UsageError(_not_now("relate", each))
        links = _links_onwards(memory, two.id, relation)
        if one.id in {two.id, *(link.dst for link in links)} and relation != CONFLICTS:
            raise UsageError(f"{two.fact.handle} {relation} {one.fact.handle} already; a circle of these says nothing")
        if one.id == two.id:
            raise UsageError(f"{one.fact.handle} is one memory; name another one to relate it to")
        link = MemoryLink(one.id, relation, two.id)
        known = set(memory.items.links([one.id]))
        same = {link} | ({MemoryLink(two.id, relation, one.id)} if relation == CONFLICTS else set())
        judged = {CONFLICTS: (one, two), SUPERSEDES: (two,), REFINES: (two,)}.get(relation, (one,))
        if self._by.agent and any(each.fact.origin is MemoryOrigin.USER for each in judged):
            raise UsageError(f"that would change what becomes of a memory of the user, who alone may do it: {relation}")
        if self._by.agent and self._session.config.review_agents and any(each.status in USABLE for each in judged):
            raise only_a_person(f"helix relate {one.fact.handle} {relation} {two.fact.handle}")
        is_new = not same & known
        if is_new and not dry_run:
            memory.items.relate(link, self._actor(), int(self._now * 1e3))
        after = memory.items.by_ids([one.id, two.id])
        answer = {"relation": relation, "from": one.fact.handle, "to": two.fact.handle, "is_new": is_new}
        items = [memory_shown(each) for each in after]
        return {"schema": CHANGED_SCHEMA, "change": "related", "items": items, "link": answer, "dry_run": dry_run}

    def edited(
        self,
        memory: Memory,
        name: str,
        text: str,
        kind: str,
        origin: MemoryOrigin,
        *,
        cites: Sequence[str] | None,
    ) -> tuple[RememberRequest, list[str]]:
        """Return what to remember in the place of a memory, and notes on the citations that it cannot take over."""
        one = found_memory(memory, name)
        if one.status not in USABLE:
            raise UsageError(_not_now("edit", one))
        notes: list[str] = []
        if cites is None:
            recalling = Recalling(self._session, memory, self._now)
            (judged,) = recalling.judged([(one, 0.0)], TaskType.EXPLAIN, heals=False)
            found = recalled_memory(judged).citations
            cites = [_cite(each) for each in found if each.verdict.status is Status.VERIFIED]
            notes = [
                f"{_cite(each)} is no longer cited: {each.verdict.reason.value.replace('_', ' ')}; cite it anew"
                for each in found
                if each.verdict.status is not Status.VERIFIED
            ]
        links = memory.items.links([one.id])
        parents = {
            relation: [link.dst for link in links if link.src == one.id and link.rel == relation]
            for relation in (DEPENDS_ON, DERIVED_FROM)
        }
        over = Recalling(self._session, memory, self._now).is_over(one)
        there = {each.id for each in memory.items.by_ids([id_ for found in parents.values() for id_ in found])}
        request = RememberRequest(
            text,
            cites=cites,
            kind=kind or one.fact.kind,
            is_global=one.fact.scope == GLOBAL_SCOPE,
            origin=origin,
            supersedes=[one.id],
            valid_to=None if one.fact.valid_to is None or over else one.fact.valid_to / 1e3,
            depends_on=[id_ for id_ in parents[DEPENDS_ON] if id_ in there],
            derived_from=[id_ for id_ in parents[DERIVED_FROM] if id_ in there],
        )
        return request, notes

    def no_diff(self, since: float, until: float | None) -> dict[str, Any]:
        """Return the difference of an empty memory."""
        kinds = ("added", "removed", "changed")
        nothing: dict[str, Any] = {kind: [] for kind in kinds} | {f"{kind}_total": 0 for kind in kinds}
        end = self._now if until is None else until
        counts = {"purged": 0, "operations": 0, "elapsed_ms": self._elapsed_ms()}
        return {"schema": DIFF_SCHEMA, "since": since, "until": end, **nothing, **counts}

    def diff(self, memory: Memory, since: float, until: float | None, limit: int) -> dict[str, Any]:
        """Return the ``helix.memoryDiff/1`` object: which memories differ between two times (Unix seconds)."""
        items = memory.items
        end = self._now if until is None else until
        if since > end:
            raise UsageError("since is after until; give the earlier time as since")
        first, last = items.op_at(int(since * 1e3)), items.op_at(int(end * 1e3))
        ids, operations, purged = items.changed(first, last)
        # What a memory that was forgotten superseded is in force again, and its rival is contested no more.
        around = dict.fromkeys([*ids, *(end for link in items.links(ids) for end in (link.src, link.dst))])
        scopes = Recalling(self._session, memory, self._now).scopes
        before, after = (
            {one.id: one for one in items.by_ids(around, seq) if one.fact.scope in scopes} for seq in (first, last)
        )
        held = proposals(memory, after)
        by_kind: dict[str, list[dict[str, Any]]] = {"added": [], "removed": [], "changed": []}
        for id_, one in after.items():
            was = before[id_].status if id_ in before else None
            if was is one.status:
                continue
            is_there, was_there = one.status in USABLE, was in USABLE
            kind = "changed" if is_there == was_there else "added" if is_there else "removed"
            by_kind[kind].append(_unless_held(one, held) | {"was": was.value if was is not None else ""})
        return {
            "schema": DIFF_SCHEMA,
            "since": since,
            "until": end,
            **{kind: sorted(found, key=lambda one: -one["at"])[:limit] for kind, found in by_kind.items()},
            **{f"{kind}_total": len(found) for kind, found in by_kind.items()},
            "purged": purged,
            "operations": operations,
            "elapsed_ms": self._elapsed_ms(),
        }

    def no_graph(self) -> dict[str, Any]:
        """Return the graph of an empty memory."""
        nothing: dict[str, Any] = {"items": [], "links": [], "cites": []}
        return {"schema": GRAPH_SCHEMA, **nothing, "is_whole": True, "elapsed_ms": self._elapsed_ms()}

    def graph(self, memory: Memory, limit: int) -> dict[str, Any]:
        """Return the ``helix.memoryGraph/1`` object: the newest memories that are not forgotten, the links among them,
        and the files of this workspace that they cite. ``is_whole`` is false where memories or citations were cut.
        """
        items, scopes = memory.items, Recalling(self._session, memory, self._now).scopes
        statuses = [one.value for one in sorted(frozenset(MemoryStatus) - {MemoryStatus.FORGOTTEN})]
        found = items.listed(scopes, statuses, (), limit + 1)
        shown_here = {one.id: one.fact.handle for one in found[:limit]}
        links = dict.fromkeys(
            link for link in items.links(shown_here) if link.src in shown_here and link.dst in shown_here
        )
        cites = dict.fromkeys(
            (one.item_id, one.path) for one in items.evidence(shown_here) if one.path and one.scope in scopes
        )
        held = proposals(memory, shown_here)
        return {
            "schema": GRAPH_SCHEMA,
            "items": [_unless_held(one, held) for one in found[:limit]],
            "links": [
                {"id": shown_here[link.src], "relation": link.rel, "other": shown_here[link.dst]} for link in links
            ],
            "cites": [{"id": shown_here[id_], "source_id": path} for id_, path in list(cites)[:MOST_GRAPH_CITES]],
            "is_whole": len(found) <= limit and len(cites) <= MOST_GRAPH_CITES,
            "elapsed_ms": self._elapsed_ms(),
        }

    def purge(self, memory: Memory, name: str, confirm: str, *, dry_run: bool) -> dict[str, Any]:
        """Remove a memory whole. Raises UsageError without the words that confirm it."""
        one = found_memory(memory, name)
        if self._by.agent:
            raise only_a_person(f"helix purge {one.fact.handle}")
        if dry_run:
            return {
                "schema": CHANGED_SCHEMA,
                "change": _PURGED,
                "items": [memory_shown(one)],
                "dry_run": True,
                "notes": [],
            }
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

    def log(self, memory: Memory, limit: int, name: str, *, verify: bool, everywhere: bool = False) -> dict[str, Any]:
        """Return the ``helix.log/1`` object; a memory that is not purged has its text, but for a proposal that is not
        asked for by ``name``.

        Unless it is asked ``everywhere``, what was done to memories of other workspaces is only counted, in
        ``left_out``. Of what was purged nothing tells its workspace.
        """
        id_ = found_memory(memory, name).id if name else ""
        scopes = Recalling(self._session, memory, self._now).scopes
        ops = memory.items.log(limit, id_, () if everywhere or name else scopes)
        folders = dict(_folders(memory)) if everywhere else {}
        known = {one.id: one for one in memory.items.by_ids(dict.fromkeys(op.item_id for op in ops))}
        texts = {record_hash(one.record()): one.text for one in memory.items.evidence(known) if one.text}
        held = set() if name else proposals(memory, known)
        told = []
        for op in ops:
            one = known.get(op.item_id)
            # What was said in this operation, where it is other words for a memory that was there.
            given = next((texts[each] for each in op.args.get("evidence", ()) if each in texts), "")
            text = shown(given or one.fact.text) if one is not None else ""
            if op.item_id in held:
                text = HELD_BACK
            is_about_one = bool(op.item_id)
            if not is_about_one:
                text = shown(f"took in a strand signed by {op.args.get('signer', 'nobody')}")
            told.append(
                {
                    "seq": op.seq,
                    "at": op.at / 1e3,
                    "actor": op.actor,
                    "kind": op.kind,
                    "id": one.fact.handle if one is not None else "",
                    "uuid": op.item_id,
                    "text": text,
                    "status": one.status.value if one is not None else _PURGED if is_about_one else "",
                    "links": [list(link) for link in op.args.get("links", [])],
                    "head": op.head,
                    **({"workspace": _folder_of(one, folders)} if everywhere else {}),
                }
            )
        last = memory.items.log(1)
        answer = {
            "schema": LOG_SCHEMA,
            "ops": told,
            "head": last[0].head if last and not name else "",
            "left_out": 0 if everywhere or name else memory.items.ops_elsewhere(scopes),
        }
        if not verify:
            return answer
        found = memory.items.check()
        return answer | {"first_broken": found.first_broken, "changed_outside": list(found.outside)}

    def no_log(self) -> dict[str, Any]:
        """Return the log of an empty memory."""
        return {"schema": LOG_SCHEMA, "ops": [], "head": "", "left_out": 0}

    def review(self, memory: Memory, limit: int) -> dict[str, Any]:
        """Return the ``helix.review/1`` object: ``why`` is ``proposed``, ``contested``, ``superseded`` or ``stale``.

        ``replaces`` is what a proposal would supersede or refine, ``rivals`` what contradicts a memory and is in force.
        """
        recalling, items = Recalling(self._session, memory, self._now), memory.items
        proposed = items.listed(recalling.scopes, [MemoryStatus.QUARANTINED.value], (), MOST_REVIEWED)
        # Where a person said the same since, nothing is left to decide.
        proposed = [one for one in proposed if one.tx_to is None][:limit]
        listed = items.listed(recalling.scopes, [one.value for one in USABLE], (), MOST_REVIEWED)
        # Of what is over by its own date nothing is left to decide.
        usable = [one for one in listed if not recalling.is_over(one)]
        judged = recalling.judged([(one, 0.0) for one in (*proposed, *usable)], TaskType.EXPLAIN, heals=True)
        links = items.links(one.id for one in proposed)
        replaced = {link.src: link.dst for link in links if link.rel in (REFINES, SUPERSEDES)}
        texts = {one.id: one.fact for one in items.by_ids(replaced.values())}
        rivals = self._rivals(memory, usable)
        queue: list[dict[str, Any]] = []
        for one in judged:
            why = _why(one)
            if why and len(queue) < limit:
                other = texts.get(replaced.get(one.stored.id, ""))
                replaces = {"id": other.handle, "text": shown(other.text)} if other is not None else None
                others = [{"id": each.handle, "text": shown(each.text)} for each in rivals.get(one.stored.id, ())]
                queue.append(_with_verdict(one) | {"why": why, "replaces": replaces, "rivals": others})
        notes = memory.notes.waiting(self._session.place, limit)
        queue += [
            note_shown(item, agent) | {"why": "proposed", "replaces": None, "rivals": []} for item, agent in notes
        ]
        return {"schema": REVIEW_SCHEMA, "items": queue[:limit], "elapsed_ms": self._elapsed_ms()}

    def _rivals(self, memory: Memory, usable: Sequence[StoredMemory]) -> dict[str, list[MemoryFact]]:
        """Return by the id of each contested memory those that contradict it and are in force."""
        contested = {one.id for one in usable if one.status is MemoryStatus.CONTESTED}
        links = [link for link in memory.items.links(contested) if link.rel == CONFLICTS]
        ends = dict.fromkeys(end for link in links for end in (link.src, link.dst))
        facts = {one.id: one.fact for one in memory.items.by_ids(ends) if one.status in USABLE}
        rivals: dict[str, list[MemoryFact]] = {}
        for link in links:
            for one, other in ((link.src, link.dst), (link.dst, link.src)):
                if one in contested and other in facts:
                    rivals.setdefault(one, []).append(facts[other])
        return rivals

    def no_review(self) -> dict[str, Any]:
        """Return the queue of an empty memory."""
        return {"schema": REVIEW_SCHEMA, "items": [], "elapsed_ms": self._elapsed_ms()}

    def _actor(self) -> str:
        return actor_of(MemoryOrigin.AGENT if self._by.agent else MemoryOrigin.USER, self._by)

    def _elapsed_ms(self) -> float:
        return round((time.monotonic() - self._started) * 1e3, 1)


def _folders(memory: Memory) -> list[tuple[str, str]]:
    """Return the key of each workspace that the memory knows with its folder."""
    return [(key, os.fsdecode(place)) for place, key in memory.transfer.workspaces()]


def _folder_of(one: StoredMemory | None, folders: Mapping[str, str]) -> str | None:
    """Return the folder of a memory: empty where it is about every workspace, None where it is in no workspace here."""
    if one is None:
        return None
    return "" if one.fact.scope == GLOBAL_SCOPE else folders.get(one.fact.scope)


def no_memory(name: str) -> UsageError:
    """Return the error for an id where there is no memory file."""
    return UsageError(
        f"there is no memory of the id {quoted(name, 80)}: this memory is empty; helix remember TEXT begins one"
    )


def only_a_person(typed: str) -> UsageError:
    """Return the error for what an agent asks for and may not decide; ``typed`` is the command that does it."""
    shown = one_line(typed)[:MOST_ECHOED]
    return UsageError(f"only a person decides that, never an agent; the user runs it without HELIX_AGENT: {shown}")


def _forget_token(fact: MemoryFact, query: str) -> str:
    """Return what confirms that this memory is to be forgotten for this query; only an answer to the query tells it."""
    preimage = f"forget\0{fact.salt}\0{' '.join(query.split())}"
    return f"{fact.handle}-{hashlib.sha256(preimage.encode('utf-8', 'replace')).hexdigest()[:12]}"


def near_notes(names: Sequence[str]) -> list[str]:
    """Return the note for memories that an answer has in nearly the same words, by their handles."""
    more = f" and {len(names) - MOST_NEAR:,} more" if len(names) > MOST_NEAR else ""
    return [f"in nearly the same words, and left out: {', '.join(names[:MOST_NEAR])}{more}"] if names else []


def over_notes(names: Sequence[str]) -> list[str]:
    """Return the note for memories that would answer but are over, by their handles."""
    more = f" and {len(names) - MOST_NEAR:,} more" if len(names) > MOST_NEAR else ""
    return [f"no longer so by their own date, and left out: {', '.join(names[:MOST_NEAR])}{more}"] if names else []


def waiting_note(waiting: int) -> str:
    """Return what an answer without memories says of the proposals that it leaves out."""
    who, answers = ("proposal waits", "answers") if waiting == 1 else ("proposals wait", "answer")
    return f"{waiting:,} {who} for a person's approval and {answers} nothing before it: helix review"


def _cite(one: RecalledCitation) -> str:
    return f"{one.source_id}:{one.start_line}-{one.end_line}"


def _links_onwards(memory: Memory, id_: str, relation: str) -> list[MemoryLink]:
    """Return the links of one relation that lead on from a memory, however far."""
    found: dict[MemoryLink, None] = {}
    waiting = [id_]
    while waiting and len(found) < MOST_FOLLOWED:
        new = [
            link
            for link in memory.items.links(waiting)
            if link.rel == relation and link.src in waiting and link not in found
        ]
        found.update(dict.fromkeys(new))
        waiting = [link.dst for link in new]
    return list(found)


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


def memory_shown(one: StoredMemory) -> dict[str, Any]:
    """Return the wire object of a memory with its text as an answer has it."""
    answer = memory_object(one)
    return answer | {"text": shown(answer["text"])}


def note_shown(item: NoteItem, agent: str) -> dict[str, Any]:
    """Return the wire object of a note that waits for a person, as the review queue has it: its first chunk, with the
    chunk's ``gene_id`` as ``id``.
    """
    text = masked_now(item.text[:MOST_SHOWN_OF_NOTE])
    return {
        "id": item.gene_id,
        "uuid": item.gene_id,
        "kind": NOTE_KIND,
        "text": text,
        "status": MemoryStatus.QUARANTINED.value,
        "scope": "workspace",
        "origin": MemoryOrigin.AGENT.value,
        "subject": "",
        "attribute": "",
        "value": "",
        "at": item.at,
        "valid_from": item.at,
        "valid_to": None,
        "tx_from": 0,
        "tx_to": None,
        "actor": actor_of(MemoryOrigin.AGENT, Attribution(agent=agent)),
        "verdict": {"status": Status.STALE_RISK.value, "reason": Reason.ASSERTED.value, "detail": ""},
        "evidence": [],
    }


def proposals(memory: Memory, ids: Iterable[str]) -> set[str]:
    """Return those of the memories that are not approved, whether they wait or were turned down."""
    return {id_ for id_, flags in memory.items.flags(ids).items() if flags.is_proposed}


def _unless_held(one: StoredMemory, held: Collection[str]) -> dict[str, Any]:
    """Return the wire object of a memory; of one that is held back without its words."""
    unsaid = {"text": HELD_BACK, "subject": "", "attribute": "", "value": ""}
    return memory_shown(one) | (unsaid if one.id in held else {})


def _with_verdict(one: JudgedMemory) -> dict[str, Any]:
    recalled = recall_object(one)
    verdict = {"status": recalled["status"], "reason": recalled["reason"], "detail": recalled["detail"]}
    return memory_shown(one.stored) | {"verdict": verdict, "evidence": recalled["evidence"]}
