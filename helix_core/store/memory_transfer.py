"""Memories in bulk: the rows of the whole memory as canonical records, and rows of another store taken in.

What belongs to one file stays in it: row numbers, the chain of hashes, and the marks of what was taken in. Decides
nothing: what is taken in is decided by an argument, from the rows as they are inside the transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from helix_core.errors import MemoryStoreError
from helix_core.model import MemoryEvidence, MemoryFact, MemoryLink, MemoryOp, StoredMemory
from helix_core.store.memory_chain import OP, args_of, op_of
from helix_core.store.memory_connection import MemoryConnection
from helix_core.store.memory_items import WRITE_WAIT_MS, MemoryItems
from helix_core.store.memory_marks import CARRIED, WORKSPACES

TAKEN_IN = "merge"
"""The operation that marks the moment other rows came in; of this file alone."""
_NOWHERE = "SELECT count(*) FROM item WHERE scope = ?"


@dataclass(frozen=True, slots=True)
class CarriedRecord:
    """A record of a type that only a newer Helix knows; ``line`` is its canonical JSON.

    ``owner`` is the id of the memory that it belongs to, empty for none.
    """

    type: str
    id: str
    owner: str
    line: str


@dataclass(frozen=True, slots=True)
class ForeignMemories:
    """Rows of another store to add, memories to remove, and what the log of this one says about it.

    ``key`` is the scope that the asking workspace has from now on, empty to leave it as it is.
    """

    facts: tuple[MemoryFact, ...]
    evidence: tuple[MemoryEvidence, ...]
    links: tuple[MemoryLink, ...]
    ops: tuple[MemoryOp, ...]
    purged: tuple[str, ...]
    args: Mapping[str, Any]
    key: str = ""
    carried: tuple[CarriedRecord, ...] = ()

    def __bool__(self) -> bool:
        """Return whether storing this would change anything."""
        rows = self.facts or self.evidence or self.links or self.ops or self.carried
        return bool(rows or self.purged or self.key)


class MemoryTransfer:
    """All memories of the file, whatever their scope and status."""

    def __init__(self, file: MemoryConnection, items: MemoryItems) -> None:
        self._file, self._items = file, items

    def records(self) -> list[dict[str, Any]]:
        """Return the canonical records of all memories, evidence, links and operations. Raises MemoryStoreError."""
        ids = [row[0] for row in self._file.rows("SELECT id FROM item ORDER BY row")]
        found = [one.fact.record() for one in self._items.by_ids(ids)]
        found += [one.record() for one in self._items.evidence(ids)]
        found += [MemoryLink(*row).record() for row in self._file.rows("SELECT src, rel, dst FROM link")]
        for row in self._file.rows(f"{OP} WHERE kind <> ?", (TAKEN_IN,)):
            op = op_of(row)
            if args_of(row[6]) is None:
                raise MemoryStoreError(
                    f"Operation {op.seq} of the memory {self._file.path} is not as it was written, so nothing leaves "
                    "it or comes in; see helix log --verify, and put a copy of the file in its place."
                )
            fields = {"lamport": op.lamport, "actor": op.actor, "kind": op.kind, "item_id": op.item_id, "at": op.at}
            found.append({"type": "op", "id": op.id, "fields": fields | {"args": op.args}})
        for kind, id_, line in self._file.rows("SELECT type, id, line FROM carried"):
            record = args_of(line)
            if record is None or (record.get("type"), record.get("id")) != (kind, id_):
                raise MemoryStoreError(
                    f"A record that the memory {self._file.path} keeps for a newer Helix is not as it came in, so "
                    "nothing leaves it or comes in; see helix log --verify, and put a copy of the file in its place."
                )
            found.append(record)
        return found

    def signers(self) -> Callable[[StoredMemory], str]:
        """Return a function that names the signer of a memory which came in with a strand of somebody else: by the last
        label that the key was trusted under here, else by the key.

        It returns an empty string for what was said here, came in with a strand of the user's own, or came in before
        this was recorded.
        """
        spans: list[tuple[int, int, str]] = []
        labels: dict[str, str] = {}
        for seq, arguments in self._file.rows("SELECT seq, args FROM op WHERE item_id = '' AND kind = ?", (TAKEN_IN,)):
            args = args_of(arguments) or {}
            signer, operations = str(args.get("signer", "")), args.get("operations")
            if label := args.get("label"):
                labels[signer] = str(label)
            if isinstance(operations, int) and not args.get("is_own"):
                spans.append((seq, seq + operations, signer))

        def signer_of(one: StoredMemory) -> str:
            found = next((signer for first, last, signer in spans if first <= one.tx_from <= last), "")
            return labels.get(found, found)

        return signer_of

    def carried(self) -> tuple[int, int]:
        """Return how many records are kept for a newer Helix, and their bytes."""
        count, size = self._file.rows("SELECT count(*), coalesce(sum(octet_length(line)), 0) FROM carried")[0]
        return int(count), int(size)

    def workspaces(self) -> list[tuple[bytes, str]]:
        """Return the real path of each workspace with its key, the scope of its memories."""
        return [(row[0], row[1]) for row in self._file.rows("SELECT path, key FROM workspace ORDER BY id")]

    def is_free(self, workspace: bytes, key: str) -> bool:
        """Return whether a workspace without memories of its own could take a scope that no workspace has."""
        own = self._items.scope(workspace)
        has_own = own and self._file.rows(_NOWHERE, (own,))[0][0]
        return not has_own and not self._file.rows("SELECT 1 FROM workspace WHERE key = ?", (key,))

    def take(self, decide: Callable[[], ForeignMemories], workspace: bytes, actor: str, at: int) -> bool:
        """Add and remove what ``decide`` returns, all in one transaction; return whether every removed copy is gone.

        Raises MemoryStoreError, and the errors of ``decide``; then nothing has changed.
        """
        with self._file.busy_timeout(WRITE_WAIT_MS), self._file.transaction():
            wanted = decide()
            if wanted:
                self._take(wanted, workspace, actor, at)
        return self._items.overwrite_removed() if wanted.purged else True

    def _take(self, wanted: ForeignMemories, workspace: bytes, actor: str, at: int) -> None:
        items = self._items
        items.require_room(len(wanted.facts))
        # In front of the others, so that a question as of an earlier time sees none of them.
        first = items.append(TAKEN_IN, "", {**wanted.args, "operations": len(wanted.ops)}, actor, at)
        written: dict[str, int] = {}
        for op in sorted(wanted.ops, key=lambda op: (op.lamport, op.id)):
            seq = items.append(op.kind, op.item_id, op.args, op.actor, op.at, own_id=op.id, lamport=op.lamport)
            if op.kind in ("remember", "propose"):
                written.setdefault(op.item_id, seq)
        with items.vectors.together():
            for fact in wanted.facts:
                items.add_fact(fact, written.get(fact.id, first))
        for one in wanted.evidence:
            items.add_evidence(one)
        for link in wanted.links:
            items.add_link(link, written.get(link.src, first))
        for each in wanted.carried:
            said = (each.type, each.id, each.owner, each.line)
            self._file.rows("INSERT INTO carried VALUES (?, ?, ?, ?)", said)
            self._file.mark_row(CARRIED, "carried", said)
        if wanted.purged:
            items.remove(wanted.purged)
        if wanted.key:
            row = self._file.workspace_id(workspace)
            with self._file.remarked(WORKSPACES, row):
                self._file.rows("UPDATE workspace SET key = ? WHERE id = ?", (wanted.key, row))
