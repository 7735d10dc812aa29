"""Take the memory back to an earlier operation, and list what could leave it. Both erase nothing."""

from __future__ import annotations

import time
from typing import Any

from helix_core.engine.memory.curating import CHANGED_SCHEMA, memory_shown, only_a_person
from helix_core.engine.memory.recalling import Recalling
from helix_core.engine.memory.remembering import actor_of
from helix_core.engine.opened import WorkspaceSession
from helix_core.errors import UsageError
from helix_core.memory import leaving, undoing
from helix_core.model import USABLE, Attribution, MemoryOrigin, MemoryStatus, StoredMemory
from helix_core.store import Memory

MAINTENANCE_SCHEMA = "helix.maintenance/1"
MOST_TOLD = 500


class Upkeep:
    """Upkeep of the memory of one open workspace. ``by`` is the person who decides."""

    def __init__(self, session: WorkspaceSession, by: Attribution) -> None:
        self._session, self._by = session, by
        self._now = time.time()
        self._started = time.monotonic()

    def rollback(self, memory: Memory, to: int, *, dry_run: bool) -> dict[str, Any]:
        """Make what was in force after operation ``to`` be in force again, by new operations: the ``helix.changed/1``
        object; only memories of this workspace and of all.

        ``left`` are those that are in another state than then all the same: a relation that was stated since, or a
        purge, cannot be undone. Raises UsageError for an operation that is not in the log.
        """
        if self._by.agent:
            raise only_a_person(f"helix rollback {to}")
        items, at = memory.items, int(self._now * 1e3)
        scopes = Recalling(self._session, memory, self._now).scopes
        actor = actor_of(MemoryOrigin.USER, self._by)

        def act() -> dict[str, Any]:
            last = items.last_op()
            if not 0 <= to <= last:
                raise UsageError(f"the log has no operation {to:,}; give one from 0 to {last:,} (helix log)")
            ids, operations, purged = items.changed(to, last)
            around = list(dict.fromkeys([*ids, *(end for link in items.links(ids) for end in (link.src, link.dst))]))
            then, flags = items.flags(around, to), items.flags(around)
            was = {one.id: one for one in items.by_ids(around, to)}
            known = [one for one in items.by_ids(around) if one.fact.scope in scopes]
            acts = [(kind, one.id) for one in known for kind in undoing(then.get(one.id), flags[one.id])]
            for kind, id_ in acts:
                items.append(kind, id_, {"rollback": to}, actor, at)
            # What a memory that is purged now had superseded.
            risen = [one.id for one in items.by_ids(one.id for one in known) if _is_risen(one, was.get(one.id))]
            for id_ in risen:
                items.append("forget", id_, {"rollback": to}, actor, at)
            after = {one.id: one for one in items.by_ids(one.id for one in known)}
            changed = [_rolled_back(one, after[one.id]) for one in known if after[one.id].status is not one.status]
            left = [
                _rolled_back(one, after[one.id]) | {"wanted": was[one.id].status.value if one.id in was else ""}
                for one in known
                if _in_force(after[one.id]) != _in_force(was.get(one.id))
            ]
            return {
                "schema": CHANGED_SCHEMA,
                "change": "rolled back",
                "to": to,
                "items": changed[:MOST_TOLD],
                "items_total": len(changed),
                "left": left[:MOST_TOLD],
                "purged": purged,
                "operations": operations,
                "appended": len(acts) + len(risen),
                "head": items.log(1)[0].head if last else "",
                "dry_run": dry_run,
                "notes": _notes(len(left), purged),
            }

        return items.together(act, keep=not dry_run)

    def maintenance(self, memory: Memory, limit: int) -> dict[str, Any]:
        """Return the ``helix.maintenance/1`` object: what could be archived or purged, the longest idle first."""
        items, now = memory.items, int(self._now * 1e3)
        scopes = Recalling(self._session, memory, self._now).scopes
        wanted = [*(one.value for one in USABLE), MemoryStatus.FORGOTTEN.value]
        found: dict[str, list[dict[str, Any]]] = {"archive": [], "purge": []}
        listed = items.listed(scopes, wanted, (), -1)
        uses = items.uses(one.id for one in listed)
        ended = items.times({one.tx_to for one in listed if one.tx_to is not None})
        for one in listed:
            could = leaving(one, uses.get(one.id, ()), ended.get(one.tx_to or 0, now), now)
            if could is not None:
                limits = {"idle_days": round(could.idle_days, 1), "salience": round(could.salience, 4)}
                found[could.act].append(memory_shown(one) | limits)
        for proposals in found.values():
            proposals.sort(key=lambda one: (-one["idle_days"], one["uuid"]))
        return {
            "schema": MAINTENANCE_SCHEMA,
            **{kind: proposals[:limit] for kind, proposals in found.items()},
            **{f"{kind}_total": len(proposals) for kind, proposals in found.items()},
            "looked_at": len(listed),
            "elapsed_ms": round((time.monotonic() - self._started) * 1e3, 1),
        }

    def no_maintenance(self) -> dict[str, Any]:
        """Return the proposals for an empty memory."""
        nothing: dict[str, Any] = {"archive": [], "purge": [], "archive_total": 0, "purge_total": 0, "looked_at": 0}
        return {"schema": MAINTENANCE_SCHEMA, **nothing, "elapsed_ms": 0.0}


def _in_force(one: StoredMemory | None) -> MemoryStatus | None:
    return one.status if one is not None and one.status in USABLE else None


def _is_risen(one: StoredMemory, before: StoredMemory | None) -> bool:
    return one.status in USABLE and (before is None or before.status not in USABLE)


def _rolled_back(one: StoredMemory, after: StoredMemory) -> dict[str, Any]:
    return memory_shown(after) | {"was": one.status.value}


def _notes(left: int, purged: int) -> list[str]:
    notes = []
    if left:
        subject = "1 memory is" if left == 1 else f"{left:,} memories are"
        notes.append(f"{subject} in another state than then, because of a relation that was stated since; see left")
    if purged:
        subject = "1 memory was" if purged == 1 else f"{purged:,} memories were"
        notes.append(f"{subject} purged since, and what is purged cannot come back")
    return notes
